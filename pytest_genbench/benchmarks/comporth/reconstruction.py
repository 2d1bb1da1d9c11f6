"""Taking part by reconstruction: a judge reads the word in the reconstructed image (Bianchi et al. 2024, section 3.3)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...metrics.reading import RIGHT, encode_words, reading_errors
from ...scores import Anchor, Better, Condition, Score, Tally
from ...splits import Split
from ...worst import Worst
from ..protocol import Outputs
from . import judge
from .anchors import Originals, constant_answer
from .splits import held_out_code
from .stimuli import Stimuli

METRIC = "target_probability"
METRICS: dict[str, Better] = {METRIC: "higher", "top1": "higher", "mse": "lower"}
OUTPUT = "reconstruction"

Readings = dict[str, Callable[[], NDArray[np.float32]]]
"""For each judge a function that waits for what it read."""

_CERTAIN = 2
"""Decimals of a probability by which items that were misread are ranked: the judge's last digits depend on the batch."""


class ReconstructionScorer:
    """Mean probability that the judges give to the word that was shown, per word.

    Args:
        stimuli: The standard alphabet, which the judges know.
        split: Decides what counts as the held-out letter.
    """

    def __init__(self, stimuli: Stimuli, split: Split) -> None:
        self._stimuli = stimuli
        self._codes = encode_words(stimuli.words, stimuli.letters)
        self._held_out = held_out_code(stimuli, split)
        self._errors: Counter[str] = Counter()
        self._judges = {name: judge.get(name) for name in (judge.PUBLISHED, judge.ROBUST)}
        words = stimuli.words
        self._probability = {name: Tally(METRIC, words, judge=name) for name in self._judges}
        self._top1 = {name: Tally("top1", words, judge=name, proportion=True) for name in self._judges}
        self._mse = Tally("mse", words, better="lower")
        self._worst = Worst()
        self._unread: deque[tuple[NDArray[np.int64], Readings]] = deque()
        self._judging = 0.0

    def add(self, index: NDArray[np.int64], images: NDArray[np.uint8], outputs: Outputs) -> None:
        """Take a batch; ``outputs["reconstruction"]`` is float32 (N, 64, 64, 1) in [0, 1], not to be changed afterwards.

        The judges read it in threads of their own while the model makes the next one. No more batches wait than keep these threads
        busy, but always one.
        """
        reconstruction = outputs[OUTPUT]
        word = self._stimuli.grid.levels(index)[:, 0]
        with self._timed():
            readings = {name: reader.start(reconstruction) for name, reader in self._judges.items()}
        self._unread.append((index, readings))
        # Flat float32 rows let einsum sum squares in one pass, without a temporary of the squares.
        difference = images * np.float32(1 / 255)
        difference = np.subtract(reconstruction, difference, out=difference).reshape(len(word), -1)
        self._mse.add(np.einsum("np,np->n", difference, difference) / difference.shape[1], word)
        self._settle(max(1, judge.at_once() // len(word)))

    def _settle(self, waiting: int) -> None:
        """Add up what was read, in the order of the batches, until no more than some are waiting."""
        while len(self._unread) > waiting:
            index, readings = self._unread.popleft()
            word = self._stimuli.grid.levels(index)[:, 0]
            for name, reading in readings.items():
                with self._timed():
                    probability = reading()
                read = probability.argmax(axis=1)
                given = probability[np.arange(len(word)), word]
                self._probability[name].add(given, word)
                self._top1[name].add(read == word, word)
                if name == judge.PUBLISHED:
                    self._errors.update(reading_errors(self._codes[read], self._codes[word], self._held_out))
                    self._worst.add(index, np.where(read == word, 0, 1 - np.round(given, _CERTAIN)), word)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            self._judging += perf_counter() - start

    @property
    def judging(self) -> float:
        """Seconds spent so far to hand images to the judges and to wait for what they read."""
        return self._judging

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return target probability and top-1 for each judge, the published one first, then the pixel error."""
        self._settle(0)
        tallies = [tally for name in self._judges for tally in (self._probability[name], self._top1[name])]
        return [tally.score(population, condition) for tally in [*tallies, self._mse]]

    def errors(self) -> dict[str, int]:
        """Return what the published judge misread, as :func:`pytest_genbench.metrics.reading.reading_errors` counts."""
        self._settle(0)
        return {kind: count for kind, count in self._errors.items() if kind != RIGHT}

    def worst(self) -> NDArray[np.int64]:
        """Return items that the published judge misread, those with the least probability of their word first; int64 (n,)."""
        self._settle(0)
        return self._worst.items()


def reading(stimuli: Stimuli, index: NDArray[np.int64], outputs: Outputs) -> list[tuple[str, str]]:
    """Say of some items (N,) which word was shown, and which the published judge reads, with its probability."""
    probability = judge.get(judge.PUBLISHED).read(outputs[OUTPUT])
    shown = stimuli.grid.levels(index)[:, 0]
    read, certainty = probability.argmax(axis=1), probability.max(axis=1)
    return [
        (stimuli.words[right], f"{stimuli.words[word]} ({sure:.2f})")
        for right, word, sure in zip(shown.tolist(), read.tolist(), certainty.tolist(), strict=True)
    ]


def fits(shape: Sequence[int | None]) -> bool:
    """Whether an output of this shape (without the batch axis) can be a reconstruction."""
    sides = [side for side in shape if side != 1]
    return len(shape) in (2, 3) and len(sides) == 2 and all(side in (64, None) for side in sides)


def anchors(stimuli: Stimuli, originals: Originals, split: Split) -> list[Anchor]:
    """Compute what trivial models score on a split.

    Returns:
        chance; constant answer; blank and mean image (both read by the judge); nearest training image; identity, by both judges;
        and what is published.
    """
    word = stimuli.grid.levels(split.test)[:, 0]
    blank = np.zeros((1, *stimuli.image_shape), dtype=np.float32)
    mean = originals.mean_image(split.train)
    sample, neighbour = originals.nearest(split)
    read = originals.read(neighbour)

    def probability(row: NDArray[np.float32]) -> float:
        return float(row[word].mean(dtype=np.float64))

    def computed(name: str, value: float, judged: str = judge.PUBLISHED, note: str = "") -> Anchor:
        return Anchor(name, METRIC, value, judge=judged, note=note)

    published = judge.get(judge.PUBLISHED)
    target = stimuli.grid.levels(sample)[:, 0]
    found = [
        computed("chance", 1 / len(stimuli.words)),
        computed("constant answer", constant_answer(word), note="the best single word for this split"),
        computed("blank image", probability(published.read(blank)[0])),
        computed("mean image", probability(published.read(mean)[0]), note="mean of the training images"),
        computed(
            "nearest training image",
            float(read[np.arange(len(target)), target].mean(dtype=np.float64)),
            note=f"{len(target)} held-out images",
        ),
    ]
    for name in (judge.PUBLISHED, judge.ROBUST):
        copies = originals.read(sample, name)
        value = float(copies[np.arange(len(target)), target].mean(dtype=np.float64))
        found.append(computed("identity", value, name, f"{len(target)} held-out images"))
    paper = "Bianchi et al. 2024"
    if split.family == "spatial":
        found.append(Anchor("published", METRIC, 0.90, "published", note=f"lower bound for good β-VAEs, {paper}"))
    found.append(Anchor("people", METRIC, 1.0, "people", note=f"about; a premise of {paper}, not measured"))
    return found
