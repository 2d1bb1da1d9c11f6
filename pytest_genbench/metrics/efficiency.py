"""Sample efficiency: accuracy over the number of training examples in one number (Zerroug et al. 2022, section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..errors import MetricError


def auc(accuracies: Mapping[int, float]) -> float:
    """Mean of the accuracies at several numbers of training examples: a plain mean, not a trapezoid.

    Args:
        accuracies: By number of training examples, each in [0, 1].

    Returns:
        A number in [0, 1].

    Raises:
        MetricError: There are none, or a number of examples is below 1.

    Example:
        >>> auc({20: 0.25, 1000: 0.75})
        0.5
    """
    _check(accuracies)
    return sum(accuracies.values()) / len(accuracies)


def ses(accuracies: Mapping[int, float]) -> float:
    """Sample efficiency score: a mean in which accuracy with n examples weighs 1 / (1 + ln n), so that few count more.

    The paper does not say which logarithm; its code takes the natural one. Of a curve that does not fall, the score is at most
    :func:`auc`. (Where the paper's code lists larger ones, its two columns are exchanged.)

    Args:
        accuracies: As for :func:`auc`.

    Returns:
        A number in [0, 1].

    Raises:
        MetricError: As for :func:`auc`.

    Example:
        >>> round(ses({20: 0.25, 1000: 0.75}), 3)
        0.418
    """
    _check(accuracies)
    weights = {n: 1 / (1 + math.log(n)) for n in accuracies}
    return sum(weights[n] * value for n, value in accuracies.items()) / sum(weights.values())


def _check(accuracies: Mapping[int, float]) -> None:
    if not accuracies:
        raise MetricError("Sample efficiency needs accuracies at one number of training examples or more; got none.")
    if min(accuracies) < 1:
        raise MetricError(f"Numbers of training examples are at least 1; got {min(accuracies)}.")
