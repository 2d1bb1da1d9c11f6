"""The soft shadow of a solid on the floor, as a picture that is made once and looked up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .solids import Array, Placed

_SIDE, _REACH = 97, 3.0
"""Points of the picture each way, and how far from its middle they go."""

_RAYS = 64
"""To the sun, and as many to the sky."""


@dataclass(frozen=True)
class Shadow:
    """How much of its light each point of the floor gets.

    Attributes:
        light: (side, side): in [0, 1], by y and x.
    """

    light: Array

    @classmethod
    def of(cls, placed: Placed, sun: Array) -> Shadow:
        """Take the shadow of a solid in the light of a wide sun and of the sky."""
        ticks = np.linspace(-_REACH, _REACH, _SIDE)
        # Just below the floor, so that rays enter what stands on it.
        points = np.stack(np.broadcast_arrays(ticks, ticks[:, None], -1e-3))
        light = np.zeros((_SIDE, _SIDE))
        for k in range(_RAYS):
            # Points spread evenly over a disc by the golden angle.
            turn, out = k * math.pi * (3 - math.sqrt(5)), math.sqrt((k + 0.5) / _RAYS)
            x, y = out * math.cos(turn), out * math.sin(turn)
            sky = np.array([x, y, math.sqrt(1 - out * out)])
            for towards, share in ((sun + 0.16 * np.array([x, y, 0]), 0.55), (sky, 0.45)):
                rays = np.broadcast_to(towards[:, None, None], points.shape)
                light += share / _RAYS * (placed.hits(points, rays).depth == np.inf)
        return cls(light)

    def at(self, x: Array, y: Array) -> Array:
        """Light at points of the floor, by bilinear interpolation; 1 outside the picture."""
        scale = (_SIDE - 1) / (2 * _REACH)
        column, row = ((each + _REACH) * scale for each in (x, y))
        inside = (column >= 0) & (column < _SIDE - 1) & (row >= 0) & (row < _SIDE - 1)
        column, row = np.where(inside, column, 0), np.where(inside, row, 0)
        left, above = column.astype(np.int64), row.astype(np.int64)
        right, down = column - left, row - above
        upper = self.light[above, left] * (1 - right) + self.light[above, left + 1] * right
        lower = self.light[above + 1, left] * (1 - right) + self.light[above + 1, left + 1] * right
        return np.where(inside, upper * (1 - down) + lower * down, 1)
