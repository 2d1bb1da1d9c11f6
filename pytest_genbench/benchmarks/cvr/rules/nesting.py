"""Things in others: shapes in supply, places where the whole of a thing lies inside another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..contours import Shape, Style
from ..draw import Draw
from ..laws import Shapes
from ..place import GAP, PIXEL, Array, CannotPlace, contains, dense
from ..scene import Image

Row = tuple[Shape, float, Array, float, bool]
"""Shape, size, centre, angle and flip of a thing to be drawn."""

STEP = 1.5 * PIXEL
"""Distance of the points at which a line is looked at; between them it comes nearer by at most half of that."""

MARGIN = 2 * PIXEL
"""Least distance of these points to what lies inside."""

CANDIDATES = 32
"""Places that are looked at together."""


LEAST = 6.0
"""Smallest side in pixels of what lies in something; the published rules go down to 2.7."""

HOLDER = 20 * PIXEL
"""Smallest side of what holds something among many, so that six pixels find room in it; the published rules have none."""

FINE = Style(0.01)
"""Style of what lies inside in training."""


@dataclass(frozen=True)
class Among(Shapes):
    """Shapes of things that hold others and of things that do not.

    Attributes:
        plain: Style of things that hold nothing.
    """

    plain: Style = FINE


@dataclass(frozen=True)
class Crowd:
    """Numbers of things that hold another and of those that do not.

    Attributes:
        holders: How many hold another.
        others: How many more there are.
        most: Of both together.
    """

    holders: tuple[int, int]
    others: tuple[int, int]
    most: int


def supply(d: Draw, style: Style, n: int, *, chiral: bool = False) -> Iterator[Shape]:
    """Draw shapes of a style as they are needed: n at first, as many as should do, then a few more at a time."""
    yield from d.shapes(max(n, 1), style, chiral=chiral)
    while True:
        yield from d.shapes(2 + n // 4, style, chiral=chiral)


def part(d: Draw, size: float, least: float, span: tuple[float, float] | None = None) -> float:
    """Draw the size of a thing over that of the one around it, so that it is not too small to be seen.

    Args:
        d: What to draw with.
        size: Of the one around it.
        least: Smallest size in pixels; the published rules have none.
        span: Range; None for that of the law.
    """
    low, high = span or d.law.size.ratio
    if d.published:
        return d.uniform(low, high)
    if (low := max(low, least * PIXEL / size)) > high:
        raise CannotPlace
    return d.uniform(low, high)


def layouts(
    d: Draw, outer: Shape, sides: Sequence[float], size: float, *, many: int = CANDIDATES, margin: float = MARGIN
) -> Array:
    """Find places for boxes inside a shape, disjoint.

    Args:
        d: What to draw with.
        outer: The shape.
        sides: Of the boxes, in units of the outer thing.
        size: Of the outer thing in the image.
        many: Points to try; one or two boxes get all places that these give, more get one.
        margin: Room between lines, in units of the image.

    Returns:
        Places (C, n, 2), at least one, in units of the outer thing.

    Raises:
        CannotPlace: None was found.
    """
    if d.published:
        return d.inside(outer, sides, size)
    points, room = _rooms(d, outer, min(sides), size, many, margin)
    found = [points[room >= side] for side in sides]
    if len(sides) == 1:
        places = found[0][:, None]
    elif len(sides) == 2:
        places = np.stack(np.broadcast_arrays(found[0][:, None], found[1][None]), axis=2).reshape(-1, 2, 2)
        apart = np.abs(places[:, 0] - places[:, 1]).max(1) >= sum(sides) / 2 + margin / size
        places = places[apart]
    else:
        places = _one_by_one(found, sides, margin / size)
    if not len(places):
        raise CannotPlace
    return places


def _rooms(d: Draw, outer: Shape, least: float, size: float, many: int, margin: float) -> tuple[Array, Array]:
    """Draw points inside a shape; with each the side of the largest box around it that leaves the line a margin."""
    points = d.rng.uniform(least / 2 - 0.5, 0.5 - least / 2, (many, 2))
    points = points[contains(outer.points, points)]
    line = dense(outer.points, STEP / size)
    far = np.maximum(np.abs(points[:, :1] - line[:, 0]), np.abs(points[:, 1:] - line[:, 1])).min(1)
    room: Array = 2 * (far - margin / size)
    return points, room


def _one_by_one(found: Sequence[Array], sides: Sequence[float], margin: float) -> Array:
    """Choose for each box a place from its own that leaves those before it free: one layout, or none."""
    chosen: list[Array] = []
    for k, places in enumerate(found):
        for before, side in zip(chosen, sides, strict=False):
            places = places[np.abs(places - before).max(1) >= (side + sides[k]) / 2 + margin]
        if not len(places):
            return np.empty((0, len(sides), 2))
        chosen.append(places[0])
    return np.array([chosen])


def nested(
    d: Draw,
    hollow: Iterator[Shape],
    sides: Sequence[float],
    size: float,
    choose: Callable[[Array], int] = lambda places: 0,
    *,
    many: int = CANDIDATES,
    margin: float = MARGIN,
) -> tuple[Shape, Array]:
    """Take the first shape of a supply that has room for boxes: the shape, and their places (n, 2) in units of its side.

    Args:
        d: What to draw with.
        hollow: The supply.
        sides: Of the boxes, in units of the outer thing.
        size: Of the outer thing.
        choose: Which of the places (C, n, 2) to take; may refuse them all by CannotPlace.
        many: As for :func:`layouts`.
        margin: As for :func:`layouts`.
    """

    def attempt() -> tuple[Shape, Array]:
        outer = next(hollow)
        places = layouts(d, outer, sides, size, many=many, margin=margin)
        return outer, places[choose(places)]

    return d.until(attempt)


def lies_inside(outer: Array, inner: Array, size: float) -> bool:
    """Whether a whole contour (V, 2) lies inside another, with a margin; both in units of the outer thing's size."""
    line, other = dense(outer, STEP / size), dense(inner, STEP / size)
    far = (line**2).sum(1)[:, None] - 2 * line @ other.T + (other**2).sum(1)
    return bool(far.min() >= (MARGIN / size) ** 2 and contains(outer, inner[:1])[0])


def rows(shapes: Sequence[Shape], sizes: Sequence[float], centres: Sequence[Array] | Array) -> list[Row]:
    """Things that are neither turned nor flipped."""
    return [(shape, size, centre, 0.0, False) for shape, size, centre in zip(shapes, sizes, centres, strict=True)]


def painted(d: Draw, images: Sequence[Sequence[Row]]) -> list[Image]:
    """Give the things of each image colours that do not matter."""
    colours = d.colours_of([len(image) for image in images])
    made = []
    for image, row in zip(images, colours, strict=True):
        shapes, sizes, centres, angles, flips = zip(*image, strict=True)
        made.append(d.image(shapes, sizes, centres, row, angles, flips))
    return made


# Many things side by side, some of which hold another


def places_of(d: Draw, n: int) -> Array:
    """Draw places for n things that the law keeps apart: centres (n, 2)."""
    return d.free(np.full(n, apart(d, n)))


def apart(d: Draw, n: int) -> float:
    """Least distance of the centres of n things along one of the axes."""
    return min(d.law.size.most_of(n), 0.3)


def _spread(d: Draw, centres: Array) -> list[float]:
    """Draw sizes of things at these places: up to the frame and the nearest neighbour, at most .6."""
    far = np.abs(centres[:, None] - centres).max(2) + 9 * np.eye(len(centres))
    most = np.minimum(far.min(1), 0.6 if len(centres) == 1 else 9)
    if not (d.published and len(centres) == 1):  # which alone leaves the frame
        most = np.minimum(most, 2 * np.minimum(centres, 1 - centres).min(1))
    low = d.law.size.low * most
    if not d.published:
        most = most - GAP
        low = np.minimum(np.maximum(low, HOLDER), most)
    sizes: list[float] = d.rng.uniform(low, most).tolist()
    return sizes


def filled(d: Draw, images: Sequence[tuple[Array, Sequence[bool]]]) -> list[Image]:
    """Draw things at places (n, 2), and another in each that is to hold one; of the others half are small and smooth."""
    style, held = d.law.shape, sum(sum(full) for _, full in images)
    free = sum(len(full) for _, full in images) - held
    hollow, inner = supply(d, style.hollow, 2 * held + free // 2), supply(d, style.style, held)
    plain = supply(d, style.plain if isinstance(style, Among) else style.style, free // 2 + 1)
    drawn: list[list[Row]] = []
    for centres, full in images:
        outside, inside = [], []
        for centre, size, holds in zip(centres, _spread(d, centres), full, strict=True):
            ratio = part(d, size, LEAST)
            if holds:
                shape, places = nested(d, hollow, [ratio], size)
                outside += rows([shape], [size], [centre])
                inside += rows([next(inner)], [size * ratio], centre + size * places)
            elif d.chance():
                outside += rows([next(plain)], [size], [centre])
            else:
                outside += rows([next(hollow)], [size * ratio], [centre])
        drawn.append(outside + inside)
    return painted(d, drawn)


__all__ = [
    "FINE",
    "HOLDER",
    "LEAST",
    "Among",
    "Crowd",
    "Row",
    "apart",
    "filled",
    "layouts",
    "lies_inside",
    "nested",
    "painted",
    "part",
    "places_of",
    "rows",
    "supply",
]
