"""Benchmarks: named, versioned generators with splits and scores."""

from .protocol import Benchmark, Inputs, Kept, NeedsData, Outputs, Scorer, Targets, Task
from .registry import get, names

__all__ = ["Benchmark", "Inputs", "Kept", "NeedsData", "Outputs", "Scorer", "Targets", "Task", "get", "names"]
