"""dSprites, 3D Shapes, MPI3D, CelebGlow, composition: known values, never seen together (Schott et al. 2022, section 4.1).

Every training image has the lowest values of at least one factor, so that training shows each value of each factor, but only beside
those; tested are all images without any of them. Factors of few values take no part, which the name of a split lists.
"""

import pytest

DATA_SETS = ("dsprites", "shapes3d", "mpi3d", "celebglow")


@pytest.mark.genbench(benchmark=DATA_SETS, family="compositional")
def test_known_values_never_seen_together(split, genbench):
    genbench.passes()
