"""The splits of the in-domain benchmark as rows of figures: their order, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import drawing

if TYPE_CHECKING:
    from ...results.schema import Case

SPLITS = {
    "random": "in distribution",
    "composition": "composition",
    "interpolation": "interpolation",
    "extrapolation": "extrapolation",
}
"""Splits in the paper's order, and what they are called beside each other."""


def by_split(cases: Iterable[Case], task: str) -> drawing.Splits:
    """Collect the cases of a task that have scores, by split, in the order of the paper."""
    found = drawing.by_split(case for case in cases if case.output == task and case.scores)
    return {split: found[split] for split in SPLITS if split in found}
