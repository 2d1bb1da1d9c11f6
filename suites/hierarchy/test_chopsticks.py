"""Chopsticks, eight data sets: signals of one to three line segments (Ross & Doshi-Velez 2021, ICML, section 5).

A model is trained on nine tenths of a data set without labels and encodes the rest. Its code should have the true variables (R),
and have them where the data have them (R_c): the slope of the third segment exists only in signals that have one. A code may be
flat, or come with a hierarchy of its own, which is then held against the true one. COFHAE gets close to 1 on six of the eight.
"""

import pytest


@pytest.mark.genbench(benchmark="chopsticks", family="hierarchy")
def test_code_has_the_variables_of_the_data(split, genbench):
    genbench.passes()
