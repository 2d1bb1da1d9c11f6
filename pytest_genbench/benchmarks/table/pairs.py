"""Choose pairs of levels to hold out, so that each level on its own is still seen."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rows import Rows


class Pairs(NamedTuple):
    """Pairs of levels of two factors.

    Attributes:
        held_out: The chosen pairs, in the order in which they were chosen.
        present: How many pairs the table has.
        is_held_out: Which rows have a chosen pair, bool (N,).
    """

    held_out: list[tuple[int, int]]
    present: int
    is_held_out: NDArray[np.bool_]


def choose(rows: Rows, first: int, second: int, share: float) -> Pairs:
    """Choose pairs of levels of two factors.

    The pairs (i, j) that occur in the table are gone through diagonal by diagonal: those with i = j, then those with j = i + 1
    and so on, where the end is beside the beginning; in a diagonal by rising i. A pair is chosen unless some level of any
    factor, of these two or of another, would then occur in no other row. This ends when the wanted share of the pairs is
    chosen, rounded, and at least one.

    Args:
        rows: The table, which may lack any pairs.
        first: Position of the first factor.
        second: Position of the second.
        share: Wanted share of the pairs that occur, between 0 and 1.

    Returns:
        The chosen pairs; none, where each is needed.
    """
    width = len(rows.variables[second].factor)
    pair = rows.variables[first].levels * width + rows.variables[second].levels
    present, number = np.unique(pair, return_inverse=True)
    size = max(len(rows.variables[first].factor), width)
    i, j = present // width, present % width
    content = _content(rows, number)
    left = [counts.tolist() for counts in rows.counts]
    wanted = max(1, round(share * len(present)))
    chosen: list[int] = []
    for k in np.lexsort((i, (j - i) % size)).tolist():
        if len(chosen) == wanted:
            break
        if all(left[factor][level] > count for factor, level, count in content[k]):
            chosen.append(k)
            for factor, level, count in content[k]:
                left[factor][level] -= count
    is_chosen = np.zeros(len(present), dtype=bool)
    is_chosen[chosen] = True
    return Pairs([(int(i[k]), int(j[k])) for k in chosen], len(present), is_chosen[number])


def _content(rows: Rows, number: NDArray[np.int64]) -> dict[int, list[tuple[int, int, int]]]:
    """Count, for each pair, how often each level of each factor occurs in its rows: (factor, level, rows)."""
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for factor, variable in enumerate(rows.variables):
        size = len(variable.factor)
        both, counts = _count(number * size + variable.levels)
        for joint, count in zip(both.tolist(), counts.tolist(), strict=True):
            found[joint // size].append((factor, joint % size, count))
    return found


def _count(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The values that occur, ascending, and how often."""
    if values.max() > 4 * len(values):
        return np.unique(values, return_counts=True)
    # Many times faster than sorting, where the values are not far apart.
    counts = np.bincount(values)
    occurring = np.flatnonzero(counts)
    return occurring, counts[occurring]
