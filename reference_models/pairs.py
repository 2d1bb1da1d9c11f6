"""Pairs of training images that differ in few factors: all that the weakly supervised models are told.

- Locatello, Poole, Rätsch, Schölkopf, Bachem and Tschannen (ICML 2020, arXiv:2002.02886): one or a few factors differ.
- Klindt, Schott, Sharma, Ustyuzhaninov, Brendel, Bethge and Paiton (ICLR 2021, arXiv:2007.10930): factors move a little, as from
  one picture of a film to the next.
- Schott et al. (ICLR 2022, arXiv:2107.08221), appendix H: both, without ever leaving the training set.

A level is available where the image with this level, and all others as they are, is in the training set. So pairs stay inside any
training set, and one that is no grid itself makes some of them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pytest_genbench.errors import LearnerError
from pytest_genbench.factors import FactorGrid
from pytest_genbench.learners import TrainingTask
from pytest_genbench.rng import stream

Law = Callable[[NDArray[np.int64], int], NDArray[np.float64]]
"""From current levels (N,) of a factor and its number of levels n to weights (N, n) of what it may become."""


class Sampler(Protocol):
    """Draws the second image of a pair."""

    def __call__(
        self, grid: FactorGrid, shown: NDArray[np.bool_], levels: NDArray[np.int64], draw: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw partners.

        Args:
            grid: K factors.
            shown: bool (size of the grid,): what is in the training set.
            levels: Of the first images (N, K), all of them in the training set.
            draw: Where chance comes from.

        Returns:
            Levels of the second images (N, K), all of them in the training set.
        """


@dataclass(frozen=True)
class FewFactors:
    """One factor differs, any but those that cannot; where none can, the second image is the first.

    The first in a random order that has another available level changes to one of these, each as likely.
    """

    def __call__(
        self, grid: FactorGrid, shown: NDArray[np.bool_], levels: NDArray[np.int64], draw: np.random.Generator
    ) -> NDArray[np.int64]:
        """See :class:`Sampler`."""
        return _one_moved(grid, shown, levels, range(len(grid.factors)), lambda now, n: np.ones((len(now), n)), draw)


@dataclass(frozen=True)
class Laplace:
    """Every factor that is not categorical moves by chance, near levels being likelier than far ones.

    One factor after the other, so that what is available depends on those that have moved already. A cyclic factor counts as an
    ordinal one: its last level is far from its first.

    Attributes:
        rate: A level at a distance of d has the weight exp(-d rate / ln n) among the available ones, n being the number of levels.
        forced: Where nothing has moved, move one factor that can: Klindt et al. do, Schott et al. do not.
    """

    rate: float = 1.0
    forced: bool = False

    def __call__(
        self, grid: FactorGrid, shown: NDArray[np.bool_], levels: NDArray[np.int64], draw: np.random.Generator
    ) -> NDArray[np.int64]:
        """See :class:`Sampler`."""
        ordered = [k for k, factor in enumerate(grid.factors) if factor.kind != "categorical" and len(factor) > 1]
        moved = levels.copy()
        for factor in ordered:
            options = _available(grid, shown, moved, factor)
            moved[:, factor] = _drawn(options * self._law(moved[:, factor], options.shape[1]), draw)
        if self.forced and ordered:
            alike = np.flatnonzero((moved == levels).all(axis=1))
            moved[alike] = _one_moved(grid, shown, levels[alike], ordered, self._law, draw)
        return moved

    def _law(self, now: NDArray[np.int64], n: int) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = np.exp(-np.abs(np.arange(n) - now[:, None]) * self.rate / np.log(n))
        return weights


@dataclass(frozen=True)
class Paired(TrainingTask):
    """A task whose batches are pairs.

    Attributes:
        sampler: Draws the second image of each.
    """

    sampler: Sampler

    @cached_property
    def shown(self) -> NDArray[np.bool_]:
        """What is in the training set: bool (size of the grid,).

        Raises:
            LearnerError: The benchmark's items are not the points of its grid.
        """
        shown = self.split.is_shown()
        if len(shown) != self.grid.size:
            raise LearnerError(
                f"Pairs need a full grid of factors; {self.split.benchmark} has {len(shown)} items, and its grid "
                f"{self.grid.size} points."
            )
        return shown

    def pairs(self, size: int, *, seed: int, step: int) -> NDArray[np.int64]:
        """Draw the pairs of one step, the same for the same seed and step.

        Returns:
            Rows (2, size): of the first images, each as likely, and of the second ones.
        """
        draw = stream("pairs", self.split.id, seed, step)
        first = draw.integers(len(self), size=size)
        second = self.sampler(self.grid, self.shown, self.grid.levels(self.split.train[first]), draw)
        return np.stack([first, np.searchsorted(self.split.train, self.grid.index(second))])

    def batches(self, size: int, *, seed: int) -> Iterator[NDArray[np.int64]]:
        """Rows (2 size,) of one batch after another, for ever: of the first images of `size` pairs, then of the second ones."""
        return (self.pairs(size, seed=seed, step=step).reshape(-1) for step in count())


def _available(grid: FactorGrid, shown: NDArray[np.bool_], levels: NDArray[np.int64], factor: int) -> NDArray[np.bool_]:
    """Which levels (N, n) a factor may have, all others of `levels` (N, K) staying as they are."""
    n = len(grid.factors[factor])
    points = np.repeat(levels[:, None], n, axis=1)  # (N, n, K)
    points[:, :, factor] = np.arange(n)
    return shown[grid.index(points)]


def _drawn(weights: NDArray[np.float64], draw: np.random.Generator) -> NDArray[np.int64]:
    """Draw a column for each row, by weights (N, n) of which each row has a positive one; returns int64 (N,)."""
    reached = weights.cumsum(axis=1)
    # Never one without weight: at it the sum has not grown.
    return (draw.random(len(weights))[:, None] * reached[:, -1:] >= reached).sum(axis=1)


def _one_moved(
    grid: FactorGrid,
    shown: NDArray[np.bool_],
    levels: NDArray[np.int64],
    factors: Sequence[int],
    law: Law,
    draw: np.random.Generator,
) -> NDArray[np.int64]:
    """Move one factor of each point (N, K), of those that can and may, to another level; where none can, keep the point."""
    options = [
        _available(grid, shown, levels, factor) & (np.arange(len(grid.factors[factor])) != levels[:, factor, None])
        for factor in factors
    ]
    can = np.stack([each.any(axis=1) for each in options], axis=1)  # (N, factors)
    # The first that can in a random order is as likely to be any of those that can.
    chosen = np.where(can, draw.random(can.shape), 2.0).argmin(axis=1)
    moved = levels.copy()
    for at, factor in enumerate(factors):
        rows = np.flatnonzero(can[:, at] & (chosen == at))
        ways = options[at][rows]
        moved[rows, factor] = _drawn(ways * law(levels[rows, factor], ways.shape[1]), draw)
    return moved
