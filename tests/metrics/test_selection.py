import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.selection import correlation, p_value, pareto_front

POINTS = arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(-3, 3).map(float))
VALUES = arrays(float, st.integers(3, 30), elements=st.floats(-1e6, 1e6).map(lambda v: round(v, 3)))


def test_front():
    points = [(1, 3), (2, 2), (1, 1), (3, 1), (0.5, 2.5)]
    assert pareto_front(points).tolist() == [True, True, False, True, False]


def test_ties_stay():
    assert pareto_front([(1, 1), (1, 1), (0, 0)]).tolist() == [True, True, False]
    assert pareto_front([(1, 1), (1, 2)]).tolist() == [True, True]


@given(points=POINTS)
def test_front_is_what_nobody_beats(points):
    front = pareto_front(points)
    slow = [not any(p[0] > q[0] and p[1] > q[1] for p in points) for q in points]
    assert front.tolist() == slow


@given(points=POINTS, data=st.data())
def test_front_properties(points, data):
    front = pareto_front(points)
    order = data.draw(st.permutations(range(len(points))))
    assert (pareto_front(points[order]) == front[order]).all()
    assert pareto_front(points[front]).all()
    assert (front[points.argmax(axis=0)]).all()
    assert (pareto_front(points[:, ::-1]) == front).all()
    assert (pareto_front(points * [2.0, 0.5] + 3) == front).all()


@pytest.mark.parametrize(
    "points", [[], [1.0, 2.0], [(1, 2, 3)], [(1, np.nan)], [(np.inf, 0)], [("a", "b")], np.zeros((2, 2, 2))]
)
def test_what_is_no_table_of_points(points):
    with pytest.raises(MetricError):
        pareto_front(points)


@pytest.mark.parametrize(
    ("rho", "n", "p"),
    [
        (0.13, 77, 0.260),
        (0.12, 77, 0.299),
        (0.13, 70, 0.283),
        (0.12, 70, 0.322),
        (0.13, 80, 0.250),
        (0.12, 80, 0.289),
    ],
)
def test_p_values_around_the_published_ones(rho, n, p):
    assert p_value(rho, n) == pytest.approx(p, abs=1e-3)
    assert p_value(-rho, n) == p_value(rho, n)


def test_p_value_of_data():
    """Values made to correlate by 0.13 exactly."""
    draw = np.random.default_rng(0)
    x, other = np.linalg.qr(np.column_stack([np.ones(77), draw.normal(size=(77, 2))]))[0][:, 1:].T
    found = correlation(x, 0.13 * x + np.sqrt(1 - 0.13**2) * other)
    assert found == pytest.approx((0.13, 0.260), abs=5e-4)


@given(x=VALUES, slope=st.sampled_from([-7.0, -0.5, 1.0, 1e3]), offset=st.floats(-1e3, 1e3))
def test_affine_data(x, slope, offset):
    if np.ptp(x) < 1:
        return
    assert correlation(x, slope * x + offset) == pytest.approx((np.sign(slope), 0.0), abs=1e-9)


@given(x=VALUES, seed=st.integers(0, 1000))
def test_against_scipy(x, seed):
    if np.ptp(x) < 1:
        return
    y = np.random.default_rng(seed).normal(size=len(x))
    expected = pearsonr(x, y)
    assert correlation(x, y) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)
    assert correlation(y, x) == pytest.approx(correlation(x, y), abs=1e-12)


def test_any_scale():
    x = np.array([1.0, 2, 3, 5])
    y = np.array([2.0, 1, 4, 3])
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        assert correlation(x * scale, y) == pytest.approx(correlation(x, y))


def test_result_is_a_named_pair_of_floats():
    rho, p = found = correlation([1, 2, 3], [1, 2, 3])
    assert (found.rho, found.p) == (rho, p) == (1.0, 0.0)
    assert type(rho) is float
    assert type(p) is float
    assert correlation([1, 2, 3], [3, 2, 1]).rho == -1.0


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([1, 2], [1, 2], "3 or more"),
        ([1, 2, 3], [1, 2, 3, 4], "x has 3 values, y 4"),
        ([0.1, 0.1, 0.1], [1, 2, 3], "All 3 values of x are 0.1"),
        ([1, 2, 3], [5, 5, 5], "All 3 values of y are 5"),
        ([1, 2, np.nan], [1, 2, 3], "NaN"),
        ([[1, 2], [3, 4], [5, 6]], [1, 2, 3], "shape"),
        (["a", "b", "c"], [1, 2, 3], "numbers"),
    ],
)
def test_what_has_no_correlation(x, y, said):
    with pytest.raises(MetricError, match=said):
        correlation(x, y)


@pytest.mark.parametrize(("rho", "n"), [(1.1, 10), (0.5, 2), (float("nan"), 10)])
def test_p_value_out_of_range(rho, n):
    with pytest.raises(MetricError, match="between -1 and 1"):
        p_value(rho, n)
