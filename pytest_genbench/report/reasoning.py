"""Tables of what accuracies on many rules say together (Zerroug et al. 2022, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ..results.reasoning import (
    BENCHMARK,
    RELATIONS,
    Run,
    Share,
    by_pair,
    by_relation,
    curves,
    efficiency,
    runs,
    together,
)
from ..results.schema import Document
from .table import Row, Table, decimal

LEAST = 3
"""Numbers of training problems from which a curve is summed up."""

PUBLISHED = (
    "published SES / AUC (of 103 rules, each trained alone): ResNet-50 .337 / .349, ViT-small .313 / .317, SCL .299 / .303, "
    "WReN .334 / .341, SCL-ResNet-18 .384 / .395; after self-supervised pretraining ResNet-50 .524 / .545, ViT-small .549 / .564"
)
"""The authors list these with the two columns exchanged; SES cannot exceed AUC where accuracy grows."""


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
        numbers = sorted({n for curve in rules.values() for n in curve if n <= _LARGEST})
        if len(numbers) >= LEAST:
            made.append(_efficiency(preset, training, rules, numbers))
    return made


_LARGEST = 1000
"""The paper reports 10,000 problems of a rule apart: they are no part of sample efficiency."""


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
    relations = _relations()
    parts = {_words()[letter]: share for letter, share in by_relation(run.shares, relations).items()}
    for name, is_composed in (("elementary rules", False), ("composed rules", True)):
        share = together(s for rule, s in run.shares.items() if (len(relations[rule]) > 1) == is_composed)
        if share is not None:
            parts[name] = share
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
        cells = [pairs.get((a, b)) or pairs.get((b, a)) for b in RELATIONS]
        texts = [f"{cell.value:.2f}" if cell is not None else "" for cell in cells]
        rows.append(Row((_words()[a], *texts)))
    notes = ("rules that are composed of two relations, or of one repeated; those of three and more are left out",)
    return Table(
        _title(run, "accuracy by pair of relations"), ("", *(_words()[b] for b in RELATIONS)), tuple(rows), notes=notes
    )


def _efficiency(preset: str, training: str, rules: Mapping[str, Mapping[int, Share]], numbers: list[int]) -> Table:
    return Table(
        f"{BENCHMARK} ({preset}), {training}: accuracy over the number of training problems",
        ("rule", *(f"{n:,}" for n in numbers), "AUC", "SES"),
        tuple(_efficiency_rows(rules, numbers)),
        notes=(*_beside_people(rules), PUBLISHED),
    )


def _beside_people(rules: Mapping[str, Mapping[int, Share]]) -> Iterator[str]:
    """Compare with people on the rules that they were asked about, after as many problems as they saw."""
    from ..benchmarks.cvr.people import PEOPLE, PROBLEMS
    from ..benchmarks.cvr.rules import RULES

    known = {rule.name: PEOPLE[rule.id] for rule in RULES if rule.id in PEOPLE and PROBLEMS in rules.get(rule.name, {})}
    if known:
        own = sum(rules[name][PROBLEMS].value for name in known) / len(known)
        people = sum(value for value, _ in known.values()) / len(known)
        blocks = sum(number for _, number in known.values())
        yield (
            f"after {PROBLEMS} problems, on the {len(known)} rules here that people were asked about: {decimal(own)}; "
            f"people {decimal(people)} ({blocks} blocks of {PROBLEMS} problems, 21 participants in all)"
        )


def _efficiency_rows(rules: Mapping[str, Mapping[int, Share]], numbers: list[int]) -> Iterator[Row]:
    """A row for each rule that was tested at every number, and one for their mean."""
    whole = {rule: {n: share for n, share in curve.items() if n in numbers} for rule, curve in rules.items()}
    whole = {rule: curve for rule, curve in whole.items() if len(curve) == len(numbers)}
    if len(whole) > 1:
        pooled = {n: together(curve[n] for curve in whole.values()) for n in numbers}
        whole[f"all {len(whole)}"] = {n: share for n, share in pooled.items() if share is not None}
    for rule, curve in whole.items():
        auc, ses = efficiency(curve)
        yield Row((rule, *(decimal(curve[n].value) for n in numbers), decimal(auc), decimal(ses)))
