"""How far a learned hierarchy is from the true one (Ross & Doshi-Velez 2021, section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..errors import MetricError
from ..hierarchy import Categorical, Continuous, Group, Hierarchy

Definition = Literal["paths", "ted"]


def h_error(truth: Hierarchy, learned: Hierarchy, *, definition: Definition = "paths") -> int:
    """Number of differences between two hierarchies' structures (Ross & Doshi-Velez 2021, section 6 and appendix).

    Only dimensions count, that is, how many continuous variables are active: names do not, nor the order of options, nor whether
    variables stand before a categorical variable or in each of its options.

    There are two definitions, which agree where one option is missing or too many, and not in general:

    - ``paths``, of the article: paths to the leaves that are in one hierarchy but not in the other. A path is the least number of
      dimensions that can be reached from each group along it that has a categorical variable, and the number at its leaf.
    - ``ted``, of the authors' later code: tree edit distance with unit costs (Zhang & Shasha 1989). A node is a group, labelled
      with the least number of dimensions that can be reached from it; siblings are ordered by the numbers below them.

    Both are meant for groups with at most one categorical variable; of several, the options are taken for those of one.

    Args:
        truth: The true hierarchy.
        learned: The learned one.
        definition: ``paths`` or ``ted``.

    Returns:
        0 or more; 0 for the same structure.

    Raises:
        MetricError: The definition is unknown.

    Example:
        >>> ship = Hierarchy((Continuous(), Categorical(((), (Continuous(),)))))
        >>> pushed_down = Hierarchy((Categorical(((Continuous(),), (Continuous(), Continuous()))),))
        >>> h_error(ship, pushed_down), h_error(ship, Hierarchy.flat(2))
        (0, 3)
    """
    if definition not in get_args(Definition):
        raise MetricError(f"definition has to be {' or '.join(map(repr, get_args(Definition)))}; got {definition!r}.")
    if definition == "ted":
        return _edits(_tree(truth.root, 0), _tree(learned.root, 0))
    first, second = (Counter(_paths(each.root, 0)) for each in (truth, learned))
    return (first - second).total() + (second - first).total()


def _options(group: Group) -> list[Group]:
    return [option for node in group if isinstance(node, Categorical) for option in node.options]


def _dimensions(group: Group) -> int:
    return sum(isinstance(node, Continuous) for node in group)


def _least(group: Group) -> int:
    """Least number of continuous variables that are active at once in a group."""
    return _dimensions(group) + sum(min(map(_least, node.options)) for node in group if isinstance(node, Categorical))


def _paths(group: Group, above: int) -> Iterator[tuple[int, ...]]:
    options = _options(group)
    if not options:
        yield (above + _dimensions(group),)
    for option in options:
        for path in _paths(option, above + _dimensions(group)):
            yield (above + _least(group), *path)


@dataclass(frozen=True)
class _Tree:
    label: int
    children: tuple[_Tree, ...]


def _tree(group: Group, above: int) -> _Tree:
    inside = above + _dimensions(group)
    options = sorted(_options(group), key=_order)
    return _Tree(above + _least(group), tuple(_tree(option, inside) for option in options))


def _order(group: Group) -> tuple[str, tuple[Any, ...]]:
    """What siblings are ordered by: as text, as published, so that 10 comes before 2; and of the same text by their structure.

    The published code leaves the latter in the order in which they are written, which would then be a difference.
    """
    tree = _tree(group, 0)
    return ",".join(map(str, sorted(_labels(tree)))), _shape(tree)


def _shape(tree: _Tree) -> tuple[Any, ...]:
    return (tree.label, *map(_shape, tree.children))


def _labels(tree: _Tree) -> Iterator[int]:
    yield tree.label
    for child in tree.children:
        yield from _labels(child)


def _edits(first: _Tree, second: _Tree) -> int:
    """Tree edit distance with unit costs, by the recursion of Zhang & Shasha (1989, section 3)."""
    labels, lefts = zip(*(_postorder(tree) for tree in (first, second)), strict=True)
    distance = np.zeros((len(labels[0]), len(labels[1])), dtype=np.int64)
    for i in _keyroots(lefts[0]):
        for j in _keyroots(lefts[1]):
            _forests(i, j, labels, lefts, distance)
    return int(distance[-1, -1])


def _postorder(tree: _Tree) -> tuple[list[int], list[int]]:
    """Labels of the nodes from the leaves up, and for each node the number of its leftmost leaf."""
    labels: list[int] = []
    lefts: list[int] = []

    def visit(node: _Tree) -> int:
        left = [visit(child) for child in node.children]
        labels.append(node.label)
        lefts.append(left[0] if left else len(labels) - 1)
        return lefts[-1]

    visit(tree)
    return labels, lefts


def _keyroots(lefts: list[int]) -> list[int]:
    """The root, and each node that has a sibling on its left: the last nodes with their leftmost leaf."""
    return sorted({left: node for node, left in enumerate(lefts)}.values())


def _forests(i: int, j: int, labels: tuple[list[int], ...], lefts: tuple[list[int], ...], distance: np.ndarray) -> None:
    """Fill in the distances of all subtrees that share a leftmost leaf with the nodes i and j."""
    start, begin = lefts[0][i], lefts[1][j]
    cost = np.zeros((i - start + 2, j - begin + 2), dtype=np.int64)
    cost[:, 0], cost[0, :] = range(cost.shape[0]), range(cost.shape[1])
    for a in range(1, cost.shape[0]):
        for b in range(1, cost.shape[1]):
            node, other = start + a - 1, begin + b - 1
            whole = lefts[0][node] == start and lefts[1][other] == begin
            if whole:
                match = cost[a - 1, b - 1] + (labels[0][node] != labels[1][other])
            else:
                match = cost[lefts[0][node] - start, lefts[1][other] - begin] + distance[node, other]
            cost[a, b] = min(cost[a - 1, b] + 1, cost[a, b - 1] + 1, match)
            if whole:
                distance[node, other] = cost[a, b]
