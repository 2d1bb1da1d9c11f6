"""Figures of a table from cases made by hand."""

import pytest

from pytest_genbench.benchmarks import Illustrates
from pytest_genbench.benchmarks.table.figures import figures
from pytest_genbench.figures import Bars, HeatMap
from pytest_genbench.results.schema import Case
from pytest_genbench.scores import Anchor, Interval, Score

from .tables import as_array, describe

NAMES = ("shape", "size")


def case(split, output, values, seed=0, anchors=()):
    scores = tuple(
        Score(name, value, 10, 90, interval=Interval(value - 0.1, value + 0.1, "Wilson"))
        for name, value in values.items()
    )
    scores += tuple(Score(name, 0.99, 10, 90, "in-split") for name in values)
    return Case(
        benchmark="t",
        version="1",
        preset="default",
        family=split.split("-")[0],
        split=split,
        output=output,
        held_out=f"held out: {split}",
        seed=seed,
        scores=scores,
        anchors=tuple(anchors),
    )


def accuracies(mean, shape, size, **more):
    return {"factor_accuracy": mean, "accuracy.shape": shape, "accuracy.size": size} | more


def drawn(*cases, names=NAMES):
    return {figure.title: figure for figure in figures(names, cases)}


def test_protocol(tmp_path):
    benchmark = describe(as_array(tmp_path))
    assert isinstance(benchmark, Illustrates)
    cases = [case("extrapolation-size", "recognition", accuracies(0.5, 0.2, 0.8))]
    assert [figure.title for figure in benchmark.figures(cases)] == [
        "Extrapolation, recognition: accuracy by split",
        "Extrapolation, recognition: accuracy of each factor",
    ]
    assert list(benchmark.figures([])) == []


def test_splits_beside_their_anchors():
    one = case(
        "extrapolation-size",
        "recognition",
        accuracies(0.5, 0.2, 0.8, held_out_factor_accuracy=0.3),
        anchors=[
            Anchor("chance", "factor_accuracy", 0.25),
            Anchor("nearest training image", "factor_accuracy", 0.4),
            Anchor("nearest training image (held-out factors)", "held_out_factor_accuracy", 0.1),
        ],
    )
    two = case("extrapolation-all", "recognition", accuracies(0.6, 0.4, 0.8))
    figure = drawn(one, two)["Extrapolation, recognition: accuracy by split"]
    assert figure.labels == ("held out: extrapolation-all", "held out: extrapolation-size")
    assert figure.series == {"all factors": (0.6, 0.5), "those held out": (None, 0.3)}
    assert figure.intervals["all factors"][1] == pytest.approx((0.4, 0.6))
    assert figure.marks == {"chance": (None, 0.25), "nearest training image": (None, 0.4)}
    assert figure.note == "Intervals are 95 %, over the rows sampled. Ticks are about all factors."
    figure = drawn(one, two)["Extrapolation, recognition: accuracy of each factor"]
    assert isinstance(figure, Bars)
    assert figure.labels == NAMES
    assert figure.series == {"extrapolation-size": (0.2, 0.8), "extrapolation-all": (0.4, 0.8)}
    assert figure.intervals["extrapolation-all"][0] == pytest.approx((0.3, 0.5))


def test_r_squared_begins_below_zero_and_says_so():
    values = {"r2_grid": -0.7, "r2_grid.shape": -1.0, "r2_grid.size": 0.9}
    anchors = [Anchor("chance", "r2_grid", -0.8), Anchor("training mean", "r2_grid", -0.2)]
    found = drawn(case("interpolation-size", "regression", values, anchors=anchors))
    figure = found["Interpolation, regression: R² by split"]
    assert figure.low == -0.5
    assert figure.marks == {"training mean": (-0.2,)}
    assert "Left of the axis: chance (-0.80)." in figure.note
    assert "The axis begins at -0.5; bars of lower values are cut off there." in figure.note
    assert found["Interpolation, regression: R² of each factor"].series == {"interpolation-size": (-1.0, 0.9)}


def test_families_apart_and_seeds_together():
    cases = [case("in_distribution-1", "recognition", accuracies(v, v, v), seed) for seed, v in ((1, 0.8), (0, 0.6))]
    found = drawn(*cases, case("compositional-shape-size", "recognition", accuracies(0.1, 0.1, 0.1)))
    assert [title.split(",")[0] for title in found] == ["In distribution"] * 2 + ["Compositional"] * 2
    figure = found["In distribution, recognition: accuracy by split"]
    assert figure.series["all factors"] == pytest.approx((0.7,))
    assert figure.intervals["all factors"][0] == pytest.approx((0.7 - 1.2706, 0.7 + 1.2706), abs=1e-3)
    assert figure.note == "Means over 2 seeds, with 95 % intervals over seeds."


def test_many_splits_are_a_table():
    cases = [case(f"extrapolation-{k}", "recognition", accuracies(0.5, k / 10, 0.8)) for k in range(6)]
    figure = drawn(*cases)["Extrapolation, recognition: accuracy of each factor"]
    assert isinstance(figure, HeatMap)
    assert figure.rows == tuple(f"extrapolation-{k}" for k in range(6))
    assert figure.columns == NAMES
    assert figure.values[3] == (0.3, 0.8)
    assert isinstance(drawn(*cases[1:])["Extrapolation, recognition: accuracy of each factor"], Bars)


def test_a_table_of_one_factor_has_one_figure():
    assert list(drawn(case("extrapolation-size", "recognition", {"factor_accuracy": 0.5}), names=("size",))) == [
        "Extrapolation, recognition: accuracy by split"
    ]
