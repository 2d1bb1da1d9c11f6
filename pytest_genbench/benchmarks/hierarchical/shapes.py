"""The shapes of Spaceshapes on the grid of 256 pixels, point by point (Ross & Doshi-Velez 2021, appendix).

A unit is 64 pixels. Each shape has a parameter of 256 levels, the paper's factor in steps. Functions draw windows: some rows and
columns of the grid, counted from the middle of the shape, down and to the right.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

UNIT = 64
"""Pixels of a unit of length."""

LEVELS = 256
"""Values a shape's parameter is rounded to."""

MOON, STAR, SHIP = 0.75, 0.8, 1.1
"""Radius of the moon, from the middle of the star to its points, side of the ship: units."""

BITES = np.linspace(0, 0.4, LEVELS)
"""How much of the moon is gone."""

DENTS = np.linspace(0, 0.2, LEVELS)
"""How far the star's sides are pushed in, along both axes."""

JETS = np.linspace(0.25, 0.67, LEVELS)
"""Lengths of the ship's jets, units."""

NO_JET = -1
"""Instead of a level, for a ship without jets."""

_NEVER = LEVELS

_SUNK = 25
"""Pixels by which the ship is moved down, so that it turns about its middle."""


def closest(levels: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number of the level that is closest to each value (N,), the lower of two: int64 (N,)."""
    above = np.clip(np.searchsorted(levels, values), 1, LEVELS - 1)
    return above - (values - levels[above - 1] <= levels[above] - values)


def moon(down: NDArray[np.int64], right: NDArray[np.int64], level: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Draw moons: discs that lose their right part.

    Args:
        down: Rows of each window (N, H).
        right: Columns of each window (N, W).
        level: Numbers of `BITES` (N,); 0 is the full disc.

    Returns:
        bool (N, H, W).
    """
    half = np.sqrt(np.maximum(MOON**2 - (down / UNIT) ** 2, 0))[:, :, None]
    across = (right / UNIT)[:, None, :]
    shadow = half * (1 - 4 * BITES[level])[:, None, None]
    drawn: NDArray[np.bool_] = (-half < across) & (across < shadow)
    return drawn


def star(down: NDArray[np.int64], right: NDArray[np.int64], level: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Draw stars: squares on their corner, each side pushed in to the arc of a circle through its two ends.

    Arguments and result are those of :func:`moon`, levels those of `DENTS`; 0 has straight sides.
    """
    up = np.abs(down) / UNIT
    straight = STAR - up
    dent = DENTS[level][:, None]
    # The circle about (centre, centre) through (0, STAR), (STAR, 0) and (tip, tip), in the quarter where both are positive.
    tip = STAR / 2 - dent
    centre = (STAR**2 - 2 * tip**2) / (4 * np.where(dent > 0, dent, 1))
    inside = 2 * (centre - tip) ** 2 - (up - centre) ** 2
    pushed = centre - np.sqrt(np.maximum(inside, 0))
    half = np.where((dent > 0) & (straight > 0), pushed, straight)[:, :, None]
    drawn: NDArray[np.bool_] = (np.abs(right) / UNIT)[:, None, :] < half
    return drawn


def ship(
    down: NDArray[np.int64], right: NDArray[np.int64], level: NDArray[np.int64], degrees: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Draw ships: triangles, some with two jets below, turned about the middle of the grid.

    Args:
        down: Rows of each window (N, H), from the grid's row 128.
        right: Columns of each window (N, W), from the grid's column 128.
        level: Numbers of `JETS` (N,), or `NO_JET`.
        degrees: How far each is turned to the left (N,), in [-45, 45].

    Returns:
        bool (N, H, W): each pixel is that of the upright ship closest to where it was before the turn.
    """
    from scipy.special import cosdg, sindg

    table = _upright()
    drawn = np.empty((len(level), down.shape[1], right.shape[1]), dtype=bool)
    # One by one: what is computed for a window fits the processor's cache, for several of them it does not.
    for at, (cos, sin) in enumerate(zip(cosdg(degrees).tolist(), sindg(degrees).tolist(), strict=True)):
        y, x = down[at] + 128.0, right[at] + 128.0
        rows = _closest(y * cos, x * sin, _fixed(cos, sin))
        rows *= table.shape[1]
        rows += _closest(y * -sin, x * cos, _fixed(-sin, cos))
        np.less_equal(table.take(rows), level[at], out=drawn[at])
    return drawn


def _closest(down: NDArray[np.float64], right: NDArray[np.float64], fixed: float) -> NDArray[np.int32]:
    """Add what rows (H,) and columns (W,) contribute to a coordinate, and round halves up: int32 (H, W).

    At exactly 45 degrees a whole diagonal lies halfway between pixels, so the order of the additions shows; this is SciPy's.
    """
    places = (fixed + down)[:, None] + right
    places += 0.5
    # No window reaches out of the grid, turned or not, so nothing is negative and int() rounds down.
    return places.astype(np.int32)


def _fixed(down: float, right: float) -> float:
    """What keeps the middle of the grid, 127.5, in its place: computed without a rounding error but that of the sum."""
    return 127.5 - math.fsum((128 * down, -down / 2, 128 * right, -right / 2))


@cache
def _upright() -> NDArray[np.int16]:
    """Least level at which each pixel of the upright ship is on: `NO_JET` on its body, ``LEVELS`` outside; int16 (256, 256)."""
    pixels = np.arange(256)
    # Turned upside down, the grid's row 128 becomes row 127.
    up = ((127 + _SUNK - pixels) / UNIT)[:, None]
    across = np.abs(pixels - 128) / UNIT
    body = (up > 0) & (up < math.sqrt(3) / 2 * SHIP - math.sqrt(3) * across)
    jets = np.abs(across - SHIP / 4) < SHIP / 6
    # The first level whose jets reach a row; below the longest there is none.
    reach = up > -0.11 - JETS
    first = np.where(reach.any(axis=1), reach.argmax(axis=1), _NEVER)[:, None]
    table = np.where(jets & (up <= -0.10), first, _NEVER)
    return np.where(body, NO_JET, table).astype(np.int16)
