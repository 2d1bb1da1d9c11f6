import numpy as np
import pytest

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.sap import sap

from .latents import CHOPSTICKS_KINDS, KINDS, chopsticks, recorded, representations, spaceshapes
from .tester import Claims, checks

CLAIMS = [
    Claims(
        sap,
        kind="continuous",
        perfect=pytest.approx(1.0, abs=0.05),
        same={
            "order of samples": 1e-9,
            "order of units": 1e-12,
            "order of factors": 1e-12,
            "constant unit": 1e-12,
            "scaled units": 1e-9,
            "mirrored units": 1e-9,
            "scaled factors": 1e-9,
            "one-level factor": 1e-12,
            "samples twice": 1e-9,
        },
        becomes={"every unit twice": 0.0},
    ),
    # The classifier is regularised: scaling a unit, or repeating the samples, changes it; a constant unit predicts at chance,
    # which is more than no unit does.
    Claims(
        sap,
        same={"order of units": 1e-12, "order of factors": 1e-12, "one-level factor": 1e-12},
        becomes={"every unit twice": 0.0},
        samples=(20, 60),
        examples=8,
    ),
]


@pytest.mark.parametrize("check", [check for claims in CLAIMS for check in checks(claims)])
def test_claims(check):
    check()


@pytest.mark.parametrize("case", recorded("mig_sap_fvae")["cases"])
def test_recorded_spaceshapes(case):
    factors = spaceshapes(1200, 0)
    result = sap(factors, representations(factors, 0)[case], kinds=KINDS)
    # A factor is a count of samples at best: a single sample classified otherwise is 1e-4 of the mean over eight factors.
    assert result.value == pytest.approx(recorded("mig_sap_fvae")["cases"][case]["SAP"], abs=1e-12)


@pytest.mark.parametrize("case", recorded("metrics_chopsticks2_slope")["cases"])
def test_recorded_chopsticks(case):
    factors, codes, cases = chopsticks()
    assert sap(factors, codes[case], kinds=CHOPSTICKS_KINDS).value == pytest.approx(cases[case]["SAP"], abs=1e-12)


def test_squared_correlations_by_hand():
    factor = np.array([0.0, 1, 2, 3])
    units = np.column_stack([factor, [0, 1, 1, 0], [1, 3, 2, 4], np.full(4, 0.1)])
    result = sap(factor, units, kinds="continuous")
    assert result.matrix == pytest.approx(np.array([[1.0, 0.0, 0.64, 0.0]]))
    assert result.parts == pytest.approx({"0": 0.36})
    assert result.name == "sap"


def test_accuracies_by_hand():
    level = np.repeat([0, 1], 50)
    separate, useless = level * 4.0 - 2, np.tile([-1.0, 1.0], 50)
    result = sap(level, np.column_stack([useless, separate]))
    assert result.matrix == pytest.approx(np.array([[0.5, 1.0]]))
    assert result.value == pytest.approx(0.5)


def test_the_middle_of_three_levels_is_not_linear():
    """One against the rest, on a line: no threshold sets the middle level apart."""
    level = np.tile([0, 1, 2], 40)
    assert sap(level, level).value == pytest.approx(2 / 3, abs=0.05)


def test_one_unit_has_no_second():
    line = np.arange(10.0)
    assert sap(line, line, kinds="continuous").value == pytest.approx(1.0)


def test_a_large_offset_keeps_small_differences():
    line = np.arange(10.0)
    assert sap(line, 1e8 + line, kinds="continuous").value == pytest.approx(1.0)


def test_factors_of_one_level():
    assert list(sap(np.column_stack([np.ones(10), np.arange(10)]), np.arange(10), kinds="continuous").parts) == ["1"]
    with pytest.raises(MetricError, match="0 of 1 factors"):
        sap(np.full(10, 0.1), np.arange(10), kinds="continuous")


def test_values_the_classifier_would_not_survive():
    level = np.repeat([0, 1], 50)
    with pytest.raises(MetricError, match="1e\\+80"):
        sap(level, level * 1e80)
    assert 0 <= sap(level, level * 1e60).value <= 1
    assert sap(np.arange(10), np.arange(10) * 1e300, kinds="continuous").value == pytest.approx(1.0)
