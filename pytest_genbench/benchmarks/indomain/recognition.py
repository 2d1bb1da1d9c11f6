"""Taking part by recognition: the model names the level of each factor, and is scored on the values of the levels it names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...scores import Better, Condition, Score, Tally
from ..grids import Design
from ..protocol import Inputs, Outputs
from . import regression

ACCURACY = "accuracy"


def outputs(design: Design) -> tuple[str, ...]:
    """Names of the outputs that recognition needs: one for each factor but those that are set aside."""
    return tuple(f"factor.{design.grid.names[k]}" for k in regression.counted(design))


def optional(design: Design) -> tuple[str, ...]:
    """Names of the outputs for factors that are set aside."""
    return tuple(f"factor.{name}" for name in design.aside)


def metrics(design: Design) -> dict[str, Better]:
    """Those of regression, and accuracy: the share of items with all levels right, and of each factor's levels."""
    names = [ACCURACY, *(f"{ACCURACY}.{name}" for name in design.grid.names)]
    return regression.metrics(design) | dict.fromkeys(names, "higher")


def fits(design: Design, name: str, shape: Sequence[int | None]) -> bool:
    """Whether an output of this shape (without the batch axis) can be the logits ``factor.<name>``."""
    factor = name.removeprefix("factor.")
    return factor in design.grid.names and tuple(shape) == (design.grid.shape[design.grid.position(factor)],)


def named(design: Design, outputs: Outputs, count: int) -> NDArray[np.float64]:
    """Read the most likely level of each factor.

    Args:
        design: The grid.
        outputs: ``factor.<name>`` (N, levels of the factor) each; those of factors that are set aside may be missing.
        count: N.

    Returns:
        float64 (N, K), NaN for a factor that is missing.

    Raises:
        ModelError: An output has another shape.
    """
    found = np.full((count, len(design.factors)), np.nan)
    for k, factor in enumerate(design.factors):
        logits = outputs.get(f"factor.{factor.name}")
        if logits is None:
            continue
        if logits.shape != (count, len(factor)):
            raise ModelError(
                f"Output 'factor.{factor.name}' has shape {logits.shape}; expected is (N, {len(factor)}), one logit a level."
            )
        found[:, k] = logits.argmax(axis=1)
    return found


class RecognitionScorer:
    """R² of the values of the levels named, so that it can stand beside regression; and how often the levels are right.

    Args:
        design: The grid.
        variant: The split; not used.
    """

    def __init__(self, design: Design, variant: str) -> None:
        self._design = design
        self._values = regression.RegressionScorer(design, variant)
        self._cells = regression.Cells(design)
        self._right = Tally(ACCURACY, self._cells.names, proportion=True)
        self._each = {
            name: Tally(f"{ACCURACY}.{name}", self._cells.names, proportion=True) for name in design.grid.names
        }

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch of logits.

        Args:
            index: Items (N,).
            images: Not used.
            outputs: ``factor.<name>`` (N, levels of the factor) each.

        Raises:
            ModelError: One has another shape.
        """
        design = self._design
        levels, read = design.grid.levels(index), named(design, outputs, len(index))
        for name in design.grid.names:
            if f"factor.{name}" not in outputs:
                self._each.pop(name, None)
        cell = self._cells.of(levels)
        right = read == levels
        self._right.add(right[:, regression.counted(design)].all(axis=1), cell)
        for name, tally in self._each.items():
            tally.add(right[:, design.grid.position(name)], cell)
        self._values.add_values(index, regression.targets(design, read))

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return the scores of regression, then accuracies."""
        accuracies = [tally.score(population, condition) for tally in (self._right, *self._each.values())]
        return [*self._values.scores(population, condition), *accuracies]

    def errors(self) -> dict[str, int]:
        """Return nothing: which factor goes wrong, the accuracies say."""
        return {}

    def worst(self) -> NDArray[np.int64]:
        """Return the items of which a level was named that is farthest from the right one."""
        return self._values.worst()
