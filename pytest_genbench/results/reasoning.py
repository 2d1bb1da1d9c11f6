"""What accuracies on many rules say together: by relation, by pair of relations, over the number of training problems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import fsum

from ..metrics import auc, ses
from ..scores import Interval, Score, wilson
from .schema import Case

BENCHMARK = "cvr"

ALONE = "one rule"
"""What the training of a model is called that knows one rule; others are called as the split that trains on many."""

LEAST = 3
"""Numbers of training problems from which a curve is summed up."""

LARGEST = 1000
"""The paper reports 10,000 problems of a rule apart: they are no part of sample efficiency."""

PUBLISHED: Mapping[str, str] = {
    ALONE: (
        "published SES / AUC (of 103 rules, each trained alone): ResNet-50 .337 / .349, ViT-small .313 / .317, SCL .299 / .303, "
        "WReN .334 / .341, SCL-ResNet-18 .384 / .395; after self-supervised pretraining ResNet-50 .524 / .545, "
        "ViT-small .549 / .564"
    ),
    "joint": (
        "published SES / AUC (of 103 rules, trained together): ResNet-50 .360 / .384, ViT-small .284 / .287, SCL .322 / .339, "
        "WReN .309 / .320, SCL-ResNet-18 .376 / .404; after self-supervised pretraining ResNet-50 .570 / .596, "
        "ViT-small .447 / .463"
    ),
}
"""By training; the authors list these with the two columns exchanged, but SES cannot exceed AUC where accuracy grows."""

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


@dataclass(frozen=True)
class Beside:
    """A model beside people, on the rules that they were asked about and after as many problems as they saw.

    Attributes:
        own: The model's mean accuracy.
        people: Theirs.
        rules: How many rules.
        blocks: How many times somebody was shown the problems of one of them.
        n: How many problems.
    """

    own: float
    people: float
    rules: int
    blocks: int
    n: int

    def __str__(self) -> str:
        """Say so in a line."""
        return (
            f"after {self.n} problems, on the {self.rules} rules here that people were asked about: {self.own:.3f}; people "
            f"{self.people:.3f} ({self.blocks} blocks of {self.n} problems, 21 participants in all)"
        )


Key = tuple[str, str, str, int]
"""Preset, task, training and number of training problems."""


def runs(cases: Iterable[Case]) -> list[Run]:
    """Collect the accuracies of each rule; a rule that two families of splits have is counted once."""
    found = _Seeds()
    for case, name, key in _placed(cases, ("odd_one_out", "generalisation")):
        for score in case.scores:
            if score.condition == "in-split":
                continue
            head, dot, rule = score.metric.partition(".")
            if head == "accuracy" and bool(dot) == (key[2] != ALONE) and not rule.startswith("test"):
                found.add(key, rule or name, case.seed, score)
    return found.runs()


def measured(cases: Iterable[Case], output: str, metric: str) -> list[Run]:
    """Collect a share that is not told rule by rule: of the rule, or the rules together, that a model was trained on.

    Args:
        cases: Of any tasks.
        output: The task.
        metric: Name of the share; cases without it are left out.
    """
    found = _Seeds()
    for case, name, key in _placed(cases, (output,)):
        score = case.score(metric)
        if score is not None:
            found.add(key, name, case.seed, score)
    return found.runs()


def _placed(cases: Iterable[Case], outputs: Collection[str]) -> Iterator[tuple[Case, str, Key]]:
    """Yield cases of some tasks, the names of what they were trained on, and what they can be set beside."""
    for case in cases:
        name, _, number = case.split.rpartition("-n")
        if case.benchmark == BENCHMARK and case.output in outputs and number.isdecimal():
            yield case, name, (case.preset, case.output, name if name.startswith("joint") else ALONE, int(number))


class _Seeds:
    """Shares by what can be set side by side, by rule and by training seed."""

    def __init__(self) -> None:
        self._found: defaultdict[Key, dict[str, dict[int, Share]]] = defaultdict(lambda: defaultdict(dict))

    def add(self, key: Key, rule: str, seed: int, score: Score) -> None:
        self._found[key][rule][seed] = Share(score.value * score.n, score.n)

    def runs(self) -> list[Run]:
        return [
            Run(*key, {rule: _over_seeds(seeds.values()) for rule, seeds in rules.items()})
            for key, rules in sorted(self._found.items())
        ]


def _over_seeds(shares: Iterable[Share]) -> Share:
    """Average over seeds, which are tested on the same problems: these count once."""
    found = list(shares)
    return Share(fsum(share.right for share in found) / len(found), min(share.n for share in found))


def together(shares: Iterable[Share]) -> Share | None:
    """Pool problems of several rules; None of no rule."""
    found = list(shares)
    if not found:
        return None
    return Share(fsum(share.right for share in found), sum(share.n for share in found), len(found))


def by_relation(shares: Mapping[str, Share], relations: Mapping[str, str]) -> dict[str, Share]:
    """Pool the rules that a relation is part of.

    Args:
        shares: By rule.
        relations: Letters of the relations of each rule.
    """
    pooled = {letter: together(s for rule, s in shares.items() if letter in relations[rule]) for letter in RELATIONS}
    return {letter: share for letter, share in pooled.items() if share is not None}


def by_pair(shares: Mapping[str, Share], relations: Mapping[str, str]) -> dict[tuple[str, str], Share]:
    """Pool the rules that are composed of a pair of relations alone, or of one relation repeated: a symmetric 9 by 9 matrix."""
    pooled = {}
    for a, b in combinations_with_replacement(RELATIONS, 2):
        wanted = {a, b}
        share = together(s for rule, s in shares.items() if set(relations[rule]) == wanted and len(relations[rule]) > 1)
        if share is not None:
            pooled[a, b] = pooled[b, a] = share
    return pooled


def fullest(found: Iterable[Run]) -> Run | None:
    """Choose the run with most rules, and of these the one with most training problems; None of none."""
    return max(found, key=lambda run: (len(run.shares), run.n), default=None)


def in_parts(shares: Mapping[str, Share], relations: Mapping[str, str], words: Mapping[str, str]) -> dict[str, Share]:
    """Pool rules by relation, and the elementary and the composed ones.

    Args:
        shares: By rule.
        relations: Letters of the relations of each rule.
        words: Words for these letters.
    """
    parts = {words[letter]: share for letter, share in by_relation(shares, relations).items()}
    for name, is_composed in (("elementary rules", False), ("composed rules", True)):
        share = together(s for rule, s in shares.items() if (len(relations[rule]) > 1) == is_composed)
        if share is not None:
            parts[name] = share
    return parts


def by_axis(cases: Iterable[Case]) -> dict[tuple[str, int], dict[str, tuple[Share, Share]]]:
    """Collect what one unseen thing changes, by training and number of training problems, then by axis.

    Returns:
        For each axis accuracy with nothing unseen and accuracy with that unseen, both of the rules that move the axis. Of a model
        that was trained on many rules at once the former is of all of them.
    """
    found: defaultdict[tuple[str, int], dict[str, tuple[Share, Share]]] = defaultdict(dict)
    several = list(cases)
    plain = {(run.training, run.n): run.shares for run in measured(several, "axes", "accuracy.none")}
    names = dict.fromkeys(score.metric for case, _, _ in _placed(several, ("axes",)) for score in case.scores)
    for metric in names:
        head, _, axis = metric.partition(".")
        if head != "accuracy" or axis in ("", "none"):
            continue
        for run in measured(several, "axes", metric):
            known = plain.get((run.training, run.n), {})
            both = [rule for rule in run.shares if rule in known]
            seen, unseen = together(known[rule] for rule in both), together(run.shares[rule] for rule in both)
            if seen is not None and unseen is not None:
                found[run.training, run.n][axis] = seen, unseen
    return dict(found)


def curves(found: Iterable[Run]) -> dict[tuple[str, str], dict[str, dict[int, Share]]]:
    """Collect, of test problems, each rule's accuracies by number of training problems: by preset and training, then by rule."""
    collected: defaultdict[tuple[str, str], dict[str, dict[int, Share]]] = defaultdict(dict)
    for run in found:
        if run.output == "odd_one_out":
            for rule, share in run.shares.items():
                collected[run.preset, run.training].setdefault(rule, {})[run.n] = share
    return dict(collected)


def whole(rules: Mapping[str, Mapping[int, Share]]) -> tuple[list[int], dict[str, dict[int, Share]]]:
    """Find all numbers of training problems, up to the largest of sample efficiency, and the rules that were tested at each."""
    numbers = sorted({n for curve in rules.values() for n in curve if n <= LARGEST})
    complete = {rule: curve for rule, curve in rules.items() if curve.keys() >= set(numbers)}
    return numbers, {rule: {n: curve[n] for n in numbers} for rule, curve in complete.items()}


def mean_curve(rules: Iterable[Mapping[int, Share]]) -> dict[int, Share]:
    """Pool rules that were tested at the same numbers of training problems."""
    several = list(rules)
    pooled = {n: together(curve[n] for curve in several) for n in (several[0] if several else ())}
    return {n: share for n, share in pooled.items() if share is not None}


def beside_people(
    rules: Mapping[str, Mapping[int, Share]], people: Mapping[str, tuple[float, int]], n: int
) -> Beside | None:
    """Compare with people; None where no rule was tested that they were asked about, after as many problems.

    Args:
        rules: Accuracies by rule and number of training problems.
        people: Their mean accuracy, and how many they were, by rule.
        n: How many problems they saw of each.
    """
    known = [rule for rule in people if n in rules.get(rule, {})]
    if not known:
        return None
    own = sum(rules[rule][n].value for rule in known) / len(known)
    theirs = sum(people[rule][0] for rule in known) / len(known)
    return Beside(own, theirs, len(known), sum(people[rule][1] for rule in known), n)


def efficiency(curve: Mapping[int, Share]) -> tuple[float, float]:
    """AUC and SES of a rule's accuracies by number of training problems."""
    values = {n: share.value for n, share in curve.items()}
    return auc(values), ses(values)
