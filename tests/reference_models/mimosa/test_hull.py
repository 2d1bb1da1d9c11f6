"""Outside of a hull or not: the answers of a triangulation, without one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.reference_models.mimosa.hull import outside_hull

from . import naive


@given(d=st.integers(2, 4), more=st.integers(1, 12), shift=st.floats(0, 2), seed=st.integers(0, 2**32 - 1))
def test_as_a_triangulation_says(d, more, shift, seed):
    around = np.random.default_rng(seed).normal(size=(8, d + more, d)) + shift * np.eye(d)[0]
    expected = [naive.outside(np.zeros(d), points) for points in around]
    assert outside_hull(around).tolist() == expected


@given(d=st.integers(2, 3), seed=st.integers(0, 2**32 - 1), size=st.integers(2, 6))
def test_on_grids_with_points_on_the_border_and_in_the_same_place(d, seed, size):
    around = np.random.default_rng(seed).integers(-size, size + 1, (8, 12, d)).astype(float)
    around[0, 0] = 0
    expected = [naive.outside(np.zeros(d), points) for points in around]
    assert outside_hull(around).tolist() == expected


@given(seed=st.integers(0, 2**32 - 1), exponent=st.integers(-200, 200))
def test_does_not_depend_on_the_scale_or_the_lengths(seed, exponent):
    draw = np.random.default_rng(seed)
    around = draw.normal(loc=[0.8, 0, 0], size=(8, 9, 3))
    found = outside_hull(around)
    assert np.array_equal(outside_hull(around * 2.0**exponent), found)
    assert np.array_equal(outside_hull(around * draw.uniform(0.1, 10, (8, 9, 1))), found)


def test_many_dimensions():
    around = np.random.default_rng(0).normal(size=(30, 20, 6)) + [0.5] * 6
    expected = [naive.outside(np.zeros(6), points) for points in around]
    assert {True, False} == set(expected)
    assert outside_hull(around).tolist() == expected


@pytest.mark.parametrize("d", [2, 3])
def test_flat_points_have_no_outside(d):
    draw = np.random.default_rng(0)
    points = draw.normal(size=(1, 12, d)) @ np.linalg.qr(draw.normal(size=(d, d)))[0]
    flat = points - points[..., :1] * np.eye(d)[0]
    assert outside_hull(points + 9).tolist() == [True]
    for offset in (0, 9):
        assert not naive.outside(np.zeros(d), flat[0] + offset)
        assert outside_hull(flat + offset).tolist() == [False]


def test_what_rounding_alone_makes_thick_is_flat():
    # Points on a line, moved far away: their differences are no longer on a line exactly, but Qhull knows.
    line = np.random.default_rng(0).uniform(1, 2, (10, 1)) * [0.3, 0.7] * 1e-2 + [1, 3]
    around = line - line[:1] + [1e-3, 0]
    around[0] = [2e-3, 0]
    noisy = (line - [1, 3])[None]
    assert outside_hull(noisy).tolist() == [True]
    assert outside_hull(noisy, magnitude=3.0).tolist() == [False]
    assert not naive.outside(np.array([1.0, 3.0]), line)


def test_without_convergence_a_linear_programme_decides(monkeypatch):
    from pytest_genbench.reference_models.mimosa import hull

    around = np.random.default_rng(0).normal(loc=[0.5, 0, 0], size=(20, 9, 3))
    expected = outside_hull(around)

    def gives_up(*_):
        raise RuntimeError("maximum number of iterations")

    monkeypatch.setattr(hull, "nnls", gives_up)
    assert np.array_equal(outside_hull(around), expected)
    assert {True, False} == set(expected.tolist())
