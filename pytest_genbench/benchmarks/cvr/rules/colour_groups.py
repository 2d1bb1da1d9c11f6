"""Colour of groups: with shape, rotation and flip (64, 65, 70, 94), with count (77, 78), with symmetry (84, 85)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ..contours import Shape
from ..draw import Draw
from ..laws import Band, Colours, Law, Shapes, Sizes, per, root
from ..place import CANDIDATES, GAP, Array, CannotPlace
from ..rule import Drawn, Family
from ..scene import Colour, transposed
from .colour import SEEN
from .contact import crowd_sizes, kinds, two_splits
from .groups import repeated
from .size import mirror_pairs, pair_sizes

rule = Family()


@dataclass(frozen=True)
class Groups:
    """How many groups an image has, and how many objects each; least and most, both included."""

    groups: tuple[int, int]
    each: tuple[int, int]


def _scattered(
    d: Draw,
    hues: Sequence[Sequence[float]],
    shapes: Sequence[Sequence[Shape]],
    angles: Sequence[Sequence[float]] | None = None,
    flips: Sequence[Sequence[bool]] | None = None,
    kind: str = "hue",
) -> Drawn:
    """Draw objects of these hues and shapes anywhere."""
    sizes, colours = crowd_sizes(d, [len(row) for row in hues]), d.hued(hues)
    images = []
    for k, size in enumerate(sizes):
        angle, flip = angles[k] if angles else None, flips[k] if flips else None
        images.append(d.image(shapes[k], size, d.free(size), colours[k], angle, flip))
    return d.drawn(images, kind)


def _grouped(d: Draw) -> tuple[list[list[int]], list[list[Shape]]]:
    """Draw groups of objects that have one shape; their number is the same in all images: counts by group, shapes by object."""
    k = d.integer(*d.law.number.groups)
    groups = [[d.integer(*d.law.number.each) for _ in range(k)] for _ in range(4)]
    rows = zip(kinds(d, [k] * 4), groups, strict=True)
    return groups, [repeated(*row) for row in rows]


def _by_shape(
    d: Draw,
    mixed: Callable[[list[float]], list[float]],
    angle: Callable[[], float] | None = None,
    flip: Callable[[], bool] | None = None,
) -> Drawn:
    """Draw groups of one shape and hue, with angles and flips that do not matter; mixed are the hues of the odd image."""
    groups, shapes = _grouped(d)
    hues = [repeated(d.hues(len(counts)), counts) for counts in groups]
    hues[3] = mixed(hues[3])
    angles = [[angle() for _ in row] for row in hues] if angle else None
    flips = [[flip() for _ in row] for row in hues] if flip else None
    return _scattered(d, hues, shapes, angles, flips)


def _rolled(hues: list[float]) -> list[float]:
    """Let each object have the hue of the one before it."""
    return [hues[-1], *hues[:-1]]


def _shuffled(d: Draw, hues: list[float]) -> list[float]:
    """Shuffle hues, so that a group has two of them; the published rule may leave the groups as they are."""
    counts = [len(list(group)) for _, group in groupby(hues)]
    owners = repeated(range(len(counts)), counts)

    def mix() -> list[float]:
        return d.choices(hues, len(hues))

    return d.until(mix, lambda row: d.published or len(set(zip(owners, row, strict=True))) > len(counts))


@rule(
    64,
    "shape_color_2",
    "SC",
    reference="all objects of one shape have one hue",
    odd={"hue": "has objects of one shape and different hues"},
    train=Law(
        Shapes("object"),
        Sizes("all", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=Groups((2, 3), (2, 4)),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.4, 1, "hue"), v=Band(0.35, 0.85, "all")),
        number=Groups((2, 3), (3, 4)),
    ),
    least=8,
)
def shape_color_2(d: Draw) -> Drawn:
    """Groups of one shape anywhere."""
    return _by_shape(d, _rolled)


@rule(
    65,
    "shape_color_3",
    "SC",
    reference="all objects of one shape have different hues",
    odd={"hue": "has objects of one shape and hue"},
    train=Law(
        Shapes("object"),
        Sizes("all", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=Groups((2, 3), (2, 3)),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.6, 1, "hue"), v=Band(0.5, 1, "all")),
        number=Groups((2, 3), (3, 4)),
    ),
    least=8,
)
def shape_color_3(d: Draw) -> Drawn:
    """Groups of one shape anywhere. The published rule draws a hue for each object, of which too many lie close."""
    groups, shapes = _grouped(d)
    hues = []
    for k, counts in enumerate(groups):
        number = max(sum(row) for row in groups) if d.published else max(counts)
        palette = d.choices(d.hues(number), number)
        row = [palette[member] for count in counts for member in range(count)]
        if k == 3:
            row[1], row[counts[0]] = palette[:2]
        hues.append(row)
    return _scattered(d, hues, shapes)


@rule(
    70,
    "rot_color",
    "RC",
    reference="all objects of one shape have one hue, however they are turned",
    odd={"hue": "has objects of one shape and different hues"},
    train=Law(
        Shapes("object"),
        Sizes("all", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=Groups((2, 3), (2, 3)),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.4, 1, "all"), v=Band(0.35, 0.85, "hue")),
        number=Groups((2, 3), (3, 4)),
    ),
    least=8,
)
def rot_color(d: Draw) -> Drawn:
    """Groups of one shape anywhere, each object turned by a multiple of 90 degrees."""
    return _by_shape(d, lambda hues: _shuffled(d, hues), angle=lambda: 90.0 * d.integer(0, 3))


@rule(
    94,
    "flip_color_1",
    "FC",
    reference="all objects of one shape have one hue, mirrored or not",
    odd={"hue": "has objects of one shape and different hues"},
    train=Law(
        Shapes("object"),
        Sizes("all", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=Groups((2, 3), (2, 3)),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 4), 2 / 3),
        Colours(s=Band(0.4, 1, "all"), v=Band(0.35, 0.85, "hue")),
        number=Groups((2, 3), (3, 4)),
    ),
    least=8,
)
def flip_color_1(d: Draw) -> Drawn:
    """Groups of one shape anywhere, each object mirrored or not."""
    return _by_shape(d, lambda hues: _shuffled(d, hues), flip=d.chance)


@rule(
    77,
    "color_count_1",
    "CN",
    reference="all have the same numbers of objects of one hue",
    odd={"numbers": "shares as many objects differently among as many hues"},
    train=Law(
        Shapes("object"),
        Sizes("all", root(0.9, 4)),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=Groups((2, 4), (2, 3)),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 4)),
        Colours(s=Band(0.6, 1, "hue"), v=Band(0.5, 1, "hue")),
        number=Groups((2, 4), (3, 4)),
    ),
)
def color_count_1(d: Draw) -> Drawn:
    """Objects anywhere. In the published rule numbers follow the order of the hues, and the odd ones may only be permuted."""
    k = d.integer(*d.law.number.groups)
    usual, other = two_splits(d, [d.integer(*d.law.number.each) for _ in range(k)], ordered=True)
    rows = [usual, usual, usual, other]
    hues = [repeated(d.hues(k), counts if d.published else d.choices(counts, k)) for counts in rows]
    return _scattered(d, hues, d.shapes_of([sum(usual)] * 4), kind="numbers")


@rule(
    78,
    "color_count_2",
    "CN",
    reference="all have one number of hues",
    odd={"number": "shares as many objects among another number of hues"},
    train=Law(
        Shapes("object"),
        Sizes("all", per(0.9)),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=(2, 4),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", root(0.9, 3)),
        Colours(s=Band(0.6, 1, "hue"), v=Band(0.5, 1, "hue")),
        number=(2, 5),
    ),
)
def color_count_2(d: Draw) -> Drawn:
    """Objects anywhere, as many in all images."""
    usual, other = d.choices(range(d.law.number[0], d.law.number[1] + 1), 2)
    total = d.integer(max(usual, other), 2 * max(usual, other) - 1)
    hues = [repeated(d.hues(k), d.split(k, total)) for k in [usual, usual, usual, other]]
    return _scattered(d, hues, d.shapes_of([total] * 4), kind="number")


DOT = 0.03
"""Size of the dot that marks the centre."""

BLACK = (0.0, 0.0, 0.0)

INSET = 0.02
"""By how much the sizes of pairs around a dot stay within the law, so that the smallest and the largest are known."""

UNLIKE = 1.12
"""Least ratio of the sizes of two pairs, by which they are told apart."""


@rule(
    84,
    "color_sym_1",
    "CM",
    reference="both objects of one size, at one distance from the dot, have one hue",
    odd={"hue": "has two such pairs of two hues each"},
    train=Law(
        Shapes("all"),
        Sizes("object", per(0.5), 1 / 3),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=(2, 4),
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", per(0.5), 1 / 3),
        Colours(s=Band(0.4, 1, "all"), v=Band(0.35, 0.85, "hue")),
        number=(2, 4),
    ),
    least=7,
    markers=1,
)
def color_sym_1(d: Draw) -> Drawn:
    """Pairs around a dot in the middle; the two objects of a pair are turned into each other."""
    n = d.integer(*d.law.number)
    shapes, (dot,) = d.shapes_of([n] * 4), d.shapes(1)
    colours = _paired(d, n, 0, 1)
    images = []
    for k in range(4):
        sizes, centres, angles = d.until(lambda: _around(d, n))
        pairs, places = [dot, *repeated(shapes[k], [2] * n)], [(0.5, 0.5), *centres]
        images.append(d.image(pairs, [DOT, *sizes], places, [BLACK, *colours[k]], [0.0, *angles]))
    return d.drawn(images, "hue")


def _paired(d: Draw, n: int, first: int, second: int) -> list[list[Colour]]:
    """Draw a colour for each pair, twice; in the odd image the first objects of two of the pairs exchange their hues."""
    colours = d.hued([repeated(d.choices(d.hues(n), n), [2] * n) for _ in range(4)])
    a, b = colours[3][2 * first], colours[3][2 * second]
    colours[3][2 * first], colours[3][2 * second] = (b[0], *a[1:]), (a[0], *b[1:])
    return colours


def _around(d: Draw, n: int) -> tuple[list[float], Array, list[float]]:
    """Draw pairs around the middle, which can be told apart by their sizes: sizes, centres and angles."""
    low, high = d.law.size.span(n)
    shares = d.rng.random((CANDIDATES, n))
    shares = (shares - shares.min(1, keepdims=True)) / np.ptp(shares, axis=1, keepdims=True)
    sizes = low + INSET + (high - low - 2 * INSET) * shares
    # The published rule leaves no room for the dot, and has different pairs of nearly one size.
    dot, gap = (0.0, 0.0) if d.published else (DOT, GAP / 2)
    if not d.published:
        ordered = np.sort(sizes, axis=1)
        sizes = sizes[(ordered[:, 1:] >= UNLIKE * ordered[:, :-1]).all(1)]
    reach = sizes * 2**-0.5
    radius = np.repeat(d.rng.uniform(reach + dot, 0.5 - reach - gap), 2, axis=1)
    sizes, reach = np.repeat(sizes, 2, axis=1), np.repeat(reach, 2, axis=1)
    angles = d.rng.uniform(0, 2 * np.pi, sizes.shape)
    centres = radius * np.exp(1j * angles)
    i, j = np.triu_indices(2 * n, 1)
    good = (np.abs(centres[:, i] - centres[:, j]) >= reach[:, i] + reach[:, j] + gap).all(1)
    if not good.any():
        raise CannotPlace
    k = good.argmax()
    places = 0.5 + np.stack([centres[k].real, centres[k].imag], axis=1)
    return sizes[k].tolist(), places, np.rad2deg(angles[k]).tolist()


@rule(
    85,
    "color_sym_2",
    "CM",
    reference="both objects of each mirrored pair have one hue",
    odd={"hue": "has two pairs of two hues each"},
    train=Law(
        Shapes("all"),
        Sizes("object", 0.25, 0.2),
        Colours(s=Band(0.6, 1, "all"), v=Band(0.5, 1, "all")),
        number=5,
        direction="x",
    ),
    unseen=Law(
        Shapes("object"),
        Sizes("object", 0.2, 0.2),
        Colours(s=Band(0.4, 1, "all"), v=Band(0.35, 0.85, "hue")),
        number=6,
        direction="xy",
    ),
)
def color_sym_2(d: Draw) -> Drawn:
    """Pairs mirrored on the middle line, the smallest nearest to it. In the published rule they may be too small."""
    n, axis = d.law.number, d.choice(d.law.direction)
    shapes, colours = d.shapes_of([n] * 4), _paired(d, n, 1, 2)
    images = []
    for k in range(4):
        sizes = pair_sizes(d, n, SEEN)
        centres = np.stack(d.until(lambda: mirror_pairs(d, sizes)), axis=1)  # noqa: B023
        both = [2] * n
        image = d.image(repeated(shapes[k], both), repeated(sizes, both), centres, colours[k], flips=[False, True] * n)
        images.append(transposed(image) if axis == "y" else image)
    return d.drawn(images, "hue")
