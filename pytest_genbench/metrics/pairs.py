"""R² both ways of many pairs of columns within many sets of samples, in few batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..hierarchy import Kind
from .binning import Floats
from .correspondence import Estimator, Task, Variable, Variant, both_ways, means, split

Mask = NDArray[np.bool_]
Pair = tuple[int, int]


class Pairs:
    """R² both ways of factors and codes within sets of samples; each is computed once.

    Args:
        factors: float64 (N, K).
        codes: float64 (N, D).
        factor_kinds: What the factors are.
        code_kinds: What the codes are.
        estimator: See :func:`~pytest_genbench.metrics.correspondence.correspondence_r2`.
        variant: See there.
        seed: Of the random splits. All pairs that are compared on equally many samples have the same splits, so that the order of
            columns changes nothing.
    """

    def __init__(
        self,
        factors: Floats,
        codes: Floats,
        factor_kinds: Sequence[Kind],
        code_kinds: Sequence[Kind],
        estimator: Estimator,
        variant: Variant,
        seed: int,
    ) -> None:
        self._shape = (factors.shape[1], codes.shape[1])
        self._values = np.hstack([factors, codes])
        self._kinds = (*factor_kinds, *code_kinds)
        self._estimator: Estimator = estimator
        self._variant: Variant = variant
        self._seed = seed
        self._known: dict[tuple[bytes, int, int], float] = {}

    def everywhere(self) -> dict[Pair, Mask]:
        """Compare all factors and codes on all samples."""
        mask = np.ones(len(self._values), dtype=bool)
        return {(i, j): mask for i in range(self._shape[0]) for j in range(self._shape[1])}

    def of(self, masks: Mapping[Pair, Mask]) -> Floats:
        """R² both ways of factors and codes, each within the samples given for the pair.

        Args:
            masks: Samples, bool (N,), by factor and code.

        Returns:
            float64 (K, D); 0 for pairs without samples, and for those that are not given.
        """
        self.compute(masks.items())
        matrix = np.zeros(self._shape)
        for (i, j), mask in masks.items():
            matrix[i, j] = self._known[_key(mask), i, j]
        return matrix

    def compute(self, wanted: Iterable[tuple[Pair, Mask]]) -> None:
        """Compute what is wanted and not known yet."""
        subsets: dict[bytes, _Subset] = {}
        first: dict[tuple[bytes, int, int], tuple[Task, Task]] = {}
        for (i, j), mask in wanted:
            key = _key(mask)
            if (key, i, j) in self._known:
                continue
            self._known[key, i, j] = 0.0
            if mask.any():
                subset = subsets.setdefault(key, _Subset(self._values, mask, self._seed))
                first[key, i, j] = self._tasks(subset, i, self._shape[0] + j)
        # What cannot be predicted one way scores 0, whatever the other way would be.
        forth = self._means({at: tasks[0] for at, tasks in first.items()})
        back = self._means({at: first[at][1] for at, score in forth.items() if score > 0})
        self._known |= {at: both_ways(forth[at], score) for at, score in back.items()}

    def _tasks(self, subset: _Subset, i: int, j: int) -> tuple[Task, Task]:
        """Both ways. Regression comes first: accuracies are above 0 by chance, so that nothing could be left out after them."""
        source, target = (i, j) if self._kinds[j] == "continuous" else (j, i)
        return (
            Task(subset.column(source), subset.column(target), self._kinds[target]),
            Task(subset.column(target), subset.column(source), self._kinds[source]),
        )

    def _means(self, tasks: Mapping[tuple[bytes, int, int], Task]) -> dict[tuple[bytes, int, int], float]:
        scores = means(list(tasks.values()), self._estimator, self._variant)
        return dict(zip(tasks, scores.tolist(), strict=True))


class _Subset:
    """Some samples, and the columns among them that were needed so far."""

    def __init__(self, values: Floats, mask: Mask, seed: int) -> None:
        self._values = values
        self._mask = mask
        self._tests = split(int(mask.sum()), seed)
        self._columns: dict[int, Variable] = {}

    def column(self, number: int) -> Variable:
        if number not in self._columns:
            self._columns[number] = Variable(self._values[self._mask, number], self._tests)
        return self._columns[number]


def _key(mask: Mask) -> bytes:
    return np.packbits(mask).tobytes()
