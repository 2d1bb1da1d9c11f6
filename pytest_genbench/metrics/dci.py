"""Disentanglement, completeness and informativeness by the importances of boosted trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from ..rng import stream
from .arrays import Kinds, kinds_of, names_of, tables
from .columns import bracketed, unit_range, varying
from .result import Result

LEAST = 20
"""Samples needed: a tenth of them, on which the paper's variant is scored, have to be two."""

TEST_SHARE = {"standard": 1 / 3, "paper": 0.1}
"""Share of the samples that predictors are scored on. Locatello et al. (2019) train on 10,000 and test on 5,000."""

_SMALL = 1e-11


@dataclass(frozen=True)
class Dci:
    """Three metrics that come from the same predictors.

    Attributes:
        disentanglement: Does each predicting column serve a single predicted one? From 0 to 1.
        completeness: Is each predicted column served by a single predicting one? From 0 to 1.
        informativeness: How well the columns are predicted on held-back samples; at most 1.
        informativeness_train: The same on the samples the predictors were fitted to.
        importances: float64 (kept factors, D); those of each predicted column sum to 1, or to 0 where nothing predicts it.
    """

    disentanglement: Result
    completeness: Result
    informativeness: Result
    informativeness_train: Result
    importances: NDArray[np.float64]


def dci(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    kinds: Kinds = "categorical",
    variant: Literal["standard", "paper"] = "standard",
    seed: int = 0,
) -> Dci:
    """Disentanglement, completeness, informativeness (Eastwood & Williams 2018, section 2), by gradient-boosted trees.

    ``standard`` predicts each factor from all units, as Locatello et al. (2019) do: a classifier for a categorical factor, a
    regressor for a continuous one. Disentanglement is then the mean over units, weighted by their importance, of 1 - entropy of
    their importances over factors; completeness is that over factors and units exchanged. Informativeness is the mean over
    factors of accuracy (categorical) or R² (continuous; negative where the mean of the held-back samples would do better). It is
    no error: higher is better. A third of the samples is held back.

    ``paper`` is what the release of Ross & Doshi-Velez (2021) computes: each unit is predicted from all factors, with regressors
    throughout, and a tenth of the samples is held back. So its "disentanglement" is a mean over factors, its "completeness" a
    mean over units, and its informativeness the mean R² of units, constant ones left out.

    The split and the trees' choices among equal cuts are drawn from `seed`. Nothing is exact: another order of samples is
    another split.

    Args:
        factors: True values (N, K), N at least 20. Factors of one level are left out.
        codes: Values of the units (N, D), D at least 2, means where they have a distribution.
        kinds: What the factors are.
        variant: ``standard`` or ``paper``.
        seed: Which split.

    Returns:
        The metrics, named ``dci_disentanglement``, ``dci_completeness``, ``dci_informativeness``,
        ``dci_informativeness_train``, each with ``[paper]`` in that variant. ``parts`` are values by the column that they
        are about; disentanglement and completeness weigh them by importance.

    Raises:
        MetricError: The arrays or settings cannot be used, fewer than two factors vary, or there is one unit.
    """
    if variant not in TEST_SHARE:
        raise MetricError(f"variant has to be 'standard' or 'paper'; got {variant!r}.")
    truth, units = tables(factors, codes, least=LEAST)
    kinds_each = kinds_of("factors", kinds, truth)
    kept = varying(truth, least=2)
    if units.shape[1] < 2:
        raise MetricError("codes have one unit; DCI compares units, and needs two or more.")
    names = names_of(kinds, truth.shape[1])
    of_factors, of_units = tuple(names[k] for k in kept), tuple(map(str, range(units.shape[1])))
    truth = truth[:, kept]
    if variant == "paper":
        classes = [False] * units.shape[1]
        learned = _learn(truth, units, classes, variant, seed)
        inputs, targets, importances = of_factors, of_units, learned.importances
    else:
        classes = [kinds_each[k] == "categorical" for k in kept]
        learned = _learn(units, truth, classes, variant, seed)
        inputs, targets, importances = of_units, of_factors, learned.importances.T
    suffix = bracketed("paper" if variant == "paper" else "")

    def mean_of(name: str, scores: NDArray[np.float64]) -> Result:
        parts = {at: float(score) for at, score in zip(targets, scores, strict=True) if np.isfinite(score)}
        return Result(f"dci_{name}{suffix}", float(np.mean(list(parts.values()))) if parts else 0.0, parts)

    return Dci(
        disentanglement=_concentration(f"dci_disentanglement{suffix}", learned.importances, inputs),
        completeness=_concentration(f"dci_completeness{suffix}", learned.importances.T, targets),
        informativeness=mean_of("informativeness", learned.test),
        informativeness_train=mean_of("informativeness_train", learned.train),
        importances=importances,
    )


@dataclass(frozen=True)
class _Learned:
    """Importances (inputs, targets), and the score of each target (targets,) on both parts; NaN for a constant target."""

    importances: NDArray[np.float64]
    train: NDArray[np.float64]
    test: NDArray[np.float64]


def _learn(
    inputs: NDArray[np.float64], targets: NDArray[np.float64], classes: list[bool], variant: str, seed: int
) -> _Learned:
    """Predict each target from all inputs, as a class or as a number."""
    # Trees read float32: in unit range, a small change on a large offset is still seen.
    inputs, scaled = unit_range(inputs), unit_range(targets)
    order = stream("dci", seed).permutation(len(inputs))
    held_back = round(len(inputs) * TEST_SHARE[variant])
    test, train = order[:held_back], order[held_back:]
    importances = np.zeros((inputs.shape[1], targets.shape[1]))
    scores = np.full((2, targets.shape[1]), np.nan)
    for at, is_class in enumerate(classes):
        target = np.unique(targets[:, at], return_inverse=True)[1] if is_class else scaled[:, at]
        if target.min() == target.max():
            continue
        if is_class and len(np.unique(target[train])) == 1:
            # All other levels are rare and were held back. Boosting refuses to learn a single one; it is answered always.
            scores[:, at] = 1.0, np.mean(target[test] == target[train[0]])
            continue
        model = _model(is_class, seed).fit(inputs[train], target[train])
        importances[:, at] = model.feature_importances_
        scores[:, at] = [model.score(inputs[part], target[part]) for part in (train, test)]
    return _Learned(importances, *scores)


def _model(is_class: bool, seed: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    return GradientBoostingClassifier(random_state=seed) if is_class else GradientBoostingRegressor(random_state=seed)


def _concentration(name: str, importances: NDArray[np.float64], names: tuple[str, ...]) -> Result:
    """1 - entropy of each row, weighted by the rows' sums; the base is the number of columns."""
    total = importances.sum(axis=1)
    # A row of zeros comes out even, and has no weight.
    share = importances + _SMALL
    share /= share.sum(axis=1, keepdims=True)
    rows = np.clip(1 + (share * np.log(share)).sum(axis=1) / np.log(share.shape[1]), 0.0, 1.0)
    parts = {at: float(row) for at, row in zip(names, rows, strict=True)}
    return Result(name, float(np.average(rows, weights=total)) if total.any() else 0.0, parts, None)
