"""A small network that reads the factors from a code, trained while the code stays as it is; and from the factors themselves.

- Schott et al. (ICLR 2022, arXiv:2107.08221), appendix H: the layers, eight epochs; appendix A: the oracle.

The paper does not say the learning rate and the batch of the readout; here they are Adam's customary 1e-3, and 64.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from pytest_genbench.benchmarks import Benchmark
from pytest_genbench.learners import Budget, Progress
from pytest_genbench.splits import Split

from .regression import squared_error
from .training import build, seeded

WIDTH, LR, BATCH = 40, 1e-3, 64

EPOCHS = 8
"""Of the published schedule."""

STEPS = {"smoke": 200, "quick": 6_000, "standard": 12_000}
"""Least number of steps of each budget but `paper`, in which eight epochs of a small training set would not do."""


def readout(inputs: int, outputs: int) -> nn.Sequential:
    """Make a fresh network from (N, inputs) to (N, outputs): 4,007 parameters from 10 to 7."""
    return nn.Sequential(
        nn.Linear(inputs, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, outputs),
    )


def epochs_of(items: int, budget: Budget) -> int:
    """Epochs of a budget for a training set of so many items."""
    if budget == "paper":
        return EPOCHS
    return max(EPOCHS if budget == "standard" else 1, math.ceil(STEPS[budget] / steps_per_epoch(items)))


def steps_per_epoch(items: int) -> int:
    """Steps in which all items are seen once, the last batch being a smaller one."""
    return math.ceil(items / BATCH)


def fit_readout(
    codes: Tensor,
    factors: Tensor,
    *,
    epochs: int,
    seed: int,
    device: str = "cpu",
    progress: Progress = lambda step, steps, loss=None: None,
) -> nn.Sequential:
    """Train a readout; the same for the same arrays, epochs and seed.

    Args:
        codes: What to read from (N, D).
        factors: What to read (N, K), in [0, 1].
        epochs: How often each item is shown.
        seed: Of the first weights and of the order of the items.
        device: Where to train.
        progress: Called after each step.

    Returns:
        From codes to factors; in evaluation mode on the CPU.
    """
    network: nn.Sequential = build(lambda: readout(codes.shape[1], factors.shape[1]), seed).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=LR, fused=True)
    codes, factors = codes.to(device), factors.to(device)
    step, steps = 0, epochs * steps_per_epoch(len(codes))
    with seeded(seed, device):
        for _ in range(epochs):
            for rows in torch.randperm(len(codes)).to(device).split(BATCH):
                loss = squared_error(network(codes[rows]), factors[rows])
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                step += 1
                progress(step, steps, loss.item())
    return network.cpu().eval()


def readout_oracle(benchmark: Benchmark, split: Split, *, sign: int = 1, epochs: int = EPOCHS, seed: int = 0) -> float:
    """Train a readout on the true factors instead of a code: what can be read at best from a code that has learnt everything.

    Args:
        benchmark: Its items have targets called ``factors``.
        split: Trained on its training set, tested on what it holds out.
        sign: -1 gives the readout the factors with their signs turned, as a code might hold them, which is as good.
        epochs: How often each item is shown.
        seed: Of the readout's training.

    Returns:
        R², the mean over all factors that vary, relative to their variances over the whole grid; above 0.99 in the paper.
    """

    def factors(items: object) -> Tensor:
        return torch.from_numpy(benchmark.targets(np.asarray(items))["factors"])

    shown, held_out = factors(split.train), factors(split.test)
    network = fit_readout(sign * shown, shown, epochs=epochs, seed=seed)
    with torch.no_grad():
        errors = (network(sign * held_out) - held_out).double().square().mean(dim=0)
    variance = factors(np.arange(benchmark.grid.size)).double().var(dim=0, correction=0)
    varies = variance > 0
    return float((1 - errors[varies] / variance[varies]).mean())
