"""dSprites, 3D Shapes, MPI3D, CelebGlow, interpolation: values between those seen in training (Schott et al. 2022, section 4.1).

Of every factor but the kept ones, inner values are left out, and training shows no image that has any of them: about a third is
left. The rest is tested. A model that never leaves what it has seen would answer with the value next to the true one; a pass asks
for more.
"""

import pytest

DATA_SETS = ("dsprites", "shapes3d", "mpi3d", "celebglow")


@pytest.mark.genbench(benchmark=DATA_SETS, family="interpolation")
def test_values_between_those_seen(split, genbench):
    genbench.passes()
