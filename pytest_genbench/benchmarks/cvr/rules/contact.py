"""Rules about things that touch: pairs (20, 44, 45, 88, 101), clumps (21, 46) and their number (80, 81)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .. import alike, contact
from ..contours import Shape
from ..draw import Draw
from ..laws import Law, Shapes, Share, Sizes, pale, per, root, vivid
from ..place import GAP, Array
from ..rule import Drawn, Family
from ..scene import Image

rule = Family()

ROOM = 1.1
"""Room for a clump, over its box."""

SPARE = 3
"""Shapes drawn beyond those that are needed, in case two look alike."""


@dataclass(frozen=True)
class Capped(Sizes):
    """Sizes of which those above a cap are cut to it."""

    cap: float = 1.0


def kinds(d: Draw, counts: Sequence[int], *, chiral: bool = False) -> list[list[Shape]]:
    """Draw so many shapes for each image, which look different there; the law says whether images share them by place."""
    share = d.law.shape.share
    if d.published or share != "object":
        return d.shared(share, counts, lambda n: d.shapes(n, d.law.shape.style, distinct=True, chiral=chiral))
    # All are drawn at once, which is faster; those that look like another of their image are passed over.
    drawn = iter(d.shapes(sum(counts) + SPARE, d.law.shape.style, chiral=chiral))
    return [_different(d, drawn, count, chiral) for count in counts]


def _different(d: Draw, drawn: Iterator[Shape], count: int, chiral: bool) -> list[Shape]:
    """Take shapes that look different from each other."""
    found: list[Shape] = []
    lines: list[Array] = []
    while len(found) < count:
        shape = next(drawn, None) or d.shapes(1, d.law.shape.style, chiral=chiral)[0]
        line = alike.profile(shape.points)
        other = alike.mirrored(line)
        if all(min(alike.difference(line, f), alike.difference(other, f)) >= alike.DIFFERENT for f in lines):
            found.append(shape)
            lines.append(line)
    return found


def crowd_sizes(d: Draw, counts: Sequence[int], share: Share | None = None) -> list[list[float]]:
    """Draw a size for each object, in proportion to the largest that the law has for the number of its image."""
    law = d.law.size
    shares = d.shared(share or law.share, counts, lambda n: d.rng.uniform(law.low, 1, n).tolist())
    return [[share * law.most_of(count) for share in row] for row, count in zip(shares, counts, strict=True)]


def things(
    d: Draw,
    shapes: Sequence[Sequence[Shape]],
    sizes: Sequence[Sequence[float]],
    angles: Sequence[Sequence[float]] | None = None,
    flips: Sequence[Sequence[bool]] | None = None,
) -> list[Image]:
    """Make the things of each image, in the law's colours, not yet placed."""
    colours = d.colours_of([len(row) for row in shapes])
    images = []
    for k, row in enumerate(shapes):
        turns = angles[k] if angles else None, flips[k] if flips else None
        images.append(d.image(row, sizes[k], np.zeros((len(row), 2)), colours[k], *turns))
    return images


def parts(image: Image, counts: Sequence[int]) -> list[Image]:
    """Cut an image into groups."""
    ends = np.cumsum(counts).tolist()
    return [image[end - count : end] for end, count in zip(ends, counts, strict=True)]


def scattered(d: Draw, groups: Sequence[Image], room: float = 1.0) -> Image:
    """Push the things of each group together, and put the groups anywhere; `room` is what each takes, over its box."""
    placed = [d.until(lambda: _clump(d, group), lambda c: d.published or c[1].max() < 1 - GAP) for group in groups]  # noqa: B023
    places = d.free(np.array([box * room for _, box in placed]))
    return tuple(
        thing.moved(*(place + centre))
        for group, place, (centres, _) in zip(groups, places.reshape(-1, 2), placed, strict=True)
        for thing, centre in zip(group, centres, strict=True)
    )


def beside(d: Draw, clumps: Sequence[tuple[Array, Array]]) -> Array:
    """Place clumps from left to right, each at any height: centres of all their things (n, 2)."""
    boxes = np.array([box for _, box in clumps])
    places = d.on_axis(boxes[:, 1].tolist(), "x", boxes[:, 0])
    return np.concatenate([centres + place for (centres, _), place in zip(clumps, places, strict=True)])


def _clump(d: Draw, group: Image) -> tuple[Array, Array]:
    if len(group) > 1:
        return contact.clump(d.rng, [thing.contour for thing in group], strict=not d.published)
    if d.published:
        # The published generator forgets that what is turned needs more room than its size.
        return np.zeros((1, 2)), np.full(2, group[0].size)
    box = group[0].box
    return -(box[None, :2] + box[2:]) / 2, box[2:] - box[:2]


def other_split(d: Draw, usual: Sequence[int]) -> list[int]:
    """Share what numbers amount to in another way among as many groups, which differs in more than order."""
    return d.until(lambda: d.split(len(usual), sum(usual)), lambda other: sorted(other) != sorted(usual))


def two_splits(d: Draw, numbers: Sequence[int], *, ordered: bool = False) -> tuple[list[int], list[int]]:
    """Share what numbers amount to in two ways among as many groups, for the references and for the odd image.

    In the published rules the references have these numbers themselves, all in so narrow a range that any other one tells the odd
    image alone; where `ordered`, that may have them in another order only.
    """
    if not d.published:
        usual = d.split(len(numbers), sum(numbers))
        return usual, other_split(d, usual)
    usual = list(numbers)
    if ordered:
        return usual, d.until(lambda: d.split(len(usual), sum(usual)), lambda other: other != usual)
    return usual, other_split(d, usual)


# Pairs


def _pair(d: Draw, *, turn: bool = False, flip: bool = False) -> Drawn:
    """Two objects of one shape and one of another; two of them touch."""
    shapes = [[a, a, b] for a, b in kinds(d, [2] * 4, chiral=flip)]
    law = d.law.size
    sizes = [[min(size, law.cap) if isinstance(law, Capped) else size for size in row] for row in d.sizes_of([3] * 4)]
    angles = [[0.0, d.uniform(30, 330) if turn else 0.0, 0.0] for _ in range(4)]
    made = things(d, shapes, sizes, angles, [[False, flip, False]] * 4)
    images = [scattered(d, [image[:2], image[2:]]) for image in made[:3]]
    first, second, other = made[3]
    if not d.published and d.chance():
        # In the published rules it is always the unchanged one of the two that touches the other shape.
        first, second = second, first
    return d.drawn([*images, scattered(d, [(first, other), (second,)])], "pair")


@rule(
    20,
    "shape_contact_2",
    "ST",
    reference="two objects of one shape touch, one of another shape is alone",
    odd={"pair": "has two touching objects of different shapes"},
    train=Law(Shapes("object"), Sizes("all", 0.3), vivid("all")),
    unseen=Law(Shapes("object"), Sizes("object", 0.367, 1 / 3.5), pale("all")),
)
def shape_contact_2(d: Draw) -> Drawn:
    """Sizes as the law says."""
    return _pair(d)


@rule(
    44,
    "shape_contact_3",
    "ST",
    reference="two objects of one shape touch, one of another shape is alone",
    odd={"pair": "has two touching objects of different shapes"},
    train=Law(Shapes("object"), Sizes("object", 0.3), vivid()),
    unseen=Law(Shapes("object"), Sizes("object", 0.367, 1 / 3.5), pale()),
)
def shape_contact_3(d: Draw) -> Drawn:
    """Sizes differ."""
    return _pair(d)


@rule(
    45,
    "shape_contact_4",
    "ST",
    reference="two objects of one shape touch, one of another shape is alone",
    odd={"pair": "has two touching objects of different shapes"},
    train=Law(Shapes("object"), Sizes("all", 0.3), vivid()),
    unseen=Law(Shapes("object"), Capped("all", 0.367, 1 / 3.5, cap=0.3), pale()),
)
def shape_contact_4(d: Draw) -> Drawn:
    """Sizes are one."""
    return _pair(d)


@rule(
    88,
    "rot_contact_1",
    "RT",
    reference="two objects of one shape, of which one is turned, touch; one of another shape is alone",
    odd={"pair": "has two touching objects of different shapes"},
    train=Law(Shapes("object"), Sizes("object", 0.3), vivid()),
    unseen=Law(Shapes("object"), Sizes("object", 0.367, 1 / 3.5), pale()),
)
def rot_contact_1(d: Draw) -> Drawn:
    """Turned by at least 30 degrees."""
    return _pair(d, turn=True)


@rule(
    101,
    "flip_contact_1",
    "FT",
    reference="two objects of one shape, of which one is mirrored, touch; one of another shape is alone",
    odd={"pair": "has two touching objects of different shapes"},
    train=Law(Shapes("object"), Sizes("object", 0.3), vivid()),
    unseen=Law(Shapes("object"), Sizes("object", 0.367, 1 / 3.5), pale()),
)
def flip_contact_1(d: Draw) -> Drawn:
    """Shapes of which the mirror image can be told."""
    return _pair(d, flip=True)


# Clumps


@rule(
    21,
    "contact_contact_1",
    "TT",
    reference="all objects make one clump",
    odd={"none": "has no two that touch", "part": "has some in one clump, and others alone"},
    train=Law(Shapes("object"), Sizes("object", per(0.9)), vivid("all"), number=(3, 6)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 3)), pale(), number=(4, 8)),
)
def contact_contact_1(d: Draw) -> Drawn:
    """Each image has its own number of objects."""
    counts = [d.integer(*d.law.number) for _ in range(4)]
    together = d.integer(0, counts[3] - 1)
    made = things(d, d.shapes_of(counts), crowd_sizes(d, counts))
    clumped = max(together, 1)
    odd = parts(made[3], [clumped] + [1] * (counts[3] - clumped))
    images = [scattered(d, [image]) for image in made[:3]] + [scattered(d, odd)]
    return d.drawn(images, "part" if together > 1 else "none")


@rule(
    46,
    "contact_contact_2",
    "TT",
    reference="all have one number of clumps, each of two objects or more",
    odd={"single": "has one object that touches no other"},
    train=Law(Shapes("all"), Sizes("all", root(0.9, 4)), vivid("all"), number=(2, 4)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 4)), pale(), number=(3, 5)),
)
def contact_contact_2(d: Draw) -> Drawn:
    """Clumps of two or three."""
    k = d.integer(*d.law.number)
    groups = [[d.integer(2, 3) for _ in range(k)] for _ in range(4)]
    odd = groups[3]
    for _ in range(odd[0] - 1):
        # In the published rule these are left out, so that there are fewer and larger objects.
        odd[d.integer(1, k - 1)] += 0 if d.published else 1
    odd[0] = 1
    return _clumps(d, groups, "single")


@rule(
    80,
    "contact_count_1",
    "TN",
    reference="all have the same numbers of objects in their clumps",
    odd={"numbers": "shares as many objects differently among as many clumps"},
    train=Law(Shapes("object"), Sizes("all", root(0.9, 4)), vivid(), number=(2, 4)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 4)), pale(), number=(2, 5)),
)
def contact_count_1(d: Draw) -> Drawn:
    """Two or three objects to a clump, on average."""
    usual, other = two_splits(d, [d.integer(2, 3) for _ in range(d.integer(*d.law.number))])
    return _clumps(d, [usual, usual, usual, other], "numbers")


@rule(
    81,
    "contact_count_2",
    "TN",
    reference="all have one number of clumps",
    odd={"number": "shares as many objects among another number of clumps"},
    train=Law(Shapes("image"), Sizes("all", root(0.9, 4)), vivid(), number=(2, 4)),
    unseen=Law(Shapes("image"), Sizes("object", root(0.9, 4)), pale(), number=(2, 4)),
)
def contact_count_2(d: Draw) -> Drawn:
    """Also clumps of one."""
    usual, other = d.choices(range(d.law.number[0], d.law.number[1] + 1), 2)
    most = max(usual, other)
    total = d.integer(most, 2 * most - 1)
    return _clumps(d, [d.split(k, total) for k in (usual, usual, usual, other)], "number")


def _clumps(d: Draw, groups: Sequence[Sequence[int]], kind: str) -> Drawn:
    """Clumps of these numbers of objects in each image."""
    counts = [sum(row) for row in groups]
    made = things(d, d.shapes_of(counts), crowd_sizes(d, counts))
    return d.drawn([scattered(d, parts(image, row), ROOM) for image, row in zip(made, groups, strict=True)], kind)
