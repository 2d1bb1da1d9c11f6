"""From components to a hierarchy and its assignments."""

import numpy as np
import pytest

from pytest_genbench.reference_models.mimosa.tree import (
    Tree,
    assignments_of,
    build_tree,
    enclosures,
    hierarchy_of,
)

FAR = np.inf


def test_distance_is_that_of_the_lower_to_the_higher_in_spacings_of_the_higher():
    plane = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0), [0.0]), axis=-1).reshape(-1, 3) * 2
    line = np.stack([np.arange(3.0) * 2, np.zeros(3), np.full(3, 7.0)], axis=1)
    parts = [np.arange(25), np.arange(25, 28)]
    ratios = enclosures(np.concatenate([plane, line]), parts, [2, 1])
    assert ratios[1, 0] == 3.5
    assert np.isinf(ratios[[0, 0, 1], [0, 1, 1]]).all()


def test_components_in_one_place_enclose_nothing_and_single_points_neither():
    codes = np.zeros((6, 2))
    codes[:2, 0] = [0, 1]
    ratios = enclosures(codes, [np.arange(2), np.arange(2, 5), np.array([5])], [1, 2, 2])
    assert np.isinf(ratios[0]).tolist() == [True, True, True]
    assert build_tree(ratios, [1, 2, 2], 10).parents == (-1, -1, -1)
    ratios = enclosures(np.zeros((6, 2)), [np.arange(3), np.arange(3, 6)], [1, 2])
    assert np.isnan(ratios[0, 1])
    assert build_tree(ratios, [1, 2], 10).parents == (-1, -1)


def matrix(count, **ratios):
    """Ratios by inner and outer component: ``_01=2``."""
    result = np.full((count, count), FAR)
    for key, value in ratios.items():
        result[int(key[1]), int(key[2])] = value
    return result


@pytest.mark.parametrize(
    ("dimensions", "ratios", "parents"),
    [
        ([1, 2], {"_01": 10}, (-1, 0)),
        ([1, 2], {"_01": 10.1}, (-1, -1)),
        (
            [1, 2, 3],
            {"_01": 1, "_02": 1, "_12": 9},
            (-1, 0, 1),
        ),  # through the one in between, though the other is closer
        ([3, 2, 1], {"_21": 1, "_20": 1, "_10": 9}, (1, 2, -1)),  # whatever the order
        ([1, 1, 2], {"_02": 3, "_12": 2}, (-1, -1, 1)),
        ([1, 1, 2], {"_02": 2, "_12": 2}, (-1, -1, 0)),  # a tie: the first
        ([1, 2, 2, 3], {"_01": 1, "_03": 1, "_13": 4, "_23": 3}, (-1, 0, -1, 2)),
    ],
)
def test_parents(dimensions, ratios, parents):
    assert build_tree(matrix(len(dimensions), **ratios), dimensions, 10) == Tree(tuple(dimensions), parents)


@pytest.mark.parametrize(
    ("dimensions", "parents", "notation"),
    [
        ((3,), (-1,), "c c c"),
        ((1, 2), (-1, 0), "c {0 | c}"),
        ((1, 2), (-1, -1), "{c | c c}"),
        ((4, 3, 3, 3), (1, -1, -1, -1), "{c c c {0 | c} | c c c | c c c}"),  # space shapes
        ((1, 2, 2, 3), (-1, 0, 0, 2), "c {0 | c | c {0 | c}}"),
        ((1, 1, 2, 2, 2, 2), (-1, -1, 0, 1, 0, 1), "{c {0 | c | c} | c {0 | c | c}}"),
    ],
)
def test_hierarchies(dimensions, parents, notation):
    tree = Tree(dimensions, parents)
    hierarchy = hierarchy_of(tree)
    assert hierarchy.notation == notation
    labels = np.repeat(np.arange(-1, len(dimensions)), 2)
    found = assignments_of(tree, labels)
    options = [column.options for column in hierarchy.columns if column.kind == "categorical"]
    assert [each.shape for each in found] == [(len(labels), count) for count in options]
    assert all((each[:2] == -1).all() for each in found)
    # As values of the categorical columns they are paths of the hierarchy, another one for each component.
    if found:
        chosen = np.stack([(each[2:] * np.arange(1, each.shape[1] + 1)).sum(axis=1) for each in found], axis=1)
        path = hierarchy.path(chosen)
        assert (path[::2] == path[1::2]).all()
        assert sorted(path[::2]) == list(range(len(dimensions))) == list(range(len(hierarchy.paths)))


def test_assignments_by_hand():
    tree = Tree((1, 1, 2), (-1, -1, 1))
    first, second = assignments_of(tree, np.array([0, 1, 2, -1]))
    assert first.dtype == np.int8
    assert first.tolist() == [[1, 0], [0, 1], [0, 1], [-1, -1]]
    assert second.tolist() == [[0, 0], [1, 0], [0, 1], [-1, -1]]
