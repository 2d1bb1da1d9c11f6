"""Models of the in-domain benchmark side by side (Schott et al. 2022, arXiv 2107.08221, sections 5.3 and 5.4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import MetricError
from .schema import Case
from .writing import Table

FEWEST = 3
"""Answers that a correlation needs."""


def alike(models: Sequence[tuple[str, Sequence[Case]]]) -> Iterator[tuple[str, Table]]:
    """For each data set whose extrapolation several models were tested on: how their answers to unseen values go together.

    Answers to all single unseen factors are pooled, since of one factor the truth may be constant.

    Args:
        models: Name and cases of each model.

    Yields:
        A title, and a table of correlations.
    """
    kinds = dict.fromkeys(
        (case.benchmark, case.version, case.preset) for _, cases in models for case in cases if has_answers(case)
    )
    for kind in kinds:
        chosen = [
            (name, found)
            for name, cases in models
            if (found := [c for c in cases if has_answers(c) and (c.benchmark, c.version, c.preset) == kind])
        ]
        if len(chosen) < 2:
            continue
        true = pooled(chosen[0][1][0], "true")
        names = [*(name for name, _ in chosen), "truth"]
        values = correlations([[pooled(case, "answer") for case in cases] for _, cases in chosen], true)
        rows: list[tuple[str, ...]] = [("correlation of answers", *names)]
        for left, row in zip(names[:-1], values[:-1], strict=True):
            rows.append((left, *("" if value is None else f"{value:+.2f}" for value in row)))
        yield f"{kind[0]} ({kind[2]}), values beyond those seen, {len(true)} images", rows


def correlations(
    answers: Sequence[Sequence[Sequence[float]]], true: Sequence[float]
) -> tuple[tuple[float | None, ...], ...]:
    """Correlate the answers of models with each other and with the truth, which stands last.

    Args:
        answers: For each model those of each of its seeds (N,).
        true: The right answers (N,).

    Returns:
        Mean correlations over pairs of seeds; None where there is none: of a model of one seed with itself, of answers that do
        not vary, of fewer than three.

    Raises:
        MetricError: Numbers of answers differ.
    """
    from ..metrics import prediction_similarity

    names = [*(str(k) for k in range(len(answers))), "truth"]
    if len(true) < FEWEST:
        return tuple((None,) * len(names) for _ in names)
    # By number, since models may be called alike, or "truth".
    found = prediction_similarity(dict(zip(names, answers, strict=False)), true)

    def value(left: str, right: str) -> float | None:
        rho = found.get((left, right), found.get((right, left), math.nan))
        return None if math.isnan(rho) else rho

    return tuple(tuple(value(left, right) for right in names) for left in names)


def has_answers(case: Case) -> bool:
    """Whether it holds answers to values beyond those seen, of which exactly one factor has one."""
    return bool(case.kept) and case.split == "extrapolation" and case.output == "modularity"


def pooled(case: Case, column: str) -> list[float]:
    """Return what is ``true``, or the ``answer``, of all factors, in the order of their names."""
    return [value for factor in sorted(case.kept) for value in case.kept[factor][column]]


@dataclass(frozen=True)
class Pair:
    """Disentanglement of a code, and R² of what is read from it: of one model, data set, split and seed."""

    split: str
    seed: int
    dci: float
    r2: float


def pairs(cases: Sequence[Case]) -> list[Pair]:
    """Find the data sets, splits and seeds for which a model has both."""
    read = {
        (case.benchmark, case.preset, case.split, case.seed): score.value
        for case in cases
        if case.output == "regression" and (score := case.score("r2_grid")) is not None
    }
    found = []
    for case in cases:
        score = case.score("dci_disentanglement") if case.output == "disentanglement" else None
        key = (case.benchmark, case.preset, case.split, case.seed)
        if score is not None and key in read:
            found.append(Pair(case.split, case.seed, score.value, read[key]))
    return found


def downstream(models: Sequence[Sequence[Case]]) -> str:
    """Say how DCI disentanglement and R² of what is read from the code go together; empty where there are no such pairs.

    Args:
        models: Cases of each model. A pair is a data set, split and seed for which a model has both.
    """
    from ..metrics import correlation

    points = [pair for cases in models for pair in pairs(cases)]
    if not points:
        return ""
    head = f"DCI disentanglement against R² of what is read from the code, {len(points)} pairs: "
    try:
        found = correlation([pair.dci for pair in points], [pair.r2 for pair in points])
    except MetricError as error:
        return head + f"no correlation ({error})"
    return f"{head}Pearson {found.rho:+.2f} (p = {found.p:.2g}); published: 0.63, Schott et al. 2022, section 5.4"
