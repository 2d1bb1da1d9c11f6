"""The example of a benchmark of one's own, used as somebody would who copies it, tests it, and installs it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

CLOCKS = Path(__file__).parents[1] / "examples" / "clocks"
PROJECT = tomllib.loads((CLOCKS / "pyproject.toml").read_text("utf-8"))
READER = "--genbench-model=readers:reads_the_hand"
GATES = "--genbench-gates=clocks_suite/gates.toml"
HEAT_MAPS = [f"Which hours are read, {family}" for family in ("compositional", "interpolation")]


def copy(source, target):
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))


@pytest.fixture
def run(monkeypatch):
    """Run pytest in a folder and a process of its own; returns its exit status and output."""
    for name in ("PYTEST_ADDOPTS", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "160")

    def run(folder, *args, path=()):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout

    return run


@pytest.fixture
def clocks(tmp_path):
    """A copy of the example."""
    copy(CLOCKS, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def site(tmp_path):
    """A folder as an installation fills it: the modules that the project lists, and its entry points."""
    site = tmp_path / "site"
    site.mkdir()
    setuptools = PROJECT["tool"]["setuptools"]
    for name in setuptools["py-modules"]:
        shutil.copy(CLOCKS / f"{name}.py", site)
    for name in setuptools["packages"]:
        copy(CLOCKS / name, site / name)
    info = site / "genbench_clocks-1.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: genbench-clocks\nVersion: 1\n")
    groups = PROJECT["project"]["entry-points"].items()
    lines = [
        line for group, names in groups for line in (f"[{group}]", *(f"{name} = {at}" for name, at in names.items()))
    ]
    info.joinpath("entry_points.txt").write_text("\n".join(lines) + "\n")
    return site


@pytest.fixture
def elsewhere(tmp_path):
    """A folder that holds the models only."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copy(CLOCKS / "readers.py", folder)
    return folder


def verdicts(path):
    return {case["split"]: case["verdict"] for case in json.loads(path.read_text())["cases"]}


def test_it_conforms(run, clocks):
    status, output = run(clocks, "-q")
    assert status == 0, output
    assert "2 passed" in output


def test_reading_the_hand_passes_everywhere(run, clocks):
    status, output = run(clocks, "clocks_suite", READER, GATES, "--genbench-save=r.json")
    assert status == 0, output
    found = verdicts(clocks / "r.json")
    assert len(found) == 8
    assert set(found.values()) == {"passed"}


def test_remembering_images_passes_only_where_the_nearest_one_is_right(run, clocks):
    args = ("--genbench-model=readers:Memoriser", GATES, "--genbench-cache=trained", "--genbench-save=r.json")
    status, output = run(clocks, "clocks_suite", *args, "--genbench-report=report.html", "-k", "red or 15")
    assert status == 1, output
    shown = (clocks / "report.html").read_text()
    for text in (*HEAT_MAPS, "hours 6 to 11 in red: hour 7 → hour 1", "what was to be read, and what was read"):
        assert text in shown
    assert verdicts(clocks / "r.json") == {"compositional-red": "failed", "interpolation-15": "passed"}
    assert "further off 66.7%, an hour off 33.3%" in output


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "workers"])
def test_installed_its_suite_runs_from_any_folder_with_its_own_gates(run, site, elsewhere, workers):
    if workers and not find_spec("xdist"):
        pytest.skip("needs xdist")
    args = ("--genbench-suite=clocks", READER, "--genbench-report=report.html")
    status, output = run(elsewhere, *args, *workers, path=[site])
    assert status == 0, output
    shown = (elsewhere / "report.html").read_text()
    assert all(text in shown for text in HEAT_MAPS)
    assert "gate: hour accuracy 0.95" in output
    assert "worst: passed" in output
    assert "8 scores: 8 passed; aggregates: 2 passed" in output


def test_installed_it_is_known_by_name(run, site, elsewhere):
    (elsewhere / "test_mine.py").write_text(
        "import pytest\n\n\n"
        '@pytest.mark.genbench(benchmark="clocks", family="compositional")\n'
        "def test_mine(split, genbench):\n    genbench.passes()\n"
    )
    status, output = run(elsewhere, READER, path=[site])
    assert status == 0, output
    assert "4 scores: 4 passed" in output
    status, output = run(elsewhere, READER, "--genbench-preset=clocks=tiny", path=[site])
    assert status == 4
    assert "Clocks has no preset 'tiny'. Known: standard." in output


def test_a_misspelt_suite_is_answered_with_its_name(run, site, elsewhere):
    status, output = run(elsewhere, "--genbench-suite=clock", READER, path=[site])
    assert status == 4
    assert "no suite 'clock'. Did you mean 'clocks'?" in output


def test_its_wheel_holds_what_the_suite_needs(clocks, tmp_path):
    if not find_spec("setuptools") or int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs the setuptools that the example asks for")
    build = "from setuptools import build_meta; import sys; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=clocks, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        assert {"clocks.py", "clocks_suite/test_clocks.py", "clocks_suite/gates.toml"} <= names
        entries = wheel.read("genbench_clocks-1.dist-info/entry_points.txt").decode()
    assert "clocks = clocks:Clocks" in entries
    assert "clocks = clocks_suite" in entries
