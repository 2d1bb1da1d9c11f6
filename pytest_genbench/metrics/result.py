"""What a metric returns: one number, and what it is the mean of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Result:
    """A metric's value; ``float(result)`` is the number alone.

    Attributes:
        name: The metric, with everything in brackets that changes its value: ``r_c[fast]``.
        value: The number.
        parts: What it is the mean of: values by factor (or by unit, as the metric says).
        matrix: What it was computed from, factors in rows and units in columns, float64; None where there is no such thing.
    """

    name: str
    value: float
    parts: Mapping[str, float] = field(default_factory=dict)
    matrix: NDArray[np.float64] | None = None

    def __float__(self) -> float:
        return self.value
