"""Which points of a grid are trained on and which are tested (Schott et al. 2022, arXiv 2107.08221, section 4.1, tables 2 to 4).

The paper says what is held out in words; where these leave a choice, it is made as the released files show: composition tests
what has no value of the lowest levels of any factor that takes part, and factors of few levels take no part.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError, nearest
from ..grids import Design
from ..held_levels import composition_levels, composition_share, inner_levels, kept_of, upper_levels

FAMILIES: Mapping[str, str] = {
    "in_distribution": "random",
    "compositional": "composition",
    "interpolation": "interpolation",
    "extrapolation": "extrapolation",
}
"""The paper's name of each family's split."""

_SEED = 0
"""Of the random split. NumPy keeps the stream of its legacy generator fixed, so the mask is the same everywhere."""


def varying(design: Design) -> tuple[int, ...]:
    """Positions of the factors that may be held out."""
    return tuple(k for k, factor in enumerate(design.factors) if factor.name not in design.kept)


def held_levels(design: Design, variant: str) -> dict[int, list[int]]:
    """Levels by which a split is made, for each factor that takes part.

    Args:
        design: Any grid of factors.
        variant: ``interpolation`` or ``extrapolation``, for the levels that training never shows; ``composition``, for those of
            which every training image has at least one, and no tested image any.

    Raises:
        BenchmarkError: No such variant, or the grid is too small for it.
    """
    chosen = {k: len(design.factors[k]) for k in varying(design)}
    if variant == "composition":
        return _composed(design, chosen)
    rules = {"interpolation": inner_levels, "extrapolation": upper_levels}
    if variant not in rules:
        raise BenchmarkError(f"No levels are held out by {variant!r}.{nearest(variant, [*rules, 'composition'])}")
    for k, n in chosen.items():
        if kept_of(n, design.share) < 2:
            raise BenchmarkError(
                f"{design.name}: {variant} would leave fewer than two of the {n} levels of {design.factors[k].name} to train on; "
                "keep that factor, or give it more levels."
            )
    if not chosen:
        raise BenchmarkError(f"{design.name}: no factor may be held out, so there is no {variant}.")
    return {k: rules[variant](n, design.share) for k, n in chosen.items()}


def _composed(design: Design, chosen: Mapping[int, int]) -> dict[int, list[int]]:
    share = composition_share(len(chosen), design.share) if design.composition is None else design.composition
    low = {k: levels for k, n in chosen.items() if (levels := composition_levels(n, share))}
    if len(low) < 2:
        who = ", ".join(design.factors[k].name for k in low) or "none"
        raise BenchmarkError(
            f"{design.name}: the grid is too small for composition. At least two factors have to take part, each with "
            f"{int(np.ceil(1 / share - 1e-9))} levels or more; those that do: {who}."
        )
    return low


def is_held_out(design: Design, variant: str) -> NDArray[np.bool_]:
    """Mark what a split tests: bool (size of the grid,), in the order of the grid.

    Args:
        design: Any grid of factors.
        variant: ``random``, ``composition``, ``interpolation`` or ``extrapolation``.

    Raises:
        BenchmarkError: No such variant, or the grid is too small for it.
    """
    if variant == "random":
        return _random(design)
    touched = _any_of(design, held_levels(design, variant))
    return ~touched if variant == "composition" else touched


def _any_of(design: Design, levels: Mapping[int, list[int]]) -> NDArray[np.bool_]:
    """Mark points that have one of the levels of any factor."""
    shape = design.grid.shape
    mask = np.zeros(shape, dtype=bool)
    for k, held in levels.items():
        mask |= _along(np.isin(np.arange(shape[k]), held), k, len(shape))
    return mask.ravel()


def _random(design: Design) -> NDArray[np.bool_]:
    """Hold out as many points as extrapolation does."""
    size = design.grid.size
    train = prod(
        len(factor) - len(held_levels(design, "extrapolation").get(k, ())) for k, factor in enumerate(design.factors)
    )
    mask = np.arange(size) < size - train
    np.random.RandomState(_SEED).shuffle(mask)
    return mask


def unseen(design: Design, variant: str, levels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark which factors of items have a value that training never shows: levels (N, K) to bool (N, K)."""
    marked = np.zeros(levels.shape, dtype=bool)
    for k, held in held_levels(design, variant).items():
        marked[:, k] = np.isin(levels[:, k], held)
    return marked


def single_factor(design: Design, variant: str, factor: int) -> NDArray[np.bool_]:
    """Mark points of which exactly one factor, this one, has a value that training never shows (section 5.2).

    Args:
        design: Any grid of factors.
        variant: ``interpolation`` or ``extrapolation``.
        factor: Position of the factor.

    Raises:
        BenchmarkError: The factor is never held out.
    """
    held = held_levels(design, variant)
    if factor not in held or variant == "composition":
        raise BenchmarkError(f"{design.name}: {variant} holds out no value of {design.factors[factor].name}.")
    shape = design.grid.shape
    mask = np.ones(shape, dtype=bool)
    for k, levels in held.items():
        mask &= _along(np.isin(np.arange(shape[k]), levels) == (k == factor), k, len(shape))
    return mask.ravel()


def _along(of_level: NDArray[np.bool_], axis: int, axes: int) -> NDArray[np.bool_]:
    """Turn a column of one factor's levels so that it broadcasts over the grid."""
    return of_level.reshape([-1 if at == axis else 1 for at in range(axes)])


def counts(design: Design, mask: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """How many marked points have each level, for each factor: int64 (levels,)."""
    shaped = mask.reshape(design.grid.shape)
    axes = range(len(shaped.shape))
    return [shaped.sum(axis=tuple(a for a in axes if a != k), dtype=np.int64) for k in axes]


def described(design: Design, variant: str) -> str:
    """Say what a split holds out, for people."""
    if variant == "random":
        return "two thirds of the grid, at random"
    names = [design.factors[k].name for k in held_levels(design, variant)]
    listed = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    which = {"composition": "no lowest value", "interpolation": "inner values", "extrapolation": "upper values"}[
        variant
    ]
    return f"{which} of {listed}"
