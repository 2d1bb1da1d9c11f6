"""Rules about groups of objects of one shape: in a clump each (87, 89, 102), and by their number (68, 69, 73, 91)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..contours import Shape
from ..draw import Draw
from ..laws import Law, Shapes, Share, Sizes, pale, root, vivid
from ..rule import Drawn, Family
from ..scene import Image
from .contact import ROOM, crowd_sizes, kinds, other_split, parts, scattered, things, two_splits

rule = Family()

T = TypeVar("T")

Row = Sequence[Shape]


def repeated(values: Iterable[T], counts: Sequence[int]) -> list[T]:
    """Repeat each value as often as its group has objects."""
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


def turned(d: Draw, rows: Sequence[Row], *, turn: bool, flip: bool, sizes: Share | None = None) -> list[Image]:
    """Make things of these shapes, turned or mirrored at random if so wanted; sizes shared as the law says, or as given."""
    angles = [[d.uniform(0, 360) for _ in row] for row in rows] if turn else None
    flips = [[d.chance() for _ in row] for row in rows] if flip else None
    return things(d, rows, crowd_sizes(d, [len(row) for row in rows], sizes), angles, flips)


# Clumps of one shape


def _clumps(d: Draw, *, turn: bool = False, flip: bool = False) -> Drawn:
    """One clump of each shape; in the odd image two objects of different clumps change places."""
    k = d.integer(*d.law.number)
    total = d.integer(k + 1, 2 * k - 1)
    counts = [d.split(k, total) for _ in range(4)]
    rows = [repeated(*row) for row in zip(kinds(d, [k] * 4, chiral=flip), counts, strict=True)]
    odd = counts[3]
    first = next(group for group in range(k) if odd[group] > 1)
    one, two = sum(odd[:first]), 0 if first else odd[0]
    rows[3][one], rows[3][two] = rows[3][two], rows[3][one]
    made = turned(d, rows, turn=turn, flip=flip)
    return d.drawn([scattered(d, parts(*row), ROOM) for row in zip(made, counts, strict=True)], "exchange")


@rule(
    87,
    "shape_contact_5",
    "ST",
    reference="all have one number of clumps, each of objects of one shape",
    odd={"exchange": "has two objects of different clumps exchanged"},
    train=Law(Shapes("object"), Sizes("all", root(0.9, 4)), vivid("all"), number=(3, 4)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 4)), pale(), number=(3, 4)),
)
def shape_contact_5(d: Draw) -> Drawn:
    """Neither turned nor mirrored."""
    return _clumps(d)


@rule(
    89,
    "rot_contact_2",
    "RT",
    reference="all have one number of clumps, each of objects of one shape, however turned",
    odd={"exchange": "has two objects of different clumps exchanged"},
    train=Law(Shapes("object"), Sizes("all", root(0.9, 4)), vivid("all"), number=(3, 4)),
    unseen=Law(Shapes("object"), Sizes("all", root(0.9, 4)), pale(), number=(3, 4)),
)
def rot_contact_2(d: Draw) -> Drawn:
    """Each turned by its own angle."""
    return _clumps(d, turn=True)


@rule(
    102,
    "flip_contact_2",
    "FT",
    reference="all have one number of clumps, each of objects of one shape or its mirror image",
    odd={"exchange": "has two objects of different clumps exchanged"},
    train=Law(Shapes("object"), Sizes("all", root(0.9, 4)), vivid("all"), number=(3, 4)),
    unseen=Law(Shapes("object"), Sizes("all", root(0.9, 4)), pale(), number=(3, 4)),
)
def flip_contact_2(d: Draw) -> Drawn:
    """Half of them mirrored."""
    return _clumps(d, flip=True)


# Numbers of one shape


def _counted(d: Draw, counts: Sequence[Sequence[int]], kind: str, *, turn: bool = False, flip: bool = False) -> Drawn:
    """So many objects of each shape in each image, anywhere."""
    shapes = kinds(d, [len(row) for row in counts], chiral=flip)
    rows = [repeated(*row) for row in zip(shapes, counts, strict=True)]
    # One size for all images would, with the same shapes in them, let the references have the same ink.
    tied = not d.published and d.law.shape.share == "slot" and d.law.size.share == "all"
    made = turned(d, rows, turn=turn, flip=flip, sizes="image" if tied else None)
    return d.drawn([scattered(d, [(thing,) for thing in image]) for image in made], kind)


def _shuffled(d: Draw, counts: Sequence[int]) -> list[int]:
    """Let each shape have the number of another, so that no shape can be counted instead of all; not in the published rules."""
    return list(counts) if d.published else d.choices(counts, len(counts))


@rule(
    68,
    "shape_count_1",
    "SN",
    reference="all have the same numbers of objects of one shape",
    odd={"numbers": "shares as many objects differently among as many shapes"},
    train=Law(Shapes("object"), Sizes("all", root(0.9, 4)), vivid(), number=((2, 3), (2, 3))),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 4)), pale(), number=((2, 3), (3, 4))),
    least=8,
)
def shape_count_1(d: Draw) -> Drawn:
    """Two or three shapes, each with two or three objects on average."""
    groups, each = d.law.number
    usual, other = two_splits(d, [d.integer(*each) for _ in range(d.integer(*groups))])
    return _counted(d, [usual, usual, usual, other], "numbers")


@rule(
    69,
    "shape_count_2",
    "SN",
    reference="all have one number of shapes",
    odd={"number": "shares as many objects among another number of shapes"},
    train=Law(Shapes("object"), Sizes("all", root(0.9, 4)), vivid(), number=(2, 4)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.9, 4)), pale(), number=(2, 4)),
    least=8,
)
def shape_count_2(d: Draw) -> Drawn:
    """Two to four shapes, on three to seven objects."""
    usual, other = d.choices(range(d.law.number[0], d.law.number[1] + 1), 2)
    most = max(usual, other)
    total = d.integer(most, 2 * most - 1)
    return _counted(d, [d.split(k, total) for k in (usual, usual, usual, other)], "number")


def _split(d: Draw, *, turn: bool = False, flip: bool = False) -> Drawn:
    """Shapes with at least two objects each, on average."""
    total = d.integer(*d.law.number)
    usual = d.split(d.integer(2, min(total // 2, 3)), total)
    other = other_split(d, usual)
    return _counted(d, [_shuffled(d, row) for row in (usual, usual, usual, other)], "numbers", turn=turn, flip=flip)


@rule(
    73,
    "rot_count_1",
    "RN",
    reference="all have the same numbers of objects of one shape, however turned",
    odd={"numbers": "shares as many objects differently among as many shapes"},
    train=Law(Shapes("slot"), Sizes("all", root(0.6), 2 / 3), vivid(), number=(4, 6)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.6), 2 / 3), pale(), number=(5, 8)),
    least=8,
)
def rot_count_1(d: Draw) -> Drawn:
    """Each turned by its own angle."""
    return _split(d, turn=True)


@rule(
    91,
    "flip_count_1",
    "FN",
    reference="all have the same numbers of objects of one shape or its mirror image",
    odd={"numbers": "shares as many objects differently among as many shapes"},
    train=Law(Shapes("slot"), Sizes("all", root(0.6), 2 / 3), vivid(), number=(4, 6)),
    unseen=Law(Shapes("object"), Sizes("object", root(0.45), 2 / 3), pale(), number=(5, 8)),
    least=8,
)
def flip_count_1(d: Draw) -> Drawn:
    """Half of them mirrored."""
    return _split(d, flip=True)
