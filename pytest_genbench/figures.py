"""Figures as data: what there is to see in results, whoever draws it.

Benchmarks describe their figures with these (see :class:`pytest_genbench.benchmarks.Illustrates`); the report draws them all in one
style. Numbers are builtin floats, None where there is none. All text may come from models and files: it is escaped when drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = tuple[float | None, ...]
Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What all figures have.

    Attributes:
        title: What is shown, in a line.
        note: How to read it, and where reference values come from; may be empty.
    """

    title: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class HeatMap(Figure):
    """A value for each pair of a row and a column, written into its field.

    Attributes:
        rows: Names of the rows, from the top.
        columns: Names of the columns.
        values: A row of values for each of `rows`.
        row_title: What rows are.
        column_title: What columns are.
        low: Value at the dark end of the scale.
        high: Value at the bright end.
        means: Whether the mean of each row and column, and of all, is written beside them; fields without a value do not count.
        is_signed: Whether 0 is the middle of a scale with two ends, as for correlations.
        texts: What is written into the fields instead of their values; empty for the values. Not together with `means`.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[Row, ...]
    row_title: str = ""
    column_title: str = ""
    low: float = 0.0
    high: float = 1.0
    means: bool = False
    is_signed: bool = False
    texts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Bars(Figure):
    """Horizontal bars, in groups.

    Attributes:
        labels: Name of each group, from the top.
        series: By name a value for each label; drawn beside each other.
        intervals: By the name of a series its intervals.
        marks: By name a value for each label, drawn as a tick across its bars: what people do, what an anchor does.
        levels: Values that hold for all bars, drawn as lines: chance, a gate.
        value_title: What the values are.
        low: Where the axis begins; values below are cut off, with their number still written.
        high: Where it ends.
    """

    labels: tuple[str, ...]
    series: Mapping[str, Row]
    intervals: Mapping[str, tuple[Bounds | None, ...]] = field(default_factory=dict)
    marks: Mapping[str, Row] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)
    value_title: str = ""
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Line:
    """Points joined in the order of `x`, and an interval at each where there are any."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    intervals: tuple[Bounds | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Curves(Figure):
    """Lines over a common axis.

    Attributes:
        lines: The lines.
        x_title: What is along the horizontal axis.
        y_title: What is along the vertical axis.
        levels: Horizontal lines: chance, a gate.
        ticks: Names of places along the horizontal axis, where it has no numbers.
        is_log: Whether the horizontal axis is logarithmic.
        low: Where the vertical axis begins; None for where the values do.
        high: Where it ends; None likewise.
    """

    lines: tuple[Line, ...]
    x_title: str
    y_title: str
    levels: Mapping[str, float] = field(default_factory=dict)
    ticks: Mapping[float, str] = field(default_factory=dict)
    is_log: bool = False
    low: float | None = 0.0
    high: float | None = 1.0


@dataclass(frozen=True, kw_only=True)
class Points(Figure):
    """Points in a plane, in groups.

    Attributes:
        groups: Points (x, y) by the name of their group.
        names: By the name of a group what to write beside each of its points.
        x_title: What is along the horizontal axis.
        y_title: What is along the vertical axis.
        diagonal: Whether the line on which both are equal is drawn.
        levels: Horizontal lines.
        front: Points joined by a line, such as a Pareto front; in order.
        is_log: Whether the horizontal axis is logarithmic.
    """

    groups: Mapping[str, tuple[tuple[float, float], ...]]
    x_title: str
    y_title: str
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    diagonal: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    front: tuple[tuple[float, float], ...] = ()
    is_log: bool = False


@dataclass(frozen=True, kw_only=True)
class Histogram(Figure):
    """How often values fall between edges.

    Attributes:
        edges: Edges, one more than there are counts.
        counts: Counts by the name of what is counted.
        x_title: What the values are.
        marks: Vertical lines by name.
    """

    edges: tuple[float, ...]
    counts: Mapping[str, tuple[int, ...]]
    x_title: str
    marks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Density(Figure):
    """How often pairs of values fall into the fields of a grid.

    Attributes:
        x_edges: Edges along the horizontal axis.
        y_edges: Edges along the vertical axis, ascending.
        counts: A row for each interval of `y_edges`, from the lowest.
        x_title: What is along the horizontal axis.
        y_title: What is along the vertical axis.
    """

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    x_title: str
    y_title: str


@dataclass(frozen=True)
class Picture:
    """A picture, as the bytes of a PNG file, with a caption and what it shows for those who cannot see it."""

    png: bytes
    caption: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Strip:
    """Pictures side by side, with a caption before them."""

    pictures: tuple[Picture, ...]
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Gallery(Figure):
    """Strips of pictures below each other."""

    strips: tuple[Strip, ...]


@dataclass(frozen=True, kw_only=True)
class Text(Figure):
    """Text whose lines and spaces stay as they are, such as a tree."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Panels(Figure):
    """Small figures of one kind beside each other, each with a title of its own."""

    figures: tuple[Figure, ...]
