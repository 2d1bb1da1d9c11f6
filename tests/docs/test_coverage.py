"""The pages keep up with the code: every option, key and exit status is on one of them, and every link leads somewhere."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from pytest_genbench.benchmarks.table.description import FACTOR_PARSERS, SPLIT_PARSERS
from pytest_genbench.benchmarks.table.description import PARSERS as DESCRIPTION
from pytest_genbench.benchmarks.table.splits import FAMILIES
from pytest_genbench.gates import AggregateGate, Gate
from pytest_genbench.learners.models import Training
from pytest_genbench.models.declaration import PARSERS, ROLES
from pytest_genbench.plugin import OPTIONS
from pytest_genbench.results.schema import AggregateResult, Case, Document, Failure, GateResult
from pytest_genbench.scores import Anchor, Score

from .pages import DOCS, PAGES, ROOT, anchors, blocks, commands, links, parts, program, steps
from .test_inline import subcommands

WORKFLOWS = sorted((ROOT / "examples" / "ci").glob("github-actions*.yml"))


def read(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert target.is_relative_to(ROOT), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target.read_text("utf-8")), f"{page.name}: {link}"


def test_nothing_is_left_to_be_filled_in() -> None:
    for page in PAGES:
        assert "@@" not in page.read_text("utf-8"), page.name


def test_every_page_is_on_the_index() -> None:
    listed = set(links(read("index.md")))
    assert {page.name for page in DOCS.glob("*.md")} - {"index.md"} == listed


def test_every_option_is_described() -> None:
    text = "\n".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    for name, _, _ in OPTIONS:
        assert re.search(rf"--genbench-{name}\b(?!-)", text), f"--genbench-{name}"


@pytest.mark.parametrize("command", subcommands())
def test_every_option_of_the_command_is_described(command: str) -> None:
    text = "\n".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    for action in subcommands()[command]._actions:
        for option in set(action.option_strings) - {"-h", "--help"}:
            assert f"`{option}" in text or f" {option}" in text, f"genbench {command} {option}"


def test_every_key_of_a_gate_is_described() -> None:
    text = read("gates-and-baselines.md")
    keys = {field.name for kind in (Gate, AggregateGate) for field in fields(kind)} - {"where"}
    for key in keys | {"defaults"}:
        assert f"`{key}`" in text or f"`{key} =" in text, key


def test_every_key_of_the_contract_is_described() -> None:
    text = read("models.md")
    for key in PARSERS:
        assert f"`{key}`" in text or f"`genbench.{key}`" in text, key
    for role in ROLES:
        assert f"`{role}`" in text, role


def test_every_key_of_a_description_is_described() -> None:
    text = read("own-data.md")
    keys = [*(DESCRIPTION.keys() - {"factors", "splits"}), *(f"factors.NAME.{key}" for key in FACTOR_PARSERS)]
    keys += [f"splits.{key}" for key in SPLIT_PARSERS.keys() - set(FAMILIES)]
    keys += ["splits.FAMILY.share", "splits.FAMILY.factors", "splits.in_distribution.repeats", *FAMILIES]
    for key in keys:
        assert f"`{key}`" in text, key


def test_every_field_of_a_document_is_described() -> None:
    text = read("results-document.md")
    for kind in (Document, Case, Score, Anchor, Failure, GateResult, AggregateResult, Training):
        for field in fields(kind):
            assert f"`{field.name}`" in text, f"{kind.__name__}.{field.name}"


def test_the_workflow_and_the_pages_name_only_options_there_are() -> None:
    known = {f"--genbench-{name}" for name, _, _ in OPTIONS}
    texts = [*(page.read_text("utf-8") for page in PAGES), *(path.read_text("utf-8") for path in WORKFLOWS)]
    for text in texts:
        for option in re.findall(r"--genbench-[a-z-]*[a-z]", text):
            assert option in known, option


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_workflow_is_yaml(path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    text = path.read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"].values()
    assert steps(text) == [line for job in jobs for step in job["steps"] for line in step.get("run", "").splitlines()]


def test_the_workflow_for_gitlab_runs_what_that_for_github_runs() -> None:
    """The latter is run, see ``test_commands``."""
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load((ROOT / "examples" / "ci" / "gitlab-ci.yml").read_text("utf-8"))["genbench"]
    github = steps((ROOT / "examples" / "ci" / "github-actions.yml").read_text("utf-8"))
    summary = ' --genbench-summary="$GITHUB_STEP_SUMMARY"'
    assert [*job["before_script"], *job["script"]] == [command.replace(summary, "") for command in github]


def test_the_citation_is_that_of_the_package() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0"
    assert (citation["title"], citation["version"]) == (project["name"], project["version"])
    assert (citation["license"], citation["abstract"]) == (project["license"], project["description"])
    (author,) = citation["authors"]
    assert author["name"] in (ROOT / "LICENSE").read_text("utf-8")


def test_blocks_and_commands_are_found() -> None:
    page = "# t\n\n```bash\na \\\n  b\n# exit status 1\n\n# why\nc 'x && y' && d\n```\n\n    pip install -e . && e\n\n- f\n"
    first, second = blocks(page)
    assert [(c.text, c.status, c.line) for c in commands(first)] == [("a b", 1, 4), ("c 'x && y' && d", 0, 9)]
    assert parts("c 'x && y' && d") == ["c 'x && y'", "d"]
    assert [c.text for c in commands(second)] == ["pip install -e . && e"]
    assert program("OMP_NUM_THREADS=1 pip install x") == "pip install"


def test_steps_of_a_workflow_are_found() -> None:
    text = "    steps:\n      - run: a\n      - name: b\n        run: >-\n          c\n          d\n      - run: |\n"
    text += "          e\n          f\n"
    assert steps(text) == ["a", "c d", "e", "f"]
