"""A folder of documents over time: how each score went, what its gate was, and whether its last change is a regression."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal

from ..errors import DocumentError
from ..figures import Bounds
from ..scores import Better, Score, over_seeds
from . import io
from .compare import TOLERANCE
from .pairing import UNPAIRED, Difference, allowed, obstacles, paired_seeds, same_score
from .schema import ORDER, AggregateResult, Case, Document

Change = Literal["regressed", "improved", "same", "not comparable", "new"]
Seeds = Mapping[int, Case]
Test = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Point:
    """A score in one of the documents.

    Attributes:
        at: Place of the document in the history, from 0.
        value: The value, or the mean over seeds.
        interval: 95 % interval: that of the sample, or over seeds; None for a census, and for an aggregate.
        bounds: What its gates asked for.
        verdict: What they said.
        broke: Why it cannot be compared with the point before: another preset, benchmark version, judge, sample or contract; empty
            where it can.
        model: Names of the model's files that changed since the point before; empty where none did.
    """

    at: int
    value: float
    interval: Bounds | None = None
    bounds: tuple[float, ...] = ()
    verdict: str = ""
    broke: str = ""
    model: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trend:
    """The headline score of one test over time, or an aggregate.

    Attributes:
        suite: Benchmark, family and output.
        name: What it is within that: the split, and preset and factor where they tell trends apart; or which aggregate.
        metric: The metric of the last point.
        better: Which way it improves.
        points: By time.
        change: What became of it last, by the rule of ``genbench compare``; ``new`` where there is no point before.
        difference: Of the last two points; None where it was not measured.
        note: Why they are not comparable, or what a reader should know; may be empty.
        is_aggregate: Whether it is about a family; its changes are not tested, so that it counts as ``new``.
    """

    suite: tuple[str, str, str]
    name: str
    metric: str
    better: Better
    points: tuple[Point, ...]
    change: Change = "new"
    difference: Difference | None = None
    note: str = ""
    is_aggregate: bool = False

    @property
    def title(self) -> str:
        """The trend for people."""
        benchmark, family, output = self.suite
        return (
            f"{benchmark}/{self.name} {output} {self.metric}"
            if not self.is_aggregate
            else (f"{benchmark} {family} {output}, {self.name}: {self.metric}")
        )

    @property
    def step(self) -> float | None:
        """How far it went last; None of a single point, and across a break."""
        if len(self.points) < 2 or self.points[-1].broke:
            return None
        return self.points[-1].value - self.points[-2].value if self.difference is None else self.difference.value


@dataclass(frozen=True)
class History:
    """Documents over time.

    Attributes:
        files: Their names, by date, then name.
        dates: When each was created, as it says itself; may be empty.
        trends: Of each score, then of each aggregate, by name.
        notes: Files that were left out, and why.
        tolerance: The drop that was allowed.
    """

    files: tuple[str, ...]
    dates: tuple[str, ...]
    trends: tuple[Trend, ...]
    notes: tuple[str, ...]
    tolerance: float

    @property
    def regressed(self) -> list[Trend]:
        """Scores whose last change is a regression."""
        return [trend for trend in self.trends if trend.change == "regressed"]

    @property
    def exit_status(self) -> int:
        """1 for a regression, else 0."""
        return 1 if self.regressed else 0


def read_folder(folder: str | os.PathLike[str]) -> tuple[dict[str, Document], list[str]]:
    """Read the results documents of a folder: files that end in ``.json``, not those of folders in it.

    Returns:
        Documents by file name, and a line for each file that is left out because it is none.

    Raises:
        DocumentError: The folder cannot be read, or holds no results document.
    """
    documents, notes = {}, []
    try:
        paths = sorted(path for path in Path(folder).iterdir() if path.suffix == ".json" and path.is_file())
    except OSError as error:
        raise DocumentError(f"{os.fspath(folder)}: cannot be read ({error.strerror or error}).") from None
    for path in paths:
        try:
            documents[path.name] = io.read(path)
        except DocumentError as error:
            notes.append(f"left out: {str(error).replace(os.fspath(path), path.name, 1)}")
    if not documents:
        raise DocumentError(" ".join([f"{os.fspath(folder)}: holds no results documents (*.json).", *notes]))
    return documents, notes


def history(documents: Mapping[str, Document], tolerance: float = TOLERANCE, notes: Sequence[str] = ()) -> History:
    """Put documents in order, and follow each headline score and each aggregate through them.

    A score is followed across presets and versions of its benchmark, as one line with a break; where a document holds a test at
    several presets or versions at once, each is a line of its own.

    Args:
        documents: By file name.
        tolerance: As for ``genbench compare``: at least 0, in units of the metric where higher is better, else as a share of the
            value before.
        notes: Lines to be handed on.

    Raises:
        ValueError: `tolerance` is negative or not a number.
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance has to be at least 0; got {tolerance}.")
    order = sorted(documents, key=lambda name: (documents[name].created, name))
    ordered = [documents[name] for name in order]
    return History(
        files=tuple(order),
        dates=tuple(document.created for document in ordered),
        trends=(*_scores(ordered, tolerance), *_aggregates(ordered)),
        notes=tuple(notes),
        tolerance=tolerance,
    )


def _scores(documents: Sequence[Document], tolerance: float) -> Iterator[Trend]:
    """Follow the headline score of each test, each the mean over its seeds."""
    found: dict[Test, dict[tuple[str, str], dict[int, dict[int, Case]]]] = {}
    for at, document in enumerate(documents):
        for case in sorted(document.cases, key=lambda case: case.key):
            if case.scores:
                test = (case.benchmark, case.family, case.split, case.factor, case.output)
                kinds = found.setdefault(test, {})
                kinds.setdefault((case.preset, case.version), {}).setdefault(at, {})[case.seed] = case
    for test in sorted(found):
        kinds = found[test]
        is_apart = sum(map(len, kinds.values())) > len(set().union(*kinds.values()))
        if not is_apart:
            yield _trend(
                test, "", {at: seeds for by_time in kinds.values() for at, seeds in by_time.items()}, tolerance
            )
            continue
        for (preset, version), by_time in sorted(kinds.items()):
            several = len({kind[1] for kind in kinds}) > 1
            yield _trend(test, f"({preset}{f', version {version}' if several else ''})", by_time, tolerance)


def _trend(test: Test, remark: str, by_time: Mapping[int, Seeds], tolerance: float) -> Trend:
    benchmark, family, split, factor, output = test
    points: list[Point] = []
    before: Seeds | None = None
    for at, seeds in sorted(by_time.items()):
        point = _point(at, list(seeds.values()))
        if before is not None:
            point = replace(point, broke=_broke(before, seeds), model=_changed(before, seeds))
        points.append(point)
        before = seeds
    last = next(iter(by_time[points[-1].at].values())).scores[0]
    trend = Trend(
        suite=(benchmark, family, output),
        name=" ".join(filter(None, (split, factor, remark))),
        metric=last.metric,
        better=last.better,
        points=tuple(points),
    )
    return _judged(trend, by_time, tolerance) if len(points) > 1 else trend


def _point(at: int, cases: Sequence[Case]) -> Point:
    scores = [case.scores[0] for case in cases]
    value = fmean(score.value for score in scores)
    interval = over_seeds([score.value for score in scores]) if len(scores) > 1 else scores[0].interval
    bounds = {gate.bound for case in cases for gate in case.gates if gate.metric == scores[0].metric}
    return Point(
        at=at,
        value=value,
        interval=None if interval is None else (interval.low, interval.high),
        bounds=tuple(sorted(bound for bound in bounds if bound is not None)),
        verdict=min((case.verdict for case in cases), key=ORDER.index),
    )


def _broke(before: Seeds, after: Seeds) -> str:
    """Say what makes two points incomparable; empty where nothing does."""
    for old in before.values():
        for new in after.values():
            was, now = old.scores[0], new.scores[0]
            if was.metric != now.metric:
                return f"metric: {was.metric} there, {now.metric} here"
            if obstacle := obstacles(old, was, new, now):
                return obstacle
    return ""


def _changed(before: Seeds, after: Seeds) -> tuple[str, ...]:
    """Name the model's files whose contents changed, or that are there no more or for the first time."""
    was = {
        (seed, name): value for seed, case in before.items() for name, value in (case.model.get("files") or {}).items()
    }
    now = {
        (seed, name): value for seed, case in after.items() for name, value in (case.model.get("files") or {}).items()
    }
    seeds = before.keys() & after.keys()
    both = was.keys() | now.keys()
    return tuple(sorted({key[1] for key in both if key[0] in seeds and was.get(key) != now.get(key)}))


def _judged(trend: Trend, by_time: Mapping[int, Seeds], tolerance: float) -> Trend:
    """Say what the last change is, by the rule of ``genbench compare``."""
    before, last = (by_time[point.at] for point in trend.points[-2:])
    if trend.points[-1].broke:
        return replace(trend, change="not comparable", note=trend.points[-1].broke)
    pairs: list[tuple[Score, Score]] = []
    for seed in sorted(before.keys() & last.keys()):
        new = last[seed].scores[0]
        old = same_score(before[seed].scores, new)
        if old is not None:
            pairs.append((old, new))
    if not pairs:
        return replace(trend, change="not comparable", note="no seed is in both")
    was = fmean(old.value for old, _ in pairs)
    drop = allowed(tolerance, trend.better, was)
    difference = paired_seeds(pairs, drop)
    if difference is None:
        is_same = was == fmean(new.value for _, new in pairs)
        note = "" if is_same else UNPAIRED
        return replace(trend, change="same" if is_same else "not comparable", note=note)
    return replace(trend, change=difference.change(trend.better, drop), difference=difference, note=difference.note)


def _aggregates(documents: Sequence[Document]) -> Iterator[Trend]:
    """Follow each aggregate that was evaluated. Their changes are shown, and tested split by split."""
    found: dict[tuple[str, str, str, str, str, str, str], dict[int, AggregateResult]] = {}
    better: dict[str, Better] = {}
    for at, document in enumerate(documents):
        better.update({score.metric: score.better for case in document.cases for score in case.scores})
        for each in document.aggregates:
            key = (each.benchmark, each.family, each.output, each.metric, str(each.statistic), each.group, each.preset)
            found.setdefault(key, {})[at] = each
    for key in sorted(found):
        benchmark, family, output, metric, statistic, group, preset = key
        points = tuple(
            Point(at, each.value, bounds=() if each.bound is None else (each.bound,), verdict=each.verdict)
            for at, each in sorted(found[key].items())
            if each.value is not None
        )
        if points:
            name = f"{statistic}{f' of {group}' if group else ''} ({preset})"
            suite = (benchmark, family, output)
            yield Trend(suite, name, metric, better.get(metric, "higher"), points, is_aggregate=True)
