"""How different two contours look, however they are turned."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from .contours import Shape
from .place import Array, dense

BINS = 64
"""Directions in which a contour is measured."""

DIFFERENT = 0.06
"""Least difference of contours that are drawn to be different, in sides of their box; one of fifty random pairs has less."""

CHIRAL = 0.05
"""Least difference of a contour from its mirror image where a flip is to be seen; one of six contours has less."""


def profile(points: Array) -> Array:
    """Distance of a contour (V, 2) from the origin by direction: float64 (64,)."""
    line = dense(points, 0.02)
    direction = np.floor((np.arctan2(line[:, 1], line[:, 0]) / (2 * np.pi) % 1.0) * BINS).astype(np.int64) % BINS
    far = np.zeros(BINS)
    np.maximum.at(far, direction, np.hypot(line[:, 0], line[:, 1]))
    return far


def difference(a: Array, b: Array) -> float:
    """Root mean square difference of two profiles (64,), turned so that they differ least."""
    best = np.fft.irfft(np.fft.rfft(a) * np.conj(np.fft.rfft(b)), BINS).max()
    return float(np.sqrt(max((a @ a + b @ b - 2 * best) / BINS, 0.0)))


def mirrored(a: Array) -> Array:
    """The profile of the mirror image."""
    return a[::-1]


def differ(a: Shape, b: Shape) -> bool:
    """Whether two shapes look different, however they are turned and flipped."""
    first, second = _of(a), _of(b)
    return min(difference(first, second), difference(first, mirrored(second))) >= DIFFERENT


def is_chiral(shape: Shape) -> bool:
    """Whether a shape looks different from its mirror image, however that is turned."""
    own = _of(shape)
    return difference(own, mirrored(own)) >= CHIRAL


_profiles: WeakKeyDictionary[Shape, Array] = WeakKeyDictionary()


def _of(shape: Shape) -> Array:
    """Return the profile of a shape, measured once."""
    if shape not in _profiles:
        _profiles[shape] = profile(shape.points)
    return _profiles[shape]
