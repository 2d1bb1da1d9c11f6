"""What plots have in common: scales with ticks, frames, legends, markers, and labels that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import colours, words
from .canvas import SIZE, Box, Canvas, Point
from .words import clean, exact, fit, shorten, width

SMALL = 11.0
"""Px of the text of ticks and values."""

LINE = 16.0
"""Px from a line of text to the next."""

KEY, LONG_KEY = 20.0, 32.0
"""Px that what explains an entry of a legend takes, before its name; the latter where it is a line with a marker."""

GAP = 8.0

_SPACE = 5.0
"""Least px between labels beside each other."""

DASHES = (4.0, 3.0)

_SLOPE = 40.0
"""Degrees by which labels rise that have no room beside each other."""

Key = Callable[[Canvas, float, float], None]
"""Draws what explains an entry of a legend, from a place to its right; its middle is at the height given."""


@dataclass(frozen=True)
class Scale:
    """Where values lie on an axis, in px.

    Attributes:
        low: Value at the beginning.
        high: Value at the end; above `low`.
        start: Place of the beginning.
        end: Place of the end; may lie before it, as on vertical axes.
        is_log: Whether steps are factors; `low` is then positive.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """Find the place of a value, which may lie outside of the axis."""
        if self.is_log:
            share = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Say whether a value lies on the axis, give or take what rounding does."""
        slack = 1e-9 * (self.high - self.low)
        return self.low - slack <= value <= self.high + slack


def bounds(values: Iterable[float], low: float | None, high: float | None, *, most: int = 6) -> tuple[float, float]:
    """Choose the ends of an axis: those given, others at the ticks around the values."""
    found = list(values)
    least = low if low is not None else min(found, default=0.0)
    greatest = high if high is not None else max(found, default=1.0)
    if greatest <= least:
        room = abs(least) / 2 or 0.5
        least, greatest = (least if low is not None else least - room), least + room
    marks = _located(least, greatest, most)
    return (least if low is not None else marks[0]), (greatest if high is not None else marks[-1])


def widened(values: Iterable[float], *, is_log: bool) -> tuple[float, float]:
    """Choose the ends of an axis so that the outermost values lie a little within it."""
    found = list(values)
    low, high = min(found, default=1.0), max(found, default=1.0)
    if is_log:
        factor = (high / low) ** 0.05 if high > low else 2.0
        return low / factor, high * factor
    room = (high - low) * 0.05 or abs(low) / 2 or 0.5
    return low - room, high + room


def ticks(low: float, high: float, most: int = 6, *, is_whole: bool = False) -> list[tuple[float, str]]:
    """Choose round values, or whole ones, between the ends of an axis, with what is written there."""
    slack = 1e-9 * (high - low)
    values = [value for value in _located(low, high, most, is_whole) if low - slack <= value <= high + slack]
    return list(zip(values, words.ticks(values), strict=True))


def _located(low: float, high: float, most: int, is_whole: bool = False) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    located = MaxNLocator(
        nbins=most, steps=[1, 2, 5, 10] if is_whole else [1, 2, 2.5, 5, 10], integer=is_whole
    ).tick_values(low, high)
    return [float(value) for value in located]


def sparse(labels: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Leave out labels, (place, text), that would touch the one before; the last one stays."""
    kept: list[tuple[float, str]] = []
    for place, text in labels:
        while kept and place - kept[-1][0] < (width(text, SMALL) + width(kept[-1][1], SMALL)) / 2 + _SPACE:
            if place != labels[-1][0] or len(kept) == 1:
                break
            kept.pop()
        else:
            kept.append((place, text))
    return kept


def frame(
    canvas: Canvas,
    box: Box,
    x_labels: Sequence[tuple[float, str]],
    y_labels: Sequence[tuple[float, str]],
    *,
    has_lines: bool = True,
) -> float:
    """Draw the ground of a plot: lines at the ticks of the vertical axis, the horizontal axis, and what is written at both.

    Args:
        canvas: Where to draw.
        box: Where the plot lies.
        x_labels: Place and text of the ticks below.
        y_labels: Place and text of the ticks on the left.
        has_lines: Whether there are lines at the ticks.

    Returns:
        Where the text below ends, px from the top.
    """
    left, top, wide, tall = box
    bottom = top + tall
    if has_lines:
        canvas.lines([((left, y), (left + wide, y)) for y, _ in y_labels if y < bottom - 0.5], "grid")
    canvas.lines([((left, bottom), (left + wide, bottom))], "muted")
    for y, text in y_labels:
        canvas.text(left - 6, y, text, size=SMALL, anchor="end", colour="muted")
    canvas.lines([((x, bottom), (x, bottom + 4)) for x, _ in x_labels], "muted")
    return bottom + _below(canvas, bottom, x_labels)


def _below(canvas: Canvas, bottom: float, labels: Sequence[tuple[float, str]]) -> float:
    """Write labels below an axis, slanted where they are too wide; return how much room they take."""
    if _fits(labels):
        for x, text in labels:
            canvas.text(x, bottom + 12, text, size=SMALL, anchor="middle", colour="muted")
        return 20.0
    for x, text in labels:
        canvas.text(x + 3, bottom + 11, text, size=SMALL, anchor="end", colour="muted", angle=_SLOPE)
    return 18 + max(width(text, SMALL) for _, text in labels) * math.sin(math.radians(_SLOPE))


def _fits(labels: Sequence[tuple[float, str]]) -> bool:
    """Say whether labels have room beside each other."""
    halves = [(place, width(text, SMALL) / 2) for place, text in labels]
    return all(here[0] + here[1] + _SPACE <= following[0] - following[1] for here, following in pairwise(halves))


def reach(labels: Sequence[tuple[float, str]], wide: float) -> tuple[float, float]:
    """Say how far labels, px from the left end of an axis of `wide` px, reach beyond its left and its right end."""
    if _fits(labels):
        halves = [(place, width(text, SMALL) / 2) for place, text in labels]
        beyond = [(half - place, place + half - wide) for place, half in halves]
    else:
        flat = math.cos(math.radians(_SLOPE))
        beyond = [(width(text, SMALL) * flat - place, place + SMALL - wide) for place, text in labels]
    return max([0.0, *(left for left, _ in beyond)]), max([0.0, *(right for _, right in beyond)])


def legend(
    canvas: Canvas, left: float, top: float, room: float, entries: Sequence[tuple[Key, str]], *, key_width: float = KEY
) -> float:
    """Explain what is drawn, in as many lines as it takes; return where it ends, px from the top."""
    x, y = left, top + LINE / 2
    for key, name in entries:
        text = fit(shorten(clean(name)), room - key_width, SIZE)
        wide = key_width + width(text, SIZE)
        if x > left and x + wide > left + room:
            x, y = left, y + LINE + 2
        key(canvas, x, y)
        canvas.text(x + key_width, y, text)
        x += wide + 2 * GAP
    return y + LINE / 2 if entries else top


def box_key(colour: str, hatch: str = "", alpha: float = 1.0, outline: str = "") -> Key:
    """Explain a colour."""

    def draw(canvas: Canvas, x: float, y: float) -> None:
        canvas.boxes([(x, y - 5, 13, 10)], colour, hatch=hatch, alpha=alpha, stroke=outline)

    return draw


def line_key(colour: str, *, dashes: Sequence[float] = (), marker: int | None = None, line: float = 2.0) -> Key:
    """Explain a line, a marker, or both; no line where its width is 0."""
    length = (LONG_KEY if line and marker is not None else KEY) - 6

    def draw(canvas: Canvas, x: float, y: float) -> None:
        if line:
            canvas.lines([((x, y), (x + length, y))], colour, width=line, dashes=dashes)
        if marker is not None:
            markers(canvas, [(x + length / 2, y)], marker, colour)

    return draw


def markers(canvas: Canvas, points: Sequence[Point], shape: int, colour: str, *, size: float = 7.0) -> None:
    """Draw markers with an edge in the colour of the page: circles, squares, diamonds, triangles, crosses; others come again."""
    r = size / 2
    # With a colour that comes again the marker is another one.
    shape = (shape + shape // colours.SERIES) % len(_CORNERS)
    if shape == 0:
        dots = [((x, y), (x, y)) for x, y in points]
        canvas.lines(dots, "surface", width=size + 2, is_round=True)
        canvas.lines(dots, colour, width=size, is_round=True)
        return
    corners = _CORNERS[shape]
    parts = [[(x + r * a, y + r * b) for a, b in corners] for x, y in points]
    canvas.polygons(parts, "surface", stroke="surface", width=2)
    canvas.polygons(parts, colour)


_CROSS = (-1.3, -0.4, -0.4, 0.4, 0.4, 1.3, 1.3, 0.4, 0.4, -0.4, -0.4, -1.3)

_CORNERS = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, -1.2), (1.2, 0.9), (-1.2, 0.9)),
    ((0, 1.2), (1.2, -0.9), (-1.2, -0.9)),
    tuple(zip(_CROSS, (*_CROSS[9:], *_CROSS[:9]), strict=True)),
)
"""Corners of markers, for a radius of 1; a circle has none."""


@dataclass(frozen=True)
class _Flag:
    """A label at the upper end of a vertical line."""

    x: float
    left: float
    right: float
    text: str


def flags(
    canvas: Canvas, top: float, bottom: Callable[[float], float], named: Sequence[tuple[float, str]], right: float
) -> float:
    """Draw vertical lines, (place, text), with a label at the upper end of each; return where the plot may begin, px from the top.

    Args:
        canvas: Where to draw.
        top: Where there is room.
        bottom: Where lines end if the plot begins at a height.
        named: Place and text of each line.
        right: Where there is no more room, px from the left.
    """
    placed: list[list[_Flag]] = []
    for x, text in sorted(named, reverse=True):
        text = fit(shorten(text), right, SMALL)
        left = max(0.0, min(x - 2, right - width(text, SMALL)))
        flag = _Flag(x, left, left + width(text, SMALL), text)
        # Where even a new row is not free, a line runs behind a label.
        row = next((n for n in range(len(placed) + 1) if _is_free(placed, n, flag)), len(placed))
        if row == len(placed):
            placed.append([])
        placed[row].append(flag)
    start = top + len(placed) * LINE
    rows = [(start - (row + 0.5) * LINE, flag) for row, together in enumerate(placed) for flag in together]
    for y, flag in rows:
        line = [((flag.x, y + LINE / 2 - 2), (flag.x, bottom(start)))]
        # What lies below shows through a little, and the line is seen on every colour.
        canvas.lines(line, "surface", width=3.5, alpha=0.6)
        canvas.lines(line, "ink", width=1.25, dashes=DASHES)
    for y, flag in rows:
        canvas.text(flag.left, y - 1, flag.text, size=SMALL, colour="muted", has_halo=True)
    return start


def _is_free(placed: Sequence[Sequence[_Flag]], row: int, flag: _Flag) -> bool:
    """Say whether a label has room in a row, counted from the plot: beside labels there, and without a line through a label."""
    beside = row < len(placed) and any(
        flag.left < other.right + _SPACE and other.left < flag.right + _SPACE for other in placed[row]
    )
    through = any(other.left - 2 < flag.x < other.right + 2 for lower in placed[:row] for other in lower)
    under = any(flag.left - 2 < other.x < flag.right + 2 for upper in placed[row + 1 :] for other in upper)
    return not (beside or through or under)


def beside(canvas: Canvas, left: float, room: float, named: Sequence[tuple[float, str, str]]) -> None:
    """Write names, (height, text, colour), to the right of a plot, each as near to its height as the others allow."""
    placed = sorted(named)
    heights = [height for height, _, _ in placed]
    # Names that touch are moved apart together, as often as one move makes others touch.
    for _ in range(len(heights) * 4):
        for n in range(len(heights) - 1):
            lacking = LINE - 2 - (heights[n + 1] - heights[n])
            if lacking > 1e-6:
                heights[n] -= lacking / 2
                heights[n + 1] += lacking / 2
    for height, (_, text, colour) in zip(heights, placed, strict=True):
        canvas.text(left, height, fit(text, room, SMALL), size=SMALL, colour=colour)


def level_names(levels: Iterable[tuple[str, float]], most: int = 22) -> list[tuple[str, float]]:
    """Write names of levels with their values."""
    return [(f"{shorten(clean(name), most)} {exact(value)}", value) for name, value in levels]
