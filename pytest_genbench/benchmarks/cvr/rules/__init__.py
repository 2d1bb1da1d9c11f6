"""The rules, by family; a module holds those that are drawn alike."""

from ..rule import Rule
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

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in _FAMILIES for rule in family.rule.rules), key=lambda rule: rule.id)
)
"""All rules, by number."""

__all__ = ["RULES"]
