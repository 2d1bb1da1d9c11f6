"""The recorded documents of the reference models, judged anew by the shipped gates."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

from pytest_genbench.gates import UNGATED, decide, judge_document, load
from pytest_genbench.results import io
from pytest_genbench.results.schema import Case, Document

FILES = sorted((Path(__file__).parents[2] / "reference_models" / "results").glob("*.json"))

GATES = load()


@cache
def judged() -> dict[str, Document]:
    """Documents by the name of the model: verdicts, reasons and aggregates as a run of today would give them."""
    found = {}
    for file in FILES:
        document = io.read(file)
        found[str(document.model["spec"]).removeprefix("reference:")] = _judge(document)
    return found


def _judge(document: Document) -> Document:
    tests = defaultdict(list)
    for case in document.cases:
        tests[case.key[:-1]].append(case)
    cases: list[Case] = []
    for seeds in tests.values():
        # As in a session: only reconstructions have to say how small their code is.
        known = all(case.model["code_size"]["kind"] != "unbounded" for case in seeds)
        decision = decide(seeds, GATES, None, code_size_known=known or seeds[0].output != "reconstruction")
        cases += [
            replace(each, gates=decision.results, verdict=decision.verdict, reason=decision.reason) for each in seeds
        ]
    return judge_document(replace(document, cases=tuple(cases)), GATES)


def verdicts(document: Document) -> dict[str, dict[str, str]]:
    """By benchmark, preset, family and output: the splits of each verdict, and of the aggregates that were evaluated."""
    splits: dict[str, dict[str, list[str]]] = {}
    for case in document.cases:
        task = splits.setdefault("/".join((case.benchmark, case.preset, case.family, case.output)), {})
        said = task.setdefault(UNGATED if case.reason.startswith(UNGATED) else case.verdict, [])
        if case.split not in said:
            said.append(case.split)
    found = {key: {name: _named(each, task) for name, each in task.items()} for key, task in splits.items()}
    for result in document.aggregates:
        if result.verdict != "not evaluated":
            key = "/".join((result.benchmark, result.preset, result.family, result.output))
            found[key][" of ".join(filter(None, (result.statistic, result.group)))] = result.verdict
    return found


def _named(splits: list[str], task: dict[str, list[str]]) -> str:
    return f"all {len(splits)}" if len(task) == 1 and len(splits) > 3 else " ".join(sorted(splits))


def as_toml() -> str:
    """Write the verdicts of all models as they stand, for the reviewed table."""
    parts = []
    for model, document in sorted(judged().items()):
        parts += ["", f'["{model}"]']
        for key, task in sorted(verdicts(document).items()):
            values = ", ".join(f'"{name}" = "{value}"' for name, value in sorted(task.items()))
            parts.append(f'"{key}" = {{ {values} }}')
    return "\n".join(parts[1:]) + "\n"
