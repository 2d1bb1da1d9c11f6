"""Taking part by regression: the model gives a number in [0, 1] for each factor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...scores import Anchor, Better, Condition, Score, Tally
from ...splits import Split
from ...worst import Worst
from ..protocol import Outputs
from . import reading
from .neighbours import Neighbours
from .rows import Rows
from .splits import Rule

OUTPUT = "factors"
METRIC, HELD_OUT = "r2_grid", "held_out_r2_grid"


def metrics(rows: Rows) -> dict[str, Better]:
    """All metrics, the headline first; those of single factors where there are several."""
    names = rows.grid.names
    each = [f"{METRIC}.{name}" for name in names] if len(names) > 1 else []
    return dict.fromkeys([METRIC, HELD_OUT, *each], "higher")


class RegressionScorer:
    """R² with the variance of the whole table, as Schott et al. 2022 define it.

    The score of an item is the mean over factors of 1 - error² / variance. The mean over items then is the mean over factors of
    1 - MSE / variance. It is 1 for a perfect model, 0 for the table's mean on the whole table, and has no lower bound.

    Args:
        rows: The table.
        rule: The split.
    """

    def __init__(self, rows: Rows, rule: Rule) -> None:
        self._rows = rows
        cells, self._cell = rows.cells(rule.factors, rule.is_held_out())
        self._about = list(rule.factors)
        self._all, self._held_out, *self._each = (Tally(name, cells) for name in metrics(rows))
        self._worst = Worst()

    def add(self, index: NDArray[np.int64], images: NDArray[np.uint8], outputs: Outputs) -> None:
        """Take a batch of predictions.

        Args:
            index: Rows (N,).
            images: Not used.
            outputs: ``factors`` (N, K), in the order of the table's factors, on the scale of the targets.

        Raises:
            ModelError: It has another shape.
        """
        predicted = outputs[OUTPUT]
        names = self._rows.grid.names
        if predicted.shape != (len(index), len(names)):
            raise ModelError(
                f"{OUTPUT} has shape {predicted.shape}; expected (N, {len(names)}), in [0, 1] for {', '.join(names)}."
            )
        r2 = explained(self._rows, index, predicted)
        cell = self._cell[index]
        self._all.add(r2.mean(axis=1), cell)
        if self._about:
            self._held_out.add(r2[:, self._about].mean(axis=1), cell)
        for k, tally in enumerate(self._each):
            tally.add(r2[:, k], cell)
        self._worst.add(index, reading.missed_numbers(self._rows, index, predicted).max(axis=1), cell)

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return R² over all factors, over those that the split is about where there are such, and of each."""
        tallies = [self._all, *([self._held_out] if self._about else []), *self._each]
        return [tally.score(population, condition) for tally in tallies]

    def errors(self) -> dict[str, int]:
        """Return nothing: how wrong a number is, the score says."""
        return {}

    def worst(self) -> NDArray[np.int64]:
        """Return the rows with the largest error of a factor that is nearer to another level than to its own."""
        return self._worst.items()


def explained(rows: Rows, index: NDArray[np.int64], predicted: NDArray[np.generic]) -> NDArray[np.float64]:
    """1 - error² / variance for each item and factor.

    Args:
        rows: The table.
        index: Rows (N,).
        predicted: Predictions (N, K), or (K,) for the same everywhere.

    Returns:
        float64 (N, K).
    """
    error = rows.targets[index] - predicted.astype(np.float64)
    return np.asarray(1 - error**2 / rows.variance)


def fits(name: str, shape: Sequence[int | None], rows: Rows) -> bool:
    """Whether an output of this shape (without the batch axis) can be ``factors``."""
    return name == OUTPUT and tuple(shape) == (len(rows.variables),)


def anchors(rows: Rows, rule: Rule, neighbours: Neighbours, split: Split) -> list[Anchor]:
    """Compute R² of a uniform guess, the training mean, the nearest seen value and the nearest training image.

    The nearest seen value is right wherever training showed the value, and else takes the nearest one that it showed: the best
    that a model can do that never leaves what it has seen. Of the factors that the split is about, the training mean and the
    nearest seen value are also given under the metric of its own.
    """
    target = rows.targets[split.test]
    train = rows.targets[split.train]
    sample, neighbour = neighbours.nearest(split)
    found = [
        # The mean squared distance of y to a uniform number in [0, 1] is y² - y + 1/3.
        ("chance", 1 - (target**2 - target + 1 / 3) / rows.variance, "a uniform number, on average"),
        ("training mean", explained(rows, split.test, train.mean(axis=0)), ""),
        (
            "nearest seen value",
            explained(rows, split.test, nearest_seen(train, target)),
            "never leaves what training showed",
        ),
        ("nearest training image", explained(rows, sample, rows.targets[neighbour]), neighbours.note(sample)),
    ]
    about = list(rule.factors)
    anchors = [Anchor(name, METRIC, float(value.mean()), note=note) for name, value, note in found]
    if about:
        anchors += [
            Anchor(f"{name} (held-out factors)", HELD_OUT, float(value[:, about].mean()), note=note)
            for name, value, note in found[1:3]
        ]
    return anchors


def nearest_seen(train: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace each value by the nearest that training holds of the same factor, the lower of two: (M, K), (N, K) to (N, K)."""
    columns = []
    for seen, wanted in zip(map(np.unique, train.T), target.T, strict=True):
        above = np.minimum(np.searchsorted(seen, wanted), len(seen) - 1)
        low, high = seen[np.maximum(above - 1, 0)], seen[above]
        columns.append(np.where(wanted - low <= high - wanted, low, high))
    return np.stack(columns, axis=1)
