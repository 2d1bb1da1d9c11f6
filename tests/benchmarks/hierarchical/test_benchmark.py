"""Chopsticks and Spaceshapes as benchmarks: nine data sets, their splits, true values and exposure."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.testing import check_benchmark

CHOPSTICKS, SHAPES = get("chopsticks", "mini"), get("spaceshapes", "mini")


@pytest.mark.parametrize("name", ["chopsticks", "spaceshapes"])
def test_conforms(name):
    check_benchmark(get(name, "mini"))


def test_nine_data_sets():
    slugs = [split.slug for benchmark in (CHOPSTICKS, SHAPES) for split in benchmark.splits("hierarchy")]
    variants = ("inter", "slope", "both", "either")
    assert slugs == [f"depth{depth}-{variant}" for depth in (2, 3) for variant in variants] + ["spaceshapes"]


@pytest.mark.parametrize(
    ("name", "preset", "items"),
    [
        ("chopsticks", "published", 100_000),
        ("chopsticks", "described", 100_000),
        ("spaceshapes", "published", 60_000),
        ("spaceshapes", "published-binary", 60_000),
        ("spaceshapes", "described", 100_000),
        ("spaceshapes", "described-binary", 100_000),
    ],
)
def test_sizes_of_presets(name, preset, items):
    for split in get(name, preset).splits("hierarchy"):
        assert (len(split.test), len(split.train)) == (items // 10, items - items // 10)
        assert np.intersect1d(split.test, split.train).size == 0


def test_splits_share_no_items():
    sets = [np.concatenate([split.train, split.test]) for split in CHOPSTICKS.splits("hierarchy")]
    assert len(np.unique(np.concatenate(sets))) == sum(map(len, sets)) == len(CHOPSTICKS)


def test_signals_are_those_of_the_true_values():
    split = CHOPSTICKS.splits("hierarchy")[5]
    assert (split.slug, CHOPSTICKS.hierarchy(split).notation) == ("depth3-slope", "c {0 | c {0 | c}}")
    latents, signals = CHOPSTICKS.latents(split.test), CHOPSTICKS.images(split.test)
    assert (signals.dtype, signals.shape) == (np.float32, (1000, 64))
    slope = latents[:, CHOPSTICKS.hierarchy(split).names.index("slope1")]
    np.testing.assert_allclose(signals[:, 10], 10 * slope, rtol=1e-6)


def test_targets_tell_learners_the_table_and_the_assignments():
    split = SHAPES.splits("hierarchy")[0]
    targets = SHAPES.targets(split.train[:50])
    table = SHAPES.latents(split.train[:50])
    assert {name: array.shape for name, array in targets.items()} == {
        "embedding": (50, 8),
        "assignment.0": (50, 3),
        "assignment.1": (50, 2),
    }
    np.testing.assert_array_equal(targets["assignment.0"].argmax(axis=1) + 1, table[:, 0])
    is_ship = table[:, 0] == 3
    np.testing.assert_array_equal(targets["assignment.1"].sum(axis=1), is_ship)


def test_levels_are_data_set_and_path():
    split = CHOPSTICKS.splits("hierarchy")[3]
    levels = CHOPSTICKS.levels(split.test)
    assert set(levels[:, 0]) == {3}
    np.testing.assert_array_equal(levels[:, 1], CHOPSTICKS.hierarchy(split).path(CHOPSTICKS.latents(split.test)))
    assert set(levels[:, 1]) == set(range(6))


def test_proportions_of_spaceshapes():
    paths = SHAPES.levels(np.arange(len(SHAPES)))[:, 0]
    np.testing.assert_array_equal(np.bincount(paths), [4000, 4000, 2000, 2000])


def test_binary_images_are_the_grey_ones_cut_in_the_middle():
    index = np.arange(40)
    from pytest_genbench.benchmarks.hierarchical import spaceshapes

    table = SHAPES.latents(index)
    grey, binary = spaceshapes.images(table), spaceshapes.images(table, binary=True)
    np.testing.assert_array_equal(binary, np.where(grey >= 128, 255, 0))


def test_items_of_several_data_sets_have_no_common_table():
    with pytest.raises(BenchmarkError, match="2 data sets"):
        CHOPSTICKS.latents([0, 10_000])
    assert CHOPSTICKS.images([0, 10_000]).shape == (2, 64)


@pytest.mark.parametrize("index", [-1, 80_000])
def test_items_out_of_range(index):
    with pytest.raises(BenchmarkError, match="80,000 items"):
        CHOPSTICKS.images([index])


@pytest.mark.parametrize("name", ["chopsticks", "spaceshapes"])
def test_unknown_preset_and_family(name):
    with pytest.raises(BenchmarkError, match="Did you mean 'mini'"):
        get(name, "mimi")
    with pytest.raises(BenchmarkError, match="Did you mean 'hierarchy'"):
        get(name, "mini").splits("hierachy")


def test_exposure():
    first, second, *_ = CHOPSTICKS.splits("hierarchy")
    assert not CHOPSTICKS.is_exposed(first.id, first)
    assert not CHOPSTICKS.is_exposed(second.id, first)  # another data set shows nothing of this one
    assert not CHOPSTICKS.is_exposed("chopsticks/published/depth2-inter", first)
    with pytest.raises(BenchmarkError, match="Did you mean"):
        CHOPSTICKS.is_exposed("chopsticks/mini/depth2-intr", first)


def test_content_does_not_change():
    """The first items of each data set, as bytes: recorded results belong to them."""
    digest = hashlib.sha256()
    for split in CHOPSTICKS.splits("hierarchy"):
        digest.update(np.round(CHOPSTICKS.images(split.test[:20]).astype(np.float64), 5).tobytes())
    shapes = hashlib.sha256(SHAPES.images(np.arange(20)).tobytes())
    assert (digest.hexdigest()[:16], shapes.hexdigest()[:16]) == ("686c685743d1f276", "3f6db52a14c77455")
