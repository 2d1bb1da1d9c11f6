"""Problems: each made alone from rule, set, number and seed, drawn again until it is sound."""

from __future__ import annotations

from functools import cache

from ...errors import BenchmarkError, nearest
from ...rng import stream
from .checker import check
from .checker.view import Fault
from .draw import Draw
from .laws import AXES, Law
from .place import CannotPlace
from .rule import Drawn, Rule
from .rules import RULES
from .scene import Problem

SETS = {"train": 10_000, "val": 500, "test": 1_000, "test_gen": 1_000} | {f"test_{axis}": 500 for axis in AXES}
"""Sets of each rule, and how many problems they have: those of the paper, and one for each axis of the law."""

CAP = 1_000
"""Most attempts at a problem."""


class PlacementError(BenchmarkError):
    """If you see this, a rule cannot be drawn so: widen its law, or lower the least size of its objects."""


@cache
def law_of(rule: Rule, set: str) -> Law:
    """The law that a set of problems follows.

    Raises:
        BenchmarkError: The rule has no such set; on an axis where its laws do not differ there is nothing to test.
    """
    if set in ("train", "val", "test"):
        return rule.train
    if set == "test_gen":
        return rule.unseen
    axis = set.removeprefix("test_")
    if axis in rule.axes:
        return rule.train.along(axis, rule.unseen)
    unmoved = {f"test_{axis}" for axis in AXES if axis not in rule.axes}
    known = [name for name in SETS if name not in unmoved]
    raise BenchmarkError(f"Rule {rule.id} {rule.name} has no set {set!r}.{nearest(set, known)}")


def make(
    rule: Rule, set: str, number: int, *, seed: int = 0, published: bool = False, law: Law | None = None
) -> Problem:
    """Make a problem.

    Args:
        rule: Its rule.
        set: One of :data:`SETS`.
        number: Which one of the set, from 0.
        seed: Of the whole data set.
        published: Draw it as the published generator does, and leave it unchecked.
        law: Another law than that of the set.

    Raises:
        BenchmarkError: The rule has no such set.
        PlacementError: No attempt was sound.
    """
    law = law or law_of(rule, set)
    rng = stream("cvr", "published" if published else "checked", rule.id, set, number, seed)
    why = ""
    for attempt in range(1, CAP + 1):
        try:
            drawn = rule.draw(Draw(rng, law, published=published))
        except CannotPlace:
            why = "there is no room"
            continue
        problem = _shown(drawn, rule, set, number, seed, published, rng.permutation(4).tolist(), attempt)
        if published:
            return problem
        try:
            check(problem, rule)
        except Fault as fault:
            why = str(fault)
            continue
        return problem
    raise PlacementError(
        f"Rule {rule.id} {rule.name}, {set} problem {number}, seed {seed}: none of {CAP} attempts was sound; the last one: {why}."
    )


def _shown(
    drawn: Drawn, rule: Rule, set: str, number: int, seed: int, published: bool, order: list[int], attempt: int
) -> Problem:
    """Put the four images into an order."""
    images = tuple(drawn.images[k] for k in order)
    law = "published" if published else "checked"
    return Problem(rule.id, rule.name, set, number, seed, law, images, order.index(3), drawn.kind, attempt)


def find(name: str | int) -> Rule:
    """Find a rule by its name or number.

    Raises:
        BenchmarkError: There is none.
    """
    text = str(name)
    for rule in RULES:
        if text in (rule.name, str(rule.id)):
            return rule
    if text.isdigit():
        raise BenchmarkError(f"There is no rule {text}; rules have numbers from 0 to {RULES[-1].id}.")
    raise BenchmarkError(f"There is no rule {text!r}.{nearest(text, [rule.name for rule in RULES])}")
