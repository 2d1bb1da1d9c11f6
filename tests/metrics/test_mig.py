from math import comb, log, log2

import numpy as np
import pytest

from pytest_genbench.errors import MetricError
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.metrics.information import entropies, labels, mutual_information
from pytest_genbench.metrics.mig import mig

from .latents import CHOPSTICKS_KINDS, KINDS, chopsticks, recorded, representations, spaceshapes
from .tester import Claims, checks

SAME = {
    "order of samples": 1e-12,
    "order of units": 1e-12,
    "order of factors": 1e-12,
    "constant unit": 0.0,
    "scaled units": 1e-12,
    "one-level factor": 1e-12,
    "samples twice": 1e-12,
}
CLAIMS = [
    Claims(mig, same={**SAME, "levels renamed": 1e-12}, becomes={"every unit twice": 0.0}, perfect=1.0),
    # Mirroring moves values on the edges of bins of equal width, but not levels.
    Claims(
        mig,
        {"binning": "levels"},
        "mig[levels]",
        same={**SAME, "bent units": 1e-12, "mirrored units": 1e-12},
        becomes={"every unit twice": 0.0},
        perfect=1.0,
    ),
    Claims(
        mig, {"binning": "quantile", "bins": 7}, "mig[bins=7,quantile]", same={**SAME, "bent units": 1e-12}, perfect=1.0
    ),
    Claims(
        mig,
        {"binning": "quantile", "bins": 4},
        "mig[bins=4,quantile]",
        kind="continuous",
        same={**SAME, "scaled factors": 1e-12, "bent units": 1e-12},
    ),
    # Independent samples share about 9 * 2 / 2N nats with noise: 0.01 of a factor's entropy.
    Claims(mig, {"bins": 10}, "mig[bins=10]", samples=(1000, 1500), same={"noise unit": 0.05}, examples=10),
]

WORDS = np.indices((2,) * 5).reshape(5, -1).T
"""All words of five letters out of two; each position is a factor."""


@pytest.mark.parametrize("check", [check for claims in CLAIMS for check in checks(claims)])
def test_claims(check):
    check()


@pytest.mark.parametrize("case", recorded("mig_sap_fvae")["cases"])
def test_recorded_spaceshapes(case):
    factors = spaceshapes(1200, 0)
    result = mig(factors, representations(factors, 0)[case], kinds=KINDS)
    assert result.value == pytest.approx(recorded("mig_sap_fvae")["cases"][case]["MIG"], abs=1e-12)


@pytest.mark.parametrize("case", recorded("metrics_chopsticks2_slope")["cases"])
def test_recorded_chopsticks(case):
    factors, codes, cases = chopsticks()
    assert mig(factors, codes[case], kinds=CHOPSTICKS_KINDS).value == pytest.approx(cases[case]["MIG"], abs=1e-12)


def entropy_of_binomial(n):
    share = [comb(n, k) / 2**n for k in range(n + 1)]
    return -sum(p * log(p) for p in share)


@pytest.mark.parametrize(
    ("units", "value"),
    [
        (WORDS, 1.0),
        (WORDS[:, ::-1] * [3, -2, 1, 0.5, -10] + 7, 1.0),
        (np.hstack([WORDS, WORDS]), 0.0),
        (np.hstack([WORDS, np.full((32, 3), 0.1)]), 1.0),
        (np.hstack([WORDS, WORDS[:, :1] ^ WORDS[:, 1:2]]), 1.0),
        (WORDS.sum(axis=1), (entropy_of_binomial(5) - entropy_of_binomial(4)) / log(2)),
        (np.arange(32), 0.775),
        (np.zeros(32), 0.0),
    ],
    ids=["letters", "moved", "twice", "constants", "xor", "count", "word in 20 bins", "constant"],
)
def test_words(units, value):
    assert mig(WORDS, units).value == pytest.approx(value, abs=1e-12)
    assert mig(np.tile(WORDS, (3, 1)), np.concatenate([units] * 3)).value == pytest.approx(value, abs=1e-12)


def test_count_of_letters():
    assert mig(WORDS, WORDS.sum(axis=1)).value == pytest.approx(0.167553, abs=5e-7)


@pytest.mark.parametrize("settings", [{"bins": 32}, {"bins": 100}, {"binning": "levels"}])
def test_word_number_with_a_bin_for_each(settings):
    assert mig(WORDS, np.arange(32), **settings).value == pytest.approx(1.0, abs=1e-12)


def test_rotated_pair():
    pair = WORDS[:, :2]
    assert mig(pair, np.column_stack([pair.sum(axis=1), pair[:, 0] - pair[:, 1]])).value == 0.0


def test_entropies_of_the_published_preset():
    """The factors of 62 words at 6 x 8 places and 4 spacings."""
    lengths = np.repeat(np.arange(1, 6), [2, 4, 8, 16, 32])
    length, x, y, spacing = np.array(np.meshgrid(lengths, range(6), range(8), range(4), indexing="ij")).reshape(4, -1)
    found = entropies(labels(np.column_stack([x, y, spacing, length]).astype(float), binning="levels"))
    assert found == pytest.approx([1.791759, 2.079442, 1.386294, 1.242748], abs=5e-7)
    assert entropies(labels(WORDS.astype(float), binning="levels")) == pytest.approx([log(2)] * 5)


def test_parts_and_matrix():
    factors = np.column_stack([WORDS[:, 0], np.ones(32), WORDS[:, 1]])
    hierarchy = Hierarchy(
        (Categorical(((), ()), "first"), Categorical(((), ()), "none"), Categorical(((), ()), "second"))
    )
    result = mig(factors, WORDS[:, :2] + [[0, 0]], kinds=hierarchy)
    assert result.parts == pytest.approx({"first": 1.0, "second": 1.0})
    assert result.matrix == pytest.approx(np.eye(2) * log(2))
    assert list(mig(factors, WORDS).parts) == ["0", "2"]


def test_kinds_by_hierarchy():
    hierarchy = Hierarchy((Categorical(((), (Continuous("offset"),)), "active"),))
    draw = np.random.default_rng(0)
    active = draw.integers(1, 3, 400)
    factors = np.column_stack([active, np.where(active == 2, draw.uniform(size=400), 0)])
    assert set(mig(factors, factors, kinds=hierarchy).parts) == {"active", "offset"}


def test_one_unit_has_no_second():
    assert mig(WORDS[:, 0], WORDS[:, 0]).value == 1.0


def test_noise_floor():
    """(B - 1)(K - 1) / 2N nats for independent samples: 0.0016 for 20 bins, 2 levels and 6144 samples."""
    draw = np.random.default_rng(0)
    factor, noise = draw.permutation(np.arange(6144) % 2)[:, None], draw.uniform(size=(6144, 200))
    found = mutual_information(labels(factor.astype(float)), labels(noise))
    assert found.mean() == pytest.approx(19 / (2 * 6144), rel=0.1)
    corrected = mutual_information(labels(factor.astype(float)), labels(noise), "miller-madow")
    assert corrected.mean() < found.mean() / 2


def test_miller_madow_by_hand():
    left, right = np.array([[0], [0], [1], [1]]), np.array([[0], [1], [1], [1]])
    plain = 1.5 - 0.75 * log2(3) - 0.5 + 0.75 * log2(3) - 1 + (2 - 0.75 * log2(3))
    assert mutual_information(left, right)[0, 0] == pytest.approx((1 + 2 - 0.75 * log2(3) - 1.5) * log(2))
    assert plain == pytest.approx(2 - 0.75 * log2(3))
    # Two levels each and three cells: nothing to take away.
    assert mutual_information(left, right, "miller-madow") == pytest.approx(mutual_information(left, right))
    # Four cells: an eighth too much, which is more than there is.
    even = np.array([[0], [1], [0], [1]])
    assert mutual_information(left, even, "miller-madow")[0, 0] == 0.0
    assert entropies(left, "miller-madow")[0] == pytest.approx(log(2) + 1 / 8)


def test_independence_is_exact():
    grid = np.indices((3, 7, 11)).reshape(3, -1).T
    found = mutual_information(grid[:, :1], grid[:, 1:])
    assert (found == 0).all()


def test_an_outlier_and_quantiles():
    """One outlier pushes all other samples into one of twenty bins of equal width; quantiles do not notice."""
    factors = np.tile(np.arange(4), 50)[:, None]
    units = factors.astype(float)
    units[0] = 1e6
    assert mig(factors, units).value < 0.05
    assert mig(factors, units, binning="quantile").value > 0.95


def test_bins_are_closed_below():
    values = np.array([0, 0.05, 0.1, 0.15, 1.0])[:, None]
    assert labels(values, 20)[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert labels(values, 10)[:, 0].tolist() == [0, 0, 1, 1, 2]
    assert labels(values, 2, "quantile")[:, 0].tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("scale", [3.0, 0.1, 1e-300, 1e300, 1 / 7])
def test_levels_on_edges_stay_together_at_any_scale(scale):
    """Eleven levels are twenty bins' every second edge; rounding must not move one."""
    levels = np.arange(11.0)[:, None]
    assert (labels(levels * scale + scale / 3) == labels(levels)).all()


def test_many_levels_need_little_memory():
    values = np.arange(20_000.0)[:, None]
    cut = labels(values, binning="levels")
    assert mutual_information(cut, cut)[0, 0] == pytest.approx(log(20_000))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bins": 1}, "bins"),
        ({"bins": 2.5}, "bins"),
        ({"bins": True}, "bins"),
        ({"binning": "kmeans"}, "equal-width"),
    ],
)
def test_settings_that_are_refused(settings, said):
    with pytest.raises(MetricError, match=said):
        mig(WORDS, WORDS, **settings)


def test_constant_factors_are_refused():
    with pytest.raises(MetricError, match="0 of 2 factors"):
        mig(np.ones((10, 2)), np.arange(10))


def test_unknown_correction():
    with pytest.raises(MetricError, match="miller-madow"):
        mutual_information(WORDS, WORDS, "jackknife")
