"""What was to be read of an item and what a model read, in a few words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...factors import Factor
from ...worst import to_name
from ..grids import Design
from ..protocol import Outputs
from . import recognition, regression


def of_numbers(design: Design, items: NDArray[np.int64], outputs: Outputs) -> list[tuple[str, str]]:
    """Say of items (N,) which factors were wrong, the worst first, given ``factors`` (N, K).

    Example:
        ``("x-position 24 of 32, scale 2 of 6", "x-position 17, scale 1")``: levels are numbered from 1 where they have no names.
    """
    return _said(design, items, regression.predicted(design, outputs[regression.OUTPUT], len(items)))


def of_levels(design: Design, items: NDArray[np.int64], outputs: Outputs) -> list[tuple[str, str]]:
    """Say the same, given logits ``factor.<name>`` (N, levels)."""
    return _said(design, items, regression.targets(design, recognition.named(design, outputs, len(items))))


def _said(design: Design, items: NDArray[np.int64], values: NDArray[np.float64]) -> list[tuple[str, str]]:
    levels, known = design.grid.levels(items), regression.counted(design)
    found = []
    for own, read, off in zip(levels, values, regression.missed(design, levels, values), strict=True):
        pairs = [_words(design.factors[k], int(own[k]), float(read[k])) for k in to_name(off, known)]
        found.append((", ".join(right for right, _ in pairs), ", ".join(said for _, said in pairs)))
    return found


def _words(factor: Factor, level: int, value: float) -> tuple[str, str]:
    """Name the level of a factor, and the one nearest to a value; beyond the ends the number where one would be."""
    last = len(factor) - 1
    read = np.rint(value * last)
    if isinstance(factor.values[0], str):
        return (f"{factor.name} {factor.values[level]}", f"{factor.name} {factor.values[int(np.clip(read, 0, last))]}")
    return f"{factor.name} {level + 1} of {len(factor)}", f"{factor.name} {read + 1:.4g}"
