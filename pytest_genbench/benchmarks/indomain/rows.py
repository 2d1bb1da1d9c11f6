"""Cases of the in-domain benchmark as rows of figures: values by split and factor, over seeds, and what to read them by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...figures import Bounds, Row
from ...scores import over_seeds

if TYPE_CHECKING:
    from ...results.schema import Case

LOW = -0.5
"""Where axes of R² begin: it has no lower bound, and one bad factor would leave no room for the others."""

SPLITS = {
    "random": "in distribution",
    "composition": "composition",
    "interpolation": "interpolation",
    "extrapolation": "extrapolation",
}
"""Splits in the paper's order, and what they are called beside each other."""

Splits = Mapping[str, Sequence["Case"]]
"""The cases of each split: one for each seed."""


def by_split(cases: Iterable[Case], task: str) -> Splits:
    """Collect the cases of a task that have scores, by split, in the order of the paper."""
    about = [case for case in cases if case.output == task and case.scores]
    found = {split: [case for case in about if case.split == split] for split in SPLITS}
    return {split: each for split, each in found.items() if each}


def mean(cases: Sequence[Case], metric: str) -> tuple[float | None, Bounds | None]:
    """Mean of what was held out over seeds with its interval; of one seed the interval over the items sampled."""
    scores = [score for case in cases if (score := case.score(metric)) is not None]
    if not scores:
        return None, None
    values = [score.value for score in scores]
    interval = over_seeds(values) if len(values) > 1 else scores[0].interval
    return fmean(values), None if interval is None else (interval.low, interval.high)


def row(cases: Sequence[Case], metrics: Sequence[str]) -> tuple[Row, tuple[Bounds | None, ...]]:
    """Means of some metrics and their intervals."""
    found = [mean(cases, metric) for metric in metrics]
    return tuple(value for value, _ in found), tuple(bounds for _, bounds in found)


def is_there(values: Row) -> bool:
    """Whether a row has any value."""
    return any(value is not None for value in values)


def anchor(cases: Sequence[Case], name: str, metric: str) -> float | None:
    """Value of the first anchor of that name and metric."""
    for case in cases:
        for each in case.anchors:
            if (each.name, each.metric) == (name, metric):
                return each.value
    return None


def gate(cases: Sequence[Case], metric: str) -> float | None:
    """The bound that a score had to clear, where there was one."""
    bounds = {each.bound for case in cases for each in case.gates if each.metric == metric and each.bound is not None}
    return bounds.pop() if len(bounds) == 1 else None


def seeds(cases: Iterable[Case]) -> str:
    """Say what values and intervals are taken over; nothing where all images were scored by one seed."""
    found = list(cases)
    count = len({case.seed for case in found})
    if count > 1:
        return f"Means over {count} seeds, with 95 % intervals over seeds."
    is_sampled = any(case.scores[0].interval for case in found)
    return "Intervals are 95 %, over the images sampled." if is_sampled else ""


def cut(rows: Iterable[Row]) -> str:
    """Say so where values lie below the axis."""
    is_cut = any(value is not None and value < LOW for values in rows for value in values)
    return f"The axis begins at {LOW:.1f}; bars of lower values are cut off there." if is_cut else ""


def off_axis(marks: Mapping[str, Row]) -> tuple[dict[str, Row], str]:
    """Part marks that lie left of the axis from the others, and say in words where they lie."""
    shown, said = {}, []
    for name, values in marks.items():
        inside = tuple(value if value is not None and value >= LOW else None for value in values)
        below = [value for value in values if value is not None and value < LOW]
        if is_there(inside):
            shown[name] = inside
        if below:
            ends = dict.fromkeys(f"{value:.2f}" for value in (min(below), max(below)))
            said.append(f"{name} ({' to '.join(ends)})")
    return shown, f"Left of the axis: {', '.join(said)}." if said else ""


def joined(*notes: str) -> str:
    """Join sentences, leaving out those that are empty."""
    return " ".join(note for note in notes if note)


def collect(splits: Splits, find: Callable[[Sequence[Case]], float | None]) -> Row:
    """Find a value for each split."""
    return tuple(find(cases) for cases in splits.values())
