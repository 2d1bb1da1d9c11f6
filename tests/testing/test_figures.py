"""The checks of what the report shows: figures, the worst items, what is said of them, what is kept; each fault is named."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.figures import Bars, Curves, Density, Figure, HeatMap, Histogram, Line, Panels, Points, Text
from pytest_genbench.testing import check_benchmark
from pytest_genbench.testing.figures import unsound
from pytest_genbench.worst import Worst

from .dots import GRID, Dots, Scorer

MAP = HeatMap(title="a map", rows=("a",), columns=("b", "c"), values=((0.5, None),))
BARS = Bars(title="bars", labels=("a", "b"), series={"x": (0.5, None)}, intervals={"x": ((0.1, 0.9), None)})
LINE = Line("a", (1.0, 2.0), (0.5, 0.6), ((0.4, 0.6), None))
CURVES = Curves(title="curves", lines=(LINE,), x_title="x", y_title="y", ticks={1.0: "one"}, low=None)
POINTS = Points(title="points", groups={"a": ((1.0, 2.0),)}, names={"a": ("one",)}, x_title="x", y_title="y")
COUNTS = Histogram(title="counts", edges=(0.0, 1.0, 2.0), counts={"a": (1, 2)}, x_title="x")
GRID_OF = Density(
    title="pairs", x_edges=(0.0, 1.0, 2.0), y_edges=(0.0, 1.0), counts=((1, 2),), x_title="x", y_title="y"
)


class Shown(Scorer):
    """Knows what the report can show."""

    def __init__(self, split):
        super().__init__(split)
        self.wrong, self.n, self.judging, self.items = Worst(), 0, 0.0, []

    def add(self, index, images, outputs):
        super().add(index, images, outputs)
        row = GRID.levels(index)[:, 0]
        self.wrong.add(index, abs(outputs["factor.row"].argmax(axis=1) - row), row)
        self.items.append(index)
        self.n += len(index)
        self.judging += 0.25

    def worst(self):
        return self.wrong.items()

    def kept(self):
        return {"dots": {"n": self.n}}


def reading(index, outputs):
    return [(f"row {row}", f"row {k}") for row, k in zip(index // 5, outputs["factor.row"].argmax(axis=1), strict=True)]


class Drawn(Dots):
    __qualname__ = "here.Drawn"
    scorer = Shown
    reading = staticmethod(reading)

    @property
    def task(self):
        return replace(super().task, reading=self.reading)

    def figures(self, cases):
        rows = sorted({case.split for case in cases})
        values = {
            slug: sum(case.kept.get("dots", {"n": 0})["n"] for case in cases if case.split == slug) for slug in rows
        }
        if rows:
            yield Bars(title="items", labels=tuple(rows), series={"n": tuple(map(float, values.values()))})

    def contrasts(self, models):
        series = {name: (float(len(cases)),) for name, cases in models.items()}
        yield Bars(title="cases", labels=("all",), series=series)


def found(members):
    """What is said of a benchmark that is sound but for some members, without the lines of this file."""
    with pytest.raises(AssertionError) as caught:
        check_benchmark(type("Broken", (Drawn,), {"__qualname__": "here.Broken", **members})())
    first, *lines = str(caught.value).splitlines()
    assert first == "Broken is no benchmark yet: 1 problem"
    return re.sub(r" \(test_figures\.py, line \d+\)", "", "\n".join(lines))


def test_a_sound_benchmark_passes_and_its_figures_get_what_a_report_would_give_them():
    given = []

    class Watched(Drawn):
        __qualname__ = "here.Watched"

        def figures(self, cases):
            given.append(cases)
            return super().figures(cases)

    check_benchmark(Watched())
    everything = given[0]
    assert () in given
    assert {(case.split, case.seed) for case in everything} == {
        (slug, seed)
        for slug in ("cell-00", "cell-01", "cell-10", "cell-11", "line-0", "line-1", "line-2", "line-3")
        for seed in (0, 1)
    }
    same = next(case for case in everything if (case.split, case.seed) == ("line-3", 1))
    whole = next(case for case in everything if (case.split, case.seed) == ("line-0", 0))
    assert [score.condition for score in whole.scores] == ["held-out"] * 2 + ["in-split"] * 2
    assert (whole.kept, same.kept) == ({"dots": {"n": 5}}, {"dots": {"n": 5}})
    assert (whole.scores[0].value, same.scores[0].value) == (1.0, 0.0)
    assert all([anchor.name for anchor in case.anchors] == ["chance"] for case in everything)
    seen = next(case for case in everything if (case.split, case.seed) == ("line-0", 0)).failures
    assert [(each.right, each.read) for each in seen] == [("row 0", "row 0")] * 2


NUMPY = replace(MAP, values=((np.float64(0.5), None),))
WITHOUT = "any cases may be missing, and a figure is left out where it lacks some."

FIGURES = {
    "numpy": (
        {"figures": lambda self, cases: [NUMPY]},
        "- figures(): HeatMap 'a map': values[0][0] is np.float64(0.5); give builtin types, float(…) or tolist() of NumPy's.",
    ),
    "no figure": (
        {"figures": lambda self, cases: ["bars"]},
        "- figures(): 'bars' is no figure; yield those of pytest_genbench.figures.",
    ),
    "no cases": (
        {"figures": lambda self, cases: [MAP] * (sorted(case.seed for case in cases)[0] + 1)},
        f"- figures() of no cases raised IndexError: list index out of range; {WITHOUT}",
    ),
    "some cases": (
        {"figures": lambda self, cases: [{case.family: MAP for case in cases}["cell"]] if cases else []},
        f"- figures() of the family 'line' alone raised KeyError: 'cell'; {WITHOUT}",
    ),
    "a case": (
        {"figures": lambda self, cases: [MAP] * (1 if len(cases) != 1 else 1 // 0)},
        f"- figures() of recognition on cell-00 alone raised ZeroDivisionError: integer division or modulo by zero; {WITHOUT}",
    ),
    "nothing kept": (
        {"figures": lambda self, cases: [MAP for case in cases if case.kept["dots"]]},
        f"- figures() of cases in which nothing is kept raised KeyError: 'dots'; {WITHOUT}",
    ),
    "order": (
        {"figures": lambda self, cases: [replace(MAP, note=case.split) for case in cases]},
        "- figures() of all cases in another order are others; cases come in any order.",
    ),
    "cannot be drawn": (
        {"figures": lambda self, cases: [Figure(title="what?")]},
        "- figures(): Figure 'what?' cannot be drawn: raised TypeError: no figure that can be drawn: Figure "
        "(__init__.py, line #).",
    ),
    "contrasts": (
        {"contrasts": lambda self, models: [MAP] * len(sorted(models)[0])},
        f"- contrasts() of no models raised IndexError: list index out of range; {WITHOUT}",
    ),
    "a title": (
        {"contrasts": lambda self, models: [replace(MAP, title=" ")]},
        "- contrasts(): the title of a HeatMap is ' '; say in a line what is shown.",
    ),
}


@pytest.mark.parametrize(("members", "line"), FIGURES.values(), ids=FIGURES)
def test_what_is_wrong_with_figures_is_said_once(members, line):
    assert re.sub(r"line \d+", "line #", found(members)) == line


def scorer(**members):
    return {"scorer": type("Broken", (Shown,), members)}


NOT_CHECKED = "\n- As they need scores and anchors, figures were not checked."
ON = "- task 'recognition' on cell-00, held-out: "
LINES = "- task 'recognition' on line-0, held-out: "
MORE = " (And {} more like it.)"

OFFERS = {
    "worst as a list": (
        scorer(worst=lambda self: [1]),
        f"{ON}worst() is a list; return a NumPy array, int64 (1,).{MORE.format(3)}",
    ),
    "worst of floats": (
        scorer(worst=lambda self: Shown.worst(self) / 1),
        f"{ON}worst() is float64 (0,); return int64 (0,).{MORE.format(3)}",
    ),
    "worst by place": (
        scorer(worst=lambda self: np.array([19])),
        f"{ON}worst() names item 19, which it was not given; return items as add() gets them.{MORE.format(3)}",
    ),
    "worst twice": (
        scorer(worst=lambda self: np.repeat(self.items[0][:1], 2)),
        f"{ON}worst() is [0, 0]; name up to 4 items, each once, as pytest_genbench.worst.Worst does.{MORE.format(3)}",
    ),
    "too many": (
        scorer(worst=lambda self: np.unique(np.concatenate(self.items))),
        f"{LINES}worst() is [0, 1, 2, 3, 4]; name up to 4 items, each once, as pytest_genbench.worst.Worst does.{MORE.format(1)}",
    ),
    "worst by batch": (
        scorer(worst=lambda self: self.items[-1][:1]),
        f"{LINES}worst() is [0] after one batch and [2] after two; batches may not matter.{MORE.format(1)}",
    ),
    "no reading": (
        {"reading": None},
        f"{ON}the scorer has worst(), but the task no reading; without it no failure is shown.{MORE.format(3)}",
    ),
    "reading of too few": (
        {"reading": staticmethod(lambda index, outputs: reading(index, outputs)[1:])},
        f"{ON}reading() of 1 items gives 0; return for each what was right and what was read.{MORE.format(3)}",
    ),
    "reading of numbers": (
        {"reading": staticmethod(lambda index, outputs: [(5, "row 1") for _ in index])},
        f"{ON}reading() says (5, 'row 1') of item 0; say what was right and what was read, in text.{MORE.format(3)}",
    ),
    "reading of nothing": (
        {"reading": staticmethod(lambda index, outputs: [("row 1", "") for _ in index])},
        f"{ON}reading() says ('row 1', '') of item 0; say what was right and what was read, in text.{MORE.format(3)}",
    ),
    "reading one by one": (
        {"reading": staticmethod(lambda index, outputs: iter(reading(index, outputs)))},
        f"{ON}reading() of 1 items gives a list_iterator; return for each what was right and what was read.{MORE.format(3)}",
    ),
    "kept of NumPy's": (
        scorer(kept=lambda self: {"n": np.int64(1)}),
        f"{ON}kept().n is of type numpy.int64; results hold builtin types only, so convert it (float(x), int(x), x.tolist())."
        f"{MORE.format(3)}",
    ),
    "kept as a list": (
        scorer(kept=lambda self: []),
        f"{ON}kept() is a list; return a dict of builtin types, by what they are about.{MORE.format(3)}",
    ),
    "kept in masses": (
        scorer(kept=lambda self: {"codes": [0] * 40_000}),
        f"{ON}kept() is 120,011 bytes of JSON; results are committed, so keep at most 100,000 for a case, such as counts or a few "
        f"items.{MORE.format(3)}",
    ),
    "judging as an int": (
        scorer(judging=property(lambda self: 0, lambda self, value: None)),
        f"{ON}judging is 0; give the seconds waited for the judge so far, a float of 0.0 or more.{MORE.format(43)}",
    ),
    "judging that shrinks": (
        scorer(judging=property(lambda self: 1.0 / (1 + self.n), lambda self, value: None)),
        f"{ON}judging went from 1 to 0.5; it adds up the seconds of all batches.{MORE.format(21)}",
    ),
}


@pytest.mark.parametrize(("members", "line"), OFFERS.values(), ids=OFFERS)
def test_what_is_wrong_beside_scores_is_said_once(members, line):
    assert found(members) == line + NOT_CHECKED


UNSOUND = [
    (
        replace(MAP, values=((float("nan"), None),)),
        "HeatMap 'a map': values[0][0] is nan; give a finite float, or None where there is none.",
    ),
    (replace(MAP, values=((0.5,),)), "HeatMap 'a map': values[0] has 1 entries for 2 columns."),
    (replace(MAP, rows=("a", "b")), "HeatMap 'a map': values has 1 entries for 2 rows."),
    (replace(MAP, texts=(("a",),)), "HeatMap 'a map': texts[0] has 1 entries for 2 columns."),
    (
        replace(MAP, texts=(("a", "b"),), means=True),
        "HeatMap 'a map': there are texts and means; leave one of them out.",
    ),
    (replace(MAP, low=None), "HeatMap 'a map': low is None; leave out what has no value."),
    (
        replace(MAP, values=np.zeros((1, 2))),
        "HeatMap 'a map': values is array([[0., 0.]]); give builtin types, float(…) or tolist() of NumPy's.",
    ),
    (
        replace(MAP, columns=np.array(["b" * 70, "c"])),
        "HeatMap 'a map': columns is a ndarray; give builtin types, float(…) or tolist() of NumPy's.",
    ),
    (replace(BARS, series={"x": (0.5,)}), "Bars 'bars': series['x'] has 1 entries for 2 labels."),
    (replace(BARS, marks={"y": ()}), "Bars 'bars': marks['y'] has 0 entries for 2 labels."),
    (replace(BARS, intervals={"z": (None, None)}), "Bars 'bars': intervals has 'z', which is not among series."),
    (replace(BARS, levels={"chance": None}), "Bars 'bars': levels['chance'] is None; leave out what has no value."),
    (
        replace(CURVES, lines=(replace(LINE, y=(0.5,)),)),
        "Curves 'curves': lines[0].y has 1 entries for 2 places along x.",
    ),
    (
        replace(CURVES, lines=(replace(LINE, y=(0.5, None)),)),
        "Curves 'curves': lines[0].y[1] is None; leave out what has no value.",
    ),
    (
        replace(CURVES, lines=(replace(LINE, intervals=(None,)),)),
        "Curves 'curves': lines[0].intervals has 1 entries for 2 places along x.",
    ),
    (replace(POINTS, names={"a": ()}), "Points 'points': names['a'] has 0 entries for 1 points."),
    (replace(POINTS, names={"b": ()}), "Points 'points': names has 'b', which is not among groups."),
    (
        replace(COUNTS, counts={"a": (1,)}),
        "Histogram 'counts': counts['a'] has 1 entries for 2 intervals between edges.",
    ),
    (replace(GRID_OF, counts=()), "Density 'pairs': counts has 0 entries for 1 intervals between y_edges."),
    (replace(GRID_OF, counts=((1,),)), "Density 'pairs': counts[0] has 1 entries for 2 intervals between x_edges."),
    (
        Panels(title="both", figures=(MAP, replace(BARS, title=""))),
        "the title of a Bars is ''; say in a line what is shown.",
    ),
]


@pytest.mark.parametrize(("figure", "line"), UNSOUND, ids=[line for _, line in UNSOUND])
def test_an_unsound_figure_is_described(figure, line):
    assert list(unsound(figure)) == [line]


@pytest.mark.parametrize(
    "figure", [MAP, BARS, CURVES, POINTS, COUNTS, GRID_OF, Text(title="a", text=""), Panels(title="b", figures=(MAP,))]
)
def test_sound_figures_pass(figure):
    assert list(unsound(figure)) == []
