"""The settings of Ross & Doshi-Velez (2021), and what settings may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

from pytest_genbench.errors import LearnerError

CHOPSTICKS = tuple(
    f"chopsticks-depth{depth}-{kind}" for depth in (2, 3) for kind in ("slope", "inter", "both", "either")
)

AUTOENCODER_DIMENSIONS: Mapping[str, int] = MappingProxyType(
    {
        "chopsticks-depth2-slope": 3,
        "chopsticks-depth2-inter": 3,
        "chopsticks-depth2-both": 5,
        "chopsticks-depth2-either": 4,
        "chopsticks-depth3-slope": 4,
        "chopsticks-depth3-inter": 4,
        "chopsticks-depth3-both": 7,
        "chopsticks-depth3-either": 5,
        "spaceshapes": 7,
    }
)
"""Size of the code of the auto-encoder whose codes the authors gave to MIMOSA, for each data set."""

PAPER: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        **{name: MappingProxyType({"cos_simil_thresh": 0.99, "contagion_num": 5}) for name in CHOPSTICKS},
        "spaceshapes": MappingProxyType({"cos_simil_thresh": 0.95, "contagion_num": 3}),
    }
)
"""Settings of the authors that depend on the data set: ``MIMOSA(**PAPER["spaceshapes"])``. All others are the defaults."""


def common_edge_fraction(dimension: int) -> float:
    """Return the overlap from which on components of a dimension are joined: 0.375 for 1, 0.1875 for 2, half each time."""
    return float(2.0 ** -(dimension + 1) + 2.0 ** -(dimension + 2))


def least_size(name: str, value: object, samples: int) -> int:
    """Turn a least size into a number of points.

    Args:
        name: Of the parameter.
        value: A whole number is a number of points; a fraction below 1 is a share of the samples.
        samples: Number of samples.

    Raises:
        LearnerError: It is neither.
    """
    number = _number(value)
    if 0 <= number < 1:
        return math.ceil(round(number * samples, 6))  # rounded, for 0.07 * 100 is a little more than 7
    if not number.is_integer() or number < 0:
        raise LearnerError(
            f"{name} has to be a number of points (a whole number) or a share of the samples (below 1); got {value!r}."
        )
    return int(number)


def check_whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is large enough.

    Raises:
        LearnerError: It is no whole number, or too small.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise LearnerError(f"{name} has to be a whole number from {least} on; got {value!r}.")
    return int(value)


def check_number(name: str, value: object, above: float, most: float) -> float:
    """Return a number above one bound and not above the other.

    Raises:
        LearnerError: It is no number, or not between them.
    """
    number = _number(value)
    if not above < number <= most:
        bounds = f"above {above:g}" + (f" and not above {most:g}" if math.isfinite(most) else "")
        raise LearnerError(f"{name} has to be a number {bounds}; got {value!r}.")
    return number


def _number(value: object) -> float:
    """Return a number as it is, and NaN for anything else; truth values are no numbers here."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
