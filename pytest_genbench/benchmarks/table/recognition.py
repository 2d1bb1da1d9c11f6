"""Taking part by recognition: the model names the level of each factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...scores import Anchor, Better, Condition, Score, Tally
from ...splits import Split
from ...worst import Worst
from ..protocol import Outputs
from . import reading
from .neighbours import Neighbours
from .rows import Rows
from .splits import Rule

METRIC, HELD_OUT = "factor_accuracy", "held_out_factor_accuracy"


def outputs(rows: Rows) -> dict[str, int]:
    """Position of the factor that each output names: ``factor.<name>``, for all factors but continuous ones."""
    return {f"factor.{rows.grid.names[k]}": k for k in rows.named}


def metrics(rows: Rows) -> dict[str, Better]:
    """All metrics, the headline first; those of single factors where there are several."""
    each = [f"accuracy.{rows.grid.names[k]}" for k in rows.named] if len(rows.named) > 1 else []
    return dict.fromkeys([METRIC, HELD_OUT, *each], "higher")


def named(rows: Rows, outputs: Outputs, count: int) -> NDArray[np.int64]:
    """Read the most likely level of each factor that has names for its levels.

    Args:
        rows: The table.
        outputs: ``factor.<name>`` (N, number of levels) each.
        count: N.

    Returns:
        int64 (N, number of such factors).

    Raises:
        ModelError: An output has another shape.
    """
    found = []
    for k in rows.named:
        name = f"factor.{rows.grid.names[k]}"
        logits, levels = outputs[name], len(rows.variables[k].factor)
        if logits.shape != (count, levels):
            shown = ", ".join(rows.show(k, level) for level in range(min(levels, 4)))
            more = ", …" if levels > 4 else ""
            raise ModelError(
                f"{name} has shape {logits.shape}; expected (N, {levels}), one for each level: {shown}{more}."
            )
        found.append(logits.argmax(axis=1).astype(np.int64))
    return np.stack(found, axis=1)


class RecognitionScorer:
    """Share of factors whose level is named: over all factors, over those that the split is about, and each for itself.

    Args:
        rows: The table.
        rule: The split.
    """

    def __init__(self, rows: Rows, rule: Rule) -> None:
        self._rows = rows
        cells, self._cell = rows.cells(rule.factors, rule.is_held_out())
        self._about = [place for place, k in enumerate(rows.named) if k in rule.factors]
        self._all = Tally(METRIC, cells, proportion=len(rows.named) == 1)
        self._held_out = Tally(HELD_OUT, cells, proportion=len(self._about) == 1)
        self._each = [Tally(name, cells, proportion=True) for name in list(metrics(rows))[2:]]
        self._errors: Counter[str] = Counter()
        self._worst = Worst()

    def add(self, index: NDArray[np.int64], images: NDArray[np.uint8], outputs: Outputs) -> None:
        """Take a batch of logits.

        Args:
            index: Rows (N,).
            images: Not used.
            outputs: ``factor.<name>`` (N, number of levels) for each factor that has names for its levels.

        Raises:
            ModelError: An output has another shape.
        """
        read = named(self._rows, outputs, len(index))
        is_right = read == self._rows.levels[index][:, list(self._rows.named)]
        cell = self._cell[index]
        self._all.add(is_right.mean(axis=1), cell)
        if self._about:
            self._held_out.add(is_right[:, self._about].mean(axis=1), cell)
        for place, tally in enumerate(self._each):
            tally.add(is_right[:, place], cell)
        for place, k in enumerate(self._rows.named):
            self._errors[f"wrong {self._rows.grid.names[k]}"] += int((~is_right[:, place]).sum())
        self._worst.add(index, reading.missed_levels(self._rows, index, read).sum(axis=1), cell)

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return the accuracy over all factors, over those that the split is about where there are such, and of each."""
        tallies = [self._all, *([self._held_out] if self._about else []), *self._each]
        return [tally.score(population, condition) for tally in tallies]

    def errors(self) -> dict[str, int]:
        """Return for each factor how many held-out images have another level than was named."""
        return dict(self._errors)

    def worst(self) -> NDArray[np.int64]:
        """Return the rows with the most factors wrong, near misses of an order counting less."""
        return self._worst.items()


def fits(name: str, shape: Sequence[int | None], rows: Rows) -> bool:
    """Whether an output of this shape (without the batch axis) can be the named one."""
    factor = outputs(rows).get(name)
    return factor is not None and tuple(shape) == (len(rows.variables[factor].factor),)


def anchors(rows: Rows, rule: Rule, neighbours: Neighbours, split: Split) -> list[Anchor]:
    """Compute the accuracies of a uniform guess, of the most frequent level in training, and of the nearest training image.

    Of the factors that the split is about, the first and the last are also given under the metric of its own.
    """
    named = np.array(rows.named)
    sizes = np.array([len(rows.variables[k].factor) for k in named])
    train, test = rows.levels[split.train][:, named], rows.levels[split.test][:, named]
    majority = np.array([np.bincount(column).argmax() for column in train.T])
    sample, neighbour = neighbours.nearest(split)
    found = [
        ("chance", 1 / sizes, ""),
        ("constant answer", (test == majority).mean(axis=0), "the most frequent level in training"),
        (
            "nearest training image",
            (rows.levels[sample][:, named] == rows.levels[neighbour][:, named]).mean(axis=0),
            neighbours.note(sample),
        ),
    ]
    about = np.isin(named, rule.factors)
    anchors = [Anchor(name, METRIC, float(value.mean()), note=note) for name, value, note in found]
    if about.any():
        anchors += [
            Anchor(f"{name} (held-out factors)", HELD_OUT, float(value[about].mean()), note=note)
            for name, value, note in (found[0], found[2])
        ]
    return anchors
