"""Checks of symmetry: what one copy ought to be, given the other, against what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..scene import Image
from .family import Checks
from .view import View, angle_distance, need

check = Checks()

EXACT = 1e-6


def _judge(references: Sequence[Mapping[str, float]], odd: Mapping[str, float], fault: str, least: float) -> None:
    """The references have no fault, the odd image has this one, clearly, and no other."""
    for faults in references:
        need(all(value < EXACT for value in faults.values()), f"a reference is not symmetric: {faults}")
    need(odd[fault] >= least - EXACT, f"the odd image has too little of a fault in {fault}: {odd}")
    need(all(value < EXACT for name, value in odd.items() if name != fault), f"the odd image has other faults: {odd}")


def _two(view: View) -> Image:
    need(view.count == 2, "there are not two objects")
    return view.things


def _unlike(view: View) -> dict[str, float]:
    """How two objects differ in shape and size."""
    first, second = _two(view)
    return {
        "shape": float(first.shape.number != second.shape.number),
        "size": 1 - min(first.size, second.size) / max(first.size, second.size),
    }


def _unturned(view: View, turn: float) -> dict[str, float]:
    """How the second object differs from the first one turned by an angle about the mark."""
    first, second = _two(view)
    arms = (view.centres - (view.markers[0].x, view.markers[0].y)) @ (1, 1j)
    return _unlike(view) | {
        "flip": float(first.flip != second.flip),
        "place": abs(arms[0] * np.exp(1j * np.deg2rad(turn)) - arms[1]),
        "turn": angle_distance(second.angle - first.angle, turn),
    }


def _line(view: View) -> float:
    """Direction from the second object to the first."""
    return float(np.rad2deg(np.arctan2(*(view.centres[0] - view.centres[1])[::-1])))


def _unmirrored(view: View) -> dict[str, float]:
    """How the second object differs from the mirror image of the first on their bisector."""
    first, second = _two(view)
    line = 2 * _line(view)
    return _unlike(view) | {
        "flip": float(first.flip == second.flip),
        "line": angle_distance(first.angle + second.angle, line),
    }


@check(9)
def sym_rot(references: Sequence[View], odd: View, kind: str) -> None:
    """A quarter turn about the mark."""
    least = {"shape": 1, "size": 1 / 3, "place": 0.15, "turn": 60}[kind]
    _judge([_unturned(view, 90) for view in references], _unturned(odd, 90), kind, least)


@check(43)
def sym_sym_2(references: Sequence[View], odd: View, kind: str) -> None:
    """One turn about the mark, which in the odd image is another."""
    turns = []
    for view in (*references, odd):
        _two(view)
        arms = (view.centres - (view.markers[0].x, view.markers[0].y)) @ (1, 1j)
        turns.append(float(np.rad2deg(np.angle(arms[1] / arms[0]))))
        faults = _unturned(view, turns[-1])
        need(all(value < EXACT for value in faults.values()), f"an image is not symmetric: {faults}")
    # Which of the two is the first cannot be seen, and so not to which side it is turned.
    need(float(np.ptp(np.abs(turns[:3]))) < EXACT, "references differ in the angle")
    need(abs(abs(turns[3]) - abs(turns[0])) >= 45 - EXACT, "the odd angle is like the usual one")


@check(10)
def sym_mir(references: Sequence[View], odd: View, kind: str) -> None:
    """Mirror images. Where both are turned alike, or elsewhere, the line that joins them is not across the axis."""
    least = {"shape": 1, "size": 1 / 3, "flip": 1, "place": 50, "turn": 60}[kind]
    fault = "line" if kind in ("place", "turn") else kind
    _judge([_unmirrored(view) for view in references], _unmirrored(odd), fault, least)


@check(42)
def sym_sym_1(references: Sequence[View], odd: View, kind: str) -> None:
    """Mirror images on axes of one direction, which in the odd image is another."""
    for view in (*references, odd):
        faults = _unmirrored(view)
        need(all(value < EXACT for value in faults.values()), f"an image is not symmetric: {faults}")
    lines = [_line(view) for view in (*references, odd)]
    need(all(angle_distance(line, lines[0], 180) < EXACT for line in lines[1:3]), "references differ in the axis")
    need(angle_distance(lines[3], lines[0], 180) >= 60 - EXACT, "the odd axis is like the usual one")
