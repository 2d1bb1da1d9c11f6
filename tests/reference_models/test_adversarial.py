"""Training with a critic: its loss, shuffling, the order of the moves, and that it can be interrupted."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.adversarial import (  # noqa: E402
    Critic,
    Memory,
    StepSchedule,
    compete,
    published,
    shuffled,
)
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402

from .twigs import task  # noqa: E402


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


def flat(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


# Schedule


def test_the_rate_falls_twice():
    schedule = StepSchedule(steps=100)
    rates = [schedule.rate(step) for step in (0, 49, 50, 74, 75, 99)]
    assert rates == pytest.approx([1e-3, 1e-3, 1e-4, 1e-4, 1e-5, 1e-5])


def test_the_published_rate_falls_between_epochs():
    schedule = published(90_000, 256, 1e-3)
    assert (schedule.steps, schedule.epoch) == (50 * 352, 352)
    falls = [step for step in range(1, schedule.steps) if schedule.rate(step) < schedule.rate(step - 1)]
    assert falls == [25 * 352, 38 * 352]


# What items look like


def test_each_item_is_made_once():
    made = task(50)
    memory = Memory(made)
    rows = np.array([3, 1, 3, 40])
    first, again = memory.inputs(rows), memory.inputs(rows[::-1].copy())
    assert torch.equal(first.flip(0), again)
    memory.inputs(np.array([1, 2]))
    assert sorted(made.benchmark.rendered) == made.split.train[[1, 2, 3, 40]].tolist()
    np.testing.assert_array_equal(first.numpy(), made.images(rows))
    targets = memory.targets(rows)
    for name, values in made.targets(rows).items():
        np.testing.assert_array_equal(targets[name].numpy(), values)


# Shuffling


def test_each_column_is_permuted_by_itself():
    codes = torch.arange(40.0).reshape(10, 4)
    mixed = shuffled(codes)
    assert torch.equal(mixed.sort(0).values, codes)
    assert not torch.equal(mixed, codes)
    assert len({tuple((column // 4).tolist()) for column in mixed.T}) > 1
    assert torch.equal(codes, torch.arange(40.0).reshape(10, 4))


def test_only_rows_that_are_on_are_permuted():
    codes = torch.arange(60.0).reshape(20, 3)
    on = torch.zeros(20, 3, dtype=torch.bool)
    on[::2, 0] = on[5:8, 1] = True  # and nothing of the third column
    mixed = shuffled(codes, on)
    assert torch.equal(mixed[~on], codes[~on])
    for column in range(3):
        rows = on[:, column]
        assert torch.equal(mixed[rows, column].sort().values, codes[rows, column])
    assert not torch.equal(mixed[::2, 0], codes[::2, 0])


def test_all_permutations_are_equally_likely():
    codes = torch.arange(4.0).reshape(4, 1)
    on = torch.tensor([[True], [True], [False], [True]])
    seen = [tuple(shuffled(codes, on).flatten().tolist()) for _ in range(600)]
    counts = [seen.count(each) for each in set(seen)]
    assert len(counts) == 6
    assert min(counts) > 60


# The critic


def test_the_loss_of_a_critic_that_knows_nothing():
    critic = Critic(3, 8)
    nn.init.zeros_(critic.layers[-1].weight)
    real, fake = torch.randn(6, 3), torch.randn(6, 3)
    assert critic(real).tolist() == [0] * 6
    assert critic.loss(real, fake).item() == pytest.approx(math.log(2))


def test_the_loss_is_the_mean_of_both_cross_entropies():
    critic, (real, fake) = Critic(3, 8), torch.randn(2, 5, 3)
    bce = nn.functional.binary_cross_entropy_with_logits
    expected = 0.5 * (bce(critic(real), torch.ones(5)) + bce(critic(fake), torch.zeros(5)))
    torch.testing.assert_close(critic.loss(real, fake), expected)


def test_the_critic_estimates_total_correlation():
    """Of two normal numbers with correlation r it is -log(1 - r^2) / 2."""
    critic, r = build(lambda: Critic(2, 64), 0), 0.8
    optimiser = torch.optim.Adam(critic.parameters(), lr=1e-3)

    def draw(n):
        x, y = torch.randn(2, n)
        return torch.stack([x, r * x + math.sqrt(1 - r * r) * y], 1)

    for _ in range(500):
        codes = draw(256)
        optimiser.zero_grad()
        critic.loss(codes, shuffled(codes)).backward()
        optimiser.step()
    with torch.no_grad():
        estimate = critic(draw(20_000)).mean().item()
    assert estimate == pytest.approx(-0.5 * math.log(1 - r * r), abs=0.1)


# Turns


def fit(folder, *, steps=12, stop=None, seed=0, keep=False, batch=100, items=300, objective=None):
    """Train a small auto-encoder against a critic of its codes; returns both and what `progress` was told."""
    memory, told = Memory(task(items)), []
    model = build(lambda: nn.ModuleList([nn.Linear(64, 3), nn.Linear(3, 64)]), seed)
    critic = build(lambda: Critic(3, 8), seed)

    def losses(inputs, rows):
        codes = model[0](inputs + 0.01 * torch.randn_like(inputs))
        fake = shuffled(codes.detach())
        value = (model[1](codes) - inputs).square().sum(1).mean() + critic(codes).mean()
        return value, lambda: critic.loss(model[0](inputs).detach(), fake)

    def progress(*args):
        told.append(args)
        if args[0] == stop:
            raise KeyboardInterrupt

    chosen = losses if objective is None else objective(model, critic)
    where = {"seed": seed, "device": "cpu", "checkpoint_dir": folder, "progress": progress, "keep": keep}
    compete(model, critic, chosen, memory, StepSchedule(steps, batch), **where)
    return model, critic, told


def test_the_model_moves_first_and_each_by_its_own_loss(tmp_path):
    seen = []

    def objective(model, critic):
        def losses(inputs, rows):
            before = flat(model), flat(critic)

            def reply():
                seen.append((before, (flat(model), flat(critic))))
                return critic.loss(model[0](inputs), inputs[:, :3])

            return (critic(model[0](inputs)).mean() + model[1].weight.sum()) * 3, reply

        return losses

    model, critic, _ = fit(tmp_path, steps=2, objective=objective)
    (first, moved), (second, _) = seen
    assert not torch.equal(first[0], moved[0])
    assert torch.equal(first[1], moved[1]), "the critic moved with the model's loss"
    assert torch.equal(second[0], moved[0]), "the model moved with the critic's loss"
    assert not torch.equal(second[1], first[1])
    assert not model.training
    assert not critic.training


@pytest.mark.parametrize("stops", [(1,), (7,), (3, 8)])
def test_interrupted_and_resumed_is_the_same_as_uninterrupted(tmp_path, monkeypatch, stops):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1)
    model, critic, told = fit(tmp_path / "whole")  # three batches a pass, the last a small one
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            fit(tmp_path / "parts", stop=stop)
    again, other, rest = fit(tmp_path / "parts")
    assert rest == told[stops[-1] :]
    assert torch.equal(flat(model), flat(again))
    assert torch.equal(flat(critic), flat(other))


def test_a_trained_model_is_found_again(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1)
    first, _, told = fit(tmp_path, keep=True)
    assert len(told) == 12
    assert [file.name for file in tmp_path.iterdir()] == ["trained.pt"]
    again, _, rest = fit(tmp_path, keep=True)
    assert not rest
    assert torch.equal(flat(first), flat(again))
    assert not again.training


def test_no_files_of_a_short_training(tmp_path):
    fit(tmp_path)
    assert not list(tmp_path.iterdir())


def test_same_seed_gives_same_weights(tmp_path):
    first = flat(fit(tmp_path, seed=3)[0])
    torch.rand(1)  # what others draw does not matter
    assert torch.equal(first, flat(fit(tmp_path, seed=3)[0]))
    assert not torch.equal(first, flat(fit(tmp_path, seed=4)[0]))


def test_torch_is_left_as_it_was(tmp_path):
    state = torch.get_rng_state()
    fit(tmp_path)
    assert torch.equal(torch.get_rng_state(), state)
