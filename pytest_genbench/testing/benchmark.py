"""Whether a benchmark is what :class:`pytest_genbench.benchmarks.Benchmark` says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..benchmarks import Benchmark, Contrasts, Illustrates
from ..errors import BenchmarkError
from ..factors import FactorGrid
from ..models.declaration import is_role
from ..rng import stream
from ..splits import Split
from . import again, figures, tasks
from .cases import Cases
from .findings import Findings, raised, wrong_array

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]*")

_SPLITS = 3
"""Splits of each family that are looked at closely: the first, the last and one between."""

_ITEMS = 24
"""Items whose images are made."""

_LABELS, _SOLVED = 4096, 96
"""Items whose levels and right answers are asked for; problems, whose answers are known only once they are made."""


def check_benchmark(benchmark: Benchmark, *, model: Any = None) -> None:
    """Check everything that the plugin relies on in a benchmark.

    Names, splits, images, levels, right answers, tasks, scorers, anchors and exposure are tried on a few splits and items, the
    same ones each time. So are figures, the worst items and what is said of them, where a benchmark offers any. Where the class
    can be called with the preset alone, a second instance has to be alike, in this process and in another one.

    Args:
        benchmark: The benchmark under one preset.
        model: A model that has to be able to take part: whatever a model factory may return, such as a function of NumPy images.

    Raises:
        AssertionError: Something is wrong; the message lists all of it.

    Example:
        >>> from pytest_genbench.benchmarks.comporth import CompOrth
        >>> from pytest_genbench.testing import check_benchmark
        >>> def test_conforms():
        ...     check_benchmark(CompOrth("mini"))
    """
    __tracebackhide__ = True
    findings = Findings(f"{type(benchmark).__name__} is no benchmark yet")
    findings.add("the attributes", _attributes(benchmark))
    findings.add("splits()", _families(benchmark))
    found: list[Split] = []
    findings.add("splits()", _splits(benchmark, found))
    if found:
        _contents(findings, benchmark, found, model)
    else:
        findings.note("As no split can be used, images, levels, tasks and exposure were not checked.")
    findings.report()


def _contents(findings: Findings, benchmark: Benchmark, splits: Sequence[Split], model: Any) -> None:
    """Check what needs items and splits."""
    # Of one data set: those of several may have different targets.
    first = splits[0]
    whole = np.union1d(first.train, first.test)
    most = _LABELS if len(benchmark.image_shape) < 4 else _SOLVED
    items, labels = whole[_some(len(whole), _ITEMS)], whole[_some(len(whole), most)]
    is_sound = [
        findings.add("images()", _images(benchmark, items)),
        findings.add("levels()", _levels(benchmark, labels)),
        findings.add("targets()", _targets(benchmark, labels)),
        findings.add("tasks", tasks.declared(benchmark)),
    ]
    findings.add("is_exposed()", _exposure(benchmark, splits))
    if not all(is_sound):
        findings.note("As they need all of the above, scores, anchors and a second instance were not checked.")
        return
    found = Cases(benchmark)
    firsts = {split.family: split for split in reversed(splits)}.values()
    for task in benchmark.tasks.values():
        each = list(reversed(firsts))
        if task.on_request:
            is_sound.append(findings.add(f"task {task.name!r}", tasks.on_request(benchmark, task, each, labels, found)))
            continue
        for split in each:
            where = f"task {task.name!r} on {split.slug}"
            is_sound += [
                findings.add(where, tasks.scores(benchmark, task, split, labels, where, found)),
                findings.add(where, tasks.anchors(task, split, where, found)),
            ]
    _figures(findings, benchmark, found, labels, is_sound=all(is_sound))
    findings.add("a second instance", again.alike(benchmark, items))
    if model is not None:
        findings.add("the model", tasks.takes_part(benchmark, model, splits[0]), allows_global_random=True)


def _figures(
    findings: Findings, benchmark: Benchmark, cases: Cases, labels: NDArray[np.int64], *, is_sound: bool
) -> None:
    """Check figures, where there are any; those of unsound scores are not worth a look."""
    if not isinstance(benchmark, Illustrates | Contrasts):
        return
    if not is_sound:
        findings.note("As they need scores and anchors, figures were not checked.")
        return
    if findings.add("the tasks", tasks.more(benchmark, labels, cases)):
        findings.add("figures()", figures.checked(benchmark, cases.models()))


def _some(size: int, most: int) -> NDArray[np.int64]:
    """Draw items of a benchmark, ascending."""
    return np.sort(stream("conformance", size).choice(size, min(size, most), replace=False)).astype(np.int64)


def _attributes(benchmark: Benchmark) -> Iterator[str]:
    for name in ("name", "version", "preset"):
        yield from _unsafe(name, getattr(benchmark, name, None))
    if not isinstance(getattr(benchmark, "grid", None), FactorGrid):
        yield f"grid is a {type(getattr(benchmark, 'grid', None)).__name__}; give a FactorGrid."
    shape = getattr(benchmark, "image_shape", None)
    if not (
        isinstance(shape, tuple) and len(shape) in (1, 3, 4) and all(type(side) is int and side > 0 for side in shape)
    ):
        yield (
            f"image_shape is {shape!r}; give (height, width, channels), a tuple of three integers, of sets of images with their "
            "number before it, or of signals (length,)."
        )


def _unsafe(what: str, value: object) -> Iterator[str]:
    """Yield a line where a name cannot be part of a path: ids and the paths of model files are made of names."""
    if not isinstance(value, str) or not _SAFE.fullmatch(value):
        yield f"{what} is {value!r}; give text of letters, digits and + . _ - that can be part of a path."


def _families(benchmark: Benchmark) -> Iterator[str]:
    families = benchmark.families
    if not isinstance(families, tuple | list) or not families:
        yield f"families is {families!r}; give a tuple of at least one name."
        return
    for family in families:
        yield from _unsafe("a family", family)
    unknown = "no-such-family"
    try:
        benchmark.splits(unknown)
    except BenchmarkError:
        return
    except Exception as error:
        yield f"splits({unknown!r}) {raised(error)}; raise BenchmarkError for a family there is not."
    else:
        yield f"splits({unknown!r}) returned; raise BenchmarkError for a family there is not."


def _splits(benchmark: Benchmark, found: list[Split]) -> Iterator[str]:
    """Check all splits in name and a few in full; put those that can be used for further checks into `found`."""
    places: dict[str, list[Split]] = {}
    for family in benchmark.families:
        splits = benchmark.splits(family)
        if not isinstance(splits, tuple | list) or not splits or not all(isinstance(each, Split) for each in splits):
            yield f"splits({family!r}) is {splits!r:.80}; return a tuple of at least one Split."
            continue
        if [str(split) for split in splits] != [str(split) for split in benchmark.splits(family)]:
            yield f"splits({family!r}) returns other splits, or in another order, when called again."
        for split in splits:
            places.setdefault(split.slug, []).append(split)
        for split in _few(splits):
            problems = [*_fields(benchmark, family, split), *_sets(split, found)]
            yield from problems
            if not problems:
                found.append(split)
    shared = [same for same in places.values() if len(same) > 1]
    repeated = [same for same in shared if len({split.family for split in same}) < len(same)]
    # A slug names what was trained on, in model paths and ids: several families may test the same split, each in its own way.
    looked_at = [places[split.slug] for split in _few([same[0] for same in shared])]
    for same in repeated or [same for same in looked_at if not _are_one(same)]:
        where = " and ".join(dict.fromkeys(split.family for split in same))
        yield (
            f"the slug {same[0].slug!r} is there {len(same)} times, in {where}; make slugs unique over all families, except where "
            "they name the same items to train on and to test."
        )


def _are_one(splits: Sequence[Split]) -> bool:
    """Whether splits train on the same items and hold out the same ones."""
    first = splits[0]
    return all(
        np.array_equal(first.is_held_out(), other.is_held_out()) and np.array_equal(first.is_shown(), other.is_shown())
        for other in splits[1:]
    )


def _few(splits: Sequence[Split]) -> list[Split]:
    """Choose the first split, the last, and some between."""
    if len(splits) <= _SPLITS:
        return list(splits)
    between = stream("conformance", splits[0].slug).choice(len(splits) - 2, _SPLITS - 2, replace=False) + 1
    return [splits[at] for at in sorted({0, len(splits) - 1, *between.tolist()})]


def _fields(benchmark: Benchmark, family: str, split: Split) -> Iterator[str]:
    expected = {"benchmark": benchmark.name, "preset": benchmark.preset, "family": family}
    for name, value in expected.items():
        if getattr(split, name) != value:
            yield f"split {split.slug}: {name} is {getattr(split, name)!r}; it has to be {value!r}."
    if not isinstance(split.held_out, str) or not split.held_out.strip():
        yield f"split {split.slug}: held_out is {split.held_out!r}; say in a few words what training never shows."


def _sets(split: Split, others: Sequence[Split]) -> Iterator[str]:
    what = f"split {split.slug}: is_held_out()"
    mask = split.is_held_out()
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.ndim != 1:
        found = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
        yield f"{what} gives {found}; return a bool array of one axis, an entry for each item."
        return
    if others and len(mask) != (length := len(others[0].is_held_out())):
        yield f"{what} has {len(mask)} entries, {others[0].slug} has {length}; all splits are over the same items."
    if not np.array_equal(mask, split.is_held_out()):
        yield f"{what} gives another mask when called again; the same items have to be held out each time."
    elif not mask.any():
        yield f"{what} holds out nothing; there has to be something to test."
    elif mask.all():
        yield f"{what} holds out everything; there has to be something to train on."
    elif split.belongs is not None and (mask & ~split.belongs()).any():
        yield f"split {split.slug}: it holds out items that do not belong to it; is_held_out() has to be a part of belongs()."
    elif not split.is_shown().any():
        yield f"split {split.slug}: nothing that belongs to it is left to train on."
    elif not np.array_equal(
        np.sort(np.concatenate([split.train, split.test])), np.flatnonzero(mask | split.is_shown())
    ):
        yield f"split {split.slug}: train and test overlap or leave items out; each item has to be in one of them."
    elif split.validates is not None:
        yield from _validation(split, mask)


def _validation(split: Split, held_out: NDArray[np.bool_]) -> Iterator[str]:
    """Check the items that a training may choose by."""
    assert split.validates is not None
    what, mask = f"split {split.slug}: validates()", split.validates()
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != held_out.shape:
        found = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
        yield f"{what} gives {found}; return a bool array of {len(held_out)} entries, as is_held_out() does."
    elif (mask & held_out).any():
        yield f"{what} marks items that are held out; what a training chooses by may not be what it is tested on."
    elif (mask & split.is_shown()).any():
        yield f"{what} marks items to train on; set others apart, and leave them out of belongs()."
    elif not mask.any():
        yield f"{what} marks nothing; leave it out where nothing is set apart."


def _images(benchmark: Benchmark, items: NDArray[np.int64]) -> Iterator[str]:
    shape = tuple(benchmark.image_shape)
    index = items.copy()
    images = benchmark.images(index)
    dtype = np.float32 if len(shape) == 1 else np.uint8
    wrong = list(wrong_array(f"images() of {len(items)} items", images, dtype, (len(items), *shape)))
    if wrong:
        yield from wrong
        return
    if not np.array_equal(index, items):
        yield "images() changes the index it is given; work on a copy."
    first = images.copy()
    if len(items) > 1 and (first == first[0]).all():
        yield f"images() gives the same image for {len(items)} items; it has to depend on the index."
    if not images.flags.writeable:
        yield "images() gives an array that cannot be written to; return a copy."
    else:
        images[:] = 255 - images
        if not np.array_equal(benchmark.images(items), first):
            yield (
                "images() differs when asked again, after the caller changed what was returned; draw the same bytes each time, "
                "and return a copy."
            )
    ways = {
        "in another order": benchmark.images(items[::-1])[::-1],
        "one by one": np.concatenate([benchmark.images(items[at : at + 1]) for at in range(len(items))]),
        "as a list": benchmark.images(items.tolist()),
    }
    for way, other in ways.items():
        if not np.array_equal(other, first):
            yield f"images() differs when items are asked for {way}; each image may depend on its index only."
    yield from wrong_array("images() of no items", benchmark.images(items[:0]), dtype, (0, *shape))


def _levels(benchmark: Benchmark, items: NDArray[np.int64]) -> Iterator[str]:
    grid = benchmark.grid
    levels = benchmark.levels(items)
    wrong = list(wrong_array(f"levels() of {len(items)} items", levels, np.int64, (len(items), len(grid.factors))))
    yield from wrong
    if wrong:
        return
    for at, factor in enumerate(grid.factors):
        low, high = int(levels[:, at].min()), int(levels[:, at].max())
        if low < 0 or high >= len(factor):
            yield f"levels() of {factor.name!r} go from {low} to {high}; they number its values, 0 to {len(factor) - 1}."
    if not np.array_equal(benchmark.levels(items[::-1])[::-1], levels):
        yield "levels() differs when items are asked for in another order."
    yield from wrong_array("levels() of no items", benchmark.levels(items[:0]), np.int64, (0, len(grid.factors)))


def _targets(benchmark: Benchmark, items: NDArray[np.int64]) -> Iterator[str]:
    targets = benchmark.targets(items)
    if not isinstance(targets, Mapping):
        yield f"targets() is a {type(targets).__name__}; return a dict of arrays by output, such as 'factor.shape'."
        return
    for role, values in targets.items():
        yield from _target(benchmark, role, values, len(items))
    if targets.keys() != benchmark.targets(items[:0]).keys():
        yield "targets() of no items has other outputs; return the same ones, with no rows."


def _target(benchmark: Benchmark, role: Any, values: Any, number: int) -> Iterator[str]:
    grid = benchmark.grid
    what = f"targets()[{role!r}]"
    if not isinstance(role, str) or not is_role(role):
        yield f"{what} is not for an output; name it factor.<name>, factors, assignment.<k> or the like."
    elif role == "factors":
        width = values.shape[1] if isinstance(values, np.ndarray) and values.ndim == 2 else len(grid.factors)
        wrong = list(wrong_array(what, values, np.float32, (number, width)))
        yield from wrong
        if not wrong and not ((values >= 0) & (values <= 1)).all():
            yield f"{what} goes from {values.min():g} to {values.max():g}; scale it to [0, 1]."
    elif role.startswith("assignment."):
        width = values.shape[1] if isinstance(values, np.ndarray) and values.ndim == 2 else 2
        yield from wrong_array(what, values, np.float32, (number, width))
    elif role.startswith("factor."):
        wrong = list(wrong_array(what, values, np.int64, (number,)))
        yield from wrong
        name = role.removeprefix("factor.")
        most = len(grid.factors[grid.position(name)]) if name in grid.names else None
        if not wrong and (values.min() < 0 or (most is not None and values.max() >= most)):
            upto = "" if most is None else f" to {most - 1}, as the grid's {name!r} has {most} values"
            yield f"{what} has classes {values.min()} to {values.max()}; number them from 0{upto}."
    elif role == "scores":
        wrong = list(wrong_array(what, values, np.int64, (number,)))
        yield from wrong
        among = benchmark.image_shape[0] if len(benchmark.image_shape) == 4 else None
        if not wrong and (values.min() < 0 or (among is not None and values.max() >= among)):
            upto = "" if among is None else f" to {among - 1}, as {among} images are shown"
            yield f"{what} has places {values.min()} to {values.max()}; number them from 0{upto}."
    elif len(values) != number:
        yield f"{what} has {len(values)} rows for {number} items; return one for each."


def _exposure(benchmark: Benchmark, splits: Sequence[Split]) -> Iterator[str]:
    for one in splits:
        trained = one.is_shown()
        for other in splits:
            must = True if (trained & other.is_held_out()).any() else False if one is other else None
            answer = benchmark.is_exposed(one.id, other)
            if not isinstance(answer, bool):
                yield f"is_exposed() returns {answer!r}; return True or False, bool(…) of NumPy's."
                return
            if must is not None and answer != must:
                why = "trains on what it holds out" if must else "is the same split"
                yield f"is_exposed({one.id!r}, {other.slug}) is {answer}; it has to be {must}, as the first {why}."
                return
    unknown = f"{benchmark.name}/{benchmark.preset}/no-such-split"
    try:
        benchmark.is_exposed(unknown, splits[0])
    except BenchmarkError:
        return
    except Exception as error:
        yield f"is_exposed({unknown!r}, …) {raised(error)}; raise BenchmarkError for an id that names no split."
    else:
        yield f"is_exposed({unknown!r}, …) returned; raise BenchmarkError for an id that names no split."
