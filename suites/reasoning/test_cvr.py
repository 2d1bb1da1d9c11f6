"""CVR, the nine elementary rules: find the odd one of four images (Zerroug et al. 2022, sections 3 and 5).

Three images obey a rule, one breaks it. A model is trained on so many problems of a rule, and tested on 1,000 others; then on
problems whose objects, sizes, colours, numbers or directions follow a law that training never showed, all together (the paper's
generalisation set) and one by one. How few problems are enough, tells sample efficiency: the same with 20 to 1,000 problems.
"""

import pytest


@pytest.mark.genbench(benchmark="cvr", family="reasoning")
def test_find_the_odd_one(split, genbench):
    genbench.passes()


@pytest.mark.genbench(benchmark="cvr", family="reasoning", needs="generalisation")
def test_everything_unseen_at_once(split, genbench):
    genbench.passes()


@pytest.mark.genbench(benchmark="cvr", family="reasoning", needs="axes")
def test_one_thing_unseen_at_a_time(split, genbench):
    genbench.passes()


@pytest.mark.genbench(benchmark="cvr", family="reasoning", needs="order")
def test_order_of_the_images_does_not_matter(split, genbench):
    genbench.passes()


@pytest.mark.genbench(benchmark="cvr", family="efficiency")
def test_few_problems_are_enough(split, genbench):
    genbench.passes()
