"""The stopwatch that all measurements share, the model they run, and the table at the end."""

import os
from time import perf_counter

import numpy as np
import pytest

from pytest_genbench.threads import cores

FIGURES = pytest.StashKey[list]()


class Stopwatch:
    """Times ours against plain ways of doing the same, round by round in turn, so that a busy moment strikes all alike.

    Args:
        benchmark: pytest-benchmark's fixture, which keeps the times of ours, and every figure in ``extra_info``.
        lines: Where lines for the end of the run go.
    """

    def __init__(self, benchmark, lines):
        self._benchmark = benchmark
        self._lines = lines
        self.note(cores=cores(), load=round(os.getloadavg()[0], 2))

    def least(self, ours, *plain, rounds, warmup=1):
        """Return the least seconds of each function, ours first, after some rounds to warm up."""
        seconds = [[] for _ in (ours, *plain)]

        def run(at, function):
            start = perf_counter()
            function()
            seconds[at].append(perf_counter() - start)

        def run_plain():
            for at, function in enumerate(plain, start=1):
                run(at, function)

        self._benchmark.pedantic(run, args=(0, ours), setup=run_plain, rounds=rounds, warmup_rounds=warmup)
        return [min(each[warmup:]) for each in seconds]

    def note(self, **figures):
        """Record figures."""
        self._benchmark.extra_info.update(figures)

    def show(self, text, **figures):
        """Record figures, and show a line at the end of the run."""
        self.note(**figures)
        self._lines.append(text)


@pytest.fixture
def stopwatch(benchmark, request):
    return Stopwatch(benchmark, request.config.stash.setdefault(FIGURES, []))


def pytest_terminal_summary(terminalreporter, config):
    lines = config.stash.get(FIGURES, [])
    if lines:
        terminalreporter.section("performance")
        terminalreporter.write_line(f"{cores()} cores, load {os.getloadavg()[0]:.1f} at the end")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A small convolutional autoencoder with random weights and a declared code size, as an ONNX file for CompOrth."""
    from ..models.builders import node, save, value

    draw = np.random.default_rng(0)
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "up1": (32, 16, 4, 4), "up2": (16, 1, 4, 4)}
    weights = {name: draw.normal(size=shape).astype(np.float32) / 10 for name, shape in shapes.items()}
    halve = {"strides": [2, 2], "pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
    double = {**halve, "kernel_shape": [4, 4]}
    nodes = [
        node("Conv", ["image", "conv1"], ["a"], **halve),
        node("Relu", ["a"], ["b"]),
        node("Conv", ["b", "conv2"], ["c"], **halve),
        node("Relu", ["c"], ["code"]),
        node("ConvTranspose", ["code", "up1"], ["d"], **double),
        node("Relu", ["d"], ["e"]),
        node("ConvTranspose", ["e", "up2"], ["f"], **double),
        node("Sigmoid", ["f"], ["reconstruction"]),
    ]
    path = tmp_path_factory.mktemp("model") / "model.onnx"
    metadata = {"genbench.code_size": str(32 * 16 * 16), "genbench.benchmark": "comporth"}
    images = ("N", 1, 64, 64)
    return save(path, nodes, [value("image", images)], [value("reconstruction", images)], weights, metadata)
