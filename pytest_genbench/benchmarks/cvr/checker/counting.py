"""Checks of counts in arrangements: the lines, bands and columns are found again by the places of things."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .family import Checks
from .view import View, need, same

check = Checks()

EXACT = 1e-6
SEEN = 1 / 128
"""Least height of a triangle that is seen to be none."""


def _on_line(view: View) -> int:
    """How many objects are on the one line of three or more; others are clearly off it, and on no line of so many."""
    x, y = view.centres.T
    dx, dy = x[:, None] - x, y[:, None] - y
    side = np.hypot(dx, dy)
    # Heights (i, j, k) of the triangles on their longest sides.
    area = np.abs(dx[:, :, None] * dy[:, None] - dy[:, :, None] * dx[:, None])
    longest = np.maximum(np.maximum(side[:, :, None], side[:, None]), side[None])
    height = area / np.maximum(longest, EXACT)
    exact, near = (height < EXACT).sum(2), (height < SEEN).sum(2)
    pairs = ~np.eye(view.count, dtype=bool)
    count = int(exact[pairs].max())
    need(count >= 3, "there is no line")
    line = (exact == count) & pairs
    members = np.flatnonzero(line.any(1))
    need(len(members) == count, "there are two lines")
    need(bool((near[line] == count).all()), "another object is almost on the line")
    need(bool((near[pairs & ~line] < count).all()), "there is almost another line")
    first, last = view.centres[members[0]], view.centres[members[-1]]
    across = np.array([first[1] - last[1], last[0] - first[0]]) / np.hypot(*(last - first))
    others = np.delete(view.centres, members, axis=0)
    need(bool((np.abs((others - first) @ across) >= view.sizes.max() - EXACT).all()), "another object is near the line")
    return count


@check(13)
def on_line(references: Sequence[View], odd: View, kind: str) -> None:
    """One number on a line."""
    usual = same((_on_line(view) for view in references), "number on the line")
    need(_on_line(odd) != usual, "the odd image has the usual number on the line")


def _bands(view: View, axis: int) -> tuple[int, int] | None:
    """How many things are in the first and in the last two fifths of an axis; None if one is in neither."""
    boxes = np.array([thing.box for thing in view.things])
    first, last = int((boxes[:, axis + 2] <= 0.4).sum()), int((boxes[:, axis] >= 0.6).sum())
    return (first, last) if first + last == view.count else None


@check(14)
def in_bands(references: Sequence[View], odd: View, kind: str) -> None:
    """Fewer in the first band."""
    for axis in (0, 1):
        bands = [counts for view in (*references, odd) if (counts := _bands(view, axis)) is not None]
        if len(bands) == 4 and all(first < last for first, last in bands[:3]) and bands[3][0] > bands[3][1]:
            return
    need(False, "on neither axis the odd image alone has more in its first band")


def _lines(view: View, axis: int) -> list[int]:
    """How many things share each place of an axis, ascending by place; empty if lines are too near to be told."""
    values, counts = np.unique(view.centres[:, axis].round(6), return_counts=True)
    return counts.tolist() if (np.diff(values) >= view.sizes.max()).all() else []


@check(16)
def in_lines(references: Sequence[View], odd: View, kind: str) -> None:
    """One number of lines."""
    for axis in (0, 1):
        rows = [_lines(view, axis) for view in (*references, odd)]
        if all(min(row, default=0) >= 2 for row in rows):
            usual = same((len(row) for row in rows[:3]), "number of lines")
            need(len(rows[3]) != usual, "the odd image has the usual number of lines")
            return
    need(False, "there are no lines")


@check(32)
def in_columns(references: Sequence[View], odd: View, kind: str) -> None:
    """One column has as many as the other two."""
    for axis in (0, 1):
        rows = [_lines(view, axis) for view in (*references, odd)]
        if all(len(row) == 3 for row in rows):
            # With three objects in all, both axes have three places; the other one then is none.
            break
    else:
        need(False, "there are no three columns")
    need(all(2 * max(row) == sum(row) for row in rows[:3]), "a reference has no sum")
    same((row.index(max(row)) for row in rows[:3]), "which column is the sum")
    need(2 * max(rows[3]) != sum(rows[3]), "the odd image has a sum")
