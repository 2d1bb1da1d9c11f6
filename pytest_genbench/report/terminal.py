"""The summary on the terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from ..models import Model
from ..results.schema import Document
from ..threads import per_process
from .tables import Row, Table, tables, verdict_line

if TYPE_CHECKING:
    from ..session.transport import Records

_COLOURS = {"passed": "green", "failed": "red", "inconclusive": "yellow", "not comparable": "yellow"}
_LISTED = 3
"""Tests named for each reason of skipping; the rest are counted."""


def header(spec: str, model: Model | None) -> list[str]:
    """Describe the model under test: where it runs, what it takes, what it says of its training."""
    if model is None:
        return [f"genbench: model {spec}"]
    contract = model.contract
    declared = ", ".join(contract.trained_on)
    exposure = f"trained on {declared}" if declared else "exposure: undeclared (genbench.trained_on is not set)"
    threads = per_process()
    runs_on = f"{model.device}, {threads} thread{'s' if threads > 1 else ''} for each process"
    lines = [f"genbench: model {spec} on {runs_on}", f"genbench: {contract.describe()}; {exposure}"]
    if contract.sources.get("range") == "default":
        low, high = contract.range
        lines.append(
            f"genbench: pixel range not declared, so [{low:g}, {high:g}] is assumed; set genbench.range if that is wrong"
        )
    return lines + [f"genbench: warning: {warning}" for warning in contract.warnings]


def write(
    reporter: pytest.TerminalReporter,
    document: Document,
    model: Sequence[str],
    records: Records,
    notes: Sequence[str],
) -> None:
    """Write the summary section."""
    reporter.write_sep("=", "genbench")
    for line in model:
        reporter.write_line(line.removeprefix("genbench: "))
    for table in tables(document):
        reporter.write_line("")
        _write_table(reporter, table)
    for verdict in ("inconclusive", "not comparable"):
        names = [f"{case.split} ({case.reason})" for case in document.cases if case.verdict == verdict]
        for name in names:
            reporter.write_line(f"{verdict}: {name}", yellow=True)
    _write_skipped(reporter, records.skipped)
    for note in notes:
        reporter.write_line(note, yellow=True, bold=note[:1].isupper())
    line, green = verdict_line(document, len(records.skipped), len(records.broken))
    reporter.write_line(f"genbench: {line}", bold=True, **{"green" if green else "red": True})


def _write_table(reporter: pytest.TerminalReporter, table: Table) -> None:
    reporter.write_line(table.title, bold=True)
    content = [max(map(len, column)) for column in zip(*(row.cells for row in table.rows), strict=True)]
    headings = list(zip(*map(_heading, table.columns, content), strict=True))
    widths = [max(map(len, column)) for column in zip(*headings, strict=True)]
    widths = list(map(max, widths, content))
    for heading in headings:
        if any(heading):
            reporter.write_line(_line(heading, widths))
    for row in table.rows:
        _coloured(reporter, _line(row.cells, widths), row)
    for row in table.aggregates:
        _coloured(reporter, ": ".join(row.cells), row)
    for note in table.notes:
        reporter.write_line(note)


def _heading(text: str, width: int) -> tuple[str, str]:
    """Break a heading that is wider than its column over two lines, at the space that leaves the shorter longest line."""
    words = text.split(" ") if len(text) > width else [text]
    breaks = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(len(words))]
    return min(breaks, key=lambda lines: max(map(len, lines)))


def _coloured(reporter: pytest.TerminalReporter, text: str, row: Row) -> None:
    colour = _COLOURS.get(row.verdict)
    reporter.write_line(text, **({colour: True} if colour else {}))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Align: text to the left in the first and last column, numbers to the right between."""
    last = len(cells) - 1
    padded = [
        cell.ljust(width) if k in (0, last) else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _write_skipped(reporter: pytest.TerminalReporter, skipped: Mapping[str, str]) -> None:
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for nodeid, reason in skipped.items():
        by_reason[reason].append(nodeid.rpartition("[")[2].rstrip("]"))
    for reason, names in by_reason.items():
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        reporter.write_line(f"skipped: {', '.join(names[:_LISTED])}{more}: {reason}")
