"""From a run to a page: the same with and without workers, and again from the saved document."""

import re
from types import SimpleNamespace

import pytest

from pytest_genbench.cli import main
from pytest_genbench.session import Session
from pytest_genbench.session.transport import Records
from tests.benchmarks.table.tables import as_array, describe
from tests.plugin import test_own_data
from tests.plugin.conftest import run_pytest
from tests.results.documents import case


def content(path):
    """A page without what differs from run to run: times, and the date."""
    text = path.read_text("utf-8")
    return re.sub(r"<dt>(time|made)</dt><dd>.*?</dd>", "", text, flags=re.S)


@pytest.fixture
def shapes(pytester, monkeypatch):
    """Run a suite on somebody's own table of images."""
    pytester.makepyfile(test_t=test_own_data.SUITE, models=test_own_data.MODELS)
    as_array(pytester.path)
    describe(pytester.path)
    monkeypatch.setenv("COLUMNS", "160")

    def run(*args, own_process=True):
        return run_pytest(
            pytester, monkeypatch, ["--genbench-model=models:clamps", "test_t.py", *args], own_process=own_process
        )

    return run


def test_a_run_writes_a_page(run, project):
    result = run("--genbench-report=out.html", model="models:bad")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["report: *out.html"])
    text = project.path.joinpath("out.html").read_text("utf-8")
    assert "<h1>models:bad</h1>" in text
    assert "10 scores: 9 failed, 1 passed" in text


def test_a_run_that_may_not_write_it_says_so_first(run, project):
    project.path.joinpath("mine.html").write_text("mine")
    for name, why in (
        ("mine.html", "is no report of genbench"),
        ("out.txt", "name it so"),
        ("no/out.html", "create it first"),
    ):
        result = run(f"--genbench-report={name}")
        assert result.ret == 4
        result.stderr.fnmatch_lines([f"ERROR: genbench: *{why}*"])
    assert project.path.joinpath("mine.html").read_text() == "mine"
    assert run("--genbench-report=out.html").ret == run("--genbench-report=out.html").ret == 0


def test_a_run_without_a_terminal_writes_it_too(run, project):
    assert run("--genbench-report=out.html", "-p", "no:terminal").ret == 0
    assert "10 scores: 10 passed" in project.path.joinpath("out.html").read_text("utf-8")


def test_nothing_is_written_where_there_was_nothing_to_evaluate(run, project):
    run("--genbench-report=out.html", "-k", "nothing_of_that_name")
    assert not project.path.joinpath("out.html").exists()


def test_a_run_in_which_all_is_skipped_says_why_on_its_page(run, project):
    assert run("--genbench-report=out.html", "-k", "brightness-4", model="models:trained").ret == 1
    text = project.path.joinpath("out.html").read_text("utf-8")
    assert "NOTHING EVALUATED" in text
    assert "exposed: the model was trained on toy/default/brightness-3" in text


def test_what_cannot_be_saved_does_not_keep_the_page_from_being_written(run, project):
    project.makepyfile(
        full="""
        import os

        whole = os.replace

        def replace(source, target):
            if str(target).endswith(".json"):
                raise OSError(28, "No space left on device")
            whole(source, target)

        os.replace = replace
        """
    )
    options = ("--genbench-save=out.json", "--genbench-report=out.html", "--genbench-summary=out.md")
    result = run(*options, "-p", "full", own_process=True)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["NOT SAVED: *No space left on device*", "report: *out.html"])
    assert {path.name for path in project.path.glob("out.*")} == {"out.html", "out.md"}


@pytest.mark.skipif("not config.pluginmanager.hasplugin('xdist')")
def test_own_data_is_shown_with_and_without_workers_and_later(shapes, pytester, monkeypatch):
    shapes("--genbench-report=one.html", "--genbench-save=one.json")
    shapes("--genbench-report=two.html", "-n2")
    folder = pytester.path
    assert content(folder / "one.html") == content(folder / "two.html")
    assert "<img" in content(folder / "one.html")
    monkeypatch.chdir(folder)
    assert main(["report", "one.json", "--out=later.html", "--own=t.toml"]) == 0
    assert content(folder / "one.html") == content(folder / "later.html")
    assert main(["report", "one.json", "--out=plain.html"]) == 0
    assert "no pictures of shapes" in content(folder / "plain.html")


def test_images_of_the_publishers_files_are_looked_for_where_the_run_found_them(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("pytest_genbench.session.get", lambda *wanted: asked.append(wanted))
    session = object.__new__(Session)
    session.benchmarks, session.records = {}, Records()
    session.records.cases = {each.key: each for each in (case(benchmark="dsprites"), case(benchmark="mine"))}
    for data, expected in ((None, []), (tmp_path, [("dsprites", "published", tmp_path)])):
        session.settings = SimpleNamespace(data=data, preset={"dsprites": "published"}.get)
        session.known()
        assert asked == expected
