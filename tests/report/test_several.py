"""Pages of several documents: models side by side, and a folder over time."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pytest_genbench.cli import main
from pytest_genbench.errors import DocumentError
from pytest_genbench.figures import Text
from pytest_genbench.report import write as module
from pytest_genbench.report.several import history_page, models_page
from pytest_genbench.results.history import history
from pytest_genbench.results.io import write
from pytest_genbench.results.schema import Document
from pytest_genbench.scores import Interval

from ..plugin.toy import Toy
from ..results.documents import score
from .test_html import DOCUMENT, HOSTILE, Elements, toy_case, toy_score


class Side(Toy):
    """A toy that draws figures of several models."""

    def contrasts(self, models):
        yield Text(title="both", text=" and ".join(models))


def other(name: str, value: float, **more) -> Document:
    one = toy_case(toy_score(value, interval=Interval(value - 0.05, value + 0.05, "Wilson")))
    return replace(DOCUMENT, cases=(one, replace(one, split="brightness-4")), model={"spec": name}, **more)


def test_models_side_by_side() -> None:
    models = {"a.onnx": other("a.onnx", 0.25), "b.onnx": other("b.onnx", 0.75), HOSTILE: other(HOSTILE, 0.5)}
    parsed = Elements(models_page(models, notes=("a note",), known={"toy": Side()}))
    for said in (
        "a.onnx, b.onnx",
        "Differences are to a.onnx.",
        "a note",
        "+0.5000",
        "rank by suite",
        f"a.onnx and b.onnx and {HOSTILE}",
    ):
        assert said in parsed.text, said
    assert "script" not in {tag for tag, _ in parsed.found}
    assert "Differences are to b.onnx." in Elements(models_page(models, against="b.onnx")).text


def test_mean_ranks_stand_by_their_model() -> None:
    models = {"a.onnx": other("a.onnx", 0.25), "b.onnx": other("b.onnx", 0.75), "c.onnx": other("c.onnx", 0.5)}
    text = models_page(models)
    assert "Best mean rank: b.onnx (1.00 over 1 suite). Differences are to a.onnx." in text
    rows = re.findall(r'<tr><th scope="row">(.\.onnx)</th>(.*?)</tr>', text, re.S)
    ranks = {name: re.search(r"(\d\.\d\d) \((\d)\)", cells) for name, cells in rows}
    assert {name: found.groups() for name, found in ranks.items() if found} == {
        "a.onnx": ("3.00", "1"),
        "b.onnx": ("1.00", "1"),
        "c.onnx": ("2.00", "1"),
    }


def test_figures_of_several_models_need_several() -> None:
    lone = toy_case(benchmark="alone")
    models = {"a.onnx": other("a.onnx", 0.25), "b.onnx": other("b.onnx", 0.75)}
    models["b.onnx"] = replace(models["b.onnx"], cases=(lone, *models["b.onnx"].cases))
    alone = Side()
    alone.name = "alone"
    parsed = Elements(models_page(models, known={"toy": Side(), "alone": alone}))
    assert parsed.text.count("a.onnx and b.onnx") == 1
    assert [tag for tag, _ in parsed.found].count("pre") == 1


def test_a_regression_is_the_verdict() -> None:
    def run(value: float, day: int) -> Document:
        clusters = {"A": (10, 10 * value), "B": (10, 10 * value)}
        head = score(metric="accuracy", judge="", clusters=clusters)
        return Document(cases=(toy_case(head),), created=f"2026-01-0{day}T00:00:00+00:00")

    fell = history_page(history({"a.json": run(0.5, 1), "b.json": run(0.25, 2)}), "runs")
    rose = history_page(history({"a.json": run(0.25, 1), "b.json": run(0.5, 2)}), "runs")
    assert 'class="verdict regressed"' in fell
    assert "regressed toy brightness-3 (-0.250)" in Elements(fell).text
    assert "1 of which regressed last" in Elements(fell).text
    assert 'class="verdict no-regression"' in rose


def test_data_files_are_opened_for_the_benchmarks_that_a_document_has(tmp_path, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(module, "get", lambda *arguments: asked.append(arguments) or Toy())
    write(
        tmp_path / "a.json", replace(other("a.onnx", 0.25), cases=(toy_case(benchmark="dsprites", preset="published"),))
    )
    module.write_report([tmp_path / "a.json"], tmp_path / "a.html", data=tmp_path)
    assert asked == [("dsprites", "published", tmp_path)]
    assert "no pictures of dsprites 1 (published): here is toy 1 (default)" in (tmp_path / "a.html").read_text("utf-8")


def test_one_model_is_none_to_compare() -> None:
    with pytest.raises(DocumentError, match="two"):
        models_page({"a.onnx": other("a.onnx", 0.25)})


def test_a_history() -> None:
    documents = {
        "a.json": other("m.onnx", 0.5, created="2026-01-01T00:00:00+00:00"),
        "b.json": other("m.onnx", 0.25, created="2026-01-02T00:00:00+00:00"),
    }
    parsed = Elements(history_page(history(documents, notes=(HOSTILE,)), "runs"))
    for said in (
        "runs",
        "2 documents, 2026-01-01 to 2026-01-02; 2 scores",
        "0.5000",
        "0.2500",
        "<script>alert(1)</script>",
    ):
        assert said in parsed.text, said
    assert any(tag == "svg" for tag, _ in parsed.found)


def test_the_command_writes_the_page_that_is_called_for(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name, value in (("a", 0.25), ("b", 0.75)):
        write(tmp_path / "runs" / f"{name}.json", other(f"{name}.onnx", value))
    assert main(["report", "runs/a.json"]) == 0
    assert main(["report", "runs/a.json", "runs/b.json", "--out=two.html"]) == 0
    assert "Differences are to a.onnx." in (tmp_path / "two.html").read_text("utf-8")
    assert main(["report", "runs/a.json", "runs/b.json", "--out=two.html", "--against=runs/b.json"]) == 0
    assert "Differences are to b.onnx." in (tmp_path / "two.html").read_text("utf-8")
    assert main(["report", "runs", "--out=over-time.html"]) == 0
    assert main(["report", "runs/a.json", "--baseline=runs/b.json", "--out=beside.html"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "report.html: 2 scores of a.onnx",
        "two.html: 2 models",
        "two.html: 2 models",
        "over-time.html: 2 documents of runs",
        "beside.html: 2 scores of a.onnx",
    ]
    assert "not passed" in (tmp_path / "report.html").read_text("utf-8")
    assert "2 models side by side" in (tmp_path / "two.html").read_text("utf-8")
    assert "scores over time" in (tmp_path / "over-time.html").read_text("utf-8")
    assert "-0.500" in (tmp_path / "beside.html").read_text("utf-8")


def test_files_may_stand_after_options(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in (("a", 0.25), ("b", 0.75)):
        write(tmp_path / f"{name}.json", other(f"{name}.onnx", value))
    assert main(["report", "a.json", "--out=two.html", "b.json"]) == 0
    assert capsys.readouterr().out == "two.html: 2 models\n"
    with pytest.raises(SystemExit):
        main(["report", "a.json", "--out=two.html", "--outt"])
    with pytest.raises(SystemExit):
        main(["show", "comporth", "length-1", "--preset=mini", "more"])
    assert "unrecognized arguments: more" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.json"], "no.json: there is no such file"),
        (["runs", "--baseline=runs/a.json"], "--baseline stands beside one document"),
        (["runs/a.json", "--out=a.pdf"], "a report is an HTML file"),
        (["runs/a.json", "--out=mine.html"], "is no report of genbench; choose another file"),
        (["empty"], "holds no results documents"),
        (["runs/a.json", "--against=a.onnx"], "--against chooses among several models"),
        (["runs/a.json", "--own=no.toml"], "no.toml"),
        (["runs/a.json", "--data=nowhere"], "--data: nowhere is no folder"),
        (["runs", "runs/a.json"], "A folder of documents is shown by itself"),
        (["runs/a.json", "runs/a.json"], "two documents or more. runs/a.json is listed 2 times; it counts once."),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, monkeypatch, capsys, arguments, said) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine.html").write_text("mine")
    write(tmp_path / "runs" / "a.json", other("a.onnx", 0.25))
    assert main(["report", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert (tmp_path / "mine.html").read_text() == "mine"
