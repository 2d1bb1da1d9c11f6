"""Laws: what a rule draws at random, and how it shares that among the objects and images of a problem.

A law has five axes. A rule has two laws, that of training and an unseen one; the generalisation set follows the unseen law on all
axes, the other test sets on one axis each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from .contours import PLAIN, Style

Share = Literal["all", "image", "slot", "object", "any"]
"""Which objects have one value in common: all of the problem; those of an image; those at the same place in the order of their
image (a role); or none. ``any``: one of the last three, drawn for each problem."""

AXES = ("shape", "size", "colour", "number", "direction")
"""What a law is made of."""


@dataclass(frozen=True)
class Shapes:
    """How shapes are shared, and the styles of contours.

    Attributes:
        share: See :data:`Share`.
        style: Of plain objects and of what lies inside others.
        hollow: Of objects that can hold others.
    """

    share: Share = "all"
    style: Style = PLAIN
    hollow: Style = PLAIN


@dataclass(frozen=True)
class Crowded:
    """A size that falls with the number of objects: ``most / (times * n) ** power``."""

    most: float
    times: float
    power: float

    def __call__(self, n: float) -> float:
        """Return the size for n objects."""
        return float(self.most / (self.times * n) ** self.power)


def per(most: float) -> Crowded:
    """Size ``most / n`` for n objects, which have room side by side."""
    return Crowded(most, 1, 1)


def root(most: float, times: float = 1) -> Crowded:
    """Size ``most / sqrt(times * n)`` for n objects, which have room in the plane."""
    return Crowded(most, times, 0.5)


@dataclass(frozen=True)
class Sizes:
    """How sizes are drawn: uniform between ``low`` times the most and the most.

    Attributes:
        share: See :data:`Share`.
        most: Largest size, in sides of the image; :func:`per` and :func:`root` make it depend on the number of objects.
        low: Smallest size over the largest.
        ratio: Range of a second size over the first, for rules that have one.
    """

    share: Share = "object"
    most: float | Crowded = 0.4
    low: float = 0.5
    ratio: tuple[float, float] = (1.0, 1.0)

    def most_of(self, n: float = 1) -> float:
        """Largest size of one of n objects."""
        return self.most(n) if isinstance(self.most, Crowded) else self.most

    def span(self, n: float = 1) -> tuple[float, float]:
        """Smallest and largest size of one of n objects."""
        return self.low * self.most_of(n), self.most_of(n)


@dataclass(frozen=True)
class Band:
    """A range of saturation or of value, and who shares a draw from it.

    Attributes:
        low: Lowest.
        high: Highest.
        share: See :data:`Share`; or ``hue``: those of an image that have one hue.
    """

    low: float
    high: float
    share: Share | Literal["hue"] = "all"


@dataclass(frozen=True)
class Colours:
    """How colours are drawn where they do not matter (`share`), or where hues follow the rule (`s`, `v` alone).

    Attributes:
        share: Who shares a whole colour; see :data:`Share`.
        s: Range of saturation.
        v: Range of value.
    """

    share: Share = "image"
    s: Band = Band(0.5, 1)
    v: Band = Band(0, 1)


def vivid(share: Share = "image") -> Colours:
    """Colours of training where they do not matter: any hue, saturation .5 to 1, any value."""
    return Colours(share, Band(0.5, 1), Band(0, 1))


def pale(share: Share = "object") -> Colours:
    """Unseen colours where they do not matter: any hue, saturation below .5, value below .8."""
    return Colours(share, Band(0, 0.5), Band(0, 0.8))


@dataclass(frozen=True)
class Law:
    """What a rule draws, by axis.

    Attributes:
        shape: How shapes are shared.
        size: How sizes are drawn.
        colour: How colours are drawn.
        number: Numbers of objects, groups … as the rule needs them; a range is (least, most), both included.
        direction: Along which axis, to which side, and the like, as the rule needs it.
    """

    shape: Shapes = Shapes()
    size: Sizes = Sizes()
    colour: Colours = Colours()
    number: Any = 1
    direction: Any = None

    def along(self, axis: str, other: Law) -> Law:
        """Return this law with one axis taken from another."""
        return replace(self, **{axis: getattr(other, axis)})

    def moved(self, other: Law) -> tuple[str, ...]:
        """Axes on which two laws differ."""
        return tuple(axis for axis in AXES if getattr(self, axis) != getattr(other, axis))
