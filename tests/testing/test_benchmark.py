"""The checks of a benchmark: what is sound passes, and each broken rule is named."""

import os
import random
from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.splits import Split
from pytest_genbench.testing import check_benchmark
from tests.plugin.toy import Toy

from .dots import GRID, Dots, Scorer, broken, check_words


def one_hot(images):
    """A model that is always right."""
    return {"factor.row": images.reshape(-1, 4, 5).max(axis=2)}


one_hot.genbench = {"layout": "NHWC"}


@pytest.mark.parametrize(
    "sound",
    [Toy(), Dots(), CompOrth("mini"), CompOrth("mini", letters="XYZ", max_length=3)],
    ids=["Toy", "Dots", "mini", "letters"],
)
def test_sound_benchmarks_pass(sound):
    check_benchmark(sound)


def test_nothing_global_is_touched():
    np.random.seed(1)
    random.seed(1)
    before = np.random.get_state()[1].tobytes(), random.getstate()
    check_benchmark(Dots(), model=one_hot)
    assert (np.random.get_state()[1].tobytes(), random.getstate()) == before


def counted(calls):
    """Something that is different on each call."""
    calls.append(0)
    return len(calls)


def splits_with(**changes):
    def splits(self, family):
        return tuple(replace(split, **changes) for split in Dots.splits(self, family))

    return splits


def splits_held_out(change):
    """Splits whose mask is what `change` makes of the right one."""

    def splits(self, family):
        return tuple(
            replace(split, is_held_out=lambda split=split: change(split.is_held_out()))
            for split in Dots.splits(self, family)
        )

    return splits


def coin(mask, calls=[]):  # noqa: B006 - shared between calls, so that each is different
    return np.roll(mask, counted(calls))


class Overlapping(Split):
    @property
    def train(self):
        return np.arange(20)


def read_only(self, index):
    images = Dots.images(self, index)
    images.flags.writeable = False
    return images


CACHE = {}


def cached_images(self, index):
    return CACHE.setdefault(tuple(index), Dots.images(self, index))


def drawn(generator):
    def images(self, index):
        return Dots.images(self, index) + np.asarray(generator()).astype(np.uint8)

    return images


def shifts_index(self, index):
    images = Dots.images(self, index)
    if isinstance(index, np.ndarray):
        index += 1
    return images


def position_in_batch(self, index):
    images = Dots.images(self, index)
    images[:, 0, 0, 0] = np.arange(len(index))
    return images


def raises(error, when=lambda *_: True, otherwise=None):
    def method(self, *arguments):
        if when(*arguments):
            raise error
        return otherwise(self, *arguments)

    return method


def is_unknown(family):
    return family == "no-such-family"


BROKEN = [
    broken("no name", "name is ''", name=""),
    broken("a name with a slash", "name is 'my/dots'", "part of a path", name="my/dots"),
    broken("a version that is a number", "version is 1", version=1),
    broken("no grid", "grid is a NoneType", grid=None),
    broken("another image shape", "image_shape is [4, 5, 1]", image_shape=[4, 5, 1]),
    broken("families as text", "families is 'cell'", families="cell"),
    broken("no families", "families is ()", families=()),
    broken(
        "KeyError for an unknown family",
        "splits('no-such-family') raised KeyError: 'x'",
        "raise BenchmarkError",
        splits=raises(KeyError("x"), is_unknown, Dots.splits),
    ),
    broken(
        "an unknown family is made up",
        "splits('no-such-family') returned",
        splits=lambda self, family: Dots.splits(self, "line" if is_unknown(family) else family),
    ),
    broken("no splits", "splits('cell') is ()", "As no split can be used", splits=lambda self, family: ()),
    broken("splits crash", "splits(): raised ZeroDivisionError", splits=lambda self, family: 1 // 0),
    broken("another benchmark in splits", "benchmark is 'other'", "'dots'", splits=splits_with(benchmark="other")),
    broken("another preset in splits", "preset is 'other'", "'only'", splits=splits_with(preset="other")),
    broken("another family in splits", "family is 'other'", "'cell'", splits=splits_with(family="other")),
    broken("nothing said of what is held out", "held_out is ' '", splits=splits_with(held_out=" ")),
    broken("one slug for all", "the slug 'same' is there 12 times, in cell and line", splits=splits_with(slug="same")),
    broken(
        "splits in another order",
        "in another order, when called again",
        splits=lambda self, family, calls=[]: Dots.splits(self, family)[:: (-1) ** counted(calls)],
    ),
    broken(
        "a mask of integers",
        "is_held_out() gives int64 (20,)",
        splits=splits_held_out(lambda mask: mask.astype(np.int64)),
    ),
    broken("a mask that is a list", "is_held_out() gives list", splits=splits_held_out(lambda mask: mask.tolist())),
    broken("nothing held out", "holds out nothing", splits=splits_held_out(lambda mask: mask & False)),
    broken("everything held out", "holds out everything", splits=splits_held_out(lambda mask: mask | True)),
    broken("chance in masks", "another mask when called again", splits=splits_held_out(coin)),
    broken(
        "masks of several lengths",
        "has 21 entries, cell-00 has 20",
        splits=lambda self, family: (
            splits_held_out(lambda mask: np.append(mask, False))(self, family)
            if family == "line"
            else Dots.splits(self, family)
        ),
    ),
    broken(
        "training on what is held out",
        "train and test overlap",
        splits=lambda self, family: tuple(Overlapping(**vars(split)) for split in Dots.splits(self, family)),
    ),
    broken(
        "float images",
        "images() of 20 items is float64 (20, 4, 5, 1); return uint8",
        images=lambda self, index: Dots.images(self, index) / 255,
    ),
    broken("images as a list", "is a list", images=lambda self, index: Dots.images(self, index).tolist()),
    broken("images without channels", "(20, 4, 5)", images=lambda self, index: Dots.images(self, index)[..., 0]),
    broken("read-only images", "cannot be written to", images=read_only),
    broken("images of a cache", "after the caller changed what was returned", "a copy", images=cached_images),
    broken("the same image", "the same image for 20 items", images=lambda self, index: Dots.images(self, index) * 0),
    broken("images by place in the batch", "asked for in another order", "one by one", images=position_in_batch),
    broken(
        "no lists as an index",
        "images(): raised AttributeError",
        "test_benchmark.py, line",
        images=lambda self, index: Dots.images(self, index.astype(np.int64)),
    ),
    broken("a changed index", "images() changes the index", images=shifts_index),
    broken(
        "no empty index",
        "images(): raised BenchmarkError: empty",
        images=raises(BenchmarkError("empty"), lambda i: not len(i), Dots.images),
    ),
    broken("NumPy's global generator", "images() uses the global random generator", images=drawn(np.random.random)),
    broken("Python's global generator", "images() uses the global random generator", images=drawn(random.random)),
    broken(
        "levels of another type",
        "levels() of 20 items is int32",
        levels=lambda self, index: GRID.levels(index).astype(np.int32),
    ),
    broken("too few levels", "is int64 (20, 1)", levels=lambda self, index: GRID.levels(index)[:, :1]),
    broken(
        "levels from 1",
        "levels() of 'row' go from 1 to 4",
        "0 to 3",
        levels=lambda self, index: GRID.levels(index) + np.array([1, 0]),
    ),
    broken("targets as a list", "targets() is a list", targets=lambda self, index: []),
    broken(
        "a target for no output",
        "targets()['row'] is not for an output",
        targets=lambda self, index: {"row": GRID.levels(index)[:, 0]},
    ),
    broken(
        "classes from 1",
        "targets()['factor.row'] has classes 1 to 4; number them from 0 to 3",
        targets=lambda self, index: {"factor.row": GRID.levels(index)[:, 0] + 1},
    ),
    broken(
        "classes as floats",
        "is float64 (20,); return int64",
        targets=lambda self, index: {"factor.row": GRID.levels(index)[:, 0] * 1.0},
    ),
    broken(
        "factors above 1",
        "targets()['factors'] goes from 0 to 4; scale it to [0, 1]",
        targets=lambda self, index: {**Dots.targets(self, index), "factors": GRID.levels(index).astype(np.float32)},
    ),
    broken("no answers to the task", "no right answers for factor.row", targets=lambda self, index: {}),
    broken(
        "exposed to itself",
        "is_exposed('dots/only/cell-00', cell-00) is True; it has to be False",
        is_exposed=lambda *_: True,
    ),
    broken("exposed to nothing", "is False; it has to be True", is_exposed=lambda *_: False),
    broken(
        "exposed, NumPy's",
        "is_exposed() returns np.False_",
        is_exposed=lambda self, *a: np.bool_(Dots.is_exposed(self, *a)),
    ),
    broken(
        "an unknown id is made up",
        "is_exposed('dots/only/no-such-split', …) returned",
        is_exposed=lambda self, one, split: "no-such" not in one and Dots.is_exposed(self, one, split),
    ),
    broken(
        "KeyError for an unknown id",
        "raised KeyError: 'who'",
        is_exposed=lambda self, one, split: (
            raises(KeyError("who"))(self) if "no-such" in one else Dots.is_exposed(self, one, split)
        ),
    ),
]


@pytest.mark.parametrize(("kind", "words"), BROKEN)
def test_a_broken_rule_is_named(kind, words):
    CACHE.clear()
    check_words(kind, words)


def test_all_problems_come_in_one_message():
    kind = type("Broken", (Dots,), {"name": "", "images": raises(OSError("no disk")), "is_exposed": lambda *_: False})
    with pytest.raises(
        AssertionError, match=r"\d problems\n- name is ''(.|\n)*\n- images\(\): raised OSError: no disk"
    ) as caught:
        check_benchmark(kind())
    assert "is_exposed" in str(caught.value)


CALLS = []


class ByClock(Dots):
    """Its images depend on when it was made."""

    __qualname__ = "here.ByClock"

    def __init__(self, preset="only"):
        super().__init__(preset)
        self.shift = counted(CALLS)

    def images(self, index):
        return np.roll(super().images(index), self.shift, axis=2)


class ByHash(Dots):
    """Its splits are in the order of a set of text."""

    __qualname__ = "ByHash"

    def splits(self, family):
        found = {split.slug: split for split in super().splits(family)}
        return tuple(found[slug] for slug in set(found))


class ByProcess(Dots):
    """Its images depend on the process."""

    __qualname__ = "ByProcess"

    def images(self, index):
        return super().images(index) // 5 * np.uint8(os.getpid() % 5 + 1)


def test_a_second_instance_has_to_be_alike():
    with pytest.raises(AssertionError, match=r"a second instance of ByClock\('only'\) has other images"):
        check_benchmark(ByClock())


def test_another_process_has_to_agree_on_the_splits():
    with pytest.raises(AssertionError, match=r"an instance in another process of ByHash\('only'\) has other splits"):
        check_benchmark(ByHash())


def test_a_class_that_takes_more_than_a_preset_is_not_made_again():
    class Configured(Dots):
        def __init__(self, preset, colours):
            super().__init__(preset)

    check_benchmark(Configured("only", 3))


def test_a_model_can_take_part():
    check_benchmark(Dots(), model=one_hot)


def test_a_model_that_cannot_take_part():
    def model(images):
        return {"embedding": np.zeros((len(images), 3), np.float32)}

    with pytest.raises(AssertionError, match=r"the model offers embedding; to take part it needs factor\.row"):
        check_benchmark(Dots(), model=model)


def test_a_model_whose_scores_fail():
    class Strict(Scorer):
        def add(self, index, images, outputs):
            if len(index) > 19:
                raise MemoryError("too many")
            super().add(index, images, outputs)

    kind = type("Broken", (Dots,), {"__qualname__": "here.Broken", "scorer": Scorer})
    with pytest.raises(AssertionError, match=r"the model: raised ModelError"):
        check_benchmark(kind(), model=lambda images: {"factor.row": np.full((len(images), 4), np.nan)})
