"""dSprites, 3D Shapes, MPI3D, CelebGlow: what one unseen value does to the other factors (Schott et al. 2022, section 5.2).

The models of the interpolation and extrapolation splits are tested on images of which exactly one factor has a value that training
never showed. Published models stay accurate on the other factors, while on the unseen one they collapse towards the mean of what
they know. How accurate a factor can be at all, the same learner's random split tells: run both to see them side by side.
"""

import pytest

DATA_SETS = ("dsprites", "shapes3d", "mpi3d", "celebglow")


@pytest.mark.genbench(benchmark=DATA_SETS, family="in_distribution", needs="regression")
def test_reference_where_every_value_was_seen(split, genbench):
    genbench.passes()


@pytest.mark.genbench(benchmark=DATA_SETS, family=("interpolation", "extrapolation"), needs="modularity")
def test_one_factor_unseen(split, genbench):
    genbench.passes()
