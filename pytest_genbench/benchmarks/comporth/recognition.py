"""Taking part by recognition: the model names the letters itself, and no judge is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...metrics.reading import RIGHT, encode_words, lengths, reading_errors
from ...scores import Anchor, Better, Condition, Score, Tally
from ...splits import Split
from ...worst import Worst
from ..protocol import Outputs
from .anchors import Originals, constant_answer
from .splits import held_out_code
from .stimuli import Stimuli

METRIC = "word_accuracy"
METRICS: dict[str, Better] = {METRIC: "higher", "letter_accuracy": "higher", "held_out_letter_accuracy": "higher"}
LENGTH = "factor.length"

_GAP = "_"
"""Stands for a position at which no letter was read, with a letter after it."""


def outputs(stimuli: Stimuli) -> tuple[str, ...]:
    """Names of the outputs that recognition needs: one for each letter position."""
    return tuple(f"factor.letter_{position}" for position in range(1, stimuli.max_length + 1))


class RecognitionScorer:
    """Accuracy per word, per letter, and of the held-out letter where it was never seen.

    Args:
        stimuli: Any alphabet.
        split: Decides what counts as the held-out letter.
    """

    def __init__(self, stimuli: Stimuli, split: Split) -> None:
        self._stimuli = stimuli
        self._codes = encode_words(stimuli.words, stimuli.letters)
        self._held_out = held_out_code(stimuli, split)
        self._errors: Counter[str] = Counter()
        self._word = Tally(METRIC, stimuli.words, proportion=True)
        self._letter = Tally("letter_accuracy", stimuli.words)
        self._there = Tally("held_out_letter_accuracy", stimuli.words, proportion=True)
        self._worst = Worst()

    def add(self, index: NDArray[np.int64], images: NDArray[np.uint8], outputs: Outputs) -> None:
        """Take a batch of logits.

        Args:
            index: Indices (N,).
            images: Not used.
            outputs: ``factor.letter_1`` and so on, each (N, 1 + letters) with "no letter" first; or (N, letters) together with
                ``factor.length`` (N, longest word), whose first column is length 1.

        Raises:
            ModelError: An output has another shape.
        """
        word = self._stimuli.grid.levels(index)[:, 0]
        target = self._codes[word]
        read = read_letters(outputs, self._stimuli)
        self._word.add((read == target).all(axis=1), word)
        # A letter counts where one was shown: blanks are easy and would dilute the score of short words.
        shown = target > 0
        self._letter.add(((read == target) & shown).sum(axis=1) / shown.sum(axis=1), word)
        if self._held_out is not None:
            code, position = self._held_out
            there = target[:, position] == code
            self._there.add(read[there, position] == code, word[there])
        self._errors.update(reading_errors(read, target, self._held_out))
        self._worst.add(index, (read != target).sum(axis=1), word)

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return word accuracy, letter accuracy and, held out only, the accuracy of the held-out letter."""
        found = [self._word.score(population, condition), self._letter.score(population, condition)]
        if self._held_out is not None and condition == "held-out":
            found.append(self._there.score(population, condition))
        return found

    def errors(self) -> dict[str, int]:
        """Return what was misread, as :func:`pytest_genbench.metrics.reading.reading_errors` counts."""
        return {kind: count for kind, count in self._errors.items() if kind != RIGHT}

    def worst(self) -> NDArray[np.int64]:
        """Return items that were misread, those with the most wrong letters first; int64 (n,)."""
        return self._worst.items()


def reading(stimuli: Stimuli, index: NDArray[np.int64], outputs: Outputs) -> list[tuple[str, str]]:
    """Say of some items (N,) which word was shown, and which letters the model named: ``_`` where it skipped a position."""
    alphabet = _GAP + stimuli.letters
    shown = stimuli.grid.levels(index)[:, 0].tolist()
    codes = read_letters(outputs, stimuli)
    named = [
        "".join(alphabet[code] for code in row[:end])
        for row, end in zip(codes.tolist(), lengths(codes).tolist(), strict=True)
    ]
    return [(stimuli.words[word], text or "no letters") for word, text in zip(shown, named, strict=True)]


def read_letters(outputs: Outputs, stimuli: Stimuli) -> NDArray[np.int64]:
    """Take the most likely letter at each position.

    Args:
        outputs: See :meth:`RecognitionScorer.add`.
        stimuli: Gives the alphabet and the longest word.

    Returns:
        Letter codes (N, max_length), 0 for no letter.

    Raises:
        ModelError: An output has another shape.
    """
    letters, longest = len(stimuli.letters), stimuli.max_length
    columns = []
    for position in range(1, longest + 1):
        name = f"factor.letter_{position}"
        logits = outputs[name]
        if logits.ndim != 2 or logits.shape[1] not in (letters, letters + 1):
            raise ModelError(
                f"{name} has shape {logits.shape}; expected (N, {letters + 1}): no letter, "
                f"{', '.join(stimuli.letters)}; or (N, {letters}) together with {LENGTH}."
            )
        has_blank = logits.shape[1] == letters + 1
        if not has_blank and LENGTH not in outputs:
            raise ModelError(
                f"{name} has {letters} classes, so it cannot say that there is no letter; add a class for that in "
                f"front, or offer {LENGTH} (N, {longest})."
            )
        columns.append(logits.argmax(axis=1) + (0 if has_blank else 1))
    codes = np.stack(columns, axis=1).astype(np.int64)
    if LENGTH in outputs:
        logits = outputs[LENGTH]
        if logits.ndim != 2 or logits.shape[1] != longest:
            raise ModelError(f"{LENGTH} has shape {logits.shape}; expected (N, {longest}) for lengths 1 to {longest}.")
        read_length = logits.argmax(axis=1) + 1
        codes = np.where(np.arange(longest) < read_length[:, None], codes, 0)
    return codes


def fits(name: str, shape: Sequence[int | None], stimuli: Stimuli) -> bool:
    """Whether an output of this shape (without the batch axis) can be the named one."""
    letters = len(stimuli.letters)
    sizes = (stimuli.max_length,) if name == LENGTH else (letters, letters + 1)
    return len(shape) == 1 and shape[0] in sizes


def anchors(stimuli: Stimuli, originals: Originals, split: Split) -> list[Anchor]:
    """Compute word accuracy of chance, of the best constant answer and of the nearest training image's word."""
    word = stimuli.grid.levels(split.test)[:, 0]
    sample, neighbour = originals.nearest(split)
    same = stimuli.grid.levels(sample)[:, 0] == stimuli.grid.levels(neighbour)[:, 0]
    return [
        Anchor("chance", METRIC, 1 / len(stimuli.words)),
        Anchor("constant answer", METRIC, constant_answer(word), note="the best single word for this split"),
        Anchor("nearest training image", METRIC, float(same.mean()), note=f"{len(sample)} held-out images"),
        Anchor("people", METRIC, 1.0, "people", note="about; a premise of Bianchi et al. 2024, not measured"),
    ]
