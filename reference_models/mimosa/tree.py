"""Turn components into a hierarchy: which lies within which (Ross & Doshi-Velez 2021, appendix A, ConstructHierarchy)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from pytest_genbench.hierarchy import Categorical, Continuous, Group, Hierarchy

Components = Sequence[NDArray[np.int64]]


@dataclass(frozen=True)
class Tree:
    """Which component lies around which.

    Attributes:
        dimensions: Dimension of each component.
        parents: For each component the one of lower dimension that it is wrapped around, or -1.
    """

    dimensions: tuple[int, ...]
    parents: tuple[int, ...]

    def children(self, parent: int) -> list[int]:
        """Components wrapped around this one, rising; of -1 those that are wrapped around none."""
        return [at for at, found in enumerate(self.parents) if found == parent]


def enclosures(codes: NDArray[np.float64], components: Components, dimensions: Sequence[int]) -> NDArray[np.float64]:
    """Measure how close components of lower dimension keep to those of higher dimension.

    Args:
        codes: float64 (N, D).
        components: For each of m components its points.
        dimensions: Dimension of each component.

    Returns:
        float64 (m, m): for (inner, outer) the mean distance of the inner one's points to the nearest point of the outer one, in
        mean distances between nearest points of the outer one; infinite unless the outer one has more dimensions. NaN, which is
        close to nothing, where both distances are 0.
    """
    ratios = np.full((len(components), len(components)), np.inf)
    for outer, members in enumerate(components):
        lower = [at for at, d in enumerate(dimensions) if d < dimensions[outer]]
        if not lower or len(members) < 2:  # a single point is not wrapped around anything
            continue
        tree = cKDTree(codes[members])
        spacing = tree.query(codes[members], k=2)[0][:, 1].mean()
        for inner in lower:
            distance = tree.query(codes[components[inner]])[0].mean()
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios[inner, outer] = distance / spacing
    return ratios


def build_tree(ratios: NDArray[np.float64], dimensions: Sequence[int], neighbor_lengthscale_mult: float) -> Tree:
    """Choose for each component the one it is wrapped around.

    Args:
        ratios: What :func:`enclosures` returns.
        dimensions: Dimension of each component.
        neighbor_lengthscale_mult: Ratio up to which the one lies within the other.

    Returns:
        The tree. Of several candidates those drop out that others are wrapped around already; then the closest is chosen, of
        equally close ones the first.
    """
    parents = [-1] * len(dimensions)
    for outer in sorted(range(len(dimensions)), key=lambda at: dimensions[at]):
        enclosed = np.flatnonzero(ratios[:, outer] <= neighbor_lengthscale_mult).tolist()
        covered = {ancestor for at in enclosed for ancestor in _ancestors(at, parents)}
        candidates = [at for at in enclosed if at not in covered]
        parents[outer] = min(candidates, key=lambda at: float(ratios[at, outer]), default=-1)
    return Tree(tuple(dimensions), tuple(parents))


def _ancestors(at: int, parents: Sequence[int]) -> Iterator[int]:
    while parents[at] >= 0:
        at = parents[at]
        yield at


def hierarchy_of(tree: Tree) -> Hierarchy:
    """Write a tree of components as a hierarchy of factors.

    A component adds as many continuous variables as it has dimensions more than its parent, and, if others are wrapped around it,
    a categorical one: the first option, which adds nothing, is to stay in the component itself, the others are its children.
    Several components without a parent are the options of a categorical variable at the root.
    """

    def group(at: int, below: int) -> Group:
        own = (Continuous(),) * (tree.dimensions[at] - below)
        options = tuple(group(child, tree.dimensions[at]) for child in tree.children(at))
        return (*own, Categorical(((), *options))) if options else own

    roots = tree.children(-1)
    return Hierarchy(group(roots[0], 0) if len(roots) == 1 else (Categorical(tuple(group(at, 0) for at in roots)),))


def assignments_of(tree: Tree, labels: NDArray[np.int64]) -> list[NDArray[np.int8]]:
    """Say which option of each categorical variable each point takes.

    Args:
        tree: The components' tree.
        labels: Component of each point (N,), -1 for none.

    Returns:
        For each categorical variable of :func:`hierarchy_of`, in the order of its columns, int8 (N, options): one-hot rows; 0 in
        rows of points that do not reach the variable, -1 in rows of points in no component.
    """
    roots = tree.children(-1)
    choices = [[tree_below(tree, root) for root in roots]] if len(roots) > 1 else []
    parents = [at for root in roots for at in tree_below(tree, root) if tree.children(at)]
    choices += [[[at], *(tree_below(tree, child) for child in tree.children(at))] for at in parents]
    return [_one_hot(options, labels) for options in choices]


def tree_below(tree: Tree, at: int) -> list[int]:
    """Return a component and all below it, depth first."""
    return [at, *(below for child in tree.children(at) for below in tree_below(tree, child))]


def _one_hot(options: Sequence[Sequence[int]], labels: NDArray[np.int64]) -> NDArray[np.int8]:
    columns = [np.isin(labels, option) for option in options]
    rows = np.stack(columns, axis=1).astype(np.int8)
    rows[labels < 0] = -1
    return rows
