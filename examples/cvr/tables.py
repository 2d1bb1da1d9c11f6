"""Make the tables of docs/cvr-rules.md and docs/cvr.md from the rules, the recorded shortcuts and the recorded results.

python examples/cvr/tables.py
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_genbench.benchmarks.cvr.people import PEOPLE
from pytest_genbench.benchmarks.cvr.rule import RELATIONS
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.benchmarks.cvr.shortcuts import FEATURES, table
from pytest_genbench.reference_models.record import RESULTS
from pytest_genbench.results.io import read
from pytest_genbench.results.reasoning import curves, efficiency, runs

MODELS = {"cvr-resnet-small": "small ResNet", "scl": "SCL"}
"""Models of which results may be recorded, and their names for people."""


def rules() -> str:
    """All rules: what their images share, how one is odd, which axes the unseen law moves, shortcuts and people."""
    rows = [
        "| # | rule | relations | in the references | the odd image | unseen law moves | shortcut | published law | people |",
        "|--:|---|---|---|---|---|---|---|--:|",
    ]
    for rule in RULES:
        words = ", ".join(RELATIONS[letter] for letter in dict.fromkeys(rule.relations))
        odd = " or ".join(rule.odd.values())
        people = f"{PEOPLE[rule.id][0]:.2f} ({PEOPLE[rule.id][1]})" if rule.id in PEOPLE else ""
        own, published = (_best(table()[law][rule.name]) for law in ("checked", "published"))
        cells = (str(rule.id), rule.name, words, rule.reference, odd, ", ".join(rule.axes), own, published, people)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _best(accuracies: Mapping[str, float]) -> str:
    name = max(accuracies, key=lambda feature: accuracies[feature])
    return f"{accuracies[name]:.2f} {name}"


def shortcuts() -> str:
    """Mean over all rules of each shortcut's accuracy, and how many rules it answers more than half of, by law."""
    rows = ["| law | " + " | ".join(FEATURES) + " |", "|---|" + "--:|" * len(FEATURES)]
    for law in ("checked", "published"):
        own = table()[law].values()
        cells = []
        for name in FEATURES:
            values = [accuracies[name] for accuracies in own]
            cells.append(f"{sum(values) / len(values):.3f} ({sum(value > 0.5 for value in values)})")
        rows.append(f"| {law} | {' | '.join(cells)} |")
    return "\n".join(rows)


def results() -> str:
    """Recorded accuracies over the number of training problems, a table for each model."""
    return "\n\n".join(_result(name, title) for name, title in MODELS.items() if (RESULTS / f"{name}.json").exists())


def _result(name: str, title: str) -> str:
    cases = read(RESULTS / f"{name}.json").cases
    seeds = len({case.seed for case in cases})
    ((_, rows),) = curves(runs(cases)).items()
    numbers = sorted({n for curve in rows.values() for n in curve})
    sums = ("AUC", "SES") if len(numbers) > 1 else ()
    heads = (f"{title}, {seeds} seed{'s' * (seeds > 1)}", *(f"n = {n:,}" for n in numbers), *sums)
    lines = [f"| {' | '.join(heads)} |", "|---|" + "--:|" * (len(heads) - 1)]
    for rule in (rule.name for rule in RULES if rule.name in rows):
        values = [f"{rows[rule][n].value:.3f}" if n in rows[rule] else "" for n in numbers]
        values += [f"{value:.3f}" for value in efficiency(rows[rule]) if sums]
        lines.append(f"| {rule} | {' | '.join(values)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(rules(), shortcuts(), results(), sep="\n\n")
