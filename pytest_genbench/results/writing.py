"""Write tables for a terminal or in Markdown; what models and files are called may hold anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Table = Sequence[tuple[str, ...]]
"""Rows of cells, headings first: the first and the last column are text, those between are numbers."""

_ESCAPED = str.maketrans({"|": "\\|", "<": "&lt;", ">": "&gt;", "`": "'", "[": "\\[", "]": "\\]"})


def printable(text: str) -> str:
    """Replace what could move a terminal's cursor, colour it or break a line by a space."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def escaped(text: str) -> str:
    """Write text so that Markdown shows it as it is, on one line."""
    return printable(text).translate(_ESCAPED)


def count(number: int, noun: str) -> str:
    """Write a number of things: ``1 test``, ``10 tests``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def aligned(table: Table) -> list[str]:
    """Align the columns of a table."""
    rows = [tuple(map(printable, row)) for row in table]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        cells[0], cells[-1] = row[0].ljust(widths[0]), row[-1]
        lines.append("  ".join(cells).rstrip())
    return lines


def markdown_rows(table: Table) -> list[str]:
    """Write the same table in Markdown."""
    rows = ["| " + " | ".join(map(escaped, row)) + " |" for row in table]
    between = "---:|" * (len(table[0]) - 2)
    return [rows[0], f"|---|{between}---|", *rows[1:]]


class Page:
    """Gathers titled tables and lines, for a terminal or in Markdown.

    Args:
        markdown: Which of the two.
    """

    def __init__(self, markdown: bool) -> None:
        self._markdown = markdown
        self._blocks: list[str] = []
        self._text: Callable[[str], str] = escaped if markdown else printable

    def table(self, table: Table, title: str = "", notes: Sequence[str] = ()) -> None:
        """Add a table, if it has more than headings, with lines below it."""
        if len(table) < 2:
            return
        head = [f"### {self._text(title)}" if self._markdown else self._text(title), *[""] * self._markdown]
        lines = markdown_rows(table) if self._markdown else aligned(table)
        below = [*[""] * self._markdown, *map(self._line, notes)] if notes else []
        self._blocks.append("\n".join([*(head if title else []), *lines, *below]))

    def lines(self, lines: Sequence[str]) -> None:
        """Add lines of text."""
        if lines:
            self._blocks.append("\n".join(map(self._line, lines)))

    def strong(self, line: str) -> None:
        """Add the line that says how it went."""
        self._blocks.append(f"**{self._text(line)}**" if self._markdown else self._text(line))

    def text(self) -> str:
        """Return all of it, without a newline at its end."""
        return "\n\n".join(self._blocks)

    def _line(self, line: str) -> str:
        return f"- {self._text(line)}" if self._markdown else self._text(line)
