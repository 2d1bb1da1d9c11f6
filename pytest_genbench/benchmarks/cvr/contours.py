"""Random closed contours by midpoint displacement, many at once (Zerroug et al. 2022, section 3 and its generator).

A contour begins with four anchors, one in each quadrant; each side is split at its displaced midpoint until it is shorter than the
gap. It stays in a disc and, where it is to hold others, leaves a hole in the middle. Then it is turned by a random angle, and
stretched so that its box is the unit square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RADIUS = 0.5
"""Of the disc that all points lie in."""

DISPLACEMENT = 5
"""A midpoint moves by at most the length of its side over this."""

ROUNDS = 100
"""Most times that contours are begun again. With a hole of .25 one of a hundred attempts succeeds."""

FEW_FAIL = 0.1
"""With holes below this radius most attempts succeed."""

MOST_BEGUN = 128
"""Attempts for one contour in one round."""

Single = NDArray[Any]
"""Numbers of single precision."""

_QUADRANTS = np.array([[1, -1, -1, 1], [1, 1, -1, -1]], dtype=np.float32)


class Style(NamedTuple):
    """How a contour looks.

    Attributes:
        gap: Longest side along either axis, in units of the disc's diameter.
        hole: Radius that no point comes into.
    """

    gap: float = 0.007
    hole: float = 0.05


PLAIN = Style()


@dataclass(eq=False)
class Shape:
    """A contour that several objects may have; two shapes are the same only if they are one object.

    Attributes:
        number: Tells the shapes of a problem apart.
        style: How it was made.
        points: float64 (V, 2), x and y down; its box is the unit square around the origin.
    """

    number: int
    style: Style
    points: NDArray[np.float64]


def contours(rng: np.random.Generator, styles: list[Style]) -> list[NDArray[np.float64]]:
    """Make a contour of each style.

    Args:
        rng: Random stream.
        styles: N of them.

    Returns:
        N arrays float64 (V, 2); the first point is not repeated at the end.

    Raises:
        RuntimeError: A style is next to impossible.
    """
    gaps, holes = np.array(styles, dtype=np.float32).T
    made: dict[int, NDArray[np.float64]] = {}
    # How many are begun for each that is wanted: most attempts leave a small hole free, few a large one.
    times = np.where(holes < FEW_FAIL, 1, 8)
    for _ in range(ROUNDS):
        todo = np.array([item for item in range(len(styles)) if item not in made], dtype=np.int64)
        if not len(todo):
            return [made[item] for item in range(len(styles))]
        begun = np.repeat(todo, times[todo])
        points, owner = _attempt(rng, gaps[begun], holes[begun])
        edges = np.searchsorted(owner, np.arange(len(begun) + 1))
        for k in np.flatnonzero(edges[:-1] < edges[1:]).tolist():
            if begun[k] not in made:
                made[int(begun[k])] = _boxed(points[:, edges[k] : edges[k + 1]], 2 * np.pi * rng.random())
        times = np.minimum(2 * times, MOST_BEGUN)
    raise RuntimeError(f"No contour of one of the styles {sorted(set(styles))} in {ROUNDS} rounds.")


def _attempt(rng: np.random.Generator, gaps: Single, holes: Single) -> tuple[Single, NDArray[np.int64]]:
    """Begin a contour for each gap and hole; returns the points (2, M) of those that succeed, and whose they are (M,).

    Single precision: the coordinates end in pixels, and sines of single numbers are twenty times as fast. Coordinates are rows, and
    are taken and set row by row, which is several times as fast as indexing columns.
    """
    sides = _anchors(rng, holes)
    owner = np.repeat(np.arange(len(gaps)), 4)
    bad = np.zeros(len(gaps), dtype=bool)
    while True:
        along = sides[2:] - sides[:2]
        size = np.abs(along)
        long = np.maximum(size[0], size[1]) > gaps[owner]
        split = np.flatnonzero(long)
        if not len(split):
            return sides[:2], owner
        whose = owner[split]
        middle, far = _displaced(rng, np.take(sides, split, 1), np.take(along, split, 1))
        twice = np.repeat(np.arange(len(owner)), 1 + long)
        first = split + np.arange(len(split))
        sides, owner = np.take(sides, twice, 1), owner[twice]
        for row in (0, 1):
            sides[row + 2][first] = middle[row]
            sides[row][first + 1] = middle[row]
        # Whoever comes into the hole begins again; there is no use in going on with it.
        inside = far < holes[whose] ** 2
        if inside.any():
            bad[whose[inside]] = True
            keep = np.flatnonzero(~bad[owner])
            sides, owner = np.take(sides, keep, 1), owner[keep]


def _anchors(rng: np.random.Generator, holes: Single) -> Single:
    """Draw four anchors for each of N holes, one in each quadrant, uniform between hole and disc: the sides (4, 4N) between them.

    A side is where it begins, x and y, and where it ends.
    """
    least = np.repeat(holes, 4) ** 2
    points = RADIUS * rng.random((2, len(least)), dtype=np.float32)
    while True:
        far = _squared(points)
        out = np.flatnonzero((far > RADIUS**2) | (far < least))
        if not len(out):
            break
        points[:, out] = RADIUS * rng.random((2, len(out)), dtype=np.float32)
    points = points.reshape(2, -1, 4) * _QUADRANTS[:, None]
    return np.concatenate([points, np.roll(points, -1, axis=2)]).reshape(4, -1)


def _displaced(rng: np.random.Generator, sides: Single, along: Single) -> tuple[Single, Single]:
    """Move the middles of sides (4, M) by a uniform draw from a disc, so that they stay in the large disc.

    Returns:
        The points (2, M), and their squared distances from the origin (M,).
    """
    middle = ((sides[:2] + sides[2:]) / 2).astype(np.float32, copy=False)
    reach = np.sqrt(_squared(along)) / np.float32(DISPLACEMENT)
    moved: Single = middle + _in_disc(rng, reach)
    far = _squared(moved)
    while len(out := np.flatnonzero(far > RADIUS**2)):
        moved[:, out] = middle[:, out] + _in_disc(rng, reach[out])
        far[out] = _squared(moved[:, out])
    return moved, far


def _in_disc(rng: np.random.Generator, reach: Single) -> Single:
    """Draw a point (2, M) from the disc of each radius."""
    draws = rng.random((2, len(reach)), dtype=np.float32)
    radius, angle = reach * np.sqrt(draws[0]), np.float32(2 * np.pi) * draws[1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)])


def _squared(points: Single) -> Single:
    x, y = points
    squared: Single = x * x + y * y
    return squared


def _boxed(points: Single, angle: float) -> NDArray[np.float64]:
    """Turn a contour (2, V), and stretch it so that its box is the unit square around the origin: (V, 2)."""
    cos, sin = np.cos(angle), np.sin(angle)
    plane = np.array([[cos, -sin], [sin, cos]]) @ points
    low, high = plane.min(1, keepdims=True), plane.max(1, keepdims=True)
    return np.ascontiguousarray(((plane - (low + high) / 2) / (high - low)).T)
