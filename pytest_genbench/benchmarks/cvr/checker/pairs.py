"""Checks of the rules of shape, size, position, rotation and flip, two at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ..scene import Thing
from .family import Checks
from .view import View, angle_distance, need, same

check = Checks()

STEP = 15.0
"""Least angle in degrees that is seen."""


@check(19)
def pair(references: Sequence[View], odd: View, kind: str) -> None:
    """Two copies; the odd image has two shapes."""
    _pair(references, odd, False)


@check(28)
def turned_pair(references: Sequence[View], odd: View, kind: str) -> None:
    """Two copies, turned; the odd image has two shapes."""
    _pair(references, odd, False)
    turns = [angle_distance(view.things[0].angle, view.things[1].angle) for view in references]
    need(max(turns) >= STEP, "in no reference the two are turned from each other")


@check(29)
def mirrored_pair(references: Sequence[View], odd: View, kind: str) -> None:
    """Two mirror images, neither of them turned; the odd image has two shapes."""
    _pair(references, odd, True)
    for view in references:
        same((thing.angle for thing in view.things), "angle")


def _pair(references: Sequence[View], odd: View, mirrored: bool) -> None:
    need(all(view.count == 2 for view in (*references, odd)), "there are not two objects")
    need(all(len(view.by_shape) == 1 for view in references), "a reference has two shapes")
    flips = [view.things[0].flip != view.things[1].flip for view in references]
    need(flips == [mirrored] * 3, "a reference is wrongly flipped")
    need(len(odd.by_shape) == 2, "the odd image has one shape")


@check(30)
def turn(references: Sequence[View], odd: View, kind: str) -> None:
    """One turn from the first to the second, along the axis on which all images have them in order."""
    need(all(view.count == 2 and len(view.by_shape) == 1 for view in (*references, odd)), "two copies are wanted")
    steps = np.array([view.centres[1] - view.centres[0] for view in (*references, odd)])
    need(bool((steps >= 2 / 128).all(0).any()), "there is no axis on which the first comes first")
    angles = [view.things[1].angle - view.things[0].angle for view in (*references, odd)]
    need(all(angle_distance(angle, angles[0]) < 1e-6 for angle in angles[:3]), "references differ in angle")
    need(angle_distance(angles[3], angles[0], 180) >= 60 - 1e-6, "the odd angle is like the usual one")
    need(angle_distance(angles[3], -angles[0]) >= STEP, "the odd angle is the usual one backwards")


@check(86)
def majority(references: Sequence[View], odd: View, kind: str) -> None:
    """Two of one shape, one of the other, all turned."""
    _majority(references, odd, False)


@check(95)
def mirrored_majority(references: Sequence[View], odd: View, kind: str) -> None:
    """Two mirror images of one shape, one object of the other."""
    _majority(references, odd, True)


def _majority(references: Sequence[View], odd: View, mirrored: bool) -> None:
    usual = same((_two(view) for view in references), "shapes")
    need(_two(odd) == usual[::-1], "the odd image has the usual shapes")
    need(all(_mirrored(view) == mirrored for view in (*references, odd)), "two of one shape are wrongly flipped")


def _two(view: View) -> tuple[int, int]:
    """The shape that two of three objects have, and the other."""
    need(view.count == 3 and len(view.by_shape) == 2, "there are not three objects of two shapes")
    (first, _), (second, _) = view.by_shape.most_common()
    return first, second


def _mirrored(view: View) -> bool:
    """Whether the two of one shape are mirror images."""
    first, _ = _two(view)
    return len({thing.flip for thing in view.things if thing.shape.number == first}) == 2


@check(96)
def square(references: Sequence[View], odd: View, kind: str) -> None:
    """Mirrored below, turned at the right."""
    for view in references:
        turns, mirrored = _square(view)
        need(mirrored == (True, True), "a reference is not mirrored")
        need(angle_distance(*turns) < 1e-6, "a reference is turned by two angles")
        need(angle_distance(turns[0], 0) >= STEP, "a reference is not turned")
    turns, mirrored = _square(odd)
    if kind == "angle":
        need(mirrored == (True, True), "the odd image is not mirrored")
        need(angle_distance(*turns) >= 2 * STEP, "the odd image is turned by one angle")
    else:
        need(mirrored == (True, False), "the odd image is mirrored")
        need(angle_distance(*turns) < 1e-6, "the odd image is turned by two angles")


def _square(view: View) -> tuple[tuple[float, float], tuple[bool, bool]]:
    """By how much the right ones are turned from the left, above and below; whether the lower are mirrored, left and right."""
    need(view.count == 4 and len(view.by_shape) == 1, "there are not four copies")
    cells = {(x > 0.5, y > 0.5): thing for (x, y), thing in zip(view.centres.tolist(), view.things, strict=True)}
    need(len(cells) == 4, "a corner is empty")
    above, below = ([cells[right, low] for right in (False, True)] for low in (False, True))
    need(above[0].flip == above[1].flip, "in the upper row one is mirrored")
    turns = (above[1].angle - above[0].angle, below[1].angle - below[0].angle)
    return turns, (above[0].flip != below[0].flip, above[1].flip != below[1].flip)


@check(58)
def size_and_turn(references: Sequence[View], odd: View, kind: str) -> None:
    """Each larger one is turned further; in the odd image each smaller one."""
    need(all(_step(view) > 0 for view in references), "in a reference a smaller one is turned further")
    need(_step(odd) < 0, "in the odd image each larger one is turned further")


def _is_one_hand(view: View) -> bool:
    """Whether all things are mirrored, or none is."""
    return len({thing.flip for thing in view.things}) == 1


def _by_size(view: View) -> list[int]:
    """Three copies, largest first."""
    need(view.count == 3 and len(view.by_shape) == 1, "there are not three copies")
    order = [int(k) for k in np.argsort(-view.sizes)]
    sizes = view.sizes[order]
    need(bool((sizes[1:] <= 0.9 * sizes[:-1]).all()), "sizes are too much alike")
    return order


def _step(view: View) -> float:
    """The equal step by which each larger one is turned further, in (-180, 180]."""
    need(_is_one_hand(view), "one of the copies is mirrored")
    large, mid, small = (view.things[k].angle for k in _by_size(view))
    steps = ((large - mid + 180) % 360 - 180, (mid - small + 180) % 360 - 180)
    need(abs(steps[0] - steps[1]) < 1e-6, "steps differ")
    need(2 * STEP - 1e-6 <= abs(steps[0]) <= 90 + 1e-6, "a step cannot be seen")
    return steps[0]


@check(97)
def size_and_flip(references: Sequence[View], odd: View, kind: str) -> None:
    """The largest is mirrored left to right, the smallest upside down."""
    usual = [(True, 0.0), (False, 0.0), (True, 180.0)]
    for view in references:
        need(_flips(view) == usual, "a reference is not flipped as it should be")
    need(_flips(odd) == usual[::-1], "the odd image is not flipped the other way")


def _flips(view: View) -> list[tuple[bool, float]]:
    return [(view.things[k].flip, view.things[k].angle) for k in _by_size(view)]


Reading = Callable[[View, int], object]
"""What is seen of an image along axis 0 or 1."""


def _along_axis(references: Sequence[View], odd: View, read: Reading, wanted: Callable[[object], bool]) -> None:
    """Raise unless along one axis the references, and they only, have one reading that is wanted.

    Along no axis may all images but one of the references have such a reading: that reference would be as odd.
    """
    found = False
    for axis in range(2):
        readings = [read(view, axis) for view in (*references, odd)]
        found = found or (wanted(readings[0]) and readings[:3] == [readings[0]] * 3 != [readings[3]] * 3)
        for k in range(3):
            rest = readings[:k] + readings[k + 1 :]
            alone = wanted(rest[0]) and rest == [rest[0]] * 3 and readings[k] != rest[0]
            need(not alone, "a reference is odd along some axis")
    need(found, "along no axis the references agree and the odd image differs")


def _row(view: View, axis: int) -> list[Thing]:
    """Three copies in order along an axis; less where some are not clearly one after the other."""
    need(view.count == 3 and len(view.by_shape) == 1, "there are not three copies")
    order = np.argsort(view.centres[:, axis])
    if (np.diff(view.centres[order, axis]) < 2 / 128).any():
        return []
    return [view.things[k] for k in order]


@check(98)
def turning_row(references: Sequence[View], odd: View, kind: str) -> None:
    """Each is turned further than the one before."""

    def turns(view: View, axis: int) -> bool:
        row = _row(view, axis)
        steps = [(b.angle - a.angle) % 360 for a, b in itertools.pairwise(row)]
        return bool(row) and all(STEP <= step <= 180 - STEP for step in steps) and abs(steps[0] - steps[1]) < STEP

    _along_axis(references, odd, turns, bool)
    for view in (*references, odd):
        need(_is_one_hand(view), "one of the copies is mirrored")
        angles = sorted((thing.angle - view.things[0].angle + 180) % 360 for thing in view.things)
        steps = [(b - a) % 360 for a, b in zip(angles, angles[1:] + angles[:1], strict=True)]
        need(any(abs(a - b) < 1e-6 for a, b in itertools.combinations(steps, 2)), "steps differ")


@check(99)
def flipped_row(references: Sequence[View], odd: View, kind: str) -> None:
    """How the first and the last are flipped; half turns count where nothing is turned otherwise."""
    things = [thing for view in (*references, odd) for thing in view.things]
    upright = all(thing.angle % 180 == 0 for thing in things)
    need(upright or all(angle_distance(thing.angle, 0) <= 60 + 1e-6 for thing in things), "something is turned too far")

    def flips(view: View, axis: int) -> object:
        row = _row(view, axis)
        if not row:
            return None
        return [(row[k].flip != row[1].flip, upright and row[k].angle != row[1].angle) for k in (0, 2)]

    _along_axis(references, odd, flips, lambda reading: reading is not None)


@check(100)
def mirrored_across(references: Sequence[View], odd: View, kind: str) -> None:
    """Mirrored on the line that joins them."""
    for view in references:
        off = _off_line(view)
        need(off is not None and off < 1, "a reference is not mirrored on the line that joins its objects")
    off = _off_line(odd)
    if kind == "flip":
        need(off is None, "the odd image is mirrored")
    else:
        need(off is not None and off >= 2 * STEP, "the odd image is mirrored on the line that joins its objects")


def _off_line(view: View) -> float | None:
    """Degrees between the axis on which one of two copies is the mirror image of the other, and the line that joins them."""
    need(view.count == 2 and len(view.by_shape) == 1, "there are not two copies")
    a, b = view.things
    if a.flip == b.flip:
        return None
    x, y = view.centres[1] - view.centres[0]
    # Both are turned after the flip of x, whose axis is upright.
    return angle_distance(90 + (a.angle + b.angle) / 2, float(np.degrees(np.arctan2(y, x))), 180)
