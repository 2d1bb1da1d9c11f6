"""Read a factor table: CSV in UTF-8 with a header, one row for each image."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError


@dataclass(frozen=True, eq=False)
class Column:
    """One column; each text is kept once, so that memory does not grow with its length times the rows.

    Attributes:
        name: The heading.
        texts: The distinct cells, without spaces around them, in order of appearance.
        codes: For each row the number of its text, int64 (N,).
    """

    name: str
    texts: tuple[str, ...]
    codes: NDArray[np.int64]

    def first_row(self, codes: Iterable[int]) -> int:
        """The first row whose cell is one of some texts, given by their numbers."""
        return int(np.isin(self.codes, list(codes)).argmax())


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it stands in the file.

    Attributes:
        path: The file, for messages.
        columns: Columns by name, in order.
        lines: The line of the file that each row ends on, int64 (N,).
    """

    path: Path
    columns: Mapping[str, Column]
    lines: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lines)

    def error(self, problem: str) -> BenchmarkError:
        """Return the error to raise for something that is wrong in the file."""
        return BenchmarkError(f"{self.path}: {problem}")


def read(path: Path) -> Table:
    """Read a table.

    Args:
        path: CSV in UTF-8 with commas; a byte order mark is allowed. Blank lines are skipped. A first column without a
            heading, which is how pandas writes its index, is left out.

    Raises:
        BenchmarkError: The file is missing, is not CSV or not UTF-8, holds no rows, has a heading twice or an empty one, or a
            row with more or fewer cells than the header.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _parse(path, file)
    except FileNotFoundError:
        raise BenchmarkError(f"{path}: there is no such table; write its path relative to the description.") from None
    except OSError as error:
        raise BenchmarkError(f"{path}: the table cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError as error:
        raise BenchmarkError(
            f"{path}: not CSV in UTF-8 (byte {error.object[error.start]:#04x}); save the table as CSV with that encoding."
        ) from None


def _parse(path: Path, file: Iterable[str]) -> Table:
    rows = csv.reader(file, strict=True)
    try:
        header = next((row for row in rows if row), None)
        if header is None:
            raise BenchmarkError(f"{path}: the table is empty; it needs a header and a row for each image.")
        names = _headings(path, header)
        codes = [array("q") for _ in names]
        known: list[dict[str, int]] = [{} for _ in names]
        lines = array("q")
        for row in rows:
            if not row:
                continue
            if len(row) != len(names):
                raise BenchmarkError(
                    f"{path}, line {rows.line_num}: cells: {len(row)}, columns in the header: {len(names)}; "
                    "put a text that holds a comma into quotes."
                )
            lines.append(rows.line_num)
            for cell, texts, numbers in zip(row, known, codes, strict=True):
                numbers.append(texts.setdefault(cell.strip(), len(texts)))
    except csv.Error as error:
        raise BenchmarkError(f"{path}, line {rows.line_num}: not CSV ({error}).") from None
    if not lines:
        raise BenchmarkError(f"{path}: the table has a header and no rows; it needs one for each image.")
    columns = {
        name: Column(name, tuple(texts), np.array(numbers, dtype=np.int64))
        for name, texts, numbers in zip(names, known, codes, strict=True)
        if name
    }
    return Table(path, columns, np.array(lines, dtype=np.int64))


def _headings(path: Path, header: list[str]) -> list[str]:
    """Check the header; only the first heading may be empty."""
    names = [name.strip() for name in header]
    for other, called in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and other in names[0]:
            raise BenchmarkError(f"{path}: the columns are separated by {called}; save the table with commas.")
    if "" in names[1:]:
        place = names.index("", 1) + 1
        raise BenchmarkError(f"{path}: column {place} has no heading; name every column.")
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise BenchmarkError(f"{path}: two columns are called {repeated[0]!r}; rename one of them.")
    return names
