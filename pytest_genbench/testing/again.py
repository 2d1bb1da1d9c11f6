"""Whether a benchmark is the same when it is made again, here and in another process: workers only meet by equal names."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..benchmarks import Benchmark

_SCRIPT = """
import json, sys
path, *arguments, items = json.loads(sys.stdin.read())
sys.path[:] = path
from pytest_genbench.testing.again import fingerprint, remake
print(json.dumps(fingerprint(remake(*arguments), items)))
"""

_SECONDS = 60


def alike(benchmark: Benchmark, items: ArrayLike) -> Iterator[str]:
    """Make the benchmark again from its class and preset, where that is possible, and compare.

    Args:
        benchmark: The benchmark.
        items: Items (N,) whose images are compared.
    """
    kind = type(benchmark)
    try:
        twin = kind(benchmark.preset)  # type: ignore[call-arg]
    except Exception:  # a class of other arguments, or one preset of many kinds; registering needs a factory then
        return
    if getattr(twin, "preset", None) != benchmark.preset:
        return
    first = fingerprint(benchmark, items)
    for what, other in (
        ("a second instance", fingerprint(twin, items)),
        ("an instance in another process", _elsewhere(benchmark, items)),
    ):
        for part, value in (other or {}).items():
            if value != first[part]:
                yield (
                    f"{what} of {kind.__name__}({benchmark.preset!r}) has other {part}; they may depend on nothing but the "
                    "preset: not on a clock, on chance, on hash order (sets of text) or on who ran before."
                )


def fingerprint(benchmark: Benchmark, items: ArrayLike) -> dict[str, Any]:
    """Sum up what has to be the same: the ids of all splits, what the first of each family holds out, some images."""
    splits = [list(benchmark.splits(family)) for family in benchmark.families]
    masks = [np.asarray(family[0].is_held_out()) for family in splits if family]
    return {
        "splits": [split.id for family in splits for split in family],
        "held-out items": [_hash(mask) for mask in masks],
        "images": _hash(benchmark.images(np.asarray(items))),
    }


def remake(module: str, name: str, preset: str) -> Benchmark:
    """Make a benchmark from the place of its class."""
    made: Benchmark = getattr(import_module(module), name)(preset)
    return made


def _hash(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def _elsewhere(benchmark: Benchmark, items: ArrayLike) -> dict[str, Any] | None:
    """Take the fingerprint in a new process with another hash order; None where the class cannot be imported there."""
    kind = type(benchmark)
    if kind.__module__ == "__main__" or "." in kind.__qualname__:
        return None
    given = [sys.path, kind.__module__, kind.__qualname__, benchmark.preset, np.asarray(items).tolist()]
    environment = {**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            input=json.dumps(given),
            env=environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, OSError, ValueError, IndexError):
        return None
    return found
