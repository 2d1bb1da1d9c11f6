"""Whether a problem is sound: each rule is derived again from the scene graph, whatever drew it."""

from __future__ import annotations

from collections.abc import Sequence

from ..place import PIXEL
from ..rule import Rule
from ..scene import Problem
from . import (
    arrangement,
    colour,
    colour_groups,
    contact,
    counting,
    elementary,
    groups,
    inside,
    inside_pairs,
    pairs,
    position,
    size,
    size_pairs,
    symmetry,
)
from .family import Check
from .view import View, need

_FAMILIES = (
    arrangement,
    colour,
    colour_groups,
    contact,
    counting,
    elementary,
    groups,
    inside,
    inside_pairs,
    pairs,
    position,
    size,
    size_pairs,
    symmetry,
)

CHECKS: dict[int, Check] = {rule: check for family in _FAMILIES for rule, check in family.check.checks.items()}


def check(problem: Problem, rule: Rule) -> None:
    """Raise unless a problem is sound.

    Every line stays in the frame and can be seen; lines touch and lie in each other, and things are turned and mirrored, only where
    the rule is about that; the references obey the rule, the odd image breaks it in the way it says.

    Raises:
        Fault: It is not, and why.
    """
    references, odd = [View(image, rule.markers) for image in problem.references], View(problem.odd, rule.markers)
    for view in (*references, odd):
        _seen(view, rule)
    _unturned((*references, odd), rule)
    CHECKS[rule.id](references, odd, problem.kind)


def _seen(view: View, rule: Rule) -> None:
    """What holds for any image."""
    need(view.count > 0, "an image is empty")
    every = View(view.all) if view.markers else view
    boxes = every.boxes
    need(bool((boxes[:, :2] >= 0).all() and (boxes[:, 2:] < 1).all()), "a line leaves the frame")
    need(bool((view.sizes >= rule.least * PIXEL - 1e-9).all()), "a thing is too small to be seen")
    if "T" in rule.relations:
        return
    need(not every.touching, "lines touch by accident")
    if "I" not in rule.relations:
        need(not every.holders, "a thing lies in another by accident")


def _unturned(views: Sequence[View], rule: Rule) -> None:
    """What holds for the four images, unless the rule is about symmetry; in all of them a whole image may be reflected."""
    if "M" in rule.relations:
        return
    things = [thing for view in views for thing in view.all]
    if "F" not in rule.relations:
        need(len({thing.flip for thing in things}) == 1, "a thing is mirrored by accident")
        if "R" not in rule.relations:
            need(len({thing.angle for thing in things}) == 1, "a thing is turned by accident")
