"""How fast problems of CVR are made, beside contours drawn point by point, as a recursion does."""

from __future__ import annotations

import math
from time import process_time

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr import problems
from pytest_genbench.benchmarks.cvr.contours import PLAIN, contours
from pytest_genbench.benchmarks.cvr.render import render
from pytest_genbench.benchmarks.cvr.rules import RULES

pytestmark = pytest.mark.slow


def recursive(rng):
    """One contour by the recursion that the published generator is described by."""
    while True:
        corners = []
        for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
            while True:
                x, y = rng.uniform(0, 0.5), rng.uniform(0, 0.5)
                if PLAIN.hole <= math.hypot(x, y) <= 0.5:
                    break
            corners.append((sx * x, sy * y))
        points = []
        for k in range(4):
            split(rng, corners[k], corners[(k + 1) % 4], points)
        if all(PLAIN.hole <= math.hypot(*point) for point in points):
            return points


def split(rng, a, b, points):
    dx, dy = b[0] - a[0], b[1] - a[1]
    if max(abs(dx), abs(dy)) <= PLAIN.gap:
        points.append(a)
        return
    while True:
        radius, angle = math.hypot(dx, dy) / 5 * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        middle = ((a[0] + b[0]) / 2 + radius * math.cos(angle), (a[1] + b[1]) / 2 + radius * math.sin(angle))
        if math.hypot(*middle) <= 0.5:
            break
    split(rng, a, middle, points)
    split(rng, middle, b, points)


@pytest.mark.parametrize("many", [1, 16])
def test_contours(stopwatch, many):
    """Contours one by one, and as many together as a problem usually has."""
    rng = np.random.default_rng(0)
    ours, naive = stopwatch.least(
        lambda: contours(rng, [PLAIN] * many), lambda: [recursive(rng) for _ in range(many)], rounds=10
    )
    stopwatch.show(f"{many} contours: {many / ours:,.0f}/s, {naive / ours:.0f} times a recursion", ratio=naive / ours)


@pytest.mark.parametrize("set", ["train", "test_gen"])
def test_problems_of_all_rules(stopwatch, set):
    """Made, checked and drawn; the published generator makes 64 a second by the law of training, 37 by the other, on one core."""
    seconds = {}

    def make():
        for rule in RULES:
            start = process_time()
            for number in range(10):
                for image in problems.make(rule, set, number).images:
                    render(image)
            seconds[rule.name] = (process_time() - start) / 10

    stopwatch.least(make, rounds=1)
    rate = len(seconds) / sum(seconds.values())
    slowest = max(seconds, key=lambda name: seconds[name])
    stopwatch.show(
        f"{set}: {rate:.0f} problems/s over all rules, {rate / {'train': 64, 'test_gen': 37}[set]:.1f} times the published "
        f"generator (measured elsewhere); slowest: {slowest}, {1 / seconds[slowest]:.0f}/s",
        rate=rate,
    )
