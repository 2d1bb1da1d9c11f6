"""A hierarchical benchmark small enough to learn in seconds: signals with a slope and, half of the time, a kink; or as images.

The truth is ``c {0 | c}``: a slope, and whether there is a kink, and how sharp it is.
"""

import numpy as np

from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.learners import TrainingTask
from pytest_genbench.rng import stream
from pytest_genbench.splits import Split

HIERARCHY = Hierarchy((Continuous("slope"), Categorical(((), (Continuous("kink"),)), "kinked")))


class Twigs:
    name = "twigs"
    version = "1"
    preset = "default"
    families = ("in_distribution",)

    def __init__(self, items=600, shape=(64,)):
        self.image_shape = shape
        self.grid = FactorGrid((Factor("item", tuple(range(items))),))
        self.rendered = []
        draw = stream("twigs", items)
        kinked = draw.random(items) < 0.5
        slope, kink = draw.uniform(-0.01, 0.01, (2, items))
        self.table = np.stack([kinked + 1, slope, kink * kinked], 1).astype(np.float32)

    def hierarchy(self, split):
        return HIERARCHY

    def splits(self, family):
        n = self.grid.size
        return (Split(self.name, self.preset, family, "random", "every tenth", lambda: np.arange(n) % 10 == 0),)

    def images(self, index):
        index = np.asarray(index)
        self.rendered.extend(index.tolist())
        steps = np.arange(64)
        _, slope, kink = self.table[index].T[..., None]
        signals = (slope * steps + kink * np.maximum(steps - 32, 0)).astype(np.float32)
        if len(self.image_shape) == 1:
            return signals
        rows = np.linspace(1, -1, 64)[:, None]
        return (
            (255 * (np.abs(signals[:, None] - rows) < 0.1)).astype(np.uint8)[..., None].repeat(self.image_shape[2], 3)
        )

    def targets(self, index):
        table = self.table[np.asarray(index)]
        return {"embedding": table, "assignment.0": np.eye(2, dtype=np.float32)[table[:, 0].astype(int) - 1]}


def task(items=600, shape=(64,)):
    benchmark = Twigs(items, shape)
    return TrainingTask(benchmark, benchmark.splits("in_distribution")[0])
