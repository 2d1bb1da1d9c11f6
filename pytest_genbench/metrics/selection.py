"""Which models to look at, and whether two of their scores go together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from .arrays import table


class Correlation(NamedTuple):
    """Pearson's correlation, from -1 to 1, and its two-sided p value, from 0 to 1."""

    rho: float
    p: float


def pareto_front(points: ArrayLike) -> NDArray[np.bool_]:
    """Find the points that no other beats in both columns (Bianchi et al. 2024, Fig. 2A).

    A point that ties with another in a column is not beaten there, and stays.

    Args:
        points: Two scores of each model (M, 2), both to be maximised: negate a loss.

    Returns:
        bool (M,). At least one is true.

    Raises:
        MetricError: It is no table of two columns of finite numbers.

    Example:
        >>> pareto_front([(1, 3), (2, 2), (1, 1), (3, 1)]).tolist()
        [True, True, False, True]
    """
    scores = table("points", points)
    if scores.shape[1] != 2:
        raise MetricError(f"points need two columns, one for each score; got {scores.shape[1]}.")
    # beats[i, j]: does i beat j?
    beats = (scores[:, None, 0] > scores[:, 0]) & (scores[:, None, 1] > scores[:, 1])
    front: NDArray[np.bool_] = np.logical_not(beats.any(axis=0))
    return front


def correlation(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Pearson's correlation, with p from t = rho * sqrt((n - 2) / (1 - rho²)) and n - 2 degrees of freedom.

    Bianchi et al. (2024, section 4.4) relate MIR to reconstruction accuracy this way, a pair for each model and split.

    Args:
        x: One value for each model and split (n,), n at least 3.
        y: As x.

    Returns:
        rho and p.

    Raises:
        MetricError: Lengths differ, there are fewer than 3 values, or all of one side are equal.

    Example:
        >>> rho, p = correlation([1, 2, 3, 4], [1, 3, 2, 4])
        >>> round(rho, 3), round(p, 3)
        (0.8, 0.2)
    """
    left, right = (_standard(name, values) for name, values in (("x", x), ("y", y)))
    if len(left) != len(right):
        raise MetricError(f"x has {len(left)} values, y {len(right)}; give both for the same models.")
    rho = float(np.clip(left @ right, -1.0, 1.0))
    # Sums of rounded numbers: what differs from 1 by less than they are exact is 1.
    if 1 - abs(rho) < 1e-15:
        rho = float(np.sign(rho))
    return Correlation(rho, p_value(rho, len(left)))


def p_value(rho: float, n: int) -> float:
    """Two-sided p value of a correlation `rho`, from -1 to 1, of `n` pairs of values, at least 3.

    Raises:
        MetricError: They are out of these ranges.
    """
    from scipy.special import stdtr

    if n < 3 or not -1 <= rho <= 1:
        raise MetricError(f"A correlation lies between -1 and 1 and needs 3 or more pairs; got {rho!r} of {n}.")
    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * np.sqrt((n - 2) / (1 - rho**2))
    return float(2 * stdtr(n - 2, -t))


def _standard(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Centre values (n,) and give them length 1."""
    column = table(name, values)
    if column.shape[1] != 1:
        raise MetricError(f"{name} needs shape (n,); got {column.shape}.")
    if len(column) < 3:
        raise MetricError(f"{name} has {len(column)} values; a correlation needs 3 or more.")
    flat = column[:, 0]
    if flat.min() == flat.max():
        raise MetricError(f"All {len(flat)} values of {name} are {flat[0]:g}; a constant correlates with nothing.")
    flat = flat / np.abs(flat).max()
    flat = flat - flat.mean()
    # Once more: sums of squares of small differences might vanish.
    flat = flat / np.abs(flat).max()
    standard: NDArray[np.float64] = flat / np.linalg.norm(flat)
    return standard
