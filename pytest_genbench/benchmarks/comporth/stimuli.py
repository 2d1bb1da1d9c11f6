"""The images of CompOrth: words, presets and the grid of factors (Bianchi et al. 2024, section 3.1)."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...factors import Factor, FactorGrid
from .glyphs import FROZEN, rasterise
from .render import SIDE, Renderer


@dataclass(frozen=True)
class Preset:
    """A choice of shifts and spacings, in pixels."""

    xs: tuple[int, ...]
    ys: tuple[int, ...]
    spacings: tuple[int, ...]


PRESETS = {
    # The ranges of the authors' scripts: the only ones that give the 11,904 images the paper counts. The spacing drawn there is
    # the number of the level (0 to 3), not its name (-2 to 1), which is also what keeps letters apart as the paper says.
    "published": Preset(xs=tuple(range(-2, 4)), ys=tuple(range(-4, 4)), spacings=(0, 1, 2, 3)),
    # The ranges in the text of the paper, inclusive: 25,110 images, in which letters overlap at negative spacing.
    "described": Preset(xs=tuple(range(-4, 5)), ys=tuple(range(-4, 5)), spacings=(-2, -1, 0, 1, 2)),
    "mini": Preset(xs=(-1, 0, 1), ys=(-1, 0, 1), spacings=(0, 1)),
}


class Stimuli:
    """All images of one preset.

    Args:
        preset: ``published`` (11,904 images), ``described`` (25,110) or ``mini`` (1,116).
        letters: The alphabet, two or more distinct characters.
        max_length: Longest word, letters; words are all strings of length 1 to `max_length`.
        font: Font file for other letters or another look; None draws "A" and "B" from the frozen glyphs, and any other
            alphabet with Pillow's own font.
        background: Grey level of the canvas; the paper's is black (0), some of the authors' code has 10.

    Attributes:
        name: The preset's name; with other letters, font, length or background, that name with a digest of them.
        words: Every word, shorter first, then alphabetically; the position is the word's level.
        grid: Factors word, x, y, spacing.

    Raises:
        BenchmarkError: Unknown preset, unusable letters, or words that do not fit into 64 pixels.
    """

    def __init__(
        self,
        preset: str = "published",
        *,
        letters: str = "AB",
        max_length: int = 5,
        font: str | Path | None = None,
        background: int = 0,
    ) -> None:
        if preset not in PRESETS:
            raise BenchmarkError(f"CompOrth has no preset {preset!r}.{nearest(preset, PRESETS)}")
        if len(set(letters)) != len(letters) or len(letters) < 2:
            raise BenchmarkError(f"Letters must be two or more distinct characters; got {letters!r}.")
        if max_length < 1:
            raise BenchmarkError(f"Words need at least one letter; got max_length={max_length}.")
        if not 0 <= background <= 255:
            raise BenchmarkError(f"Background must be a grey level from 0 to 255; got {background}.")
        self.letters = letters
        self.max_length = max_length
        self.levels = PRESETS[preset]
        self._frozen = font is None and set(letters) <= set(FROZEN)
        self._glyphs = {c: FROZEN[c] for c in letters} if self._frozen else rasterise(letters, font)
        self._background = background
        self.is_standard = self._frozen and letters == "AB" and max_length == 5 and background == 0
        self.name = preset if self.is_standard else f"{preset}-{self._digest()}"
        self.words = tuple(
            "".join(word) for length in range(1, max_length + 1) for word in itertools.product(letters, repeat=length)
        )
        self.grid = FactorGrid(
            (
                Factor("word", self.words),
                Factor("x", self.levels.xs, "ordinal"),
                Factor("y", self.levels.ys, "ordinal"),
                Factor("spacing", self.levels.spacings, "ordinal"),
            )
        )

    def _digest(self) -> str:
        """Eight hex digits that tell differing alphabets, glyphs, lengths and backgrounds apart."""
        digest = hashlib.sha256(f"{self.letters} {self.max_length} {self._background}".encode())
        for letter in self.letters:
            glyph = self._glyphs[letter]
            digest.update(f"{glyph.advance} {glyph.ink.shape}".encode() + glyph.ink.tobytes())
        return digest.hexdigest()[:8]

    @cached_property
    def _renderer(self) -> Renderer:
        levels = self.levels
        return Renderer(self.words, self._glyphs, levels.xs, levels.ys, levels.spacings, self._background)

    def images(self, index: ArrayLike) -> NDArray[np.uint8]:
        """Render images.

        Args:
            index: Integers (N,), each in [0, grid.size).

        Returns:
            uint8 (N, 64, 64, 1), grey levels in [0, 255]; the same bytes for the same index, always.

        Raises:
            BenchmarkError: An index lies outside the grid.
        """
        return self._renderer(*self.grid.levels(index).T)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width and channels of an image."""
        return (SIDE, SIDE, 1)
