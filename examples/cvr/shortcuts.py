"""Measure the shortcuts of all rules under both laws, and write the table that anchors are read from.

    python examples/cvr/shortcuts.py pytest_genbench/benchmarks/cvr/shortcuts.json

Takes a few minutes on two cores.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pytest_genbench.benchmarks.cvr import Cvr
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.benchmarks.cvr.sets import items
from pytest_genbench.benchmarks.cvr.shortcuts import accuracies

PROBLEMS = 500


def measure(task: tuple[str, int]) -> dict[str, float]:
    """Measure one rule under one law, on its test problems."""
    preset, rule = task
    benchmark = Cvr(preset)
    chosen = items(rule, "test", PROBLEMS)
    found = accuracies((benchmark.images([item])[0], benchmark.answers([item])[0][0]) for item in chosen.tolist())
    return {name: round(value, 3) for name, value in found.items()}


def main(out: Path) -> None:
    """Measure everything, and write it."""
    tasks = [(preset, rule.id) for preset in ("checked", "published") for rule in RULES]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(measure, tasks))
    table: dict[str, object] = {"problems": PROBLEMS, "set": "test", "checked": {}, "published": {}}
    for (preset, rule), measured in zip(tasks, found, strict=True):
        table[preset][RULES[rule].name] = measured  # type: ignore[index]
    out.write_text(json.dumps(table, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
