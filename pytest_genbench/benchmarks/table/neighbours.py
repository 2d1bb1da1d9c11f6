"""The nearest training image in pixels: what a model that only memorises would answer."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ...rng import stream
from ...splits import Split
from ...threads import per_process
from .images import Images

SAMPLE = 500
"""Held-out images that are looked up: enough for two digits."""

GALLERY = 10_000
"""Images of the table among which neighbours are looked for; of a larger table, a sample."""

SIDE = 32
"""Pixels a side at most; larger images are averaged over blocks."""

_CHUNK = 512


class Neighbours:
    """Nearest neighbours among the images of a table; each image is read once, whatever the number of splits.

    Memory is bounded by the gallery: 10,000 images of 32 by 32 pixels, 31 MB in colour.

    Args:
        images: The images.
        rows: Their number.
        name: The benchmark's name, which seeds the gallery.
    """

    def __init__(self, images: Images, rows: int, name: str) -> None:
        self._images, self._rows, self._name = images, rows, name
        self.nearest = cache(self._nearest)

    def note(self, sample: NDArray[np.int64]) -> str:
        """Say how many images an anchor rests on."""
        among = f", among {GALLERY:,} images" if self._rows > GALLERY else ""
        return f"{len(sample)} held-out images{among}"

    def _nearest(self, split: Split) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the training image with the least squared pixel distance.

        Returns:
            A seeded sample of up to 500 held-out rows, and for each the row of its nearest training image (the first of
            several), both int64 and both ascending in the sample.
        """
        draw = stream("nearest", split.benchmark, split.preset, split.slug)
        sample = np.sort(draw.choice(split.test, min(SAMPLE, len(split.test)), replace=False))
        row, pixels = self._gallery
        is_train = np.isin(row, split.train)
        row, pixels = row[is_train], pixels[is_train]
        if not len(row):
            # A small training set of a large table may miss the gallery.
            row = split.train[:GALLERY]
            pixels = self._read(row)
        queries = _flat(self._read(sample))
        best = np.full(len(sample), np.inf)
        found = np.zeros(len(sample), dtype=np.int64)
        with threadpool_limits(per_process()):
            for start in range(0, len(row), _CHUNK):
                candidates = _flat(pixels[start : start + _CHUNK])
                # The queries' own squares are left out: they shift all distances of a query alike.
                distance = np.einsum("np,np->n", candidates, candidates) - 2 * (queries @ candidates.T)
                nearest = distance.argmin(axis=1)
                value = distance[np.arange(len(sample)), nearest]
                is_better = value < best
                best[is_better], found[is_better] = value[is_better], row[start + nearest[is_better]]
        return sample, found

    @cached_property
    def _gallery(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        row = np.arange(self._rows)
        if self._rows > GALLERY:
            row = np.sort(stream("gallery", self._name).choice(self._rows, GALLERY, replace=False))
        return row, self._read(row)

    def _read(self, row: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Read images at reduced size: uint8 (N, at most 32, at most 32, C)."""
        parts = [reduce(self._images.read(row[start : start + _CHUNK])) for start in range(0, len(row), _CHUNK)]
        return np.concatenate(parts)


def reduce(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Average over blocks, the last of which may be smaller, until no side is longer than 32: uint8 (N, H, W, C)."""
    total, size = images, np.ones((1, 1, 1, 1))
    for axis in (1, 2):
        length = images.shape[axis]
        block = -(-length // SIDE)
        if block == 1:
            continue
        edges = np.arange(0, length, block)
        total = np.add.reduceat(total, edges, axis=axis, dtype=np.int64)
        shape = [1, 1, 1, 1]
        shape[axis] = len(edges)
        size = size * np.diff([*edges, length]).reshape(shape)
    return images if total is images else np.rint(total / size).astype(np.uint8)


def _flat(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    return images.reshape(len(images), -1).astype(np.float32) / np.float32(255)
