"""Which items went wrong worst: a few of as many clusters, found batch by batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 4
"""Items kept for each case: they stand in results documents, with a picture each."""


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
