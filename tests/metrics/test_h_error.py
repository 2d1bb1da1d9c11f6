import pytest
from hypothesis import example, given

from pytest_genbench.errors import MetricError
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.metrics.h_error import h_error

from ..strategies import hierarchies
from .latents import recorded
from .representations import MERGED_UP, PUSHED_DOWN, SPACESHAPES

RECORDED = recorded("h_error")
NAMED = {name: Hierarchy.from_json(source) for name, source in RECORDED["hierarchies"].items()}

DEFINITIONS = ("paths", "ted")


def both(truth, learned):
    return tuple(h_error(truth, learned, definition=definition) for definition in DEFINITIONS)


@pytest.mark.parametrize(("one", "other", "paths", "ted"), RECORDED["pairs"])
def test_recorded_pairs(one, other, paths, ted):
    assert both(NAMED[one], NAMED[other]) == both(NAMED[other], NAMED[one]) == (paths, ted)


def c(number=1):
    return tuple(Continuous() for _ in range(number))


def options(*groups):
    return (Categorical(groups),)


SHIP = (*c(), *options((), c()))


@pytest.mark.parametrize(
    ("learned", "paths", "ted"),
    [
        (MERGED_UP, 0, 0),
        (PUSHED_DOWN, 0, 0),
        (Hierarchy(options(c(3), c(3), (*c(3), *options((), c())))), 0, 0),
        (Hierarchy((*options(SHIP, c(), c()), *c(2))), 0, 0),
        (Hierarchy((*c(2), *options(c(), c(), c()))), 3, 2),
        (Hierarchy((*c(2), *options(c(), SHIP))), 1, 1),
        (Hierarchy((*c(2), *options(c(), c(), c(), SHIP))), 1, 1),
        (Hierarchy.flat(3), 5, 5),
        (Hierarchy.flat(1), 5, 6),
    ],
    ids=["merged up", "pushed down", "mimosa", "reordered", "no jet", "a shape less", "a moon more", "3-D", "1-D"],
)
def test_spaceshapes(learned, paths, ted):
    assert both(SPACESHAPES, learned) == (paths, ted)


def test_two_of_the_deepest_leaves_missing():
    def either(*leaves):
        return (*c(), *options((), (*c(), *options((), c(), c())), (*c(), *options(*leaves))))

    whole = Hierarchy(options(either((), c(), c()), either((), c(), c())))
    assert len(whole.paths) == 14
    assert both(whole, Hierarchy(options(either((), c()), either((), c())))) == (2, 2)


@pytest.mark.parametrize("definition", DEFINITIONS)
@given(hierarchies(), hierarchies())
def test_a_symmetric_error_that_is_0_for_the_same(definition, one, other):
    assert h_error(one, one, definition=definition) == 0
    error = h_error(one, other, definition=definition)
    assert type(error) is int
    assert error == h_error(other, one, definition=definition) >= 0


@pytest.mark.parametrize("definition", DEFINITIONS)
@given(hierarchies(), hierarchies(), hierarchies())
def test_triangle_inequality(definition, one, other, third):
    def error(a, b):
        return h_error(a, b, definition=definition)

    assert error(one, third) <= error(one, other) + error(other, third)


TIED = Hierarchy(options(options((), options((), (), ())), options((), options((), ()), ())))
"""Two options with the same numbers below them, differently arranged."""


@pytest.mark.parametrize("definition", DEFINITIONS)
@given(hierarchies())
@example(TIED)
def test_invariant_to_names_order_and_where_variables_stand(definition, hierarchy):
    def changed(group, above=()):
        """Options the other way round, and the continuous variables of each group pushed into its options."""
        continuous = tuple(Continuous() for node in group if isinstance(node, Continuous))
        categorical = [node for node in group if isinstance(node, Categorical)]
        if len(categorical) != 1:
            return (*above, *continuous, *(turned(node) for node in categorical))
        (node,) = categorical
        return options(*(changed(option, (*above, *continuous)) for option in reversed(node.options)))

    def turned(node):
        return Categorical(tuple(changed(option) for option in reversed(node.options)))

    assert h_error(hierarchy, Hierarchy(changed(hierarchy.root)), definition=definition) == 0


def test_an_unknown_definition():
    with pytest.raises(MetricError, match="definition has to be 'paths' or 'ted'; got 'edits'"):
        h_error(SPACESHAPES, SPACESHAPES, definition="edits")
