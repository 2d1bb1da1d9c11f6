"""Scores and anchors of a table."""

import numpy as np
import pytest

from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.benchmarks.table import neighbours
from pytest_genbench.benchmarks.table.neighbours import Neighbours, reduce
from pytest_genbench.benchmarks.table.regression import anchors, nearest_seen
from pytest_genbench.benchmarks.table.splits import Splits
from pytest_genbench.errors import ModelError
from pytest_genbench.splits import Split

from .tables import as_array, describe, full_grid
from .test_splits import settings


def answers(benchmark, change):
    """A model that knows the right answers, changed by a function of the outputs; it is told the rows by the scorer."""

    def outputs(rows):
        targets = benchmark.targets(rows)
        found = {"factors": targets["factors"].astype(np.float64)}
        for factor in benchmark.grid.factors:
            if f"factor.{factor.name}" in targets:
                found[f"factor.{factor.name}"] = np.eye(len(factor))[targets[f"factor.{factor.name}"]]
        return change(found, rows)

    return outputs


def scores(benchmark, split, task, outputs, rows=None):
    scorer = benchmark.tasks[task].scorer(split)
    rows = split.test if rows is None else rows
    for batch in np.array_split(rows, 3):
        scorer.add(batch, None, outputs(batch))
    found = scorer.scores(len(split.test), "held-out")
    assert {score.metric for score in found} <= benchmark.tasks[task].metrics.keys()
    assert found[0].metric == benchmark.tasks[task].metric
    for score in found:
        assert sum(count for count, _ in score.clusters.values()) == score.n
    return {score.metric: score.value for score in found}, scorer.errors()


class TestTasks:
    def test_what_they_ask_for(self, tmp_path):
        benchmark = describe(as_array(tmp_path), "[factors.size]\nkind = 'continuous'")
        assert benchmark.tasks["recognition"].outputs == ("factor.shape", "factor.shade")
        assert benchmark.tasks["regression"].outputs == ("factors",)
        assert benchmark.tasks["recognition"].fits("factor.shade", (5,))
        assert not benchmark.tasks["recognition"].fits("factor.size", (5,))
        assert benchmark.tasks["regression"].fits("factors", (3,))
        targets = benchmark.targets([0, 1])
        assert set(targets) == {"factor.shape", "factor.shade", "factors"}
        assert (targets["factors"].dtype, targets["factor.shape"].dtype) == (np.float32, np.int64)

    def test_a_continuous_table_has_no_recognition(self, tmp_path):
        text = "allow_duplicates = true\nuse = ['size']\n[factors.size]\nkind = 'continuous'"
        assert list(describe(as_array(tmp_path), text).tasks) == ["regression"]

    def test_a_perfect_model(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        for name in ("extrapolation-size", "compositional-shape-shade", "in_distribution-1"):
            for task in benchmark.tasks:
                found, errors = scores(
                    benchmark, find_split(benchmark, name), task, answers(benchmark, lambda o, rows: o)
                )
                assert set(found.values()) == {1.0}
                assert not any(errors.values())
                assert any(metric.startswith("held_out") for metric in found) == (name != "in_distribution-1")

    def test_a_model_that_misses_one_factor(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")

        def change(found, rows):
            return found | {"factor.size": np.eye(5)[np.full(len(rows), 3)]}

        found, errors = scores(benchmark, split, "recognition", answers(benchmark, change))
        assert found["factor_accuracy"] == pytest.approx(2 / 3)
        assert (found["held_out_factor_accuracy"], found["accuracy.size"], found["accuracy.shape"]) == (0, 0, 1)
        assert errors == {"wrong shape": 0, "wrong size": len(split.test), "wrong shade": 0}

    def test_r2_is_that_of_the_whole_table(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "compositional-shape-size")
        draw = np.random.default_rng(0)
        noise = draw.normal(0, 0.2, (len(benchmark), 3))
        change = lambda found, rows: found | {"factors": found["factors"] + noise[rows]}  # noqa: E731
        found, _ = scores(benchmark, split, "regression", answers(benchmark, change))
        targets = benchmark.targets(np.arange(len(benchmark)))["factors"].astype(np.float64)
        by_hand = 1 - (noise[split.test] ** 2).mean(axis=0) / targets.var(axis=0)
        assert found["r2_grid"] == pytest.approx(by_hand.mean())
        assert found["held_out_r2_grid"] == pytest.approx(by_hand[:2].mean())
        assert found["r2_grid.shade"] == pytest.approx(by_hand[2])

    def test_one_factor_has_one_metric(self, tmp_path):
        benchmark = describe(as_array(tmp_path), "allow_duplicates = true\nuse = ['size']")
        assert list(benchmark.tasks["recognition"].metrics) == ["factor_accuracy", "held_out_factor_accuracy"]
        split = benchmark.splits("in_distribution")[0]
        found, _ = scores(benchmark, split, "recognition", answers(benchmark, lambda o, rows: o))
        assert list(found) == ["factor_accuracy"]

    def test_shapes_of_outputs(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = benchmark.splits("in_distribution")[0]
        wrong = answers(benchmark, lambda found, rows: found | {"factor.size": np.zeros((len(rows), 4))})
        with pytest.raises(
            ModelError, match=r"factor\.size has shape .*; expected \(N, 5\), one for each level: 1, 2, 3, 4, …"
        ):
            scores(benchmark, split, "recognition", wrong)
        wrong = answers(benchmark, lambda found, rows: {"factors": np.zeros((len(rows), 4))})
        with pytest.raises(
            ModelError, match=r"factors has shape .* expected \(N, 3\), in \[0, 1\] for shape, size, shade"
        ):
            scores(benchmark, split, "regression", wrong)

    def test_a_sample_has_an_interval(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")
        scorer = benchmark.tasks["regression"].scorer(split)
        rows = split.test[:8]
        scorer.add(rows, None, {"factors": np.random.default_rng(0).random((8, 3))})
        score = scorer.scores(len(split.test), "held-out")[0]
        assert score.interval.low < score.value < score.interval.high
        assert next(iter(score.clusters)).startswith("size=5, shape=")


class TestAnchors:
    def by_name(self, benchmark, task, split):
        return {anchor.name: anchor.value for anchor in benchmark.tasks[task].anchors(split)}

    def test_of_recognition(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")
        found = self.by_name(benchmark, "recognition", split)
        assert found["chance"] == pytest.approx((1 / 3 + 1 / 5 + 1 / 5) / 3)
        assert found["chance (held-out factors)"] == pytest.approx(1 / 5)
        assert found["nearest training image (held-out factors)"] == 0
        train, test = benchmark.levels(split.train), benchmark.levels(split.test)
        constant = [(test[:, k] == np.bincount(train[:, k]).argmax()).mean() for k in range(3)]
        assert found["constant answer"] == pytest.approx(np.mean(constant))
        assert "chance (held-out factors)" not in self.by_name(
            benchmark, "recognition", benchmark.splits("in_distribution")[0]
        )

    def test_the_nearest_image_of_a_random_split_is_often_right(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = benchmark.splits("in_distribution")[0]
        found = self.by_name(benchmark, "recognition", split)
        assert found["nearest training image"] > found["constant answer"]

    @pytest.mark.parametrize(
        ("slug", "mean", "nearest"),
        [
            ("compositional-all", -0.1343, 1.0),
            ("interpolation-all", 0.0211, 0.9574),
            ("extrapolation-all", -0.3884, 0.8669),
        ],
    )
    def test_of_regression_are_those_of_the_published_splits(self, slug, mean, nearest):
        # Shapes, scales, ten orientations, x, y: the values follow from the grid and the rules alone.
        rows = full_grid((3, 6, 10, 32, 32), ["categorical", *["ordinal"] * 4])
        rule = Splits(rows, settings(0.2, compositional=("f1", "f2", "f3", "f4")), "t").rules[slug]
        split = Split("t", "default", rule.family, slug, "", rule.is_held_out)
        found = {anchor.name: anchor.value for anchor in anchors(rows, rule, FirstTraining(), split)}
        assert found["training mean"] == pytest.approx(mean, abs=1e-4)
        assert found["nearest seen value"] == pytest.approx(nearest, abs=1e-4)

    def test_a_uniform_guess(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = benchmark.splits("in_distribution")[0]
        draw = np.random.default_rng(0)
        outputs = answers(benchmark, lambda found, rows: {"factors": draw.random((len(rows), 3))})
        guesses, _ = scores(benchmark, split, "regression", outputs, np.tile(split.test, 3000))
        assert self.by_name(benchmark, "regression", split)["chance"] == pytest.approx(guesses["r2_grid"], abs=0.02)

    def test_nearest_seen(self):
        train = np.array([[0.0, 0.5], [0.4, 0.5], [1.0, 0.5]])
        target = np.array([[0.2, 0.1], [0.3, 0.9], [0.7, 0.5], [0.4, 0.5], [-1, 0], [2, 1]])
        np.testing.assert_array_equal(nearest_seen(train, target)[:, 0], [0, 0.4, 0.4, 0.4, 0, 1])
        np.testing.assert_array_equal(nearest_seen(train, target)[:, 1], [0.5] * 6)


class FirstTraining:
    """Neighbours without images."""

    def nearest(self, split):
        return split.test[:3], split.train[:3]

    def note(self, sample):
        return ""


class Pictures:
    """Random images that count how often they are read."""

    def __init__(self, rows, shape):
        self.array = np.random.default_rng(0).integers(0, 256, (rows, *shape), dtype=np.uint8)
        self.shape, self.read_rows = shape, 0

    def read(self, index):
        self.read_rows += len(index)
        return self.array[index]


class TestNeighbours:
    def test_they_are_the_nearest(self):
        images = Pictures(1500, (6, 5, 3))
        split = Split("t", "p", "f", "s", "", lambda: np.arange(1500) % 2 == 0)
        sample, found = Neighbours(images, 1500, "t").nearest(split)
        assert len(sample) == 500
        flat = images.array.reshape(1500, -1).astype(np.int64)
        for row, neighbour in zip(sample[:40], found[:40], strict=True):
            distance = ((flat[split.train] - flat[row]) ** 2).sum(axis=1)
            assert neighbour == split.train[distance.argmin()]

    def test_images_of_a_large_table_are_sampled_and_read_once(self, monkeypatch):
        monkeypatch.setattr(neighbours, "GALLERY", 100)
        images = Pictures(1000, (4, 4, 1))
        found = Neighbours(images, 1000, "t")
        for number in range(3):
            split = Split("t", "p", "f", f"s{number}", "", lambda n=number: np.arange(1000) % 10 == n)
            sample, near = found.nearest(split)
            found.nearest(split)
            assert not set(near) & set(split.test)
        assert images.read_rows == 100 + 3 * 100
        assert found.note(sample) == "100 held-out images, among 100 images"
        tiny = Split("t", "p", "f", "tiny", "", lambda: np.arange(1000) >= 3)
        assert set(found.nearest(tiny)[1]) <= {0, 1, 2}

    def test_large_images_are_averaged_over_blocks(self):
        image = np.arange(70 * 33, dtype=np.uint32).reshape(1, 70, 33, 1) % 251
        small = reduce(image.astype(np.uint8))
        assert small.shape == (1, 24, 17, 1)
        assert small[0, 0, 0, 0] == round(image[0, :3, :2].mean())
        assert small[0, -1, -1, 0] == round(image[0, 69:, 32:].mean())
        assert reduce(image[:, :32, :32].astype(np.uint8)).shape == (1, 32, 32, 1)
