"""dSprites, 3D Shapes, MPI3D, CelebGlow, extrapolation: values beyond those seen in training (Schott et al. 2022, section 4.1).

Of every factor but the kept ones, the upper values are left out, and training shows no image that has any of them: about a third
is left. The rest is tested. All 17 published models fail here: what they predict is pulled towards values that they know. A model
that always answers with the nearest of those is what has to be beaten.
"""

import pytest

DATA_SETS = ("dsprites", "shapes3d", "mpi3d", "celebglow")


@pytest.mark.genbench(benchmark=DATA_SETS, family="extrapolation")
def test_values_beyond_those_seen(split, genbench):
    genbench.passes()
