"""MIMOSA as an estimator in scikit-learn's manner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from pytest_genbench.errors import LearnerError
from pytest_genbench.hierarchy import Hierarchy
from pytest_genbench.metrics.arrays import table

from .components import build_components
from .local_svd import local_frames, nearest_neighbours
from .merge import merge_components
from .settings import check_number, check_whole, common_edge_fraction, least_size
from .tree import Tree, assignments_of, build_tree, enclosures, hierarchy_of


class MIMOSA(BaseEstimator):  # type: ignore[misc]
    """Find the components of a cloud of codes, their dimensions, and the hierarchy they form.

    The algorithm of Ross & Doshi-Velez (2021, arXiv:2102.05185, appendix A). It uses no random numbers: the same codes give
    the same result. Turning, mirroring, moving or scaling the codes as a whole changes nothing; scaling one axis against
    others does, and codes whose axes have about the same spread work best.

    Defaults are the paper's. What it varies between data sets is in :data:`PAPER`: ``MIMOSA(**PAPER["spaceshapes"])``.

    Args:
        num_nearest_neighbors: Points in a neighbourhood, the point itself included. Fewer, about 20, for a few thousand samples.
        ransac_frac: Share of a neighbourhood to which its axes are fitted a second time: the points the first fit describes best.
            Keeps the axes straight where surfaces meet; 1 leaves the second fit out. Paper: 0.6667.
        eig_cumsum_thresh: Share of the variance that the axes of a neighbourhood have to cover. Paper: 0.95.
        eig_decay_thresh: How many times the variance along the last axis that counts has to exceed that along the next one.
            Paper: 4.
        cos_simil_thresh: Product of the cosines of the angles between two surfaces from which on they are alike. Paper: 0.99 for
            Chopsticks, 0.95 for Spaceshapes. Lower for strongly curved surfaces or few samples.
        contagion_num: Members of a component that a point has to be a neighbour of to become one. Paper: 5 for Chopsticks, 3 for
            Spaceshapes. 1 lets components run into each other.
        min_size_init: Least size of a component to be kept before components are joined: a number of points, or a share of the
            samples below 1. Paper: 20 of 100,000 samples, which is the default's share.
        min_size_merged: The same after they are joined. Paper: 2,000 of 100,000.
        min_common_edge_frac: Overlap of two components' edges from which on they are joined: a number, or a function of their
            dimension. Paper: 2^-(d + 1) + 2^-(d + 2).
        neighbor_lengthscale_mult: A component is wrapped around one of lower dimension whose points are on average no further from
            it than so many times the distance between its own nearest points. Paper: 10.
        component_neighbors: Nearest points within a component that say whether a point is on its edge, the point itself included.
            Paper: 40, whatever num_nearest_neighbors is.

    Attributes:
        components_: int64 (N,): number of each sample's component, from 0 in the order of their first samples; -1 for samples
            in none that was large enough.
        dimensions_: int64 (components,): dimension of each.
        parents_: int64 (components,): the component of lower dimension that each is wrapped around, or -1.
        hierarchy_: The :class:`~pytest_genbench.hierarchy.Hierarchy` they form; flat if there is one component.
        assignments_: For each categorical variable of the hierarchy, in the order of its columns, int8 (N, options): one-hot rows;
            0 in rows of samples that do not reach the variable, -1 in rows of samples in no component.
        coverage_: Share of the samples that are in a component.
        n_features_in_: Columns of the codes.

    Example:
        >>> import numpy as np
        >>> draw = np.random.default_rng(0)
        >>> plane = draw.uniform(-1, 1, (1500, 3)) * [1, 1, 0]
        >>> line = np.array([3, 0, 0]) + draw.uniform(-1, 1, (500, 1)) * [0, 0, 1]
        >>> model = MIMOSA(num_nearest_neighbors=20).fit(np.concatenate([plane, line]))
        >>> model.hierarchy_.notation, model.dimensions_.tolist()
        ('{c c | c}', [2, 1])
    """

    components_: NDArray[np.int64]
    dimensions_: NDArray[np.int64]
    parents_: NDArray[np.int64]
    hierarchy_: Hierarchy
    assignments_: list[NDArray[np.int8]]
    coverage_: float
    n_features_in_: int

    def __init__(
        self,
        *,
        num_nearest_neighbors: int = 40,
        ransac_frac: float = 0.6667,
        eig_cumsum_thresh: float = 0.95,
        eig_decay_thresh: float = 4.0,
        cos_simil_thresh: float = 0.99,
        contagion_num: int = 5,
        min_size_init: float = 0.0002,
        min_size_merged: float = 0.02,
        min_common_edge_frac: float | Callable[[int], float] = common_edge_fraction,
        neighbor_lengthscale_mult: float = 10.0,
        component_neighbors: int = 40,
    ) -> None:
        self.num_nearest_neighbors = num_nearest_neighbors
        self.ransac_frac = ransac_frac
        self.eig_cumsum_thresh = eig_cumsum_thresh
        self.eig_decay_thresh = eig_decay_thresh
        self.cos_simil_thresh = cos_simil_thresh
        self.contagion_num = contagion_num
        self.min_size_init = min_size_init
        self.min_size_merged = min_size_merged
        self.min_common_edge_frac = min_common_edge_frac
        self.neighbor_lengthscale_mult = neighbor_lengthscale_mult
        self.component_neighbors = component_neighbors

    def fit(self, codes: ArrayLike, y: object = None) -> Self:
        """Find components and hierarchy.

        Args:
            codes: Numbers (N, D): the codes of N samples, best those of an auto-encoder with smooth activations.
            y: Ignored; there because scikit-learn passes it.

        Returns:
            The estimator itself.

        Raises:
            MetricError: The codes are no table of finite numbers.
            LearnerError: A parameter has a value it cannot have, there are fewer samples than neighbours, all are the same, or no
                component is large enough.
        """
        checked = self._check(table("codes", codes))
        points, sizes = checked.codes, checked.least_sizes
        neighbours = nearest_neighbours(points, self.num_nearest_neighbors)
        frames = local_frames(
            points,
            neighbours,
            ransac_frac=self.ransac_frac,
            eig_cumsum_thresh=self.eig_cumsum_thresh,
            eig_decay_thresh=self.eig_decay_thresh,
        )
        alike = frames.neighbours_alike(neighbours, self.cos_simil_thresh)
        found = build_components(neighbours, alike, self.contagion_num)
        found = _large_enough(found, "min_size_init", sizes[0], len(points))
        found = merge_components(
            points,
            found,
            frames,
            cos_simil_thresh=self.cos_simil_thresh,
            common_edge_frac=checked.common_edge_frac,
            component_neighbors=self.component_neighbors,
        )
        found = _large_enough(found, "min_size_merged", sizes[1], len(points))
        dimensions = [int(frames.dimensions[members[0]]) for members in found]
        ratios = enclosures(points, found, dimensions)
        self._keep(found, build_tree(ratios, dimensions, self.neighbor_lengthscale_mult), len(points))
        self.n_features_in_ = points.shape[1]
        return self

    def _keep(self, found: list[NDArray[np.int64]], tree: Tree, samples: int) -> None:
        """Set the fitted attributes."""
        labels = np.full(samples, -1, dtype=np.int64)
        for number, members in enumerate(found):
            labels[members] = number
        self.components_ = labels
        self.dimensions_ = np.array(tree.dimensions, dtype=np.int64)
        self.parents_ = np.array(tree.parents, dtype=np.int64)
        self.hierarchy_ = hierarchy_of(tree)
        self.assignments_ = assignments_of(tree, labels)
        self.coverage_ = float((labels >= 0).mean())

    def _check(self, codes: NDArray[np.float64]) -> _Checked:
        """Check parameters and codes against each other."""
        neighbours = check_whole("num_nearest_neighbors", self.num_nearest_neighbors, 2)
        check_whole("component_neighbors", self.component_neighbors, 2)
        check_whole("contagion_num", self.contagion_num, 1)
        for name in ("ransac_frac", "eig_cumsum_thresh", "cos_simil_thresh"):
            check_number(name, getattr(self, name), 0, 1)
        for name in ("eig_decay_thresh", "neighbor_lengthscale_mult"):
            check_number(name, getattr(self, name), 0, np.inf)
        sizes = [least_size(name, getattr(self, name), len(codes)) for name in ("min_size_init", "min_size_merged")]
        fraction = self.min_common_edge_frac
        if not callable(fraction):
            check_number("min_common_edge_frac", fraction, 0, 1)
        if len(codes) < neighbours:
            raise LearnerError(
                f"{len(codes)} samples are fewer than num_nearest_neighbors={neighbours}; give more samples, or lower it."
            )
        fitted = int(self.ransac_frac * (neighbours - 1)) + 1
        if fitted <= codes.shape[1]:
            raise LearnerError(
                f"num_nearest_neighbors={neighbours} with ransac_frac={self.ransac_frac} fits axes to {fitted} points, which "
                f"cannot fill the {codes.shape[1]} dimensions of the codes; raise one of them."
            )
        return _Checked(_scaled(codes), (sizes[0], sizes[1]), fraction if callable(fraction) else lambda _: fraction)


@dataclass(frozen=True)
class _Checked:
    """Codes of about size 1, least sizes as numbers of points, and the overlap needed as a function of the dimension."""

    codes: NDArray[np.float64]
    least_sizes: tuple[int, int]
    common_edge_frac: Callable[[int], float]


def _scaled(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by a power of two, which is exact, so that squares neither overflow nor vanish."""
    extent = float(np.ptp(codes / 2, axis=0).max())
    if extent == 0:
        raise LearnerError(
            f"All {len(codes)} codes are the same, so there is no structure to find: has the encoder collapsed?"
        )
    return np.ldexp(codes, -int(np.frexp(extent)[1]))


def _large_enough(components: list[NDArray[np.int64]], name: str, least: int, samples: int) -> list[NDArray[np.int64]]:
    """Drop small components.

    Raises:
        LearnerError: All are small.
    """
    kept = [members for members in components if len(members) >= least]
    if kept:
        return kept
    sizes = sorted(Counter(map(len, components)).items(), reverse=True)
    listed = ", ".join(f"{count} of {size}" if count > 1 else str(size) for size, count in sizes[:5])
    raise LearnerError(
        f"None of the {len(components)} components found in {samples} samples has {least} points, the least that {name} asks "
        f"for. The largest: {listed}{' …' if len(sizes) > 5 else ''} points. Lower {name}, or cos_simil_thresh or "
        "contagion_num, so that components grow larger."
    )
