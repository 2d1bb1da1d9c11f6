"""An odd-one-out benchmark small enough to learn in seconds: the odd image of a problem has the largest square.

Rules differ in the squares' colour alone.
"""

import numpy as np

from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.learners import TrainingTask
from pytest_genbench.rng import stream
from pytest_genbench.splits import Split

RULES, EACH = 103, 400
TRAIN, VALIDATION = 300, 40  # of each rule; the others are there to be tested


class Odd:
    name = "odd"
    version = "1"
    preset = "default"
    families = ("reasoning",)
    tasks = {}  # noqa: RUF012
    grid = FactorGrid((Factor("rule", tuple(range(RULES))), Factor("problem", tuple(range(EACH)), "ordinal")))

    def __init__(self, side=32):
        self.image_shape = (4, side, side, 3)
        self.rendered = []

    def training(self, rules, n):
        number = np.tile(np.arange(EACH), RULES)
        chosen = np.isin(np.repeat(np.arange(RULES), EACH), rules)
        return Split(
            self.name,
            self.preset,
            "training",
            f"{'-'.join(map(str, rules)) if len(rules) < RULES else 'all'}-n{n}",
            "the others",
            is_held_out=lambda: chosen & (number >= TRAIN + VALIDATION),
            belongs=lambda: chosen & ((number < n) | (number >= TRAIN + VALIDATION)),
            validates=lambda: chosen & (number >= TRAIN) & (number < TRAIN + VALIDATION),
        )

    def splits(self, family):
        return (self.training((13,), 100),)

    def rules_of(self, split):
        return tuple(np.unique(split.train // EACH).tolist())

    def levels(self, index):
        return self.grid.levels(index)

    def targets(self, index):
        return {"scores": np.array([stream("odd", int(item)).integers(4) for item in index])}

    def images(self, index):
        index = np.asarray(index)
        self.rendered.extend(index.tolist())
        side = self.image_shape[1]
        images = np.full((len(index), *self.image_shape), 255, np.uint8)
        for item, four in zip(index.tolist(), images, strict=True):
            draw = stream("odd", item)
            odd, colour = draw.integers(4), np.array((item // EACH, 0, 100))
            for at, image in enumerate(four):
                size = side // 2 if at == odd else side // 4
                x, y = draw.integers(side - size, size=2)
                image[y : y + size, x : x + size] = colour
        return images

    def references(self, index):
        odd = self.targets(index)["scores"]
        return self.images(index)[np.arange(len(odd)), np.where(odd == 0, 1, 0)]


def task(rules=(13,), n=100, side=32):
    benchmark = Odd(side)
    return TrainingTask(benchmark, benchmark.training(rules, n))
