"""Checks of the rules of position and one more relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..place import PIXEL
from .colour import labels
from .family import Checks
from .view import View, angle_distance, hue_distance, need, same

check = Checks()

SEEN = 2 * PIXEL
"""Least distance of two places along an axis that is seen."""

LEVEL = 0.06
"""Least distance along an axis of two that do not stand level."""


def in_order(steps: NDArray[np.float64]) -> None:
    """Raise unless on one axis all references have one order and the odd image has the other, and none else is so odd.

    Args:
        steps: From the first to the second thing of each image (4, 2), the odd image last.
    """
    forward = steps >= SEEN
    back = steps <= -SEEN
    found = [(a[:3].all() and b[3]) or (b[:3].all() and a[3]) for a, b in zip(forward.T, back.T, strict=True)]
    need(any(found), "there is no axis on which all references have one order, and the odd image the other")
    for signs in (steps > 0).T.tolist():
        need(all(signs.count(sign) > 1 for sign in signs[:3]), "a reference has an order that no other image has")


def _pairs(views: Sequence[View]) -> NDArray[np.float64]:
    """Steps (4, 2) from the first to the second of two things."""
    need(all(view.count == 2 for view in views), "there are not two objects")
    return np.array([view.centres[1] - view.centres[0] for view in views])


@check(47)
def size_in_order(references: Sequence[View], odd: View, kind: str) -> None:
    """The larger one first."""
    views = (*references, odd)
    steps = _pairs(views)
    for k, view in enumerate(views):
        small, large = sorted(view.sizes)
        need(small <= 0.9 * large, "sizes are too much alike")
        if view.sizes[0] == small:
            steps[k] *= -1
    in_order(steps)
    large_first = (steps[:3] >= SEEN).all(0) & (steps[3] <= -SEEN)
    need(bool(large_first.any()), "on no axis the larger one comes first in the references alone")


@check(53)
def hue_in_order(references: Sequence[View], odd: View, kind: str) -> None:
    """Two hues in one order."""
    views = (*references, odd)
    steps = _pairs(views)
    hue, other = same((sorted(view.hues.tolist()) for view in views), "hues")
    need(labels((hue, other)) == (0, 1), "both objects have one hue")
    in_order(np.array([step if view.hues[0] == hue else -step for step, view in zip(steps, views, strict=True)]))


@check(49)
def shapes_in_relation(references: Sequence[View], odd: View, kind: str) -> None:
    """Two shapes, in order, level, or neither."""
    views = (*references, odd)
    steps = _pairs(views)
    a, b = same((tuple(sorted(view.shapes)) for view in references), "shapes")
    need(a != b, "the references have one shape")
    first = a if kind != "shape" or a in odd.shapes else b
    need(all(view.by_shape[first] == 1 for view in views), "a shape is missing")
    steps = np.array([step if view.shapes[0] == first else -step for step, view in zip(steps, views, strict=True)])
    level, apart = np.abs(steps) < 1e-6, np.abs(steps) >= LEVEL - 1e-6
    if kind == "shape":
        need(sorted(odd.shapes) != [a, b], "the odd image has the usual shapes")
        forward, back = (steps >= SEEN).all(0), (steps <= -SEEN).all(0)
        need(bool(forward.any() or back.any()), "there is no axis on which all have one order")
        return
    need(sorted(odd.shapes) == [a, b], "the odd image has another shape")
    if kind == "order":
        in_order(steps)
    elif kind == "apart":
        need(bool(level[:3].all(0).any()), "the references are not level")
        need(bool(apart[3].all()), "the odd image is level")
    else:
        need(bool(apart[:3].all()), "a reference is level")
        need(bool(level[3].any()), "the odd image is not level")


# Configurations


@check(48)
def sizes_of_arrangements(references: Sequence[View], odd: View, kind: str) -> None:
    """Two arrangements, the first larger than the second; in the odd image smaller."""
    views = (*references, odd)
    n = same((view.count for view in views), "number") // 2
    need(all(view.count == 2 * n for view in views), "groups differ in number")
    for group in (slice(0, n), slice(n, 2 * n)):
        forms = [_form(view.centres[group]) for view in views]
        need(all(np.abs(form - forms[0]).max() < 1e-6 for form in forms), "images differ in arrangement")
        same((set(view.sizes[group].round(6)) for view in views), "size of dots")
    need(_unlike(_form(views[0].centres[:n]), _form(views[0].centres[n:])) >= 0.15, "the two arrangements are alike")
    ratios = [_side(view, slice(n, 2 * n)) / _side(view, slice(0, n)) for view in views]
    need(max(ratios[:3]) <= 0.75, "in a reference the first is not larger")
    need(ratios[3] >= 1 / 0.75, "in the odd image the second is not larger")
    for view in views:
        a, b = (np.array([thing.box for thing in view.things[group]]) for group in (slice(0, n), slice(n, 2 * n)))
        low = np.maximum(a[:, :2].min(0), b[:, :2].min(0))
        high = np.minimum(a[:, 2:].max(0), b[:, 2:].max(0))
        need(bool((low > high).any()), "the two arrangements overlap")


def _form(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """An arrangement, wherever it is and however large."""
    form: NDArray[np.float64] = (centres - centres.min(0)) / np.ptp(centres, axis=0).max()
    return form


def _unlike(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Largest distance of a place in either form to the nearest of the other."""
    a, b = (form - (form.min(0) + form.max(0)) / 2 for form in (a, b))
    far = np.hypot(*(a[:, None] - b).transpose(2, 0, 1))
    return float(max(far.min(0).max(), far.min(1).max()))


def _side(view: View, group: slice) -> float:
    """Longer side of a group's box."""
    boxes = np.array([thing.box for thing in view.things[group]])
    return float((boxes[:, 2:].max(0) - boxes[:, :2].min(0)).max())


@check(54)
def colours_of_an_arrangement(references: Sequence[View], odd: View, kind: str) -> None:
    """One arrangement, coloured in one way but for a shift; in the odd image others go together."""
    views = (*references, odd)
    same((view.count for view in views), "number")
    forms = [_form(view.centres) for view in views]
    need(all(np.abs(form - forms[0]).max() < 1e-6 for form in forms), "images differ in arrangement")
    usual, other = same((labels(view.hues) for view in references), "groups"), labels(odd.hues)
    need(1 < len(set(usual)) < len(usual), "nothing is grouped")
    need(other != usual, "the odd image has the usual groups")
    need(
        sorted(Counter(other).values()) == sorted(Counter(usual).values()), "the odd groups have other numbers of dots"
    )
    shifts = [(view.hues - view.hues[0]) % 1 for view in references]
    need(
        all(hue_distance(a, b) < 1e-6 for s in shifts for a, b in zip(s, shifts[0], strict=True)),
        "hues are not shifted",
    )


# Partners


@check(50)
def partners(references: Sequence[View], odd: View, kind: str) -> None:
    """The same pairs of shapes; in the odd image two pairs have exchanged one shape each."""
    usual = same((_partners(view)[0] for view in references), "pairs")
    same((_partners(view)[1] for view in (*references, odd)), "places")
    other = _partners(odd)[0]
    need(frozenset().union(*usual) == frozenset().union(*other), "the odd image has other shapes")
    need(len(usual - other) == 2, "the odd image has not two other pairs")


def _partners(view: View) -> tuple[frozenset[frozenset[int]], frozenset[tuple[bool, bool]]]:
    """Which shapes share a quarter of the frame, and which quarters have any."""
    quarters: dict[tuple[bool, bool], list[int]] = {}
    for (x, y), shape in zip(view.centres.tolist(), view.shapes, strict=True):
        quarters.setdefault((x > 0.5, y > 0.5), []).append(shape)
    need(all(len(pair) == 2 for pair in quarters.values()), "a quarter has not two objects")
    need(len(view.by_shape) == view.count, "a shape is there twice")
    return frozenset(frozenset(pair) for pair in quarters.values()), frozenset(quarters)


# Contact


@check(55)
def direction_of_contact(references: Sequence[View], odd: View, kind: str) -> None:
    """Two that touch, in one direction; in the odd image across it. No matter which of the two is first."""
    views = (*references, odd)
    need(all(view.touching == {(0, 1)} and not view.holders for view in views), "two do not touch")
    angles = np.degrees(np.arctan2(*_pairs(views).T[::-1])).tolist()
    for k, angle in enumerate(angles[:3]):
        need(
            all(angle_distance(angle, other, 180) <= 30 for other in angles[k + 1 : 3]),
            "references differ in direction",
        )
        need(angle_distance(angle, angles[3], 180) >= 60, "the odd direction is like the usual one")
