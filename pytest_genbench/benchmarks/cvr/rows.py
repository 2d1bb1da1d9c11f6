"""Accuracies of rules as rows of figures: bars, differences and curves of shares, and what notes say of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...figures import Bars, Bounds, Line, Row
from ...results.reasoning import ALONE, Run, Share, efficiency
from ...scores import ENDLESS, Score
from ..drawing import joined
from . import scoring
from .anchors import CHANCE
from .rules import RULES

LETTERS = {rule.name: rule.relations for rule in RULES}
"""Relations by rule."""

LEVELS = {"chance": CHANCE}


def known(found: Iterable[Run]) -> list[Run]:
    """Leave out shares of what is no rule, such as two that were trained together for a curriculum."""
    kept = [replace(run, shares={name: run.shares[name] for name in run.shares if name in LETTERS}) for run in found]
    return [run for run in kept if run.shares]


def described(training: str, n: int | None = None) -> str:
    """Say how models were trained: ``each rule trained alone, n = 1,000``."""
    which = {"joint": "all rules", "joint-elementary": "elementary rules", "joint-composed": "composed rules"}
    how = "each rule trained alone" if training == ALONE else f"{which.get(training, training)} trained together"
    return how if n is None else f"{how}, n = {n:,}"


def noted(*sentences: str, seeds: int = 1) -> str:
    """Join sentences, and say over how many training seeds values are means."""
    return joined(*sentences, f"Means over {seeds} training seeds." if seeds > 1 else "")


def beside(series: Mapping[str, Mapping[str, Share]], labels: Iterable[str], **fields: Any) -> Bars:
    """Draw shares by name of a series and label as bars with their intervals; `fields` are others of :class:`Bars`."""
    names = tuple(labels)
    return Bars(
        labels=names,
        series={title: values(shares, names) for title, shares in series.items()},
        intervals={title: tuple(_bounds(shares.get(name)) for name in names) for title, shares in series.items()},
        levels=LEVELS,
        value_title="accuracy",
        **fields,
    )


def differences(pairs: Mapping[str, tuple[Share, Share]], name: str, **fields: Any) -> Bars:
    """Draw by how much the first share of each pair is above the second, sorted, with Newcombe's intervals.

    Args:
        pairs: By label.
        name: What the difference is called.
        fields: Others of :class:`Bars`.
    """
    found = {label: _difference(*pair) for label, pair in pairs.items()}
    labels = sorted(found, key=lambda label: (-found[label][0], label))
    # In steps of a tenth, and the same to both sides, so that no difference is in the middle.
    reach = max(math.ceil(10 * abs(bound)) / 10 for _, interval in found.values() for bound in interval)
    return Bars(
        labels=tuple(labels),
        series={name: tuple(found[label][0] for label in labels)},
        intervals={name: tuple(found[label][1] for label in labels)},
        value_title=name,
        low=-reach,
        high=reach,
        **fields,
    )


def curve_of(name: str, curve: Mapping[int, Share]) -> Line:
    """Draw shares over the number of training problems."""
    return Line(
        name,
        tuple(float(n) for n in curve),
        tuple(share.value for share in curve.values()),
        tuple(_bounds(share) for share in curve.values()),
    )


def listed(numbers: Iterable[int]) -> str:
    """Write numbers of training problems: ``n = 20, 100, 1,000``."""
    return f"n = {', '.join(f'{n:,}' for n in numbers)}"


def summed_up(curve: Mapping[int, Share]) -> str:
    """Say what AUC and SES of a curve are."""
    auc, ses = efficiency(curve)
    return f"AUC {auc:.3f}, SES {ses:.3f}"


def values(shares: Mapping[str, Share], names: Iterable[str]) -> Row:
    """Values of some shares, None where there is none."""
    return tuple(shares[name].value if name in shares else None for name in names)


def _bounds(share: Share | None) -> Bounds | None:
    return None if share is None else (share.interval.low, share.interval.high)


def _difference(first: Share, second: Share) -> tuple[float, Bounds]:
    """By how much the first share is above the second, with Newcombe's interval for problems drawn apart."""
    one, other = (Score("accuracy", each.value, each.n, ENDLESS, interval=each.interval) for each in (first, second))
    found = scoring.difference("difference", one, other, "higher")
    assert found.interval is not None
    return found.value, (found.interval.low, found.interval.high)
