"""Run what the pages show, as a user would: every command, script and file, in order, in a folder of its own.

What a page promises:

- A line of a ``bash`` block is a command. It ends with exit status 0, unless the line after it is the comment
  ``# exit status N``.
- A ``text`` block after commands is what the last of them prints. ``…`` stands for anything: in a line, or alone on a line for
  any number of lines. Numbers may differ by 0.02, as another processor rounds differently.
- A ``python``, ``toml`` or ``yaml`` block with a title (```` ```python title="nets.py" ````) is that file; a ``python`` block
  without one is a script. A file under ``examples/`` is shipped, and shown as it is.
- A ``json`` block with a title is a part of that file: of objects and lists it may leave entries out, and of a text that ends in
  ``…`` the rest.
- Installing is not run; its extras must exist. A README may run this project's own tests after that (``pip install … && pytest``):
  nor is this run, since it is one of them.

The folder holds ``examples`` and ``suites`` as in a checkout, and what pages take for a project's own: the folder ``models`` and
the file ``my.onnx``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from .pages import PAGES, ROOT, Block, blocks, commands, extras, parts, program, steps

WORKFLOWS = [ROOT / "examples" / "ci" / name for name in ("github-actions.yml", "github-actions-shards.yml")]
CONV1D = ROOT / "examples" / "comporth" / "conv1d"
NEEDS = {"torch": "torch", "-n 2": "xdist", "safetensors": "safetensors"}
SLOW = {
    *("README.md", "comparing.md", "cvr.md", "exit-codes.md", "gates-and-baselines.md", "hierarchies.md"),
    *("in-domain.md", "learners.md", "models.md", "own-benchmark.md", "own-data.md", "quickstart.md", "report.md"),
    "training-outside.md",
}
"""Pages that take more than a few seconds: continuous integration runs them after the ordinary tests."""

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


class Shell:
    """A folder in which one page is run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = ""
        self.seconds: list[tuple[float, str]] = []
        (folder / "examples").symlink_to(ROOT / "examples")
        (folder / "models").symlink_to(CONV1D)
        for name, copy in (("compositional-B5.onnx", "my.onnx"), ("compositional-B5.decoder.onnx",) * 2):
            shutil.copy(CONV1D / name, folder / copy)
        shutil.copytree(ROOT / "suites", folder / "suites", ignore=shutil.ignore_patterns("__pycache__"))
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "COV_", "GITHUB_")) and name != "CI"
        }
        self.environment |= {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "COLUMNS": "120",
            "XDG_CACHE_HOME": str(folder / "cache"),  # not the cache of whoever runs the tests
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }

    def run(self, command: str, status: int, where: str) -> None:
        """Run a command, or what of it can be run here."""
        installs = False
        for part in parts(command):
            name = program(part)
            if name == "pip install":
                unknown = set(extras(part)) - EXTRAS.keys()
                assert not unknown, f"{where}: there is no extra {', '.join(unknown)}"
                installs = True
            elif installs and name == "pytest" and "genbench" not in part:
                continue
            else:
                self._run(part, status, where)

    def _run(self, command: str, status: int, where: str, stdin: str | None = None) -> None:
        start = time.perf_counter()
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        self.seconds.append((time.perf_counter() - start, command))
        self.output = done.stdout
        assert done.returncode == status, (
            f"{where}: exit status {done.returncode}, expected {status}\n$ {command}\n{self.output[-6000:]}"
        )

    def script(self, text: str, where: str) -> None:
        """Run Python code."""
        self._run("python -", 0, where, stdin=text)

    def write(self, title: str, text: str, where: str) -> None:
        """Write a file; one that is shipped must be what it is said to be."""
        if title.startswith("examples/"):
            assert (ROOT / title).read_text("utf-8") == text, f"{where}: {title} is not as shown"
            return
        path = self.folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect(self, text: str, where: str) -> None:
        """Compare a ``text`` block with what was printed last."""
        missing = first_missing(text, self.output)
        assert missing is None, f"{where}: not printed: {missing}\n{self.output[-6000:]}"


def first_missing(expected: str, output: str) -> str | None:
    """Return the first expected line that the output lacks, or None; the lines must follow one another save at ``…``."""
    wanted = [line.split() for line in expected.splitlines() if line.strip()]
    printed = [line.split() for line in output.splitlines() if line.strip()]
    at, is_free = 0, True
    for words in wanted:
        if words == ["…"]:
            is_free = True
            continue
        places = range(at, len(printed)) if is_free else range(at, min(at + 1, len(printed)))
        found = next((place for place in places if _same(words, printed[place])), None)
        if found is None:
            return " ".join(words)
        at, is_free = found + 1, False
    return None


def _same(words: list[str], printed: list[str]) -> bool:
    if not words:
        return not printed
    if words[0] == "…":
        return any(_same(words[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and _same_word(words[0], printed[0]) and _same(words[1:], printed[1:])


def _same_word(word: str, printed: str) -> bool:
    number = re.compile(r"[+-]?\d+\.\d+%?")
    if number.sub("#", word) == number.sub("#", printed):
        pairs = zip(number.findall(word), number.findall(printed), strict=True)
        return all(
            abs(float(a.rstrip("%")) - float(b.rstrip("%"))) <= (2 if a.endswith("%") else 0.02) for a, b in pairs
        )
    if "…" in word:
        return re.fullmatch(".*".join(map(re.escape, word.split("…"))), printed) is not None
    return len(word) > 5 and set(word) == set(printed) == {"="}


def first_difference(expected: object, found: object, path: str = "") -> str | None:
    """Return the path to the first value of a ``json`` block that the file has not, or None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        steps_in = ((f"{path}.{key}", value, found.get(key)) for key, value in expected.items())
        return next(filter(None, (first_difference(value, there, at) for at, value, there in steps_in)), None)
    if isinstance(expected, list) and isinstance(found, list):
        alike = (all(first_difference(value, there) for there in found) for value in expected)
        return next((f"{path}[{at}]" for at, is_missing in enumerate(alike) if is_missing), None)
    if isinstance(expected, float) and isinstance(found, float):
        return None if abs(expected - found) <= 0.02 * max(1.0, abs(found)) else path
    if isinstance(expected, str) and expected.endswith("…") and isinstance(found, str):
        return None if found.startswith(expected[:-1]) else path
    return None if expected == found else path or "the value"


def run_block(shell: Shell, block: Block, page: str) -> None:
    """Do with a block what its language asks for."""
    where = f"{page}:{block.line + 1}"
    if block.language == "bash":
        for command in commands(block):
            shell.run(command.text, command.status, f"{page}:{command.line}")
    elif block.language == "text":
        shell.expect(block.text, where)
    elif block.language == "toml":
        tomllib.loads(block.text)
        if block.title:
            shell.write(block.title, block.text, where)
    elif block.language == "json":
        saved = json.loads((shell.folder / block.title).read_text("utf-8"))
        assert (path := first_difference(json.loads(block.text), saved)) is None, f"{where}: {path} is not in the file"
    elif block.title:
        if block.language == "python":
            compile(block.text, block.title, "exec")
        shell.write(block.title, block.text, where)
    elif block.language == "python":
        shell.script(block.text, where)
    else:
        assert block.language in ("yaml", "markdown"), f"{where}: a block of {block.language or 'no language'}"


def _cases() -> list[object]:
    return [pytest.param(page, id=page.name, marks=[pytest.mark.slow] if page.name in SLOW else []) for page in PAGES]


@pytest.mark.parametrize("page", _cases())
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    found = blocks(text)
    code = "\n".join(block.text for block in found)
    for word, module in NEEDS.items():
        if word in code and find_spec(module) is None:
            pytest.skip(f"the page needs {module}")
    shell = Shell(tmp_path)
    for block in found:
        run_block(shell, block, page.name)
    for seconds, command in shell.seconds:
        print(f"{seconds:6.1f} s  {command}")


@pytest.mark.slow
def test_the_workflow_runs(tmp_path: Path) -> None:
    """Run the commands of the shipped workflows, at the smallest preset, with two shards."""
    if find_spec("xdist") is None:
        pytest.skip("the workflows use xdist")
    shell = Shell(tmp_path)
    shell.environment["PYTEST_ADDOPTS"] = "--genbench-preset=mini"
    model = "--genbench-suite=compositional --genbench-model='models/{split}.onnx'"
    tmp_path.joinpath("genbench-gates.toml").touch()
    shell.run(f"pytest -q {model} --genbench-save=genbench-baseline.json -n 2", 0, "the baseline")
    for path in WORKFLOWS:
        workflow = path.read_text("utf-8")
        assert "\t" not in workflow
        for step in steps(workflow):
            shards = ("1", "2") if "matrix.shard" in step else ("",)
            for shard in shards:
                shell.run(step.replace("${{ matrix.shard }}", shard), 0, path.name)
    names = {path.name for path in tmp_path.iterdir()}
    for produced in ("summary.md", "genbench.html", "genbench-junit.xml", "genbench-results.json", "merged.json"):
        assert produced in names, produced
    for seconds, command in shell.seconds:
        print(f"{seconds:6.1f} s  {command}")


@pytest.mark.parametrize(
    ("expected", "output", "missing"),
    [
        ("a b", "x\na  b\ny", None),
        ("a\ny", "a\nb\ny", "y"),
        ("a\n…\ny", "a\nb\nc\ny", None),
        ("score 0.99 passed", "score 0.98 passed", None),
        ("score 0.99 passed", "score 0.91 passed", "score 0.99 passed"),
        ("sha256 … end", "sha256 12 34 end", None),
        ("12ab…", "12abcd", None),
        ("a … d … 0.99… g", "a b c d e f 0.9903 g", None),
        ("wrong 0.3%,", "wrong 0.5%,", None),
    ],
)
def test_comparing_with_a_text_block(expected: str, output: str, missing: str | None) -> None:
    assert first_missing(expected, output) == missing


def test_comparing_with_a_json_block() -> None:
    saved = {"a": 1, "b": [{"c": "x", "d": 0.5}, {"c": "long text"}], "e": None}
    assert first_difference({"a": 1, "b": [{"c": "long…"}, {"d": 0.51}]}, saved) is None
    assert first_difference({"e": None}, saved) is None
    assert first_difference({"b": [{"c": "y"}]}, saved) == ".b[0]"
    assert first_difference({"a": 2}, saved) == ".a"
