"""A benchmark with images small models can read in seconds: a bright or a dim block at one of some places, in one of some sizes."""

import numpy as np

from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.learners import TrainingTask
from pytest_genbench.splits import Split


class Blocks:
    name = "blocks"
    version = "1"
    preset = "default"
    families = ("random", "extrapolation", "composition")
    grid = FactorGrid(
        (
            Factor("brightness", ("dim", "bright")),
            Factor("size", (12, 20, 28), "ordinal"),
            Factor("x", tuple(range(6)), "ordinal"),
            Factor("y", tuple(range(6)), "ordinal"),
        )
    )

    def __init__(self, side=64, channels=1):
        self.image_shape = (side, side, channels)

    def splits(self, family):
        levels = self.grid.levels(np.arange(self.grid.size))
        held_out = {
            "random": np.random.default_rng(0).random(len(levels)) < 0.5,
            "extrapolation": (levels[:, 2] == 5) | (levels[:, 3] == 5),
            "composition": (levels[:, 2] > 1) & (levels[:, 3] > 1),
        }[family]
        return (Split(self.name, self.preset, family, family, family, lambda: held_out),)

    def images(self, index):
        brightness, size, x, y = self.levels(index).T[..., None]
        line = np.arange(self.image_shape[0])
        column, row = (np.abs(line - 12 - 8 * at) < 6 + 4 * size for at in (x, y))  # (N, side)
        images = (row[:, :, None] & column[:, None, :]) * (100 + 155 * brightness[..., None])
        return images.astype(np.uint8)[..., None].repeat(self.image_shape[2], 3)

    def levels(self, index):
        return self.grid.levels(index)

    def targets(self, index):
        return {"factors": (self.levels(index) / (1, 2, 5, 5)).astype(np.float32)}


def task(family="random", **shape):
    benchmark = Blocks(**shape)
    return TrainingTask(benchmark, benchmark.splits(family)[0])
