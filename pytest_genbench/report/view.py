"""What is on a page of the report, before it is written as HTML: scales, tables by row, facts, made from a results document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..results.pairing import Counterparts, obstacles, same_score
from ..results.schema import Case, Document
from ..results.writing import count
from ..scores import Score
from .references import beside
from .table import Table, decimal
from .tables import by_reason, code_sizes, said
from .training import training_lines

_FIRST = ("seed", "score")
"""Columns that stand before the verdict."""

Key = tuple[str, str, str, str]
"""Benchmark, preset, family and task: what one table is about."""

_LISTED = 3
"""Model files, providers and the like that are listed; of more, how many there are."""


@dataclass(frozen=True)
class Mark:
    """A place on a scale: a value, what it is, and how it looks.

    Attributes:
        value: Where it is.
        name: What it is.
        kind: A verdict, ``anchor``, ``gate``, ``baseline``, ``seen`` or ``mean``.
    """

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
class Together:
    """Rows of a table about one split, with the mean over their seeds.

    Attributes:
        name: What was held out.
        places: Which rows of the table.
        mean: A cell for each column of the table, those of scores filled; none for a single seed.
        scale: The mean among its seeds.
    """

    name: str
    places: tuple[int, ...]
    mean: tuple[str, ...] = ()
    scale: Scale | None = None


@dataclass(frozen=True)
class Listed:
    """A table with a scale for each row, and what stands for each row in a baseline.

    Attributes:
        benchmark: Its name.
        anchor: Where in the page it is.
        table: The table of text.
        scales: One for each row; none where rows are about several cases.
        before: For each row value and change, where there is a baseline.
        obstacles: Why rows are not comparable with it.
        together: All rows, those of one split with each other.
        title: What it is about, in a section that says already what it is of.
        failures: Its worst failures, drawn; None where there are none.
        is_folded: Whether it is folded away, since figures show the same.
    """

    benchmark: str
    anchor: str
    table: Table
    scales: tuple[Scale, ...]
    before: tuple[tuple[str, str], ...]
    obstacles: tuple[str, ...]
    together: tuple[Together, ...]
    title: str = ""
    failures: Any = None
    is_folded: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        """Columns between the first and the last in the order of the page: what says most stands first."""
        names = self.table.columns
        inner = range(1, len(names) - 1)
        return tuple(sorted(inner, key=lambda place: names[place] not in _FIRST)) if self.scales else tuple(inner)

    @property
    def split(self) -> int:
        """How many of these columns stand before the verdict."""
        return sum(name in _FIRST for name in self.table.columns[1:-1]) if self.scales else len(self.columns)

    @property
    def range(self) -> str:
        """How many rows there are, and from where to where their scores go."""
        rows = count(len(self.table.rows), "row")
        if not self.table.cases:
            return rows
        ends = sorted(self.table.cases, key=lambda case: case.scores[0].value)
        low, high = (f"{decimal(end.scores[0].value)} ({end.held_out or end.split})" for end in (ends[0], ends[-1]))
        return f"{rows}, from {low} to {high}"

    def has(self, kind: str) -> bool:
        """Say whether a mark of this kind is on any scale."""
        return any(mark.kind == kind for each in self.scales for mark in each.marks)


def anchor(key: Iterable[str]) -> str:
    """Make a name for a place in the page."""
    return "-".join("".join(c if c.isalnum() else "-" for c in part.lower()) for part in key)


def key(cases: Sequence[Case]) -> Key:
    """What the cases of a table have in common."""
    return (cases[0].benchmark, cases[0].preset, cases[0].family, cases[0].output)


def place(cases: Sequence[Case]) -> str:
    """Where in the page the table of some cases is."""
    return anchor((*key(cases), cases[0].version))


def in_split(case: Case) -> Score | None:
    """The headline score on what training may have shown."""
    head = case.scores[0]
    return case.score(head.metric, in_split=True, judge=head.judge)


def kind_of(case: Case) -> str:
    """How the mark of a score looks: by its verdict."""
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
        scales = _aligned(list(map(_scale, table.cases, olds, references)))
        made.append(
            Listed(
                benchmark=table.cases[0].benchmark if table.cases else table.title.partition(" ")[0],
                anchor=place(table.cases) if table.cases else anchor((table.title,)),
                table=table,
                scales=scales,
                before=tuple((value, note.partition(": ")[0]) for value, note, _ in before),
                obstacles=tuple(dict.fromkeys(f"baseline {note}" for _, note, _ in before if ": " in note)),
                together=tuple(_together(table, scales)),
            )
        )
    return made


def _aligned(scales: Sequence[Scale]) -> tuple[Scale, ...]:
    """Give scales below each other the same ends."""
    low, high = min((each.low for each in scales), default=0.0), max((each.high for each in scales), default=1.0)
    return tuple(replace(each, low=low, high=high) for each in scales)


def _together(table: Table, scales: Sequence[Scale]) -> Iterator[Together]:
    """Put the seeds of a split together, with their mean."""
    if not table.cases or "seed" not in table.columns:
        yield from (Together(row.cells[0], (place,)) for place, row in enumerate(table.rows))
        return
    # Not only neighbours: splits that a document does not order are sorted by seed first.
    splits: dict[tuple[str, ...], list[int]] = {}
    for place, case in enumerate(table.cases):
        splits.setdefault((case.split, case.group, case.held_out), []).append(place)
    for places in splits.values():
        name, cases = table.rows[places[0]].cells[0], [table.cases[place] for place in places]
        if len(cases) == 1:
            yield Together(name, tuple(places))
            continue
        cells, mean = _mean(cases, table.columns)
        axis = scales[places[0]]
        yield Together(name, tuple(places), cells, replace(mean, low=axis.low, high=axis.high))


def _mean(cases: Sequence[Case], columns: Sequence[str]) -> tuple[tuple[str, ...], Scale]:
    """Average scores over seeds, from the scores themselves and not from what is printed of them."""
    values = [case.scores[0].value for case in cases]
    mean = sum(values) / len(values)
    known = {"seed": "mean", "score": decimal(mean)}
    seen = [each.value for case in cases if (each := in_split(case)) is not None]
    if len(seen) == len(cases):
        known["in-split"] = decimal(sum(seen) / len(seen))
        known["gap"] = decimal(sum(seen) / len(seen) - mean)
    marks = [*(Mark(value, f"seed {case.seed}", "seen") for case, value in zip(cases, values, strict=True))]
    marks.append(Mark(mean, "mean", "mean"))
    text = f"mean {decimal(mean)} of {count(len(cases), 'seed')}, {decimal(min(values))} to {decimal(max(values))}"
    return tuple(known.get(column, "") for column in columns), scale(marks, text=text)


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
    marks.append(Mark(head.value, "score", kind_of(case)))
    bounds = None if head.interval is None else (head.interval.low, head.interval.high)
    text = ", ".join(f"{mark.name} {decimal(mark.value)}" for mark in reversed(marks))
    return scale(marks, bounds, text)


def facts(document: Document, found: Sequence[Table], baseline: Document | None) -> list[tuple[str, list[str]]]:
    """What model this was, what it was shown, where it ran, and what it is compared with; a few lines for each."""
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
        ("made", [_origin(document)]),
        ("baseline", [] if baseline is None else [str(baseline.model.get("spec", "not named")), _origin(baseline)]),
        ("versions", [", ".join(f"{name} {version}" for name, version in document.environment.items())]),
    ]
    return [(name, [line for line in lines if line]) for name, lines in known if any(lines)]


def _origin(document: Document) -> str:
    """When a document was made, and of which commit."""
    return ", ".join(filter(None, [document.created, document.commit and f"commit {document.commit[:12]}"]))


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
    if not cases:
        return ""
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
