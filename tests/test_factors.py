import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import BenchmarkError
from pytest_genbench.factors import Factor, FactorGrid, levels_of

SHAPES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


def grid_of(shape):
    return FactorGrid(tuple(Factor(f"f{k}", tuple(range(size))) for k, size in enumerate(shape)))


def test_last_factor_is_fastest():
    grid = grid_of([2, 3])
    assert grid.levels(np.arange(6)).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert grid.size == 6


@given(shape=SHAPES)
def test_levels_and_index_are_inverse(shape):
    grid = grid_of(shape)
    index = np.arange(grid.size)
    np.testing.assert_array_equal(grid.index(grid.levels(index)), index)


@given(shape=SHAPES, batch=st.lists(st.integers(1, 3), max_size=2))
def test_any_shape_of_indices(shape, batch):
    grid = grid_of(shape)
    assert grid.levels(np.zeros(batch, dtype=int)).shape == (*batch, len(shape))


def test_some_factors_only():
    grid = grid_of([2, 3, 4])
    np.testing.assert_array_equal(levels_of(grid, [23, 0], ["f2", "f0"]), [[3, 1], [0, 0]])


def test_mistakes_are_explained():
    grid = grid_of([2, 3])
    with pytest.raises(BenchmarkError, match="6 points"):
        grid.levels([6])
    with pytest.raises(BenchmarkError, match="6 points"):
        grid.levels([-1])
    with pytest.raises(BenchmarkError, match=r"shape \(2, 3\)"):
        grid.index([0, 3])
    with pytest.raises(BenchmarkError, match="Expected 2 levels"):
        grid.index([0, 1, 0])
    with pytest.raises(BenchmarkError, match="Did you mean 'f0'"):
        grid.position("f00")
    with pytest.raises(BenchmarkError, match="unique; f0 appears"):
        FactorGrid((Factor("f0", (1,)), Factor("f0", (2,))))
    with pytest.raises(BenchmarkError, match="'empty' has no values"):
        Factor("empty", ())
