"""Figures drawn for a page: everything lies where the axes, the headings and the names beside it say that it does."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from pytest_genbench.figures import Bars, Curves, Density, HeatMap, Histogram, Line, Points
from pytest_genbench.report.draw import colours, draw
from pytest_genbench.report.draw.axes import Scale

NEAR = 0.15
"""Px: paths are written with one decimal."""


def drawing(figure):
    return ElementTree.fromstring(draw(figure, "f")).find("svg")


def parts(path):
    """Corners of the parts of a path: lists of (x, y)."""
    found = []
    for letter, numbers in re.findall(r"([MLHVz])([^MLHVz]*)", path.get("d")):
        values = [float(number) for number in numbers.split()]
        if letter == "M":
            found.append([])
        if letter in "ML":
            found[-1].append(tuple(values))
        elif letter == "H":
            found[-1].append((values[0], found[-1][-1][1]))
        elif letter == "V":
            found[-1].append((found[-1][-1][0], values[0]))
    return found


def styled(svg, *styles):
    """All parts of the paths whose style holds all of these."""
    return [
        part
        for path in svg.iter("path")
        if all(s in path.get("style", "") + ";" for s in styles)
        for part in parts(path)
    ]


def boxes(svg, *styles):
    """The rectangles among them: left, right, top, bottom."""
    found = []
    for part in styled(svg, *styles):
        xs, ys = [x for x, _ in part], [y for _, y in part]
        found.append((min(xs), max(xs), min(ys), max(ys)))
    return found


def place(svg, text, axis, number=0):
    """Where the middle of a text is: along x for texts below a plot, along y for those beside it."""
    element = [each for each in svg.iter("text") if each.text == text][number]
    size = float(element.get("font-size", 12))
    return float(element.get("x")) if axis == "x" else float(element.get("y")) - 0.35 * size


def fill(n):
    return f"fill:var(--genbench-series-{n});"


def stroke(n):
    return f"stroke:var(--genbench-series-{n});"


INK = "stroke:var(--genbench-ink);"


class TestBars:
    FIGURE = Bars(
        title="t",
        labels=("first", "second"),
        series={"s": (0.5, -0.25), "r": (None, 1.0)},
        intervals={"s": ((0.25, 0.75), None), "r": (None, (0.5, 1.5))},
        marks={"people": (0.75, -0.5)},
        levels={"chance": 0.25},
        low=-1.0,
        high=1.0,
    )

    @pytest.fixture
    def svg(self):
        return drawing(self.FIGURE)

    def at(self, svg, value):
        left, right = place(svg, "\u22121.0", "x"), place(svg, "1.0", "x")
        return pytest.approx(left + (value + 1) / 2 * (right - left), abs=NEAR)

    def test_bars_go_from_zero_to_their_value(self, svg):
        ends = [box[:2] for box in boxes(svg, fill(1))][:2]
        assert ends == [(self.at(svg, 0), self.at(svg, 0.5)), (self.at(svg, -0.25), self.at(svg, 0))]
        assert boxes(svg, fill(2))[0][:2] == (self.at(svg, 0), self.at(svg, 1))

    def test_bars_lie_beside_their_label_in_the_order_of_the_legend(self, svg):
        one, two = (boxes(svg, fill(n))[:number] for n, number in ((1, 2), (2, 1)))
        assert one[0][3] < place(svg, "first", "y") < one[1][2] < one[1][3] < place(svg, "second", "y") + NEAR
        assert place(svg, "second", "y") - NEAR < two[0][2]

    def test_values_stand_beside_their_bars(self, svg):
        bars = [*boxes(svg, fill(1))[:2], boxes(svg, fill(2))[0]]
        for text, (_, _, top, bottom) in zip(("0.50", "\u22120.25", "1.00"), bars, strict=True):
            assert place(svg, text, "y") == pytest.approx((top + bottom) / 2, abs=NEAR)

    def test_intervals_lie_on_their_bars_and_end_at_the_axis(self, svg):
        first, second = boxes(svg, fill(1))[0], boxes(svg, fill(2))[0]
        lines = [part for part in styled(svg, INK, "stroke-width:1.25") if part[0][1] == part[1][1]]
        assert [(a[0], b[0]) for a, b in lines] == [
            (self.at(svg, 0.25), self.at(svg, 0.75)),
            (self.at(svg, 0.5), self.at(svg, 1)),
        ]
        for line, (_, _, top, bottom) in zip(lines, (first, second), strict=True):
            assert line[0][1] == pytest.approx((top + bottom) / 2, abs=NEAR)
        caps = [part[0][0] for part in styled(svg, INK, "stroke-width:1.25;") if abs(part[0][1] - part[1][1]) == 6]
        assert caps == [self.at(svg, 0.25), self.at(svg, 0.75), self.at(svg, 0.5)]

    def test_an_interval_beyond_the_axis_is_not_drawn(self):
        svg = drawing(replace(self.FIGURE, intervals={"s": ((1.5, 2.0), (-3.0, -2.0))}, levels={}))
        assert not styled(svg, INK, "stroke-width:1.25")

    def test_marks_cross_their_group_and_levels_cross_all(self, svg):
        marks = styled(svg, INK, "stroke-width:2.5")[:2]
        assert [part[0][0] for part in marks] == [self.at(svg, 0.75), self.at(svg, -0.5)]
        for part, label in zip(marks, ("first", "second"), strict=True):
            assert part[0][1] < place(svg, label, "y") < part[1][1]
            assert sum(part[k][1] for k in (0, 1)) / 2 == pytest.approx(place(svg, label, "y"), abs=NEAR)
        ((start, end),) = styled(svg, INK, "stroke-dasharray")
        assert start[0] == end[0] == self.at(svg, 0.25)
        assert start[1] < place(svg, "first", "y") < place(svg, "second", "y") < end[1]


class TestHeatMap:
    FIGURE = HeatMap(
        title="t",
        rows=("first", "second"),
        columns=("a", "b", "c"),
        values=((0.0, 1.0, None), (2.0, 3.0, 4.0)),
        low=0.0,
        high=4.0,
        means=True,
    )

    def test_each_value_has_its_colour_beside_its_headings(self):
        svg = drawing(self.FIGURE)
        fields = {}
        for path in svg.iter("path"):
            if found := re.match(r"fill:(#[0-9a-f]{6})", path.get("style")):
                (box,) = boxes(ElementTree.fromstring(f"<svg>{ElementTree.tostring(path).decode()}</svg>"))
                fields[(box[0] + box[1]) / 2, (box[2] + box[3]) / 2] = found[1]
        columns = [place(svg, name, "x") for name in ("a", "b", "c")]
        rows = [place(svg, name, "y") for name in ("first", "second")]
        seen = {}
        for (x, y), colour in fields.items():
            column = [n for n, at in enumerate(columns) if abs(x - at) < 1.5]
            row = [n for n, at in enumerate(rows) if abs(y - at) < 1.5]
            if column and row:
                seen[row[0], column[0]] = colour
        values = self.FIGURE.values
        assert seen == {
            (i, j): colours.field(values[i][j], 0, 4) for i in (0, 1) for j in (0, 1, 2) if values[i][j] is not None
        }
        assert len(set(seen.values())) == 5
        assert len(fields) == 5 + 2 + 3 + 1

    def test_each_number_stands_in_its_field(self):
        svg = drawing(self.FIGURE)
        for text, row, column in (("1.00", "first", "b"), ("2.00", "second", "a"), ("4.00", "second", "c")):
            assert place(svg, text, "x") == pytest.approx(place(svg, column, "x"), abs=1.5)
            assert place(svg, text, "y") == pytest.approx(place(svg, row, "y"), abs=1.5)


class TestCurves:
    FIGURE = Curves(
        title="t",
        lines=(Line("l", (10, 100, 10000), (0.0, 0.5, 1.0), ((0.0, 0.25), (0.25, 0.75), (0.75, 1.0))),),
        x_title="x",
        y_title="y",
        levels={"chance": 0.25},
        is_log=True,
    )

    def up(self, svg, value):
        bottom, top = place(svg, "0.0", "y"), place(svg, "1.0", "y")
        return pytest.approx(bottom + value * (top - bottom), abs=NEAR)

    def test_points_lie_above_their_place_at_the_height_of_their_value(self):
        svg = drawing(self.FIGURE)
        (line,) = styled(svg, stroke(1), "stroke-width:2;")
        xs = [place(svg, text, "x") for text in ("10", "100", "10,000")]
        assert [x for x, _ in line] == pytest.approx(xs, abs=NEAR)
        assert [y for _, y in line] == [self.up(svg, value) for value in (0.0, 0.5, 1.0)]
        dots = styled(svg, stroke(1), "stroke-width:7;")
        assert [part[0] for part in dots] == line

    def test_a_logarithmic_axis_has_equal_steps_for_equal_factors(self):
        svg = drawing(self.FIGURE)
        a, b, c = (place(svg, text, "x") for text in ("10", "100", "10,000"))
        assert c - b == pytest.approx(2 * (b - a), abs=0.3)
        plain = drawing(replace(self.FIGURE, is_log=False))
        (line,) = styled(plain, stroke(1), "stroke-width:2;")
        across = (place(plain, "10,000", "x") - place(plain, "0", "x")) / 10000
        assert line[1][0] - line[0][0] == pytest.approx(90 * across, abs=NEAR)

    def test_the_band_is_the_interval_at_each_point(self):
        svg = drawing(self.FIGURE)
        (band,) = styled(svg, fill(1), "fill-opacity")
        xs = [place(svg, text, "x") for text in ("10", "100", "10,000")]
        assert [y for _, y in band] == [self.up(svg, end) for end in (0.0, 0.25, 0.75, 1.0, 0.75, 0.25)]
        assert [x for x, _ in band] == pytest.approx([*xs, *reversed(xs)], abs=NEAR)

    def test_whiskers_are_the_intervals_too(self):
        svg = drawing(replace(self.FIGURE, lines=self.FIGURE.lines * 4))
        upright = [part for part in styled(svg, stroke(1), "stroke-width:1.25") if part[0][0] == part[1][0]]
        assert [(a[1], b[1]) for a, b in upright] == [
            (self.up(svg, low), self.up(svg, high)) for low, high in self.FIGURE.lines[0].intervals
        ]

    def test_a_level_is_at_its_height_with_its_name_beside_it(self):
        svg = drawing(self.FIGURE)
        ((start, end),) = styled(svg, "stroke-dasharray")
        assert start[1] == end[1] == self.up(svg, 0.25)
        assert place(svg, "chance 0.25", "y") == self.up(svg, 0.25)

    def test_an_axis_without_ends_holds_all_values(self):
        svg = drawing(
            Curves(title="t", lines=(Line("l", (1, 2), (200, 930)),), x_title="", y_title="", low=None, high=None)
        )
        (line,) = styled(svg, stroke(1), "stroke-width:2;")
        per = (place(svg, "1,000", "y") - place(svg, "200", "y")) / 800
        assert [y for _, y in line] == pytest.approx(
            [place(svg, "200", "y"), place(svg, "200", "y") + 730 * per], abs=NEAR
        )
        assert place(svg, "1,000", "y") < line[1][1]


class TestPoints:
    FIGURE = Points(
        title="t",
        groups={"a": ((0.0, 1.0), (0.5, 0.25)), "b": ((1.0, 0.0),)},
        x_title="x",
        y_title="y",
        diagonal=True,
        levels={"chance": 0.5},
        front=((0.0, 1.0), (1.0, 0.0)),
    )

    def ends(self, svg, axis):
        """Px of 0 and of 1; both axes have the same texts, of which those below come last."""
        return [place(svg, text, axis, 1 if axis == "x" else 0) for text in ("0.0", "1.0")]

    def at(self, svg, x, y):
        (left, right), (bottom, top) = self.ends(svg, "x"), self.ends(svg, "y")
        return pytest.approx((left + x * (right - left), bottom + y * (top - bottom)), abs=NEAR)

    def test_points_lie_at_their_values(self):
        svg = drawing(self.FIGURE)
        dots = [part[0] for part in styled(svg, stroke(1), "stroke-width:7;")][:2]
        assert dots == [self.at(svg, 0, 1), self.at(svg, 0.5, 0.25)]
        left, right, top, bottom = boxes(svg, fill(2))[0]
        assert ((left + right) / 2, (top + bottom) / 2) == self.at(svg, 1, 0)

    def test_the_diagonal_is_where_both_are_equal_and_the_front_joins_its_points(self):
        svg = drawing(self.FIGURE)
        lines = styled(svg, "stroke:var(--genbench-muted)", "stroke-width:1.5")
        (left, right), (bottom, top) = self.ends(svg, "x"), self.ends(svg, "y")
        diagonal, level, front = lines[:3]
        for x, y in diagonal:
            assert (x - left) / (right - left) == pytest.approx((y - bottom) / (top - bottom), abs=0.005)
        assert abs(diagonal[1][0] - diagonal[0][0]) > right - left
        assert [y for _, y in level] == pytest.approx([(bottom + top) / 2] * 2, abs=NEAR)
        assert front == [self.at(svg, 0, 1), self.at(svg, 1, 0)]

    def test_ticks_of_a_logarithmic_axis_lie_at_their_values(self):
        groups = {"a": ((20.0, 0.1), (50.0, 0.2), (2e6, 0.9))}
        svg = drawing(Points(title="t", groups=groups, x_title="", y_title="", is_log=True))
        across = [part[0][0] for part in styled(svg, stroke(1), "stroke-width:7;")]
        per = (place(svg, "1M", "x") - place(svg, "100", "x")) / 4
        start = place(svg, "100", "x") - 2 * per
        assert across[:3] == pytest.approx([start + per * math.log10(x) for x in (20, 50, 2e6)], abs=NEAR)
        few = drawing(Points(title="t", groups={"a": ((3.0, 0.1), (20.0, 0.2))}, x_title="", y_title="", is_log=True))
        assert {"5", "10", "20"} < {text.text for text in few.iter("text")}


class TestHistogramAndDensity:
    def test_columns_are_as_high_as_their_counts(self):
        figure = Histogram(
            title="t", edges=(0, 0.5, 1), counts={"a": (10, 40), "b": (20, 0)}, x_title="x", marks={"m": 0.25}
        )
        svg = drawing(figure)
        left, right, zero = place(svg, "0.0", "x"), place(svg, "1.0", "x"), place(svg, "0", "y")
        per, middle = (place(svg, "40", "y") - zero) / 40, (left + right) / 2

        def box(a, b, count):
            return pytest.approx((a, b, zero + count * per, zero), abs=0.6)

        assert boxes(svg, fill(1), "fill-opacity") == [box(left, middle, 10), box(middle, right, 40)]
        assert boxes(svg, fill(2), "fill-opacity") == [box(left, middle, 20)]
        outline = styled(svg, stroke(1), "stroke-width:2;")[0]
        heights, xs = [0, 10, 10, 40, 40, 0], [left, left, middle, middle, right, right]
        assert [y for _, y in outline] == pytest.approx([zero + count * per for count in heights], abs=0.6)
        assert [x for x, _ in outline] == pytest.approx(xs, abs=NEAR)
        ((start, _),) = styled(svg, INK, "stroke-dasharray")
        assert start[0] == pytest.approx((left + middle) / 2, abs=NEAR)
        alone = drawing(replace(figure, counts={"a": (10, 40)}))
        zero = place(alone, "0", "y")
        per = (place(alone, "40", "y") - zero) / 40
        assert [(bottom, top) for _, _, top, bottom in boxes(alone, fill(1))] == [
            pytest.approx((zero, zero + count * per), abs=0.6) for count in (10, 40)
        ]

    def test_fields_of_a_density_lie_between_their_edges(self):
        svg = drawing(
            Density(title="t", x_edges=(0, 1, 2), y_edges=(5, 6, 7), counts=((0, 8), (1, 0)), x_title="x", y_title="y")
        )
        middle = (place(svg, "0", "x") + place(svg, "2", "x")) / 2
        low, high = place(svg, "5", "y"), place(svg, "7", "y")
        assert high < low
        found = [(path.get("style"), *parts(path)) for path in svg.iter("path") if "fill:#" in path.get("style")][:2]
        middles = {}
        for style, part in found:
            (x, y) = (sum(each[k] for each in part) / len(part) for k in (0, 1))
            middles[x > middle, y < (low + high) / 2] = style
        assert set(middles) == {(True, False), (False, True)}
        light = {key: colours.luminance(style.removeprefix("fill:")) for key, style in middles.items()}
        assert light[True, False] > light[False, True]

    def test_shades_are_logarithmic(self):
        counts = ((1, 10, 100),)
        svg = drawing(Density(title="t", x_edges=(0, 1, 2, 3), y_edges=(0, 1), counts=counts, x_title="", y_title=""))
        fills = [path.get("style") for path in svg.iter("path") if "fill:#" in path.get("style")]
        assert fills[0] == fills[3]
        assert fills[1] in (fills[3 + 4], fills[3 + 5])
        assert fills[2] == fills[-1]


def test_a_scale_is_linear_or_logarithmic() -> None:
    assert [Scale(0, 4, 100, 200)(value) for value in (0, 1, 4, 6)] == [100, 125, 200, 250]
    assert [Scale(0, 4, 200, 100)(value) for value in (0, 1, 4)] == [200, 175, 100]
    found = [Scale(1, 100, 0, 10, is_log=True)(value) for value in (1, 10, 100, 1000)]
    assert found == pytest.approx([0, 5, 10, 15])
