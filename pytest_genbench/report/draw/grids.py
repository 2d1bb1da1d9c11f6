"""Grids of coloured fields: heat maps and densities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from ...figures import Density, HeatMap, Row
from . import axes, colours
from .axes import GAP, LINE, SMALL
from .canvas import SIZE, Canvas
from .words import NONE, brief, clean, fit, plain, shorten, width

_TALL, _LEAST, _WIDEST = 30.0, 38.0, 76.0
"""Px of a field of a heat map: height, least and greatest width."""

_BETWEEN = 2.0
"""Px between fields."""

_HEADING = 24
"""Characters of the heading of a column."""

_ACROSS = 320.0
"""Px that a density is meant to take; its fields have whole px."""

_SHADES = 10
"""Shades of a density."""

Field = tuple[float, float, float | None]
"""Left, top, and the value."""


def mean(values: Iterable[float | None]) -> float | None:
    """Average the values that there are."""
    found = [value for value in values if value is not None]
    return math.fsum(found) / len(found) if found else None


def with_means(figure: HeatMap) -> tuple[Row, ...]:
    """Append to each row its mean, and a row of the means of the columns that ends with the mean of all."""
    rows = [(*row, mean(row)) for row in figure.values]
    columns = zip(*figure.values, strict=True) if figure.values else [() for _ in figure.columns]
    return (*rows, (*map(mean, columns), mean(value for row in figure.values for value in row)))


def heat_map(figure: HeatMap, name: str) -> Markup:
    """Draw a heat map: headings above and on the left, means set apart."""
    canvas = Canvas()
    rows = [shorten(clean(row)) for row in figure.rows]
    columns = [shorten(clean(column), _HEADING) for column in figure.columns]
    values = with_means(figure) if figure.means else figure.values
    texts = [[clean(text) for text in row] for row in figure.texts] or [
        ["" if v is None else brief(v) for v in row] for row in values
    ]
    wide = _field_width(columns, texts)
    left = _row_headings(rows, figure) + GAP
    xs, ys = _places(len(columns), wide, figure.means), _places(len(rows), _TALL, figure.means)
    right = left + (xs[-1] + wide if xs else 0)
    title = fit(clean(figure.column_title), max(right - left, 120), SIZE)
    top = LINE + 4 if title else 0.0
    headings = [*columns, *["mean"] * figure.means]
    top, reach = _column_headings(canvas, headings, [left + x for x in xs], top, wide)
    row_title = fit(clean(figure.row_title), max(left - GAP, 80), SIZE)
    canvas.text(left, LINE / 2, title, colour="muted")
    canvas.text(left - GAP, top - LINE / 2 - 2, row_title, anchor="end", colour="muted")
    for heading, y in zip([*rows, *["mean"] * figure.means], ys, strict=True):
        canvas.text(left - GAP, top + y + _TALL / 2, heading, anchor="end")
    for y, row, written in zip(ys, values, texts, strict=True):
        for x, value, text in zip(xs, row, written, strict=True):
            _field(canvas, (left + x, top + y, value), wide, figure, text)
    bottom = top + (ys[-1] + _TALL if ys else 0)
    return canvas.svg(max(right, reach, left + width(title, SIZE)) + 2, bottom + 2, figure.title, name)


def _field(canvas: Canvas, field: Field, wide: float, figure: HeatMap, text: str) -> None:
    x, y, value = field
    box = (x, y, wide - _BETWEEN, _TALL - _BETWEEN)
    middle = (x + (wide - _BETWEEN) / 2, y + (_TALL - _BETWEEN) / 2)
    if value is None:
        canvas.boxes([(box[0] + 0.5, box[1] + 0.5, box[2] - 1, box[3] - 1)], "surface", stroke="grid")
        canvas.text(*middle, NONE, anchor="middle", colour="muted")
        return
    colour = colours.field(value, figure.low, figure.high, is_signed=figure.is_signed)
    canvas.boxes([box], colour)
    canvas.text(*middle, text, anchor="middle", colour=colours.on(colour))


def _places(number: int, step: float, has_mean: bool) -> list[float]:
    """Find where fields begin: side by side, the mean after a gap."""
    places = [n * step for n in range(number)]
    return [*places, number * step + GAP] if has_mean else places


def _field_width(columns: Sequence[str], texts: Sequence[Sequence[str]]) -> float:
    """Choose fields wide enough for what is written into them, and for their headings unless these are long."""
    least = max([_LEAST, *(width(text, SIZE) + 9 for row in texts for text in row)])
    headings = max((width(column, SIZE) + 10 for column in columns), default=0.0)
    return headings if least < headings <= _WIDEST and headings * len(columns) <= 640 else least


def _row_headings(rows: Sequence[str], figure: HeatMap) -> float:
    """Say how wide the headings of the rows are, or what stands above them if it is wider and not long."""
    title = min(width(clean(figure.row_title), SIZE), 150)
    extra = [width("mean", SIZE)] if figure.means else []
    return max([title, *(width(row, SIZE) for row in rows), *extra])


def _column_headings(
    canvas: Canvas, headings: Sequence[str], xs: Sequence[float], top: float, wide: float
) -> tuple[float, float]:
    """Write headings of columns, slanted unless they fit; return where the fields begin, and how far the headings reach."""
    longest = max((width(heading, SIZE) for heading in headings), default=0.0)
    if longest + 4 <= wide:
        for heading, x in zip(headings, xs, strict=True):
            canvas.text(x + (wide - _BETWEEN) / 2, top + LINE / 2, heading, anchor="middle")
        return top + LINE + 4, 0.0
    slope = math.radians(45)
    bottom = top + longest * math.sin(slope) + 14
    reach = 0.0
    for heading, x in zip(headings, xs, strict=True):
        start = x + (wide - _BETWEEN) / 2
        canvas.text(start, bottom - 8, heading, angle=45)
        reach = max(reach, start + width(heading, SIZE) * math.cos(slope) + SIZE)
    return bottom, reach


def density(figure: Density, name: str) -> Markup:
    """Draw a density: one hue from dark for few to bright for many, in logarithmic steps; nothing where there is nothing."""
    canvas = Canvas()
    columns, rows = len(figure.x_edges) - 1, len(figure.y_edges) - 1
    side = float(min(26, max(5, int(_ACROSS / max(columns, rows, 1)))))
    y_labels = _edges(figure.y_edges, side)
    left = max((width(text, SMALL) for _, text in y_labels), default=0.0) + 10
    wide, tall = columns * side, rows * side
    y_title = fit(clean(figure.y_title), left + max(wide, 160), SIZE)
    canvas.text(0, LINE / 2, y_title, colour="muted")
    top = LINE + GAP
    canvas.boxes([(left, top, wide, tall)], "surface", stroke="grid")
    most = max((count for row in figure.counts for count in row), default=0)
    fields: dict[int, list[tuple[float, float, float, float]]] = {}
    for n, row in enumerate(figure.counts):
        for m, count in enumerate(row):
            if count > 0:
                # Fields lie a little over each other: there are no hair lines between them.
                box = (left + m * side, top + (rows - 1 - n) * side, side + 0.5, side + 0.5)
                fields.setdefault(_shade(count, most), []).append(box)
    for shade, boxes in sorted(fields.items()):
        canvas.boxes(boxes, _colour(shade))
    x_labels = [(left + place, text) for place, text in _edges(figure.x_edges, side)]
    below = axes.frame(
        canvas,
        (left, top, wide, tall),
        x_labels,
        [(top + tall - place, text) for place, text in y_labels],
        has_lines=False,
    )
    canvas.text(
        left + wide / 2,
        below + LINE / 2,
        fit(clean(figure.x_title), max(wide, 160), SIZE),
        anchor="middle",
        colour="muted",
    )
    bottom = _scale(canvas, left, below + LINE + GAP, most) if most else below + LINE
    return canvas.svg(max(left + wide, left + 160, width(y_title, SIZE)) + 20, bottom + 2, figure.title, name)


def _shade(count: int, most: int) -> int:
    """Find the shade of a count, 0 to `_SHADES` - 1: that of 1 is the first, that of `most` the last."""
    return round((_SHADES - 1) * math.log(count) / math.log(most)) if most > 1 else _SHADES - 1


def _colour(shade: int) -> str:
    return colours.field(0.15 + 0.85 * shade / (_SHADES - 1), 0.0, 1.0)


def _scale(canvas: Canvas, left: float, top: float, most: int) -> float:
    """Explain the shades below a density; return where that ends."""
    y = top + LINE / 2
    shades = sorted({_shade(count, most) for count in {1, most}} | (set(range(_SHADES)) if most > 1 else set()))
    canvas.text(left, y, "1" if most > 1 else "", size=SMALL, colour="muted")
    start = left + 12 if most > 1 else left
    for n, shade in enumerate(shades):
        canvas.boxes([(start + n * 12, y - 5, 12, 10)], _colour(shade))
    canvas.text(start + len(shades) * 12 + 5, y, f"{most:,}", size=SMALL, colour="muted")
    return top + LINE


def _edges(edges: Sequence[float], side: float) -> list[tuple[float, str]]:
    """Choose edges to write, px from the first, so that what is written has room: both ends, if the steps between are equal."""
    steps = len(edges) - 1
    if steps < 1:
        return []
    widest = max(width(plain(edge), SMALL) for edge in edges) + GAP
    fitting = [step for step in range(1, steps + 1) if step * side >= widest and steps / step <= 6]
    step = next((step for step in fitting if steps % step == 0), fitting[0] if fitting else steps)
    return [(n * side, plain(edges[n])) for n in range(0, steps + 1, step)]
