"""The nine elementary rules (0 to 8): each is about one relation; and what is the same with counts of counts (18)."""

from __future__ import annotations

import numpy as np

from ..contours import Style
from ..draw import Draw
from ..laws import Band, Colours, Law, Shapes, Sizes, pale, per, root, vivid
from ..place import GAP, PIXEL, CannotPlace
from ..rule import Drawn, Family
from ..scene import Colour, Image, Thing

rule = Family()

ONE = [1, 1, 1, 1]
STD = (1 / 4, 1 / 2.5)
"""Usual size of what lies in something, over the size of that."""


def _single(d: Draw, shapes: list[int], angles: list[float], flips: list[bool]) -> list[Image]:
    """Draw one object in each image: 0 is the references' shape, 1 another; flips can be seen."""
    chiral = any(flips)
    (first,) = d.shapes(1, chiral=chiral)
    pair = [first, d.another(first)]
    sizes, colours = d.sizes_of(ONE), d.colours_of(ONE)
    images: list[Image] = []
    for k in range(4):
        thing = Thing(pair[shapes[k]], sizes[k][0], 0, 0, colours[k][0], angles[k], flips[k])
        images.append((_placed(d, thing),))
    return images


def _placed(d: Draw, thing: Thing) -> Thing:
    """Put a thing anywhere in the frame; what is turned needs more room than its size, which the published rule forgets."""
    low, high = thing.box[:2] - (thing.x, thing.y), thing.box[2:] - (thing.x, thing.y)
    if d.published:
        return thing.moved(*d.anywhere(thing.size))
    if ((high - low) > 1 - GAP).any():
        raise CannotPlace
    return thing.moved(*d.rng.uniform(GAP / 2 - low, 1 - GAP / 2 - high))


@rule(
    0,
    "shape",
    "S",
    reference="all have one shape",
    odd={"shape": "has another shape"},
    train=Law(Shapes("all"), Sizes("object", 0.4), vivid()),
    unseen=Law(Shapes("all"), Sizes("object", 0.8), pale("image")),
)
def shape(d: Draw) -> Drawn:
    """One object anywhere."""
    return d.drawn(_single(d, [0, 0, 0, 1], [0.0] * 4, [False] * 4), "shape")


@rule(
    1,
    "pos",
    "P",
    reference="all have their object at one place",
    odd={"place": "has it at another place, at least .2 away"},
    train=Law(Shapes("all"), Sizes("all", 0.4), vivid()),
    unseen=Law(Shapes("image"), Sizes("image", 0.6), pale("image")),
)
def pos(d: Draw) -> Drawn:
    """One object; places far enough apart."""
    shapes, sizes, colours = d.shapes_of(ONE), d.sizes_of(ONE), d.colours_of(ONE)
    largest = max(row[0] for row in sizes)
    far = d.until(
        lambda: (d.anywhere(largest), d.anywhere(largest)), lambda pair: bool(np.hypot(*(pair[0] - pair[1])) >= 0.2)
    )
    places = [far[0]] * 3 + [far[1]]
    return d.drawn([d.image(shapes[k], sizes[k], [places[k]], colours[k]) for k in range(4)], "place")


@rule(
    2,
    "size",
    "Z",
    reference="all have one size",
    odd={"size": "is at most half as large, or at least twice as large"},
    train=Law(Shapes("image"), Sizes("all", 0.4, ratio=(0.3, 0.5)), vivid("all")),
    unseen=Law(Shapes("image"), Sizes("all", 0.6, ratio=(0.3, 0.5)), pale("image")),
)
def size(d: Draw) -> Drawn:
    """One object anywhere."""
    shapes, colours = d.shapes_of(ONE), d.colours_of(ONE)
    usual, other = d.sizes_of([1])[0][0], d.uniform(*d.law.size.ratio)
    sizes = np.array([usual, usual / other if d.chance() else usual * other])
    sizes *= min(1.0, 0.9 / sizes.sum())
    rows = [sizes[0]] * 3 + [sizes[1]]
    return d.drawn([d.image(shapes[k], [rows[k]], [d.anywhere(rows[k])], colours[k]) for k in range(4)], "size")


@rule(
    3,
    "color",
    "C",
    reference="all have one colour",
    odd={"hue": "has another hue"},
    train=Law(Shapes("image"), Sizes("image", 0.6, 1 / 3), Colours("all", Band(0.5, 1), Band(0.5, 1))),
    unseen=Law(Shapes("image"), Sizes("image", 0.6, 1 / 4), Colours("all", Band(0.1, 0.5), Band(0.4, 0.9))),
)
def color(d: Draw) -> Drawn:
    """One object anywhere."""
    shapes, sizes = d.shapes_of(ONE), d.sizes_of(ONE)
    hue, s, v = d.colour()
    colours = [(hue, s, v)] * 3 + [(d.other_hue(hue), s, v)]
    return d.drawn([d.image(shapes[k], sizes[k], [d.anywhere(sizes[k][0])], [colours[k]]) for k in range(4)], "hue")


@rule(
    4,
    "rot",
    "R",
    reference="all have one shape, each turned by its own angle",
    odd={"shape": "has another shape"},
    train=Law(Shapes("all"), Sizes("object", 0.4), vivid()),
    unseen=Law(Shapes("all"), Sizes("object", 0.8), pale("image")),
)
def rot(d: Draw) -> Drawn:
    """One object anywhere. In the published rule the odd one is never turned."""
    angles = [d.uniform(0, 360) for _ in range(3)]
    return d.drawn(_single(d, [0, 0, 0, 1], [*angles, 0.0 if d.published else d.uniform(0, 360)], [False] * 4), "shape")


@rule(
    5,
    "flip",
    "F",
    reference="all have one shape, some its mirror image",
    odd={"shape": "has another shape"},
    train=Law(Shapes("all"), Sizes("object", 0.4), vivid()),
    unseen=Law(Shapes("all"), Sizes("object", 0.8), pale("image")),
)
def flip(d: Draw) -> Drawn:
    """One object anywhere; two of the four are mirrored. In the published rule the odd one is never mirrored."""
    flips = d.choices([False, True, False, True], 4)
    return d.drawn(_single(d, [0, 0, 0, 1], [0.0] * 4, [*flips[:3], False] if d.published else flips), "shape")


@rule(
    6,
    "count",
    "N",
    reference="all have one number of objects",
    odd={"number": "has another number"},
    train=Law(Shapes("all"), Sizes("all", per(0.8)), vivid("all"), number=(1, 5)),
    unseen=Law(Shapes("any"), Sizes("any", root(0.9, 4)), pale(), number=(4, 8)),
)
def count(d: Draw) -> Drawn:
    """Objects anywhere."""
    usual, other = d.choices(range(d.law.number[0], d.law.number[1] + 1), 2)
    counts = [usual] * 3 + [other]
    shapes, sizes, colours = d.shapes_of(counts), d.sizes_of(counts, max(counts)), d.colours_of(counts)
    return d.drawn([d.image(shapes[k], sizes[k], d.free(sizes[k]), colours[k]) for k in range(4)], "number")


@rule(
    7,
    "inside",
    "I",
    reference="one object lies in the other",
    odd={"outside": "has one beside the other"},
    train=Law(Shapes("object", Style(0.01), Style(0.07, 0.2)), Sizes("object", 0.5, ratio=STD), vivid()),
    unseen=Law(Shapes("object", Style(0.01), Style(0.07, 0.2)), Sizes("object", 0.6, ratio=STD), pale("image")),
)
def inside(d: Draw) -> Drawn:
    """A hollow object and a small one. In the published rule the odd hollow one has a jagged line."""
    law, colours = d.law, d.colours_of([2] * 4)
    images = []
    for k in range(4):
        style = Style(0.01, law.shape.hollow.hole) if d.published and k == 3 else law.shape.hollow
        size, ratio = d.uniform(*law.size.span()), d.uniform(*law.size.ratio)
        if k < 3:
            images.append(d.until(lambda: _nested(d, style, size, ratio, colours[k])))  # noqa: B023
        else:
            shapes = [*d.shapes(1, style), *d.shapes(1, law.shape.style)]
            sizes = [size, size * ratio]
            images.append(d.image(shapes, sizes, d.free(sizes), colours[k]))
    return d.drawn(images, "outside")


def _nested(d: Draw, style: Style, size: float, ratio: float, colours: list[Colour]) -> Image:
    """Draw a new hollow object with a small one in it."""
    shapes = [*d.shapes(1, style), *d.shapes(1, d.law.shape.style)]
    place, centre = d.inside(shapes[0], [ratio], size)[0][0], d.anywhere(size)
    return d.image(shapes, [size, size * ratio], [centre, centre + size * place], colours)


@rule(
    8,
    "contact",
    "T",
    reference="two objects touch",
    odd={"apart": "has two objects that do not touch"},
    train=Law(Shapes("object"), Sizes("object", 0.4), vivid("all")),
    unseen=Law(Shapes("object"), Sizes("object", 0.2), pale("image")),
)
def contact(d: Draw) -> Drawn:
    """Two objects."""
    counts = [2] * 4
    shapes, sizes, colours = d.shapes_of(counts), d.sizes_of(counts), d.colours_of(counts)
    images = []
    for k in range(3):
        centres, box = d.until(lambda: d.clump(shapes[k], sizes[k]), lambda clump: clump[1].max() < 1 - GAP)  # noqa: B023
        images.append(d.image(shapes[k], sizes[k], centres + d.anywhere(box.tolist()), colours[k]))
    images.append(d.image(shapes[3], sizes[3], d.free(sizes[3]), colours[3]))
    return d.drawn(images, "apart")


# Whether numbers are even, as the references of training are, or the odd image's only one or either.
EVEN, EITHER = ((0, 1),), ((0, 1), (0, -1), (1, 0), (-1, 0))


@rule(
    18,
    "count_count",
    "NN",
    reference="the numbers of objects differ, but all are even, or all uneven",
    odd={"parity": "has a number of the other kind"},
    train=Law(Shapes("all"), Sizes("all", per(0.8)), vivid(), number=(2, 4, 6, 8), direction=EVEN),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 3)), pale(), number=(6, 8, 10, 12), direction=EITHER),
    least=5,
)
def count_count(d: Draw) -> Drawn:
    """Objects anywhere; the four numbers are different even ones, to which one is added or not. Published ones leave the frame."""
    usual, other = d.choice(d.law.direction)
    evens = d.choices(d.law.number, 4)
    counts = [*(n + usual for n in evens[:3]), evens[3] + other]
    shapes, colours = d.shapes_of(counts), d.colours_of(counts)
    # Of more than ten in a row the smallest could not be seen.
    low, high = (max(size, 0.0 if d.published else 5 * PIXEL) for size in d.law.size.span(max(counts)))
    sizes = d.shared(d.law.size.share, counts, lambda n: d.rng.uniform(low, high, n).tolist())
    # Where all have one size, the published centres are in [0, .8], without a margin.
    half = sizes[0][0] / 2 if d.published and d.law.size.share == "all" else None
    within = (0.0, 0.0, 1.0, 1.0) if half is None else (-half, -half, 0.8 + half, 0.8 + half)
    images = [d.image(shapes[k], sizes[k], d.free(sizes[k], within), colours[k]) for k in range(4)]
    return d.drawn(images, "parity")
