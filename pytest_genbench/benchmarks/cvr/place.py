"""Where things go: on a line, in the plane, in squares, inside each other.

Each function tries so often, and then raises CannotPlace, which draws the problem again. With ``strict=False`` it does as the
published generator does instead: it leaves no margins, and after so many tries takes a layout that overlaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

PIXEL = 1 / 128

GAP = 2 * PIXEL
"""Room between boxes, and between them and the frame; lines of one pixel then never touch."""

CANDIDATES = 100
"""Layouts that are drawn and looked at together."""

ROUNDS = 11
"""How often that is done."""

Array = NDArray[np.float64]


class CannotPlace(Exception):  # noqa: N818 - no error: it asks for another draw
    """No layout was found; the problem is drawn again."""


def pack(
    rng: np.random.Generator, widths: ArrayLike, low: float = 0.0, high: float = 1.0, *, strict: bool = True
) -> Array:
    """Place intervals on a line, in order and disjoint.

    Args:
        rng: Random stream.
        widths: Width of each (n,).
        low: Where the line begins.
        high: Where it ends.
        strict: Keep a margin, and refuse widths that do not fit.

    Returns:
        Their centres (n,).

    Raises:
        CannotPlace: They do not fit.
    """
    widths = np.asarray(widths, dtype=np.float64)
    room = widths + GAP if strict else widths
    spare = (high - low) - room.sum()
    if strict and spare < 0:
        raise CannotPlace
    gaps = rng.random(len(room))
    gaps *= spare / gaps.sum()
    gaps[0] *= rng.random()
    centres: Array = low + np.cumsum(gaps + room) - room / 2
    return centres


def free(
    rng: np.random.Generator,
    boxes: ArrayLike,
    *,
    within: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0),
    strict: bool = True,
) -> Array:
    """Place boxes in the plane, disjoint.

    Args:
        rng: Random stream.
        boxes: Side (n,) or width and height (n, 2) of each.
        within: Left, top, right and bottom of the frame.
        strict: Keep a margin, and try harder where there is little room.

    Returns:
        Their centres (n, 2).

    Raises:
        CannotPlace: There is no room.
    """
    sides = _sides(boxes) + (GAP if strict else 0.0)
    low, high = np.array(within[:2]) + sides / 2, np.array(within[2:]) - sides / 2
    if strict and (low > high).any():
        raise CannotPlace
    if len(sides) == 1:
        return rng.uniform(np.minimum(low, high), np.maximum(low, high))
    reach = (sides[:, None] + sides) / 2
    upper = np.triu_indices(len(sides), 1)
    reach = reach[upper]
    for _ in range(2 if strict else ROUNDS):
        centres = low + (high - low) * rng.random((CANDIDATES, *sides.shape))
        apart = (np.abs(centres[:, upper[0]] - centres[:, upper[1]]) >= reach).any(-1).all(-1)
        if apart.any():
            chosen: Array = centres[apart.argmax()]
            return chosen
    return _one_by_one(rng, sides, low, high) if strict else centres[0]


def _one_by_one(rng: np.random.Generator, sides: Array, low: Array, high: Array) -> Array:
    """Place the largest first, each where those before it leave room."""
    order = np.argsort(-sides.max(1), kind="stable")
    for _ in range(ROUNDS):
        centres = np.empty_like(sides)
        for k, item in enumerate(order):
            before = order[:k]
            draws = rng.uniform(low[item], high[item], (CANDIDATES, 2))
            reach = (sides[item] + sides[before]) / 2
            good = (np.abs(draws[:, None] - centres[before]) >= reach).any(-1).all(-1)
            if not good.any():
                break
            centres[item] = draws[good.argmax()]
        else:
            return centres
    raise CannotPlace


def config(rng: np.random.Generator, n: int, side: float, size: float, *, strict: bool = True) -> Array:
    """Place n objects of one size in a square, disjoint; a configuration that can be moved as a whole.

    Args:
        rng: Random stream.
        n: How many.
        side: Of the square.
        size: Of the objects.
        strict: Centre it on its box, so that it stays in its square wherever that goes; else on its mean.

    Returns:
        Offsets (n, 2) from the middle of the square.

    Raises:
        CannotPlace: There is no room.
    """
    if size > side:
        raise CannotPlace
    room = size + (GAP if strict else 0.0)
    points = free(rng, np.full(n, room), within=(0, 0, max(side, room), max(side, room)), strict=False)
    if not disjoint(points, np.full(n, room)):
        raise CannotPlace
    middle = (points.min(0) + points.max(0)) / 2 if strict else points.mean(0)
    centred: Array = points - middle
    return centred


def disjoint(centres: Array, boxes: ArrayLike) -> bool:
    """Whether no two boxes overlap: centres (n, 2), and side (n,) or width and height (n, 2) of each."""
    sides = _sides(boxes)
    reach = (sides[:, None] + sides) / 2
    apart: NDArray[np.bool_] = np.asarray((np.abs(centres[:, None] - centres) >= reach - 1e-12).any(-1))
    return bool(apart[np.triu_indices(len(centres), 1)].all())


def split(rng: np.random.Generator, groups: int, total: int, least: int = 1) -> list[int]:
    """Share a total among groups at random, each at least so much.

    Raises:
        CannotPlace: The total is too small.
    """
    if total < groups * least:
        raise CannotPlace
    shares = rng.random(groups)
    counts = np.maximum(np.ceil(shares / shares.sum() * total), least).astype(int)
    while counts.sum() > total:
        counts[rng.choice(np.flatnonzero(counts > least))] -= 1
    return [int(count) for count in counts]


def inside(
    rng: np.random.Generator, outer: Array, sizes: ArrayLike, *, size: float = 1.0, strict: bool = True, many: int = 0
) -> Array:
    """Find places for boxes inside a contour, disjoint: all that were found, so that the caller can choose.

    Args:
        rng: Random stream.
        outer: The contour (V, 2), in units of its box, around the origin.
        sizes: Of the boxes (n,), in the same units.
        size: Of the outer object in the image, from which the margins follow.
        strict: Keep the whole box inside, with a margin; else only its middle, and the contour's corners out of it.
        many: Candidates to try; 0 for 100, or 500 of several boxes.

    Returns:
        Places (C, n, 2) in units of the outer object; at least one.

    Raises:
        CannotPlace: None was found.
    """
    sides = np.asarray(sizes, dtype=np.float64)
    margin = 1.5 * PIXEL / size if strict else 0.0
    line = dense(outer, 0.5 * PIXEL / size) if strict else outer
    number = many or (CANDIDATES if len(sides) == 1 else 5 * CANDIDATES)
    room = np.maximum(0.5 - sides / 2, 0)
    places = rng.uniform(-1, 1, (number, len(sides), 2)) * room[:, None]
    good: NDArray[Any] = np.ones(number, dtype=bool)
    for a in range(len(sides)):
        for b in range(a):
            reach = (sides[a] + sides[b]) / 2 + margin
            good &= (np.abs(places[:, a] - places[:, b]) >= reach).any(-1)
    for k, side in enumerate(sides):
        todo = np.flatnonzero(good)
        if not len(todo):
            break
        good[todo] = _is_clear(line, places[todo, k], side / 2 + margin)
        todo = np.flatnonzero(good)
        good[todo] = contains(outer, places[todo, k])
    if not good.any():
        raise CannotPlace
    found: Array = places[good]
    return found


def _is_clear(line: Array, places: Array, reach: float) -> NDArray[np.bool_]:
    """Whether no point of a line (V, 2) is in a box around each place (N, 2)."""
    near = (np.abs(line[:, 0] - places[:, :1]) < reach) & (np.abs(line[:, 1] - places[:, 1:]) < reach)
    return np.asarray(~near.any(1))


def contains(contour: Array, points: Array) -> NDArray[np.bool_]:
    """Whether each point (N, 2) is inside a closed contour (V, 2), by the even-odd rule."""
    after = np.concatenate([contour[1:], contour[:1]])
    (x0, y0), (x1, y1) = contour.T, after.T
    x, y = points[:, :1], points[:, 1:]
    straddles = (y0 > y) != (y1 > y)
    rise = np.where(y1 == y0, 1.0, y1 - y0)
    crossing = x0 + (y - y0) / rise * (x1 - x0)
    return np.asarray((straddles & (x < crossing)).sum(1) % 2 == 1)


def dense(contour: Array, step: float) -> Array:
    """Add points to a closed contour (V, 2), so that two neighbours are no further apart than a step."""
    after = np.concatenate([contour[1:], contour[:1]])
    parts = np.maximum(np.ceil(np.hypot(*(after - contour).T) / step), 1).astype(np.int64)
    if parts.max() == 1:
        return contour
    which = np.repeat(np.arange(len(contour)), parts)
    first = np.cumsum(parts) - parts
    share = ((np.arange(len(which)) - first[which]) / parts[which])[:, None]
    line: Array = contour[which] * (1 - share) + after[which] * share
    return line


def _sides(boxes: ArrayLike) -> Array:
    sides = np.asarray(boxes, dtype=np.float64)
    return np.stack([sides, sides], axis=1) if sides.ndim == 1 else sides
