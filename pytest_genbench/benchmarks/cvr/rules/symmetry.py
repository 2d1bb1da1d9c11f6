"""Symmetry: two copies of a shape, of which one is the other turned about a mark (9, 43) or mirrored (10, 42)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import alike
from ..contours import Shape
from ..draw import Draw
from ..laws import Law, Shapes, Sizes, pale, vivid
from ..place import GAP, PIXEL, CannotPlace
from ..rule import Drawn, Family
from ..scene import Colour, Image, Thing

rule = Family()

MARK = 0.05
"""Size of the mark that the copies are turned about."""

CLEAR = 8 * PIXEL
"""Least size of an object whose shape and angle have to be seen."""

ROOMY = 0.3
"""Largest copies that have room around a mark at any angle; with larger ones the angle would show in the size."""

TOLD = 0.09
"""Least difference of a contour from itself turned where the turn is to be seen; one of nine contours has less at half a turn."""

MISPLACED = 0.15
"""Least distance of a copy from where it ought to be."""

SLANTED = 25.0
"""Least angle by which the line that joins two copies is off, in degrees."""

PAIR = Sizes("image", 0.4, 1 / 4)
SHRUNK = (1 / 3, 2 / 3)
ONE = [1, 1, 1, 1]


def is_told(shape: Shape, *turns: float) -> bool:
    """Whether a shape looks different when it is turned by any of some angles in degrees."""
    own = alike.profile(shape.points)
    shifts = (round(turn / 360 * alike.BINS) for turn in turns)
    return all(float(np.sqrt(np.mean((own - np.roll(own, shift)) ** 2))) >= TOLD for shift in shifts)


def _off(d: Draw, low: float, high: float) -> float:
    """Draw an angle to either side."""
    return d.choice((-1, 1)) * d.uniform(low, high)


def _shrunk(d: Draw, size: float) -> float:
    """Draw a smaller size, which in the published rule may be of four pixels."""
    return size * d.uniform(SHRUNK[0] if d.published else max(SHRUNK[0], CLEAR / size), SHRUNK[1])


def _changed(d: Draw, copies: list[Thing], kind: str, *, turned: bool = True) -> None:
    """Give one of two copies another shape, which is turned like the copy or not at all, or another size."""
    k = d.choice((0, 1))
    if kind == "shape":
        copies[k] = replace(copies[k], shape=d.another(copies[k].shape), angle=copies[k].angle if turned else 0.0)
    else:
        copies[k] = replace(copies[k], size=_shrunk(d, copies[k].size))


def _settled(d: Draw, things: list[Thing], pads: Sequence[float]) -> Image:
    """Place a group anywhere in the frame: by its lines, or by sizes times a pad where the rule is the published one."""
    if d.published:
        half = np.array([[thing.size * pad / 2] for thing, pad in zip(things, pads, strict=True)])
        centres = np.array([(thing.x, thing.y) for thing in things])
        low, high = (centres - half).min(0), (centres + half).max(0)
        margin = 0.0
    else:
        boxes = np.array([thing.box for thing in things])
        low, high, margin = boxes[:, :2].min(0), boxes[:, 2:].max(0), GAP / 2
        if ((high - low) > 1 - GAP).any():
            raise CannotPlace
    shift = margin - low + d.rng.random(2) * (1 - 2 * margin - high + low)
    return tuple(thing.moved(thing.x + shift[0], thing.y + shift[1]) for thing in things)


def _scattered(d: Draw, things: list[Thing]) -> list[Thing]:
    """Place things anywhere in the frame, each for itself, by their lines; the published rule goes by sizes."""
    if d.published:
        low = high = np.array([[thing.size / 2] * 2 for thing in things])
    else:
        low = np.array([(thing.x, thing.y) - thing.box[:2] for thing in things])
        high = np.array([thing.box[2:] - (thing.x, thing.y) for thing in things])
    places = d.free(low + high) + (low - high) / 2
    return [thing.moved(*place) for thing, place in zip(things, places, strict=True)]


# Turned about a mark

MARKED = (0.0, 2**0.5, 2**0.5)
"""Room that the published rule leaves for a mark and two copies, over their sizes."""


def _around(d: Draw, mark: Shape, shape: Shape, between: float, start: float, colours: list[Colour]) -> list[Thing]:
    """Draw a mark and two copies at one distance from it, of which the second is the first turned by an angle."""
    low, high = d.law.size.span()
    size = d.uniform(low, high if d.published else min(high, ROOMY))
    angles = np.deg2rad([start, start + between])
    places = np.array([[0, 0], *zip(np.cos(angles), np.sin(angles), strict=True)])
    near = size * 2**0.5 / (2 * np.sin(np.deg2rad(between) / 2))
    far = (1 - 2**0.5 * size) / np.ptp(places, axis=0).max()
    if not d.published:
        near = max(near, (size + MARK) * 2**-0.5 + GAP)
    places *= near + d.rng.random() * (far - near)
    things = [Thing(shape, size, x, y, (0, 0, 0)) for x, y in places.tolist()]
    things = [replace(thing, angle=start + turn) for thing, turn in zip(things, (0, 0, between), strict=True)]
    things[0] = replace(things[0], shape=mark, size=MARK, angle=0.0)
    return [replace(thing, colour=colour) for thing, colour in zip(things, colours, strict=True)]


def _is_misplaced(things: Sequence[Thing]) -> bool:
    """Whether the second copy is far from where a quarter turn about the mark takes the first."""
    mark, first, second = ((thing.x, thing.y) for thing in things)
    x, y = mark[0] - (first[1] - mark[1]), mark[1] + (first[0] - mark[0])
    return float(np.hypot(second[0] - x, second[1] - y)) >= MISPLACED


def _turned(d: Draw, copies: list[Thing]) -> None:
    """Turn as many copies as the law says. In the published rule two may be turned alike, and are then still symmetric."""

    def turns() -> tuple[float, ...]:
        drawn = [_off(d, 90, 180) for _ in range(d.law.direction)]
        return tuple(d.choices([*drawn, 0.0], 2) if len(drawn) == 1 else drawn)

    def is_seen(turns: tuple[float, ...]) -> bool:
        between = turns[1] - turns[0]
        return d.published or (60 <= between % 360 <= 300 and is_told(copies[0].shape, between))

    turned: tuple[float, ...] = d.until(turns, is_seen)
    for k, turn in enumerate(turned):
        copies[k] = replace(copies[k], angle=copies[k].angle + turn)


@rule(
    9,
    "sym_rot",
    "MSPZR",
    reference="one of two objects is the other, turned by a right angle about a small mark",
    odd={
        "shape": "has another shape in place of one of the two",
        "size": "has one of the two smaller",
        "place": "has the two, and the mark, at other places",
        "turn": "has its objects turned so that they do not match",
    },
    train=Law(Shapes("all"), PAIR, vivid(), direction=1),
    unseen=Law(Shapes("image"), PAIR, pale(), direction=2),
    least=8,
    markers=1,
)
def sym_rot(d: Draw) -> Drawn:
    """A mark and two copies; the law's direction is how many of them a turn takes."""
    kind = d.choice(("shape", "size", "place", "turn"))
    mark, shapes, colours = d.shapes(1)[0], d.shapes_of(ONE), d.colours_of([3] * 4)
    images = []
    for k in range(4):
        things = _around(d, mark, shapes[k][0], 90.0, d.uniform(0, 360), colours[k])
        copies = things[1:]
        if k == 3 and kind in ("shape", "size"):
            _changed(d, copies, kind, turned=not d.published)
        elif k == 3 and kind == "turn":
            _turned(d, copies)
        if k == 3 and kind == "place":
            made = d.until(lambda: _scattered(d, things), lambda made: d.published or _is_misplaced(made))  # noqa: B023
            images.append(tuple(made))
        else:
            images.append(_settled(d, [things[0], *copies], MARKED))
    return d.drawn(images, kind)


@rule(
    43,
    "sym_sym_2",
    "MM",
    reference="one of two objects is the other, turned by one angle about a small mark",
    odd={"angle": "has it turned by another angle"},
    train=Law(Shapes("all"), PAIR, vivid()),
    unseen=Law(Shapes("image"), PAIR, pale()),
    least=8,
    markers=1,
)
def sym_sym_2(d: Draw) -> Drawn:
    """A mark and two copies."""
    mark, shapes, colours = d.shapes(1)[0], d.shapes_of(ONE), d.colours_of([3] * 4)
    usual, other = d.choices(d.pack([45, 45], 22.5, 202.5).tolist(), 2)
    images = []
    for k in range(4):
        between = other if k == 3 else usual
        things = _around(d, mark, shapes[k][0], between, d.uniform(-90, 90), colours[k])
        images.append(_settled(d, things, MARKED))
    return d.drawn(images, "angle")


# Mirrored


def _mirrored(d: Draw, shape: Shape, angle: float, colours: list[Colour]) -> list[Thing]:
    """Draw an object and its mirror image, on a line in a direction in degrees."""
    size = d.uniform(*d.law.size.span())
    near, far = size / 2 + (0.0 if d.published else GAP), 0.4 - size / 2
    radius = d.uniform(near, max(near, far))
    x, y = radius * np.cos(np.deg2rad(angle)), radius * np.sin(np.deg2rad(angle))
    return [Thing(shape, size, x, y, colours[0], angle), Thing(shape, size, -x, -y, colours[1], angle, True)]


def _chiral(d: Draw) -> list[Shape]:
    """Draw a shape for each image, which differs from its mirror image."""
    return [row[0] for row in d.shared(d.law.shape.share, ONE, lambda n: d.shapes(n, chiral=True))]


def _is_slanted(things: Sequence[Thing]) -> bool:
    """Whether two things are not on a line in the direction of their angle."""
    first, second = things
    line = np.rad2deg(np.arctan2(first.y - second.y, first.x - second.x))
    return bool(abs((line - first.angle + 90) % 180 - 90) >= SLANTED)


def _unmirrored(d: Draw, things: list[Thing], kind: str) -> list[Thing]:
    """Break a symmetry. In the published rule both may be turned by about 180 degrees, which leaves it whole."""
    if kind in ("shape", "size"):
        _changed(d, things, kind)
    elif kind == "flip":
        things[1] = replace(things[1], flip=False)
    elif kind == "place":
        return d.until(lambda: _scattered(d, things), lambda moved: d.published or _is_slanted(moved))
    else:
        turn = _off(d, 90, 180 if d.published else 150)
        if not d.published and not is_told(things[0].shape, 2 * turn):
            raise CannotPlace
        things = [replace(thing, angle=thing.angle + turn) for thing in things]
    return things


@rule(
    10,
    "sym_mir",
    "MSPZFR",
    reference="one of two objects is the mirror image of the other",
    odd={
        "shape": "has another shape in place of one of the two",
        "size": "has one of the two smaller",
        "flip": "has the object twice, unmirrored",
        "place": "has the two at other places",
        "turn": "has the two turned so that they do not match",
    },
    train=Law(Shapes("all"), PAIR, vivid()),
    unseen=Law(Shapes("image"), PAIR, pale()),
    least=8,
)
def sym_mir(d: Draw) -> Drawn:
    """An object and its mirror image."""
    kind = d.choice(("shape", "size", "flip", "place", "turn"))
    shapes, colours = _chiral(d), d.colours_of([2] * 4)
    images = []
    for k in range(4):
        things = _mirrored(d, shapes[k], d.uniform(-90, 90), colours[k])
        if k == 3:
            things = _unmirrored(d, things, kind)
        images.append(tuple(things) if k == 3 and kind == "place" else _settled(d, things, (1, 1)))
    return d.drawn(images, kind)


@rule(
    42,
    "sym_sym_1",
    "MM",
    reference="one of two objects is the mirror image of the other, on an axis of one direction",
    odd={"axis": "has an axis of another direction, at least 60 degrees away"},
    train=Law(Shapes("all"), PAIR, vivid()),
    unseen=Law(Shapes("image"), PAIR, pale()),
    least=8,
)
def sym_sym_1(d: Draw) -> Drawn:
    """An object and its mirror image. In the published rule -89 and 89 degrees count as far from each other."""
    shapes, colours = _chiral(d), d.colours_of([2] * 4)
    usual = d.uniform(-90, 90)
    if d.published:
        other = d.until(lambda: d.uniform(-90, 90), lambda angle: abs(angle - usual) > 60)
    else:
        other = (usual + d.uniform(60, 120) + 90) % 180 - 90
    rows = [_mirrored(d, shapes[k], other if k == 3 else usual, colours[k]) for k in range(4)]
    return d.drawn([_settled(d, things, (1, 1)) for things in rows], "axis")
