"""Places for things that are turned, which need more room than their size: by the boxes of their lines.

The published generator reckons with sizes instead, so that what is turned may leave the frame.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import alike
from ..contours import Shape
from ..draw import Draw
from ..place import GAP, Array, CannotPlace
from ..scene import Image, Thing

LOPSIDED = 0.08
"""Least difference of a contour from itself turned by 28 degrees or more, where turns are to be seen; one of ten has less."""

_TURNS = slice(5, alike.BINS - 4)


def extents(things: Sequence[Thing]) -> tuple[Array, Array]:
    """Left and top (n, 2), and right and bottom (n, 2) of each thing's line from its centre."""
    boxes = np.array([thing.box for thing in things])
    centres = np.array([(thing.x, thing.y) for thing in things])
    return boxes[:, :2] - centres, boxes[:, 2:] - centres


def freely(d: Draw, things: Sequence[Thing], times: float = 1.0) -> Image:
    """Put things anywhere in the frame, with disjoint boxes; the published generator takes so many times the size for a box."""
    if d.published:
        return moved(things, d.free([times * thing.size for thing in things]))
    low, high = extents(things)
    return moved(things, d.free(high - low) - (low + high) / 2)


def in_row(d: Draw, things: Sequence[Thing], axis: str) -> Image:
    """Put things one after the other along an axis, ``x`` or ``y``, and anywhere on the other."""
    if d.published:
        return moved(things, d.on_axis([thing.size for thing in things], axis))
    low, high = extents(things)
    if (high - low > 1 - GAP).any():
        raise CannotPlace
    centres = d.rng.uniform(GAP / 2 - low, 1 - GAP / 2 - high)
    k = "xy".index(axis)
    centres[:, k] = d.pack((high - low)[:, k]) - (low + high)[:, k] / 2
    return moved(things, centres)


def moved(things: Sequence[Thing], centres: Array) -> Image:
    """Put things at places (n, 2)."""
    return tuple(thing.moved(x, y) for thing, (x, y) in zip(things, centres.tolist(), strict=True))


def lopsided(d: Draw, n: int) -> list[Shape]:
    """Draw shapes that look different when they are turned."""
    found: list[Shape] = []
    while len(found) < n:
        found += [shape for shape in d.shapes(n - len(found)) if d.published or _is_lopsided(shape)]
    return found


def _is_lopsided(shape: Shape) -> bool:
    wave = np.abs(np.fft.rfft(alike.profile(shape.points))) ** 2
    same = np.fft.irfft(wave, alike.BINS)
    return bool(2 * (same[0] - same[_TURNS].max()) / alike.BINS >= LOPSIDED**2)
