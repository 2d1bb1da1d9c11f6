"""One table for each benchmark, family and task: a row for each split, anchors beside the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ..benchmarks import noun
from ..gates import UNGATED
from ..results.schema import CUT_SHORT, AggregateResult, Case, Document
from ..results.writing import count
from ..scores import Anchor, Score, title
from . import reasoning
from .references import beside as recorded_beside
from .table import Row, Table, decimal, interval

_STRUCTURE = ("generalisation_gap", "h_error", "perturbed_several")
"""Scores that improve downwards and are shown all the same: no losses, but what others beside them are read by."""

_LISTED = 3
"""Tests named for each reason of skipping; the rest are counted."""

_SAME = 0.0055
"""Anchors that vary less than this over the rows of a table stand below it, once: two printed digits would not differ."""

_WIDEST = 110
"""Characters of a line; a table that the column of the reference model would make wider has its mean below, without a column."""


def tables(document: Document) -> list[Table]:
    """Make the tables of a document, in the order of its keys; versions of a benchmark are tables of their own."""

    def family(case: Case) -> tuple[str, ...]:
        return (case.benchmark, case.preset, case.version, case.family, case.output)

    found = []
    versions = Counter(
        (name, preset) for name, _, preset in {(c.benchmark, c.version, c.preset) for c in document.cases}
    )
    for (name, preset, version, *rest), group in groupby(
        sorted(document.cases, key=lambda case: (family(case), case.key)), key=family
    ):
        key = (name, preset, *rest)
        order = document.expected.get("/".join(key), ())
        rank = {slug: place for place, slug in enumerate(order)}
        cases = sorted(group, key=lambda case: (rank.get(case.split, len(rank)), case.seed))
        about = [
            a
            for a in document.aggregates
            if (a.benchmark, a.preset, a.family, a.output) == key and a.version in ("", version)
        ]
        called = benchmark_title(name, version, preset, is_one=versions[name, preset] == 1)
        found.append(_table(called, cases, about, document))
    return found + reasoning.tables(document)


def benchmark_title(name: str, version: str, preset: str, *, is_one: bool) -> str:
    """Write what scores are of: with its version where there are several."""
    return f"{name} ({preset})" if is_one else f"{name} {version} ({preset})"


def _table(called: str, cases: list[Case], aggregates: list[AggregateResult], document: Document) -> Table:
    headline = cases[0].scores[0]
    beside = [
        (score.judge.rpartition("-")[0] if score.metric == headline.metric else score.metric, score)
        for score in cases[0].scores[1:]
        if score.condition != "in-split"
        and "." not in score.metric
        and (score.better == "higher" or score.metric in _STRUCTURE)
        and (score.metric != "top1" or score.judge == headline.judge)
    ]
    varying, fixed = _anchors(cases, headline)
    has_interval = any(case.scores[0].interval for case in cases)
    has_seeds = len({case.seed for case in cases}) > 1
    columns = ["held out"]
    has_in_split = any(score.condition == "in-split" for case in cases for score in case.scores)
    columns += ["seed"] * has_seeds + ["n", "score"] + ["95 % interval"] * has_interval
    columns += ["in-split", "gap"] * has_in_split
    columns += [title(name) for name, _ in beside] + varying
    rows = []
    for case in cases:
        score, seen = case.scores[0], case.score(headline.metric, in_split=True, judge=headline.judge)
        name = case.held_out or case.split
        cells = (
            [f"{name} ({case.group})" if case.group else name]
            + [str(case.seed)] * has_seeds
            + [f"{score.n:,}", decimal(score.value)]
        )
        cells += [interval(score)] * has_interval
        if has_in_split:
            cells += [decimal(seen.value), decimal(seen.value - score.value)] if seen else ["", ""]
        cells += [decimal(_value(case.score(each.metric, judge=each.judge))) for _, each in beside]
        cells += [decimal(_anchor(case, name, headline)) for name in varying]
        rows.append(cells)
    columns, rows, recorded = _with_reference(columns, rows, cases, str(document.model.get("spec", "")))
    judge = f", read by {headline.judge}" if headline.judge else ""
    return Table(
        title=f"{called}, {cases[0].family}, {cases[0].output}: {title(headline.metric)}{judge}",
        columns=(*columns, "verdict"),
        rows=tuple(Row((*cells, said(case)), _judged(case)) for cells, case in zip(rows, cases, strict=True)),
        cases=tuple(cases),
        aggregates=tuple(_aggregate(each) for each in aggregates),
        notes=(
            *_gate_notes(cases, has_interval),
            *_ungated(cases),
            *fixed,
            *recorded,
            *_degenerate(cases),
            *_parts(cases),
            *_in_distribution(cases, document.cases),
            *code_sizes(cases),
            *_errors(cases),
        ),
    )


def _with_reference(
    columns: list[str], rows: list[list[str]], cases: Sequence[Case], spec: str
) -> tuple[list[str], list[list[str]], list[str]]:
    """Set a reference model beside the scores: a column where it varies and fits, and in any case a line below."""
    found = recorded_beside(cases, spec)
    if found is None:
        return columns, rows, []
    there = [value for value in found.values if value is not None]
    note = f"reference: {found.model} {decimal(sum(there) / len(there))} ({found.note})"
    if len(there) == len(cases) and max(there) - min(there) <= _SAME:
        return columns, rows, [note]
    wider = [[*cells, decimal(value)] for cells, value in zip(rows, found.values, strict=True)]
    widths = [
        max(*(len(cell) for cell in column), *(len(word) for word in heading.split()))
        for heading, column in zip([*columns, "reference"], zip(*wider, strict=True), strict=True)
    ]
    is_too_wide = sum(widths) + 2 * len(widths) + max(len(said(case)) for case in cases) > _WIDEST
    return (columns, rows, [note]) if is_too_wide else ([*columns, "reference"], wider, [note])


def _is_ungated(case: Case) -> bool:
    return case.verdict == "passed" and not case.gates and case.reason.startswith(UNGATED)


def said(case: Case) -> str:
    """The verdict for people: a test that passes whatever it scores has cleared nothing."""
    return UNGATED if _is_ungated(case) else case.verdict


def _judged(case: Case) -> str:
    return "" if _is_ungated(case) else case.verdict


def _ungated(cases: Iterable[Case]) -> list[str]:
    """Say why any score passes; nothing where no reason is known."""
    reasons = (case.reason for case in cases if _is_ungated(case))
    return [reason for reason in dict.fromkeys(reasons) if reason != UNGATED]


def _aggregate(result: AggregateResult) -> Row:
    what = f"{result.statistic} of {result.group}" if result.group else result.statistic
    reason = result.reason if result.verdict == "not evaluated" else f"{result.verdict}, {result.reason}"
    return Row((what, reason), result.verdict)


def _anchors(cases: Sequence[Case], headline: Score) -> tuple[list[str], list[str]]:
    """Separate anchors that differ between rows (columns) from those that do not (one line below)."""
    values: dict[str, list[Anchor]] = {}
    for case in cases:
        for anchor in case.anchors:
            if (anchor.metric, anchor.judge) in ((headline.metric, headline.judge), (headline.metric, "")):
                values.setdefault(anchor.name, []).append(anchor)
    varying, same = [], []
    for name, found in values.items():
        low, high = min(a.value for a in found), max(a.value for a in found)
        if high - low > _SAME:
            varying.append(name)
        else:
            note = f" ({found[0].note})" if found[0].source != "computed" and found[0].note else ""
            same.append(f"{name} {decimal(found[0].value)}{note}")
    return varying, ["anchors: " + ", ".join(same)] if same else []


def _anchor(case: Case, name: str, headline: Score) -> float | None:
    for anchor in case.anchors:
        if anchor.name == name and anchor.metric == headline.metric and anchor.judge in ("", headline.judge):
            return anchor.value
    return None


def _gate_notes(cases: Iterable[Case], has_interval: bool) -> list[str]:
    gates = [gate for case in cases for gate in case.gates if gate.bound is not None]
    bounds = dict.fromkeys(f"{title(gate.metric)} {gate.bound:.4g}" for gate in gates)
    if not bounds:
        return []
    several = "; verdicts of single tests are not corrected for their number, so read the aggregates first"
    return [f"gate: {', '.join(bounds)}{several if has_interval else ''}"]


def _parts(cases: Sequence[Case]) -> list[str]:
    """List the parts of the headline score where they are scores of their own: a line for each case."""
    lines = []
    for case in cases:
        head = f"{case.scores[0].metric}."
        tested = [score for score in case.scores if score.condition != "in-split" and score.metric.startswith(head)]
        parts = [f"{score.metric.removeprefix(head)} {decimal(score.value)}" for score in tested]
        if parts:
            lines.append(f"{title(head[:-1])} of {case.split}{_seed(case, cases)}: {', '.join(parts)}")
    return lines


def _degenerate(cases: Sequence[Case]) -> list[str]:
    """Warn of single factors whose score means little, as their anchors say."""
    return list(
        dict.fromkeys(
            f"{anchor.metric.partition('.')[2]}: {anchor.note}"
            for case in cases
            for anchor in case.anchors
            if anchor.note.startswith("degenerate")
        )
    )


def _in_distribution(cases: Sequence[Case], others: Sequence[Case]) -> list[str]:
    """Of single unseen factors: what the same model reaches on them in distribution, where the document has that."""
    lines = []
    for case in cases if cases[0].output == "modularity" else ():
        for other in others:
            same = (other.benchmark, other.preset, other.version, other.seed)
            is_it = same == (case.benchmark, case.preset, case.version, case.seed)
            if not is_it or other.family != "in_distribution" or other.output != "regression":
                continue
            names = [
                score.metric.removeprefix("ood_r2_grid.")
                for score in case.scores
                if score.metric.startswith("ood_r2_grid.")
            ]
            parts = [f"{name} {decimal(_value(other.score(f'r2_grid.{name}')))}" for name in names]
            lines.append(f"beside {case.split}{_seed(case, cases)}, in distribution: {', '.join(parts)}")
    return lines


def _seed(case: Case, cases: Sequence[Case]) -> str:
    return f", seed {case.seed}" if len({each.seed for each in cases}) > 1 else ""


def code_sizes(cases: Sequence[Case]) -> list[str]:
    """Say through how many numbers reconstructions passed: a score means little if they are as many as the pixels."""
    if cases[0].output != "reconstruction":
        return []
    found: dict[str, str] = {}
    for case in cases:
        size = case.model.get("code_size", {})
        numbers = "unknown" if size.get("numbers") is None else f"{size['numbers']:,} numbers ({size['kind']})"
        found.setdefault(numbers, case.split)
    if len(found) == 1:
        return [f"code size: {next(iter(found))}"]
    return ["code size: " + ", ".join(f"{numbers} in {split} …" for numbers, split in found.items())]


def _errors(cases: Sequence[Case]) -> list[str]:
    total: Counter[str] = Counter()
    for case in cases:
        total.update(case.errors)
    if not any(total.values()):
        return []
    items = sum(case.scores[0].n for case in cases)
    listed = ", ".join(f"{what} {number / items:.1%}" for what, number in total.most_common() if number)
    what = noun(cases[0].model.get("contract", {}).get("shape", ()))
    return [f"what went wrong on {items:,} held-out {what}: {listed}"]


def _value(score: Score | None) -> float | None:
    return None if score is None else score.value


def by_reason(skipped: Mapping[str, str]) -> dict[str, list[str]]:
    """Names of tests by the reason that they have in common, in order."""
    found: dict[str, list[str]] = {}
    for name, reason in skipped.items():
        found.setdefault(reason, []).append(name)
    return found


def named(tests: Sequence[str]) -> str:
    """Name a few tests by their splits, and by their benchmarks where there are several, and count the others."""
    more = f" and {len(tests) - _LISTED} more" if len(tests) > _LISTED else ""
    several = len({name.partition("/")[0] for name in tests}) > 1
    short = [name.rpartition("/")[2] for name in tests[:_LISTED]]
    heads = [name.partition("/")[0] + "/" if several and "/" in name else "" for name in tests[:_LISTED]]
    return ", ".join(head + name for head, name in zip(heads, short, strict=True)) + more


def verdict_line(document: Document) -> tuple[str, bool]:
    """Sum a document up in a line.

    Args:
        document: What a run found.

    Returns:
        Such as ``10 scores: 9 passed, 1 failed; aggregates: 1 passed, 1 failed``, and whether all is green; a run that
        was cut short is not.
    """
    tests = Counter(case.verdict for case in document.cases)
    verdicts = Counter(map(said, document.cases))
    aggregates = Counter(each.verdict for each in document.aggregates)
    parts = [f"{number} {verdict}" for verdict, number in sorted(verdicts.items())]
    line = f"{count(len(document.cases), 'score')}: " + ", ".join(parts) if parts else "no scores"
    if aggregates:
        line += "; aggregates: " + ", ".join(f"{number} {verdict}" for verdict, number in sorted(aggregates.items()))
    if document.skipped:
        line += f"; {count(len(document.skipped), 'test')} skipped"
    if document.broken:
        line += f"; {count(len(document.broken), 'test')} ended without a result"
    green = not document.broken and set(tests) == {"passed"} and not set(aggregates) - {"passed", "not evaluated"}
    is_whole = not any(note.startswith(CUT_SHORT) for note in document.notes)
    return line, green and is_whole
