"""Scores: streaming sums per cluster, and the intervals around their means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import GenbenchError
from .rng import stream

ENDLESS = 10**12
"""Population of items that a generator draws without end: whatever is tested is a sample."""

LEVEL = 0.95
"""Coverage of every interval."""

RESAMPLES = 2000
"""Bootstrap resamples; the 2.5 % bound then rests on 50 of them."""

Condition = Literal["held-out", "in-split", "all"]
Better = Literal["higher", "lower"]
Source = Literal["computed", "published", "people"]


_WRITTEN = {
    "bce": "BCE",
    "dci": "DCI",
    "factorvae": "FactorVAE",
    "id": "ID",
    "mig": "MIG",
    "mir": "MIR",
    "ood": "OOD",
    "r": "R",
    "r2": "R²",
    "sap": "SAP",
}
"""Names that are not written as words are."""


def title(metric: str) -> str:
    """Write a metric's name for people: ``target probability``, ``MIR letters``, ``R_c fast``."""
    if metric.startswith("r_c_"):
        return f"R_c {title(metric.removeprefix('r_c_'))}"
    return " ".join(_WRITTEN.get(word, word) for word in metric.split("_"))


@dataclass(frozen=True)
class Interval:
    """A 95 % interval and how it was made: ``Wilson``, ``cluster bootstrap`` or ``t over seeds``."""

    low: float
    high: float
    method: str


@dataclass(frozen=True)
class Score:
    """A number that says how well a model did on one set of items.

    Attributes:
        metric: What was measured, such as ``target_probability``.
        value: The mean over items, float64.
        n: Items evaluated.
        population: Items there are; equal to `n` for a census, which has no sampling interval.
        condition: ``held-out`` (what training never showed), ``in-split`` (what it may have shown), or ``all`` items of a data set.
        judge: Who read the output, with its version; empty where nobody had to.
        interval: 95 % interval; None for a census.
        clusters: For each cluster (the unit of meaning: a word, a problem) its number of items and their sum; or, of a score that
            is no mean over items, 1 and the value for each part that it is the mean of (a factor, a unit).
        better: Which way the metric improves.
    """

    metric: str
    value: float
    n: int
    population: int
    condition: Condition = "held-out"
    judge: str = ""
    interval: Interval | None = None
    clusters: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    better: Better = "higher"

    @property
    def is_census(self) -> bool:
        """Whether every item there is was evaluated."""
        return self.n == self.population


@dataclass(frozen=True)
class Anchor:
    """A reference value to read a score by.

    Attributes:
        name: ``chance``, ``identity``, ``nearest training image`` …
        metric: The metric it is a value of.
        value: The value, or its lower bound where `note` says so.
        source: ``computed`` on the same items, ``published`` or ``people``.
        judge: As in :class:`Score`.
        note: Where it comes from, or how many items it was computed on.
    """

    name: str
    metric: str
    value: float
    source: Source = "computed"
    judge: str = ""
    note: str = ""


class Tally:
    """Sums of one metric per cluster; memory does not grow with the number of items.

    Args:
        metric: Name of the metric.
        clusters: Names of all clusters; their positions are the cluster numbers given to :meth:`add`.
        proportion: Whether values are 0 or 1, which allows the Wilson interval.
        judge: As in :class:`Score`.
        better: As in :class:`Score`.
    """

    def __init__(
        self,
        metric: str,
        clusters: Sequence[str],
        *,
        proportion: bool = False,
        judge: str = "",
        better: Better = "higher",
    ) -> None:
        self.metric = metric
        self._names = clusters
        self._proportion = proportion
        self._judge = judge
        self._better: Better = better
        self._counts = np.zeros(len(clusters), dtype=np.int64)
        self._sums = np.zeros(len(clusters), dtype=np.float64)

    def add(self, values: ArrayLike, cluster: NDArray[np.int64]) -> None:
        """Add a batch: values (N,) of any real dtype, and the cluster number (N,) of each."""
        self._counts += np.bincount(cluster, minlength=len(self._counts))
        weights = np.asarray(values, dtype=np.float64)
        self._sums += np.bincount(cluster, weights=weights, minlength=len(self._sums))

    def score(self, population: int, condition: Condition = "held-out") -> Score:
        """Return the mean over all items added.

        Args:
            population: How many items there are to draw from.
            condition: As in :class:`Score`.

        Raises:
            GenbenchError: Nothing was added.
        """
        n = int(self._counts.sum())
        if n == 0:
            raise GenbenchError(f"{self.metric}: nothing was evaluated; the split has no items of this condition.")
        total = float(self._sums.sum())
        used = [int(cluster) for cluster in np.flatnonzero(self._counts)]
        return Score(
            metric=self.metric,
            value=total / n,
            n=n,
            population=population,
            condition=condition,
            judge=self._judge,
            interval=None if n == population else self._interval(n, total),
            clusters={self._names[c]: (int(self._counts[c]), float(self._sums[c])) for c in used},
            better=self._better,
        )

    def _interval(self, n: int, total: float) -> Interval:
        if self._proportion:
            return wilson(round(total), n)
        used = self._counts > 0
        return cluster_bootstrap(self._counts[used], self._sums[used])


def wilson(successes: int, n: int) -> Interval:
    """Wilson's 95 % interval for a proportion (Wilson 1927).

    Raises:
        GenbenchError: `n` is 0, or `successes` is not between 0 and `n`.
    """
    if not 0 <= successes <= n or n == 0:
        raise GenbenchError(f"A proportion needs 0 <= successes <= n and n > 0; got {successes} of {n}.")
    from scipy.stats import binomtest

    bounds = binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return Interval(float(bounds.low), float(bounds.high), "Wilson")


def cluster_bootstrap(counts: ArrayLike, sums: ArrayLike) -> Interval:
    """95 % percentile interval of a mean, resampling whole clusters.

    Items of one cluster (one word at many positions) succeed and fail together, so that resampling items would claim more than
    the data know.

    Args:
        counts: Items in each cluster (C,), each at least 1.
        sums: Sum of the values of each cluster (C,).

    Returns:
        The interval. It has no width for a single cluster.
    """
    counts, sums = np.asarray(counts, dtype=np.float64), np.asarray(sums, dtype=np.float64)
    weights = resampling_weights(len(counts))
    means = (weights @ sums) / (weights @ counts)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high), "cluster bootstrap")


def resampling_weights(clusters: int) -> NDArray[np.float64]:
    """How often each cluster is drawn in each resample: float64 (RESAMPLES, clusters), the same on every call."""
    draw = stream("bootstrap", clusters)
    return draw.multinomial(clusters, np.full(clusters, 1 / clusters), size=RESAMPLES).astype(np.float64)


def over_seeds(values: Sequence[float]) -> Interval:
    """95 % interval of the mean over independently trained seeds, by Student's t.

    Args:
        values: One value for each seed, at least two.

    Raises:
        GenbenchError: Fewer than two values.
    """
    if len(values) < 2:
        raise GenbenchError(f"An interval over seeds needs at least two seeds; got {len(values)}.")
    from scipy.stats import t

    centre = float(np.mean(values))
    half = float(t.ppf((1 + LEVEL) / 2, len(values) - 1)) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Interval(centre - half, centre + half, "t over seeds")
