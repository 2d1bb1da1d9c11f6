"""The in-domain benchmark: dSprites, 3D Shapes, MPI3D and CelebGlow (Schott et al. 2022, arXiv 2107.08221)."""

from ..grids import Design
from .benchmark import InDomain
from .data_sets import CELEBGLOW_SET, DSPRITES_SET, MPI3D_SET, SHAPES3D_SET, Factory
from .sources import Drawn

__all__ = ["CELEBGLOW_SET", "DSPRITES_SET", "MPI3D_SET", "SHAPES3D_SET", "Design", "Drawn", "Factory", "InDomain"]
