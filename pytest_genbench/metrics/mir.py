"""Mutual information ratio: is each unit informative about a single factor?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MetricError
from .arrays import Kinds, tables
from .columns import varying
from .information import (
    BINS,
    Binning,
    Correction,
    entropies,
    factor_labels,
    labels,
    mutual_information,
    settings_in_name,
)
from .result import Result

ACTIVE = 0.01
"""Share of the largest standard deviation that a unit has to exceed to count."""


@dataclass(frozen=True, eq=False)
class Mir(Result):
    """A mutual information ratio, with the ratios as published and the units that count.

    Attributes:
        ratios: r of each unit, float64 (D,), from 1/F to 1; NaN for an inactive unit.
    """

    ratios: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @property
    def active(self) -> int:
        """Number of active units."""
        return int(np.isfinite(self.ratios).sum())


def mir(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    kinds: Kinds = "categorical",
    bins: int = BINS,
    binning: Binning = "equal-width",
    normalize: Literal["none", "factor_entropy"] = "none",
    active: float | None = ACTIVE,
    correction: Correction | None = None,
) -> Mir:
    """Mutual information ratio (Whittington et al. 2023).

    For each unit r = max over factors of its mutual information / the sum over factors. With F factors, the score is
    (mean of r over active units - 1/F) / (1 - 1/F). It speaks of modularity, not of completeness: duplicating every unit does
    not change it.

    Pure noise is not 0: independent units score about 0.1 whatever N, because the plug-in estimate gives them a little
    information about everything, unequally. Dead units pull the mean there unless `active` leaves them out; compare with
    :func:`~pytest_genbench.metrics.chance.chance`. Without normalisation, units lean to factors of many levels.

    Args:
        factors: True values (N, K). Categorical ones are used level by level, continuous ones are cut like units. Factors of one
            level are left out and do not count in F.
        codes: Values of the units (N, D), means where they have a distribution.
        kinds: What the factors are.
        bins: Bins for each unit and each continuous factor.
        binning: ``equal-width``, ``quantile``, or ``levels`` for units that take few values, each its own bin.
        normalize: ``factor_entropy`` divides the information about each factor by the factor's entropy.
        active: A unit counts if its standard deviation exceeds this share of the largest one; None counts all. In either case a
            unit without information about any factor is inactive.
        correction: ``miller-madow`` takes an estimate of the excess away from each mutual information (and each entropy).

    Returns:
        From 0 (every active unit equally informative about all factors, or no active unit) to 1. ``parts`` are the terms of the
        mean, (r - 1/F) / (1 - 1/F), by active unit, whose name is its column; ``ratios`` are the r; ``matrix`` is the mutual
        information, normalised if asked for, (kept factors, D).

    Raises:
        MetricError: The arrays or settings cannot be used, or fewer than two factors vary.

    Example:
        >>> factors = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> rotated = factors @ [[1, 1], [1, -1]]
        >>> float(mir(factors, factors)), float(mir(factors, rotated))
        (1.0, 0.0)
    """
    if normalize not in ("none", "factor_entropy"):
        raise MetricError(f"normalize has to be 'none' or 'factor_entropy'; got {normalize!r}.")
    if active is not None and not 0 <= active < 1:
        raise MetricError(f"active has to be a share from 0 to below 1, or None; got {active!r}.")
    truth, units = tables(factors, codes)
    cut = factor_labels(truth, kinds, bins, binning)
    entropy = entropies(cut, correction)
    kept = varying(cut, least=2)
    information = mutual_information(cut[:, kept], labels(units, bins, binning), correction)
    if normalize == "factor_entropy":
        information /= entropy[kept, None]
    counts = (information.sum(axis=0) > 0) & _moving(units, active)
    ratios = np.full(units.shape[1], np.nan)
    ratios[counts] = information[:, counts].max(axis=0) / information[:, counts].sum(axis=0)
    even = 1 / len(kept)
    # Rounding may put the ratio of a perfectly even unit below 1/F.
    terms = np.maximum((ratios - even) / (1 - even), 0.0)
    said = (
        normalize if normalize != "none" else "",
        "" if active == ACTIVE else f"active={'all' if active is None else active}",
        correction or "",
    )
    return Mir(
        name="mir" + settings_in_name(bins, binning, *said),
        value=float(terms[counts].mean()) if counts.any() else 0.0,
        parts={str(unit): float(terms[unit]) for unit in np.flatnonzero(counts)},
        matrix=information,
        ratios=ratios,
    )


def _moving(units: NDArray[np.float64], active: float | None) -> NDArray[np.bool_]:
    """Find the units that vary enough (D,)."""
    if active is None:
        return np.ones(units.shape[1], dtype=bool)
    # Relative to the largest value, so that squares of large values do not overflow.
    spread = (units / max(float(np.abs(units).max()), np.finfo(np.float64).tiny)).std(axis=0)
    moving: NDArray[np.bool_] = spread > active * spread.max()
    return moving
