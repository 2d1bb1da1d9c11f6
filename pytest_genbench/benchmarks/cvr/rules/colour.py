"""Colour with itself, with shape, inside and contact (40, 41, 63, 74, 75, 76): one object, or one for each role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..contours import PLAIN, Shape, Style
from ..draw import Draw
from ..laws import Band, Colours, Law, Shapes, Sizes, per, root
from ..place import PIXEL
from ..rule import Drawn, Family
from ..scene import Colour, Image
from .contact import beside
from .elementary import STD
from .nesting import LEAST, nested, part, supply

rule = Family()

TWO = [2, 2, 2, 2]

SEEN = 6 * PIXEL
"""Size of the smallest object whose hue can be seen."""

HOLDING = 0.15
"""Size of the smallest object that can hold one that is seen; the published rule goes down to .11."""

PATTERNS = ("0000", "0011", "0101", "2210", "0221", "0123")
"""Which objects of two pairs have one hue: all; those of a pair; one of each pair, twice or once; those of one pair; none."""


@rule(
    40,
    "color_color_1",
    "CC",
    reference="both objects have one hue",
    odd={"hue": "has two hues"},
    train=Law(
        Shapes("object"),
        Sizes("object", 0.4, 1 / 3),
        Colours(s=Band(0.2, 0.7, "object"), v=Band(0.5, 1, "object")),
        direction="x",
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", 0.45, 0.2),
        Colours(s=Band(0.5, 1, "object"), v=Band(0.35, 0.85, "object")),
        direction="xy",
    ),
    least=8,
)
def color_color_1(d: Draw) -> Drawn:
    """Two objects side by side. In the published rule they may change places, whatever their sizes."""
    axis = d.choice(d.law.direction)
    shapes, sizes = d.shapes_of(TWO), d.sizes_of(TWO)
    hues = [[d.uniform(0, 1)] * 2 for _ in range(4)]
    hues[3][1] = d.other_hue(hues[3][0])
    colours, images = d.hued(hues), []
    for k in range(4):
        centres = d.on_axis(sizes[k], axis)
        if d.published and d.law.direction == "x" and d.chance():
            centres = centres[::-1]
        images.append(d.image(shapes[k], sizes[k], centres, colours[k]))
    return d.drawn(images, "hue")


@rule(
    41,
    "color_color_2",
    "CC",
    reference="all objects of an image have one hue",
    odd={"hue": "has objects of other hues"},
    train=Law(
        Shapes("object"),
        Sizes("object", per(0.9), 1 / 3),
        Colours(s=Band(0.3, 1, "object"), v=Band(0.7, 1, "object")),
        number=(3, 6),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 2), 1 / 3),
        Colours(s=Band(0.3, 1, "object"), v=Band(0.35, 0.85, "object")),
        number=(5, 8),
    ),
)
def color_color_2(d: Draw) -> Drawn:
    """Objects anywhere, each odd one of its own hue."""
    counts = [d.integer(*d.law.number) for _ in range(4)]
    shapes = d.shapes_of(counts)
    # Only many objects of sizes that fall with their number, as in the set of the number alone, can be too small.
    sizes = [d.until(lambda: d.sizes_of([n], n)[0], lambda row: min(row) >= SEEN) for n in counts]  # noqa: B023
    hues = [[d.uniform(0, 1)] * n for n in counts]
    for k in range(d.integer(1, counts[3] - 1)):
        hues[3][k] = d.other_hue(hues[3][-1])
    colours = d.hued(hues)
    return d.drawn([d.image(shapes[k], sizes[k], d.free(sizes[k]), colours[k]) for k in range(4)], "hue")


@rule(
    63,
    "shape_color",
    "SC",
    reference="each of two shapes has a hue that all have in common",
    odd={"hue": "has the two hues exchanged"},
    train=Law(
        Shapes("slot"),
        Sizes("object", 0.45),
        Colours(s=Band(0.6, 1, "object"), v=Band(0.5, 1, "object")),
        direction="xy",
    ),
    unseen=Law(
        Shapes("slot"),
        Sizes("object", 0.45, 1 / 4),
        Colours(s=Band(0.4, 1, "object"), v=Band(0.35, 0.85, "object")),
        direction="xy",
    ),
    least=8,
)
def shape_color(d: Draw) -> Drawn:
    """Two objects side by side. In the published rule the first shape always comes first, so that no shape has to be seen."""
    shapes, sizes, colours = d.shapes(2, distinct=True), d.sizes_of(TWO), d.hued(_exchanged(d))
    images = []
    for k in range(4):
        axis = d.choice(d.law.direction)
        step = -1 if not d.published and d.chance() else 1
        centres = d.on_axis(sizes[k][::step], axis)[::step]
        images.append(d.image(shapes, sizes[k], centres, colours[k]))
    return d.drawn(images, "hue")


@rule(
    74,
    "color_inside_1",
    "CI",
    reference="the outer and the inner object each have a hue that all have in common",
    odd={"hue": "has the two hues exchanged"},
    train=Law(
        Shapes("object", PLAIN, Style(0.08, 0.2)),
        Sizes("image", 0.7, ratio=STD),
        Colours(s=Band(0.6, 1, "object"), v=Band(0.5, 1, "object")),
    ),
    unseen=Law(
        Shapes("object", PLAIN, Style(0.08, 0.2)),
        Sizes("image", 0.7, ratio=STD),
        Colours(s=Band(0.4, 1, "object"), v=Band(0.35, 0.85, "object")),
    ),
    least=8,
)
def color_inside_1(d: Draw) -> Drawn:
    """A hollow object and a small one in it."""
    sizes, colours = d.sizes_of([1] * 4), d.hued(_exchanged(d))
    hollow, inners = supply(d, d.law.shape.hollow, 5), d.shapes(4, d.law.shape.style)
    images = []
    for inner, (size,), pair in zip(inners, sizes, colours, strict=True):
        ratio, centre = d.uniform(*d.law.size.ratio), d.anywhere(size)
        outer, (place,) = nested(d, hollow, [ratio], size)
        images.append(d.image([outer, inner], [size, size * ratio], [centre, centre + size * place], pair))
    return d.drawn(images, "hue")


@rule(
    75,
    "color_inside_2",
    "CI",
    reference="each object in another has the colour of that",
    odd={"hue": "has objects in others of another hue"},
    train=Law(
        Shapes("object", Style(0.06, 0.2), Style(0.06, 0.2)),
        Sizes("object", root(0.9, 2), ratio=STD),
        Colours(s=Band(0.6, 1, "object"), v=Band(0.5, 1, "object")),
        number=(2, 6),
    ),
    unseen=Law(
        Shapes("object", PLAIN, Style(0.06, 0.2)),
        Sizes("object", root(0.9, 2), ratio=STD),
        Colours(s=Band(0.4, 1, "object"), v=Band(0.35, 0.85, "object")),
        number=(4, 8),
    ),
)
def color_inside_2(d: Draw) -> Drawn:
    """Objects anywhere, some with one in them. In the published rule an odd one may have the hue of what it lies in."""
    n = d.integer(*d.law.number)
    holding = [d.integer(1, n - 1) for _ in range(4)]
    law = d.law.size if d.published else replace(d.law.size, low=max(d.law.size.low, HOLDING / d.law.size.most_of(n)))
    sizes = d.sizes_of([n] * 4, n, law)
    outers = d.hued([[d.uniform(0, 1) for _ in range(n)] for _ in range(4)])
    inners = [row[:held] for row, held in zip(outers, holding, strict=True)]
    (inners[3],) = d.hued([[d.uniform(0, 1) if d.published else d.other_hue(hue) for hue, _, _ in inners[3]]])
    hollow, plain = supply(d, d.law.shape.hollow, sum(holding) + 3), d.shapes(4 * n - sum(holding))
    small = d.shapes(sum(holding), d.law.shape.style)
    images = []
    for k, held in enumerate(holding):
        shapes = [plain.pop() for _ in range(n - held)], [small.pop() for _ in range(held)]
        images.append(_filled(d, hollow, *shapes, sizes[k], [*outers[k], *inners[k]]))
    return d.drawn(images, "hue")


@rule(
    76,
    "color_contact",
    "CT",
    reference="the objects of two touching pairs share hues in one pattern",
    odd={"pattern": "has pairs that share hues in another pattern"},
    train=Law(Shapes("all"), Sizes("object", 0.225), Colours(s=Band(0.6, 1, "object"), v=Band(0.5, 1, "all"))),
    unseen=Law(
        Shapes("image"),
        Sizes("object", 0.318),
        Colours(s=Band(0.6, 1, "object"), v=Band(0.5, 1, "object")),
    ),
    least=8,
)
def color_contact(d: Draw) -> Drawn:
    """Two pairs side by side. In the published rule the order of the hues follows the pattern."""
    counts, (usual, other) = [4] * 4, d.choices(PATTERNS, 2)
    shapes, sizes = d.shapes_of(counts), d.sizes_of(counts)
    rows = []
    for k, pattern in enumerate([usual, usual, usual, other]):
        number = len(set(pattern))
        # Where it has one hue, the published odd image draws it from the range of sizes.
        single = d.law.size.span() if d.published and k == 3 else (0.0, 1.0)
        hues = d.hues(number) if number > 1 else [d.uniform(*single)]
        if not d.published:
            hues = d.choices(hues, number)
        rows.append([hues[int(rank)] for rank in pattern])
    colours = d.hued(rows)
    images = []
    for k in range(4):
        centres = d.until(lambda: beside(d, [d.clump(shapes[k][j : j + 2], sizes[k][j : j + 2]) for j in (0, 2)]))  # noqa: B023
        images.append(d.image(shapes[k], sizes[k], centres, colours[k]))
    return d.drawn(images, "pattern")


def _exchanged(d: Draw) -> list[list[float]]:
    """Draw two hues, which the odd image has the other way round."""
    hue = d.uniform(0, 1)
    other = d.other_hue(hue)
    return [[hue, other]] * 3 + [[other, hue]]


def _filled(
    d: Draw,
    hollow: Iterator[Shape],
    plain: list[Shape],
    inners: list[Shape],
    sizes: Sequence[float],
    colours: Sequence[Colour],
) -> Image:
    """Draw objects anywhere, the first of which hold each a small one; colours of all of them, then of the small ones."""
    centres, outers, small, places = d.free(sizes), [], [], []
    for size, centre in zip(sizes[: len(inners)], centres, strict=False):
        ratio = part(d, size, LEAST)
        outer, (place,) = nested(d, hollow, [ratio], size)
        outers.append(outer)
        small.append(size * ratio)
        places.append(centre + size * place)
    return d.image([*outers, *plain, *inners], [*sizes, *small], [*centres, *places], colours)
