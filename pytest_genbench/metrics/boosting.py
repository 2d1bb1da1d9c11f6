"""Gradient-boosted trees on one input, many models at once.

The models are those of Friedman (2001) as scikit-learn's ``GradientBoostingRegressor`` and ``GradientBoostingClassifier`` fit
them by default: 100 trees of depth 3, each node split where the squared error falls most, with a learning rate of 0.1. A tree on
a single input is a step function of at most eight steps, so that nothing has to be kept of the samples but how many there are in
each bin of the input and what their targets add up to. With a bin for each distinct value the models are the same as
scikit-learn's.

All models lie one behind the other in flat arrays with an element for each bin; a *stretch* is a run of bins that belongs to one
model, or to one node of its tree, given by where it starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .binning import Cut, Floats, Ints

TREES = 100
DEPTH = 3
RATE = 0.1

TIE = 1e-10
"""Splits whose gains differ by less, relatively, are equally good; which of them is greater is a matter of rounding."""

CHUNK = 1 << 14
"""Bins worked on together: enough that NumPy's overhead is small, few enough to stay in a core's cache."""


def regress(cuts: Sequence[Cut], targets: Sequence[Floats]) -> list[Floats]:
    """Fit boosted regression trees, and predict.

    Args:
        cuts: The input of each model.
        targets: The target of each model for all samples, training and test, float64 (n,).

    Returns:
        For each model the predictions for its test samples, float64 (n_test,).
    """
    predicted: list[Floats] = []
    for part in _chunks([len(cut.counts) for cut in cuts]):
        predicted += _regress(cuts[part], targets[part])
    return predicted


def _regress(cuts: Sequence[Cut], targets: Sequence[Floats]) -> list[Floats]:
    means = np.array([target[cut.rows].mean() for cut, target in zip(cuts, targets, strict=True)])
    sums = [
        np.add.reduceat(target[cut.rows] - mean, cut.starts)
        for cut, target, mean in zip(cuts, targets, means, strict=True)
    ]
    stretches = _Stretches(cuts)
    excess = start = np.concatenate([np.cumsum(each) for each in sums])
    for _ in range(TREES):
        # What a tree takes from the residuals' running sum is the sum's linear interpolation between the ends of its steps.
        excess = (1 - RATE) * excess + RATE * stretches.grow(excess)[1]
    values = np.diff(start - excess, prepend=0.0) / stretches.counts + np.repeat(means, stretches.lengths)
    return [each[cut.test] for cut, each in zip(cuts, np.split(values, stretches.starts[1:]), strict=True)]


def classify(cuts: Sequence[Cut], labels: Sequence[Ints]) -> list[Ints]:
    """Fit boosted classification trees, and predict.

    Args:
        cuts: The input of each model.
        labels: The classes of each model's samples, training and test, int (n,).

    Returns:
        For each model the predicted classes of its test samples, int (n_test,); classes without a training sample are never
        predicted.
    """
    known = [np.unique(label[cut.rows]) for cut, label in zip(cuts, labels, strict=True)]
    predicted: list[Ints] = [np.full(len(cut.test), classes[0]) for cut, classes in zip(cuts, known, strict=True)]
    for size in sorted({len(classes) for classes in known} - {1}):
        # By length, so that what is summed bin by bin can be summed for many models at once.
        models = sorted((at for at, each in enumerate(known) if len(each) == size), key=lambda at: len(cuts[at].counts))
        for part in _chunks([len(cuts[at].counts) * size for at in models]):
            chosen = models[part]
            tables = [_table(cuts[at], labels[at], known[at]) for at in chosen]
            winners = _classify([cuts[at] for at in chosen], np.concatenate(tables, axis=1))
            for at, winner in zip(chosen, winners, strict=True):
                predicted[at] = known[at][winner[cuts[at].test]]
    return predicted


def _table(cut: Cut, labels: Ints, classes: Ints) -> Floats:
    """Count the training samples of each class in each bin: float64 (classes, bins)."""
    sequence = labels[cut.rows]
    return np.stack([np.add.reduceat((sequence == each).astype(np.float64), cut.starts) for each in classes])


def _classify(cuts: Sequence[Cut], table: Floats) -> list[Ints]:
    """Boost models of equally many classes; returns the winning class of each bin, for each model."""
    binary = len(table) == 2
    # Two classes need one tree at a time, more need one for each class.
    hits = table[1:] if binary else table
    stretches = _Stretches(cuts, copies=len(hits))
    single = _Stretches(cuts)
    totals = np.add.reduceat(table, single.starts, axis=1)
    prior = np.log(totals / totals.sum(axis=0))
    if binary:
        prior = prior[1:] - prior[:1]
    scores = np.repeat(prior, single.lengths, axis=1)
    shrink = RATE * (1 if binary else (len(table) - 1) / len(table))
    for _ in range(TREES):
        probability = _logistic(scores) if binary else _softmax(scores)
        residual = (hits - single.counts * probability).ravel()
        nodes = stretches.grow(stretches.excess(residual))[0]
        probability -= probability * probability
        probability *= single.counts
        curvature = np.add.reduceat(probability.ravel(), nodes)
        slope = np.add.reduceat(residual, nodes)
        step = np.divide(slope, curvature, out=np.zeros_like(slope), where=curvature > 1e-150)
        scores += np.repeat(shrink * step, stretches.ends(nodes) - nodes).reshape(scores.shape)
    winners = (scores[0] >= 0).astype(np.intp) if binary else scores.argmax(axis=0)
    return np.split(winners, single.starts[1:])


def _logistic(scores: Floats) -> Floats:
    from scipy.special import expit

    result: Floats = expit(scores)
    return result


def _softmax(scores: Floats) -> Floats:
    result: Floats = np.exp(scores - scores.max(axis=0))
    result /= result.sum(axis=0)
    return result


class _Stretches:
    """The bins of several models in a row, and how to grow a tree on each.

    Args:
        cuts: The input of each model.
        copies: How often the whole row is repeated.
    """

    def __init__(self, cuts: Sequence[Cut], copies: int = 1) -> None:
        self.counts = np.tile(np.concatenate([cut.counts for cut in cuts]), copies)
        self.lengths = np.tile([len(cut.counts) for cut in cuts], copies)
        self.starts = np.cumsum(self.lengths) - self.lengths
        # Positions count from each model's own start, so that no rounding depends on what stands before it.
        self.upto = np.concatenate([np.cumsum(cut.counts) for cut in cuts] * copies)
        self.before = self.upto - self.counts
        self._product = self._sides(self.starts, self.ends(self.starts), self.lengths)
        first = np.flatnonzero(np.diff(self.lengths, prepend=0))
        self._alike = list(
            zip(
                self.starts[first].tolist(),
                self.ends(self.starts[first]).tolist(),
                self.lengths[first].tolist(),
                strict=True,
            )
        )

    def ends(self, starts: Ints) -> Ints:
        """Where each stretch ends: where the next one starts."""
        ends = np.empty_like(starts)
        ends[:-1], ends[-1] = starts[1:], self.counts.size
        return ends

    def excess(self, residual: Floats) -> Floats:
        """Running sum of each model's residuals, less that of their mean: 0 in the last bin."""
        running = np.empty_like(residual)
        for start, end, length in self._alike:
            rows = residual[start:end].reshape(-1, length)
            np.cumsum(rows, axis=1, out=running[start:end].reshape(-1, length))
        last = self.ends(self.starts) - 1
        mean = np.repeat(running[last] / self.upto[last], self.lengths)
        mean *= self.upto
        running -= mean
        return running

    def grow(self, excess: Floats) -> tuple[Ints, Floats]:
        """Grow a tree for each model.

        Args:
            excess: See :meth:`excess`.

        Returns:
            Where the stretches start that are the trees' leaves, and the excess that is left when the residuals' mean is taken
            from each leaf.
        """
        starts = self.starts
        for level in range(DEPTH):
            ends = self.ends(starts)
            lengths = ends - starts
            product = self._sides(starts, ends, lengths) if level else self._product
            gain = excess * excess
            gain /= product
            at = _greatest(gain, starts, lengths)
            starts, excess = self._divide(excess, starts, ends, at)
        return starts, excess

    def _sides(self, starts: Ints, ends: Ints, lengths: Ints) -> Floats:
        """For a split behind each bin the samples left of it times those right of it, within the bin's stretch."""
        left = np.repeat(self.before[starts], lengths)
        np.subtract(self.upto, left, out=left)
        right = np.repeat(self.upto[ends - 1], lengths)
        right -= self.upto
        left *= right
        # Behind the last bin there is nothing to split off.
        left[ends - 1] = np.inf
        return left

    def _divide(self, excess: Floats, starts: Ints, ends: Ints, at: Ints) -> tuple[Ints, Floats]:
        """Divide each stretch behind a bin, and take both means from the residuals.

        The excess then falls by a hat: two straight lines from 0 at the ends of the stretch to the excess where it is divided.
        """
        divided = at < ends - 1
        height = np.where(divided, excess[at], 0.0)
        new = np.empty((len(starts), 2), dtype=np.intp)
        slope, zero = np.empty((2, *new.shape))
        new[:, 0], new[:, 1] = starts, at + 1
        zero[:, 0], zero[:, 1] = self.before[starts], self.upto[ends - 1]
        slope[:, 0] = height / (self.upto[at] - zero[:, 0])
        slope[:, 1] = -height / np.where(divided, zero[:, 1] - self.upto[at], 1.0)
        if not divided.all():
            used = np.column_stack([np.ones_like(divided), divided])
            new, slope, zero = new[used], slope[used], zero[used]
        starts, slope, offset = new.ravel(), slope.ravel(), (slope * zero).ravel()
        lengths = self.ends(starts) - starts
        hats = np.repeat(slope, lengths)
        hats *= self.upto
        hats -= np.repeat(offset, lengths)
        return starts, np.subtract(excess, hats, out=hats)


def _greatest(values: Floats, starts: Ints, lengths: Ints) -> Ints:
    """Where in each stretch the greatest value is; the first of several, be they equal but for rounding."""
    best = np.maximum.reduceat(values, starts)
    best *= 1 - TIE
    found = np.flatnonzero(values >= np.repeat(best, lengths))
    return found if len(found) == len(starts) else found[np.searchsorted(found, starts)]


def _chunks(sizes: Sequence[int]) -> Iterator[slice]:
    """Cut a sequence into runs whose sizes add up to about `CHUNK`."""
    first, total = 0, 0
    for at, size in enumerate(sizes):
        if total and total + size > CHUNK:
            yield slice(first, at)
            first, total = at, 0
        total += size
    if sizes:
        yield slice(first, len(sizes))
