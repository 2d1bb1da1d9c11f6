"""Draw a hierarchy as a tree, from left to right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import HierarchyError
from ...hierarchy import Categorical, Group, Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW, _HEIGHT = 0.42, 0.27
"""Height of a row, and of a box in it, inches."""

_GAP, _PAD, _MARGIN = 0.14, 0.09, 0.15
"""Between boxes and around bends, around text, and around the picture: inches."""

_IN_A_ROW = 6
"""Continuous variables of a group side by side; more go below."""

_SIZE, _SMALL = 9.0, 7.5
"""Text of variables and of options, points."""

_LARGEST = 200.0
"""Inches a side: what can be drawn as pixels without trouble, and more than anyone looks at."""

_FONT = "DejaVu Sans"
"""Comes with matplotlib, so a text is as wide everywhere, and has the sign for nothing."""

_NOTHING = "∅"

_BLUE, _AMBER, _LINE, _QUIET = "#dbe9f6", "#fde8c4", "#5b6670", "#8a949c"


@dataclass
class _Variable:
    """A variable by name; a categorical one with a label and a group for each option."""

    name: str
    width: float
    options: list[tuple[str, list[_Variable]]]

    @property
    def height(self) -> float:
        return max(_ROW, sum(_height(group) for _, group in self.options))


@dataclass
class _Canvas:
    """What is drawn, in inches from the upper left, y downwards."""

    boxes: list[tuple[float, float, _Variable]] = field(default_factory=list)
    lines: list[tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=list)
    labels: list[tuple[float, float, str]] = field(default_factory=list)
    nothings: list[tuple[float, float]] = field(default_factory=list)
    right: float = 0.0


def picture(hierarchy: Hierarchy) -> Figure:
    """Draw a hierarchy: variables that are there together side by side, and to the right of each choice what its options add.

    Square blue boxes are continuous variables, round amber ones categorical. Each option has its label, or its number, on the line
    to what it adds, ``∅`` where that is nothing.

    Args:
        hierarchy: What to draw; a variable without a name has that of its column.

    Returns:
        A matplotlib figure as large as it needs to be, in no window and unknown to pyplot; it has a ``savefig``.

    Raises:
        HierarchyError: The picture would be more than 200 inches high or wide.

    Example:
        >>> from pytest_genbench.hierarchy import Continuous
        >>> figure = picture(Hierarchy((Continuous("x"), Categorical(((), (Continuous("size"),)), "there", ("no", "yes")))))
        >>> sorted(text.get_text() for text in figure.axes[0].texts)
        ['no', 'size', 'there', 'x', 'yes', '∅']
    """
    from matplotlib.figure import Figure

    kinds = ("categorical", "continuous")
    names = {kind: iter([column.name for column in hierarchy.columns if column.kind == kind]) for kind in kinds}
    root = _variables(hierarchy.root, names)
    canvas, height = _Canvas(), _height(root)
    _place(canvas, root, 0.0, 0.0)
    if max(canvas.right, height) > _LARGEST:
        raise HierarchyError(
            f"The hierarchy would take {canvas.right:.0f} by {height:.0f} inches to draw; print its tree() instead."
        )
    figure = Figure(figsize=(canvas.right + 2 * _MARGIN, height + 2 * _MARGIN))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-_MARGIN, canvas.right + _MARGIN)
    axes.set_ylim(height + _MARGIN, -_MARGIN)
    _paint(axes, canvas)
    return figure


def _variables(group: Group, names: dict[str, Iterator[str]]) -> list[_Variable]:
    """Take the names of the columns, depth first as these are."""
    found = []
    for node in group:
        name = next(names["categorical" if isinstance(node, Categorical) else "continuous"])
        variable = _Variable(name, max(_width(name, _SIZE) + 2 * _PAD, _HEIGHT), [])
        if isinstance(node, Categorical):
            labels = node.labels or [str(number) for number in range(1, len(node.options) + 1)]
            variable.options = [
                (label, _variables(option, names)) for label, option in zip(labels, node.options, strict=True)
            ]
        found.append(variable)
    return found


def _split(group: list[_Variable]) -> tuple[list[list[_Variable]], list[_Variable]]:
    """Continuous variables of a group in rows, and its categorical ones."""
    continuous = [variable for variable in group if not variable.options]
    rows = [continuous[start : start + _IN_A_ROW] for start in range(0, len(continuous), _IN_A_ROW)]
    return rows, [variable for variable in group if variable.options]


def _height(group: list[_Variable]) -> float:
    rows, choices = _split(group)
    return max(_ROW, _ROW * len(rows), sum(choice.height for choice in choices))


def _place(canvas: _Canvas, group: list[_Variable], x: float, top: float) -> float:
    """Place a group whose left side is at x and whose upper side is at `top`.

    Returns:
        The height at which a line to it ends.
    """
    if not group:
        canvas.nothings.append((x, top + _ROW / 2))
        canvas.right = max(canvas.right, x + _width(_NOTHING, _SIZE))
        return top + _ROW / 2
    rows, choices = _split(group)
    height = _height(group)
    widest = max((sum(v.width + _GAP for v in row) for row in rows), default=0.0)
    lower = top + (height - sum(choice.height for choice in choices)) / 2
    middles = []
    for choice in choices:
        middles.append(_choose(canvas, choice, x + widest + (_GAP if rows else 0.0), lower))
        lower += choice.height
    middle = (middles[0] + middles[-1]) / 2 if middles else top + height / 2
    # A block of rows is centred on the choices, unless that would put it above or below the group.
    block = min(max(middle - _ROW * len(rows) / 2, top), top + height - _ROW * len(rows))
    for number, row in enumerate(rows):
        left, y = x, block + _ROW * (number + 0.5)
        for variable in row:
            canvas.boxes.append((left, y, variable))
            canvas.right = max(canvas.right, left + variable.width)
            canvas.lines.append(((left - _GAP if left > x else left, left), (y, y)))
            left += variable.width + _GAP
        bend = x + widest
        for reached in middles:
            canvas.lines.append(((left - _GAP, bend, bend, bend + _GAP), (y, y, reached, reached)))
    starts = [block + _ROW * (number + 0.5) for number in range(len(rows))] or middles
    middle = (starts[0] + starts[-1]) / 2
    if len(starts) > 1:
        bracket = x - _GAP / 2
        canvas.lines += [((bracket, bracket, x), (middle, start, start)) for start in starts]
    return middle


def _choose(canvas: _Canvas, choice: _Variable, x: float, top: float) -> float:
    """Place a categorical variable and its options; returns the height of its box's middle."""
    bend = x + choice.width + _GAP
    start = bend + _GAP / 2 + max(_width(label, _SMALL) for label, _ in choice.options) + _GAP
    lower = top + (choice.height - sum(_height(group) for _, group in choice.options)) / 2
    ends, reached = [], []
    for label, group in choice.options:
        end = _place(canvas, group, start, lower)
        canvas.labels.append((bend + _GAP / 2, end, label))
        ends.append(end)
        rows, choices = _split(group)
        # Up to the one variable that comes first; else up to the sign for nothing, or a bracket.
        reached.append(start - (0.0 if len(rows or choices) == 1 else _GAP / 2))
        lower += _height(group)
    middle = (ends[0] + ends[-1]) / 2
    for end, right in zip(ends, reached, strict=True):
        canvas.lines.append(((x + choice.width, bend, bend, right), (middle, middle, end, end)))
    canvas.boxes.append((x, middle, choice))
    return middle


def _width(text: str, points: float) -> float:
    """Width of a text, inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=_FONT, size=points)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 72


def _paint(axes: Axes, canvas: _Canvas) -> None:
    """Put it all on axes that count inches."""
    from matplotlib.patches import FancyBboxPatch, Rectangle

    # Names are no formulas: a dollar sign is a dollar sign.
    text: dict[str, Any] = {"family": _FONT, "parse_math": False}
    for xs, ys in canvas.lines:
        axes.plot(xs, ys, color=_LINE, linewidth=0.9, solid_joinstyle="round", zorder=1)
    for x, y, variable in canvas.boxes:
        style: dict[str, Any] = {"edgecolor": _LINE, "linewidth": 0.9, "zorder": 2}
        corner = (x, y - _HEIGHT / 2)
        if variable.options:
            round_ = f"round,pad=0,rounding_size={_HEIGHT / 2}"
            axes.add_patch(FancyBboxPatch(corner, variable.width, _HEIGHT, round_, facecolor=_AMBER, **style))
        else:
            axes.add_patch(Rectangle(corner, variable.width, _HEIGHT, facecolor=_BLUE, **style))
        middle = x + variable.width / 2
        axes.text(middle, y, variable.name, size=_SIZE, ha="center", va="center_baseline", zorder=3, **text)
    for x, y, label in canvas.labels:
        axes.text(x, y - 0.025, label, size=_SMALL, color=_LINE, ha="left", va="bottom", zorder=3, **text)
    for x, y in canvas.nothings:
        axes.text(x, y, _NOTHING, size=_SIZE, color=_QUIET, ha="left", va="center_baseline", zorder=3, **text)
