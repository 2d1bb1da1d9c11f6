"""Two nested pairs, the second of which is a turned copy of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..alike import profile
from ..contours import Shape
from ..draw import Draw
from ..place import GAP, PIXEL, Array
from ..scene import turned
from .nesting import Row, layouts, lies_inside, rows, supply

Turn = tuple[float, bool]
"""Angle and flip."""


SEEN = PIXEL
"""Least difference, root mean square, of lines that are to be told apart."""


@dataclass(frozen=True)
class Second:
    """How the second of two nested pairs comes from the first.

    Attributes:
        outer: How its outer thing is turned.
        inner: How its inner thing is turned.
        place: How the place of the inner thing is turned.
    """

    outer: Turn
    inner: Turn
    place: Turn

    def fits(self, outer: Shape, inner: Shape, place: Array, ratio: float, size: float) -> bool:
        """Whether the inner thing lies in the outer one."""
        line = ratio * turned(inner.points, *self.inner) + turned(place, *self.place)
        return lies_inside(turned(outer.points, *self.outer), line, size)


def doubled(
    d: Draw,
    seconds: Sequence[Second],
    sizes: Sequence[Sequence[float]],
    ratios: Sequence[Sequence[float]],
    *,
    chiral: bool,
) -> list[list[Row]]:
    """Draw in each image a thing in another, and a turned copy of both; placed in order along an axis, and anywhere on the other.

    Args:
        d: What to draw with.
        seconds: How the copy of each image is turned.
        sizes: Of the two outer things of each image.
        ratios: Of the inner things to these.
        chiral: Whether flips are to be seen.
    """
    hollow = supply(d, d.law.shape.hollow, 8, chiral=chiral)
    small = supply(d, d.law.shape.style, 5, chiral=chiral)
    images = []
    for second, size, ratio in zip(seconds, sizes, ratios, strict=True):

        def attempt() -> tuple[Shape, Shape, Array]:
            outer, inner = next(hollow), next(small)
            return outer, inner, layouts(d, outer, [max(ratio)], min(size))[0]  # noqa: B023

        def good(made: tuple[Shape, Shape, Array]) -> bool:
            outer, inner, place = made
            if d.published or second.outer == second.inner:  # noqa: B023
                return True
            turns = second.outer, second.inner  # noqa: B023
            seen = _is_seen(outer, size[1], *turns) and _is_seen(inner, size[1] * ratio[1], *turns)  # noqa: B023
            return seen and second.fits(outer, inner, place, ratio[1], size[1])  # noqa: B023

        outer, inner, place = d.until(attempt, good)
        boxes = [size[0], size[1] * _room(d, chiral)]
        centres = d.on_axis([size[0] * 2**0.5, size[1] * 2**0.5] if d.published else boxes, d.choice("xy"))
        moved = [place[0], turned(place, *second.place)[0]]
        insides = [centre + s * offset for centre, s, offset in zip(centres, size, moved, strict=True)]
        parts = [s * r for s, r in zip(size, ratio, strict=True)]
        images.append(
            [
                *rows([outer, inner], [size[0], parts[0]], [centres[0], insides[0]]),
                (outer, size[1], centres[1], *second.outer),
                (inner, parts[1], insides[1], *second.inner),
            ]
        )
    return images


def _room(d: Draw, chiral: bool) -> float:
    """Side of the box that a turned thing takes at most: by 30 degrees in the flip rule, by any angle in the other."""
    return 1.37 if chiral and not d.published else 2**0.5


def _is_seen(shape: Shape, size: float, one: Turn, other: Turn) -> bool:
    """Whether a shape looks different in the image if it is turned in one way or the other."""
    a, b = (profile(turned(shape.points, *turn)) for turn in (one, other))
    return float(np.sqrt(((a - b) ** 2).mean())) * size >= SEEN


def two_sizes(d: Draw, chiral: bool) -> list[float]:
    """Draw two sizes that have room side by side; the published rules let some leave the frame."""

    def two() -> list[float]:
        first = d.uniform(*d.law.size.span())
        return [first, first if chiral else d.uniform(*d.law.size.span())]

    return d.until(two, lambda pair: d.published or pair[0] + pair[1] * _room(d, chiral) <= 1 - 2 * GAP)
