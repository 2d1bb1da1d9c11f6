"""Tables of what accuracies on many rules say together (Zerroug et al. 2022, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ..results.reasoning import (
    BENCHMARK,
    LEAST,
    PUBLISHED,
    RELATIONS,
    Run,
    Share,
    beside_people,
    by_pair,
    curves,
    efficiency,
    in_parts,
    mean_curve,
    runs,
    whole,
)
from ..results.schema import Document
from .table import Row, Table, decimal


def tables(document: Document) -> list[Table]:
    """Make the tables that a document has enough rules, or numbers of training problems, for."""
    if not any(case.benchmark == BENCHMARK for case in document.cases):
        return []
    found = runs(document.cases)
    made = []
    for run in found:
        if sum(len(_relations()[rule]) > 1 for rule in run.shares) > 1:
            made += [_by_relation(run), _by_pair(run)]
    for (preset, training), rules in curves(found).items():
        if len(whole(rules)[0]) >= LEAST:
            made.append(_efficiency(preset, training, rules))
    return made


@cache
def _relations() -> Mapping[str, str]:
    from ..benchmarks.cvr.rules import RULES

    return {rule.name: rule.relations for rule in RULES}


@cache
def _words() -> Mapping[str, str]:
    from ..benchmarks.cvr.rule import RELATIONS as WORDS

    return WORDS


def _title(run: Run, about: str) -> str:
    return f"{BENCHMARK} ({run.preset}), {run.output}, {run.training}, n = {run.n:,}: {about}"


def _by_relation(run: Run) -> Table:
    parts = in_parts(run.shares, _relations(), _words())
    rows = []
    for name, share in parts.items():
        bounds = f"{share.interval.low:.3f} to {share.interval.high:.3f}"
        rows.append(Row((name, str(share.rules), f"{share.n:,}", decimal(share.value), bounds)))
    return Table(
        _title(run, "accuracy by relation"), ("relation", "rules", "n", "accuracy", "95 % interval"), tuple(rows)
    )


def _by_pair(run: Run) -> Table:
    pairs = by_pair(run.shares, _relations())
    rows = []
    for a in RELATIONS:
        cells = [pairs.get((a, b)) for b in RELATIONS]
        texts = [f"{cell.value:.2f}" if cell is not None else "" for cell in cells]
        rows.append(Row((_words()[a], *texts)))
    notes = ("rules that are composed of two relations, or of one repeated; those of three and more are left out",)
    return Table(
        _title(run, "accuracy by pair of relations"), ("", *(_words()[b] for b in RELATIONS)), tuple(rows), notes=notes
    )


def _efficiency(preset: str, training: str, rules: Mapping[str, Mapping[int, Share]]) -> Table:
    numbers, complete = whole(rules)
    return Table(
        f"{BENCHMARK} ({preset}), {training}: accuracy over the number of training problems",
        ("rule", *(f"{n:,}" for n in numbers), "AUC", "SES"),
        tuple(_efficiency_rows(complete)),
        notes=(*_beside_people(rules), *filter(None, [PUBLISHED.get(training)])),
    )


def _beside_people(rules: Mapping[str, Mapping[int, Share]]) -> Iterator[str]:
    """Compare with people on the rules that they were asked about, after as many problems as they saw."""
    from ..benchmarks.cvr.people import PROBLEMS, named

    found = beside_people(rules, named(), PROBLEMS)
    if found is not None:
        yield str(found)


def _efficiency_rows(complete: dict[str, dict[int, Share]]) -> Iterator[Row]:
    """A row for each rule that was tested at every number, and one for their mean."""
    mean = {f"all {len(complete)}": mean_curve(complete.values())} if len(complete) > 1 else {}
    for rule, curve in (complete | mean).items():
        auc, ses = efficiency(curve)
        yield Row((rule, *(decimal(share.value) for share in curve.values()), decimal(auc), decimal(ses)))
