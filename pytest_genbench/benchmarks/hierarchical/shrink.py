"""Shrink a 256-pixel picture to 64 pixels as Pillow does: a triangle filter over rows, then columns, rounded after each.

Pillow's ``resize`` with ``BILINEAR`` weighs the pixels within four of an output pixel's centre by a triangle, in whole multiples of
2^-22, and rounds to whole grey levels between the two directions. All sums here are of whole numbers that their floating type holds
exactly, so the result depends on no order of summation, and a row of a batch never on the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GRID, SIDE = 256, 64
"""Height and width of the large picture and of the small one, pixels."""

STEP = GRID // SIDE
"""Pixels of the large picture for one of the small one."""

LEAD = STEP // 2
"""An output pixel k reads the large picture from ``STEP * k - LEAD``, for ``2 * STEP`` pixels."""

_TAPS = np.array([1, 3, 5, 7, 7, 5, 3, 1])
"""The triangle, in 32nds."""

_ONE = 1 << 22
"""Pillow's fixed point."""


def shrink(pictures: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Shrink whole pictures, their borders included.

    Args:
        pictures: bool (N, 256, 256).

    Returns:
        uint8 (N, 64, 64), grey levels in [0, 255].
    """
    weights = _whole_weights()
    across = np.floor((pictures.astype(np.float64) @ (255 * weights.T) + _ONE / 2) / _ONE)
    return np.floor((weights @ across + _ONE / 2) / _ONE).astype(np.uint8)


def shrink_inside(windows: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Shrink windows of pictures that are black around them and reach no border: quicker than all of the picture.

    Args:
        windows: bool (N, 4 h + 4, 4 w + 4), from ``STEP * k - LEAD`` for an output pixel k in each direction.

    Returns:
        uint8 (N, h, w), grey levels in [0, 255].
    """
    down, right = (_inner_weights(pixels // STEP - 1) for pixels in windows.shape[1:])
    # Away from the borders the weights are 32nds, so float32 is exact: no sum exceeds 255 * 32.
    across = windows.astype(np.float32) @ right.T
    across *= 255 / 32
    across += 0.5
    np.floor(across, out=across)
    shrunk = down @ across
    shrunk /= 32
    shrunk += 0.5
    return shrunk.astype(np.uint8)


def _inner_weights(outputs: int) -> NDArray[np.float32]:
    """Weights, in 32nds, of a window's pixels: (outputs, 4 outputs + 4)."""
    weights = np.zeros((outputs, STEP * outputs + STEP), dtype=np.float32)
    for output in range(outputs):
        weights[output, STEP * output : STEP * output + len(_TAPS)] = _TAPS
    return weights


def _whole_weights() -> NDArray[np.float64]:
    """Weights of all pixels, in whole multiples of 2^-22: (64, 256)."""
    inner = _inner_weights(SIDE)[:, LEAD:-LEAD].astype(np.float64)
    # Where the triangle leaves the picture, what is left of it is scaled up to a sum of one.
    weights: NDArray[np.float64] = np.floor(inner / inner.sum(axis=1, keepdims=True) * _ONE + 0.5)
    return weights
