"""Compare two results documents: what dropped, what rose, what cannot be compared and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..scores import Interval, Score
from . import io
from .pairing import UNPAIRED, Counterparts, allowed, obstacles, other_judge, paired, same_score
from .schema import Case, Document
from .writing import aligned, escaped, markdown_rows, printable

Status = Literal["regressed", "improved", "same", "not comparable"]

TOLERANCE = 0.005
"""A drop of this size is allowed."""


@dataclass(frozen=True)
class Row:
    """One score in two documents.

    Attributes:
        key: The newer case's key, then metric, judge and condition.
        name: The same for people, without what goes without saying.
        old: The older value.
        new: The newer value.
        status: What became of it.
        is_headline: Whether it is the first score of its case.
        difference: New minus old over the clusters of both; None where it is not comparable.
        interval: 95 % interval of the paired difference; None as for `difference`, and where no clusters are stored.
        detectable: Smallest true drop that would be found with 80 % power; None as for `interval`.
        note: Why it is not comparable, or what a reader should know.
    """

    key: tuple[str, ...]
    name: str
    old: float
    new: float
    status: Status
    is_headline: bool = True
    difference: float | None = None
    interval: Interval | None = None
    detectable: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two documents side by side.

    Attributes:
        rows: Scores that both have, by key.
        only_old: Names of scores without a counterpart in the newer document.
        only_new: Names of scores without a counterpart in the older document.
        tolerance: The drop that was allowed.
    """

    rows: tuple[Row, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    tolerance: float

    def having(self, status: Status) -> list[Row]:
        """Return the rows of one status."""
        return [row for row in self.rows if row.status == status]

    @property
    def regressed(self) -> list[Row]:
        """Scores that dropped by more than the tolerance, and not by chance."""
        return self.having("regressed")

    @property
    def exit_status(self) -> int:
        """1 for a regression, 2 where nothing could be compared, else 0."""
        if self.regressed:
            return 1
        return 0 if any(row.status != "not comparable" for row in self.rows) else 2

    @property
    def verdict(self) -> str:
        """One line that says how it went."""
        counts = {status: len(self.having(status)) for status in ("regressed", "improved", "same", "not comparable")}
        head = {0: "no regression", 1: "regressed", 2: "nothing was comparable"}[self.exit_status]
        parts = [f"{count} {status}" for status, count in counts.items()]
        parts += [f"{len(self.only_old)} only in the old", f"{len(self.only_new)} only in the new document"]
        detectable = [row.detectable for row in self.rows if row.detectable is not None]
        power = f"; smallest detectable drop {min(detectable):.4f} to {max(detectable):.4f}" if detectable else ""
        return f"{head}: {', '.join(parts)}; tolerance {self.tolerance:g}{power}"


def compare(old: Document, new: Document, tolerance: float = TOLERANCE) -> Comparison:
    """Compare all scores that two documents share.

    A score has regressed when it dropped by more than `tolerance` and the 95 % interval of the paired difference
    excludes 0. Each score is tested by itself; nothing is corrected for their number. A document compared with itself
    is always the same.

    Args:
        old: The earlier run, such as a baseline.
        new: The later run.
        tolerance: Allowed drop, at least 0: in units of the metric where higher is better, else as a share of the old value.

    Raises:
        ValueError: `tolerance` is negative or not a number.
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance has to be at least 0; got {tolerance}.")
    counterparts, taken = Counterparts(old), {case.key for case in new.cases}
    rows: list[Row] = []
    only_new: list[str] = []
    met: set[tuple[str, ...]] = set()
    for case in sorted(new.cases, key=lambda case: case.key):
        before = counterparts.find(case, taken)
        if before is None:
            only_new += [score_name(case, score) for score in case.scores]
            continue
        for score, partner in _partners(before, case):
            if partner is None:
                only_new.append(score_name(case, score))
            else:
                met.add(_key(before, partner))
                rows.append(_row(before, partner, case, score, tolerance))
    only_old = [score_name(case, s) for case in old.cases for s in case.scores if _key(case, s) not in met]
    return Comparison(tuple(sorted(rows, key=lambda row: row.key)), tuple(only_old), tuple(only_new), tolerance)


def score_name(case: Case, score: Score) -> str:
    """Name a score for people: ``comporth/compositional-B5 reconstruction target_probability (published-1)``."""
    parts = [f"{case.benchmark}/{case.split}", case.factor, case.output, score.metric]
    parts.append(f"({score.judge})" if score.judge else "")
    parts.append("in-split" if score.condition == "in-split" else "")
    parts.append(f"seed {case.seed}" if case.seed else "")
    return " ".join(part for part in parts if part)


def compare_files(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    tolerance: float = TOLERANCE,
    markdown: bool = False,
    everything: bool = False,
) -> tuple[str, int]:
    """Compare two files and write down what a person wants to read.

    Args:
        old: Path of the earlier document.
        new: Path of the later document.
        tolerance: As in :func:`compare`.
        markdown: As in :func:`render`.
        everything: As in :func:`render`.

    Returns:
        The text, and the exit status: 1 for a regression, 2 where nothing could be compared, else 0.

    Raises:
        DocumentError: One of them cannot be read.
    """
    before, after = io.read(old), io.read(new)
    comparison = compare(before, after, tolerance)
    table = render(comparison, markdown=markdown, everything=everything)
    return with_origins([("old", old, before), ("new", new, after)], table, markdown), comparison.exit_status


def with_origins(documents: Sequence[tuple[str, str | os.PathLike[str], Document]], text: str, markdown: bool) -> str:
    """Put before a text which runs it is about: title, path and document of each."""
    write = escaped if markdown else printable
    return ("\n\n" if markdown else "\n").join([*(write(_origin(*each)) for each in documents), text])


def render(comparison: Comparison, *, markdown: bool = False, everything: bool = False) -> str:
    """Write a comparison as a table with one verdict line at its end.

    Args:
        comparison: What :func:`compare` found.
        markdown: Write a Markdown table instead of an aligned plain one.
        everything: Also show secondary scores that stayed the same.
    """
    shown = [row for row in comparison.rows if everything or row.is_headline or row.status != "same"]
    header = ("score", "old", "new", "difference", "95 % interval", "detectable", "status")
    table = [header, *(_cells(row) for row in shown)]
    blocks = ["\n".join(markdown_rows(table) if markdown else aligned(table))] if shown else []
    hidden = len(comparison.rows) - len(shown)
    if hidden:
        blocks.append(f"{hidden} more scores stayed the same.")
    for title, names in (("only in the old", comparison.only_old), ("only in the new", comparison.only_new)):
        if names:
            listed = [f"- {(escaped if markdown else printable)(name)}" for name in names[:20]] + (
                [f"- and {len(names) - 20} more"] if len(names) > 20 else []
            )
            blocks.append("\n".join([f"{title} document:", *([""] if markdown else []), *listed]))
    blocks.append(f"**{comparison.verdict}**" if markdown else comparison.verdict)
    return "\n\n".join(blocks)


def _key(case: Case, score: Score) -> tuple[str, ...]:
    return (*case.key, score.metric, score.judge, score.condition)


def _partners(before: Case, case: Case) -> Iterator[tuple[Score, Score | None]]:
    """Pair each newer score with the older one of the same judge, or else with one of a judge that is there no more."""
    left = [score for score in before.scores if same_score(case.scores, score) is None]
    for score in case.scores:
        yield score, same_score(before.scores, score) or other_judge(left, score)


def _row(before: Case, old: Score, case: Case, new: Score, tolerance: float) -> Row:
    obstacle = obstacles(before, old, case, new)
    row = Row(
        key=_key(case, new),
        name=score_name(case, new),
        old=old.value,
        new=new.value,
        status="not comparable",
        is_headline=new == case.scores[0],
        note=obstacle,
    )
    if obstacle:
        return row
    drop = allowed(tolerance, new.better, old.value)
    difference = paired(old, new, drop)
    if difference is None and old.value == new.value:
        return replace(row, status="same", difference=0.0, note="no cluster is stored in both")
    if difference is None:
        return replace(row, note=UNPAIRED)
    return replace(
        row,
        status=difference.change(new.better, drop),
        difference=difference.value,
        interval=difference.interval,
        detectable=difference.detectable,
        note=difference.note,
    )


def _origin(title: str, path: str | os.PathLike[str], document: Document) -> str:
    """Say which run a document is: a baseline grows old unnoticed."""
    facts = [str(document.model.get("spec") or ""), document.created]
    facts.append(f"commit {document.commit[:12]}" if document.commit else "")
    facts.append(f"{len(document.cases)} cases")
    return f"{title}: {os.fspath(path)} ({', '.join(fact for fact in facts if fact)})"


def _cells(row: Row) -> tuple[str, ...]:
    interval = row.interval
    return (
        row.name,
        f"{row.old:.4f}",
        f"{row.new:.4f}",
        "" if row.difference is None else f"{row.difference:+.4f}",
        "" if interval is None else f"{interval.low:+.4f} to {interval.high:+.4f}",
        "" if row.detectable is None else f"{row.detectable:.4f}",
        f"{row.status}: {row.note}" if row.note else row.status,
    )
