"""Shortcuts: how far one comes without the rule, by choosing the image that differs most from the others in something simple."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEATURES = ("ink", "box", "parts", "saturation", "x", "y", "hue")
"""Pixels drawn; area of the box around them; connected parts; mean saturation; centre of the pixels; mean hue."""

Table = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Accuracy by law (``checked``, ``published``), rule and feature."""


def features(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Measure an image uint8 (H, W, 3): float64 (7,), in the order of :data:`FEATURES`; the hue in radians."""
    from scipy.ndimage import label

    drawn = (image != 255).any(-1)
    rows, columns = np.nonzero(drawn)
    if not len(rows):
        return np.zeros(len(FEATURES))
    colours = image[rows, columns].astype(np.float64) / 255
    high, low = colours.max(1), colours.min(1)
    chroma = high - low
    saturation = np.divide(chroma, high, out=np.zeros_like(high), where=high > 0)
    red, green, blue = colours.T
    hue = np.arctan2(np.sqrt(3) * (green - blue), 2 * red - green - blue)
    coloured = chroma > 0
    mean = np.angle(np.exp(1j * hue[coloured]).sum()) if coloured.any() else 0.0
    box = (np.ptp(rows) + 1) * (np.ptp(columns) + 1)
    parts = label(drawn, np.ones((3, 3)))[1]
    return np.array([len(rows), box, parts, saturation.mean(), columns.mean(), rows.mean(), mean])


def most_deviant(values: NDArray[Any], *, cyclic: bool = False) -> NDArray[np.int64]:
    """Choose of four numbers (N, 4) the one farthest from the mean of the others; cyclic ones are in radians. int64 (N,)."""
    if cyclic:
        values = np.exp(1j * values)
    others = (values.sum(1, keepdims=True) - values) / 3
    return np.asarray(np.abs(values - others).argmax(1), dtype=np.int64)


def accuracies(problems: Iterable[tuple[NDArray[np.uint8], int]]) -> dict[str, float]:
    """Accuracy of each feature over problems: the four images uint8 (4, H, W, 3) and the right place of each."""
    measured, answers = [], []
    for images, answer in problems:
        measured.append([features(image) for image in images])
        answers.append(answer)
    table, right = np.array(measured), np.array(answers)
    return {
        name: float((most_deviant(table[:, :, k], cyclic=name == "hue") == right).mean())
        for k, name in enumerate(FEATURES)
    }


@cache
def table() -> Mapping[str, Any]:
    """The recorded accuracies, by law, rule and feature, and over how many problems of which set."""
    found: Mapping[str, Any] = json.loads(files(__package__).joinpath("shortcuts.json").read_text("utf-8"))
    return found


def best(rule: str, published: bool) -> tuple[str, float, int]:
    """The feature that goes furthest for a rule, its accuracy, and over how many problems that was measured."""
    found = table()
    own: Mapping[str, float] = found["published" if published else "checked"][rule]
    name = max(own, key=lambda feature: own[feature])
    return name, own[name], found["problems"]
