"""Checks of the rules of things that lie in others, of which another relation decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..scene import Thing
from .family import Checks
from .inside import pairs_only
from .view import View, angle_distance, need, same

check = Checks()

Pair = tuple[Thing, Thing]
"""A thing that holds another, and that."""


def _nested(view: View) -> list[Pair]:
    """What holds another, with it, in the order of the image."""
    pairs_only(view)
    need(bool(view.holders), "no thing holds another")
    return [
        (view.things[outer], view.things[inner])
        for inner, outer in sorted(view.holders.items(), key=lambda pair: pair[1])
    ]


@check(66)
def shape_inside(references: Sequence[View], odd: View, kind: str) -> None:
    """One shape in another; in the odd image they are exchanged."""
    usual = same((_shapes(view) for view in references), "shapes")
    need(usual[0] != usual[1] and _shapes(odd) == usual[::-1], "the odd shapes are not exchanged")


def _shapes(view: View) -> tuple[int, int]:
    need(view.count == 2, "there are not two things")
    ((outer, inner),) = _nested(view)
    return outer.shape.number, inner.shape.number


@check(67)
def shape_inside_1(references: Sequence[View], odd: View, kind: str) -> None:
    """Copies in the middle; in the odd image other shapes."""
    _centred(references, odd, "copied", "other")


@check(72)
def rot_inside_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Copies in the middle, turned by right angles; in the odd image other shapes."""
    _centred(references, odd, "turned by right angles", "other")


@check(93)
def flip_inside_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Mirror images in the middle; in the odd image turned copies."""
    _centred(references, odd, "mirrored", "turned")


def _centred(references: Sequence[View], odd: View, usual: str, other: str) -> None:
    """Raise unless all that lies in the middle of something differs from it in the usual way, in the odd image in another."""
    found = {_twist(outer, inner) for view in references for outer, inner in _middle(view)}
    need(found == {usual}, f"in a reference something is not {usual} inside")
    need(
        {_twist(outer, inner) for outer, inner in _middle(odd)} == {other},
        f"in the odd image something is not {other} inside",
    )


def _middle(view: View) -> list[Pair]:
    """Things with others in their middle."""
    found = _nested(view)
    need(len(found) < view.count - len(found), "all things hold another")
    need(all(np.hypot(o.x - i.x, o.y - i.y) < 1e-6 for o, i in found), "something lies not in the middle")
    return found


def _twist(outer: Thing, inner: Thing) -> str:
    """How a thing differs from another besides size."""
    if outer.shape is not inner.shape:
        return "other"
    turn = inner.angle - outer.angle
    if outer.flip != inner.flip:
        return "mirrored" if angle_distance(turn, 0) < 1e-6 else "mirrored and turned"
    if angle_distance(turn, 0) < 1e-6 and not inner.flip:
        return "copied"
    return "turned by right angles" if angle_distance(turn, 0, 90) < 1e-6 else "turned"


@check(71)
def rot_inside_1(references: Sequence[View], odd: View, kind: str) -> None:
    """Two nested pairs, one turned as a whole by right angles; in the odd image one of its things turned by itself."""
    for view in references:
        outer, inner, place = _turns(view)
        need(
            angle_distance(outer, place) < 1e-4 and angle_distance(inner, place) < 1e-4,
            "a reference is not turned as a whole",
        )
        need(angle_distance(place, 0, 90) < 1e-4, "a reference is not turned by right angles")
    outer, inner, place = _turns(odd)
    usual, other = (outer, inner) if kind == "inner" else (inner, outer)
    need(angle_distance(usual, place) < 1e-4, "in the odd image both are turned by themselves")
    need(angle_distance(other, place) >= 90 - 1e-6, "the odd image is turned as a whole")


def _turns(view: View) -> tuple[float, float, float]:
    """Angles by which the second of two pairs is turned: outer thing, inner thing, place of the inner one."""
    first, second = _two(view)
    need(not any(thing.flip for thing in view.things), "something is mirrored")
    outer, inner = (b.angle - a.angle for a, b in zip(first, second, strict=True))
    before, after = _place(first), _place(second)
    need(abs(abs(before) - abs(after)) < 1e-4, "the inner things are not equally far from the middle")
    return outer, inner, float(np.degrees(np.angle(after / before)))


def _two(view: View) -> tuple[Pair, Pair]:
    """The two nested pairs, of two shapes."""
    need(len(view.holders) == 2 and view.count == 4, "there are not two things in two others")
    first, second = _nested(view)
    need(all(a.shape is b.shape for a, b in zip(first, second, strict=True)), "the pairs have not the same shapes")
    return first, second


def _place(pair: Pair) -> complex:
    """Where in the outer thing the inner one lies, in units of its size."""
    outer, inner = pair
    return complex(inner.x - outer.x, inner.y - outer.y) / outer.size


@check(92)
def flip_inside_1(references: Sequence[View], odd: View, kind: str) -> None:
    """Two nested pairs, one the mirror image of the other; in the odd image one of its things is turned instead."""
    for view in references:
        outer, inner, place = _mirrored(view)
        need(outer and inner and place, "a reference is not mirrored as a whole")
    outer, inner, place = _mirrored(odd)
    # The place of the inner thing goes with the outer one.
    need(
        (outer, inner, place) == (kind == "inner", kind == "outer", kind == "inner"),
        "not one of the odd things is mirrored",
    )
    first, second = _two(odd)
    which = 0 if kind == "outer" else 1
    need(angle_distance(first[which].angle, second[which].angle) <= 30 + 1e-6, "an odd thing is turned too far")


def _mirrored(view: View) -> tuple[bool, bool, bool]:
    """Of the second of two pairs, whether outer thing, inner thing and the place of that are mirrored, x to -x."""
    first, second = _two(view)
    need(
        abs(first[0].size - second[0].size) < 1e-6 and abs(first[1].size - second[1].size) < 1e-6,
        "pairs differ in size",
    )
    outer, inner = (
        a.flip != b.flip and angle_distance(a.angle, -b.angle) < 1e-6 for a, b in zip(first, second, strict=True)
    )
    need(
        all(a.flip == b.flip for a, b, f in zip(first, second, (outer, inner), strict=True) if not f),
        "something is both",
    )
    return outer, inner, abs(_place(second) + _place(first).conjugate()) < 1e-4


@check(90)
def inside_sym_mir(references: Sequence[View], odd: View, kind: str) -> None:
    """Pairs on both sides of a middle: those that hold another mirrored, the others not; in the odd image the reverse."""
    axes = [axis for axis in (0, 1) if all(_pairs(view, axis) is not None for view in (*references, odd))]
    need(bool(axes), "the images have no pairs on both sides of one middle")
    reasons = [_symmetric(references, odd, axis) for axis in axes]
    need("" in reasons, reasons[0])


def _pairs(view: View, axis: int) -> list[tuple[int, int]] | None:
    """Things that nothing holds, in pairs of one size on both sides of the middle; None if they are not."""
    outer = [i for i in range(view.count) if i not in view.holders]
    low = [i for i in outer if view.centres[i, axis] < 0.5]
    found = []
    for i in low:
        image = view.centres[i].copy()
        image[axis] = 1 - image[axis]
        partners = [
            j
            for j in outer
            if np.abs(view.centres[j] - image).max() < 1e-6 and abs(view.sizes[i] - view.sizes[j]) < 1e-6
        ]
        if len(partners) != 1:
            return None
        found.append((i, partners[0]))
    return found if 2 * len(found) == len(outer) else None


def _symmetric(references: Sequence[View], odd: View, axis: int) -> str:
    """Why the rule does not hold for pairs along an axis; empty if it does."""
    held = [len(view.holders) for view in (*references, odd)]
    if len(set(held)) != 1 or not held[0]:
        return "images differ in the number of things that hold another"
    for view in references:
        if {_pair_kind(view, *pair, axis) for pair in _pairs(view, axis) or []} != {"full mirrored", "empty other"}:
            return "a reference has not mirror images of what holds another, and of nothing else"
    if {_pair_kind(odd, *pair, axis) for pair in _pairs(odd, axis) or []} != {"full copied", "empty mirrored"}:
        return "the odd image has not copies of what holds another, and mirror images of the others"
    return ""


def _pair_kind(view: View, i: int, j: int, axis: int) -> str:
    """Whether two things, with what they hold, are mirror images or copies of each other."""
    inner = {outer: held for held, outer in view.holders.items()}
    if (i in inner) != (j in inner):
        return "half"
    first, second = ([k, inner[k]] if k in inner else [k] for k in (i, j))
    lines = [(view.things[a], view.things[b]) for a, b in zip(first, second, strict=True)]
    full = "full" if i in inner else "empty"
    if all(a.shape is b.shape and np.allclose(_image(a.contour, axis), b.contour, atol=1e-6) for a, b in lines):
        return f"{full} mirrored"
    shift = view.centres[j] - view.centres[i]
    if full == "full" and all(
        a.shape is b.shape and np.allclose(a.contour + shift, b.contour, atol=1e-6) for a, b in lines
    ):
        return "full copied"
    return f"{full} other"


def _image(contour: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Mirror a line on the middle of an axis."""
    image = contour.copy()
    image[:, axis] = 1 - image[:, axis]
    return image


@check(79)
def inside_contact(references: Sequence[View], odd: View, kind: str) -> None:
    """Four things that touch in pairs: the two that hold another each other, or each an empty one."""
    states = {"together": "mixed", "mixed": "together"}
    need(
        same((_state(view) for view in references), "what touches what") == states[kind],
        "references are not as they should be",
    )
    need(_state(odd) == kind, "the odd image is not as it says")


def _state(view: View) -> str:
    pairs_only(view)
    need(view.count == 6 and len(view.holders) == 2, "there are not four things, of which two hold another")
    full = set(view.holders.values())
    touching = [set(pair) for pair in view.touching]
    need(len(touching) == 2 and len(set.union(*touching)) == 4, "the things do not touch in pairs")
    need(not set.union(*touching) & set(view.holders), "what lies in something touches")
    return "together" if full in touching else "mixed"
