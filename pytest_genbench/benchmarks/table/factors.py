"""Columns become factors: kinds, levels in order, and the number in [0, 1] that regression asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ...errors import nearest
from ...factors import Factor, Kind
from .read import Column, Table

KINDS: tuple[str, ...] = get_args(Kind)

MANY = 50
"""A column of numbers with more distinct values than this is taken as continuous, unless the description says otherwise."""

FEW = 20
"""Distinct values of a continuous factor that are levels of their own; more are cut into bands."""

BANDS = 10
"""Bands of equal width that a continuous factor is cut into."""

_NOT_A_NUMBER = {"", "nan", "inf", "-inf", "+inf", "infinity", "-infinity"}


@dataclass(frozen=True)
class FactorSettings:
    """What the description says of a factor.

    Attributes:
        kind: See :class:`~pytest_genbench.factors.Factor`; None for `ordinal` where the column holds up to 50 distinct
            numbers, `continuous` where it holds more, and `categorical` where it holds text.
        values: Its levels in order; None for ascending.
        bands: How many bands of equal width a continuous factor is cut into; None for ten, where it has more than 20 values.
    """

    kind: Kind | None = None
    values: tuple[Any, ...] | None = None
    bands: int | None = None


@dataclass(frozen=True, eq=False)
class Variable:
    """A factor with what each row of the table has of it.

    Attributes:
        factor: Name, levels, kind. The levels of a continuous factor with many values are its bands.
        levels: int64 (N,).
        targets: float64 (N,) in [0, 1]: level / (number of levels - 1); of a continuous factor (value - least) / range.
        limits: Least and greatest value of a continuous factor.
        is_banded: Whether the levels of a continuous factor are bands, which hold several values.
    """

    factor: Factor
    levels: NDArray[np.int64]
    targets: NDArray[np.float64]
    limits: tuple[float, float] = (0.0, 1.0)
    is_banded: bool = False

    @property
    def is_named(self) -> bool:
        """Whether a classifier can name its levels: bands of a continuous factor have no names."""
        return self.factor.kind != "continuous"


def make(table: Table, column: Column, settings: FactorSettings) -> Variable:
    """Turn a column into a factor.

    Args:
        table: The column's table, for messages.
        column: Cells.
        settings: What the description says of it.

    Raises:
        BenchmarkError: Cells are empty or not finite, the column has one level, or the settings do not fit it.
    """
    refuse_missing(table, column)
    numbers = _numbers(column.texts)
    kind = settings.kind or _kind(numbers)
    name = column.name
    if numbers is None and kind == "continuous":
        raise table.error(f"column {name!r} is continuous, but {_first_text(column)!r} is not a number.")
    if numbers is None and kind != "categorical" and settings.values is None:
        raise table.error(f'column {name!r} is {kind} and holds text; list its values in order: values = ["…", "…"].')
    if kind != "continuous" and settings.bands is not None:
        raise table.error(f"column {name!r} is {kind}; bands are for continuous factors.")
    if kind == "continuous":
        assert numbers is not None
        variable = _continuous(table, column, numbers, settings)
    else:
        variable = _discrete(table, column, numbers, kind, settings.values)
    present = np.unique(variable.levels)
    if len(present) < 2:
        only = variable.factor.values[int(present[0])]
        raise table.error(f"column {name!r} is {only!r} in every row; a factor varies. Put it into ignore.")
    return variable


def _kind(numbers: Sequence[float] | None) -> Kind:
    if numbers is None:
        return "categorical"
    return "continuous" if len(set(numbers)) > MANY else "ordinal"


def refuse_missing(table: Table, column: Column) -> None:
    """Refuse empty cells, NaN and infinity.

    Raises:
        BenchmarkError: As said; the message counts the rows and gives the line of the first.
    """
    missing = [code for code, text in enumerate(column.texts) if text.lower() in _NOT_A_NUMBER]
    if missing:
        rows = int(np.isin(column.codes, missing).sum())
        line = table.lines[column.first_row(missing)]
        found = " or ".join(repr(column.texts[code]) if column.texts[code] else "empty" for code in missing[:3])
        raise table.error(
            f"column {column.name!r} is {found} in {rows} {'row' if rows == 1 else 'rows'}, first on line {line}; "
            "fill in a value, leave the row out, or put the column into ignore."
        )


def _numbers(texts: Sequence[str]) -> list[float] | None:
    """Read all cells as numbers; None where one is text. Whole numbers become int where all are whole."""
    try:
        numbers = [_number(text) for text in texts]
    except ValueError:
        return None
    return [int(number) for number in numbers] if all(number.is_integer() for number in numbers) else numbers


def _number(text: str) -> float:
    # float() also reads "1_000", which no spreadsheet writes.
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _first_text(column: Column) -> str:
    return next(text for text in column.texts if _numbers([text]) is None)


def _discrete(
    table: Table, column: Column, numbers: Sequence[float] | None, kind: Kind, values: tuple[Any, ...] | None
) -> Variable:
    cells: Sequence[Any] = column.texts if numbers is None else numbers
    if values is None:
        values = tuple(sorted(set(cells)))
    # A column of numbers is compared as numbers: 1, 1.0 and "1" are the same level.
    place = {_comparable(value, numbers is not None): level for level, value in enumerate(values)}
    if len(place) < len(values):
        raise table.error(f"column {column.name!r}: values lists a level twice.")
    unlisted = [cell for cell in dict.fromkeys(cells) if cell not in place]
    if unlisted:
        listed = ", ".join(repr(cell) for cell in unlisted[:3]) + (", …" if len(unlisted) > 3 else "")
        hint = nearest(unlisted[0], map(str, values)) if numbers is None else ""
        raise table.error(f"column {column.name!r} holds {listed}, which its values do not list.{hint}")
    levels = np.array([place[cell] for cell in cells], dtype=np.int64)[column.codes]
    return Variable(Factor(column.name, values, kind), levels, levels / max(1, len(values) - 1))


def _comparable(value: Any, as_number: bool) -> Any:
    if not as_number:
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _continuous(table: Table, column: Column, numbers: Sequence[float], settings: FactorSettings) -> Variable:
    if settings.values is not None:
        raise table.error(f"column {column.name!r} is continuous, which takes no values; leave them out.")
    distinct = sorted(set(numbers))
    low, high = distinct[0], distinct[-1]
    each = np.array(numbers, dtype=np.float64)
    scaled = (each - low) / ((high - low) or 1)
    is_banded = settings.bands is not None or len(distinct) > FEW
    if not is_banded:
        place = {number: level for level, number in enumerate(distinct)}
        labels: tuple[Any, ...] = tuple(distinct)
        levels = np.array([place[number] for number in numbers], dtype=np.int64)
    else:
        bands = settings.bands or BANDS
        labels = _labels(np.linspace(low, high, bands + 1))
        levels = np.minimum((scaled * bands).astype(np.int64), bands - 1)
    factor = Factor(column.name, labels, "continuous")
    return Variable(factor, levels[column.codes], scaled[column.codes], (low, high), is_banded)


def _labels(edges: NDArray[np.float64]) -> tuple[str, ...]:
    """Name bands by their edges, with as few digits as tell them apart."""
    for digits in range(3, 18):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(texts):
            break
    return tuple(f"{low} to {high}" for low, high in pairwise(texts))
