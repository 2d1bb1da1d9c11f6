"""CVR, the 94 composed rules: relations that come together, or are repeated (Zerroug et al. 2022, section 5).

As for the elementary rules: 1,000 problems of a rule to train on, 1,000 others to be tested on, and as many whose objects, sizes,
colours, numbers and directions follow a law that training never showed.
"""

import pytest


@pytest.mark.genbench(benchmark="cvr", family="compositional")
def test_find_the_odd_one(split, genbench):
    genbench.passes()


@pytest.mark.genbench(benchmark="cvr", family="compositional", needs="generalisation")
def test_everything_unseen_at_once(split, genbench):
    genbench.passes()
