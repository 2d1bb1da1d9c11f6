"""Rules of shape, size, position, rotation and flip, two at a time (19, 28 to 30, 58, 86, 95 to 100)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import contact
from ..contours import Shape
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, vivid
from ..place import GAP, PIXEL
from ..rule import Drawn, Family
from ..scene import Image, Thing
from .turned import extents, freely, in_row, lopsided, moved

rule = Family()

ROLES = Shapes("slot")

ROOM = 2**0.5
"""Of a turned thing over its size, at most."""


def _pairs(d: Draw, turned: bool, flips: list[bool]) -> Drawn:
    """Draw two objects of one shape in each reference, of two shapes in the odd image, along an axis."""
    axis = d.choice(d.law.direction)
    shapes = d.shapes(4, chiral=any(flips))
    rows = [[shape, shape] for shape in shapes]
    rows[3][1] = d.another(shapes[3])
    sizes, colours = d.sizes_of([2] * 4), d.colours_of([2] * 4)
    images = []
    for k in range(4):
        # The published rule never turns or mirrors the odd objects.
        plain = k == 3 and d.published
        angles = d.rng.uniform(0, 360, 2).tolist() if turned and not plain else [0.0, 0.0]
        things = d.image(rows[k], sizes[k], np.zeros((2, 2)), colours[k], angles, [False] * 2 if plain else flips)
        images.append(in_row(d, things, axis))
    return d.drawn(images, "shape")


@rule(
    19,
    "shape_shape",
    "SS",
    reference="two objects have one shape",
    odd={"shape": "has two shapes"},
    train=Law(Shapes("image"), Sizes("object", 0.4, 1 / 3), vivid(), 2, "xy"),
    unseen=Law(Shapes("image"), Sizes("object", 0.45, 1 / 3), pale(), 2, "xy"),
)
def shape_shape(d: Draw) -> Drawn:
    """Two objects as they are."""
    return _pairs(d, False, [False, False])


@rule(
    28,
    "rot_rot_1",
    "RR",
    reference="two objects have one shape, each turned by its own angle",
    odd={"shape": "has two shapes"},
    train=Law(Shapes("image"), Sizes("object", 0.4, 1 / 3), vivid(), 2, "xy"),
    unseen=Law(Shapes("image"), Sizes("object", 0.45, 1 / 3), pale(), 2, "xy"),
)
def rot_rot_1(d: Draw) -> Drawn:
    """Two objects, both turned."""
    return _pairs(d, True, [False, False])


@rule(
    29,
    "flip_flip_1",
    "FF",
    reference="there are an object and its mirror image",
    odd={"shape": "has two shapes"},
    train=Law(Shapes("image"), Sizes("object", 0.4, 1 / 3), vivid(), 2, "xy"),
    unseen=Law(Shapes("image"), Sizes("object", 0.45, 1 / 3), pale(), 2, "xy"),
)
def flip_flip_1(d: Draw) -> Drawn:
    """Two objects, the second mirrored."""
    return _pairs(d, False, [False, True])


def _one_shape(d: Draw, n: int, *, chiral: bool = False) -> list[list[Shape]]:
    """Draw one shape for all n objects of an image, and for all images where the law says so."""
    own = d.law.shape.share == "image"
    shapes = d.shapes(4 if own else 1, chiral=True) if chiral else lopsided(d, 4 if own else 1)
    return [[shapes[k if own else 0]] * n for k in range(4)]


@rule(
    30,
    "rot_rot_3",
    "RR",
    reference="two objects have one shape, the second turned from the first by an angle that all have in common",
    odd={"angle": "has it turned by another angle, at least 60 degrees away"},
    train=Law(Shapes("all"), Sizes("object", 0.4), vivid(), 2, "xy"),
    unseen=Law(Shapes("image"), Sizes("object", 0.4), pale(), 2, "xy"),
    least=8,
)
def rot_rot_3(d: Draw) -> Drawn:
    """Two objects along an axis, both turned."""
    axis = d.choice(d.law.direction)
    turn = d.uniform(30, 180)
    other = (turn + d.choice((-1, 1)) * d.uniform(60, 120)) % 180
    shapes, sizes, colours = _one_shape(d, 2), d.sizes_of([2] * 4), d.colours_of([2] * 4)
    images = []
    for k in range(4):
        first = d.uniform(0, 360)
        angles = [first, first + (turn if k < 3 else other)]
        images.append(in_row(d, d.image(shapes[k], sizes[k], np.zeros((2, 2)), colours[k], angles), axis))
    return d.drawn(images, "angle")


def _even_sizes(d: Draw) -> list[list[float]]:
    """Draw three sizes for each image. The published rules let all have one size in common, which shows in the ink."""
    share = "all" if d.published and d.law.size.share == "image" else d.law.size.share
    low, high = d.law.size.span()
    return d.shared(share, [3] * 4, lambda n: d.rng.uniform(low, high, n).tolist())


@rule(
    86,
    "shape_rot_1",
    "SR",
    reference="of three turned objects two have one shape and the third has another, which all have in common",
    odd={"shape": "has one of the first shape and two of the other"},
    train=Law(ROLES, Sizes("image", 0.3), vivid(), 3),
    unseen=Law(ROLES, Sizes("object", 0.3), pale(), 3),
    least=8,
)
def shape_rot_1(d: Draw) -> Drawn:
    """Three objects anywhere, all turned."""
    a, b = d.shapes(2, distinct=True)
    sizes, colours = _even_sizes(d), d.colours_of([3] * 4)
    images = []
    for k in range(4):
        shapes, angles = [a, b if k == 3 else a, b], d.rng.uniform(30, 330, 3).tolist()
        images.append(freely(d, d.image(shapes, sizes[k], np.zeros((3, 2)), colours[k], angles), ROOM))
    return d.drawn(images, "shape")


@rule(
    95,
    "shape_flip_1",
    "SF",
    reference="of three objects two are mirror images, turned, and the third has another shape",
    odd={"shape": "has two mirror images of that other shape, and one object of the usual one"},
    train=Law(ROLES, Sizes("image", 0.3), vivid(), 3, "any"),
    unseen=Law(ROLES, Sizes("object", 0.3), pale(), 3, "half"),
    least=8,
)
def shape_flip_1(d: Draw) -> Drawn:
    """Three objects anywhere; the second is mirrored and turned."""
    a, b = d.shapes(2, distinct=True, chiral=True)
    sizes, colours = _even_sizes(d), d.colours_of([3] * 4)
    images = []
    for k in range(4):
        turn = d.uniform(30, 330) if d.law.direction == "any" else d.choice((0.0, 180.0))
        shapes = [a, b if k == 3 else a, b]
        things = d.image(shapes, sizes[k], np.zeros((3, 2)), colours[k], [0, turn, 0], [False, True, False])
        images.append(freely(d, things, ROOM))
    return d.drawn(images, "shape")


@rule(
    96,
    "rot_flip_1",
    "RF",
    reference="in the lower row the objects are mirrored, at the right they are turned, both by one angle",
    odd={"angle": "turns the two by different angles", "flip": "does not mirror the last"},
    train=Law(Shapes("all"), Sizes("all", 0.3), vivid(), 4),
    unseen=Law(Shapes("image"), Sizes("object", 0.45), pale(), 4),
    least=8,
)
def rot_flip_1(d: Draw) -> Drawn:
    """Four objects in a square."""
    kind = d.choice(("angle", "flip"))
    shapes, sizes, colours = _one_shape(d, 4, chiral=True), d.sizes_of([4] * 4), d.colours_of([4] * 4)
    images = []
    for k in range(4):
        turn = last = d.uniform(60, 300)
        if k == 3 and kind == "angle":
            last = d.until(lambda: d.uniform(60, 300), lambda angle: d.published or abs(angle - turn) >= 30)  # noqa: B023
        flips = [False, False, True, not (k == 3 and kind == "flip")]
        things = d.image(shapes[k], sizes[k], _SQUARE, colours[k], [0, turn, 0, last], flips)
        images.append(things if d.published else tuple(_in_square(thing) for thing in things))
    return d.drawn(images, kind)


_SQUARE = np.array([(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)])


def _in_square(thing: Thing) -> Thing:
    """Make a thing so small that it stays in its quarter of the frame; the published rule lets it stick out."""
    low, high = extents([thing])
    fit = min(1.0, (0.25 - GAP / 2) / float(max(-low.min(), high.max())))
    return replace(thing, size=thing.size * fit)


STEPS = Sizes("object", 0.367, 2 / 3, (2 / 3, 3 / 4))
"""Of the largest, and of each next one over the last."""


def _steps(d: Draw) -> list[float]:
    """Draw three sizes, the largest first."""
    first = d.uniform(*d.law.size.span())
    second = first * d.uniform(*d.law.size.ratio)
    return [first, second, second * d.uniform(*d.law.size.ratio)]


@rule(
    58,
    "size_rot",
    "ZR",
    reference="of three copies each larger one is turned further, by equal steps",
    odd={"order": "turns each smaller one further"},
    train=Law(Shapes("all"), STEPS, vivid(), 3),
    unseen=Law(Shapes("image"), STEPS, pale(), 3),
    least=8,
)
def size_rot(d: Draw) -> Drawn:
    """Three objects anywhere."""
    shapes, colours = _one_shape(d, 3), d.colours_of([3] * 4)

    def make(k: int) -> Image:
        base, step = d.uniform(30, 90), d.uniform(30, 90)
        angles = [base + step, base, base - step]
        sizes = _steps(d)[:: -1 if k == 3 else 1]
        return freely(d, d.image(shapes[k], sizes, np.zeros((3, 2)), colours[k], angles))

    return d.drawn([d.until(lambda: make(k)) for k in range(4)], "order")  # noqa: B023


@rule(
    97,
    "size_flip_1",
    "ZF",
    reference="of three copies the largest is mirrored left to right, the smallest upside down",
    odd={"order": "has the smallest mirrored left to right, the largest upside down"},
    train=Law(Shapes("image"), STEPS, vivid(), 3),
    unseen=Law(Shapes("image"), STEPS, pale(), 3),
    least=8,
)
def size_flip_1(d: Draw) -> Drawn:
    """Three objects anywhere."""
    shapes, colours = _one_shape(d, 3, chiral=True), d.colours_of([3] * 4)

    def make(k: int) -> Image:
        sizes = _steps(d)[:: -1 if k == 3 else 1]
        # Upside down is mirrored left to right, and half a turn.
        things = d.image(shapes[k], sizes, np.zeros((3, 2)), colours[k], [0, 0, 180], [True, False, True])
        return freely(d, things)

    return d.drawn([d.until(lambda: make(k)) for k in range(4)], "order")  # noqa: B023


@rule(
    98,
    "pos_rot_3",
    "PR",
    reference="each of three copies is turned further than the one before, by equal steps",
    odd={"order": "has two of the three exchanged"},
    train=Law(Shapes("all"), Sizes("all", 0.367), vivid(), 3, "x"),
    unseen=Law(Shapes("image"), Sizes("object", 0.367), pale(), 3, "xy"),
    least=8,
)
def pos_rot_3(d: Draw) -> Drawn:
    """Three objects along an axis."""
    axis = d.choice(d.law.direction)
    shapes, sizes, colours = _one_shape(d, 3), d.sizes_of([3] * 4), d.colours_of([3] * 4)
    images = []
    for k in range(4):
        base, step = d.uniform(-45, 45), d.uniform(30, 150)
        angles = [base - step, base, base + step]
        if k == 3:
            i, j = d.choices(range(3), 2)
            angles[i], angles[j] = angles[j], angles[i]
        fit = min(1.0, 0.636 / sum(sizes[k]))
        row = [size * fit for size in sizes[k]]
        images.append(in_row(d, d.image(shapes[k], row, np.zeros((3, 2)), colours[k], angles), axis))
    return d.drawn(images, "order")


@dataclass(frozen=True)
class Flips:
    """How three copies in a row are flipped.

    Attributes:
        axes: Axes that the row may have.
        states: How the first and the third may differ from the second, each: 0 not, 1 mirrored left to right, 2 upside down.
        spin: Most degrees by which each is turned besides, to either side.
    """

    axes: str
    states: tuple[int, ...]
    spin: float


@rule(
    99,
    "pos_flip_1",
    "PF",
    reference="of three copies in a row the first and the last are each mirrored or not, in all alike",
    odd={"flips": "has them mirrored in another way"},
    train=Law(Shapes("all"), Sizes("all", 0.3), vivid(), 3, Flips("x", (0, 1), 60)),
    unseen=Law(Shapes("image"), Sizes("object", 0.26), pale(), 3, Flips("xy", (0, 1, 2), 0)),
    least=8,
)
def pos_flip_1(d: Draw) -> Drawn:
    """Three objects along an axis."""
    law: Flips = d.law.direction
    axis = d.choice(law.axes)
    usual, other = d.choices([(first, third) for first in law.states for third in law.states], 2)
    shapes, sizes, colours = _one_shape(d, 3, chiral=True), d.sizes_of([3] * 4), d.colours_of([3] * 4)
    rows = []
    for k in range(4):
        first, third = usual if k < 3 else other
        if d.published and 2 in law.states and third != 1:
            # It asks how the first is flipped, so that the odd image may be as the references are.
            third = 2 if first == 2 else 0
        states = (first, 0, third)
        angles = [(180 if state == 2 else 0) + d.uniform(-law.spin, law.spin) for state in states]
        rows.append(d.image(shapes[k], sizes[k], np.zeros((3, 2)), colours[k], angles, [state > 0 for state in states]))
    return d.drawn([in_row(d, row, axis) for row in (rows if d.published else _fitted(d, rows, axis))], "flips")


def _fitted(d: Draw, rows: Sequence[Image], axis: str) -> list[Image]:
    """Make things so small that each image has room for its things in a row, all alike where all have one size."""
    k = "xy".index(axis)
    fits = []
    for row in rows:
        low, high = extents(row)
        fits.append(min(1.0, (1 - (len(row) + 1) * GAP) / float((high - low)[:, k].sum())))
    if d.law.size.share == "all":
        fits = [min(fits)] * len(fits)
    return [tuple(replace(thing, size=thing.size * fit) for thing in row) for row, fit in zip(rows, fits, strict=True)]


@rule(
    100,
    "pos_flip_2",
    "PF",
    reference="two copies are mirror images of each other, mirrored on the line that joins them",
    odd={"flip": "has two that are not mirrored", "axis": "has them mirrored on another line"},
    train=Law(Shapes("all"), Sizes("object", 0.45), vivid(), 2),
    unseen=Law(Shapes("image"), Sizes("object", 0.35), pale(), 2),
    least=8,
)
def pos_flip_2(d: Draw) -> Drawn:
    """Two objects anywhere, side by side."""
    kind = d.choice(("flip", "axis"))
    shapes, sizes, colours = _one_shape(d, 2, chiral=True), d.sizes_of([2] * 4), d.colours_of([2] * 4)

    def make(k: int) -> Image:
        angle = d.uniform(-90, 90)
        turn = angle + (d.choice((-45, 45)) if k == 3 and kind == "axis" else 0)
        flips = [False, not (k == 3 and kind == "flip")]
        apart = _apart(d, sizes[k]) * np.array([-np.sin(np.deg2rad(angle)), np.cos(np.deg2rad(angle))])
        things = d.image(shapes[k], sizes[k], [apart, -apart], colours[k], [turn, turn], flips)
        if d.published:
            # Its margins in x and y are exchanged.
            margin = max(sizes[k]) / 2**0.5 + np.abs(apart[::-1])
            centre = 0.5 + (1 - 2 * margin) * d.rng.uniform(-0.5, 0.5, 2)
        else:
            boxes = np.array([thing.box for thing in things])
            low, high = boxes[:, :2].min(0), boxes[:, 2:].max(0)
            centre = d.free((high - low)[None])[0] - (low + high) / 2
        return moved(things, centre + np.array([apart, -apart]))

    def good(image: Image) -> bool:
        return d.published or contact.distance(image[0].contour, image[1].contour) > 1.5 * PIXEL

    return d.drawn([d.until(lambda: make(k), good) for k in range(4)], kind)  # noqa: B023


def _apart(d: Draw, sizes: Sequence[float]) -> float:
    """Draw half the distance of two objects; the published one may be so short that they overlap."""
    low, high = max(sizes) / 2, 0.4 - max(sizes) / 2
    if d.published:
        return d.uniform(min(low, high), max(low, high))
    low = sum(sizes) / 4 + GAP
    return d.uniform(low, max(high, low + GAP))
