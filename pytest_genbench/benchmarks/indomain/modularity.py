"""What one unseen value does: to the factor that has it, and to the others (Schott et al. 2022, section 5.2 and eq. 2).

Only items count of which exactly one factor has a value that training never shows; those of factor k are called D_k. A model of
independent parts would keep the other factors as accurate as on the random split.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError
from ...rng import stream
from ...scores import LEVEL, Better, Condition, Interval, Score
from ..grids import Design
from ..protocol import Inputs, Kept, Outputs
from . import rule
from .regression import counted, predicted, targets, variances

OOD, ID, ID_VARYING, WHOLE = "ood_r2_grid", "id_r2_grid", "id_varying_r2_grid", "r2_grid_on"
SHARE, RATIO, SIGNED = "toward_mean_share", "toward_mean_ratio", "toward_mean_signed_ratio"

KEPT = 60
"""Items of each D_k whose predictions are kept for plots, and to compare models by."""


def metrics(design: Design) -> dict[str, Better]:
    """All metrics, the headline first."""
    names = [design.grid.names[k] for k in rule.varying(design)]
    found: dict[str, Better] = dict.fromkeys([OOD, ID, ID_VARYING], "higher")
    found |= {SHARE: "lower", RATIO: "higher", SIGNED: "higher"}
    parts = [f"{OOD}.{name}" for name in names] + [f"{ID}.{design.grid.names[k]}" for k in counted(design)]
    return found | dict.fromkeys([*parts, *(f"{WHOLE}.{name}" for name in names)], "higher")


def kept(design: Design, variant: str) -> dict[str, Kept]:
    """Of each D_k 60 items, or all there are, to keep what is predicted of factor k; by factor."""
    found = {}
    for k in rule.varying(design):
        items = np.flatnonzero(rule.single_factor(design, variant, k))
        draw = stream("kept", design.name, variant, design.grid.names[k], len(items))
        chosen = np.sort(draw.choice(items, min(KEPT, len(items)), replace=False)).astype(np.int64)
        true = targets(design, design.grid.levels(chosen))[:, k]
        found[design.grid.names[k]] = Kept(chosen, true, partial(_column, design, k))
    return found


def _column(design: Design, factor: int, outputs: Outputs) -> NDArray[np.float64]:
    output = outputs["factors"]
    return predicted(design, output, len(output))[:, factor]


def train_means(design: Design, variant: str) -> NDArray[np.float64]:
    """Mean value of each factor in training, float64 (K,)."""
    shown = rule.counts(design, ~rule.is_held_out(design, variant))
    return np.array([(np.arange(len(n)) @ n) / n.sum() / max(len(n) - 1, 1) for n in shown])


class ModularityScorer:
    """R² on each D_k, of factor k and of the others; in extrapolation also how far predictions are pulled towards the mean.

    The ratio of eq. 2 is |prediction - mean| / |truth - mean|, with the mean of training: below 1 where a prediction is nearer to
    the mean than the truth. With its sign, predictions on the other side of the mean are negative. In interpolation the truth may
    be the mean, so there it is not computed.

    Args:
        design: The grid.
        variant: ``interpolation`` or ``extrapolation``.
    """

    def __init__(self, design: Design, variant: str) -> None:
        self._design, self._variant = design, variant
        self._varying, self._counted = rule.varying(design), counted(design)
        self._variance = variances(design)
        size = len(design.factors)
        # By the factor that is unseen (rows) and the one that is predicted: sums of squared errors, and of their squares.
        self._n = np.zeros(size, dtype=np.int64)
        self._errors, self._squares = np.zeros((size, size)), np.zeros((size, size))
        self._mean = train_means(design, variant)
        self._ratios: list[NDArray[np.float64]] = []

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch; items with several unseen values are left out.

        Args:
            index: Items (N,).
            images: Not used.
            outputs: ``factors`` (N, K) in [0, 1].

        Raises:
            ModelError: It has another shape.
        """
        levels = self._design.grid.levels(index)
        unseen = rule.unseen(self._design, self._variant, levels)
        single = unseen.sum(axis=1) == 1
        which = unseen[single].argmax(axis=1)
        truth = targets(self._design, levels[single])
        values = predicted(self._design, outputs["factors"], len(index))[single]
        error = (truth - values) ** 2
        self._n += np.bincount(which, minlength=len(self._n))
        np.add.at(self._errors, which, error)
        np.add.at(self._squares, which, error**2)
        if self._variant == "extrapolation":
            rows = np.arange(len(which))
            self._ratios.append((values[rows, which] - self._mean[which]) / (truth[rows, which] - self._mean[which]))

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return R² of unseen factors, of the others (all, and those that vary), ratios, then the parts.

        Raises:
            BenchmarkError: Of no item exactly one factor is unseen.
        """
        design, names = self._design, self._design.grid.names
        tested = [k for k in self._varying if self._n[k]]
        if not tested:
            raise BenchmarkError(
                f"{self._variant!r} has no item of which exactly one factor is unseen; choose another split."
            )
        r2 = 1 - self._errors / np.maximum(self._n, 1)[:, None] / self._variance
        n, total = int(self._n.sum()), self._singles(population)
        ood = {names[k]: float(r2[k, k]) for k in tested}
        others = {
            names[j]: float(np.mean([r2[k, j] for k in tested if k != j]))
            for j in self._counted
            if any(k != j for k in tested)
        }
        varying = [others[names[j]] for j in self._varying if names[j] in others]
        whole = {names[k]: float(r2[k, self._counted].mean()) for k in tested}

        def make(
            metric: str,
            value: float,
            parts: dict[str, float],
            interval: Interval | None = None,
            better: Better = "higher",
        ) -> Score:
            clusters = {part: (1, each) for part, each in parts.items()}
            return Score(metric, value, n, total, condition, interval=interval, clusters=clusters, better=better)

        found = [make(OOD, _mean(ood.values()), ood, None if n == total else self._interval(tested))]
        found += [make(ID, _mean(others.values()), others), make(ID_VARYING, _mean(varying), {})]
        if self._ratios:
            found += [make(name, value, {}, better=metrics(design)[name]) for name, value in self._pull().items()]
        for metric, parts in ((OOD, ood), (ID, others), (WHOLE, whole)):
            found += [make(f"{metric}.{name}", value, {}) for name, value in parts.items()]
        return found

    def errors(self) -> dict[str, int]:
        """Return nothing: how wrong a number is, the score says."""
        return {}

    def _pull(self) -> dict[str, float]:
        """Share of predictions nearer to the mean than the truth, and medians of the ratio without and with its sign."""
        ratios = np.concatenate(self._ratios)
        return {
            SHARE: float((np.abs(ratios) < 1).mean()),
            RATIO: float(np.median(np.abs(ratios))),
            SIGNED: float(np.median(ratios)),
        }

    def _interval(self, tested: list[int]) -> Interval:
        """95 % interval of the mean over D_k of R², each D_k a random sample of its own; normal approximation."""
        from scipy.stats import norm

        n = self._n[tested].astype(np.float64)
        errors, squares = self._errors[tested, tested], self._squares[tested, tested]
        spread = np.maximum(squares / n - (errors / n) ** 2, 0) / n / self._variance[tested] ** 2
        half = float(norm.ppf((1 + LEVEL) / 2)) * math.sqrt(float(spread.sum())) / len(tested)
        centre = float((1 - errors / n / self._variance[tested]).mean())
        return Interval(centre - half, centre + half, "normal approximation")

    def _singles(self, population: int) -> int:
        """How many items of the split's test set have one unseen value."""
        shape = self._design.grid.shape
        held = {k: len(each) for k, each in rule.held_levels(self._design, self._variant).items()}
        train = math.prod(n - held.get(k, 0) for k, n in enumerate(shape))
        return min(population, sum(train // (shape[k] - count) * count for k, count in held.items()))


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
