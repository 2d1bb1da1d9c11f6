"""Local frames: how many dimensions there are around a point, and how alike two surfaces are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from pytest_genbench.reference_models.mimosa.local_svd import LocalFrames, local_frames, nearest_neighbours

from . import naive

SETTINGS = {"ransac_frac": 0.6667, "eig_cumsum_thresh": 0.95, "eig_decay_thresh": 4.0}


def frames_of(codes, k, **settings):
    return local_frames(codes, nearest_neighbours(codes, k), **SETTINGS | settings)


def test_neighbours_are_the_nearest_with_the_point_itself():
    codes = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert nearest_neighbours(codes, 2).tolist() == [[0, 1], [1, 0], [2, 1], [3, 2]]
    assert nearest_neighbours(codes, 1).tolist() == [[0], [1], [2], [3]]


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_flat_surfaces_have_their_dimension_and_their_axes(d):
    draw = np.random.default_rng(d)
    basis = np.linalg.qr(draw.normal(size=(4, 4)))[0][:d]
    frames = frames_of(draw.uniform(-1, 1, (600, d)) @ basis + 5, 80)
    assert (frames.dimensions == d).all()
    axes = frames.axes[:, :d]
    assert np.allclose(axes @ axes.transpose(0, 2, 1), np.eye(d))
    assert np.allclose(axes @ basis.T @ basis, axes)


@given(seed=st.integers(0, 2**32 - 1), frac=st.sampled_from([0.5, 0.6667, 0.9, 1.0]), full=st.integers(1, 5))
def test_as_a_pca_for_each_point_says(seed, frac, full):
    draw = np.random.default_rng(seed)
    codes = draw.normal(size=(60, full)) * 4.0 ** -np.arange(full) + draw.normal(size=(60, full)) / 20
    neighbours = nearest_neighbours(codes, 20)
    frames = local_frames(codes, neighbours, **SETTINGS | {"ransac_frac": frac})
    for i in range(0, 60, 6):
        axes = naive.local_svd(codes[neighbours[i]], frac)
        assert frames.dimensions[i] == len(axes)
        assert np.abs(np.linalg.det(axes @ frames.axes[i, : len(axes)].T)) == pytest.approx(1, abs=1e-9)


def test_ransac_keeps_the_axes_where_another_surface_meets():
    draw = np.random.default_rng(0)
    plane = np.stack([*draw.uniform(-1, 1, (2, 400)), np.zeros(400)], axis=1)
    codes = np.concatenate([plane, draw.uniform(-1, 1, (40, 1)) * [0, 0, 1]])
    near = np.linalg.norm(plane, axis=1) < 0.25
    kept = (frames_of(codes, 30).dimensions[:400][near] == 2).mean()
    lost = (frames_of(codes, 30, ransac_frac=1).dimensions[:400][near] == 2).mean()
    assert kept > lost + 0.2


def test_thresholds_choose_the_dimension():
    codes = np.random.default_rng(0).normal(size=(400, 3)) * [1, 0.4, 0.02]
    neighbours = np.tile(np.arange(400), (400, 1))

    def dimension(**settings):
        return local_frames(codes, neighbours, **SETTINGS | {"ransac_frac": 1} | settings).dimensions[0]

    assert dimension() == 2
    assert dimension(eig_cumsum_thresh=0.8) == 1
    assert dimension(eig_decay_thresh=1e6) == 3


def test_points_in_the_same_place_fill_the_space():
    codes = np.concatenate([np.full((30, 3), 0.1), np.random.default_rng(0).normal(size=(30, 3)) * [1, 0, 0] + 9])
    frames = frames_of(codes, 12)
    assert (frames.dimensions[:30] == 3).all()
    assert (frames.dimensions[30:] == 1).all()
    assert np.isfinite(frames.axes).all()


@given(seed=st.integers(0, 2**32 - 1), full=st.integers(1, 8))
def test_similarity_is_the_product_of_cosines_of_principal_angles(seed, full):
    draw = np.random.default_rng(seed)
    axes = np.linalg.qr(draw.normal(size=(12, full, full)))[0]
    frames = LocalFrames(draw.integers(1, full + 1, 12), axes)
    left, right = draw.integers(12, size=(2, 40))
    for i, j, found in zip(left, right, frames.similarity(left, right), strict=True):
        a, b = (axes[at, : frames.dimensions[at]] for at in (i, j))
        assert found == pytest.approx(naive.similarity(a, b), abs=1e-10)
        if len(a) == len(b):
            assert found == pytest.approx(np.prod(np.cos(subspace_angles(a.T, b.T))), abs=1e-7)


def test_neighbours_alike_are_those_above_the_threshold():
    angles = np.radians([0, 5, 40])
    first = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    second = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    frames = LocalFrames(np.array([1, 1, 1]), np.stack([first, second], axis=1))
    neighbours = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    assert frames.neighbours_alike(neighbours, 0.99).tolist() == [[1, 1, 0], [1, 1, 0], [1, 0, 0]]
