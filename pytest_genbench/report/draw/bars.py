"""Horizontal bars in groups, and histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from ...figures import Bars, Bounds, Histogram
from . import axes, colours
from .axes import DASHES, GAP, LINE, SMALL, Key, Scale
from .canvas import SIZE, Box, Canvas
from .words import NONE, brief, clean, fit, shorten, width

_WHOLE, _WIDEST, _SMALL_WIDE, _LEAST = 500.0, 340.0, 210.0, 200.0
"""Px that bars should take with what is written beside them; of the plot at most, in panels, and at least."""

_MANY = 30
"""Bars from which they are thinner, and have the numbers of the axis above them too."""

_CAP = 3.0
"""Half the px of the ends of an interval."""

HATCHES = ("", "///", "\\\\\\", "xx", "--", "..")
"""Patterns of the series that have to share a colour with others: the first six have none."""


def hatch(place: int) -> str:
    """Choose the pattern of a series."""
    return HATCHES[place // colours.SERIES % len(HATCHES)]


def bars(figure: Bars, name: str, *, is_small: bool = False) -> Markup:
    """Draw horizontal bars; their values stand in a column on the right."""
    canvas = Canvas()
    labels = [shorten(clean(label)) for label in figure.labels]
    number = max(len(figure.series), 1)
    thick = 12.0 if number > 1 or len(labels) > _MANY else 15.0
    pitch = number * thick + (6 if len(labels) > _MANY and number == 1 else 9)
    left = max((width(label, SIZE) for label in labels), default=0.0) + GAP
    low, high = (figure.low, figure.high) if figure.high > figure.low else (figure.low, figure.low + 1)
    written = [brief(value) for row in figure.series.values() for value in row if value is not None]
    column = GAP + max((width(text, SMALL) for text in written), default=0.0) + 4
    wide = max(_LEAST, min(_SMALL_WIDE if is_small else _WIDEST, _WHOLE - left - column))
    right = left + wide + column
    across = Scale(low, high, left, left + wide)
    ticks = axes.ticks(low, high, 5)
    above = LINE if len(labels) > _MANY else 0.0
    named = [(across(value), text) for text, value in axes.level_names(figure.levels.items()) if across.holds(value)]
    tall = len(labels) * pitch
    # Lines at the ticks are drawn first: they lie under the bars.
    behind = Canvas()
    top = axes.flags(behind, 0.0, lambda start: start + above + tall, named, right) + above
    canvas.lines([((across(value), top), (across(value), top + tall)) for value, _ in ticks], "grid")
    for n, label in enumerate(labels):
        canvas.text(left - GAP, top + (n + 0.5) * pitch, label, anchor="end")
    for n, (series, row) in enumerate(figure.series.items()):
        ys = [top + m * pitch + (pitch - number * thick) / 2 + n * thick for m in range(len(labels))]
        _series(canvas, across, list(zip(ys, row, strict=True)), n, thick, right - 2)
        for y, interval in zip(ys, figure.intervals.get(series, ()), strict=False):
            _interval(canvas, across, y + (thick - 1) / 2, interval)
    canvas.add(behind)
    for n, row in enumerate(figure.marks.values()):
        ticked = [(across(v), top + m * pitch) for m, v in enumerate(row) if v is not None and across.holds(v)]
        _marks(canvas, ticked, n, pitch)
    base = across(min(max(0.0, low), high))
    canvas.lines([((base, top), (base, top + tall))], "muted")
    for value, text in ticks:
        for y in [top + tall + LINE / 2 + 1, *[top - LINE / 2] * bool(above)]:
            canvas.text(across(value), y, text, size=SMALL, anchor="middle", colour="muted")
    bottom = _titles(canvas, figure, (left, top + tall + LINE + 2, wide, right))
    return canvas.svg(right + 2, bottom + 2, figure.title, name)


def _titles(canvas: Canvas, figure: Bars, room: Box) -> float:
    """Write what the values are and explain series and marks; return where that ends."""
    left, top, wide, right = room
    title = clean(figure.value_title)
    if len(figure.series) == 1:
        (only,) = map(clean, figure.series)
        title = only if not title or title == only else f"{only}: {title}" if only else title
    text = fit(title, right, SIZE)
    if text:
        # In the middle of the plot, unless it is too long for that.
        half = width(text, SIZE) / 2
        middle = max(half, min(left + wide / 2, right - half))
        canvas.text(middle, top + LINE / 2, text, anchor="middle", colour="muted")
        top += LINE
    entries: list[tuple[Key, str]] = []
    if len(figure.series) > 1:
        entries += [(axes.box_key(colours.series(n), hatch(n)), series) for n, series in enumerate(figure.series)]
    entries += [(_mark_key(n), mark) for n, mark in enumerate(figure.marks)]
    return axes.legend(canvas, 0.0, top + GAP, right, entries) if entries else top


def _series(
    canvas: Canvas, across: Scale, row: Sequence[tuple[float, float | None]], place: int, thick: float, right: float
) -> None:
    """Draw the bars of a series, (top, value), and write their values; those that leave the axis end in an arrow."""
    base = min(max(0.0, across.low), across.high)
    boxes, arrows = [], []
    for y, value in row:
        middle = y + (thick - 1) / 2
        if value is None:
            canvas.text(right, middle, NONE, size=SMALL, anchor="end", colour="muted")
            continue
        canvas.text(right, middle, brief(value), size=SMALL, anchor="end")
        if across.holds(value):
            start, end = sorted((across(base), across(value)))
            boxes.append((start, y, end - start, thick - 1))
            continue
        is_below = value < across.low
        end = across(across.low if is_below else across.high)
        start, tip = (end + 6, end) if is_below else (end - 6, end)
        arrows.append([(start, middle - 4.5), (tip, middle), (start, middle + 4.5)])
        if abs(start - across(base)) > 6:
            first, last = sorted((start, across(base)))
            boxes.append((first, y, last - first, thick - 1))
    canvas.boxes(boxes, colours.series(place), hatch=hatch(place))
    canvas.polygons(arrows, colours.series(place))


def _interval(canvas: Canvas, across: Scale, y: float, interval: Bounds | None) -> None:
    """Draw an interval as far as the axis goes; an end that lies outside has no cap."""
    if interval is None or interval[1] < across.low or interval[0] > across.high:
        return
    ends = [across(min(max(end, across.low), across.high)) for end in interval]
    caps = [x for x, end in zip(ends, interval, strict=True) if across.holds(end)]
    parts = [[(ends[0], y), (ends[1], y)], *([(x, y - _CAP), (x, y + _CAP)] for x in caps)]
    canvas.lines(parts, "surface", width=3.5, alpha=0.6)
    canvas.lines(parts, "ink", width=1.25)


def _marks(canvas: Canvas, places: Sequence[tuple[float, float]], number: int, pitch: float) -> None:
    """Draw marks, (px, top of the group): ticks across the bars of the group, a head on each from the second kind of mark."""
    parts = [((x, y + 2), (x, y + pitch - 2)) for x, y in places]
    canvas.lines(parts, "surface", width=5)
    canvas.lines(parts, "ink", width=2.5)
    if number:
        axes.markers(canvas, [(x, y + pitch / 2) for x, y in places], number, "ink")


def _mark_key(number: int) -> Key:
    return lambda canvas, x, y: _marks(canvas, [(x + 7, y - 8)], number, 16)


def histogram(figure: Histogram, name: str, *, is_small: bool = False) -> Markup:
    """Draw a histogram: filled where one thing is counted, outlined in front of each other where several are."""
    canvas = Canvas()
    counts = {series: row for series, row in figure.counts.items() if len(row)}
    low, high = (figure.edges[0], figure.edges[-1]) if len(figure.edges) > 1 else (0.0, 1.0)
    most = max((count for row in counts.values() for count in row), default=0)
    ends = axes.bounds([0, max(most, 1)], 0.0, None, most=5)
    y_ticks = axes.ticks(*ends, 5, is_whole=True)
    wide, tall = (_SMALL_WIDE + 30, 150.0) if is_small else (420.0, 200.0)
    high = high if high > low else low + 1
    along = Scale(low, high, 0.0, wide)
    x_labels = axes.sparse([(along(value), text) for value, text in axes.ticks(low, high, 7)])
    before, after = axes.reach(x_labels, wide)
    left = max(max(width(text, SMALL) for _, text in y_ticks) + 12, before + 2)
    across = Scale(low, high, left, left + wide)
    right = left + wide + max(14.0, after + 2)
    canvas.text(0, LINE / 2, fit(_counted(counts), right, SIZE), colour="muted")
    named = [(across(value), text) for text, value in axes.level_names(figure.marks.items()) if across.holds(value)]
    over = Canvas()
    top = axes.flags(over, LINE + 4, lambda start: start + 4 + tall, named, right) + 4
    up = Scale(*ends, top + tall, top)
    x_labels = [(left + place, text) for place, text in x_labels]
    below = axes.frame(canvas, (left, top, wide, tall), x_labels, [(up(value), text) for value, text in y_ticks])
    for n, row in enumerate(counts.values()):
        colour = colours.series(n)
        columns = [
            (across(a), up(count), across(b) - across(a), up(0) - up(count))
            for a, b, count in zip(figure.edges[:-1], figure.edges[1:], row, strict=True)
            if count
        ]
        if len(counts) == 1:
            canvas.boxes([(x + 0.5, y, max(w - 1, 0.5), h) for x, y, w, h in columns], colour)
        else:
            canvas.boxes(columns, colour, alpha=0.15)
            canvas.lines([_outline(figure.edges, row, across, up)], colour, width=2, dashes=_dashes(n))
    canvas.add(over)
    title = fit(clean(figure.x_title), right, SIZE)
    middle = max(left + wide / 2, width(title, SIZE) / 2)
    canvas.text(middle, below + LINE / 2, title, anchor="middle", colour="muted")
    entries = [
        (axes.line_key(colours.series(n), dashes=_dashes(n)), series)
        for n, series in enumerate(counts)
        if len(counts) > 1
    ]
    bottom = axes.legend(canvas, 0.0, below + LINE + GAP, right, entries) if entries else below + LINE
    return canvas.svg(right + 2, bottom + 2, figure.title, name)


def _counted(counts: Mapping[str, Sequence[int]]) -> str:
    """Say what is counted, if it is one thing."""
    return f"count: {clean(next(iter(counts)))}" if len(counts) == 1 and next(iter(counts)) else "count"


def _dashes(place: int) -> tuple[float, ...]:
    return DASHES if place >= colours.SERIES else ()


def _outline(edges: Sequence[float], row: Sequence[int], across: Scale, up: Scale) -> list[tuple[float, float]]:
    points = [(across(edges[0]), up(0))]
    for a, b, count in zip(edges[:-1], edges[1:], row, strict=True):
        points += [(across(a), up(count)), (across(b), up(count))]
    return [*points, (across(edges[-1]), up(0))]
