"""Checks of the rules about size and one other relation (56 to 62, 82, 83)."""

from __future__ import annotations

from collections.abc import Sequence

from .colour import labels
from .family import Checks
from .size import differ, levels
from .view import View, need, same

check = Checks()


@check(56)
def two_shapes(references: Sequence[View], odd: View, kind: str) -> None:
    """Whether the two things of one shape have one size."""

    def large(view: View) -> set[int]:
        """Shapes of the two large things: one, or both."""
        need(list(view.by_shape.values()) == [2, 2], "there are not twice two shapes")
        rows = levels(view)
        need([len(row) for row in rows] == [2, 2], "there are not twice two sizes")
        return {view.shapes[item] for item in rows[1]}

    usual, other = [large(view) for view in references], large(odd)
    number = same((len(shapes) for shapes in usual), "how sizes go with shapes")
    if kind == "exchanged":
        (shape,) = same((tuple(shapes) for shapes in usual), "which shape is large") if number == 1 else (None,)
        need(all(view.by_shape == odd.by_shape for view in references), "images differ in shapes")
        need(shape is not None and len(other) == 1 and shape not in other, "in the odd image the usual shape is large")
    else:
        need(len(other) != number, "in the odd image sizes go with shapes as usual")
        need({1: "sorted", 2: "mixed"}[len(other)] == kind, "the odd image is odd in another way")


@check(57)
def couples(references: Sequence[View], odd: View, kind: str) -> None:
    """Whether the first is the smaller in both couples, or in none."""
    a, b, c, d = roles = same((view.shapes for view in (*references, odd)), "shapes")
    need(len(set(roles)) == 4, "there are not four shapes")

    def agree(view: View) -> bool:
        size = dict(zip(view.shapes, view.sizes.tolist(), strict=True))
        need(differ(size[a], size[c]) and differ(size[b], size[d]), "two sizes are nearly the same")
        return bool((size[a] < size[c]) == (size[b] < size[d]))

    need(all(agree(view) for view in references), "in a reference the couples are opposite")
    need(not agree(odd), "in the odd image the couples agree")


@check(59)
def holder(references: Sequence[View], odd: View, kind: str) -> None:
    """Whether the larger of two holds a third."""

    def larger_holds(view: View) -> bool:
        need(view.count == 3 and len(view.holders) == 1, "not just one of three lies in another")
        ((inner, outer),) = view.holders.items()
        (other,) = {0, 1, 2} - {inner, outer}
        need(differ(view.sizes[outer], view.sizes[other]), "two sizes are nearly the same")
        return bool(view.sizes[outer] > view.sizes[other])

    usual = same((larger_holds(view) for view in references), "which holds")
    need(larger_holds(odd) != usual, "in the odd image the usual one holds")


@check(60)
def contact(references: Sequence[View], odd: View, kind: str) -> None:
    """Which sizes touch."""

    def pattern(view: View) -> tuple[tuple[int, ...], ...]:
        """Ranks of size in each couple, whatever the order in a couple and that of the couples."""
        need([len(clump) for clump in view.clumps] == [2, 2] and not view.holders, "there are not two couples")
        rank = {item: k for k, row in enumerate(levels(view)) for item in row}
        return tuple(sorted(tuple(sorted(rank[item] for item in clump)) for clump in view.clumps))

    usual = same((pattern(view) for view in references), "pattern")
    need(pattern(odd) != usual, "the odd image has the usual pattern")


def _counts(view: View) -> list[int]:
    """How many things have each size, the smallest first."""
    return [len(row) for row in levels(view)]


@check(61)
def counts(references: Sequence[View], odd: View, kind: str) -> None:
    """How many things have each size."""
    usual, other = same((_counts(view) for view in references), "numbers"), _counts(odd)
    need(len(usual) == len(other) and sum(usual) == sum(other), "the odd image has another number of sizes or things")
    need(sorted(usual) != sorted(other), "sizes occur in the usual numbers")


@check(62)
def number(references: Sequence[View], odd: View, kind: str) -> None:
    """How many sizes there are."""
    same((view.count for view in (*references, odd)), "number")
    usual = same((len(levels(view)) for view in references), "number of sizes")
    need(len(levels(odd)) != usual, "the odd image has the usual number of sizes")


@check(82)
def hue(references: Sequence[View], odd: View, kind: str) -> None:
    """The hue of the larger."""

    def hues(view: View) -> tuple[float, float]:
        """Hue of the smaller and of the larger."""
        need([len(row) for row in levels(view)] == [1, 1], "there are not two sizes")
        small, large = (float(view.hues[row[0]]) for row in levels(view))
        need(labels((small, large)) == (0, 1), "both objects have one hue")
        return small, large

    usual = same((hues(view)[1] for view in references), "hue of the larger")
    need(hues(odd)[0] == usual, "in the odd image the smaller has not the usual hue")


@check(83)
def hues(references: Sequence[View], odd: View, kind: str) -> None:
    """One hue for each size."""

    def rows(view: View) -> list[set[int]]:
        """Labels of the hues of the things of each size, which are as many as there are sizes."""
        hues = labels(view.hues)
        found = [{hues[item] for item in row} for row in levels(view)]
        need(len(set(hues)) == len(found), "there are not as many hues as sizes")
        return found

    same((_counts(view) for view in (*references, odd)), "numbers of each size")
    for view in references:
        need(all(len(row) == 1 for row in rows(view)), "in a reference things of one size differ in hue")
    need(any(len(row) > 1 for row in rows(odd)), "in the odd image each size has one hue")
