"""Samples and batches: the same items in every run, and scores that do not depend on how they were cut."""

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_genbench import evaluation
from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.errors import ModelError
from pytest_genbench.evaluation import IN_SPLIT, evaluate, predict, sample
from pytest_genbench.models import Contract

from .plugin.toy import Scorer, Toy

BENCHMARK = CompOrth("mini")
SPLIT = BENCHMARK.splits("compositional")[9]


class Copies:
    """Returns what it is shown, darkened."""

    device = "none"

    def __init__(self, change=lambda pixels: pixels):
        self.files = {}
        self.contract = Contract("x", layout="NHWC", outputs={"reconstruction": "y"})
        self.change = change

    def predict(self, batch, outputs=None):
        return {name: self.change(batch.astype(np.float32) / 255) for name in outputs}


@given(size=st.integers(1, 300), condition=st.sampled_from(["held-out", "in-split"]))
def test_a_sample_is_the_same_every_time_and_without_repeats(size, condition):
    items = SPLIT.test if condition == "held-out" else SPLIT.train
    drawn = sample(SPLIT, condition, size)
    np.testing.assert_array_equal(drawn, sample(SPLIT, condition, size))
    assert len(np.unique(drawn)) == len(drawn) == min(size, len(items))
    assert np.isin(drawn, items).all()
    assert (np.diff(drawn) > 0).all()


def test_splits_and_conditions_draw_differently():
    other = BENCHMARK.splits("compositional")[8]
    assert not np.array_equal(sample(SPLIT, "in-split", 50), sample(other, "in-split", 50))


def test_all_items_where_no_fewer_are_asked_for():
    np.testing.assert_array_equal(sample(SPLIT, "held-out", None), SPLIT.test)
    assert sample(SPLIT, "in-split", IN_SPLIT) is SPLIT.train


def run(monkeypatch, batch, samples=None):
    monkeypatch.setattr(evaluation, "BATCH", batch)
    return evaluate(BENCHMARK, SPLIT, BENCHMARK.tasks["reconstruction"], Copies(), samples=samples)


def test_batches_do_not_change_scores(monkeypatch):
    whole, small = (run(monkeypatch, batch, samples=100) for batch in (64, 7))
    assert [(s.metric, s.judge, s.condition, s.n) for s in whole.scores] == [
        (s.metric, s.judge, s.condition, s.n) for s in small.scores
    ]
    for one, other in zip(whole.scores, small.scores, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-6)
    assert whole.errors == small.errors


def test_held_out_comes_first_and_both_conditions_are_there(monkeypatch):
    found = run(monkeypatch, 64, samples=100)
    assert [s.condition for s in found.scores] == ["held-out"] * 5 + ["in-split"] * 5
    assert (found.scores[0].metric, found.scores[0].judge) == ("target_probability", "published-1")
    assert (found.scores[0].n, found.scores[0].population) == (100, 288)
    assert set(found.seconds) == {"render", "model", "judge", "metrics"}


def test_progress_is_told_batch_by_batch(monkeypatch):
    monkeypatch.setattr(evaluation, "BATCH", 40)
    told = []
    task = BENCHMARK.tasks["reconstruction"]
    evaluate(BENCHMARK, SPLIT, task, Copies(), samples=100, progress=lambda *at: told.append(at))
    held_out, train = len(SPLIT.test), len(SPLIT.train)
    assert held_out > 100
    assert told[:3] == [(40, 100), (80, 100), (100, 100)]
    assert told[3:] == [(min(40 * k, train), train) for k in range(1, -(-train // 40) + 1)]


class Slow(Toy):
    """Takes a second for a batch of images."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    def images(self, index):
        self.clock[0] += 1
        return super().images(index)


class Judged(Scorer):
    """Takes 100 s for a batch and 1,000 s for its scores, of which it waits 40 s and 500 s for a judge."""

    judging = 0.0
    clock: list[float]

    def add(self, index, images, outputs):
        self.clock[0] += 100
        self.judging += 40
        super().add(index, images, outputs)

    def scores(self, population, condition):
        self.clock[0] += 1000
        self.judging += 500
        return super().scores(population, condition)


@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        (Judged, {"render": 4.0, "model": 40.0, "judge": 4 * 40.0 + 2 * 500, "metrics": 4 * 60.0 + 2 * 500}),
        (Scorer, {"render": 4.0, "model": 40.0}),
    ],
)
def test_every_second_is_in_one_phase(monkeypatch, scorer, expected):
    clock = [0.0]
    monkeypatch.setattr(evaluation, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(evaluation, "BATCH", 15)
    monkeypatch.setattr(evaluation, "IN_SPLIT", 30)
    monkeypatch.setattr(Judged, "clock", clock, raising=False)

    def late(pixels):
        clock[0] += 10
        return pixels

    toy = Slow(clock)
    task = replace(toy.tasks["reconstruction"], scorer=scorer)
    found = evaluate(toy, toy.splits("brightness")[3], task, Copies(late))
    assert found.seconds == expected
    assert sum(found.seconds.values()) == clock[0]


def test_the_worst_items_are_said_and_shown(monkeypatch):
    monkeypatch.setattr(evaluation, "BATCH", 50)
    task = BENCHMARK.tasks["reconstruction"]
    found = evaluate(BENCHMARK, SPLIT, task, Copies(lambda pixels: pixels * 0), samples=100)
    assert len(found.failures) == 4
    words = [BENCHMARK.stimuli.words[BENCHMARK.levels(np.array([each.item]))[0, 0]] for each in found.failures]
    assert words == [each.right for each in found.failures]
    assert len(set(words)) == 4
    picture = Image.open(io.BytesIO(base64.b64decode(found.failures[0].output)))
    assert (picture.size, picture.mode, picture.getextrema()) == ((64, 64), "L", (0, 0))
    assert evaluate(BENCHMARK, SPLIT, task, Copies(), samples=100).failures == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda pixels: np.where(np.arange(len(pixels))[:, None, None, None] == 2, np.nan, pixels),
            "NaN or infinite for 1 of 5",
        ),
        (lambda pixels: pixels[:-1], "4 rows for 5 images"),
        (lambda pixels: pixels[:, ::2, ::2], r"shape \(5, 32, 32, 1\); a reconstruction needs \(5, 64, 64, 1\)"),
        (lambda pixels: pixels * 255, "range"),
    ],
)
def test_outputs_that_cannot_be_scored_are_explained(change, said):
    with pytest.raises(ModelError, match=said):
        predict(Copies(change), BENCHMARK.images(np.arange(5)), ["reconstruction"])
