"""For tests of benchmarks and learners of one's own: do they keep to what everything here relies on?

Each function is called in a test of an ordinary pytest file, needs no option, and raises one AssertionError that lists all that
is wrong.
"""

from .benchmark import check_benchmark
from .learner import check_learner

__all__ = ["check_benchmark", "check_learner"]
