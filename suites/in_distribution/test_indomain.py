"""dSprites, 3D Shapes, MPI3D, CelebGlow, in distribution: a third of all images to train on, chosen at random (Schott et al. 2022).

A model gives a number in [0, 1] for each factor of an image, and is tested on the other two thirds. What a test of composition,
interpolation or extrapolation reaches is to be read against this: published models come close to 1 here, but on dSprites, where
some orientations look alike.
"""

import pytest

DATA_SETS = ("dsprites", "shapes3d", "mpi3d", "celebglow")


@pytest.mark.genbench(benchmark=DATA_SETS, family="in_distribution")
def test_factors_of_images_like_those_in_training(split, genbench):
    genbench.passes()
