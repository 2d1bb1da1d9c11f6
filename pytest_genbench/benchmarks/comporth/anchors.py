"""What trivial models make of the images: the judge on the originals, means, and nearest neighbours in pixels."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ...rng import stream
from ...splits import Split
from ...threads import per_process
from . import judge
from .stimuli import Stimuli

SAMPLE = 500
"""Held-out images that trivial models are tried on: enough for two digits."""

_CHUNK = 2048


class Originals:
    """The images of a preset as trivial models see them; each is read by a judge at most once per process."""

    def __init__(self, stimuli: Stimuli) -> None:
        self._stimuli = stimuli
        self._readings: dict[str, NDArray[np.float32]] = {}

    def read(self, index: NDArray[np.int64], name: str = judge.PUBLISHED) -> NDArray[np.float32]:
        """Return a judge's word probabilities for original images: float32 (N, words)."""
        shape = (self._stimuli.grid.size, len(self._stimuli.words))
        table = self._readings.setdefault(name, np.full(shape, np.nan, dtype=np.float32))
        unread = index[np.isnan(table[index, 0])]
        for start in range(0, len(unread), _CHUNK):
            batch = unread[start : start + _CHUNK]
            table[batch] = judge.get(name).read(self._stimuli.images(batch))
        return table[index]

    def mean_image(self, index: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the pixel-wise mean of some images: float32 (1, 64, 64, 1) in [0, 1]."""
        total = np.zeros(self._stimuli.image_shape, dtype=np.int64)
        for start in range(0, len(index), _CHUNK):
            total += self._stimuli.images(index[start : start + _CHUNK]).sum(axis=0, dtype=np.int64)
        return (total / (255 * len(index))).astype(np.float32)[None]

    def nearest(self, split: Split) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the training image with the least squared pixel distance.

        Returns:
            A seeded sample of up to 500 held-out indices, and for each the index of its nearest training image (the first of
            several), both int64.
        """
        draw = stream("nearest", split.benchmark, split.preset, split.slug)
        sample = np.sort(draw.choice(split.test, min(SAMPLE, len(split.test)), replace=False))
        queries = self._flat(sample)
        best = np.full(len(sample), np.inf)
        found = np.zeros(len(sample), dtype=np.int64)
        with threadpool_limits(per_process()):
            for start in range(0, len(split.train), _CHUNK):
                chunk = split.train[start : start + _CHUNK]
                candidates = self._flat(chunk)
                # The queries' own squares are left out: they shift all distances of a query alike.
                distance = np.einsum("np,np->n", candidates, candidates) - 2 * (queries @ candidates.T)
                nearest = distance.argmin(axis=1)
                value = distance[np.arange(len(sample)), nearest]
                better = value < best
                best[better], found[better] = value[better], chunk[nearest[better]]
        return sample, found

    @cached_property
    def _rows(self) -> slice:
        """The rows that ever hold ink: all others are the same in every image."""
        shape = self._stimuli.grid.shape
        longest = [shape[0] - 1, 0, 0, 0]
        extremes = [longest, [*longest[:2], shape[2] - 1, 0]]
        images = self._stimuli.images(self._stimuli.grid.index(extremes))
        used = np.flatnonzero((images != images[0, 0, 0]).any(axis=(0, 2, 3)))
        return slice(int(used[0]), int(used[-1]) + 1)

    def _flat(self, index: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._stimuli.images(index)[:, self._rows].reshape(len(index), -1).astype(np.float32) / np.float32(255)


def constant_answer(word: NDArray[np.int64]) -> float:
    """Accuracy of always answering the word that is most frequent among the levels given (N,)."""
    return float(np.bincount(word).max() / len(word))
