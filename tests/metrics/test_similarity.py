"""How alike answers are: correlations over seeds, the truth as a row, and what cannot be compared."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics import prediction_similarity

TRUTH = np.linspace(0.7, 1, 20)
DRAW = np.random.default_rng(0)
ONE, TWO = DRAW.normal(size=(2, 3, 20))


def test_literal_form():
    found = prediction_similarity({"one": ONE, "two": TWO[:2]}, TRUTH)
    assert list(found) == [("one", "one"), ("one", "two"), ("one", "truth"), ("two", "two"), ("two", "truth")]
    rho = lambda a, b: np.corrcoef(a, b)[0, 1]  # noqa: E731
    assert found["one", "one"] == pytest.approx(np.mean([rho(ONE[i], ONE[j]) for i, j in ((0, 1), (0, 2), (1, 2))]))
    assert found["one", "two"] == pytest.approx(np.mean([rho(a, b) for a in ONE for b in TWO[:2]]))
    assert found["two", "two"] == pytest.approx(rho(TWO[0], TWO[1]))
    assert found["one", "truth"] == pytest.approx(np.mean([rho(a, TRUTH) for a in ONE]))


def test_a_model_is_not_compared_with_itself_at_the_same_seed():
    assert math.isnan(prediction_similarity({"one": ONE[:1]}, TRUTH)["one", "one"])


def test_what_does_not_vary_has_no_correlation():
    found = prediction_similarity({"constant": [np.full(20, 0.5)], "one": ONE[:1]}, TRUTH)
    assert math.isnan(found["constant", "one"])
    assert math.isnan(found["constant", "truth"])


@given(st.floats(0.1, 10), st.floats(-5, 5))
def test_scale_and_offset_do_not_matter(scale, offset):
    found = prediction_similarity({"one": ONE[:1], "moved": [ONE[0] * scale + offset]}, TRUTH)
    assert found["one", "moved"] == pytest.approx(1)
    assert found["one", "truth"] == pytest.approx(found["moved", "truth"])


def test_wrong_arrays():
    with pytest.raises(MetricError, match="one has 20 predictions for 10 true values"):
        prediction_similarity({"one": ONE}, TRUTH[:10])
    with pytest.raises(MetricError, match="has 2 values"):
        prediction_similarity({}, [0, 1])
    with pytest.raises(MetricError, match="cannot be called 'truth'"):
        prediction_similarity({"truth": ONE}, TRUTH)
    with pytest.raises(MetricError, match="shape"):
        prediction_similarity({"one": [np.zeros((20, 2))]}, TRUTH)
