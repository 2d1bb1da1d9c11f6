"""Rules about size and one other relation: shape, inside, contact, count or colour (56 to 62, 82, 83)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .. import place
from ..contours import Shape, Style
from ..draw import Draw
from ..laws import Band, Colours, Law, Shapes, Sizes, pale, root, vivid
from ..place import PIXEL
from ..rule import Drawn, Family
from ..scene import Colour, Image
from .contact import beside, two_splits
from .elementary import STD
from .groups import repeated
from .nesting import nested, part, supply
from .size import Couple, couple

rule = Family()

FULL = 0.9
"""Most that the sizes of an image add up to, so that they have room beside each other."""


@dataclass(frozen=True)
class Mended(Sizes):
    """A law under which each object, and each difference of two sizes, can be seen.

    Attributes:
        was: The published law.
        was_odd: The published range of ratios of the odd image, where it has its own.
    """

    was: Sizes = field(default_factory=Sizes)
    was_odd: tuple[float, float] | None = None


def sizes_law(d: Draw) -> Sizes:
    """The law of sizes that is to be followed."""
    law = d.law.size
    return law.was if d.published and isinstance(law, Mended) else law


def ratios(d: Draw, n: int, ratio: tuple[float, float]) -> list[float]:
    """Draw n ratios, ascending, each two at least a quarter of their range apart (up to five have room)."""
    width = (ratio[1] - ratio[0]) / 4
    found = place.pack(d.rng, [width] * n, ratio[0] - width / 2, ratio[1] + width / 2, strict=False)
    return [float(each) for each in found]


def fitted(sizes: Sequence[float]) -> list[float]:
    """Make sizes smaller in proportion where they add up to too much."""
    scale = min(1.0, FULL / sum(sizes))
    return [scale * size for size in sizes]


def _shapes(d: Draw, n: int) -> list[list[Shape]]:
    """Draw n shapes that look different, for all images or for each."""
    if d.law.shape.share == "slot":
        return [d.shapes(n, distinct=True)] * 4
    return [d.shapes(n, distinct=True) for _ in range(4)]


# Shape


@rule(
    56,
    "size_shape_1",
    "ZS",
    reference="two of one shape are large and two of another are small; or of each shape one is large and one is small",
    odd={
        "exchanged": "has the two shapes exchanged between the large and the small",
        "mixed": "has of each shape one that is large and one that is small",
        "sorted": "has two large ones of one shape and two small ones of another",
    },
    train=Law(Shapes("slot"), Sizes("image", 0.2925, ratio=(1 / 3, 2 / 3)), vivid()),
    unseen=Law(Shapes("image"), Sizes("image", 0.318, ratio=(1 / 3, 2 / 3)), pale()),
)
def size_shape_1(d: Draw) -> Drawn:
    """Four objects. Where each image has its own shapes an exchange could not be seen, and the odd image mixes sizes instead."""
    is_sorted = d.chance()
    kind = "sorted" if not is_sorted else "exchanged" if d.law.shape.share == "slot" else "mixed"
    patterns = {"sorted": (0, 0, 1, 1), "exchanged": (1, 1, 0, 0), "mixed": (0, 1, 0, 1)}
    usual, odd = patterns["sorted" if is_sorted else "mixed"], patterns[kind]
    shapes, colours, images = _shapes(d, 2), d.colours_of([4] * 4), []
    for k, (large,) in enumerate(d.sizes_of([1] * 4)):
        pair = (large, large * d.uniform(*d.law.size.ratio))
        sizes = fitted([pair[each] for each in (usual if k < 3 else odd)])
        a, b = shapes[k]
        images.append(d.image([a, a, b, b], sizes, d.free(sizes), colours[k]))
    return d.drawn(images, kind)


@rule(
    57,
    "size_shape_2",
    "ZS",
    reference="four shapes make two couples; the first of both is smaller than the second, or that of both is larger",
    odd={"opposite": "has the first smaller in one couple and larger in the other"},
    train=Law(
        Shapes("slot"), Couple("object", 0.125, 0.4, step=(0.075, 0.2), least=8 * PIXEL), vivid(), direction="smaller"
    ),
    unseen=Law(
        Shapes("slot"), Couple("object", 0.318, 0.5, ratio=(1 / 3, 2 / 3), least=8 * PIXEL), pale(), direction="any"
    ),
    least=8,
)
def size_shape_2(d: Draw) -> Drawn:
    """Four objects, the first of each couple and then the second; which is smaller may differ from image to image."""
    shapes, colours, law, images = d.shapes(4, distinct=True), d.colours_of([4] * 4), d.law.size, []
    assert isinstance(law, Couple)
    for k in range(4):
        one, two = couple(d, law), couple(d, law)
        if d.law.direction == "any" and d.chance():
            one, two = one[::-1], two[::-1]
        if k == 3:
            two = two[::-1]
        sizes = [one[0], two[0], one[1], two[1]]
        images.append(d.image(shapes, sizes, d.free(sizes), colours[k]))
    return d.drawn(images, "opposite")


# Inside


@rule(
    59,
    "size_inside_1",
    "ZI",
    reference="of two objects the larger holds a third, or in all the smaller",
    odd={"holder": "has it in the other one of the two"},
    train=Law(
        Shapes("object", hollow=Style(0.06, 0.2)),
        Sizes("object", 0.495, ratio=(0.5, 0.667)),
        vivid(),
        direction=("large",),
    ),
    unseen=Law(
        Shapes("object", hollow=Style(0.06, 0.2)),
        Sizes("object", 0.45, ratio=(0.5, 0.75)),
        pale(),
        direction=("large", "small"),
    ),
    least=5,
)
def size_inside_1(d: Draw) -> Drawn:
    """Two hollow objects, first that with another inside."""
    usual, colours, images = d.choice(d.law.direction) == "large", d.colours_of([3] * 4), []
    hollow, inner = supply(d, d.law.shape.hollow, 10), d.shapes(4, d.law.shape.style)
    for k in range(4):
        large = d.uniform(*d.law.size.span())
        pair = (large, large * d.uniform(*d.law.size.ratio))
        sizes = pair if (k < 3) == usual else pair[::-1]
        ratio = part(d, sizes[0], 5, STD)
        holder, (place,) = nested(d, hollow, [ratio], sizes[0])
        centres = d.on_axis(sizes, d.choice("xy"))
        places = [*centres, centres[0] + sizes[0] * place]
        images.append(d.image([holder, next(hollow), inner[k]], [*sizes, sizes[0] * ratio], places, colours[k]))
    return d.drawn(images, "holder")


# Contact

MEAN_SUM = 8 / 3
"""Usual sum of the four sizes of a pattern over the largest; with the largest that the law allows they add up to .9."""

PATTERNS = ("0000", "0011", "0101", "2210", "0021", "1120", "0123", "0213", "0312")
"""Ranks of the sizes of two objects that touch, and of two others; no two are alike if objects or couples change places."""


@rule(
    60,
    "size_contact",
    "ZT",
    reference="two couples touch, and which of the four sizes are equal and which touch is the same",
    odd={"pattern": "has couples of other sizes"},
    # From .4 on as published four sizes are a tenth apart, which is hard to see of things that touch.
    train=Law(
        Shapes("all"),
        Mended(
            "image",
            0.3375,
            ratio=(0.3, 0.667),
            was=Sizes("image", 0.3375, ratio=(0.4, 0.667)),
            was_odd=(0.2, 0.667),
        ),
        vivid("all"),
    ),
    unseen=Law(
        Shapes("object"),
        Mended("image", 0.318, 0.75, ratio=(0.3, 0.667), was=Sizes("image", 0.318, 0.75, ratio=(0.4, 0.667))),
        pale("all"),
    ),
)
def size_contact(d: Draw) -> Drawn:
    """Two couples side by side."""
    usual, odd = d.choices(PATTERNS, 2)
    shapes, colours, images = d.shapes_of([4] * 4), d.colours_of([4] * 4), []
    for k, (top,) in enumerate(d.sizes_of([1] * 4)):
        sizes = _pattern(d, usual if k < 3 else odd, top, k == 3)
        # In the published rule the fourth object is pushed as if it had the third one's contour.
        last = [shapes[k][2]] * 2 if d.published else shapes[k][2:]
        centres = beside(d, [d.clump(shapes[k][:2], sizes[:2]), d.clump(last, sizes[2:])])
        images.append(d.image(shapes[k], sizes, centres, colours[k]))
    return d.drawn(images, "pattern")


def _pattern(d: Draw, pattern: str, top: float, is_odd: bool) -> list[float]:
    """Draw the sizes of a pattern, the largest of which is the top, or near it.

    Their sum follows one law, so that the ink does not tell the pattern; in the published rule it does. There the odd image may
    also have a wider range of ratios.
    """
    ranks, ratio, law = [int(each) for each in pattern], sizes_law(d).ratio, d.law.size
    if d.published and is_odd and isinstance(law, Mended) and law.was_odd:
        ratio = law.was_odd
    steps = [*ratios(d, max(ranks), ratio), 1.0] if max(ranks) else [1.0]
    parts = np.array([steps[rank] for rank in ranks]) * top
    if not d.published:
        parts *= MEAN_SUM * top / parts.sum()
    return fitted(parts.tolist())


# Count

Counts = list[int]


def _grouped(counts: Counts, steps: list[float], scale: float) -> list[float]:
    """Sizes of objects in groups."""
    return repeated([scale * step for step in steps], counts)


def _scales(d: Draw, n: int) -> list[float]:
    """Draw what the ratios of n objects are multiplied by in each image."""
    return [d.uniform(*sizes_law(d).span(n)) for _ in range(4)]


def _steps(d: Draw, groups: Sequence[int]) -> list[list[float]]:
    """Draw the ratios of the groups of each image. As published references share them, so that their ink is much alike."""
    drawn = [ratios(d, n, sizes_law(d).ratio) for n in groups]
    return [drawn[0]] * 3 + [drawn[3]] if d.published else drawn


def _counts(d: Draw, groups: int) -> Counts:
    """Draw the number of objects of each group."""
    return [d.integer(*d.law.number[1]) for _ in range(groups)]


def _images(d: Draw, rows: list[list[float]], colours: list[list[Colour]]) -> list[Image]:
    """Place objects of these sizes anywhere."""
    shapes = d.shapes_of([len(row) for row in rows])
    return [d.image(shapes[k], rows[k], d.free(rows[k]), colours[k]) for k in range(4)]


OF_TWO_OR_THREE = (2, 3)

TRAIN = Mended("image", root(0.9), 0.75, ratio=(0.25, 0.667), was=Sizes("image", root(0.9), ratio=(0.2, 0.667)))
"""Twelve objects, the smallest of six pixels."""

UNSEEN = Mended("image", root(0.9, 1.5), 0.75, ratio=(0.4, 1), was=Sizes("image", root(0.9), ratio=(0.4, 0.667)))
"""The published ratios lie so near to each other that sizes differ by one pixel."""


@rule(
    61,
    "size_count_1",
    "ZN",
    reference="all have the same numbers of objects of each size, from the smallest to the largest",
    odd={"counts": "shares as many objects differently among as many sizes, whatever their order"},
    train=Law(
        Shapes("image"),
        Mended("image", root(0.9), 2 / 3, ratio=(0.25, 0.667), was=Sizes("image", root(0.9), ratio=(0.25, 0.667))),
        vivid(),
        number=((2, 3), OF_TWO_OR_THREE),
    ),
    unseen=Law(
        Shapes("object"),
        Mended("image", root(0.9), 2 / 3, ratio=(0.25, 0.667), was=Sizes("image", root(0.9), ratio=(0.25, 0.667))),
        pale(),
        number=((2, 3), OF_TWO_OR_THREE),
    ),
)
def size_count_1(d: Draw) -> Drawn:
    """Groups of one size each. In the published rule the odd image may only exchange the numbers of two sizes."""
    counts, other = two_splits(d, _counts(d, d.integer(*d.law.number[0])), ordered=True)
    n = sum(counts)
    steps, scales = _steps(d, [len(counts)] * 4), _scales(d, n)
    if d.published:
        steps[3], scales[3] = steps[2], scales[2]
    rows = [_grouped(counts if k < 3 else other, steps[k], scales[k]) for k in range(4)]
    return d.drawn(_images(d, rows, d.colours_of([n] * 4)), "counts")


@rule(
    62,
    "size_count_2",
    "ZN",
    reference="all have one number of sizes",
    odd={"sizes": "shares as many objects among another number of sizes"},
    train=Law(Shapes("image"), TRAIN, vivid(), number=((2, 4), OF_TWO_OR_THREE)),
    unseen=Law(Shapes("object"), UNSEEN, pale(), number=((2, 4), OF_TWO_OR_THREE)),
)
def size_count_2(d: Draw) -> Drawn:
    """Groups of one size each; the same number of objects in all."""
    groups, others = d.choices(range(d.law.number[0][0], d.law.number[0][1] + 1), 2)
    counts = _counts(d, groups)
    n = sum(counts)
    other, scales = d.split(others, n), _scales(d, n)
    steps = _steps(d, [groups] * 3 + [others])
    rows = [_grouped(counts if k < 3 else other, steps[k], scales[k]) for k in range(4)]
    return d.drawn(_images(d, rows, d.colours_of([n] * 4)), "sizes")


# Colour


@rule(
    82,
    "size_color_1",
    "ZC",
    reference="the larger of two objects has a hue that all have in common",
    odd={"hue": "has that hue on the smaller one, and another on the larger"},
    train=Law(
        Shapes("object"),
        Sizes("object", 0.6, ratio=(0.2, 0.667)),
        Colours("object", Band(0.6, 1, "object"), Band(0.5, 1, "all")),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", 0.6, ratio=(0.4, 0.667)),
        Colours("object", Band(0.4, 1, "all"), Band(0.35, 0.85, "object")),
    ),
)
def size_color_1(d: Draw) -> Drawn:
    """Two objects, apart on an axis of the image's own."""
    shapes, hue = d.shapes_of([2] * 4), d.uniform(0, 1)
    rows = [[hue, d.other_hue(hue)] for _ in range(4)]
    rows[3].reverse()
    colours, images = d.hued(rows), []
    for k, (large,) in enumerate(d.sizes_of([1] * 4)):
        sizes = fitted([large, large * d.uniform(*d.law.size.ratio)])
        order, centres = d.order(2), np.empty((2, 2))
        boxes = np.array(sizes)
        if d.published:
            # The hue comes first, so that order tells the odd image; and there is room to turn, although nothing is turned.
            order, boxes = [0, 1] if k < 3 else [1, 0], boxes * 2**0.5
        centres[order] = d.on_axis(boxes[order].tolist(), d.choice("xy"))
        images.append(d.image(shapes[k], sizes, centres, colours[k]))
    return d.drawn(images, "hue")


@rule(
    83,
    "size_color_2",
    "ZC",
    reference="objects of one size have one hue, and those of different sizes have different hues",
    odd={"hue": "has objects of one size and different hues"},
    train=Law(
        Shapes("image"),
        TRAIN,
        Colours("image", Band(0.6, 1, "all"), Band(0.5, 1, "all")),
        number=((2, 4), OF_TWO_OR_THREE),
    ),
    unseen=Law(
        Shapes("object"),
        Mended(
            "image", root(0.9, 1.5), 0.75, ratio=(0.4, 1), was=Sizes("image", root(0.9, 2), 0.75, ratio=(0.4, 0.667))
        ),
        Colours("image", Band(0.4, 1, "all"), Band(0.35, 0.85, "hue")),
        number=((2, 5), OF_TWO_OR_THREE),
    ),
)
def size_color_2(d: Draw) -> Drawn:
    """Groups of one size each; in the odd image the hues are shifted by one object."""
    counts = _counts(d, d.integer(*d.law.number[0]))
    n = sum(counts)
    steps, scales = ratios(d, len(counts), sizes_law(d).ratio), _scales(d, n)
    hues = [repeated(d.hues(len(counts)), counts) for _ in range(4)]
    hues[3] = hues[3][-1:] + hues[3][:-1]
    return d.drawn(_images(d, [_grouped(counts, steps, scale) for scale in scales], d.hued(hues)), "hue")
