"""Letter shapes: the two frozen glyphs of the benchmark, and any others through Pillow.

The paper used Arial at 12 px, which is proprietary. The constants below are Liberation Sans (same advance widths) at 12 px,
rasterised once: images are then the same bytes on every platform and with every version of Pillow and FreeType.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError


@dataclass(frozen=True)
class Glyph:
    """One letter.

    Attributes:
        ink: uint8 array (height, width) of grey levels in [0, 255]; all glyphs of an alphabet have the same height.
        advance: Pixels from this letter's left edge to the next one's at spacing 0.
    """

    ink: NDArray[np.uint8]
    advance: int


def _frozen(rows: list[list[int]]) -> Glyph:
    ink = np.array(rows, dtype=np.uint8)
    ink.setflags(write=False)
    return Glyph(ink, advance=8)


FROZEN = {
    "A": _frozen(
        [
            [0, 0, 0, 204, 216, 0, 0, 0],
            [0, 0, 43, 205, 196, 57, 0, 0],
            [0, 0, 139, 112, 103, 151, 0, 0],
            [0, 3, 224, 19, 14, 228, 7, 0],
            [0, 74, 169, 0, 0, 161, 83, 0],
            [0, 170, 227, 224, 224, 226, 178, 0],
            [16, 231, 4, 0, 0, 2, 228, 21],
            [105, 165, 0, 0, 0, 0, 158, 110],
            [200, 87, 0, 0, 0, 0, 79, 204],
        ]
    ),
    "B": _frozen(
        [
            [4, 255, 231, 227, 228, 187, 38, 0],
            [4, 255, 28, 0, 2, 140, 186, 0],
            [4, 255, 28, 0, 0, 71, 216, 0],
            [4, 255, 28, 0, 19, 169, 132, 0],
            [4, 255, 227, 224, 233, 214, 45, 0],
            [4, 255, 28, 0, 0, 52, 236, 29],
            [4, 255, 28, 0, 0, 0, 207, 84],
            [4, 255, 28, 0, 0, 50, 243, 38],
            [4, 255, 231, 228, 228, 210, 85, 0],
        ]
    ),
}
"""The alphabet of the paper; 9 rows by 8 columns each."""


def rasterise(letters: str, font: str | Path | None, size: int = 12) -> dict[str, Glyph]:
    """Draw letters with a font.

    Args:
        letters: Distinct characters.
        font: A TrueType or OpenType file; None takes the font that comes with Pillow.
        size: Pixels per em.

    Returns:
        A glyph for each letter, all of the height that the tallest needs.

    Raises:
        BenchmarkError: The font cannot be read, or has no ink for a letter.
    """
    from PIL import Image, ImageDraw, ImageFont

    try:
        face = ImageFont.load_default(size) if font is None else ImageFont.truetype(str(font), size)
    except OSError as error:
        raise BenchmarkError(f"Font {str(font)!r} cannot be read ({error}); give a .ttf or .otf file.") from None
    boxes = {letter: face.getbbox(letter) for letter in letters}
    empty = [letter for letter, (left, top, right, bottom) in boxes.items() if right <= left or bottom <= top]
    if empty:
        raise BenchmarkError(f"The font draws nothing for {', '.join(map(repr, empty))}; choose other letters.")
    top = min(int(box[1]) for box in boxes.values())
    bottom = max(int(box[3]) for box in boxes.values())
    glyphs = {}
    for letter, (left, _, right, _) in boxes.items():
        origin = min(0, int(left))
        advance = round(face.getlength(letter))
        canvas = Image.new("L", (max(int(right) - origin, advance), bottom - top))
        ImageDraw.Draw(canvas).text((-origin, -top), letter, font=face, fill=255)
        glyphs[letter] = Glyph(np.asarray(canvas, dtype=np.uint8), advance)
    return glyphs
