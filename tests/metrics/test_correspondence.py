import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.correspondence import correspondence_r2, r2, split

from .latents import recorded

RECORDED = recorded("r2_single_split")

CONTINUOUS = ("continuous", "continuous")
TO_CLASS = ("continuous", "categorical")
CLASSES = ("categorical", "categorical")

ESTIMATORS = ("fast", "gbdt")


@pytest.fixture
def draw():
    return np.random.default_rng(0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("case", RECORDED["cases"], ids=lambda case: case["name"])
def test_recorded_splits(case, estimator):
    x, y = np.array(RECORDED["x"]), np.array(case["y"])
    kind = "categorical" if case["name"].startswith("threshold") else "continuous"
    given_ = {"test": case["test_idx"], "estimator": estimator}
    assert r2(x, y, kind=kind, **given_) == pytest.approx(case["x_to_y"], abs=1e-12)
    assert r2(y, x, **given_) == pytest.approx(case["y_to_x"], abs=1e-12)
    assert r2(x, y, variant="paper", **given_) == r2(x, y, kind=kind, **given_)


@pytest.mark.parametrize("kinds", [CONTINUOUS, TO_CLASS, CLASSES])
def test_fast_is_the_published_recipe(kinds, draw):
    x = draw.normal(size=150)
    y = x + 0.5 * draw.normal(size=150)
    x, y = (
        (np.digitize(v, [-0.5, 0.5]) if kind == "categorical" else v) for v, kind in zip((x, y), kinds, strict=True)
    )
    fast, published = (correspondence_r2(x, y, kinds=kinds, estimator=each, seed=3) for each in ESTIMATORS)
    assert (fast.name, published.name) == ("correspondence_r2[fast]", "correspondence_r2[gbdt]")
    # Of equally good splits of a classifier's trees, rounding decides.
    assert fast.value == pytest.approx(published.value, abs=0.01 if "categorical" in kinds else 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.05, 0.2])
def test_fast_is_the_published_recipe_with_many_samples(sigma, draw):
    x = draw.uniform(size=10_000)
    y = x + sigma * draw.normal(size=10_000)
    for kinds, z in ((CONTINUOUS, y), (TO_CLASS, np.digitize(y, [1 / 3, 2 / 3]))):
        fast, published = (correspondence_r2(x, z, kinds=kinds, estimator=each) for each in ESTIMATORS)
        assert fast.value == pytest.approx(published.value, abs=0.01)
        assert fast.parts == pytest.approx(published.parts, abs=0.01)


@pytest.mark.parametrize("bend", [lambda t: t, lambda t: t**3, np.exp, lambda t: -2 * t - 0.5, lambda t: 1 / (t + 1.2)])
@pytest.mark.parametrize("n", [300, 3000])
def test_strictly_monotone_maps_score_1(bend, n, draw):
    x = draw.uniform(-1, 1, n)
    assert correspondence_r2(x, bend(x)).value == pytest.approx(1, abs=0.002)


def test_maps_of_the_input_change_nothing_but_which_side_of_a_split_a_sample_is_on(draw):
    x, y = draw.normal(size=(2, 400))
    y += x
    plain, bent = correspondence_r2(x, y), correspondence_r2(np.exp(x), y)
    assert plain.parts["x to y"] == pytest.approx(bent.parts["x to y"], abs=0.02)


@pytest.mark.parametrize(("rho", "population", "biased"), [(0.9, 0.81, 0.794), (0.5, 0.25, 0.210)])
def test_gaussians_score_their_squared_correlation(rho, population, biased, draw):
    scores = []
    for seed in range(4):
        x, noise = draw.normal(size=(2, 3000))
        scores.append(correspondence_r2(x, rho * x + np.sqrt(1 - rho**2) * noise, seed=seed).value)
    # Boosted trees fit some noise; the last figure is what one run of the published recipe gives at this size.
    assert np.mean(scores) == pytest.approx(biased, abs=0.03)
    assert np.mean(scores) < population


@pytest.mark.parametrize("k", [3, 8])
def test_a_variable_and_the_bin_it_falls_into(k, draw):
    x = draw.uniform(size=3000)
    found = correspondence_r2(x, np.floor(k * x) + 1, kinds=TO_CLASS)
    assert found.value == pytest.approx(np.sqrt(1 - 1 / k**2), abs=0.01)
    assert found.parts["x to y"] == pytest.approx(1, abs=0.01)


def test_noise(draw):
    x = draw.uniform(size=3000)
    found = correspondence_r2(x, x + 0.1 * draw.normal(size=3000))
    assert found.value == pytest.approx(0.903, abs=0.02)
    assert found.parts["x to y"] == pytest.approx((1 / 12) / (1 / 12 + 0.01), abs=0.02)


def test_a_threshold(draw):
    x = draw.uniform(-1, 1, 3000)
    assert correspondence_r2(x, x > 0, kinds=TO_CLASS).value == pytest.approx(np.sqrt(0.75), abs=0.01)


def test_what_cannot_be_told_from_the_other_scores_0(draw):
    x, y = draw.uniform(-1, 1, (2, 1000))
    assert correspondence_r2(x, np.abs(x)).value == 0
    assert correspondence_r2(x, np.abs(x)).parts["x to y"] > 0.99
    assert correspondence_r2(x, np.abs(x) > 0.5, kinds=TO_CLASS).value < 0.1
    assert correspondence_r2(x, y).value == 0


@pytest.mark.parametrize("k", [2, 3])
def test_chance_of_categorical_variables_is_not_0(k, draw):
    x, y = draw.integers(k, size=(2, 3000))
    assert correspondence_r2(x, y, kinds=CLASSES).value == pytest.approx(1 / k, abs=0.03)


@settings(max_examples=15)
@given(st.integers(0, 2**16), st.integers(2, 60), st.sampled_from([CONTINUOUS, TO_CLASS, CLASSES]))
def test_symmetric_and_within_0_and_1(seed, n, kinds):
    draw = np.random.default_rng(seed)
    x, y = draw.integers(0, draw.integers(1, 9), size=(2, n))
    found = correspondence_r2(x, y, kinds=kinds, seed=seed)
    back = correspondence_r2(y, x, kinds=kinds[::-1], seed=seed)
    assert 0 <= found.value <= 1
    assert max(found.parts.values()) <= 1
    assert back.value == pytest.approx(found.value, abs=1e-12)
    assert back.parts["x to y"] == pytest.approx(found.parts["y to x"])


def test_scale_changes_nothing(draw):
    x, y = draw.normal(size=(2, 200))
    y += x
    expected = correspondence_r2(x, y).value
    for scale, offset in ((1e-9, 0), (1e9, 0), (-3, 100)):
        assert correspondence_r2(x * scale + offset, y).value == pytest.approx(expected, abs=0.02)
        assert correspondence_r2(x, y * scale + offset).value == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_as_published_anything_matches_on_four_samples(n, estimator, draw):
    x, y = draw.normal(size=(2, n))
    found = correspondence_r2(x, y, variant="paper", estimator=estimator)
    assert (found.name, found.value) == (f"correspondence_r2[{estimator}-paper]", 1)
    assert correspondence_r2(x, y, estimator=estimator).value == 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constants(estimator, draw):
    x, constant = draw.normal(size=40), np.ones(40)
    as_published = correspondence_r2(x, constant, variant="paper", estimator=estimator)
    assert as_published.parts["x to y"] == 1
    assert as_published.value == 0
    assert correspondence_r2(constant, constant, variant="paper", estimator=estimator).value == 1
    for kinds in (CONTINUOUS, TO_CLASS, CLASSES):
        kept = np.round(x) if kinds == CLASSES else x
        assert correspondence_r2(kept, constant, kinds=kinds, estimator=estimator).value == 0
        assert correspondence_r2(constant, constant, kinds=kinds, estimator=estimator).value == 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_target_that_is_constant_in_one_part_only(estimator):
    x, test = np.arange(8.0), [0, 1]
    late = [5, 5, 1, 2, 3, 4, 5, 6]
    early = [1, 2, 5, 5, 5, 5, 5, 5]
    for y, default in ((late, 0), (early, 1 - 25 / 0.5)):
        assert r2(x, y, test=test, estimator=estimator) == default
        assert r2(x, y, test=test, estimator=estimator, variant="paper") == 1
    assert r2(x, early, kind="categorical", test=test, estimator=estimator) == 0
    # One of two splits says nothing; the other counts alone.
    found = correspondence_r2(x, late, splits=[test, [3, 5]], estimator=estimator)
    assert found.parts["x to y"] == r2(x, late, test=[3, 5], estimator=estimator)


def test_as_published_kinds_are_guessed(draw):
    x = draw.uniform(-1, 1, 300)
    few, many = np.round(4 * x), np.round(6 * x)
    for y, kinds in ((few, TO_CLASS), (many, CONTINUOUS), (few + 0.5, CONTINUOUS)):
        assert correspondence_r2(x, y, variant="paper").value == correspondence_r2(x, y, kinds=kinds).value


def test_one_sample():
    with pytest.raises(MetricError, match="1 samples are too few"):
        correspondence_r2([1], [1])


def test_splits_are_explicit_or_seeded(draw):
    x, y = draw.normal(size=(2, 60))
    y += x
    plain = correspondence_r2(x, y)
    assert correspondence_r2(x, y, splits=split(60, 0)).parts == plain.parts
    assert correspondence_r2(x, y, seed=1).parts != plain.parts
    one = correspondence_r2(x, y, repeats=1)
    assert one.parts["x to y"] == pytest.approx(r2(x, y, test=split(60, 0)[0]))


@pytest.mark.parametrize("n", [2, 4, 5, 100])
def test_a_quarter_is_for_testing(n):
    tests = split(n, 7)
    assert len(tests) == 5
    assert all(len(test) == -(-n // 4) == len(set(test)) and set(test) <= set(range(n)) for test in tests)
    assert all((one == other).all() for one, other in zip(tests, split(n, 7, 9), strict=False))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": [1, 2, 3]}, "x and y|factors have 3 rows"),
        ({"x": np.ones((8, 2))}, "one column each; got 2 and 1"),
        ({"x": [np.nan] * 8}, "x are NaN or infinite in 8 of 8 rows"),
        ({"y": list("abcdefgh")}, "y need numbers"),
        ({"y": np.arange(8) / 2, "kinds": TO_CLASS}, "is categorical but holds values that are no whole numbers"),
        ({"kinds": ("continuous",)}, "kinds are given for 1"),
        ({"kinds": ("continuous", "cyclic")}, "Kind 'cyclic'"),
        ({"estimator": "slow"}, "estimator has to be 'fast' or 'gbdt'; got 'slow'"),
        ({"variant": "old"}, "variant has to be 'default' or 'paper'; got 'old'"),
        ({"repeats": 0}, "At least one split is needed; got repeats=0"),
        ({"splits": []}, "At least one split is needed; got none"),
        ({"splits": [[]]}, "between 1 and 7 of them"),
        ({"splits": [range(8)]}, "between 1 and 7 of them"),
        ({"splits": [[0.5]]}, "dtype float64"),
        ({"splits": [[[1]]]}, r"shape \(1, 1\)"),
        ({"splits": [[8]]}, "from 0 to 7, each at most once"),
        ({"splits": [[-1]]}, "from 0 to 7, each at most once"),
        ({"splits": [[1, 1]]}, "from 0 to 7, each at most once"),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(MetricError, match=message):
        correspondence_r2(**({"x": np.arange(8), "y": np.arange(8)} | changes))


def test_bad_input_of_a_single_split():
    for changes, message in (({"kind": "cyclic"}, "Kind 'cyclic'"), ({"test": [9]}, "from 0 to 7")):
        with pytest.raises(MetricError, match=message):
            r2(np.arange(8), np.arange(8), **({"test": [1]} | changes))
