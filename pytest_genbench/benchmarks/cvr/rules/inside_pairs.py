"""Rules of things that lie in others, of which another relation decides: shape, rotation, flip, symmetry or contact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..alike import differ
from ..contours import Shape, Style
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, per, root, vivid
from ..place import GAP, PIXEL, Array
from ..rule import Drawn, Family
from ..scene import Image, transposed, turned
from .contact import beside
from .doubled import Second, Turn, doubled, two_sizes
from .elementary import STD
from .nesting import Row, layouts, lies_inside, nested, painted, part, rows, supply

rule = Family()

LEAST = 8.0
"""Smallest side in pixels of what lies in something, where its shape matters."""

HOLLOW = Style(0.06, 0.2)
"""Style of things whose shape matters that lie in others or hold them."""


@rule(
    66,
    "shape_inside",
    "SI",
    reference="of two shapes one and the same lies in the other",
    odd={"exchanged": "has the other shape inside"},
    train=Law(Shapes("slot", HOLLOW, HOLLOW), Sizes("object", 0.5, ratio=STD), vivid()),
    unseen=Law(Shapes("slot", HOLLOW, HOLLOW), Sizes("object", 0.7, 1 / 3, STD), pale()),
    least=LEAST,
)
def shape_inside(d: Draw) -> Drawn:
    """Two shapes, each with room for the other."""

    def attempt() -> list[list[Row]]:
        pair, images = d.shapes(2, d.law.shape.hollow, distinct=True), []
        for k in range(4):
            outer, inner = pair if k < 3 else pair[::-1]
            size = d.uniform(*d.law.size.span())
            ratio = part(d, size, LEAST)
            place, centre = layouts(d, outer, [ratio], size)[0, 0], d.anywhere(size)
            images.append(rows([outer, inner], [size, size * ratio], [centre, centre + size * place]))
        return images

    return d.drawn(painted(d, d.until(attempt)), "exchanged")


# A thing in the middle of another


def _centred(d: Draw, inner: Callable[[Shape, bool], tuple[Shape, Turn]], *, chiral: bool = False) -> list[Image]:
    """Draw things side by side, and in the middle of the first of each image another, which depends on the outer shape.

    Args:
        d: What to draw with.
        inner: Makes the inner shape and its turn for the outer one, and for whether the image is the odd one.
        chiral: Whether flips of the outer shapes are to be seen.
    """
    counts = [d.integer(*d.law.number) for _ in range(4)]
    held = [d.integer(1, n - 1) for n in counts]
    hollow = supply(d, d.law.shape.hollow, sum(held) + 2, chiral=chiral)
    plain = d.shapes(sum(counts) - sum(held), d.law.shape.style)
    images: list[list[Row]] = []
    for k, n in enumerate(counts):
        sizes = d.rng.uniform(*d.law.size.span(n), n).tolist()
        centres = d.free(sizes)
        holders, parts = [], []
        for i in range(held[k]):
            ratio = part(d, sizes[i], LEAST)
            outer, (shape, turn) = _with_room(d, hollow, lambda outer: inner(outer, k == 3), ratio, sizes[i])  # noqa: B023
            holders += rows([outer], [sizes[i]], [centres[i]])
            parts.append((shape, sizes[i] * ratio, centres[i], *turn))
        others = [plain.pop() for _ in range(n - held[k])]
        images.append([*holders, *rows(others, sizes[held[k] :], centres[held[k] :]), *parts])
    return painted(d, images)


def _with_room(
    d: Draw, hollow: Iterator[Shape], inner: Callable[[Shape], tuple[Shape, Turn]], ratio: float, size: float
) -> tuple[Shape, tuple[Shape, Turn]]:
    """Take the first shape of a supply that has room in its middle; the published rules take any."""

    def attempt() -> tuple[Shape, tuple[Shape, Turn]]:
        outer = next(hollow)
        return outer, inner(outer)

    def fits(made: tuple[Shape, tuple[Shape, Turn]]) -> bool:
        outer, (shape, turn) = made
        return d.published or lies_inside(outer.points, ratio * turned(shape.points, *turn), size)

    return d.until(attempt, fits)


_SIDES = Sizes("object", root(0.9, 2), 2 / 3, (1 / 3, 1 / 2))


@rule(
    67,
    "shape_inside_1",
    "SI",
    reference="what lies in an object has that object's shape",
    odd={"shape": "has other shapes inside"},
    train=Law(Shapes("object", hollow=HOLLOW), _SIDES, vivid(), number=(2, 3)),
    unseen=Law(Shapes("object", hollow=HOLLOW), _SIDES, pale(), number=(2, 3)),
    least=LEAST,
)
def shape_inside_1(d: Draw) -> Drawn:
    """Objects anywhere, some with another in the middle."""
    return d.drawn(_centred(d, lambda outer, odd: (d.another(outer) if odd else outer, (0.0, False))), "shape")


@rule(
    72,
    "rot_inside_2",
    "RI",
    reference="what lies in an object has that object's shape, turned by right angles",
    odd={"shape": "has other shapes inside"},
    train=Law(Shapes("object", hollow=HOLLOW), _SIDES, vivid(), number=(2, 3)),
    unseen=Law(Shapes("object", hollow=HOLLOW), _SIDES, pale(), number=(2, 3)),
    least=LEAST,
)
def rot_inside_2(d: Draw) -> Drawn:
    """Objects anywhere, some with another in the middle, turned by 90, 180 or 270 degrees, as published perhaps by none."""

    def inner(outer: Shape, odd: bool) -> tuple[Shape, Turn]:
        return d.another(outer) if odd else outer, (90.0 * d.integer(0 if d.published else 1, 3), False)

    return d.drawn(_centred(d, inner), "shape")


@rule(
    93,
    "flip_inside_2",
    "FI",
    reference="what lies in an object is that object's mirror image",
    odd={"unflipped": "has turned copies inside, not mirrored ones"},
    train=Law(Shapes("object", hollow=HOLLOW), _SIDES, vivid(), number=(2, 3)),
    unseen=Law(Shapes("object", hollow=HOLLOW), _SIDES, pale(), number=(3, 4)),
    least=LEAST,
)
def flip_inside_2(d: Draw) -> Drawn:
    """Objects anywhere, some with another in the middle."""

    def inner(outer: Shape, odd: bool) -> tuple[Shape, Turn]:
        return outer, (d.uniform(-30, 30) % 360 if odd else 0.0, not odd)

    return d.drawn(_centred(d, inner, chiral=True), "unflipped")


# Two things, each with another in it
@rule(
    71,
    "rot_inside_1",
    "RI",
    reference="one of two nested pairs is the other one turned as a whole",
    odd={
        "inner": "has the inner object of one pair turned by itself",
        "outer": "has the outer object turned by itself",
    },
    train=Law(Shapes("image", hollow=Style(0.08, 0.2)), Sizes("object", 0.45, ratio=STD), vivid()),
    unseen=Law(Shapes("image", hollow=Style(0.08, 0.2)), Sizes("object", 0.45, ratio=STD), pale()),
    least=LEAST,
)
def rot_inside_1(d: Draw) -> Drawn:
    """Two objects, each with another in it, turned by right angles; in the odd image by 90 to 180 degrees more."""
    kind = d.choice(("inner", "outer"))
    seconds = []
    for k in range(4):
        turn = (90.0 * d.integer(0, 3), False)
        other = ((turn[0] + d.uniform(90, 180)) % 360, False) if k == 3 else turn
        seconds.append(Second(other, turn, turn) if kind == "outer" else Second(turn, other, turn))
    sizes = [two_sizes(d, False) for _ in range(4)]
    ratios = [[part(d, size, LEAST) for size in pair] for pair in sizes]
    return d.drawn(painted(d, doubled(d, seconds, sizes, ratios, chiral=False)), kind)


@rule(
    92,
    "flip_inside_1",
    "FI",
    reference="one of two nested pairs is the mirror image of the other",
    odd={
        "inner": "has the inner object of one pair turned, not mirrored",
        "outer": "has the outer object of one pair turned, not mirrored",
    },
    train=Law(Shapes("image", hollow=Style(0.08, 0.2)), Sizes("image", 0.45, ratio=STD), vivid()),
    unseen=Law(Shapes("image", hollow=Style(0.08, 0.2)), Sizes("image", 0.35, ratio=STD), pale()),
    least=LEAST,
)
def flip_inside_1(d: Draw) -> Drawn:
    """Two objects of one size, each with another in it."""
    kind, turn, mirror = d.choice(("inner", "outer")), (d.uniform(-30, 30) % 360, False), (0.0, True)
    odd = Second(turn, mirror, turn) if kind == "outer" else Second(mirror, turn, mirror)
    sizes = [two_sizes(d, True) for _ in range(4)]
    ratios = [[part(d, size, LEAST)] * 2 for size, _ in sizes]
    return d.drawn(
        painted(d, doubled(d, [Second(mirror, mirror, mirror)] * 3 + [odd], sizes, ratios, chiral=True)), kind
    )


# Symmetry


@rule(
    90,
    "inside_sym_mir",
    "IM",
    reference="objects that hold another are mirror images of each other, objects that hold none are not",
    odd={"exchanged": "has mirror images only of those that hold none"},
    train=Law(
        Shapes("all", hollow=HOLLOW),
        Sizes("object", per(0.9), 2 / 3, STD),
        vivid(),
        number=(2, 4),
        direction=("size", "x"),
    ),
    unseen=Law(
        Shapes("all", hollow=HOLLOW),
        Sizes("object", per(0.9), 2 / 3, STD),
        pale(),
        number=(2, 4),
        direction=("free", "rand"),
    ),
)
def inside_sym_mir(d: Draw) -> Drawn:
    """Pairs to the left and right of the middle, the first of which hold another."""
    n = d.integer(*d.law.number)
    held, (place, axis) = d.integer(1, n - 1), d.law.direction
    (outer,) = d.shapes(1, d.law.shape.hollow, chiral=True)
    small, others = d.shapes(4 * held, d.law.shape.style, chiral=True), supply(d, d.law.shape.style, 2 * (n - held))
    upright = axis == "x" or d.chance()
    images = []
    for k in range(4):
        sizes, centres = _left_half(d, n, place)
        inside: list[tuple[float, Array]] = [d.until(lambda: _spot(d, outer, size)) for size in sizes[:held]]  # noqa: B023
        image: list[Row] = []
        for i, (size, centre) in enumerate(zip(sizes, centres, strict=True)):
            mirrored = (i < held) is (k < 3)
            right = np.array([1 - centre[0], centre[1]])
            image += [(outer, size, centre, 0.0, False), (outer, size, right, 0.0, mirrored)]
            if i < held:
                inner, (ratio, offset) = small.pop(), inside[i]
                image.append((inner, size * ratio, centre + size * offset, 0.0, False))
                offset = turned(offset, 0.0, mirrored)
                image.append((inner, size * ratio, right + size * offset, 0.0, mirrored))
            elif not mirrored and d.chance():
                # One of a mirrored pair has another shape.
                new = _unlike(d, outer, others)
                left = d.chance()
                image[-2:] = [
                    (new if left else outer, size, centre, 0.0, False),
                    (outer if left else new, size, right, 0.0, left),
                ]
        images.append(image)
    drawn = painted(d, images)
    return d.drawn(drawn if upright else [transposed(image) for image in drawn], "exchanged")


def _left_half(d: Draw, n: int, place: str) -> tuple[list[float], Array]:
    """Draw sizes and places of the left members of n pairs: the smaller the nearer to the middle, or at any distance from it."""
    low, high = d.law.size.span(n)
    if not d.published:
        # Room for the largest beside the middle, and in the smallest for six pixels.
        low, high = max(low, 22 * PIXEL), min(high, (0.5 - GAP) / 1.15)
    sizes = d.rng.uniform(low, high, n)
    least, most = sizes.min(), sizes.max()
    if place == "size":
        x = 0.5 - 0.65 * least - (sizes - least) / (most - least) * (0.5 - 0.65 * (least + most))
    else:
        margin = 0.0 if d.published else GAP / 2
        x = d.rng.uniform(sizes / 2 + margin, 0.5 - sizes / 2 - margin)
    order = d.order(n)
    y = np.empty(n)
    y[order] = d.pack(sizes[order])
    return sizes.tolist(), np.stack([x, y], axis=1)


def _spot(d: Draw, outer: Shape, size: float) -> tuple[float, Array]:
    """Draw ratio and place (2,) of a thing in one of this shape and size."""
    ratio = part(d, size, 6)
    place: Array = layouts(d, outer, [ratio], size)[0, 0]
    return ratio, place


def _unlike(d: Draw, outer: Shape, others: Iterator[Shape]) -> Shape:
    return next(others) if d.published else d.until(lambda: next(others), lambda shape: differ(shape, outer))


# Contact

_STATES = (((0, 1), (2, 3)), ((0, 2), (1, 3)))
"""Which of four things touch: those that hold another each other, or each one that holds none."""


@rule(
    79,
    "inside_contact",
    "IT",
    reference="of four objects that touch in pairs either the two that hold another touch each other, or each touches an empty one",
    odd={
        "together": "has the two that hold another touch each other",
        "mixed": "has each of the two touch an empty one",
    },
    train=Law(Shapes("object", hollow=HOLLOW), Sizes("object", 0.318, ratio=STD), vivid("all")),
    unseen=Law(Shapes("object", hollow=HOLLOW), Sizes("object", 0.318, ratio=STD), pale()),
)
def inside_contact(d: Draw) -> Drawn:
    """Two pairs that touch; two of the four objects hold another."""
    state = d.integer(0, 1)
    hollow, inner, plain = (
        supply(d, d.law.shape.hollow, 18),
        d.shapes(8, d.law.shape.hollow),
        d.shapes(8, d.law.shape.style),
    )
    images = []
    for k in range(4):
        pairs = _STATES[state if k < 3 else 1 - state]
        others = [plain.pop(), plain.pop()]
        sizes, shapes, insides, centres = d.until(lambda: _two_clumps(d, hollow, others, pairs))  # noqa: B023
        parts = [
            (inner.pop(), sizes[i] * ratio, centres[i] + sizes[i] * place) for i, (ratio, place) in enumerate(insides)
        ]
        images.append([*rows(shapes, sizes, centres), *rows(*zip(*parts, strict=True))])
    return d.drawn(painted(d, images), ("mixed", "together")[state])


def _two_clumps(
    d: Draw, hollow: Iterator[Shape], others: Sequence[Shape], pairs: tuple[tuple[int, int], ...]
) -> tuple[list[float], list[Shape], list[tuple[float, Array]], Array]:
    """Draw four things that touch in pairs: sizes, shapes, ratio and place of what lies in the first two, centres (4, 2)."""
    low, high = d.law.size.span()
    # Six pixels find room in 24, with lines that touch around them.
    sizes: list[float] = d.rng.uniform(low if d.published else max(low, 24 * PIXEL), high, 4).tolist()
    shapes = [*others]
    insides: list[tuple[float, Array]] = []
    for k in (1, 0):
        ratio = part(d, sizes[k], 6)
        # The lines of things that touch cross by about a pixel.
        shape, places = nested(d, hollow, [ratio], sizes[k], many=96, margin=3 * PIXEL)
        shapes.insert(0, shape)
        insides.insert(0, (ratio, places[0]))
    centres = np.empty((4, 2))
    centres[np.concatenate(pairs)] = beside(
        d, [d.clump([shapes[i] for i in pair], [sizes[i] for i in pair]) for pair in pairs]
    )
    return sizes, shapes, insides, centres
