"""How many dimensions the cloud has around each point, and which (Ross & Doshi-Velez 2021, appendix A, LocalSVD).

All points go through the same few array operations in blocks: one eigendecomposition of a small covariance for each point
instead of a fitted PCA object for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

BLOCK = 4096
"""Points, or rows of pairs, that are worked on at once: large enough for NumPy, small enough for the processor's cache."""


@dataclass(frozen=True)
class LocalFrames:
    """The principal axes of the neighbourhood of each point.

    Attributes:
        dimensions: int64 (N,), from 1 to D.
        axes: float64 (N, D, D): rows are orthonormal, by decreasing variance; the first ``dimensions[i]`` span the cloud around
            point i.
    """

    dimensions: NDArray[np.int64]
    axes: NDArray[np.float64]

    def similarity(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Compare the neighbourhoods of points in pairs.

        Args:
            left: Numbers of points (M,).
            right: Numbers of points (M,).

        Returns:
            float64 (M,) from 0 to 1: 0 for other dimensions, 1 if both fill the space, else the product of the cosines of the
            principal angles between the two subspaces.
        """
        result = np.zeros(len(left))
        dims = self.dimensions[left]
        same = dims == self.dimensions[right]
        full = self.axes.shape[-1]
        for d in np.unique(dims[same]).tolist():
            pairs = np.flatnonzero(same & (dims == d))
            if d == full:
                result[pairs] = 1.0
                continue
            # Complements of two subspaces stand at the same angles as these do, so the smaller of the two is compared.
            axes = self.axes[:, :d] if 2 * d <= full else self.axes[:, d:]
            for start in range(0, len(pairs), 16 * BLOCK):
                block = pairs[start : start + 16 * BLOCK]
                result[block] = np.abs(_determinant(axes[left[block]], axes[right[block]]))
        return result

    def neighbours_alike(self, neighbours: NDArray[np.int64], threshold: float) -> NDArray[np.bool_]:
        """Say which neighbours of each point have a neighbourhood like its own.

        Args:
            neighbours: Numbers of points (N, k).
            threshold: The similarity from which on two are alike.

        Returns:
            bool (N, k).
        """
        count, k = neighbours.shape
        alike = np.empty((count, k), dtype=bool)
        for start in range(0, count, BLOCK):
            rows = np.arange(start, min(start + BLOCK, count))
            cosines = self.similarity(np.repeat(rows, k), neighbours[rows].ravel())
            alike[rows] = (cosines >= threshold).reshape(-1, k)
        return alike


def nearest_neighbours(codes: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the numbers (N, count) of the points nearest to each point of codes (N, D); it is one of its own neighbours."""
    _, found = cKDTree(codes).query(codes, k=np.arange(1, count + 1))
    return np.asarray(found, dtype=np.int64)


def local_frames(
    codes: NDArray[np.float64],
    neighbours: NDArray[np.int64],
    *,
    ransac_frac: float,
    eig_cumsum_thresh: float,
    eig_decay_thresh: float,
) -> LocalFrames:
    """Fit principal axes around each point, and choose how many of them count.

    Args:
        codes: float64 (N, D).
        neighbours: Numbers of points (N, k).
        ransac_frac: Share of the neighbours to fit once more: those that the first fit describes best. 1 fits only once.
        eig_cumsum_thresh: Share of the variance that the axes have to cover.
        eig_decay_thresh: How many times the variance of the last axis has to exceed that of the next one.

    Returns:
        The frames. Where no number of axes below D meets both conditions, as around points that all lie in the same place, the
        dimension is D.
    """
    count, full = codes.shape
    dimensions, axes = np.empty(count, dtype=np.int64), np.empty((count, full, full))
    for start in range(0, count, BLOCK):
        rows = slice(start, start + BLOCK)
        # Relative to the point itself: copies of one point are then exactly 0, wherever they lie.
        around = codes[neighbours[rows]] - codes[rows, None]
        variances, axes[rows] = _principal_axes(around, np.ones(around.shape[:2], dtype=bool))
        if ransac_frac < 1:
            errors = _reconstruction_errors(around, axes[rows])
            worst = np.percentile(errors, 100 * ransac_frac, axis=1, keepdims=True)
            variances, axes[rows] = _principal_axes(around, errors <= worst)
        dimensions[rows] = _choose_dimension(variances, eig_cumsum_thresh, eig_decay_thresh)
    return LocalFrames(dimensions, axes)


def _principal_axes(
    around: NDArray[np.float64], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Decompose points (B, k, D), of which some are `kept` (B, k): variances (B, D), falling, and axes (B, D, D) as rows."""
    weights = kept[..., None] / kept.sum(axis=1)[:, None, None]
    centred = (around - (around * weights).sum(axis=1, keepdims=True)) * kept[..., None]
    variances, columns = np.linalg.eigh(centred.transpose(0, 2, 1) @ centred)
    return np.maximum(variances[:, ::-1], 0.0), columns.transpose(0, 2, 1)[:, ::-1]


def _reconstruction_errors(around: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """How badly the first 0, 1, … D - 1 axes describe each point: the norm of these D distances, (B, k).

    The part of a point along axis j (from 0) is missing from the first j + 1 of these descriptions, which is its weight here.
    """
    scores = (around - around.mean(axis=1, keepdims=True)) @ axes.transpose(0, 2, 1)
    errors: NDArray[np.float64] = np.sqrt(scores**2 @ np.arange(1.0, axes.shape[-1] + 1))
    return errors


def _choose_dimension(variances: NDArray[np.float64], covered: float, decay: float) -> NDArray[np.int64]:
    """Choose the least number of axes (B,) that cover enough of the variance and stand out from the next one; else D."""
    full = variances.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = variances / variances.sum(axis=1, keepdims=True)
        # Where all points coincide, 0 / 0 is NaN, which meets no condition.
        enough = np.cumsum(ratios, axis=1)[:, :-1] >= covered
        enough &= ratios[:, 1:] / ratios[:, :-1] <= 1 / decay
    first = np.argmax(np.concatenate([enough, np.ones((len(enough), 1), dtype=bool)], axis=1), axis=1)
    dimensions: NDArray[np.int64] = np.minimum(first + 1, full).astype(np.int64)
    return dimensions


def _determinant(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Determinant (M,) of the cosines between axes (M, d, D) and (M, d, D)."""
    d = left.shape[1]
    result: NDArray[np.float64]
    cosines = np.einsum("mai,mbi->mab", left, right)
    if d == 1:  # written out up to 3: a call of LAPACK for each pair costs more than all the rest
        result = cosines[:, 0, 0]
    elif d == 2:
        result = cosines[:, 0, 0] * cosines[:, 1, 1] - cosines[:, 0, 1] * cosines[:, 1, 0]
    elif d == 3:
        result = np.einsum("mi,mi->m", cosines[:, 0], np.cross(cosines[:, 1], cosines[:, 2]))
    else:
        result = np.linalg.det(cosines)
    return result
