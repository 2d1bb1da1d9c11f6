"""Mutual information between factors and codes: cut into bins, count, and take the plug-in estimate.

Everything is in nats; the base cancels in every metric that is built on it. Cells are counted in whole numbers, so that
independence is seen exactly: a unit that tells nothing has 0 nats, not 1e-17.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import MetricError
from .arrays import Kinds, kinds_of
from .columns import bracketed, unit_range

Binning = Literal["equal-width", "quantile", "levels"]
"""How a column is cut: bins of equal width between its least and greatest value, bins that hold about equally many samples, or
each distinct value for itself."""

Correction = Literal["miller-madow"]

BINS = 20
"""Bins of Locatello et al. (2019), Ross & Doshi-Velez (2021) and Whittington et al. (2023)."""

_EDGE = 1e-9


def labels(values: NDArray[np.float64], bins: int = BINS, binning: Binning = "equal-width") -> NDArray[np.int64]:
    """Cut each column into bins.

    A value on an edge belongs to the bin above it. Values within 1e-9 of a bin's width below an edge count as on it: else a unit
    of few levels would fall differently after a change of scale, by rounding alone.

    Args:
        values: Finite numbers (N, columns).
        bins: Bins for each column, at least 2; not used for ``levels``.
        binning: See :data:`Binning`. With ``quantile`` equal values stay together, so that there may be fewer bins.

    Returns:
        int64 (N, columns), the number of the bin of each value from 0; empty bins have no number. A constant column is all 0.

    Raises:
        MetricError: `bins` is no whole number from 2, or `binning` is unknown.
    """
    if binning not in get_args(Binning):
        raise MetricError(f"binning has to be one of {', '.join(get_args(Binning))}; got {binning!r}.")
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 2:
        raise MetricError(
            f"bins has to be a whole number from 2; got {bins!r}. One bin for each value: binning='levels'."
        )
    if binning == "levels":
        binned = values
    elif binning == "quantile":
        binned = np.column_stack([_quantile(column, bins) for column in values.T])
    else:
        binned = np.minimum(np.floor(unit_range(values) * bins + _EDGE), bins - 1)
    cut = np.empty(values.shape, dtype=np.int64)
    for at, column in enumerate(binned.T):
        cut[:, at] = np.unique(column, return_inverse=True)[1]
    return cut


def _quantile(column: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Bin each value by the share of samples below it, which only the order of the values decides."""
    below = np.searchsorted(np.sort(column), column, side="left") * bins // len(column)
    return below.astype(np.float64)


def factor_labels(
    factors: NDArray[np.float64], kinds: Kinds, bins: int = BINS, binning: Binning = "equal-width"
) -> NDArray[np.int64]:
    """Take categorical factors level by level and cut continuous ones as :func:`labels` does.

    Args:
        factors: True values (N, K).
        kinds: What the factors are.
        bins: As in :func:`labels`.
        binning: As in :func:`labels`.

    Returns:
        int64 (N, K).

    Raises:
        MetricError: `kinds` do not fit the factors, or as :func:`labels`.
    """
    kinds = kinds_of("factors", kinds, factors)
    cut = labels(factors, bins, binning)
    categorical = [at for at, kind in enumerate(kinds) if kind == "categorical"]
    cut[:, categorical] = labels(factors[:, categorical], binning="levels")
    return cut


def entropies(cut: NDArray[np.int64], correction: Correction | None = None) -> NDArray[np.float64]:
    """Plug-in entropy of each column in nats.

    Args:
        cut: Labels (N, columns).
        correction: ``miller-madow`` adds (levels - 1) / 2N (Miller 1955).

    Returns:
        float64 (columns,), at least 0; exactly 0 for a column of one level.
    """
    found = np.empty(cut.shape[1])
    for at, column in enumerate(cut.T):
        counts = np.bincount(column)
        share = counts[counts > 0] / len(column)
        extra = (len(share) - 1) / (2 * len(column)) if correction else 0.0
        # Adding 0 turns the -0.0 of a single level into 0.0.
        found[at] = -(share * np.log(share)).sum() + 0.0 + extra
    return found


def mutual_information(
    left: NDArray[np.int64], right: NDArray[np.int64], correction: Correction | None = None
) -> NDArray[np.float64]:
    """Plug-in mutual information of each pair of columns in nats.

    Independent columns do not give 0 but about (L - 1)(R - 1) / 2N, where L and R are their numbers of levels.

    Args:
        left: Labels (N, K).
        right: Labels (N, D).
        correction: ``miller-madow`` takes that excess away, as far as the occupied cells tell, and stops at 0.

    Returns:
        float64 (K, D), from 0 to the smaller of the two entropies.

    Raises:
        MetricError: `correction` is unknown.
    """
    if correction not in (None, *get_args(Correction)):
        raise MetricError(f"correction has to be None or 'miller-madow'; got {correction!r}.")
    most = np.minimum(entropies(left, correction)[:, None], entropies(right, correction))
    found = np.empty((left.shape[1], right.shape[1]))
    for k, first in enumerate(left.T):
        for d, second in enumerate(right.T):
            found[k, d] = _information(first, second, correction)
    result: NDArray[np.float64] = np.clip(found, 0.0, most)
    return result


def _information(first: NDArray[np.int64], second: NDArray[np.int64], correction: Correction | None) -> float:
    """One pair: the divergence of the joint counts from the product of their margins."""
    n, width = len(first), int(second.max()) + 1
    # Sorted, not counted into a dense table: with a level for each sample that would have N * N cells.
    cells, joint = np.unique(first * width + second, return_counts=True)
    rows, columns = np.bincount(first), np.bincount(second)
    expected = rows[cells // width] * columns[cells % width]
    # In whole numbers: independent columns fill every cell, each with exactly n times less than the product of its margins.
    if (joint * n == expected).all():
        return 0.0
    plain = float((joint * np.log(joint * n / expected)).sum() / n)
    if correction is None:
        return plain
    occupied = np.count_nonzero(rows) + np.count_nonzero(columns) - len(cells) - 1
    return plain + occupied / (2 * n)


def settings_in_name(bins: int, binning: Binning, *more: str) -> str:
    """Say in a metric's name what differs from the defaults: ``[bins=10,quantile]``, or nothing.

    Args:
        bins: As in :func:`labels`.
        binning: As in :func:`labels`.
        more: Further words; empty ones are left out.
    """
    said = [f"bins={bins}" if bins != BINS and binning != "levels" else "", binning if binning != "equal-width" else ""]
    return bracketed(*said, *more)
