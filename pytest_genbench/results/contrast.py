"""Several models side by side, as data: paired differences, ranks by suite, code sizes, the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from ..errors import DocumentError
from ..scores import Interval, Score
from .codes import Chosen, front
from .kinds import Kind, Place, Sorted
from .pairing import Counterparts, Difference, obstacles, other_judge, paired_splits, same_score
from .schema import Case, Document
from .writing import count, printable

Standing = Literal["better", "worse", "within chance", "not comparable"]

_ROUNDING = 1e-12
"""Means that differ by less are equal: the order in which splits are summed up may not decide a rank."""

_Pairs = Mapping[Place, Mapping[int, tuple[Score, Score]]]


@dataclass(frozen=True)
class Versus:
    """One kind of score of a model, against another model.

    Attributes:
        kind: The kind, as the model has it.
        model: Name of the model.
        standing: Better or worse where the interval of the difference excludes 0.
        value: Mean paired difference, this model minus the other; None where they are not comparable.
        interval: 95 % interval of it; None as for `value`, and where nothing can be said about chance.
        basis: What it rests on: ``10 splits``, ``3 seeds, 10 splits``, ``16 clusters``.
        note: Why they are not comparable, or what a reader should know; may be empty.
    """

    kind: Kind
    model: str
    standing: Standing
    value: float | None = None
    interval: Interval | None = None
    basis: str = ""
    note: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.standing in ("better", "worse")


@dataclass(frozen=True)
class Rank:
    """Where a model stands in one suite.

    Attributes:
        model: Name of the model.
        mean: Its mean over the splits that all ranked models have.
        rank: From 1, the best; equal means share a rank.
        equals: Rank of the next better model, where the difference to it is within chance; else None.
    """

    model: str
    mean: float
    rank: int
    equals: int | None = None

    @property
    def text(self) -> str:
        """The rank for people: ``2``, or ``1 = 2`` where the difference to the first is within chance."""
        return str(self.rank) if self.equals is None else f"{self.equals} = {self.rank}"


@dataclass(frozen=True)
class Ranking:
    """Models ranked by one kind of score.

    Attributes:
        kind: The kind.
        splits: How many splits all of these models have.
        ranks: The best first; models of equal means by name.
    """

    kind: Kind
    splits: int
    ranks: tuple[Rank, ...]

    def of(self, model: str) -> Rank | None:
        """Return the rank of a model; None where it does not have this kind of score."""
        return next((rank for rank in self.ranks if rank.model == model), None)


@dataclass(frozen=True)
class Sized:
    """What reconstructions score through a code of known size: `numbers` of them, mean `score` over their splits and seeds."""

    model: str
    kind: Kind
    numbers: int
    score: float


@dataclass(frozen=True)
class Contrast:
    """Several models side by side.

    Attributes:
        models: Names, in the order given.
        against: Name of the model that the others are held against.
        means: For each kind of score the mean of each model that has it: over splits, each being the mean over its seeds.
        differences: Of each model to `against`, by kind.
        rankings: By kind, where two models or more have it.
        sizes: Code sizes and scores of reconstructions.
        front: Models of whose codes loss and MIR are known; empty of fewer than two.
        notes: Models that are left out, and why; kinds without a ranking.
    """

    models: tuple[str, ...]
    against: str
    means: Mapping[Kind, Mapping[str, float]]
    differences: tuple[Versus, ...]
    rankings: tuple[Ranking, ...]
    sizes: tuple[Sized, ...]
    front: tuple[Chosen, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be compared: no two models have the same kind of score."""
        return not self.rankings and all(each.value is None for each in self.differences)

    def mean_rank(self, model: str) -> tuple[float, int] | None:
        """Return the mean of a model's ranks and how many these are; None where it has none."""
        ranks = [rank.rank for ranking in self.rankings if (rank := ranking.of(model)) is not None]
        return (fmean(ranks), len(ranks)) if ranks else None


def contrast(models: Mapping[str, Document], against: str = "") -> Contrast:
    """Set models side by side.

    Args:
        models: A results document of each model, by the name the model is to be called.
        against: Name of the model that the others are held against; empty for the first.

    Raises:
        DocumentError: Fewer than two of them hold a score, or none of these is called `against`.
    """
    sorted_cases = {name: Sorted(document.cases) for name, document in models.items()}
    names = tuple(name for name, cases in sorted_cases.items() if cases.kinds)
    notes = [f"{name}: no scores, so it is left out." for name in models if name not in names]
    if len(names) < 2:
        raise DocumentError(
            printable(" ".join(["A comparison of models needs two documents or more with scores.", *notes]))
        )
    chosen = against or names[0]
    if chosen not in names:
        line = f"There are no scores of {chosen} to hold the others against; there are: {', '.join(names)}."
        raise DocumentError(printable(line))
    kinds = sorted({kind for name in names for kind in sorted_cases[name].kinds})
    means: dict[Kind, dict[str, float]] = {}
    for kind in kinds:
        found = {name: sorted_cases[name].mean(kind) for name in names}
        means[kind] = {name: value for name, value in found.items() if value is not None}
    counterparts = {name: Counterparts(models[name]) for name in names}
    rankings = []
    for kind, having in means.items():
        if len(having) > 1:
            ranking = _ranking(kind, {name: sorted_cases[name] for name in having}, counterparts)
            if ranking is None:
                notes.append(f"{kind.title}: no split is in all of {', '.join(having)}, so there is no rank.")
            else:
                rankings.append(ranking)
    differences: list[Versus] = []
    for name in names:
        if name != chosen:
            there = list(_differences(name, sorted_cases[name], counterparts[chosen], sorted_cases[chosen]))
            differences += there
            if not there:
                notes.append(f"{name} has no kind of score in common with {chosen}.")
    return Contrast(
        models=names,
        against=chosen,
        means=means,
        differences=tuple(differences),
        rankings=tuple(rankings),
        sizes=tuple(each for name in names for each in _sizes(name, sorted_cases[name])),
        front=front({name: models[name].cases for name in names}),
        notes=tuple(notes),
    )


def _differences(name: str, cases: Sorted, other: Counterparts, theirs: Sorted) -> Iterator[Versus]:
    """Compare all kinds of score of a model with those of another."""
    taken = {case.key for case in cases}
    there = {(kind.benchmark, kind.family, kind.output) for kind in theirs.kinds}
    for kind, places in cases.kinds.items():
        pairs, blocked = _pair(places, other, taken)
        if pairs:
            note = f"{len(blocked)} more not comparable ({blocked[0]})" if blocked else ""
            yield _versus(kind, name, pairs, note)
        elif blocked:
            yield Versus(kind, name, "not comparable", note="; ".join(dict.fromkeys(blocked)))
        elif (kind.benchmark, kind.family, kind.output) in there:
            yield Versus(kind, name, "not comparable", note="they have no split with the same seed in common")


def _pair(
    places: Mapping[Place, Mapping[int, Case]], other: Counterparts, taken: Collection[tuple[str, ...]]
) -> tuple[_Pairs, list[str]]:
    """Pair the headline scores of some splits with those of another model; and say what forbids it."""
    pairs: dict[Place, dict[int, tuple[Score, Score]]] = {}
    blocked = []
    for place, seeds in places.items():
        for seed, case in seeds.items():
            there, head = other.find(case, taken), case.scores[0]
            if there is None or not there.scores:
                continue
            old = same_score(there.scores, head) or other_judge(there.scores, head)
            if old is None:
                blocked.append(f"metric: {there.scores[0].metric} there, {head.metric} here")
            elif obstacle := obstacles(there, old, case, head, one_model=False):
                blocked.append(obstacle)
            else:
                pairs.setdefault(place, {})[seed] = (old, head)
    return pairs, blocked


def _versus(kind: Kind, name: str, pairs: _Pairs, note: str = "") -> Versus:
    """Measure the difference over the splits that have all seeds."""
    seeds = sorted({seed for found in pairs.values() for seed in found})
    whole = [pairs[place] for place in sorted(pairs) if len(pairs[place]) == len(seeds)]
    if not whole:
        # No split has them all: the seed that most have.
        seeds = [max(seeds, key=lambda seed: (sum(seed in found for found in pairs.values()), -seed))]
        whole = [pairs[place] for place in sorted(pairs) if seeds[0] in pairs[place]]
    if len(whole) < len(pairs):
        note = _joined(note, f"{len(whole)} of {len(pairs)} splits have seed {', '.join(map(str, seeds))}")
    splits = [[found[seed] for seed in seeds] for found in whole]
    difference = paired_splits(splits)
    if difference is None:
        value = fmean(new.value - old.value for old, new in splits[0])
        note = _joined(note, "fewer than two clusters are stored in both, so nothing is known about chance")
        return Versus(kind, name, "within chance", value, basis=f"{len(splits)} split", note=note)
    return Versus(
        kind=kind,
        model=name,
        standing=_standing(difference, kind),
        value=difference.value,
        interval=difference.interval,
        basis=_basis(difference, splits),
        note=_joined(note, difference.note),
    )


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _standing(difference: Difference, kind: Kind) -> Standing:
    change = difference.change(kind.better, 0.0)
    return "within chance" if change == "same" else "better" if change == "improved" else "worse"


def _basis(difference: Difference, splits: Sequence[Sequence[object]]) -> str:
    if len(splits[0]) > 1:
        return f"{difference.units} seeds, {count(len(splits), 'split')}"
    return f"{difference.units} {'splits' if len(splits) > 1 else 'clusters'}"


def _ranking(kind: Kind, cases: Mapping[str, Sorted], counterparts: Mapping[str, Counterparts]) -> Ranking | None:
    """Rank models by their means over the splits that all have; None where there are none."""
    shared = set.intersection(*(set(each.kinds[kind]) for each in cases.values()))
    if not shared:
        return None
    sign = -1.0 if kind.better == "higher" else 1.0
    means = {}
    for name, each in cases.items():
        mean = each.mean(kind, sorted(shared))
        assert mean is not None
        means[name] = mean
    # By name where means are equal, so that the order of documents decides nothing.
    order = sorted(means, key=lambda name: (round(sign * means[name], 12), name))
    ranks: list[Rank] = []
    for at, name in enumerate(order):
        is_tied = bool(ranks) and math.isclose(means[name], ranks[-1].mean, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
        place = ranks[-1].rank if is_tied else at + 1
        better = next((rank for rank in reversed(ranks) if rank.rank < place), None)
        equals = None
        if better is not None:
            chosen = {where: cases[name].kinds[kind][where] for where in sorted(shared)}
            pairs, _ = _pair(chosen, counterparts[better.model], ())
            if pairs and not _versus(kind, name, pairs).is_significant:
                equals = better.rank
        ranks.append(Rank(name, means[name], place, equals))
    return Ranking(kind, len(shared), tuple(ranks))


def _sizes(name: str, cases: Sorted) -> Iterator[Sized]:
    for kind, places in cases.kinds.items():
        found: dict[int, list[float]] = {}
        for case in (case for seeds in places.values() for case in seeds.values()):
            numbers = (case.model.get("code_size") or {}).get("numbers")
            if kind.output == "reconstruction" and isinstance(numbers, int) and numbers > 0:
                found.setdefault(numbers, []).append(case.scores[0].value)
        for numbers, values in sorted(found.items()):
            yield Sized(name, kind, numbers, fmean(values))
