"""Figures of documents over time: a plot of curves for each suite, with its gates and its breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import fmean

from ..figures import Curves, Figure, Line
from ..scores import title
from .history import History, Point, Trend

MOST = 10
"""Lines of a plot: of more scores the mean, the worst and those that changed most are shown."""

_TICKS = 8
"""Dates along an axis."""


def figures(history: History) -> Iterable[Figure]:
    """Describe how scores and aggregates went; a history of one document has no figures."""
    if len(history.files) < 2:
        return

    def suite(trend: Trend) -> tuple[bool, tuple[str, str, str], str]:
        return (trend.is_aggregate, trend.suite, trend.metric)

    for (is_aggregate, (benchmark, family, output), metric), group in groupby(
        sorted(history.trends, key=lambda trend: (suite(trend), trend.name)), key=suite
    ):
        trends = list(group)
        head = "Aggregates over time" if is_aggregate else "Over time"
        yield _curves(f"{head}: {benchmark} {family}, {output}: {title(metric)}", title(metric), trends, history)


def _curves(heading: str, metric: str, trends: Sequence[Trend], history: History) -> Curves:
    bounds = sorted({bound for trend in trends for bound in trend.points[-1].bounds})
    shown = [(trend.name, trend.points) for trend in trends]
    notes = []
    if len(shown) > MOST:
        summaries = list(_summaries(trends))
        shown = [*summaries, *_most_changed(trends, MOST - len(summaries))]
        notes.append(
            f"{len(trends)} scores; shown are those that changed most{', their mean and the worst' if summaries else ''}."
        )
    lines = [line for name, points in shown for line in _segments(name, points)]
    heights = [*(y for line in lines for y in line.y), *bounds]
    is_share = min(heights) >= 0 and max(heights) <= 1
    broken = dict.fromkeys(
        f"{history.files[point.at]}: {point.broke}" for _, points in shown for point in points if point.broke
    )
    if broken:
        notes.append(f"Lines break off where a score cannot be compared with the one before. {'; '.join(broken)}.")
    return Curves(
        title=heading,
        note=" ".join(notes),
        lines=tuple(lines),
        x_title="document",
        y_title=metric,
        levels={"gate" if len(bounds) == 1 else f"gate {bound:g}": bound for bound in bounds},
        ticks=_ticks(history),
        low=0.0 if is_share else None,
        high=1.0 if is_share else None,
    )


def _summaries(trends: Sequence[Trend]) -> Iterator[tuple[str, tuple[Point, ...]]]:
    """The mean and the worst over the trends that are there whenever any is, if there are several."""
    times = sorted({point.at for trend in trends for point in trend.points})
    whole = [trend for trend in trends if len(trend.points) == len(times)]
    if len(whole) < 2:
        return
    worst = min if trends[0].better == "higher" else max
    means, extremes = [], []
    for column in zip(*(trend.points for trend in whole), strict=True):
        broke = next((point.broke for point in column if point.broke), "")
        values = [point.value for point in column]
        means.append(Point(column[0].at, fmean(values), broke=broke))
        extremes.append(Point(column[0].at, worst(values), broke=broke))
    of = "" if len(whole) == len(trends) else f" of {len(whole)}"
    yield f"mean{of}", tuple(means)
    yield f"worst{of}", tuple(extremes)


def _most_changed(trends: Sequence[Trend], number: int) -> list[tuple[str, tuple[Point, ...]]]:
    """Choose what changed most last, or else over all of its time."""

    def change(trend: Trend) -> tuple[float, float, str]:
        values = [point.value for point in trend.points]
        return (-abs(trend.step or 0.0), min(values) - max(values), trend.name)

    return [(trend.name, trend.points) for trend in sorted(trends, key=change)[:number]]


def _segments(name: str, points: Sequence[Point]) -> Iterator[Line]:
    """Break a line where its points cannot be compared; what follows is named by what broke it."""
    found: list[list[Point]] = []
    for point in points:
        if point.broke or not found:
            found.append([])
        found[-1].append(point)
    for part in found:
        yield Line(
            name=f"{name}, after {part[0].broke}" if part[0].broke else name,
            x=tuple(float(point.at) for point in part),
            y=tuple(point.value for point in part),
            intervals=tuple(point.interval for point in part),
        )


def _ticks(history: History) -> dict[float, str]:
    """Name documents along the axis by their day, or by their file where they do not say one, or share it."""
    days = [date[:10] for date in history.dates]
    names = [
        day if day and days.count(day) == 1 else file.removesuffix(".json")
        for day, file in zip(days, history.files, strict=True)
    ]
    step = -(-len(names) // _TICKS)
    # Counted from the last, which is the one that is looked at.
    return {float(at): name for at, name in enumerate(names) if (len(names) - 1 - at) % step == 0}
