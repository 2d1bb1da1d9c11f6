"""``genbench show``: a benchmark's factors and splits with their counts, and pictures of what a split holds out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import sheets
from .benchmarks import Benchmark, Poses, noun
from .errors import OptionError
from .results.io import check_writable
from .rng import stream
from .splits import Split

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")

_LISTED = 12
"""Levels, rules and splits of a family that are written out; of more, the first and the last."""

_ROWS = 24
"""Splits of a family up to which all are written out."""

_ACROSS, _DOWN = 12, 4
"""Pictures beside and below each other, for each of the two parts of a sheet."""

_LEAST, _MOST = 48, 160
"""Pixels a side of a picture: smaller images are enlarged by whole numbers, larger ones made smaller."""

_GAP, _HEADING = 4, 24

_PROBLEMS = 6
"""Problems in each of the two parts of a sheet."""


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
    """Draw a sample of the training images above a sample of what is held out, the same one in every run.

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
    if out.suffix.lower() != ".png":
        raise OptionError(f"--out={out}: the sheet is a PNG file; name it so, as in sheet.png.")
    if out.exists():
        raise OptionError(f"--out={out}: exists already; choose another file.")
    check_writable(out)
    what = _noun(found)
    if isinstance(found, Poses):
        return _of_problems(found, chosen, out)
    parts = [
        (f"training: {len(chosen.train):,} {what}", _sample(found, chosen, "training", chosen.train)),
        (f"held out: {len(chosen.test):,} {what}: {chosen.held_out}", _sample(found, chosen, "held out", chosen.test)),
    ]
    _draw(parts).save(out, format="PNG")
    return f"{out}: {len(parts[0][1])} training {what} above {len(parts[1][1])} that are held out"


def _of_problems(found: Benchmark, chosen: Split, out: Path) -> str:
    """Draw problems of the training above such as training never shows, with the right image of each marked."""
    assert isinstance(found, Poses)
    explained = found.explain(chosen)
    about = [f"{what}: {text}" for what, text in explained] if len(explained) <= _LISTED else []
    parts = []
    for heading, part, items in (
        (
            [*about, f"training: {len(chosen.train):,} problems; the image to be found has a red frame"],
            "training",
            chosen.train,
        ),
        (["unseen: problems that follow a law training never shows"], "unseen", found.unseen(chosen)),
    ):
        index = _drawn(chosen, part, items, _PROBLEMS)
        answers = [found.problem(item).answer for item in index.tolist()]
        parts.append((heading, found.images(index), answers, found.captions(index)))
    sheets.sheet(parts).save(out, format="PNG")
    return (
        f"{out}: {len(parts[0][1])} training problems above {len(parts[1][1])} that follow a law training never shows"
    )


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


def _sample(found: Benchmark, chosen: Split, part: str, items: NDArray[np.int64]) -> NDArray[np.uint8]:
    shown = found.images(_drawn(chosen, part, items, _ACROSS * _DOWN))
    if shown.ndim == 5:  # sets that nothing more is known of: image by image
        shown = shown.reshape(-1, *shown.shape[2:])[: _ACROSS * _DOWN]
    return shown if shown.ndim == 4 else _plotted(shown)


def _plotted(signals: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Draw signals (N, length) as lines, all on one scale: images uint8 (N, length, length, 1)."""
    count, length = signals.shape
    low, high = float(signals.min()), float(signals.max())
    rows = np.rint((high - signals) / max(high - low, 1e-12) * (length - 1)).astype(np.int64)
    before = np.concatenate([rows[:, :1], rows[:, :-1]], axis=1)
    at = np.arange(length)[None, :, None]
    is_line = (at >= np.minimum(rows, before)[:, None]) & (at <= np.maximum(rows, before)[:, None])
    return np.where(is_line, 0, 235).astype(np.uint8)[..., None].reshape(count, length, length, 1)


def _draw(parts: Sequence[tuple[str, NDArray[np.uint8]]]) -> Image:
    """Lay pictures out below headings."""
    from PIL import Image, ImageDraw

    side = [_side(length) for length in parts[0][1].shape[1:3]]
    heights = [_HEADING + -(-len(images) // _ACROSS) * (side[0] + _GAP) for _, images in parts]
    across = min(_ACROSS, max(len(images) for _, images in parts))
    wide = max(int(ImageDraw.Draw(Image.new("RGB", (1, 1))).textlength(heading)) for heading, _ in parts)
    width = max(wide, across * (side[1] + _GAP)) + 2 * _GAP
    picture = Image.new("RGB", (width, sum(heights) + _GAP), "white")
    draw = ImageDraw.Draw(picture)
    top = 0
    for (heading, images), height in zip(parts, heights, strict=True):
        draw.text((_GAP, top + 6), heading, fill="black")
        for place, image in enumerate(images):
            tile = Image.fromarray(image[..., 0] if image.shape[2] == 1 else image[..., :3])
            enlarged = Image.Resampling.NEAREST if side[0] >= tile.height else Image.Resampling.BOX
            down, right = divmod(place, _ACROSS)
            at = (_GAP + right * (side[1] + _GAP), top + _HEADING + down * (side[0] + _GAP))
            picture.paste(tile.resize((side[1], side[0]), enlarged), at)
        top += height
    return picture


def _side(length: int) -> int:
    """Pixels that a side of this length is drawn with."""
    return min(_MOST, length * max(1, -(-_LEAST // length)))
