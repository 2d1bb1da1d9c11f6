"""Arrangements: where objects stand among each other (11, 12, 15, 31), and how each is turned there (51, 52)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar, cast

import numpy as np

from .. import place
from ..contours import Shape
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, per, root, vivid
from ..place import GAP, PIXEL, Array
from ..rule import Drawn, Family
from ..scene import transposed, turned
from .symmetry import is_told

rule = Family()

T = TypeVar("T")

DOT = 6 * PIXEL
SMALL_DOT = 5 * PIXEL
CLEAR = 8 * PIXEL
"""Least sizes: where objects are counted or only their places matter, where they are many, and where an angle has to be seen."""

ONE = [1, 1, 1, 1]
TWO = [2, 2, 2, 2]


@dataclass(frozen=True)
class Frames(Sizes):
    """Sizes of objects in a square frame: `most` is in sides of the smallest frame of a problem, and `share` is of frames.

    Attributes:
        frame: Smallest and largest side of a frame.
        roomy: Smallest side of a frame that has room for objects that can be seen; the published rule has smaller ones.
    """

    frame: tuple[float, float] = (0.35, 0.7)
    roomy: float = 0.0


def clipped(d: Draw, span: tuple[float, float], least: float) -> float:
    """Draw a size that can be seen; in the published rule it may be too small for that."""
    low, high = span
    return d.uniform(low, high) if d.published else d.uniform(max(low, least), max(high, 1.2 * least))


def by_group(rows: Sequence[Sequence[T]], counts: Sequence[Sequence[int]]) -> list[list[T]]:
    """Repeat what each group has for all its members: a value for each group in each image, and how many are in it."""
    return [[v for v, n in zip(*pair, strict=True) for _ in range(n)] for pair in zip(rows, counts, strict=True)]


def group_shapes(d: Draw, counts: Sequence[Sequence[int]]) -> list[list[Shape]]:
    """Draw a shape for each group, of each image or of all, or for each object, as the law says."""
    if d.law.shape.share == "object":
        return d.shapes_of([sum(row) for row in counts])
    shapes = d.shared(d.law.shape.share, [len(row) for row in counts], lambda n: d.shapes(n, distinct=True))
    return by_group(shapes, counts)


def _frames(d: Draw, n: int, sets: int, least: float) -> tuple[Array, float]:
    """Draw frames (4, sets), and the size of all objects, of which each frame has n."""
    law = cast(Frames, d.law.size)
    smallest = law.frame[0] if d.published else max(law.frame[0], law.roomy)
    frames = np.array(d.shared(law.share, [sets] * 4, lambda k: d.rng.uniform(smallest, law.frame[1], k).tolist()))
    low, high = law.span(n)
    return frames, clipped(d, (low * frames.min(), high * frames.min()), least)


def _other(d: Draw, config: Array, side: float, size: float) -> Array:
    """Draw a configuration other than one of the same size; stretched to its box, by which it could be found otherwise."""
    if d.published:
        return d.config(len(config), side, size)

    def make() -> Array:
        other = d.config(len(config), side, size)
        other *= np.ptp(config, axis=0) / np.ptp(other, axis=0)
        return other

    return d.until(make, lambda other: place.disjoint(other, np.full(len(other), size + GAP)))


def _spread(config: Array, least: float, frame: float, size: float) -> Array:
    """Spread a configuration, drawn in the smallest frame, over a larger one; objects keep their size."""
    return config * ((frame - size) / (least - size))


def _two_frames(d: Draw, frames: Array, axis: str) -> Array:
    """Place two frames anywhere, or one after the other along an axis: centres (2, 2)."""
    room = frames if d.published else frames + GAP
    return d.free(room) if axis == "plane" else d.on_axis(room.tolist(), axis)


@rule(
    11,
    "pos_pos_1",
    "PP",
    reference="all have their objects in one arrangement, which is somewhere else as a whole",
    odd={"arrangement": "has them in another arrangement"},
    train=Law(Shapes("all"), Frames("all", per(1.3)), vivid(), number=(3, 6)),
    unseen=Law(Shapes("object"), Frames("image", per(1.3)), pale(), number=(3, 6)),
)
def pos_pos_1(d: Draw) -> Drawn:
    """A configuration, anywhere."""
    n = d.integer(*d.law.number)
    frames, size = _frames(d, n, 1, DOT)
    least = frames.min()
    usual = d.config(n, least, size)
    configs = [usual] * 3 + [_other(d, usual, least, size)]
    shapes, colours = d.shapes_of([n] * 4), d.colours_of([n] * 4)
    images = []
    for k, frame in enumerate(frames[:, 0]):
        places = d.anywhere(frame) + _spread(configs[k], least, frame, size)
        images.append(d.image(shapes[k], [size] * n, places, colours[k]))
    return d.drawn(images, "arrangement")


@rule(
    12,
    "pos_pos_2",
    "PP",
    reference="there are two sets of objects in one arrangement",
    odd={"arrangement": "has two sets in two arrangements"},
    train=Law(Shapes("slot"), Frames("all", per(1.1), frame=(0.225, 0.45)), vivid(), (3, 5), ("plane",)),
    unseen=Law(Shapes("object"), Frames("object", root(1, 3), 2 / 3, frame=(0.225, 0.45)), pale(), (3, 5), ("x", "y")),
    least=5,
)
def pos_pos_2(d: Draw) -> Drawn:
    """Two frames with one configuration."""
    n, axis = d.integer(*d.law.number), d.choice(d.law.direction)
    frames, size = _frames(d, n, 2, SMALL_DOT)
    least = frames.min()
    shapes, colours = group_shapes(d, [[n, n]] * 4), d.colours_of([2 * n] * 4)
    images = []
    for k in range(4):
        first = d.config(n, least, size)
        second = first if k < 3 else _other(d, first, least, size)
        sets = [_spread(config, least, frame, size) for config, frame in zip((first, second), frames[k], strict=True)]
        centres = _two_frames(d, frames[k], axis)
        images.append(d.image(shapes[k], [size] * 2 * n, np.concatenate(sets + centres[:, None]), colours[k]))
    return d.drawn(images, "arrangement")


# One extreme


def _orders(d: Draw, n: int, extreme: int, ranks: Sequence[int]) -> list[list[int]]:
    """Draw for each image who has which rank along the axis: the extreme one has the rank given, the others any.

    Of four objects the other three never have one order twice in the references, so that nothing else is common to two of them. In
    the published rule they ascend in the odd image.
    """
    others = tuple(d.choices([k for k in range(n) if k != extreme], n - 1))
    if d.published:
        rows = d.choices(list(permutations(others)), 3) if n > 3 else [others] * 3
        rows.append(tuple(sorted(others)))
    else:
        turn = 1 if n > 3 else 0
        rows = [others[turn * k :] + others[: turn * k] for k in range(3)]
        rows.append(d.choice(list(permutations(others))))
    return [[*row[:rank], extreme, *row[rank:]] for row, rank in zip(rows, ranks, strict=True)]


@rule(
    15,
    "pos_pos_4",
    "PP",
    reference="the lowest object, or else the highest or a middle one, has one place in the order from left to right "
    "or from top to bottom",
    odd={"rank": "has it at another place in that order"},
    train=Law(Shapes("all"), Sizes("image", per(0.8)), vivid(), (3, 4), (("x",), ("most",))),
    unseen=Law(Shapes("all"), Sizes("image", per(0.8)), pale(), (3, 4), (("x", "y"), ("least", "middle", "most"))),
    least=8,
)
def pos_pos_4(d: Draw) -> Drawn:
    """Objects at different heights; the law's direction is the axis of the order, and who is looked at."""
    n, axis, who = d.integer(*d.law.number), d.choice(d.law.direction[0]), d.choice(d.law.direction[1])
    extreme = {"least": 0, "middle": n // 2, "most": n - 1}[who]
    usual, other = d.choices(range(n), 2)
    orders = _orders(d, n, extreme, [usual] * 3 + [other])
    shapes, sizes, colours = d.shapes_of([n] * 4), d.sizes_of([n] * 4, n), d.colours_of([n] * 4)
    images = []
    for k in range(4):
        size = sizes[k][0]
        heights = d.pack(np.full(n, size / 3), 0.1, 0.9)[orders[k]]
        image = d.image(shapes[k], sizes[k], np.stack([d.pack(sizes[k]), heights], 1), colours[k])
        images.append(image if axis == "x" else transposed(image))
    return d.drawn(images, "rank")


# Two pairs

NEARER = 8 * PIXEL
"""By how much one pair is nearer than the other, from middle to middle, and half of it from line to line."""


def _two_gaps(d: Draw, sizes: Array) -> Array:
    """Draw the distances of the objects of two pairs, sizes (2, 2), the smaller first. The published rule has no margin."""
    sums = sizes.sum(1) / 2
    room = sums.max() + (0.0 if d.published else GAP)

    def are_told(gaps: Array) -> bool:
        return bool(gaps[1] - gaps[0] >= NEARER and np.diff(gaps - sums)[0] >= NEARER / 2)

    return d.until(lambda: np.sort(d.rng.uniform(room, 1 - room, 2)), lambda gaps: d.published or are_told(gaps))


@rule(
    31,
    "pos_pos_3",
    "PP",
    reference="the two objects above, or on the left, are nearer to each other than the other two",
    odd={"nearer": "has the other two nearer to each other"},
    train=Law(Shapes("object"), Sizes("object", 0.267), vivid(), direction="x"),
    unseen=Law(Shapes("object"), Sizes("object", 0.267), pale(), direction="y"),
    least=8,
)
def pos_pos_3(d: Draw) -> Drawn:
    """Two pairs, each at one height."""
    shapes, colours = d.shapes_of([4] * 4), d.colours_of([4] * 4)
    images = []
    for k, row in enumerate(d.sizes_of([4] * 4)):
        sizes = np.array(row).reshape(2, 2)
        gaps = _two_gaps(d, sizes if k < 3 else sizes[::-1])[:: 1 if k < 3 else -1]
        heights = d.pack(sizes.max(1))
        ends = (sizes + (0.0 if d.published else GAP)) / 2
        left = ends[:, 0] + d.rng.random(2) * (1 - gaps - ends.sum(1))
        places = np.stack([left, heights, left + gaps, heights], 1).reshape(4, 2)
        image = d.image(shapes[k], row, places, colours[k])
        images.append(image if d.law.direction == "x" else transposed(image))
    return d.drawn(images, "nearer")


# Angles

TURNS = 360 / 8
"""Least difference of two angles that are to be told apart, in degrees."""


def _directed(d: Draw, n: int) -> list[Shape]:
    """Draw shapes that look different however they are turned."""
    turns = np.arange(TURNS, 181, 360 / 64)
    if d.published:
        return d.shapes(n)
    return [d.until(lambda: d.shapes(1)[0], lambda shape: is_told(shape, *turns)) for _ in range(n)]


def _angles(d: Draw, n: int) -> tuple[list[float], list[float]]:
    """Draw the angles of n objects, and others.

    The others are the same ones, exchanged so that each differs, and not all by one turn. The published rule draws them anew, and
    the odd image shows them by its ink.
    """
    if d.published:
        return d.rng.uniform(0, 360, n).tolist(), d.rng.uniform(0, 360, n).tolist()
    usual = (360 * d.pack(np.full(n, TURNS / 360)) + d.uniform(0, 360))[d.order(n)]

    def exchanged() -> Array:
        return np.roll(usual, d.integer(1, n - 1))

    def is_seen(other: Array) -> bool:
        turns = (other - usual)[:, None] - (other - usual)
        return bool(np.abs((turns + 180) % 360 - 180).max() >= 60)

    return usual.tolist(), d.until(exchanged, is_seen).tolist()


STRETCH = 1.15
"""By how much a side of an arrangement is stretched at most; else objects turned otherwise would show in the box of all."""


@rule(
    51,
    "pos_rot_1",
    "PR",
    reference="all have their objects in one arrangement, and the object at each place is turned by one angle",
    odd={"angles": "has its objects turned by other angles"},
    train=Law(Shapes("all"), Frames("all", per(1.3)), vivid(), number=(3, 5)),
    unseen=Law(Shapes("image"), Frames("image", per(1.3)), pale(), number=(3, 5)),
    least=8,
)
def pos_rot_1(d: Draw) -> Drawn:
    """A configuration, anywhere. What is turned takes more room than its size, which the published rule forgets."""
    n = d.integer(*d.law.number)
    shapes = [row[0] for row in d.shared(d.law.shape.share, ONE, lambda k: _directed(d, k))]
    frames, size = _frames(d, n, 1, 0.0)
    reach = 1.0 if d.published else 2 * max(float(np.hypot(*shape.points.T).max()) for shape in set(shapes))
    size = size if d.published else max(size / reach, CLEAR)
    least, box = frames.min(), size * reach
    config, (usual, other) = d.config(n, least, box), _angles(d, n)
    colours = d.colours_of([n] * 4)
    images = []
    for k, frame in enumerate(frames[:, 0]):
        stretch = np.ones(2) if d.published else d.rng.uniform(1, STRETCH, 2)
        places = d.anywhere(frame * stretch) + _spread(config, least, frame, box) * stretch
        images.append(d.image([shapes[k]] * n, [size] * n, places, colours[k], other if k == 3 else usual))
    return d.drawn(images, "angles")


TURNED = Frames("all", per(1.1), frame=(0.225, 0.45), roomy=0.3)


@rule(
    52,
    "pos_rot_2",
    "PR",
    reference="there are two sets of objects, of which one is the other, turned as a whole",
    odd={"arrangement": "has two sets in two arrangements"},
    train=Law(Shapes("all"), TURNED, vivid(), (4, 5), ("plane",)),
    unseen=Law(Shapes("all"), TURNED, pale(), (4, 5), ("x", "y")),
    least=8,
)
def pos_rot_2(d: Draw) -> Drawn:
    """Two frames with one configuration, in one of them turned."""
    n, axis = d.integer(*d.law.number), d.choice(d.law.direction)
    frames, size = _frames(d, n, 2, CLEAR)
    least = frames.min()
    shapes, colours = d.shapes_of([2 * n] * 4), d.colours_of([2 * n] * 4)
    images = []
    for k in range(4):
        turn, first = d.choice((-90, 90, 180)), d.config(n, least, size)
        second = turned(first, turn, False)
        second = second if k < 3 else _other(d, second, least, size)
        places = np.concatenate(np.stack([first, second]) + _two_frames(d, frames[k], axis)[:, None])
        images.append(d.image(shapes[k], [size] * 2 * n, places, colours[k], [0] * n + [turn] * n))
    return d.drawn(images, "arrangement")
