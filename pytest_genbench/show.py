"""``genbench show``: a benchmark's factors and splits with their counts, and pictures of what a split holds out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import sheets
from .benchmarks import Benchmark, Poses, noun
from .errors import OptionError
from .results.io import check_writable
from .rng import stream
from .splits import Split

T = TypeVar("T")

_LISTED = 12
"""Levels, rules and splits of a family that are written out; of more, the first and the last."""

_ROWS = 24
"""Splits of a family up to which all are written out."""

_PICTURES, _FEWER = 36, 18
"""Pictures in each of the two parts of a sheet; and where a sheet shows several splits."""

_PROBLEMS, _FEW = 6, 2
"""Problems in each of the two parts of a sheet; and where a sheet shows several splits."""


def benchmark(found: Benchmark) -> str:
    """Describe a benchmark: its images, factors, tasks and splits, and which splits it lacks for which reason."""
    lines = [_title(found), "", *_factors(found), "", *_tasks(found)]
    for family in found.families:
        lines += ["", *_family(family, found.splits(family))]
    # Only benchmarks of people's own data lack splits.
    reasons: Mapping[str, str] = getattr(found, "left_out", {})
    if reasons:
        lines += ["", "left out", *_table([(f"  {slug}", reason) for slug, reason in reasons.items()])]
    return "\n".join(lines)


def split(found: Benchmark, chosen: Split) -> str:
    """Describe a split: how much it holds out, and which levels, and pairs of levels, training never shows."""
    lines = [
        chosen.id,
        f"  held out  {len(chosen.test):,} {_noun(found)}: {chosen.held_out}",
        f"  training  {len(chosen.train):,} {_noun(found)}; a model trained on them declares genbench.trained_on = {chosen.id}",
    ]
    if len(chosen.validation):
        lines += [f"  to choose by  {len(chosen.validation):,} {_noun(found)} (validation)"]
    if isinstance(found, Poses):
        # Of problems the factors are but rule and number.
        return "\n".join([*lines, "", *_table(_shortened(found.explain(chosen)))])
    lines += [""]
    rows = [("factor", "levels", "in training", "only held out")]
    train, test = found.levels(chosen.train), found.levels(chosen.test)
    for k, factor in enumerate(found.grid.factors):
        seen, unseen = np.unique(train[:, k]), np.setdiff1d(test[:, k], train[:, k])
        rows.append((factor.name, str(len(factor)), str(len(seen)), _levels(factor.values, unseen.tolist()) or "-"))
    lines += _table(rows)
    # Only hierarchical benchmarks have variables that exist under conditions.
    if hierarchy := getattr(found, "hierarchy", None):
        lines += ["", "variables", *(f"  {line}" for line in hierarchy(chosen).tree().splitlines())]
    pairs = list(_pairs(found, train, test))
    if pairs:
        lines += ["", *_table([("pairs of levels that are seen one by one", "only held out", ""), *pairs])]
    return "\n".join(lines)


def sheet(found: Benchmark, chosen: Split, out: Path) -> str:
    """Draw a sample of the training images beside a sample of what is held out, the same one in every run.

    Args:
        found: Renders the images.
        chosen: One of its splits.
        out: The PNG file to write.

    Returns:
        A line that says what was drawn.

    Raises:
        OptionError: The file exists, or has another ending.
        DocumentError: It cannot be written there.
    """
    check(out)
    if isinstance(found, Poses):
        return _of_problems(found, chosen, out)
    row = _row(found, chosen, _PICTURES)
    sheets.beside([(chosen.id, row)]).save(out, format="PNG")
    return f"{out}: {len(row[0][1])} training {_noun(found)} beside {len(row[1][1])} that are held out"


def overview(found: Benchmark, out: Path) -> str:
    """Draw a split of each family, training beside what is held out; of problems some of each split of the first family.

    Args:
        found: Renders the images.
        out: The PNG file to write.

    Returns:
        A line that says what was drawn.

    Raises:
        OptionError: The file exists, or has another ending; or the benchmark has no split.
        DocumentError: It cannot be written there.
    """
    check(out)
    families = [splits for family in found.families if (splits := found.splits(family))]
    if not families:
        raise OptionError(f"{found.name} has no split to draw.")
    if isinstance(found, Poses):
        parts = [_part(found, each, [each.held_out or each.slug], "training", each.train, _FEW) for each in families[0]]
        sheets.sheet(parts).save(out, format="PNG")
        return f"{out}: {_FEW} training problems of each of {len(parts)} splits"
    # One in the middle: the first may be an extreme, such as words of one letter.
    chosen = [splits[len(splits) // 2] for splits in families]
    sheets.beside([(each.id, _row(found, each, _FEWER)) for each in chosen]).save(out, format="PNG")
    return f"{out}: training {_noun(found)} beside what is held out, for {', '.join(each.slug for each in chosen)}"


def check(out: Path) -> None:
    """Say early that a sheet could not be written; see :func:`sheet`."""
    if out.suffix.lower() != ".png":
        raise OptionError(f"--out={out}: the sheet is a PNG file; name it so, as in sheet.png.")
    if out.exists():
        raise OptionError(f"--out={out}: exists already; choose another file.")
    check_writable(out)


def _row(found: Benchmark, chosen: Split, most: int) -> list[tuple[str, NDArray[np.uint8]]]:
    """Images of the training, and such as are held out, each with a heading."""
    return [
        (f"training: {len(chosen.train):,} {_noun(found)}", _sample(found, chosen, "training", chosen.train, most)),
        (f"held out: {len(chosen.test):,}: {chosen.held_out}", _sample(found, chosen, "held out", chosen.test, most)),
    ]


def _of_problems(found: Benchmark, chosen: Split, out: Path) -> str:
    """Draw problems of the training above such as training never shows, with the right image of each marked."""
    assert isinstance(found, Poses)
    explained = found.explain(chosen)
    about = [f"{what}: {text}" for what, text in explained] if len(explained) <= _LISTED else []
    heading = [*about, f"training: {len(chosen.train):,} problems; the image to be found has a red frame"]
    below = ["unseen: problems that follow a law training never shows"]
    parts = [
        _part(found, chosen, heading, "training", chosen.train, _PROBLEMS),
        _part(found, chosen, below, "unseen", found.unseen(chosen), _PROBLEMS),
    ]
    sheets.sheet(parts).save(out, format="PNG")
    return (
        f"{out}: {len(parts[0][1])} training problems above {len(parts[1][1])} that follow a law training never shows"
    )


def _part(
    found: Benchmark, chosen: Split, heading: Sequence[str], part: str, items: NDArray[np.int64], most: int
) -> tuple[Sequence[str], NDArray[np.uint8], Sequence[int], Sequence[str]]:
    """Draw some problems, with their answers and captions."""
    assert isinstance(found, Poses)
    index = _drawn(chosen, part, items, most)
    answers = [found.problem(item).answer for item in index.tolist()]
    return heading, found.images(index), answers, found.captions(index)


def _pairs(found: Benchmark, train: NDArray[np.int64], test: NDArray[np.int64]) -> Iterator[tuple[str, str, str]]:
    """List the pairs of levels of two factors that only held-out items show, although they show no new level."""
    factors = found.grid.factors
    for first, second in combinations(range(len(factors)), 2):
        width = len(factors[second])
        seen, tested = (np.unique(levels[:, first] * width + levels[:, second]) for levels in (train, test))
        unseen = np.setdiff1d(tested, seen)
        is_new = np.isin(unseen // width, train[:, first]) & np.isin(unseen % width, train[:, second])
        texts = [
            f"{_levels(factors[first].values, [pair // width])} with {_levels(factors[second].values, [pair % width])}"
            for pair in unseen[is_new].tolist()
        ]
        if texts:
            yield f"  {factors[first].name} and {factors[second].name}", f"{len(texts):,}", _listed(texts)


def _title(found: Benchmark) -> str:
    first = next((found.splits(family)[0] for family in found.families), None)
    items = len(first.is_held_out()) if first else getattr(found, "__len__", lambda: 0)()
    text = f"{found.name} {found.version} ({found.preset}): {items:,} {_kind(found)}"
    size = 1
    for factor in found.grid.factors:
        size *= len(factor)
    return text if items == size else f"{text}; the grid of all levels has {size:,} points"


def _noun(found: Benchmark) -> str:
    return noun(found.image_shape)


def _kind(found: Benchmark) -> str:
    """Say what items are."""
    if len(found.image_shape) == 1:
        return f"signals of {found.image_shape[0]} values"
    *number, height, width, channels = found.image_shape
    colour = {1: "grey", 3: "RGB"}.get(channels, f"{channels} channels")
    several = f"problems of {number[0]} " if number else ""
    return f"{several}images of {width} by {height} pixels, {colour}"


def _factors(found: Benchmark) -> Iterator[str]:
    factors = found.grid.factors
    rows = [(each.name, each.kind, f"{len(each):,}", _levels(each.values, range(len(each)))) for each in factors]
    return _table([("factor", "kind", "levels", ""), *rows])


def _tasks(found: Benchmark) -> Iterator[str]:
    rows = [(task.name, ", ".join(task.outputs), task.metric) for task in found.tasks.values()]
    return _table([("a model takes part by", "with the outputs", "scored by"), *rows])


def _family(family: str, splits: Sequence[Split]) -> Iterator[str]:
    rows = [(family, "training", "held out", "")]
    shown = _some(splits, _ROWS)
    for each in shown:
        if each is None:
            rows.append((f"  … {len(splits) - len(shown) + 1:,} more", "", "", ""))
            continue
        group = f" ({each.group})" if each.group and each.group not in each.held_out else ""
        rows.append((f"  {each.slug}", f"{len(each.train):,}", f"{len(each.test):,}", f"{each.held_out}{group}"))
    return _table(rows)


def _levels(values: Sequence[Any], levels: Sequence[int]) -> str:
    """Write levels in order, leaving out the middle of many."""
    texts = [f"{values[k]:g}" if isinstance(values[k], float) else str(values[k]) for k in levels]
    return _listed(texts)


def _listed(texts: Sequence[str]) -> str:
    return ", ".join("…" if text is None else text for text in _some(texts, _LISTED))


def _shortened(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out the middle of many rows."""
    shown = _some(rows, _LISTED)
    left = f"… {len(rows) - len(shown) + 1:,} more"
    return [("  " + (left if row is None else row[0]), "" if row is None else row[1]) for row in shown]


def _some(everything: Sequence[T], most: int) -> list[T | None]:
    """Return all; of more than `most` the first and the last, with None between them."""
    if len(everything) <= most:
        return list(everything)
    return [*everything[: _LISTED // 2], None, *everything[-2:]]


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align columns: those that hold numbers below their heading to the right, all others to the left."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    are_numbers = [
        all(not cell or cell.replace(",", "").isdecimal() for cell in column[1:]) and any(column[1:])
        for column in columns
    ]
    for row in rows:
        cells = [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, are_numbers, strict=True)
        ]
        yield "  ".join(cells).rstrip()


def _drawn(chosen: Split, part: str, items: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Draw items of a part of a split, the same ones in every run, ascending."""
    draw = stream("show", chosen.benchmark, chosen.preset, chosen.slug, part)
    return np.sort(draw.choice(items, min(len(items), most), replace=False))


def _sample(found: Benchmark, chosen: Split, part: str, items: NDArray[np.int64], most: int) -> NDArray[np.uint8]:
    shown = found.images(_drawn(chosen, part, items, most))
    if shown.ndim == 5:  # sets that nothing more is known of: image by image
        shown = shown.reshape(-1, *shown.shape[2:])[:most]
    return shown if shown.ndim == 4 else plotted(shown)


def plotted(signals: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Draw signals (N, length) as lines, all on one scale: images uint8 (N, length, length, 1)."""
    count, length = signals.shape
    low, high = float(signals.min()), float(signals.max())
    rows = np.rint((high - signals) / max(high - low, 1e-12) * (length - 1)).astype(np.int64)
    before = np.concatenate([rows[:, :1], rows[:, :-1]], axis=1)
    at = np.arange(length)[None, :, None]
    is_line = (at >= np.minimum(rows, before)[:, None]) & (at <= np.maximum(rows, before)[:, None])
    return np.where(is_line, 0, 235).astype(np.uint8)[..., None].reshape(count, length, length, 1)
