"""Counts in arrangements: on a line (13), in two bands (14), in parallel lines (16) and columns (32)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from .. import place
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, per, root, vivid
from ..place import CANDIDATES, GAP, PIXEL, Array, CannotPlace
from ..rule import Drawn, Family
from ..scene import transposed
from .arrangement import DOT, SMALL_DOT, clipped, group_shapes

rule = Family()


# On a line

FEW = 4
"""Of so many on a line there may be others by accident."""

STRAY = 1.25 * PIXEL
"""Least height of a triangle that is seen to be none."""


def _line(d: Draw, n: int, size: float) -> Array:
    """Place objects on a slanted line across the image: centres (n, 2). The published line may leave the frame."""
    along = d.pack([size] * n)
    slope = d.rng.random(2)
    slope /= slope.max()
    minor = int(slope.argmin())
    places = along[:, None] * slope
    if d.published:
        places[:, minor] += size / 2 + d.uniform(0, 1) * (1 - slope[minor] - size)
    else:
        margin = (size + GAP) / 2
        places[:, minor] += d.uniform(margin - places[0, minor], 1 - margin - places[-1, minor])
    if d.chance():
        places[:, minor] = 1 - places[:, minor]
    return places


def _others(d: Draw, line: Array, n: int, size: float) -> Array:
    """Add objects that are not on a line (k, 2): centres (k + n, 2). Those of the published rule may be."""
    if d.published:
        free = lambda: np.concatenate([line, d.rng.uniform(size / 2, 1 - size / 2, (n, 2))])  # noqa: E731
        return d.until(free, lambda places: place.disjoint(places, np.full(len(places), size)))
    places, margin = line, (size + GAP) / 2
    across = np.array([line[0, 1] - line[-1, 1], line[-1, 0] - line[0, 0]])
    across /= np.hypot(*across)
    for _ in range(n):
        draws = d.rng.uniform(margin, 1 - margin, (CANDIDATES, 2))
        good = (np.abs(draws[:, None] - places) >= size + GAP).any(-1).all(-1)
        good &= np.abs((draws - line[0]) @ across) >= size
        if len(line) <= FEW:
            good &= (_heights(places, draws) >= STRAY).all(-1)
        if not good.any():
            raise CannotPlace
        places = np.concatenate([places, draws[good.argmax()][None]])
    return places


def _heights(places: Array, draws: Array) -> Array:
    """Height on its longest side of the triangle of each two places (n, 2) and each draw (C, 2): (C, n (n - 1) / 2)."""
    a, b = places[np.array(np.triu_indices(len(places), 1))]
    side, to = b - a, draws[:, None] - a
    far = np.maximum(np.maximum((side**2).sum(-1), (to**2).sum(-1)), ((draws[:, None] - b) ** 2).sum(-1))
    heights: Array = np.abs(side[:, 0] * to[..., 1] - side[:, 1] * to[..., 0]) / np.sqrt(far)
    return heights


@rule(
    13,
    "pos_count_2",
    "PN",
    reference="all have one number of objects on a straight line, besides others",
    odd={"number": "has another number of objects on a line"},
    train=Law(Shapes("all"), Sizes("image", per(0.8)), vivid(), ((3, 6), (2, 3))),
    unseen=Law(Shapes("object"), Sizes("image", root(0.9, 4)), pale(), ((5, 8), (4, 5))),
)
def pos_count_2(d: Draw) -> Drawn:
    """Objects on a line and others. The total follows the longer line in all images, or it would tell the odd one."""
    on, off = d.law.number
    lines = d.choices(range(on[0], on[1] + 1), 2)
    lines = [lines[0]] * 3 + lines[1:]
    counts = [(k if d.published else max(lines)) + d.integer(*off) for k in lines]
    shapes, colours = d.shapes_of(counts), d.colours_of(counts)
    images = []
    for k, n in enumerate(counts):
        size = clipped(d, d.law.size.span(n), DOT)
        places = d.until(lambda: _others(d, _line(d, lines[k], size), n - lines[k], size))  # noqa: B023
        images.append(d.image(shapes[k], [size] * n, places, colours[k]))
    return d.drawn(images, "number")


# In two bands


@rule(
    14,
    "pos_count_1",
    "PN",
    reference="fewer objects are on the left than on the right, or above than below",
    odd={"side": "has more there"},
    train=Law(Shapes("object"), Sizes("object", per(0.8)), vivid(), (3, 7), ("x",)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 5)), pale(), (6, 10), ("x", "y")),
)
def pos_count_1(d: Draw) -> Drawn:
    """Objects in two bands. In the published rule those of the odd image change bands, but not their sizes."""
    axis = d.choice(d.law.direction)
    images = []
    counts = [sorted(d.choices(range(d.law.number[0], d.law.number[1] + 1), 2)) for _ in range(4)]
    totals = [sum(pair) for pair in counts]
    shapes, colours = d.shapes_of(totals), d.colours_of(totals)
    for k, (few, many) in enumerate(counts):
        sizes = [clipped(d, d.law.size.span(many), DOT) for _ in range(few + many)]
        bands = np.split(np.array(sizes), [few if k < 3 or d.published else many])
        left, right = d.free(bands[0], (0, 0, 0.4, 1)), d.free(bands[1], (0.6, 0, 1, 1))
        if k == 3 and d.published:
            left, right = right - np.array([0.6, 0]), left + np.array([0.6, 0])
        image = d.image(shapes[k], sizes, np.concatenate([left, right]), colours[k])
        images.append(image if axis == "x" else transposed(image))
    return d.drawn(images, "side")


# In parallel lines


def _lengths(d: Draw, lines: int, total: int, span: tuple[int, int]) -> list[int]:
    """Draw how many objects each line has, so that there are so many in all."""
    lengths = [span[0]] * lines
    for _ in range(total - sum(lengths)):
        lengths[d.choice([k for k in range(lines) if lengths[k] < span[1]])] += 1
    return lengths


def _all_lengths(d: Draw, lines: Sequence[int], span: tuple[int, int]) -> list[list[int]]:
    """Draw how many objects each line of each image has: any in the published rule, whose totals then tell the lines.

    Otherwise a total is one that any of the images could have.
    """
    if d.published:
        return [[d.integer(*span) for _ in range(n)] for n in lines]
    low, high = max(lines) * span[0], min(lines) * span[1]
    return [_lengths(d, n, d.integer(low, high), span) for n in lines]


@rule(
    16,
    "pos_count_3",
    "PN",
    reference="all have one number of straight lines of objects",
    odd={"number": "has another number of lines"},
    train=Law(Shapes("all"), Sizes("image", per(0.6)), vivid(), ((3, 6), (3, 5)), ("x",)),
    unseen=Law(Shapes("object"), Sizes("image", per(0.6)), pale(), ((6, 10), (2, 4)), ("x", "y")),
    least=5,
)
def pos_count_3(d: Draw) -> Drawn:
    """Parallel lines. The size follows the largest numbers of all images; those of the image would tell the lines."""
    (low, high), span = d.law.number
    axis = d.choice(d.law.direction)
    # Numbers of lines that cannot have one total, as 3 and 6, are left out.
    are_near = lambda two: d.published or max(two) * span[0] <= min(two) * span[1]  # noqa: E731
    two = d.until(lambda: d.choices(range(low, high + 1), 2), are_near)
    rows = _all_lengths(d, [two[0]] * 3 + two[1:], span)
    counts = [sum(row) for row in rows]
    shapes, colours = d.shapes_of(counts), d.colours_of(counts)
    images = []
    for k, row in enumerate(rows):
        crowd = max(*two, span[1])
        if d.published:
            # Lines that are drawn and then left out count as well.
            crowd = max(len(row), *row, *(d.integer(*span) for _ in range(max(two) - len(row))))
        size = clipped(d, d.law.size.span(crowd), SMALL_DOT)
        across = np.repeat(d.pack([size] * len(row)), row)
        along = np.concatenate([d.pack([size] * n) for n in row])
        image = d.image(shapes[k], [size] * counts[k], np.stack([across, along], 1), colours[k])
        images.append(image if axis == "x" else transposed(image))
    return d.drawn(images, "number")


# A sum


@dataclass(frozen=True)
class Columns(Sizes):
    """Sizes of objects in three columns.

    Attributes:
        by_longest: Whether the largest depends on the longest column; else on all objects.
    """

    by_longest: bool = False


def _column_size(d: Draw, counts: Sequence[int]) -> float:
    """Draw the size of all objects of an image, so that the longest column fits."""
    law, longest = cast(Columns, d.law.size), max(counts)
    low, high = law.span(longest if law.by_longest else sum(counts))
    return clipped(d, (low, high if d.published else min(high, 0.98 / longest - GAP)), SMALL_DOT)


def _column(d: Draw, n: int, size: float) -> Array:
    """Place objects along a column; half the room before the first is left behind the last."""
    room = size if d.published else size + GAP
    gaps = d.rng.random(n)
    gaps *= (1 - n * room) / gaps.sum()
    gaps[0] /= 2
    places: Array = np.cumsum(gaps + room) - room / 2
    return places


def _is_sum(counts: Sequence[int]) -> bool:
    return 2 * max(counts) == sum(counts)


@rule(
    32,
    "pos_count_4",
    "PN",
    reference="of three columns the last, or else the first or the middle one, has as many objects as the other two",
    odd={"number": "has no column with as many objects as the other two"},
    train=Law(Shapes("slot"), Columns("image", per(0.8)), vivid(), (1, 4), (("x",), (2,))),
    unseen=Law(Shapes("object"), Columns("image", per(0.95), by_longest=True), pale(), (3, 6), (("x", "y"), (0, 1, 2))),
    least=5,
)
def pos_count_4(d: Draw) -> Drawn:
    """Three columns. In the published rule another column of the odd image may be the sum."""
    axis, last = d.choice(d.law.direction[0]), d.choice(d.law.direction[1])

    def columns(change: int) -> list[int]:
        first, second = d.integer(*d.law.number), d.integer(*d.law.number)
        row = [first, second]
        row.insert(last, max(first + second + change, 1))
        return row

    rows = [columns(0) for _ in range(3)]
    change = lambda: columns(d.choice((-2, -1, 1, 2)))  # noqa: E731
    rows.append(d.until(change, lambda row: d.published or not _is_sum(row)))
    shapes, colours = group_shapes(d, rows), d.colours_of([sum(row) for row in rows])
    images = []
    for k, row in enumerate(rows):
        size = _column_size(d, row)
        across = np.repeat(d.pack([size] * 3), row)
        along = np.concatenate([_column(d, n, size) for n in row])
        image = d.image(shapes[k], [size] * len(across), np.stack([across, along], 1), colours[k])
        images.append(image if axis == "x" else transposed(image))
    return d.drawn(images, "number")
