"""What there is to see in results of a table: splits beside their anchors, and the factors of each split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...figures import Bars, Figure, HeatMap
from ..drawing import LOW, Splits, about_seeds, anchor, by_split, columns, cut, flat, joined, mean, off_axis
from . import recognition, regression
from .splits import FAMILIES

if TYPE_CHECKING:
    from ...results.schema import Case

_MOST = 5
"""Splits that are drawn as bars beside each other; of more the factors are a table."""

_TASKS = {
    "recognition": (recognition.METRIC, recognition.HELD_OUT, "accuracy", "accuracy"),
    "regression": (regression.METRIC, regression.HELD_OUT, regression.METRIC, "R²"),
}
"""By task: its headline, that of the factors that a split is about, what metrics of single factors are called, and their title."""

_ANCHORS = ("chance", "constant answer", "training mean", "nearest seen value", "nearest training image")


def figures(names: Sequence[str], cases: Sequence[Case]) -> Iterator[Figure]:
    """Describe what there is to see in the results of one model; see :class:`pytest_genbench.benchmarks.Illustrates`.

    Args:
        names: Of the factors, in the order of the table.
        cases: Cases of one model.
    """
    for task in _TASKS:
        about = [case for case in cases if case.output == task and case.scores]
        for family in FAMILIES:
            splits = by_split(case for case in about if case.family == family)
            if splits:
                yield _overview(task, family, splits)
                yield from _factors(task, family, names, splits)


def _overview(task: str, family: str, splits: Splits) -> Bars:
    """All factors of each split and those that it is about, with anchors."""
    metric, held_out, _, what = _TASKS[task]
    series, intervals = columns(
        {
            "all factors": [mean(cases, metric) for cases in splits.values()],
            "those held out": [mean(cases, held_out) for cases in splits.values()],
        }
    )
    anchors = {name: tuple(anchor(cases, name, metric) for cases in splits.values()) for name in _ANCHORS}
    marks, below = off_axis(anchors, _low(task))
    return Bars(
        title=f"{_words(family)}, {task}: {what} by split",
        note=joined(
            about_seeds(flat(splits), "rows"),
            "Ticks are about all factors." if len(series) > 1 else "",
            below,
            cut(series.values(), _low(task)),
        ),
        labels=tuple(cases[0].held_out or slug for slug, cases in splits.items()),
        series=series,
        intervals=intervals,
        marks=marks,
        value_title=what,
        low=_low(task),
    )


def _factors(task: str, family: str, names: Sequence[str], splits: Splits) -> Iterator[Figure]:
    """Each factor of each split; nothing for a table of one factor, which the overview shows."""
    prefix, what = _TASKS[task][2:]
    every = flat(splits)
    labels = tuple(name for name in names if any(case.score(f"{prefix}.{name}") for case in every))
    if not labels:
        return
    series, intervals = columns(
        {slug: [mean(cases, f"{prefix}.{name}") for name in labels] for slug, cases in splits.items()}
    )
    heading = f"{_words(family)}, {task}: {what} of each factor"
    if len(series) > _MOST:
        yield HeatMap(
            title=heading,
            note=about_seeds(every, intervals=False),
            rows=tuple(series),
            columns=labels,
            values=tuple(series.values()),
            row_title="split",
            column_title="factor",
            low=_low(task),
        )
        return
    yield Bars(
        title=heading,
        note=joined(about_seeds(every, "rows"), cut(series.values(), _low(task))),
        labels=labels,
        series=series,
        intervals=intervals,
        value_title=what,
        low=_low(task),
    )


def _low(task: str) -> float:
    return LOW if task == "regression" else 0.0


def _words(family: str) -> str:
    words = family.replace("_", " ")
    return words[0].upper() + words[1:]
