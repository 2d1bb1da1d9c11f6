"""Whether a learner is what :class:`pytest_genbench.learners.Learner` says."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..benchmarks import Benchmark, Tells
from ..errors import GenbenchError
from ..evaluation import predict
from ..learners import Budget, Learner, TrainingTask, keep
from ..learners.find import describe
from ..models import Model, ModelOptions, offered, wrap
from ..models.declaration import is_role
from ..models.onnx import OnnxModel
from ..splits import Split
from .findings import Findings, raised

SMOKE_SECONDS = 60.0
"""Longest training under the smoke budget, which is there to see that everything runs."""

_SEED = 0
_ITEMS = 16
_CLOSE = 1e-5
"""How far outputs may be apart that should be equal, relative to the largest."""


def check_learner(
    learner: Learner, benchmark: Benchmark, *, family: str | None = None, budget: Budget = "smoke"
) -> None:
    """Check everything that training relies on in a learner, by training it three times on the first split of a family.

    It has to give a model that offers what the learner declares and can be kept as files; the same one again for the same seed; to
    say how far it is; and to go on after an interruption, with the same result.

    Args:
        learner: The learner.
        benchmark: A benchmark it is for.
        family: A family of the benchmark; None for its first.
        budget: How much work to put into each training.

    Raises:
        AssertionError: Something is wrong; the message lists all of it.
    """
    __tracebackhide__ = True
    findings = Findings(f"{type(learner).__name__} is no learner yet")
    split = benchmark.splits(benchmark.families[0] if family is None else family)[0]
    findings.add("the attributes", _attributes(learner, benchmark), allows_global_random=True)
    if callable(getattr(learner, "fit", None)):
        trial = _Trial(learner, benchmark, split, budget)
        findings.add("fit()", _training(trial), allows_global_random=True)
    findings.report()


def _attributes(learner: Learner, benchmark: Benchmark) -> Iterator[str]:
    outputs = getattr(learner, "outputs", None)
    if not isinstance(outputs, tuple | list) or not outputs:
        yield f"outputs is {outputs!r}; give a tuple of the outputs its models offer, such as ('factor.shape',)."
    else:
        for role in outputs:
            if not isinstance(role, str) or not is_role(role):
                yield f"outputs: {role!r} is no output; name it reconstruction, embedding, factors, factor.<name> or the like."
    if not callable(getattr(learner, "fit", None)):
        yield "there is no method fit(task, *, seed, budget, device, checkpoint_dir, progress)."
    target = getattr(learner, "benchmark", None)
    if target not in (None, benchmark.name):
        yield f"benchmark is {target!r}, but it is checked with {benchmark.name!r}; check it with the one it is for."


@dataclass
class _Recorder:
    """A progress callback that remembers, and interrupts at one step."""

    stop_at: int | None = None
    calls: list[tuple[int, int, float | None]] = field(default_factory=list)

    def __call__(self, step: int, steps: int, loss: float | None = None) -> None:
        self.calls.append((step, steps, loss))
        if self.stop_at is not None and step >= self.stop_at:
            raise _Interruption


class _Interruption(KeyboardInterrupt):
    """What Ctrl-C would raise, told apart from a real one."""


@dataclass(frozen=True)
class _Trial:
    """Trains a learner on a split, always with the same seed."""

    learner: Learner
    benchmark: Benchmark
    split: Split
    budget: Budget

    def fit(self, folder: Path, progress: _Recorder) -> Any:
        """Train in a folder."""
        task = TrainingTask(self.benchmark, self.split)
        return self.learner.fit(
            task, seed=_SEED, budget=self.budget, device="cpu", checkpoint_dir=folder, progress=progress
        )

    def kept(self, made: Any, beside: Path) -> Any:
        """Write a model to files and read them, as every trained model is."""
        found = describe(type(self.learner).__name__, self.learner)
        folder = beside.with_name(beside.name + "-kept")
        folder.mkdir()
        keep.save(found, made, folder, TrainingTask(self.benchmark, self.split))
        return keep.load(found, folder, Path.cwd())

    def outputs(self, made: Any) -> Generator[str, None, dict[str, NDArray[Any]]]:
        """Make a model of what `fit` returned; yield outputs that it lacks, return those it has for a few images of both sets."""
        model = self._model(made)
        has = offered(model.contract)
        if lacking := [role for role in self.learner.outputs if role not in has]:
            yield (
                f"the model does not offer {', '.join(lacking)}, which the learner declares; it offers "
                f"{', '.join(sorted(has)) or 'no output by name'}."
            )
        sets = (self.split.test, self.split.train)
        index = np.concatenate([each[np.linspace(0, len(each) - 1, _ITEMS).astype(np.int64)] for each in sets])
        roles = [role for role in self.learner.outputs if role in has]
        images = self.benchmark.images(index)
        if (
            images.ndim == 5 and model.contract.input_kind == "image"
        ):  # an encoder of single images, for a benchmark of sets
            images, index = images.reshape(-1, *images.shape[2:]), np.repeat(index, images.shape[1])
        about = self.benchmark.about(index) if isinstance(self.benchmark, Tells) else None
        return predict(model, images, roles, about=about)

    def _model(self, made: Any) -> Model:
        name, options = f"what fit() of {type(self.learner).__name__} returned", ModelOptions(spec="", device="cpu")
        if isinstance(made, Path):
            return OnnxModel(made, options)
        encodes = callable(getattr(made, "encode", None))
        names = tuple(role for role in self.learner.outputs if not (encodes and role == "embedding"))
        shape = self.benchmark.image_shape
        return wrap(made, options, name=name, declared_by=self.learner, image_shape=shape, names=names)


def _training(trial: _Trial) -> Iterator[str]:
    """Train once; again with the same seed; and again with an interruption."""
    with TemporaryDirectory(prefix="genbench-") as name:
        folders = [Path(name, each) for each in ("first", "again", "interrupted")]
        for folder in folders:
            folder.mkdir()
        progress = _Recorder()
        # The smaller of the two: other programs cost wall time, further threads cost processor time.
        clocks = (perf_counter, process_time)
        starts = [clock() for clock in clocks]
        made = trial.fit(folders[0], progress)
        seconds = min(clock() - start for clock, start in zip(clocks, starts, strict=True))
        if trial.budget == "smoke" and seconds > SMOKE_SECONDS:
            yield f"fit() took {seconds:.0f} s with the smoke budget; {SMOKE_SECONDS:.0f} s are the most, do fewer steps."
        yield from _steps(progress.calls)
        if made is None:
            yield "fit() returned None; return the model."
            return
        kept = trial.kept(made, folders[0])
        expected = yield from trial.outputs(kept)
        direct = {role: array for role, array in _directly(trial, made).items() if role in expected}
        yield from _different(direct, expected, "after the model was written to files and read; keep all of it")
        found = yield from trial.outputs(trial.kept(trial.fit(folders[1], _Recorder()), folders[1]))
        yield from _different(expected, found, "when trained again with the same seed; draw all that is random from it")
        if progress.calls:
            half = max(1, progress.calls[-1][1] // 2)
            yield from _interrupted(trial, folders[2], half, expected)


def _directly(trial: _Trial, made: Any) -> dict[str, NDArray[Any]]:
    """Outputs of a model that was never written; none where only the learner's own `save` understands what `fit` returned."""
    check = trial.outputs(made)
    with suppress(GenbenchError):
        while True:
            try:
                next(check)
            except StopIteration as end:
                found: dict[str, NDArray[Any]] = end.value
                return found
    return {}


def _steps(calls: list[tuple[int, int, float | None]]) -> Iterator[str]:
    if not calls:
        yield "fit() never called progress; call progress(step, steps, loss) after each step."
        return
    steps, totals = [step for step, _, _ in calls], {total for _, total, _ in calls}
    if len(totals) > 1:
        yield f"progress was told of {', '.join(map(str, sorted(totals)))} steps; their number may not change on the way."
    elif steps[0] < 1 or any(after <= before for before, after in pairwise(steps)) or steps[-1] != calls[-1][1]:
        yield (
            f"progress was called with the steps {_short(steps)} of {calls[-1][1]}; count from 1 and up, to the last step."
        )
    losses = [loss for _, _, loss in calls if loss is not None]
    if not all(math.isfinite(loss) for loss in losses):
        yield "progress was told of a loss that is not finite; the training diverges."


def _short(steps: list[int]) -> str:
    return ", ".join(map(str, steps)) if len(steps) <= 5 else f"{steps[0]}, {steps[1]} … {steps[-2]}, {steps[-1]}"


def _interrupted(trial: _Trial, folder: Path, at: int, expected: dict[str, NDArray[Any]]) -> Iterator[str]:
    """Interrupt a training, go on with it, and compare."""
    when = f"when interrupted at step {at}"
    try:
        trial.fit(folder, _Recorder(stop_at=at))
    except _Interruption:
        pass
    except BaseException as error:
        yield f"fit() {raised(error)}, {when} by a KeyboardInterrupt from progress; let that through."
        return
    else:
        yield f"fit() returned a model {when} by a KeyboardInterrupt from progress; let that through, it is not trained."
        return
    left = "what was left in checkpoint_dir" if any(folder.iterdir()) else "an empty checkpoint_dir"
    try:
        made = trial.fit(folder, _Recorder())
    except Exception as error:
        yield f"fit() {raised(error)}, called again with {left} {when}; go on from there, or begin anew."
        return
    found = yield from trial.outputs(trial.kept(made, folder))
    yield from _different(expected, found, f"{when} and called again with {left}; the result has to be that of one go")


def _different(expected: dict[str, NDArray[Any]], found: dict[str, NDArray[Any]], when: str) -> Iterator[str]:
    """Yield a line for each output that differs by more than rounding."""
    for role, first in expected.items():
        other = found.get(role)
        if other is None or other.shape != first.shape:
            yield f"{role} is of another shape, or missing, {when}."
        elif (largest := float(np.abs(other - first).max())) > _CLOSE * max(1.0, float(np.abs(first).max())):
            yield f"{role} differs by up to {largest:.3g} {when}."
