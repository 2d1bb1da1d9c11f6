"""The reference model beside the scores of another model: which one, which number, and where none."""

from dataclasses import replace

import pytest

from pytest_genbench.report import references as module
from pytest_genbench.report import text
from pytest_genbench.report.references import Reference, beside, references
from pytest_genbench.report.tables import tables, verdict_line
from pytest_genbench.results.schema import Case, Document, GateResult
from pytest_genbench.scores import Interval, Score

TASK = "drawings/1/small/holes/reading"
RECORDED = {
    "good-everywhere": {
        TASK: {
            "budget": "quick",
            "judge": "eye-1",
            "metric": "accuracy",
            "scores": {"one": {"0": 0.8, "1": 0.9}, "two": {"0": 0.5, "1": 0.7}},
        }
    },
    "best-on-one": {
        TASK: {"budget": "quick", "judge": "eye-1", "metric": "accuracy", "scores": {"one": {"0": 0.95}}},
    },
    "worse": {
        TASK: {
            "budget": "quick",
            "judge": "eye-1",
            "metric": "accuracy",
            "scores": {"one": {"0": 0.9}, "two": {"0": 0.1}},
        }
    },
}


def case(split, value=0.25, **changes):
    fields = {
        "benchmark": "drawings",
        "version": "1",
        "preset": "small",
        "family": "holes",
        "split": split,
        "output": "reading",
        "scores": (Score("accuracy", value, 10, 10, judge="eye-1"),),
        "gates": (GateResult("failed", "floor", "accuracy", "too low", 0.9),),
        "verdict": "failed",
    }
    return Case(**(fields | changes))


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setattr(module, "_recorded", lambda: RECORDED)


def table_of(*cases, spec="mine.onnx"):
    (table,) = tables(Document(cases=cases, model={"spec": spec}))
    return table


def test_all_that_is_recorded_of_a_case_the_best_first(recorded):
    found = references(case("one"))
    assert found[0] == Reference("best-on-one", "quick", {0: 0.95})
    assert [(each.model, each.value) for each in found] == [
        ("best-on-one", 0.95),
        ("worse", 0.9),
        ("good-everywhere", pytest.approx(0.85)),
    ]
    lower = replace(case("one").scores[0], better="lower")
    assert references(case("one", scores=(lower,)))[0].model == "good-everywhere"


@pytest.mark.parametrize("name", ["benchmark", "version", "preset", "family", "split", "output"])
def test_nothing_of_another_test_is_shown(recorded, name):
    assert references(replace(case("one"), **{name: "other"})) == []


def test_nothing_of_another_metric_or_judge_is_shown(recorded):
    for other in ({"metric": "top1"}, {"judge": "eye-2"}):
        assert references(case("one", scores=(replace(case("one").scores[0], **other),))) == []
    assert references(case("one", scores=())) == []


def test_one_model_for_a_table_that_of_most_rows_then_the_best(recorded):
    table = table_of(case("one"), case("two"))
    assert table.columns == ("held out", "n", "score", "reference", "verdict")
    assert [row.cells[-2:] for row in table.rows] == [("0.850", "failed"), ("0.600", "failed")]
    assert table.notes == (
        "gate: accuracy 0.9",
        "reference: good-everywhere 0.725 (mean of 2 splits, 2 seeds, budget quick)",
    )


def test_where_lower_is_better_the_lowest_is_the_best(recorded):
    scores = (Score("accuracy", 0.25, 10, 10, judge="eye-1", better="lower"),)
    cases = [case("one", scores=scores), case("two", scores=scores)]
    assert beside(cases).model == "worse"
    assert [each.model for each in references(cases[0])] == ["good-everywhere", "worse", "best-on-one"]


def test_a_single_value_stands_below(recorded):
    table = table_of(case("one"))
    assert "reference" not in table.columns
    assert table.notes[-1] == "reference: best-on-one 0.950 (one seed, budget quick)"


def test_rows_without_a_recorded_score_are_left_empty(recorded):
    table = table_of(case("one"), case("three"))
    assert [row.cells[-2] for row in table.rows] == ["0.950", ""]


def test_a_model_is_not_set_beside_itself(recorded):
    assert beside([case("one")], "reference:best-on-one") is None
    assert beside([case("one")], "reference:best-on-one[steps=9]").model == "best-on-one"
    assert beside([case("three")]) is None
    assert table_of(case("one"), spec="reference:best-on-one").notes == ("gate: accuracy 0.9",)


def test_no_table_gets_wider_than_a_line(recorded):
    many = [Score("accuracy", 0.3, 5, 10, judge="eye-1", interval=Interval(0.1, 0.5, "Wilson"))]
    many += [Score(f"another_score_{k}", 0.1, 10, 10) for k in range(7)]
    cases = [case(split, scores=tuple(many), held_out="a hole in the middle of it") for split in ("one", "two")]
    table = table_of(*cases)
    assert "reference" not in table.columns
    assert "reference: good-everywhere 0.725 (mean of 2 splits, 2 seeds, budget quick)" in table.notes
    narrow = [replace(each, scores=each.scores[:3]) for each in cases]
    assert "reference" in table_of(*narrow).columns


def test_nothing_where_reference_models_are_not_installed(monkeypatch):
    module._recorded.cache_clear()
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert references(case("one")) == []
    module._recorded.cache_clear()


def test_what_is_shipped_is_found():
    shipped = case(
        "compositional-B5",
        benchmark="comporth",
        preset="published",
        family="compositional",
        output="reconstruction",
        scores=(Score("target_probability", 0.5, 10, 10, judge="published-1"),),
    )
    names = [each.model for each in references(shipped)]
    assert names[0] == "conv1d-autoencoder"
    assert set(names) == {"conv1d-autoencoder", "shared-cell-autoencoder", "mlp-autoencoder", "beta-vae"}


def test_what_passes_at_any_score_is_said_not_to_be_gated():
    free = case("one", gates=(), verdict="passed", reason="not gated: Nothing is known to be enough.")
    document = Document(cases=(free, case("two")))
    (table,) = tables(document)
    assert [(row.cells[-1], row.verdict) for row in table.rows] == [("not gated", ""), ("failed", "failed")]
    assert "not gated: Nothing is known to be enough." in table.notes
    assert verdict_line(document) == ("2 scores: 1 failed, 1 not gated", False)
    assert verdict_line(Document(cases=(free,))) == ("1 score: 1 not gated", True)
    (row,) = (line for line in text.summary(Document(cases=(free,))) if line.text.startswith("one "))
    assert row.colour == ""
    (silent,) = tables(Document(cases=(replace(free, reason="not gated"),)))
    assert silent.notes == ()
    assert silent.rows[0].cells[-1] == "not gated"
