"""What can be seen in an image: derived from its scene graph alone, not from how it was drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..contact import distance
from ..place import PIXEL, contains
from ..scene import Image, Thing

T = TypeVar("T")

CLOSE = PIXEL
"""Lines nearer than this look as if they touched."""


class Fault(Exception):  # noqa: N818 - no error of anyone's: the problem is drawn again
    """A problem is not sound; the message says why."""


def need(holds: bool, message: str) -> None:
    """Raise Fault unless something holds."""
    if not holds:
        raise Fault(message)


def same(values: Iterable[T], what: str) -> T:
    """Return what the references have in common; raise Fault if they differ."""
    found = list(values)
    need(all(value == found[0] for value in found), f"references differ in {what}: {found}")
    return found[0]


class View:
    """An image as a checker sees it.

    Args:
        image: Its things.
        markers: How many things at its beginning only mark a place; `things` leaves them out.
    """

    def __init__(self, image: Image, markers: int = 0) -> None:
        self.all: Image = image
        self.markers: Image = image[:markers]
        self.things: Image = image[markers:]

    @property
    def count(self) -> int:
        """Number of things."""
        return len(self.things)

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Size of each thing."""
        return np.array([thing.size for thing in self.things])

    @cached_property
    def centres(self) -> NDArray[np.float64]:
        """Centre (n, 2) of each thing."""
        return np.array([(thing.x, thing.y) for thing in self.things]).reshape(-1, 2)

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """Left, top, right and bottom (n, 4) of each thing."""
        return np.array([thing.box for thing in self.things]).reshape(-1, 4)

    @cached_property
    def hues(self) -> NDArray[np.float64]:
        """Hue of each thing."""
        return np.array([thing.colour[0] for thing in self.things])

    @cached_property
    def shapes(self) -> list[int]:
        """Number of each thing's shape."""
        return [thing.shape.number for thing in self.things]

    @cached_property
    def by_shape(self) -> Counter[int]:
        """How many things have each shape."""
        return Counter(self.shapes)

    @cached_property
    def touching(self) -> frozenset[tuple[int, int]]:
        """Pairs (i, j), i < j, of things whose lines touch or cross."""
        low, high = self.boxes[:, :2], self.boxes[:, 2:]
        near = (np.maximum(low[:, None], low) <= np.minimum(high[:, None], high) + CLOSE).all(-1)
        pairs = np.argwhere(np.triu(near, 1)).tolist()
        return frozenset((i, j) for i, j in pairs if touches(self.things[i], self.things[j]))

    @cached_property
    def holders(self) -> dict[int, int]:
        """For each thing inside another the innermost of those around it."""
        low, high = self.boxes[:, :2], self.boxes[:, 2:]
        within = np.asarray((low[:, None] >= low).all(-1) & (high[:, None] <= high).all(-1))
        np.fill_diagonal(within, False)
        area = np.prod(high - low, axis=1)
        found: dict[int, int] = {}
        for inner, outer in np.argwhere(within).tolist():
            apart = (min(outer, inner), max(outer, inner)) not in self.touching
            if apart and holds(self.things[outer], self.things[inner]):
                known = found.get(inner)
                found[inner] = outer if known is None or area[outer] < area[known] else known
        return found

    @cached_property
    def clumps(self) -> list[list[int]]:
        """Things in groups of those that touch each other, directly or through others; each group and all ascending."""
        group = list(range(self.count))
        for i, j in sorted(self.touching):
            old, new = max(group[i], group[j]), min(group[i], group[j])
            group = [new if g == old else g for g in group]
        return [[i for i in range(self.count) if group[i] == g] for g in sorted(set(group))]


def touches(a: Thing, b: Thing) -> bool:
    """Whether two lines touch or cross."""
    return distance(a.contour, b.contour) < CLOSE


def holds(outer: Thing, inner: Thing) -> bool:
    """Whether a line that does not touch another lies wholly inside it."""
    if (inner.box[:2] < outer.box[:2]).any() or (inner.box[2:] > outer.box[2:]).any():
        return False
    return bool(contains(outer.contour, inner.contour[:1])[0])


def hue_distance(a: float, b: float) -> float:
    """Distance of two hues around the circle, 0 to .5."""
    return abs((a - b + 0.5) % 1 - 0.5)


def angle_distance(a: float, b: float, period: float = 360.0) -> float:
    """Distance of two angles in degrees around the circle, or around a part of it."""
    return abs((a - b + period / 2) % period - period / 2)
