"""What several metrics do with columns: scale them, leave constant ones out, say in their names how they were treated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MetricError


def unit_range(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map each column to [0, 1], its least value to 0 and its greatest to 1; a constant column is all 0.

    Args:
        values: Finite numbers (N, columns).

    Returns:
        float64 (N, columns).
    """
    # A quarter of every value first: the distance between two float64 may be greater than any float64.
    quarter = values / 4
    low = quarter.min(axis=0)
    span = quarter.max(axis=0) - low
    scaled: NDArray[np.float64] = (quarter - low) / np.where(span > 0, span, 1.0)
    return scaled


def varying(factors: NDArray[Any], least: int = 1) -> NDArray[np.int64]:
    """Positions of the factors that vary, of which a metric needs some.

    Args:
        factors: Values or labels (N, K).
        least: How many have to.

    Returns:
        int64 (kept,).

    Raises:
        MetricError: Fewer do.
    """
    kept = np.flatnonzero(factors.min(axis=0) < factors.max(axis=0))
    if len(kept) < least:
        raise MetricError(
            f"{len(kept)} of {factors.shape[1]} factors take more than one value in these samples; this metric needs {least} "
            "or more. Give it samples in which they vary."
        )
    return kept


def bracketed(*words: str) -> str:
    """Join the words that are not empty as ``[a,b]``; without any, return nothing."""
    said = ",".join(filter(None, words))
    return f"[{said}]" if said else ""
