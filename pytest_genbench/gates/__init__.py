"""Gates: what a score must clear, where that is written, and what follows for a test."""

from .aggregate import judge_aggregates, judge_document
from .decide import UNBOUNDED, UNGATED, Decision, decide
from .load import Known, load, shipped_path, validate
from .model import AggregateGate, Gate, Gates

__all__ = [
    "UNBOUNDED",
    "UNGATED",
    "AggregateGate",
    "Decision",
    "Gate",
    "Gates",
    "Known",
    "decide",
    "judge_aggregates",
    "judge_document",
    "load",
    "shipped_path",
    "validate",
]
