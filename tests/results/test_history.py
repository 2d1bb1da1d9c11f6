"""Documents over time: order, breaks, gates, the last change and what it means, and how it is written down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_genbench.cli import main
from pytest_genbench.errors import DocumentError
from pytest_genbench.results import io
from pytest_genbench.results.history import Point, history, read_folder
from pytest_genbench.results.schema import AggregateResult, Document, GateResult
from pytest_genbench.results.trend_figures import MOST, figures
from pytest_genbench.results.trends import compare_folder, render, spark

from .documents import case, score


def share(value, **changes):
    return score(clusters=dict.fromkeys("ABCD", (10, 10 * value)), **changes)


def run(value, day=1, bound=0.9, **changes):
    """A document of a day with one score, which has a gate."""
    head = value if not isinstance(value, float) else share(value)
    gate = GateResult("passed", "floor", head.metric, "fine", bound)
    return Document(
        cases=(case(head, gates=(gate,), verdict="passed", **changes),), created=f"2026-11-{day:02}T08:00:00+00:00"
    )


def only_trend(*documents, **more):
    (trend,) = history({f"{k}.json": each for k, each in enumerate(documents)}, **more).trends
    return trend


def test_documents_are_sorted_by_date_then_name():
    undated = replace(run(0.5), created="")
    found = history({"b.json": run(0.1, 2), "c.json": run(0.2, 1), "a.json": run(0.3, 2), "z.json": undated})
    assert found.files == ("z.json", "c.json", "a.json", "b.json")
    assert [point.value for point in found.trends[0].points] == pytest.approx([0.5, 0.2, 0.3, 0.1])


@pytest.mark.parametrize(
    ("before", "last", "change"),
    [(0.9, 0.8, "regressed"), (0.8, 0.9, "improved"), (0.9, 0.896, "same"), (0.9, 0.9, "same")],
)
def test_the_last_change(before, last, change):
    trend = only_trend(run(0.2), run(before, 2), run(last, 3))
    assert (trend.change, trend.step) == (change, pytest.approx(last - before))
    found = history({"a": run(before), "b": run(last, 2)})
    assert found.exit_status == (change == "regressed")


def test_an_earlier_drop_is_no_regression_any_more():
    assert only_trend(run(0.9), run(0.2, 2), run(0.2, 3)).change == "same"


def test_a_larger_drop_may_be_allowed():
    assert only_trend(run(0.9), run(0.8, 2), tolerance=0.11).change == "same"
    with pytest.raises(ValueError, match="at least 0"):
        history({}, -1)


def test_of_a_loss_the_tolerance_is_a_share():
    # 0.005 of 100 is 0.5.
    losses = [
        run(share(value, metric="mse", better="lower"), day) for day, value in ((1, 100.0), (2, 100.4), (3, 101.0))
    ]
    assert only_trend(*losses[:2]).change == "same"
    assert only_trend(*losses[1:]).change == "regressed"


def test_a_drop_that_may_be_chance():
    before, last = (score(clusters={"A": (10, a), "B": (10, 5.0)}) for a in (9.0, 7.0))
    assert only_trend(run(before), run(last, 2)).change == "same"


def test_seeds_are_averaged():
    def seeds(values, day):
        cases = [replace(run(value).cases[0], seed=seed) for seed, value in enumerate(values)]
        return replace(run(0.5, day), cases=tuple(cases))

    trend = only_trend(seeds((0.8, 0.9, 1.0), 1), seeds((0.6, 0.7, 0.8), 2))
    assert [point.value for point in trend.points] == pytest.approx([0.9, 0.7])
    # t(0.975, 2) = 4.3027, of a standard error of 0.1 / sqrt(3).
    assert trend.points[0].interval == pytest.approx(
        (0.9 - 4.3027 * 0.1 / 3**0.5, 0.9 + 4.3027 * 0.1 / 3**0.5), abs=1e-4
    )
    assert trend.change == "regressed"
    assert trend.difference.interval.method == "t over seeds"
    assert (
        only_trend(seeds((0.8,), 1), replace(run(0.2, 2), cases=(replace(run(0.2).cases[0], seed=5),))).note
        == "no seed is in both"
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"preset": "mini"}, "preset: published there, mini here"),
        ({"version": "2"}, "benchmark version: 1 there, 2 here"),
        ({"model": {"contract": {"range": [0, 255], "layout": "NCHW"}}}, "contract range: [0, 1] there, [0, 255] here"),
    ],
)
def test_breaks(changes, reason):
    trend = only_trend(run(0.9), run(0.1, 2, **changes), run(0.1, 3, **changes))
    assert [point.broke for point in trend.points] == ["", reason, ""]
    assert trend.change == "same"
    trend = only_trend(run(0.9), run(0.1, 2, **changes))
    assert (trend.change, trend.note, trend.step) == ("not comparable", reason, None)


def test_another_judge_or_metric_breaks_too():
    assert (
        only_trend(run(0.9), run(share(0.1, judge="robust-1"), 2)).points[1].broke
        == "judge: published-1 there, robust-1 here"
    )
    assert (
        only_trend(run(0.9), run(share(0.1, metric="mse"), 2)).points[1].broke
        == "metric: target_probability there, mse here"
    )


def test_another_model_file_is_named_and_breaks_nothing():
    def of(name, day):
        contract = {"range": [0, 1], "layout": "NCHW"}
        return run(0.9, day, model={"files": {"m.onnx": name}, "contract": contract})

    trend = only_trend(of("abc", 1), of("abc", 2), of("xyz", 3))
    assert [(point.model, point.broke) for point in trend.points] == [((), ""), ((), ""), (("m.onnx",), "")]
    assert "2: other" not in render(history({"1": of("abc", 1), "2": of("abc", 2)}), "f")
    assert "2: other model files in 1 of 1 scores" in render(history({"1": of("abc", 1), "2": of("x", 2)}), "f")


def test_two_presets_in_one_document_are_two_trends():
    both = replace(run(0.9, 2), cases=(run(0.9).cases[0], run(0.5, preset="mini").cases[0]))
    found = history({"a": run(0.8), "b": both})
    assert [(trend.name, len(trend.points)) for trend in found.trends] == [
        ("compositional-B5 (mini)", 1),
        ("compositional-B5 (published)", 2),
    ]


def test_bounds_and_verdicts_of_each_time():
    trend = only_trend(run(0.9, 1, 0.8), run(0.9, 2, 0.85))
    assert [(point.bounds, point.verdict) for point in trend.points] == [((0.8,), "passed"), ((0.85,), "passed")]


def aggregate(value, **changes):
    verdict = "not evaluated" if value is None else "passed"
    fields = ("comporth", "published", "compositional", "reconstruction", "target_probability", "mean", "")
    return replace(AggregateResult(*fields, value, verdict, "", 0.85), **changes)


def test_aggregates():
    documents = [
        replace(run(0.9, day), aggregates=(aggregate(value),)) for day, value in ((1, 0.9), (2, None), (3, 0.2))
    ]
    _, trend = history(dict(zip("abc", documents, strict=True))).trends
    assert [(point.at, point.value, point.bounds) for point in trend.points] == [(0, 0.9, (0.85,)), (2, 0.2, (0.85,))]
    assert trend.title == "comporth compositional reconstruction, mean (published): target_probability"
    # Its splits are what is tested.
    assert (trend.change, trend.step) == ("new", pytest.approx(-0.7))


@pytest.mark.parametrize(
    ("values", "drawn"),
    [([0.0, 0.5, 1.0], "▁▅█"), ([0.95, 0.951], "▄▅"), ([1.0, 0.9], "█▁"), ([0.5], "▅"), ([100.0, 110.0], "▁█")],
)
def test_spark_lines(values, drawn):
    points = [Point(at, value) for at, value in enumerate(values)]
    assert spark(points, len(values)) == drawn
    assert spark(points, len(values) + 1) == drawn + "·"


def test_spark_lines_in_plain_text():
    assert spark([Point(0, 0.0), Point(2, 1.0, broke="preset")], 4, plain=True) == "1.|8."


def test_a_table():
    documents = {"a.json": run(0.95), "b.json": run(0.85, 2), "c.json": run(0.45, 3)}
    lines = render(history(documents, notes=["left out: x.json"]), "runs").splitlines()
    assert (
        lines[0] == "runs: 3 documents, from a.json (2026-11-01T08:00:00+00:00) to c.json (2026-11-03T08:00:00+00:00)"
    )
    head = ["score", "documents", "first", "before", "last", "change", "gate", "verdict", "trend"]
    assert lines[2].split() == head
    assert lines[3].split() == [
        *("comporth/compositional-B5", "reconstruction", "target_probability", "3", "0.9500", "0.8500", "0.4500"),
        *("-0.4000", "regressed", "0.9", "passed", "█▇▁"),
    ]
    assert "left out: x.json" in lines
    assert lines[-1] == (
        "regressed: 1 regressed, 0 improved, 0 same, 0 not comparable, 0 new; last change of each score, tolerance 0.005"
    )
    page = render(history(documents), "a|b", markdown=True).splitlines()
    assert page[0].startswith("- a\\|b: 3 documents")
    assert [line.count("|") for line in page if line.startswith("|")] == [10, 10, 10]
    assert page[-1].startswith("**regressed: ")


@pytest.fixture
def folder(tmp_path):
    for name, document in (("a", run(0.9)), ("b", run(0.8, 2))):
        io.write(tmp_path / f"{name}.json", document)
    (tmp_path / "gates.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("no document")
    (tmp_path / "deep").mkdir()
    io.write(tmp_path / "deep" / "c.json", run(0.1, 3))
    return tmp_path


def test_a_folder(folder):
    documents, notes = read_folder(folder)
    assert list(documents) == ["a.json", "b.json"]
    (note,) = notes
    assert note.startswith("left out: gates.json: not a genbench results document")
    text, status = compare_folder(folder)
    assert status == 1
    assert note in text


def test_one_document_or_none(tmp_path):
    with pytest.raises(DocumentError, match="holds no results documents"):
        compare_folder(tmp_path)
    io.write(tmp_path / "a.json", run(0.9))
    text, status = compare_folder(tmp_path)
    assert status == 0
    assert "holds one document, a.json (2026-11-01T08:00:00+00:00): there is nothing yet to compare it with" in text


def test_command(folder, capsys, monkeypatch):
    assert main(["compare", str(folder)]) == 1
    assert "█▁" in capsys.readouterr().out
    assert main(["compare", str(folder), "--tolerance", "0.2"]) == 0
    assert main(["compare", str(folder), str(folder / "a.json")]) == 2
    assert main(["compare", str(folder), "--models"]) == 2
    assert "A folder of documents is shown by itself" in capsys.readouterr().err
    assert main(["compare", str(folder / "deep" / "..")]) == 1
    (folder / "b.json").unlink()
    assert main(["compare", str(folder), "--markdown"]) == 0
    (folder / "a.json").unlink()
    assert main(["compare", str(folder)]) == 2


def test_figures():
    mini = run(0.7, 3, preset="mini")
    documents = {
        "a.json": run(0.9),
        "b.json": run(0.8, 2),
        "c.json": replace(mini, aggregates=(aggregate(0.6), aggregate(0.5, statistic="worst"))),
    }
    plot, aggregates = figures(history(documents))
    assert plot.title == "Over time: comporth compositional, reconstruction: target probability"
    assert [(line.x, line.y) for line in plot.lines] == [
        ((0.0, 1.0), pytest.approx((0.9, 0.8))),
        ((2.0,), pytest.approx((0.7,))),
    ]
    assert plot.lines[1].name == "compositional-B5, after preset: published there, mini here"
    assert "c.json: preset: published there, mini here" in plot.note
    assert plot.levels == {"gate": 0.9}
    assert plot.ticks == {0.0: "2026-11-01", 1.0: "2026-11-02", 2.0: "2026-11-03"}
    assert (plot.low, plot.high) == (0.0, 1.0)
    assert [line.name for line in aggregates.lines] == ["mean (published)", "worst (published)"]
    assert list(figures(history({"a.json": run(0.9)}))) == []


def test_of_many_scores_those_that_changed_most_are_drawn():
    def many(step, day):
        cases = [run(0.5 + step * k / 100, split=f"s{k:02}").cases[0] for k in range(20)]
        return replace(run(0.5, day), cases=tuple(cases))

    (plot,) = figures(history({"a.json": many(0, 1), "b.json": many(-1, 2)}))
    assert len(plot.lines) == MOST
    assert [line.name for line in plot.lines[:4]] == ["mean", "worst", "s19", "s18"]
    assert plot.lines[0].y == pytest.approx((0.5, 0.5 - 9.5 / 100))
    assert plot.lines[1].y == pytest.approx((0.5, 0.31))
    assert plot.note.startswith("20 scores; shown are those that changed most, their mean and the worst.")


def test_the_worst_of_losses_is_the_highest():
    def many(values, day):
        cases = [run(share(value, better="lower"), split=f"s{k:02}").cases[0] for k, value in enumerate(values)]
        return replace(run(0.5, day), cases=tuple(cases))

    values = [0.1 + k / 20 for k in range(MOST + 1)]
    (plot,) = figures(history({"a.json": many(values, 1), "b.json": many(values, 2)}))
    assert plot.lines[1].name == "worst"
    assert plot.lines[1].y == pytest.approx((max(values), max(values)))


def test_documents_of_one_day_are_told_apart_by_their_names():
    (plot,) = figures(history({f"{k:02}.json": run(0.9, 1) for k in range(20)}))
    assert list(plot.ticks.values())[-1] == "19"
    assert len(plot.ticks) <= 8
