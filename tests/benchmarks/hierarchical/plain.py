"""Spaceshapes drawn the plain way: a test at every point of the grid, SciPy's rotation and shift, Pillow's resizing."""

import numpy as np
from PIL import Image
from scipy import ndimage

GRID = np.arange(256) / 64 - 2
ACROSS, DOWN = np.meshgrid(GRID, GRID)


def draw(row):
    """Draw one row of the table: uint8 (64, 64)."""
    shape, jet, x, y, phase, shine, angle, length = row
    if shape == 1:
        picture = moon(closest(0.4 * (1 - phase), 0, 0.4))
    elif shape == 2:
        picture = star(closest(0.165 * (1 - shine), 0, 0.2))
    else:
        picture = ship(closest(0.25 + 0.42 * length, 0.25, 0.67) if jet == 2 else None)
        picture = ndimage.rotate(picture, -45 + 90 * (1 - angle), order=0, reshape=False)
    offset = (np.round(64 - 128 * y), np.round(128 * x - 64))
    picture = ndimage.shift(picture, offset, order=1)
    return np.asarray(Image.fromarray(np.uint8(np.rint(255 * picture))).resize((64, 64), Image.Resampling.BILINEAR))


def closest(value, least, most):
    levels = np.linspace(least, most, 256)
    return levels[np.argmin(np.abs(levels - value))]


def moon(bite):
    half = np.sqrt(np.clip(0.75**2 - DOWN**2, 0, None))
    return ((DOWN**2 + ACROSS**2 <= 0.75**2) & (-half < ACROSS) & (half * (1 - 4 * bite) > ACROSS)).astype(float)


def star(bite):
    inside = np.abs(DOWN) + np.abs(ACROSS) <= 0.8
    if bite > 0:
        tip = 0.4 - bite
        centre = (0.8**2 - 2 * tip**2) / (4 * bite)
        inside &= (np.abs(DOWN) - centre) ** 2 + (np.abs(ACROSS) - centre) ** 2 > 2 * (centre - tip) ** 2
    return inside.astype(float)


def ship(length):
    """Draw a ship without a jet, or with one of this length, upright."""
    size, up, across = 1.1, DOWN, ACROSS
    on = (up > 0) & (up < np.sqrt(3) / 2 * size - np.sqrt(3) * np.abs(across))
    if length is not None:
        for left in (-2.5 * size / 6, -2.5 * size / 6 + size / 2):
            on |= (across > left) & (across < left + size / 3) & (up < -0.11) & (up > -0.11 - length)
        for middle in (-size / 4, size / 4):
            on |= (np.abs(across - middle) < size / 6) & (up <= -0.10) & (up > -0.11)
    return np.roll(on[::-1], 25, axis=0).astype(float)
