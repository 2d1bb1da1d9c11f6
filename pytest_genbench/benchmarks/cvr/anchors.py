"""What to read an accuracy by: chance, the best shortcut, people."""

from __future__ import annotations

from collections.abc import Sequence

from ...scores import Anchor
from . import shortcuts
from .people import PEOPLE, PROBLEMS
from .rules import RULES

CHANCE = 1 / 4


def of_rules(rules: Sequence[int], published: bool, *, only_chance: bool = False) -> list[Anchor]:
    """Anchors of the mean accuracy over some rules.

    Args:
        rules: Their numbers.
        published: Whether problems follow the published law.
        only_chance: Leave the others out, which were measured on test problems.
    """
    chance = Anchor("chance", "accuracy", CHANCE)
    if only_chance:
        return [chance]
    found = [shortcuts.best(RULES[rule].name, published) for rule in rules]
    named = f"the {found[0][0]} that deviates most" if len(rules) == 1 else "of each rule its best"
    mean = sum(value for _, value, _ in found) / len(found)
    anchors = [chance, Anchor("best shortcut", "accuracy", mean, note=f"{named}, {found[0][2]:,} problems")]
    known = [PEOPLE[rule] for rule in rules if rule in PEOPLE]
    if len(known) == len(rules):
        mean = sum(value for value, _ in known) / len(known)
        number = sum(number for _, number in known)
        anchors.append(
            Anchor(
                "people",
                "accuracy",
                mean,
                "people",
                note=f"{number} {'person' if number == 1 else 'people'}, {PROBLEMS} problems each",
            )
        )
    return anchors
