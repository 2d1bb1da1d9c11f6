"""The summary as lines of text, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..models import Model
from ..results.schema import Document
from .table import Table
from .tables import by_reason, named, tables, verdict_line
from .training import training_lines

_COLOURS = {"passed": "green", "failed": "red", "inconclusive": "yellow", "not comparable": "yellow"}


@dataclass(frozen=True)
class Line:
    """A line of text, and how it looks where there are colours: ``green``, ``red``, ``yellow`` or plain."""

    text: str
    colour: str = ""
    bold: bool = False


def header(spec: str, model: Model | None, threads: int, is_template: bool = False, learner: str = "") -> list[str]:
    """Describe the model under test: where it runs, what it takes, what it says of its training.

    Args:
        spec: What the user calls the model.
        model: The model, or one of them; None where it comes later.
        threads: CPU threads of each process.
        is_template: Whether there is one file for each split, of which `model` is the first.
        learner: What is done with a learner, in a few words; empty for any other model.
    """
    if model is None:
        return [f"model {spec}: {learner}" if learner else f"model {spec}"]
    contract = model.contract
    declared = ", ".join(contract.trained_on)
    exposure = f"trained on {declared}" if declared else "exposure: undeclared (genbench.trained_on is not set)"
    if is_template:
        exposure = f"one file for each split, the first {exposure}"
    plural = "s" if threads > 1 else ""
    head = [f"model {spec}: {model.device}, {threads} thread{plural}", f"{contract.describe()}; {exposure}"]
    return head + warnings(model)


def warnings(model: Model | None) -> list[str]:
    """Say what is assumed of a model, and what is odd about what it declares."""
    if model is None:
        return []
    contract, lines = model.contract, []
    if contract.sources.get("range") == "default" and contract.input_kind == "image":
        low, high = contract.range
        lines.append(
            f"pixel range not declared, so [{low:g}, {high:g}] is assumed; set genbench.range if that is wrong"
        )
    return lines + [f"warning: {warning}" for warning in contract.warnings]


def summary(document: Document) -> Iterator[Line]:
    """Write a document as tables, then what was skipped and what the user should know, then the verdict.

    Args:
        document: What a run found, or several merged ones. Notes that begin with a capital are stressed.
    """
    for table in tables(document):
        yield Line("")
        yield from _table(table)
    for verdict in ("inconclusive", "not comparable"):
        for case in document.cases:
            if case.verdict == verdict:
                yield Line(f"{verdict}: {case.split} ({case.reason})", "yellow")
    for reason, names in by_reason(document.skipped).items():
        yield Line(f"skipped: {named(names)}: {reason}")
    for note in [*training_lines(document), *document.notes]:
        yield Line(note, "yellow", bold=note[:1].isupper())
    text, green = verdict_line(document)
    yield Line(f"genbench: {text}", "green" if green else "red", bold=True)


def _table(table: Table) -> Iterator[Line]:
    yield Line(table.title, bold=True)
    content = [max(map(len, column)) for column in zip(*(row.cells for row in table.rows), strict=True)]
    headings = list(zip(*map(_heading, table.columns, content), strict=True))
    widths = [max(map(len, column)) for column in zip(*headings, strict=True)]
    widths = list(map(max, widths, content))
    for heading in headings:
        if any(heading):
            yield Line(_aligned(heading, widths))
    for row in table.rows:
        yield Line(_aligned(row.cells, widths), _COLOURS.get(row.verdict, ""))
    for row in table.aggregates:
        yield Line(": ".join(row.cells), _COLOURS.get(row.verdict, ""))
    for note in table.notes:
        yield Line(note)


def _heading(text: str, width: int) -> tuple[str, str]:
    """Break a heading that is wider than its column over two lines, at the space that leaves the shorter longest line."""
    words = text.split(" ") if len(text) > width else [text]
    breaks = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(len(words))]
    return min(breaks, key=lambda lines: max(map(len, lines)))


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Align: text to the left in the first and last column, numbers to the right between."""
    last = len(cells) - 1
    padded = [
        cell.ljust(width) if k in (0, last) else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
