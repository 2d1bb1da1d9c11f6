"""What accuracies on many rules say together: by relation, by pair of relations, over the number of training problems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement

from ..metrics import auc, ses
from ..scores import Interval, wilson
from .schema import Case

BENCHMARK = "cvr"

RELATIONS = "SPZCRFNIT"
"""The nine elementary relations, in the paper's order."""


@dataclass(frozen=True)
class Share:
    """How many of some problems were answered right, on average over training seeds.

    Attributes:
        right: Right answers, in problems.
        n: Problems.
        rules: Rules they are of.
    """

    right: float
    n: int
    rules: int = 1

    @property
    def value(self) -> float:
        """The share."""
        return self.right / self.n

    @property
    def interval(self) -> Interval:
        """Wilson's interval over problems."""
        return wilson(round(self.right), self.n)


@dataclass(frozen=True)
class Run:
    """Accuracies that can be set side by side.

    Attributes:
        preset: Of the benchmark.
        output: The task: ``odd_one_out`` or ``generalisation``.
        training: ``one rule``, or the name of the split that trains on many: ``joint`` …
        n: Training problems of a rule.
        shares: By rule.
    """

    preset: str
    output: str
    training: str
    n: int
    shares: Mapping[str, Share]


def runs(cases: Iterable[Case]) -> list[Run]:
    """Collect the accuracies of each rule; a rule that two families of splits have is counted once."""
    found: defaultdict[tuple[str, str, str, int], dict[str, dict[int, Share]]] = defaultdict(lambda: defaultdict(dict))
    for case in cases:
        if case.benchmark != BENCHMARK or case.output not in ("odd_one_out", "generalisation"):
            continue
        name, _, number = case.split.rpartition("-n")
        is_joint = name.startswith("joint")
        key = (case.preset, case.output, name if is_joint else "one rule", int(number))
        for score in case.scores:
            if score.condition == "in-split":
                continue
            head, dot, rule = score.metric.partition(".")
            if head == "accuracy" and bool(dot) == is_joint and not rule.startswith("test"):
                found[key][rule or name][case.seed] = Share(score.value * score.n, score.n)
    return [
        Run(*key, {rule: _over_seeds(seeds.values()) for rule, seeds in rules.items()})
        for key, rules in sorted(found.items())
    ]


def _over_seeds(shares: Iterable[Share]) -> Share:
    """Average over seeds, which are tested on the same problems: these count once."""
    found = list(shares)
    return Share(sum(share.right for share in found) / len(found), min(share.n for share in found))


def together(shares: Iterable[Share]) -> Share | None:
    """Pool problems of several rules; None of no rule."""
    found = list(shares)
    if not found:
        return None
    return Share(sum(share.right for share in found), sum(share.n for share in found), len(found))


def by_relation(shares: Mapping[str, Share], relations: Mapping[str, str]) -> dict[str, Share]:
    """Pool the rules that a relation is part of.

    Args:
        shares: By rule.
        relations: Letters of the relations of each rule.
    """
    pooled = {letter: together(s for rule, s in shares.items() if letter in relations[rule]) for letter in RELATIONS}
    return {letter: share for letter, share in pooled.items() if share is not None}


def by_pair(shares: Mapping[str, Share], relations: Mapping[str, str]) -> dict[tuple[str, str], Share]:
    """Pool the rules that are composed of a pair of relations alone, or of one relation repeated: half of the 9 by 9 matrix."""
    pooled = {}
    for a, b in combinations_with_replacement(RELATIONS, 2):
        wanted = {a, b}
        share = together(s for rule, s in shares.items() if set(relations[rule]) == wanted and len(relations[rule]) > 1)
        if share is not None:
            pooled[a, b] = share
    return pooled


def curves(found: Iterable[Run]) -> dict[tuple[str, str], dict[str, dict[int, Share]]]:
    """Collect, of test problems, each rule's accuracies by number of training problems: by preset and training, then by rule."""
    collected: defaultdict[tuple[str, str], dict[str, dict[int, Share]]] = defaultdict(dict)
    for run in found:
        if run.output == "odd_one_out":
            for rule, share in run.shares.items():
                collected[run.preset, run.training].setdefault(rule, {})[run.n] = share
    return dict(collected)


def efficiency(curve: Mapping[int, Share]) -> tuple[float, float]:
    """AUC and SES of a rule's accuracies by number of training problems."""
    values = {n: share.value for n, share in curve.items()}
    return auc(values), ses(values)
