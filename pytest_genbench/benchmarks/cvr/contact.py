"""Things that touch: contours pushed together until their lines cross a little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .place import PIXEL, Array, CannotPlace, dense

OVERLAP = 1 / 32
"""By how much of the distance of their centres two things are pushed further, so that their lines cross."""

LEAST, MOST = 0.5 * PIXEL, 2 * PIXEL
"""What that is at least, so that it can be seen, and at most."""

STEP = PIXEL / 2
"""Lines are compared in lanes of this width."""


def clump(
    rng: np.random.Generator,
    contours: Sequence[Array],
    directions: Sequence[float] | None = None,
    *,
    strict: bool = True,
) -> tuple[Array, Array]:
    """Push things together, one after the other, each to the clump of those before it.

    Args:
        rng: Random stream.
        contours: Of each thing (V, 2), around its centre, in its size.
        directions: From the middle of the clump to each thing but the first, in degrees; None for random ones.
        strict: Let each thing come straight from its direction until it meets the clump, so that it lies neither in nor across
            what was there. Else do as the published generator does, and bring the nearest two points that face each other
            together, wherever the other points of the thing come to lie.

    Returns:
        Centres (n, 2), and width and height (2,) of the clump, whose box is centred at the origin.

    Raises:
        CannotPlace: No points face each other.
    """
    lines = [_spaced(np.asarray(contour)) if strict else np.asarray(contour) for contour in contours]
    centres = np.zeros((len(lines), 2))
    clumped = lines[0]
    for k in range(1, len(lines)):
        angle = np.deg2rad(rng.uniform(0, 360) if directions is None else directions[k - 1])
        centres[k] = _met(clumped, lines[k], angle) if strict else _nearest(clumped, lines[k], angle)
        clumped = np.concatenate([clumped, lines[k] + centres[k]])
    low, high = _box(clumped)
    return centres - (low + high) / 2, high - low


def _met(clump: Array, shape: Array, angle: float) -> Array:
    """Find the centre at which a shape meets a clump, coming straight from a direction; both lines are dense.

    What is nearest in each lane along the direction decides; each line has points in all lanes that it passes.
    """
    cos, sin = np.cos(angle), np.sin(angle)
    low, high = _box(clump)
    middle = (low + high) / 2
    along = np.array([[cos, -sin], [sin, cos]])
    front, back = ((clump - middle) @ along).T, (shape @ along).T
    lanes, own = np.floor(front[1] / STEP).astype(np.int64), np.floor(back[1] / STEP).astype(np.int64)
    first, last = own.min(), own.max()
    lanes, own = np.clip(lanes, first - 1, last + 1) - first + 1, own - first + 1
    farthest, nearest = np.full(last - first + 3, -np.inf), np.full(last - first + 3, np.inf)
    np.maximum.at(farthest, lanes, front[0])
    np.minimum.at(nearest, own, back[0])
    reach = (farthest - nearest).max()
    if not np.isfinite(reach):
        raise CannotPlace
    met: Array = middle + (reach - min(max(OVERLAP * reach, LEAST), MOST)) * along[:, 0]
    return met


def _nearest(clump: Array, shape: Array, angle: float) -> Array:
    """Bring the nearest points of a clump and of a shape that comes from a direction together."""
    towards = np.array([np.cos(angle), np.sin(angle)])
    low, high = _box(clump)
    middle = (low + high) / 2
    apart = ((high - low) + np.ptp(shape, axis=0)) * towards
    front = clump[(clump - middle) @ towards > 0]
    back = shape[shape @ towards < 0]
    if not len(front) or not len(back):
        raise CannotPlace
    far = _squares(front, back + middle + apart)
    nearest_front, nearest_back = np.unravel_index(far.argmin(), far.shape)
    shift: Array = (front[nearest_front] - back[nearest_back] - middle) * (1 - OVERLAP)
    return shift + middle


def distance(a: Array, b: Array) -> float:
    """Least distance of two closed contours (V, 2), whose points are dense; infinite where their boxes are far apart."""
    (low_a, high_a), (low_b, high_b) = _box(a), _box(b)
    left, top = np.maximum(low_a, low_b) - 2 * PIXEL
    right, bottom = np.minimum(high_a, high_b) + 2 * PIXEL
    if left > right or top > bottom:
        return np.inf
    near = []
    for line in (_spaced(a), _spaced(b)):
        x, y = line.T
        near.append(line[(x >= left) & (x <= right) & (y >= top) & (y <= bottom)])
    a, b = near
    if not len(a) or not len(b):
        return np.inf
    return float(np.sqrt(max(_squares(a, b).min(), 0.0)))


def _spaced(line: Array) -> Array:
    """Add or drop points of a closed contour, so that two neighbours are no further apart than a step, and not much nearer."""
    longest = max(np.abs(line[1:] - line[:-1]).max(), np.abs(line[0] - line[-1]).max()) * 2**0.5
    return line[:: int(STEP / longest)] if longest <= STEP else dense(line, STEP)


def _squares(a: Array, b: Array) -> Array:
    """Squared distances of all pairs of points (A, 2) and (B, 2): (A, B), as one product of matrices."""
    first, second = np.ones((len(a), 4)), np.ones((len(b), 4))
    first[:, :2], first[:, 2] = -2 * a, (a * a).sum(1)
    second[:, :2], second[:, 3] = b, (b * b).sum(1)
    return first @ second.T


def _box(line: Array) -> tuple[Array, Array]:
    """Least and greatest coordinates of a line; column by column, which is several times faster than along an axis."""
    x, y = line.T
    return np.array([x.min(), y.min()]), np.array([x.max(), y.max()])
