"""Scene graphs: what stands where in the four images of a problem.

Coordinates are those of the unit square, x to the right and y down. Angles are in degrees, from x towards y. Colours are HSV, each
in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .contours import Shape

Colour = tuple[float, float, float]
"""Hue, saturation, value, each in [0, 1]."""


@dataclass(frozen=True, eq=False)
class Thing:
    """An object of an image.

    Attributes:
        shape: Its contour, in units of `size`.
        size: Side of the contour's box before it is turned.
        x: Centre of that box.
        y: Centre of that box.
        colour: Of the line.
        angle: By which it is turned about its centre, in degrees, after any flip.
        flip: Whether it is mirrored, x to -x.
    """

    shape: Shape
    size: float
    x: float
    y: float
    colour: Colour
    angle: float = 0.0
    flip: bool = False

    @cached_property
    def contour(self) -> NDArray[np.float64]:
        """The line in the scene: float64 (V, 2)."""
        return self.size * turned(self.shape.points, self.angle, self.flip) + (self.x, self.y)

    @cached_property
    def box(self) -> NDArray[np.float64]:
        """Left, top, right and bottom of the line: float64 (4,)."""
        x, y = self.contour.T  # columns one by one: minima along rows of two take longer
        return np.array([x.min(), y.min(), x.max(), y.max()])

    def moved(self, x: float, y: float) -> Thing:
        """Return the same thing at another place."""
        return replace(self, x=float(x), y=float(y))

    def transposed(self) -> Thing:
        """Return it reflected on the diagonal that exchanges x and y."""
        return replace(self, x=self.y, y=self.x, angle=(-90 - self.angle) % 360, flip=not self.flip)


Image = tuple[Thing, ...]
"""The things of one image, in the order in which they are drawn."""


def turned(points: NDArray[np.float64], angle: float, flip: bool) -> NDArray[np.float64]:
    """Flip a contour (V, 2), then turn it about the origin by an angle in degrees."""
    if not angle and not flip:
        return points
    a = np.deg2rad(angle)
    sign = -1.0 if flip else 1.0
    cos, sin = np.cos(a), np.sin(a)
    moved: NDArray[np.float64] = points @ np.array([[sign * cos, sign * sin], [-sin, cos]])
    return moved


def transposed(image: Image) -> Image:
    """Reflect an image on the diagonal that exchanges x and y."""
    return tuple(thing.transposed() for thing in image)


@dataclass(frozen=True, eq=False)
class Problem:
    """Four images, of which one is odd.

    Attributes:
        rule: Number of the rule.
        name: Its name.
        set: ``train``, ``val``, ``test``, ``test_gen``, or ``test_<axis>``.
        number: Which problem of the set.
        seed: Of the whole data set.
        law: ``checked`` or ``published``.
        images: In the order shown.
        answer: Place of the odd image, 0 to 3.
        kind: In which of its ways it is odd.
        attempts: How often it was drawn until it was sound.
    """

    rule: int
    name: str
    set: str
    number: int
    seed: int
    law: str
    images: tuple[Image, ...]
    answer: int
    kind: str
    attempts: int = 1

    @property
    def odd(self) -> Image:
        """The odd image."""
        return self.images[self.answer]

    @property
    def references(self) -> tuple[Image, ...]:
        """The three that obey the rule."""
        return self.images[: self.answer] + self.images[self.answer + 1 :]

    def plain(self) -> dict[str, Any]:
        """Return the scene graph as builtin types. Contours are told apart by number, and are given once each."""
        shapes = {thing.shape.number: thing.shape for image in self.images for thing in image}
        return {
            "rule": self.rule,
            "name": self.name,
            "set": self.set,
            "number": self.number,
            "seed": self.seed,
            "law": self.law,
            "answer": self.answer,
            "kind": self.kind,
            "attempts": self.attempts,
            "images": [[_plain(thing) for thing in image] for image in self.images],
            "shapes": {str(number): shape.points.round(5).tolist() for number, shape in sorted(shapes.items())},
        }


def _plain(thing: Thing) -> dict[str, Any]:
    return {
        "shape": thing.shape.number,
        "size": round(float(thing.size), 6),
        "x": round(float(thing.x), 6),
        "y": round(float(thing.y), 6),
        "hsv": [round(float(each), 6) for each in thing.colour],
        "angle": round(float(thing.angle), 4),
        "flip": bool(thing.flip),
    }
