"""Run a model over a split, batch by batch, and score what it returns."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import png
from .benchmarks import Benchmark, Inputs, Judges, Keeps, Ranks, Scorer, Task, Tells
from .errors import ModelError
from .models import Model, to_numpy, unit_images
from .models.extra import About
from .results.schema import Failure
from .rng import stream
from .scores import Condition, Score
from .splits import Split

IN_SPLIT = 2000
"""Training images scored beside the held-out ones: a standard error of 0.01 at most."""

BATCH = 64
"""Images per call on the CPU; small batches stay in the cache."""

DEVICE_BATCH = 1024
"""Images per call on an accelerator, which needs many to be busy."""

KEPT_DIGITS = 4
"""Decimals of answers that are kept: for plots and correlations, not to be scored again."""


@dataclass(frozen=True)
class Evaluation:
    """What :func:`evaluate` found.

    Attributes:
        scores: Held out first, then in split.
        errors: How many held-out items went wrong in which way.
        seconds: Wall time by phase. A judge may work in threads of its own while the model runs; ``judge`` is the time it was
            waited for.
        kept: The ``items`` whose answers the task keeps, what is ``true`` of them and each ``answer``, by what they are about, and
            what the scorer keeps for figures; builtin types.
        failures: The worst held-out items.
    """

    scores: tuple[Score, ...]
    errors: dict[str, int]
    seconds: dict[str, float]
    kept: dict[str, Any] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()


def evaluate(
    benchmark: Benchmark,
    split: Split,
    task: Task,
    model: Model,
    *,
    samples: int | None = None,
    names: dict[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Score a model on what a split holds out, and on a sample of what it does not; or on the items a task names.

    Memory does not grow with the number of items: one batch of images and the scorer's sums are held at a time.

    Args:
        benchmark: Renders the images.
        split: Train and test indices.
        task: Which outputs are asked for, and how they are scored.
        model: The model under test.
        samples: Most held-out items to evaluate; None for all of them. A sample is seeded by the split. Items that a task names
            are always evaluated all.
        names: The name under which the model offers each output, where it is not the output's own.
        progress: Told how many items were evaluated of how many, again and again.

    Raises:
        ModelError: The model fails on the images, or returns values that are not finite or of the wrong shape.
    """
    run = _Run(benchmark, split, task, model, names or {}, Clock(), progress)
    scores, scorer = run.score("held-out" if task.items is None else "all", samples if task.items is None else None)
    errors = scorer.errors()
    kept = dict(scorer.kept()) if isinstance(scorer, Keeps) else {}
    if task.items is None:
        if task.in_split:
            scores += run.score("in-split", IN_SPLIT)[0]
        kept |= run.keep()
    worst = scorer.worst() if isinstance(scorer, Ranks) else np.empty(0, dtype=np.int64)
    failures = run.failures(worst) if len(worst) else ()
    return Evaluation(tuple(scores), errors, run.clock.seconds(), kept, failures)


def sample(
    split: Split, condition: Condition, size: int | None, items: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Draw items without replacement: the same ones in every run, ascending; all of them if there are no more than `size`.

    Args:
        split: Whose items they are.
        condition: ``held-out`` and ``in-split`` draw from those of the split.
        size: How many; None for all.
        items: What to draw from, under any other condition.
    """
    if items is None:
        items = split.test if condition == "held-out" else split.train
    if size is None or size >= len(items):
        return items
    draw = stream("sample", split.benchmark, split.preset, split.slug, condition)
    return np.sort(draw.choice(items, size, replace=False))


@dataclass
class _Run:
    """One evaluation: a model, put to a task on a split."""

    benchmark: Benchmark
    split: Split
    task: Task
    model: Model
    names: dict[str, str]
    clock: Clock
    progress: Callable[[int, int], None] | None

    def score(self, condition: Condition, size: int | None) -> tuple[list[Score], Scorer]:
        """Score a sample of the items of a condition; also return what scored them."""
        own = None if self.task.items is None else self.task.items(self.split)
        index = sample(self.split, condition, size, own)
        items = sample(self.split, condition, None, own)
        scorer = self.task.scorer(self.split)
        done = 0
        for batch, images, outputs in self._batches(index):
            with self._scoring(scorer):
                scorer.add(batch, images, outputs)
            done += len(batch)
            if self.progress is not None:
                self.progress(done, len(index))
        with self._scoring(scorer):
            return scorer.scores(self.task.population or len(items), condition), scorer

    def keep(self) -> dict[str, Any]:
        """Run the model on the items whose answers the task keeps."""
        found = {}
        for name, kept in self.task.kept(self.split).items() if self.task.kept else ():
            answers = np.concatenate([kept.read(outputs) for _, _, outputs in self._batches(kept.items)])
            columns = {"true": kept.true, "answer": answers}
            found[name] = {"items": kept.items.tolist()} | {
                key: np.round(column, KEPT_DIGITS).tolist() for key, column in columns.items()
            }
        return found

    def failures(self, items: NDArray[np.int64]) -> tuple[Failure, ...]:
        """Run the model again on a few items that went wrong, and say what was read of each."""
        if self.task.reading is None:
            return ()
        found: list[Failure] = []
        for batch, _, outputs in self._batches(items):
            made = outputs.get("reconstruction")
            pictures = [""] * len(batch) if made is None or made.ndim != 4 else [_as_png(image) for image in made]
            readings = self.task.reading(batch, outputs)
            found += [
                Failure(item, right, read, picture)
                for item, (right, read), picture in zip(batch.tolist(), readings, pictures, strict=True)
            ]
        return tuple(found)

    def _batches(self, index: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Inputs, dict[str, NDArray[Any]]]]:
        """Yield batches of items, what was shown, and what the model made of it."""
        benchmark, task, model = self.benchmark, self.task, self.model
        offered = model.contract.outputs
        roles = [name for name in (*task.outputs, *task.optional) if name in offered or name in self.names]
        step = DEVICE_BATCH if "cuda" in model.device.lower() else BATCH
        for start in range(0, len(index), step):
            batch = index[start : start + step]
            with self.clock("render"):
                images = benchmark.images(batch)
            with self.clock("model"):
                about = benchmark.about(batch) if isinstance(benchmark, Tells) else None
                outputs = predict(model, images, roles, self.names, about)
            yield batch, images, outputs

    @contextmanager
    def _scoring(self, scorer: Scorer) -> Iterator[None]:
        """Time a block of scoring, and how much of it was waiting for a judge."""
        before, start = _judging(scorer), perf_counter()
        try:
            yield
        finally:
            judged = _judging(scorer) - before
            self.clock.add("judge", judged)
            self.clock.add("metrics", perf_counter() - start - judged)


def _judging(scorer: Scorer) -> float:
    return scorer.judging if isinstance(scorer, Judges) else 0.0


def _as_png(image: NDArray[np.float32]) -> str:
    """Write an image, float32 (H, W, C) in [0, 1] and cut off outside, as a PNG file in base64."""
    return base64.b64encode(png.encode(np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8))).decode("ascii")


def predict(
    model: Model,
    images: Inputs,
    roles: list[str],
    names: dict[str, str] | None = None,
    about: About | None = None,
) -> dict[str, NDArray[Any]]:
    """Ask a model for outputs and bring them to the CPU in the form scorers take.

    Args:
        model: The model under test.
        images: uint8 (N, H, W, C), or signals float32 (N, length).
        roles: Outputs wanted, by name.
        names: Where the model has another name for one of them.
        about: What is known of each item beside its images; for models that take it.

    Returns:
        Arrays by role; a ``reconstruction`` as float32, of images (N, H, W, C) in [0, 1].

    Raises:
        ModelError: Values are not finite, or a shape is not the expected one.
    """
    wanted = {role: (names or {}).get(role, role) for role in roles}
    more: dict[str, Any] = {"about": about} if model.contract.extra else {}
    found = model.predict(images, tuple(wanted.values()), **more)
    outputs = {}
    for role, name in wanted.items():
        array = to_numpy(found[name])
        if len(array) != len(images):
            raise ModelError(f"Output {name!r} has {len(array)} rows for {len(images)} images; expected one for each.")
        if not np.isfinite(array).all():
            rows = int((~np.isfinite(array.reshape(len(array), -1))).any(axis=1).sum())
            raise ModelError(f"Output {name!r} is NaN or infinite for {rows} of {len(images)} images of a batch.")
        if role == "reconstruction":
            array = unit_images(array, model.contract)
            if array.shape != images.shape:
                raise ModelError(f"Output {name!r} has shape {array.shape}; a reconstruction needs {images.shape}.")
        outputs[role] = array
    return outputs


class Clock:
    """Adds up wall time by phase."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Time a block."""
        start = perf_counter()
        try:
            yield
        finally:
            self.add(phase, perf_counter() - start)

    def add(self, phase: str, seconds: float) -> None:
        """Add time that was taken elsewhere; none is no phase."""
        if seconds:
            self._seconds[phase] += seconds

    def seconds(self) -> dict[str, float]:
        """Return seconds by phase, rounded to milliseconds."""
        return {phase: round(value, 3) for phase, value in sorted(self._seconds.items())}
