"""What a rule is: a record of what its images share and how the odd one breaks it, with the few lines that draw it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .laws import Law
from .scene import Image

if TYPE_CHECKING:
    from .draw import Draw

RELATIONS: Mapping[str, str] = {
    "S": "shape",
    "P": "position",
    "Z": "size",
    "C": "colour",
    "R": "rotation",
    "F": "flip",
    "N": "count",
    "I": "inside",
    "T": "contact",
    "M": "symmetry",
}
"""The elementary relations by letter, in the order of the nine elementary rules; and symmetry, which two of the others build on."""


@dataclass(frozen=True)
class Drawn:
    """One attempt at a problem.

    Attributes:
        images: Three references, then the odd image.
        kind: In which of the rule's ways it is odd.
    """

    images: tuple[Image, Image, Image, Image]
    kind: str


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule.

    Attributes:
        id: Its number in the paper's list.
        name: Its name, with underscores.
        relations: Letters of :data:`RELATIONS` that it is made of, one for each in its name.
        reference: What the three references have in common, for people.
        odd: The ways in which the fourth image is odd, for people, by kind.
        train: The law of training, validation and test.
        unseen: The law of generalisation.
        draw: Makes an attempt at a problem.
        least: Side of the smallest object that is not a marker, in pixels of an image of 128.
        markers: How many objects at the beginning of each image are small marks of a place, which have no least size.
    """

    id: int
    name: str
    relations: str
    reference: str
    odd: Mapping[str, str]
    train: Law
    unseen: Law
    draw: Callable[[Draw], Drawn]
    least: float = 6.0
    markers: int = 0

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes on which the unseen law differs."""
        return self.train.moved(self.unseen)

    @property
    def is_elementary(self) -> bool:
        """Whether it is one of the nine rules that the others are made of."""
        return self.id < len(RELATIONS) - 1


class Family:
    """The rules of one module, in the order in which they are written."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def __call__(
        self,
        id: int,
        name: str,
        relations: str,
        *,
        reference: str,
        odd: Mapping[str, str],
        train: Law,
        unseen: Law,
        least: float = 6.0,
        markers: int = 0,
    ) -> Callable[[Callable[[Draw], Drawn]], Callable[[Draw], Drawn]]:
        """Make a decorator that files a function as the drawing of a rule; the arguments are those of :class:`Rule`."""

        def file(draw: Callable[[Draw], Drawn]) -> Callable[[Draw], Drawn]:
            self.rules.append(Rule(id, name, relations, reference, odd, train, unseen, draw, least, markers))
            return draw

        return file
