"""Whether a model may have been trained on what a test holds out."""

from __future__ import annotations

from collections.abc import Sequence

from ..benchmarks import Benchmark
from ..splits import Split

EXPOSED = "exposed"


def exposure(trained_on: Sequence[str], benchmark: Benchmark, split: Split) -> str:
    """Compare what a model declares with what a split holds out.

    Args:
        trained_on: Split ids, or ``none``; empty where nothing is declared.
        benchmark: The benchmark of the split. Ids of other benchmarks say nothing about it.
        split: The split to be tested.

    Returns:
        ``exposed``, ``not exposed`` or ``undeclared``.

    Raises:
        BenchmarkError: An id of this benchmark names no split.
    """
    if not trained_on:
        return "undeclared"
    ours = [each for each in trained_on if each.partition("/")[0] == benchmark.name]
    return EXPOSED if any(benchmark.is_exposed(each, split) for each in ours) else "not exposed"
