"""Generative factors and the grid they span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BenchmarkError, nearest

Kind = Literal["categorical", "ordinal", "cyclic", "continuous"]


@dataclass(frozen=True)
class Factor:
    """One generative variable.

    Attributes:
        name: Its name, unique within a grid.
        values: Its levels in order, at least one.
        kind: How levels relate: ``categorical`` (no order), ``ordinal``, ``cyclic`` (the last is beside the first) or
            ``continuous``.
    """

    name: str
    values: tuple[Any, ...]
    kind: Kind = "categorical"

    def __post_init__(self) -> None:
        if not self.values:
            raise BenchmarkError(f"Factor {self.name!r} has no values; give at least one.")

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class FactorGrid:
    """The Cartesian product of finite factors: row-major, the last factor fastest.

    Example:
        >>> grid = FactorGrid((Factor("letter", ("A", "B")), Factor("x", (-1, 0, 1))))
        >>> grid.size, grid.levels(4).tolist(), int(grid.index([1, 1]))
        (6, [1, 1], 4)
    """

    factors: tuple[Factor, ...]

    def __post_init__(self) -> None:
        names = self.names
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise BenchmarkError(f"Factor names must be unique; {', '.join(repeated)} appears more than once.")

    @property
    def names(self) -> tuple[str, ...]:
        """Factor names in grid order."""
        return tuple(factor.name for factor in self.factors)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of levels of each factor."""
        return tuple(len(factor) for factor in self.factors)

    @cached_property
    def size(self) -> int:
        """Number of points in the grid."""
        return int(np.prod(self.shape, dtype=np.int64))

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Turn indices into levels.

        Args:
            index: Integers of any shape S, each in [0, size).

        Returns:
            int64 array of shape S + (number of factors,).

        Raises:
            BenchmarkError: An index lies outside the grid.
        """
        array = np.asarray(index, dtype=np.int64)
        if array.size and (array.min() < 0 or array.max() >= self.size):
            raise BenchmarkError(f"Index out of range: the grid has {self.size} points, numbered from 0.")
        return np.stack(np.unravel_index(array, self.shape), axis=-1).astype(np.int64, copy=False)

    def index(self, levels: ArrayLike) -> NDArray[np.int64]:
        """Turn levels into indices, the inverse of :meth:`levels`.

        Args:
            levels: Integers of shape S + (number of factors,).

        Returns:
            int64 array of shape S.

        Raises:
            BenchmarkError: A level lies outside its factor.
        """
        array = np.asarray(levels, dtype=np.int64)
        if array.shape[-1:] != (len(self.factors),):
            raise BenchmarkError(f"Expected {len(self.factors)} levels on the last axis; got shape {array.shape}.")
        try:
            return np.asarray(np.ravel_multi_index(tuple(np.moveaxis(array, -1, 0)), self.shape), dtype=np.int64)
        except ValueError:
            raise BenchmarkError(f"A level lies outside the grid of shape {self.shape}.") from None

    def position(self, name: str) -> int:
        """Return the place of a factor in the grid order.

        Raises:
            BenchmarkError: There is no factor of that name.
        """
        if name not in self.names:
            raise BenchmarkError(f"No factor {name!r} in this grid.{nearest(name, self.names)}")
        return self.names.index(name)


def levels_of(grid: FactorGrid, index: ArrayLike, names: Sequence[str]) -> NDArray[np.int64]:
    """Levels of some factors only: indices of shape S to an int64 array of shape S + (len(names),)."""
    return grid.levels(index)[..., [grid.position(name) for name in names]]
