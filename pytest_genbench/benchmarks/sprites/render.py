"""Draw sprites by copying precomputed masks."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..levels import checked
from .shapes import REACH, SHAPES

SIDE = 64
"""Height and width of an image, pixels."""

COUNTS = {"shape": 3, "scale": 6, "orientation": 40, "x-position": 32, "y-position": 32}
"""Levels of each factor, in grid order."""

_TURNS = COUNTS["orientation"] - 1
"""Orientations that differ: the last is a full turn, so it equals the first."""

_WINDOW = 2 * REACH + 1


def images(levels: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Draw images.

    Sizes at scale 1: the square has sides of 21 pixels, the ellipse axes of 29 and 16, the heart is 26 wide and 25 high; scale goes
    from 0.5 to 1 in equal steps. Orientation turns clockwise about the centroid, from upright through a full turn, both ends
    included, so the first and the last level give the same image; squares repeat every quarter turn and ellipses every half, up
    to a few pixels of the edge or none. The centroid is at column 16 + x and row 16 + y: one pixel for each level, to the right
    and down, which keeps all of every shape inside the image.

    Args:
        levels: int64 (N, 5): levels of shape (square, ellipse, heart), scale, orientation, x and y position.

    Returns:
        uint8 (N, 64, 64, 1): 255 on the shape, 0 elsewhere. An image depends on its row alone, to the last bit.

    Raises:
        BenchmarkError: The levels are no table of integers (N, 5), or one lies outside the grid.
    """
    shape, scale, orientation, x, y = checked(levels, COUNTS).T
    drawn = np.zeros((len(shape), SIDE, SIDE), dtype=np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(drawn, (_WINDOW, _WINDOW), axis=(1, 2), writeable=True)
    windows[np.arange(len(shape)), y, x] = _masks()[shape, scale, orientation % _TURNS]
    return drawn[..., None]


@cache
def _masks() -> NDArray[np.uint8]:
    """All shapes, scales and orientations that differ, 0 or 255: uint8 (3, 6, 39, 33, 33)."""
    scale = np.linspace(0.5, 1, COUNTS["scale"])[:, None, None, None]
    turn = (2 * np.pi / _TURNS * np.arange(_TURNS))[:, None, None]
    right = np.arange(-REACH, REACH + 1.0)
    down = right[:, None]
    # Where each pixel lies in the shape before it is turned and scaled.
    across = (np.cos(turn) * right + np.sin(turn) * down) / scale
    along = (np.cos(turn) * down - np.sin(turn) * right) / scale
    return np.where(np.stack([depth(across, along) > 0 for depth in SHAPES]), np.uint8(255), np.uint8(0))
