"""Splits of a table: the published rules and counts, and what holds for any table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.benchmarks.held_levels import (
    composition_levels,
    composition_share,
    inner_levels,
    lower_levels,
    upper_levels,
)
from pytest_genbench.benchmarks.table.splits import FamilySettings, Splits, SplitSettings
from pytest_genbench.errors import BenchmarkError

from .tables import full_grid, incomplete, variable

EVEN_SIX = [2, 7, 12, 17, 22, 27, 32, 37]


def settings(share, minimum=1, **factors):
    families = ("in_distribution", "compositional", "interpolation", "extrapolation")
    return SplitSettings(minimum, {f: FamilySettings(share, factors.get(f)) for f in families})


class TestPublishedRules:
    """The index sets of Schott et al. 2022."""

    @pytest.mark.parametrize(
        ("n", "share", "inner", "upper"),
        [
            (6, 0.2, [1, 4], [4, 5]),
            (40, 0.2, EVEN_SIX, list(range(32, 40))),
            (32, 0.2, [2, 7, 11, 15, 20, 24, 29], list(range(25, 32))),
            (10, 0.2, [2, 7], [8, 9]),
            (10, 0.15, [2, 7], [8, 9]),
            (8, 0.15, [2, 5], [6, 7]),
            (15, 0.15, [2, 7, 12], [12, 13, 14]),
            (6, 0.1, [3], [5]),
            (3, 0.1, [1], [2]),
            (40, 0.1, [5, 15, 24, 34], [36, 37, 38, 39]),
            (6, 0.3, [1, 4], [4, 5]),
            (5, 0.2, [2], [4]),
        ],
    )
    def test_inner_and_upper_levels(self, n, share, inner, upper):
        assert inner_levels(n, share) == inner
        assert upper_levels(n, share) == upper
        assert lower_levels(n, share) == list(range(len(upper)))

    @pytest.mark.parametrize(
        ("n", "factors", "share", "count"),
        [
            (6, 4, 0.2, 0),
            (40, 4, 0.2, 4),
            (32, 4, 0.2, 3),
            (10, 5, 0.15, 1),
            (8, 5, 0.15, 0),
            (40, 5, 0.1, 6),
            (5, 2, 0.4, 1),
        ],
    )
    def test_composition_levels(self, n, factors, share, count):
        assert composition_levels(n, composition_share(factors, share)) == list(range(count))

    def test_counts_of_dsprites_with_ten_orientations(self):
        rows = full_grid((3, 6, 10, 32, 32), ["categorical", *["ordinal"] * 4])
        varying = ("f1", "f2", "f3", "f4")
        rules = Splits(rows, settings(0.2, compositional=varying), "t").rules
        for slug, train, test in (
            ("interpolation-all", 60_000, 124_320),
            ("extrapolation-all", 60_000, 124_320),
            ("compositional-all", 48_078, 136_242),
        ):
            is_held_out = rules[slug].is_held_out()
            assert (int((~is_held_out).sum()), int(is_held_out.sum())) == (train, test)


@given(st.integers(3, 60), st.floats(0.05, 0.6))
def test_the_ends_stay_in_training(n, share):
    inner = inner_levels(n, share)
    if n - len(upper_levels(n, share)) >= 2:
        assert 0 not in inner
        assert n - 1 not in inner


@given(incomplete(), st.floats(0.05, 0.9))
def test_splits_of_any_table(rows, share):
    found = Splits(rows, settings(share), "t")
    for slug, rule in found.rules.items():
        is_held_out = rule.is_held_out()
        assert is_held_out.shape == (len(rows),)
        assert is_held_out.any()
        assert not is_held_out.all()
        train, test = rows.levels[~is_held_out], rows.levels[is_held_out]
        if rule.family in ("in_distribution", "compositional") and slug != "compositional-all":
            for k in range(train.shape[1]):
                assert set(test[:, k]) <= set(train[:, k]), "a level on its own is unseen"
        if rule.family == "compositional" and slug != "compositional-all":
            seen, tested = ({tuple(pair) for pair in part[:, rule.factors].tolist()} for part in (train, test))
            assert not seen & tested, "a pair that is held out is seen"
        if rule.family in ("interpolation", "extrapolation") and not slug.endswith("-all"):
            (k,) = rule.factors
            assert not set(train[:, k]) & set(test[:, k]), "a level that is held out is seen"
            ends = (train[:, k].min(), train[:, k].max())
            inside = (test[:, k] > ends[0]) & (test[:, k] < ends[1])
            assert inside.all() if rule.family == "interpolation" else not inside.any()
    assert not found.rules.keys() & found.left_out.keys()
    assert all(found.left_out.values())


@given(incomplete())
def test_splits_are_the_same_every_time(rows):
    one, other = (Splits(rows, SplitSettings(), "t") for _ in range(2))
    assert list(one.rules) == list(other.rules)
    for slug, rule in one.rules.items():
        np.testing.assert_array_equal(rule.bits, other.rules[slug].bits)


def test_pairs_are_taken_along_diagonals():
    rows = full_grid((4, 5, 3))
    rule = Splits(rows, settings(0.25), "t").rules["compositional-f0-f1"]
    pairs = {tuple(pair) for pair in rows.levels[rule.is_held_out()][:, :2].tolist()}
    assert pairs == {(0, 0), (1, 1), (2, 2), (3, 3), (0, 1)}
    assert rule.held_out == "5 of 20 pairs of f0 and f1"


def test_a_pair_that_alone_shows_a_level_is_kept():
    # f2 = 1 occurs with f0 = f1 = 0 only.
    levels = np.array([(i, j, int(i == j == 0)) for i in range(4) for j in range(4)]).T
    rows = type(full_grid((2, 2)))(tuple(variable(f"f{k}", levels[k], size) for k, size in enumerate((4, 4, 2))))
    rule = Splits(rows, settings(0.2), "t").rules["compositional-f0-f1"]
    assert {tuple(pair) for pair in rows.levels[rule.is_held_out()][:, :2].tolist()} == {(1, 1), (2, 2), (3, 3)}


def test_what_a_missing_corner_also_hides_is_said():
    # Every third colour stands on large things only.
    levels = np.array(
        [(size, colour) for size in range(5) for colour in range(3) if (colour == 2) == (size == 4)] * 5
    ).T
    rows = type(full_grid((2, 2)))((variable("size", levels[0], 5), variable("colour", levels[1], 3, "categorical")))
    assert Splits(rows, SplitSettings(5), "t").rules["extrapolation-size"].held_out == "size 4 (and unseen: colour 2)"


def test_reasons_for_leaving_out():
    rows = full_grid((3, 2, 5, 3), ["categorical", "ordinal", "cyclic", "cyclic"])
    found = Splits(rows, SplitSettings(20), "t").left_out
    assert found["extrapolation-f0"] == "f0 is categorical, which has no order"
    assert found["interpolation-f1"] == "f1 has 2 levels; a factor that is ordinal needs at least 3"
    assert found["extrapolation-f2"] == "f2 is cyclic, which has no ends"
    assert found["interpolation-f3"] == "f3 has 3 levels; a factor that is cyclic needs at least 4"
    assert found["interpolation-f2"] == "rows held out: 18, to train on: 72; each needs at least 20"
    assert found["extrapolation-all"] == "fewer than two factors can be held out"
    greedy = Splits(full_grid((3, 3)), settings(0.5), "t").left_out
    assert greedy["extrapolation-f0"] == "training would keep fewer than two of the 3 levels of f0"
    # Each row is the only one with its number.
    alone = type(rows)((variable("id", np.arange(9), 9, "categorical"), variable("x", np.arange(9) % 3, 3)))
    found = Splits(alone, settings(0.2), "t").left_out
    assert found["compositional-id-x"] == "each pair of levels is needed to show some level of a factor"
    assert found["in_distribution-1"] == "rows held out: 0, to train on: 9; each needs at least 1"


def test_levels_that_do_not_occur_are_no_ends():
    levels = np.repeat([1, 2, 3, 4, 5], 12)
    rows = type(full_grid((2, 2)))((variable("size", levels, 8), variable("x", np.arange(60) % 2, 2)))
    rules = Splits(rows, SplitSettings(), "t").rules
    assert rules["extrapolation-size"].held_out == "size 5"
    assert rules["extrapolation-size-low"].held_out == "size 1"


def test_settings_choose_factors_shares_and_repeats():
    rows = full_grid((5, 5, 5))
    families = {
        "in_distribution": FamilySettings(0.4, repeats=3),
        "compositional": FamilySettings(factors=("f2", "f0")),
        "extrapolation": FamilySettings(0.4, factors=("f1",)),
        "interpolation": FamilySettings(factors=()),
    }
    rules = Splits(rows, SplitSettings(10, families), "t").rules
    assert [slug for slug in rules if slug.startswith("in_")] == [f"in_distribution-{k}" for k in (1, 2, 3)]
    assert int(rules["in_distribution-3"].is_held_out().sum()) == 50
    assert [slug for slug in rules if slug.startswith("comp")] == ["compositional-f0-f2", "compositional-all"]
    assert [slug for slug in rules if slug.startswith("ex")] == ["extrapolation-f1", "extrapolation-f1-low"]
    assert rules["extrapolation-f1"].held_out == "f1 3, 4"
    assert rules["extrapolation-f1-low"].group == "lower"
    with pytest.raises(BenchmarkError, match=r"names 'f7', which is no factor. Known: f0, f1, f2"):
        Splits(rows, SplitSettings(10, {"extrapolation": FamilySettings(factors=("f7",))}), "t")


@pytest.mark.parametrize("names", [("größe", "grØße"), ("all", "f1"), ("a", "a-low")])
def test_slugs_that_clash_are_refused(names):
    grid = full_grid((5, 5))
    rows = type(grid)(tuple(variable(name, v.levels, 5) for name, v in zip(names, grid.variables, strict=True)))
    with pytest.raises(BenchmarkError, match=r"two splits would be called .*; rename one of the columns"):
        Splits(rows, settings(0.2), "t")


def test_slugs_are_safe_in_paths():
    grid = full_grid((5, 5))
    rows = type(grid)(
        tuple(variable(name, v.levels, 5) for name, v in zip(("a b/c", "d"), grid.variables, strict=True))
    )
    assert "interpolation-a_b_c" in Splits(rows, settings(0.2), "t").rules


class TestCells:
    def test_a_split_of_one_level_is_divided_by_other_factors(self):
        rows = full_grid((5, 4, 4, 50))
        is_held_out = rows.levels[:, 0] == 4
        names, number = rows.cells((0,), is_held_out)
        # 1 cell, then 4, then 16, then 16 * 50 of which the whole table would have 4,000: too many.
        assert len(set(number[is_held_out])) == 16
        assert names[number[0]] == "f0=0, f1=0, f2=0"
        assert len(names) == number.max() + 1 == 80

    def test_enough_cells_are_left_alone(self):
        rows = full_grid((8, 8, 4))
        names, _ = rows.cells((0, 1), rows.levels[:, 0] > 1)
        assert len(names) == 64

    def test_a_random_split_is_divided_from_the_first_factor(self):
        rows = full_grid((5, 8, 4))
        names, _ = rows.cells((), np.arange(160) % 2 == 0)
        assert names[0] == "f0=0, f1=0"

    def test_names_are_unique(self):
        rows = full_grid((2, 2))
        texts = (("a", "a, f1=b"), ("b, f1=b", "b"))
        made = [variable(f"f{k}", rows.levels[:, k], 2) for k in range(2)]
        for each, values in zip(made, texts, strict=True):
            object.__setattr__(each.factor, "values", values)
        names, _ = type(rows)(tuple(made)).cells((0, 1), np.ones(4, dtype=bool))
        assert len(set(names)) == 4
