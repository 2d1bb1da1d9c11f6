"""Edges of components, and components joined where they continue each other."""

import numpy as np
import pytest

from pytest_genbench.reference_models.mimosa.local_svd import LocalFrames
from pytest_genbench.reference_models.mimosa.merge import edge_points, merge_components, overlaps
from pytest_genbench.reference_models.mimosa.settings import common_edge_fraction

SETTINGS = {"cos_simil_thresh": 0.95, "common_edge_frac": common_edge_fraction, "component_neighbors": 40}


def flat(n, full, d):
    """Frames of n points of d dimensions along the first axes."""
    return LocalFrames(np.full(n, d), np.tile(np.eye(full), (n, 1, 1)))


def along(angle, n):
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.tile([[cos, sin], [-sin, cos]], (n, 1, 1))


def test_a_line_ends_at_both_ends():
    codes = np.stack([[3.0, 1, 2, 0, 4, 5], np.zeros(6)], axis=1)
    assert edge_points(codes, np.arange(6), flat(6, 2, 1), 4).tolist() == [3, 5]


def test_a_square_has_its_corners_and_sides():
    codes = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    codes += np.random.default_rng(0).normal(size=codes.shape) * 1e-3
    edges = edge_points(codes, np.arange(25), flat(25, 2, 2), 9)
    corners = {0, 4, 20, 24}
    border = {at for at, (x, y) in enumerate(codes.round()) if 0 in (x, y) or 4 in (x, y)}
    assert corners <= set(edges.tolist()) <= border


def test_points_are_numbers_of_the_whole_table():
    codes = np.stack([np.arange(10.0), np.zeros(10)], axis=1)
    assert edge_points(codes, np.arange(3, 9), flat(10, 2, 1), 4).tolist() == [3, 8]


@pytest.mark.parametrize(("count", "d"), [(1, 1), (2, 1), (1, 3), (3, 2), (4, 3)])
def test_few_points_are_all_on_the_edge(count, d):
    codes = np.random.default_rng(0).normal(size=(count, 4))
    assert len(edge_points(codes, np.arange(count), flat(count, 4, d), 40)) == count


def test_copies_of_a_point_are_its_neighbours():
    codes = np.stack([[0.0] * 6 + [1, 2], np.zeros(8)], axis=1)
    assert set(edge_points(codes, np.arange(8), flat(8, 2, 1), 3).tolist()) >= {0, 5, 7}


def test_overlap_is_the_share_of_edges_that_continue_averaged_over_both_directions():
    codes = np.array([[0.0, 0], [1, 0], [2, 0], [2, 5]])
    frames = LocalFrames(np.ones(4, dtype=np.int64), np.concatenate([along(0, 3), along(90, 1)]))
    # From the first, both edge points find point 2, which is alike; back, one of two does.
    edges = [np.array([0, 1]), np.array([2, 3])]
    assert overlaps(codes, edges, frames, 0.95).tolist() == [[1, 0.75], [0.75, 1]]


def test_without_edges_nothing_overlaps():
    none = np.array([], dtype=np.int64)
    codes, frames = np.zeros((3, 2)), flat(3, 2, 1)
    assert overlaps(codes, [none, np.array([0, 1])], frames, 0.9).tolist() == [[0, 0], [0, 1]]
    assert overlaps(codes, [none, none], frames, 0.9).tolist() == [[0, 0], [0, 0]]


def strokes(angle, gap):
    """Two strokes of 20 points each, the second turned by an angle and begun after a gap."""
    steps = np.arange(20.0)[:, None]
    second = [19 + gap, 0] + steps * [np.cos(np.radians(angle)), np.sin(np.radians(angle))]
    codes = np.concatenate([steps * [1, 0], second])
    return codes, LocalFrames(np.ones(40, dtype=np.int64), np.concatenate([along(0, 20), along(angle, 20)]))


@pytest.mark.parametrize(("angle", "joined"), [(0, True), (10, True), (30, False), (90, False)])
def test_strokes_that_continue_each_other_are_joined(angle, joined):
    codes, frames = strokes(angle, 3)
    parts = merge_components(codes, [np.arange(20), np.arange(20, 40)], frames, **SETTINGS)
    assert [len(part) for part in parts] == ([40] if joined else [20, 20])


def test_joining_goes_by_way_of_others_and_keeps_the_order():
    codes = np.stack([np.arange(60.0), np.zeros(60)], axis=1)
    turned = np.concatenate([along(0, 10), along(90, 10), along(12, 20), along(24, 20)])
    parts = [np.arange(10), np.arange(10, 20), np.arange(20, 40), np.arange(40, 60)]
    frames = LocalFrames(np.ones(60, dtype=np.int64), turned)
    found = merge_components(codes, parts, frames, **SETTINGS)
    assert [part.tolist() for part in found] == [[*range(10), *range(20, 60)], list(range(10, 20))]


def test_other_dimensions_are_never_joined():
    codes = np.random.default_rng(0).normal(size=(40, 2))
    frames = LocalFrames(np.repeat([1, 2], 20), np.tile(np.eye(2), (40, 1, 1)))
    parts = merge_components(codes, [np.arange(20), np.arange(20, 40)], frames, **SETTINGS)
    assert [len(part) for part in parts] == [20, 20]


def test_the_overlap_needed_halves_with_each_dimension():
    assert [common_edge_fraction(d) for d in (1, 2, 3)] == [0.375, 0.1875, 0.09375]
