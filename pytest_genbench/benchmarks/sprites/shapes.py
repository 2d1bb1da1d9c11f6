"""The shapes of the sprites, upright and at scale 1.

Each is a function of points, pixels to the right of the shape's centroid and down from it, that is positive inside the shape and
negative outside. Sizes are such that no pixel of the grid is so close to an edge that rounding decides its side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

REACH = 16
"""No point of a shape is farther from its centroid, pixels."""

_SQUARE = 10.5
"""Half the side of the square."""

_ELLIPSE = 14.6, 8.1
"""Half the axes of the ellipse, across and along."""

_HEART = 11.2
"""A unit of the heart's equation, pixels."""

_HEART_CENTROID = 0.2935
"""Where the equation has its centroid, units up."""


def _square(right: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
    return _SQUARE - np.maximum(np.abs(right), np.abs(down))


def _ellipse(right: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
    across, along = _ELLIPSE
    return 1 - np.square(right / across) - np.square(down / along)


def _heart(right: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
    """The curve (x² + y² - 1)³ = x² y³."""
    x = right / _HEART
    y = _HEART_CENTROID - down / _HEART
    ring = x * x + y * y - 1
    return x * x * y * y * y - ring * ring * ring


SHAPES = (_square, _ellipse, _heart)
"""In the order of the grid."""
