"""Cases of CompOrth as rows of figures: what each split scored, over seeds, and what to read it by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...figures import Bounds, Line, Row
from ...scores import Score, over_seeds, title
from .representation import TASK

if TYPE_CHECKING:
    from ...results.schema import Case

_SAME = 0.0055
"""Anchors that vary less than this over splits are one line; two printed digits would not differ."""

_ANCHORS = ("chance", "constant answer", "nearest training image")

Splits = dict[str, list["Case"]]
"""The cases of each split: one for each seed."""


class Scored:
    """The headline scores of splits, in order: means over seeds, and what to read them by."""

    def __init__(self, splits: Splits) -> None:
        self._splits = splits
        first = next(iter(splits.values()))[0].scores[0]
        self._metric, self._judge = first.metric, first.judge
        self.title = title(first.metric) + (f", read by {first.judge}" if first.judge else "")
        self.labels = labels(splits)
        self.note = about_seeds(splits)
        held_out = [_mean([case.scores[0] for case in cases]) for cases in splits.values()]
        seen = [_mean([s for case in cases if (s := self._in_split(case))]) for cases in splits.values()]
        self.values: dict[str, Row] = {"held out": tuple(value for value, _ in held_out)}
        self.intervals: dict[str, tuple[Bounds | None, ...]] = {"held out": tuple(bounds for _, bounds in held_out)}
        if any(value is not None for value, _ in seen):
            self.values["in split"] = tuple(value for value, _ in seen)
            self.intervals["in split"] = tuple(bounds for _, bounds in seen)
        self.levels: dict[str, float] = {}
        self.marks: dict[str, Row] = {}
        for name in _ANCHORS:
            row = tuple(_first_anchor(cases, name, self._metric, self._judge) for cases in splits.values())
            values = [value for value in row if value is not None]
            if values and max(values) - min(values) <= _SAME:
                self.levels[name] = fmean(values)
            elif values:
                self.marks[name] = row
        gates = [gate for cases in splits.values() for case in cases for gate in case.gates]
        bounds = {gate.bound for gate in gates if gate.metric == self._metric and gate.bound is not None}
        if len(bounds) == 1:
            self.levels["gate"] = bounds.pop()

    def by_split(self, slugs: Iterable[str]) -> list[tuple[float | None, Bounds | None]]:
        """Held-out means and their intervals of some splits, None where there is none."""
        pairs = zip(self.values["held out"], self.intervals["held out"], strict=True)
        found = dict(zip(self._splits, pairs, strict=True))
        return [found.get(slug, (None, None)) for slug in slugs]

    def _in_split(self, case: Case) -> Score | None:
        return case.score(self._metric, in_split=True, judge=self._judge)


def of_family(cases: Iterable[Case], family: str) -> Splits:
    """Collect the cases of a family by split, in order."""
    found: Splits = {}
    for case in cases:
        if case.family == family:
            found.setdefault(case.split, []).append(case)
    return {slug: found[slug] for slug in ordered(found)}


def codes(cases: Iterable[Case]) -> Splits:
    """Collect the cases that ask of codes what their units stand for, by split."""
    return of_family([case for case in cases if case.output == TASK and case.scores], "compositional")


def of_models(models: Mapping[str, Sequence[Case]], family: str) -> dict[str, Splits]:
    """Collect the cases of a family for each model that has any."""
    return {name: splits for name, cases in models.items() if (splits := of_family(cases, family))}


def ordered(slugs: Iterable[str]) -> list[str]:
    """Order splits of one family by letter and position, length, or shift."""

    def key(slug: str) -> tuple[str, int, int]:
        if slug.startswith("spatial-"):
            return ("", *place(slug))
        if slug.startswith("length-"):
            return ("", length(slug), 0)
        unit = slug.removeprefix("compositional-")
        return (unit[:1], int(unit[1:]), 0)

    return sorted(slugs, key=key)


def place(slug: str) -> tuple[int, int]:
    """Shift of a split ``spatial-x+1y-2``: to the right and up, pixels."""
    found = re.fullmatch(r"spatial-x([+-]\d+)y([+-]\d+)", slug)
    assert found is not None, slug
    return int(found[1]), int(found[2])


def length(slug: str) -> int:
    """Letters in the words that a split ``length-3`` holds out."""
    return int(slug.removeprefix("length-"))


def shifts(levels: Iterable[int]) -> range:
    """All whole shifts from the lowest to the highest: a place that was not tested keeps its field."""
    found = set(levels)
    return range(min(found), max(found) + 1)


def labels(splits: Splits) -> tuple[str, ...]:
    """Say what each split holds out."""
    return tuple(cases[0].held_out or slug for slug, cases in splits.items())


def ticks(slugs: Iterable[str]) -> dict[float, str]:
    """Name the lengths on an axis."""
    return {float(length(slug)): str(length(slug)) for slug in slugs}


def _mean(scores: Sequence[Score]) -> tuple[float | None, Bounds | None]:
    """Mean over seeds with its interval; of one seed the interval over the items sampled."""
    if not scores:
        return None, None
    values = [score.value for score in scores]
    interval = over_seeds(values) if len(values) > 1 else scores[0].interval
    return fmean(values), None if interval is None else (interval.low, interval.high)


def mean_at(shift: int, at: Sequence[int], row: Row) -> float:
    """Mean of the values of a row that are at a shift."""
    return fmean(value for place, value in zip(at, row, strict=True) if place == shift and value is not None)


def line(name: str, x: Sequence[float], row: Row, intervals: Sequence[Bounds | None] | None) -> Line:
    """Join the values there are."""
    known = [place for place, value in enumerate(row) if value is not None]
    return Line(
        name,
        tuple(x[place] for place in known),
        tuple(value for value in row if value is not None),
        tuple(intervals[place] for place in known) if intervals else (),
    )


def means(splits: Splits, metric: str) -> Row:
    """A metric's mean over seeds for each split."""
    return tuple(_mean([s for case in cases if (s := case.score(metric)) is not None])[0] for cases in splits.values())


def known(series: Mapping[str, Row]) -> dict[str, Row]:
    """Leave out what no split has."""
    return {name: row for name, row in series.items() if any(value is not None for value in row)}


def scores(splits: Splits, metric: str) -> list[Score]:
    """A metric's scores, one for each split and seed that has it."""
    return [score for cases in splits.values() for case in cases if (score := case.score(metric)) is not None]


def anchor(splits: Splits, name: str, metric: str) -> float | None:
    """Return the value of the first anchor of that name and metric; None where there is none."""
    return _first_anchor([case for cases in splits.values() for case in cases], name, metric, "")


def _first_anchor(cases: Iterable[Case], name: str, metric: str, judge: str) -> float | None:
    for case in cases:
        for anchor in case.anchors:
            if (anchor.name, anchor.metric) == (name, metric) and anchor.judge in ("", judge):
                return anchor.value
    return None


def about_seeds(splits: Splits) -> str:
    """Say how many seeds are behind each value, if more than one."""
    numbers = {len(cases) for cases in splits.values()}
    if max(numbers) == 1:
        return ""
    return f"Means over {max(numbers)} seeds{' or fewer' if len(numbers) > 1 else ''}; intervals are over seeds."


def about_seeds_of(models: Mapping[str, Splits]) -> list[str]:
    """Say of each model how many seeds are behind its values; what is the same of several is said once."""
    return list(dict.fromkeys(filter(None, map(about_seeds, models.values()))))


def joined(*sentences: str) -> str:
    """Put sentences that are not empty after one another."""
    return " ".join(filter(None, sentences))
