"""The gates file: what the shipped gates ask for, as comments to be edited, and what would let red scores pass."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from fnmatch import fnmatchcase

from ..gates import AggregateGate, Gate, load
from ..results.schema import AggregateResult, Document
from ..session.suites import foreign_gates
from .fit import Fit

_HEADER = """\
Gates: what a score must clear. Written by genbench init, which will not write over it.

As it stands this file changes nothing. Below is what the shipped gates ask of the benchmarks in use. To ask for something else,
take the first # off the lines of a gate, change its number, and give a reason. Gates in this file are looked up before the shipped
ones.

  min        lowest value that passes; or max, the highest, for metrics that are better when lower
  against    "both": the floor, and no drop below the baseline; "floor", "baseline": one of them; "none": neither
  tolerance  drop against the baseline that is always allowed

docs/gates-and-baselines.md of pytest-genbench describes every key."""

_WIDTH = 118


def text(fit: Fit) -> str:
    """Write a gates file of comments only: the shipped gates of the benchmarks in use, gates again without their ``#``."""
    shipped = load(None, foreign_gates())
    parts = ["\n".join(f"# {line}".rstrip() for line in _HEADER.splitlines())]
    parts += [_commented("gate", gate) for gate in shipped.gates if _concerns(gate, fit)]
    parts += [_commented("aggregate", gate) for gate in shipped.aggregates if _concerns(gate, fit)]
    return "\n\n".join(parts) + "\n"


def _concerns(gate: Gate | AggregateGate, fit: Fit) -> bool:
    """Whether a gate is about a test that the model takes part in."""
    return any(
        gate.fits_family(part.test.benchmark.name, part.test.family, task)
        and any(fnmatchcase(metric, gate.metric) for metric in part.test.benchmark.tasks[task].metrics)
        for part in fit.parts
        for task in part.tasks
    )


def _commented(name: str, gate: Gate | AggregateGate) -> str:
    reason = textwrap.wrap(gate.reason, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    rows = [f"[[{name}]]", *_keys(gate)]
    return "\n".join([*(f"# {line}" for line in reason), *(f"#{row}" for row in rows)])


def _keys(gate: Gate | AggregateGate) -> Iterator[str]:
    """Yield the keys that say something, without the reason."""
    always = "statistic" if isinstance(gate, AggregateGate) else "against"
    for each in fields(gate):
        value = getattr(gate, each.name)
        if each.name in ("where", "reason") or value is None or (value == each.default and each.name != always):
            continue
        yield f"{each.name} = {value!r}" if isinstance(value, float) else f"{each.name} = {json.dumps(value)}"


def remedy(document: Document) -> str:
    """Write gates that hold what is red in a baseline to the baseline alone; empty where no gate is red.

    Where a floor is not reached yet, a build can still see to it that nothing gets worse.
    """
    cases = {
        ("gate", case.benchmark, case.family, case.output, gate.metric, 'against = "baseline"')
        for case in document.cases
        for gate in case.gates
        if gate.verdict in ("failed", "inconclusive") and gate.against == "floor"
    }
    families = {
        ("aggregate", each.benchmark, each.family, each.output, each.metric, _off(each))
        for each in document.aggregates
        if each.verdict not in ("passed", "not evaluated")
    }
    return "\n\n".join(_entry(*each) for each in [*sorted(cases), *sorted(families)])


def _off(aggregate: AggregateResult) -> str:
    group = '\ngroup = "*"' if aggregate.group else ""
    return f'statistic = "{aggregate.statistic}"{group}\nagainst = "none"'


def _entry(kind: str, benchmark: str, family: str, output: str, metric: str, rest: str) -> str:
    names = {"benchmark": benchmark, "family": family, "output": output, "metric": metric}
    rows = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in names.items()]
    return "\n".join([f"[[{kind}]]", *rows, rest, 'reason = "Not reached yet; it must not get worse."'])
