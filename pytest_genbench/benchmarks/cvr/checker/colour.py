"""Checks of the rules of colour with one object, or one for each role."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from .family import Checks
from .view import View, hue_distance, need, same

check = Checks()

APART = 0.15 - 1e-6
"""Least distance of hues that are told apart."""


def labels(hues: Iterable[float]) -> tuple[int, ...]:
    """Number hues in the order in which they are first met; each two are one or can be told apart."""
    found: list[float] = []
    numbers = []
    for hue in hues:
        near = [k for k, other in enumerate(found) if hue_distance(hue, other) < APART]
        need(all(hue == found[k] for k in near), "two hues can hardly be told apart")
        numbers.append(near[0] if near else len(found))
        found += [] if near else [hue]
    return tuple(numbers)


@check(40)
def color_color_1(references: Sequence[View], odd: View, kind: str) -> None:
    """Two objects of one hue."""
    need(all(view.count == 2 for view in (*references, odd)), "an image has not two objects")
    need(all(labels(view.hues) == (0, 0) for view in references), "a reference has two hues")
    need(labels(odd.hues) == (0, 1), "the odd image has one hue")


@check(41)
def color_color_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Three objects or more, all of one hue; in the odd image some have that hue and some can be told from it."""
    need(all(view.count >= 3 for view in (*references, odd)), "an image has too few objects")
    need(all(len(set(view.hues)) == 1 for view in references), "a reference has two hues")
    far = np.abs((odd.hues[:, None] - odd.hues + 0.5) % 1 - 0.5)
    base = ((far == 0) | (far >= APART)).all(1)
    need(len(set(odd.hues)) > 1 and bool(base.any()), "the odd image has no hue besides its usual one")


@check(63)
def shape_color(references: Sequence[View], odd: View, kind: str) -> None:
    """Two shapes, each of one hue."""
    usual = same((dict(zip(view.shapes, view.hues, strict=True)) for view in references), "the hues of the shapes")
    need(len(usual) == 2 and all(view.count == 2 for view in (*references, odd)), "an image has not two shapes")
    need(labels(usual.values()) == (0, 1), "both shapes have one hue")
    first, second = usual
    exchanged = {first: usual[second], second: usual[first]}
    need(dict(zip(odd.shapes, odd.hues, strict=True)) == exchanged, "the odd image has the hues not exchanged")


@check(74)
def color_inside_1(references: Sequence[View], odd: View, kind: str) -> None:
    """One object in another, each of one hue."""
    pairs = []
    for view in (*references, odd):
        need(view.count == 2 and len(view.holders) == 1, "an image has not one object in another")
        ((inner, outer),) = view.holders.items()
        pairs.append((float(view.hues[outer]), float(view.hues[inner])))
    usual = same(pairs[:3], "hue")
    need(labels(usual) == (0, 1), "both objects have one hue")
    need(pairs[3] == usual[::-1], "the odd image has the hues not exchanged")


@check(75)
def color_inside_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Some objects with one in them, of the same colour."""
    for view in (*references, odd):
        held, holders = set(view.holders), list(view.holders.values())
        need(0 < len(held) < view.count - len(held), "nothing lies inside, or all objects hold something")
        need(len(set(holders)) == len(held) and not held & set(holders), "something holds more than one object")
    same((view.count - len(view.holders) for view in (*references, odd)), "the number of outer objects")
    for view in references:
        alike = all(view.things[i].colour == view.things[j].colour for i, j in view.holders.items())
        need(alike, "in a reference an inner object has its own colour")
    far = [hue_distance(odd.hues[i], odd.hues[j]) for i, j in odd.holders.items()]
    need(min(far) >= APART, "in the odd image an inner object has the hue of what it lies in")


def _pattern(view: View) -> tuple[int, ...]:
    """Which objects of two pairs have one hue, whatever their order: the smallest numbering of the hues."""
    (a, b), (c, d) = view.clumps
    orders = [(a, b, c, d), (b, a, c, d), (a, b, d, c), (b, a, d, c)]
    orders += [(*order[2:], *order[:2]) for order in orders]
    return min(labels(view.hues[list(order)]) for order in orders)


@check(76)
def color_contact(references: Sequence[View], odd: View, kind: str) -> None:
    """Two pairs that touch, with one pattern of hues."""
    for view in (*references, odd):
        apart = all(not set(a) & set(b) for a, b in combinations(view.touching, 2))
        need(view.count == 4 and len(view.touching) == 2 and apart, "an image has not two pairs that touch")
        need(not view.holders, "an object lies in another")
    usual = same((_pattern(view) for view in references), "the pattern of hues")
    need(_pattern(odd) != usual, "the odd image has the usual pattern of hues")
