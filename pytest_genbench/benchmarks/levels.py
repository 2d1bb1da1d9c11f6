"""Check the levels that images are drawn from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchmarkError


def checked(levels: ArrayLike, counts: Mapping[str, int]) -> NDArray[np.int64]:
    """Check that each row is a point of a grid.

    Args:
        levels: Integers (N, factors).
        counts: Number of levels by factor, in grid order.

    Returns:
        The levels as int64 (N, factors).

    Raises:
        BenchmarkError: The array has another shape, holds anything but integers, or a level lies outside its factor.
    """
    table = np.asarray(levels)
    if table.ndim != 2 or table.shape[1] != len(counts):
        raise BenchmarkError(
            f"Levels have to be a table (N, {len(counts)}) with columns {', '.join(counts)}; "
            f"got an array of shape {table.shape}."
        )
    if table.dtype.kind not in "iu":
        raise BenchmarkError(f"Levels have to be integers; got an array of {table.dtype}.")
    outside = (table < 0) | (table >= np.array(list(counts.values())))
    if outside.any():
        at, column = np.argwhere(outside)[0]
        name = list(counts)[column]
        raise BenchmarkError(
            f"Level {table[at, column]} of factor {name!r} in row {at} is outside the grid, "
            f"which has levels 0 to {counts[name] - 1} of it."
        )
    return table.astype(np.int64, copy=False)
