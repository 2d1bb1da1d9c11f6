"""The map from compositions to their two components."""

from itertools import combinations

import pytest

from pytest_genbench.benchmarks.cvr.components import COMPONENTS, ELEMENTARY, components


def test_seventy_rules_have_components():
    assert len(COMPONENTS) == 70
    assert list(COMPONENTS) == sorted(COMPONENTS)
    assert all(0 <= a < b <= 10 for a, b in COMPONENTS.values())
    assert not set(COMPONENTS) & set(range(13)), (
        "neither the elementary rules, nor those of symmetry, nor a repeated relation"
    )
    assert max(COMPONENTS) == 102


def test_every_pair_of_elementary_rules_is_composed():
    pairs = set(COMPONENTS.values())
    assert set(combinations(ELEMENTARY, 2)) <= pairs
    assert len(pairs) == 36 + 5
    assert all(b in (9, 10) for a, b in pairs - set(combinations(ELEMENTARY, 2)))


def test_which_rules_have_none():
    without = [rule for rule in range(103) if components(rule) is None]
    same_relation = [9, 10, 11, 12, 15, 18, 19, 21, 22, 23, 28, 29, 30, 31, *range(33, 38), 40, 41, 42, 43, 46]
    assert without == [*ELEMENTARY, *same_relation]


@pytest.mark.parametrize(("rule", "expected"), [(49, (0, 1)), (26, (1, 7)), (39, (2, 9)), (90, (7, 10)), (102, (5, 8))])
def test_components(rule, expected):
    assert components(rule) == expected
