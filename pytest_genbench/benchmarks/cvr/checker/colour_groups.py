"""Checks of the rules of the colour of groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from .colour import labels
from .family import Checks
from .view import View, angle_distance, need, same

check = Checks()

NEAR = 1e-6


def _by_shape(view: View) -> dict[int, list[int]]:
    """The labels of the hues of each shape's objects."""
    hues = labels(view.hues)
    return {shape: [hues[k] for k in range(view.count) if view.shapes[k] == shape] for shape in view.by_shape}


def _groups(references: Sequence[View], odd: View) -> list[list[list[int]]]:
    """The labels of the hues by shape in each image; all have one number of shapes, each shape more than one object."""
    images = [list(_by_shape(view).values()) for view in (*references, odd)]
    need(same((len(groups) for groups in images), "the number of shapes") >= 2, "an image has one shape")
    need(all(len(group) >= 2 for groups in images for group in groups), "a shape has one object only")
    return images


@check(64, 70, 94)
def shape_color_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Each shape has a hue of its own; in the odd image as many hues are mixed."""
    *images, mixed = _groups(references, odd)
    for groups in images:
        hues = [set(group) for group in groups]
        need(all(len(one) == 1 for one in hues), "in a reference a shape has two hues")
        need(len(set.union(*hues)) == len(groups), "in a reference two shapes have one hue")
    need(any(len(set(group)) > 1 for group in mixed), "in the odd image each shape has one hue")
    need(len(set().union(*mixed)) == len(mixed), "the odd image has another number of hues")


@check(65)
def shape_color_3(references: Sequence[View], odd: View, kind: str) -> None:
    """No shape has a hue twice; in the odd image two shapes have."""
    *images, repeated = _groups(references, odd)
    for groups in images:
        need(all(len(set(group)) == len(group) for group in groups), "in a reference a shape has a hue twice")
    need(
        sum(len(set(group)) == len(group) - 1 for group in repeated) == 2,
        "in the odd image not two shapes have a hue twice",
    )


@check(77)
def color_count_1(references: Sequence[View], odd: View, kind: str) -> None:
    """One list of numbers by hue, whatever its order."""
    *numbers, other = (sorted(Counter(labels(view.hues)).values()) for view in (*references, odd))
    usual = same(numbers, "the numbers of objects of one hue")
    need(other != usual, "the odd image has the usual numbers of objects of one hue")
    need(len(other) == len(usual) and sum(other) == sum(usual), "the odd image has other numbers of hues or objects")


@check(78)
def color_count_2(references: Sequence[View], odd: View, kind: str) -> None:
    """One number of hues, and of objects."""
    *numbers, other = (len(set(labels(view.hues))) for view in (*references, odd))
    need(other != same(numbers, "the number of hues"), "the odd image has the usual number of hues")
    same((view.count for view in (*references, odd)), "the number of objects")


def _matched(views: Sequence[View], pairs: Sequence[list[tuple[int, int]]]) -> None:
    """Both objects of a pair have one hue, which no other has; in the last image two pairs have exchanged one hue."""
    for view, image in zip(views, pairs, strict=True):
        need(sorted(k for pair in image for k in pair) == list(range(view.count)), "not all objects are in pairs")
    hues = [labels(view.hues) for view in views]
    need(all(set(Counter(row).values()) == {2} for row in hues), "a hue is not that of two objects")
    same((view.count for view in views), "the number of objects")
    for row, image in zip(hues[:3], pairs, strict=False):
        need(all(row[i] == row[j] for i, j in image), "in a reference a pair has two hues")
    broken = [{hues[3][i], hues[3][j]} for i, j in pairs[3] if hues[3][i] != hues[3][j]]
    need(len(broken) == 2 and broken[0] == broken[1], "the odd image has not two pairs of the same two hues")


@check(84)
def color_sym_1(references: Sequence[View], odd: View, kind: str) -> None:
    """Pairs of one shape and size at one distance from a dot, one turned into the other, and no two pairs of one size."""
    pairs = []
    for view in (*references, odd):
        (dot,) = view.markers
        need(dot.colour[2] == 0 and abs(dot.x - 0.5) + abs(dot.y - 0.5) < NEAR, "no black dot marks the middle")
        away = view.centres - (dot.x, dot.y)
        radius, course = np.hypot(*away.T), np.rad2deg(np.arctan2(away[:, 1], away[:, 0]))
        turn = np.array([thing.angle for thing in view.things]) - course
        image = []
        for i, j in combinations(range(view.count), 2):
            big, small = max(view.sizes[[i, j]]), min(view.sizes[[i, j]])
            if big - small > NEAR:
                need(big > 1.1 * small, "two pairs are of one size")
                continue
            need(view.shapes[i] == view.shapes[j], "a pair differs in shape")
            need(view.things[i].flip == view.things[j].flip, "one of a pair is mirrored")
            need(abs(radius[i] - radius[j]) < NEAR, "a pair differs in distance")
            need(angle_distance(turn[i], turn[j]) < NEAR, "the two objects of a pair are not turned into each other")
            image.append((i, j))
        pairs.append(image)
    _matched([*references, odd], pairs)


@check(85)
def color_sym_2(references: Sequence[View], odd: View, kind: str) -> None:
    """Pairs mirrored on one of the two middle lines."""
    pairs, axes = [], []
    for view in (*references, odd):
        for axis in (0, 1):
            image = [(i, j) for i, j in combinations(range(view.count), 2) if _is_mirrored(view, i, j, axis)]
            if image:
                pairs.append(image)
                axes.append(axis)
    need(len(axes) == 4, "an image is mirrored on no middle line, or on both")
    same(axes, "the middle line")
    _matched([*references, odd], pairs)


def _is_mirrored(view: View, i: int, j: int, axis: int) -> bool:
    """Whether an object is the mirror image of another, point by point."""
    if view.shapes[i] != view.shapes[j] or abs(view.centres[i, axis] + view.centres[j, axis] - 1) > NEAR:
        return False
    line = view.things[i].contour.copy()
    line[:, axis] = 1 - line[:, axis]
    return bool(np.abs(line - view.things[j].contour).max() < NEAR)
