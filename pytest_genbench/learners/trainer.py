"""Train a learner on a split, once, whoever asks and however often."""

from __future__ import annotations

import contextlib
import errno
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..benchmarks import Benchmark
from ..cache import explained, is_full, locked, refused
from ..errors import CacheError, GenbenchError, LearnerError
from ..models.results import raised
from ..splits import Split
from . import keep
from .entry import Entry, Stored
from .find import Found
from .protocol import Budget, Progress, TrainingTask

COMPARED = 20
"""Losses that two trainings with the same seed are compared by: the first already differs where something is not seeded."""

TOLERANCE = 1e-3
"""Relative difference of a loss that is not chance: kernels on a GPU may add in any order."""


@dataclass(frozen=True)
class Trained:
    """A trained model in the cache.

    Attributes:
        folder: Holds its files.
        origin: ``trained`` just now, or found in the ``cache``.
        seconds: Wall time of its training.
        waited: Seconds waited for another process that trained it.
        deterministic: Whether a second training with the same seed began alike; None where that was not tried.
        notes: What the user should know.
    """

    folder: Path
    origin: str
    seconds: float
    waited: float = 0.0
    deterministic: bool | None = None
    notes: tuple[str, ...] = ()


class Trainer:
    """Trains one learner on any splits, and keeps what it made.

    Args:
        found: The learner.
        budget: How much work to put in.
        device: ``cpu``, ``cuda``, ``cuda:1``.
        cache: The cache folder.
        threads: CPU threads a training may use.
        run: Names this run; a training that failed is not tried again in the same run.
        show: Makes something that shows the progress of a training, given its name.
    """

    def __init__(
        self,
        found: Found,
        *,
        budget: Budget,
        device: str,
        cache: Path,
        threads: int = 1,
        run: str = "",
        show: Callable[[str], Progress] | None = None,
    ) -> None:
        self.found = found
        self._budget, self._device, self._cache, self._run, self._show = budget, device, cache, run, show
        self._threads = threads
        self._deterministic: bool | None = None

    def get(self, benchmark: Benchmark, split: Split, seed: int) -> Trained:
        """Return the model for a split and seed: from the cache, or trained now.

        One process trains a model; others that want it wait, and find it in the cache.

        Raises:
            LearnerError: The learner fails, or its model cannot be kept.
            CacheError: The cache folder cannot be used.
        """
        entry = Entry(self._cache, self.found, benchmark, split, seed, self._budget)
        notes: list[str] = []
        stored, waited, origin = self._usable(entry, notes), 0.0, "cache"
        if stored is None:
            with explained("making room for a trained model", self._cache):
                entry.folder.mkdir(parents=True, exist_ok=True)
            with locked(entry.lock) as waited:
                entry.raise_if_failed(self._run)
                stored = self._usable(entry, notes)
                if stored is None:
                    stored, origin = self._train(entry, TrainingTask(benchmark, split), seed), "trained"
        return Trained(stored.folder, origin, stored.seconds, waited, stored.deterministic, tuple(notes))

    def lookup(self, benchmark: Benchmark, split: Split, seed: int) -> Path | None:
        """Return the folder of a model that is there and whole; else None."""
        try:
            stored = Entry(self._cache, self.found, benchmark, split, seed, self._budget).read()
        except CacheError:
            return None
        return None if stored is None else stored.folder

    def _usable(self, entry: Entry, notes: list[str]) -> Stored | None:
        try:
            return entry.read()
        except CacheError as error:
            with explained("setting an unusable model aside", self._cache):
                aside = entry.set_aside()
                entry.folder.mkdir(parents=True, exist_ok=True)
            notes.append(
                f"the trained model {entry.folder.name} was not used ({error}); in the cache it is now {aside.name}"
            )
            return None

    def _train(self, entry: Entry, task: TrainingTask, seed: int) -> Stored:
        """Train, keep, and see whether a second training would begin alike."""
        what = f"{self.found.spec} on {task.split.id} (seed {seed})"
        recorder = Recorder(self._show(f"{self.found.name} {task.split.slug}, seed {seed}") if self._show else None)
        start = perf_counter()
        try:
            with explained("training", self._cache):
                entry.checkpoints.mkdir(parents=True, exist_ok=True)
            model = self._fit(task, seed, entry.checkpoints, recorder, what)
            seconds = perf_counter() - start
            with explained("keeping a trained model", self._cache), entry.writing() as folder:
                keep.save(self.found, model, folder, task)
        except LearnerError as error:
            entry.remember(self._run, str(error), "".join(traceback.format_exception(error.__cause__ or error)))
            raise
        finally:
            recorder.close()
        # Kept before it is compared: an interruption then costs the comparison, not the training.
        stored = entry.finish(seconds, self._deterministic)
        if self._deterministic is None:
            self._deterministic = self._is_deterministic(recorder, task, seed)
            if self._deterministic is not None:
                stored = entry.finish(seconds, self._deterministic)
        return stored

    def _fit(self, task: TrainingTask, seed: int, checkpoints: Path, progress: Progress, what: str) -> Any:
        try:
            # Of NumPy, scikit-learn and torch alike: workers that start a thread per core each wait for one another.
            with threadpool_limits(self._threads):
                model = self.found.learner.fit(
                    task,
                    seed=seed,
                    budget=self._budget,
                    device=self._device,
                    checkpoint_dir=checkpoints,
                    progress=progress,
                )
        except GenbenchError as error:
            raise LearnerError(f"{what} cannot be trained: {error}") from error
        except Exception as error:
            if is_full(error):
                raise refused(OSError(errno.ENOSPC, ""), "training", self._cache) from error
            raise LearnerError(f"{what} failed in training: {raised(error)}.") from error
        if model is None:
            raise LearnerError(f"{what}: fit returned None; return the trained model.")
        return model

    def _is_deterministic(self, first: Recorder, task: TrainingTask, seed: int) -> bool | None:
        """Begin the training once more, as far as losses are compared; None where that cannot be done.

        Only where the first training called `progress` from its first step on: else there is no way to stop the second.
        """
        if not first.losses or not first.is_from_the_start:
            return None
        second = Recorder(stop_after=min(first.calls, COMPARED))
        try:
            with tempfile.TemporaryDirectory() as folder, contextlib.suppress(Enough, LearnerError):
                self._fit(task, seed, Path(folder), second, "")
        except (CacheError, OSError):  # no room for a second one, which says nothing about the first
            return None
        # As many losses, and alike; also where both are NaN.
        return len(first.losses) == len(second.losses) and bool(
            np.allclose(first.losses, second.losses, rtol=TOLERANCE, atol=0, equal_nan=True)
        )


class Enough(BaseException):
    """Stops a training that has shown enough; no Exception, which learners may catch."""


class Recorder:
    """A :class:`Progress` that remembers the first losses and passes everything on.

    Args:
        then: What to pass on to.
        stop_after: Stop the training with :class:`Enough` after so many steps; None for never.
    """

    def __init__(self, then: Progress | None = None, stop_after: int | None = None) -> None:
        self._then, self._stop_after = then, stop_after
        self.losses: list[float] = []
        self.is_from_the_start = False
        self.calls = 0

    def __call__(self, step: int, steps: int, loss: float | None = None) -> None:
        """Take one step's report."""
        self.calls += 1
        if self.calls == 1:
            self.is_from_the_start = step <= 1
        if loss is not None and self.calls <= COMPARED:
            self.losses.append(float(loss))
        if self._then is not None:
            self._then(step, steps, loss)
        if self._stop_after is not None and self.calls >= self._stop_after:
            raise Enough

    def close(self) -> None:
        """End what is shown."""
        close = getattr(self._then, "close", None)
        if close is not None:
            close()
