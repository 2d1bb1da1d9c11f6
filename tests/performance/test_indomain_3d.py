"""Drawing scenes in space on one core, against casting the rays of every image; and all of MPI3D's test set in one evaluation."""

import json
import subprocess
import sys

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


# A model that takes no time is tested on a seventh of the extrapolation split of the whole grid, which makes all maps, then on all.
WHOLE = """
import json, resource, time
from types import SimpleNamespace
import numpy as np
from pytest_genbench.benchmarks import get
from pytest_genbench.evaluation import evaluate

benchmark = get("mpi3d", "stand-in")
(split,) = benchmark.splits("extrapolation")
half = lambda batch, outputs: {"factors": np.full((len(batch), 7), 0.5, dtype=np.float32)}
model = SimpleNamespace(contract=SimpleNamespace(outputs={"factors": "factors"}), device="cpu", predict=half)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = {}
for name, samples in (("part", 100_000), ("whole", None)):
    start = time.perf_counter()
    scores = evaluate(benchmark, split, benchmark.tasks["regression"], model, samples=samples).scores
    found[name] = {"n": scores[0].n, "seconds": time.perf_counter() - start, "peak": peak()}
print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the resource module is for POSIX")
def test_whole_test_set_of_mpi3d(benchmark, stopwatch):
    """Time and peak resident memory of a process that evaluates all 725,760 images."""
    unit = 1 if sys.platform == "darwin" else 1024

    def measure():
        done = subprocess.run([sys.executable, "-c", WHOLE], capture_output=True, text=True, timeout=900, check=True)
        return json.loads(done.stdout)

    part, whole = benchmark.pedantic(measure, rounds=1).values()
    assert whole["n"] == 725_760
    peaks = [each["peak"] * unit / 1e6 for each in (part, whole)]
    stopwatch.show(
        f"evaluation, mpi3d: {whole['n']:,} images in {whole['seconds']:.0f} s, {whole['n'] / whole['seconds']:,.0f} a second "
        f"without a model; peak {peaks[0]:.0f} MB after {part['n']:,} images, {peaks[1]:.0f} MB after all (aim: no difference)",
        ratio=peaks[1] / peaks[0],
        images_per_second=whole["n"] / whole["seconds"],
    )
