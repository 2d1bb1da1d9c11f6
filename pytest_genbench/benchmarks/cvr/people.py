"""How people do: accuracy on 45 rules, 20 problems each (Zerroug et al. 2022, section 5.3 and the data released with it)."""

from __future__ import annotations

from collections.abc import Mapping

PROBLEMS = 20
"""Problems that a participant saw of a rule; compare with models trained on as many."""

PEOPLE: Mapping[int, tuple[float, int]] = {
    rule: (percent / 100, number)
    for rule, percent, number in [
        *(
            (0, 97, 9),
            (1, 98, 5),
            (2, 100, 1),
            (3, 99, 10),
            (4, 92, 3),
            (5, 95, 3),
            (6, 100, 3),
            (7, 100, 6),
            (8, 98, 2),
        ),
        *(
            (13, 70, 1),
            (17, 91, 4),
            (20, 81, 4),
            (24, 35, 1),
            (47, 72, 4),
            (49, 65, 4),
            (51, 96, 4),
            (53, 58, 2),
            (55, 52, 2),
        ),
        *(
            (56, 62, 4),
            (58, 40, 1),
            (59, 91, 4),
            (60, 60, 2),
            (61, 72, 2),
            (63, 80, 4),
            (66, 95, 2),
            (68, 95, 1),
            (70, 90, 4),
        ),
        *(
            (72, 62, 2),
            (73, 45, 2),
            (74, 96, 4),
            (76, 92, 2),
            (77, 80, 4),
            (79, 100, 1),
            (80, 100, 2),
            (82, 60, 1),
            (86, 100, 1),
        ),
        *(
            (88, 30, 1),
            (91, 70, 1),
            (93, 70, 2),
            (94, 45, 2),
            (95, 90, 1),
            (96, 65, 2),
            (97, 95, 1),
            (99, 76, 4),
            (101, 80, 1),
        ),
    ]
}
"""Mean accuracy and number of participants by rule. Many cells have one or two people, and so a large error; the problems were
made by an earlier version of the published generator."""


def named() -> Mapping[str, tuple[float, int]]:
    """The same by the rules' names."""
    from .rules import RULES

    return {rule.name: PEOPLE[rule.id] for rule in RULES if rule.id in PEOPLE}
