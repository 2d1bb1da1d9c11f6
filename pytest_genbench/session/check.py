"""The check of one test: which ways to take part the model has, what it scores, and whether that clears the gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import pytest

from ..benchmarks import Benchmark, NeedsData, Scalable, Task, noun
from ..errors import GenbenchError, MissingOutputError
from ..evaluation import Evaluation, evaluate
from ..gates import Decision, decide
from ..learners.models import Training
from ..models import CodeSize, Model, assign_unnamed, offered
from ..models.similarity import of_sets
from ..results.io import case_to_plain, check_builtin
from ..results.schema import ORDER, Case
from ..scores import Anchor
from ..splits import Split
from .exposure import EXPOSED, exposure
from .progress import progress

if TYPE_CHECKING:
    from . import Session

CHECK = pytest.StashKey["Check"]()
CASES = pytest.StashKey[list[dict[str, object]]]()


@dataclass(frozen=True)
class Candidate:
    """One seed's model with what was found out about it before the evaluation."""

    seed: int
    model: Model
    code_size: CodeSize
    exposure: str
    training: Training | None = None


class Check:
    """The check for one item.

    Attributes:
        benchmark: The benchmark under its preset.
        split: The split under test.
        tasks: The ways to take part that the model offers outputs for.
    """

    def __init__(self, session: Session, item: pytest.Item, benchmark: Benchmark, split: Split) -> None:
        self._session = session
        self._item = item
        self.benchmark = benchmark
        self.split = split
        self.tasks: dict[str, Task] = {}
        self._names: Mapping[str, str] = {}
        self._candidates: list[Candidate] = []

    @classmethod
    def of(cls, item: pytest.Item) -> Check:
        """Return the check that setup made for a marked test.

        Raises:
            pytest.fail.Exception: The test has no genbench marker.
        """
        if CHECK not in item.stash:
            pytest.fail(f"The genbench fixture needs the genbench marker on {item.name}.", pytrace=False)
        return item.stash[CHECK]

    def prepare(self, needs: tuple[str, ...]) -> None:
        """Load the model and find what it can take part in; skip the test where it can or may not.

        Raises:
            GenbenchError: The model cannot be loaded or misbehaves.
        """
        if isinstance(self.benchmark, NeedsData):
            self.benchmark.check_data(self.split)
        store = self._session.store
        wanted = {name: self.benchmark.tasks[name] for name in needs if name in self.benchmark.tasks}
        for seed in store.seeds:
            # A suite holds tests of several benchmarks; files of one of them need not be there for the others.
            sibling = store.sibling(self.benchmark, self.split, seed)
            if sibling is not None:
                self._is_meant_for_this(sibling)
                takes_part(sibling, wanted, self.benchmark.name)
            model, training = store.get(self.benchmark, self.split, seed, wanted)
            self._is_meant_for_this(model)
            seen = self._exposure(model)
            tasks = wanted
            if len(self.benchmark.image_shape) == 4:
                model = self._of_sets(model)
            elif self._session.settings.probe is not None and not _reads_codes(wanted):
                # What the model offers itself is not what a probe asks about.
                own = offered(model.contract)
                tasks = {n: t for n, t in wanted.items() if not own.issuperset(t.outputs)} or wanted
                model = store.with_readout(model, self.benchmark, self.split, seed)
            self._fits(model)
            self.tasks, self._names = takes_part(model, tasks, self.benchmark.name)
            size = store.probed(model, self._names, self.benchmark, self.split)
            self._candidates.append(Candidate(seed, model, size, seen, training))

    def _is_meant_for_this(self, model: Model) -> None:
        target = model.contract.benchmark
        if target not in (None, self.benchmark.name):
            pytest.skip(f"the model is for another benchmark: it declares genbench.benchmark = {target}")

    def _exposure(self, model: Model) -> str:
        """Skip the test if the model may have seen what is held out, or does not say; before anything costly is done."""
        seen = exposure(model.contract.trained_on, self.benchmark, self.split)
        if seen == EXPOSED:
            pytest.skip(f"exposed: the model was trained on {', '.join(model.contract.trained_on)}")
        if self._session.settings.require_exposure and seen == "undeclared":
            pytest.skip("exposure: the model does not declare genbench.trained_on, which is required")
        return seen

    def _of_sets(self, model: Model) -> Model:
        """Let an encoder of single images compare sets of them, and have the images drawn as large as the model takes them.

        A probe has nothing to add: what is compared are the embeddings themselves.
        """
        model = of_sets(model, self.benchmark.image_shape[0], self.benchmark.name)
        if model.contract.input_kind == "set" and isinstance(self.benchmark, Scalable):
            *_, height, width = model.contract.shape
            if height != width and None not in (height, width):
                pytest.skip(
                    f"the model takes images of {height} x {width} pixels; {self.benchmark.name} draws square ones"
                )
            side = height or width
            if side is not None:
                self.benchmark = self.benchmark.sized(side)
        return model

    def _fits(self, model: Model) -> None:
        *sides, last = self.benchmark.image_shape
        shape, expected = model.contract.shape, (last, *sides)
        if len(sides) == 3:
            number, *sides = sides
            expected = (number, last, *sides)
        if len(shape) == len(expected) and all(a in (None, b) for a, b in zip(shape, expected, strict=True)):
            return
        words = {
            1: "signals of (length)",
            3: "images of (channels, height, width)",
            4: "sets of images of (number, channels, height, width)",
        }
        has = "" if len(shape) == len(expected) else f"{words[len(expected)]} "
        pytest.skip(
            f"the model takes {words[len(shape)]} {_axes(shape)}; {self.benchmark.name} has {has}{_axes(expected)}"
        )

    def evaluate(self, task: str) -> list[Case]:
        """Evaluate the model, without looking at any gate.

        Args:
            task: One of `tasks`.

        Returns:
            A case for each seed.
        """
        chosen = self.tasks[task]
        anchors = chosen.anchors(self.split)
        samples = self._session.settings.samples
        cases = []
        for candidate in self._candidates:
            model = candidate.model
            fitted = chosen if chosen.of_model is None else chosen.of_model(chosen, model)
            with progress(self._item.config, f"{self.split.slug}, {task}", noun(self.benchmark.image_shape)) as bar:
                found = evaluate(
                    self.benchmark, self.split, fitted, model, samples=samples, names=dict(self._names), progress=bar
                )
            cases.append(self._case(chosen, candidate, found, anchors))
        return cases

    def passes(self) -> None:
        """Evaluate every way the model takes part, hold the scores to their gates, and report the outcome to pytest."""
        decisions = []
        for name, task in self.tasks.items():
            broken = ""
            try:
                cases = self.evaluate(name)
                decision = self._decide(task, cases)
            except GenbenchError as error:
                broken = str(error)
            if broken:  # outside the block: pytest would show what led to an error that is raised within
                pytest.fail(f"genbench: {broken}", pytrace=False)
            self._record(cases, decision)
            decisions.append((cases, decision))
        cases, decision = min(decisions, key=lambda pair: ORDER.index(pair[1].verdict))
        if decision.verdict == "passed":
            return
        _report(cases, decision)

    def _decide(self, task: Task, cases: list[Case]) -> Decision:
        settings = self._session.settings
        known = not task.needs_code_size or all(c.code_size.kind != "unbounded" for c in self._candidates)
        return decide(
            cases,
            self._session.gates,
            self._session.baseline,
            require_baseline=settings.require_baseline,
            allow_unbounded=settings.allow_unbounded,
            code_size_known=known,
        )

    def _case(self, task: Task, candidate: Candidate, found: Evaluation, anchors: list[Anchor]) -> Case:
        model, split, samples = candidate.model, self.split, self._session.settings.samples
        size = candidate.code_size
        return Case(
            benchmark=self.benchmark.name,
            version=self.benchmark.version,
            preset=self.benchmark.preset,
            family=split.family,
            split=split.slug,
            output=task.name,
            group=split.group,
            held_out=split.held_out,
            seed=candidate.seed,
            samples="all" if samples is None else samples,
            model={
                "files": dict(model.files),
                "contract": model.contract.flat(),
                "provider": model.device,
                "exposure": candidate.exposure,
                "code_size": {"kind": size.kind, "numbers": size.numbers, "reason": size.reason},
                **({"training": candidate.training.plain()} if candidate.training else {}),
            },
            scores=found.scores,
            anchors=tuple(anchors),
            errors=found.errors,
            failures=found.failures,
            kept=found.kept,
            seconds=found.seconds,
        )

    def _record(self, cases: list[Case], decision: Decision) -> None:
        """Put the cases where the report finds them, and the scores where JUnit does."""
        records = self._item.stash[CASES]
        for case in cases:
            judged = replace(case, gates=decision.results, verdict=decision.verdict, reason=decision.reason)
            plain = case_to_plain(judged)
            check_builtin(plain, self._item.name)
            records.append(plain)
            prefix = f"genbench.{case.output}"
            for score in judged.scores:
                name = ".".join(filter(None, (prefix, score.condition, score.metric, score.judge)))
                self._item.user_properties.append((name, score.value))
            self._item.user_properties.append((f"{prefix}.verdict", judged.verdict))


def _reads_codes(wanted: Mapping[str, Task]) -> bool:
    """Whether tasks are about the embedding itself, where a readout over it has nothing to say."""
    return all(set(task.outputs) <= {"embedding"} for task in wanted.values())


def _axes(shape: Sequence[int | None]) -> str:
    return "(" + ", ".join(map(str, shape)) + ")"


def takes_part(model: Model, wanted: Mapping[str, Task], benchmark: str) -> tuple[dict[str, Task], Mapping[str, str]]:
    """Find the tasks whose outputs a model offers, counting an unnamed output where it can be only one thing.

    Returns:
        The tasks, and for outputs that have no name of ours the name the model has for them.
    """
    roles = offered(model.contract)
    names: Mapping[str, str] = {}
    if not any(roles.issuperset(task.outputs) for task in wanted.values()) and model.contract.unnamed:
        single = {task.outputs[0]: task for task in wanted.values() if len(task.outputs) == 1}
        names = assign_unnamed(model.contract, {role: task.fits for role, task in single.items()})
    tasks = {name: task for name, task in wanted.items() if roles.union(names).issuperset(task.outputs)}
    if not tasks:
        needed = " or ".join(" and ".join(task.outputs) for task in wanted.values())
        have = ", ".join(sorted(roles)) or "none"
        raise MissingOutputError(f"{benchmark} needs the output {needed}; the model offers {have}")
    return tasks, names


def _report(cases: list[Case], decision: Decision) -> NoReturn:
    """Fail or skip the test with a few lines that explain the verdict."""
    case = cases[0]
    if decision.verdict == "not comparable":
        pytest.skip(f"not comparable: {decision.reason}")
    lines = [f"{case.split} ({case.held_out}), {case.output}: {decision.verdict}"]
    lines += [f"  {gate.reason}" for gate in decision.results] or [f"  {decision.reason}"]
    lines.append("  " + _beside(case))
    if any(case.errors.values()):
        wrong = ", ".join(f"{what} {number:,}" for what, number in case.errors.items() if number)
        lines.append(
            f"  what went wrong on {case.scores[0].n:,} held-out {noun(case.model['contract']['shape'])}: {wrong}"
        )
    pytest.fail("\n".join(lines), pytrace=False)


def _beside(case: Case) -> str:
    """What a failed score is to be read by: the score on what training may have shown, and the anchors."""
    headline = case.scores[0]
    seen = case.score(headline.metric, in_split=True, judge=headline.judge)
    parts = [f"in-split {seen.value:.3f}"] if seen else []
    read = [anchor for anchor in case.anchors if anchor.judge in ("", headline.judge)]
    own = {anchor.name for anchor in read if anchor.metric == headline.metric}
    # Of an anchor that has values of several metrics, that of the headline.
    parts += [
        f"{anchor.name} {anchor.value:.3f}"
        for anchor in read
        if anchor.metric == headline.metric or anchor.name not in own
    ]
    return ", ".join(parts)
