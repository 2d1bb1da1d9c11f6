"""Draw portraits, layer by layer from the wall to the glasses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..levels import checked
from .canvas import SIDE, Canvas, Layer, Window, ellipse, inside, radius
from .features import brows, eyes, glasses, mouth, nose, wrinkles
from .look import COUNTS, MIDDLE, Look, look

_AT_ONCE = 16
"""Images drawn together: more do not fit the processor's cache, fewer cost more calls."""

_ALL = Window()
_BODY = Window(44, SIDE, SIDE // 2)
_FACE = Window(10, 58, 20)
_EARS = Window(26, 44, 23)
_HAIR = Window(4, 50, 24)
_JAW = Window(36, 58, 20)


def images(levels: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Draw images.

    Smile goes from a frown to a broad smile with teeth, and lifts brows and cheeks; blond goes from the person's own dark hair to
    the person's own blond, brows and beard included; age adds wrinkles and grey, pales the skin, thins hair and lips, and raises
    the hairline. All else is the person's: shape of the face, colours, eyes, nose, hair, beard, glasses, clothes and the wall
    behind.

    Args:
        levels: int64 (N, 4): levels of person, smile, blond and age.

    Returns:
        uint8 (N, 64, 64, 3), RGB in [0, 255]. An image depends on its row alone, to the last bit.

    Raises:
        BenchmarkError: The levels are no table of integers (N, 4), or one lies outside the grid.
    """
    table = checked(levels, COUNTS)
    drawn = np.empty((len(table), SIDE, SIDE, 3), dtype=np.uint8)
    for start in range(0, len(table), _AT_ONCE):
        drawn[start : start + _AT_ONCE] = _draw(look(table[start : start + _AT_ONCE]))
    return drawn


def _draw(face: Look) -> NDArray[np.uint8]:
    canvas = Canvas(len(face.skin))
    _wall(canvas, face)
    _back_hair(canvas, face)
    _body(canvas, face)
    _head(canvas, face)
    wrinkles(canvas, face)
    _beard(canvas, face)
    eyes(canvas, face)
    nose(canvas, face)
    mouth(canvas, face)
    _front_hair(canvas, face)
    brows(canvas, face)
    glasses(canvas, face)
    return canvas.images()


def _wall(canvas: Canvas, face: Look) -> None:
    one = np.ones((1, 1, 1), dtype=np.float32)
    canvas.paint(_ALL, one, face.wall)
    # Lighter towards the upper left.
    canvas.paint(_ALL, (0.5 - (_ALL.x + _ALL.y) / 192)[None] * 0.6, np.full(3, 255, dtype=np.float32))


def _back_hair(canvas: Canvas, face: Look) -> None:
    """What hangs behind the face, as wide at its lower end as at the ears."""
    x, y = _ALL.x, _ALL.y
    volume, wide = face["hair volume"], face["face width"] + face["hair volume"]
    skull = ellipse(x, np.minimum(y - MIDDLE + 2, 0), wide, face["face height"] + volume / 2)
    cover = inside(np.maximum(skull, y + x * x / 60 - face["hair length"]))
    canvas.paint(_ALL, cover, face.hair * 0.85)


def _body(canvas: Canvas, face: Look) -> None:
    x, y = _BODY.x, _BODY.y
    neck = np.maximum(np.abs(x) - 0.55 * face["face width"], 48 - y)
    canvas.paint(_BODY, inside(neck), face.shade(0.78))
    shoulders = ellipse(x, y - 77, 14 + face["face width"], 18)
    collar = ellipse(x, y - 57, 0.68 * face["face width"], 5)
    canvas.paint(_BODY, inside(np.maximum(shoulders, -collar)), face.clothes)


def _head(canvas: Canvas, face: Look) -> None:
    ear = ellipse(np.abs(_EARS.x) - face["face width"], _EARS.y - face["eye level"] - 3, 2.4, 4.4)
    canvas.paint(_EARS, inside(ear), face.shade(0.85))
    far = _outline(_FACE, face)
    cover = inside((far - 1) * face["face width"])
    canvas.paint(_FACE, cover, face.skin)
    edge = np.clip(far - 0.5 + _FACE.x / 90, 0, 0.6)
    canvas.paint(_FACE, cover * edge * edge, face.shade(0.6))
    cheek = radius(np.abs(_FACE.x) - face["eye distance"] - 2, _FACE.y - face.nose + 2 * face.smile, 5.5, 4.5)
    blush = np.clip(1 - cheek, 0, 1) * cover * (0.4 - 0.15 * face.age)
    canvas.paint(_FACE, blush, face.shade(0.92) * np.array([1, 0.72, 0.7], dtype=np.float32))


def _outline(window: Window, face: Look) -> Layer:
    """How far points are from the middle of the face: 1 on its outline."""
    down = (window.y - MIDDLE) / face["face height"]
    lower = np.maximum(down, 0)
    return radius(window.x, down, face["face width"] * (1 - face["jaw"] * lower * lower), 1)


def _beard(canvas: Canvas, face: Look) -> None:
    x, y = _JAW.x, _JAW.y
    within = inside((_outline(_JAW, face) - 1) * face["face width"])
    cover = inside(face.mouth - 2 - x * x / 40 - y, 2) * within * face["beard"] * 0.7
    canvas.paint(_JAW, cover, face.hair * 0.8)


def _front_hair(canvas: Canvas, face: Look) -> None:
    """What grows above the hairline, which falls to both sides of the parting."""
    x, y = _HAIR.x, _HAIR.y
    volume, wide = face["hair volume"], face["face width"] + face["hair volume"]
    far = radius(x, y - MIDDLE + 2, wide, face["face height"] + volume / 2)
    aside = (x - face["parting"]) / face["face width"]
    line = face["hairline"] - 3 + face["hairline fall"] * aside * aside
    cover = inside((far - 1) * wide) * inside(y - line, 1.5)
    canvas.paint(_HAIR, cover, face.hair)
    # Strands run from the parting outwards; every other one is darker.
    strand = aside * (7 + (y - 20) / 8)
    canvas.paint(_HAIR, cover * np.abs(strand - np.rint(strand)) * 0.5, face.hair * 0.65)
    shine = np.clip(1 - np.abs(far - 0.82) * 9, 0, 1)
    canvas.paint(_HAIR, cover * shine * 0.3, np.minimum(face.hair * 1.25 + 25, 255))
