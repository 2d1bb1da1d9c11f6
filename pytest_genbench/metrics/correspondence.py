"""How well two variables determine each other: R² both ways (Ross & Doshi-Velez 2021, section 5).

A model predicts the one variable from the other, and is scored on samples it was not fitted to: by R² where the target is
continuous, by accuracy where it is categorical. The published recipe fits scikit-learn's gradient-boosted trees, ten models for
each pair of variables (estimator ``gbdt``). Estimator ``fast`` fits the same trees, many models at once. It cuts inputs into bins
that have very many values, which changes mean scores by less than 0.01; see :mod:`~pytest_genbench.metrics.boosting`.

The published rules have quirks: a target that is constant in the training or the test part scores 1, so that any two variables
match perfectly on four samples; and a target is taken for categorical if it has ten or fewer values, all whole numbers. They are
kept in variant ``paper``. In variant ``default`` kinds are told, not guessed, and a constant target tells nothing and scores 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from ..hierarchy import Kind
from ..rng import stream
from .arrays import kinds_of, table, tables
from .binning import Cut, Floats, Ints, cut
from .boosting import classify, regress
from .result import Result

Estimator = Literal["fast", "gbdt"]
Variant = Literal["default", "paper"]

REPEATS = 5
"""Random splits of the published recipe; 75 % of the samples are for training."""

FEW_VALUES = 10
"""Most values of a target that variant ``paper`` takes for categorical."""

BINS: dict[Kind, int] = {"continuous": 512, "categorical": 1024}
"""Most bins of an input by what is predicted; boosted classifiers follow single samples, which fewer bins would hide."""


def correspondence_r2(
    x: ArrayLike,
    y: ArrayLike,
    *,
    kinds: tuple[Kind, Kind] = ("continuous", "continuous"),
    estimator: Estimator = "fast",
    variant: Variant = "default",
    seed: int = 0,
    repeats: int = REPEATS,
    splits: Iterable[ArrayLike] | None = None,
) -> Result:
    """R² of two variables, both ways (Ross & Doshi-Velez 2021, section 5).

    The square root of R²(x → y) times R²(y → x), each the mean over several splits, and 0 where that is negative. It is 1 where
    the variables are the same but for a strictly monotone map, and 0 where either cannot be predicted from the other. Boosted trees
    fit some noise, so that few samples score below the best possible model: compare only what was computed from equally many.
    Categorical variables that have nothing in common score the geometric mean of their most frequent values' shares, not 0.

    Args:
        x: Values (N,).
        y: Values of the same samples (N,).
        kinds: What x and y are; categorical ones hold whole numbers. Variant ``paper`` guesses.
        estimator: ``fast``, or ``gbdt`` for the published recipe's scikit-learn models.
        variant: ``default`` or ``paper``: what a constant target scores, see the module.
        seed: Of the random splits. They depend on it and on N alone, so that several pairs have the same.
        repeats: Number of random splits; a quarter of the samples is for testing.
        splits: Test samples of each split instead, int (n_test,) each; all others are for training.

    Returns:
        From 0 to 1. ``parts`` are ``x to y`` and ``y to x``: the means over splits, at most 1, below 0 where predictions are worse
        than the mean.

    Raises:
        MetricError: The arrays or settings cannot be used.

    Example:
        >>> x = np.linspace(-1, 1, 200)
        >>> round(float(correspondence_r2(x, np.exp(x))), 2), round(float(correspondence_r2(x, x**2)), 2)
        (1.0, 0.0)
    """
    values = _columns(x, y)
    check(estimator, variant, repeats)
    told = kinds_of("x and y", kinds, values)
    tests = split(len(values), seed, repeats) if splits is None else _explicit(splits, len(values))
    first, second = (Variable(column, tests) for column in values.T)
    tasks = [Task(first, second, told[1]), Task(second, first, told[0])]
    forth, back = means(tasks, estimator, variant)
    return Result(
        name=f"correspondence_r2[{label(estimator, variant)}]",
        value=both_ways(forth, back),
        parts={"x to y": float(forth), "y to x": float(back)},
    )


def r2(
    x: ArrayLike,
    y: ArrayLike,
    *,
    test: ArrayLike,
    kind: Kind = "continuous",
    estimator: Estimator = "fast",
    variant: Variant = "default",
) -> float:
    """Score of predicting y from x in a single split: R², or accuracy of a categorical y.

    Args:
        x: Values (N,).
        y: Values of the same samples (N,).
        test: The samples to score, int (n_test,); all others are for training.
        kind: What y is; variant ``paper`` guesses.
        estimator: As for :func:`correspondence_r2`, as is `variant`.
        variant: See there.

    Returns:
        At most 1; below 0 where predictions are worse than the mean of the tested samples.

    Raises:
        MetricError: The arrays or settings cannot be used.
    """
    values = _columns(x, y)
    check(estimator, variant, 1)
    kinds_of("y", (kind,), values[:, 1:])
    tests = _explicit([test], len(values))
    source, target = (Variable(column, tests) for column in values.T)
    return float(means([Task(source, target, kind)], estimator, variant)[0])


def split(n: int, seed: int, repeats: int = REPEATS) -> list[Ints]:
    """Choose the test samples of each split: ceil(n / 4) of n, in increasing order."""
    draw = stream("correspondence", n, seed)
    return [np.sort(draw.permutation(n)[: -(-n // 4)]) for _ in range(repeats)]


def both_ways(forth: float, back: float) -> float:
    """Put the means of both directions together."""
    return float(np.sqrt(max(forth, 0.0) * max(back, 0.0)))


def label(estimator: Estimator, variant: Variant) -> str:
    """Name what changes values, as it stands in brackets behind a metric's name."""
    return estimator if variant == "default" else f"{estimator}-{variant}"


def check(estimator: str, variant: str, repeats: int = REPEATS) -> None:
    """Check settings.

    Raises:
        MetricError: One is unknown, or there are no splits.
    """
    for name, value, known in (("estimator", estimator, get_args(Estimator)), ("variant", variant, get_args(Variant))):
        if value not in known:
            raise MetricError(f"{name} has to be {' or '.join(map(repr, known))}; got {value!r}.")
    if repeats < 1:
        raise MetricError(f"At least one split is needed; got repeats={repeats}.")


@dataclass(frozen=True, eq=False)
class Variable:
    """A variable to predict others from, or to be predicted.

    Attributes:
        values: float64 (n,).
        tests: The test samples of each split, int.
    """

    values: Floats
    tests: Sequence[Ints]
    _cuts: dict[int, list[Cut]] = field(default_factory=dict)

    @cached_property
    def scaled(self) -> Floats:
        """The values, divided by the power of two next to the greatest: exactly what they were, but their squares exist."""
        return np.ldexp(self.values, -int(np.frexp(np.abs(self.values).max())[1]))

    def cuts(self, kind: Kind) -> list[Cut]:
        """The input of each split in bins, to predict a target of that kind from."""
        bins = BINS[kind]
        if bins not in self._cuts:
            self._cuts[bins] = cut(self.scaled, self.tests, bins)
        return self._cuts[bins]

    def training(self, number: int) -> NDArray[np.bool_]:
        """Which samples a split leaves for training, bool (n,)."""
        mask = np.ones(len(self.values), dtype=bool)
        mask[self.tests[number]] = False
        return mask


@dataclass(frozen=True, eq=False)
class Task:
    """Predict a target from an input; both have the same splits.

    Attributes:
        input: What to predict from.
        target: What to predict.
        kind: What the target is.
    """

    input: Variable
    target: Variable
    kind: Kind

    @property
    def goal(self) -> Floats:
        """Values to predict: whole numbers of a categorical target, scaled ones of a continuous one."""
        return self.target.values if self.kind == "categorical" else self.target.scaled


def means(tasks: Sequence[Task], estimator: Estimator, variant: Variant) -> Floats:
    """Score each task: the mean over its splits, not clipped, float64 (tasks,)."""
    if variant == "paper":
        tasks = [Task(task.input, task.target, guessed(task.target.values)) for task in tasks]
    scores = [np.array([_settled(task, number, variant) for number in range(len(task.target.tests))]) for task in tasks]
    predict = _fast if estimator == "fast" else _gbdt
    for kind in get_args(Kind):
        fits = [
            (at, number)
            for at, task in enumerate(tasks)
            if task.kind == kind
            for number in np.flatnonzero(np.isnan(scores[at])).tolist()
        ]
        predictions = predict([(tasks[at], number) for at, number in fits], kind)
        for (at, number), predicted in zip(fits, predictions, strict=True):
            true = tasks[at].goal[tasks[at].target.tests[number]]
            scores[at][number] = _score(true, predicted, kind)
    return np.array([_mean(each) for each in scores])


def guessed(values: Floats) -> Kind:
    """Guess what a variable is, as published: categorical if it has ten or fewer values, all of them whole numbers."""
    few = len(np.unique(values)) <= FEW_VALUES and np.allclose(values, np.trunc(values))
    return "categorical" if few else "continuous"


def _settled(task: Task, number: int, variant: Variant) -> float:
    """Score a split that needs no model; NaN if it does need one, infinite if it cannot be scored."""
    target = task.target.scaled
    if len(target) < 2:
        return 0.0
    constant = np.ptp(target[task.target.tests[number]]) == 0
    if variant == "paper":
        return 1.0 if constant or np.ptp(target[task.target.training(number)]) == 0 else np.nan
    # The accuracy of one class is defined where it is not the only one there is; R² is not.
    if constant and (task.kind == "continuous" or np.ptp(target) == 0):
        return np.inf
    return np.nan


def _mean(scores: Floats) -> float:
    """Mean of the splits that could be scored; 0 if none could."""
    scored = scores[scores < np.inf]
    return float(scored.mean()) if len(scored) else 0.0


def _score(true: Floats, predicted: NDArray[Any], kind: Kind) -> float:
    if kind == "categorical":
        return float((true == predicted).mean())
    return 1 - float(np.square(true - predicted).sum() / np.square(true - true.mean()).sum())


def _fast(fits: Sequence[tuple[Task, int]], kind: Kind) -> Sequence[NDArray[Any]]:
    cuts = [task.input.cuts(kind)[number] for task, number in fits]
    if kind == "categorical":
        return classify(cuts, [task.goal.astype(np.intp) for task, _ in fits])
    return regress(cuts, [task.goal for task, _ in fits])


def _gbdt(fits: Sequence[tuple[Task, int]], kind: Kind) -> Sequence[NDArray[Any]]:
    """Fit scikit-learn's trees with their defaults; with one input their own random state changes nothing.

    They take inputs closer than 1e-7 for equal: hence scaled ones.
    """
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    make = GradientBoostingClassifier if kind == "categorical" else GradientBoostingRegressor
    predictions = []
    for task, number in fits:
        training, test = task.input.training(number), task.input.tests[number]
        x, y = task.input.scaled[:, None], task.goal
        if np.ptp(y[training]) == 0:
            predictions.append(np.full(len(test), y[training][0]))
        else:
            predictions.append(make(random_state=0).fit(x[training], y[training]).predict(x[test]))
    return predictions


def _columns(x: ArrayLike, y: ArrayLike) -> Floats:
    left, right = (table(name, values) for name, values in (("x", x), ("y", y)))
    if left.shape[1] != 1 or right.shape[1] != 1:
        raise MetricError(f"x and y need one column each; got {left.shape[1]} and {right.shape[1]}.")
    return np.hstack(tables(left, right))


def _explicit(splits: Iterable[ArrayLike], n: int) -> list[Ints]:
    tests = []
    for each in splits:
        test = np.asarray(each)
        if test.dtype.kind not in "iu" or test.ndim != 1 or not 0 < len(test) < n:
            raise MetricError(
                f"A split needs the whole-numbered indices of its test samples, between 1 and {n - 1} of them; got an array of "
                f"dtype {test.dtype} and shape {test.shape}."
            )
        if test.min() < 0 or test.max() >= n or len(np.unique(test)) < len(test):
            raise MetricError(f"Indices of test samples have to be from 0 to {n - 1}, each at most once.")
        tests.append(np.sort(test).astype(np.intp))
    if not tests:
        raise MetricError("At least one split is needed; got none.")
    return tests
