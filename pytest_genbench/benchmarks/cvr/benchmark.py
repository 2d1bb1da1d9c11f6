"""CVR: 103 rules, four images a problem, one of them odd (Zerroug et al. 2022, arXiv 2206.05379)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...factors import Factor, FactorGrid
from ...figures import Figure
from ...splits import Split
from ..protocol import Targets, Task
from . import contrasts, figures, problems, scoring, sets
from .choices import CANDIDATES, OUTPUT
from .components import COMPONENTS, ELEMENTARY
from .render import SIDE, render
from .rule import RELATIONS, Rule
from .rules import RULES
from .scene import Problem

if TYPE_CHECKING:
    from ...results.schema import Case

PRESETS = {"checked": (SIDE, False), "mini": (64, False), "published": (SIDE, True)}
"""Side of the images, and whether problems are drawn by the published law and left unchecked."""

REGIMES = (20, 50, 100, 200, 500, 1000)
"""Training problems of a rule at which sample efficiency is measured (section 4.2)."""

MANY = 10_000
"""Training problems of a rule in the paper's largest joint training; no part of sample efficiency."""

JOINT = ("joint", "joint-elementary", "joint-composed")
"""Splits that train on many rules at once: all, the nine elementary ones, the 94 others."""

USUAL = 1000
"""Training problems of a rule where that is not what is asked about."""

SMALLEST, LARGEST = 32, 512
"""Sides of images that can be drawn."""

_REMEMBERED = 4096


class Cvr:
    """All rules under one law. Items are problems, numbered rule by rule; an input is the four images of a problem.

    Args:
        preset: ``checked`` (128 x 128), ``mini`` (64 x 64), or ``published``: the law of the published generator, with its slips.
        side: Another side of the images, in pixels.
        seed: Of all problems.

    Raises:
        BenchmarkError: No such preset or side.
    """

    name = "cvr"
    version = "1"
    families = ("reasoning", "compositional", "efficiency", "compositional_efficiency", "reverse", "joint")

    def __init__(self, preset: str = "checked", *, side: int | None = None, seed: int = 0) -> None:
        if preset not in PRESETS:
            raise BenchmarkError(f"cvr has no preset {preset!r}.{nearest(preset, PRESETS)}")
        usual, self.is_published = PRESETS[preset]
        self.preset, self.side, self.seed = preset, side or usual, seed
        if not SMALLEST <= self.side <= LARGEST:
            raise BenchmarkError(f"cvr draws images of {SMALLEST} to {LARGEST} pixels a side; got {self.side}.")
        self.image_shape = (CANDIDATES, self.side, self.side, 3)
        self._answers: OrderedDict[int, tuple[int, str]] = OrderedDict()

    def sized(self, side: int) -> Cvr:
        """Return the same problems, drawn with another side.

        Raises:
            BenchmarkError: No such side.
        """
        return self if side == self.side else Cvr(self.preset, side=side, seed=self.seed)

    @cached_property
    def grid(self) -> FactorGrid:
        """Rule, and the number of the problem within the rule, all its sets one after the other; see :mod:`.sets`."""
        names = tuple(rule.name for rule in RULES)
        return FactorGrid((Factor("rule", names), Factor("problem", tuple(range(sets.EACH)), "ordinal")))

    def problem(self, item: int) -> Problem:
        """Make the problem of an item.

        Raises:
            BenchmarkError: There is no such item, its rule has no such set, or it cannot be drawn.
        """
        if not 0 <= item < sets.TOTAL:
            raise BenchmarkError(f"cvr has {sets.TOTAL:,} problems, numbered from 0; got {item}.")
        where = sets.place(int(item))
        is_turned = where.set == sets.TURNED
        rule, of = RULES[where.rule], "test" if is_turned else where.set
        made = problems.make(rule, of, where.number, seed=self.seed, published=self.is_published)
        found = scoring.turned(made) if is_turned else made
        self._answers[int(item)] = found.answer, found.kind
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)
        return found

    def images(self, index: ArrayLike) -> NDArray[np.uint8]:
        """Draw the four images of each problem, in the order in which they are shown: uint8 (N, 4, H, W, 3).

        Raises:
            BenchmarkError: As for :meth:`problem`.
        """
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64))
        drawn = np.empty((len(chosen), *self.image_shape), dtype=np.uint8)
        for n, item in enumerate(chosen.tolist()):
            for k, image in enumerate(self.problem(item).images):
                drawn[n, k] = render(image, self.side, published=self.is_published)
        return drawn

    def references(self, index: ArrayLike) -> NDArray[np.uint8]:
        """Draw one image of each problem that obeys the rule: uint8 (N, H, W, 3); for training without answers."""
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64)).tolist()
        images = [render(self.problem(k).references[0], self.side, published=self.is_published) for k in chosen]
        return np.stack(images)

    def explain(self, split: Split) -> list[tuple[str, str]]:
        """Say what a split's rule asks: what three images have in common, how the odd one is odd; of many rules only the former."""
        rules = [RULES[number] for number in self.rules_of(split)]
        if len(rules) > 1:
            return [(f"{rule.id} {rule.name}", rule.reference) for rule in rules]
        (rule,) = rules
        relations = ", ".join(dict.fromkeys(RELATIONS[letter] for letter in rule.relations))
        rows = [("rule", f"{rule.id} {rule.name}: {relations}"), ("three images", rule.reference)]
        rows += [(f"odd by {kind}", text) for kind, text in rule.odd.items()]
        return [*rows, ("unseen law", f"differs in {', '.join(rule.axes) or 'nothing'}")]

    def captions(self, index: ArrayLike) -> list[str]:
        """Name the rule of each of items (N,), and say how the odd image is odd."""
        rules = [RULES[number] for number in self.about(index)["rule"].tolist()]
        known = zip(rules, self.answers(index), strict=True)
        return [f"{rule.name}: the odd one {rule.odd.get(kind, kind)}" for rule, (_, kind) in known]

    def unseen(self, split: Split) -> NDArray[np.int64]:
        """Items of a split's rules that follow the unseen law, ascending, int64."""
        return np.concatenate([sets.items(rule, "test_gen") for rule in self.rules_of(split)])

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Rule and number within it (N, 2) of items (N,)."""
        return self.grid.levels(index)

    def targets(self, index: ArrayLike) -> Targets:
        """Right answers for items (N,): ``scores`` int64 (N,), the place of the odd image."""
        return {OUTPUT: np.array([answer for answer, _ in self.answers(index)], dtype=np.int64)}

    def answers(self, index: ArrayLike) -> list[tuple[int, str]]:
        """Place of the odd image, and the way in which it is odd, of items (N,)."""
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64)).tolist()
        for item in chosen:
            if item not in self._answers:
                self.problem(item)
        # More may have been asked for than are remembered.
        return [self._answers[k] if k in self._answers else _answer(self.problem(k)) for k in chosen]

    def about(self, index: ArrayLike) -> Mapping[str, NDArray[np.int64]]:
        """What a model may be told of items (N,): ``rule`` int64 (N,), from 0 to 102, the same number in any selection."""
        return {"rule": sets.rules_of(np.atleast_1d(np.asarray(index, dtype=np.int64)))}

    @cache  # noqa: B019 - benchmarks live as long as the process, and index sets hang on the splits
    def splits(self, family: str) -> tuple[Split, ...]:
        """All splits of a family: a rule and a number of training problems each; of ``joint``, many rules at once.

        Raises:
            BenchmarkError: Unknown family.
        """
        composed = [rule for rule in RULES if not rule.is_elementary]
        elementary = [rule for rule in RULES if rule.is_elementary]
        if family == "joint":
            parts = dict(zip(JOINT, (RULES, elementary, composed), strict=True))
            return tuple(
                self._split("joint", rules, n, name) for name, rules in parts.items() for n in (*REGIMES, MANY)
            )
        single: Mapping[str, tuple[Iterable[Rule], Sequence[int]]] = {
            "reasoning": (elementary, (USUAL,)),
            "compositional": (composed, (USUAL,)),
            "efficiency": (elementary, REGIMES),
            "compositional_efficiency": (composed, REGIMES),
            "reverse": ([rule for rule in RULES if rule.id in COMPONENTS], (USUAL,)),
        }
        if family not in single:
            raise BenchmarkError(f"cvr has no split family {family!r}.{nearest(family, self.families)}")
        rules, regimes = single[family]
        return tuple(self._split(family, [rule], n, rule.name) for rule in rules for n in regimes)

    def training(self, rules: Sequence[int], n: int) -> Split:
        """Make a split with the first n training problems of some rules, by number; for pretraining.

        Raises:
            BenchmarkError: There are not so many problems, or no such rule.
        """
        chosen = [problems.find(rule) for rule in sorted(rules)]
        if not chosen or not 1 <= n <= sets.SIZES["train"]:
            raise BenchmarkError(
                f"Training takes some rules and 1 to {sets.SIZES['train']:,} problems of each; got {n}."
            )
        whole = {tuple(range(len(RULES))): JOINT[0], ELEMENTARY: JOINT[1]}
        name = whole.get(tuple(rule.id for rule in chosen), "+".join(rule.name for rule in chosen))
        return self._split("training", chosen, n, name)

    def rules_of(self, split: Split) -> tuple[int, ...]:
        """Numbers of the rules that a split is about, ascending."""
        return tuple(np.unique(sets.rules_of(split.test)).tolist())

    def _split(self, family: str, rules: Iterable[Rule], n: int, name: str) -> Split:
        numbers = [rule.id for rule in rules]
        is_one = len(numbers) == 1
        rule = RULES[numbers[0]]
        what = f"{rule.id} {rule.name}" if is_one else f"{len(numbers)} rules"
        group = f"n = {n:,}" if "efficiency" in family or family == "joint" else ""
        return Split(
            benchmark=self.name,
            preset=self.preset,
            family=family,
            slug=f"{name}-n{n}",
            held_out=what if group else f"{what}, n = {n:,}",
            is_held_out=lambda: _marked(numbers, "test"),
            group=group,
            belongs=lambda: _marked(numbers, "test") | _marked(numbers, "train", n),
            validates=lambda: _marked(numbers, "val"),
        )

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """``odd_one_out``; on request ``generalisation``, ``axes``, ``order`` and ``reverse``."""
        return scoring.of(self)

    def figures(self, cases: Sequence[Case]) -> Iterable[Figure]:
        """Describe what there is to see in the results of one model; see :func:`.figures.figures`."""
        return figures.figures(cases)

    def contrasts(self, models: Mapping[str, Sequence[Case]]) -> Iterable[Figure]:
        """Describe what there is to see in the results of several models; see :func:`.contrasts.contrasts`."""
        return contrasts.contrasts(models)

    def is_exposed(self, trained_on: str, split: Split) -> bool:
        """Whether training on a declared split (its id) may have shown what `split` holds out: no, problems are drawn apart.

        Raises:
            BenchmarkError: The id names no split of this benchmark.
        """
        benchmark, _, rest = trained_on.partition("/")
        preset, _, slug = rest.partition("/")
        name, _, number = slug.rpartition("-n")
        known = {rule.name for rule in RULES}
        is_split = number.isdigit() and (name in JOINT or set(name.split("+")) <= known)
        if benchmark != self.name or preset not in PRESETS or not is_split:
            ids = [f"{self.name}/{self.preset}/{name}-n{number or USUAL}" for name in (*known, *JOINT)]
            raise BenchmarkError(f"{trained_on!r} is not a split of {self.name}.{nearest(trained_on, ids)}")
        return False


def _marked(rules: Sequence[int], set: str, most: int | None = None) -> NDArray[np.bool_]:
    """Mark the items of a set of some rules among all items."""
    mask = np.zeros(sets.TOTAL, dtype=bool)
    for rule in rules:
        mask[sets.items(rule, set, most)] = True
    return mask


def _answer(problem: Problem) -> tuple[int, str]:
    return problem.answer, problem.kind
