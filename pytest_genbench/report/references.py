"""What our reference models score where a model is tested, to be read beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..results.schema import Case

_PACKAGE = "pytest_genbench.reference_models"
_FILE = "recorded_scores.json"
_PREFIX = "reference:"


@dataclass(frozen=True)
class Reference:
    """The headline score of a reference model, where a case has its own.

    Attributes:
        model: Name of the reference model.
        budget: What it was trained with.
        values: The score of each seed.
    """

    model: str
    budget: str
    values: Mapping[int, float]

    @property
    def value(self) -> float:
        """Mean over seeds."""
        return sum(self.values.values()) / len(self.values)


@dataclass(frozen=True)
class Column:
    """One reference model beside several cases.

    Attributes:
        model: Name of the reference model.
        values: Its score for each case; None where it was not recorded.
        note: Which model it is and what the scores are, for people, without numbers.
    """

    model: str
    values: tuple[float | None, ...]
    note: str


def references(case: Case) -> list[Reference]:
    """Find what is recorded for the benchmark, version, preset, family, split and task of a case, by its headline metric and judge.

    Args:
        case: A case with scores.

    Returns:
        One for each reference model as it comes, without its ablations; the best first.
    """
    if not case.scores:
        return []
    headline = case.scores[0]
    key = "/".join((case.benchmark, case.version, case.preset, case.family, case.output))
    found = []
    for model, tasks in _recorded().items():
        there = tasks.get(key, {})
        if (there.get("metric"), there.get("judge")) == (headline.metric, headline.judge) and case.split in there[
            "scores"
        ]:
            values = {int(seed): float(value) for seed, value in there["scores"][case.split].items()}
            found.append(Reference(model, there["budget"], values))
    sign = 1 if headline.better == "higher" else -1
    return sorted(found, key=lambda each: (-sign * each.value, each.model))


def beside(cases: Sequence[Case], spec: str = "") -> Column | None:
    """Choose the one reference model to set beside some cases: of those that are recorded for most of them, the best on average.

    One model for all rows, because the best of each row is a model that does not exist.

    Args:
        cases: Cases of one benchmark, preset, family and task.
        spec: What the user calls the model under test.

    Returns:
        The model; None where nothing is recorded, or where it is the model under test.
    """
    rows = [{each.model: each for each in references(case)} for case in cases]
    known = dict.fromkeys(model for row in rows for model in row)
    if not known:
        return None
    sign = 1 if cases[0].scores[0].better == "higher" else -1

    def merit(model: str) -> tuple[int, float]:
        there = [row[model].value for row in rows if model in row]
        return len(there), sign * sum(there) / len(there)

    model = max(known, key=merit)
    if spec == _PREFIX + model:
        return None
    there = [row[model] for row in rows if model in row]
    seeds = max(len(each.values) for each in there)
    splits = len({case.split for case, row in zip(cases, rows, strict=True) if model in row})
    parts = [f"mean of {splits} splits"] if splits > 1 else []
    parts += [f"{seeds} seeds" if seeds > 1 else "one seed", f"budget {there[0].budget}"]
    return Column(model, tuple(row[model].value if model in row else None for row in rows), ", ".join(parts))


@cache
def _recorded() -> Mapping[str, Mapping[str, Any]]:
    """Read the packaged scores: by model and task; none where the reference models are not installed."""
    spec = find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / _FILE
        if file.is_file():
            found: Mapping[str, Mapping[str, Any]] = json.loads(file.read_text("utf-8"))
            return found
    return {}
