"""How codes are scored: flat ones, hierarchical ones, and what a model may get wrong."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.hierarchical.scores import RepresentationScorer, table
from pytest_genbench.errors import ModelError
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.models import Contract

SHAPES = get("spaceshapes", "mini")
SPLIT = SHAPES.splits("hierarchy")[0]
TRUTH = SHAPES.hierarchy(SPLIT)
TASK = SHAPES.tasks["representation"]
C = Continuous()


def outputs(values, hierarchy):
    """A table as a model gives it: assignments one-hot, continuous columns as the embedding."""
    found = {"embedding": values[:, hierarchy.categorical :].astype(np.float32)}
    for at, column in enumerate(hierarchy.columns[: hierarchy.categorical]):
        found[f"assignment.{at}"] = (values[:, [at]] == np.arange(1, column.options + 1)).astype(np.float32)
    return found


SOME = SPLIT.test[:600]
"""Enough for all but the FactorVAE score, which makes a test of all the slower."""


def scored(made, learned=None, items=SOME, population=None):
    scorer = RepresentationScorer(SHAPES, SPLIT, learned)
    for start in range(0, len(items), 500):
        some = slice(start, start + 500)
        scorer.add(items[some], np.zeros(0), {name: array[some] for name, array in made.items()})
    return {score.metric: score for score in scorer.scores(population or len(items), "held-out")}


VALUES = SHAPES.latents(SOME)


def test_true_values_with_their_hierarchy():
    found = scored(outputs(SHAPES.latents(SPLIT.test), TRUTH), TRUTH, items=SPLIT.test)
    assert found["r_c_fast"].value > 0.995
    assert (found["purity"].value, found["coverage"].value, found["h_error"].value) == (1, 1, 0)
    assert {name for name in found if name.startswith("r_c_fast.")} == {f"r_c_fast.{name}" for name in TRUTH.names}
    assert set(found) == set(TASK.metrics)


def test_headline_is_the_mean_of_its_parts():
    score = scored(outputs(VALUES, TRUTH), TRUTH)["r_c_fast"]
    assert score.value == pytest.approx(np.mean([value for _, value in score.clusters.values()]))
    assert score.is_census
    assert score.interval is None


def test_a_flat_code_has_no_structure_to_score():
    found = scored({"embedding": VALUES[:, 2:]})
    assert not {"purity", "coverage", "h_error"} & set(found)
    assert 0.5 < found["r_c_fast"].value < 0.95  # shape and jet have no code of their own


def test_pushing_variables_down_costs_r_and_not_r_c():
    hierarchy = Hierarchy((Categorical(((C, C, C), (C, C, C), (C, C, C, Categorical(((), (C,))))), "shape"),))
    shape = VALUES[:, 0]
    columns = [VALUES[:, 0], VALUES[:, 1]]
    for option, own in ((1, 4), (2, 5), (3, 6)):
        columns += [VALUES[:, at] * (shape == option) for at in (2, 3, own)]
    found = scored(outputs(np.column_stack([*columns, VALUES[:, 7]]), hierarchy), hierarchy)
    assert found["r_c_fast"].value > 0.98
    assert found["r_fast"].value < 0.9
    assert found["h_error"].value == 0


def test_rows_that_are_assigned_to_nothing_lower_the_coverage():
    made = outputs(VALUES, TRUTH)
    for name in ("assignment.0", "assignment.1"):
        made[name][:150] = -1
    codes, assigned = table(made, TRUTH)
    np.testing.assert_array_equal(assigned, np.arange(len(VALUES)) >= 150)
    np.testing.assert_array_equal(codes[:150], np.tile([1, 0, 0, 0, 0, 0, 0, 0], (150, 1)))
    found = scored(made, TRUTH)
    assert found["coverage"].value == pytest.approx(0.75)
    assert found["purity"].value == 1
    assert found["r_c_fast"].value < 0.95, "leaving out what is difficult gains nothing"


def test_soft_assignments_count_as_their_largest_option():
    made = outputs(VALUES, TRUTH)
    soft = {name: array * 0.5 + 0.1 if name != "embedding" else array for name, array in made.items()}
    codes, assigned = table(soft, TRUTH)
    np.testing.assert_array_equal(codes[:, :2], VALUES[:, :2])
    assert assigned.all()


def test_a_sample_has_an_interval_around_the_score():
    some = SPLIT.test[:400]
    found = scored({"embedding": SHAPES.latents(some)[:, 2:]}, items=some, population=len(SPLIT.test))
    for name in ("r_c_fast", "r_fast"):
        score = found[name]
        assert score.interval.method == "jackknife"
        assert score.interval.low < score.value < score.interval.high
        assert score.interval.high - score.interval.low < 0.2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"embedding": np.zeros((5, 4))}, ["6 continuous variables", "embedding has 4 numbers"]),
        ({"assignment.0": np.zeros((5, 2))}, ["'assignment.0' has shape (5, 2)", "3 options"]),
    ],
)
def test_outputs_that_do_not_fit_the_hierarchy(change, words):
    with pytest.raises(ModelError) as error:
        table(outputs(VALUES[:5], TRUTH) | change, TRUTH)
    assert all(word in str(error.value) for word in words)


def model(hierarchy, *roles):
    return SimpleNamespace(contract=Contract("x", outputs={role: role for role in roles}, hierarchy=hierarchy))


def test_a_model_with_a_hierarchy_is_asked_for_its_assignments():
    fitted = TASK.of_model(TASK, model(TRUTH, "embedding", "assignment.0", "assignment.1"))
    assert fitted.optional == ("assignment.0", "assignment.1")
    assert TASK.of_model(TASK, model(None, "embedding")) is TASK
    assert TASK.of_model(TASK, model(Hierarchy.flat(3), "embedding")) is TASK
    with pytest.raises(ModelError, match=r"does not offer assignment\.1"):
        TASK.of_model(TASK, model(TRUTH, "embedding", "assignment.0"))


def test_anchors():
    found = {(anchor.name, anchor.metric): anchor for anchor in TASK.anchors(SPLIT)}
    assert found["true values", "r_c_fast"].value > 0.99
    assert found["chance", "r_c_fast"].value < 0.1 < found["principal components", "r_c_fast"].value < 0.9
    assert found["published COFHAE", "r_c_fast"].value == 0.89
    assert found["published β-TCVAE", "r_fast"].source == "published"
