"""Clouds of codes whose structure is known."""

import numpy as np

from pytest_genbench.benchmarks.hierarchical.chopsticks import KINDS, Chopsticks
from pytest_genbench.rng import stream


def chopsticks_codes(variant, depth, n, seed=0):
    """Whitened linear codes of chopped sticks (n, D), and the number of each one's path (n,)."""
    sticks = Chopsticks(variant, depth)
    latents = sticks.latents(n, stream("clouds", variant, depth, seed))
    codes = whitened(sticks.signals(latents), depth * len(KINDS[variant]))
    return codes, sticks.hierarchy.path(latents)


def whitened(signals, dimensions):
    centred = signals - signals.mean(axis=0)
    codes = centred @ np.linalg.svd(centred, full_matrices=False)[2][:dimensions].T
    return codes / codes.std(axis=0)


def bent(n, seed=0):
    """A wavy surface, a curve that lies in it, and a ball apart from them, in three dimensions; (n, 3) and parts (n,)."""
    draw = np.random.default_rng(seed)
    part = np.sort(draw.integers(3, size=n))
    x, y = draw.uniform(-1, 1, (2, n))
    y[part == 0] = 0.3
    codes = np.stack([x, y, 0.15 * np.sin(3 * x) + 0.1 * y**2], axis=1)
    ball = draw.normal(size=(n, 3))
    ball *= (draw.random(n) ** (1 / 3) / np.linalg.norm(ball, axis=1))[:, None] * 0.6
    codes[part == 2] = ball[part == 2] + [0, 0, 3]
    return codes, part
