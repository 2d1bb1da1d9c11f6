"""A table of text, whatever it is about, and how numbers are written in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..results.schema import Case
from ..scores import Score


@dataclass(frozen=True)
class Row:
    """One line: cells as text, and the verdict that colours it; none where nothing is judged."""

    cells: tuple[str, ...]
    verdict: str = ""


@dataclass(frozen=True)
class Table:
    """A table with what belongs around it.

    Attributes:
        title: What it is about: benchmark, preset, family, task, metric and judge.
        columns: Headings; the first and the last column are text, the others are numbers.
        rows: One for each case.
        cases: These cases; none where rows are about several cases each.
        aggregates: Lines on the whole family, each with its verdict.
        notes: Lines below: anchors that are the same for all rows, what went wrong.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    aggregates: tuple[Row, ...] = ()
    notes: tuple[str, ...] = field(default=())
    cases: tuple[Case, ...] = ()


def decimal(value: float | None) -> str:
    """Write a score: three decimals, or nothing."""
    # Adding zero turns a rounded -0.0 into 0.0.
    return "" if value is None else f"{round(value, 3) + 0.0:.3f}"


def interval(score: Score) -> str:
    """Write an interval, or that there is none because everything was evaluated."""
    if score.interval is None:
        return "census"
    return f"{score.interval.low:.3f} to {score.interval.high:.3f}"
