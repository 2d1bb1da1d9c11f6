"""Models of the in-domain benchmark side by side (Schott et al. 2022, arXiv 2107.08221, sections 5.3 and 5.4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..errors import MetricError
from .schema import Case

TABLE = Sequence[tuple[str, ...]]


def alike(models: Sequence[tuple[str, Sequence[Case]]]) -> Iterator[tuple[str, TABLE]]:
    """For each data set whose extrapolation several models were tested on: how their answers to unseen values go together.

    Answers to all single unseen factors are pooled, since of one factor the truth may be constant.

    Args:
        models: Name and cases of each model.

    Yields:
        A title, and a table of correlations.
    """
    from ..metrics import prediction_similarity

    kinds = dict.fromkeys(
        (case.benchmark, case.version, case.preset) for _, cases in models for case in cases if _has_answers(case)
    )
    for kind in kinds:
        chosen = {
            name: found
            for name, cases in models
            if (found := [c for c in cases if _has_answers(c) and (c.benchmark, c.version, c.preset) == kind])
        }
        if len(chosen) < 2:
            continue
        first = next(iter(chosen.values()))[0]
        similarity = prediction_similarity(
            {name: [_pooled(case, "answer") for case in cases] for name, cases in chosen.items()},
            _pooled(first, "true"),
        )
        names = [*chosen, "truth"]
        rows: list[tuple[str, ...]] = [("correlation of answers", *names)]
        for left in names[:-1]:
            pairs = [(left, right) if (left, right) in similarity else (right, left) for right in names]
            values = [similarity[pair] for pair in pairs]
            rows.append((left, *("" if math.isnan(value) else f"{value:+.2f}" for value in values)))
        yield f"{kind[0]} ({kind[2]}), values beyond those seen, {len(_pooled(first, 'true'))} images", rows


def _has_answers(case: Case) -> bool:
    return bool(case.kept) and case.split == "extrapolation" and case.output == "modularity"


def _pooled(case: Case, column: str) -> list[float]:
    return [value for factor in sorted(case.kept) for value in case.kept[factor][column]]


def downstream(models: Sequence[Sequence[Case]]) -> str:
    """Say how DCI disentanglement and R² of what is read from the code go together; empty where there are no such pairs.

    Args:
        models: Cases of each model. A pair is a data set, split and seed for which a model has both.
    """
    from ..metrics import correlation

    points = []
    for cases in models:
        read = {
            (case.benchmark, case.preset, case.split, case.seed): score.value
            for case in cases
            if case.output == "regression" and (score := case.score("r2_grid")) is not None
        }
        for case in cases:
            score = case.score("dci_disentanglement") if case.output == "disentanglement" else None
            key = (case.benchmark, case.preset, case.split, case.seed)
            if score is not None and key in read:
                points.append((score.value, read[key]))
    if not points:
        return ""
    head = f"DCI disentanglement against R² of what is read from the code, {len(points)} pairs: "
    try:
        found = correlation([dci for dci, _ in points], [r2 for _, r2 in points])
    except MetricError as error:
        return head + f"no correlation ({error})"
    return f"{head}Pearson {found.rho:+.2f} (p = {found.p:.2g}); published: 0.63, Schott et al. 2022, section 5.4"
