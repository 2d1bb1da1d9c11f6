"""Write images as PNG files in memory."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray


def encode(image: NDArray[np.uint8]) -> bytes:
    """Return the bytes of a PNG file.

    Args:
        image: uint8 (H, W, C); grey where C is 1, else its first three channels are red, green and blue.
    """
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(image[..., 0] if image.shape[2] == 1 else image[..., :3]).save(file, "PNG", optimize=True)
    return file.getvalue()
