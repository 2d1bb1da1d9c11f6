"""MIMOSA on one core, against the same steps with a PCA object and a triangulation for each point."""

from time import process_time

import numpy as np
import pytest

from pytest_genbench.reference_models.mimosa import MIMOSA

from ..reference_models.mimosa import naive
from ..reference_models.mimosa.clouds import chopsticks_codes

pytestmark = pytest.mark.slow

POINTS = 10_000
SETTINGS = {"num_nearest_neighbors": 40, "min_size_init": 20, "min_size_merged": 200}


class Timed:
    """A function with its last result and what it took of the processor: fits this long meet other work on any machine."""

    def __init__(self, function):
        self._function = function
        self.result, self.seconds = None, float("inf")

    def __call__(self):
        start = process_time()
        self.result = self._function()
        self.seconds = process_time() - start


def in_space(points):
    """A curved surface in three dimensions with a curve in it: chopped sticks, whose two numbers are bent into a third."""
    codes, _ = chopsticks_codes("slope", 2, points)
    return np.column_stack([codes, 0.3 * np.sin(codes.sum(axis=1))])


@pytest.mark.parametrize("dimensions", [3, 4])
def test_against_the_plain_way(stopwatch, dimensions):
    codes = in_space(POINTS) if dimensions == 3 else chopsticks_codes("either", 2, POINTS)[0]
    ours = Timed(lambda: MIMOSA(**SETTINGS).fit(codes))
    plain = Timed(lambda: naive.mimosa(codes, 40, 0.99, 5, 20, 200))
    stopwatch.least(ours, plain, rounds=1, warmup=0)
    labels, found, _ = plain.result
    assert np.array_equal(ours.result.components_, labels)
    assert ours.result.dimensions_.tolist() == found
    stopwatch.show(
        f"MIMOSA, {POINTS:,} points of {dimensions} numbers: {ours.seconds:.2f} s of the processor, "
        f"{plain.seconds / ours.seconds:.0f} times as fast as a PCA and a triangulation for each point, {plain.seconds:.1f} s "
        "(aim 5); same components",
        ratio=plain.seconds / ours.seconds,
    )


@pytest.mark.parametrize(("variant", "depth"), [("either", 2), ("both", 3), ("either", 3)])
def test_the_papers_size(stopwatch, variant, depth):
    codes, _ = chopsticks_codes(variant, depth, 90_000)
    ours = Timed(lambda: MIMOSA().fit(codes))
    stopwatch.least(ours, rounds=1, warmup=0)
    stopwatch.show(
        f"MIMOSA, 90,000 points of {codes.shape[1]} numbers, {variant} at depth {depth}: {ours.seconds:.1f} s of the processor "
        "(aim 60 on one core)",
        seconds_of_processor=ours.seconds,
    )
    assert ours.seconds < 60
