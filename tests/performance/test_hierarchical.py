"""Chopsticks and Spaceshapes on one core, against making each sample by itself in the plain way."""

import numpy as np
import pytest

from pytest_genbench.benchmarks.hierarchical import spaceshapes
from pytest_genbench.benchmarks.hierarchical.chopsticks import LENGTH, RANGE, Chopsticks

from ..benchmarks.hierarchical import plain

pytestmark = pytest.mark.slow

SIGNALS, PLAIN_SIGNALS = 100_000, 2_000

IMAGES, PLAIN_IMAGES = 3_000, 120
"""The plain way takes far longer for each."""


@pytest.mark.parametrize("variant", ["slope", "inter", "both", "either"])
@pytest.mark.parametrize("depth", [2, 3])
def test_chopsticks(stopwatch, variant, depth):
    made = Chopsticks(variant, depth)
    kinds = {"both": ("inter", "slope"), "either": ("inter", "slope")}.get(variant, (variant,))

    def ours():
        made.signals(made.latents(SIGNALS, np.random.default_rng(0)))

    def plainly():
        rng = np.random.default_rng(0)
        for _ in range(PLAIN_SIGNALS):
            stick(kinds, variant == "either", depth, rng)

    seconds, plain_seconds = stopwatch.least(ours, plainly, rounds=10)
    speed, plain_speed = SIGNALS / seconds, PLAIN_SIGNALS / plain_seconds
    stopwatch.show(
        f"chopsticks, {variant} of depth {depth}: {speed:,.0f} factors and signals/s on one core, {speed / plain_speed:.0f} times "
        f"{plain_speed:,.0f} of one at a time (aim 1,000,000)",
        ratio=speed / plain_speed,
        signals_per_second=speed,
    )


def stick(kinds, choose, depth, rng):
    """Make one signal as one would at first."""
    signal = np.zeros(LENGTH)
    for level in range(depth):
        if level and rng.random() < 0.5 ** (depth - level):
            break
        start = int(LENGTH * (1 - 0.5**level))
        for kind in [kinds[rng.integers(2)]] if choose else kinds:
            value = rng.uniform(-RANGE[kind], RANGE[kind])
            signal[start:] += value * (np.arange(LENGTH - start) if kind == "slope" else 1)
    return signal


def test_spaceshapes(stopwatch):
    table = spaceshapes.latents(IMAGES, np.random.default_rng(0))

    def ours():
        spaceshapes.images(table)

    def plainly():
        for row in table[:PLAIN_IMAGES]:
            plain.draw(row)

    seconds, plain_seconds = stopwatch.least(ours, plainly, rounds=10)
    speed, plain_speed = IMAGES / seconds, PLAIN_IMAGES / plain_seconds
    stopwatch.show(
        f"rendering, spaceshapes: {speed:,.0f} images/s on one core, {speed / plain_speed:.0f} times {plain_speed:,.0f} of NumPy, "
        "SciPy and Pillow one at a time (aim 4,000)",
        ratio=speed / plain_speed,
        images_per_second=speed,
    )
