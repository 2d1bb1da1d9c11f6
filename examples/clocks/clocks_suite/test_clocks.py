"""Hours in new colours and beside new minutes. People who read clocks do not notice the difference."""

import pytest
from clocks import Clocks

CLOCKS = Clocks()


@pytest.mark.genbench(benchmark=CLOCKS, family="compositional")
def test_hour_in_a_colour_in_which_it_was_never_seen(split, genbench):
    """Hours 6 to 11 of one colour are new."""
    genbench.passes()


@pytest.mark.genbench(benchmark=CLOCKS, family="interpolation")
def test_hour_beside_a_minute_that_was_never_seen(split, genbench):
    """One place of the minute hand is new."""
    genbench.passes()
