"""Cases of CompOrth as rows of figures: what each split scored, over seeds, and what to read it by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...figures import Bounds, Line, Row
from ...scores import Score, title
from ..drawing import Mean, Splits, about_seeds, anchor, by_split, columns, flat, gate, mean, mean_of
from .representation import TASK

if TYPE_CHECKING:
    from ...results.schema import Case

_SAME = 0.0055
"""Anchors that vary less than this over splits are one line; two printed digits would not differ."""

_ANCHORS = ("chance", "constant answer", "nearest training image")


class Scored:
    """The headline scores of splits, in order: means over seeds, and what to read them by."""

    def __init__(self, splits: Splits) -> None:
        every = flat(splits)
        metric, judge = every[0].scores[0].metric, every[0].scores[0].judge
        self.title = title(metric) + (f", read by {judge}" if judge else "")
        self.labels = labels(splits)
        self.note = about_seeds(every)
        found = {
            "held out": [mean_of([case.scores[0] for case in cases]) for cases in splits.values()],
            "in split": [
                mean_of([s for case in cases if (s := case.score(metric, in_split=True, judge=judge))])
                for cases in splits.values()
            ],
        }
        self.values, self.intervals = columns(found)
        self._held_out = dict(zip(splits, found["held out"], strict=True))
        self.levels: dict[str, float] = {}
        self.marks: dict[str, Row] = {}
        for name in _ANCHORS:
            row = tuple(anchor(cases, name, metric, judge) for cases in splits.values())
            values = [value for value in row if value is not None]
            if values and max(values) - min(values) <= _SAME:
                self.levels[name] = fmean(values)
            elif values:
                self.marks[name] = row
        bound = gate(every, metric)
        if bound is not None:
            self.levels["gate"] = bound

    def by_split(self, slugs: Iterable[str]) -> list[Mean]:
        """Held-out means and their intervals of some splits, None where there is none."""
        return [self._held_out.get(slug, (None, None)) for slug in slugs]


def of_family(cases: Iterable[Case], family: str) -> Splits:
    """Collect the cases of a family by split, in order."""
    found = by_split(case for case in cases if case.family == family)
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
    return tuple(mean(cases, metric)[0] for cases in splits.values())


def scores(splits: Splits, metric: str) -> list[Score]:
    """A metric's scores, one for each split and seed that has it."""
    return [score for case in flat(splits) if (score := case.score(metric)) is not None]
