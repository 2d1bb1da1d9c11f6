"""Where the hierarchy of COFHAE comes from, and the assignments that it is taught: the truth, or MIMOSA.

- Ross and Doshi-Velez (ICML 2021, arXiv:2102.05185), section 4 and appendix A: MIMOSA reads the codes of a smooth, flat
  auto-encoder, finds manifolds among them and which of them encloses which.

Items in no manifold have no assignment; nor have those that MIMOSA did not read, where the budget spares it some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pytest_genbench import rng
from pytest_genbench.cache import replacing
from pytest_genbench.errors import LearnerError
from pytest_genbench.hierarchy import Hierarchy
from pytest_genbench.learners import Budget, Progress, TrainingTask

from .adversarial import Memory, StepSchedule, compete
from .bodies import shape_of, true_hierarchy
from .mimosa import AUTOENCODER_DIMENSIONS, MIMOSA, PAPER
from .representations import Flat, FlatLearner
from .training import build, seeded

ROWS: Mapping[str, int] = {"smoke": 2_000, "quick": 30_000, "standard": 60_000}
"""Items that MIMOSA reads, by budget; all of them in `paper`."""

FEW = 5_000
"""Below so many items neighbourhoods of 40 reach too far: 20 then."""


@dataclass(frozen=True)
class Structure:
    """A hierarchy, and how its options are assigned.

    Attributes:
        hierarchy: The hierarchy.
        assignments: From rows (N,) of the training set to one-hot float32 (N, options) for each categorical variable: all zero
            where it is off, -1 where nobody knows.
    """

    hierarchy: Hierarchy
    assignments: Callable[[NDArray[np.int64]], list[Tensor]]


def true_structure(memory: Memory) -> Structure:
    """Return the truth.

    Raises:
        LearnerError: The benchmark has none.
    """
    hierarchy = true_hierarchy(memory.task, "cofhae", "Set hierarchy=mimosa to have one learned.")
    names = [f"assignment.{at}" for at in range(hierarchy.categorical)]

    def assignments(rows: NDArray[np.int64]) -> list[Tensor]:
        targets = memory.targets(rows) if names else {}
        return [targets[name].float() for name in names]

    return Structure(hierarchy, assignments)


def learned_structure(
    memory: Memory,
    schedule: StepSchedule,
    settings: Any,
    *,
    seed: int,
    budget: Budget,
    device: str,
    folder: Path,
    progress: Progress,
) -> Structure:
    """Train a smooth auto-encoder, and have MIMOSA read its codes.

    Args:
        memory: The training set.
        schedule: Of the auto-encoder's training.
        settings: Has `initial_dim` and `rows`; see :class:`.cofhae.CofhaeSettings`.
        seed: Of everything random.
        budget: For the number of items to read.
        device: Where to train.
        folder: Where checkpoints and what was found are kept.
        progress: Called after each step.

    Raises:
        LearnerError: No manifold is found, or the size of the code is not known.
    """
    task = memory.task
    latent = settings.initial_dim or _initial_dim(task)
    model: Flat = build(lambda: Flat(shape_of(task, "cofhae"), latent, "softplus", False), seed)
    compete(
        model,
        None,
        FlatLearner().objective(model, None, len(task)),
        memory,
        schedule,
        seed=seed,
        device=device,
        checkpoint_dir=folder,
        progress=progress,
        keep=True,
    )
    file = folder / "structure.npz"
    if not file.exists():
        rows = _rows(task, settings.rows or ROWS.get(budget, len(task)), seed)
        hierarchy, assignments = _found(encoded(model, memory, rows), task)
        with replacing(file) as partial, partial.open("wb") as stream:
            arrays: dict[str, Any] = {str(at): each for at, each in enumerate(assignments)}
            np.savez(stream, hierarchy=hierarchy.to_json(), rows=rows, **arrays)
    with np.load(file) as kept:
        hierarchy = Hierarchy.from_json(str(kept["hierarchy"]))
        tables = [_spread(kept[str(at)], kept["rows"], len(task)) for at in range(hierarchy.categorical)]
    return Structure(hierarchy, lambda rows: [table[torch.from_numpy(rows)] for table in tables])


def encoded(model: Flat, memory: Memory, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Codes (N, D) of rows (N,)."""
    with torch.no_grad(), seeded(0, "cpu"):
        parts = [model.encode(memory.inputs(rows[at : at + 1000])).numpy() for at in range(0, len(rows), 1000)]
    return np.concatenate(parts).astype(np.float64)


def _named(task: TrainingTask) -> str:
    """Name of a task's data set in the tables of what the authors took: ``chopsticks-depth2-slope``, ``spaceshapes``."""
    benchmark, data_set = task.split.benchmark, task.split.slug
    return data_set if data_set == benchmark else f"{benchmark}-{data_set}"


def _initial_dim(task: TrainingTask) -> int:
    try:
        return AUTOENCODER_DIMENSIONS[_named(task)]
    except KeyError:
        raise LearnerError(
            f"cofhae: how many numbers the code should have in which MIMOSA looks for the hierarchy of {_named(task)} was never "
            "published. Set initial_dim: one more than an item can have continuous variables is a start."
        ) from None


def _rows(task: TrainingTask, wanted: int, seed: int) -> NDArray[np.int64]:
    """Choose the items to read, in ascending order: where MIMOSA starts depends on it."""
    if wanted >= len(task):
        return np.arange(len(task))
    return np.sort(rng.stream("mimosa", task.split.id, seed).choice(len(task), wanted, replace=False))


def _found(codes: NDArray[np.float64], task: TrainingTask) -> tuple[Hierarchy, list[NDArray[np.int8]]]:
    """Have MIMOSA read codes (M, D); returns the hierarchy and its assignments (M, options)."""
    options = dict(PAPER.get(_named(task), {}))
    if len(codes) < FEW:
        options["num_nearest_neighbors"] = 20
    mimosa = MIMOSA(**options).fit(codes)
    return mimosa.hierarchy_, mimosa.assignments_


def _spread(assignments: NDArray[Any], rows: NDArray[np.int64], items: int) -> Tensor:
    """Assignments (M, options) of some rows (M,) as those of all items, float32 (items, options): -1 for the others."""
    table = np.full((items, assignments.shape[1]), -1, dtype=np.float32)
    table[rows] = assignments
    return torch.from_numpy(table)
