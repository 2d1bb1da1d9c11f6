"""What a gates file says, as frozen data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, NoReturn

from ..errors import GateError
from ..results.schema import Case
from ..scores import Score

Against = Literal["floor", "baseline", "both", "none"]
Statistic = Literal["mean", "worst"]

TOLERANCE = 0.005
"""A drop against a baseline that nobody is told about, unless the gate says otherwise."""

_FRACTIONS = ("*accuracy", "*probability", "top[0-9]")
"""Metrics whose name says that they are fractions; a bound of 90 there is a percentage by mistake."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What a gate on a case and a gate on a family have in common.

    All texts but `reason` and `where` are patterns with ``*``, ``?`` and ``[…]``, in which upper and lower case differ.

    Attributes:
        benchmark: Pattern of the benchmark's name.
        family: Pattern of the split family.
        output: Pattern of the task.
        metric: Pattern of the metric; the first score of a case that it fits is meant, so ``*`` is the headline.
        judge: Pattern of the judge.
        min: Lowest value that passes, where higher is better; None for no floor.
        max: Highest value that passes, where lower is better; None for no ceiling.
        inconclusive: Whether an interval that spans the bound counts as ``red`` or ``green``.
        reason: Why this value, for people.
        where: File and line it comes from.
    """

    benchmark: str = "*"
    family: str = "*"
    output: str = "*"
    metric: str = "*"
    judge: str = "*"
    min: float | None = None
    max: float | None = None
    inconclusive: Literal["red", "green"] = "red"
    reason: str = ""
    where: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.min is not None and self.max is not None:
            self._refuse("has both min and max; a metric is better higher or better lower, never both")
        for name, value in (("min", self.min), ("max", self.max)):
            if value is not None and not math.isfinite(value):
                self._refuse(f"{name} = {value} is not a finite number")
            is_fraction = any(fnmatchcase(self.metric, pattern) for pattern in _FRACTIONS)
            if value is not None and is_fraction and not 0 <= value <= 1:
                self._refuse(f"{name} = {value} is out of range; {self.metric} lies between 0 and 1")
        if self.inconclusive not in ("red", "green"):
            self._refuse(f"inconclusive = {self.inconclusive!r}; it is 'red' or 'green'")

    @property
    def bound(self) -> float | None:
        """The value to clear, whichever way; None where there is none."""
        return self.min if self.max is None else self.max

    def fits_family(self, benchmark: str, family: str, output: str) -> bool:
        """Whether the patterns fit these names."""
        return (
            fnmatchcase(benchmark, self.benchmark)
            and fnmatchcase(family, self.family)
            and fnmatchcase(output, self.output)
        )

    def find(self, case: Case) -> Score | None:
        """Return the held-out score that is meant, the first that fits; None where there is none."""
        for score in case.scores:
            fits = fnmatchcase(score.metric, self.metric) and fnmatchcase(score.judge, self.judge)
            if fits and score.condition != "in-split":
                return score
        return None

    def check_direction(self, metric: str, better: str) -> None:
        """Refuse a floor under a metric that is better lower, and a ceiling over one that is better higher.

        Raises:
            GateError: As said.
        """
        if better == "lower" and self.min is not None:
            self._refuse(f"min = {self.min} for {metric}, which is better when lower; use max")
        if better == "higher" and self.max is not None:
            self._refuse(f"max = {self.max} for {metric}, which is better when higher; use min")

    def _refuse(self, problem: str) -> NoReturn:
        raise GateError(f"{self.where or type(self).__name__}: {problem}.")


@dataclass(frozen=True, kw_only=True)
class Gate(Bound):
    """What the score of one case must clear.

    Attributes:
        split: Pattern of the split's slug.
        against: ``floor`` (min or max), ``baseline`` (the run given by ``--genbench-baseline``), ``both``, or ``none``.
        tolerance: Drop against the baseline that is always allowed, in units of the metric, at least 0.
        anchor: Name of an anchor of the case whose value is the bound, instead of ``min`` or ``max``.
    """

    split: str = "*"
    anchor: str = ""
    against: Against = "both"
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.against not in ("floor", "baseline", "both", "none"):
            self._refuse(f"against = {self.against!r}; it is 'floor', 'baseline', 'both' or 'none'")
        if self.anchor and self.bound is not None:
            self._refuse("has both an anchor and a number to clear; give one of them")
        if self.against in ("floor", "both") and self.bound is None and not self.anchor:
            self._refuse(
                f"against = {self.against!r} needs min (or max, for a metric that is better when lower), or an anchor"
            )
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            self._refuse(f"tolerance = {self.tolerance} is out of range; it is a finite number, at least 0")

    def fits(self, case: Case) -> bool:
        """Whether the patterns fit the case; whether it has a score that is meant is asked by :meth:`find`."""
        return self.fits_family(case.benchmark, case.family, case.output) and fnmatchcase(case.split, self.split)

    def resolved(self, case: Case, score: Score) -> Gate:
        """Return this gate with the value of its anchor for a number, if it has an anchor.

        Raises:
            GateError: The case has no such anchor of the score's metric.
        """
        if not self.anchor:
            return self
        there = {each.name: each.value for each in case.anchors if each.metric == score.metric}
        if self.anchor not in there:
            self._refuse(
                f"anchor = {self.anchor!r}, but {case.benchmark}/{case.split} has none of that name for {score.metric}"
                f"{'; it has ' + ', '.join(sorted(there)) if there else ''}"
            )
        value = there[self.anchor]
        return replace(self, anchor="", **{"min" if score.better == "higher" else "max": value})  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class AggregateGate(Bound):
    """What a family of splits must clear together.

    Attributes:
        statistic: ``mean`` over splits, each counting the same, or the ``worst`` split.
        group: Empty for the whole family; else the pattern of a part of it, each part being judged on its own.
        against: ``floor``, or ``none`` to switch off a shipped one.
    """

    statistic: Statistic = "mean"
    group: str = ""
    against: Literal["floor", "none"] = "floor"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.statistic not in ("mean", "worst"):
            self._refuse(f"statistic = {self.statistic!r}; it is 'mean' or 'worst'")
        if self.against not in ("floor", "none"):
            self._refuse(f"against = {self.against!r}; an aggregate has 'floor' or 'none'")
        if self.against == "floor" and self.bound is None:
            self._refuse("needs min (or max, for a metric that is better when lower)")


@dataclass(frozen=True)
class Gates:
    """All gates of a run, in the order in which they are consulted.

    Attributes:
        gates: Gates on cases; of those on the same score of a case, the first that fits counts.
        aggregates: Gates on families; of those on the same score, statistic and group, the first that fits counts.
        source: Where they come from, for people.
    """

    gates: tuple[Gate, ...] = ()
    aggregates: tuple[AggregateGate, ...] = ()
    source: str = ""

    def applying(self, case: Case) -> Iterator[tuple[Gate, Score]]:
        """Yield the gates that count for a case, with the score each is about."""
        taken = set()
        for gate in self.gates:
            score = gate.find(case) if gate.fits(case) else None
            if score is not None and (score.metric, score.judge) not in taken:
                taken.add((score.metric, score.judge))
                yield gate, score
