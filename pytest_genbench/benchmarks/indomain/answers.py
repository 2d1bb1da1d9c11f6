"""Answers of recorded reference models to values beyond those that training showed, to lay beside those of other models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...results.schema import Case

FILE = "answers.json"

MODELS = {"cnn": "CNN", "coordconv": "CoordConv", "mlp": "MLP"}
"""Reference models by the name of their recorded results."""

DIGITS = 3
"""Decimals: correlations of a few hundred answers hang on no more."""


def extract(models: Mapping[str, Iterable[Case]]) -> dict[str, Any]:
    """Take from results what is shipped: by benchmark, version and preset the items and the answers of each model's seeds.

    Args:
        models: Cases of each model, by its name for people.
    """
    from ...results.indomain import has_answers

    found: dict[str, Any] = {}
    for name, cases in models.items():
        for case in sorted(filter(has_answers, cases), key=lambda case: case.key):
            about = found.setdefault(_key(case), {"items": _items(case), "models": {}})
            about["models"].setdefault(name, []).append(_answers(case))
    return found


def beside(case: Case) -> dict[str, Sequence[Sequence[float]]]:
    """Return for each reference model, and each of its seeds, the answers to the items of a case, pooled over factors.

    There are none where the case is about other images, or keeps other items. A model that gave the very answers of the case is
    the one it is about, and left out.
    """
    about = _table().get(_key(case))
    if about is None or about["items"] != _items(case):
        return {}
    own = _answers(case)
    return {
        name: [[value for factor in seed for value in factor] for seed in seeds]
        for name, seeds in about["models"].items()
        if own not in seeds
    }


@cache
def _table() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(files(__package__).joinpath(FILE).read_text("utf-8"))
    return found


def _key(case: Case) -> str:
    return f"{case.benchmark}/{case.version}/{case.preset}"


def _answers(case: Case) -> list[list[float]]:
    return [[round(value, DIGITS) for value in case.kept[factor]["answer"]] for factor in sorted(case.kept)]


def _items(case: Case) -> dict[str, list[int]]:
    return {factor: list(case.kept[factor]["items"]) for factor in sorted(case.kept)}
