"""What figures of all benchmarks read off cases, exactly, from cases made by hand."""

import pytest

from pytest_genbench.benchmarks import drawing
from pytest_genbench.results.schema import Case, GateResult
from pytest_genbench.scores import Anchor, Interval, Score, over_seeds

SAMPLED = Interval(0.25, 0.75, "x")


def case(value, split="a", seed=0, **changes):
    scores = (Score("accuracy", value, 10, 90, interval=changes.pop("interval", None)),)
    return Case("toy", "1", "p", "f", split, "recognition", seed=seed, scores=scores, **changes)


def test_cases_come_in_any_order():
    cases = [case(0.1), case(0.2, seed=2), case(0.3, seed=10), case(0.4, "b")]
    found = drawing.by_split(reversed(cases))
    assert [(split, [each.seed for each in some]) for split, some in found.items()] == [("a", [0, 2, 10]), ("b", [0])]
    assert found == drawing.by_split(cases)


def test_one_seed_has_the_interval_of_its_sample():
    assert drawing.mean([case(0.5, interval=SAMPLED)], "accuracy") == (0.5, (0.25, 0.75))
    assert drawing.mean([case(0.5)], "accuracy") == (0.5, None)
    assert drawing.mean([case(0.5)], "another") == drawing.mean([], "accuracy") == (None, None)


def test_several_seeds_have_the_interval_over_them():
    found, bounds = drawing.mean(
        [case(value, seed=n, interval=SAMPLED) for n, value in enumerate((0.5, 1.0))], "accuracy"
    )
    expected = over_seeds([0.5, 1.0])
    assert found == 0.75
    assert bounds == (expected.low, expected.high)


def test_columns_are_of_what_has_values():
    means = {"x": [(0.5, (0.25, 0.75)), (None, None)], "y": [(None, None)] * 2}
    assert drawing.columns(means) == ({"x": (0.5, None)}, {"x": ((0.25, 0.75), None)})


def test_anchors_are_of_the_judge_or_of_none():
    anchors = (Anchor("chance", "accuracy", 0.1, judge="a"), Anchor("chance", "accuracy", 0.2, judge="b"))
    cases = [case(0.5), case(0.5, anchors=anchors)]
    assert drawing.anchor(cases, "chance", "accuracy", "b") == 0.2
    assert drawing.anchor(cases, "chance", "accuracy") is None
    free = [case(0.5, anchors=(Anchor("chance", "accuracy", 0.3), *anchors))]
    assert drawing.anchor(free, "chance", "accuracy", "b") == 0.3


@pytest.mark.parametrize(("bounds", "expected"), [((), None), ((0.9,), 0.9), ((0.9, 0.9), 0.9), ((0.9, 0.8), None)])
def test_a_gate_is_drawn_where_it_is_one(bounds, expected):
    cases = [case(0.5, gates=(GateResult("failed", "floor", "accuracy", "", bound),)) for bound in bounds]
    assert drawing.gate([*cases, case(0.5)], "accuracy") == expected


def test_what_values_are_taken_over():
    three = [case(0.5, seed=seed) for seed in range(3)]
    assert drawing.about_seeds(three) == "Means over 3 seeds, with 95 % intervals over seeds."
    assert drawing.about_seeds([*three, case(0.5, "b")], intervals=False) == "Means over 3 seeds or fewer."
    # One seed each, although not the same.
    assert drawing.about_seeds([case(0.5), case(0.5, "b", seed=1)]) == ""
    assert drawing.about_seeds([case(0.5, interval=SAMPLED)], "rows") == "Intervals are 95 %, over the rows sampled."
    assert drawing.about_seeds([case(0.5, interval=SAMPLED)], intervals=False) == ""


def test_what_values_of_several_models_are_taken_over():
    one, three = {"a": [case(0.5)]}, {"a": [case(0.5, seed=seed) for seed in range(3)]}
    assert drawing.about_seeds_of([one, one]) == ""
    assert drawing.about_seeds_of([three, three]) == "Means over 3 seeds, with 95 % intervals over seeds."
    assert drawing.about_seeds_of([one, three], intervals=False) == "Means over seeds, where there are several."


def test_cases_of_all_models_by_split():
    models = {"x": {"a": [case(0.1)]}, "y": {"a": [case(0.2)], "b": [case(0.3, "b")]}}
    found = drawing.merged(models, ["b", "a"])
    assert [(split, [each.scores[0].value for each in cases]) for split, cases in found.items()] == [
        ("b", [0.3]),
        ("a", [0.1, 0.2]),
    ]
    assert len(drawing.flat(found)) == 3


def test_what_lies_left_of_the_axis():
    shown, said = drawing.off_axis({"mean": (-0.7, 0.5, -2.0), "chance": (-1.0, None, None), "gate": (0.9,) * 3}, -0.5)
    assert shown == {"mean": (None, 0.5, None), "gate": (0.9,) * 3}
    assert said == "Left of the axis: mean (-2.00 to -0.70), chance (-1.00)."
    assert drawing.off_axis({"gate": (0.9,)}, -0.5) == ({"gate": (0.9,)}, "")
    assert drawing.cut([(0.5, None), (-0.6,)], -0.5).startswith("The axis begins at -0.5")
    assert drawing.cut([(0.5, None)], -0.5) == ""
