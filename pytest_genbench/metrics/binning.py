"""One input, sorted and cut into bins: what a tree on a single input needs to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """The values of an input for training and testing, cut into bins.

    Attributes:
        rows: Training samples in the order of their values, int (n_train,).
        starts: Where in `rows` each bin starts, int (bins,).
        counts: Training samples in each bin, at least one, float64 (bins,).
        test: The bin each test sample falls into, int (n_test,).
    """

    rows: Ints
    starts: Ints
    counts: Floats
    test: Ints


def cut(x: Floats, tests: Sequence[Ints], bins: int | None = None) -> list[Cut]:
    """Cut an input into bins, once for each split.

    Bins hold as good as equal numbers of training samples, but a value that alone would fill a bin has one of its own. Test
    samples between two bins go to the nearer one, as with a tree that splits midway between training values.

    Args:
        x: The input, float64 (n,).
        tests: The test samples of each split, int (n_test,) each; all others are for training.
        bins: Most bins (but for those of frequent values), for inputs with more values than that; None makes a bin of each value.

    Returns:
        A cut for each split.
    """
    order = np.argsort(x, kind="stable")
    return [_cut(x, order, test, bins) for test in tests]


def _cut(x: Floats, order: Ints, test: Ints, bins: int | None) -> Cut:
    training = np.ones(len(x), dtype=bool)
    training[test] = False
    rows = order[training[order]]
    values = x[rows]
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    if bins is not None and len(starts) > bins:
        starts = starts[_coarse(np.diff(starts, append=len(rows)), bins)]
    edges = (values[starts[1:] - 1] + values[starts[1:]]) / 2
    # The mean of two neighbouring numbers can be the greater one itself, which has to stay on its side.
    edges = np.where(edges < values[starts[1:]], edges, values[starts[1:] - 1])
    counts = np.diff(starts, append=len(rows)).astype(np.float64)
    return Cut(rows, starts, counts, np.searchsorted(edges, x[test], side="left"))


def _coarse(counts: Ints, bins: int) -> Ints:
    """Choose at which of the distinct values a bin starts, given how often each occurs."""
    share = counts.sum() / bins
    heavy = counts >= share
    # Frequent values have bins of their own, so the others share what is left evenly.
    share = max(counts[~heavy].sum() / max(bins - int(heavy.sum()), 1), 1)
    before = np.cumsum(np.where(heavy, 0, counts)) - np.where(heavy, 0, counts)
    number = before // share
    new = np.ones(len(counts), dtype=bool)
    new[1:] = (number[1:] != number[:-1]) | heavy[1:] | heavy[:-1]
    return np.flatnonzero(new)
