"""Taking part by embedding: what single units of a code stand for (Bianchi et al. 2024, sections 3.2.2, 4.4 and A.5).

A code is asked two things: how much of a unit's information is about one factor only (MIR), and whether a factor has a unit of its
own (MIG). Where the model decodes, each unit is also set to other values, and a judge reads what that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...metrics import mig, mir
from ...metrics.reading import encode_words, lengths
from ...rng import stream
from ...scores import Anchor, Better, Condition, Score, Tally
from ...splits import Split
from ..protocol import Inputs, Outputs, Task
from . import judge
from .stimuli import Stimuli

if TYPE_CHECKING:
    from ...models import Model

OUTPUT = "embedding"
TASK = "disentanglement"

CHANGES = ("nothing", "one_letter", "length", "several")
"""What another value of a unit may change in the word that is read."""

METRICS: dict[str, Better] = {
    "mir_letters": "higher",
    "mig_letters": "higher",
    "mir_all": "higher",
    "mig_all": "higher",
    "active_units": "higher",
    "excess_bce": "lower",
    "mse": "lower",
    **{f"perturbed_{change}": ("lower" if change == "several" else "higher") for change in CHANGES},
    "position_entropy": "lower",
}

IMAGES, LEVELS = 20, 7
"""Training images whose units are perturbed, and how many values each unit takes."""

SPREAD = 3.0
"""Standard deviations of a unit to either side, as in a traversal from -3 to 3 in units of a prior."""

Decode = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From codes (N, D) to reconstructions float32 (N, H, W, C) in [0, 1]."""

_CHUNK = 512


class DisentanglementScorer:
    """Collects the code of every image of the data set, and scores it when all are there.

    Args:
        stimuli: The images.
        split: What the model was trained on; the images that are perturbed are from there.
        decode: The model's decoder; None where it has none.
    """

    def __init__(self, stimuli: Stimuli, split: Split, decode: Decode | None = None) -> None:
        self._stimuli, self._split, self._decode = stimuli, split, decode
        self._items: list[NDArray[np.int64]] = []
        self._codes: list[NDArray[np.float32]] = []
        self._losses = {name: Tally(name, stimuli.words, better="lower") for name in ("excess_bce", "mse")}
        self._reconstructs = False

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch: ``embedding`` (N, …), and ``reconstruction`` float32 (N, H, W, C) in [0, 1] where it is offered."""
        self._items.append(index)
        self._codes.append(np.asarray(outputs[OUTPUT], dtype=np.float32).reshape(len(index), -1))
        if "reconstruction" in outputs:
            self._reconstructs = True
            word = self._stimuli.grid.levels(index)[:, 0]
            target = images.reshape(len(index), -1) / np.float64(255)
            given = outputs["reconstruction"].reshape(len(index), -1).astype(np.float64)
            self._losses["excess_bce"].add(_excess(target, given), word)
            self._losses["mse"].add(np.square(given - target).mean(axis=1), word)

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return MIR and MIG of the letters and of all factors, the loss, and what perturbed units change."""
        items, codes = np.concatenate(self._items), np.concatenate(self._codes)
        order = np.argsort(items)
        items, codes = items[order], codes[order]
        make = partial(Score, population=population, condition=condition)
        scores = [
            make(name, value, n=n, population=n, clusters=clusters)
            for name, value, n, clusters in _information(self._stimuli, items, codes)
        ]
        if self._reconstructs:
            scores += [tally.score(population, condition) for tally in self._losses.values()]
        if self._decode is not None and self._stimuli.is_standard:
            scores += self._perturbed(items, codes, make)
        return scores

    def errors(self) -> dict[str, int]:
        """Return nothing: a code is neither right nor wrong."""
        return {}

    def _perturbed(
        self, items: NDArray[np.int64], codes: NDArray[np.float32], make: Callable[..., Score]
    ) -> list[Score]:
        assert self._decode is not None
        draw = stream("perturbed", self._split.id)
        train = np.intersect1d(self._split.train, items)
        chosen = np.sort(draw.choice(train, min(IMAGES, len(train)), replace=False))
        found = perturbations(self._stimuli, codes[np.searchsorted(items, chosen)], codes, self._decode)
        shares, n = found.shares, int(found.shares.shape[0] * len(chosen) * LEVELS)
        names = [str(unit) for unit in range(len(shares))]
        scores = [
            make(
                f"perturbed_{change}",
                float(shares[:, at].mean()),
                n=n,
                population=n,
                judge=judge.PUBLISHED,
                clusters={name: (1, float(share)) for name, share in zip(names, shares[:, at], strict=True)},
                better=METRICS[f"perturbed_{change}"],
            )
            for at, change in enumerate(CHANGES)
        ]
        entropies = {
            name: (1, float(value)) for name, value in zip(names, found.entropies, strict=True) if np.isfinite(value)
        }
        if entropies:
            mean = sum(value for _, value in entropies.values()) / len(entropies)
            scores.append(
                make(
                    "position_entropy",
                    mean,
                    n=n,
                    population=n,
                    judge=judge.PUBLISHED,
                    clusters=entropies,
                    better="lower",
                )
            )
        return scores


@dataclass(frozen=True)
class Perturbations:
    """What setting single units to other values changes in the word that is read.

    Attributes:
        shares: For each unit the shares of (image, value) pairs that change nothing, one letter, the length alone, or several
            things: float64 (units, 4), rows sum to 1.
        entropies: For each unit the entropy, in nats, of the position at which it changes one letter: 0 for a unit that is about
            one position; NaN where it never changes just one letter. float64 (units,).
    """

    shares: NDArray[np.float64]
    entropies: NDArray[np.float64]


def perturbations(
    stimuli: Stimuli, codes: NDArray[np.float32], population: NDArray[np.float32], decode: Decode
) -> Perturbations:
    """Replace one unit at a time, decode and read (Bianchi et al. 2024, section 3.2.2, figure 4; the reading is ours).

    The paper gives no values. Here they are the unit's mean plus -3 to 3 of its standard deviations, in seven steps, within what
    the unit ever takes: for an active unit of a β-VAE that is its prior, for a bounded code its range.

    Args:
        stimuli: Gives words their letters.
        codes: Codes of the images to start from (N, D).
        population: Codes of many images (M, D), for the values of a unit.
        decode: See :data:`Decode`.
    """
    words = encode_words(stimuli.words, stimuli.letters)
    middle, spread = population.mean(axis=0), population.std(axis=0)
    steps = np.linspace(-SPREAD, SPREAD, LEVELS, dtype=np.float32)[:, None]
    values = np.clip(middle + steps * spread, population.min(axis=0), population.max(axis=0))
    before = words[_read(decode, codes)]
    shares, entropies = [], []
    for unit in range(codes.shape[1]):
        changed = np.repeat(codes, LEVELS, axis=0)
        changed[:, unit] = np.tile(values[:, unit], len(codes))
        was, now = np.repeat(before, LEVELS, axis=0), words[_read(decode, changed)]
        kind, where = _change(was, now)
        shares.append(np.bincount(kind, minlength=len(CHANGES)) / len(kind))
        counts = np.bincount(where[kind == 1], minlength=words.shape[1])
        rates = counts[counts > 0] / max(counts.sum(), 1)
        entropies.append(float(-(rates * np.log(rates)).sum()) + 0.0 if counts.any() else np.nan)
    return Perturbations(np.array(shares), np.array(entropies))


def _change(was: NDArray[np.int64], now: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Say what differs between words (N, positions): place in CHANGES, and the first position that differs."""
    differs = was != now
    both = np.minimum(lengths(was), lengths(now))[:, None] > np.arange(was.shape[1])
    same_length = lengths(was) == lengths(now)
    kind = np.full(len(was), CHANGES.index("several"))
    kind[~same_length & ~(differs & both).any(axis=1)] = CHANGES.index("length")
    kind[same_length & (differs.sum(axis=1) == 1)] = CHANGES.index("one_letter")
    kind[~differs.any(axis=1)] = CHANGES.index("nothing")
    return kind, differs.argmax(axis=1)


def _read(decode: Decode, codes: NDArray[np.float32]) -> NDArray[np.int64]:
    """Decode codes (N, D) and read the words: their numbers (N,)."""
    reader = judge.get(judge.PUBLISHED)
    read = [reader.read(decode(codes[start : start + _CHUNK])).argmax(axis=1) for start in range(0, len(codes), _CHUNK)]
    return np.concatenate(read)


def _excess(target: NDArray[np.float64], given: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cross-entropy of pixels above its least value, the entropy of the grey levels themselves: nats per image (N,)."""
    safe = np.clip(given, 1e-7, 1 - 1e-7)
    # xlogy(0, 0) is 0: a black pixel has no entropy.
    from scipy.special import xlog1py, xlogy

    least = xlogy(target, target) + xlog1py(1 - target, -target)
    found = target * np.log(safe) + (1 - target) * np.log1p(-safe)
    return np.asarray((least - found).sum(axis=1))


def _information(
    stimuli: Stimuli, items: NDArray[np.int64], codes: NDArray[np.float32]
) -> list[tuple[str, float, int, dict[str, tuple[int, float]]]]:
    """Compute MIR and MIG: name, value, number of images, and what it is the mean of."""
    levels = stimuli.grid.levels(items)
    letters = encode_words(stimuli.words, stimuli.letters)[levels[:, 0]]
    longest = lengths(letters) == stimuli.max_length
    everything = np.concatenate([levels, letters], axis=1)
    found: list[tuple[str, float, int, dict[str, tuple[int, float]]]] = []
    for name, factors, some in (("letters", letters[longest], codes[longest]), ("all", everything, codes)):
        factors = factors[:, np.ptp(factors, axis=0) > 0]
        ratio, gap = mir(factors, some), mig(factors, some)
        for metric, result in ((f"mir_{name}", ratio), (f"mig_{name}", gap)):
            found.append((metric, result.value, len(some), {part: (1, value) for part, value in result.parts.items()}))
        if name == "letters":
            found.append(("active_units", float(ratio.active), len(some), {}))
    order = list(METRICS)
    return sorted(found, key=lambda each: order.index(each[0]))


def items(stimuli: Stimuli, split: Split) -> NDArray[np.int64]:
    """Every image of the preset, whatever the split."""
    return np.arange(stimuli.grid.size)


def for_model(stimuli: Stimuli, task: Task, model: Model) -> Task:
    """Fit the task to a model: where it decodes, its units are perturbed."""
    from ...models import to_numpy, unit_images

    decode: Any = getattr(model, "decode", None) if getattr(model, "can_decode", True) else None
    if decode is None:
        return task

    def decoded(codes: NDArray[np.float32]) -> NDArray[np.float32]:
        return unit_images(to_numpy(decode(codes)), model.contract)

    return replace(task, scorer=partial(DisentanglementScorer, stimuli, decode=decoded))


def anchors(stimuli: Stimuli, split: Split) -> list[Anchor]:
    """MIR and MIG of the letters for codes that are known exactly, over all longest words.

    Returns:
        A unit for each position; the first two letters mixed at 45 degrees; the number of second letters; the number of
        the word in one unit; and noise that knows nothing.
    """
    words = encode_words(stimuli.words, stimuli.letters)
    words = words[lengths(words) == stimuli.max_length]
    factors = np.repeat(words, max(1, stimuli.grid.size // len(stimuli.words)), axis=0)
    noise = stream("anchor", "noise").normal(size=(len(factors), 32))
    number = factors @ (len(stimuli.letters) ** np.arange(factors.shape[1])[::-1])
    codes: Mapping[str, NDArray[Any]] = {
        "a unit for each letter": factors,
        "two letters mixed": np.column_stack([factors[:, 0] + factors[:, 1], factors[:, 0] - factors[:, 1]]),
        "number of second letters": (factors == 2).sum(axis=1)[:, None],
        "number of the word": number[:, None],
        "noise": noise,
    }
    found = []
    for name, code in codes.items():
        if factors.shape[1] < 2:
            break
        for metric, value in (("mir_letters", mir(factors, code)), ("mig_letters", mig(factors, code))):
            found.append(Anchor(name, metric, value.value, note="a code that is known exactly"))
    return found
