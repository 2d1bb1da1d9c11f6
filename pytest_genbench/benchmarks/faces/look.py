"""How a person looks at a level of smile, blondness and age: all that is drawn, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .canvas import Layer
from .persons import persons

COUNTS = {"person": 1000, "smile": 6, "blond": 6, "age": 6}
"""Levels of each factor, in grid order."""

MIDDLE = 34.0
"""Row of the middle of every face."""

_GRAVEST = -0.7
"""The bend of the mouth at the first level of smile."""

Colour = Layer
"""(N, 3), in [0, 255]."""

_GREY = np.array([214, 214, 218], dtype=np.float32)
_PALE = np.array([0.95, 0.87, 0.83], dtype=np.float32)
"""The skin of the old, for a skin of brightness 1."""

_REDDER = np.array([1, 0.92, 0.9], dtype=np.float32)


@dataclass(frozen=True)
class Look:
    """What some faces look like.

    Attributes:
        measures: By name of `persons.LENGTHS` and `persons.SHARES`, changed by age and smile, in pixels or as shares; float32
            (N, 1, 1), as the other measures.
        smile: -0.7 for a frown, 0 for a level mouth, 1 for a broad smile.
        age: From 0 to 1.
        nose: Row of the tip of the nose.
        mouth: Row of the mouth.
        skin: Colour, as the others.
        hair: Of what hangs and stands.
        iris: Of the eyes.
        wall: Behind the person.
        clothes: Below the neck.
    """

    measures: dict[str, Layer]
    smile: Layer
    age: Layer
    nose: Layer
    mouth: Layer
    skin: Colour
    hair: Colour
    iris: Colour
    wall: Colour
    clothes: Colour

    def __getitem__(self, measure: str) -> Layer:
        return self.measures[measure]

    def shade(self, share: float) -> Colour:
        """The skin at a share of its brightness, a little redder."""
        shaded: Colour = np.minimum(self.skin * share * _REDDER, 255)
        return shaded


def look(levels: NDArray[np.int64]) -> Look:
    """Find the look of each row of levels: int64 (N, 4) of person, smile, blond and age."""
    person = levels[:, 0]
    smile, blond, age = (
        (level / (count - 1)).astype(np.float32)[:, None]
        for level, count in zip(levels[:, 1:].T, list(COUNTS.values())[1:], strict=True)
    )
    measures, colours = persons()
    measure = {name: values[person][:, None, None] for name, values in measures.items()}
    colour = {name: values[person] for name, values in colours.items()}
    hair = _mix(_mix(colour["dark hair"], colour["blond hair"], blond), _GREY, 0.5 * age)
    smile, age = _GRAVEST + (1 - _GRAVEST) * smile[..., None], age[..., None]
    _grow_old(measure, age)
    measure["mouth width"] *= 1 + 0.25 * smile
    measure["brow gap"] += 1.1 * smile
    measure["eye height"] *= 1 - 0.22 * np.maximum(smile, 0)
    nose = measure["eye level"] + measure["nose length"]
    return Look(
        measures=measure,
        smile=smile,
        age=age,
        nose=nose,
        mouth=np.minimum(nose + 5, MIDDLE - 7.5 + measure["face height"]),
        skin=_mix(colour["skin"], _PALE * colour["skin"].max(axis=1, keepdims=True), 0.45 * age[..., 0]),
        hair=hair,
        iris=colour["iris"],
        wall=colour["wall"],
        clothes=colour["clothes"],
    )


def _grow_old(measure: dict[str, Layer], age: Layer) -> None:
    """Eyes get smaller, the nose longer, lips and hair thinner, the hairline higher and the jaw heavier."""
    measure["eye height"] *= 1.12 - 0.3 * age
    measure["nose length"] += age - 0.5
    measure["nose width"] += 0.6 * age
    measure["lips"] *= 1.1 - 0.5 * age
    measure["brow weight"] *= 1.1 - 0.4 * age
    measure["jaw"] -= 0.12 * age
    measure["hair volume"] *= 1.1 - 0.45 * age
    measure["hairline"] -= measure["receding"] * age
    measure["hairline fall"] *= 1 - 0.5 * age


def _mix(one: Colour, other: Colour, share: Layer) -> Colour:
    return one + (other - one) * share
