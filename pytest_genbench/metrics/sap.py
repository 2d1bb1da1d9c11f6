"""Separated attribute predictability: how much better does the best unit predict a factor than the second best?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from .arrays import Kinds, kinds_of, names_of, tables
from .columns import unit_range, varying
from .result import Result

PENALTY = 0.01
"""Inverse strength of the regularisation of the linear classifier, as in Locatello et al. (2019)."""

LARGEST = 1e70
"""Largest value the classifier is given: it takes fourth powers, and never ends once they overflow."""


def sap(factors: ArrayLike, codes: ArrayLike, *, kinds: Kinds = "categorical") -> Result:
    """Separated attribute predictability (Kumar et al. 2018, section 3), with the settings of Locatello et al. (2019).

    Each factor is predicted from each unit alone: a continuous factor by a line (the squared correlation), a categorical one by a
    linear support vector machine with balanced classes (accuracy). The score is the mean over factors of the best prediction less
    the second best. Fitted and scored on the same samples, as Ross & Doshi-Velez (2021) do.

    Accuracies of useless units lie at chance, not at 0, so that a categorical factor cannot reach 1 unless it has many levels.
    The classifier is regularised: its accuracy depends on the scale of a unit.

    Args:
        factors: True values (N, K). Factors of one level are left out.
        codes: Values of the units (N, D), means where they have a distribution. With a single unit the second best is 0.
        kinds: What the factors are.

    Returns:
        From 0 to 1. ``parts`` are the differences by factor; ``matrix`` holds the accuracies and squared correlations,
        (kept factors, D).

    Raises:
        MetricError: The arrays cannot be used, every factor has one level, or values beyond 1e70 are to predict a category.
    """
    truth, units = tables(factors, codes)
    kinds_each = kinds_of("factors", kinds, truth)
    kept = varying(truth)
    scores = np.empty((len(kept), units.shape[1]))
    for row, k in enumerate(kept):
        predicted = _accuracies if kinds_each[k] == "categorical" else _squared_correlations
        scores[row] = predicted(truth[:, k], units)
    ranked = np.sort(np.hstack([np.zeros((len(kept), 1)), scores]), axis=1)
    gaps = ranked[:, -1] - ranked[:, -2]
    names = names_of(kinds, truth.shape[1])
    return Result(
        name="sap",
        value=float(gaps.mean()),
        parts={names[k]: float(gap) for k, gap in zip(kept, gaps, strict=True)},
        matrix=scores,
    )


def _squared_correlations(factor: NDArray[np.float64], units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared correlation of a factor (N,) with each unit (N, D): float64 (D,), 0 for a constant unit."""
    target = unit_range(factor[:, None])[:, 0]
    inputs = unit_range(units)
    target, inputs = target - target.mean(), inputs - inputs.mean(axis=0)
    # A constant unit is all 0 in unit range, hence exactly 0 here.
    power = (inputs**2).sum(axis=0) * (target**2).sum()
    shared = (target @ inputs) ** 2
    found: NDArray[np.float64] = np.minimum(shared / np.where(power > 0, power, 1.0), 1.0)
    return found


def _accuracies(factor: NDArray[np.float64], units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracy of a linear classifier of a factor (N,) from each unit (N, D) alone: float64 (D,)."""
    from sklearn.svm import LinearSVC

    if np.abs(units).max() > LARGEST:
        raise MetricError(
            f"codes reach {np.abs(units).max():.0e}, too much for the linear classifier; scale them down."
        )
    # The primal problem is solved without chance; the dual solver would shuffle. Without a random_state, scikit-learn would draw
    # one from NumPy's global generator all the same.
    model = LinearSVC(C=PENALTY, class_weight="balanced", dual=False, random_state=0)
    level = np.unique(factor, return_inverse=True)[1]
    return np.array([model.fit(unit[:, None], level).score(unit[:, None], level) for unit in units.T])
