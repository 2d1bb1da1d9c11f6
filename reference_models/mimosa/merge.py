"""Join components that continue each other at their edges (Ross & Doshi-Velez 2021, appendix A, MergeComponents)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .hull import outside_hull
from .local_svd import BLOCK, LocalFrames, nearest_neighbours

Components = Sequence[NDArray[np.int64]]


def edge_points(
    codes: NDArray[np.float64], members: NDArray[np.int64], frames: LocalFrames, component_neighbors: int
) -> NDArray[np.int64]:
    """Find the points on the edge of a component.

    A point is on the edge if, seen along its own axes, it lies outside the convex hull of its nearest points in the component; on
    a line this means that all of them lie to one side.

    Args:
        codes: float64 (N, D).
        members: Numbers of the component's points (n,), all of one dimension.
        frames: Axes of all points.
        component_neighbors: Nearest points to look at, the point itself included.

    Returns:
        Numbers of points, rising.
    """
    if len(members) <= 2:
        return members
    inside, d = codes[members], int(frames.dimensions[members[0]])
    nearest = nearest_neighbours(inside, min(component_neighbors, len(members)))
    # The point itself goes last and is dropped. Among more copies of it than were looked at, another copy goes.
    itself = nearest == np.arange(len(members))[:, None]
    nearest = np.take_along_axis(nearest, np.argsort(itself, axis=1, kind="stable"), axis=1)[:, :-1]
    if d > 1 and nearest.shape[1] <= d:
        return members
    is_edge, magnitude = np.empty(len(members), dtype=bool), float(np.abs(inside).max())
    for start in range(0, len(members), BLOCK):
        rows = slice(start, start + BLOCK)
        around = (inside[nearest[rows]] - inside[rows, None]) @ frames.axes[members[rows], :d].transpose(0, 2, 1)
        if d == 1:
            is_edge[rows] = (around[..., 0] >= 0).all(axis=1) | (around[..., 0] <= 0).all(axis=1)
        else:
            is_edge[rows] = outside_hull(around, magnitude)
    return members[is_edge]


def overlaps(
    codes: NDArray[np.float64], edges: Components, frames: LocalFrames, cos_simil_thresh: float
) -> NDArray[np.float64]:
    """Say how far components continue each other.

    Args:
        codes: float64 (N, D).
        edges: Points on the edge of each of m components, which all have the same dimension.
        frames: Axes of all points.
        cos_simil_thresh: The similarity from which on surfaces are alike.

    Returns:
        float64 (m, m), symmetric: the share of one component's edge points whose nearest edge point of the other lies in a like
        surface, averaged over both directions. 0 for components without edge points.
    """
    result = np.zeros((len(edges), len(edges)))
    filled = [at for at, points in enumerate(edges) if len(points)]
    if not filled:
        return result
    points = np.concatenate([edges[at] for at in filled])
    starts = np.cumsum([0, *(len(edges[at]) for at in filled[:-1])])
    sizes = np.array([len(edges[at]) for at in filled])
    for at in filled:
        nearest = edges[at][cKDTree(codes[edges[at]]).query(codes[points])[1]]
        alike = frames.similarity(points, nearest) >= cos_simil_thresh
        result[filled, at] = np.add.reduceat(alike, starts, dtype=np.int64) / sizes
    return (result + result.T) / 2


def merge_components(
    codes: NDArray[np.float64],
    components: Components,
    frames: LocalFrames,
    *,
    cos_simil_thresh: float,
    common_edge_frac: Callable[[int], float],
    component_neighbors: int,
) -> list[NDArray[np.int64]]:
    """Join all components of the same dimension that are linked by overlaps, directly or by way of others.

    Args:
        codes: float64 (N, D).
        components: For each component its points.
        frames: Axes of all points.
        cos_simil_thresh: The similarity from which on surfaces are alike.
        common_edge_frac: For a dimension the overlap from which on components are joined.
        component_neighbors: Nearest points to look at for edges.

    Returns:
        For each joined component its points, rising; in the order of the first component that went into it.
    """
    dims = np.array([frames.dimensions[members[0]] for members in components])
    is_linked = np.zeros((len(components), len(components)), dtype=bool)
    for d in np.unique(dims).tolist():
        same = np.flatnonzero(dims == d).tolist()
        edges = [edge_points(codes, components[at], frames, component_neighbors) for at in same]
        is_linked[np.ix_(same, same)] = overlaps(codes, edges, frames, cos_simil_thresh) >= common_edge_frac(d)
    count, labels = connected_components(csr_array(is_linked), directed=False)
    order = np.argsort([np.flatnonzero(labels == label)[0] for label in range(count)])
    parts = [np.flatnonzero(labels == label).tolist() for label in order]
    return [np.sort(np.concatenate([components[at] for at in part])) for part in parts]
