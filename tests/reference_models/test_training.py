"""The training loop: its learning rate, that it can be interrupted, that it leaves torch as it was."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from pytest_genbench.benchmarks.comporth import CompOrth  # noqa: E402
from pytest_genbench.learners import TrainingTask  # noqa: E402
from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.training import Schedule, build, seeded, train  # noqa: E402


@pytest.fixture(scope="module")
def task():
    benchmark = CompOrth("mini")
    return TrainingTask(benchmark, benchmark.splits("spatial")[0])


def tiny():
    return nn.Sequential(nn.Flatten(), nn.Linear(64 * 64, 4), nn.Tanh(), nn.Dropout(0.2), nn.Linear(4, 64 * 64))


def fit(task, folder, *, steps=10, stop=None, seed=0, noise=0.1, **schedule):
    """Train a tiny network with noise in its loss; returns it and what `progress` was told."""
    folder.mkdir(exist_ok=True)
    module, told = build(tiny, seed), []

    def loss(images, step):
        assert images.dtype == torch.float32
        assert images.shape[1:] == (1, 64, 64)
        assert 0 <= images.min() <= images.max() <= 1
        # The number of the step counts, so that a training that goes on with a wrong one would be noticed.
        painted = module(images + noise * torch.randn_like(images))
        return (painted - images.flatten(1)).square().sum(1).mean() * (1 + step)

    def progress(*args):
        told.append(args)
        if args[0] == stop:
            raise KeyboardInterrupt

    where = {"seed": seed, "device": "cpu", "checkpoint_dir": folder, "progress": progress}
    train(module, loss, task, Schedule(steps, **schedule), **where)
    return module, told


def flat(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


# Schedule


def test_the_rate_is_constant_then_falls_along_a_cosine():
    schedule = Schedule(steps=100)
    rates = [schedule.rate(step) for step in range(101)]
    assert rates[:31] == [1e-3] * 31
    assert all(a > b for a, b in pairwise(rates[30:]))
    assert rates[65] == pytest.approx((1e-3 + 1e-5) / 2)
    assert rates[100] == pytest.approx(1e-5)


def test_a_rate_that_never_falls():
    schedule = Schedule(steps=100, constant=1.0)
    assert {schedule.rate(step) for step in range(101)} == {1e-3}


@given(st.integers(1, 10_000), st.floats(1e-6, 1.0), st.floats(0, 1), st.floats(0, 1))
def test_rates_go_from_the_first_to_the_last_and_never_rise(steps, lr, last, constant):
    schedule = Schedule(steps, lr=lr, last_lr=last * lr, constant=constant)
    rates = [schedule.rate(step) for step in np.unique(np.linspace(0, steps, 50).astype(int))]
    assert rates[0] == pytest.approx(lr)
    assert all(a >= b for a, b in pairwise(rates))
    if constant < 1:
        assert rates[-1] == pytest.approx(last * lr)


def test_the_optimiser_follows_the_schedule(task, tmp_path):
    """Adam's first steps move a weight by the rate: with a rate that is nought, nothing moves."""
    still, _ = fit(task, tmp_path / "still", steps=3, lr=0.0, last_lr=0.0)
    assert torch.equal(flat(still), flat(build(tiny, 0)))
    moved, _ = fit(task, tmp_path / "moved", steps=1, lr=1e-2)
    assert (flat(moved) - flat(build(tiny, 0))).abs().max() == pytest.approx(1e-2, rel=1e-3)


# Interruption


@pytest.mark.parametrize("stops", [(1,), (9,), (3, 7)])
def test_interrupted_and_resumed_is_the_same_as_uninterrupted(task, tmp_path, monkeypatch, stops):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1)
    whole, told = fit(task, tmp_path / "whole", batch=300)  # four batches a pass, the last a small one
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            fit(task, tmp_path / "parts", batch=300, stop=stop)
    resumed, rest = fit(task, tmp_path / "parts", batch=300)
    assert rest == told[stops[-1] :]
    assert torch.equal(flat(whole), flat(resumed))
    assert not resumed.training


def test_what_came_after_the_last_checkpoint_is_done_again(task, tmp_path, monkeypatch):
    whole, told = fit(task, tmp_path / "whole")
    clock = iter([0, 0, 0, 100, 100, 100, 100])  # at the start, then after each step: one checkpoint, after three steps
    monkeypatch.setattr(training.time, "monotonic", lambda: next(clock, 100))
    with pytest.raises(KeyboardInterrupt):
        fit(task, tmp_path / "parts", stop=5)
    resumed, rest = fit(task, tmp_path / "parts")
    assert rest == told[3:]
    assert torch.equal(flat(whole), flat(resumed))


def test_a_finished_training_is_not_repeated(task, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1)
    first, _ = fit(task, tmp_path)
    again, told = fit(task, tmp_path)
    assert not told
    assert torch.equal(flat(first), flat(again))


def test_no_checkpoint_of_a_short_training(task, tmp_path):
    fit(task, tmp_path)
    assert not list(tmp_path.iterdir())


def test_checkpoints_are_whole_and_hold_no_code(task, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1)
    fit(task, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.pt"]
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert state["done"] == 10


# Seeds


def test_same_seed_gives_same_weights(task, tmp_path):
    def trained(name, seed, **schedule):
        torch.rand(1)  # what others draw does not matter
        return flat(fit(task, tmp_path / name, seed=seed, **schedule)[0])

    first = trained("first", 1)
    assert torch.equal(first, trained("again", 1))
    assert not torch.equal(first, trained("other", 2))


def test_fresh_weights_depend_on_the_seed_alone():
    state = torch.get_rng_state()
    first = build(tiny, 1)
    assert torch.equal(torch.get_rng_state(), state), "torch's own generator was touched"
    torch.rand(1)
    assert torch.equal(flat(first), flat(build(tiny, 1)))
    assert not torch.equal(flat(first), flat(build(tiny, 2)))


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("stop", [None, 5])
def test_torch_is_left_as_it_was(task, tmp_path, stop):
    state = torch.get_rng_state()
    if stop:
        with pytest.raises(KeyboardInterrupt):
            fit(task, tmp_path, stop=stop)
    else:
        fit(task, tmp_path)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_seeded_for_a_while():
    state = torch.get_rng_state()
    draws = []
    for _ in range(2):
        with seeded(7, "cpu"):
            assert torch.get_num_threads() == 1
            draws.append(torch.rand(3))
    assert torch.equal(*draws)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == 3


# Progress


def test_progress_is_told_of_each_step(task, tmp_path):
    _, told = fit(task, tmp_path, noise=0.0)
    assert [(step, steps) for step, steps, _ in told] == [(step, 10) for step in range(1, 11)]
    assert all(isinstance(loss, float) and loss > 0 for *_, loss in told)


def test_each_image_is_seen_once_in_a_pass(task, tmp_path):
    rows = []
    batches = task.batches(64, seed=0)
    passes = -(-len(task) // 64)
    original = TrainingTask.images
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainingTask, "images", lambda self, r: rows.append(r) or original(self, r))
        fit(task, tmp_path, steps=passes)
    assert [len(r) for r in rows] == [len(next(batches)) for _ in range(passes)]
    assert sorted(np.concatenate(rows)) == list(range(len(task)))


def test_training_lowers_the_loss_and_ends_in_evaluation_mode(task, tmp_path):
    module, told = fit(task, tmp_path, steps=30, lr=1e-2)
    losses = [loss / step for step, _, loss in told]  # the loss is weighted by the step
    assert np.mean(losses[-5:]) < 0.7 * losses[0]
    assert not module.training
    assert {p.device.type for p in module.parameters()} == {"cpu"}
