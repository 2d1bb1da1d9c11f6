"""Which levels of one factor are held out, by the rules of Schott et al. 2022 (arXiv 2107.08221, section 4.1, tables 2 and 3)."""

from __future__ import annotations

import math

import numpy as np


def inner_levels(n: int, share: float) -> list[int]:
    """Levels held out for interpolation: those of n that n - ceil(n share) evenly spaced points, rounded half to even, leave out.

    Both ends stay, where at least two levels do.
    """
    kept = np.rint(np.linspace(0, n - 1, n - _ceil(n * share))).astype(int).tolist()
    return sorted(set(range(n)) - set(kept))


def upper_levels(n: int, share: float) -> list[int]:
    """Levels held out for extrapolation: the ceil(n share) uppermost of n."""
    return list(range(n - _ceil(n * share), n))


def lower_levels(n: int, share: float) -> list[int]:
    """The ceil(n share) lowest of n levels."""
    return list(range(_ceil(n * share)))


def composition_share(factors: int, share: float) -> float:
    """Q' = 1 - (1 - (1 - share)^m)^(1/m) for m factors, so that composition holds out about as much as extrapolation."""
    return float(1 - (1 - (1 - share) ** factors) ** (1 / factors))


def composition_levels(n: int, share: float) -> list[int]:
    """Levels whose union over factors is the training set of the composition split: the floor(n share) lowest of n.

    Args:
        n: Levels of the factor.
        share: See :func:`composition_share`.
    """
    return list(range(math.floor(n * share + 1e-9)))


def kept_of(n: int, share: float) -> int:
    """How many of n levels training keeps, where ceil(n share) are held out."""
    return n - _ceil(n * share)


def _ceil(value: float) -> int:
    # 5 * 0.2 may come out a little above 1.
    return math.ceil(value - 1e-9)
