"""Figures as tables, for those who want their numbers or cannot see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import singledispatch
from itertools import pairwise

from ...figures import Bars, Bounds, Curves, Density, Figure, HeatMap, Histogram, Panels, Points
from ..table import decimal
from .grids import with_means
from .words import clean, plain

Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""Headings, and rows as long."""

_INTERVAL = "interval"


def table(figure: Figure) -> Table | None:
    """Write a figure as headings and rows of text that is not escaped; None where it shows pictures or text."""
    made = _table(figure)
    if made is None:
        return None
    headings, rows = made
    return tuple(map(clean, headings)), tuple(tuple(map(clean, row)) for row in rows)


Made = tuple[Sequence[str], Sequence[Sequence[str]]] | None


@singledispatch
def _table(figure: Figure) -> Made:
    return None


@_table.register
def _(figure: HeatMap) -> Made:
    values, extra = (with_means(figure), ["mean"]) if figure.means else (figure.values, [])
    texts = figure.texts or [tuple(map(decimal, cells)) for cells in values]
    rows = zip([*figure.rows, *extra], texts, strict=True)
    return [figure.row_title, *figure.columns, *extra], [[row, *cells] for row, cells in rows]


@_table.register
def _(figure: Bars) -> Made:
    headings, columns = [""], [list(figure.labels)]
    for name, row in figure.series.items():
        headings.append(name or figure.value_title)
        columns.append([decimal(value) for value in row])
        if name in figure.intervals:
            headings.append(f"{name}, {_INTERVAL}" if name else _INTERVAL)
            columns.append([_interval(bounds) for bounds in figure.intervals[name]])
    for name, row in figure.marks.items():
        headings.append(name)
        columns.append([decimal(value) for value in row])
    rows = [list(row) for row in zip(*columns, strict=True)]
    return headings, [*rows, *_levels(figure.levels, 1, len(headings))]


@_table.register
def _(figure: Curves) -> Made:
    headings = [figure.x_title]
    places = sorted({x for line in figure.lines for x in line.x})
    rows = [[figure.ticks.get(x, plain(x))] for x in places]
    for line in figure.lines:
        has_intervals = any(line.intervals)
        headings += [
            line.name or figure.y_title,
            *[f"{line.name}, {_INTERVAL}" if line.name else _INTERVAL] * has_intervals,
        ]
        for row, x in zip(rows, places, strict=True):
            # A line may come back to where it was.
            here = [n for n, other in enumerate(line.x) if other == x]
            row.append(", ".join(decimal(line.y[n]) for n in here))
            if has_intervals:
                row.append(", ".join(_interval(line.intervals[n]) for n in here))
    return headings, [*rows, *_levels(figure.levels, 1, len(headings))]


@_table.register
def _(figure: Points) -> Made:
    write = _writer([x for group in figure.groups.values() for x, _ in group])
    rows = []
    for group, points in figure.groups.items():
        names = figure.names.get(group, ())
        for n, (x, y) in enumerate(points):
            rows.append([group, names[n] if n < len(names) else "", write(x), decimal(y)])
    rows += [["front", "", write(x), decimal(y)] for x, y in figure.front]
    rows += [[name, "", "", decimal(level)] for name, level in figure.levels.items()]
    return ["", "", figure.x_title, figure.y_title], rows


@_table.register
def _(figure: Histogram) -> Made:
    counts = [row for row in figure.counts.values() if row]
    between = [f"{plain(a)} to {plain(b)}" for a, b in pairwise(figure.edges)]
    rows = [[text, *(f"{row[n]:,}" for row in counts)] for n, text in enumerate(between)]
    rows += [[f"{name} {decimal(value)}", *[""] * len(counts)] for name, value in figure.marks.items()]
    return [figure.x_title, *(name or "count" for name, row in figure.counts.items() if row)], rows


@_table.register
def _(figure: Density) -> Made:
    def between(edges: Sequence[float]) -> list[str]:
        return [f"{plain(a)} to {plain(b)}" for a, b in pairwise(edges)]

    rows = [[y, *map(str, row)] for y, row in zip(between(figure.y_edges), figure.counts, strict=True)]
    return [f"{figure.y_title} / {figure.x_title}", *between(figure.x_edges)], rows[::-1]


@_table.register
def _(figure: Panels) -> Made:
    made = [(panel.title, table(panel)) for panel in figure.figures]
    tables = [(title, found) for title, found in made if found is not None]
    if not tables:
        return None
    first = tables[0][1][0]
    rows = []
    for title, (headings, own) in tables:
        # Headings that differ from those of the first panel stand above the rows of their own.
        rows += [[title, *headings]] if headings != first else []
        rows += [[title, *row] for row in own]
    length = max(len(row) for row in [["", *first], *rows])
    return _filled(["", *first], length), [_filled(row, length) for row in rows]


def _filled(row: Sequence[str], length: int) -> list[str]:
    return [*row, *[""] * (length - len(row))]


def _interval(bounds: Bounds | None) -> str:
    return "" if bounds is None else f"{decimal(bounds[0])} to {decimal(bounds[1])}"


def _levels(levels: Mapping[str, float], column: int, length: int) -> Iterator[list[str]]:
    """Write levels as rows: the value stands in the first column of values."""
    for name, value in levels.items():
        yield _filled([name, *[""] * (column - 1), decimal(value)], max(length, column + 1))


def _writer(values: Sequence[float]) -> Callable[[float], str]:
    """Choose how places on an axis are written: as scores, or whole where all are."""
    return plain if values and all(float(value).is_integer() for value in values) else _place


def _place(value: float) -> str:
    return decimal(value) if abs(value) < 1000 else plain(value)
