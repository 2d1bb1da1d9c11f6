"""Outputs that a model could give: the right ones, and the same for every image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..benchmarks import Benchmark, Task
from ..rng import stream

_OF_PIXELS = ("reconstruction", "factors", "embedding")
"""Outputs that can be made without `targets`: from the images, and from the levels."""


@dataclass(frozen=True)
class Answers:
    """Outputs for a task.

    Attributes:
        perfect: Right answers as a model would give them.
        constant: The same answer for each image.
        is_known: Whether `perfect` is what the benchmark itself calls right; what is right in an embedding nobody says.
    """

    perfect: dict[str, NDArray[Any]]
    constant: dict[str, NDArray[Any]]
    is_known: bool


def missing(benchmark: Benchmark, task: Task, index: NDArray[np.int64]) -> list[str]:
    """Name the outputs that a task needs and for which there are no right answers."""
    known = benchmark.targets(index).keys()
    return [role for role in task.outputs if role not in known and role not in _OF_PIXELS]


def answers(
    benchmark: Benchmark, task: Task, index: NDArray[np.int64], images: NDArray[np.uint8], labels: NDArray[np.int64]
) -> Answers:
    """Make outputs for some items, for all that a task needs and for what else it uses where `targets` tells.

    Args:
        benchmark: Gives right answers.
        task: Names the outputs.
        index: Items (N,).
        images: Their images, uint8 (N, H, W, C).
        labels: Items (M,), many, among which every class occurs.

    Returns:
        One-hot logits for class numbers; images in [0, 1] for ``reconstruction``; levels scaled to [0, 1] for ``factors`` and
        ``embedding``, unless `targets` has them. Constant: the first class; a black image; the middle of [0, 1].
    """
    targets, known = benchmark.targets(index), benchmark.targets(labels)
    perfect: dict[str, NDArray[Any]] = {}
    constant: dict[str, NDArray[Any]] = {}
    for role in (*task.outputs, *(role for role in task.optional if role in targets)):
        if role == "reconstruction":
            perfect[role] = (images / np.float32(255)).astype(np.float32)
            constant[role] = np.zeros_like(perfect[role])
        elif role == "factors":
            perfect[role] = np.asarray(targets[role] if role in targets else _scaled(benchmark, index), np.float32)
            constant[role] = np.full_like(perfect[role], 0.5)
        elif role in targets and np.asarray(targets[role]).dtype.kind in "iu":
            classes = np.eye(_classes(benchmark, role, known[role]), dtype=np.float32)
            perfect[role] = classes[targets[role]]
            constant[role] = classes[np.zeros(len(index), dtype=np.int64)]
        else:
            perfect[role] = np.asarray(targets[role] if role in targets else _scaled(benchmark, index), np.float32)
            # An embedding without any variance has no statistics; a little noise says as little about the image.
            noise = stream("conformance", role).normal(size=perfect[role].shape)
            constant[role] = noise.astype(np.float32)
    return Answers(perfect, constant, is_known="embedding" not in task.outputs)


def _classes(benchmark: Benchmark, role: str, seen: NDArray[np.int64]) -> int:
    """How many classes an output has: as many as the factor has values or a set images, else as many as were seen."""
    name = role.removeprefix("factor.")
    if name in benchmark.grid.names:
        return len(benchmark.grid.factors[benchmark.grid.position(name)])
    if role == "scores" and len(benchmark.image_shape) == 4:
        return benchmark.image_shape[0]
    return int(seen.max()) + 1


def _scaled(benchmark: Benchmark, index: NDArray[np.int64]) -> NDArray[np.float32]:
    """Levels (N, K) scaled to [0, 1]."""
    most = np.maximum(np.array(benchmark.grid.shape) - 1, 1)
    return np.asarray(benchmark.levels(index) / most, dtype=np.float32)
