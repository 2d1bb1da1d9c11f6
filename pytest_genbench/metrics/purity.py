"""Are the components that were found in a representation those of the hierarchy (Ross & Doshi-Velez 2021, section 6)?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from .result import Result


def purity(components: ArrayLike, paths: ArrayLike) -> Result:
    """Share of the samples in components whose path is the most frequent one of their component.

    Cutting a component in two never lowers it: see it together with :func:`coverage`, and with the error of the hierarchy.

    Args:
        components: Number of each sample's component, int (N,); -1 where it belongs to none, and is left out.
        paths: Number of each sample's true path through the hierarchy, int (N,), as of
            :meth:`pytest_genbench.hierarchy.Hierarchy.path`.

    Returns:
        Above 0, at most 1; at least the share of the most frequent path. ``parts`` are the purities of the components.

    Raises:
        MetricError: The arrays cannot be used, or no sample belongs to a component, so that there is nothing to be pure.

    Example:
        >>> float(purity([0, 0, 0, 1, -1], [5, 5, 6, 6, 6]))
        0.75
    """
    found, true = _numbers("components", components), _numbers("paths", paths)
    if len(found) != len(true):
        raise MetricError(f"components have {len(found)} samples, paths {len(true)}; give both for the same samples.")
    inside = found >= 0
    if not inside.any():
        raise MetricError("No sample belongs to a component, so that purity is not defined; coverage is 0.")
    numbers, rows = np.unique(found[inside], return_inverse=True)
    _, columns = np.unique(true[inside], return_inverse=True)
    counts = np.zeros((rows.max() + 1, columns.max() + 1), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    majority = counts.max(axis=1)
    return Result(
        name="purity",
        value=float(majority.sum() / counts.sum()),
        parts={str(number): float(part) for number, part in zip(numbers, majority / counts.sum(axis=1), strict=True)},
    )


def coverage(components: ArrayLike) -> Result:
    """Share of the samples that belong to a component.

    Args:
        components: Number of each sample's component, int (N,); -1 where it belongs to none.

    Returns:
        From 0 to 1.

    Raises:
        MetricError: The array cannot be used.

    Example:
        >>> float(coverage([0, 0, 0, 1, -1]))
        0.8
    """
    return Result(name="coverage", value=float((_numbers("components", components) >= 0).mean()))


def _numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim != 1 or not len(array):
        raise MetricError(
            f"{name} need a whole number for each sample, shape (samples,); got dtype {array.dtype}, shape {array.shape}."
        )
    if name == "components" and array.dtype.kind == "i" and array.min() < -1:
        raise MetricError(f"components are numbered from 0, with -1 for none; got {array.min()}.")
    return array.astype(np.int64)
