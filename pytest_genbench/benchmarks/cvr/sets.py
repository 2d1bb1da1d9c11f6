"""How problems are numbered: rule by rule, and within a rule set by set, so that an item is one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .problems import SETS
from .rules import RULES

TURNED = "turned"
"""Test problems again, with their images in another order; there to ask whether a model minds."""

SIZES = SETS | {TURNED: 200}
"""Problems of each set, in the order in which they are numbered."""

STARTS = dict(zip(SIZES, np.cumsum([0, *SIZES.values()])[:-1].tolist(), strict=True))
"""Number of the first problem of each set within its rule."""

EACH = sum(SIZES.values())
"""Problems of a rule."""


@dataclass(frozen=True)
class Place:
    """Where an item lies."""

    rule: int
    set: str
    number: int


def items(rule: int, set: str, most: int | None = None) -> NDArray[np.int64]:
    """Items of a set of a rule, or the first of them: int64."""
    size = SIZES[set] if most is None else min(most, SIZES[set])
    first = rule * EACH + STARTS[set]
    return np.arange(first, first + size, dtype=np.int64)


def place(item: int) -> Place:
    """Find where an item lies."""
    rule, number = divmod(item, EACH)
    name = next(name for name in reversed(STARTS) if STARTS[name] <= number)
    return Place(rule, name, number - STARTS[name])


def rules_of(index: ArrayLike) -> NDArray[np.int64]:
    """Numbers of the rules of items (N,): int64 (N,)."""
    numbers: NDArray[np.int64] = np.asarray(index, dtype=np.int64) // EACH
    return numbers


TOTAL = EACH * len(RULES)
"""Problems of all rules."""
