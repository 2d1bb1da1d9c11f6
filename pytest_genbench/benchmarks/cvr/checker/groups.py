"""Checks of the rules about groups of objects of one shape."""

from __future__ import annotations

from collections.abc import Sequence

from .contact import clump_sizes
from .family import Checks
from .view import View, need, same

check = Checks()


@check(87, 89, 102)
def one_shape(references: Sequence[View], odd: View, kind: str) -> None:
    """One shape in each clump, and each in one clump."""
    usual = same((len(clump_sizes(view)) for view in (*references, odd)), "number of clumps")
    same((view.count for view in (*references, odd)), "number of objects")
    need(all(len(view.by_shape) == usual for view in (*references, odd)), "there are not as many shapes as clumps")
    need(all(_mixed(view) == 0 for view in references), "a clump of a reference has two shapes")
    need(_mixed(odd) > 0, "each clump of the odd image has one shape")


def _mixed(view: View) -> int:
    """Number of clumps of more than one shape."""
    return sum(len({view.shapes[i] for i in clump}) > 1 for clump in view.clumps)


@check(68, 73, 91)
def shape_counts(references: Sequence[View], odd: View, kind: str) -> None:
    """The same numbers of one shape."""
    usual, other = same((_counts(view) for view in references), "numbers of one shape"), _counts(odd)
    need(other != usual, "the odd image has the usual numbers")
    need((len(other), sum(other)) == (len(usual), sum(usual)), "the odd image has another number of shapes or objects")


def _counts(view: View) -> list[int]:
    return sorted(view.by_shape.values())


@check(69)
def shape_count(references: Sequence[View], odd: View, kind: str) -> None:
    """One number of shapes."""
    same((view.count for view in (*references, odd)), "number of objects")
    usual = same((len(view.by_shape) for view in references), "number of shapes")
    need(len(odd.by_shape) != usual, "the odd image has the usual number of shapes")
