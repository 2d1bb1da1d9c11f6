import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from pytest_genbench.metrics import boosting
from pytest_genbench.metrics.binning import cut
from pytest_genbench.metrics.boosting import classify, regress

SEEDS = st.integers(0, 2**32 - 1)


def data(seed, n, values=None):
    """An input, with ties if there are only so many values, a wavy target with noise, and three splits."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n) if values is None else draw.integers(values, size=n).astype(float)
    y = np.sin(2 * x) + 0.3 * draw.normal(size=n)
    return x, y, [draw.permutation(n)[: n // 4] for _ in range(3)]


def parts(x, y, test):
    training = np.setdiff1d(np.arange(len(x)), test)
    return x[training, None], y[training], x[test, None]


@settings(max_examples=8)
@given(SEEDS, st.integers(8, 120), st.none() | st.integers(2, 12))
def test_regression_is_scikit_learns(seed, n, values):
    x, y, tests = data(seed, n, values)
    for test, predicted in zip(tests, regress(cut(x, tests, None), [y] * 3), strict=True):
        inputs, target, unseen = parts(x, y, test)
        expected = GradientBoostingRegressor().fit(inputs, target).predict(unseen)
        assert predicted == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
def test_classification_is_scikit_learns(classes):
    # Residuals of classes tie, and of equally good splits rounding decides: not every prediction is the same.
    same = []
    for seed in range(3):
        x, y, tests = data(seed, 100)
        labels = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes)) + 1
        for test, predicted in zip(tests, classify(cut(x, tests, None), [labels] * 3), strict=True):
            inputs, target, unseen = parts(x, labels, test)
            same += (GradientBoostingClassifier().fit(inputs, target).predict(unseen) == predicted).tolist()
    assert np.mean(same) > 0.98


@given(SEEDS, st.integers(4, 300), st.integers(1, 40), st.integers(1, 30))
def test_bins(seed, n, values, bins):
    x, _, tests = data(seed, n, values)
    for test, found in zip(tests, cut(x, tests, bins), strict=True):
        training = np.setdiff1d(np.arange(n), test)
        assert sorted(found.rows) == training.tolist()
        assert found.counts.sum() == len(training)
        groups = np.split(x[found.rows], found.starts[1:])
        assert [len(group) for group in groups] == found.counts.tolist()
        assert all(left[-1] < right[0] for left, right in itertools.pairwise(groups))
        limit = len(training) / bins
        if len(np.unique(x[training])) <= bins:
            assert all(group[0] == group[-1] for group in groups)
        for group in groups:
            # Frequent values stand alone; others share a bin with few.
            assert group[0] == group[-1] or max(np.unique(group, return_counts=True)[1]) < limit
        for value, number in zip(x[test], found.test, strict=True):
            away = [max(group[0] - value, value - group[-1], 0) for group in groups]
            assert away[number] == min(away)


def test_bins_are_of_even_size():
    x, _, tests = data(0, 10_000)
    (found, *_) = cut(x, tests, 100)
    assert len(found.counts) == 100
    assert np.ptp(found.counts) <= 1


def test_a_value_between_two_bins_goes_to_the_nearer_and_halfway_to_the_lower():
    x = np.array([0.0, 1.0, 0.4, 0.5, 0.6, -9, 9])
    assert cut(x, [np.arange(2, 7)])[0].test.tolist() == [0, 0, 1, 0, 1]


def test_neighbouring_numbers_stay_apart():
    x = np.array([1.0, np.nextafter(1, 2), 1.0, np.nextafter(1, 2)])
    assert cut(x, [np.array([2, 3])])[0].test.tolist() == [0, 1]


def test_frequent_values_do_not_cost_the_others_their_bins():
    draw = np.random.default_rng(0)
    x = np.where(np.arange(8_000) % 4 == 0, draw.uniform(-1, 1, 8_000), 0)
    (found,) = cut(x, [np.array([0])], 64)
    assert 62 <= len(found.counts) <= 68
    assert np.sort(found.counts)[-2] <= 1 + 2_000 / 62


@pytest.mark.parametrize("seed", range(2))
def test_bins_hardly_change_scores(seed):
    x, y, tests = data(seed, 4_000)
    labels = (y > 0).astype(int)
    for bins, fit, target, score in [
        (512, regress, y, lambda true, found: 1 - np.square(true - found).mean() / true.var()),
        (1024, classify, labels, lambda true, found: (true == found).mean()),
    ]:
        means = [
            np.mean(
                [score(target[t], found) for t, found in zip(tests, fit(cut(x, tests, b), [target] * 3), strict=True)]
            )
            for b in (bins, None)
        ]
        assert means[0] == pytest.approx(means[1], abs=0.01)


def test_many_models_are_those_of_each_alone(monkeypatch):
    cuts, targets, labels = [], [], []
    for seed in range(6):
        x, y, tests = data(seed, 40 + 10 * seed, values=None if seed % 2 else 5)
        cuts += cut(x, tests)
        targets += [y] * 3
        labels += [np.digitize(y, [-0.5, 0.5][: 1 + seed % 2])] * 3
    together = regress(cuts, targets), classify(cuts, labels)
    monkeypatch.setattr(boosting, "CHUNK", 1)
    for found, alone in zip(together, (regress(cuts, targets), classify(cuts, labels)), strict=True):
        assert len(found) == len(alone) == 18
        assert all(one == pytest.approx(other, abs=1e-9) for one, other in zip(found, alone, strict=True))


def test_constant_inputs_and_targets():
    tests = [np.arange(5)]
    y = np.arange(20.0)
    assert regress(cut(np.ones(20), tests), [y])[0] == pytest.approx(y[5:].mean())
    assert regress(cut(y, tests), [np.full(20, 3.0)])[0] == pytest.approx(3)
    assert classify(cut(y, tests), [np.full(20, 7)])[0].tolist() == [7] * 5
    assert classify(cut(np.ones(20), tests), [np.repeat([4, 9], [8, 12])])[0].tolist() == [9] * 5


def test_a_class_without_training_samples_is_never_predicted():
    labels = np.repeat([3, 1, 2], [5, 10, 10])
    assert set(classify(cut(np.arange(25.0), [np.arange(5)]), [labels])[0]) <= {1, 2}


def test_no_models():
    assert regress([], []) == classify([], []) == []
