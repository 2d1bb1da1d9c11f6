"""The benchmark and the learner keep to what pytest-genbench relies on."""

from clocks import Clocks
from readers import Memoriser, reads_the_hand

from pytest_genbench.testing import check_benchmark, check_learner


def test_the_benchmark_conforms():
    """Also tried with a model that can take part."""
    check_benchmark(Clocks(), model=reads_the_hand())


def test_the_learner_conforms():
    """Train it three times with the smallest budget."""
    check_learner(Memoriser(), Clocks())
