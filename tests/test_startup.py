"""What the installed plugin costs those who do not use it: nothing they could see, and no import that takes time."""

import os
import subprocess
import sys

import pytest

from pytest_genbench.plugin import OPTIONS

HEAVY = ("PIL", "matplotlib", "numpy", "onnxruntime", "scipy", "sklearn", "torch")

# Runs pytest in this process and says afterwards which of the named modules it has imported.
SCRIPT = """
import sys
import pytest
status = pytest.main(sys.argv[2:])
print("imported:", *sorted(set(sys.argv[1].split(",")) & set(sys.modules)))
sys.exit(status)
"""

# Blocks every socket before pytest is imported, and ends with a status of its own if one was asked for, in case somebody handled
# the error. A class, since the standard library derives from it.
OFFLINE = """
import atexit, os, socket
tried = []
atexit.register(lambda: tried and os._exit(99))
def blocked(*args, **kwargs):
    tried.append(args)
    raise OSError("the network was asked for")
class Blocked(socket.socket):
    __init__ = blocked
socket.socket = Blocked
socket.create_connection = socket.getaddrinfo = blocked
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run pytest in an empty folder; returns the process and the heavy modules it has imported."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    # Outside every ini file and conftest, so that the run is a stranger's.
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n")

    def run(*args, before=""):
        command = [sys.executable, "-c", before + SCRIPT, ",".join(HEAVY), "-p", "no:cacheprovider", *args]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        output, _, imported = found.stdout.rpartition("imported:")
        found.stdout = output
        return found, set(imported.split())

    return run


@pytest.fixture
def foreign(tmp_path):
    """A test of somebody else's, which fails where a heavy module has been imported before it runs."""
    tmp_path.joinpath("test_foreign.py").write_text(
        f"import sys\n\ndef test_it():\n    assert not set({HEAVY}) & set(sys.modules)\n"
    )


@pytest.fixture
def model(tmp_path):
    """An ONNX file that returns its input; the size of its code is declared, as if there were one."""
    from .models.builders import identity

    declared = {"genbench.code_size": "4096", "genbench.benchmark": "comporth"}
    identity(tmp_path / "model.onnx", ("N", 1, 64, 64), metadata=declared)
    return "model.onnx"


def is_silent(found):
    """Whether nothing is said of genbench, but for pytest's own list of plugins."""
    lines = (found.stdout + found.stderr).splitlines()
    return not [line for line in lines if "genbench" in line and not line.startswith("plugins:")]


def test_the_version_imports_nothing_heavy(run):
    found, imported = run("--version")
    assert found.returncode == 0
    assert imported == set()
    assert is_silent(found)


@pytest.mark.parametrize("workers", ["", "-n2"])
def test_a_foreign_run_imports_nothing_heavy_and_sees_nothing(run, foreign, workers):
    if workers:
        pytest.importorskip("xdist")
    found, imported = run(*filter(None, [workers]))
    assert found.returncode == 0, found.stdout
    assert "1 passed" in found.stdout
    assert imported == set()
    assert is_silent(found)


def test_collecting_strictly_works_and_imports_nothing_heavy(run, foreign):
    found, imported = run("--collect-only", "-q", "--strict-markers", "--strict-config")
    assert found.returncode == 0
    assert found.stdout.startswith("test_foreign.py::test_it\n")
    assert imported == set()
    assert is_silent(found)


def test_the_help_lists_every_option(run):
    found, imported = run("--help")
    assert found.returncode == 0
    for name, _, _ in OPTIONS:
        assert f"--genbench-{name}" in found.stdout
        assert f"genbench_{name.replace('-', '_')}" in found.stdout
    assert imported == set()


def test_the_plugin_can_be_turned_off(run, foreign):
    found, imported = run("-p", "no:genbench")
    assert found.returncode == 0, found.stdout + found.stderr
    assert imported == set()
    refused, _ = run("-p", "no:genbench", "--genbench-model=model.onnx")
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "unrecognized arguments: --genbench-model=model.onnx" in refused.stderr


SUITE = ("--genbench-suite=compositional", "--genbench-preset=mini", "-k", "B5")


def test_a_run_on_an_onnx_model_leaves_torch_alone(run, model):
    found, imported = run(f"--genbench-model={model}", *SUITE)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "torch" not in imported
    assert "onnxruntime" in imported


def test_a_run_opens_no_socket(run, model):
    # pytest-rerunfailures opens one of its own.
    found, _ = run(
        f"--genbench-model={model}", *SUITE, "--genbench-save=r.json", "-p", "no:rerunfailures", before=OFFLINE
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "1 passed" in found.stdout


@pytest.mark.parametrize("call", ["urllib.request.urlopen('http://localhost:9')", "socket.socket()"])
def test_the_block_is_noticed_even_where_the_error_is_handled(call):
    script = OFFLINE + f"import urllib.request\ntry:\n    {call}\nexcept OSError:\n    pass\n"
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    found = subprocess.run([sys.executable, "-c", script], env=environment, timeout=60, check=False)
    assert found.returncode == 99
