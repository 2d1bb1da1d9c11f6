"""Learners: models that are trained for each split, cached, and tested like any other."""

from .api import train
from .protocol import BUDGETS, Budget, Learner, Progress, TrainingTask

__all__ = ["BUDGETS", "Budget", "Learner", "Progress", "TrainingTask", "train"]
