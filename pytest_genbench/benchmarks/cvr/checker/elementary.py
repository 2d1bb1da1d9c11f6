"""Checks of the nine elementary rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .family import Checks
from .view import View, angle_distance, hue_distance, need, same

check = Checks()

STEP = 15.0
"""Least angle in degrees that is seen."""


@check(0)
def shape(references: Sequence[View], odd: View, kind: str) -> None:
    """One shape, which the odd image has not."""
    need(all(view.count == 1 for view in (*references, odd)), "an image has not one object")
    usual = same((view.shapes for view in references), "shape")
    need(odd.shapes != usual, "the odd image has the usual shape")


@check(4)
def rot(references: Sequence[View], odd: View, kind: str) -> None:
    """One shape, turned."""
    shape(references, odd, kind)
    first, *others = (view.things[0].angle for view in references)
    need(any(angle_distance(angle, first) >= STEP for angle in others), "no reference is turned")


@check(5)
def flip(references: Sequence[View], odd: View, kind: str) -> None:
    """One shape and its mirror image, neither of them turned."""
    shape(references, odd, kind)
    same((view.things[0].angle for view in references), "angle")
    need(len({view.things[0].flip for view in references}) == 2, "no reference is mirrored, or each")


@check(1)
def place(references: Sequence[View], odd: View, kind: str) -> None:
    """One place."""
    places = np.array([view.centres[0] for view in references])
    need(bool(np.ptp(places, axis=0).max() < 1e-6), "references differ in place")
    need(bool(np.hypot(*(odd.centres[0] - places[0])) >= 0.2 - 1e-6), "the odd place is near the usual one")


@check(2)
def size(references: Sequence[View], odd: View, kind: str) -> None:
    """One size."""
    sizes = np.array([view.sizes[0] for view in references])
    need(bool(np.ptp(sizes) < 1e-6), "references differ in size")
    ratio = odd.sizes[0] / sizes[0]
    need(not 0.5 < ratio < 2, "the odd size is like the usual one")


@check(3)
def color(references: Sequence[View], odd: View, kind: str) -> None:
    """One colour."""
    usual = same((view.things[0].colour for view in references), "colour")
    hue, *sv = odd.things[0].colour
    need(hue_distance(hue, usual[0]) >= 0.15 - 1e-6, "the odd hue is like the usual one")
    need(tuple(sv) == usual[1:], "the odd image differs in more than hue")


@check(6)
def count(references: Sequence[View], odd: View, kind: str) -> None:
    """One number."""
    need(odd.count != same((view.count for view in references), "number"), "the odd image has the usual number")


@check(7)
def inside(references: Sequence[View], odd: View, kind: str) -> None:
    """One in the other."""
    need(all(view.count == 2 for view in (*references, odd)), "an image has not two objects")
    need(all(view.holders == {1: 0} for view in references), "a reference has nothing inside")
    need(not odd.holders, "the odd image has something inside")


@check(8)
def contact(references: Sequence[View], odd: View, kind: str) -> None:
    """Two that touch."""
    need(all(view.count == 2 for view in (*references, odd)), "an image has not two objects")
    need(all(view.touching == {(0, 1)} and not view.holders for view in references), "in a reference nothing touches")
    need(not odd.touching, "in the odd image two touch")


@check(18)
def count_count(references: Sequence[View], odd: View, kind: str) -> None:
    """One parity."""
    need(len({view.count for view in (*references, odd)}) == 4, "numbers are repeated")
    parity = same((view.count % 2 for view in references), "parity")
    need(odd.count % 2 != parity, "the odd number has the usual parity")
