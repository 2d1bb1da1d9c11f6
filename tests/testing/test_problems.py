"""Benchmarks of problems: several images at once, scores of a sample without end, items set apart to choose by."""

from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.benchmarks import Task
from pytest_genbench.errors import ModelError
from pytest_genbench.scores import Anchor, Tally
from pytest_genbench.testing import check_benchmark

from .dots import GRID, Dots, check_words

NUMBER, ENDLESS = 3, 10**9


class Places:
    """Accuracy over all, and where the first image is right."""

    def __init__(self, split):
        self.tallies = {name: Tally(name, ["all"], proportion=True) for name in ("accuracy", "accuracy.first")}

    def add(self, index, images, outputs):
        answer = Odds.answer(index)
        right = outputs["scores"].argmax(axis=1) == answer
        for name, chosen in (("accuracy", answer >= 0), ("accuracy.first", answer == 0)):
            self.tallies[name].add(right[chosen], np.zeros(chosen.sum(), dtype=np.int64))

    def scores(self, population, condition):
        return [tally.score(population, condition) for tally in self.tallies.values() if tally._counts.any()]

    def errors(self):
        return {}


class Gap(Places):
    """Accuracy, and how much better the first image is found than others: 0 for right answers."""

    def scores(self, population, condition):
        found = super().scores(population, condition)
        gap = replace(found[0], metric="gap", value=found[1].value - found[0].value, clusters={}, better="lower")
        return [found[0], gap]


class OnlyLines(Places):
    """Cannot be asked of the family cell."""

    def __init__(self, split):
        super().__init__(split)
        if split.family == "cell":
            raise ModelError("not of cells")


def task(name="odd", **changes):
    return Task(
        **{
            "name": name,
            "outputs": ("scores",),
            "metrics": {"accuracy": "higher", "accuracy.first": "higher"},
            "scorer": Places,
            "anchors": lambda split: [Anchor("chance", "accuracy", 1 / NUMBER)],
            "population": ENDLESS,
            **changes,
        }
    )


def on_request(**changes):
    return task(items=lambda split: split.test, in_split=False, on_request=True, **changes)


class Odds(Dots):
    """Three images, one of which is inverted; the last column of the grid is there to choose by."""

    __qualname__ = "here.Odds"
    image_shape = (NUMBER, 4, 5, 1)
    tasks = {"odd": task()}  # noqa: RUF012

    def __init__(self, preset="only"):
        self.preset = preset

    @staticmethod
    def answer(index):
        return np.asarray(index, dtype=np.int64) * 7 % 5 % NUMBER

    def images(self, index):
        images = np.repeat(super().images(index)[:, None], NUMBER, axis=1)
        images[np.arange(len(images)), self.answer(index)] ^= 255
        return images

    def targets(self, index):
        return {"scores": self.answer(index)}

    def splits(self, family):
        last = GRID.levels(np.arange(20))[:, 1] == 4
        return tuple(
            replace(
                split,
                is_held_out=lambda split=split: split.is_held_out() & ~last,
                belongs=lambda: ~last,
                validates=lambda: last.copy(),
            )
            for split in super().splits(family)
        )


class Twice(Odds):
    """Two families that test the same splits, each in its own way."""

    __qualname__ = "here.Twice"
    tasks = {  # noqa: RUF012
        "odd": task(),
        "lines": on_request(name="lines", scorer=OnlyLines),
        "gap": on_request(name="gap", scorer=Gap, metrics={"accuracy": "higher", "gap": "lower"}),
    }

    def splits(self, family):
        super().splits(family)
        return tuple(replace(split, family=family) for split in super().splits("line"))


def inverted(images):
    """A model that is always right: the odd image is mostly white."""
    return {"scores": images.mean(axis=(2, 3, 4))}


inverted.genbench = {"layout": "NHWC"}


@pytest.mark.parametrize("sound", [Odds(), Twice()], ids=["Odds", "Twice"])
def test_sound_benchmarks_pass(sound):
    check_benchmark(sound, model=inverted)


def test_an_encoder_takes_part():
    def encoder(images):
        return {"embedding": images.reshape(len(images), -1) - 0.5}

    encoder.genbench = {"layout": "NHWC", "outputs": "embedding=embedding"}
    check_benchmark(Odds(), model=encoder)


class WithoutInterval(Places):
    def scores(self, population, condition):
        return [replace(score, interval=None) for score in super().scores(population, condition)]


class OfWhatIsThere(Places):
    def scores(self, population, condition):
        return super().scores(20, condition)


def splits_with(change, kind=Odds):
    def splits(self, family):
        return tuple(replace(split, **change(split)) for split in kind.splits(self, family))

    return splits


BROKEN = {
    "floats": (
        {"images": lambda self, index: Odds.images(self, index) / 255},
        "is float64 (16, 3, 4, 5, 1); return uint8",
    ),
    "five axes": ({"image_shape": (2, 3, 4, 5, 1)}, "of sets of images with their number before it"),
    "places from 1": (
        {"targets": lambda self, index: {"scores": Odds.answer(index) + 1}},
        "targets()['scores'] has places 1 to 3; number them from 0 to 2, as 3 images are shown",
    ),
    "places as bytes": (
        {"targets": lambda self, index: {"scores": Odds.answer(index).astype(np.uint8)}},
        "targets()['scores'] is uint8 (16,); return int64",
    ),
    "no interval": ({"tasks": {"odd": task(scorer=WithoutInterval)}}, "accuracy.first: no interval"),
    "no interval on request": ({"tasks": {"odd": on_request(scorer=WithoutInterval)}}, "accuracy.first: no interval"),
    "another population": ({"tasks": {"odd": task(scorer=OfWhatIsThere)}}, f"it has to be the int {ENDLESS}"),
    "asked of no split": (
        {"tasks": {"odd": on_request(scorer=OnlyLines)}, "families": ("cell",)},
        "task 'odd': raised ModelError: not of cells",
    ),
    "validation held out": (
        {"splits": splits_with(lambda split: {"validates": split.is_held_out})},
        "validates() marks items that are held out",
    ),
    "validation to train on": (
        {"splits": splits_with(lambda split: {"validates": split.is_shown})},
        "validates() marks items to train on",
    ),
    "no validation": (
        {"splits": splits_with(lambda split: {"validates": lambda: np.zeros(20, bool)})},
        "validates() marks nothing",
    ),
    "a short validation": (
        {"splits": splits_with(lambda split: {"validates": lambda: np.ones(3, bool)})},
        "validates() gives bool (3,); return a bool array of 20 entries",
    ),
    "one slug for two splits": (
        {"splits": splits_with(lambda split: {"slug": split.slug.replace("cell-0", "line-")})},
        "the slug 'line-0' is there 2 times, in cell and line; make slugs unique over all families, except where",
    ),
}


@pytest.mark.parametrize(("members", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_rule_is_named(members, words):
    check_words(type("Broken", (Odds,), {"__qualname__": "here.Broken", **members}), [words])


def test_a_worse_headline_is_found_whatever_its_interval():
    class Wrong(Places):
        def add(self, index, images, outputs):
            super().add(index, images, {"scores": -outputs["scores"]})

    check_words(
        type("Broken", (Odds,), {"__qualname__": "here.Broken", "tasks": {"odd": task(scorer=Wrong)}}),
        ["for right answers and"],
    )
