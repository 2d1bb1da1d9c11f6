"""Reference values that need no training (computed from the levels alone), and what is published."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ...scores import Anchor
from ...splits import Split
from ..grids import Design
from . import rule
from .modularity import ID, OOD, train_means
from .regression import METRIC, counted, variances

Guess = Callable[[NDArray[np.int64], NDArray[np.float64]], NDArray[np.float64]]
"""From how often training shows each level (n,), and the values of the levels (n,), to what is predicted at each level (n,)."""

_NOTES = {
    "training mean": "the same for every image",
    "nearest seen value": "right, but never leaves what training showed",
    "right where seen, else mean": "right on values that training showed, the training mean on others",
}


def of_split(design: Design, split: Split, *, published: bool) -> list[Anchor]:
    """R² of chance and of three predictors that know the truth in part, on all that a split tests; and what is published.

    Args:
        design: The grid.
        split: One of its splits.
        published: Whether the images are those that figures are published for.
    """
    shown, tested = (rule.counts(design, mask) for mask in (split.is_shown(), split.is_held_out()))
    names = design.grid.names
    found = []
    for name, guess in _GUESSES.items():
        r2 = [_explained(guess, s, t) for s, t in zip(shown, tested, strict=True)]
        found.append(Anchor(name, METRIC, _mean(design, r2), note=_NOTES[name]))
        found += [
            Anchor(name, f"{METRIC}.{names[k]}", r2[k], note=_degenerate(design, split, k, r2[k]))
            for k in rule.varying(design)
        ]
    return [_chance(design, tested), *found, *(_published(split) if published else ())]


def of_single_factors(design: Design, split: Split, *, published: bool) -> list[Anchor]:
    """R² of the same predictors where exactly one factor is unseen: of that factor, and of the others.

    Args:
        design: The grid.
        split: ``interpolation`` or ``extrapolation``.
        published: Not used: no figures are published for this.
    """
    held, names = rule.held_levels(design, split.slug), design.grid.names
    # Within D_k every factor but k is spread evenly over what training shows.
    inside = [
        np.array([level not in held.get(k, ()) for level in range(n)], int) for k, n in enumerate(design.grid.shape)
    ]
    found = []
    for name, guess in _GUESSES.items():
        ood = {k: _explained(guess, inside[k], 1 - inside[k]) for k in held}
        seen = {k: _explained(guess, inside[k], inside[k]) for k in counted(design)}
        found.append(Anchor(name, OOD, float(np.mean(list(ood.values()))), note=_NOTES[name]))
        found.append(Anchor(name, ID, float(np.mean(list(seen.values()))), note=_NOTES[name]))
        found += [
            Anchor(name, f"{OOD}.{names[k]}", value, note=_degenerate(design, split, k, value))
            for k, value in ood.items()
        ]
    return found


def _training_mean(shown: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.full(len(values), float(values @ shown) / shown.sum())


def _nearest_seen(shown: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest value that training shows, the lower of two."""
    seen = values[shown > 0]
    # The distances of levels are multiples of a step, so near ties are ties.
    return np.asarray(seen[np.round(np.abs(values[:, None] - seen) * (len(values) - 1)).argmin(axis=1)])


def _seen_or_mean(shown: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(shown > 0, values, _training_mean(shown, values))


_GUESSES: Mapping[str, Guess] = {
    "training mean": _training_mean,
    "nearest seen value": _nearest_seen,
    "right where seen, else mean": _seen_or_mean,
}


def _explained(guess: Guess, shown: NDArray[np.int64], tested: NDArray[np.int64]) -> float:
    """R² of a predictor for one factor, from how often each of its levels is shown and tested."""
    n = len(shown)
    values = np.arange(n) / max(n - 1, 1)
    error = (values - guess(shown, values)) ** 2
    return float(1 - (error @ tested) / tested.sum() / ((n + 1) / (12 * max(n - 1, 1))))


def _chance(design: Design, tested: list[NDArray[np.int64]]) -> Anchor:
    """A uniform number in [0, 1]: its mean squared distance from y is y² - y + 1/3."""
    r2 = []
    for count, variance in zip(tested, variances(design), strict=True):
        y = np.arange(len(count)) / max(len(count) - 1, 1)
        r2.append(float(1 - ((y**2 - y + 1 / 3) @ count) / count.sum() / variance))
    return Anchor("chance", METRIC, _mean(design, r2), note="a uniform number, on average")


def _mean(design: Design, r2: list[float]) -> float:
    return float(np.mean([r2[k] for k in counted(design)]))


def _degenerate(design: Design, split: Split, factor: int, r2: float) -> str:
    """Say so where what is held out is the very mean of what is shown, so that a constant is right."""
    levels = rule.held_levels(design, split.slug).get(factor) if split.slug == "interpolation" else None
    if levels is None:
        return ""
    mean = train_means(design, split.slug)[factor]
    n = len(design.factors[factor])
    is_mean = all(abs(level / (n - 1) - mean) < 1e-9 for level in levels)
    return "degenerate: the one value held out is the mean of those shown, so a constant is right" if is_mean else ""


def _published(split: Split) -> list[Anchor]:
    note = "Schott et al. 2022, table of the authors' repository, 2021"
    return [
        Anchor(f"published {who}", METRIC, value, "published", note=note)
        for who, value in PUBLISHED.get((split.benchmark, split.slug), ())
    ]


PUBLISHED = {
    ("mpi3d", "extrapolation"): (("RN50 (ImageNet-21k)", 0.541), ("RN101 (ImageNet-21k)", 0.416)),
    ("shapes3d", "extrapolation"): (("RN101", 0.678), ("RN50", 0.628)),
    ("dsprites", "extrapolation"): (("PCL", 0.667), ("DenseNet121", 0.644)),
}
"""By data set and split: the two best models of the leaderboard, and their R². Those of mpi3d are on its real images."""
