"""One training as one function of plain arguments, for any engine that can call a function."""

from __future__ import annotations

from pathlib import Path

from ..benchmarks import Benchmark, get
from ..benchmarks.registry import find_split
from ..cache import default_folder
from ..errors import LearnerError, OptionError, nearest
from ..models import ModelOptions
from ..splits import Split
from ..threads import per_process
from . import find
from .models import training_device
from .protocol import BUDGETS, Budget
from .trainer import Trainer


def train(
    learner: str,
    benchmark: str,
    split: str,
    *,
    preset: str | None = None,
    data: Path | None = None,
    seed: int = 0,
    budget: Budget = "quick",
    device: str = "auto",
    cache: Path | None = None,
    root: Path | None = None,
) -> Path:
    """Train a learner on a split, unless the cache has the model already; a run with the same cache then finds it there.

    Args:
        learner: ``package.module:callable`` or ``reference:NAME[key=value,…]``.
        benchmark: Name of a benchmark.
        split: Slug or id of the split.
        preset: The benchmark's preset; None for its default.
        data: Folder of data files, for benchmarks that can read some.
        seed: Of the training.
        budget: ``smoke``, ``quick``, ``standard`` or ``paper``.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
        cache: The cache folder; None for the user's.
        root: Where modules are looked up; None for the working directory.

    Returns:
        The folder with the model's files.

    Raises:
        OptionError: An argument names nothing that exists.
        BenchmarkError: No such benchmark, preset or split.
        LearnerError: The learner cannot be trained.
        CacheError: The cache folder cannot be used.
    """
    trainer, target, wanted = _job(learner, benchmark, split, preset, data, budget, device, cache, root)
    return trainer.get(target, wanted, seed).folder


def lookup(
    learner: str,
    benchmark: str,
    split: str,
    *,
    preset: str | None = None,
    data: Path | None = None,
    seed: int = 0,
    budget: Budget = "quick",
    cache: Path | None = None,
    root: Path | None = None,
) -> Path | None:
    """Return the folder that :func:`train` with the same arguments has filled; None where it has not, or not to the end."""
    trainer, target, wanted = _job(learner, benchmark, split, preset, data, budget, "cpu", cache, root)
    return trainer.lookup(target, wanted, seed)


def _job(
    learner: str,
    benchmark: str,
    split: str,
    preset: str | None,
    data: Path | None,
    budget: Budget,
    device: str,
    cache: Path | None,
    root: Path | None,
) -> tuple[Trainer, Benchmark, Split]:
    """Look up what the arguments name."""
    if budget not in BUDGETS:
        raise OptionError(f"No budget {budget!r}.{nearest(budget, BUDGETS)}")
    options = ModelOptions(spec=learner, device=device, threads=per_process(), root=root or Path.cwd())
    found = find.lookup(options)
    if found is None:
        raise LearnerError(
            f"{learner} is no learner: give module:callable that returns an object with fit, or reference:NAME."
        )
    trainer = Trainer(
        found,
        budget=budget,
        device=training_device(options),
        cache=cache or default_folder(),
        threads=options.threads,
    )
    target = get(benchmark, preset, data)
    return trainer, target, find_split(target, split)
