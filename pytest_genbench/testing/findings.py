"""Collect what is wrong, so that one failure shows all of it."""

from __future__ import annotations

import random
import re
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

_HERE = Path(__file__).parent

GLOBAL_RANDOM = "uses the global random generator of NumPy or Python; draw from pytest_genbench.rng.stream(...) instead"


class Findings:
    """What checks found, a line each.

    Args:
        subject: What is checked, in words.
    """

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._lines: list[str] = []
        self._notes: list[str] = []

    def add(self, what: str, check: Iterator[str], *, allows_global_random: bool = False) -> bool:
        """Run a check to its end.

        Args:
            what: What it looks at, such as ``images()``.
            check: Yields what is wrong. An exception is a finding too, and ends this check only.
            allows_global_random: Whether the state of NumPy's and Python's global generators may change.

        Returns:
            Whether nothing was found.
        """
        before, number = _random_state(), len(self._lines)
        try:
            for line in check:
                self._lines.append(line)
        except Exception as error:
            self._lines.append(f"{what}: {raised(error)}")
        if not allows_global_random and _random_state() != before:
            self._lines.append(f"{what} {GLOBAL_RANDOM}.")
        return len(self._lines) == number

    def note(self, text: str) -> None:
        """Say beside what was found what was not looked at."""
        self._notes.append(text)

    def report(self) -> None:
        """Raise what was found.

        Raises:
            AssertionError: Anything was found.
        """
        __tracebackhide__ = True
        if self._lines:
            kinds = Counter(map(_kind, self._lines))
            first = {_kind(line): line for line in reversed(self._lines)}
            lines = [
                first[kind] + (f" (And {more} more like it.)" if (more := kinds[kind] - 1) else "") for kind in kinds
            ]
            number = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
            raise AssertionError("\n- ".join([f"{self._subject}: {number}", *lines, *self._notes]))


def _kind(line: str) -> str:
    """Drop from a line the split that it is about, and numbers: what is left is the same for the same mistake."""
    where, _, what = line.partition(": ")
    where = re.sub(r"(?<=^split )\S+| on \S+.*", "", where)
    return where + re.sub(r"\d[\d.e+-]*", "#", what)


def raised(error: BaseException) -> str:
    """Say what was raised and where: the deepest line that is not in these checks or in an installed package."""
    text = f"raised {type(error).__name__}: {error}".rstrip(": ")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_foreign(Path(frame.filename))]
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else text


def _is_foreign(path: Path) -> bool:
    return path.parent == _HERE or "site-packages" in path.parts or str(path).startswith("<")


def _random_state() -> tuple[object, ...]:
    name, words, *rest = np.random.get_state()
    return (random.getstate(), name, np.asarray(words).tobytes(), *rest)


def wrong_array(what: str, value: Any, dtype: DTypeLike, shape: tuple[int, ...]) -> Iterator[str]:
    """Yield a line where a value is not an array of this dtype and shape."""
    expected = f"{np.dtype(dtype)} {shape}"
    if not isinstance(value, np.ndarray):
        yield f"{what} is a {type(value).__name__}; return a NumPy array, {expected}."
    elif value.dtype != dtype or value.shape != shape:
        yield f"{what} is {value.dtype} {value.shape}; return {expected}."
