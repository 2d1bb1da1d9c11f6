"""A camera that takes pictures of 64 x 64 pixels, and what turns shares of materials into colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .solids import Array, dot

SIDE = 64
"""Height and width of an image, pixels."""

RAYS = 5
"""Rays of a pixel. No two share a row or a column, so edges of all directions look smooth; that in the middle is in the middle."""

_DOWN, _ACROSS = (np.array(steps) / 5 for steps in ((-2, -1, 0, 1, 2), (1, -2, 0, 2, -1)))
"""Where they are from the middle of the pixel."""


class Window(NamedTuple):
    """A part of the image: rows from top to before bottom, columns from left to before right."""

    top: int = 0
    bottom: int = SIDE
    left: int = 0
    right: int = SIDE

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def join(self, other: Window) -> Window:
        """The least window that holds two."""
        return Window(
            min(self.top, other.top),
            max(self.bottom, other.bottom),
            min(self.left, other.left),
            max(self.right, other.right),
        )


ALL = Window()


@dataclass(frozen=True)
class Camera:
    """A pinhole camera.

    Attributes:
        at: (3,): where it is.
        axes: (3, 3): unit vectors to the right and the upper side of its image, and ahead.
        focal: Pixels between points one unit apart, one unit ahead.
    """

    at: Array
    axes: Array
    focal: float

    @classmethod
    def orbiting(
        cls, target: Sequence[float], distance: float, azimuth: float, elevation: float, focal: float
    ) -> Camera:
        """Look at a target.

        Args:
            target: x, y and z.
            distance: Of the camera from it.
            azimuth: Degrees; at 0 the camera looks along the y axis, and it goes to the right as they grow.
            elevation: Degrees above the horizon.
            focal: See above.
        """
        around, above = math.radians(azimuth), math.radians(elevation)
        sine, cosine = math.sin(around), math.cos(around)
        low, high = math.cos(above), math.sin(above)
        right, ahead = (cosine, sine, 0.0), (-sine * low, cosine * low, -high)
        axes = np.array([right, (-sine * high, cosine * high, low), ahead])
        return cls(np.array(target) - distance * axes[2], axes, focal)

    def directions(self, window: Window = ALL) -> Array:
        """Rays through a window's pixels, one unit ahead: float32 (3, RAYS, height, width)."""
        middles = np.arange(SIDE) + 0.5 - SIDE / 2
        down = (middles[window.top : window.bottom] + _DOWN[:, None]) / self.focal
        across = (middles[window.left : window.right] + _ACROSS[:, None]) / self.focal
        right, up, ahead = self.axes[:, :, None, None, None]
        rays: Array = ahead + across[:, None] * right - down[:, :, None] * up
        return rays.astype(np.float32)

    @cached_property
    def ground(self) -> tuple[Array, Array]:
        """Where the plane z = 0 is seen at the middle of each pixel: x and y, float32 (64, 64); far away above the horizon."""
        x, y, z = self.directions()[:, RAYS // 2]
        depth = np.where(z < -1e-3, -self.at[2] / np.minimum(z, -1e-3), 1e3).astype(np.float32)
        return float(self.at[0]) + depth * x, float(self.at[1]) + depth * y

    def place(self, point: Array) -> tuple[float, float]:
        """Row and column at which a point (3,) is seen, pixels from the upper left corner."""
        right, up, ahead = (float(dot(axis, point - self.at)) for axis in self.axes)
        return SIDE / 2 - self.focal * up / ahead, SIDE / 2 + self.focal * right / ahead

    def around(self, point: Array, radius: float) -> Window:
        """The window in which a sphere about a point is seen; at least one pixel, inside the image."""
        right, up, ahead = (float(dot(axis, point - self.at)) for axis in self.axes)

        def part(aside: float) -> tuple[int, int]:
            # The sphere fills an angle about its middle; these are the tangents of both sides.
            spread = radius * math.sqrt(aside * aside + ahead * ahead - radius * radius)
            first, last = ((aside * ahead + way * spread) / (ahead * ahead - radius * radius) for way in (-1, 1))
            low = min(max(math.floor(SIDE / 2 + self.focal * first), 0), SIDE - 1)
            return low, min(max(math.ceil(SIDE / 2 + self.focal * last), low + 1), SIDE)

        return Window(*part(-up), *part(right))


def mean(rays: Array) -> Array:
    """Mean over a pixel's rays: (..., RAYS, height, width) to (..., height, width)."""
    average: Array = np.add.reduce(rays, axis=-3) / RAYS
    return average


def packed(*maps: Array) -> NDArray[np.uint8]:
    """Maps in [0, 1] as bytes, one below the other: (..., height, width) each to uint8 (..., K, height, width)."""
    return np.stack([(255 * each).astype(np.uint8) for each in maps], axis=-3)


def paint(picture: NDArray[np.uint8], maps: NDArray[np.uint8], colours: NDArray[np.uint16]) -> None:
    """Mix colours.

    Args:
        picture: uint8 (height, width, 3), which is painted over.
        maps: uint8 (K, height, width): how much there is of each of K materials, together 255 at most.
        colours: uint16 (K, 3), in [0, 255].
    """
    wide = maps.astype(np.uint16)
    for channel in range(3):
        light = wide[0] * colours[0, channel]
        for each, colour in zip(wide[1:], colours[1:, channel], strict=True):
            light += each * colour
        # 255 / 256 of full light is as good as all of it; 255 * 255 fits into 16 bits.
        light >>= 8
        picture[..., channel] = light
