"""Which items went wrong worst: a few of as many clusters, found batch by batch; and which factors of an item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 4
"""Items kept for each case: they stand in results documents, with a picture each."""

_NAMED = 3
"""Wrong factors of an item that are named."""


class Worst:
    """Remembers the worst item of each cluster; memory grows with the number of clusters only."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[float, int]] = {}

    def add(self, index: NDArray[np.int64], wrong: ArrayLike, cluster: NDArray[np.int64]) -> None:
        """Take a batch.

        Args:
            index: Items (N,).
            wrong: How wrong the answer to each is (N,); 0 or less where it is right.
            cluster: Number of the cluster (N,) that each belongs to: its word, its rule.
        """
        amount = np.asarray(wrong, dtype=np.float64)
        for at in np.flatnonzero(amount > 0):
            found = (-float(amount[at]), int(index[at]))
            name = int(cluster[at])
            # Of equals the first item, so that the order of batches does not matter.
            self._found[name] = min(found, self._found.get(name, found))

    def items(self) -> NDArray[np.int64]:
        """Return up to four items, the worst first, each of another cluster: int64 (n,)."""
        return np.array([item for _, item in sorted(self._found.values())[:MOST]], dtype=np.int64)


def to_name(off: NDArray[np.float64], factors: Sequence[int]) -> list[int]:
    """Choose the factors of an item by which to say what went wrong: up to three, the worst first.

    Args:
        off: How far off each factor is (K,); 0 where it is right.
        factors: Numbers of those to choose from.
    """
    worst = sorted(factors, key=lambda k: -off[k])[:_NAMED]
    # A model that answers otherwise when asked again may be right by now.
    return [k for k in worst if off[k] > 0] or worst[:1]
