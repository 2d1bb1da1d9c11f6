"""How alike the mistakes of models are (Schott et al. 2022, arXiv 2107.08221, section 5.3 and figure 17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from .arrays import table

TRUTH = "truth"
"""Name of the row of true values."""


def prediction_similarity(
    predictions: Mapping[str, Sequence[ArrayLike]], truth: ArrayLike
) -> dict[tuple[str, str], float]:
    """Mean Pearson correlation of what each two models predict for the same values, none of which training showed.

    A model is not compared with itself at the same seed. Models that agree with each other and not with the truth make the same
    mistake. In the paper, pooled over factors, models correlate by 0.57 or more, and with the truth by -0.48 or less.

    Args:
        predictions: For each model one list of predictions (N,) for each of its seeds.
        truth: True values (N,), N at least 3.

    Returns:
        Correlations from -1 to 1 by two names, each pair once, in the order given, ``truth`` last; NaN where one side does not
        vary, and for a model of one seed with itself.

    Raises:
        MetricError: Lengths differ, or a model is called ``truth``.

    Example:
        >>> found = prediction_similarity({"a": [[0.1, 0.2, 0.4]], "b": [[0.2, 0.4, 0.8]]}, [0.9, 0.8, 0.6])
        >>> {pair: round(rho, 3) for pair, rho in found.items() if pair[0] != pair[1]}
        {('a', 'b'): 1.0, ('a', 'truth'): -1.0, ('b', 'truth'): -1.0}
    """
    if TRUTH in predictions:
        raise MetricError(f"A model cannot be called {TRUTH!r}; that is the row of true values.")
    true = _column("truth", truth)
    rows = {name: [_column(name, each) for each in seeds] for name, seeds in predictions.items()} | {TRUTH: [true]}
    for name, seeds in rows.items():
        for each in seeds:
            if len(each) != len(true):
                raise MetricError(f"{name} has {len(each)} predictions for {len(true)} true values; give one for each.")
    found = {}
    for left, right in combinations_with_replacement(rows, 2):
        if left == right == TRUTH:
            continue
        pairs = [(a, b) for i, a in enumerate(rows[left]) for j, b in enumerate(rows[right]) if left != right or i < j]
        found[left, right] = float(np.mean([_pearson(a, b) for a, b in pairs])) if pairs else float("nan")
    return found


def _column(name: str, values: ArrayLike) -> NDArray[np.float64]:
    column = table(name, values)
    if column.shape[1] != 1:
        raise MetricError(f"{name} needs shape (n,); got {column.shape}.")
    if len(column) < 3:
        raise MetricError(f"{name} has {len(column)} values; a correlation needs 3 or more.")
    return column[:, 0]


def _pearson(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        return float("nan")
    return float(np.clip(np.corrcoef(left, right)[0, 1], -1, 1))
