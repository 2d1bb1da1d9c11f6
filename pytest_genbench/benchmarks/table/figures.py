"""What there is to see in results of a table: splits beside their anchors, and the factors of each split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...figures import Bars, Bounds, Figure, HeatMap, Row
from ...scores import Score, over_seeds
from . import recognition, regression
from .splits import FAMILIES

if TYPE_CHECKING:
    from ...results.schema import Case

_LOW = -0.5
"""Where axes of R² begin: it has no lower bound."""

_MOST = 5
"""Splits that are drawn as bars beside each other; of more the factors are a table."""

_TASKS = {
    "recognition": (recognition.METRIC, recognition.HELD_OUT, "accuracy", "accuracy"),
    "regression": (regression.METRIC, regression.HELD_OUT, regression.METRIC, "R²"),
}
"""By task: its headline, that of the factors that a split is about, what metrics of single factors are called, and their title."""

_ANCHORS = ("chance", "constant answer", "training mean", "nearest seen value", "nearest training image")

Splits = dict[str, list["Case"]]
"""The cases of each split: one for each seed."""


def figures(names: Sequence[str], cases: Sequence[Case]) -> Iterator[Figure]:
    """Describe what there is to see in the results of one model; see :class:`pytest_genbench.benchmarks.Illustrates`.

    Args:
        names: Of the factors, in the order of the table.
        cases: Cases of one model.
    """
    for task in _TASKS:
        about = [case for case in cases if case.output == task and case.scores]
        for family in FAMILIES:
            splits: Splits = {}
            for case in sorted((case for case in about if case.family == family), key=lambda case: case.seed):
                splits.setdefault(case.split, []).append(case)
            if splits:
                yield _overview(task, family, splits)
                yield from _factors(task, family, names, splits)


def _overview(task: str, family: str, splits: Splits) -> Bars:
    """All factors of each split and those that it is about, with anchors."""
    metric, held_out, _, what = _TASKS[task]
    found = {
        "all factors": [_mean(cases, metric) for cases in splits.values()],
        "those held out": [_mean(cases, held_out) for cases in splits.values()],
    }
    found = {name: each for name, each in found.items() if any(value is not None for value, _ in each)}
    series = {name: tuple(value for value, _ in each) for name, each in found.items()}
    marks, below = {}, []
    for name in _ANCHORS:
        row = tuple(_anchor(cases, name, metric) for cases in splits.values())
        marks[name] = tuple(value if value is not None and value >= _low(task) else None for value in row)
        below += [f"{name} {value:.2f}" for value in row if value is not None and value < _low(task)]
    return Bars(
        title=f"{_words(family)}, {task}: {what} by split",
        note=_joined(
            _about_seeds(splits),
            "Ticks are about all factors." if len(found) > 1 else "",
            f"Left of the axis: {', '.join(dict.fromkeys(below))}." if below else "",
            _cut(task, series.values()),
        ),
        labels=tuple(cases[0].held_out or slug for slug, cases in splits.items()),
        series=series,
        intervals={name: tuple(bounds for _, bounds in each) for name, each in found.items()},
        marks={name: row for name, row in marks.items() if any(value is not None for value in row)},
        value_title=what,
        low=_low(task),
    )


def _factors(task: str, family: str, names: Sequence[str], splits: Splits) -> Iterator[Figure]:
    """Each factor of each split; nothing for a table of one factor, which the overview shows."""
    prefix, what = _TASKS[task][2:]
    found = {slug: [_mean(cases, f"{prefix}.{name}") for name in names] for slug, cases in splits.items()}
    there = [k for k in range(len(names)) if any(each[k][0] is not None for each in found.values())]
    if not there:
        return
    labels = tuple(names[k] for k in there)
    series = {slug: tuple(each[k][0] for k in there) for slug, each in found.items()}
    heading = f"{_words(family)}, {task}: {what} of each factor"
    if len(series) > _MOST:
        yield HeatMap(
            title=heading,
            note=_about_seeds(splits, intervals=False),
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
        note=_joined(_about_seeds(splits), _cut(task, series.values())),
        labels=labels,
        series=series,
        intervals={slug: tuple(each[k][1] for k in there) for slug, each in found.items()},
        value_title=what,
        low=_low(task),
    )


def _mean(cases: Sequence[Case], metric: str) -> tuple[float | None, Bounds | None]:
    """Mean of what was held out over seeds with its interval; of one seed the interval over the rows sampled."""
    scores: list[Score] = [score for case in cases if (score := case.score(metric)) is not None]
    if not scores:
        return None, None
    values = [score.value for score in scores]
    interval = over_seeds(values) if len(values) > 1 else scores[0].interval
    return fmean(values), None if interval is None else (interval.low, interval.high)


def _anchor(cases: Sequence[Case], name: str, metric: str) -> float | None:
    for each in cases[0].anchors:
        if (each.name, each.metric) == (name, metric):
            return each.value
    return None


def _low(task: str) -> float:
    return _LOW if task == "regression" else 0.0


def _cut(task: str, series: Iterable[Row]) -> str:
    """Say so where values lie below the axis."""
    is_cut = any(value is not None and value < _low(task) for row in series for value in row)
    return f"The axis begins at {_low(task):.1f}; bars of lower values are cut off there." if is_cut else ""


def _words(family: str) -> str:
    words = family.replace("_", " ")
    return words[0].upper() + words[1:]


def _about_seeds(splits: Splits, *, intervals: bool = True) -> str:
    """Say what values and intervals are taken over; nothing where all rows were scored by one seed."""
    count = max(len(cases) for cases in splits.values())
    if count > 1:
        return f"Means over {count} seeds" + (", with 95 % intervals over seeds." if intervals else ".")
    is_sampled = any(case.scores[0].interval for cases in splits.values() for case in cases)
    return "Intervals are 95 %, over the rows sampled." if is_sampled and intervals else ""


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)
