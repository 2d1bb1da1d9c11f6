"""What every metric asks of its arrays: factors (N, K) and codes (N, D), one row for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from ..hierarchy import Hierarchy, Kind

Kinds = Hierarchy | Sequence[Kind] | Kind
"""What the columns of a table are: a hierarchy that tells, a kind for each column, or one kind for all."""


def table(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Check a table.

    Args:
        name: What it is called in errors: ``factors``, ``codes``.
        values: Numbers or truth values (N, columns); (N,) is one column.

    Returns:
        float64 (N, columns), at least one row and one column, all finite.

    Raises:
        MetricError: It is anything else.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise MetricError(f"{name} need numbers; got an array of dtype {array.dtype}. Encode levels as whole numbers.")
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or 0 in array.shape:
        raise MetricError(f"{name} need shape (samples, columns), neither of them 0; got {array.shape}.")
    result = array.astype(np.float64)
    bad = ~np.isfinite(result)
    if bad.any():
        rows, columns = np.flatnonzero(bad.any(axis=1)), np.flatnonzero(bad.any(axis=0))
        raise MetricError(
            f"{name} are NaN or infinite in {len(rows)} of {len(result)} rows (the first is row {rows[0]}, column "
            f"{columns[0]}); leave those samples out, or find out where the values come from."
        )
    return result


def tables(factors: ArrayLike, codes: ArrayLike, least: int = 2) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Check factors and codes together: see :func:`table`.

    Args:
        factors: True values (N, K).
        codes: What a model makes of the same samples (N, D).
        least: Samples needed.

    Raises:
        MetricError: A table is no table, they differ in length, or there are too few samples.
    """
    left, right = table("factors", factors), table("codes", codes)
    if len(left) != len(right):
        raise MetricError(f"factors have {len(left)} rows, codes {len(right)}; give both for the same samples.")
    if len(left) < least:
        raise MetricError(f"{len(left)} samples are too few; this metric needs {least} or more.")
    return left, right


def kinds_of(name: str, kinds: Kinds, values: NDArray[np.float64]) -> tuple[Kind, ...]:
    """Say what each column is, and check categorical ones.

    Args:
        name: What the table is called in errors.
        kinds: See :data:`Kinds`.
        values: The table (N, columns).

    Raises:
        MetricError: The number of kinds does not fit the columns, a kind is unknown, or a categorical column holds other values
            than whole numbers.
    """
    columns = values.shape[1]
    found: tuple[Any, ...]
    if isinstance(kinds, Hierarchy):
        found = tuple(column.kind for column in kinds.columns)
    else:
        found = (kinds,) * columns if isinstance(kinds, str) else tuple(kinds)
    if len(found) != columns:
        raise MetricError(f"{name} have {columns} columns, but kinds are given for {len(found)}.")
    for at, kind in enumerate(found):
        if kind not in ("categorical", "continuous"):
            raise MetricError(f"Kind {kind!r} of {name} has to be 'categorical' or 'continuous'.")
        if kind == "categorical" and (values[:, at] % 1 != 0).any():
            raise MetricError(
                f"Column {at} of {name} is categorical but holds values that are no whole numbers; number its levels, or "
                "say kinds='continuous'."
            )
    return found


def names_of(kinds: Kinds, columns: int) -> tuple[str, ...]:
    """Names of columns: a hierarchy's own, else `0`, `1`, and so on."""
    return kinds.names if isinstance(kinds, Hierarchy) else tuple(map(str, range(columns)))
