"""Projects for pytester: a toy suite, models as NumPy functions, and gates that fit."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

# Pytester forgets modules that a run in this process imported; these cannot be imported a second time.
for heavy in ("numpy", "scipy.stats", "onnxruntime", "onnx", "torch"):
    if find_spec(heavy.partition(".")[0]):
        import_module(heavy)

SUITE = """
import pytest
from toy import TOY

@pytest.mark.genbench(benchmark=TOY, family="brightness")
def test_brightness(split, genbench):
    genbench.passes()
"""

MODELS = """
import os, time
import numpy as np

def copies(images):
    return images

def says(**declared):
    def decorate(function):
        function.genbench = {"range": "0,1", "outputs": "output=reconstruction", "benchmark": "toy", **declared}
        return lambda: function
    return decorate

good = says(code_size="64")(copies)

@says(code_size="64")
def bad(images):
    return np.zeros_like(images)

@says(code_size="64")
def dims(images):
    return np.where(images > 0.8, 0, images).astype(images.dtype)

unbounded = says()(lambda images: images)

trained = says(code_size="64", trained_on="toy/default/brightness-3")(lambda images: images)

@says(code_size="64")
def half(images):
    return np.where(images > 0.5, 0, images).astype(images.dtype)
"""

GATES = """
defaults = false

[[gate]]
benchmark = "*"
family = "brightness"
metric = "accuracy"
min = 0.9
tolerance = 0.005
against = "both"
reason = "for the test"

[[aggregate]]
benchmark = "*"
family = "brightness"
metric = "accuracy"
statistic = "mean"
min = 0.9
reason = "for the test"
"""


def run_pytest(pytester, monkeypatch, args, own_process):
    """Run pytest in a user's folder: in this process, which is ten times faster, or in one of its own."""
    args = ["-p", "no:cacheprovider", *args]
    if own_process:
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(pytester.path), os.environ.get("PYTHONPATH", "")]))
        return pytester.runpytest_subprocess(*args)
    pytester.syspathinsert()
    return pytester.runpytest_inprocess(*args)


@pytest.fixture
def project(pytester, monkeypatch):
    """A folder with the toy suite, its models (`models:good` …) and gates; run it with `run(...)`."""
    toy = Path(__file__).with_name("toy.py").read_text(encoding="utf-8")
    pytester.makepyfile(toy=toy, test_toy=SUITE, models=MODELS)
    pytester.path.joinpath("gates.toml").write_text(GATES)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return pytester


@pytest.fixture
def run(project, monkeypatch):
    """Run pytest in the project with the toy's gates."""

    def run(*args, model="models:good", gates="gates.toml", own_process=False):
        options = [f"--genbench-model={model}"] if model else []
        options += [f"--genbench-gates={gates}"] if gates else []
        spread = any(arg.startswith("-n") for arg in args)
        return run_pytest(project, monkeypatch, [*options, *args], own_process=own_process or spread)

    return run
