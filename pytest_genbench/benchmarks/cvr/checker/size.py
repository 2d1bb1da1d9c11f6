"""Checks of the rules about sizes alone, and about sizes and symmetry (33 to 39)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..place import PIXEL, Array
from ..scene import Thing
from .family import Checks
from .view import Fault, View, angle_distance, need, same

check = Checks()

LARGER = 1.1
"""Least ratio of two sizes that are to be told apart."""

FURTHER = 3 * PIXEL
"""Least difference of two distances that are to be told apart."""


def differ(a: float, b: float) -> bool:
    """Whether two sizes can be told apart."""
    return max(a, b) >= LARGER * min(a, b) and abs(a - b) >= 2 * PIXEL


def levels(view: View) -> list[list[int]]:
    """Things of each size, the smallest first; each two sizes can be told apart."""
    found: list[list[int]] = []
    for item in np.argsort(view.sizes, kind="stable").tolist():
        last = found[-1][0] if found else item
        if found and abs(view.sizes[item] - view.sizes[last]) < 1e-9:
            found[-1].append(item)
            continue
        need(not found or differ(view.sizes[item], view.sizes[last]), "two sizes are nearly the same")
        found.append([item])
    return found


@check(33)
def shapes_in_order(references: Sequence[View], odd: View, kind: str) -> None:
    """One of two shapes is the smaller, in the odd image the other."""

    def smaller(view: View) -> tuple[int, ...]:
        need(view.count == 2 and len(view.by_shape) == 2, "there are not two shapes")
        return tuple(view.shapes[row[0]] for row in levels(view))

    usual = same((smaller(view) for view in references), "which shape is the smaller")
    need(smaller(odd) == usual[::-1], "in the odd image the usual shape is the smaller")


def _alike(view: View) -> str:
    """How many of three have one size."""
    need(view.count == 3, "there are not three things")
    return {1: "equal", 2: "two", 3: "different"}[len(levels(view))]


@check(34)
def two_of_three(references: Sequence[View], odd: View, kind: str) -> None:
    """Two of three have one size."""
    need(all(_alike(view) == "two" for view in references), "in a reference not two have one size")
    need(kind != "two" and _alike(odd) == kind, "the odd image is not odd as it says")


@check(35)
def none_of_three(references: Sequence[View], odd: View, kind: str) -> None:
    """All three differ in size."""
    need(all(_alike(view) == "different" for view in references), "in a reference two have one size")
    need(kind != "different" and _alike(odd) == kind, "the odd image is not odd as it says")


@check(36)
def ratio(references: Sequence[View], odd: View, kind: str) -> None:
    """One is half as large as the other."""
    ratios = [view.sizes.min() / view.sizes.max() for view in (*references, odd)]
    need(all(view.count == 2 for view in (*references, odd)), "there are not two things")
    need(all(abs(ratio - 0.5) < 1e-9 for ratio in ratios[:3]), "in a reference neither is half as large as the other")
    need(not 1 / 3 < ratios[3] < 0.6, "in the odd image one is about half as large as the other")


@check(37)
def matched(references: Sequence[View], odd: View, kind: str) -> None:
    """Which size on the right goes with which on the left."""

    def order(view: View) -> tuple[int, ...]:
        """For each size on the left, the smallest first, the rank of that on the right at the same height."""
        sides = [np.flatnonzero(view.centres[:, 0] < 0.5), np.flatnonzero(view.centres[:, 0] >= 0.5)]
        left, right = (side[np.argsort(view.centres[side, 1])] for side in sides)
        need(len(left) == len(right), "the sides have different numbers")
        need(bool((abs(view.centres[left, 1] - view.centres[right, 1]) < 1e-9).all()), "there are no rows")
        need(bool((np.abs(np.sort(view.sizes[left]) - np.sort(view.sizes[right])) < 1e-9).all()), "the sizes differ")
        need(all(len(row) == 2 for row in levels(view)), "there are not three sizes")
        return tuple(np.argsort(np.argsort(view.sizes[right]))[np.argsort(view.sizes[left])].tolist())

    need(order(odd) != same((order(view) for view in references), "order"), "the odd image has the usual order")


def grows(sizes: Array, far: Array) -> bool:
    """Whether the smaller are the nearer."""
    return bool((np.diff(far[np.argsort(sizes, kind="stable")]) > -1e-9).all())


def is_inverted(sizes: Array, far: Array) -> bool:
    """Whether a visibly larger thing is visibly nearer than a smaller one."""
    return bool(((sizes[:, None] >= LARGER * sizes) & (far[:, None] <= far - FURTHER)).any())


def is_mirrored(a: Thing, b: Thing, axis: int) -> bool:
    """Whether one line is the mirror image of another across the middle of an axis, 0 for x."""
    sign, shift = np.ones(2), np.zeros(2)
    sign[axis], shift[axis] = -1.0, 1.0
    one, two = a.contour * sign + shift, b.contour
    return one.shape == two.shape and bool(np.abs(one - two).max() < 1e-6)


@check(38)
def mirror_pairs(references: Sequence[View], odd: View, kind: str) -> None:
    """Pairs mirrored across the middle, the smaller the nearer."""
    across = [_axis(view) for view in (*references, odd)]
    axis = same(across[:3], "axis")
    need(across[3] == axis, "the odd image has another axis")
    for view in references:
        sizes, far, mirrored = _mirrored(view, axis)
        need(all(mirrored) and grows(sizes, far), "a reference is not as the rule says")
    sizes, far, mirrored = _mirrored(odd, axis)
    if kind == "distance":
        need(all(mirrored) and is_inverted(sizes, far), "in the odd image the smaller are the nearer")
    else:
        need(grows(sizes, far), "in the odd image the smaller are not the nearer")
        need(any(mirrored) and not all(mirrored), "in the odd image all pairs or none are mirrored")


def _axis(view: View) -> int:
    """The axis across which the places of things are mirrored, two after two."""
    need(view.count % 2 == 0, "there are no pairs")
    for axis in (0, 1):
        one, two = view.centres[::2], view.centres[1::2]
        sums, differences = one[:, axis] + two[:, axis], one[:, 1 - axis] - two[:, 1 - axis]
        if np.abs(sums - 1).max() < 1e-9 and np.abs(differences).max() < 1e-9:
            return axis
    raise Fault("places are not mirrored")


def _mirrored(view: View, axis: int) -> tuple[Array, Array, list[bool]]:
    """Size and distance of each pair, and whether it is mirrored; where not, the two have different shapes."""
    one, two = view.things[::2], view.things[1::2]
    need(bool((view.sizes[::2] == view.sizes[1::2]).all()), "the two of a pair differ in size")
    mirrored = [is_mirrored(a, b, axis) for a, b in zip(one, two, strict=True)]
    shapes = [a.shape is b.shape for a, b in zip(one, two, strict=True)]
    need(mirrored == shapes, "the two of a pair have one shape, but are not mirrored")
    return view.sizes[::2], np.abs(view.centres[::2, axis] - 0.5), mirrored


@check(39)
def twins(references: Sequence[View], odd: View, kind: str) -> None:
    """Twins around a dot, the smaller the nearer."""
    for view in references:
        sizes, far, alike = _twins(view)
        need(all(alike) and grows(sizes, far), "a reference is not as the rule says")
    sizes, far, alike = _twins(odd)
    if kind == "distance":
        need(all(alike) and is_inverted(sizes, far), "in the odd image the smaller are the nearer")
    else:
        need(grows(sizes, far), "in the odd image the smaller are not the nearer")
        need(any(alike) and not all(alike), "in the odd image all twins or none have one shape")


def _twins(view: View) -> tuple[Array, Array, list[bool]]:
    """Size, distance from the dot and whether the two have one shape, for each two of one size."""
    need(len(view.markers) == 1, "there is no dot")
    dot = view.markers[0]
    away = view.centres - (dot.x, dot.y)
    far = np.hypot(*away.T)
    rows = levels(view)
    need(all(len(row) == 2 and abs(far[row[0]] - far[row[1]]) < 1e-6 for row in rows), "there are no twins")
    towards = np.rad2deg(np.arctan2(away[:, 1], away[:, 0]))
    turns = [angle_distance(thing.angle, angle) for thing, angle in zip(view.things, towards, strict=True)]
    need(max(turns) < 1e-3, "a thing is not turned as its place is")
    same((thing.flip for thing in view.things), "flip")
    alike = [view.shapes[a] == view.shapes[b] for a, b in rows]
    return view.sizes[[row[0] for row in rows]], far[[row[0] for row in rows]], alike
