"""Words for a shell and texts for YAML, whatever they hold: file names are not chosen to be quoted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

WIDTH = 110
"""Longest line of a command that is spread over several, unless one word is longer."""

_PLAIN = re.compile(r"[A-Za-z][\w./-]*", re.ASCII)
_MEANS_SOMETHING = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
"""Words that some reader of YAML takes for something else than text."""


def word(text: str) -> str:
    """Quote a text so that Bash reads it as one word, on one line of printable characters.

    GitHub replaces ``${{ … }}`` in a command before any shell sees it; the opening is therefore broken up.

    Raises:
        UnicodeEncodeError: The text holds a byte that is no UTF-8, which a file name can.
    """
    text.encode()
    if text.isprintable():
        return shlex.quote(text).replace("${{", "$''{{")
    # Bytes, not \u: what that means depends on the locale.
    return "$'" + "".join(map(_escaped, text)).replace("${{", r"\x24{{") + "'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    # After \x two digits are read at most, so that what follows cannot be taken for a third.
    return character if character.isprintable() else "".join(f"\\x{byte:02x}" for byte in character.encode())


def option(name: str, value: str) -> str:
    """Write an option with its value, of which only the value is quoted: ``--genbench-model='models/{split}.onnx'``."""
    return f"{name}={word(value)}"


def lines(words: Iterable[str], width: int = WIDTH) -> list[str]:
    """Spread quoted words over lines of bearable length; joined by spaces they are the command again."""
    found = [""]
    for each in words:
        if found[-1] and len(found[-1]) + 1 + len(each) > width:
            found.append(each)
        else:
            found[-1] = f"{found[-1]} {each}".strip()
    return found


def scalar(text: str) -> str:
    """Write a text as a value in YAML: as it is where that is unmistakable, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _MEANS_SOMETHING:
        return text
    quoted = ("\\" + c if c in '\\"' else c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
    return '"' + "".join(quoted) + '"'
