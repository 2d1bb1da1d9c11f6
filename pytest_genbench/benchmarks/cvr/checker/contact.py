"""Checks of the rules about things that touch."""

from __future__ import annotations

from collections.abc import Sequence

from .family import Checks
from .view import View, angle_distance, need, same

check = Checks()


def clump_sizes(view: View) -> list[int]:
    """Numbers of objects in the clumps of an image, ascending; also that nothing lies in anything else."""
    need(not view.holders, "a thing lies in another by accident")
    return sorted(len(clump) for clump in view.clumps)


@check(20, 44, 45)
def pair(references: Sequence[View], odd: View, kind: str) -> None:
    """Two of three objects touch: the two of one shape, or not."""
    for view in (*references, odd):
        need(view.count == 3 and len(view.by_shape) == 2, "there are not two objects of one shape and one of another")
        need(clump_sizes(view) == [1, 2], "not just two of the objects touch")
    need(all(_pair_is_alike(view) for view in references), "in a reference two different shapes touch")
    need(not _pair_is_alike(odd), "in the odd image two equal shapes touch")


def _pair_is_alike(view: View) -> bool:
    ((i, j),) = view.touching
    return view.shapes[i] == view.shapes[j]


@check(88)
def turned_pair(references: Sequence[View], odd: View, kind: str) -> None:
    """A pair, and of those of one shape one is turned."""
    pair(references, odd, kind)
    for view in (*references, odd):
        a, b = (thing for thing in view.things if view.by_shape[thing.shape.number] == 2)
        need(
            angle_distance(a.angle, b.angle) >= 30 - 1e-6 and a.flip == b.flip, "none of the two of one shape is turned"
        )


@check(101)
def mirrored_pair(references: Sequence[View], odd: View, kind: str) -> None:
    """A pair, and of those of one shape one is mirrored."""
    pair(references, odd, kind)
    for view in (*references, odd):
        a, b = (thing for thing in view.things if view.by_shape[thing.shape.number] == 2)
        need(a.flip != b.flip, "none of the two of one shape is mirrored")


@check(21)
def one_clump(references: Sequence[View], odd: View, kind: str) -> None:
    """All in one clump."""
    need(all(clump_sizes(view) == [view.count] for view in references), "a reference is not one clump")
    need(all(view.count > 2 for view in (*references, odd)), "there are too few objects")
    *alone, largest = clump_sizes(odd)
    need(bool(alone) and set(alone) == {1}, "the odd image has not one clump at most, and others alone")
    need((largest > 1) == (kind == "part"), "the odd image has a clump, or has none, against its kind")


@check(46)
def none_alone(references: Sequence[View], odd: View, kind: str) -> None:
    """No object alone."""
    clumps = [clump_sizes(view) for view in references]
    need(all(row[0] > 1 for row in clumps), "in a reference an object is alone")
    usual = same((len(row) for row in clumps), "number of clumps")
    alone, *others = clump_sizes(odd)
    need(
        alone == 1 and len(others) == usual - 1, "the odd image has not one object alone and the usual number of clumps"
    )
    need(all(count > 1 for count in others), "in the odd image more objects are alone")


@check(80)
def clump_counts(references: Sequence[View], odd: View, kind: str) -> None:
    """The same numbers in the clumps."""
    usual, other = same((clump_sizes(view) for view in references), "numbers of objects in clumps"), clump_sizes(odd)
    need(other != usual, "the odd image has the usual numbers")
    need((len(other), sum(other)) == (len(usual), sum(usual)), "the odd image has another number of clumps or objects")


@check(81)
def clump_count(references: Sequence[View], odd: View, kind: str) -> None:
    """One number of clumps."""
    same((view.count for view in (*references, odd)), "number of objects")
    usual = same((len(clump_sizes(view)) for view in references), "number of clumps")
    need(len(clump_sizes(odd)) != usual, "the odd image has the usual number of clumps")
