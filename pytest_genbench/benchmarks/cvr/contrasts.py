"""What there is to see in the results of several models: how many problems each needs, and what a first training changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...figures import Curves, Figure
from ...results.reasoning import LEAST, Run, Share, curves, in_parts, mean_curve, runs, whole
from .rows import LETTERS, LEVELS, beside, curve_of, described, differences, known, listed, noted, summed_up
from .rule import RELATIONS as WORDS

if TYPE_CHECKING:
    from ...results.schema import Case

FIRST = {"curriculum": "a curriculum", "pretraining": "pretraining"}
"""Settings of the reference models that put a first training before the one for a rule."""

_WHERE = "pretrained"
"""The setting that says where the first training is kept; it changes nothing."""

_NONE = "none"

_SPEC = re.compile(r"(?P<name>[^\[\]]*)(?:\[(?P<settings>[^\[\]]*)\])?(?: \(.*\))?", re.DOTALL)
"""A model and its settings, and perhaps the file of its results."""


def contrasts(models: Mapping[str, Sequence[Case]]) -> Iterator[Figure]:
    """Describe what there is to see in the results of several models, on the rules and numbers of problems that they share."""
    found = {name: known(run for run in runs(cases) if run.output == "odd_one_out") for name, cases in models.items()}
    for training in dict.fromkeys(run.training for own in found.values() for run in own):
        of = {name: [run for run in own if run.training == training] for name, own in found.items()}
        of = {name: own for name, own in of.items() if own}
        if len(of) > 1:
            yield from _over_problems(training, of)
            yield from _of_relations(training, of)
            for setting in FIRST:
                yield from _after_first(setting, training, of)


def _over_problems(training: str, models: Mapping[str, Sequence[Run]]) -> Iterator[Figure]:
    """Mean accuracy over the number of training problems, of each model that was tested at several."""
    rules = {name: next(iter(curves(own).values())) for name, own in models.items()}
    rules = {name: own for name, own in rules.items() if len(whole(own)[0]) >= LEAST}
    if len(rules) < 2:
        return
    numbers = set.intersection(*(set(whole(own)[0]) for own in rules.values()))
    cut = {
        name: whole({rule: {n: share for n, share in curve.items() if n in numbers} for rule, curve in own.items()})[1]
        for name, own in rules.items()
    }
    shared = set.intersection(*(set(own) for own in cut.values()))
    if len(numbers) < LEAST or not shared:
        return
    means = {name: mean_curve(curve for rule, curve in own.items() if rule in shared) for name, own in cut.items()}
    yield Curves(
        title=f"Mean accuracy over the number of training problems; {described(training)}",
        note=noted(
            f"Of the {len(shared)} rules that each of these models was tested on with {listed(sorted(numbers))}:",
            "; ".join(f"{name} {summed_up(curve)}" for name, curve in means.items()) + ".",
        ),
        lines=tuple(curve_of(name, curve) for name, curve in means.items()),
        x_title="training problems of a rule",
        y_title="accuracy",
        levels=LEVELS,
        is_log=True,
    )


def _of_relations(training: str, models: Mapping[str, Sequence[Run]]) -> Iterator[Figure]:
    """Accuracy by relation, where all models were tested on most rules."""
    n, rules = _shared(models)
    if len(rules) < 2:
        return
    parts = {
        name: in_parts({rule: share for rule, share in own.items() if rule in rules}, LETTERS, WORDS)
        for name, own in _at(models, n).items()
    }
    yield beside(
        parts,
        next(iter(parts.values())),
        title=f"Accuracy by relation; {described(training, n)}",
        note=noted(
            f"Problems of the {len(rules)} rules that all these models were tested on; a rule counts for each of its relations."
        ),
    )


def _after_first(setting: str, training: str, models: Mapping[str, Sequence[Run]]) -> Iterator[Figure]:
    """By how much models with a first training are better than the same without, rule by rule."""
    for first, plain in _pairs(setting, models):
        both = {name: models[name] for name in (first, plain)}
        n, rules = _shared(both, composed=setting == "curriculum")
        if not rules:
            continue
        shares = _at(both, n)
        yield differences(
            {rule: (shares[first][rule], shares[plain][rule]) for rule in rules},
            "change of accuracy",
            title=f"What {FIRST[setting]} changed: {first} less {plain}; {described(training, n)}",
            note=noted(
                f"Mean change, by number of training problems: {_changes(both, first, plain, rules)}.",
                "Both answered the same problems; the intervals are those of problems drawn apart, and rather too wide.",
            ),
        )


def _changes(models: Mapping[str, Sequence[Run]], first: str, plain: str, rules: Sequence[str]) -> str:
    """Write the mean change over the same rules for each number of training problems that has them all."""
    found = []
    for n in sorted({run.n for run in models[plain]}):
        with_first, without = (_at(models, n).get(name, {}) for name in (first, plain))
        if set(rules) <= with_first.keys() & without.keys():
            change = sum(with_first[rule].value - without[rule].value for rule in rules) / len(rules)
            found.append(f"n = {n:,} {change:+.3f}")
    return ", ".join(found)


def _at(models: Mapping[str, Sequence[Run]], n: int) -> dict[str, Mapping[str, Share]]:
    """Shares of each model at a number of training problems, where it has some."""
    return {name: run.shares for name, own in models.items() for run in own if run.n == n}


def _shared(models: Mapping[str, Sequence[Run]], *, composed: bool = False) -> tuple[int, list[str]]:
    """The number of training problems at which most rules are shared by all models, the largest of these, and the rules."""
    found = []
    for n in set.intersection(*({run.n for run in own} for own in models.values())):
        shares = _at(models, n)
        rules = [
            rule
            for rule in next(iter(shares.values()))
            if all(rule in own for own in shares.values()) and not (composed and len(LETTERS[rule]) == 1)
        ]
        found.append((len(rules), n, rules))
    _, n, rules = max(found, default=(0, 0, []))
    return n, rules


@dataclass(frozen=True)
class _Spec:
    """What a model's name says."""

    name: str
    settings: Mapping[str, str]

    def without(self, setting: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        rest = {key: value for key, value in self.settings.items() if key not in (setting, _WHERE)}
        return self.name, tuple(sorted(rest.items()))


def _pairs(setting: str, models: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Names of models that differ in a setting alone: one that has it, and one that has not."""
    specs = {}
    for name in models:
        match = _SPEC.fullmatch(name)
        if match is None:
            continue
        pairs = [pair.partition("=") for pair in (match["settings"] or "").split(",") if pair]
        specs[name] = _Spec(match["name"].strip(), {key.strip(): value.strip() for key, _, value in pairs})
    for first, one in specs.items():
        for plain, other in specs.items():
            has, lacks = (each.settings.get(setting, _NONE) for each in (one, other))
            if has != _NONE and lacks == _NONE and one.without(setting) == other.without(setting):
                yield first, plain
