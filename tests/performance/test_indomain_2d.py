"""Sprites and faces on one core, against drawing each image on its own."""

import math

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pytest_genbench.benchmarks import faces, sprites
from pytest_genbench.benchmarks.faces.persons import persons
from pytest_genbench.benchmarks.grids import CELEBGLOW, DSPRITES
from pytest_genbench.benchmarks.sprites.render import _masks
from pytest_genbench.evaluation import BATCH

pytestmark = pytest.mark.slow


def sprite(shape, scale, orientation, x, y):
    """Draw a shape of a few corners as one would at first."""
    size, turn = 0.5 + scale / 10, 2 * math.pi * orientation / 39
    if shape == 0:
        corners = [(-10.5, -10.5), (10.5, -10.5), (10.5, 10.5), (-10.5, 10.5)]
    elif shape == 1:
        corners = [(14.6 * math.cos(k / 10), 8.1 * math.sin(k / 10)) for k in range(63)]
    else:
        corners = [(13 * math.sin(k / 10) ** 3, -13 * math.cos(k / 10) + 5 * math.cos(k / 5)) for k in range(63)]
    c, s = size * math.cos(turn), size * math.sin(turn)
    image = Image.new("L", (64, 64))
    ImageDraw.Draw(image).polygon([(16 + x + c * a - s * b, 16 + y + s * a + c * b) for a, b in corners], fill=255)
    return np.asarray(image)


def portrait(*levels):
    """Draw a face on its own."""
    return faces.images(np.array([levels]))


@pytest.mark.parametrize(
    ("design", "package", "cached", "plain", "called", "images", "aim"),
    [
        (DSPRITES, sprites, _masks, sprite, "naive Pillow's", 20_000, 20_000),
        (CELEBGLOW, faces, persons, portrait, "one by one,", 2_000, 2_000),
    ],
    ids=["sprites", "faces"],
)
def test_drawing(stopwatch, design, package, cached, plain, called, images, aim):
    """Ours begins with empty caches in every round."""
    index = np.random.default_rng(0).permutation(design.grid.size)[:images]
    levels = design.grid.levels(index)
    some = levels[: images // 10]

    def ours():
        cached.cache_clear()
        for start in range(0, images, BATCH):
            package.images(levels[start : start + BATCH])

    def one_by_one():
        for row in some.tolist():
            plain(*row)

    seconds, plain_seconds = stopwatch.least(ours, one_by_one, rounds=5)
    speed, plain_speed = images / seconds, len(some) / plain_seconds
    stopwatch.show(
        f"drawing like {design.name}: {speed:,.0f} images/s in batches of {BATCH} on one core with cold caches, "
        f"{speed / plain_speed:.1f} times {called} {plain_speed:,.0f} (aim {aim:,})",
        ratio=speed / plain_speed,
        images_per_second=speed,
    )
