"""Render letter strings by copying precomputed bands of pixel rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError
from .glyphs import Glyph

SIDE = 64
"""Height and width of an image, pixels."""


class Renderer:
    """Draws words at shifts and spacings: a pure function of its arguments.

    Each (word, x, spacing) is drawn once, as a band of full pixel rows as high as a glyph. An image is a black canvas with one
    band copied in, which is one contiguous copy.

    Args:
        words: The words, in index order.
        glyphs: A glyph for each letter, all of one height.
        xs: Shifts to the right, pixels; 0 is centred.
        ys: Shifts up, pixels; 0 is centred. Up is positive, as in the paper (the authors' code has it downwards).
        spacings: Pixels added to each letter's advance. Where letters overlap, the brighter pixel stays.
        background: Grey level of the canvas, 0 to 255.

    Raises:
        BenchmarkError: A word would leave the image.
    """

    def __init__(
        self,
        words: Sequence[str],
        glyphs: Mapping[str, Glyph],
        xs: Sequence[int],
        ys: Sequence[int],
        spacings: Sequence[int],
        background: int = 0,
    ) -> None:
        self._height = next(iter(glyphs.values())).ink.shape[0]
        self._background = background
        # Floor division puts an odd remainder of the margin below and to the right.
        self._tops = [(SIDE - self._height) // 2 - y for y in ys]
        if min(self._tops) < 0 or max(self._tops) + self._height > SIDE:
            raise BenchmarkError(f"Glyphs of {self._height} rows leave the {SIDE}-pixel image at shifts {tuple(ys)}.")
        bands = np.full((len(words), len(xs), len(spacings), self._height, SIDE), background, dtype=np.uint8)
        for w, word in enumerate(words):
            for s, spacing in enumerate(spacings):
                strip = _strip(word, glyphs, spacing)
                width = sum(glyphs[letter].advance for letter in word) + spacing * (len(word) - 1)
                for k, x in enumerate(xs):
                    left = (SIDE - width) // 2 + x
                    if left < 0 or left + strip.shape[1] > SIDE:
                        raise BenchmarkError(f"{word!r} at x shift {x} and spacing {spacing} leaves the image.")
                    band = bands[w, k, s, :, left : left + strip.shape[1]]
                    np.maximum(band, strip, out=band)
        self._bands = bands.reshape(len(words), len(xs), len(spacings), self._height * SIDE)

    def __call__(
        self, word: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64], spacing: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        """Render a batch.

        Args:
            word: Levels (N,) of the word, as are `x`, `y` and `spacing` of their factors.
            x: Levels of the x shift.
            y: Levels of the y shift.
            spacing: Levels of the spacing.

        Returns:
            uint8 images (N, 64, 64, 1), grey levels in [0, 255].
        """
        pixels = SIDE * SIDE
        if self._background:
            canvas = np.full((len(word), pixels), self._background, dtype=np.uint8)
        else:
            canvas = np.zeros((len(word), pixels), dtype=np.uint8)
        for level, top in enumerate(self._tops):
            rows = np.flatnonzero(y == level)
            start = top * SIDE
            canvas[rows, start : start + self._height * SIDE] = self._bands[word[rows], x[rows], spacing[rows]]
        return canvas.reshape(-1, SIDE, SIDE, 1)


def _strip(word: str, glyphs: Mapping[str, Glyph], spacing: int) -> NDArray[np.uint8]:
    """Draw a word alone, without margins: uint8 (height, width)."""
    lefts = np.cumsum([0] + [glyphs[letter].advance + spacing for letter in word[:-1]])
    right = max(left + glyphs[letter].ink.shape[1] for left, letter in zip(lefts, word, strict=True))
    strip = np.zeros((glyphs[word[0]].ink.shape[0], right), dtype=np.uint8)
    for left, letter in zip(lefts, word, strict=True):
        ink = glyphs[letter].ink
        cell = strip[:, left : left + ink.shape[1]]
        np.maximum(cell, ink, out=cell)
    return strip
