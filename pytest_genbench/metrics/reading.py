"""What went wrong when a word was read: letters, or its length.

Words are int arrays of letter codes (..., max_length): 0 where there is no letter, else 1 + the letter's place in the alphabet.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RIGHT = "read right"
REPLACED = "held-out letter replaced"
LETTERS = "other letters"
SHORT = "too short"
LONG = "too long"


def encode_words(words: Sequence[str], letters: str) -> NDArray[np.int64]:
    """Turn words into letter codes.

    Example:
        >>> encode_words(["A", "BA"], "AB").tolist()
        [[1, 0], [2, 1]]
    """
    width = max(map(len, words))
    return np.array(
        [[letters.index(c) + 1 for c in word] + [0] * (width - len(word)) for word in words], dtype=np.int64
    )


def lengths(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Length of each word (...,): the position of its last letter, so that a gap does not shorten a word."""
    positions = np.arange(1, codes.shape[-1] + 1)
    last: NDArray[np.int64] = np.where(codes > 0, positions, 0).max(axis=-1)
    return last


def reading_errors(
    read: NDArray[np.int64], target: NDArray[np.int64], held_out: tuple[int, int] | None = None
) -> dict[str, int]:
    """Count how words were read.

    Args:
        read: Letter codes (N, max_length) that were read.
        target: Letter codes (N, max_length) that were shown.
        held_out: Code and position (from 0) of a letter that training never showed there; None where there is no such letter.

    Returns:
        Counts that sum to N: read right; held-out letter replaced (by another, all else right); other letters (same length);
        too short; too long.

    Example:
        >>> shown = encode_words(["AB", "AB", "AB"], "AB")
        >>> reading_errors(encode_words(["AB", "AA", "BA"], "AB"), shown, held_out=(2, 1))
        {'read right': 1, 'held-out letter replaced': 1, 'other letters': 1, 'too short': 0, 'too long': 0}
    """
    wrong = read != target
    right = ~wrong.any(axis=1)
    longer = lengths(read) - lengths(target)
    replaced = np.zeros(len(read), dtype=bool)
    if held_out is not None:
        code, position = held_out
        only_there = wrong[:, position] & (wrong.sum(axis=1) == 1)
        replaced = only_there & (longer == 0) & (target[:, position] == code)
    return {
        RIGHT: int(right.sum()),
        REPLACED: int(replaced.sum()),
        LETTERS: int(((longer == 0) & ~right & ~replaced).sum()),
        SHORT: int((longer < 0).sum()),
        LONG: int((longer > 0).sum()),
    }
