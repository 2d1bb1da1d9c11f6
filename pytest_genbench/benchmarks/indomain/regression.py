"""Taking part by regression: a number in [0, 1] for each factor (Schott et al. 2022, section 4.2, eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...scores import Better, Condition, Score, Tally
from ...worst import Worst
from ..grids import Design
from ..protocol import Inputs, Outputs
from . import rule

OUTPUT = "factors"
METRIC, VARYING, CLIPPED, PLAIN = "r2_grid", "varying_r2_grid", "clipped_r2_grid", "r2"

MANY_CELLS = 40
"""Most clusters of a score; they stand in the results document one by one."""


def metrics(design: Design) -> dict[str, Better]:
    """All metrics, the headline first; those of single factors last."""
    return dict.fromkeys(
        [METRIC, VARYING, CLIPPED, PLAIN, *(f"{METRIC}.{name}" for name in design.grid.names)], "higher"
    )


def counted(design: Design) -> list[int]:
    """Positions of the factors that the headline is the mean of."""
    return [k for k, name in enumerate(design.grid.names) if name not in design.aside]


def targets(design: Design, levels: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Levels (N, K) to values in [0, 1]: the level over the highest; 0 where there is one."""
    return np.asarray(levels / np.maximum(np.array(design.grid.shape) - 1, 1), dtype=np.float64)


def variances(design: Design) -> NDArray[np.float64]:
    """Variance of each factor's values over the full grid, float64 (K,): (n + 1) / (12 (n - 1)) for n levels."""
    n = np.array(design.grid.shape, dtype=np.float64)
    return np.asarray((n + 1) / (12 * np.maximum(n - 1, 1)))


def predicted(design: Design, output: NDArray[np.generic], count: int) -> NDArray[np.float64]:
    """Bring predictions into the order of the grid.

    Args:
        design: The grid.
        output: (N, K), or without the factors that are set aside, which come out as NaN.
        count: N.

    Returns:
        float64 (N, K).

    Raises:
        ModelError: It has another shape.
    """
    names, known = design.grid.names, counted(design)
    if output.shape == (count, len(names)):
        return output.astype(np.float64)
    if output.shape == (count, len(known)):
        full = np.full((count, len(names)), np.nan)
        full[:, known] = output
        return full
    without = f" ({', '.join(design.aside)} may be left out)" if design.aside else ""
    raise ModelError(
        f"Output {OUTPUT!r} has shape {output.shape}; expected is (N, {len(names)}), a number in [0, 1] for each of "
        f"{', '.join(names)}, in this order{without}."
    )


def missed(design: Design, levels: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far off each value is that is nearer to another level than to its own.

    Args:
        design: The grid.
        levels: True levels (N, K).
        values: Predictions (N, K), NaN for a factor that is not predicted.

    Returns:
        float64 (N, K), in units of the factor's range; 0 where the own level is the nearest, and for factors that are set aside.
    """
    truth, steps = targets(design, levels), np.array(design.grid.shape) - 1
    # Beyond the ends of the range the end is the nearest. Halfway between two levels neither is nearer.
    is_wrong = np.abs(np.clip(values, 0, 1) - truth) * steps > 0.5 + 1e-9
    is_wrong[:, [k for k in range(len(steps)) if k not in counted(design)]] = False
    return np.where(is_wrong, np.abs(values - truth), 0.0)


def fits(design: Design, name: str, shape: Sequence[int | None]) -> bool:
    """Whether an output of this shape (without the batch axis) can be ``factors``."""
    return name == OUTPUT and tuple(shape) in ((len(design.factors),), (len(counted(design)),))


class Cells:
    """Clusters of items: combinations of levels of the factors with the fewest, as many factors as give 40 of them at most.

    Args:
        design: The grid.
    """

    def __init__(self, design: Design) -> None:
        shape = design.grid.shape
        self.factors: list[int] = []
        for k in sorted(range(len(shape)), key=lambda k: shape[k]):
            if np.prod([shape[j] for j in (*self.factors, k)]) <= MANY_CELLS:
                self.factors.append(k)
        self.factors.sort()
        self._shape = tuple(shape[k] for k in self.factors)
        names = [design.grid.names[k] for k in self.factors]
        self.names = [
            ", ".join(f"{name}={level}" for name, level in zip(names, levels, strict=True))
            for levels in np.ndindex(self._shape)
        ]

    def of(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of the cluster of each item: levels (N, K) to int64 (N,)."""
        if not self.factors:
            return np.zeros(len(levels), dtype=np.int64)
        return np.asarray(np.ravel_multi_index(tuple(levels[:, self.factors].T), self._shape), dtype=np.int64)


class RegressionScorer:
    """R² with the variance of the full grid.

    The score of an item is the mean over factors of 1 - error² / variance; the mean over items then is the mean over factors of
    1 - MSE / variance. It is 1 for a perfect model, 0 for the grid's mean on the whole grid, and has no lower bound. Beside it
    stands the R² of scikit-learn, with the variance of the tested items.

    Args:
        design: The grid.
        variant: The split; not used.
    """

    def __init__(self, design: Design, variant: str) -> None:
        self.design, self._counted = design, counted(design)
        self._varying = rule.varying(design)
        self._cells = Cells(design)
        self._variance = variances(design)
        cells = self._cells.names
        self._all, self._vary = Tally(METRIC, cells), Tally(VARYING, cells)
        self._each = [Tally(f"{METRIC}.{name}", cells) for name in design.grid.names]
        self._moments = np.zeros(
            (4, len(design.factors))
        )  # sums: y, y², error², error² if predictions were level numbers
        self._largest = np.zeros(len(design.factors))
        self._without: set[int] = set()
        self._worst = Worst()
        self._n = 0

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch of predictions.

        Args:
            index: Items (N,).
            images: Not used.
            outputs: ``factors`` (N, K) in [0, 1], in grid order.

        Raises:
            ModelError: It has another shape.
        """
        self.add_values(index, predicted(self.design, outputs[OUTPUT], len(index)))

    def add_values(self, index: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Take items (N,) and predictions (N, K), NaN for a factor that is not predicted."""
        levels = self.design.grid.levels(index)
        truth = targets(self.design, levels)
        error = (truth - values) ** 2
        r2 = 1 - error / self._variance
        cell = self._cells.of(levels)
        self._all.add(r2[:, self._counted].mean(axis=1), cell)
        self._vary.add(r2[:, self._varying].mean(axis=1), cell)
        for k, tally in enumerate(self._each):
            if np.isnan(values[:, k]).any():
                self._without.add(k)
            else:
                tally.add(r2[:, k], cell)
        as_levels = (truth - values / np.maximum(np.array(self.design.grid.shape) - 1, 1)) ** 2
        self._moments += [truth.sum(0), (truth**2).sum(0), error.sum(0), as_levels.sum(0)]
        self._largest = np.maximum(self._largest, np.abs(values).max(axis=0, initial=0))
        self._n += len(levels)
        self._worst.add(index, missed(self.design, levels, values).max(axis=1), cell)

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return R² over all factors, over those that vary, clipped at 0, by scikit-learn's definition, and of each factor.

        Raises:
            ModelError: The predictions look like level numbers.
        """
        whole = self._all.score(population, condition)
        self._refuse_levels(whole.value)
        found = [whole, self._vary.score(population, condition)]
        found.append(Score(CLIPPED, max(0.0, whole.value), self._n, population, condition))
        if (plain := self._plain()) is not None:
            found.append(Score(PLAIN, plain, self._n, population, condition))
        each = (tally for k, tally in enumerate(self._each) if k not in self._without)
        return [*found, *(tally.score(population, condition) for tally in each)]

    def errors(self) -> dict[str, int]:
        """Return nothing: how wrong a number is, the score says."""
        return {}

    def worst(self) -> NDArray[np.int64]:
        """Return the items with the largest error of a factor that is nearer to another level than to its own."""
        return self._worst.items()

    def _plain(self) -> float | None:
        """Scikit-learn's R², mean over the factors that vary among the items; None where none does."""
        total, squares, error, _ = self._moments[:, self._counted]
        spread = squares - total**2 / self._n
        there = spread > 1e-9 * self._n
        return float((1 - error[there] / spread[there]).mean()) if there.any() else None

    def _refuse_levels(self, r2: float) -> None:
        """Say so where a model gives level numbers: far off as they are, and close once divided."""
        as_levels = self._moments[3, self._counted]
        divided = float((1 - as_levels / self._n / self._variance[self._counted]).mean())
        if r2 < 0 and divided > 0.25 and self._largest[self._counted].max() > 1.5:
            largest = self._largest[self._counted].max()
            steps = ", ".join(f"{self.design.grid.names[k]} by {self.design.grid.shape[k] - 1}" for k in self._counted)
            raise ModelError(
                f"Output {OUTPUT!r} looks like level numbers (values up to {largest:.3g}; R² is {r2:.3g} as they are, "
                f"{divided:.2f} once divided), but numbers in [0, 1] are expected: divide {steps}."
            )
