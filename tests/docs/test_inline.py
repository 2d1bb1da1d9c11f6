"""What pages name in running text is right too: commands, options, files, reference models. It is parsed, not run."""

from __future__ import annotations

import argparse
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_genbench.cli import _parser
from pytest_genbench.plugin import OPTIONS
from pytest_genbench.reference_models import LEARNERS

from .pages import PAGES, ROOT, commands_in_text, extras, spans
from .test_commands import EXTRAS

GENBENCH = {f"--genbench-{name}" for name, _, _ in OPTIONS}
SUITES = {path.parent.name for path in (ROOT / "suites").glob("*/__init__.py")} | {"all", "NAME", "clocks"}
"""Names of suites; the last is that of the example in ``examples/clocks``."""

OTHERS = {"--measure-only", "--model", "--junitxml"}
"""Options of examples, of recording, and of pytest."""

FOLDERS = ("docs", "examples", "pytest_genbench", "reference_models", "suites", "tests")


def subcommands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command of ``genbench``."""
    actions = _parser()._actions
    (found,) = (action.choices for action in actions if isinstance(action, argparse._SubParsersAction))
    return dict(found)


def options() -> set[str]:
    """Every option of ``genbench``."""
    return {text for parser in subcommands().values() for action in parser._actions for text in action.option_strings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_text_are_right(page: Path) -> None:
    for command in commands_in_text(page.read_text("utf-8")):
        assert (fault := fault_of(command)) is None, f"{page.name}: `{command}`: {fault}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_files_and_models_in_the_text_exist(page: Path) -> None:
    known = options() | GENBENCH | OTHERS
    for span in spans(page.read_text("utf-8")):
        if re.match(r"--[a-z]", span):
            assert re.split(r"[ =]", span)[0] in known, f"{page.name}: `{span}`"
        if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]+", span):
            assert (ROOT / span).exists(), f"{page.name}: `{span}`"
    for name in re.findall(r"reference:([a-z][\w-]*)", page.read_text("utf-8")):
        assert name in LEARNERS, f"{page.name}: reference:{name}"


def fault_of(command: str) -> str | None:
    """Say what is wrong with a command, or None; ``…`` stands for any value."""
    words = shlex.split(command)
    if words[0] == "genbench":
        return _genbench(words[1:])
    if words[:2] == ["pip", "install"]:
        return next((f"no extra {name}" for name in extras(command) if name not in EXTRAS), None)
    if words[0] == "pytest":
        return next(filter(None, map(_pytest, words[1:])), None)
    if words[1] == "-m":
        return None if find_spec(words[2]) else f"no module {words[2]}"
    return None if (ROOT / words[1]).is_file() else f"no file {words[1]}"


def _genbench(words: list[str]) -> str | None:
    if words[0] not in subcommands():
        return f"no command {words[0]}"
    if len(words) > 1:
        try:
            subcommands()[words[0]].parse_args(words[1:])
        except SystemExit:
            return "it cannot be parsed"
    return None


def _pytest(word: str) -> str | None:
    name, _, value = word.partition("=")
    if name == "--genbench-suite" and value not in SUITES:
        return f"no suite {value}"
    if name.startswith("--") and name not in GENBENCH | OTHERS:
        return f"no option {name}"
    if name.startswith("suites/") and not (ROOT / name).exists():
        return f"no {name}"
    return None


@pytest.mark.parametrize(
    ("command", "is_right"),
    [
        ("genbench show comporth --out sheet.png", True),
        ("genbench show comporth --output sheet.png", False),
        ("genbench draw comporth", False),
        ("genbench compare", True),
        ("pytest --genbench-suite=reasoning -k size", True),
        ("pytest --genbench-suite=raisoning", False),
        ("pytest --genbench-modell=m.onnx", False),
        ("pip install 'pytest-genbench[data]'", True),
        ("pip install 'pytest-genbench[dta]'", False),
        ("python examples/hierarchies/table.py", True),
        ("python examples/hierarchies/tables.py", False),
        ("python -m pytest_genbench.reference_models.records", False),
    ],
)
def test_faults_are_found(command: str, is_right: bool) -> None:
    assert (fault_of(command) is None) == is_right


def test_spans_and_commands_are_found() -> None:
    page = "`genbench show a` `genbench.x` ``b `c` `` and\n\n```bash\n`no`\n```\n`pytest\n-k d` `pytest` `genbench results`\n"
    assert spans(page) == ["genbench show a", "genbench.x", "b `c`", "pytest -k d", "pytest", "genbench results"]
    assert commands_in_text(page) == ["genbench show a", "pytest -k d"]
