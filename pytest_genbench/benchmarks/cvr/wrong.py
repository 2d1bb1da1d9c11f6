"""Which problems went wrong worst: a few that differ in rule, in what is unseen and in how the odd image is odd."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...worst import MOST, Worst

TIE = 1e-9
"""How wrong it is to give the odd image the highest score, and another one the same."""


def amounts(scores: NDArray[np.generic], places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Measure how wrong wrong answers are.

    Args:
        scores: Real (N, 4); or the places that were chosen, integers (N,) or (N, 1).
        places: The right places (N,).

    Returns:
        float64 (N,), above 0 also where the answer is right: by how many standard deviations of a problem's four scores the
        highest is above that of the odd image; 1 for places.
    """
    if scores.ndim != 2 or scores.shape[1] == 1:
        return np.ones(len(scores))
    values = np.asarray(scores, dtype=np.float64)
    above, spread = values.max(1) - values[np.arange(len(values)), places], values.std(1)
    amount: NDArray[np.float64] = np.divide(above, spread, out=np.zeros(len(values)), where=spread > 0)
    return amount.clip(min=TIE)


class Wrong:
    """Remembers the worst wrong answers."""

    def __init__(self) -> None:
        self._by_way, self._by_block = Worst(), Worst()
        self._numbers: dict[Hashable, int] = {}

    def add(
        self, index: NDArray[np.int64], wrong: NDArray[np.float64], ways: Sequence[Hashable], block: NDArray[np.int64]
    ) -> None:
        """Take wrong answers.

        Args:
            index: Items (N,).
            wrong: How wrong each is (N,), above 0.
            ways: What each is about (N): its rule and set, and how the odd image is odd.
            block: Number of the block (N,) that each belongs to; items of different blocks are different problems.
        """
        numbers = [self._numbers.setdefault(way, len(self._numbers)) for way in ways]
        self._by_way.add(index, wrong, np.array(numbers, dtype=np.int64))
        self._by_block.add(index, wrong, block)

    def items(self) -> NDArray[np.int64]:
        """Return up to four items, int64 (n,): the worst of each way, from the worst on; where these are fewer, further ones."""
        items = dict.fromkeys([*self._by_way.items().tolist(), *self._by_block.items().tolist()])
        return np.array(list(items)[:MOST], dtype=np.int64)
