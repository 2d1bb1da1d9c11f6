"""Draw scene graphs: closed lines of one pixel on white, neither filled nor smoothed."""

from __future__ import annotations

import colorsys

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw

from .scene import Image, Thing

SIDE = 128
"""Of a published image, in pixels."""


def render(image: Image, side: int = SIDE, *, published: bool = False) -> NDArray[np.uint8]:
    """Draw an image.

    Args:
        image: Its things.
        side: Height and width in pixels.
        published: Cut to whole pixels towards zero, as the original does, which draws things smaller by one pixel; else downwards.

    Returns:
        uint8 (side, side, 3).
    """
    picture = Picture.new("RGB", (side, side), "white")
    lines = ImageDraw.Draw(picture).draw
    for thing in image:
        ink = lines.draw_ink(rgb(thing.colour))
        # Pillow reads a buffer of float32 without making a list of it, and cuts the numbers to whole pixels.
        lines.draw_lines(pixels(thing, side, published), ink, 1)
    return np.asarray(picture)


def pixels(thing: Thing, side: int, published: bool) -> NDArray[np.float32]:
    """Points of a closed line in pixels: float32 (V + 1, 2), whole numbers."""
    # Place and form are cut each for itself: a thing looks the same wherever it stands. Else a change of place would show in the
    # number of pixels, and a rule about places could be answered by counting them.
    cut = np.trunc if published else np.floor
    place = np.array([thing.x, thing.y])
    points = cut((thing.contour - place) * side) + cut(place * side)
    return np.concatenate([points, points[:1]]).astype(np.float32)


def rgb(colour: tuple[float, float, float]) -> tuple[int, int, int]:
    """Turn HSV in [0, 1] into RGB in 0 to 255."""
    red, green, blue = colorsys.hsv_to_rgb(*colour)
    return int(red * 255), int(green * 255), int(blue * 255)
