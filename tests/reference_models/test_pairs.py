"""Pairs: that they never leave the training set, and differ as they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

pytest.importorskip("torch")

from pytest_genbench.errors import LearnerError
from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.reference_models.pairs import FewFactors, Laplace, Paired

from . import twigs
from .blocks import task

SAMPLERS = [FewFactors(), Laplace(), Laplace(forced=True)]
KINDS = ("categorical", "ordinal", "cyclic")


@st.composite
def masked_grids(draw):
    """Grids with any training set: most of them are no grids themselves, some hold a single point."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    kinds = [draw(st.sampled_from(KINDS)) for _ in sizes]
    grid = FactorGrid(
        tuple(Factor(f"f{k}", tuple(range(n)), kind) for k, (n, kind) in enumerate(zip(sizes, kinds, strict=True)))
    )
    shown = draw(arrays.arrays(bool, grid.size))
    shown[draw(st.integers(0, grid.size - 1))] = True
    return grid, shown


def partners(sampler, grid, shown, seed=0):
    """Levels of all points of a training set, and of their partners."""
    levels = grid.levels(np.flatnonzero(shown))
    return levels, sampler(grid, shown, levels, np.random.default_rng(seed))


def neighbours(grid, shown, levels, factors):
    """Points of the training set that differ from one point in one of some factors."""
    others = grid.levels(np.flatnonzero(shown))
    differ = others != levels
    return others[(differ.sum(1) == 1) & differ[:, factors].any(1)]


@pytest.mark.parametrize("sampler", SAMPLERS)
@given(made=masked_grids(), seed=st.integers(0, 9))
def test_partners_are_in_the_training_set(sampler, made, seed):
    grid, shown = made
    levels, moved = partners(sampler, grid, shown, seed)
    assert moved.shape == levels.shape
    assert shown[grid.index(moved)].all()


@given(made=masked_grids(), seed=st.integers(0, 9))
def test_one_factor_differs_where_one_can(made, seed):
    grid, shown = made
    for before, after in zip(*partners(FewFactors(), grid, shown, seed), strict=True):
        can = len(neighbours(grid, shown, before, range(len(grid.factors)))) > 0
        assert (before != after).sum() == can


@pytest.mark.parametrize("sampler", SAMPLERS[1:])
@given(made=masked_grids(), seed=st.integers(0, 9))
def test_categorical_factors_stay(sampler, made, seed):
    grid, shown = made
    levels, moved = partners(sampler, grid, shown, seed)
    fixed = [factor.kind == "categorical" for factor in grid.factors]
    assert (levels == moved)[:, fixed].all()


@given(made=masked_grids(), seed=st.integers(0, 9))
def test_forced_pairs_differ_where_they_can(made, seed):
    grid, shown = made
    ordered = [k for k, factor in enumerate(grid.factors) if factor.kind != "categorical"]
    for before, after in zip(*partners(Laplace(forced=True), grid, shown, seed), strict=True):
        if len(neighbours(grid, shown, before, ordered)):
            assert (before != after).any()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_image_alone_is_its_own_partner(sampler):
    grid = FactorGrid(tuple(Factor(name, (0, 1, 2), "ordinal") for name in "ab"))
    shown = np.zeros(9, bool)
    shown[[0, 4]] = True  # the diagonal: each differs from the other in both
    levels, moved = partners(sampler, grid, shown)
    assert (levels == moved).all()


def shares(sampler, grid, shown, levels, draws=40_000):
    """How often each point of a grid becomes the partner of one."""
    many = np.tile(levels, (draws, 1))
    moved = sampler(grid, shown, many, np.random.default_rng(0))
    return np.bincount(grid.index(moved), minlength=grid.size).reshape(grid.shape) / draws


def test_few_factors_draws_factors_and_then_levels_evenly():
    grid = FactorGrid((Factor("a", (0, 1)), Factor("b", (0, 1, 2, 3)), Factor("c", (0, 1))))
    shown = np.ones(grid.size, bool)
    shown[grid.index([[0, 0, 1], [0, 2, 0]])] = False  # so c cannot change, and b not to 2
    found = shares(FewFactors(), grid, shown, [0, 0, 0])
    expected = np.zeros(grid.shape)
    expected[1, 0, 0], expected[0, [1, 3], 0] = 1 / 2, 1 / 4
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("rate", [1.0, 2.0])
def test_laplace_follows_its_law(rate):
    grid = FactorGrid((Factor("a", tuple(range(6)), "ordinal"),))
    shown = np.array([True, True, True, False, True, True])
    distance = np.abs(np.arange(6) - 1)
    expected = shown * np.exp(-distance / (np.log(6) / rate))
    assert shares(Laplace(rate), grid, shown, [1]) == pytest.approx(expected / expected.sum(), abs=0.01)
    expected[1] = 0
    still = shares(Laplace(rate), grid, shown, [1])[1]
    forced = still * expected / expected.sum()  # what stayed is drawn again, without the current level
    moved = shares(Laplace(rate), grid, shown, [1])
    moved[1] = 0
    assert shares(Laplace(rate, forced=True), grid, shown, [1]) == pytest.approx(moved + forced, abs=0.015)


def test_laplace_moves_factors_in_turn():
    """What the second may become depends on what the first became."""
    grid = FactorGrid((Factor("a", (0, 1), "ordinal"), Factor("b", (0, 1, 2), "ordinal")))
    shown = np.array([[True, False, False], [True, True, False]]).reshape(-1)
    near, far = np.exp(-1 / np.log(2)), np.exp(-1 / np.log(3))
    stays = 1 / (1 + near)
    expected = [[stays, 0, 0], [(1 - stays) / (1 + far), (1 - stays) * far / (1 + far), 0]]
    assert shares(Laplace(), grid, shown, [0, 0]) == pytest.approx(np.array(expected), abs=0.01)


# Tasks whose batches are pairs


@pytest.mark.parametrize("family", ["random", "extrapolation", "composition"])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_rows_are_those_of_the_training_set(family, sampler):
    made = task(family)
    paired = Paired(made.benchmark, made.split, sampler)
    first, second = paired.pairs(500, seed=0, step=0)
    assert first.max() < len(made)
    differ = made.levels(first) != made.levels(second)
    assert not differ[:, 0].any() or isinstance(sampler, FewFactors)
    assert 0 < differ.any(axis=1).mean() <= 1
    assert len(np.unique(first)) > 0.8 * len(made) * (1 - np.exp(-500 / len(made)))


def test_a_batch_depends_on_seed_and_step_alone():
    made = task()
    paired = Paired(made.benchmark, made.split, Laplace())
    batches = paired.batches(20, seed=3)
    steps = [next(batches) for _ in range(3)]
    assert [batch.shape for batch in steps] == [(40,)] * 3
    again = Paired(made.benchmark, made.split, Laplace()).pairs(20, seed=3, step=2)
    assert (steps[2].reshape(2, 20) == again).all()
    assert (steps[2] != steps[1]).any()
    assert (paired.pairs(20, seed=4, step=2) != again).any()


def test_pairs_need_a_full_grid():
    made = twigs.task(60)
    benchmark = made.benchmark
    benchmark.grid = FactorGrid((Factor("item", tuple(range(70))),))
    with pytest.raises(LearnerError, match="has 60 items, and its grid 70 points"):
        Paired(benchmark, made.split, FewFactors()).pairs(5, seed=0, step=0)
