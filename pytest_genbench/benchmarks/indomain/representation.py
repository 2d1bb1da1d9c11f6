"""Taking part by embedding: how disentangled a code is, beside what is read from it (Schott et al. 2022, section 5.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ...errors import MetricError, ModelError
from ...metrics import dci
from ...rng import stream
from ...scores import Anchor, Better, Condition, Score
from ...splits import Split
from ..grids import Design
from ..protocol import Inputs, Outputs
from . import regression

METRICS: dict[str, Better] = dict.fromkeys(("dci_disentanglement", "dci_completeness", "dci_informativeness"), "higher")

SAMPLES = 2_000
"""Items that DCI is computed on. The paper takes 10,000 to fit and 5,000 to test, which is minutes for a factor of 40 levels."""


class RepresentationScorer:
    """DCI of a code, on items that are held out and on items that training showed.

    Args:
        design: The grid.
        variant: The split; not used.
    """

    def __init__(self, design: Design, variant: str) -> None:
        self._design = design
        self._items: list[NDArray[np.int64]] = []
        self._codes: list[NDArray[np.float32]] = []

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch: ``embedding`` (N, …)."""
        self._items.append(index)
        self._codes.append(np.asarray(outputs["embedding"], dtype=np.float32).reshape(len(index), -1))

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return DCI.

        Raises:
            ModelError: It is not defined for these codes.
        """
        items, codes = np.concatenate(self._items), np.concatenate(self._codes)
        few = np.sort(stream("dci", len(items)).permutation(len(items))[:SAMPLES])
        levels = self._design.grid.levels(items[few])[:, regression.counted(self._design)]
        try:
            with threadpool_limits(1):
                found = dci(levels, codes[few])
        except MetricError as error:
            raise ModelError(f"The code cannot be scored: {error}") from None
        results = (found.disentanglement, found.completeness, found.informativeness)
        return [Score(each.name, each.value, len(few), population, condition) for each in results]

    def errors(self) -> dict[str, int]:
        """Return nothing: there is no right or wrong for one item."""
        return {}


def anchors(split: Split) -> list[Anchor]:
    """What a code with a unit of its own for each factor scores."""
    return [Anchor("true factors", "dci_disentanglement", 1.0, note="each unit one factor")]
