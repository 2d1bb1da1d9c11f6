"""Figures drawn for a page, and as tables: what is written and drawn, and that nothing in a name breaks the page."""

import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_genbench.figures import (
    Bars,
    Curves,
    Density,
    Figure,
    Gallery,
    HeatMap,
    Histogram,
    Line,
    Panels,
    Picture,
    Points,
    Strip,
    Text,
)
from pytest_genbench.report.draw import FIGURE_CSS, colours, draw, numbers, words


def png(side=28):
    file = BytesIO()
    Image.new("RGB", (side, side), "red").save(file, "PNG")
    return file.getvalue()


HEAT_MAP = HeatMap(
    title="accuracy",
    rows=("shape", "size"),
    columns=("1", "2", "3"),
    values=((0.5, None, 1.0), (0.25, 0.0, 0.125)),
    row_title="factor",
    column_title="letters",
    means=True,
)
BARS = Bars(
    title="accuracy of rules",
    labels=("rule a", "rule b"),
    series={"ResNet": (0.75, -0.4), "ViT": (None, 0.5)},
    intervals={"ResNet": ((0.7, 0.8), None)},
    marks={"people": (0.9, None)},
    levels={"chance": 0.016},
    value_title="accuracy",
)
CURVES = Curves(
    title="efficiency",
    lines=(
        Line("SCL", (20, 100, 1000), (0.25, 0.5, 0.9), ((0.2, 0.3), (0.4, 0.6), (0.8, 1.0))),
        Line("ViT", (20,), (0.3,)),
    ),
    x_title="problems",
    y_title="accuracy",
    levels={"chance": 0.25},
    is_log=True,
)
POINTS = Points(
    title="in and out",
    groups={"small": ((0.5, 0.25), (0.75, 0.5)), "large": ((0.9, 0.8),)},
    names={"small": ("A", "B")},
    x_title="in split",
    y_title="held out",
    diagonal=True,
    levels={"chance": 0.1},
    front=((0.5, 0.25), (0.9, 0.8)),
)
HISTOGRAM = Histogram(
    title="errors", edges=(0, 0.5, 1), counts={"a": (3, 1000), "b": (0, 2)}, x_title="error", marks={"mean": 0.7}
)
DENSITY = Density(
    title="read", x_edges=(0, 1, 2), y_edges=(0, 0.5, 1), counts=((0, 7), (1, 0)), x_title="true", y_title="predicted"
)
GALLERY = Gallery(title="worst", strips=(Strip((Picture(png(), "read “a”", "a word"), Picture(png(400))), "words"),))
TEXT = Text(title="tree", text="\nroot\n  leaf <b>")
PANELS = Panels(title="all", figures=(HISTOGRAM, replace(HISTOGRAM, title="others")))
FIGURES = (HEAT_MAP, BARS, CURVES, POINTS, HISTOGRAM, DENSITY, GALLERY, TEXT, PANELS)

HOSTILE = (
    "</svg><script>alert(1)</script>",
    "$\\alpha$ $\\bad{",
    "\"'><img src=x onerror=y>",
    "]]>&amp;<!--",
    "\x00\x1b\x85",
    "\ud800",
    "\ufffe\ufdd0",
    "\u202eevil",
    "שלום עולם",
    "🦄👩‍👧",
    "a\nb\r\nc\td",
    "long " * 100,
    "e" + "\u0301" * 200,
    "",
    " ",
)


def drawing(figure, name="f"):
    return ElementTree.fromstring(draw(figure, name)).find("svg")


def written(figure):
    return [element.text for element in drawing(figure).iter("text")]


def fields(figure):
    """Fills of the paths that are rectangles of a scale."""
    return re.findall(r'style="fill:(#[0-9a-f]{6})" ?/?', re.sub(r"<text[^>]*>", "", draw(figure, "f")))


def every_text(text):
    """A figure of each type with this text wherever there is one."""
    return (
        HeatMap(
            title=text, rows=(text,), columns=(text, text), values=((0.1, None),), row_title=text, column_title=text
        ),
        Bars(
            title=text,
            labels=(text, text),
            series={text: (0.5, 2.0), text + "2": (None, -1.0)},
            marks={text: (0.3, None)},
            levels={text: 0.2, text + "2": 0.21},
            value_title=text,
        ),
        Curves(
            title=text,
            lines=(Line(text, (1, 2), (0.3, 0.4)),),
            x_title=text,
            y_title=text,
            levels={text: 0.3},
            ticks={1: text},
        ),
        Points(
            title=text,
            groups={text: ((0.1, 0.2), (0.1, 0.2))},
            names={text: (text, text)},
            x_title=text,
            y_title=text,
            levels={text: 1},
        ),
        Histogram(title=text, edges=(0, 1), counts={text: (1,), text + "2": (2,)}, x_title=text, marks={text: 0.5}),
        Density(title=text, x_edges=(0, 1), y_edges=(0, 1), counts=((1,),), x_title=text, y_title=text),
        Gallery(title=text, strips=(Strip((Picture(png(), text, text),), text),)),
        Text(title=text, text=text),
        Panels(
            title=text, figures=(Histogram(title=text, note=text, edges=(0, 1), counts={text: (1,)}, x_title=text),)
        ),
    )


class TestHeatMap:
    def test_every_number_is_written_and_means_do_not_count_what_is_missing(self):
        texts = written(HEAT_MAP)
        assert [text for text in texts if re.fullmatch(r"\d\.\d\d|\u2013", text)] == [
            *("0.50", "\u2013", "1.00", "0.75"),
            *("0.25", "0.00", "0.12", "0.12"),
            *("0.38", "0.00", "0.56", "0.38"),
        ]
        assert texts.count("mean") == 2
        assert {"factor", "letters", "shape", "size", "1", "2", "3"} < set(texts)

    def test_there_is_a_field_for_each_number(self):
        assert len(fields(HEAT_MAP)) == 11
        assert len(fields(replace(HEAT_MAP, means=False))) == 5

    def test_fields_differ_by_their_values_and_text_by_the_fields(self):
        low, high = colours.field(0.0, 0, 1), colours.field(1.0, 0, 1)
        assert colours.luminance(low) < 0.1 < 0.7 < colours.luminance(high)
        assert (colours.on(low), colours.on(high)) == ("#ffffff", "#000000")
        assert colours.field(7.0, 0, 1) == high
        assert colours.field(0.5, 1, 1) == colours.field(0.5, 0, 1)

    def test_zero_is_the_middle_of_a_signed_scale(self):
        assert colours.luminance(colours.field(0.0, -1, 1, is_signed=True)) > 0.9
        red, blue = (colours.field(value, -0.5, 1, is_signed=True) for value in (1.0, -1.0))
        assert int(red[1:3], 16) > int(red[5:7], 16)
        assert int(blue[1:3], 16) < int(blue[5:7], 16)
        assert "\u22120.50" in written(replace(HEAT_MAP, values=((-0.5, 0, 0), (0, 0, 0)), is_signed=True))

    @given(st.floats(-2, 2))
    @settings(max_examples=30)
    def test_numbers_have_contrast_on_every_colour(self, value):
        for is_signed in (False, True):
            colour = colours.field(value, -1, 1, is_signed=is_signed)
            a, b = sorted(colours.luminance(c) for c in (colour, colours.on(colour)))
            assert (b + 0.05) / (a + 0.05) >= 4.5

    def test_as_a_table(self):
        assert numbers(HEAT_MAP) == (
            ("factor", "1", "2", "3", "mean"),
            (
                ("shape", "0.500", "", "1.000", "0.750"),
                ("size", "0.250", "0.000", "0.125", "0.125"),
                ("mean", "0.375", "0.000", "0.562", "0.375"),
            ),
        )


class TestBars:
    def test_values_are_written_even_if_they_leave_the_axis(self):
        texts = written(BARS)
        assert [text for text in texts if text in ("0.75", "\u22120.40", "0.50", "\u2013")] == [
            "0.75",
            "\u22120.40",
            "\u2013",
            "0.50",
        ]
        assert {"rule a", "rule b", "ResNet", "ViT", "people", "chance 0.016", "accuracy"} < set(texts)

    def test_bars_are_as_long_as_their_values(self):
        one = drawing(Bars(title="t", labels=("a", "b"), series={"s": (0.25, 1.0)}))
        (bars,) = (p.get("d") for p in one.iter("path") if p.get("style") == "fill:var(--genbench-series-1)")
        ends = [(float(a), float(b)) for a, b in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", bars)]
        lengths = [b - a for a, b in ends]
        assert lengths[1] == pytest.approx(4 * lengths[0], abs=0.5)

    def test_what_is_cut_off_ends_in_an_arrow(self):
        def triangles(value):
            svg = drawing(Bars(title="t", labels=("a",), series={"s": (value,)}))
            paths = "".join(p.get("d") for p in svg.iter("path") if p.get("style") == "fill:var(--genbench-series-1)")
            return paths.count("L")

        assert [triangles(value) for value in (-0.1, 0.0, 0.5, 1.0, 1.1)] == [2, 0, 0, 0, 2]

    def test_one_series_needs_no_legend(self):
        texts = written(Bars(title="t", labels=("a",), series={"ResNet": (0.5,)}, value_title="accuracy"))
        assert "ResNet: accuracy" in texts
        assert "ResNet" not in texts

    def test_series_that_share_a_colour_differ_in_their_pattern(self):
        svg = drawing(Bars(title="t", labels=("a",), series={f"s{n}": (0.5,) for n in range(8)}))
        fills = {p.get("style").split(";")[0] for p in svg.iter("path") if p.get("style", "").startswith("fill:")}
        assert sum("url(#f-" in fill for fill in fills) == 2
        assert len(list(svg.iter("pattern"))) == 2
        assert all(
            "stroke:var(--genbench-surface)" in pattern.find("path").get("style") for pattern in svg.iter("pattern")
        )

    def test_long_labels_lose_their_middle_in_the_figure_only(self):
        name = "b" * 30 + "m" + "e" * 30
        figure = Bars(title="t", labels=(name,), series={"s": (0.5,)})
        assert "b" * 20 + "…" + "e" * 19 in written(figure)
        assert numbers(figure)[1][0][0] == name

    def test_as_a_table(self):
        assert numbers(BARS) == (
            ("", "ResNet", "ResNet, interval", "ViT", "people"),
            (
                ("rule a", "0.750", "0.700 to 0.800", "", "0.900"),
                ("rule b", "-0.400", "", "0.500", ""),
                ("chance", "0.016", "", "", ""),
            ),
        )

    def test_many_are_small(self):
        many = {n: [(k * 37 % 103) / 103 for k in range(103)] for n in ("SCL", "ViT")}
        figure = Bars(
            title="t", labels=tuple(f"rule number {n}" for n in range(103)), series=many, marks={"people": many["SCL"]}
        )
        assert len(draw(figure, "f")) < 150_000


class TestCurves:
    def test_places_of_a_logarithmic_axis_are_those_of_the_points(self):
        texts = written(CURVES)
        assert {"20", "100", "1,000", "problems", "accuracy", "SCL", "ViT", "chance 0.25"} < set(texts)
        assert "500" not in texts

    def test_a_logarithmic_axis_has_no_zero(self):
        assert "20" not in written(replace(CURVES, lines=(Line("a", (0, 20, 1000), (0.1, 0.2, 0.3)),)))

    def test_intervals_of_few_lines_are_bands_those_of_many_are_not(self):
        line = CURVES.lines[0]
        bands = [draw(replace(CURVES, lines=(line,) * n), "f").count("fill-opacity") for n in (1, 3, 4)]
        assert bands == [1, 3, 0]

    def test_named_places_stand_instead_of_numbers(self):
        texts = written(replace(CURVES, ticks={20: "May", 1000: "June"}, is_log=False))
        assert {"May", "June"} < set(texts)
        assert not {"20", "200", "1,000"} & set(texts)

    def test_values_choose_the_axis_where_it_has_no_end(self):
        texts = written(
            Curves(title="t", lines=(Line("a", (1, 2), (200, 930)),), x_title="", y_title="", low=None, high=None)
        )
        assert {"200", "1,000"} < set(texts)

    def test_as_a_table(self):
        assert numbers(CURVES) == (
            ("problems", "SCL", "SCL, interval", "ViT"),
            (
                ("20", "0.250", "0.200 to 0.300", "0.300"),
                ("100", "0.500", "0.400 to 0.600", ""),
                ("1,000", "0.900", "0.800 to 1.000", ""),
                ("chance", "0.250", "", ""),
            ),
        )


class TestPoints:
    def test_names_and_groups_are_written(self):
        assert {"A", "B", "small", "large", "front", "equal", "chance 0.1", "in split", "held out"} < set(
            written(POINTS)
        )

    def test_names_never_lie_over_each_other(self):
        crowd = tuple((0.5 + n / 1000, 0.5) for n in range(40))
        svg = drawing(Points(title="t", groups={"g": crowd}, names={"g": ("crowded",) * 40}, x_title="x", y_title="y"))
        places = [(float(e.get("x")), float(e.get("y"))) for e in svg.iter("text") if e.text == "crowded"]
        assert 4 <= len(places) <= 40
        wide = words.width("crowded", 11)
        for n, (x, y) in enumerate(places):
            assert all(abs(x - u) >= wide - 0.2 or abs(y - v) >= 11 for u, v in places[:n])

    def test_as_a_table(self):
        assert numbers(POINTS) == (
            ("", "", "in split", "held out"),
            (
                ("small", "A", "0.500", "0.250"),
                ("small", "B", "0.750", "0.500"),
                ("large", "", "0.900", "0.800"),
                ("front", "", "0.500", "0.250"),
                ("front", "", "0.900", "0.800"),
                ("chance", "", "", "0.100"),
            ),
        )


class TestHistogramAndDensity:
    def test_counts_are_whole(self):
        texts = written(replace(HISTOGRAM, counts={"a": (1, 2)}))
        assert {"0", "1", "2", "count: a", "mean 0.7"} < set(texts)
        assert "1.5" not in texts

    def test_histogram_as_a_table(self):
        assert numbers(HISTOGRAM) == (
            ("error", "a", "b"),
            (("0 to 0.5", "3", "0"), ("0.5 to 1", "1,000", "2"), ("mean 0.700", "", "")),
        )

    def test_empty_fields_of_a_density_are_blank_and_rare_ones_are_seen(self):
        scale = 10  # fields of the scale below
        assert len(fields(DENSITY)) - scale == 2
        assert colours.luminance(fields(DENSITY)[0]) > 0.02
        assert {"1", "7", "true", "predicted"} < set(written(DENSITY))

    def test_a_large_density_is_small(self):
        edges = tuple(n / 50 for n in range(51))
        counts = tuple(tuple((n * m) % 97 for n in range(50)) for m in range(50))
        assert (
            len(draw(Density(title="t", x_edges=edges, y_edges=edges, counts=counts, x_title="", y_title=""), "f"))
            < 100_000
        )

    def test_density_as_a_table(self):
        assert numbers(DENSITY) == (
            ("predicted / true", "0 to 1", "1 to 2"),
            (("0.5 to 1", "1", "0"), ("0 to 0.5", "0", "7")),
        )


class TestPages:
    def test_pictures_lie_in_the_page_at_a_readable_size(self):
        body = draw(GALLERY, "f")
        assert re.findall(r'width="(\d+)" height="(\d+)" alt="([^"]*)"', body) == [
            ("84", "84", "a word"),
            ("320", "320", ""),
        ]
        assert body.count('src="data:image/png;base64,iVBOR') == 2
        assert "<span>read “a”</span>" in body
        assert "<p>words</p>" in body

    def test_a_picture_keeps_its_sides(self):
        file = BytesIO()
        Image.new("RGB", (40, 20), "red").save(file, "PNG")
        body = draw(Gallery(title="t", strips=(Strip((Picture(file.getvalue()),)),)), "f")
        assert 'width="80" height="40"' in body

    def test_what_is_no_png_file_is_shown_all_the_same(self):
        body = draw(Gallery(title="t", strips=(Strip((Picture(b"nothing"),)),)), "f")
        assert 'width="72" height="72"' in body

    def test_text_stays_as_it_is(self):
        assert draw(TEXT, "f") == '<pre class="genbench-text">\n\nroot\n  leaf &lt;b&gt;</pre>'

    def test_panels_have_titles_and_ids_of_their_own(self):
        body = draw(PANELS, "f")
        assert body.count("<svg") == 2
        assert "<figcaption>errors</figcaption>" in body
        assert "<figcaption>others</figcaption>" in body

    def test_panels_as_one_table(self):
        headings, rows = numbers(PANELS)
        assert headings == ("", "error", "a", "b")
        assert rows[0] == ("errors", "0 to 0.5", "3", "0")
        assert rows[3] == ("others", "0 to 0.5", "3", "0")
        assert len(rows) == 6

    def test_panels_that_differ_repeat_their_headings(self):
        headings, rows = numbers(Panels(title="t", figures=(HISTOGRAM, GALLERY, BARS)))
        assert headings == ("", "error", "a", "b", "", "")
        assert rows[3] == ("accuracy of rules", "", "ResNet", "ResNet, interval", "ViT", "people")

    def test_pictures_and_text_are_no_tables(self):
        assert numbers(GALLERY) is numbers(TEXT) is numbers(Panels(title="t", figures=(TEXT,))) is None


class TestEveryFigure:
    @pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: type(figure).__name__)
    def test_is_an_element_without_anything_from_elsewhere(self, figure):
        body = draw(figure, "f")
        if not isinstance(figure, Gallery | Panels):  # <img> and what is beside it is HTML
            ElementTree.fromstring(body)
        assert not re.search(
            r"<script|<style|<metadata|<\?xml|<!|http|//|#ff0|@import|javascript",
            body.replace("data:image/png;base64,", ""),
        )
        assert all(reference.startswith("#f") for reference in re.findall(r"url\(([^)]*)\)", body))

    @pytest.mark.parametrize("figure", FIGURES[:6], ids=lambda figure: type(figure).__name__)
    def test_is_as_wide_as_the_page_and_no_wider_than_it_is(self, figure):
        svg = drawing(figure)
        wide = svg.get("viewBox").split()[2]
        assert svg.get("style").startswith(f"width:100%;max-width:{wide}px;min-width:")
        assert svg.get("width") is svg.get("height") is None
        assert svg.get("role") == "img"
        assert svg.get("aria-label") == svg.find("title").text == figure.title

    def test_ids_are_unique_in_the_page(self):
        many = Bars(title="t", labels=("a",), series={f"s{n}": (0.5,) for n in range(14)})
        figures = [CURVES, many, Panels(title="t", figures=(CURVES, many, CURVES)), CURVES, many]
        names = ["a", "b", "c", "a b", "a/b"]
        ids = [
            found
            for f, name in zip(figures, names, strict=True)
            for found in re.findall(r' id="([^"]*)"', draw(f, name))
        ]
        assert len(ids) == len(set(ids)) > 12
        assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", found) for found in ids)

    def test_every_reference_has_its_id(self):
        body = draw(CURVES, "f") + draw(Bars(title="t", labels=("a",), series={f"s{n}": (0.5,) for n in range(8)}), "g")
        references = set(re.findall(r"url\(#([^)]*)\)", body))
        assert len(references) == 3
        assert references == set(re.findall(r' id="([^"]*)"', body))

    @pytest.mark.parametrize("text", HOSTILE)
    @pytest.mark.filterwarnings("error")
    def test_text_stays_text(self, text):
        for figure in every_text(text):
            body = draw(figure, "f")
            body.encode()
            assert "<script" not in body
            assert "<img src=x" not in body
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\u202e]", body)
            if not isinstance(figure, Gallery | Panels):
                ElementTree.fromstring(body)
            for row in (numbers(figure) or ((), ()))[1]:
                "".join(row).encode()

    def test_mathematics_is_not_set(self):
        assert "$\\alpha$ <b>" in written(Bars(title="t", labels=("$\\alpha$ <b>",), series={"s": (0.5,)}))

    @given(st.text(max_size=60))
    @settings(max_examples=15, deadline=None)
    def test_any_text_parses(self, text):
        svg = drawing(Bars(title=text, labels=(text,), series={"s": (0.5,)}))
        assert (svg.find("title").text or "") == words.clean(text)

    @pytest.mark.parametrize(
        "figure",
        [
            HeatMap(title="t", rows=(), columns=(), values=(), means=True),
            HeatMap(title="t", rows=("a",), columns=("b",), values=((None,),), means=True),
            Bars(title="t", labels=(), series={}),
            Bars(title="t", labels=("a",), series={}),
            Bars(title="t", labels=("a",), series={"s": (None,)}, marks={"m": (None,)}, low=1.0, high=1.0),
            Curves(title="t", lines=(), x_title="", y_title="", low=None, high=None),
            Curves(title="t", lines=(Line("a", (), ()), Line("b", (1,), (0.5,))), x_title="", y_title="", is_log=True),
            Curves(title="t", lines=(Line("a", (1,), (0.0,), (None,)),), x_title="", y_title="", low=None, high=None),
            Points(title="t", groups={}, x_title="", y_title="", diagonal=True),
            Points(title="t", groups={"a": ((0.0, 0.0),), "b": ()}, x_title="", y_title="", is_log=True),
            Points(title="t", groups={"a": ((5.0, 1.0),)}, x_title="", y_title="", is_log=True),
            Histogram(title="t", edges=(), counts={}, x_title=""),
            Histogram(title="t", edges=(0, 0), counts={"a": (1,), "b": ()}, x_title=""),
            Density(title="t", x_edges=(0, 1), y_edges=(0, 1), counts=((0,),), x_title="", y_title=""),
            Gallery(title="t", strips=()),
            Text(title="t", text=""),
            Panels(title="t", figures=()),
        ],
    )
    @pytest.mark.filterwarnings("error")
    def test_little_or_nothing_is_drawn_too(self, figure):
        ElementTree.fromstring(draw(figure, "f"))
        headings, rows = numbers(figure) or ((), ())
        assert all(len(row) == len(headings) for row in rows)

    def test_an_unknown_figure_is_refused(self):
        with pytest.raises(TypeError, match="no figure that can be drawn: Figure"):
            draw(Figure(title="t"), "f")

    def test_the_same_figure_gives_the_same_bytes_in_any_process_and_under_any_settings(self):
        code = (
            "import pickle, sys, matplotlib\n"
            "matplotlib.rcParams.update({'text.usetex': True, 'path.sketch': (1, 100, 2), 'lines.linewidth': 9, "
            "'svg.fonttype': 'path', 'font.size': 40, 'figure.autolayout': True})\n"
            "now = lambda: {key: matplotlib.rcParams[key] for key in matplotlib.rcParams if key != 'backend'}\n"
            "before = now()\n"
            "from pytest_genbench.report.draw import draw\n"
            "bodies = [draw(figure, 'f') for figure in pickle.load(sys.stdin.buffer)]\n"
            "assert now() == before and 'matplotlib.pyplot' not in sys.modules\n"
            "sys.stdout.buffer.write(''.join(bodies).encode())"
        )
        env = {**os.environ, "PYTHONHASHSEED": "7"}
        run = [sys.executable, "-W", "error::UserWarning", "-c", code]
        other = subprocess.run(run, input=pickle.dumps(FIGURES), env=env, capture_output=True, check=True).stdout
        assert other.decode() == "".join(draw(figure, "f") for figure in FIGURES)


class TestColours:
    def schemes(self):
        light, _, rest = FIGURE_CSS.partition("@media")
        return [dict(re.findall(r"--genbench-([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, rest)]

    def test_both_schemes_have_every_colour_and_nothing_else_is_asked_for(self):
        for scheme in self.schemes():
            assert set(scheme) == set(colours.NAMES)
        asked = set(re.findall(r"var\(--genbench-([\w-]+)\)", "".join(draw(figure, "f") for figure in FIGURES)))
        assert asked <= set(colours.NAMES)

    @pytest.mark.parametrize(
        ("name", "least"), [("ink", 7), ("muted", 4.5)] + [(f"series-{n}", 3) for n in range(1, 7)]
    )
    def test_everything_has_contrast_to_the_page(self, name, least):
        for scheme in self.schemes():
            a, b = sorted(colours.luminance(scheme[key]) for key in (name, "surface"))
            assert (b + 0.05) / (a + 0.05) >= least

    def test_paper_is_light(self):
        assert "@media screen and (prefers-color-scheme: dark)" in FIGURE_CSS


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0, 0.2, 0.4), ["0.0", "0.2", "0.4"]),
        ((0, 0.25, 0.5), ["0.00", "0.25", "0.50"]),
        ((-1000, 0, 1000), ["\u22121,000", "0", "1,000"]),
        ((0.1 + 0.2,), ["0.3"]),
    ],
)
def test_ticks_are_written_with_as_many_decimals_as_they_need(values, texts):
    assert words.ticks(values) == texts


@given(st.text(max_size=200), st.integers(4, 60))
def test_shortened_text_is_no_longer_than_asked(text, most):
    assert len(words.shorten(text, most)) <= most or len(text) <= most


def test_fields_may_hold_other_text_than_their_values() -> None:
    figure = HeatMap(
        title="t", rows=("a",), columns=("x", "y"), values=((1.0, 2.0),), texts=(("1", "1 = 2"),), high=2.0
    )
    assert "1 = 2" in draw(figure, "f")
    assert "2.00" not in draw(figure, "f")
    assert numbers(figure) == (("", "x", "y"), (("a", "1", "1 = 2"),))
