"""The results document: cases by key, with scores, anchors, gates and everything a comparison needs to be fair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..scores import Anchor, Score

SCHEMA = 1
"""Number of the document format; readers refuse what they do not know."""

Verdict = Literal["passed", "failed", "inconclusive", "not comparable"]

ORDER: tuple[Verdict, ...] = ("failed", "not comparable", "inconclusive", "passed")
"""Of several verdicts the first of these counts."""

CUT_SHORT = ("INTERRUPTED", "INCOMPLETE")
"""Begin of the notes that say that a run ended before all of its tests had."""


@dataclass(frozen=True)
class GateResult:
    """What one gate said about one score.

    Attributes:
        verdict: See :data:`Verdict`.
        against: ``floor`` or ``baseline``.
        metric: The metric it looked at.
        reason: One line: expected, got, interval, n; or why nothing could be said.
        bound: The value to clear; None where it compared with a baseline.
    """

    verdict: Verdict
    against: Literal["floor", "baseline"]
    metric: str
    reason: str
    bound: float | None = None


@dataclass(frozen=True)
class Failure:
    """One held-out item that went wrong: among the worst of its case.

    Attributes:
        item: Its number; the benchmark makes its input again from that.
        right: What was to be read, for people.
        read: What was read.
        output: The picture that the model made of it, a PNG file in base64; empty where it made none.
    """

    item: int
    right: str
    read: str
    output: str = ""


@dataclass(frozen=True)
class Case:
    """One evaluated test: a benchmark's split, seen through one task and one seed.

    Attributes:
        benchmark: Name; with `version` and `preset` it says which images these were.
        version: The benchmark's version.
        preset: The benchmark's preset.
        family: Split family.
        split: Slug of the split.
        output: Name of the task: what was asked of the model.
        group: Part of the family, such as ``longer``; may be empty.
        held_out: What training never showed, for people.
        factor: Factor or rule where the case is about one; else empty.
        seed: Training seed of the model, where the model path names one; else 0.
        samples: The sample size asked for, or ``all``.
        model: ``files`` (name to SHA-256), ``contract`` (flat mapping), ``provider``, ``exposure`` and ``code_size``.
        scores: The headline first; held out, then in split.
        anchors: Reference values.
        errors: How many held-out items went wrong in which way.
        failures: Some of them, the worst first.
        kept: By what they are about, some ``items``, always the same ones, what is ``true`` of each, and the model's ``answer``;
            and what a benchmark draws its figures from.
        gates: What each gate said.
        verdict: The verdict over all gates.
        reason: The line that explains the verdict.
        seconds: Wall time by phase: ``render`` the inputs, ``model``, ``judge`` (what reads the outputs) and ``metrics``.
    """

    benchmark: str
    version: str
    preset: str
    family: str
    split: str
    output: str
    group: str = ""
    held_out: str = ""
    factor: str = ""
    seed: int = 0
    samples: int | str = "all"
    model: Mapping[str, Any] = field(default_factory=dict)
    scores: tuple[Score, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    kept: Mapping[str, Any] = field(default_factory=dict)
    gates: tuple[GateResult, ...] = ()
    verdict: Verdict = "inconclusive"
    reason: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two cases the same test. Never a node id: those change with the folder and with xdist."""
        return (
            self.benchmark,
            self.version,
            self.preset,
            self.family,
            self.split,
            self.factor,
            self.output,
            str(self.seed),
        )

    def score(self, metric: str, *, in_split: bool = False, judge: str | None = None) -> Score | None:
        """Return the first score of that metric, on what was tested or else in split (and by that judge, where given), if any."""
        for score in self.scores:
            is_it = score.metric == metric and (score.condition == "in-split") == in_split
            if is_it and judge in (None, score.judge):
                return score
        return None


@dataclass(frozen=True)
class AggregateResult:
    """What an aggregate gate said about a whole family of splits.

    Attributes:
        benchmark: As in :class:`Case`, and so on to `output`.
        preset: As in :class:`Case`.
        family: As in :class:`Case`.
        output: As in :class:`Case`.
        metric: The metric.
        statistic: ``mean`` over splits, or the ``worst`` split.
        group: The part of the family it is about; empty for all of it.
        value: None where it was not evaluated.
        verdict: See :data:`Verdict`; ``not evaluated`` where splits are missing.
        reason: One line.
        bound: The value to clear; None where it was not evaluated.
        version: As in :class:`Case`; empty where no case is there.
    """

    benchmark: str
    preset: str
    family: str
    output: str
    metric: str
    statistic: Literal["mean", "worst"]
    group: str
    value: float | None
    verdict: Verdict | Literal["not evaluated"]
    reason: str
    bound: float | None = None
    version: str = ""


@dataclass(frozen=True)
class Document:
    """Everything one run (or several merged ones) found.

    Attributes:
        cases: Cases by key, sorted.
        expected: For each ``benchmark/preset/family/output`` the slugs of all its splits, so that a merge knows what is
            missing.
        aggregates: Results of the aggregate gates.
        skipped: Why a test was skipped, by its name: benchmark, family and split, and what it asks for.
        broken: Why a test ended without a result, likewise.
        notes: What a reader should know of this run.
        environment: Versions of Python and packages, platform.
        model: The ``--genbench-model`` value and what it resolved to.
        created: Date and time, ISO 8601, UTC.
        commit: Commit of the user's repository; empty outside of one.
    """

    cases: tuple[Case, ...] = ()
    expected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aggregates: tuple[AggregateResult, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""
    commit: str = ""
