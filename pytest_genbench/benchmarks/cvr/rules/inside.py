"""Rules of things that lie in others: how many do (17), which (22, 23), and where (24 to 27)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..contours import PLAIN, Style
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, per, root, vivid
from ..place import GAP, PIXEL, Array, CannotPlace, disjoint
from ..rule import Drawn, Family
from ..scene import Image, transposed
from .elementary import STD
from .nesting import (
    FINE,
    HOLDER,
    LEAST,
    Among,
    Crowd,
    Row,
    apart,
    filled,
    nested,
    painted,
    part,
    places_of,
    rows,
    supply,
)

rule = Family()

# Things side by side, some of which hold another


@rule(
    17,
    "inside_count_1",
    "IN",
    reference="all have one number of objects that hold another",
    odd={"more": "has one more of them", "fewer": "has one fewer of them"},
    train=Law(
        Among("object", FINE, Style(0.08, 0.2)), Sizes("object", per(0.9), ratio=STD), vivid(), Crowd((1, 3), (1, 4), 5)
    ),
    unseen=Law(
        Among("object", PLAIN, Style(0.07, 0.2), PLAIN),
        Sizes("object", root(0.9, 3), 2 / 3, STD),
        pale(),
        Crowd((2, 5), (2, 5), 6),
    ),
)
def inside_count_1(d: Draw) -> Drawn:
    """Objects anywhere, of which the first hold another."""
    law, step = d.law.number, d.choice((-1, 1))
    usual, images = d.integer(*law.holders), []
    for k in range(4):
        holders = usual if k < 3 else usual + step
        if k < 3 or d.published:
            n = min(holders + d.integer(*law.others), law.most)
        else:
            # As many lines as in a reference, also where that is the most: one thing fewer for one more that lies in a thing, one
            # more for one fewer; unless all would hold another.
            n = min(usual + d.integer(*law.others), law.most) - step
            n = max(n, min(holders + d.integer(0, 1), law.most))
        images.append((places_of(d, n), [i < holders for i in range(n)]))
    return d.drawn(filled(d, images), "more" if step > 0 else "fewer")


@rule(
    24,
    "pos_inside_3",
    "PI",
    reference="on one side of the middle, the left or the top, every object holds another, and on the other side none does",
    odd={"side": "has them on the other side"},
    train=Law(Among("object", FINE, Style(0.08, 0.2)), Sizes("object", per(0.9), ratio=STD), vivid("all"), (2, 5), "x"),
    unseen=Law(
        Among("object", PLAIN, Style(0.08, 0.2), FINE), Sizes("object", root(0.9, 3), ratio=STD), pale(), (2, 5), "rand"
    ),
)
def pos_inside_3(d: Draw) -> Drawn:
    """Objects anywhere, but not near the middle. In the published rule a side may be empty."""
    flat = d.law.direction == "x" or d.chance()
    images = []
    for k in range(4):
        centres = d.until(
            lambda: _sided(d, d.integer(*d.law.number)), lambda c: d.published or 0 < _left(c).sum() < len(c)
        )
        left = _left(centres)
        images.append((centres, (left if k < 3 else ~left).tolist()))
    drawn = filled(d, images)
    return d.drawn(drawn if flat else [transposed(image) for image in drawn], "side")


def _sided(d: Draw, n: int) -> Array:
    """Draw places for n things; what is near the middle is pushed to a side."""

    def pushed() -> Array:
        centres = places_of(d, n)
        x = centres[:, 0]
        x += np.where(np.abs(x - 0.5) < 0.05, d.rng.choice([-0.2, 0.2], n), 0)
        return centres

    return d.until(pushed, lambda c: disjoint(c, np.full(n, apart(d, n) + (0 if d.published else GAP))))


def _left(centres: Array) -> NDArray[np.bool_]:
    left: NDArray[np.bool_] = centres[:, 0] < 0.5
    return left


# One thing that holds others


@rule(
    22,
    "inside_inside_1",
    "II",
    reference="one object holds the two others, side by side or one in the other",
    odd={
        "pair": "has an object beside another that holds the smallest",
        "small": "has the smallest object outside, and the others in each other",
        "middle": "has the middle one outside, and the smallest in the largest",
        "all": "has three objects side by side",
    },
    train=Law(Shapes("object", Style(0.05), Style(0.07, 0.2)), Sizes("object", 0.7, ratio=STD), vivid()),
    unseen=Law(Shapes("object", PLAIN, Style(0.08, 0.2)), Sizes("object", 0.7, ratio=STD), pale()),
)
def inside_inside_1(d: Draw) -> Drawn:
    """Three objects of falling size: b is a part of a, c of b. In the published rule they may overlap where all are apart."""
    kind = d.choice(("pair", "small", "middle", "all"))
    hollow, plain = supply(d, d.law.shape.hollow, 12), supply(d, d.law.shape.style, 6)
    images: list[list[Row]] = []
    for form in [*(d.choice(("chain", "both")) for _ in range(3)), kind]:
        # Six pixels find room in a part of a part only where the outermost is large.
        low, high = d.law.size.span()
        a = d.uniform(low if d.published else max(low, 56 * PIXEL), high)
        b = a * part(d, a, 2.9 * LEAST)
        c = b * part(d, b, LEAST)
        shapes, places = [next(hollow), next(plain if form == "both" else hollow), next(plain)], np.zeros((3, 2))
        if form in ("chain", "pair"):
            shapes[1], inner = nested(d, hollow, [c / b], b, many=64)
            places[2] = b * inner[0]
        if form in ("chain", "both", "small", "middle"):
            parts = {"chain": [1], "both": [1, 2], "small": [1], "middle": [2]}[form]
            shapes[0], inner = nested(d, hollow, [(a, b, c)[k] / a for k in parts], a, many=64)
            places[parts] = a * inner
        images.append(rows(shapes, [a, b, c], _together(d, form, (a, b, c), places)))
    return d.drawn(painted(d, images), kind)


def _together(d: Draw, form: str, sizes: tuple[float, float, float], places: Array) -> Array:
    """Put three things into the frame: what lies in something at its place in that, what does not beside the others."""
    outside = {"chain": [0], "both": [0], "pair": [0, 1], "small": [0, 2], "middle": [0, 1], "all": [0, 1, 2]}[form]
    boxes = [sizes[k] for k in outside]
    if d.published and form == "all":  # noqa: SIM108 - these may overlap
        centres = np.array([d.anywhere(box) for box in boxes])
    else:
        centres = d.free(boxes)
    moved = places.copy()
    moved[outside] = centres
    if 1 not in outside:
        moved[1] += moved[0]
    if 2 not in outside:
        moved[2] += moved[1] if form in ("chain", "pair") else moved[0]
    return moved


@dataclass(frozen=True)
class Held(Sizes):
    """Sizes of one thing and of many in it, which share a size: `ratio` over their number, of the outer one.

    Attributes:
        odd: Range of the outer thing's size in the odd image of the published rule.
        mean: Whether that has inner sizes of the mean number of the four images.
    """

    odd: tuple[float, float] = (0.25, 0.5)
    mean: bool = False


@dataclass(frozen=True)
class Holding(Shapes):
    """Shapes of one thing and of many in it.

    Attributes:
        odd: Style of the outer one in the odd image of the published rule.
    """

    odd: Style = PLAIN


@rule(
    23,
    "inside_inside_2",
    "II",
    reference="one object holds all others",
    odd={"outside": "has some of them outside"},
    train=Law(
        Holding("object", FINE, Style(0.07, 0.2), Style(0.03, 0.2)),
        Held("object", 0.6, ratio=(1 / 3, 1 / 1.5)),
        vivid(),
        number=(3, 6),
    ),
    unseen=Law(
        Holding("object", PLAIN, Style(0.07, 0.2), Style(0.07, 0.2)),
        Held("object", 0.7, 2 / 3, (1 / 3.5, 1 / 2.5), (0.467, 0.7), True),
        pale(),
        number=(4, 8),
    ),
)
def inside_inside_2(d: Draw) -> Drawn:
    """A hollow object and small ones. In the published rule the odd image has other sizes, and in training a jagged line."""
    counts = [d.integer(*d.law.number) - 1 for _ in range(4)]
    outside = [0, 0, 0, d.integer(1, counts[3] - 1)]
    inside = [count - out for count, out in zip(counts, outside, strict=True)]
    small, hollow = d.shapes(sum(counts), d.law.shape.style), supply(d, d.law.shape.hollow, 8)
    images = []
    for k in range(4):
        size, side = _holder(d, counts[k], inside, k == 3)
        if d.published and k == 3:
            assert isinstance(d.law.shape, Holding)
            hollow = supply(d, d.law.shape.odd, 1)
        shape, places = nested(d, hollow, [side / size] * inside[k], size, many=96)
        centres = d.free([size] + [side] * outside[k])
        shapes = [shape, *(small.pop() for _ in range(counts[k]))]
        images.append(rows(shapes, [size] + [side] * counts[k], [*centres, *(centres[0] + size * places)]))
    return d.drawn(painted(d, images), "outside")


def _holder(d: Draw, n: int, inside: Sequence[int], odd: bool) -> tuple[float, float]:
    """Draw the size of a thing and that of n others, as if all were in it, whether they are or not."""
    law = d.law.size
    assert isinstance(law, Held)
    if d.published:
        held: float = sum(inside) / 4 if odd and law.mean else inside[3] if odd else n
        size = d.uniform(*(law.odd if odd else law.span()))
        return size, size * d.uniform(law.ratio[0] / held, law.ratio[1] / held)
    low, high = law.span()
    # Six to eight pixels at least, and room for them.
    size = d.uniform(max(low, (0.25 + 0.03 * n)), high)
    return size, d.uniform(max(size * law.ratio[0] / n, LEAST * PIXEL), max(size * law.ratio[1] / n, 8 * PIXEL))


# Where in it

SIDES = {"left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}


@rule(
    25,
    "pos_inside_1",
    "PI",
    reference="one object lies in another, all at one and the same side of it",
    odd={"side": "has it at the opposite side"},
    train=Law(
        Shapes("object", FINE, Style(0.07, 0.25)),
        Sizes("object", 0.5, ratio=(1 / 5, 1 / 3.5)),
        vivid("all"),
        direction=("left",),
    ),
    unseen=Law(
        Shapes("object", PLAIN, Style(0.07, 0.25)),
        Sizes("object", 0.7, ratio=(1 / 5, 1 / 3.5)),
        pale(),
        direction=tuple(SIDES),
    ),
)
def pos_inside_1(d: Draw) -> Drawn:
    """The outermost of the places that are found. In the published rule that may be the middle."""
    side = np.array(SIDES[d.choice(d.law.direction)])

    def choose(towards: Array) -> Callable[[Array], int]:
        def outermost(places: Array) -> int:
            far = places[:, 0] @ towards
            if far.max() < 0.12 and not d.published:
                raise CannotPlace
            return int(far.argmax())

        return outermost

    return d.drawn(_one_in(d, 1, [choose(side)] * 3 + [choose(-side)]), "side")


def _one_in(d: Draw, n: int, choices: Sequence[Callable[[Array], int]]) -> list[Image]:
    """Draw in each image a hollow thing and n small ones in it, at places that are chosen from all."""
    hollow, small = supply(d, d.law.shape.hollow, 8), d.shapes(4 * n, d.law.shape.style)
    images = []
    for k, choose in enumerate(choices):
        size = d.uniform(*d.law.size.span())
        ratios = [part(d, size, LEAST) for _ in range(n)]
        shape, places = nested(d, hollow, ratios, size, choose, many=80 // n)
        centre = d.anywhere(size)
        sizes = [size, *(size * ratio for ratio in ratios)]
        images.append(rows([shape, *small[k * n : k * n + n]], sizes, [centre, *(centre + size * places)]))
    return painted(d, images)


@rule(
    26,
    "pos_inside_2",
    "PI",
    reference="two objects lie in a third, all in one direction from each other",
    odd={"across": "has them at right angles to that"},
    train=Law(
        Shapes("object", FINE, Style(0.05, 0.25)), Sizes("object", 0.6, ratio=(1 / 5, 1 / 4)), vivid(), direction=(0,)
    ),
    unseen=Law(
        Shapes("object", PLAIN, Style(0.05, 0.25)),
        Sizes("object", 0.7, ratio=(1 / 5, 1 / 4)),
        pale(),
        direction=(0, 0, 90, 90, 45, 135),
    ),
)
def pos_inside_2(d: Draw) -> Drawn:
    """Side by side, or one above the other, or diagonal; an angle in degrees from x towards y."""
    angle = d.choice(d.law.direction)

    def choose(angle: int) -> Callable[[Array], int]:
        def best(places: Array) -> int:
            dx, dy = (places[:, 1] - places[:, 0]).T
            far = {0: np.abs(dx) - np.abs(dy), 90: np.abs(dy) - np.abs(dx), 45: np.abs(dx + dy), 135: np.abs(dx - dy)}[
                angle
            ]
            if not d.published:
                # A diagonal of the published rule may be nearly level.
                far = np.where(np.abs((np.degrees(np.arctan2(dy, dx)) - angle + 90) % 180 - 90) < SLANT, far, 0)
            if far.max() <= 0:
                raise CannotPlace
            return int(far.argmax())

        return best

    return d.drawn(_one_in(d, 2, [choose(angle)] * 3 + [choose((angle + 90) % 180)]), "across")


SLANT = 15
"""Degrees by which two things may be off their direction."""


@rule(
    27,
    "pos_inside_4",
    "PI",
    reference="along one axis the object that holds another comes first, or last, of three",
    odd={"order": "has it at the opposite end"},
    train=Law(
        Shapes("object", FINE, Style(0.07, 0.2)), Sizes("object", 0.3, ratio=(1 / 4, 1 / 3)), vivid(), direction="y"
    ),
    unseen=Law(
        Shapes("object", PLAIN, Style(0.07, 0.2)), Sizes("object", 0.3, ratio=(1 / 4, 1 / 3)), pale(), direction="rand"
    ),
)
def pos_inside_4(d: Draw) -> Drawn:
    """A hollow object with a small one, an empty one and a small one."""
    hollow, small = supply(d, d.law.shape.hollow, 10), d.shapes(8, d.law.shape.style)
    axis, first = "y" if d.law.direction == "y" or d.chance() else "x", d.chance()
    images = []
    for k in range(4):
        low, high = d.law.size.span()
        a, b = (d.uniform(low if d.published else max(low, HOLDER + 4 * PIXEL), high) for _ in range(2))
        inner, alone = a * part(d, a, LEAST), b * part(d, b, LEAST)
        shape, places = nested(d, hollow, [inner / a], a)
        order = [0, *d.choices([1, 2], 2)]
        if first is (k == 3):
            order.reverse()
        boxes = [a, b, alone]
        centres = np.empty((3, 2))
        centres[order] = d.on_axis([boxes[i] for i in order], axis)
        shapes = [shape, next(hollow), small.pop(), small.pop()]
        images.append(rows(shapes, [*boxes, inner], [*centres, centres[0] + a * places[0]]))
    return d.drawn(painted(d, images), "order")
