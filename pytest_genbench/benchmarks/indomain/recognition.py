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
        levels = design.grid.levels(index)
        named = np.full(levels.shape, np.nan)
        for k, factor in enumerate(design.factors):
            logits = outputs.get(f"factor.{factor.name}")
            if logits is None:
                self._each.pop(factor.name, None)
                continue
            if logits.shape != (len(index), len(factor)):
                raise ModelError(
                    f"Output 'factor.{factor.name}' has shape {logits.shape}; expected is (N, {len(factor)}), one logit a level."
                )
            named[:, k] = logits.argmax(axis=1)
        cell = self._cells.of(levels)
        right = named == levels
        self._right.add(right[:, regression.counted(design)].all(axis=1), cell)
        for name, tally in self._each.items():
            tally.add(right[:, design.grid.position(name)], cell)
        self._values.add_values(levels, regression.targets(design, named))

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return the scores of regression, then accuracies."""
        accuracies = [tally.score(population, condition) for tally in (self._right, *self._each.values())]
        return [*self._values.scores(population, condition), *accuracies]

    def errors(self) -> dict[str, int]:
        """Return nothing: which factor goes wrong, the accuracies say."""
        return {}
