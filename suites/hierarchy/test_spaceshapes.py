"""Spaceshapes: images of moons, stars and ships, some ships with a jet (Ross & Doshi-Velez 2021, ICML, section 5).

All have a place, moons a phase, stars a sharpness, ships an angle, and ships with a jet its length. A model is trained on nine
tenths of the images without labels; its code for the rest should have these variables, each where it exists. The best published
runs reach R_c .89 (COFHAE) and .69 (β-TCVAE).
"""

import pytest


@pytest.mark.genbench(benchmark="spaceshapes", family="hierarchy")
def test_code_has_the_variables_of_the_data(split, genbench):
    genbench.passes()
