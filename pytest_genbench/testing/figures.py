"""Whether a benchmark's figures can be drawn, whichever cases there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any

from ..benchmarks import Benchmark, Contrasts, Illustrates
from ..figures import Bars, Curves, Density, Figure, HeatMap, Histogram, Line, Panels, Points
from ..results.schema import Case
from .cases import RIGHT, SAME
from .findings import raised

_MAY_LACK: Mapping[type, tuple[str, ...]] = {
    HeatMap: ("values",),
    Bars: ("series", "intervals", "marks"),
    Curves: ("low", "high"),
    Line: ("intervals",),
}
"""Where None may stand for a number."""

_TURNED = "all cases in another order"

_PARTS = 6
"""Cases that are tried alone, and left out."""

_LONGEST = 60


def checked(benchmark: Benchmark, models: Mapping[str, Sequence[Case]]) -> Iterator[str]:
    """Check the figures of one model and of several, of all cases and of parts of them.

    Args:
        benchmark: The benchmark.
        models: Cases of two models, see :mod:`.cases`.
    """
    if isinstance(benchmark, Illustrates):
        yield from _each("figures()", benchmark.figures, dict(_parts(models)))
    if isinstance(benchmark, Contrasts):
        few = {name: cases[:1] for name, cases in models.items()}
        sets = {
            "two models": models,
            "no models": {},
            "models without cases": dict.fromkeys(models, ()),
            "a case of each model": few,
            "one model": {RIGHT: models[RIGHT]},
        }
        yield from _each("contrasts()", benchmark.contrasts, sets)


def _parts(models: Mapping[str, Sequence[Case]]) -> Iterator[tuple[str, Sequence[Case]]]:
    """Choose cases of one model: all first, with two seeds, then parts of them."""
    seeds = [*models[RIGHT], *(replace(case, seed=1) for case in models[SAME])]
    yield "all cases", seeds
    yield _TURNED, seeds[::-1]
    yield "no cases", ()
    yield "cases in which nothing is kept", [replace(case, kept={}) for case in models[RIGHT]]
    cases = models[SAME]
    for name in ("family", "output"):
        for value in dict.fromkeys(getattr(case, name) for case in cases):
            where = f"the {'task' if name == 'output' else name} {value!r} alone"
            yield where, [case for case in cases if getattr(case, name) == value]
    for case in cases[:: max(1, -(-len(cases) // _PARTS))]:
        about = f"{case.output} on {case.split}"
        yield f"{about} alone", [case]
        yield f"all but {about}", [other for other in cases if other is not case]


def _each(what: str, describe: Callable[[Any], Iterable[Figure]], sets: Mapping[str, Any]) -> Iterator[str]:
    """Describe figures of all of some sets of cases; those of the first one are drawn. Ends at the first set with a problem."""
    first: list[Figure] = []
    for at, (name, cases) in enumerate(sets.items()):
        try:
            made = list(describe(cases))
        except Exception as error:
            yield f"{what} of {name} {raised(error)}; any cases may be missing, and a figure is left out where it lacks some."
            return
        problems = list(chain.from_iterable(map(unsound, made)))
        if at == 0 and not problems:
            first, problems = made, list(chain.from_iterable(map(_undrawn, made)))
        if problems:
            yield from (f"{what}: {problem}" for problem in problems)
            return
        if name == _TURNED and made != first:
            yield f"{what} of {name} are others; cases come in any order."
            return


def _undrawn(figure: Figure) -> Iterator[str]:
    """Yield a line where a figure cannot be drawn or written as numbers."""
    from ..report.draw import draw, numbers

    try:
        draw(figure, "figure")
        numbers(figure)
    except Exception as error:
        yield f"{_named(figure)} cannot be drawn: {raised(error)}."


def unsound(figure: Any) -> Iterator[str]:
    """Yield what is wrong with a figure: with its title, with the type of a value, with how many there are."""
    if not isinstance(figure, Figure):
        yield f"{figure!r:.60} is no figure; yield those of pytest_genbench.figures."
        return
    if type(figure.title) is not str or not figure.title.strip():
        yield f"the title of a {type(figure).__name__} is {figure.title!r:.60}; say in a line what is shown."
        return
    if isinstance(figure, Panels):
        for panel in figure.figures:
            yield from unsound(panel)
        return
    problem = next(chain(_types(figure, ""), _lengths(figure)), None)
    if problem is not None:
        yield f"{_named(figure)}: {problem}."


def _named(figure: Figure) -> str:
    return f"{type(figure).__name__} {figure.title!r}"


def _types(value: Any, path: str, may_lack: bool = False) -> Iterator[str]:
    """Yield a line for each value that is no builtin, or no number where there has to be one."""
    kind = type(value)
    if is_dataclass(value):
        for each in fields(value):
            at = f"{path}.{each.name}" if path else each.name
            yield from _types(getattr(value, each.name), at, each.name in _MAY_LACK.get(kind, ()))
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _types(key, f"a key of {path}")
            yield from _types(entry, f"{path}[{key!r}]", may_lack)
    elif kind in (tuple, list):
        for n, entry in enumerate(value):
            yield from _types(entry, f"{path}[{n}]", may_lack)
    elif kind in (float, int):
        if not math.isfinite(value):
            yield f"{path} is {value!r}; give a finite float" + ", or None where there is none" * may_lack
    elif value is None:
        if not may_lack:
            yield f"{path} is None; leave out what has no value"
    elif kind not in (str, bool, bytes):
        text = repr(value)
        found = text if len(text) <= _LONGEST and "\n" not in text else f"a {kind.__name__}"
        yield f"{path} is {found}; give builtin types, float(…) or tolist() of NumPy's"


def _lengths(figure: Figure) -> Iterator[str]:
    """Yield a line for each value that has no name, or the other way round."""
    match figure:
        case HeatMap():
            yield from _grid("values", figure.values, figure)
            if figure.texts:
                yield from _grid("texts", figure.texts, figure)
            if figure.texts and figure.means:
                yield "there are texts and means; leave one of them out"
        case Bars():
            rows = {"series": figure.series, "intervals": figure.intervals, "marks": figure.marks}
            for name, row, values in (
                (name, row, values) for name, each in rows.items() for row, values in each.items()
            ):
                yield from _not_as_many(f"{name}[{row!r}]", values, len(figure.labels), "labels")
            yield from _unknown("intervals", figure.intervals, "series", figure.series)
        case Curves():
            for at, line in enumerate(figure.lines):
                yield from _not_as_many(f"lines[{at}].y", line.y, len(line.x), "places along x")
                if line.intervals:
                    yield from _not_as_many(f"lines[{at}].intervals", line.intervals, len(line.x), "places along x")
        case Points():
            yield from _unknown("names", figure.names, "groups", figure.groups)
            for group, names in figure.names.items():
                yield from _not_as_many(f"names[{group!r}]", names, len(figure.groups.get(group, ())), "points")
        case Histogram():
            for name, counts in figure.counts.items():
                yield from _not_as_many(f"counts[{name!r}]", counts, len(figure.edges) - 1, "intervals between edges")
        case Density():
            yield from _not_as_many("counts", figure.counts, len(figure.y_edges) - 1, "intervals between y_edges")
            for at, counts in enumerate(figure.counts):
                yield from _not_as_many(f"counts[{at}]", counts, len(figure.x_edges) - 1, "intervals between x_edges")


def _grid(name: str, values: Sequence[Sized], figure: HeatMap) -> Iterator[str]:
    yield from _not_as_many(name, values, len(figure.rows), "rows")
    for at, row in enumerate(values):
        yield from _not_as_many(f"{name}[{at}]", row, len(figure.columns), "columns")


def _not_as_many(name: str, values: Sized, number: int, of: str) -> Iterator[str]:
    if len(values) != number:
        yield f"{name} has {len(values)} entries for {number} {of}"


def _unknown(name: str, entries: Iterable[str], of: str, known: Iterable[str]) -> Iterator[str]:
    if others := sorted(set(entries) - set(known)):
        yield f"{name} has {others[0]!r}, which is not among {of}"
