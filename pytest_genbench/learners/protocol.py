"""What a learner is, and the task it is given: models that are trained for a split instead of being brought trained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..benchmarks import Benchmark, Inputs
from ..errors import BenchmarkError
from ..factors import FactorGrid
from ..rng import stream
from ..splits import Split

Budget = Literal["smoke", "quick", "standard", "paper"]
"""How much work to put into a training: ``smoke`` (seconds, to see that it runs), ``quick`` (about a minute or two of CPU time
per split), ``standard``, ``paper`` (the published schedule)."""

BUDGETS: tuple[str, ...] = get_args(Budget)


class Progress(Protocol):
    """What a learner calls after each step, so that long work can be seen and repeated work compared."""

    def __call__(self, step: int, steps: int, loss: float | None = None) -> None:
        """Say that `step` of `steps`, counted from 1, are done, and the loss of the last one."""


@dataclass(frozen=True)
class TrainingTask:
    """A split's training set, made when it is asked for. What is held out cannot be reached from here.

    Attributes:
        benchmark: Renders the images.
        split: What is held out, and from what.
        part: ``train``, or ``validation`` for the items that are set apart to choose by.
    """

    benchmark: Benchmark
    split: Split
    part: Literal["train", "validation"] = field(default="train", kw_only=True)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> NDArray[np.int64]:
        return self.split.train if self.part == "train" else self.split.validation

    @property
    def validation(self) -> TrainingTask | None:
        """The items that are set apart to choose by, such as the best of several states; None where there are none."""
        return replace(self, part="validation") if len(self.split.validation) else None

    @property
    def grid(self) -> FactorGrid:
        """The benchmark's factors, those of held-out items included."""
        return self.benchmark.grid

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Height, width, channels of an image; of a set of images how many they are before that; of a signal its length alone."""
        return self.benchmark.image_shape

    def images(self, rows: ArrayLike | None = None) -> Inputs:
        """Render training images, or signals.

        Args:
            rows: Numbers of training items (N,), from 0 to ``len(task) - 1``; None for all of them, in order.

        Returns:
            Images uint8 (N, H, W, C); sets of K images uint8 (N, K, H, W, C); signals float32 (N, length).

        Raises:
            BenchmarkError: A row lies outside the training set.
        """
        return self.benchmark.images(self._items(rows))

    def levels(self, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Levels of the factors, int64 (N, number of factors), in the order of ``grid.factors``; rows as in `images`."""
        return self.benchmark.levels(self._items(rows))

    def targets(self, rows: ArrayLike | None = None) -> Mapping[str, NDArray[Any]]:
        """Right answers by output: int64 (N,) for ``factor.<name>``, float32 (N, K) for ``factors``; rows as in `images`."""
        return self.benchmark.targets(self._items(rows))

    def batches(self, size: int, *, seed: int) -> Iterator[NDArray[np.int64]]:
        """Rows of one batch after another, for ever: each row once in random order, then all again in another order.

        Args:
            size: Rows in a batch, at least 1; the last batch of a pass may be smaller.
            seed: The same seed gives the same batches.
        """
        draw = stream("batches", self.split.id, seed)
        while True:
            order = draw.permutation(len(self))
            yield from (order[start : start + size] for start in range(0, len(order), size))

    def _items(self, rows: ArrayLike | None) -> NDArray[np.int64]:
        train = self._all
        if rows is None:
            return train
        chosen = np.asarray(rows, dtype=np.int64)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < len(train):
            raise BenchmarkError(
                f"Rows of {self.split.id} go from 0 to {len(train) - 1}; got {chosen.min()} to {chosen.max()}."
            )
        return train[chosen]


@runtime_checkable
class Learner(Protocol):
    """Something that can be trained on a split.

    Attributes:
        outputs: Names of the outputs its models offer: ``reconstruction``, ``embedding``, ``factor.letter_1`` …

    A learner may have more: ``benchmark`` (the one it is for; elsewhere it is skipped), ``settings`` (a mapping or dataclass
    of what it was configured with) and ``version``, both of which tell trained models apart; and ``save`` with ``load``,
    see :mod:`pytest_genbench.learners.keep`.
    """

    outputs: tuple[str, ...]

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> Any:
        """Train a model on a task.

        Args:
            task: The training set.
            seed: Of everything random; the same seed must give the same model.
            budget: How much work to put in.
            device: ``cpu``, ``cuda``, ``cuda:1``.
            checkpoint_dir: An empty folder, or what an interrupted training of the same model left there, to go on from.
            progress: To be called after each step.

        Returns:
            What a factory may return: a torch module, a function of NumPy arrays, an object with ``contract`` and ``predict``.
        """
