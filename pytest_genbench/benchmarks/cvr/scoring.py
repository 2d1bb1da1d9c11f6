"""Taking part in CVR: the model gives each of four images a score, and the highest is to be that of the odd one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...scores import ENDLESS, Better, Condition, Interval, Score, Tally
from ...splits import Split
from ..protocol import Inputs, Outputs, Scorer, Task
from . import anchors, sets
from .choices import CANDIDATES, OUTPUT, choices, fits, reading
from .components import components
from .laws import AXES
from .rules import RULES
from .scene import Problem
from .wrong import Wrong, amounts

if TYPE_CHECKING:
    from .benchmark import Cvr

BLOCK = 10
"""Problems in a cluster; they are independent, and single ones would make documents long."""

COMPARED = 500
"""Problems of each set where several are compared."""

ACCURACY = "accuracy"
AGREEMENT = "order_agreement"
GAP = "generalisation_gap"
REVERSE = "reverse_gap"


def of(benchmark: Cvr) -> dict[str, Task]:
    """Make the ways to take part in a benchmark."""

    def on_request(
        name: str,
        metrics: Mapping[str, Better],
        scorer: Callable[[Split], Scorer],
        items: Callable[[Split], NDArray[np.int64]],
    ) -> Task:
        return Task(
            name=name,
            outputs=(OUTPUT,),
            metrics=metrics,
            scorer=scorer,
            anchors=lambda split: anchors.of_rules(benchmark.rules_of(split), benchmark.is_published, only_chance=True),
            fits=fits,
            items=items,
            in_split=False,
            on_request=True,
            population=ENDLESS,
            reading=partial(reading, benchmark),
        )

    each: dict[str, Better] = dict.fromkeys((f"{ACCURACY}.{rule.name}" for rule in RULES), "higher")
    accuracies: dict[str, Better] = dict.fromkeys(
        (ACCURACY, f"{ACCURACY}_elementary", f"{ACCURACY}_composed"), "higher"
    )
    by_axis: dict[str, Better] = dict.fromkeys((f"{ACCURACY}.{axis}" for axis in ("none", *AXES)), "higher")
    by_part: dict[str, Better] = dict.fromkeys((f"{ACCURACY}.own", f"{ACCURACY}.components"), "higher")
    scorer = partial(OddOneOutScorer, benchmark)
    return {
        "odd_one_out": Task(
            name="odd_one_out",
            outputs=(OUTPUT,),
            metrics={**accuracies, **each},
            scorer=scorer,
            anchors=lambda split: anchors.of_rules(benchmark.rules_of(split), benchmark.is_published),
            fits=fits,
            population=ENDLESS,
            reading=partial(reading, benchmark),
        ),
        "generalisation": on_request(
            "generalisation",
            {ACCURACY: "higher", GAP: "lower", f"{ACCURACY}.test": "higher", f"{ACCURACY}.test_gen": "higher"},
            lambda split: Compared(
                benchmark, {"test": "test", "test_gen": "test_gen"}, "test_gen", GAP, ("test", "test_gen")
            ),
            lambda split: _several(benchmark, split, ("test", "test_gen"), sets.SIZES["test"]),
        ),
        "axes": on_request(
            "axes",
            {ACCURACY: "higher", **by_axis},
            lambda split: Compared(
                benchmark, {"test": "none", **{f"test_{axis}": axis for axis in AXES}}, None, None, ("none", "none")
            ),
            lambda split: _several(benchmark, split, ("test", *(f"test_{axis}" for axis in AXES)), COMPARED),
        ),
        "order": on_request(
            "order",
            {AGREEMENT: "higher", ACCURACY: "higher"},
            lambda split: OrderScorer(benchmark),
            lambda split: _several(benchmark, split, ("test", sets.TURNED), sets.SIZES[sets.TURNED]),
        ),
        "reverse": on_request(
            "reverse",
            {ACCURACY: "higher", REVERSE: "higher", **by_part},
            lambda split: ReverseScorer(benchmark, benchmark.rules_of(split)[0]),
            lambda split: _with_components(benchmark.rules_of(split)[0]),
        ),
    }


def turned(problem: Problem) -> Problem:
    """Show the images of a problem in another order: each one place to the left."""
    return replace(problem, images=problem.images[1:] + problem.images[:1], answer=(problem.answer - 1) % CANDIDATES)


def _several(benchmark: Cvr, split: Split, names: Iterable[str], most: int) -> NDArray[np.int64]:
    """List the first problems of several sets of a split's rules; sets on axes that a rule does not move are left out."""
    found = []
    for rule in benchmark.rules_of(split):
        unmoved = {f"test_{axis}" for axis in AXES if axis not in RULES[rule].axes}
        found += [sets.items(rule, name, most) for name in names if name not in unmoved]
    return np.sort(np.concatenate(found))


def _with_components(rule: int) -> NDArray[np.int64]:
    return np.sort(np.concatenate([sets.items(each, "test", COMPARED) for each in (rule, *(components(rule) or ()))]))


class _Reader:
    """Reads choices, and keeps what is right, what is a tie, and how wrong answers were odd."""

    def __init__(self, benchmark: Cvr) -> None:
        self._benchmark = benchmark
        self._wrong: Counter[str] = Counter()

    def read(
        self, index: NDArray[np.int64], outputs: Outputs
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Return whether each answer is right (N,), the place chosen (N,) and the right one (N,)."""
        chosen, tied = choices(outputs, len(index))
        known = self._benchmark.answers(index)
        places = np.array([answer for answer, _ in known], dtype=np.int64)
        right: NDArray[np.bool_] = (chosen == places) & ~tied
        self._wrong["ties"] += int(tied.sum())
        for fine, rule, (_, kind) in zip(right.tolist(), sets.rules_of(index).tolist(), known, strict=True):
            if not fine:
                self._wrong[f"{RULES[rule].name}, odd by {kind}"] += 1
        return right, chosen, places

    def errors(self) -> dict[str, int]:
        """Count ties, and wrong answers by the way in which the odd image was odd."""
        return {what: number for what, number in sorted(self._wrong.items()) if number}


def _blocks(size: int) -> list[str]:
    return [f"{start}-{start + BLOCK - 1}" for start in range(0, size, BLOCK)]


def _block(index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cluster numbers of items, by their numbers in their own set."""
    starts = np.array(sorted(sets.STARTS.values()))
    within = index % sets.EACH
    block: NDArray[np.int64] = (within - starts[np.searchsorted(starts, within, side="right") - 1]) // BLOCK
    return block


class _Ranking(_Reader):
    """Also remembers the worst answers, to some sets of problems."""

    def __init__(self, benchmark: Cvr, ranked: Collection[str] = sets.SIZES.keys()) -> None:
        super().__init__(benchmark)
        self._ranked = ranked
        self._worst = Wrong()

    def read(
        self, index: NDArray[np.int64], outputs: Outputs
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """As :meth:`_Reader.read`."""
        right, chosen, places = super().read(index, outputs)
        found = [n for n in np.flatnonzero(~right) if sets.place(int(index[n])).set in self._ranked]
        if found:
            wrong = index[found]
            kinds = [kind for _, kind in self._benchmark.answers(wrong)]
            where = [sets.place(item) for item in wrong.tolist()]
            ways = [(place.rule, place.set, kind) for place, kind in zip(where, kinds, strict=True)]
            self._worst.add(wrong, amounts(outputs[OUTPUT], places)[found], ways, _block(wrong))
        return right, chosen, places

    def worst(self) -> NDArray[np.int64]:
        """Return up to four items that were answered wrong, int64 (n,); see :meth:`.Wrong.items`."""
        return self._worst.items()


class OddOneOutScorer(_Ranking):
    """The share of problems answered right: of all, and where there are many rules of each and of the elementary ones."""

    def __init__(self, benchmark: Cvr, split: Split) -> None:
        super().__init__(benchmark)
        self._rules = benchmark.rules_of(split)
        names = _blocks(max(sets.SIZES.values()))
        groups = [ACCURACY]
        if len(self._rules) > 1:
            kinds = {RULES[rule].is_elementary for rule in self._rules}
            groups += [f"{ACCURACY}_{'elementary' if kind else 'composed'}" for kind in sorted(kinds) if len(kinds) > 1]
            groups += [f"{ACCURACY}.{RULES[rule].name}" for rule in self._rules]
        self._tallies = {group: Tally(group, names, proportion=True) for group in groups}
        self._seen: Counter[str] = Counter()

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch: items (N,), images (not used), and ``scores`` (N, 4) or places (N,).

        Raises:
            ModelError: The scores have another form.
        """
        right, _, _ = self.read(index, outputs)
        block, rules = _block(index), sets.rules_of(index)
        is_elementary = np.array([RULES[rule].is_elementary for rule in rules.tolist()])
        for name, tally in self._tallies.items():
            if name == ACCURACY:
                chosen = np.ones(len(index), dtype=bool)
            elif name.startswith(f"{ACCURACY}_"):
                chosen = is_elementary == name.endswith("elementary")
            else:
                chosen = rules == _NUMBERS[name.partition(".")[2]]
            if chosen.any():
                tally.add(right[chosen], block[chosen])
                self._seen[name] += int(chosen.sum())

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return the share of all, then of the groups of which anything was seen."""
        return [tally.score(population, condition) for name, tally in self._tallies.items() if self._seen[name]]


class Compared(_Ranking):
    """Accuracy on several sets of problems, side by side; the worst answers are those that the headline counts.

    Args:
        benchmark: Knows the answers.
        names: What each set is called in the scores.
        headline: The set whose accuracy is the headline; None for the mean over all sets but the first.
        gap: Name of the difference of two sets; None for none.
        of: The two sets, by their names in the scores.
    """

    def __init__(
        self, benchmark: Cvr, names: Mapping[str, str], headline: str | None, gap: str | None, of: tuple[str, str]
    ) -> None:
        ranked = [set for set, name in names.items() if (name == headline if headline else set != next(iter(names)))]
        super().__init__(benchmark, ranked)
        self._names, self._headline, self._gap, self._of = names, headline, gap, of
        blocks = _blocks(max(sets.SIZES.values()))
        self._tallies = {name: Tally(f"{ACCURACY}.{name}", blocks, proportion=True) for name in names.values()}
        self._all = Tally(ACCURACY, blocks, proportion=True)
        self._counts: Counter[str] = Counter()

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch; see :meth:`OddOneOutScorer.add`."""
        right, _, _ = self.read(index, outputs)
        own = np.array([self._names[sets.place(item).set] for item in index.tolist()])
        block = _block(index)
        first = next(iter(self._names.values()))
        for name, tally in self._tallies.items():
            chosen = own == name
            if not chosen.any():
                continue
            tally.add(right[chosen], block[chosen])
            self._counts[name] += int(chosen.sum())
            if name == self._headline or (self._headline is None and name != first):
                self._all.add(right[chosen], block[chosen])

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return the headline, the gap where there is one, and each set."""
        each = {name: tally.score(population, condition) for name, tally in self._tallies.items() if self._counts[name]}
        found = [self._all.score(population, condition)]
        if self._gap is not None:
            found.append(difference(self._gap, each[self._of[0]], each[self._of[1]], "lower"))
        return [*found, *each.values()]


def difference(metric: str, first: Score, second: Score, better: Better) -> Score:
    """Return by how much one share is above another, on problems drawn apart; the interval is Newcombe's (1998, method 10)."""
    assert first.interval is not None
    assert second.interval is not None
    a, b, value = first, second, first.value - second.value
    low = value - float(np.hypot(a.value - first.interval.low, second.interval.high - b.value))
    high = value + float(np.hypot(first.interval.high - a.value, b.value - second.interval.low))
    return Score(
        metric,
        value,
        n=a.n + b.n,
        population=max(a.population, b.population),
        condition=a.condition,
        interval=Interval(low, high, "Newcombe"),
        better=better,
    )


class OrderScorer(_Reader):
    """Whether a model chooses the same image of a problem when the four are shown in another order."""

    def __init__(self, benchmark: Cvr) -> None:
        super().__init__(benchmark)
        self._chosen: dict[tuple[int, int], dict[str, int]] = {}
        blocks = _blocks(sets.SIZES[sets.TURNED])
        self._right = Tally(ACCURACY, blocks, proportion=True)
        self._agree = Tally(AGREEMENT, blocks, proportion=True)

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch; see :meth:`OddOneOutScorer.add`."""
        right, chosen, _ = self.read(index, outputs)
        self._right.add(right, _block(index))
        for item, choice in zip(index.tolist(), chosen.tolist(), strict=True):
            where = sets.place(item)
            pair = self._chosen.setdefault((where.rule, where.number), {})
            pair[where.set] = choice
            if len(pair) == 2:
                same = pair["test"] == (pair[sets.TURNED] + 1) % CANDIDATES
                self._agree.add([same], np.array([where.number // BLOCK]))

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return the share of problems with one choice, and accuracy."""
        return [self._agree.score(population, condition), self._right.score(population, condition)]


class ReverseScorer(_Reader):
    """Accuracy of a model of a composition on the two elementary rules it is made of, without training on them."""

    def __init__(self, benchmark: Cvr, rule: int) -> None:
        super().__init__(benchmark)
        self._rule = rule
        blocks = _blocks(COMPARED)
        self._own, self._parts = (
            Tally(f"{ACCURACY}.{name}", blocks, proportion=True) for name in ("own", "components")
        )

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch; see :meth:`OddOneOutScorer.add`."""
        right, _, _ = self.read(index, outputs)
        own = sets.rules_of(index) == self._rule
        for tally, chosen in ((self._own, own), (self._parts, ~own)):
            if chosen.any():
                tally.add(right[chosen], _block(index)[chosen])

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return accuracy on the components, how far it is above that on the composition, and both."""
        own, parts = (tally.score(population, condition) for tally in (self._own, self._parts))
        return [replace(parts, metric=ACCURACY), difference(REVERSE, parts, own, "higher"), own, parts]


_NUMBERS = {rule.name: rule.id for rule in RULES}
