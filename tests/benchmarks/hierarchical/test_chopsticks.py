"""Chopsticks, against samples of the authors' program and what the paper says of it."""

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.benchmarks.hierarchical.chopsticks import LENGTH, RANGE, Chopsticks
from pytest_genbench.errors import BenchmarkError

SAMPLES = json.loads((Path(__file__).parents[2] / "data/hierarchical/chopsticks_samples.json").read_text())["sets"]

VARIANTS = ("slope", "inter", "both", "either")

NOTATION = {
    ("slope", 1): "c",
    ("slope", 2): "c {0 | c}",
    ("slope", 3): "c {0 | c {0 | c}}",
    ("inter", 2): "c {0 | c}",
    ("inter", 3): "c {0 | c {0 | c}}",
    ("both", 1): "c c",
    ("both", 2): "c c {0 | c c}",
    ("both", 3): "c c {0 | c c {0 | c c}}",
    ("either", 1): "{c | c}",
    ("either", 2): "{c {0 | c | c} | c {0 | c | c}}",
    ("either", 3): "{c {0 | c {0 | c | c} | c {0 | c | c}} | c {0 | c {0 | c | c} | c {0 | c | c}}}",
}

FREQUENCIES = {
    ("released", 1): (1,),
    ("released", 2): (0.5, 0.5),
    ("released", 3): (0.25, 0.375, 0.375),
    ("released", 4): (0.125, 0.21875, 0.328125, 0.328125),
    ("equal", 1): (1,),
    ("equal", 2): (0.5, 0.5),
    ("equal", 3): (1 / 3, 1 / 3, 1 / 3),
    ("equal", 5): (0.2, 0.2, 0.2, 0.2, 0.2),
}


@cache
def drawn(variant, depth, stopping="released", rows=4000):
    made = Chopsticks(variant, depth, stopping=stopping)
    return made, made.latents(rows, np.random.default_rng(7))


def levels(made, table):
    """Number of levels of each row, from its active columns."""
    names = made.hierarchy.names[made.hierarchy.categorical :]
    at = [name.count("-") + 1 if made.variant == "either" else int(name[-1]) for name in names]
    return (made.hierarchy.active(table)[:, made.hierarchy.categorical :] * at).max(axis=1)


HASHES = {
    "slope": "e7979df65d558bde",
    "inter": "5790406ddd651207",
    "both": "ec5e79566674c7f2",
    "either": "9b8526cea99244aa",
}


variants = st.sampled_from(VARIANTS)
depths = st.integers(1, 4)
seeds = st.integers(0, 2**32 - 1)


class TestAgainstTheAuthorsProgram:
    @pytest.mark.parametrize("name", SAMPLES)
    def test_signals(self, name):
        depth, variant = name.split("_")
        made = Chopsticks(variant, int(depth.removeprefix("depth")))
        for sample in SAMPLES[name]["samples"]:
            options = [1 + chosen.index(1) if 1 in chosen else 0 for chosen in sample["onehot"]]
            (signal,) = made.signals([[*options, *sample["Zflat"]]])
            at = [int(index) for index in sample["x"]]
            np.testing.assert_allclose(signal[at], list(sample["x"].values()), rtol=0, atol=1e-12)

    @pytest.mark.parametrize("name", SAMPLES)
    def test_columns(self, name):
        depth, variant = name.split("_")
        made = Chopsticks(variant, int(depth.removeprefix("depth"))).hierarchy
        assert (made.categorical, made.continuous) == (SAMPLES[name]["n_categoricals"], SAMPLES[name]["n_continuous"])

    @pytest.mark.parametrize("name", SAMPLES)
    def test_level_frequencies(self, name):
        depth, variant = name.split("_")
        expected = Chopsticks(variant, int(depth.removeprefix("depth"))).level_probabilities
        found = list(SAMPLES[name]["n_levels_freq"].values())
        assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 4000)


class TestHierarchy:
    @pytest.mark.parametrize(("variant", "depth"), NOTATION)
    def test_structure(self, variant, depth):
        assert Chopsticks(variant, depth).hierarchy.notation == NOTATION[variant, depth]

    @pytest.mark.parametrize(
        ("variant", "depth", "paths"),
        [*((v, d, d) for v in ("slope", "inter", "both") for d in (2, 3)), ("either", 2, 6), ("either", 3, 14)],
    )
    def test_paths(self, variant, depth, paths):
        assert len(Chopsticks(variant, depth).hierarchy.paths) == paths

    def test_names(self):
        assert Chopsticks("both", 2).hierarchy.names == ("chop1", "inter1", "slope1", "inter2", "slope2")
        assert Chopsticks("either", 2).hierarchy.names == (
            *("kind", "kind-inter", "kind-slope"),
            *("inter", "inter-inter", "inter-slope", "slope", "slope-inter", "slope-slope"),
        )

    def test_labels(self):
        kind = Chopsticks("either", 2).hierarchy.root[0]
        assert kind.labels == ("inter", "slope")
        assert kind.options[0][1].labels == ("stop", "inter", "slope")

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_deepest(self, variant):
        made, table = drawn(variant, 6, rows=200)
        assert made.hierarchy.active(table).shape == table.shape
        assert len(table[0]) == (3 * 2**6 - 3 if variant == "either" else 17 if variant == "both" else 11)


class TestLatents:
    @pytest.mark.parametrize("variant", VARIANTS)
    @pytest.mark.parametrize(("stopping", "depth"), FREQUENCIES)
    def test_level_frequencies(self, variant, stopping, depth):
        made, table = drawn(variant, depth, stopping)
        expected = np.array(FREQUENCIES[stopping, depth])
        np.testing.assert_allclose(made.level_probabilities, expected)
        found = np.bincount(levels(made, table), minlength=depth + 1)[1:] / len(table)
        assert (np.abs(found - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / len(table))).all()

    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_kinds_are_a_fair_coin_at_each_level(self, depth):
        made, table = drawn("either", depth, "equal")
        reached = 0
        for at in range(made.hierarchy.categorical):
            options = made.hierarchy.columns[at].options
            counts = np.bincount(table[:, at].astype(int), minlength=options + 1)[-2:]
            reached += counts.sum()
            assert abs(counts[0] - counts[1]) <= 4.5 * np.sqrt(counts.sum())
        assert reached == levels(made, table).sum()

    @given(variants, depths, seeds)
    def test_values_fit_the_hierarchy(self, variant, depth, seed):
        made = Chopsticks(variant, depth)
        table = made.latents(50, np.random.default_rng(seed))
        active = made.hierarchy.active(table)
        assert table.dtype == np.float64
        assert ((table != 0) == active).all()
        for at in range(made.hierarchy.categorical, table.shape[1]):
            kind = made.hierarchy.names[at].split("-")[-1].rstrip("123456")
            assert np.abs(table[:, at]).max() <= RANGE[kind]

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_factors_are_uniform(self, variant):
        made, table = drawn(variant, 2)
        for at in range(made.hierarchy.categorical, table.shape[1]):
            kind = made.hierarchy.names[at].split("-")[-1].rstrip("123456")
            values = table[made.hierarchy.active(table)[:, at], at] / RANGE[kind]
            assert abs(values.mean()) < 4.5 * np.sqrt(1 / 3 / len(values))
            assert abs((values**2).mean() - 1 / 3) < 4.5 * np.sqrt(4 / 45 / len(values))

    @given(variants, depths, seeds)
    def test_depend_on_the_generator_alone(self, variant, depth, seed):
        made = Chopsticks(variant, depth)
        first, second = (made.latents(20, np.random.default_rng(seed)) for _ in range(2))
        assert first.tobytes() == second.tobytes()
        assert (first != made.latents(20, np.random.default_rng(seed + 1))).any()

    def test_none(self):
        assert Chopsticks("either", 2).latents(0, np.random.default_rng(0)).shape == (0, 9)

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_content_never_changes(self, variant):
        made = Chopsticks(variant, 3)
        table = made.latents(1000, np.random.Generator(np.random.Philox(3)))
        digest = hashlib.sha256(table.tobytes() + made.signals(table).tobytes()).hexdigest()[:16]
        assert digest == HASHES[variant]

    @pytest.mark.parametrize("n", [-1, 2.5, "3", None])
    def test_wrong_number(self, n):
        with pytest.raises(BenchmarkError, match="whole number from 0"):
            Chopsticks("slope", 2).latents(n, np.random.default_rng(0))


class TestSignals:
    @given(variants, depths, seeds, st.floats(-3, 3))
    def test_are_linear_in_the_factors_of_a_path(self, variant, depth, seed, scale):
        made = Chopsticks(variant, depth)
        one = made.latents(1, np.random.default_rng(seed))
        other = one.copy()
        other[:, made.hierarchy.categorical :] *= np.random.default_rng(seed).uniform(-2, 2, made.hierarchy.continuous)
        both = one.copy()
        both[:, made.hierarchy.categorical :] += scale * other[:, made.hierarchy.categorical :]
        expected = made.signals(one) + scale * made.signals(other)
        np.testing.assert_allclose(made.signals(both), expected, rtol=0, atol=1e-12)

    @given(variants, depths, seeds)
    def test_are_what_the_levels_add_up_to(self, variant, depth, seed):
        made = Chopsticks(variant, depth)
        (row,) = made.latents(1, np.random.default_rng(seed))
        expected = np.zeros(LENGTH)
        for name, value in list(zip(made.hierarchy.names, row, strict=True))[made.hierarchy.categorical :]:
            kind = name.split("-")[-1].rstrip("123456")
            level = name.count("-") if variant == "either" else int(name[-1]) - 1
            start = (0, 32, 48, 56)[level]
            expected[start:] += value * (1 if kind == "inter" else np.arange(LENGTH - start))
        np.testing.assert_allclose(made.signals([row])[0], expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("variant", VARIANTS)
    @pytest.mark.parametrize(("depth", "rank"), [(2, 2), (3, 3)])
    def test_span(self, variant, depth, rank):
        made, table = drawn(variant, depth)
        per_level = 1 if variant in ("slope", "inter") else 2
        assert np.linalg.matrix_rank(made.signals(table), tol=1e-8) == per_level * rank

    @pytest.mark.parametrize("variant", VARIANTS)
    @pytest.mark.parametrize("depth", [3, 6])
    def test_are_straight_from_where_a_row_stops(self, variant, depth):
        made, table = drawn(variant, depth, rows=500)
        bends = np.abs(np.diff(made.signals(table), n=2, axis=1))
        for row, reached in zip(bends, levels(made, table), strict=True):
            start = (0, 32, 48, 56, 60, 62)[reached - 1]
            assert (row[start:] < 1e-14).all()

    @given(st.integers(1, 3000), seeds)
    def test_of_a_row_do_not_depend_on_the_others(self, rows, seed):
        made, table = drawn("either", 3)
        some = np.random.default_rng(seed).choice(len(table), rows)
        together = made.signals(table[some])
        for at in (0, rows // 2, rows - 1):
            assert made.signals(table[some[at]][None]).tobytes() == together[at].tobytes()

    def test_leave_the_table_alone(self):
        made, table = drawn("both", 2)
        before = table.copy()
        made.signals(table, np.random.default_rng(0))
        assert (table == before).all()

    def test_of_no_rows(self):
        assert Chopsticks("slope", 2).signals(np.empty((0, 3))).shape == (0, LENGTH)


class TestNoise:
    def test_is_gaussian_and_from_the_generator(self):
        made = Chopsticks("slope", 2, noise=0.05)
        table = made.latents(2000, np.random.default_rng(0))
        first, again, other = (made.signals(table, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert first.tobytes() == again.tobytes()
        assert (first != other).any()
        noise = first - made.signals(table)
        assert abs(noise.mean()) < 4.5 * 0.05 / np.sqrt(noise.size)
        assert abs(noise.std() - 0.05) < 4.5 * 0.05 / np.sqrt(2 * noise.size)

    def test_needs_a_generator(self):
        noisy, still = Chopsticks("slope", 2, noise=0.05), Chopsticks("slope", 2)
        table = still.latents(20, np.random.default_rng(0))
        assert (noisy.signals(table) == still.signals(table)).all()

    def test_there_is_none_unless_asked_for(self):
        made = Chopsticks("slope", 2)
        table = made.latents(20, np.random.default_rng(0))
        assert (made.signals(table, np.random.default_rng(0)) == made.signals(table)).all()


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "options", "message"),
        [
            (("slop", 2), {}, "no variant 'slop'. Did you mean 'slope'"),
            ((3, 2), {}, "no variant 3. Known: both, either, inter, slope"),
            (("slope", 0), {}, "depth .* 1 to 6.* got 0"),
            (("slope", 7), {}, "depth .* 1 to 6.* got 7"),
            (("slope", 2.0), {}, "depth .* got 2.0"),
            (("slope", 2), {"stopping": "equals"}, "no stopping 'equals'. Did you mean 'equal'"),
            (("slope", 2), {"noise": -0.1}, "0 or more; got -0.1"),
            (("slope", 2), {"noise": float("nan")}, "0 or more; got nan"),
            (("slope", 2), {"noise": float("inf")}, "0 or more; got inf"),
        ],
    )
    def test_of_the_description(self, arguments, options, message):
        with pytest.raises(BenchmarkError, match=message):
            Chopsticks(*arguments, **options)

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ([[2, 0.1]], r"\(N, 3\) with columns chop1, slope1, slope2; .* \(1, 2\)"),
            ([2, 0.1, 0.1], r"got an array of shape \(3,\)"),
            ([["a", 0, 0]], "table of numbers"),
            ([[1, 0.1, 0], [1, float("nan"), 0]], "'slope1' of row 1 is nan"),
            ([[3, 0.1, 0.1]], "'chop1' has to be a whole number from 1 to 2 in row 0; got 3.0"),
            ([[1.5, 0.1, 0.1]], "'chop1' has to be a whole number"),
            ([[0, 0.1, 0]], "'chop1' has to be a whole number"),
            ([[2, 0.1, 0.1], [1, 0.1, 0.1]], "'slope2' has to be 0 in row 1, where it is inactive; got 0.1"),
        ],
    )
    def test_of_the_table(self, table, message):
        with pytest.raises(BenchmarkError, match=message):
            Chopsticks("slope", 2).signals(table)

    def test_says_in_which_rows_of_a_large_table(self):
        made, table = drawn("slope", 2, rows=5000)
        wrong = table.copy()
        wrong[4500, 0] = 7
        with pytest.raises(BenchmarkError, match=r"in row 4500; got 7.0 \(1 of 5000 rows are wrong\)"):
            made.signals(wrong)
