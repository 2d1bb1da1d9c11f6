"""A canvas for many images at once, painted layer by layer with smooth edges.

Only sums, products, quotients, roots, comparisons and whole parts of single floats are used, which are the same everywhere: an
image has the same bytes on every machine and beside any others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Layer = NDArray[np.floating[Any]]
"""Numbers that broadcast to (N, height, width)."""

SIDE = 64
"""Height and width of an image, pixels."""


class Window:
    """Part of the image.

    Args:
        top: First row.
        bottom: Row after the last.
        half: Columns on either side of the middle.

    Attributes:
        x: Places of the columns, pixels to the right of the middle: float32 (1, width).
        y: Places of the rows, pixels from the top: float32 (height, 1).
        part: Slices of rows and columns.
    """

    def __init__(self, top: int = 0, bottom: int = SIDE, half: int = SIDE // 2) -> None:
        self.x: Layer = (np.arange(-half, half, dtype=np.float32) + 0.5)[None, :]
        self.y: Layer = (np.arange(top, bottom, dtype=np.float32) + 0.5)[:, None]
        self.part = slice(top, bottom), slice(SIDE // 2 - half, SIDE // 2 + half)


class Canvas:
    """Images in work.

    Args:
        images: Their number.
    """

    def __init__(self, images: int) -> None:
        self._pixels = np.zeros((images, 3, SIDE, SIDE), dtype=np.float32)

    def paint(self, window: Window, cover: Layer, colour: Layer) -> None:
        """Lay a colour over a window.

        Args:
            window: Where.
            cover: Opacity in [0, 1]; broadcasts to (N, height, width).
            colour: (N, 3) or (3,), in [0, 255].
        """
        part = self._pixels[:, :, *window.part]
        change = colour.reshape(-1, 3, 1, 1) - part
        change *= cover[..., None, :, :]
        part += change

    def images(self) -> NDArray[np.uint8]:
        """Round to uint8 (N, 64, 64, 3)."""
        return np.moveaxis(self._pixels + 0.5, 1, 3).astype(np.uint8, order="C")


def inside(distance: Layer, soft: float = 1.0) -> Layer:
    """Opacity of a shape by distance from its edge, negative inside, in pixels; `soft` is the width of the edge."""
    cover: Layer = np.clip(0.5 - distance / soft, 0, 1)
    return cover


def radius(x: Layer, y: Layer, wide: Layer | float, high: Layer | float) -> Layer:
    """How far points are from the middle of an ellipse with these half axes: 1 on its edge."""
    across, along = x / wide, y / high
    far: Layer = np.sqrt(across * across + along * along)
    return far


def ellipse(x: Layer, y: Layer, wide: Layer | float, high: Layer | float) -> Layer:
    """Distance from an ellipse's edge, along its shorter axis exact, in pixels."""
    distance: Layer = (radius(x, y, wide, high) - 1) * np.minimum(wide, high)
    return distance


def stroke(x: Layer, y: Layer, half: Layer | float, thick: Layer | float) -> Layer:
    """Opacity of a level stroke about (0, 0) that thins out towards its ends at -half and half.

    Bent strokes come from `y` that depend on `x`.
    """
    along = x / half
    return inside(np.maximum(np.abs(y) - thick * (1 - along * along), np.abs(x) - half))
