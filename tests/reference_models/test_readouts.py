"""Readouts: their layers and their training, and what they read from the factors themselves."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.reference_models.readouts import (  # noqa: E402
    epochs_of,
    fit_readout,
    readout,
    readout_oracle,
    steps_per_epoch,
)
from pytest_genbench.reference_models.training import seeded  # noqa: E402

from .blocks import Blocks  # noqa: E402


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


def test_number_of_parameters():
    assert sum(p.numel() for p in readout(10, 7).parameters()) == 4_007


def test_it_reads_what_a_code_holds():
    codes = torch.randn(500, 4)
    factors = torch.stack([codes[:, 0].sigmoid(), (codes[:, 1] * codes[:, 2]).tanh()], 1)
    losses = []
    network = fit_readout(codes, factors, epochs=150, seed=0, progress=lambda *step: losses.append(step))
    with torch.no_grad():
        errors = (network(codes) - factors).square().mean(0)
    assert (errors < 0.02 * factors.var(0)).all()
    assert [step[:2] for step in losses] == [(step, 1200) for step in range(1, 1201)]  # 150 epochs of 8 batches
    assert not network.training


def test_the_first_loss_sums_over_factors_and_averages_over_items():
    codes, factors, losses = torch.randn(30, 3), torch.rand(30, 2), []
    fit_readout(codes, factors, epochs=1, seed=5, progress=lambda step, steps, loss: losses.append(loss))
    torch.manual_seed(5)
    expected = ((readout(3, 2)(codes) - factors) ** 2).sum().item() / 30
    assert losses == pytest.approx([expected])


def test_same_seed_gives_same_weights():
    codes, factors = torch.randn(100, 3), torch.rand(100, 2)
    first, again, other = (fit_readout(codes, factors, epochs=2, seed=seed)[0].weight for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_epochs_of_budgets():
    assert epochs_of(240_000, "paper") == epochs_of(240_000, "standard") == epochs_of(100, "paper") == 8
    assert epochs_of(640, "quick") * steps_per_epoch(640) == 6_000
    assert epochs_of(10**6, "smoke") == 1


@pytest.mark.parametrize(("family", "sign"), [("random", -1), ("extrapolation", 1)])
def test_the_oracle_reads_factors(family, sign):
    benchmark = Blocks()
    assert readout_oracle(benchmark, benchmark.splits(family)[0], sign=sign, epochs=700) > 0.99


def test_the_oracle_is_judged_on_what_is_held_out_relative_to_the_whole_grid():
    benchmark = Blocks()
    (split,) = benchmark.splits("extrapolation")
    truth = torch.from_numpy(benchmark.targets(split.train)["factors"])
    network = fit_readout(truth, truth, epochs=1, seed=3)
    held_out, everything = (benchmark.targets(items)["factors"] for items in (split.test, np.arange(216)))
    with torch.no_grad():
        errors = ((network(torch.from_numpy(held_out)).numpy() - held_out) ** 2).mean(0)
    expected = np.mean(1 - errors / everything.var(0))
    assert expected < 0  # so far it has learnt little
    assert readout_oracle(benchmark, split, epochs=1, seed=3) == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", ["dsprites", "shapes3d", "mpi3d"])
def test_the_oracle_reads_the_factors_of_every_data_set_on_every_split(name, sign):
    """Schott et al., table 1, on parts of the published grids."""
    from pytest_genbench.benchmarks import get

    benchmark = get(name, "mini")
    for family in benchmark.families:
        (split,) = benchmark.splits(family)
        epochs = 6_000 // steps_per_epoch(len(split.train))
        assert readout_oracle(benchmark, split, sign=sign, epochs=epochs) > 0.99, family
