"""Checks of arrangements: which configurations are one, whatever moved, spread or turned them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..scene import turned
from .family import Checks
from .view import View, angle_distance, need, same

check = Checks()

Array = NDArray[np.float64]

EXACT = 1e-5
UNLIKE = 0.15
"""Least misfit of two arrangements that differ, in sides of their box."""

STRETCHED = 1.35
"""Below this are the ratios of sides of what counts as one arrangement where angles are looked at."""


def misfit(a: Array, b: Array) -> float:
    """How far the best move of one arrangement (n, 2) onto another leaves some object from any of the other's.

    In sides of their boxes, which are taken to be of one size.
    """
    a, b = (points / np.ptp(points, axis=0).max() for points in (a, b))
    moves = (b[:, None] - a).reshape(-1, 1, 2)
    far = np.linalg.norm((a + moves)[:, :, None] - b, axis=-1)
    return float(np.maximum(far.min(1).max(1), far.min(2).max(1)).min())


@check(11)
def one_arrangement(references: Sequence[View], odd: View, kind: str) -> None:
    """One arrangement, which the odd image has not."""
    same((view.count for view in (*references, odd)), "number")
    usual = references[0].centres
    need(all(misfit(usual, view.centres) < EXACT for view in references), "references differ in arrangement")
    need(misfit(usual, odd.centres) >= UNLIKE, "the odd arrangement is like the usual one")


def _halves(view: View) -> tuple[Array, Array]:
    """Centres of the first and of the second half of the things, which stand apart."""
    half = view.count // 2
    need(view.count == 2 * half, "the two sets differ in number")
    boxes = np.array([thing.box for thing in view.things])
    first, second = boxes[:half], boxes[half:]
    gaps = np.maximum(second[:, :2].min(0) - first[:, 2:].max(0), first[:, :2].min(0) - second[:, 2:].max(0))
    need(gaps.max() >= 0.02, "the two sets are not apart")
    return view.centres[:half], view.centres[half:]


@check(12)
def two_alike(references: Sequence[View], odd: View, kind: str) -> None:
    """Two sets in one arrangement."""
    same((view.count for view in (*references, odd)), "number")
    need(all(misfit(*_halves(view)) < EXACT for view in references), "a reference has two arrangements")
    need(misfit(*_halves(odd)) >= UNLIKE, "the odd image has one arrangement")


@check(52)
def two_turned(references: Sequence[View], odd: View, kind: str) -> None:
    """Two sets in one arrangement, one of them turned as its objects are."""
    same((view.count for view in (*references, odd)), "number")
    for view in (*references, odd):
        same(view.shapes, "shape")
        half = view.count // 2
        turn = same(
            [b.angle - a.angle for a, b in zip(view.things[:half], view.things[half:], strict=True)], "turn of objects"
        )
        need(turn % 360 in (90, 180, 270), "nothing is turned")
        need(len({thing.flip for thing in view.things}) == 1, "something is mirrored")
        need(float(np.ptp(view.sizes)) < EXACT, "objects differ in size")
        first, second = _halves(view)
        if view is odd:
            turns = [turned(first, angle, False) for angle in (0, 90, 180, 270)]
            need(all(misfit(each, second) >= UNLIKE for each in turns), "the odd image has one arrangement")
        else:
            need(misfit(turned(first, turn, False), second) < EXACT, "a reference has two arrangements")


def _unit(view: View) -> Array:
    """Centres in the unit square around the origin, which they fill."""
    low, high = view.centres.min(0), view.centres.max(0)
    unit: Array = (view.centres - (low + high) / 2) / (high - low)
    return unit


@check(51)
def one_turned(references: Sequence[View], odd: View, kind: str) -> None:
    """One arrangement of angles."""
    usual, first = [thing.angle for thing in references[0].things], _unit(references[0])
    for view in (*references, odd):
        same(view.shapes, "shape")
        need(view.count == len(first), "images differ in number")
        # Objects are listed in one order. Each side of an arrangement may be stretched a little.
        need(float(np.abs(_unit(view) - first).max()) < EXACT, "images differ in arrangement")
        sides = np.ptp(view.centres, axis=0) / np.ptp(references[0].centres, axis=0)
        need(float(sides.max() / sides.min()) < STRETCHED, "an arrangement is stretched too much")
    need(all([thing.angle for thing in view.things] == usual for view in references), "references differ in angles")
    turns = np.array([thing.angle for thing in odd.things]) - usual
    need(all(angle_distance(turn, 0) >= 45 - EXACT for turn in turns), "an object of the odd image is not turned")
    # Where each image has a shape of its own, only the angles between the objects of one image can be seen.
    need(max(angle_distance(turn, turns[0]) for turn in turns) >= 45 - EXACT, "the odd image is turned as a whole")


APART = 2 / 128


def _ranks(view: View, axis: int) -> tuple[int, ...]:
    """Rank along an axis of each object, in the order along the other axis; on both the order can be seen."""
    gaps = np.diff(np.sort(view.centres, axis=0), axis=0)
    need(bool((gaps >= APART).all()), "an order cannot be seen")
    order = np.argsort(view.centres[:, 1 - axis])
    return tuple(int(rank) for rank in np.argsort(np.argsort(view.centres[:, axis]))[order])


@check(15)
def one_extreme(references: Sequence[View], odd: View, kind: str) -> None:
    """One rank of the extreme object; and no other object has one rank in the odd image and two references alone."""
    n = same((view.count for view in (*references, odd)), "number")
    found = False
    for axis in (0, 1):
        ranks = [_ranks(view, axis) for view in (*references, odd)]
        for level in range(n):
            row = [each[level] for each in ranks]
            alone = [k for k in range(4) if len(set(row[:k] + row[k + 1 :])) == 1 and row[k] != row[k - 1]]
            need(alone in ([], [3]), "a reference is odd by the rank of another object")
            found |= alone == [3] and level in (0, n // 2, n - 1)
    need(found, "no extreme object has another rank in the odd image")


def _gaps(view: View, axis: int) -> tuple[float, float] | None:
    """Distances along an axis of the two pairs at one place of the other axis, the first pair first; None if there are none."""
    order = np.argsort(view.centres[:, 1 - axis], kind="stable")
    across, along = view.centres[order, 1 - axis], view.centres[order, axis]
    if view.count != 4 or abs(across[0] - across[1]) > EXACT or abs(across[2] - across[3]) > EXACT:
        return None
    reach = view.sizes[order] / 2
    first, second = abs(along[0] - along[1]), abs(along[2] - along[3])
    between = (first - reach[:2].sum(), second - reach[2:].sum())
    need((second - first) * (between[1] - between[0]) > 0, "the pair whose middles are nearer has lines further apart")
    need(abs(second - first) >= 0.06 and abs(between[1] - between[0]) >= 0.03, "both pairs are equally near")
    return first, second


@check(31)
def nearer(references: Sequence[View], odd: View, kind: str) -> None:
    """The first pair is the nearer one."""
    for axis in (0, 1):
        rows = [gaps for view in (*references, odd) if (gaps := _gaps(view, axis)) is not None]
        if len(rows) == 4:
            need(all(first < second for first, second in rows[:3]), "a reference has its second pair nearer")
            need(rows[3][0] > rows[3][1], "the odd image has its first pair nearer")
            return
    need(False, "there are no pairs")
