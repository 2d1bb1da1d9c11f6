from math import log

import numpy as np
import pytest

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.mig import mig
from pytest_genbench.metrics.mir import mir

from .tester import Claims, checks

SAME = {
    "order of samples": 1e-12,
    "order of units": 1e-12,
    "order of factors": 1e-12,
    "constant unit": 1e-12,
    "every unit twice": 1e-12,
    "scaled units": 1e-12,
    "one-level factor": 1e-12,
    "samples twice": 1e-12,
}
CLAIMS = [
    Claims(mir, same={**SAME, "levels renamed": 1e-12}, perfect=1.0),
    Claims(
        mir,
        {"binning": "levels", "active": None},
        "mir[levels,active=all]",
        same={**SAME, "mirrored units": 1e-12, "bent units": 1e-12},
        perfect=1.0,
    ),
    Claims(mir, {"normalize": "factor_entropy"}, "mir[factor_entropy]", same=SAME, perfect=1.0),
    # The correction falls with the number of samples, hence not "samples twice".
    Claims(
        mir,
        {"correction": "miller-madow", "bins": 5},
        "mir[bins=5,miller-madow]",
        same={name: change for name, change in SAME.items() if name != "samples twice"},
        perfect=1.0,
    ),
    Claims(
        mir,
        {"bins": 5, "normalize": "factor_entropy"},
        "mir[bins=5,factor_entropy]",
        kind="continuous",
        same={**SAME, "scaled factors": 1e-12},
    ),
]

WORDS = np.indices((2,) * 5).reshape(5, -1).T


@pytest.mark.parametrize("check", [check for claims in CLAIMS for check in checks(claims)])
def test_claims(check):
    check()


ROTATED = np.column_stack([WORDS[:, 0] + WORDS[:, 1], WORDS[:, 0] - WORDS[:, 1]])


@pytest.mark.parametrize(
    ("units", "value", "active"),
    [
        (WORDS, 1.0, 5),
        (WORDS[:, ::-1] * [3, -2, 1, 0.5, -10] + 7, 1.0, 5),
        (np.hstack([WORDS, WORDS]), 1.0, 10),
        (np.hstack([WORDS, np.full((32, 3), 0.1)]), 1.0, 5),
        (np.hstack([WORDS, WORDS[:, :1] ^ WORDS[:, 1:2]]), 1.0, 5),
        (ROTATED, 0.375, 2),
        (WORDS.sum(axis=1), 0.0, 1),
        (np.zeros(32), 0.0, 0),
    ],
    ids=["letters", "moved", "twice", "constants", "xor", "rotated", "count", "constant"],
)
def test_words(units, value, active):
    result = mir(WORDS, units)
    assert result.value == pytest.approx(value, abs=1e-12)
    assert result.active == active
    assert len(result.parts) == active
    assert mir(np.tile(WORDS, (3, 1)), np.concatenate([units] * 3)).value == pytest.approx(value, abs=1e-12)


def test_the_difference_to_mig():
    twice = np.hstack([WORDS, WORDS])
    assert (mig(WORDS, twice).value, mir(WORDS, twice).value) == (0.0, 1.0)


def test_rotated_pair():
    result = mir(WORDS[:, :2], ROTATED)
    assert result.value == 0.0
    assert result.matrix == pytest.approx(np.full((2, 2), log(2) / 2))


def test_word_number():
    units = np.arange(32)
    assert mir(WORDS, units, bins=32).value == pytest.approx(0, abs=1e-12)
    assert mir(WORDS, units, binning="levels").value == pytest.approx(0, abs=1e-12)
    assert mir(WORDS, units).value == pytest.approx(0.0726, abs=5e-5)


def test_pairwise_identical_factors():
    """A factor for each letter at each position, of two letters: the most there is, is (1/2 - 1/10) / (1 - 1/10)."""
    both = np.hstack([WORDS, 1 - WORDS])
    assert mir(both, WORDS).value == pytest.approx(4 / 9)


def test_raw_and_normalised():
    """Units x + y and y on the grid of the published preset: 6 x 8 places, 4 spacings, 62 words."""
    factors = np.indices((6, 8, 4, 62)).reshape(4, -1).T
    units = np.column_stack([factors[:, 0] + factors[:, 1], factors[:, 1]])
    raw, normalised = mir(factors, units), mir(factors, units, normalize="factor_entropy")
    assert raw.value == pytest.approx(0.762, abs=5e-4)
    assert normalised.value == pytest.approx(0.739, abs=5e-4)
    assert (raw.name, normalised.name) == ("mir", "mir[factor_entropy]")


def test_ratios_and_parts():
    units = np.hstack([ROTATED, WORDS[:, 2:3], np.zeros((32, 1))])
    result = mir(WORDS, units)
    assert result.ratios == pytest.approx([0.5, 0.5, 1.0, np.nan], nan_ok=True)
    assert result.parts == pytest.approx({"0": 0.375, "1": 0.375, "2": 1.0})
    assert result.value == pytest.approx((2 / 3 - 1 / 5) / (1 - 1 / 5))


@pytest.mark.parametrize("samples", [600, 6144])
def test_noise_floor_is_the_same_at_any_size(samples):
    draw = np.random.default_rng(0)
    factors, noise = draw.integers(0, 2, (samples, 5)), draw.normal(size=(samples, 400))
    assert 0.09 < mir(factors, noise).value < 0.115
    assert mig(factors, noise[:, :10]).value < 0.0003 * 3 * 6144 / samples


def test_dead_units_are_masked():
    """Units that hardly move would pull the score towards that of noise."""
    draw = np.random.default_rng(0)
    factors = np.tile(WORDS, (50, 1))
    units = np.hstack([factors, 1e-3 * draw.normal(size=(len(factors), 15))])
    masked, open_ = mir(factors, units), mir(factors, units, active=None)
    assert (masked.value, masked.active) == (1.0, 5)
    assert open_.active == 20
    assert open_.value < 0.5
    assert mir(factors, units, active=1e-4).active == 20
    assert mir(factors, units, active=1e-4).name == "mir[active=0.0001]"


def test_a_unit_that_moves_without_information_is_inactive():
    result = mir(WORDS, np.hstack([WORDS[:, :1] ^ WORDS[:, 1:2]]), active=None)
    assert (result.value, result.active) == (0.0, 0)


def test_two_factors_have_to_vary():
    with pytest.raises(MetricError, match="1 of 2 factors"):
        mir(np.column_stack([WORDS[:, 0], np.ones(32)]), WORDS)
    with pytest.raises(MetricError, match="1 of 1 factors"):
        mir(WORDS[:, 0], WORDS)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"normalize": "unit_entropy"}, "factor_entropy"),
        ({"active": 1.0}, "active"),
        ({"active": -0.1}, "active"),
        ({"active": float("nan")}, "active"),
        ({"correction": "jackknife"}, "miller-madow"),
        ({"bins": 0}, "bins"),
    ],
)
def test_settings_that_are_refused(settings, said):
    with pytest.raises(MetricError, match=said):
        mir(WORDS, WORDS, **settings)
