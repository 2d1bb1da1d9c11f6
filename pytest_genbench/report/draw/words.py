"""Text in figures: made harmless, measured and shortened; and how numbers are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

LONGEST = 40
"""Characters of a name that are written in a figure; of longer ones the middle is left out."""

_UNSEEN = "\ufffd"
"""Stands for characters that XML forbids, and for those that would turn the text around them."""

NONE = "\u2013"
"""Stands where there is no value: a dash."""

_MINUS = "\u2212"

_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_NARROW, _BROAD = frozenset("iljtfrI.,:;'|!()[]{}-/\\ "), frozenset("mwMW@%—…<>=+~#→")


def clean(text: str, *, keep_lines: bool = False) -> str:
    """Replace what cannot stand in a page: control and turning characters, surrogates, noncharacters.

    Args:
        text: Any text.
        keep_lines: Whether line breaks and tabs stay; otherwise they become spaces.

    Returns:
        Text that is not escaped yet.
    """
    if keep_lines:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(_character(character, keep_lines) for character in text)


def _character(character: str, keep_lines: bool) -> str:
    if character in "\n\t":
        return character if keep_lines else " "
    if character in "\r\x0b\x0c\u2028\u2029":
        return " "
    code = ord(character)
    is_none = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return _UNSEEN if is_none or character in _TURNING or unicodedata.category(character) in ("Cc", "Cs") else character


def width(text: str, size: float) -> float:
    """Estimate how wide a text is in the fonts that systems use for their own windows, in px for a size in px."""
    return size * sum(map(_em, text))


def _em(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.25
    if character in _NARROW:
        return 0.4
    if character in _BROAD:
        return 0.95
    return 0.72 if character.isupper() else 0.63


def shorten(text: str, most: int = LONGEST) -> str:
    """Leave out the middle of a text of more characters than `most`."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2].rstrip()}…{text[len(text) - (most - 1) // 2 :].lstrip()}"


def fit(text: str, room: float, size: float) -> str:
    """Leave out as much of the middle of a text as it takes to fit into `room` px."""
    text = shorten(text, max(4, int(room / size * 4)))
    most = len(text)
    while most > 4 and width(text, size) > room:
        most -= 1
        text = shorten(text, most)
    return text


def brief(value: float) -> str:
    """Write a number into a figure: two decimals, fewer of large ones."""
    decimals = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    # Adding zero turns a rounded -0.0 into 0.0.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", _MINUS)


def exact(value: float) -> str:
    """Write a number that a line in a figure stands for: as many of three decimals as it needs."""
    text = f"{round(value, 3) + 0.0:,.3f}".rstrip("0").rstrip(".")
    return text.replace("-", _MINUS)


def plain(value: float) -> str:
    """Write where something lies on an axis: whole numbers as such, others with four digits."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.4g}"


def large(value: float) -> str:
    """Write a place on a logarithmic axis: millions as such."""
    return f"{value / 1e6:,g}M" if value >= 1e6 else plain(value)


def ticks(values: Iterable[float]) -> list[str]:
    """Write the places of an axis, all with as many decimals as the one that needs most."""
    places = list(values)
    for decimals in range(7):
        if all(abs(round(value, decimals) - value) <= 1e-9 * max(1.0, abs(value)) for value in places):
            return [f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", _MINUS) for value in places]
    return [f"{value:.3g}".replace("-", _MINUS) for value in places]
