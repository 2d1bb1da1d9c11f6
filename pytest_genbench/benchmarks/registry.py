"""Find benchmarks by name: ours, those that other packages register, and descriptions of people's own data."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import cast

from ..errors import BenchmarkError, nearest
from ..splits import Split
from .protocol import Benchmark

GROUP = "pytest_genbench.benchmarks"
"""Entry-point group for benchmarks of other packages: name = "module:factory", called with the preset (or nothing)."""

DESCRIPTION = ".toml"
"""How the name of a benchmark ends that is a description of somebody's own table."""

_OURS = {
    "celebglow": "pytest_genbench.benchmarks.indomain:CELEBGLOW_SET",
    "chopsticks": "pytest_genbench.benchmarks.hierarchical:ChopsticksBenchmark",
    "comporth": "pytest_genbench.benchmarks.comporth:CompOrth",
    "cvr": "pytest_genbench.benchmarks.cvr:Cvr",
    "dsprites": "pytest_genbench.benchmarks.indomain:DSPRITES_SET",
    "mpi3d": "pytest_genbench.benchmarks.indomain:MPI3D_SET",
    "shapes3d": "pytest_genbench.benchmarks.indomain:SHAPES3D_SET",
    "spaceshapes": "pytest_genbench.benchmarks.hierarchical:SpaceshapesBenchmark",
}


def names() -> tuple[str, ...]:
    """Names of all benchmarks that can be had here."""
    return tuple(sorted(_OURS.keys() | {entry.name for entry in entry_points(group=GROUP)}))


def get(name: str, preset: str | None = None, data: Path | None = None) -> Benchmark:
    """Make a benchmark.

    Args:
        name: One of :func:`names`; or the path of a description of a table, which ends with ``.toml``.
        preset: Name of a preset; None for the benchmark's default.
        data: Folder of data files, for benchmarks that can read some: those whose factory has an attribute ``takes_data``.

    Raises:
        BenchmarkError: Unknown benchmark or preset, or data that cannot be used as they are.
    """
    if name.endswith(DESCRIPTION):
        return _described(name, preset)
    if name in _OURS:
        module, _, attribute = _OURS[name].partition(":")
        factory = getattr(import_module(module), attribute)
    else:
        found = [entry for entry in entry_points(group=GROUP) if entry.name == name]
        if not found:
            if name.endswith(".csv"):
                raise BenchmarkError(f"{name!r} is a table; write a description of it, and give that: a file in TOML.")
            raise BenchmarkError(f"No benchmark {name!r}.{nearest(name, names())}")
        factory = found[0].load()
    make = cast(Callable[..., Benchmark], factory)
    if data is not None and getattr(factory, "takes_data", False):
        return make(preset, data)
    return make() if preset is None else make(preset)


def _described(path: str, preset: str | None) -> Benchmark:
    from .table import TableBenchmark

    found = TableBenchmark.from_toml(path)
    if preset not in (None, found.preset):
        raise BenchmarkError(
            f"{path} has no preset {preset!r}, only {found.preset!r}; to choose that of another benchmark, write "
            f"BENCHMARK={preset}."
        )
    return found


def find_split(benchmark: Benchmark, name: str) -> Split:
    """Find a split of any family.

    Args:
        benchmark: Whose splits to search.
        name: A slug (``compositional-B5``) or an id (``comporth/published/compositional-B5``).

    Raises:
        BenchmarkError: The benchmark has no such split at its preset; where it left the split out, the message says why.
    """
    splits = [split for family in benchmark.families for split in benchmark.splits(family)]
    for split in splits:
        if name in (split.slug, split.id):
            return split
    # Only benchmarks of people's own data leave splits out.
    if reason := getattr(benchmark, "left_out", {}).get(name.rpartition("/")[2]):
        raise BenchmarkError(f"{benchmark.name} has no split {name}: {reason}.")
    known = [split.id if "/" in name else split.slug for split in splits]
    raise BenchmarkError(f"{benchmark.name} ({benchmark.preset}) has no split {name!r}.{nearest(name, known)}")
