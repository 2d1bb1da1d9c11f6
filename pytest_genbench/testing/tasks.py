"""Whether tasks, their scorers and their anchors are what :class:`pytest_genbench.benchmarks.Task` says."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from .. import evaluation
from ..benchmarks import Benchmark, Keeps, Outputs, Scorer, Task
from ..errors import GenbenchError
from ..models import ModelOptions, offered, wrap
from ..models.declaration import is_role
from ..models.similarity import of_sets
from ..results.io import check_builtin
from ..scores import Anchor, Better, Condition, Score, Source
from ..splits import Split
from . import offers
from .answers import answers, missing
from .cases import RIGHT, SAME, Cases, Found
from .findings import raised

_ITEMS = 24
"""Items of a split that are scored; and the first few of them as a batch of their own."""

_WHOLE = 1_200
"""Items for a score that is no mean over items."""

_DRAWN = 50
"""Items of those that a task names, where they are a sample themselves: a step between them that keeps pairs in step."""

_FIRST = 7

_MORE = 4
"""Splits of a family, a few items of each, that figures are tried with."""

_CLOSE = 1e-5
"""How far scores may be apart that should be equal: a judge may round differently in batches of another size."""


def declared(benchmark: Benchmark) -> Iterator[str]:
    """Check what tasks say of themselves."""
    tasks = benchmark.tasks
    if not isinstance(tasks, Mapping) or not tasks or not all(isinstance(task, Task) for task in tasks.values()):
        yield f"tasks is {tasks!r:.80}; give a dict of at least one Task by name."
        return
    for name, task in tasks.items():
        where = f"task {name!r}"
        if task.name != name:
            yield f"{where}: its own name is {task.name!r}; both have to be the same."
        if not isinstance(task.outputs, tuple) or not task.outputs:
            yield f"{where}: outputs is {task.outputs!r}; give a tuple of at least one output."
            continue
        for role in (*task.outputs, *task.optional):
            if not isinstance(role, str) or not is_role(role):
                yield f"{where}: {role!r} is no output; name it reconstruction, embedding, factors, factor.<name> or the like."
        if not isinstance(task.metrics, Mapping) or not task.metrics:
            yield f"{where}: metrics is {task.metrics!r}; give a dict of metrics to higher or lower, the headline first."
        elif wrong := {metric: way for metric, way in task.metrics.items() if way not in get_args(Better)}:
            yield f"{where}: metrics says {wrong}; each is better when higher or lower."
        yield from _fits(task, where)


def _fits(task: Task, where: str) -> Iterator[str]:
    """Check that `fits` answers for any shape: models under test have all sorts of them."""
    for shape in ((), (None,), (7,), (None, 3, None), (1, 2, 3, 4)):
        answer = task.fits(task.outputs[0], shape)
        if not isinstance(answer, bool | np.bool_):
            yield f"{where}: fits({task.outputs[0]!r}, {shape}) is {answer!r}; return a bool."
            return


def on_request(
    benchmark: Benchmark, task: Task, splits: Sequence[Split], labels: NDArray[np.int64], cases: Cases
) -> Iterator[str]:
    """Check a task that takes part only where a test names it, on the first split that it can be asked of.

    Args:
        benchmark: Gives images and right answers.
        task: The task.
        splits: One of each family; the task may be for some of them only.
        labels: As in :func:`scores`.
        cases: As in :func:`scores`.

    Raises:
        GenbenchError: It can be asked of none.
    """
    for split in splits:
        where = f"task {task.name!r} on {split.slug}"
        try:
            found = [*scores(benchmark, task, split, labels, where, cases), *anchors(task, split, where, cases)]
        except GenbenchError:
            if split is splits[-1]:
                raise
            continue
        yield from found
        return


def _chosen(task: Task, items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose the items of a task that names its own."""
    if task.population is not None:
        return items[:: max(1, -(-len(items) // _DRAWN))]
    return _spaced(items, _WHOLE)


def _spaced(items: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    return items[np.linspace(0, len(items) - 1, min(most, len(items))).astype(np.int64)]


def scores(
    benchmark: Benchmark, task: Task, split: Split, labels: NDArray[np.int64], where: str, cases: Cases
) -> Iterator[str]:
    """Feed a scorer with right and with constant answers and check what it makes of them.

    Args:
        benchmark: Gives images and right answers.
        task: The task.
        split: The split.
        labels: Items (M,), many, to know the classes by.
        where: Task and split, for messages.
        cases: Takes what was found, for figures.
    """
    if lacking := missing(benchmark, task, labels[:1]):
        yield (
            f"{where}: targets() has no right answers for {', '.join(lacking)}, which the task needs; without them nobody can "
            "train, and scores were not tried."
        )
        return
    if task.scorer(split) is task.scorer(split):
        yield f"{where}: scorer(split) gives the same object again; make a fresh one on each call."
        return
    # A score that is no mean over items needs more of them to mean anything.
    is_mean = task.items is None and task.in_split
    whole: Mapping[Condition, NDArray[np.int64]] = (
        {"all": task.items(split)} if task.items is not None else {"held-out": split.test}
    )
    for condition, items in ({**whole, "in-split": split.train} if is_mean else whole).items():
        index = _chosen(task, items) if task.items is not None else _spaced(items, _ITEMS if is_mean else _WHOLE)
        images = benchmark.images(index)
        made = answers(benchmark, task, index, images, labels)
        trial = _Trial(task, split, index, images, condition, f"{where}, {condition}")
        right = yield from trial.scores(made.perfect)
        constant = yield from trial.scores(made.constant)
        if made.is_known:
            yield from _worse(task, right.scores, constant.scores, trial.where)
        for model, found in ((RIGHT, right), (SAME, constant)):
            cases.add(task, split, model, found)
    if task.kept is not None and task.items is None:
        yield from _answers_kept(benchmark, task, split, labels, where, cases)


def more(benchmark: Benchmark, labels: NDArray[np.int64], cases: Cases) -> Iterator[str]:
    """Score a few items of more splits, as many figures need several of a family; `labels` and `cases` as in :func:`scores`."""
    # Those that need many items are left to the splits that were scored in full.
    few = [task for task in benchmark.tasks.values() if task.items is None and task.in_split and not task.on_request]
    for task in few:
        for split in (split for family in benchmark.families for split in benchmark.splits(family)[:_MORE]):
            if cases.has(task, split):
                continue
            try:
                _few(benchmark, task, split, labels, cases)
            except Exception as error:
                yield f"task {task.name!r} on {split.slug}: {raised(error)}"


def _few(benchmark: Benchmark, task: Task, split: Split, labels: NDArray[np.int64], cases: Cases) -> None:
    index = _spaced(split.test, _FIRST)
    images = benchmark.images(index)
    made = answers(benchmark, task, index, images, labels)
    for model, outputs in ((RIGHT, made.perfect), (SAME, made.constant)):
        scorer = task.scorer(split)
        scorer.add(index, images, outputs)
        found = scorer.scores(task.population or len(split.test), "held-out")
        cases.add(task, split, model, Found(found, scorer.errors(), scorer.kept() if isinstance(scorer, Keeps) else {}))


def _answers_kept(
    benchmark: Benchmark, task: Task, split: Split, labels: NDArray[np.int64], where: str, cases: Cases
) -> Iterator[str]:
    """Keep answers as an evaluation does."""
    assert task.kept is not None
    for name, kept in task.kept(split).items():
        images = benchmark.images(kept.items if "reconstruction" in task.outputs else kept.items[:0])
        made = answers(benchmark, task, kept.items, images, labels)
        for model, outputs in ((RIGHT, made.perfect), (SAME, made.constant)):
            read = np.asarray(kept.read(outputs))
            if not read.shape == np.shape(kept.true) == kept.items.shape or not np.isfinite(read).all():
                shapes = f"{kept.items.shape} items, {np.shape(kept.true)} right answers and {read.shape} of the model"
                yield f"{where}: kept of {name!r} has {shapes}; give a finite number for each item."
                return
            plain = {"items": kept.items.tolist(), "true": np.asarray(kept.true).tolist(), "answer": read.tolist()}
            cases.add(task, split, model, Found(kept={name: plain}))


class _Trial:
    """Scores outputs for the same items in several ways."""

    def __init__(
        self,
        task: Task,
        split: Split,
        index: NDArray[np.int64],
        images: NDArray[np.uint8],
        condition: Condition,
        where: str,
    ) -> None:
        self._task, self._split, self._index, self._images = task, split, index, images
        self._condition, self.where = condition, where

    def scores(self, outputs: Outputs) -> Generator[str, None, Found]:
        """Yield what is wrong with what a scorer makes of some outputs; return it."""
        n = len(self._index)
        one, several = self._task.scorer(self._split), self._task.scorer(self._split)
        yield from self._add(one, outputs, slice(None))
        found = yield from self._scores(one, n)
        errors = yield from self._errors(one)
        # The second scorer has seen nothing of the first, and takes the same items as part of a larger set.
        first = min(_FIRST, n // 2)
        for part in (slice(None, first), slice(first, None)):
            if len(self._index[part]):
                yield from self._add(several, outputs, part)
        parted = yield from self._scores(several, n + 1)
        for whole, sum_ in zip(found, parted, strict=False):
            if whole.n == sum_.n and not math.isclose(whole.value, sum_.value, rel_tol=_CLOSE, abs_tol=_CLOSE):
                what = f"{self.where}: {whole.metric}"
                yield f"{what} is {whole.value:.6g} in one batch and {sum_.value:.6g} in two; batches may not matter."
        if self._condition == "in-split":  # of which only scores are recorded
            return Found(found)
        kept = yield from offers.kept(one, self.where)
        failures = yield from offers.failures(self._task, (one, several), self._index, outputs, self.where)
        return Found(found, errors, kept, failures)

    def _scores(self, scorer: Scorer, population: int) -> Generator[str, None, Sequence[Score]]:
        population = self._task.population or population
        found = scorer.scores(population, self._condition)
        if not isinstance(found, list | tuple) or not found or not all(isinstance(each, Score) for each in found):
            yield f"{self.where}: scores() is {found!r:.80}; return a list of at least one Score."
            return ()
        yield from _headline(self._task, found, self.where)
        is_sample = self._task.population is not None
        for score in found:
            what = f"{self.where}: {score.metric}"
            # Beside means over items there may be scores that follow from them, of which nobody needs an interval.
            is_mean = self._task.in_split and bool(score.clusters)
            needs_interval = is_mean or score is found[0] or is_sample
            n, most = len(self._index), population
            if self._condition == "all":  # evaluated in full, and a score may be about some of the items only
                n, most = score.n, population if is_sample else score.n
            elif is_sample and score is not found[0]:
                n = min(n, score.n)  # of a part of the items, such as those of one rule
            elif not self._task.in_split:  # about those of the items that say something
                n, most = min(n, score.n), min(population, score.population)
            yield from _numbers(score, n, most, self._condition, what, needs_interval)
        return [score for score in found if isinstance(score.value, float | int) and math.isfinite(score.value)]

    def _add(self, scorer: Scorer, outputs: Outputs, part: slice) -> Iterator[str]:
        given = {name: array[part].copy() for name, array in outputs.items()}
        index, images = self._index[part].copy(), self._images[part].copy()
        judged = yield from offers.judging(scorer, 0.0, self.where)
        scorer.add(index, images, given)
        yield from offers.judging(scorer, judged, self.where)
        pairs = [(given[name], outputs[name][part]) for name in outputs]
        pairs += [(index, self._index[part]), (images, self._images[part])]
        if not all(np.array_equal(now, before) for now, before in pairs):
            yield f"{self.where}: the scorer's add() changes the arrays it is given; work on copies."

    def _errors(self, scorer: Scorer) -> Generator[str, None, dict[str, int]]:
        errors = scorer.errors()
        fine = isinstance(errors, dict) and all(
            type(what) is str and type(count) is int and count >= 0 for what, count in errors.items()
        )
        if not fine:
            yield f"{self.where}: errors() is {errors!r}; return a dict of text to int, not NumPy's; it may be empty."
            return {}
        return errors


def _headline(task: Task, scores: Sequence[Score], where: str) -> Iterator[str]:
    """Check which scores there are."""
    if (scores[0].metric, scores[0].judge) != (task.metric, task.judge):
        expected = f"{task.metric!r}" + (f" by judge {task.judge!r}" if task.judge else "")
        found = f"{scores[0].metric!r}" + (f" by judge {scores[0].judge!r}" if scores[0].judge else "")
        yield f"{where}: the first score is {found}; the headline comes first, {expected}."
    names = [(score.metric, score.judge) for score in scores]
    if len(set(names)) < len(names):
        yield f"{where}: scores() has {names}; each pair of metric and judge may be there once."
    for score in scores:
        if score.metric not in task.metrics:
            yield f"{where}: {score.metric} is not among the task's metrics, {', '.join(task.metrics)}; list it."
        elif score.better != task.metrics[score.metric]:
            ways = f"{score.better!r} in the score and {task.metrics[score.metric]!r} in the task"
            yield f"{where}: {score.metric} is better when {ways}; both have to agree."


def _numbers(
    score: Score, n: int, population: int, condition: Condition, what: str, needs_interval: bool
) -> Iterator[str]:
    value = score.value
    if type(value) not in (float, int) or not math.isfinite(value):
        yield f"{what}: the value is {value!r}; give a finite float, float(…) of NumPy's."
        return
    for name, found, expected in (("n", score.n, n), ("population", score.population, population)):
        if type(found) is not int or found != expected:
            hint = ", and no scorer may keep the sums of another" if name == "n" and found > n else ""
            yield f"{what}: {name} is {found!r} for {n} items of {population}; it has to be the int {expected}{hint}."
            return
    if score.condition != condition:
        yield f"{what}: condition is {score.condition!r}; keep the one that scores() is given, {condition!r}."
    if score.interval is None and n < population and needs_interval:
        yield f"{what}: no interval, though {n} items of {population} were scored; a sample needs one (Tally makes it)."
    if score.interval is not None and n == population:
        yield f"{what}: an interval, though all {n} items were scored; leave it out, the score is exact."
    yield from _spread(score, what)


def _spread(score: Score, what: str) -> Iterator[str]:
    """Check the interval and the clusters, on which comparisons between runs rest."""
    try:
        check_builtin({"clusters": dict(score.clusters), "interval": _bounds(score)}, what)
    except GenbenchError as error:
        yield f"{str(error).rstrip('.')}; results are saved as JSON."
        return
    if score.clusters:
        count, total = (sum(pair[at] for pair in score.clusters.values()) for at in (0, 1))
        mean = total / max(count, 1)
        is_of_parts = all(number == 1 for number, _ in score.clusters.values())
        if (count != score.n and not is_of_parts) or not math.isclose(
            mean, score.value, rel_tol=_CLOSE, abs_tol=_CLOSE
        ):
            yield (
                f"{what}: clusters hold {count} items with the mean {mean:.6g}, the score {score.n} with {score.value:.6g}; "
                "give (number of items, sum of their values) for each, or (1, value) for each part of a score that is no mean "
                "over items."
            )


def _bounds(score: Score) -> list[float]:
    return [] if score.interval is None else [score.interval.low, score.interval.high]


def _worse(task: Task, right: Sequence[Score], constant: Sequence[Score], where: str) -> Iterator[str]:
    """Check that right answers are not worse than one answer for all."""
    known = {(score.metric, score.judge): score for score in constant}
    for score in right:
        beside = known.get((score.metric, score.judge))
        if beside is None or score.metric not in task.metrics:
            continue
        # A difference of two scores is none for right answers, and for constant ones on either side of that by chance.
        if score is not right[0] and beside.interval and beside.interval.low <= score.value <= beside.interval.high:
            continue
        other, sign = beside.value, 1 if task.metrics[score.metric] == "higher" else -1
        if sign * (score.value - other) < -_CLOSE:
            yield (
                f"{where}: {score.metric} is {score.value:.6g} for right answers and {other:.6g} for the same answer to all; it is "
                f"said to be better when {task.metrics[score.metric]}."
            )


def anchors(task: Task, split: Split, where: str, cases: Cases) -> Iterator[str]:
    """Check the reference values of a task on a split; `cases` takes them."""
    found = task.anchors(split)
    if not isinstance(found, list | tuple) or not all(isinstance(each, Anchor) for each in found):
        yield f"{where}: anchors(split) is {found!r:.80}; return a list of Anchor, which may be empty."
        return
    cases.anchor(task, split, found)
    for anchor in found:
        what = f"{where}: anchor {anchor.name!r}"
        if anchor.metric not in task.metrics:
            yield f"{what} is of {anchor.metric!r}, which is not among the task's metrics, {', '.join(task.metrics)}."
        if type(anchor.value) not in (float, int) or not math.isfinite(anchor.value):
            yield f"{what} is {anchor.value!r}; give a finite float, float(…) of NumPy's."
        if anchor.source not in get_args(Source):
            yield f"{what}: source is {anchor.source!r}; it is one of {', '.join(get_args(Source))}."


def takes_part(benchmark: Benchmark, model: Any, split: Split) -> Iterator[str]:
    """Check that a model can take part in a benchmark, and is scored without an error."""
    made = wrap(model, ModelOptions(spec=""), name="the model", image_shape=benchmark.image_shape)
    if len(benchmark.image_shape) == 4:
        made = of_sets(made, benchmark.image_shape[0], benchmark.name)
    roles = offered(made.contract)
    fitting = [task for task in benchmark.tasks.values() if roles.issuperset(task.outputs)]
    if not fitting:
        needed = " or ".join(" and ".join(task.outputs) for task in benchmark.tasks.values())
        yield f"the model offers {', '.join(sorted(roles)) or 'none'}; to take part it needs {needed}."
    for task in fitting:
        if task.on_request and task.population is not None:  # may be for other families, and takes all of its items
            continue
        found = evaluation.evaluate(benchmark, split, task, made, samples=_ITEMS)
        for score in found.scores:
            if not math.isfinite(score.value):
                yield f"the model's {score.metric} on {split.slug} is {score.value}; scores have to be finite."
