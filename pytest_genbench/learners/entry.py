"""One trained model in the cache: where it lies, whether it is whole, what went wrong when it was made."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..benchmarks import Benchmark
from ..cache import explained, replacing
from ..errors import CacheError, LearnerError
from ..models.files import sha256
from ..splits import Split
from .find import Found

FORMAT = 1
"""Number of the layout of an entry; what another version wrote is set aside, not read."""


@dataclass(frozen=True)
class Stored:
    """What an entry says about its model.

    Attributes:
        folder: Holds the model's files.
        seconds: What the training took.
        deterministic: Whether a second training began alike; None where that was not tried.
    """

    folder: Path
    seconds: float
    deterministic: bool | None


class Entry:
    """The folder of one (learner, settings, split, seed, budget) under one version of the benchmark.

    Args:
        cache: The cache folder.
        found: The learner.
        benchmark: Its name, version and preset count.
        split: What the model is trained on.
        seed: Of the training.
        budget: Of the training.
    """

    def __init__(self, cache: Path, found: Found, benchmark: Benchmark, split: Split, seed: int, budget: str) -> None:
        self.recipe = {
            "learner": found.spec,
            "settings": dict(found.settings),
            "learner_version": found.version,
            "sources": dict(found.sources),
            "benchmark": benchmark.name,
            "benchmark_version": benchmark.version,
            "split": split.id,
            "seed": seed,
            "budget": budget,
        }
        parts = [found.digest, benchmark.name, benchmark.version, split.id, seed, budget]
        key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
        self.folder = cache / "v1" / "models" / found.name / f"{split.slug}-seed{seed}-{budget}-{key}"
        self.model = self.folder / "model"
        self.checkpoints = self.folder / "checkpoint"
        self.lock = self.folder.with_name(self.folder.name + ".lock")
        self._about = self.folder / "entry.json"
        self._failure = self.folder / "failure.json"

    def read(self) -> Stored | None:
        """Return the model, if it is there and whole.

        Raises:
            CacheError: There is one, which cannot be used: written by another version, or damaged.
        """
        if not self._about.exists():
            return None
        try:
            about = json.loads(self._about.read_text("utf-8"))
            if about["format"] != FORMAT:
                raise CacheError(f"written by pytest-genbench {about.get('made_by', '?')} in another format")
            if about["files"] != _hashes(self.model):
                raise CacheError("its files have changed since they were written")
            return Stored(self.model, about["seconds"], about["deterministic"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CacheError(f"damaged: {type(error).__name__}: {error}") from error

    def set_aside(self) -> Path:
        """Move what cannot be used out of the way, without deleting it; returns where it lies now."""
        number = 1
        while (aside := self.folder.with_name(f"{self.folder.name}.set-aside-{number}")).exists():
            number += 1
        self.folder.rename(aside)
        return aside

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """Yield an empty folder for the model's files; they count when the block ends and :meth:`finish` was called."""
        partial = self.folder / "model.partial"
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(self.model, ignore_errors=True)
        partial.mkdir(parents=True)
        try:
            yield partial
            partial.rename(self.model)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def finish(self, seconds: float, deterministic: bool | None) -> Stored:
        """Write down that the model is there, and drop the checkpoints."""
        about = {
            "format": FORMAT,
            "made_by": __version__,
            "recipe": self.recipe,
            "files": _hashes(self.model),
            "seconds": round(seconds, 3),
            "deterministic": deterministic,
        }
        with explained("keeping a trained model", self.folder), replacing(self._about) as partial:
            partial.write_text(json.dumps(about, indent=1, sort_keys=True), "utf-8")
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        self._failure.unlink(missing_ok=True)
        return Stored(self.model, seconds, deterministic)

    def remember(self, run: str, message: str, trace: str) -> None:
        """Write down that a training failed, for the other tests of its split in the same run."""
        failure = {"run": run, "message": message, "traceback": trace}
        with explained("remembering a failed training", self.folder), replacing(self._failure) as partial:
            partial.write_text(json.dumps(failure, indent=1), "utf-8")

    def raise_if_failed(self, run: str) -> None:
        """Raise what this run has already seen; a new run tries again, and so does who names no run.

        Raises:
            LearnerError: The training failed earlier in this run.
        """
        try:
            failure: Mapping[str, Any] = json.loads(self._failure.read_text("utf-8"))
        except (OSError, ValueError):
            return
        if run and failure.get("run") == run:
            raise LearnerError(f"{failure['message']} (It failed earlier in this run and was not tried again.)")


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files}
