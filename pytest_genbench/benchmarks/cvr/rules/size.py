"""Rules about sizes alone, and about sizes and symmetry (33 to 39)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .. import place
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, vivid
from ..place import GAP, PIXEL, Array, CannotPlace
from ..rule import Drawn, Family
from ..scene import Image, Thing, transposed

rule = Family()

INVERTED = 0.05
"""By how much, at least, a larger object has to be nearer than a smaller one where that is to be seen."""

LARGER = 1.2
"""By what factor, at least, it is larger."""


@dataclass(frozen=True)
class Couple(Sizes):
    """Sizes of a small and a large object.

    Attributes:
        step: By how much, at least, the large one is larger, and its most; the small one is drawn first. None: the large one is
            drawn first, and the small one is a ratio of it.
        least: Of the small one.
    """

    step: tuple[float, float] | None = None
    least: float = 0.0


def couple(d: Draw, law: Couple) -> tuple[float, float]:
    """Draw the sizes of a small and a large object."""
    least = 0.0 if d.published else law.least
    if law.step is None:
        large = d.uniform(*law.span())
        return large * d.uniform(max(law.ratio[0], least / large), law.ratio[1]), large
    small = d.uniform(max(law.span()[0], least), law.span()[1])
    return small, small + d.uniform(law.step[0], law.step[1] - small)


@rule(
    33,
    "size_size_1",
    "ZZ",
    reference="of two shapes the same one is always the smaller",
    odd={"exchanged": "has the other one as the smaller"},
    train=Law(Shapes("slot"), Couple("image", 0.25, 0.4, step=(0.15, 0.4)), vivid(), direction="both"),
    unseen=Law(Shapes("slot"), Couple("image", 0.375, 0.4, step=(0.225, 0.6)), pale(), direction="one"),
    least=8,
)
def size_size_1(d: Draw) -> Drawn:
    """Two objects, apart on both axes, or on one that the images share."""
    shapes, colours, law = d.shapes(2, distinct=True), d.colours_of([2] * 4), d.law.size
    assert isinstance(law, Couple)
    axis, images = d.choice("xy"), []
    for k in range(4):
        pair = couple(d, law)
        sizes = pair if k < 3 else pair[::-1]
        if d.law.direction == "both":
            centres = np.stack([_slots(d, sizes), _slots(d, sizes)], axis=1)
        else:
            # In the published rule the first shape always comes first, so that the order of the sizes tells the odd image.
            step = -1 if not d.published and d.chance() else 1
            centres = d.on_axis(sizes[::step], axis)[::step]
        images.append(d.image(shapes, sizes, centres, colours[k]))
    return d.drawn(images, "exchanged")


def _slots(d: Draw, sizes: Sequence[float]) -> Array:
    """Place two objects on a line in random order. The published rule leaves both the margins of the first."""
    order = d.order(2)
    if d.published:
        return (d.pack(sizes) + np.array(sizes) / 2 - sizes[0] / 2)[order]
    centres = np.empty(2)
    centres[order] = d.pack(np.array(sizes)[order])
    return centres


# Mirror pairs


def mirror_pairs(d: Draw, sizes: Sequence[float] | Array, *, by_size: bool = True) -> tuple[Array, Array]:
    """Place pairs of objects that are mirror images of each other on the vertical midline.

    Args:
        d: What to draw with.
        sizes: Of both objects of each pair (n,).
        by_size: Whether the smallest is nearest to the midline, and the distance grows in proportion; else any distance.

    Returns:
        Centres of those on the left and of those on the right (n, 2).

    Raises:
        CannotPlace: There is no room; or the law of distances would lay an object on the midline.
    """
    s, margin = np.asarray(sizes, dtype=np.float64), 0.0 if d.published else GAP / 2
    if by_size:
        low, high = s.min(), s.max()
        far = 0.65 * low + (s - low) / max(high - low, 1e-9) * (0.5 - 0.65 * (low + high))
    else:
        if (s > 0.5 - 2 * margin).any():
            raise CannotPlace
        far = 0.5 - d.rng.uniform(s / 2 + margin, 0.5 - s / 2 - margin)
    if not d.published and (far < s / 2 + PIXEL / 2).any():
        raise CannotPlace
    order = d.rng.permutation(len(s))
    y = np.empty(len(s))
    y[order] = d.pack(s[order])
    return np.stack([0.5 - far, y], axis=1), np.stack([0.5 + far, y], axis=1)


def pair_sizes(d: Draw, n: int, least: float = 8 * PIXEL) -> Array:
    """Draw the sizes of n mirror pairs, of which the sum is at most .9; none is smaller than it may be."""
    low, high = d.law.size.span()
    if d.published:
        sizes: Array = d.rng.uniform(low, high, n)
        return sizes * min(1.0, 0.9 / float(sizes.sum()))
    low = max(low, least)
    more: Array = d.rng.uniform(0, high - low, n)
    return low + more * min(1.0, (0.9 - n * low) / float(more.sum()))


def paired(left: Sequence[Thing], right: Sequence[Thing]) -> Image:
    """Make an image of mirror pairs, one after the other."""
    return tuple(thing for pair in zip(left, right, strict=True) for thing in pair)


@rule(
    38,
    "size_sym_1",
    "ZM",
    reference="pairs mirror each other across the middle, the smaller the nearer to it",
    odd={
        "distance": "has pairs that mirror each other, but the smaller are not the nearer",
        "mirror": "has pairs of different shapes",
    },
    train=Law(Shapes("all"), Sizes("object", 0.25, 0.2), vivid(), number=(5, 3), direction="x"),
    unseen=Law(Shapes("object"), Sizes("object", 0.2, 0.2), pale(), number=(6, 4), direction="x or y"),
    least=8,
)
def size_sym_1(d: Draw) -> Drawn:
    """Mirror pairs; the law's number is that of pairs, and how many of them are broken at most."""
    n, broken = d.law.number
    kind = d.choice(("distance", "mirror"))
    shapes, colours = d.shapes_of([n] * 4), d.colours_of([2 * n] * 4)
    across, images = d.law.direction == "x or y" and d.chance(), []
    for k in range(4):
        by_size = k < 3 or kind == "mirror"
        sizes, left, right = d.until(lambda: _mirror_pairs(d, n, by_size))  # noqa: B023
        one = list(d.image(shapes[k], sizes.tolist(), left, colours[k][:n]))
        two = list(d.image(shapes[k], sizes.tolist(), right, colours[k][n:], flips=[True] * n))
        for j in d.order(n)[: d.integer(1, broken)] if k == 3 and by_size else ():
            side = d.choice((one, two))
            side[j] = replace(side[j], shape=d.another(shapes[k][j]), flip=False)
        images.append(paired(one, two))
    return d.drawn([transposed(image) if across else image for image in images], kind)


def _mirror_pairs(d: Draw, n: int, by_size: bool) -> tuple[Array, Array, Array]:
    """Draw sizes and places of mirror pairs; where the smaller are not to be the nearer, that has to be seen."""
    sizes = pair_sizes(d, n)
    left, right = mirror_pairs(d, sizes, by_size=by_size)
    if not by_size and not d.published:
        # As wide as a reference, where the largest is the outermost.
        far = right[:, 0] + sizes / 2
        outermost = far.argmax()
        right[outermost, 0] += 1 - 0.15 * sizes.max() - far[outermost]
        left[:, 0] = 1 - right[:, 0]
        if not is_inverted(sizes, right[:, 0]):
            raise CannotPlace
    return sizes, left, right


def is_inverted(sizes: Array, far: Array) -> NDArray[np.bool_]:
    """Whether a visibly larger object is visibly nearer than a smaller one, for each row of sizes and distances (..., n)."""
    larger, nearer = sizes[..., None] >= LARGER * sizes[..., None, :], far[..., None] <= far[..., None, :] - INVERTED
    return np.asarray((larger & nearer).any((-2, -1)))


# Three sizes, or two


def _triple(
    d: Draw, kind: str, inverse: bool, equal: Callable[[float], float], two: float | None = None
) -> list[float]:
    """Draw the sizes of three objects of which all, two, or none are alike.

    Their sum follows one law, so that the amount of ink does not tell the odd image. In the published rules it is .9 or `two`, but
    three equal objects are often far smaller.
    """
    r, q = (d.uniform(*d.law.size.ratio) for _ in range(2))
    parts = np.array({"equal": (1, 1, 1), "two": (1, 1, 1 / r if inverse else r), "different": (1, r, r * q)}[kind])
    total = d.uniform(*d.law.size.span())
    if d.published:
        first = d.uniform(0.225, 0.45)
        cut = two or min(0.9, first * float(parts.sum()))
        total = {"equal": 3 * (first if 3 * first <= 0.9 else equal(first)), "two": cut, "different": 0.9}[kind]
    sizes: list[float] = (parts / parts.sum() * total).tolist()
    return sizes


@rule(
    34,
    "size_size_2",
    "ZZ",
    reference="two of three objects have one size",
    odd={"equal": "has three of one size", "different": "has three of different sizes"},
    train=Law(Shapes("all"), Sizes("image", 0.9, 0.72, ratio=(1 / 3, 2 / 3)), vivid()),
    unseen=Law(Shapes("object"), Sizes("image", 0.9, 0.72, ratio=(1 / 3, 2 / 3)), pale()),
)
def size_size_2(d: Draw) -> Drawn:
    """Three objects; in two of the references the third is the larger. The law of sizes is that of their sum."""
    odd = d.choice(("equal", "different"))
    shapes, colours, larger = d.shapes_of([3] * 4), d.colours_of([3] * 4), d.choices([True, True, False], 3)
    sizes = [_triple(d, "two", inverse, lambda s: 0.3 * s) for inverse in larger]
    sizes.append(_triple(d, odd, False, lambda s: 0.3 * s))
    return d.drawn([d.image(shapes[k], sizes[k], d.free(sizes[k]), colours[k]) for k in range(4)], odd)


@rule(
    35,
    "size_size_3",
    "ZZ",
    reference="all three objects differ in size",
    odd={"equal": "has three of one size", "two": "has two of one size"},
    train=Law(Shapes("all"), Sizes("image", 0.9, 0.72, ratio=(1 / 3, 2 / 3)), vivid()),
    unseen=Law(Shapes("object"), Sizes("image", 0.9, 0.72, ratio=(1 / 3, 2 / 3)), pale()),
)
def size_size_3(d: Draw) -> Drawn:
    """Three objects. The law of sizes is that of their sum."""
    odd = d.choice(("equal", "two"))
    shapes, colours = d.shapes_of([3] * 4), d.colours_of([3] * 4)
    # In the published rule of training equal objects are divided where they should be set to a size: they have 3 to 5 pixels.
    slip = 0.0 if d.law.shape.share == "object" else 0.0889
    kinds = ["different"] * 3 + [odd]
    sizes = [_triple(d, kind, d.chance(), lambda s: slip * s or 0.3, 0.8) for kind in kinds]
    return d.drawn([d.image(shapes[k], sizes[k], d.free(sizes[k]), colours[k]) for k in range(4)], odd)


@rule(
    36,
    "size_size_4",
    "ZZ",
    reference="one of two objects is half as large as the other",
    odd={"ratio": "has one that is much smaller than that, or nearly as large as the other"},
    train=Law(Shapes("all"), Sizes("image", 0.5), vivid(), number=(4 / 5, 2 / 3, 1 / 4, 1 / 5)),
    unseen=Law(Shapes("object"), Sizes("image", 0.6), pale(), number=(4 / 5, 2 / 3, 1 / 4, 1 / 5)),
)
def size_size_4(d: Draw) -> Drawn:
    """Two objects; the law's number is their ratios in the odd image."""
    shapes, colours, images = d.shapes_of([2] * 4), d.colours_of([2] * 4), []
    for k, (large,) in enumerate(d.sizes_of([1] * 4)):
        pair = np.array([large, large * (0.5 if k < 3 else d.choice(d.law.number))])
        if not d.published:
            # Both smaller where they would not have room beside each other.
            pair *= min(1.0, 0.9 / pair.sum())
        images.append(d.image(shapes[k], pair.tolist(), d.free(pair), colours[k]))
    return d.drawn(images, "ratio")


# Sizes in order


@dataclass(frozen=True)
class Rows(Shapes):
    """Shapes of two objects in a row.

    Attributes:
        alike: Whether they have one.
    """

    alike: bool = True


@rule(
    37,
    "size_size_5",
    "ZZ",
    reference="by size, the objects on the left go with those on the right in one order",
    odd={"order": "has them go together in another order"},
    train=Law(Rows("object"), Sizes("object", 0.267, 0.2), vivid(), number=3, direction="descending"),
    unseen=Law(Rows("object", alike=False), Sizes("object", 0.3, 0.2), pale(), number=3, direction="any"),
    least=8,
)
def size_size_5(d: Draw) -> Drawn:
    """Rows of two; on the left the objects grow from top to bottom, or the rows have any order."""
    n, (low, high), law = d.law.number, d.law.size.span(), d.law.shape
    assert isinstance(law, Rows)
    shapes = d.shapes_of([n if law.alike else 2 * n] * 4)
    colours, usual, images = d.colours_of([2 * n] * 4), d.order(n), []
    first = list(range(n)) if d.law.direction == "descending" else d.order(n)
    for k in range(4):
        order = usual if k < 3 else d.other_order(usual)
        sizes = place.pack(d.rng, [low] * n, low, high, strict=False)
        left, right = sizes[first], sizes[order]
        # Rows of the unseen law, with margins, are higher than the published .1 to .9.
        y = d.pack([sizes.max()] * n, *((0.1, 0.9) if d.published else (0.05, 0.95)))
        if d.law.direction == "any":
            y = y[d.order(n)]
        # The published rule leaves the margin of the left object alone.
        wide, margin = (left, 0.0) if d.published else (np.maximum(left, right), GAP / 2)
        x = d.rng.uniform(wide / 2 + margin, 0.5 - wide / 2 - margin)
        centres = np.stack([np.concatenate([x, x + 0.5]), np.concatenate([y, y])], axis=1)
        row = shapes[k] * 2 if law.alike else shapes[k]
        images.append(d.image(row, [*left, *right], centres, colours[k]))
    return d.drawn(images, "order")


# Sizes around a point


@dataclass(frozen=True)
class Ring(Sizes):
    """Sizes of objects around a point.

    Attributes:
        radii: Distances of the smallest and of the largest from it.
    """

    radii: tuple[float, float] = (0.0, 0.0)


DOT = 0.03
"""Size of the dot in the middle."""


@rule(
    39,
    "size_sym_2",
    "ZM",
    reference="twins of each size are equally far from the dot, the smaller the nearer",
    odd={
        "distance": "has twins equally far from the dot, but the smaller are not the nearer",
        "twin": "has twins of different shapes",
    },
    train=Law(Shapes("all"), Ring("image", 0.18, 1 / 3, radii=(0.072, 0.368)), vivid(), number=(3, 0), direction=None),
    unseen=Law(
        Shapes("object"),
        Ring("image", 0.23, 7 / 23, radii=(0.084, 0.329)),
        pale(),
        number=(3, 2),
        direction=(-90, 90, 180),
    ),
    markers=1,
)
def size_sym_2(d: Draw) -> Drawn:
    """Twins around the middle; the law's number is that of sizes, and how many twins differ in shape at most."""
    n, replaced = d.law.number
    kind = d.choice(("distance", "twin")) if replaced else "distance"
    dot, rows, colours = d.shapes(1), d.shapes_of([n] * 4), d.colours_of([2 * n + 1] * 4)
    images = []
    for k in range(4):
        by_size = k < 3 or kind == "twin"
        sizes, places, angles = d.until(lambda: _ring(d, by_size))  # noqa: B023
        shapes = rows[k] * 2
        if k == 3 and kind == "twin":
            for j in d.order(n)[: d.integer(1, replaced)]:
                other = j + d.choice((0, n))
                shapes[other] = d.another(shapes[other])
                if d.published:
                    angles[other] = 0.0
        centres = np.concatenate([[(0.5, 0.5)], places])
        images.append(d.image(dot + shapes, [DOT, *sizes], centres, colours[k], [0.0, *angles]))
    return d.drawn(images, kind)


def _ring(d: Draw, by_size: bool) -> tuple[Array, Array, Array]:
    """Draw sizes (2n,), places (2n, 2) and angles (2n,) of twins around the middle: the first that is good of many.

    Where the smaller are not the nearer, the sizes are still those for which there would be room if they were.
    """
    law, n, many = d.law.size, d.law.number[0], place.CANDIDATES
    assert isinstance(law, Ring)
    low, high = law.span()
    if by_size or d.published:
        share = d.rng.random((many, n))
        share = (share - share.min(1, keepdims=True)) / np.ptp(share, axis=1, keepdims=True)
    else:
        share = np.tile((_ring(d, True)[0][:n] - low) / (high - low), (many, 1))
    one, half = low + share * (high - low), (low + share * (high - low)) * 2**-0.5
    # Next to the dot, not on it.
    least = half + (0.0 if d.published else DOT / 2 + 2 * PIXEL)
    linear = law.radii[0] + share * (law.radii[1] - law.radii[0])
    radii = linear if by_size else d.rng.uniform(least, 0.5 - half)
    if not by_size and not d.published:
        # As wide as a reference, where the largest are the outermost.
        rows, outermost = np.arange(many), (radii + half).argmax(1)
        radii[rows, outermost] = law.radii[1] + high * 2**-0.5 - half[rows, outermost]
    first = d.rng.uniform(0, 360, (many, n))
    offered = d.law.direction
    second = d.rng.uniform(0, 360, (many, n)) if offered is None else first + d.rng.choice(offered, (many, n))
    sizes, far, angles = np.tile(one, 2), np.tile(radii, 2), np.concatenate([first, second], axis=1) % 360
    x, y = 0.5 + far * np.cos(np.deg2rad(angles)), 0.5 + far * np.sin(np.deg2rad(angles))
    a, b = np.triu_indices(2 * n, 1)
    good = (np.hypot(x[:, a] - x[:, b], y[:, a] - y[:, b]) > (sizes[:, a] + sizes[:, b]) * 2**-0.5).all(1)
    if not d.published:
        ordered = np.sort(one)
        good &= (ordered[:, 1:] >= np.maximum(LARGER * ordered[:, :-1], ordered[:, :-1] + 2 * PIXEL)).all(1)
        if not by_size:
            good &= is_inverted(one, radii)
    if not good.any():
        raise CannotPlace
    k = good.argmax()
    return sizes[k], np.stack([x[k], y[k]], axis=1), angles[k]
