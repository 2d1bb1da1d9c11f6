"""What scorers and tasks may offer beside scores: the worst items, what was read of them, what figures are drawn from."""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..benchmarks import Judges, Keeps, Outputs, Ranks, Scorer, Task
from ..errors import GenbenchError
from ..results.io import check_builtin
from ..results.schema import Failure
from ..worst import MOST
from .findings import wrong_array

LARGEST = 100_000
"""Bytes of JSON that a case may keep: results documents are committed."""

_SHOWN = 2
"""Items whose reading is tried where no item went wrong."""


def judging(scorer: Scorer, before: float, where: str) -> Generator[str, None, float]:
    """Check the seconds waited for a judge, and return them; `before` is what they were."""
    if not isinstance(scorer, Judges):
        return 0.0
    now = scorer.judging
    if type(now) is not float or not math.isfinite(now) or now < 0:
        yield f"{where}: judging is {now!r}; give the seconds waited for the judge so far, a float of 0.0 or more."
        return before
    if now < before:
        yield f"{where}: judging went from {before:g} to {now:g}; it adds up the seconds of all batches."
    return now


def kept(scorer: Scorer, where: str) -> Generator[str, None, Mapping[str, Any]]:
    """Check what a scorer keeps for figures, and return it; nothing where it cannot be saved."""
    if not isinstance(scorer, Keeps):
        return {}
    found = scorer.kept()
    if not isinstance(found, Mapping):
        yield f"{where}: kept() is a {type(found).__name__}; return a dict of builtin types, by what they are about."
        return {}
    plain = dict(found)
    try:
        check_builtin(plain, "kept()")
    except GenbenchError as error:
        yield f"{where}: {str(error).rstrip('.')}."
        return {}
    if (size := len(json.dumps(plain))) > LARGEST:
        yield (
            f"{where}: kept() is {size:,} bytes of JSON; results are committed, so keep at most {LARGEST:,} for a case, "
            "such as counts or a few items."
        )
    return plain


def failures(
    task: Task, scorers: tuple[Scorer, Scorer], index: NDArray[np.int64], outputs: Outputs, where: str
) -> Generator[str, None, Sequence[Failure]]:
    """Check which items went wrong worst and what is said of them, and return that.

    Args:
        task: Whose scorers they are.
        scorers: One that took the items at once, one that took them in two batches.
        index: The items (N,).
        outputs: For all of them.
        where: For messages.
    """
    worst = (yield from _worst(scorers, index, where)) if isinstance(scorers[0], Ranks) else index[:0]
    if task.reading is None:
        if isinstance(scorers[0], Ranks):
            yield f"{where}: the scorer has worst(), but the task no reading; without it no failure is shown."
        return ()
    items = worst if len(worst) else index[:_SHOWN]
    rows = [int(np.flatnonzero(index == item)[0]) for item in items]
    pairs = task.reading(items.copy(), {name: array[rows] for name, array in outputs.items()})
    number = len(pairs) if isinstance(pairs, Sequence) else f"a {type(pairs).__name__}"
    if number != len(items):
        yield f"{where}: reading() of {len(items)} items gives {number}; return for each what was right and what was read."
        return ()
    for item, pair in zip(items.tolist(), pairs, strict=True):
        if not _is_pair(pair):
            yield f"{where}: reading() says {pair!r:.80} of item {item}; say what was right and what was read, in text."
            return ()
    return [Failure(item, right, read) for item, (right, read) in zip(items.tolist(), pairs, strict=True)]


def _worst(
    scorers: tuple[Scorer, Scorer], index: NDArray[np.int64], where: str
) -> Generator[str, None, NDArray[np.int64]]:
    """Check the worst items and return them; none where they cannot be used."""
    one, several = scorers
    assert isinstance(one, Ranks)
    assert isinstance(several, Ranks)
    found, what = one.worst(), f"{where}: worst()"
    wrong = list(wrong_array(what, found, np.int64, np.shape(found)[:1] or (0,)))
    yield from wrong
    if wrong:
        return index[:0]
    if len(foreign := np.setdiff1d(found, index)):
        yield f"{what} names item {foreign[0]}, which it was not given; return items as add() gets them."
    elif len(found) > MOST or len(np.unique(found)) < len(found):
        yield f"{what} is {found.tolist()}; name up to {MOST} items, each once, as pytest_genbench.worst.Worst does."
    elif not np.array_equal(found, again := several.worst()):
        yield f"{what} is {found.tolist()} after one batch and {again.tolist()} after two; batches may not matter."
    else:
        return found
    return index[:0]


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and all(type(text) is str and text for text in pair)
