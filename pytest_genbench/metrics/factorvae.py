"""FactorVAE score: does holding a factor fixed show in a unit that tells which factor it was?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from ..hierarchy import Kind
from ..rng import stream
from .arrays import Kinds, kinds_of, names_of, tables
from .columns import bracketed, unit_range, varying
from .result import Result

BATCH = 64
PRUNE = 0.05

_TIE, _NOTHING = 1e-9, 1e-20
"""Units that vanish together, or are copies of each other, tie whatever their scale: rounding sets variances of copies apart by
some 1e-16 of themselves, and gives equal values one of some 1e-32."""


@dataclass(frozen=True, eq=False)
class FactorVae(Result):
    """A FactorVAE score, with what it was learned from.

    Attributes:
        train: Accuracy on the votes that the classifier was made from.
        active: Number of units that were not pruned.
    """

    train: float = 0.0
    active: int = 0


def factorvae_score(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    kinds: Kinds = "categorical",
    seed: int = 0,
    train_votes: int = 4000,
    eval_votes: int = 2000,
    batch: int = BATCH,
    prune: float | None = PRUNE,
) -> FactorVae:
    """FactorVAE score (Kim & Mnih 2018, section 4), for a given set of samples as in Ross & Doshi-Velez (2021).

    A vote: choose a factor and a sample; take `batch` samples that agree with it in that factor; the unit whose variance, relative
    to its variance over all samples, is least gets the vote. A majority classifier from units to factors is made from the train
    votes; its accuracy on the others is the score. Chance is 1/K. Factors take turns, where the papers draw them: the same mean,
    with less noise.

    Where fewer than `batch` samples agree in a continuous factor, the nearest are taken. At equal variances the first unit gets
    the vote, so that the order of units matters where several of them vanish together.

    Args:
        factors: True values (N, K), N at least twice `batch`. Factors of one level are left out.
        codes: Values of the units (N, D), means where they have a distribution.
        kinds: What the factors are. Each level of a categorical one needs `batch` samples: levels have no nearest ones.
        seed: Which samples are drawn.
        train_votes: Votes the classifier is made from, at least K.
        eval_votes: Votes it is scored on, at least K. With p the score, its standard error is about sqrt(p(1 - p) / eval_votes).
        batch: Samples in a vote, at least 2.
        prune: Units with a smaller standard deviation are left out, in the units' own scale; None leaves out constant ones only.

    Returns:
        From 0 to 1; 0 if no unit is active. ``parts`` are accuracies by factor; ``matrix`` counts the train votes,
        (kept factors, D).

    Raises:
        MetricError: The arrays or settings cannot be used, every factor has one level, or a level has too few samples.
    """
    _check(batch, prune)
    truth, units = tables(factors, codes, least=2 * batch)
    kinds_each = kinds_of("factors", kinds, truth)
    kept = varying(truth)
    if min(train_votes, eval_votes) < len(kept):
        raise MetricError(
            f"{min(train_votes, eval_votes)} votes do not reach {len(kept)} factors; give train_votes and eval_votes more."
        )
    names = [names_of(kinds, truth.shape[1])[k] for k in kept]
    matches = [_Matches(truth[:, k], batch, kinds_each[k], name) for k, name in zip(kept, names, strict=True)]
    votes = {"train": np.zeros((len(kept), units.shape[1])), "eval": np.zeros((len(kept), units.shape[1]))}
    active = _active(units, prune)
    if active.any():
        # In unit range, variances neither overflow nor vanish; their ratios are the same.
        scaled = unit_range(units[:, active])
        spread = scaled.var(axis=0, ddof=1)
        for (purpose, counts), number in zip(votes.items(), (train_votes, eval_votes), strict=True):
            draw = stream("factorvae", purpose, seed)
            for vote in range(number):
                at = vote % len(kept)
                rows = matches[at].rows(int(draw.integers(len(scaled))), draw)
                share = scaled[rows].var(axis=0, ddof=1) / spread
                winner = np.argmax(share <= share.min() * (1 + _TIE) + _NOTHING)
                counts[at, np.flatnonzero(active)[winner]] += 1
    chosen = votes["train"].argmax(axis=0)
    right = {purpose: _accuracy(counts, chosen) for purpose, counts in votes.items()}
    said = (f"batch={batch}" if batch != BATCH else "", f"prune={prune}" if prune != PRUNE else "")
    return FactorVae(
        name="factorvae_score" + bracketed(*said),
        value=float(right["eval"].mean()),
        parts={name: float(share) for name, share in zip(names, right["eval"], strict=True)},
        matrix=votes["train"],
        train=float(right["train"].mean()),
        active=int(active.sum()),
    )


def _check(batch: int, prune: float | None) -> None:
    if batch < 2:
        raise MetricError(f"batch has to be 2 or more, for a variance; got {batch}.")
    if prune is not None and not prune >= 0:
        raise MetricError(f"prune has to be a standard deviation from 0, or None; got {prune!r}.")


def _active(units: NDArray[np.float64], prune: float | None) -> NDArray[np.bool_]:
    """Find the units (D,) that vary, and vary enough."""
    scaled = unit_range(units)
    moving: NDArray[np.bool_] = scaled.max(axis=0) > 0
    if prune is not None:
        # A quarter of every value, as the whole span may not fit into float64.
        span = units.max(axis=0) / 4 - units.min(axis=0) / 4
        moving &= scaled.std(axis=0, ddof=1) * span >= prune / 4
    return moving


def _accuracy(votes: NDArray[np.float64], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of each factor's votes (K, D) that went to units which the classifier (D,) gives to that factor: float64 (K,)."""
    right = (votes * (chosen == np.arange(len(votes))[:, None])).sum(axis=1)
    share: NDArray[np.float64] = right / np.maximum(votes.sum(axis=1), 1)
    return share


class _Matches:
    """Samples that agree with a given one in one factor.

    Args:
        factor: Its values (N,).
        batch: How many samples are wanted.
        kind: What the factor is.
        name: What it is called in errors.
    """

    def __init__(self, factor: NDArray[np.float64], batch: int, kind: Kind, name: str) -> None:
        self._factor = unit_range(factor[:, None])[:, 0]
        self._batch = batch
        self._order = np.argsort(self._factor, kind="stable")
        self._sorted = self._factor[self._order]
        levels, counts = np.unique(factor, return_counts=True)
        if kind == "categorical" and counts.min() < batch:
            raise MetricError(
                f"Level {levels[counts.argmin()]:g} of factor {name} has {counts.min()} samples; batches of {batch} need as "
                "many in every level. Give it more samples, or a smaller batch."
            )

    def rows(self, sample: int, draw: np.random.Generator) -> NDArray[np.int64]:
        """Rows (batch,) that agree with a sample, drawn where there are more, or else the nearest ones."""
        value = self._factor[sample]
        first, end = (int(np.searchsorted(self._sorted, value, side=side)) for side in ("left", "right"))
        if end - first >= self._batch:
            return self._order[first + draw.choice(end - first, self._batch, replace=False)]
        near = self._order[max(0, first - self._batch) : end + self._batch]
        return near[np.argsort(np.abs(self._factor[near] - value), kind="stable")[: self._batch]]
