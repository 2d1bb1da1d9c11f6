"""Two xdist workers against none, over whole runs of the compositional suite."""

import os
import subprocess
import sys

import pytest

from pytest_genbench.threads import cores

pytestmark = [pytest.mark.slow, pytest.mark.skipif(cores() < 2, reason="two workers need two cores")]
pytest.importorskip("xdist")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores can be taken away on Linux only")
@pytest.mark.parametrize(
    "options", [(), ("--genbench-preset=described", "--genbench-samples=all")], ids=["default", "described, all items"]
)
def test_two_workers(stopwatch, model, tmp_path, monkeypatch, options):
    """Without workers a run keeps every core busy by threads already, so that processes can add little.

    What two workers are worth beside one process with one core stands beside it. All runs have two cores at most.
    """
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n")
    two = sorted(os.sched_getaffinity(0))[:2]

    def run(workers, allowed):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark", f"-n{workers}"]
        command += ["--genbench-suite=compositional", f"--genbench-model={model}", *options]
        pinned = [sys.executable, "-c", PINNED, ",".join(map(str, allowed)), *command]
        found = subprocess.run(pinned, cwd=tmp_path, capture_output=True, text=True, timeout=1200, check=False)
        assert "10 scores" in found.stdout, found.stdout + found.stderr

    workers, threads, single = stopwatch.least(
        lambda: run(2, two), lambda: run(0, two), lambda: run(0, two[:1]), rounds=1 if options else 2, warmup=0
    )
    stopwatch.show(
        f"-n2, {' '.join(options) or 'default options'}: {threads / workers:.2f} times as fast as -n0 with a thread on each of two "
        f"cores, {single / workers:.2f} times as fast as -n0 on one core (aim 1.8)",
        ratio=threads / workers,
        ratio_one_core=single / workers,
    )


# Keeps a command and its children to some cores; a function for preexec_fn would not be safe beside threads.
PINNED = """
import os, sys
os.sched_setaffinity(0, map(int, sys.argv[1].split(",")))
os.execv(sys.argv[2], sys.argv[2:])
"""
