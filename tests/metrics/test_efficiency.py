"""AUC and SES: the weights of the paper's code, and what follows from them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics import auc, ses

REGIMES = (20, 50, 100, 200, 500, 1000)


@pytest.mark.parametrize(
    ("n", "weight"), list(zip(REGIMES, (0.2370, 0.1928, 0.1689, 0.1503, 0.1312, 0.1197), strict=True))
)
def test_weights_are_those_of_the_natural_logarithm(n, weight):
    assert ses({each: float(each == n) for each in REGIMES}) == pytest.approx(weight, abs=5e-5)


def test_auc_is_a_plain_mean():
    assert auc(dict(zip(REGIMES, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), strict=True))) == pytest.approx(0.35)


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_a_curve_that_does_not_fall_has_no_larger_ses(values):
    curve = dict(zip(REGIMES, sorted(values), strict=True))
    assert ses(curve) <= auc(curve) + 1e-12


@given(st.floats(0, 1))
def test_a_constant_curve_is_its_own_score(value):
    curve = dict.fromkeys(REGIMES, value)
    assert math.isclose(ses(curve), value, abs_tol=1e-12)
    assert math.isclose(auc(curve), value, abs_tol=1e-12)


@pytest.mark.parametrize("curve", [{}, {0: 0.5}])
def test_what_is_no_curve(curve):
    for metric in (auc, ses):
        with pytest.raises(MetricError):
            metric(curve)
