"""The summary in Markdown, for the pages of a CI service."""

from __future__ import annotations

from collections.abc import Sequence

from ..results.schema import Document
from ..results.writing import escaped, printable
from .table import Table
from .tables import by_reason, named, tables, verdict_line
from .training import training_lines


def summary(document: Document) -> str:
    """Write a document as Markdown.

    Args:
        document: What a run found.

    Returns:
        A section that starts with a heading and ends with an empty line, so that it can be appended to others. Names from models
        and files are escaped.
    """
    line, green = verdict_line(document)
    # Within backticks nothing means anything, but another backtick.
    spec = printable(str(document.model.get("spec", ""))).replace("`", "'")
    parts = [f"## genbench: {'passed' if green else 'not passed'}", f"`{spec}`: {line}"]
    parts += [_table(table) for table in tables(document)]
    told = [f"skipped: {named(names)}: {reason}" for reason, names in by_reason(document.skipped).items()]
    told += [*training_lines(document), *document.notes]
    if told:
        parts.append("\n".join(f"- {escaped(note)}" for note in told))
    return "\n\n".join(parts) + "\n\n"


def _table(table: Table) -> str:
    alignment = [":--", *["--:"] * (len(table.columns) - 2), ":--"]
    lines = [f"### {escaped(table.title)}", "", _row(table.columns), "|" + "|".join(alignment) + "|"]
    lines += [_row(row.cells) for row in table.rows]
    lines.append("")
    lines += [f"- {escaped(': '.join(row.cells))}" for row in table.aggregates]
    lines += [f"- {escaped(note)}" for note in table.notes]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"
