"""Whether a point lies outside the convex hull of others, for many points at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls

FLAT = 2e-14
"""Thickness, relative to the largest coordinate, below which Qhull too takes points for flat: less may be rounding."""

OUTSIDE = 1e-9
"""Distance from the hull, as an angle, from which on a point is outside; rounding stays far below."""


def outside_hull(around: NDArray[np.float64], magnitude: float = 0.0) -> NDArray[np.bool_]:
    """Say whether the origin is outside the convex hull of points.

    The answers are those of ``scipy.spatial.Delaunay(points).find_simplex(0) < 0``, with False where Qhull gives up because the
    points are flat. No triangulation is made: in the plane it is enough to look for a gap of more than half a turn between the
    directions of the points, and beyond it for weights that combine the points to the origin.

    Args:
        around: Points (N, m, d), relative to the point that is asked about; d is at least 2, m at least d + 1.
        magnitude: The largest of the coordinates that `around` are differences of; these are no more exact than it allows.

    Returns:
        bool (N,): False on the border of the hull, within rounding.
    """
    lengths = np.linalg.norm(around, axis=2)
    result = np.zeros(len(around), dtype=bool)
    # A neighbour in the same place is a corner of the hull, so that the point is on it.
    asked = np.flatnonzero((lengths > 0).all(axis=1) & ~_flat(around, magnitude))
    directions = around[asked] / lengths[asked, :, None]
    result[asked] = _half_turn(directions) if around.shape[2] == 2 else _no_combination(directions)
    return result


def _flat(around: NDArray[np.float64], magnitude: float) -> NDArray[np.bool_]:
    centred = around - around.mean(axis=1, keepdims=True)
    spread = np.linalg.svd(centred, compute_uv=False)
    result: NDArray[np.bool_] = spread[:, -1] <= FLAT * np.maximum(spread[:, 0], magnitude)
    return result


def _half_turn(directions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether unit vectors (N, m, 2) leave a gap of more than half a turn."""
    angles = np.sort(np.arctan2(directions[..., 1], directions[..., 0]), axis=1)
    gaps = np.diff(angles, axis=1, append=angles[:, :1] + 2 * np.pi)
    result: NDArray[np.bool_] = gaps.max(axis=1) > np.pi + OUTSIDE
    return result


def _no_combination(directions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether no weights >= 0 with sum 1 combine unit vectors (N, m, d) to 0."""
    result: NDArray[np.bool_] = (directions @ directions.mean(axis=1)[..., None] > OUTSIDE).all(axis=(1, 2))
    rows = np.concatenate([directions.transpose(0, 2, 1), np.ones((len(directions), 1, directions.shape[1]))], axis=1)
    aim = np.append(np.zeros(directions.shape[2]), 1.0)
    for at in np.flatnonzero(~result):  # those whose mean direction is not proof enough
        result[at] = _distance(rows[at], aim) > OUTSIDE
    return result


def _distance(rows: NDArray[np.float64], aim: NDArray[np.float64]) -> float:
    """How near weights >= 0 come to the aim."""
    try:
        return float(nnls(rows, aim)[1])
    except RuntimeError:  # it did not converge; a linear programme always ends
        return 0.0 if linprog(np.zeros(rows.shape[1]), A_eq=rows, b_eq=aim, method="highs").success else 1.0
