"""The images of a published data set, by the rows of the full grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError
from ...factors import FactorGrid
from ..grids import Design
from .files import check_hash, locate, md5
from .records import DESIGNS, Record, published_records
from .stored import Stored, open_stored

_OLD_MPI3D = 460_800
"""Images of an early version of MPI3D, of 4 colours, 4 shapes and 2 sizes, which older loaders still describe."""


class Images:
    """Images of a full grid of factors.

    Attributes:
        path: Of the file they are read from.
        grid: Their factors; a row is an index of it.
    """

    def __init__(self, path: Path, design: Design, array: NDArray[np.uint8], cache: Path | None) -> None:
        self.path = path
        self.grid = design.grid
        self._design, self._array, self._cache = design, array, cache

    def images(self, rows: ArrayLike) -> NDArray[np.uint8]:
        """Read rows of the grid.

        Args:
            rows: Integers (N,) in [0, size of the grid), in any order and as often as wanted.

        Returns:
            uint8 (N, 64, 64, C); of dSprites, which is black and white, 0 and 255.

        Raises:
            BenchmarkError: A row lies outside the grid, or dSprites has other pixels than 0, 1 and 255.
        """
        index = checked_rows(rows, self.grid)
        return finished(self._array[index].reshape(-1, *self._design.image_shape), self._design, self.path)

    def digest(self) -> str:
        """Identify the images: ``md5:`` and the hash of the file, which for most files the publisher states.

        Raises:
            CacheError: The cache folder, which remembers hashes, cannot be used.
        """
        return f"md5:{md5(self.path, self._cache)}"

    def close(self) -> None:
        """Let go of the file; no images can be read after that."""
        self._array = self._array[:0].copy()


def open_images(data_set: str, variant: str, folder: Path, *, cache: Path | None = None, verify: bool = True) -> Images:
    """Open a publisher's file.

    Args:
        data_set: ``dsprites``, ``shapes3d``, ``mpi3d`` or ``celebglow``.
        variant: ``real``, ``realistic`` or ``toy`` of mpi3d, else ``published``.
        folder: Where the file is, or in a folder within it that is called like the data set.
        cache: The cache folder, for hashes and for what has to be unpacked; None for the user's.
        verify: Whether the file's hash has to be the published one. Its first check reads all of it.

    Raises:
        MissingDataError: The file is not there.
        BenchmarkError: There is no such data set or variant; the file is broken, another version or in another order; h5py is
            not installed.
        CacheError: The cache folder cannot be used, or has too little space to unpack into.
    """
    return open_record(published_records(data_set, variant), DESIGNS[data_set], folder, cache, verify)


def open_record(
    records: Sequence[Record], design: Design, folder: Path, cache: Path | None, verify: bool = True
) -> Images:
    """Open the first file that is there of those of a design; arguments and errors as for :func:`open_images`."""
    record, path = locate(records, folder)
    stored = open_stored(path, record.key)
    check_images(record, path, stored)
    if verify:
        check_hash(record, path, cache)
    if record.labels is not None:
        check_order(open_stored(path, record.labels).load(), design.grid, f"{path}, {record.labels}")
    return Images(path, design, stored.map(cache).reshape(-1, *record.shape), cache)


def checked_rows(rows: ArrayLike, grid: FactorGrid) -> NDArray[np.int64]:
    """Make rows int64 (N,), all of them in the grid; a negative one would count from the end."""
    index = np.asarray(rows, dtype=np.int64)
    if index.size and (index.min() < 0 or index.max() >= grid.size):
        raise BenchmarkError(f"Row out of range: the grid has {grid.size:,} rows, numbered from 0.")
    return index


def finished(pixels: NDArray[np.uint8], design: Design, path: Path) -> NDArray[np.uint8]:
    """Give images their range: dSprites is stored as 0 and 1 by some and as 0 and 255 by others."""
    if design.name != "dsprites":
        return np.ascontiguousarray(pixels)
    if ((pixels > 1) & (pixels < 255)).any():
        raise BenchmarkError(f"{path}: dSprites is black and white, and there are other pixels than 0, 1 and 255.")
    return np.where(pixels != 0, np.uint8(255), np.uint8(0))


def check_images(record: Record, path: Path, stored: Stored) -> None:
    """Check type and shape; axes before those of one row may be the factors.

    Raises:
        BenchmarkError: They are not those of the record.
    """
    axes = len(record.shape)
    count, one = math.prod(stored.shape[:-axes]), stored.shape[-axes:]
    is_other = record.count is not None and count != record.count
    if is_other and record.data_set == "mpi3d" and count == _OLD_MPI3D:
        raise BenchmarkError(
            f"{path}: {count:,} images are an early version of MPI3D; the one that was published has {record.count:,}. Get it "
            f"from {record.source}."
        )
    if is_other or one != record.shape:
        wanted = ", ".join(["N" if record.count is None else str(record.count), *map(str, record.shape)])
        raise BenchmarkError(f"{path}: images have shape {stored.shape}, expected ({wanted}); get the published file.")
    if stored.dtype != record.dtype:
        raise BenchmarkError(
            f"{path}: images are {stored.dtype}, expected {record.dtype}; if they are in [0, 1], multiply by 255 and round "
            "before you save them as uint8."
        )


def check_order(labels: NDArray[Any], grid: FactorGrid, where: str) -> None:
    """Check that rows are in grid order; labels may be values, which rank as their levels do.

    Args:
        labels: (N, K), of which the last columns are the factors, and those before are constant.
        grid: Of N rows.
        where: For messages.

    Raises:
        BenchmarkError: They are not.
    """
    factors = len(grid.factors)
    if labels.ndim != 2 or len(labels) != grid.size or labels.shape[1] < factors:
        raise BenchmarkError(f"{where}: labels have shape {labels.shape}, expected ({grid.size}, {factors}).")
    before = labels.shape[1] - factors
    if (labels[:, :before] != labels[0, :before]).any():
        raise BenchmarkError(
            f"{where}: the labels before those of the factors differ between rows; they have to be constant."
        )
    levels = grid.levels(np.arange(grid.size))
    for column, name in enumerate(grid.names):
        ranks = np.unique(labels[:, before + column], return_inverse=True)[1]
        wrong = np.flatnonzero(ranks != levels[:, column])
        if len(wrong):
            raise BenchmarkError(
                f"{where}: rows are not in the order of the grid: row {wrong[0]:,} has level {ranks[wrong[0]]} of {name}, "
                f"expected {levels[wrong[0], column]}; get the published file."
            )
