"""dSprites, 3D Shapes, MPI3D, CelebGlow: how disentangled a code is (Schott et al. 2022, section 5.4).

The embedding of the models that are tested elsewhere, on 2,000 images. The paper found that disentanglement and what a readout
makes of unseen images go together (correlation .63), and that disentangled models are still no better than supervised ones; set
several models side by side with ``genbench compare --models``.
"""

import pytest

DATA_SETS = ("dsprites", "shapes3d", "mpi3d", "celebglow")
FAMILIES = ("in_distribution", "compositional", "interpolation", "extrapolation")


@pytest.mark.genbench(benchmark=DATA_SETS, family=FAMILIES, needs="disentanglement")
def test_units_stand_for_single_factors(split, genbench):
    genbench.passes()
