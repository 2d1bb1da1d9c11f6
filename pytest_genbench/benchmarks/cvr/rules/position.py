"""Rules of position and one more relation (47 to 50, 53 to 55)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..contours import Shape
from ..draw import Draw
from ..laws import Band, Colours, Law, Shapes, Share, Sizes, pale, per, root, vivid
from ..place import GAP, PIXEL, Array, CannotPlace
from ..rule import Drawn, Family
from ..scene import Colour, Image
from .arrangement import group_shapes

rule = Family()

TWO = [2, 2, 2, 2]

LEVEL = 0.06
"""Least distance along an axis of two that do not stand level."""


# Two objects in order


def _in_order(d: Draw, rows: Sequence[Sequence[float]], axis: str, back: bool) -> list[Array]:
    """Place two objects of each image one after the other along an axis; in the odd image the other way round.

    On the other axis, where they stand anywhere, no reference may be the only image with its order: it would be as odd.
    """
    across = "xy".index(axis) ^ 1

    def make() -> list[Array]:
        places = [d.on_axis(row, axis) for row in rows[:3]]
        return [*places, d.on_axis(rows[3][::-1], axis)[::-1] if back else d.on_axis(rows[3], axis)]

    def good(places: list[Array]) -> bool:
        first = [bool(place[0, across] < place[1, across]) for place in places]
        return d.published or all(first.count(one) > 1 for one in first[:3])

    return d.until(make, good)


@rule(
    47,
    "pos_size_1",
    "PZ",
    reference="the larger object comes before the smaller one, along an axis that all have in common",
    odd={"order": "has the smaller one first"},
    train=Law(Shapes("object"), Sizes("object", 0.6, ratio=(0.2, 0.667)), vivid(), 2, "xy"),
    unseen=Law(Shapes("object"), Sizes("object", 0.3, ratio=(0.5, 0.8)), pale(), 2, "xy"),
)
def pos_size_1(d: Draw) -> Drawn:
    """A large object and a small one."""
    shapes, colours, axis = d.shapes_of(TWO), d.colours_of(TWO), d.choice(d.law.direction)
    large = d.rng.uniform(*d.law.size.span(), 4)
    sizes = np.stack([large, large * d.rng.uniform(*d.law.size.ratio, 4)], axis=1)
    sizes *= np.minimum(0.9 / sizes.sum(1), 1)[:, None]
    places = _in_order(d, sizes.tolist(), axis, True)
    return d.drawn([d.image(shapes[k], sizes[k].tolist(), places[k], colours[k]) for k in range(4)], "order")


@rule(
    49,
    "pos_shape_1",
    "PS",
    reference="two objects stand in one relation: in order along an axis; level; or level on neither axis",
    odd={
        "order": "has them in the other order",
        "shape": "has another shape instead of the second",
        "apart": "has them not level",
        "level": "has them level",
    },
    train=Law(Shapes("slot"), Sizes("object", 0.25), vivid("all"), 2, ("order", "shape")),
    unseen=Law(Shapes("slot"), Sizes("object", 0.5, 1 / 4), pale(), 2, ("order", "apart", "level")),
)
def pos_shape_1(d: Draw) -> Drawn:
    """Two shapes. In the published odd image the places are exchanged, whatever the sizes."""
    kind, axis = d.choice(d.law.direction), d.choice("xy")
    a, b, third = d.shapes(3, distinct=True)
    sizes, colours = d.sizes_of(TWO), d.colours_of(TWO)
    if kind == "apart":
        # The published odd image has the first before the second on both axes.
        other = np.stack([d.pack(sizes[3]), d.pack(sizes[3])], 1) if d.published else _aslant(d, sizes[3], axis)
        places = [*(_level(d, sizes[k], axis) for k in range(3)), other]
    elif kind == "level":
        places = [_aslant(d, sizes[k], axis) for k in range(3)] + [_level(d, sizes[3], axis)]
    else:
        places = _in_order(d, sizes, axis, kind == "order" and not d.published)
        if d.published and kind == "order":
            k = "xy".index(axis)
            places[3][:, k] = places[3][::-1, k]
    shapes = [[a, b]] * 3 + [[a, third if kind == "shape" else b]]
    return d.drawn([d.image(shapes[k], sizes[k], places[k], colours[k]) for k in range(4)], kind)


def _level(d: Draw, sizes: Sequence[float], axis: str) -> Array:
    """Place two objects one after the other along an axis, level with each other."""
    across, places = "xy".index(axis) ^ 1, d.on_axis([max(sizes)] * 2, axis, sizes)
    places[:, across] = places[0, across]
    return places


def _aslant(d: Draw, sizes: Sequence[float], axis: str) -> Array:
    """Place two objects one after the other along an axis, clearly not level with each other."""
    return d.until(lambda: d.on_axis(sizes, axis), lambda p: d.published or bool(np.ptp(p, axis=0).min() >= LEVEL))


@rule(
    53,
    "pos_col_1",
    "PC",
    reference="two hues come in one order along an axis that all have in common",
    odd={"order": "has them in the other order"},
    train=Law(Shapes("object"), Sizes("object", 0.45), Colours(s=Band(0.6, 1, "object"), v=Band(0.5, 1)), 2, "xy"),
    unseen=Law(
        Shapes("object"),
        Sizes("object", 0.35, 1 / 4),
        Colours(s=Band(0.4, 1, "object"), v=Band(0.5, 1, "object")),
        2,
        "xy",
    ),
)
def pos_col_1(d: Draw) -> Drawn:
    """Two objects."""
    axis, hue = d.choice(d.law.direction), d.uniform(0, 1)
    hues = [hue, d.other_hue(hue)]
    shapes, sizes = d.shapes_of(TWO), d.sizes_of(TWO)
    colours, places = d.hued([hues] * 4), _in_order(d, sizes, axis, True)
    return d.drawn([d.image(shapes[k], sizes[k], places[k], colours[k]) for k in range(4)], "order")


# Configurations


@dataclass(frozen=True)
class Frames(Sizes):
    """Sizes of dots in frames: fractions of the smallest frame that a configuration is drawn in.

    Attributes:
        frame: Range of a frame's side.
        frames: Who has one frame in common, all or each image alone.
    """

    frame: tuple[float, float] = (0.0, 1.0)
    frames: Share = "image"


def _law(d: Draw) -> Frames:
    assert isinstance(d.law.size, Frames)
    return d.law.size


LEAST_FRAME = 0.44
"""Of two frames the larger has at least this side, instead of .3: dots of five pixels then have room in the smaller one."""


@rule(
    48,
    "pos_size_2",
    "PZ",
    reference="two groups have one arrangement each in all images, the first drawn larger than the second",
    odd={"size": "draws the second larger than the first"},
    train=Law(Shapes("slot"), Frames("slot", per(1.1), 1.0, (0.5, 0.667), (0.3, 0.6)), vivid(), (3, 5)),
    unseen=Law(Shapes("object"), Frames("slot", root(1, 3), 1.0, (0.5, 0.667), (0.4, 0.6)), pale(), (4, 6)),
    least=5,
)
def pos_size_2(d: Draw) -> Drawn:
    """Two groups of dots."""
    n = d.integer(*d.law.number)
    shapes, colours = group_shapes(d, [[n, n]] * 4), d.colours_of([2 * n] * 4)
    frames = _frames(d)
    least = frames.min(0)
    dots = least * d.law.size.most_of(n)
    if not d.published:
        dots = np.maximum(dots - GAP, 5 * PIXEL)
    groups = [_config(d, n, float(least[g]), float(dots[g])) for g in range(2)]
    if not d.published and _difference(groups[0], groups[1]) < DIFFERENT:
        raise CannotPlace
    images = []
    for k in range(4):
        scaled = [(frames[k, g] - dots[g]) / (least[g] - dots[g]) * groups[g] for g in range(2)]
        places = _two_frames(d, frames[k], dots, scaled)
        images.append(d.image(shapes[k], np.repeat(dots, n).tolist(), np.concatenate(places), colours[k]))
    return d.drawn(images, "size")


DIFFERENT = 0.2
"""Some dot of an arrangement is so far from all dots of another, in sides of their boxes."""


def _frames(d: Draw) -> Array:
    """Draw sides of the frames (4, 2) of both groups in each image; in the odd image the second is larger."""
    low, high = _law(d).frame
    large = d.rng.uniform(low if d.published else max(low, LEAST_FRAME), high, 4)
    frames = np.stack([large, large * d.rng.uniform(*d.law.size.ratio, 4)], axis=1)
    frames *= np.minimum(0.9 / frames.sum(1), 1)[:, None]
    frames[3] = frames[3, ::-1]
    return frames


def _config(d: Draw, n: int, side: float, size: float) -> Array:
    """Draw an arrangement whose box has the side of its frame, so that the larger frame is seen to be larger."""
    centres = d.config(n, side, size)
    return centres if d.published else centres * (side - size) / np.ptp(centres, axis=0).max()


def _difference(a: Array, b: Array) -> float:
    """Largest distance from a dot of one arrangement to the nearest of the other, in sides of their boxes."""
    a, b = a / np.ptp(a, axis=0).max(), b / np.ptp(b, axis=0).max()
    far = np.hypot(*(a[:, None] - b).transpose(2, 0, 1))
    return float(max(far.min(0).max(), far.min(1).max()))


def _two_frames(d: Draw, frames: Array, dots: Array, groups: Sequence[Array]) -> list[Array]:
    """Place two groups. The published rule mixes up their margins, so that they may overlap or stick out."""
    if d.published:
        room = (frames + dots) / 2
        centres = d.until(
            lambda: np.array(d.rng.uniform(room, 1 - room, (2, 2))),
            lambda c: bool((np.abs(c[0] - c[1]) > frames).any()),
        )
    else:
        centres = d.free([np.ptp(group, axis=0) + dot for group, dot in zip(groups, dots, strict=True)])
    return [centre + group for centre, group in zip(centres, groups, strict=True)]


@rule(
    54,
    "pos_col_2",
    "PC",
    reference="all have one arrangement of dots, coloured in one way, but for a shift of all hues",
    odd={"groups": "has other dots of it in one colour"},
    train=Law(
        Shapes("all"),
        Frames("all", per(1.3), frame=(0.35, 0.7), frames="all"),
        Colours(s=Band(0.6, 1), v=Band(0.5, 1)),
        (4, 6),
    ),
    unseen=Law(
        Shapes("object"),
        Frames("all", root(1, 3), 2 / 3, frame=(0.35, 0.7), frames="image"),
        Colours(s=Band(0.4, 1), v=Band(0.25, 0.75)),
        (4, 6),
    ),
)
def pos_col_2(d: Draw) -> Drawn:
    """Dots in groups of one hue. In the published odd image hues are not shifted, so that one of them is red."""
    n = d.integer(*d.law.number)
    groups = _groups(d, n)
    # In the published rule the odd groups may differ in their names alone, which a shift of all hues makes good.
    seen = list if d.published else partition
    other = d.until(lambda: [groups[k] for k in d.order(n)], lambda found: seen(found) != seen(groups))
    k = max(groups) + 1
    shifts = [*d.rng.random(3).tolist(), 0.0 if d.published else d.uniform(0, 1)]
    hues = [
        [(group / k + shift) % 1 for group in row] for row, shift in zip([groups] * 3 + [other], shifts, strict=True)
    ]
    shapes, colours = d.shapes_of([n] * 4), d.hued(hues)
    images = _arranged(d, n, shapes, colours)
    return d.drawn(images, "groups")


def partition(groups: Sequence[int]) -> list[int]:
    """Which belong together, whatever the groups are called."""
    return [list(groups).index(group) for group in groups]


def _arranged(d: Draw, n: int, shapes: Sequence[Sequence[Shape]], colours: Sequence[Sequence[Colour]]) -> list[Image]:
    """Draw one arrangement of n dots for all images, each in its frame, anywhere."""
    law = _law(d)
    frames = [row[0] for row in d.shared(law.frames, [1] * 4, lambda k: d.rng.uniform(*law.frame, k).tolist())]
    least = min(frames)
    low, high = (least * size for size in law.span(n))
    size = d.uniform(low if d.published else max(low, 6 * PIXEL), high)
    dots = d.config(n, least, size)
    images = []
    for k, frame in enumerate(frames):
        centre = d.anywhere(frame)
        images.append(d.image(shapes[k], [size] * n, centre + dots * (frame - size) / (least - size), colours[k]))
    return images


def _groups(d: Draw, n: int) -> list[int]:
    """Share n dots among groups, the last of which has at least two: the group of each."""
    k = d.integer(2, n - 1)
    sizes: list[int] = []
    for group in range(k - 1):
        sizes.append(d.integer(1, n - sum(sizes) - (k - 1 - group) - 1))
    sizes.append(n - sum(sizes))
    return [group for group, size in enumerate(sizes) for _ in range(size)]


# Partners


LINKS = ((0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (1.0, -1.0))
"""From the second partner to the first: beside it, above it, or in one of the two diagonals."""


@rule(
    50,
    "pos_shape_2",
    "PS",
    reference="the same shapes are side by side in pairs",
    odd={"partners": "has two pairs with exchanged partners"},
    train=Law(Shapes("slot"), Sizes("all", per(0.9), 1.0), vivid(), (2, 4), "even"),
    unseen=Law(Shapes("slot"), Sizes("object", 0.225), pale(), (2, 4), "any"),
    least=8,
)
def pos_shape_2(d: Draw) -> Drawn:
    """Pairs around the middles of the quarters."""
    k = d.integer(*d.law.number)
    n = 2 * k
    shapes, sizes, colours = d.shapes(n, distinct=True), d.sizes_of([n] * 4, n), d.colours_of([n] * 4)
    middles = np.array(d.choices([(x, y) for x in (0.25, 0.75) for y in (0.25, 0.75)], k))
    links, margin = _links(d, k), 0.0 if d.published else GAP
    # The published odd image has its pairs where the third reference has them; here not all references have the same places.
    orders = d.until(
        lambda: [d.order(k) for _ in range(4)], lambda made: d.published or not made[0] == made[1] == made[2]
    )
    images = []
    for image in range(4):
        order = orders[2] if image == 3 and d.published else orders[image]
        pairs = [[2 * pair, 2 * pair + 1] for pair in range(k)]
        if image == 3:
            pairs[0][1], pairs[1][1] = pairs[1][1], pairs[0][1]
        row = [shapes[item] for pair in pairs for item in pair]
        reach = (np.array(sizes[image]).reshape(k, 2, 1) + margin) / 2 * np.array([[1], [-1]])
        places = middles[order, None] + reach * links[order, None]
        images.append(d.image(row, sizes[image], places, colours[image]))
    return d.drawn(images, "partners")


def _links(d: Draw, k: int) -> Array:
    """Draw for each of k places in which direction the partners lie (k, 2); along one axis they are always apart."""
    if d.law.direction == "even":
        return np.array([d.choice(LINKS) for _ in range(k)])
    angles = d.rng.uniform(0, 2 * np.pi, 4)
    links = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    axis = d.integer(0, 1)
    links[:, axis] = np.where(links[:, axis] < 0, -1.0, 1.0)
    return links[d.rng.integers(4, size=k)]


# Contact


WOBBLE = 12.0
"""Degrees by which the line between the centres of two that touch may be off its direction."""


@rule(
    55,
    "pos_contact",
    "PT",
    reference="two objects touch, one from the other in a direction that all have in common",
    odd={"direction": "has them touch at right angles to that direction"},
    train=Law(Shapes("object"), Sizes("object", 0.4), vivid("all")),
    unseen=Law(Shapes("object"), Sizes("object", 0.3), pale()),
)
def pos_contact(d: Draw) -> Drawn:
    """Two objects. In the published rule the direction is only that from which they come together."""
    angle = d.uniform(0, 360)
    shapes, sizes, colours = d.shapes_of(TWO), d.sizes_of(TWO), d.colours_of(TWO)
    images = []
    for k in range(4):
        towards = angle + (d.choice((-90, 90)) if k == 3 else 0)
        centres, box = d.until(lambda: _touching(d, shapes[k], sizes[k], towards))  # noqa: B023
        images.append(d.image(shapes[k], sizes[k], centres + d.free(box[None]), colours[k]))
    return d.drawn(images, "direction")


def _touching(d: Draw, shapes: Sequence[Shape], sizes: Sequence[float], angle: float) -> tuple[Array, Array]:
    """Push the second object to the first, so that the line of their centres has this direction."""
    off = 0.0 if d.published else d.uniform(-20, 20)
    centres, box = d.clump(shapes, sizes, [angle + off])
    x, y = centres[1] - centres[0]
    if not d.published and angle_between(float(np.degrees(np.arctan2(y, x))), angle) > WOBBLE:
        raise CannotPlace
    return centres, box


def angle_between(a: float, b: float) -> float:
    """Distance of two directions in degrees."""
    return abs((a - b + 180) % 360 - 180)
