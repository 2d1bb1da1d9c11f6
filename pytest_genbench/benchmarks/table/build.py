"""Put a table, its images and their description together, and say where they do not fit each other."""

from __future__ import annotations

import numpy as np

from ...errors import nearest
from .description import Description
from .factors import FactorSettings, make, refuse_missing
from .images import Images, open_array, open_folder
from .read import Table
from .rows import Rows, combine

IMAGE = "image"
"""Heading of the column that names the files of a folder."""

OWN = "index"
"""Heading of a column that ``genbench export`` writes; its others begin with :data:`ANSWER`."""

ANSWER = "factor."

_RESERVED = set(",=/")
"""Characters with a meaning in declarations of outputs and in ids."""


def open_rows(table: Table, description: Description) -> Rows:
    """Turn the columns that are factors into factors.

    Raises:
        BenchmarkError: The description names columns that are not there or not used, no column is left, a column cannot be a
            factor, or rows repeat the factors of others although they may not.
    """
    _refuse_unknown(table, description)
    chosen = _chosen(table, description)
    for name in description.factors:
        if name not in chosen:
            raise description.error(f"factors.{name} describes a column that is not used as a factor.")
    if not chosen:
        raise table.error("no column is a factor; the table needs at least one beside those that are ignored.")
    for name in chosen:
        if set(name) & _RESERVED or name == IMAGE:
            raise table.error(
                f"column {name!r} cannot be a factor by that name, since an output is called after it; rename it."
            )
    settings = description.factors
    rows = Rows(tuple(make(table, table.columns[name], settings.get(name, FactorSettings())) for name in chosen))
    if not description.allow_duplicates:
        _refuse_duplicates(table, rows)
    return rows


def open_images(table: Table, description: Description) -> Images:
    """Open the images of a table.

    Raises:
        BenchmarkError: They are not there, do not fit the table, or cannot be read.
    """
    path = description.images
    column = table.columns.get(IMAGE)
    if path.suffix == ".npy":
        if column is not None and IMAGE not in description.ignore:
            raise table.error(f"the column image names files, but {path} is one array; ignore it, or name a folder.")
        if description.channels is not None:
            raise description.error("channels is for a folder of images; an .npy file says what it is.")
        return open_array(path, len(table))
    if path.is_file():
        raise description.error(f"images = {path} is a file; it has to be a folder of images, or an .npy file.")
    if column is None:
        raise table.error(f"there is no column image, which has to name the file of each row in {path}.")
    refuse_missing(table, column)
    names = [column.texts[code] for code in column.codes]
    return open_folder(path, names, table.lines.tolist(), description.channels)


def _refuse_unknown(table: Table, description: Description) -> None:
    known = table.columns
    for key, names in (
        ("use", description.use or ()),
        ("ignore", description.ignore),
        ("factors", description.factors),
    ):
        for name in names:
            if name not in known:
                raise description.error(
                    f"{key} names the column {name!r}, which {table.path} lacks.{nearest(name, known)}"
                )


def _chosen(table: Table, description: Description) -> list[str]:
    """Names of the columns that are factors, in order."""
    if description.use is not None:
        return list(dict.fromkeys(description.use))
    chosen = []
    for name in table.columns:
        is_ours = name in (IMAGE, OWN) or name.startswith(ANSWER)
        if name not in description.ignore and (name in description.factors or not is_ours):
            chosen.append(name)
    return chosen


def _refuse_duplicates(table: Table, rows: Rows) -> None:
    # Two values in one band of a continuous factor are no duplicates.
    each = [
        variable.levels if variable.is_named else np.unique(variable.targets, return_inverse=True)[1]
        for variable in rows.variables
    ]
    _, first, number = np.unique(combine(each), return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[number] != np.arange(len(rows)))
    if not len(repeated):
        return
    row = int(repeated[0])
    shown = ", ".join(rows.show(k, int(rows.levels[row, k]), named=True) for k in range(len(rows.variables)))
    raise table.error(
        f"{len(repeated):,} {'row repeats' if len(repeated) == 1 else 'rows repeat'} the factors of an earlier one, first line "
        f"{table.lines[row]}, which repeats line {table.lines[first[number[row]]]} ({shown}); add the factor that tells them "
        "apart, or set allow_duplicates = true."
    )
