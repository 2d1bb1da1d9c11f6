"""The splits of the in-domain benchmark: published index sets and counts to the letter, and what holds for any grid."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.grids import CELEBGLOW, DSPRITES, MPI3D, SHAPES3D, Design, selection
from pytest_genbench.benchmarks.indomain import rule
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.factors import Factor

ROT90 = selection(DSPRITES, {"orientation": range(10)})
DESIGNS = {"dsprites": DSPRITES, "dsprites_rot90": ROT90, "shapes3d": SHAPES3D, "mpi3d": MPI3D, "celebglow": CELEBGLOW}
XY = [2, 7, 11, 15, 20, 24, 29]
UPPER_XY = list(range(25, 32))

HELD = {
    ("dsprites", "interpolation"): {
        "scale": [1, 4],
        "orientation": [2, 7, 12, 17, 22, 27, 32, 37],
        "x-position": XY,
        "y-position": XY,
    },
    ("dsprites", "extrapolation"): {
        "scale": [4, 5],
        "orientation": list(range(32, 40)),
        "x-position": UPPER_XY,
        "y-position": UPPER_XY,
    },
    ("dsprites", "composition"): {"orientation": [0, 1, 2, 3], "x-position": [0, 1, 2], "y-position": [0, 1, 2]},
    ("dsprites_rot90", "interpolation"): {"scale": [1, 4], "orientation": [2, 7], "x-position": XY, "y-position": XY},
    ("dsprites_rot90", "extrapolation"): {
        "scale": [4, 5],
        "orientation": [8, 9],
        "x-position": UPPER_XY,
        "y-position": UPPER_XY,
    },
    ("dsprites_rot90", "composition"): {"orientation": [0], "x-position": [0, 1, 2], "y-position": [0, 1, 2]},
    ("shapes3d", "interpolation"): {
        "floor color": [2, 7],
        "wall color": [2, 7],
        "object color": [2, 7],
        "object size": [2, 5],
        "azimuth": [2, 7, 12],
    },
    ("shapes3d", "extrapolation"): {
        "floor color": [8, 9],
        "wall color": [8, 9],
        "object color": [8, 9],
        "object size": [6, 7],
        "azimuth": [12, 13, 14],
    },
    ("shapes3d", "composition"): {"floor color": [0], "wall color": [0], "object color": [0], "azimuth": [0]},
    ("mpi3d", "interpolation"): {
        # Of five points on six colours one lies at 2.5, which is rounded to even.
        "color": [3],
        "height": [1],
        "bg color": [1],
        "x-axis": [5, 15, 24, 34],
        "y-axis": [5, 15, 24, 34],
    },
    ("mpi3d", "extrapolation"): {
        "color": [5],
        "height": [2],
        "bg color": [2],
        "x-axis": [36, 37, 38, 39],
        "y-axis": [36, 37, 38, 39],
    },
    ("mpi3d", "composition"): {"x-axis": list(range(6)), "y-axis": list(range(6))},
    ("celebglow", "interpolation"): {"smile": [1, 4], "blond": [1, 4], "age": [1, 4]},
    ("celebglow", "extrapolation"): {"smile": [4, 5], "blond": [4, 5], "age": [4, 5]},
    ("celebglow", "composition"): {"smile": [0], "blond": [0], "age": [0]},
}

COUNTS = {
    "dsprites": ((240_000, 497_280), (192_312, 544_968)),
    "dsprites_rot90": ((60_000, 124_320), (48_078, 136_242)),
    "shapes3d": ((147_456, 332_544), (153_408, 326_592)),
    "mpi3d": ((311_040, 725_760), (287_712, 749_088)),
    "celebglow": ((64_000, 152_000), (91_000, 125_000)),
}
"""Train and test of random, interpolation and extrapolation, which are equal; and of composition."""

RANDOM = {
    "dsprites": "3ff67b94e5136c8e",
    "dsprites_rot90": "d8ddd4b782afd66a",
    "shapes3d": "7d1d8ae909d82d54",
    "mpi3d": "aa3a3c702d757448",
    "celebglow": "86d923628293c6bb",
}
"""Beginning of the SHA-256 of the random masks, packed to bits."""

SINGLES = {
    "dsprites": [120_000, 60_000, 67_200, 67_200],
    "dsprites_rot90": [30_000, 15_000, 16_800, 16_800],
    "shapes3d": [36_864, 36_864, 36_864, 49_152, 36_864],
    "mpi3d": [62_208, 155_520, 155_520, 34_560, 34_560],
    "celebglow": [32_000, 32_000, 32_000],
}


def tiny(*counts, share=0.2, kept=(), composition=None):
    """A design with factors a, b, c … of so many levels."""
    factors = tuple(Factor(name, tuple(range(n)), "ordinal") for name, n in zip("abcdefgh", counts, strict=False))
    return Design("tiny", factors, 1, share, kept, composition=composition)


class TestPublished:
    @pytest.mark.parametrize(("name", "variant"), HELD)
    def test_index_sets(self, name, variant):
        found = rule.held_levels(DESIGNS[name], variant)
        assert {DESIGNS[name].factors[k].name: levels for k, levels in found.items()} == HELD[name, variant]

    @pytest.mark.parametrize("name", DESIGNS)
    def test_counts(self, name):
        (train, test), composition = COUNTS[name]
        for variant in ("random", "interpolation", "extrapolation"):
            mask = rule.is_held_out(DESIGNS[name], variant)
            assert (len(mask) - mask.sum(), mask.sum()) == (train, test)
        mask = rule.is_held_out(DESIGNS[name], "composition")
        assert (len(mask) - mask.sum(), mask.sum()) == composition

    @pytest.mark.parametrize("name", DESIGNS)
    def test_random_masks_are_the_recorded_ones(self, name):
        packed = np.packbits(rule.is_held_out(DESIGNS[name], "random"))
        assert hashlib.sha256(packed).hexdigest()[:16] == RANDOM[name]

    @pytest.mark.parametrize("variant", ["interpolation", "extrapolation"])
    @pytest.mark.parametrize("name", DESIGNS)
    def test_single_factor_sets(self, name, variant):
        design = DESIGNS[name]
        sizes = [int(rule.single_factor(design, variant, k).sum()) for k in rule.varying(design)]
        assert sizes == SINGLES[name]

    def test_toy_grid_of_the_figure(self):
        design = tiny(7, 7)
        assert rule.held_levels(design, "composition") == {0: [0, 1], 1: [0, 1]}
        assert rule.held_levels(design, "extrapolation") == {0: [5, 6], 1: [5, 6]}
        assert rule.held_levels(design, "interpolation") == {0: [1, 5], 1: [1, 5]}


grids = st.builds(
    lambda counts, share: tiny(*counts, share=share),
    st.lists(st.integers(6, 12), min_size=2, max_size=4),
    st.sampled_from([0.1, 0.15, 0.2, 0.3]),
)


class TestAnyGrid:
    @settings(max_examples=40)
    @given(design=grids, variant=st.sampled_from(["interpolation", "extrapolation"]))
    def test_single_sets_partition_what_has_one_unseen_value(self, design, variant):
        levels = design.grid.levels(np.arange(design.grid.size))
        unseen = rule.unseen(design, variant, levels)
        for k in rule.varying(design):
            alone = unseen[:, k] & (unseen.sum(axis=1) == 1)
            assert np.array_equal(rule.single_factor(design, variant, k), alone)
        assert np.array_equal(rule.is_held_out(design, variant), unseen.any(axis=1))

    @settings(max_examples=40)
    @given(design=grids)
    def test_random_is_as_large_as_extrapolation(self, design):
        sizes = {rule.is_held_out(design, variant).sum() for variant in ("random", "extrapolation", "interpolation")}
        assert len(sizes) == 1

    @settings(max_examples=40)
    @given(design=grids)
    def test_composition_shows_every_value_but_tests_no_low_one(self, design):
        try:
            low = rule.held_levels(design, "composition")
        except BenchmarkError:
            return
        mask = rule.is_held_out(design, "composition")
        levels = design.grid.levels(np.arange(design.grid.size))
        assert not any(np.isin(levels[mask, k], held).any() for k, held in low.items())
        for shown, factor in zip(rule.counts(design, ~mask), design.factors, strict=True):
            assert (shown > 0).all(), factor.name

    @settings(max_examples=20)
    @given(design=grids)
    def test_counts_of_levels(self, design):
        mask = rule.is_held_out(design, "random")
        levels = design.grid.levels(np.flatnonzero(mask))
        for k, found in enumerate(rule.counts(design, mask)):
            assert found.tolist() == np.bincount(levels[:, k], minlength=len(found)).tolist()


class TestTooSmall:
    def test_composition_needs_two_factors(self):
        with pytest.raises(BenchmarkError, match=r"too small for composition.*those that do: c"):
            rule.held_levels(tiny(3, 6, 10, 8, 8, kept=("a",)), "composition")

    def test_example_that_works(self):
        design = tiny(3, 6, 10, 10, 10, kept=("a",))
        assert rule.held_levels(design, "composition") == {2: [0], 3: [0], 4: [0]}
        mask = rule.is_held_out(design, "composition")
        assert ((~mask).sum(), mask.sum()) == (4_878, 13_122)
        mask = rule.is_held_out(design, "extrapolation")
        assert ((~mask).sum(), mask.sum()) == (6_144, 11_856)

    def test_two_levels_cannot_be_held_out(self):
        with pytest.raises(BenchmarkError, match="fewer than two of the 2 levels of b"):
            rule.held_levels(tiny(6, 2), "interpolation")

    def test_floor_is_guarded_against_rounding(self):
        assert rule.held_levels(tiny(5, 5, share=0.4), "composition") == {0: [0], 1: [0]}

    def test_nothing_varies(self):
        with pytest.raises(BenchmarkError, match="no factor may be held out"):
            rule.held_levels(tiny(6, kept=("a",)), "extrapolation")

    def test_unknown_variant(self):
        with pytest.raises(BenchmarkError, match="extrapolation"):
            rule.held_levels(DSPRITES, "extrapolate")

    def test_kept_factor_has_no_set_of_its_own(self):
        with pytest.raises(BenchmarkError, match="holds out no value of shape"):
            rule.single_factor(DSPRITES, "extrapolation", 0)
