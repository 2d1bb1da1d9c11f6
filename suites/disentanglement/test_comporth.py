"""CompOrth, disentanglement: do single units of a code stand for single letters (Bianchi et al. 2024, sections 4.4 and A.5)?

The models are those of the compositional splits, the images all there are. MIR asks whether a unit tells of one letter only, MIG
whether a letter has a unit of its own. Where the model decodes, its units are set to other values one at a time, and a judge reads
whether that changes nothing, one letter, the length, or several things. In the paper MIR says little about who generalises:
`genbench compare` computes that correlation for the models it is given.
"""

import pytest


@pytest.mark.genbench(benchmark="comporth", family="compositional", needs="disentanglement")
def test_units_stand_for_letters(split, genbench):
    genbench.passes()
