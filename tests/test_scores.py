import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import GenbenchError
from pytest_genbench.rng import stream
from pytest_genbench.scores import Tally, cluster_bootstrap, over_seeds, resampling_weights, title, wilson


def test_wilson_matches_the_closed_form():
    # Wilson 1927 for 8 of 10 at z = 1.959964.
    z, n, p = 1.959963984540054, 10, 0.8
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    found = wilson(8, 10)
    assert (found.low, found.high, found.method) == (
        pytest.approx(centre - half),
        pytest.approx(centre + half),
        "Wilson",
    )


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 5), (0, 0)])
def test_impossible_proportions_are_refused(successes, n):
    with pytest.raises(GenbenchError, match="proportion needs"):
        wilson(successes, n)


def test_interval_over_seeds_by_hand():
    found = over_seeds([0.8, 0.9, 1.0])
    assert found.low == pytest.approx(0.9 - 4.302652729911275 * 0.1 / np.sqrt(3))
    assert found.high == pytest.approx(0.9 + 4.302652729911275 * 0.1 / np.sqrt(3))
    with pytest.raises(GenbenchError, match="at least two seeds; got 1"):
        over_seeds([0.5])


def test_clusters_widen_the_interval():
    # Ten words, each always right or always wrong, at 100 places: ten observations, not a thousand.
    sums = np.array([100, 100, 100, 100, 100, 0, 0, 0, 0, 0])
    clustered = cluster_bootstrap(np.full(10, 100), sums)
    plain = wilson(500, 1000)
    assert clustered.high - clustered.low > 5 * (plain.high - plain.low)
    assert clustered.low < 0.5 < clustered.high


def test_bootstrap_covers_the_truth():
    hits = 0
    for trial in range(200):
        draw = stream("coverage", trial)
        means = draw.normal(0.6, 0.1, 40)
        counts = draw.integers(5, 50, 40)
        found = cluster_bootstrap(counts, counts * means)
        hits += found.low <= 0.6 <= found.high
    assert 0.88 <= hits / 200 <= 0.99


def test_weights_draw_every_cluster_as_often_as_there_are_clusters():
    weights = resampling_weights(7)
    assert (weights.sum(axis=1) == 7).all()
    np.testing.assert_array_equal(weights, resampling_weights(7))


VALUES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=60)


@given(items=VALUES, cut=st.integers(0, 60))
def test_batches_do_not_matter(items, cut):
    whole, parts = (Tally("m", "abcde") for _ in range(2))
    values = np.array([v for v, _ in items])
    clusters = np.array([c for _, c in items])
    whole.add(values, clusters)
    parts.add(values[:cut], clusters[:cut])
    parts.add(values[cut:], clusters[cut:])
    one, two = whole.score(len(items)), parts.score(len(items))
    assert one.value == pytest.approx(two.value) == pytest.approx(values.mean())
    assert one.n == len(items)
    assert one.is_census
    assert one.interval is None
    assert sum(n for n, _ in one.clusters.values()) == len(items)


@given(items=VALUES)
def test_a_sample_has_an_interval_around_its_value(items):
    tally = Tally("m", "abcde")
    tally.add([v for v, _ in items], np.array([c for _, c in items]))
    score = tally.score(len(items) + 1)
    assert not score.is_census
    assert score.interval.low - 1e-12 <= score.value <= score.interval.high + 1e-12


def test_float32_values_are_summed_in_float64():
    tally = Tally("m", "a")
    for _ in range(200):
        tally.add(np.full(100_000, 0.1, dtype=np.float32), np.zeros(100_000, dtype=np.int64))
    assert tally.score(1).value == pytest.approx(float(np.float32(0.1)), rel=1e-12)


def test_nothing_added_is_an_error():
    with pytest.raises(GenbenchError, match="nothing was evaluated"):
        Tally("m", "a").score(10)


@pytest.mark.parametrize(
    ("metric", "written"),
    [
        ("target_probability", "target probability"),
        ("top1", "top1"),
        ("r_c_fast", "R_c fast"),
        ("r_fast", "R fast"),
        ("r2_grid", "R² grid"),
        ("ood_r2_grid", "OOD R² grid"),
        ("mir_letters", "MIR letters"),
        ("dci_completeness", "DCI completeness"),
    ],
)
def test_names_of_metrics_for_people(metric, written):
    assert title(metric) == written
