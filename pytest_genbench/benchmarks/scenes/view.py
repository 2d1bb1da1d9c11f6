"""A camera that takes pictures of 64 x 64 pixels, and what turns shares of materials into colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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

    def place(self, point: Array) -> tuple[float, float]:
        """Row and column at which a point (3,) is seen, pixels from the upper left corner."""
        right, up, ahead = (float(dot(axis, point - self.at)) for axis in self.axes)
        return SIDE / 2 - self.focal * up / ahead, SIDE / 2 + self.focal * right / ahead

    def around(self, point: Array, radius: float) -> Window:
        """The pixels of a window in which a sphere about a point is seen; at least one pixel, inside the image."""
        row, column = self.place(point)
        offset = point - self.at
        far = float(dot(offset, offset))
        ahead = float(dot(self.axes[2], offset))
        # A cone about the sphere cuts the image in an ellipse; its longer half is less than this.
        reach = self.focal * radius * far / (ahead * ahead) / math.sqrt(far - radius * radius) * 1.1

        def part(middle: float) -> tuple[int, int]:
            low = min(max(math.floor(middle - reach), 0), SIDE - 1)
            return low, min(max(math.ceil(middle + reach), low + 1), SIDE)

        return Window(*part(row), *part(column))


def mean(rays: Array) -> Array:
    """Mean over a pixel's rays: (RAYS, height, width) to (height, width)."""
    return np.add.reduce(rays, axis=0, dtype=np.float32) / RAYS


def packed(*maps: Array) -> NDArray[np.uint8]:
    """Maps in [0, 1] as bytes, one below the other: uint8 (K, height, width)."""
    return np.stack([(255 * each).astype(np.uint8) for each in maps])


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
