"""Run a model over a split, batch by batch, and score what it returns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .benchmarks import Benchmark, Inputs, Task, Tells
from .errors import ModelError
from .models import Model, to_numpy, unit_images
from .models.extra import About
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
    """What :func:`evaluate` found: scores (held out first, then in split), errors on held-out items, seconds by phase.

    A scorer may work in threads of its own while the model runs; then ``score`` is the time it was waited for. ``kept`` are the
    ``items`` whose answers the task keeps, what is ``true`` of them and each ``answer``, by what they are about, in builtin types.
    """

    scores: tuple[Score, ...]
    errors: dict[str, int]
    seconds: dict[str, float]
    kept: dict[str, Any] = field(default_factory=dict)


def evaluate(
    benchmark: Benchmark,
    split: Split,
    task: Task,
    model: Model,
    *,
    samples: int | None = None,
    names: dict[str, str] | None = None,
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

    Raises:
        ModelError: The model fails on the images, or returns values that are not finite or of the wrong shape.
    """
    clock = Clock()
    if task.items is not None:
        scores, errors = _score(benchmark, split, task, model, "all", None, names or {}, clock)
        return Evaluation(tuple(scores), errors, clock.seconds())
    scores, errors = _score(benchmark, split, task, model, "held-out", samples, names or {}, clock)
    if task.in_split:
        scores = [*scores, *_score(benchmark, split, task, model, "in-split", IN_SPLIT, names or {}, clock)[0]]
    kept = _keep(benchmark, split, task, model, names or {}, clock)
    return Evaluation(tuple(scores), errors, clock.seconds(), kept)


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


def _score(
    benchmark: Benchmark,
    split: Split,
    task: Task,
    model: Model,
    condition: Condition,
    size: int | None,
    names: dict[str, str],
    clock: Clock,
) -> tuple[list[Score], dict[str, int]]:
    own = None if task.items is None else task.items(split)
    index = sample(split, condition, size, own)
    items = sample(split, condition, None, own)
    scorer = task.scorer(split)
    for batch, images, outputs in _run(benchmark, index, task, model, names, clock):
        with clock("score"):
            scorer.add(batch, images, outputs)
    with clock("score"):
        return scorer.scores(task.population or len(items), condition), scorer.errors()


def _keep(
    benchmark: Benchmark, split: Split, task: Task, model: Model, names: dict[str, str], clock: Clock
) -> dict[str, Any]:
    """Run the model on the items whose answers the task keeps."""
    found = {}
    for name, kept in task.kept(split).items() if task.kept else ():
        batches = _run(benchmark, kept.items, task, model, names, clock)
        answers = np.concatenate([kept.read(outputs) for _, _, outputs in batches])
        columns = {"true": kept.true, "answer": answers}
        found[name] = {"items": kept.items.tolist()} | {
            key: np.round(column, KEPT_DIGITS).tolist() for key, column in columns.items()
        }
    return found


def _run(
    benchmark: Benchmark, index: NDArray[np.int64], task: Task, model: Model, names: dict[str, str], clock: Clock
) -> Iterator[tuple[NDArray[np.int64], Inputs, dict[str, NDArray[Any]]]]:
    """Yield batches of items, what was shown, and what the model made of it."""
    offered = model.contract.outputs
    roles = [name for name in (*task.outputs, *task.optional) if name in offered or name in names]
    step = DEVICE_BATCH if "cuda" in model.device.lower() else BATCH
    for start in range(0, len(index), step):
        batch = index[start : start + step]
        with clock("render"):
            images = benchmark.images(batch)
        with clock("model"):
            about = benchmark.about(batch) if isinstance(benchmark, Tells) else None
            outputs = predict(model, images, roles, names, about)
        yield batch, images, outputs


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
            self._seconds[phase] += perf_counter() - start

    def seconds(self) -> dict[str, float]:
        """Return seconds by phase, rounded to milliseconds."""
        return {phase: round(value, 3) for phase, value in sorted(self._seconds.items())}
