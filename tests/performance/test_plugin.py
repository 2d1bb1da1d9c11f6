"""What the plugin adds to a run of pytest: at its start, and in the collection of the suites."""

import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run pytest in a folder that holds one trivial test, without what is there for our own tests only: plugins, conftest.py."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n")
    tmp_path.joinpath("test_trivial.py").write_text("def test_it():\n    pass\n")
    others = ("cacheprovider", "benchmark", "hypothesispytest", "rerunfailures", "xdist")
    off = [part for name in others for part in ("-p", f"no:{name}")]

    def run(*args):
        command = [sys.executable, "-m", "pytest", "--noconftest", *off, *args]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True).stdout

    return run


@pytest.mark.parametrize("args", [("--version",), ("-q", "test_trivial.py")], ids=["version", "one trivial test"])
def test_startup(run, stopwatch, args):
    ours, plain = stopwatch.least(lambda: run(*args), lambda: run(*args, "-p", "no:genbench"), rounds=20)
    stopwatch.show(
        f"start-up, pytest {' '.join(args)}: {1000 * (ours - plain):+.0f} ms on {1000 * plain:.0f} ms, "
        f"{ours / plain:.2f} times (aim +20 ms)",
        ratio=ours / plain,
        added_seconds=ours - plain,
    )


def test_collection_of_all_suites(run, stopwatch, tmp_path):
    collect = ("--collect-only", "-q")
    suites = ("--genbench-suite=all", *collect)
    count = int(re.search(r"(\d+) tests collected", run(*suites))[1])
    tmp_path.joinpath("test_plain.py").write_text(
        f"import pytest\n\n@pytest.mark.parametrize('number', range({count}))\ndef test_it(number):\n    pass\n"
    )
    plain_run = ("test_plain.py", *collect, "-p", "no:genbench")
    ours, plain = stopwatch.least(lambda: run(*suites), lambda: run(*plain_run), rounds=8)
    stopwatch.show(
        f"collection of all suites, {count} tests: {ours - plain:+.2f} s on {plain:.2f} s, {ours / plain:.2f} times (aim +1 s)",
        ratio=ours / plain,
        added_seconds=ours - plain,
    )
