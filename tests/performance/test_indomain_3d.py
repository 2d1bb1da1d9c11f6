"""Drawing scenes in space on one core, against casting the rays of every image."""

import numpy as np
import pytest

from pytest_genbench.benchmarks.scenes import mpi3d, shapes3d

from ..benchmarks.scenes import plain

pytestmark = pytest.mark.slow

IMAGES = 3000

PLAIN = 30
"""Images that are drawn the plain way in a round: it takes far longer for each."""

CACHES = {
    shapes3d: (shapes3d._maps, shapes3d._room, shapes3d._shadow, shapes3d.camera),
    mpi3d: (mpi3d._view, mpi3d._room),
}


def forget(scenes):
    for cache in CACHES[scenes]:
        cache.cache_clear()


@pytest.mark.parametrize(
    ("scenes", "draw", "state", "aim"),
    [
        (shapes3d, plain.room, "cold", "2,000"),
        (shapes3d, plain.room, "warm", "10,000"),
        (mpi3d, plain.arm, "cold", "none"),
        (mpi3d, plain.arm, "warm", "2,000"),
    ],
)
def test_random_images(stopwatch, scenes, draw, state, aim):
    """Of the whole grid; cold, nothing is kept from before."""
    levels = np.random.default_rng(0).integers(0, list(scenes.COUNTS.values()), (IMAGES, len(scenes.COUNTS)))
    rows = levels[:PLAIN].tolist()

    def ours():
        scenes.images(levels)

    def naive():
        if state == "cold":
            forget(scenes)
        for row in rows:
            draw(row)
        if state == "cold":
            forget(scenes)

    seconds, plain_seconds = stopwatch.least(ours, naive, rounds=3 if state == "cold" else 10)
    speed, plain_speed = IMAGES / seconds, PLAIN / plain_seconds
    stopwatch.show(
        f"rendering, {scenes.__name__.rpartition('.')[2]} {state}: {speed:,.0f} images/s on one core, {speed / plain_speed:.0f} "
        f"times {plain_speed:,.0f} that cast every image's rays (aim {aim})",
        ratio=speed / plain_speed,
        images_per_second=speed,
    )


def test_whole_grid_of_mpi3d(stopwatch):
    """Every camera and position of the joints once, after which all images are quick; and what is kept of them."""
    rows = np.stack([axis.ravel() for axis in np.indices((3, 40, 40))], axis=1)
    levels = np.zeros((len(rows), 7), dtype=np.int64)
    levels[:, [3, 5, 6]] = rows

    def ours():
        forget(mpi3d)
        mpi3d.images(levels)

    (seconds,) = stopwatch.least(ours, rounds=1, warmup=0)
    kept = sum(view.empty.nbytes + view.held.nbytes for view in (mpi3d._view("lit", *row) for row in rows.tolist()))
    stopwatch.show(
        f"rendering, mpi3d: {seconds:.1f} s to make the maps of all {len(rows):,} positions, {kept / 2**20:.0f} MiB (aim 150)",
        seconds=seconds,
        mebibytes=kept / 2**20,
    )
