"""What a model chooses: the image with the highest of four scores, or the place that it names; and saying so to people."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ..protocol import Outputs
from . import sets
from .laws import AXES
from .rules import RULES

if TYPE_CHECKING:
    from .benchmark import Cvr

OUTPUT = "scores"
CANDIDATES = 4

_UNSEEN = {"test_gen": " (all axes unseen)"} | {f"test_{axis}": f" ({axis} unseen)" for axis in AXES}


def fits(name: str, shape: Sequence[int | None]) -> bool:
    """Whether an output of this shape (without the batch axis) can be the scores of four images, or the place of the odd one."""
    return name == OUTPUT and tuple(shape) in ((CANDIDATES,), ())


def choices(outputs: Outputs, given: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Read which image is chosen, and where two or more share the highest score, so that none is.

    Args:
        outputs: ``scores`` real (N, 4); or the places themselves, integers (N,) or (N, 1).
        given: N.

    Returns:
        Places int64 (N,), and whether there is a tie, bool (N,).

    Raises:
        ModelError: Another shape, or places out of range.
    """
    scores = np.asarray(outputs[OUTPUT])
    if scores.shape == (given, CANDIDATES):
        best = scores == scores.max(1, keepdims=True)
        return scores.argmax(1).astype(np.int64), best.sum(1) > 1
    if scores.shape in ((given,), (given, 1)) and np.issubdtype(scores.dtype, np.integer):
        places = scores.reshape(given).astype(np.int64)
        if ((places < 0) | (places >= CANDIDATES)).any():
            raise ModelError(
                f"Output {OUTPUT!r} has whole numbers from {places.min()} to {places.max()}; the place of the odd image is 0 to 3."
            )
        warnings.warn(
            f"{OUTPUT} are whole numbers, one for each problem: taken for the place of the odd image", stacklevel=2
        )
        return places, np.zeros(given, dtype=bool)
    raise ModelError(
        f"Output {OUTPUT!r} has shape {scores.shape} and type {scores.dtype}; expected is (N, 4), a score for each image, the "
        "highest for the odd one (or its place, integers (N,))."
    )


def reading(benchmark: Cvr, index: NDArray[np.int64], outputs: Outputs) -> list[tuple[str, str]]:
    """Say of each of items (N,) which image is odd and how, and which was chosen; images are counted from 1."""
    chosen, tied = choices(outputs, len(index))
    scores = np.asarray(outputs[OUTPUT])
    found = []
    for n, (item, (answer, kind)) in enumerate(zip(index.tolist(), benchmark.answers(index), strict=True)):
        where = sets.place(item)
        rule = RULES[where.rule]
        right = f"{rule.name}: image {answer + 1} {rule.odd.get(kind, kind)}{_UNSEEN.get(where.set, '')}"
        best = [str(k + 1) for k in np.flatnonzero(scores[n] == scores[n].max())] if tied[n] else []
        read = f"none: {', '.join(best[:-1])} and {best[-1]} alike" if best else f"image {chosen[n] + 1}"
        found.append((right, read))
    return found
