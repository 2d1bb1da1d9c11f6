"""Draw what is in a face: eyes, brows, nose, mouth, wrinkles and glasses."""

from __future__ import annotations

import numpy as np

from .canvas import Canvas, Layer, Window, ellipse, inside, stroke
from .look import Look

_EYES = Window(25, 40, 17)
_BROWS = Window(20, 34, 17)
_NOSE = Window(28, 48, 7)
_MOUTH = Window(38, 58, 13)
_WRINKLES = Window(16, 56, 18)

_WHITE = np.array([246, 244, 240], dtype=np.float32)
_BLACK = np.array([24, 20, 22], dtype=np.float32)
_LIPS = np.array([186, 70, 76], dtype=np.float32)
_THROAT = np.array([96, 22, 30], dtype=np.float32)
_FRAMES = np.array([40, 36, 44], dtype=np.float32)


def eyes(canvas: Canvas, face: Look) -> None:
    """Draw white, iris, pupil, glint and lash line of both eyes."""
    x, y = _EYES.x, _EYES.y - face["eye level"]
    aside = np.abs(x) - face["eye distance"]
    wide, high = face["eye width"], face["eye height"]
    share = aside / wide
    lid = high * np.maximum(1 - share * share, 0)
    opened = inside(np.maximum(np.abs(y) - lid, np.abs(aside) - wide))
    canvas.paint(_EYES, opened, _WHITE)
    ring = 0.52 * wide
    canvas.paint(_EYES, opened * inside(ellipse(aside, y, ring, ring)), face.iris)
    canvas.paint(_EYES, opened * inside(ellipse(aside, y, ring / 2, ring / 2)), _BLACK)
    # Light comes from the left, so glints are on the same side of both eyes.
    right_eye = np.where(x < 0, -1, 1).astype(np.float32)
    glint = ellipse(aside * right_eye + 0.6, y + 0.6, 0.7, 0.7)
    canvas.paint(_EYES, opened * inside(glint), _WHITE)
    lashes = inside(np.abs(y + lid) - 0.45) * inside(np.abs(aside) - wide)
    canvas.paint(_EYES, lashes, face.shade(0.3))


def brows(canvas: Canvas, face: Look) -> None:
    """Draw both brows, in a darker colour of the hair."""
    aside = np.abs(_BROWS.x) - face["eye distance"]
    y = _BROWS.y - face["eye level"] + face["brow gap"] + face["brow slant"] * aside + aside * aside / 18
    canvas.paint(_BROWS, stroke(aside, y, face["eye width"] + 1, face["brow weight"]), face.hair * 0.7)


def nose(canvas: Canvas, face: Look) -> None:
    """Draw the shade beside the bridge, a light on the tip, and the wings and nostrils."""
    x, y = _NOSE.x, _NOSE.y - face.nose
    wide = face["nose width"]
    bridge = ellipse(x - wide * 0.6, y + 4, 1.2, 5.5)
    canvas.paint(_NOSE, inside(bridge, 2) * 0.35, face.shade(0.7))
    canvas.paint(_NOSE, inside(ellipse(x + 0.4, y + 1.4, 1, 1.6), 2) * 0.5, face.shade(1.15))
    share = x / wide
    canvas.paint(_NOSE, stroke(x, y - 1 + share * share, wide + 1, 0.8), face.shade(0.62))
    nostril = ellipse(np.abs(x) - wide * 0.5, y - 0.4, 0.9, 0.6)
    canvas.paint(_NOSE, inside(nostril), face.shade(0.4))


def mouth(canvas: Canvas, face: Look) -> None:
    """Draw lips along a curve, which open above a row of teeth the broader the smile."""
    x, y = _MOUTH.x, _MOUTH.y - face.mouth
    wide, lip = face["mouth width"], face["lips"]
    share = x / wide
    bow = np.maximum(1 - share * share, 0)
    upper = 4.2 * face.smile * (bow - 0.6)
    gap = 4.4 * np.maximum(face.smile - 0.05, 0)
    lower = upper + gap * bow
    ends = inside(np.abs(x) - wide)
    lips = inside(np.maximum(upper - lip * bow - y, y - lower - 1.3 * lip * bow)) * ends
    canvas.paint(_MOUTH, lips, 0.5 * (face.shade(0.8) + _LIPS))
    canvas.paint(_MOUTH, inside(np.maximum(upper - y, y - lower) - 0.35) * ends, _THROAT)
    teeth = inside(np.maximum(upper - y, y - upper - 0.65 * gap * bow) + 0.2) * ends * np.minimum(gap, 1)
    canvas.paint(_MOUTH, teeth, _WHITE)


def wrinkles(canvas: Canvas, face: Look) -> None:
    """Draw lines on the forehead, beside and below the eyes, and from the nose to the mouth; the last also come with a smile."""
    x, y = _WRINKLES.x, _WRINKLES.y
    side = np.abs(x)
    eye = y - face["eye level"]
    aside = side - face["eye distance"]
    brow = eye + face["brow gap"] + side / 30
    lines: Layer = stroke(x, brow + 2.4, 8, 0.5) + stroke(x, brow + 4.6, 7, 0.5)
    outer = aside - face["eye width"] - 2
    lines += stroke(outer, eye + outer / 2, 1.8, 0.5) + stroke(outer, eye - 1.2 - outer / 2, 1.8, 0.5)
    lines += stroke(aside, eye - face["eye height"] - 2 + aside * aside / 12, 3.4, 0.6)
    # The fold runs obliquely from beside the nose to beside the mouth, its x by its y.
    down = (y - face.nose) / (face.mouth + 2 - face.nose)
    fold = stroke(
        y - (face.nose + face.mouth + 2) / 2,
        side - face["nose width"] - 1 - down * (face["mouth width"] - face["nose width"]),
        (face.mouth + 2 - face.nose) / 2 + 1,
        0.7,
    )
    shown = lines * face.age + fold * np.maximum(face.age, 0.4 * face.smile)
    canvas.paint(_WRINKLES, np.minimum(shown, 1) * 0.75, face.shade(0.55))


def glasses(canvas: Canvas, face: Look) -> None:
    """Draw the frames of those who wear glasses."""
    x, y = _EYES.x, _EYES.y - face["eye level"]
    frame = np.abs(ellipse(np.abs(x) - face["eye distance"], y, face["eye width"] + 1.8, 4.6))
    bridge = np.maximum(np.abs(x) - face["eye distance"] + face["eye width"] + 1.8, np.abs(y + 1))
    canvas.paint(_EYES, inside(np.minimum(frame, bridge) - 0.4) * face["glasses"], _FRAMES)
