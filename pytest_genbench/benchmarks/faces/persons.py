"""What sets the persons apart: one row of numbers each, drawn from the person's own random stream."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ... import rng

PERSONS = 1000

LENGTHS = {
    "face width": (15.0, 18.5),
    "face height": (19.5, 22.5),
    "jaw": (0.02, 0.26),
    "eye distance": (6.8, 8.2),
    "eye width": (3.4, 4.4),
    "eye height": (2.0, 2.9),
    "eye level": (30.5, 33.0),
    "brow gap": (4.2, 5.4),
    "brow slant": (-0.12, 0.1),
    "brow weight": (0.55, 1.3),
    "nose length": (8.5, 10.5),
    "nose width": (2.0, 3.4),
    "mouth width": (5.6, 7.6),
    "lips": (0.7, 1.35),
    "hair volume": (2.0, 5.0),
    "hair length": (28.0, 70.0),
    "hairline": (20.5, 26.0),
    "parting": (-9.0, 9.0),
    "hairline fall": (3.0, 9.0),
    "receding": (3.0, 5.0),
}
"""Ranges that measures are drawn from, uniformly: pixels, but for the jaw and the slant, which are shares."""

_SKINS = [(255, 224, 196), (241, 194, 158), (219, 166, 124), (176, 118, 80), (122, 78, 52)]
_DARK_HAIR = [(20, 17, 20), (46, 30, 22), (70, 42, 26), (84, 34, 20)]
_BLOND_HAIR = [(250, 226, 140), (240, 205, 110), (252, 236, 176)]
_IRISES = [(74, 46, 26), (110, 80, 36), (66, 112, 74), (60, 104, 160), (110, 124, 136)]
_WALLS = [
    (188, 208, 226),
    (206, 222, 196),
    (232, 212, 196),
    (120, 132, 150),
    (74, 98, 112),
    (166, 120, 116),
    (210, 198, 226),
]
_CLOTHES = [(40, 54, 90), (150, 44, 50), (56, 104, 84), (228, 224, 214), (54, 54, 58), (206, 150, 60), (122, 84, 148)]

COLOURS = {
    "skin": _SKINS,
    "dark hair": _DARK_HAIR,
    "blond hair": _BLOND_HAIR,
    "iris": _IRISES,
    "wall": _WALLS,
    "clothes": _CLOTHES,
}
"""Colours in order; a person's lies on the way between two that are side by side."""

SHARES = {"glasses": 0.15, "beard": 0.2}
"""Share of the persons who have them."""


@cache
def persons() -> tuple[dict[str, NDArray[np.float32]], dict[str, NDArray[np.float32]]]:
    """Draw all persons.

    Returns:
        Measures by name of `LENGTHS` and `SHARES`, float32 (1000,), the latter 0 or 1; and colours by name of `COLOURS`, float32
        (1000, 3) in [0, 255].
    """
    wanted = len(LENGTHS) + len(SHARES) + len(COLOURS)
    drawn = iter(np.stack([rng.stream("person", "celebglow", number).random(wanted) for number in range(PERSONS)]).T)
    measures = {name: low + (high - low) * next(drawn) for name, (low, high) in LENGTHS.items()}
    measures |= {name: np.where(next(drawn) < share, 1.0, 0.0) for name, share in SHARES.items()}
    colours = {name: _between(np.array(steps, dtype=float), next(drawn)) for name, steps in COLOURS.items()}
    # Only who has short hair has a beard: few faces have both.
    measures["beard"] *= measures["hair length"] < 45
    return _single(measures), _single(colours)


def _between(steps: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours at shares (N,) of the way through all steps (K, 3): float64 (N, 3)."""
    place = share * (len(steps) - 1)
    first = place.astype(np.int64)
    rest = (place - first)[:, None]
    return steps[first] * (1 - rest) + steps[first + 1] * rest


def _single(table: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float32]]:
    return {name: values.astype(np.float32) for name, values in table.items()}
