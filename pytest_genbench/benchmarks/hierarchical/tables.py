"""What tables of latents have to be before something is drawn from them."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, HierarchyError
from ...hierarchy import Hierarchy

_ROWS = 4096
"""Rows that are checked together: so many of the columns of a wide table stay in the processor's cache."""


def checked(hierarchy: Hierarchy, latents: ArrayLike) -> NDArray[np.float64]:
    """Check that a table is one of a hierarchy.

    Args:
        hierarchy: Says which columns there are, and when each is active.
        latents: (N, columns), categorical columns first, 1-based and 0 where inactive; continuous columns 0 where inactive.

    Returns:
        The table as float64 (N, columns); the same array where it is one already.

    Raises:
        BenchmarkError: It has another shape, a value that is not finite, a categorical value that is no option, or a continuous
            value other than 0 where the variable is inactive.
    """
    try:
        table = np.asarray(latents, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BenchmarkError(f"Latents have to be a table of numbers: {error}") from None
    if table.ndim != 2 or table.shape[1] != len(hierarchy.columns):
        raise BenchmarkError(
            f"Latents have to be a table (N, {len(hierarchy.columns)}) with columns {', '.join(hierarchy.names)}; "
            f"got an array of shape {table.shape}."
        )
    try:
        for start in range(0, len(table), _ROWS):
            _check(hierarchy, np.asfortranarray(table[start : start + _ROWS]), start)
    except HierarchyError:
        _explain(hierarchy, table)
    return table


def _check(hierarchy: Hierarchy, rows: NDArray[np.float64], start: int) -> None:
    """Check some rows whose columns are contiguous; `start` is the number of the first, for messages."""
    if not np.isfinite(rows).all():
        at, column = np.argwhere(~np.isfinite(rows))[0]
        raise BenchmarkError(f"Column {hierarchy.names[column]!r} of row {start + at} is {rows[at, column]}.")
    wrong = (rows != 0) & ~hierarchy.active(rows)
    if wrong.any():
        at, column = np.argwhere(wrong)[0]
        raise BenchmarkError(
            f"Column {hierarchy.names[column]!r} has to be 0 in row {start + at}, where it is inactive; "
            f"got {rows[at, column]}."
        )


def _explain(hierarchy: Hierarchy, table: NDArray[np.float64]) -> None:
    """Raise the error of the whole table, in which rows have their own numbers and all are counted."""
    try:
        hierarchy.active(table)
    except HierarchyError as error:
        raise BenchmarkError(f"The latents do not fit: {error}") from None


def count(n: int) -> int:
    """Check a number of rows to draw.

    Raises:
        BenchmarkError: It is no whole number, or below 0.
    """
    try:
        whole = operator.index(n)
    except TypeError:
        whole = -1
    if whole < 0:
        raise BenchmarkError(f"The number of rows has to be a whole number from 0; got {n!r}.")
    return whole
