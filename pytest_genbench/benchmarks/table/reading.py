"""What was to be read of a row and what a model read, in a few words; and how far off it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...worst import to_name
from .factors import Variable
from .rows import Rows


def missed_numbers(rows: Rows, index: NDArray[np.int64], values: NDArray[np.generic]) -> NDArray[np.float64]:
    """How far off each value is that is nearer to another level than to its own; of bands, by more than half the width of one.

    Args:
        rows: The table.
        index: Rows (N,).
        values: Predictions (N, K), on the scale of the targets.

    Returns:
        float64 (N, K), in units of the factor's range; 0 where nothing is wrong.
    """
    found = np.zeros(values.shape)
    for k, variable in enumerate(rows.variables):
        value, target = values[:, k].astype(np.float64), variable.targets[index]
        if variable.is_banded:
            # Beyond the ends of the range nothing is nearer than the end.
            is_wrong = np.abs(np.clip(value, 0, 1) - target) > 0.5 / len(variable.factor) + 1e-9
        else:
            place, level = _places(variable), variable.levels[index]
            middle = np.concatenate([[-np.inf], (place[1:] + place[:-1]) / 2, [np.inf]])
            is_wrong = (value < middle[level] - 1e-9) | (value > middle[level + 1] + 1e-9)
        found[:, k] = np.where(is_wrong, np.abs(value - target), 0.0)
    return found


def missed_levels(rows: Rows, index: NDArray[np.int64], levels: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far off each named level is.

    Args:
        rows: The table.
        index: Rows (N,).
        levels: Levels read (N, number of factors with names for their levels).

    Returns:
        float64 of the same shape: 0 where it is right, 1 for a wrong level of a factor without order, else the distance of the
        levels over the largest there is; around the circle for a cyclic factor.
    """
    found = np.zeros(levels.shape)
    for place, k in enumerate(rows.named):
        factor = rows.variables[k].factor
        apart, n = np.abs(levels[:, place] - rows.levels[index, k]), len(factor)
        if factor.kind == "categorical":
            found[:, place] = apart > 0
        elif factor.kind == "cyclic":
            found[:, place] = np.minimum(apart, n - apart) / max(n // 2, 1)
        else:
            found[:, place] = apart / max(n - 1, 1)
    return found


def of_numbers(rows: Rows, index: NDArray[np.int64], values: NDArray[np.generic]) -> list[tuple[str, str]]:
    """Say of rows (N,) which factors were wrong, the worst first, given predictions (N, K).

    Example:
        ``("size L, angle 31.5", "size S, angle 12.3")``
    """
    off = missed_numbers(rows, index, values)
    return [
        _said(rows, range(len(rows.variables)), int(row), each, wrong)
        for row, each, wrong in zip(index, values, off, strict=True)
    ]


def of_levels(rows: Rows, index: NDArray[np.int64], levels: NDArray[np.int64]) -> list[tuple[str, str]]:
    """Say the same, given the levels read (N, number of factors with names for their levels)."""
    off = missed_levels(rows, index, levels)
    # As the numbers that stand for them.
    values = levels / np.maximum([len(rows.variables[k].factor) - 1 for k in rows.named], 1)
    return [_said(rows, rows.named, int(row), each, wrong) for row, each, wrong in zip(index, values, off, strict=True)]


def _said(
    rows: Rows, factors: Sequence[int], row: int, values: NDArray[np.generic], off: NDArray[np.float64]
) -> tuple[str, str]:
    pairs = []
    for place in to_name(off, range(len(factors))):
        variable, value = rows.variables[factors[place]], float(values[place])
        name = variable.factor.name
        pairs.append([f"{name} {text}" for text in _words(variable, row, value)])
    return ", ".join(right for right, _ in pairs), ", ".join(read for _, read in pairs)


def _words(variable: Variable, row: int, value: float) -> tuple[str, str]:
    """Write what a row has of a factor, and the level nearest to a value; of a continuous factor the values themselves."""
    if variable.is_named:
        read = int(np.abs(_places(variable) - value).argmin())
        return str(variable.factor.values[variable.levels[row]]), str(variable.factor.values[read])
    low, high = variable.limits
    right, read_value = (low + each * (high - low) for each in (float(variable.targets[row]), value))
    for digits in range(4, 18):
        texts = f"{right:.{digits}g}", f"{read_value:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def _places(variable: Variable) -> NDArray[np.float64]:
    """Where each level lies in [0, 1], ascending."""
    n = len(variable.factor)
    if variable.is_named:
        return np.arange(n) / max(n - 1, 1)
    places = np.zeros(n)
    places[variable.levels] = variable.targets
    return places
