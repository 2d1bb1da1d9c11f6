"""Scores of the in-domain benchmark: against literal forms on small grids, and what a model can get wrong."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import r2_score

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.grids import CELEBGLOW, DSPRITES, MPI3D, SHAPES3D, Design, selection
from pytest_genbench.benchmarks.indomain import InDomain, modularity, recognition, regression, rule
from pytest_genbench.benchmarks.indomain.sources import Drawn
from pytest_genbench.errors import ModelError
from pytest_genbench.evaluation import evaluate
from pytest_genbench.factors import Factor

SMALL = Design(
    "small",
    (
        Factor("kind", ("a", "b")),
        Factor("size", tuple(range(5)), "ordinal"),
        Factor("turn", tuple(range(6)), "ordinal"),
        Factor("place", tuple(range(6)), "ordinal"),
    ),
    channels=1,
    share=0.2,
    kept=("kind",),
)
LEVELS = SMALL.grid.levels(np.arange(SMALL.grid.size))
TARGETS = LEVELS / (np.array(SMALL.grid.shape) - 1)


def scored(scorer, values, items, population=None):
    for part in np.array_split(np.arange(len(items)), 3):
        scorer.add(items[part], None, {"factors": values[part]})
    return {score.metric: score for score in scorer.scores(population or len(items), "held-out")}


def noisy(seed, size=0.2):
    return TARGETS + np.random.default_rng(seed).normal(0, size, TARGETS.shape)


class TestRegression:
    @pytest.mark.parametrize("design", [DSPRITES, SHAPES3D, MPI3D, CELEBGLOW, SMALL], ids=lambda design: design.name)
    def test_variance_is_that_of_the_grid(self, design):
        expected = [np.var(np.linspace(0, 1, n)) for n in design.grid.shape]
        assert regression.variances(design) == pytest.approx(expected)

    def test_published_variances(self):
        found = dict(zip((3, 6, 40, 32), regression.variances(DSPRITES)[[0, 1, 2, 3]], strict=True))
        assert found == pytest.approx({3: 0.16667, 6: 0.11667, 40: 0.08761, 32: 0.08871}, abs=5e-6)

    @settings(max_examples=20)
    @given(seed=st.integers(0, 1000), variant=st.sampled_from(list(rule.FAMILIES.values())[1:]))
    def test_literal_form(self, seed, variant):
        items = np.flatnonzero(rule.is_held_out(SMALL, variant))
        values = noisy(seed)[items]
        found = scored(regression.RegressionScorer(SMALL, variant), values, items)
        mse = ((TARGETS[items] - values) ** 2).mean(axis=0)
        r2 = 1 - mse / TARGETS.var(axis=0)
        assert found["r2_grid"].value == pytest.approx(r2.mean())
        assert found["varying_r2_grid"].value == pytest.approx(r2[1:].mean())
        assert found["clipped_r2_grid"].value == pytest.approx(max(0, r2.mean()))
        assert [found[f"r2_grid.{name}"].value for name in SMALL.grid.names] == pytest.approx(r2)
        assert found["r2"].value == pytest.approx(r2_score(TARGETS[items], values))
        assert all(score.value <= 1 for score in found.values())

    def test_perfect(self):
        items = np.arange(SMALL.grid.size)
        found = scored(regression.RegressionScorer(SMALL, "random"), TARGETS, items)
        assert {score.value for score in found.values()} == {1.0}

    def test_scikit_learn_leaves_out_what_does_not_vary(self):
        items = np.flatnonzero(LEVELS[:, 1] == 4)
        found = scored(regression.RegressionScorer(SMALL, "random"), noisy(0)[items], items)
        varying = [0, 2, 3]
        assert found["r2"].value == pytest.approx(r2_score(TARGETS[items][:, varying], noisy(0)[items][:, varying]))

    def test_clusters_are_few(self):
        for design in (DSPRITES, SHAPES3D, MPI3D, CELEBGLOW):
            cells = regression.Cells(design)
            assert 10 < len(cells.names) <= regression.MANY_CELLS
            levels = design.grid.levels(np.arange(0, design.grid.size, 997))
            assert cells.of(levels).max() < len(cells.names)


class TestWrongOutputs:
    def test_number_of_outputs(self):
        with pytest.raises(ModelError, match=r"shape \(4, 3\); expected is \(N, 5\).*shape, scale, orientation, x-pos"):
            regression.RegressionScorer(DSPRITES, "random").add(np.arange(4), None, {"factors": np.zeros((4, 3))})

    def test_person_may_be_left_out(self):
        items = np.arange(50_000, 50_400)
        truth = regression.targets(CELEBGLOW, CELEBGLOW.grid.levels(items))
        full = scored(regression.RegressionScorer(CELEBGLOW, "random"), truth * 0.9, items)
        short = scored(regression.RegressionScorer(CELEBGLOW, "random"), truth[:, 1:] * 0.9, items)
        assert full["r2_grid"].value == short["r2_grid"].value
        assert "r2_grid.person" in full
        assert "r2_grid.person" not in short
        with pytest.raises(ModelError, match=r"person, smile, blond, age, in this order \(person may be left out\)"):
            regression.RegressionScorer(CELEBGLOW, "random").add(items, None, {"factors": truth[:, :2]})

    def test_level_numbers_are_detected(self):
        items = np.arange(SMALL.grid.size)
        with pytest.raises(
            ModelError, match=r"looks like level numbers.*divide kind by 1, size by 4, turn by 5, place by 5"
        ):
            scored(regression.RegressionScorer(SMALL, "random"), LEVELS + 0.1, items)

    def test_merely_bad_values_are_scored(self):
        items = np.arange(SMALL.grid.size)
        found = scored(regression.RegressionScorer(SMALL, "random"), TARGETS * 9 - 4, items)
        assert found["r2_grid"].value < -20

    def test_one_outlier_makes_no_level_numbers(self):
        factors = (*(Factor(name, (0, 1)) for name in "abcd"), Factor("e", tuple(range(6)), "ordinal"))
        design = Design("binary", factors, 1, 0.2, tuple("abcd"))
        items = np.arange(design.grid.size)
        values = regression.targets(design, design.grid.levels(items))
        values[0, 0] = 1.6
        found = scored(regression.RegressionScorer(design, "random"), values, items)
        assert found["r2_grid"].value > 0.9


class TestRecognition:
    def test_logits_score_as_the_values_of_the_named_levels(self):
        items = np.arange(SMALL.grid.size)
        named = (LEVELS + np.random.default_rng(0).integers(0, 2, LEVELS.shape)) % SMALL.grid.shape
        logits = {
            f"factor.{factor.name}": np.eye(len(factor))[named[:, k]] * 5 for k, factor in enumerate(SMALL.factors)
        }
        scorer = recognition.RecognitionScorer(SMALL, "random")
        scorer.add(items, None, logits)
        found = {score.metric: score.value for score in scorer.scores(len(items), "held-out")}
        values = named / (np.array(SMALL.grid.shape) - 1)
        expected = scored(regression.RegressionScorer(SMALL, "random"), values, items)
        assert found["r2_grid"] == pytest.approx(expected["r2_grid"].value)
        assert found["accuracy"] == pytest.approx((named == LEVELS).all(axis=1).mean())
        assert found["accuracy.turn"] == pytest.approx((named == LEVELS)[:, 2].mean())

    def test_wrong_shape(self):
        logits = {f"factor.{name}": np.zeros((4, 3)) for name in SMALL.grid.names}
        with pytest.raises(ModelError, match=r"'factor.kind' has shape \(4, 3\); expected is \(N, 2\)"):
            recognition.RecognitionScorer(SMALL, "random").add(np.arange(4), None, logits)

    def test_person_is_optional(self):
        assert recognition.outputs(CELEBGLOW) == ("factor.smile", "factor.blond", "factor.age")
        assert recognition.optional(CELEBGLOW) == ("factor.person",)


class TestModularity:
    @settings(max_examples=20)
    @given(seed=st.integers(0, 1000), variant=st.sampled_from(["interpolation", "extrapolation"]))
    def test_literal_form(self, seed, variant):
        items = np.flatnonzero(rule.is_held_out(SMALL, variant))
        values = noisy(seed)
        found = scored(modularity.ModularityScorer(SMALL, variant), values[items], items)
        variance = TARGETS.var(axis=0)
        ood, others, signed = {}, {}, []
        mean = TARGETS[~rule.is_held_out(SMALL, variant)].mean(axis=0)
        for k in (1, 2, 3):
            mask = rule.single_factor(SMALL, variant, k)
            r2 = 1 - ((TARGETS[mask] - values[mask]) ** 2).mean(axis=0) / variance
            ood[k] = r2[k]
            for j in {0, 1, 2, 3} - {k}:
                others.setdefault(j, []).append(r2[j])
            if variant == "extrapolation":
                signed.append((values[mask, k] - mean[k]) / (TARGETS[mask, k] - mean[k]))
            assert found[f"r2_grid_on.{SMALL.grid.names[k]}"].value == pytest.approx(r2.mean())
        assert found["ood_r2_grid"].value == pytest.approx(np.mean(list(ood.values())))
        means = {j: np.mean(each) for j, each in others.items()}
        assert found["id_r2_grid"].value == pytest.approx(np.mean(list(means.values())))
        assert found["id_varying_r2_grid"].value == pytest.approx(np.mean([means[j] for j in (1, 2, 3)]))
        for k in (1, 2, 3):
            assert found[f"ood_r2_grid.{SMALL.grid.names[k]}"].value == pytest.approx(ood[k])
            assert found[f"id_r2_grid.{SMALL.grid.names[k]}"].value == pytest.approx(means[k])
        assert ("toward_mean_share" in found) == (variant == "extrapolation")
        if variant == "extrapolation":
            ratios = np.concatenate(signed)
            assert found["toward_mean_share"].value == pytest.approx((np.abs(ratios) < 1).mean())
            assert found["toward_mean_ratio"].value == pytest.approx(np.median(np.abs(ratios)))
            assert found["toward_mean_signed_ratio"].value == pytest.approx(np.median(ratios))

    @pytest.mark.parametrize(
        ("design", "expected"),
        [
            (DSPRITES, {"scale": 0.3, "orientation": 0.3974, "x-position": 0.3871, "y-position": 0.3871}),
            (SHAPES3D, {"floor color": 0.3889, "object size": 0.3571, "azimuth": 0.3929}),
            (MPI3D, {"color": 0.4, "height": 0.25, "bg color": 0.25, "x-axis": 0.4487}),
            (CELEBGLOW, {"smile": 0.3, "age": 0.3}),
        ],
    )
    def test_published_means_of_training(self, design, expected):
        found = dict(zip(design.grid.names, modularity.train_means(design, "extrapolation"), strict=True))
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=6e-5)

    def test_pulled_half_way_to_the_mean(self):
        items = np.flatnonzero(rule.is_held_out(SMALL, "extrapolation"))
        mean = modularity.train_means(SMALL, "extrapolation")
        found = scored(modularity.ModularityScorer(SMALL, "extrapolation"), (mean + TARGETS[items]) / 2, items)
        assert found["toward_mean_share"].value == 1
        assert found["toward_mean_ratio"].value == pytest.approx(0.5)
        found = scored(modularity.ModularityScorer(SMALL, "extrapolation"), 1.5 * mean - 0.5 * TARGETS[items], items)
        assert found["toward_mean_signed_ratio"].value == pytest.approx(-0.5)

    def test_far_on_the_other_side_of_the_mean_is_not_near_it(self):
        items = np.flatnonzero(rule.is_held_out(SMALL, "extrapolation"))
        mean = modularity.train_means(SMALL, "extrapolation")
        found = scored(modularity.ModularityScorer(SMALL, "extrapolation"), 3 * mean - 2 * TARGETS[items], items)
        assert found["toward_mean_share"].value == 0
        assert found["toward_mean_ratio"].value == pytest.approx(2)

    def test_interval_covers_the_census(self):
        benchmark = get("dsprites", "mini")
        (split,) = benchmark.splits("extrapolation")
        truth = regression.targets(benchmark.design, benchmark.levels(split.test))
        values = truth + np.random.default_rng(1).normal(0, 0.2, truth.shape)
        whole = scored(modularity.ModularityScorer(benchmark.design, "extrapolation"), values, split.test)[
            "ood_r2_grid"
        ]
        assert whole.interval is None
        assert whole.n == whole.population == 7_680
        inside, halves, centres = 0, [], []
        for seed in range(40):
            some = np.sort(np.random.default_rng(seed).choice(len(split.test), 2_000, replace=False))
            scorer = modularity.ModularityScorer(benchmark.design, "extrapolation")
            score = scored(scorer, values[some], split.test[some], len(split.test))["ood_r2_grid"]
            inside += score.interval.low <= whole.value <= score.interval.high
            halves.append((score.interval.high - score.interval.low) / 2)
            centres.append(score.value)
        assert inside >= 35
        # Not wider than the spread of the samples asks for, either.
        assert np.mean(halves) == pytest.approx(1.96 * np.std(centres), rel=0.4)

    def test_items_to_keep(self):
        kept = modularity.kept(DSPRITES, "extrapolation")
        assert list(kept) == ["scale", "orientation", "x-position", "y-position"]
        for k, each in zip(rule.varying(DSPRITES), kept.values(), strict=True):
            assert len(each.items) == modularity.KEPT
            assert rule.single_factor(DSPRITES, "extrapolation", k)[each.items].all()
            assert each.true == pytest.approx(regression.targets(DSPRITES, DSPRITES.grid.levels(each.items))[:, k])


class Knows:
    """A model that reads the truth off the first pixels, where the tests put it."""

    device = "cpu"
    contract = SimpleNamespace(outputs={"factors": "factors"}, extra=())

    def predict(self, batch, outputs=None):
        return {"factors": batch[:, 0, : len(SMALL.factors), 0] / (np.array(SMALL.grid.shape) - 1) * 0.9}


def drawn(levels):
    images = np.zeros((len(levels), 64, 64, 1), dtype=np.uint8)
    images[:, 0, : levels.shape[1], 0] = levels
    return images


class TestEvaluation:
    def test_own_grid_end_to_end(self):
        benchmark = InDomain(SMALL, "default", Drawn(drawn))
        (split,) = benchmark.splits("extrapolation")
        found = evaluate(benchmark, split, benchmark.tasks["modularity"], Knows(), samples=None)
        assert set(found.kept) == {"size", "turn", "place"}
        for each in found.kept.values():
            assert each["answer"] == pytest.approx([value * 0.9 for value in each["true"]], abs=1e-4)
        assert {score.condition for score in found.scores} == {"held-out"}
        again = evaluate(benchmark, split, benchmark.tasks["modularity"], Knows(), samples=50)
        assert again.kept == found.kept
        plain = evaluate(benchmark, split, benchmark.tasks["regression"], Knows(), samples=None)
        assert plain.kept == {}
        assert {score.condition for score in plain.scores} == {"held-out", "in-split"}

    def test_sub_grid_draws_what_the_full_grid_does(self):
        whole, part = get("dsprites"), get("dsprites", "mini")
        items = np.arange(0, part.grid.size, 301)
        levels = part.levels(items)
        values = [[part.grid.factors[k].values[level] for k, level in enumerate(row)] for row in levels]
        same = [[whole.grid.factors[k].values.index(value) for k, value in enumerate(row)] for row in values]
        assert np.array_equal(part.images(items), whole.images(whole.grid.index(same)))

    def test_selection_keeps_the_rule(self):
        part = selection(MPI3D, {"x-axis": range(0, 40, 4)})
        assert part.grid.shape == (6, 6, 2, 3, 3, 10, 40)
        assert part.share == MPI3D.share
