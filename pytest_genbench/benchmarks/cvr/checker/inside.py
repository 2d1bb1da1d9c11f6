"""Checks of the rules of things that lie in others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..place import PIXEL
from .family import Checks
from .view import View, angle_distance, need, same

check = Checks()


def pairs_only(view: View) -> None:
    """Demand that nothing in something holds a thing itself, and that nothing holds two."""
    held = view.holders
    need(len(set(held.values())) == len(held), "one thing holds two")
    need(not set(held) & set(held.values()), "what lies in something holds another")


@check(17)
def inside_count_1(references: Sequence[View], odd: View, kind: str) -> None:
    """One number of things that hold another."""
    for view in (*references, odd):
        pairs_only(view)
    usual = same((len(view.holders) for view in references), "number of holders")
    need(usual > 0, "no reference has a holder")
    need(
        len(odd.holders) - usual == {"more": 1, "fewer": -1}[kind],
        "the odd number of holders is not next to the usual one",
    )


@check(22)
def inside_inside_1(references: Sequence[View], odd: View, kind: str) -> None:
    """The largest around both others."""
    for view in (*references, odd):
        need(view.count == 3, "there are not three things")
    for view in references:
        a, b, c = np.argsort(-view.sizes)
        need(view.holders in ({b: a, c: a}, {b: a, c: b}), "in a reference the largest does not hold both others")
    a, b, c = np.argsort(-odd.sizes)
    forms = {"pair": {c: b}, "small": {b: a}, "middle": {c: a}, "all": {}}
    need(odd.holders == forms[kind], "the odd image is not as it says")


@check(23)
def inside_inside_2(references: Sequence[View], odd: View, kind: str) -> None:
    """One around all others."""
    for view in (*references, odd):
        largest = int(view.sizes.argmax())
        need(view.count >= 3 and set(view.holders.values()) == {largest}, "the largest is not the only holder")
    need(all(len(view.holders) == view.count - 1 for view in references), "a reference has a thing outside")
    need(1 <= len(odd.holders) < odd.count - 1, "the odd image has nothing outside, or nothing inside")


@check(24)
def pos_inside_3(references: Sequence[View], odd: View, kind: str) -> None:
    """On the low side of an axis all things hold another, on the high side none; the odd image exchanges the sides."""
    for view in (*references, odd):
        pairs_only(view)
    usual = [[_held_side(view, axis) for view in references] for axis in (0, 1)]
    holds = [all(side == "low" for side in usual[axis]) and _held_side(odd, axis) == "high" for axis in (0, 1)]
    need(any(holds), "the sides of the references and of the odd image are not opposite")


def _held_side(view: View, axis: int) -> str:
    """The side of the middle on which all things hold another, and on the other none."""
    outer = [i for i in range(view.count) if i not in view.holders]
    where = view.centres[outer, axis] - 0.5
    full = np.isin(outer, list(view.holders.values()))
    if not full.any() or full.all() or np.abs(where).min() < 0.05 - 1e-6:
        return ""
    return "low" if (full == (where < 0)).all() else "high" if (full == (where > 0)).all() else ""


@check(25)
def pos_inside_1(references: Sequence[View], odd: View, kind: str) -> None:
    """One in another, off its middle to one side; in the odd image to the opposite one."""
    usual = np.array([_offset(view) for view in references])
    other = _offset(odd)
    sides = np.array([[-1, 0], [1, 0], [0, -1], [0, 1]])
    shown = (usual @ sides.T >= 0.1).all(0) & (sides @ other <= -0.1)
    need(bool(shown.any()), "the sides of the references and of the odd image are not opposite")


def _offset(view: View) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Place of the only thing inside, over the size of the one around it."""
    need(view.count == 2 and len(view.holders) == 1, "there is not one thing in another")
    ((inner, outer),) = view.holders.items()
    offset = (view.centres[inner] - view.centres[outer]) / view.sizes[outer]
    need(bool(np.abs(offset).max() * view.sizes[outer] >= 3 * PIXEL), "what lies inside is in the middle")
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = offset
    return found


@check(26)
def pos_inside_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Two in a third, in one direction from each other; in the odd image at right angles to it."""
    usual = same((_direction(view) for view in references), "direction")
    need(_direction(odd) == (usual + 90) % 180, "the odd direction is not across the usual one")


def _direction(view: View) -> int:
    """The direction from one of two in a third to the other, in degrees: one of four."""
    inner, outer = list(view.holders), set(view.holders.values())
    need(view.count == 3 and len(inner) == 2 and len(outer) == 1, "there are not two things in a third")
    dx, dy = view.centres[inner[1]] - view.centres[inner[0]]
    angle = float(np.degrees(np.arctan2(dy, dx)))
    near = [way for way in (0, 45, 90, 135) if angle_distance(angle, way, 180) <= 16]
    need(len(near) == 1, "two things are in no clear direction from each other")
    return near[0]


@check(27)
def pos_inside_4(references: Sequence[View], odd: View, kind: str) -> None:
    """The holder before or behind both others along an axis; in the odd image at the opposite end."""
    ends = [[_end(view, axis) for view in references] for axis in (0, 1)]
    others = [_end(odd, axis) for axis in (0, 1)]
    opposite: dict[str | None, str] = {"first": "last", "last": "first"}
    holds = [len(set(ends[axis])) == 1 and opposite.get(ends[axis][0], "") == others[axis] for axis in (0, 1)]
    need(any(holds), "the ends of the references and of the odd image are not opposite")


def _end(view: View, axis: int) -> str | None:
    """The end of a row at which the only holder stands."""
    need(view.count == 4 and len(view.holders) == 1, "there is not one thing in another, and two more")
    ((inner, outer),) = view.holders.items()
    boxes = np.array([thing.box for thing in view.things])[:, [axis, axis + 2]]
    others = [i for i in range(4) if i not in (inner, outer)]
    if (boxes[others, 0] >= boxes[outer, 1] + PIXEL).all():
        return "first"
    return "last" if (boxes[others, 1] <= boxes[outer, 0] - PIXEL).all() else None
