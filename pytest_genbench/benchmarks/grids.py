"""The grids of factors of the in-domain benchmark (Schott et al. 2022, arXiv 2107.08221, section 4.1 and table 1).

Names, order and numbers of levels are those of the published data sets, whose files hold images in the order of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..factors import Factor, FactorGrid


@dataclass(frozen=True)
class Design:
    """A data set's factors, and how they are split.

    Attributes:
        name: Of the data set.
        factors: In grid order.
        channels: Of its images of 64 x 64 pixels.
        share: Share of a factor's levels held out for interpolation and extrapolation.
        kept: Factors that are never held out.
        aside: Factors that are no target of the headline: random numbers of persons can only be learnt by heart.
        composition: Share of a factor's levels that composition trains on; None for that of the rule.
    """

    name: str
    factors: tuple[Factor, ...]
    channels: int
    share: float
    kept: tuple[str, ...]
    aside: tuple[str, ...] = ()
    composition: float | None = None

    @property
    def grid(self) -> FactorGrid:
        """The grid that the factors span."""
        return FactorGrid(self.factors)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width, channels."""
        return (64, 64, self.channels)


def _even(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, count).tolist())


_HUES = tuple(round(0.1 * k, 1) for k in range(10))

# Both ends of the turn are among the published orientations: the first and the last picture are the same.
_TURNS = _even(0, 2 * math.pi, 40)

DSPRITES = Design(
    "dsprites",
    (
        Factor("shape", ("square", "ellipse", "heart")),
        Factor("scale", _even(0.5, 1, 6), "ordinal"),
        Factor("orientation", _TURNS, "cyclic"),
        Factor("x-position", _even(0, 1, 32), "ordinal"),
        Factor("y-position", _even(0, 1, 32), "ordinal"),
    ),
    channels=1,
    share=0.2,
    kept=("shape",),
)
"""Matthey et al. 2017, github.com/deepmind/dsprites-dataset: white shapes on black. 737,280 images."""

SHAPES3D = Design(
    "shapes3d",
    (
        Factor("floor color", _HUES, "cyclic"),
        Factor("wall color", _HUES, "cyclic"),
        Factor("object color", _HUES, "cyclic"),
        Factor("object size", _even(0.75, 1.25, 8), "ordinal"),
        Factor("object type", ("cube", "cylinder", "sphere", "capsule")),
        Factor("azimuth", _even(-30, 30, 15), "ordinal"),
    ),
    channels=3,
    share=0.15,
    kept=("object type",),
)
"""Burgess and Kim 2018, github.com/deepmind/3d-shapes: an object in a room. Hues in [0, 1), degrees. 480,000 images."""

# Colours have no order either, but the paper regresses their numbers and holds out the last one; only shapes are never held out
# for being categorical.
MPI3D = Design(
    "mpi3d",
    (
        Factor("color", ("white", "green", "red", "blue", "brown", "olive"), "ordinal"),
        Factor("shape", ("cone", "cube", "cylinder", "hexagonal", "pyramid", "sphere")),
        Factor("size", ("small", "large"), "ordinal"),
        Factor("height", ("top", "center", "bottom"), "ordinal"),
        Factor("bg color", ("purple", "sea green", "salmon"), "ordinal"),
        Factor("x-axis", tuple(range(40)), "ordinal"),
        Factor("y-axis", tuple(range(40)), "ordinal"),
    ),
    channels=3,
    share=0.1,
    kept=("shape", "size"),
)
"""Gondal et al. 2019, arXiv 1906.03292: an arm with two joints holds an object before a camera. 1,036,800 images."""

CELEBGLOW = Design(
    "celebglow",
    (
        Factor("person", tuple(range(1000))),
        Factor("smile", tuple(range(6)), "ordinal"),
        Factor("blond", tuple(range(6)), "ordinal"),
        Factor("age", tuple(range(6)), "ordinal"),
    ),
    channels=3,
    share=0.3,
    kept=("person",),
    aside=("person",),
    composition=0.2,
)
"""Schott et al. 2022, appendix: faces by a flow model, moved along three directions. 216,000 images."""


def selection(design: Design, levels: Mapping[str, Sequence[int]]) -> Design:
    """Return the design of a sub-grid: of the named factors only some levels, of the others all.

    Args:
        design: The whole grid.
        levels: Level numbers by factor name, ascending.
    """
    chosen = tuple(
        replace(each, values=tuple(each.values[level] for level in levels[each.name])) if each.name in levels else each
        for each in design.factors
    )
    return replace(design, factors=chosen)
