"""Which two rules a composition is made of: what a curriculum teaches before it.

Zerroug et al. (2022), the curriculum's configuration. Seventy rules have components; every pair of the nine elementary rules
occurs, and the two symmetry rules, 9 and 10, count as components too. The other 24 rules that are not elementary compose a
relation with itself, or are those two, and have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ELEMENTARY = tuple(range(9))
"""Shape, position, size, colour, rotation, flip, count, inside, contact."""

_COMPOSITIONS: dict[tuple[int, int], tuple[int, ...]] = {
    (0, 1): (49, 50),
    (0, 2): (56, 57),
    (0, 3): (63, 64, 65),
    (0, 4): (86,),
    (0, 5): (95,),
    (0, 6): (68, 69),
    (0, 7): (66, 67),
    (0, 8): (20, 44, 45, 87),
    (1, 2): (47, 48),
    (1, 3): (53, 54),
    (1, 4): (51, 52, 98),
    (1, 5): (99, 100),
    (1, 6): (13, 14, 16, 32),
    (1, 7): (24, 25, 26, 27),
    (1, 8): (55,),
    (2, 3): (82, 83),
    (2, 4): (58,),
    (2, 5): (97,),
    (2, 6): (61, 62),
    (2, 7): (59,),
    (2, 8): (60,),
    (2, 9): (39,),
    (2, 10): (38,),
    (3, 4): (70,),
    (3, 5): (94,),
    (3, 6): (77, 78),
    (3, 7): (74, 75),
    (3, 8): (76,),
    (3, 9): (84,),
    (3, 10): (85,),
    (4, 5): (96,),
    (4, 6): (73,),
    (4, 7): (71, 72),
    (4, 8): (88, 89),
    (5, 6): (91,),
    (5, 7): (92, 93),
    (5, 8): (101, 102),
    (6, 7): (17,),
    (6, 8): (80, 81),
    (7, 8): (79,),
    (7, 10): (90,),
}

COMPONENTS: Mapping[int, tuple[int, int]] = MappingProxyType(
    dict(sorted((rule, pair) for pair, rules in _COMPOSITIONS.items() for rule in rules))
)
"""The two components of each composition that has some, by its number, in ascending order."""


def components(rule: int) -> tuple[int, int] | None:
    """Return the numbers of a rule's two components, the lower first; None where it has none."""
    return COMPONENTS.get(rule)
