"""Pair the scores of two runs: find the counterpart, say what forbids a comparison, and measure the difference."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..rng import stream
from ..scores import LEVEL, RESAMPLES, Better, Interval, Score, over_seeds, resampling_weights
from .schema import Case, Document

Change = Literal["regressed", "improved", "same"]

UNPAIRED = "no cluster is stored in both, so chance cannot be told from change"
"""Why two scores are not comparable whose difference cannot be measured."""

POWER = 0.80
"""Chance of finding a true drop of the minimum detectable size."""

_Z = 2.8
"""1.96 + 0.84: standard errors between no drop and one found with 80 % power by a two-sided test at 5 %."""

_ROUNDING = 1e-12
"""A drop of exactly the tolerance is allowed, whatever binary fractions make of it."""


@dataclass(frozen=True)
class Difference:
    """How far a score moved between two runs, measured on the same items.

    Attributes:
        value: New minus old, over the clusters that both have.
        interval: 95 % interval of the paired difference.
        detectable: Smallest true drop that would be found with 80 % power, at least the tolerance.
        units: Clusters or seeds it rests on.
        note: What a reader should know, such as clusters left out; may be empty.
    """

    value: float
    interval: Interval
    detectable: float
    units: int
    note: str = ""

    def change(self, better: Better, tolerance: float) -> Change:
        """Say what it means: a change counts when it is larger than `tolerance` and its interval excludes 0."""
        significant = self.interval.low > 0 or self.interval.high < 0
        if not significant or abs(self.value) <= tolerance + _ROUNDING:
            return "same"
        return "improved" if (self.value > 0) == (better == "higher") else "regressed"


class Counterparts:
    """The cases of a document, to be found again by cases of another run.

    Args:
        document: The older run.
    """

    def __init__(self, document: Document) -> None:
        self._exact = {case.key: case for case in document.cases}
        self._loose: dict[tuple[str, ...], list[Case]] = {}
        for case in document.cases:
            self._loose.setdefault(_loose_key(case), []).append(case)

    def find(self, case: Case, taken: Container[tuple[str, ...]] = ()) -> Case | None:
        """Return the same test, or else the same test at another preset or benchmark version, or None.

        Args:
            case: A case of the newer run.
            taken: Keys that the newer run has itself: those are no stand-ins for another preset.
        """
        if case.key in self._exact:
            return self._exact[case.key]
        others = [other for other in self._loose.get(_loose_key(case), []) if other.key not in taken]
        # A change of one thing is easier to understand than a change of two.
        return min(others, key=lambda other: (other.preset != case.preset, other.key), default=None)


def obstacles(old_case: Case, old: Score, new_case: Case, new: Score, *, one_model: bool = True) -> str:
    """Say what makes two scores of the same metric incomparable: empty where nothing does.

    Args:
        old_case: The case of the older run.
        old: Its score.
        new_case: The case of the newer run.
        new: Its score.
        one_model: Whether both are runs of one model, whose contract then has to be the same; two models may differ in it.
    """
    # Another number of samples asked for changes nothing where both runs took all items there are.
    is_sampled = not (old.is_census and new.is_census)
    found = [
        f"{name}: {_show(was)} there, {_show(now)} here"
        for name, was, now in (
            ("preset", old_case.preset, new_case.preset),
            ("benchmark version", old_case.version, new_case.version),
            ("samples", old_case.samples if is_sampled else "", new_case.samples if is_sampled else ""),
            ("judge", old.judge, new.judge),
        )
        if was != now
    ]
    was, now = _plain(old_case.model.get("contract", {})), _plain(new_case.model.get("contract", {}))
    if one_model and was != now:
        found += [f"contract {part}" for part in _changes(was, now)]
    return "; ".join(found)


def same_score(scores: Sequence[Score], wanted: Score) -> Score | None:
    """Return the score of the same metric, condition and judge; None where there is none."""
    for score in scores:
        if (score.metric, score.condition, score.judge) == (wanted.metric, wanted.condition, wanted.judge):
            return score
    return None


def other_judge(scores: Sequence[Score], wanted: Score) -> Score | None:
    """Return a score of the same metric and condition by another judge; None where there is none."""
    for score in scores:
        if (score.metric, score.condition) == (wanted.metric, wanted.condition) and score.judge != wanted.judge:
            return score
    return None


def allowed(tolerance: float, better: Better, old: float) -> float:
    """Return by how much a score may drop from its old value.

    A loss has a scale of its own, not that of a fraction: for it the tolerance is a share of the old value.
    """
    return tolerance if better == "higher" else tolerance * abs(old)


def paired(old: Score, new: Score, tolerance: float) -> Difference | None:
    """Measure the paired difference of two scores by the cluster bootstrap.

    Both runs are resampled with the same weights, so that what makes a cluster hard for both cancels out.

    Args:
        old: The older score.
        new: The newer score, of the same metric.
        tolerance: Least value of :attr:`Difference.detectable`.

    Returns:
        The difference; None where no cluster is in both, so that nothing can be said about chance. With a single
        cluster, or when all clusters differ alike, the interval has no width.
    """
    value, resampled, units = _resampled(old, new)
    if not units:
        return None
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    everything = len(old.clusters.keys() | new.clusters.keys())
    return Difference(
        value=value,
        interval=Interval(float(low), float(high), "paired cluster bootstrap"),
        detectable=max(tolerance, _Z * float(resampled.std())),
        units=units,
        note="" if units == everything else f"over the {units} of {everything} clusters that both have",
    )


def paired_seeds(pairs: Sequence[tuple[Score, Score]], tolerance: float) -> Difference | None:
    """Measure the paired difference over seeds: by :func:`paired` for one, else by Student's t over their differences.

    Args:
        pairs: Old and new score of each seed that both runs have, at least one.
        tolerance: As in :func:`paired`.
    """
    if len(pairs) == 1:
        return paired(*pairs[0], tolerance)
    from scipy.stats import t

    differences = [new.value - old.value for old, new in pairs]
    interval = over_seeds(differences)
    freedom = len(differences) - 1
    error = float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    detectable = float(t.ppf((1 + LEVEL) / 2, freedom) + t.ppf(POWER, freedom)) * error
    return Difference(float(np.mean(differences)), interval, max(tolerance, detectable), len(differences))


def paired_splits(splits: Sequence[Sequence[tuple[Score, Score]]]) -> Difference | None:
    """Measure the paired difference of the means over splits, each split counting the same.

    A model is often trained for each split, and is wrong in its own way on each, so that splits vary beyond what their items say.
    With one seed both splits and clusters are therefore resampled, each of them with the same weights for both models (the
    bootstrap of two crossed factors, Owen 2007, The pigeonhole bootstrap, section 3); of one split this is :func:`paired`. With
    several seeds the interval is Student's t over the differences that seeds have, each averaged over splits.

    Args:
        splits: Of each split the old and the new score of each seed; the same seeds in all of them.

    Returns:
        The difference, without a smallest detectable drop; its units are seeds, or splits, or the clusters of the only split. None
        where that has fewer than two clusters that both have, so that nothing can be said about chance.
    """
    seeds = len(splits[0])
    if seeds > 1:
        values = np.array([[new.value - old.value for old, new in pairs] for pairs in splits])
        by_seed = values.mean(axis=0)
        return Difference(float(by_seed.mean()), over_seeds(by_seed.tolist()), 0.0, seeds)
    if len(splits) == 1:
        ((old, new),) = splits[0]
        return paired(old, new, 0.0) if len(old.clusters.keys() & new.clusters.keys()) > 1 else None
    found = [_resampled(old, new) for ((old, new),) in splits]
    resampled = np.stack([values for _, values, _ in found], axis=1)
    drawn = _split_weights(len(splits))
    low, high = np.quantile((drawn * resampled).sum(axis=1) / len(splits), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    interval = Interval(float(low), float(high), "paired bootstrap of splits and clusters")
    return Difference(float(np.mean([value for value, _, _ in found])), interval, 0.0, len(splits))


def _resampled(old: Score, new: Score) -> tuple[float, NDArray[np.float64], int]:
    """The difference of two scores over the clusters that both have, that of each resample, and how many clusters these are.

    Every pair with as many clusters is given the same weights: splits that are tested on the same words share their luck.
    """
    common = sorted(old.clusters.keys() & new.clusters.keys())
    if not common:
        value = new.value - old.value
        return value, np.full(RESAMPLES, value), 0
    was = np.array([old.clusters[name] for name in common], dtype=np.float64)
    now = np.array([new.clusters[name] for name in common], dtype=np.float64)
    weights = _weights(len(common))
    value = float(now[:, 1].sum() / now[:, 0].sum() - was[:, 1].sum() / was[:, 0].sum())
    resampled = (weights @ now[:, 1]) / (weights @ now[:, 0]) - (weights @ was[:, 1]) / (weights @ was[:, 0])
    return value, resampled, len(common)


@lru_cache(maxsize=16)
def _split_weights(splits: int) -> NDArray[np.float64]:
    """How often each split is drawn in each resample, independently of the clusters: float64 (RESAMPLES, splits)."""
    draw = stream("bootstrap of splits", splits)
    return draw.multinomial(splits, np.full(splits, 1 / splits), size=RESAMPLES).astype(np.float64)


@lru_cache(maxsize=16)
def _small_weights(clusters: int) -> NDArray[np.float64]:
    return resampling_weights(clusters)


def _weights(clusters: int) -> NDArray[np.float64]:
    """Resampling weights; kept where they are small, because a document asks for the same few sizes again and again."""
    return _small_weights(clusters) if clusters <= 256 else resampling_weights(clusters)


def _loose_key(case: Case) -> tuple[str, ...]:
    """The key without preset and version."""
    return (case.benchmark, case.family, case.split, case.factor, case.output, str(case.seed))


def _plain(value: Any) -> Any:
    """Forget whether it was a tuple: JSON does too."""
    return json.loads(json.dumps(value, default=str))


def _changes(was: Any, now: Any) -> list[str]:
    """Name the entries in which two contracts differ."""
    if not isinstance(was, Mapping) or not isinstance(now, Mapping):
        return [f"{_show(was)} there, {_show(now)} here"]
    return [
        f"{name}: {_show(was.get(name))} there, {_show(now.get(name))} here"
        for name in sorted(was.keys() | now.keys())
        if was.get(name) != now.get(name)
    ]


def _show(value: Any) -> str:
    return "nothing" if value in (None, "") else str(value)
