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

from ..scores import LEVEL, Interval, Score, over_seeds, resampling_weights
from .schema import Case, Document

Change = Literal["regressed", "improved", "same"]

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

    def change(self, better: Literal["higher", "lower"], tolerance: float) -> Change:
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


def obstacles(old_case: Case, old: Score, new_case: Case, new: Score) -> str:
    """Say what makes two scores of the same metric incomparable: empty where nothing does."""
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
    if was != now:
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
    common = sorted(old.clusters.keys() & new.clusters.keys())
    if not common:
        return None
    was = np.array([old.clusters[name] for name in common], dtype=np.float64)
    now = np.array([new.clusters[name] for name in common], dtype=np.float64)
    weights = _weights(len(common))
    value = float(now[:, 1].sum() / now[:, 0].sum() - was[:, 1].sum() / was[:, 0].sum())
    resampled = (weights @ now[:, 1]) / (weights @ now[:, 0]) - (weights @ was[:, 1]) / (weights @ was[:, 0])
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    everything = len(old.clusters.keys() | new.clusters.keys())
    return Difference(
        value=value,
        interval=Interval(float(low), float(high), "paired cluster bootstrap"),
        detectable=max(tolerance, _Z * float(resampled.std())),
        units=len(common),
        note="" if len(common) == everything else f"over the {len(common)} of {everything} clusters that both have",
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
