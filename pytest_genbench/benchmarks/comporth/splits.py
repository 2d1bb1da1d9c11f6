"""The 63 splits of CompOrth (Bianchi et al. 2024, section 3.2): spatial, length and compositional."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...splits import Split
from .stimuli import Stimuli

NAME = "comporth"


def spatial(stimuli: Stimuli) -> tuple[Split, ...]:
    """Hold out one shift (x, y) with all words and spacings: 48 splits of ``published``."""
    return tuple(
        _split(stimuli, "spatial", f"spatial-x{x:+d}y{y:+d}", f"shift x={x:+d}, y={y:+d}", partial(_at, stimuli, i, j))
        for i, x in enumerate(stimuli.levels.xs)
        for j, y in enumerate(stimuli.levels.ys)
    )


def length(stimuli: Stimuli) -> tuple[Split, ...]:
    """Hold out all words of one length: 5 splits; the shortest and longest extrapolate, those between interpolate."""
    longest = stimuli.max_length
    groups = {1: "shorter", longest: "longer"}
    return tuple(
        _split(
            stimuli,
            "length",
            f"length-{letters}",
            f"words of {letters} letter{'s' if letters > 1 else ''}",
            partial(_words, stimuli, partial(_has_length, letters)),
            groups.get(letters, "between"),
        )
        for letters in range(1, longest + 1)
    )


def compositional(stimuli: Stimuli) -> tuple[Split, ...]:
    """Hold out all words with one letter at one position, counted from the left and from 1: 10 splits."""
    return tuple(
        _split(
            stimuli,
            "compositional",
            f"compositional-{letter}{position}",
            f"{letter} at position {position}",
            partial(_words, stimuli, partial(_has_letter, letter, position)),
        )
        for letter in stimuli.letters
        for position in range(1, stimuli.max_length + 1)
    )


FAMILIES = {"spatial": spatial, "length": length, "compositional": compositional}


def held_out_code(stimuli: Stimuli, split: Split) -> tuple[int, int] | None:
    """Letter code (from 1) and position (from 0) that a compositional split holds out; None for other families."""
    if split.family != "compositional":
        return None
    unit = split.slug.removeprefix("compositional-")
    return stimuli.letters.index(unit[0]) + 1, int(unit[1:]) - 1


def _split(
    stimuli: Stimuli, family: str, slug: str, held_out: str, mask: Callable[[], NDArray[np.bool_]], group: str = ""
) -> Split:
    return Split(NAME, stimuli.name, family, slug, held_out, mask, group)


def _words(stimuli: Stimuli, is_out: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Mark the images of some words."""
    out = np.array([is_out(word) for word in stimuli.words])
    return np.repeat(out, stimuli.grid.size // len(out))


def _has_length(letters: int, word: str) -> bool:
    return len(word) == letters


def _has_letter(letter: str, position: int, word: str) -> bool:
    return word[position - 1 : position] == letter


def _at(stimuli: Stimuli, i: int, j: int) -> NDArray[np.bool_]:
    """Mark the images at the shift with levels `i` and `j`."""
    mask = np.zeros(stimuli.grid.shape, dtype=bool)
    mask[:, i, j, :] = True
    return mask.ravel()
