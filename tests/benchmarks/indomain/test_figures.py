"""Figures of the in-domain benchmark from cases made by hand, and from recorded results."""

import json
from dataclasses import replace
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from pytest_genbench.benchmarks import Contrasts, Illustrates, get
from pytest_genbench.benchmarks.indomain import InDomain, answers
from pytest_genbench.benchmarks.indomain.sources import Drawn
from pytest_genbench.figures import Bars, HeatMap, Histogram, Panels, Points
from pytest_genbench.results.io import read
from pytest_genbench.results.schema import Case, GateResult
from pytest_genbench.scores import Anchor, Interval, Score

from .test_scores import SMALL, drawn

ROOT = Path(__file__).parents[3]
BENCHMARK = InDomain(SMALL, "default", Drawn(drawn))
FAMILY = {"random": "in_distribution", "composition": "compositional"}


def case(split, output, values, seed=0, **changes):
    """A case with scores by metric, the first of them the headline."""
    scores = tuple(
        Score(name, value, 100, 1000, interval=Interval(value - 0.1, value + 0.1, "Wilson"))
        for name, value in values.items()
    )
    # What training may have shown is no part of the figures.
    scores += tuple(replace(score, value=0.99, condition="in-split") for score in scores)
    fields = {"benchmark": "small", "version": "1", "preset": "default", "family": FAMILY.get(split, split)}
    return Case(split=split, output=output, seed=seed, scores=scores, **(fields | changes))


def r2(mean, kind, size, turn, place):
    parts = {"kind": kind, "size": size, "turn": turn, "place": place}
    return {"r2_grid": mean} | {f"r2_grid.{name}": value for name, value in parts.items()}


def beyond(answer, seed=0, **changes):
    """Answers to two images of each factor: of size and turn the highest level, of place the two highest."""
    kept = {
        name: {"items": [2 * k, 2 * k + 1], "true": [1.0, true], "answer": list(answer[2 * k : 2 * k + 2])}
        for k, (name, true) in enumerate({"place": 0.8, "size": 1.0, "turn": 1.0}.items())
    }
    values = {"ood_r2_grid": 0.2, "id_r2_grid": 0.8, "toward_mean_share": 0.75, "toward_mean_ratio": 0.6}
    values |= {"ood_r2_grid.size": -0.9, "ood_r2_grid.turn": 0.3, "ood_r2_grid.place": 0.4}
    values |= {"id_r2_grid.kind": 0.7, "id_r2_grid.size": 0.8, "id_r2_grid.turn": 0.9, "id_r2_grid.place": 0.6}
    return case("extrapolation", "modularity", values, seed, kept=kept, **changes)


def drawn_of(*cases):
    return {figure.title: figure for figure in BENCHMARK.figures(cases)}


def test_protocol():
    assert isinstance(BENCHMARK, Illustrates)
    assert isinstance(BENCHMARK, Contrasts)
    assert drawn_of() == {}
    assert list(BENCHMARK.contrasts({"a": [], "b": []})) == []


class TestSplits:
    RANDOM = case("random", "regression", r2(0.9, 0.6, 1.0, 1.0, 1.0))
    ANCHORS = (
        Anchor("chance", "r2_grid", -0.83),
        Anchor("nearest seen value", "r2_grid", 0.85),
        Anchor("nearest seen value", "r2_grid.turn", 0.7),
        Anchor("published RN50", "r2_grid", 0.54, "published"),
        Anchor("training mean", "r2_grid.size", 1.0, note="degenerate: a constant is right"),
        Anchor("nearest seen value", "r2_grid.size", 1.0, note="degenerate: a constant is right"),
    )
    BEYOND = case(
        "extrapolation",
        "regression",
        r2(0.3, 0.5, 0.4, -0.7, 1.0),
        anchors=ANCHORS,
        gates=(GateResult("failed", "floor", "r2_grid", "", 0.85),),
    )

    def test_headline(self):
        figure = drawn_of(self.BEYOND, self.RANDOM)["R² by split, regression"]
        assert figure.labels == ("in distribution", "extrapolation")
        assert figure.series == {"R²": (0.9, 0.3)}
        assert figure.intervals["R²"][1] == pytest.approx((0.2, 0.4))
        assert figure.marks == {
            "nearest seen value": (None, 0.85),
            "published RN50": (None, 0.54),
            "gate": (None, 0.85),
        }
        assert (figure.low, figure.high) == (-0.5, 1.0)
        assert "Left of the axis: chance (-0.83)." in figure.note
        assert "cut off" not in figure.note

    def test_factors(self):
        figure = drawn_of(self.BEYOND, self.RANDOM)["R² of each factor, regression"]
        assert figure.labels == ("kind", "size", "turn", "place")
        assert list(figure.series) == ["in distribution", "extrapolation"]
        assert figure.series["extrapolation"] == (0.5, 0.4, -0.7, 1.0)
        assert figure.intervals["extrapolation"][2] == pytest.approx((-0.8, -0.6))
        assert figure.marks == {"nearest seen value, extrapolation": (None, 1.0, 0.7, None)}
        assert "The axis begins at -0.5; bars of lower values are cut off there." in figure.note
        assert "size in extrapolation, degenerate: a constant is right." in figure.note
        assert "Never held out: kind." in figure.note

    def test_seeds(self):
        again = case("random", "regression", r2(0.7, 0.6, 1.0, 1.0, 1.0), seed=1)
        figure = drawn_of(self.RANDOM, again)["R² by split, regression"]
        assert figure.series["R²"] == pytest.approx((0.8,))
        # Student's t of one degree of freedom: 12.7 standard errors of 0.1.
        assert figure.intervals["R²"][0] == pytest.approx((0.8 - 1.2706, 0.8 + 1.2706), abs=1e-3)
        assert "Means over 2 seeds, with 95 % intervals over seeds." in figure.note

    def test_recognition_has_accuracy_too(self):
        values = r2(0.9, 0.6, 1.0, 1.0, 1.0) | {"accuracy": 0.5, "accuracy.kind": 0.8, "accuracy.turn": 0.7}
        found = drawn_of(case("random", "recognition", values))
        assert list(found) == [
            "R² by split, recognition",
            "R² of each factor, recognition",
            "Levels named, recognition: accuracy",
        ]
        figure = found["Levels named, recognition: accuracy"]
        assert figure.labels == ("all factors right", "kind", "size", "turn", "place")
        assert figure.series == {"in distribution": (0.5, 0.8, None, 0.7, None)}
        assert figure.marks["chance"] == pytest.approx((1 / 360, 1 / 2, 1 / 5, 1 / 6, 1 / 6))


class TestOneUnseen:
    TITLE = "One factor unseen, extrapolation: R²"

    def test_beside_the_same_factor_in_distribution(self):
        figure = drawn_of(beyond((0.5,) * 6), TestSplits.RANDOM)[self.TITLE]
        assert figure.series == {
            "unseen": (None, -0.9, 0.3, 0.4),
            "while another is unseen": (0.7, 0.8, 0.9, 0.6),
            "in distribution": (0.6, 1.0, 1.0, 1.0),
        }
        assert "cut off" in figure.note

    def test_without_in_distribution(self):
        named = case("random", "recognition", r2(0.9, 0.6, 1.0, 1.0, 1.0))
        assert list(drawn_of(beyond((0.5,) * 6), named)[self.TITLE].series) == ["unseen", "while another is unseen"]


class TestBeyond:
    # In training the mean of size is 0.375, of turn and place (levels 0 to 3 of 6) 0.3.
    ANSWERS = (0.3, 0.8, 1.0, 0.375, 0.65, -3.0)

    def test_against_the_truth(self):
        found = drawn_of(beyond(self.ANSWERS), beyond((0.5,) * 6, seed=1))
        figure = found["Predicted against true where one factor is beyond what was seen"]
        assert [panel.title for panel in figure.figures] == ["size", "turn", "place"]
        size, _, place = figure.figures
        assert size.groups == {"seed 0": ((1.0, 1.0), (1.0, 0.375)), "seed 1": ((1.0, 0.5), (1.0, 0.5))}
        assert place.groups["seed 0"] == ((1.0, 0.3), (0.8, 0.8))
        assert size.diagonal
        assert size.levels == pytest.approx({"highest value seen": 0.75, "mean of training": 0.375})
        assert place.levels == pytest.approx({"highest value seen": 0.6, "mean of training": 0.3})
        assert "2 images of each factor by each of 2 seeds" in figure.note

    def test_toward_the_mean(self):
        figure = drawn_of(beyond(self.ANSWERS))["Pulled towards the mean"]
        # Ratios: place 0 and 1, size 1 and 0, turn 0.5 and far below.
        assert sum(figure.counts["answers"]) == 6
        by_edge = dict(zip(figure.edges, figure.counts["answers"], strict=False))
        assert by_edge[-0.5] == 1
        assert by_edge[-0.1] + by_edge[0.0] == 2
        assert by_edge[0.4] + by_edge[0.5] == 1
        assert by_edge[0.9] + by_edge[1.0] == 2
        assert figure.marks == {"mean of training": 0.0, "truth": 1.0}
        assert "75.0% of predictions are nearer to the mean" in figure.note
        assert "is 0.60" in figure.note
        assert "for 6 answers" in figure.note

    def test_seeds_and_truth_correlate(self):
        other = (0.9, 0.1, 0.4, 0.6, 0.2, 0.7)
        figure = drawn_of(beyond(self.ANSWERS), beyond(other, seed=1))[HEAT]
        assert figure.rows == figure.columns == ("seed 0", "seed 1", "truth")
        true = (1.0, 0.8, 1.0, 1.0, 1.0, 1.0)
        expected = np.corrcoef([self.ANSWERS, other, true])
        for k, row in enumerate(figure.values):
            assert row[k] is None
            assert [v for j, v in enumerate(row) if j != k] == pytest.approx(
                [v for j, v in enumerate(expected[k]) if j != k]
            )
        assert figure.is_signed
        assert (figure.low, figure.high) == (-1.0, 1.0)
        assert "Recorded" not in figure.note

    def test_what_does_not_vary_has_no_correlation(self):
        assert HEAT not in drawn_of(beyond((0.5,) * 6))

    def test_one_seed_is_this_model(self):
        assert drawn_of(beyond(self.ANSWERS))[HEAT].rows == ("this model", "truth")


HEAT = "Answers to values beyond those seen: how they go together"


def code(split, dci, seed=0):
    return case(split, "disentanglement", {"dci_disentanglement": dci}, seed)


class TestCodes:
    TITLE = "Disentanglement of the code against R² of what is read from it"

    def test_of_one_model(self):
        cases = [code("random", 0.4), code("extrapolation", 0.2), TestSplits.RANDOM, TestSplits.BEYOND]
        figure = drawn_of(*cases)[self.TITLE]
        assert figure.groups == {"in distribution": ((0.4, 0.9),), "extrapolation": ((0.2, 0.3),)}
        assert figure.names == {}
        assert self.TITLE not in drawn_of(*cases[:2], case("random", "recognition", {"r2_grid": 0.3}))

    def test_of_several(self):
        one = [code("random", 0.4), code("extrapolation", 0.2), TestSplits.RANDOM, TestSplits.BEYOND]
        two = [code("random", 0.5), TestSplits.RANDOM]
        found = {figure.title: figure for figure in BENCHMARK.contrasts({"one": one, "two": two, "none": []})}
        figure = found[self.TITLE]
        assert figure.groups == {"one": ((0.4, 0.9), (0.2, 0.3)), "two": ((0.5, 0.9),)}
        assert figure.names == {"one": ("in distribution", "extrapolation"), "two": ("in distribution",)}
        assert "3 pairs: Pearson +0.94" in figure.note
        assert "published: 0.63" in figure.note


class TestModels:
    MODELS = {  # noqa: RUF012
        "truth": [TestSplits.RANDOM, TestSplits.BEYOND, beyond(TestBeyond.ANSWERS)],
        "b": [
            TestSplits.RANDOM,
            beyond((0.9, 0.1, 0.4, 0.6, 0.2, 0.7)),
            beyond((0.8, 0.1, 0.4, 0.6, 0.1, 0.7), seed=1),
        ],
        "c": [],
    }

    def test_splits_side_by_side(self):
        found = {figure.title: figure for figure in BENCHMARK.contrasts(self.MODELS)}
        figure = found["R² by split, regression"]
        assert figure.labels == ("in distribution", "extrapolation")
        assert figure.series == {"truth": (0.9, 0.3), "b": (0.9, None)}
        assert figure.marks["nearest seen value"] == (None, 0.85)
        figure = found["One factor unseen: R²"]
        assert figure.labels == ("extrapolation: unseen factor", "extrapolation: the others")
        assert figure.series == {"truth": (0.2, 0.8), "b": (0.2, 0.8)}

    def test_agreement(self):
        figure = next(each for each in BENCHMARK.contrasts(self.MODELS) if isinstance(each, HeatMap))
        assert figure.rows == ("truth", "b", "truth")
        assert figure.values[0][0] is None
        # Of two seeds there is one pair.
        assert figure.values[1][1] == pytest.approx(
            np.corrcoef((0.9, 0.1, 0.4, 0.6, 0.2, 0.7), (0.8, 0.1, 0.4, 0.6, 0.1, 0.7))[0, 1]
        )

    def test_one_model_is_no_contrast(self):
        assert list(BENCHMARK.contrasts({"a": self.MODELS["truth"], "b": []})) == []


class TestRecorded:
    def test_shipped_answers_are_those_recorded(self):
        shipped = Path(answers.__file__).with_name(answers.FILE).read_text("utf-8")
        # Otherwise run the example.
        assert run_path(str(ROOT / "examples" / "indomain" / "answers.py"))["text"]() == shipped
        assert set(json.loads(shipped)) == {"dsprites/1/stand-in-mini", "shapes3d/1/stand-in-mini"}

    def test_other_models_stand_beside_them(self):
        cases = read(ROOT / "reference_models" / "results" / "ada-gvae.json").cases
        found = list(get("dsprites", "mini").figures([each for each in cases if each.benchmark == "dsprites"]))
        kinds = [Bars] * 4 + [Panels, Histogram, HeatMap, Points]
        assert [type(figure) for figure in found] == kinds
        heat = found[6]
        assert heat.rows == ("this model", "CNN, recorded", "CoordConv, recorded", "MLP, recorded", "truth")
        assert "Recorded are reference models" in heat.note
        # As the page on the benchmark has it, to the digits that are shipped.
        assert heat.values[0][1:] == pytest.approx((0.733, 0.608, 0.351, -0.021), abs=1e-3)
        assert heat.values[1][1] == pytest.approx(0.957, abs=1e-3)

    def test_a_recorded_model_does_not_stand_beside_itself(self):
        document = read(ROOT / "reference_models" / "results" / "mlp.json")
        own = next(c for c in document.cases if c.output == "modularity" and c.split == "extrapolation")
        assert list(answers.beside(own)) == ["CNN", "CoordConv"]
        kept = {name: each | {"items": [*each["items"][1:], 0]} for name, each in own.kept.items()}
        assert answers.beside(replace(own, kept=kept)) == {}
        assert answers.beside(replace(own, version="2")) == {}
