"""Chance level: what a metric says of codes that have nothing to do with the factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import MetricError
from ..rng import stream
from .arrays import tables
from .result import Result


def chance(
    metric: Callable[..., Any],
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    part: str = "",
    seed: int = 0,
    repeats: int = 5,
    **settings: Any,
) -> Result:
    """Compute a metric after shuffling which factors belong to which codes.

    Rows of the factors are permuted as a whole: dependence among factors and among units is kept, that between them is gone.
    What remains is the metric's floor at this number of samples, which for several metrics is not 0.

    Args:
        metric: Any function of (factors, codes, **settings) that returns a :class:`~pytest_genbench.metrics.result.Result`, or
            something of which `part` is one.
        factors: True values (N, K).
        codes: Values of the units (N, D).
        part: Name of the attribute to take where the metric returns several results: ``disentanglement`` of
            :func:`~pytest_genbench.metrics.dci.dci`.
        seed: Which permutations. A metric's own seed is not this one: give it by ``functools.partial``.
        repeats: How many permutations.
        settings: Handed to the metric as they are.

    Returns:
        ``chance of NAME``, the mean over permutations; ``parts`` are the values of each.

    Raises:
        MetricError: `repeats` is below 1, the metric returns no result, or whatever the metric raises.

    Example:
        >>> from pytest_genbench.metrics.mig import mig
        >>> factors = np.indices((2, 2)).reshape(2, -1).T.repeat(100, axis=0)
        >>> float(mig(factors, factors)), round(float(chance(mig, factors, factors)), 2)
        (1.0, 0.0)
    """
    if repeats < 1:
        raise MetricError(f"repeats has to be 1 or more; got {repeats}.")
    tables(factors, codes)
    rows = np.asarray(factors)
    found = []
    for repeat in range(repeats):
        shuffled = rows[stream("chance", seed, repeat).permutation(len(rows))]
        found.append(_result(metric(shuffled, codes, **settings), part))
    values = [result.value for result in found]
    return Result(
        name=f"chance of {found[0].name}",
        value=float(np.mean(values)),
        parts={str(repeat): value for repeat, value in enumerate(values)},
    )


def _result(returned: Any, part: str) -> Result:
    result = getattr(returned, part, None) if part else returned
    if isinstance(result, Result):
        return result
    parts = [
        name for name in getattr(returned, "__dataclass_fields__", ()) if isinstance(getattr(returned, name), Result)
    ]
    advice = f"say which with part=, one of {', '.join(parts)}" if parts else "wrap it in a function that does"
    raise MetricError(
        f"The metric returned {type(returned).__name__}, not one Result{f' {part!r}' if part else ''}; {advice}."
    )
