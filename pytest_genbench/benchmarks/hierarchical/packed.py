"""Whole numbers and pictures as short texts, for results documents, which people keep under version control."""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

GREYS = 8
"""Grey levels of a film: enough to see a shape and its edges by, in a sixth of the size that 256 would take."""


def pack(numbers: ArrayLike) -> str:
    """Write whole numbers, each within 32 bits, as a text: little-endian int32, deflated, in base64. Their shape is not kept."""
    plain = np.asarray(numbers).astype("<i4").tobytes()
    return base64.b64encode(zlib.compress(plain, 9)).decode("ascii")


def unpack(text: str, shape: Sequence[int]) -> NDArray[np.int64]:
    """Undo :func:`pack`.

    Args:
        text: What it wrote.
        shape: Of the numbers; one axis may be -1.

    Returns:
        int64, of this shape.
    """
    plain = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(plain, dtype="<i4").astype(np.int64).reshape(tuple(shape))


def film(pictures: ArrayLike) -> str:
    """Write grey pictures side by side as one PNG file in base64.

    Args:
        pictures: (N, H, W) in [0, 1].
    """
    from PIL import Image

    levels = np.rint(np.asarray(pictures, dtype=np.float64) * (GREYS - 1)).astype(np.uint8)
    image = Image.fromarray(np.concatenate(list(levels), axis=1), mode="P")
    image.putpalette([level * 255 // (GREYS - 1) for level in range(GREYS) for _ in range(3)])
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, bits=4)
    return base64.b64encode(file.getvalue()).decode("ascii")


def frames(text: str, count: int) -> NDArray[np.uint8]:
    """Cut a film into its pictures: uint8 (N, H, W).

    Args:
        text: What :func:`film` wrote.
        count: How many pictures there are.
    """
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(text))) as image:
        pixels = np.asarray(image.convert("L"))
    return np.stack(np.split(pixels, count, axis=1))
