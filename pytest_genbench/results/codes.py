"""Codes of CompOrth side by side: which models to look at, and does MIR go with generalisation? (Bianchi et al. 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..errors import MetricError
from .schema import Case

OUTPUT = "disentanglement"

LOSS, MIR_ALL = "excess_bce", "mir_all"
"""What models are chosen by (figure 2A)."""

MIR_LETTERS = "mir_letters"
"""What is held against accuracy (figure A.5)."""


@dataclass(frozen=True)
class Chosen:
    """A model's mean reconstruction loss and MIR over all codes, and whether no other model is better in both."""

    model: str
    loss: float
    mir: float
    is_on_front: bool


def front(models: Mapping[str, Sequence[Case]]) -> tuple[Chosen, ...]:
    """Find the models that no other beats in both loss and MIR; none where fewer than two have both.

    Args:
        models: Cases by the name of their model.
    """
    from ..metrics import pareto_front

    means = [(name, _mean(cases, LOSS), _mean(cases, MIR_ALL)) for name, cases in models.items()]
    known = [(name, loss, mir) for name, loss, mir in means if loss is not None and mir is not None]
    if len(known) < 2:
        return ()
    is_on = pareto_front([(-loss, mir) for _, loss, mir in known])
    return tuple(Chosen(*each, bool(on)) for each, on in zip(known, is_on, strict=True))


def pairs(cases: Sequence[Case]) -> list[tuple[float, float]]:
    """MIR (letters) and accuracy of reconstruction on what was held out, for each split and seed that has both."""
    read = {(c.split, c.seed): c.scores[0].value for c in cases if c.output == "reconstruction" and c.scores}
    return [
        (score.value, read[case.split, case.seed])
        for case in sorted(cases, key=lambda case: case.key)
        if case.output == OUTPUT and (case.split, case.seed) in read
        if (score := case.score(MIR_LETTERS)) is not None
    ]


def correlated(models: Mapping[str, Sequence[Case]]) -> str:
    """Say how MIR and accuracy go together over the models on the front, or else all; empty where there are no pairs.

    Args:
        models: Cases by the name of their model.
    """
    from ..metrics import correlation

    chosen = [each.model for each in front(models) if each.is_on_front]
    points = [pair for name in chosen or models for pair in pairs(models[name])]
    if not points:
        return ""
    who = "the models on the front" if chosen else "these models"
    head = f"MIR (letters) against accuracy of reconstruction, {len(points)} pairs of {who} and their splits: "
    try:
        found = correlation([mir for mir, _ in points], [accuracy for _, accuracy in points])
    except MetricError as error:
        return head + f"no correlation ({error})"
    published = "published: 0.13 (p = 0.26), Bianchi et al. 2024, section 4.4; 0.12 (p = 0.30) in figure A.5"
    return f"{head}Pearson {found.rho:+.2f} (p = {found.p:.2g}); {published}"


def _mean(cases: Sequence[Case], metric: str) -> float | None:
    values = [score.value for case in cases if case.output == OUTPUT and (score := case.score(metric)) is not None]
    return fmean(values) if values else None
