"""The rows of a table as arrays, and the cells they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...factors import FactorGrid
from .factors import Variable

ENOUGH_CELLS = 30
"""Cells that a bootstrap should have to draw from."""

MANY_CELLS = 1000
"""More cells than this make results documents large and intervals no better."""


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of a table.

    Attributes:
        variables: The factors, in the order of the grid.
    """

    variables: tuple[Variable, ...]

    def __len__(self) -> int:
        return len(self.variables[0].levels)

    @cached_property
    def grid(self) -> FactorGrid:
        """The factors and their levels; rows may cover any part of it."""
        return FactorGrid(tuple(variable.factor for variable in self.variables))

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """int64 (N, K)."""
        return np.stack([variable.levels for variable in self.variables]).T

    @cached_property
    def targets(self) -> NDArray[np.float64]:
        """float64 (N, K) in [0, 1]."""
        return np.stack([variable.targets for variable in self.variables]).T

    @cached_property
    def variance(self) -> NDArray[np.float64]:
        """Population variance of each target over the whole table, float64 (K,), above 0."""
        return np.asarray(self.targets.var(axis=0))

    @cached_property
    def counts(self) -> tuple[NDArray[np.int64], ...]:
        """For each factor the number of rows with each level, which may be 0."""
        return tuple(np.bincount(each.levels, minlength=len(each.factor)) for each in self.variables)

    @cached_property
    def named(self) -> tuple[int, ...]:
        """Positions of the factors whose levels a classifier can name."""
        return tuple(k for k, variable in enumerate(self.variables) if variable.is_named)

    def cells(self, factors: Sequence[int], is_held_out: NDArray[np.bool_]) -> tuple[list[str], NDArray[np.int64]]:
        """Group rows into cells, whose images are taken to succeed and fail together.

        A cell is a combination of levels of the factors that a split is about. Where these are fewer than 30 among what is
        held out, as when one level is, the table's other factors divide them further, in their order and as long as the
        whole table has no more than 1,000 cells.

        Args:
            factors: Positions of the factors that the split is about; may be empty.
            is_held_out: Which rows are held out, bool (N,).

        Returns:
            The name of each cell, such as ``size=3, shape=star``, and the number of each row's cell, int64 (N,).
        """
        chosen = list(factors)
        number = combine([self.variables[k].levels for k in factors] or [np.zeros(len(self), dtype=np.int64)])
        for k in range(len(self.variables)):
            if k in chosen or len(np.unique(number[is_held_out])) >= ENOUGH_CELLS:
                continue
            finer = combine([number, self.variables[k].levels])
            if finer.max() < MANY_CELLS:
                chosen, number = [*chosen, k], finer
        _, first = np.unique(number, return_index=True)
        names = [", ".join(self.show(k, int(self.levels[row, k]), named=True) for k in chosen) for row in first]
        if len(set(names)) < len(names):
            # Levels whose texts hold commas may read alike; clusters are told apart by their names.
            names = [f"{name} #{place}" for place, name in enumerate(names)]
        return names if chosen else ["all"], number

    def show(self, factor: int, level: int, *, named: bool = False) -> str:
        """Write a level for people: ``3``, or ``size=3``."""
        text = str(self.variables[factor].factor.values[level])
        return f"{self.variables[factor].factor.name}={text}" if named else text


def combine(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Number the combinations of values that occur in some columns, from 0 without gaps, in the order of the values.

    Args:
        columns: Numbers of at least 0, each int64 (N,); at least one column.

    Returns:
        int64 (N,).
    """
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        # Without gaps after each column, the product of many sizes never overflows.
        number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return number
