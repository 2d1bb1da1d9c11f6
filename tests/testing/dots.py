"""A small sound benchmark to be broken rule by rule, and ways to break it."""

import numpy as np
import pytest

from pytest_genbench.benchmarks import Task
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.scores import Anchor, Tally
from pytest_genbench.splits import Split
from pytest_genbench.testing import check_benchmark

GRID = FactorGrid((Factor("row", tuple(range(4)), "ordinal"), Factor("column", tuple(range(5)), "ordinal")))


class Scorer:
    def __init__(self, split):
        self.tally = Tally("accuracy", [str(row) for row in range(4)], proportion=True)
        self.squares = Tally("mse", [str(row) for row in range(4)], better="lower")

    def add(self, index, images, outputs):
        row = GRID.levels(index)[:, 0]
        self.tally.add(outputs["factor.row"].argmax(axis=1) == row, row)
        self.squares.add((outputs["factor.row"].argmax(axis=1) - row) ** 2, row)

    def scores(self, population, condition):
        return [self.tally.score(population, condition), self.squares.score(population, condition)]

    def errors(self):
        return {"wrong": 0}


class Dots:
    """A dot at one of 4 x 5 places; a split holds out one of them, or a row."""

    __qualname__ = "here.Dots"  # so that it is not imported in another process, which takes a second
    name = "dots"
    version = "1"
    families = ("cell", "line")
    grid = GRID
    image_shape = (4, 5, 1)
    scorer = Scorer

    def __init__(self, preset="only"):
        self.preset = preset
        self.tasks = {self.task.name: self.task}

    @property
    def task(self):
        return Task(
            name="recognition",
            outputs=("factor.row",),
            metrics={"accuracy": "higher", "mse": "lower"},
            scorer=type(self).scorer,
            anchors=lambda split: [Anchor("chance", "accuracy", 0.25)],
        )

    def held_out(self, family):
        levels = self.grid.levels(np.arange(20))
        if family == "cell":
            return {
                f"cell-{row}{column}": (levels == (row, column)).all(axis=1) for row in range(4) for column in (0, 1)
            }
        if family == "line":
            return {f"line-{row}": levels[:, 0] == row for row in range(4)}
        raise BenchmarkError(f"no family {family}")

    def splits(self, family):
        return tuple(
            Split(self.name, self.preset, family, slug, slug, lambda mask=mask: mask)
            for slug, mask in self.held_out(family).items()
        )

    def images(self, index):
        images = np.zeros((len(index), 20), dtype=np.uint8)
        images[np.arange(len(index)), np.asarray(index, dtype=np.int64)] = 255
        return images.reshape(-1, 4, 5, 1)

    def levels(self, index):
        return self.grid.levels(index)

    def targets(self, index):
        levels = self.grid.levels(index)
        return {"factor.row": levels[:, 0], "factors": (levels / (3, 4)).astype(np.float32)}

    def is_exposed(self, trained_on, split):
        known = {each.id: each for family in self.families for each in self.splits(family)}
        if trained_on not in known:
            raise BenchmarkError(f"no split {trained_on}")
        return bool((~known[trained_on].is_held_out() & split.is_held_out()).any())


def broken(title, /, *words, **members):
    return pytest.param(type("Broken", (Dots,), {"__qualname__": "here.Broken", **members}), words, id=title)


def check_words(kind, words):
    """Check a broken benchmark, and that the message says all of this."""
    with pytest.raises(AssertionError) as caught:
        check_benchmark(kind())
    text = str(caught.value)
    for word in words:
        assert word in text, text
    assert text.startswith("Broken is no benchmark yet: ")
    assert "(findings.py" not in text
    assert "(tasks.py" not in text
