"""Colours by what they are for, and scales of colour for values."""

from __future__ import annotations

from typing import Any

NAMES = ("ink", "muted", "grid", "surface", *(f"series-{n}" for n in range(1, 7)))
"""What colours are for; `figures.css` says what each is on a light and on a dark page."""

SENTINELS = {name: f"#ff0{n:x}f{n:x}" for n, name in enumerate(NAMES)}
"""What Matplotlib is told to draw in: colours that no scale holds, each replaced afterwards by a variable of the style sheet."""

VARIABLES = {sentinel: f"var(--genbench-{name})" for name, sentinel in SENTINELS.items()}

SERIES = 6
"""Series with a colour of their own."""

_DARKEST = 0.1
"""Where on the scale of colours values begin: its very dark end would not be seen on a dark page."""

_EDGE = 0.06
"""How much is left out of each end of the scale with two ends, where both colours are nearly black."""


def series(place: int) -> str:
    """Name the colour of a series."""
    return f"series-{place % SERIES + 1}"


def field(value: float, low: float, high: float, *, is_signed: bool = False) -> str:
    """Find the colour of a value, as #rrggbb; values outside of the scale have the colour of its end."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    if is_signed:
        reach = max(abs(low), abs(high)) or 1.0
        share = min(max((value / reach + 1) / 2, 0.0), 1.0)
        return _hex(to_hex(colormaps["RdBu_r"](_EDGE + (1 - 2 * _EDGE) * share)))
    share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
    return _hex(to_hex(colormaps["cividis"](_DARKEST + (1 - _DARKEST) * share)))


def on(colour: str) -> str:
    """Choose black or white text for a field of a colour #rrggbb: what has the higher contrast (WCAG 2.2)."""
    light = luminance(colour)
    return "#ffffff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"


def luminance(colour: str) -> float:
    """Compute the relative luminance of a colour #rrggbb, 0 to 1 (WCAG 2.2)."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _hex(colour: Any) -> str:
    return str(colour)
