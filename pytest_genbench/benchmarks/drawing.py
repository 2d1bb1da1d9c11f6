"""What figures of all benchmarks read off cases: means over seeds, anchors, gates; and the sentences that their notes share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ..figures import Bounds, Row
from ..scores import Score, over_seeds

if TYPE_CHECKING:
    from ..results.schema import Case

LOW = -0.5
"""Where axes of R² begin: it has no lower bound, and one bad value would leave no room for the others."""

Splits = Mapping[str, Sequence["Case"]]
"""The cases of each split, in the order of figures: one for each seed."""

Mean = tuple[float | None, Bounds | None]
"""A value and its 95 % interval; None where there is none."""


def by_split(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Collect cases by split, each by seed, whatever order they come in."""
    found: dict[str, list[Case]] = {}
    for case in sorted(cases, key=lambda case: (case.split, case.seed)):
        found.setdefault(case.split, []).append(case)
    return found


def mean(cases: Iterable[Case], metric: str) -> Mean:
    """Mean of a metric over the cases of one split, on what was tested; see :func:`mean_of`."""
    return mean_of([score for case in cases if (score := case.score(metric)) is not None])


def mean_of(scores: Sequence[Score]) -> Mean:
    """Mean over seeds with its interval; of one seed the interval over the items sampled."""
    if not scores:
        return None, None
    values = [score.value for score in scores]
    interval = over_seeds(values) if len(values) > 1 else scores[0].interval
    return fmean(values), None if interval is None else (interval.low, interval.high)


def columns(found: Mapping[str, Sequence[Mean]]) -> tuple[dict[str, Row], dict[str, tuple[Bounds | None, ...]]]:
    """Take means apart, as :class:`~pytest_genbench.figures.Bars` has them; names without any value are left out.

    Args:
        found: By the name of a series a mean for each label.

    Returns:
        Values by name, and their intervals by name.
    """
    there = {name: row for name, row in found.items() if any(value is not None for value, _ in row)}
    return (
        {name: tuple(value for value, _ in row) for name, row in there.items()},
        {name: tuple(bounds for _, bounds in row) for name, row in there.items()},
    )


def has_values(row: Row) -> bool:
    """Whether a row has any value."""
    return any(value is not None for value in row)


def known(series: Mapping[str, Row]) -> dict[str, Row]:
    """Leave out rows without any value."""
    return {name: row for name, row in series.items() if has_values(row)}


def anchor(cases: Iterable[Case], name: str, metric: str, judge: str = "") -> float | None:
    """Value of the first anchor of that name and metric, of that judge or of none; None where there is none."""
    for case in cases:
        for each in case.anchors:
            if (each.name, each.metric) == (name, metric) and each.judge in ("", judge):
                return each.value
    return None


def gate(cases: Iterable[Case], metric: str) -> float | None:
    """The bound that a metric had to clear; None where there was none, or not the same for all cases."""
    bounds = {each.bound for case in cases for each in case.gates if each.metric == metric and each.bound is not None}
    return bounds.pop() if len(bounds) == 1 else None


def flat(splits: Splits) -> list[Case]:
    """All cases of some splits."""
    return [case for cases in splits.values() for case in cases]


def merged(models: Mapping[str, Splits], slugs: Iterable[str]) -> dict[str, list[Case]]:
    """The cases of all models by split, for what is the same of every model, such as anchors."""
    return {slug: [case for splits in models.values() for case in splits.get(slug, ())] for slug in slugs}


def about_seeds(cases: Iterable[Case], items: str = "images", *, intervals: bool = True) -> str:
    """Say what values and intervals are taken over; nothing where one seed scored all items.

    Args:
        cases: Of one benchmark, family and task.
        items: What was sampled.
        intervals: Whether the figure shows intervals.
    """
    found = list(cases)
    numbers = set(Counter(case.split for case in found).values())
    most = max(numbers, default=0)
    if most > 1:
        few = " or fewer" if len(numbers) > 1 else ""
        return f"Means over {most} seeds{few}{', with 95 % intervals over seeds' if intervals else ''}."
    is_sampled = any(case.scores[0].interval for case in found)
    return f"Intervals are 95 %, over the {items} sampled." if is_sampled and intervals else ""


def about_seeds_of(models: Iterable[Splits], *, intervals: bool = True) -> str:
    """Say the same of several models; of those that differ in their number of seeds, so much."""
    said = {about_seeds(flat(splits), intervals=intervals) for splits in models}
    if len(said) == 1:
        return said.pop()
    return f"Means over seeds, where there are several{', with 95 % intervals' if intervals else ''}."


def cut(rows: Iterable[Row], low: float) -> str:
    """Say so where values lie below the axis."""
    is_cut = any(value is not None and value < low for row in rows for value in row)
    return f"The axis begins at {low:.1f}; bars of lower values are cut off there." if is_cut else ""


def off_axis(marks: Mapping[str, Row], low: float) -> tuple[dict[str, Row], str]:
    """Part marks that lie below `low`, left of the axis, from the others, and say in words where they lie."""
    shown, said = {}, []
    for name, values in marks.items():
        inside = tuple(value if value is not None and value >= low else None for value in values)
        below = [value for value in values if value is not None and value < low]
        if has_values(inside):
            shown[name] = inside
        if below:
            ends = dict.fromkeys(f"{value:.2f}" for value in (min(below), max(below)))
            said.append(f"{name} ({' to '.join(ends)})")
    return shown, f"Left of the axis: {', '.join(said)}." if said else ""


def joined(*sentences: str) -> str:
    """Put sentences that are not empty after one another."""
    return " ".join(filter(None, sentences))
