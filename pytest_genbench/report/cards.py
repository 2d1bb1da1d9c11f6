"""What stands at the top of a page: each family of splits at a glance, which of them failed, and what run this was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..results.schema import Case, Document
from ..results.writing import count
from ..scores import title
from .references import beside
from .table import Table, decimal
from .tables import code_sizes, said
from .view import Mark, Scale, in_split, key, kind_of, place, scale

_BEHIND = ("chance", "identity", "people")
"""Anchors that cards show, where they have them, beside a reference model."""

_ALIKE = 0.02
"""A score this close to what the model has on training items has lost nothing worth a word."""

_ORDER = ("failed", "not comparable", "inconclusive", "passed", "not gated")
"""Verdicts, the worst first."""


@dataclass(frozen=True)
class Card:
    """A family of splits and a task at a glance.

    Attributes:
        name: The family, and the task where the family has several.
        about: Task and metric.
        anchor: Where in the page its table is.
        value: The mean score.
        lines: In words: what it is a mean of, the worst, what training items score, how far from chance to people.
        verdicts: How many scores have which verdict, the worst verdict first.
        scale: All scores on a line.
    """

    name: str
    about: str
    anchor: str
    value: str
    lines: tuple[str, ...]
    verdicts: tuple[tuple[str, int], ...]
    scale: Scale


@dataclass(frozen=True)
class Group:
    """The cards of a benchmark and preset."""

    title: str
    cards: tuple[Card, ...]


def groups(document: Document, found: Sequence[Table]) -> list[Group]:
    """Sum up each family of splits, by benchmark and preset."""
    judged = [table for table in found if table.cases]

    return [
        Group(name, tuple(_card(table.cases, document, judged) for table in tables))
        for name, tables in groupby(judged, key=_benchmark)
    ]


def message(found: Sequence[Table]) -> list[tuple[str, str]]:
    """Say which families have which verdict: the worst of their scores, or of their mean and worst score together.

    Returns:
        Verdict and families, the worst verdict first; none where there is one family only, which has its own card.
    """
    judged = [table for table in found if table.cases]
    if len(judged) < 2:
        return []
    verdicts: dict[str, list[Table]] = {}
    for table in judged:
        verdicts.setdefault(_worst_verdict(table), []).append(table)
    return [(verdict, _listed(verdicts[verdict], judged)) for verdict in _ORDER if verdict in verdicts]


def _listed(tables: Sequence[Table], judged: Sequence[Table]) -> str:
    """Name families by benchmark, with their tasks where a family has several."""
    parts = []
    for name, of_one in groupby(tables, key=_benchmark):
        names = []
        for _, same in groupby(of_one, key=lambda table: table.cases[0].family):
            own = list(same)
            family, tasks = _plain(own[0].cases[0].family), [_plain(table.cases[0].output) for table in own]
            names.append(f"{family} ({', '.join(tasks)})" if len(_tasks(own[0].cases, judged)) > 1 else family)
        parts.append(f"{name}: {', '.join(names)}")
    return "; ".join(parts)


def about(document: Document, found: Sequence[Table]) -> list[str]:
    """What run this was, in a few words each: how much was tested, on what, and what may have been seen before."""
    cases = document.cases
    if not cases:
        return []
    seeds = sorted({case.seed for case in cases})
    sizes = dict.fromkeys(line for table in found if table.cases for line in code_sizes(table.cases))
    exposures = sorted({str(case.model.get("exposure", "undeclared")) for case in cases})
    parts = [
        f"{sum(case.scores[0].n for case in cases):,} items evaluated",
        f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}",
        f"exposure: {', '.join(exposures)}",
        *(sizes if len(sizes) == 1 else ()),
        document.created[:10],
    ]
    return [part for part in parts if part]


def _benchmark(table: Table) -> str:
    """Benchmark and preset, as the title of a table begins."""
    return table.title.partition(", ")[0]


def _name(cases: Sequence[Case], judged: Sequence[Table]) -> str:
    """Name a family; with its task where the family has several."""
    _, _, family, output = key(cases)
    return _plain(f"{family}, {output}" if len(_tasks(cases, judged)) > 1 else family)


def _tasks(cases: Sequence[Case], judged: Sequence[Table]) -> set[str]:
    """The tasks of the family that some cases are of."""
    return {key(each.cases)[3] for each in judged if key(each.cases)[:3] == key(cases)[:3]}


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _worst_verdict(table: Table) -> str:
    verdicts = {*map(said, table.cases), *(row.verdict for row in table.aggregates)}
    return next((verdict for verdict in _ORDER if verdict in verdicts), "not gated")


def _card(cases: Sequence[Case], document: Document, judged: Sequence[Table]) -> Card:
    heads = [case.scores[0] for case in cases]
    values = [score.value for score in heads]
    mean = sum(values) / len(values)
    seen = [each.value for case in cases if (each := in_split(case)) is not None]
    behind = _behind(cases, document)
    marks = [Mark(value, name, "anchor") for name, value in behind.items()]
    gates = {g.bound for case in cases for g in case.gates if g.bound is not None and g.metric == heads[0].metric}
    marks += [Mark(bound, "gate", "gate") for bound in gates if len(gates) == 1]
    marks += [Mark(sum(seen) / len(seen), "in-split", "seen")] if seen else []
    marks += [Mark(case.scores[0].value, case.held_out or case.split, kind_of(case)) for case in cases]
    verdicts = Counter(map(said, cases))
    lines = [_spread(cases, document)]
    if seen:
        lines.append(_loss(mean, sum(seen) / len(seen), heads[0].better == "lower"))
    lines += _way(mean, behind)
    text = f"{count(len(cases), 'score')} from {decimal(min(values))} to {decimal(max(values))}"
    return Card(
        name=_name(cases, judged),
        about=f"{_plain(cases[0].output)}: {title(heads[0].metric)}",
        anchor=place(cases),
        value=decimal(mean),
        lines=tuple(lines),
        verdicts=tuple((verdict, verdicts[verdict]) for verdict in _ORDER if verdicts[verdict]),
        scale=scale(marks, text=text if len(cases) > 1 else f"score {decimal(mean)}"),
    )


def _behind(cases: Sequence[Case], document: Document) -> dict[str, float]:
    """What the mean is read by: anchors, averaged over the cases that have them, and a reference model."""
    head = cases[0].scores[0]
    found: dict[str, list[float]] = {}
    for case in cases:
        for each in case.anchors:
            if each.name in _BEHIND and each.metric == head.metric and each.judge in ("", head.judge):
                found.setdefault(each.name, []).append(each.value)
    behind = {name: sum(found[name]) / len(found[name]) for name in _BEHIND if name in found}
    recorded = beside(cases, str(document.model.get("spec", "")))
    if recorded is not None:
        there = [value for value in recorded.values if value is not None]
        behind[f"reference ({recorded.model})"] = sum(there) / len(there)
    return behind


def _spread(cases: Sequence[Case], document: Document) -> str:
    """Say what a mean is taken over, and where it is worst."""
    splits, seeds = len({case.split for case in cases}), len({case.seed for case in cases})
    of = len(document.expected.get("/".join(key(cases)), ()))
    head = cases[0].scores[0]
    worst = (min if head.better == "higher" else max)(cases, key=lambda case: case.scores[0].value)
    value, name = decimal(worst.scores[0].value), worst.held_out or worst.split
    over = f"{splits} of {count(of, 'split')}" if 0 < splits < of else count(splits, "split")
    if splits > 1:
        times = f" and {count(seeds, 'seed')}" if seeds > 1 else ""
        return f"mean of {over}{times}; worst {value}: {name}"
    only = f", mean of {count(seeds, 'seed')}, worst {value}" if seeds > 1 else ""
    return f"{name}{only}{f' ({over})' if splits < of else ''}"


def _loss(mean: float, seen: float, is_lower_better: bool) -> str:
    """Say what is lost where training showed nothing."""
    # Of the printed numbers, so that a reader who subtracts them finds the same.
    lost = round(seen, 3) - round(mean, 3)
    if is_lower_better:
        lost = -lost
    if abs(lost) <= _ALIKE:
        return f"{decimal(seen)} on training items: about the same"
    change = f"a loss of {decimal(lost)}" if lost > 0 else "no loss"
    return f"{decimal(seen)} on training items: {change}"


def _way(mean: float, behind: Mapping[str, float]) -> list[str]:
    """Say how far from chance to people a mean is, and list what is left to read it by."""
    chance, people = behind.get("chance"), behind.get("people")
    if chance is None or people is None or not 0 <= chance < people:
        return [", ".join(f"{name} {decimal(value)}" for name, value in behind.items())] if behind else []
    share = (mean - chance) / (people - chance)
    ends = f"chance ({decimal(chance)}) to people ({decimal(people)})"
    way = f"{share:.0%} of the way from {ends}".replace("%", " %")
    if share < 0.005:
        way = f"no better than chance ({decimal(chance)}); people {decimal(people)}"
    elif share >= 1:
        way = f"as good as people ({decimal(people)}); chance {decimal(chance)}"
    rest = ", ".join(f"{name} {decimal(value)}" for name, value in behind.items() if name not in ("chance", "people"))
    return [way, rest] if rest else [way]
