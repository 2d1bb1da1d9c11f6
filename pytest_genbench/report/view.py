"""What is on a page of the report, before it is written as HTML: facts, cards, sections, made from a results document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..results.pairing import Counterparts, obstacles, same_score
from ..results.schema import Case, Document
from ..scores import Score, title
from .references import beside
from .table import Table, count, decimal
from .tables import by_reason, code_sizes, said
from .training import training_lines

Key = tuple[str, str, str, str]
"""Benchmark, preset, family and task: what one table is about."""

_LISTED = 3
"""Model files, providers and the like that are listed; of more, how many there are."""

_BEHIND = ("chance", "identity", "people")
"""Anchors that cards show, where they have them, beside what is published."""


@dataclass(frozen=True)
class Mark:
    """A place on a scale: a value, what it is, and how it looks (a verdict, ``anchor``, ``gate``, ``baseline`` or ``seen``)."""

    value: float
    name: str
    kind: str


@dataclass(frozen=True)
class Scale:
    """Marks on an axis from `low` to `high`, and an interval, for a picture of one line.

    Attributes:
        marks: Drawn in order, so that the last is on top.
        low: Where the axis begins.
        high: Where it ends.
        interval: Ends of an interval; None for none.
        text: The same in words, for those who cannot see it.
    """

    marks: tuple[Mark, ...]
    low: float
    high: float
    interval: tuple[float, float] | None
    text: str

    def at(self, value: float) -> float:
        """Place of a value, in percent of the axis; what lies outside is put at its end."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)


@dataclass(frozen=True)
class Card:
    """A family of splits at a glance."""

    name: str
    about: str
    anchor: str
    value: str
    lines: tuple[str, ...]
    verdicts: tuple[tuple[str, int], ...]
    scale: Scale


@dataclass(frozen=True)
class Listed:
    """A table with a scale for each row, and what stands for each row in a baseline."""

    benchmark: str
    anchor: str
    table: Table
    scales: tuple[Scale, ...]
    before: tuple[tuple[str, str], ...]


def anchor(key: Iterable[str]) -> str:
    """Make a name for a place in the page."""
    return "-".join("".join(c if c.isalnum() else "-" for c in part.lower()) for part in key)


def key(cases: Sequence[Case]) -> Key:
    """What the cases of a table have in common."""
    return (cases[0].benchmark, cases[0].preset, cases[0].family, cases[0].output)


def cards(document: Document, found: Sequence[Table]) -> list[Card]:
    """Sum up each family of splits."""
    return [_card(table.cases, document) for table in found if table.cases]


def _card(cases: Sequence[Case], document: Document) -> Card:
    benchmark, preset, family, output = name = key(cases)
    heads = [case.scores[0] for case in cases]
    values = [score.value for score in heads]
    worst = (min if heads[0].better == "higher" else max)(cases, key=lambda case: case.scores[0].value)
    of, splits = len(document.expected.get("/".join(name), ())), len({case.split for case in cases})
    lines = []
    if len(cases) > 1:
        lines.append(f"worst {decimal(worst.scores[0].value)}: {worst.held_out or worst.split}")
    seen = [each.value for case in cases if (each := in_split(case)) is not None]
    if seen:
        lines.append(f"in-split {decimal(sum(seen) / len(seen))}")
    behind = {
        each.name: each.value
        for each in cases[0].anchors
        if each.metric == heads[0].metric and each.judge in ("", heads[0].judge) and each.name in _BEHIND
    }
    recorded = beside(cases, str(document.model.get("spec", "")))
    if recorded is not None:
        there = [value for value in recorded.values if value is not None]
        behind[f"reference ({recorded.model})"] = sum(there) / len(there)
    if behind:
        lines.append(", ".join(f"{name} {decimal(value)}" for name, value in behind.items()))
    marks = [Mark(value, name, "anchor") for name, value in behind.items()]
    marks += [Mark(case.scores[0].value, case.held_out or case.split, _kind(case)) for case in cases]
    splits_of = f"{splits} of {count(of, 'split')}" if 0 < splits < of else count(splits, "split")
    return Card(
        name=f"{benchmark}, {family.replace('_', ' ')}",
        about=f"{preset}; {output.replace('_', ' ')}, {title(heads[0].metric)}",
        anchor=anchor(name),
        value=decimal(sum(values) / len(values)),
        lines=(f"mean of {splits_of}" if len(cases) > 1 else cases[0].held_out, *lines),
        verdicts=tuple(sorted(Counter(map(said, cases)).items())),
        scale=scale(marks, text=f"{len(cases)} scores from {decimal(min(values))} to {decimal(max(values))}"),
    )


def in_split(case: Case) -> Score | None:
    """The headline score on what training may have shown."""
    head = case.scores[0]
    return case.score(head.metric, in_split=True, judge=head.judge)


def _kind(case: Case) -> str:
    return said(case).replace(" ", "-")


def scale(marks: Sequence[Mark], interval: tuple[float, float] | None = None, text: str = "") -> Scale:
    """Choose an axis: from 0 to 1 where values lie there, else as far as they go, below 0 no further than -1."""
    values = [mark.value for mark in marks]
    low, high = min(0.0, max(-1.0, min(values))), max(1.0, max(values))
    return Scale(tuple(marks), low, high, interval, text)


def listed(document: Document, found: Sequence[Table], baseline: Document | None) -> list[Listed]:
    """Give each table the scales of its rows, and the baseline's scores."""
    spec = str(document.model.get("spec", ""))
    counterparts = None if baseline is None else Counterparts(baseline)
    made = []
    for table in found:
        before = [_before(case, counterparts) for case in table.cases] if counterparts else []
        olds = [score for _, _, score in before] or [None] * len(table.cases)
        recorded = beside(table.cases, spec) if table.cases else None
        references = recorded.values if recorded is not None else [None] * len(table.cases)
        made.append(
            Listed(
                benchmark=table.cases[0].benchmark if table.cases else table.title.partition(" ")[0],
                anchor=anchor(key(table.cases) if table.cases else (table.title,)),
                table=table,
                scales=tuple(map(_scale, table.cases, olds, references)),
                before=tuple((value, note) for value, note, _ in before),
            )
        )
    return made


def _before(case: Case, counterparts: Counterparts) -> tuple[str, str, Score | None]:
    """Write what a baseline has for a case: its value, or why it is not comparable."""
    old = counterparts.find(case)
    score = None if old is None else same_score(old.scores, case.scores[0])
    if old is None or score is None:
        return "", "not in the baseline", None
    if reason := obstacles(old, score, case, case.scores[0]):
        return decimal(score.value), f"not comparable: {reason}", None
    return decimal(score.value), f"{case.scores[0].value - score.value:+.3f}", score


def _scale(case: Case, baseline: Score | None, reference: float | None) -> Scale:
    head, seen = case.scores[0], in_split(case)
    marks = [
        Mark(each.value, each.name, "anchor")
        for each in case.anchors
        if each.metric == head.metric and each.judge in ("", head.judge)
    ]
    marks += [
        Mark(gate.bound, "gate", "gate") for gate in case.gates if gate.bound is not None and gate.metric == head.metric
    ]
    marks += [Mark(reference, "reference", "anchor")] if reference is not None else []
    marks += [Mark(baseline.value, "baseline", "baseline")] if baseline is not None else []
    marks += [Mark(seen.value, "in-split", "seen")] if seen is not None else []
    marks.append(Mark(head.value, "score", _kind(case)))
    bounds = None if head.interval is None else (head.interval.low, head.interval.high)
    text = ", ".join(f"{mark.name} {decimal(mark.value)}" for mark in reversed(marks))
    return scale(marks, bounds, text)


def facts(document: Document, found: Sequence[Table]) -> list[tuple[str, list[str]]]:
    """What model this was, what it was shown, and where it ran; a few lines for each."""
    cases = document.cases
    known = [
        ("model", [str(document.model.get("spec", "not named")), *_files(cases)]),
        ("takes", _some(_contract(case.model.get("contract", {})) for case in cases)),
        ("runs on", _some(str(case.model.get("provider", "")) for case in cases)),
        ("exposure", _exposure(cases)),
        (
            "code size",
            _some(
                size.partition(": ")[2] for table in found for size in (code_sizes(table.cases) if table.cases else ())
            ),
        ),
        ("training", training_lines(document)),
        ("seeds", [", ".join(map(str, sorted({case.seed for case in cases})))]),
        ("items", [_items(cases)]),
        ("benchmarks", _some(f"{case.benchmark} {case.version} ({case.preset})" for case in cases)),
        ("time", [_time(cases)]),
        ("made", [", ".join(filter(None, [document.created, document.commit and f"commit {document.commit[:12]}"]))]),
        ("versions", [", ".join(f"{name} {version}" for name, version in document.environment.items())]),
    ]
    return [(name, [line for line in lines if line]) for name, lines in known if any(lines)]


def _some(texts: Iterable[str]) -> list[str]:
    """Different texts, as often as there are few."""
    found = list(dict.fromkeys(filter(None, texts)))
    return found if len(found) <= _LISTED else [*found[:_LISTED], f"and {len(found) - _LISTED} more"]


def _files(cases: Sequence[Case]) -> list[str]:
    names = {
        f"{name} (SHA-256 {digest[:12]}…)": None
        for case in cases
        for name, digest in case.model.get("files", {}).items()
    }
    return _some(names)


def _contract(contract: Mapping[str, object]) -> str:
    """Describe what a model takes and offers, from the flat mapping of its contract."""
    if not contract:
        return ""
    shape = " by ".join("any" if side is None else str(side) for side in _list(contract.get("shape")))
    parts = [f"{contract.get('input', 'image')}s {shape} ({contract.get('layout')}, {contract.get('dtype')})"]
    if (bounds := _list(contract.get("range"))) and contract.get("input") != "signal":
        parts.append(f"range {bounds[0]:g} to {bounds[1]:g}")
    parts += [f"{name} {_list(contract[name])}" for name in ("mean", "std") if contract.get(name)]
    return f"{', '.join(parts)}; offers {', '.join(map(str, _list(contract.get('outputs'))))}"


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _exposure(cases: Sequence[Case]) -> list[str]:
    counts = Counter(str(case.model.get("exposure", "undeclared")) for case in cases)
    return [f"{what}: {count(number, 'score')}" for what, number in sorted(counts.items())]


def _items(cases: Sequence[Case]) -> str:
    asked = sorted({str(case.samples) for case in cases})
    return f"{sum(case.scores[0].n for case in cases):,} evaluated; at most {', '.join(asked)} for each test"


def _time(cases: Sequence[Case]) -> str:
    """Add the seconds of all tests up by phase."""
    total: Counter[str] = Counter()
    for case in cases:
        total.update(case.seconds)
    phases = [f"{phase} {total[phase]:.1f} s" for phase in ("render", "model", "judge", "metrics") if total[phase]]
    return f"{sum(total.values()):.1f} s in tests: {', '.join(phases)}" if phases else ""


def left_out(document: Document) -> list[tuple[str, str, list[str]]]:
    """What has no score: how it ended, why, and the names of the tests."""
    found = [("skipped", reason, names) for reason, names in by_reason(document.skipped).items()]
    found += [("ended without a result", reason, names) for reason, names in by_reason(document.broken).items()]
    for verdict in ("inconclusive", "not comparable"):
        cases = {
            f"{c.benchmark}/{c.family}/{c.split} {c.output}": c.reason for c in document.cases if c.verdict == verdict
        }
        found += [(verdict, reason, names) for reason, names in by_reason(cases).items()]
    return found
