"""Find benchmarks by name: ours, and those that other packages register."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from ..errors import BenchmarkError, nearest
from .protocol import Benchmark

GROUP = "pytest_genbench.benchmarks"
"""Entry-point group for benchmarks of other packages: name = "module:factory", called with the preset (or nothing)."""

_OURS = {"comporth": "pytest_genbench.benchmarks.comporth:CompOrth"}


def names() -> tuple[str, ...]:
    """Names of all benchmarks that can be had here."""
    return tuple(sorted(_OURS.keys() | {entry.name for entry in entry_points(group=GROUP)}))


def get(name: str, preset: str | None = None) -> Benchmark:
    """Make a benchmark.

    Args:
        name: One of :func:`names`.
        preset: Name of a preset; None for the benchmark's default.

    Raises:
        BenchmarkError: Unknown benchmark or preset.
    """
    if name in _OURS:
        module, _, attribute = _OURS[name].partition(":")
        factory = getattr(import_module(module), attribute)
    else:
        found = [entry for entry in entry_points(group=GROUP) if entry.name == name]
        if not found:
            raise BenchmarkError(f"No benchmark {name!r}.{nearest(name, names())}")
        factory = found[0].load()
    make = cast(Callable[..., Benchmark], factory)
    return make() if preset is None else make(preset)
