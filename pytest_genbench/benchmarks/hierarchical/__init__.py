"""Hierarchical disentanglement: does a code have the variables of the data, and only where the data have them?

Ross and Doshi-Velez 2021 (ICML), arXiv 2102.05185.
"""

from .benchmark import ChopsticksBenchmark, SpaceshapesBenchmark

__all__ = ["ChopsticksBenchmark", "SpaceshapesBenchmark"]
