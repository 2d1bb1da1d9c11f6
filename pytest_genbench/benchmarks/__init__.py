"""Benchmarks: named, versioned generators with splits and scores."""

from .protocol import (
    Benchmark,
    Inputs,
    Kept,
    NeedsData,
    Outputs,
    Posed,
    Poses,
    Scalable,
    Scorer,
    Targets,
    Task,
    Tells,
    noun,
)
from .registry import get, names

__all__ = [
    "Benchmark",
    "Inputs",
    "Kept",
    "NeedsData",
    "Outputs",
    "Posed",
    "Poses",
    "Scalable",
    "Scorer",
    "Targets",
    "Task",
    "Tells",
    "get",
    "names",
    "noun",
]
