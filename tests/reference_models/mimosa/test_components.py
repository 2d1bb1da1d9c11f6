"""Components grow over like neighbours, and only where enough members say so."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.reference_models.mimosa.components import build_components
from pytest_genbench.reference_models.mimosa.local_svd import LocalFrames

from . import naive


def grow(neighbours, contagion=1, alike=None):
    neighbours = np.array(neighbours)
    alike = np.ones(neighbours.shape, dtype=bool) if alike is None else np.array(alike, dtype=bool)
    return [part.tolist() for part in build_components(neighbours, alike, contagion)]


def test_a_chain_is_one_component():
    assert grow([[0, 1], [1, 2], [2, 3], [3, 2]]) == [[0, 1, 2, 3]]


def test_what_is_not_alike_stays_apart():
    assert grow([[0, 1], [1, 2], [2, 3], [3, 2]], alike=[[1, 1], [1, 0], [1, 1], [1, 1]]) == [[0, 1], [2, 3]]


def test_a_point_needs_enough_members_that_list_it():
    # 0 starts with 1 and 2; 3 is listed by both of them, 4 by one, and it does not count that 0 lists 4's neighbour.
    neighbours = [[0, 1, 2], [1, 3, 4], [2, 3, 0], [3, 1, 2], [4, 1, 2]]
    assert grow(neighbours, contagion=2) == [[0, 1, 2, 3], [4]]
    assert grow(neighbours, contagion=1) == [[0, 1, 2, 3, 4]]


def test_the_first_point_is_no_witness():
    # 2 is listed by 1 alone, for 0, which lists it too, is the seed and does not find it alike.
    neighbours, alike = [[0, 1, 2], [1, 0, 2], [2, 1, 0]], [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    assert grow(neighbours, contagion=2, alike=alike) == [[0, 1], [2]]


def test_visits_are_counted_anew_for_each_component():
    # 5 is listed by a member of each of two components: 1 of the one, 3 of the other.
    neighbours = [[0, 1, 0], [1, 0, 5], [2, 3, 2], [3, 2, 5], [4, 4, 4], [5, 5, 5]]
    assert grow(neighbours, contagion=2) == [[0, 1], [2, 3], [4], [5]]


def test_a_component_does_not_take_from_an_earlier_one():
    assert grow([[0, 1], [1, 0], [2, 1], [3, 2]]) == [[0, 1], [2], [3]]


@given(
    n=st.integers(2, 40),
    k=st.integers(1, 6),
    contagion=st.integers(1, 4),
    planes=st.integers(1, 3),
    seed=st.integers(0),
)
def test_as_one_after_the_other(n, k, contagion, planes, seed):
    draw = np.random.default_rng(seed)
    neighbours = np.stack([draw.choice(n, min(k, n), replace=False) for _ in range(n)])
    kind = draw.integers(planes, size=n)
    axes = np.stack([np.roll(np.eye(3), at, axis=1) for at in kind])
    frames = LocalFrames(np.ones(n, dtype=np.int64), axes)
    alike = frames.neighbours_alike(neighbours, 0.9)
    expected = naive.build(neighbours, list(axes[:, :1]), 0.9, contagion)
    found = grow(neighbours, contagion, alike)
    assert found == expected
    assert sorted(i for part in found for i in part) == list(range(n))
