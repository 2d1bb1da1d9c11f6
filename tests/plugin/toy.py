"""A benchmark small enough to run in milliseconds, as another package would write it: numbers drawn as brightness.

Ten splits each hold out one brightness. The model must return the image; the score is the share of images
returned within a grey level.
"""

import numpy as np

from pytest_genbench.benchmarks import Task
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.scores import Anchor, Tally
from pytest_genbench.splits import Split


class Scorer:
    def __init__(self, split):
        self.tally = Tally("accuracy", [str(n) for n in range(10)], proportion=True)

    def add(self, index, images, outputs):
        right = np.abs(outputs["reconstruction"] - images / 255).max(axis=(1, 2, 3)) < 1 / 255
        self.tally.add(right, index // 30)

    def scores(self, population, condition):
        return [self.tally.score(population, condition)]

    def errors(self):
        return {}


class Toy:
    name = "toy"
    version = "1"
    families = ("brightness",)
    image_shape = (8, 8, 1)
    grid = FactorGrid((Factor("brightness", tuple(range(10))), Factor("copy", tuple(range(30)))))

    def __init__(self, preset="default"):
        if preset not in ("default", "other"):
            raise BenchmarkError(f"Toy has no preset {preset!r}.")
        self.preset = preset
        self.tasks = {
            "reconstruction": Task(
                name="reconstruction",
                outputs=("reconstruction",),
                metrics={"accuracy": "higher"},
                scorer=Scorer,
                anchors=lambda split: [Anchor("chance", "accuracy", 0.1)],
                needs_code_size=True,
                fits=lambda name, shape: tuple(shape) == (8, 8, 1),
            )
        }

    def splits(self, family):
        if family != "brightness":
            raise BenchmarkError(f"Toy has no family {family!r}.")
        return tuple(
            Split(
                "toy", self.preset, family, f"brightness-{n}", f"brightness {n}", lambda n=n: np.arange(300) // 30 == n
            )
            for n in range(10)
        )

    def images(self, index):
        brightness = self.grid.levels(index)[:, 0] * 25
        return np.broadcast_to(brightness.astype(np.uint8)[:, None, None, None], (len(brightness), 8, 8, 1)).copy()

    def levels(self, index):
        return self.grid.levels(index)

    def targets(self, index):
        return {"factor.brightness": self.grid.levels(index)[:, 0]}

    def is_exposed(self, trained_on, split):
        slug = trained_on.rpartition("/")[2]
        if slug not in [each.slug for each in self.splits(split.family)]:
            raise BenchmarkError(f"{trained_on!r} is not a split of toy.")
        return slug != split.slug


TOY = Toy()
