"""Curves over an axis, and points in a plane."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product

from markupsafe import Markup

from ...figures import Curves, Line, Points
from . import axes, colours
from .axes import DASHES, GAP, LINE, SMALL, Key, Scale
from .canvas import SIZE, Box, Canvas, Point
from .words import clean, fit, large, plain, shorten, width

_WHOLE, _TALL = 500.0, 250.0
_SMALL_WHOLE, _SMALL_TALL = 290.0, 180.0
"""Px that a figure should take across with what is written around the plot, and the height of the plot; the latter in panels."""

_LEAST = 0.6
"""Part of that which the plot takes at least."""

_BANDS = 3
"""Lines up to which intervals are bands; those of more would hide each other and are whiskers."""

_NAME = 24
"""Characters of a name beside a point or a plot."""

Named = tuple[float, str, str]
"""Height, text and colour of a name beside a plot."""


def curves(figure: Curves, name: str, *, is_small: bool = False) -> Markup:
    """Draw lines with markers at their points, intervals as bands or whiskers, levels as dashed lines with names."""
    canvas = Canvas()
    xs = sorted({*(x for line in figure.lines for x in line.x), *figure.ticks})
    is_log = figure.is_log and bool(xs) and xs[0] > 0
    levels = axes.level_names(figure.levels.items(), _NAME)
    ends = axes.bounds(_heights(figure), figure.low, figure.high)
    plot = _Plot(figure.y_title, axes.widened(xs, is_log=is_log), ends, is_log, is_small)
    lone = [line for line in figure.lines if line.x] if len(figure.lines) == 1 else []
    plot.leave([shorten(clean(line.name), _NAME) for line in lone] + [text for text, _ in levels])
    if figure.ticks:
        plot.label([(x, shorten(clean(text), _NAME)) for x, text in sorted(figure.ticks.items())], is_sparse=False)
    elif is_log or len(xs) == 1:
        plot.label([(x, plain(x)) for x in xs])
    else:
        plot.label(axes.ticks(*plot.x_ends, 7, is_whole=all(float(x).is_integer() for x in xs)))
    box = plot.place(canvas)
    across, up = plot.scales()
    below = plot.frame(canvas, figure.x_title)
    beside = _levels(canvas, box, up, levels)
    for n, line in enumerate(figure.lines):
        _intervals(canvas, line, (across, up), n, box, is_band=len(figure.lines) <= _BANDS)
    for n, line in enumerate(figure.lines):
        points = [(across(x), up(y)) for x, y in zip(line.x, line.y, strict=True)]
        canvas.lines([points] if points else [], colours.series(n), width=2, dashes=_dashes(n), clip=_wider(box))
        inside = [(across(x), up(y)) for x, y in zip(line.x, line.y, strict=True) if up.holds(y)]
        axes.markers(canvas, inside if len(inside) <= 60 else [], n, colours.series(n))
    for line in lone:
        beside.append((_within(up(line.y[-1]), box), shorten(clean(line.name), _NAME), colours.series(0)))
    axes.beside(canvas, box[0] + box[2] + 6, plot.margin, beside)
    entries = [
        (axes.line_key(colours.series(n), dashes=_dashes(n), marker=n), line.name)
        for n, line in enumerate(figure.lines)
        if len(figure.lines) > 1
    ]
    bottom = axes.legend(canvas, 0.0, below + GAP, plot.right, entries, key_width=axes.LONG_KEY) if entries else below
    return canvas.svg(plot.right, bottom + 2, figure.title, name)


def points(figure: Points, name: str, *, is_small: bool = False) -> Markup:
    """Draw points with their names beside them where there is room; their groups differ in colour and marker."""
    canvas = Canvas()
    found = [*(point for group in figure.groups.values() for point in group), *figure.front]
    xs, ys = [x for x, _ in found], [*(y for _, y in found), *figure.levels.values()]
    is_log = figure.is_log and bool(xs) and min(xs) > 0
    if figure.diagonal and not is_log:
        xs = ys = [*xs, *ys]
    levels = axes.level_names(figure.levels.items(), _NAME)
    x_ends = axes.widened(xs, is_log=True) if is_log else axes.widened(xs, is_log=False)
    plot = _Plot(figure.y_title, x_ends, axes.widened(ys, is_log=False), is_log, is_small)
    plot.is_square = figure.diagonal and not is_log
    plot.leave([text for text, _ in levels])
    plot.label(_decades(*plot.x_ends) if is_log else axes.ticks(*plot.x_ends, 6))
    box = plot.place(canvas)
    across, up = plot.scales()
    below = plot.frame(canvas, figure.x_title)
    if figure.diagonal and not is_log:
        ends = plot.x_ends
        canvas.lines([[(across(end), up(end)) for end in ends]], "muted", dashes=(1.5, 3.0), width=1.5)
    beside = _levels(canvas, box, up, levels)
    canvas.lines([[(across(x), up(y)) for x, y in figure.front]] if figure.front else [], "muted", width=1.5)
    taken: list[Box] = []
    places = {g: [(across(x), up(y)) for x, y in group] for g, group in figure.groups.items()}
    for n, group in enumerate(places.values()):
        axes.markers(canvas, group, n, colours.series(n), size=7 if len(found) <= 200 else 4)
        taken += [(x - 4, y - 4, 8, 8) for x, y in group]
    for group_name, group in places.items():
        for point, text in zip(group, figure.names.get(group_name, ()), strict=False):
            _name(canvas, point, shorten(clean(text), _NAME), box, taken)
    axes.beside(canvas, box[0] + box[2] + 6, plot.margin, beside)
    entries: list[tuple[Key, str]] = [
        (axes.line_key(colours.series(n), marker=n, line=0), group)
        for n, group in enumerate(figure.groups)
        if group and figure.groups[group]
    ]
    if figure.front:
        entries.append((axes.line_key("muted", line=1.5), "front"))
    if figure.diagonal and not is_log:
        entries.append((axes.line_key("muted", line=1.5, dashes=(1.5, 3.0)), "equal"))
    bottom = axes.legend(canvas, 0.0, below + GAP, plot.right, entries) if entries else below
    return canvas.svg(plot.right, bottom + 2, figure.title, name)


class _Plot:
    """Where a plot lies, and what is around it."""

    def __init__(
        self, y_title: str, x_ends: tuple[float, float], y_ends: tuple[float, float], is_log: bool, is_small: bool
    ) -> None:
        self.x_ends, self.y_ends, self.is_log = x_ends, y_ends, is_log
        self.is_square = False
        self.margin = 8.0
        self.box: Box = (0.0, 0.0, 0.0, 0.0)
        self._y_title = clean(y_title)
        self._whole, self._tall = (_SMALL_WHOLE, _SMALL_TALL) if is_small else (_WHOLE, _TALL)
        self._labels: list[tuple[float, str]] = []
        self._after = 0.0
        self._y_ticks = axes.ticks(*y_ends, 6)

    @property
    def right(self) -> float:
        """Where there is nothing any more, px from the left."""
        return self.box[0] + self.box[2] + max(self.margin + 8, self._after)

    def leave(self, names: Sequence[str]) -> None:
        """Leave room for names to the right of the plot."""
        self.margin = max([self.margin, *(width(name, SMALL) + 6 for name in names)])

    def label(self, labels: Sequence[tuple[float, str]], *, is_sparse: bool = True) -> None:
        """Write values below the horizontal axis; only as many as have room, if they can be spared."""
        across = Scale(*self.x_ends, 0.0, self._across, self.is_log)
        places = [(across(value), text) for value, text in labels]
        self._labels = axes.sparse(places) if is_sparse else places

    @property
    def _before(self) -> float:
        """Px that the labels of the vertical axis take."""
        return max((width(text, SMALL) for _, text in self._y_ticks), default=0.0) + 12

    @property
    def _across(self) -> float:
        """Px that the plot takes across."""
        if self.is_square:
            return self._tall * 1.2
        return max(self._whole * _LEAST, self._whole - self._before - self.margin - 8)

    def place(self, canvas: Canvas) -> Box:
        """Choose where the plot lies, and write above what is along the vertical axis."""
        before, after = axes.reach(self._labels, self._across)
        left, self._after = max(self._before, before + 2), after + 4
        wide = self._across
        self.box = (left, LINE + GAP + 2, wide, wide if self.is_square else self._tall)
        canvas.text(0, LINE / 2, fit(self._y_title, self.right - 4, SIZE), colour="muted")
        return self.box

    def scales(self) -> tuple[Scale, Scale]:
        """Make the scales of both axes."""
        left, top, wide, tall = self.box
        return Scale(*self.x_ends, left, left + wide, self.is_log), Scale(*self.y_ends, top + tall, top)

    def frame(self, canvas: Canvas, x_title: str) -> float:
        """Draw the ground and the title of the horizontal axis; return where that ends."""
        up = self.scales()[1]
        labels = [(self.box[0] + place, text) for place, text in self._labels]
        below = axes.frame(canvas, self.box, labels, [(up(value), text) for value, text in self._y_ticks])
        text = fit(clean(x_title), self.right - 4, SIZE)
        if not text:
            return below
        half = width(text, SIZE) / 2
        middle = max(half, min(self.box[0] + self.box[2] / 2, self.right - half))
        canvas.text(middle, below + LINE / 2, text, anchor="middle", colour="muted")
        return below + LINE


def _heights(figure: Curves) -> Iterable[float]:
    for line in figure.lines:
        yield from line.y
        yield from (end for interval in line.intervals if interval is not None for end in interval)
    yield from figure.levels.values()


def _wider(box: Box) -> Box:
    """Make room at the edges for half the width of a line that runs along them."""
    return (box[0], box[1] - 1.5, box[2], box[3] + 3)


def _within(y: float, box: Box) -> float:
    return min(max(y, box[1]), box[1] + box[3])


def _dashes(place: int) -> tuple[float, ...]:
    return DASHES if place >= colours.SERIES else ()


def _levels(canvas: Canvas, box: Box, up: Scale, levels: Sequence[tuple[str, float]]) -> list[Named]:
    """Draw levels that lie on the axis; return their names."""
    seen = [(up(value), text, "muted") for text, value in levels if up.holds(value)]
    ends = [((box[0], y), (box[0] + box[2], y)) for y, _, _ in seen]
    canvas.lines(ends, "muted", width=1.5, dashes=DASHES)
    return seen


def _intervals(canvas: Canvas, line: Line, scales: tuple[Scale, Scale], place: int, box: Box, *, is_band: bool) -> None:
    across, up = scales
    there = [
        (across(x), up(interval[0]), up(interval[1]))
        for x, interval in zip(line.x, line.intervals, strict=False)
        if interval is not None
    ]
    if is_band and len(there) == len(line.x) > 1:
        band = [*((x, low) for x, low, _ in there), *((x, high) for x, _, high in reversed(there))]
        canvas.polygons([band], colours.series(place), alpha=0.16, clip=_wider(box))
        return
    whiskers: list[list[Point]] = []
    for x, low, high in there:
        whiskers += [[(x, low), (x, high)], [(x - 3, low), (x + 3, low)], [(x - 3, high), (x + 3, high)]]
    canvas.lines(whiskers, colours.series(place), width=1.25, clip=_wider(box))


def _name(canvas: Canvas, point: Point, text: str, box: Box, taken: list[Box]) -> None:
    """Write the name of a point at the first place near it that is free; a name that has none is left out."""
    x, y = point
    wide, tall = width(text, SMALL), SMALL + 2
    near = [(7.0, -tall / 2), (-7.0 - wide, -tall / 2), (-wide / 2, -7.0 - tall), (-wide / 2, 7.0)]
    aslant = [(a, b) for b, a in product((-5.0 - tall, 5.0), (5.0, -5.0 - wide))]
    farther = [(a, b) for b, a in product((-20.0 - tall, 20.0, -34.0 - tall, 34.0), (8.0, -8.0 - wide))]
    for dx, dy in [*near, *aslant, *farther]:
        room = (x + dx, y + dy, wide, tall)
        is_inside = (
            box[0] <= room[0]
            and room[0] + wide <= box[0] + box[2] + 6
            and box[1] <= room[1]
            and room[1] + tall <= box[1] + box[3]
        )
        if is_inside and not any(_touch(room, other) for other in taken if other[:2] != (x - 4, y - 4)):
            if abs(dy) > 18 + tall or dy >= 20:
                end = (room[0] if dx > 0 else room[0] + wide, room[1] + (tall if dy < 0 else 0))
                canvas.lines([[(x, y), end]], "muted", width=0.75)
            canvas.text(room[0], room[1] + tall / 2, text, size=SMALL, has_halo=True)
            taken.append(room)
            return


def _touch(a: Box, b: Box) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    """Choose powers of ten, or their multiples by 2 and 5 where these would be few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        values = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        inside = [value for value in values if low <= value <= high]
        if len(inside) >= 3:
            return [(value, large(value)) for value in inside]
    return [(value, large(value)) for value in inside or (low, high)]
