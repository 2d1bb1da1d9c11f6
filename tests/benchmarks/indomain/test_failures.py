"""Which items go wrong worst, and what is said of them."""

import numpy as np
import pytest

from pytest_genbench import evaluation
from pytest_genbench.benchmarks.grids import CELEBGLOW
from pytest_genbench.benchmarks.indomain import InDomain, reading, recognition, regression
from pytest_genbench.benchmarks.indomain.sources import Drawn
from pytest_genbench.evaluation import evaluate
from pytest_genbench.rng import stream

from .test_scores import LEVELS, SMALL, TARGETS, Knows, drawn


def item(*levels):
    return int(SMALL.grid.index(levels))


def changed(*changes):
    """The right answers of all items, but for (item, factor, value)."""
    values = TARGETS.copy()
    for at, factor, value in changes:
        values[at, factor] = value
    return values


def worst(values, order=None, scorer=regression.RegressionScorer, step=64):
    made = scorer(SMALL, "random")
    items = np.arange(len(values)) if order is None else order
    for start in range(0, len(items), step):
        batch = items[start : start + step]
        outputs = {"factors": values[batch]}
        if scorer is recognition.RecognitionScorer:
            outputs = logits(np.rint(np.clip(values[batch], 0, 1) * (np.array(SMALL.grid.shape) - 1)).astype(int))
        made.add(batch, None, outputs)
    return made.worst().tolist()


def logits(levels, design=SMALL):
    return {
        f"factor.{factor.name}": np.eye(len(factor), dtype=np.float32)[levels[:, k]]
        for k, factor in enumerate(design.factors)
    }


# By error: place 5 read as 0, turn 2 as 5, and turn 0 as a little more than half a level.
FAR, NEAR, LEAST, SAME_CELL = item(1, 4, 5, 5), item(0, 1, 2, 3), item(1, 3, 0, 0), item(0, 1, 0, 0)
WRONG = [(FAR, 3, 0.0), (NEAR, 2, 1.0), (LEAST, 2, 0.11), (SAME_CELL, 2, 0.2)]


class TestWorst:
    def test_the_largest_error_of_each_cell(self):
        assert worst(changed(*WRONG)) == [FAR, NEAR, LEAST]

    def test_nearer_to_the_own_level_is_right(self):
        # Halfway between two levels; a little less; beyond the ends, where no other level is nearer.
        right = [(item(0, 0, 0, 0), 2, 0.1), (item(0, 3, 3, 3), 3, 0.69), (item(0, 2, 5, 5), 2, 3.0)]
        assert worst(changed(*right, (item(1, 0, 0, 0), 3, -2.0))) == []

    def test_beyond_the_ends_counts_by_how_far(self):
        assert worst(changed((NEAR, 2, 1.0), (FAR, 3, 0.5), (LEAST, 2, 1.4))) == [LEAST, NEAR, FAR]

    @pytest.mark.parametrize("scorer", [regression.RegressionScorer, recognition.RecognitionScorer])
    def test_batches_do_not_matter(self, scorer):
        values = TARGETS + stream("test-failures").normal(0, 0.3, TARGETS.shape)
        whole = worst(values, scorer=scorer, step=len(values))
        assert len(whole) == 4
        assert len({tuple(LEVELS[each, :2]) for each in whole}) == 4
        shuffled = stream("test-failures-order").permutation(len(values))
        assert worst(values, scorer=scorer, step=7) == worst(values, shuffled, scorer, 13) == whole

    def test_of_levels_that_are_named(self):
        assert worst(changed(*WRONG), scorer=recognition.RecognitionScorer) == [FAR, NEAR, LEAST]

    def test_what_is_set_aside_never_counts(self):
        scorer = regression.RegressionScorer(CELEBGLOW, "random")
        values = regression.targets(CELEBGLOW, CELEBGLOW.grid.levels([0, 700, 9000]))
        values[:, 0] = [0.9, 0.1, 0.5]
        values[2, 1] += 0.2
        scorer.add(np.array([0, 700, 9000]), None, {"factors": values})
        assert scorer.worst().tolist() == [9000]
        # A model may leave it out, or what is left.
        scorer = regression.RegressionScorer(CELEBGLOW, "random")
        scorer.add(np.array([0, 700, 9000]), None, {"factors": values[:, 1:]})
        assert scorer.worst().tolist() == [9000]


class TestReading:
    def read(self, levels, values):
        return reading.of_numbers(SMALL, np.array([item(*levels)]), {"factors": np.array([values], np.float32)})[0]

    def test_names_the_wrong_factors_alone(self):
        assert self.read((0, 4, 2, 3), (0, 0.3, 0.4, 0.6)) == ("size 5 of 5", "size 2")

    def test_the_worst_comes_first(self):
        assert self.read((0, 4, 2, 3), (0, 0.5, 1.0, 0.6)) == ("turn 3 of 6, size 5 of 5", "turn 6, size 3")

    def test_levels_with_names_are_named(self):
        assert self.read((1, 0, 0, 0), (-0.3, 0, 0, 0)) == ("kind b", "kind a")

    def test_three_at_most(self):
        right, read = self.read((0, 0, 0, 0), (1, 0.9, 0.8, 0.7))
        assert (right, read) == ("kind a, size 1 of 5, turn 1 of 6", "kind b, size 5, turn 5")

    def test_beyond_the_ends_a_number_says_where(self):
        assert self.read((0, 2, 2, 2), (0, 0.5, -3, 0.4)) == ("turn 3 of 6", "turn -14")
        assert self.read((0, 2, 2, 2), (0, 0.5, 1e9, 0.4))[1] == "turn 5e+09"
        assert self.read((1, 2, 2, 2), (-1e9, 0.5, 0.4, 0.4)) == ("kind b", "kind a")

    def test_of_levels(self):
        levels = np.array([[0, 2, 2, 2]])
        found = reading.of_levels(SMALL, np.array([item(1, 2, 2, 5)]), logits(levels))
        assert found == [("kind b, place 6 of 6", "kind a, place 3")]

    def test_without_what_is_set_aside(self):
        items = np.array([700])
        outputs = logits(CELEBGLOW.grid.levels([701]), CELEBGLOW)
        del outputs["factor.person"]
        assert reading.of_levels(CELEBGLOW, items, outputs) == [("age 5 of 6", "age 6")]
        # A model that answers otherwise when asked again.
        outputs = logits(CELEBGLOW.grid.levels(items), CELEBGLOW)
        assert reading.of_levels(CELEBGLOW, items, outputs) == [("smile 2 of 6", "smile 2")]


def test_end_to_end(monkeypatch):
    benchmark = InDomain(SMALL, "default", Drawn(drawn))
    (split,) = benchmark.splits("extrapolation")
    # Nine tenths of what is true is nearest to the true level, or halfway.
    found = evaluate(benchmark, split, benchmark.tasks["regression"], Knows(), samples=None)
    assert found.failures == ()

    class Halves(Knows):
        def predict(self, batch, outputs=None):
            return {"factors": super().predict(batch)["factors"] * 0.5}

    found = evaluate(benchmark, split, benchmark.tasks["regression"], Halves(), samples=None)
    monkeypatch.setattr(evaluation, "BATCH", 7)
    again = evaluate(benchmark, split, benchmark.tasks["regression"], Halves(), samples=None)
    assert found.failures == again.failures
    first = found.failures[0]
    assert len(found.failures) == 4
    assert SMALL.grid.levels(first.item).tolist() == [0, 0, 0, 5]
    assert (first.right, first.read) == ("place 6 of 6", "place 3")
    assert evaluate(benchmark, split, benchmark.tasks["modularity"], Halves(), samples=None).failures == ()
