"""Rendering on one core, against drawing each letter with Pillow."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_genbench.benchmarks import get
from pytest_genbench.evaluation import BATCH

pytestmark = pytest.mark.slow

IMAGES = 6400

PLAIN = 640
"""Images that Pillow draws in a round: it takes far longer for each."""


@pytest.mark.parametrize("preset", ["published", "described"])
def test_comporth(stopwatch, preset):
    benchmark = get("comporth", preset)
    index = np.random.default_rng(0).permutation(benchmark.grid.size)[:IMAGES]
    font = ImageFont.load_default(12)
    levels = [
        [f.values[k] for f, k in zip(benchmark.grid.factors, row, strict=True)] for row in benchmark.grid.levels(index)
    ]

    def ours():
        for start in range(0, IMAGES, BATCH):
            benchmark.images(index[start : start + BATCH])

    def plain():
        for start in range(0, PLAIN, BATCH):
            np.stack([draw(*each, font) for each in levels[start : start + BATCH]])[..., None]

    benchmark.images(index[:1])
    seconds, plain_seconds = stopwatch.least(ours, plain, rounds=20)
    speed, plain_speed = IMAGES / seconds, PLAIN / plain_seconds
    stopwatch.show(
        f"rendering, comporth {preset}: {speed:,.0f} images/s in batches of {BATCH} on one core, {speed / plain_speed:.0f} times "
        f"naive Pillow's {plain_speed:,.0f} (aim 100,000)",
        ratio=speed / plain_speed,
        images_per_second=speed,
    )


def draw(word, x, y, spacing, font):
    """Draw a word as one would at first: a new image, and every letter where the advances of those before it put it."""
    image = Image.new("L", (64, 64))
    pen = ImageDraw.Draw(image)
    advances = [font.getlength(letter) + spacing for letter in word]
    left, top = (64 - sum(advances) + spacing) / 2 + x, 26 - y
    for letter, advance in zip(word, advances, strict=True):
        pen.text((left, top), letter, fill=255, font=font)
        left += advance
    return np.asarray(image)
