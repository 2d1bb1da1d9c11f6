"""Benchmarks: named, versioned generators with splits and scores."""

from .protocol import Benchmark, Inputs, Kept, NeedsData, Outputs, Scalable, Scorer, Targets, Task, Tells
from .registry import get, names

__all__ = ["Benchmark", "Inputs", "Kept", "NeedsData", "Outputs", "Scalable", "Scorer", "Targets", "Task", "Tells", "get", "names"]
