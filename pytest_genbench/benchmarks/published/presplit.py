"""The authors' own training and test sets (Zenodo), by the rows of the full grid."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError
from ...factors import FactorGrid
from ..grids import Design
from .files import locate, md5
from .images import check_images, checked_rows, finished
from .records import DESIGNS, MODES, Mode, Record, presplit_records
from .stored import open_stored


class Presplit:
    """Images of a full grid, each of which the authors put into their training or into their test set.

    Attributes:
        path: Folder that they are read from.
        grid: Their factors; a row is an index of it.
        is_test: bool (size of the grid,): whether a row is in the test set.
    """

    def __init__(
        self,
        design: Design,
        paths: Mapping[Mode, tuple[Path, Path]],
        labels: Mapping[Mode, NDArray[np.int64]],
        images: Mapping[Mode, NDArray[np.uint8]],
        cache: Path | None,
    ) -> None:
        self.path = paths["train"][0].parent
        self.grid = design.grid
        self._design, self._paths, self._cache = design, paths, cache
        self._images = dict(images)
        self.is_test, self._place = _places(self.grid, labels, self.path)

    def images(self, rows: ArrayLike) -> NDArray[np.uint8]:
        """Read rows of the grid, from whichever set they are in.

        Args:
            rows: Integers (N,) in [0, size of the grid), in any order and as often as wanted.

        Returns:
            uint8 (N, 64, 64, C); of dSprites, which is black and white, 0 and 255.

        Raises:
            BenchmarkError: A row lies outside the grid, or dSprites has other pixels than 0, 1 and 255.
        """
        index = checked_rows(rows, self.grid)
        pixels = np.empty((len(index), self._design.channels, 64, 64), dtype=np.uint8)
        for mode, array in self._images.items():
            chosen = self.is_test[index] == (mode == "test")
            pixels[chosen] = array[self._place[index[chosen]]]
        return finished(pixels.transpose(0, 2, 3, 1), self._design, self.path)

    def digest(self) -> str:
        """Identify images and split: ``sha256:`` and a hash of those of the four files.

        Raises:
            CacheError: The cache folder, which remembers hashes, cannot be used.
        """
        found = [md5(path, self._cache) for mode in MODES for path in self._paths[mode]]
        return f"sha256:{hashlib.sha256(' '.join(found).encode()).hexdigest()}"

    def close(self) -> None:
        """Let go of the files; no images can be read after that."""
        self._images = {mode: array[:0].copy() for mode, array in self._images.items()}


def open_presplit(data_set: str, variant: str, folder: Path, *, cache: Path | None = None) -> Presplit:
    """Open the four files of a split: images and labels, train and test. No hashes of them are published.

    Args:
        data_set: ``dsprites``, ``shapes3d`` or ``mpi3d``.
        variant: ``random``, ``composition``, ``interpolation`` or ``extrapolation``.
        folder: Where the files are, or in a folder within it that is called like the data set.
        cache: The cache folder, for what has to be unpacked; None for the user's.

    Raises:
        MissingDataError: A file is not there.
        BenchmarkError: There is no such split; a file is broken; the labels are not each combination of factors once.
        CacheError: The cache folder cannot be used, or has too little space to unpack into.
    """
    return open_presplit_records(presplit_records(data_set, variant), DESIGNS[data_set], folder, cache)


def open_presplit_records(
    records: Mapping[Mode, tuple[Record, Record]], design: Design, folder: Path, cache: Path | None
) -> Presplit:
    """Open the files (images, labels) of a split of a design; arguments and errors as for :func:`open_presplit`."""
    paths = {mode: (locate([pair[0]], folder)[1], locate([pair[1]], folder)[1]) for mode, pair in records.items()}
    labels, images = {}, {}
    for mode, (of_images, of_labels) in records.items():
        path, beside = paths[mode]
        labels[mode] = _checked_labels(open_stored(beside, of_labels.key).load(), design.grid, beside)
        stored = open_stored(path, of_images.key)
        check_images(of_images, path, stored)
        if stored.shape[0] != len(labels[mode]):
            raise BenchmarkError(
                f"{path}: {stored.shape[0]:,} images, but {beside.name} has {len(labels[mode]):,} labels; get both again."
            )
        images[mode] = stored.map(cache)
    return Presplit(design, paths, labels, images, cache)


def _checked_labels(labels: NDArray[Any], grid: FactorGrid, path: Path) -> NDArray[np.int64]:
    """Make labels int64 (n, factors), each the number of a level."""
    if labels.ndim != 2 or labels.shape[1] != len(grid.factors) or labels.dtype.kind not in "iuf":
        raise BenchmarkError(
            f"{path}: labels are {labels.dtype} of shape {labels.shape}, expected integers of shape (n, {len(grid.factors)})."
        )
    within = (labels >= 0) & (labels < grid.shape)
    if not within.all():
        row, column = np.argwhere(~within)[0]
        raise BenchmarkError(
            f"{path}: row {row:,} has level {labels[row, column]} of {grid.names[column]}, which has levels 0 to "
            f"{grid.shape[column] - 1}."
        )
    if (labels != np.rint(labels)).any():
        raise BenchmarkError(f"{path}: labels are not whole numbers; expected the numbers of levels.")
    return labels.astype(np.int64)


def _places(
    grid: FactorGrid, labels: Mapping[Mode, NDArray[np.int64]], folder: Path
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """For each row of the grid, whether it is in the test set, and where in its set."""
    rows = np.concatenate([grid.index(labels[mode]) for mode in MODES])
    counts = np.bincount(rows, minlength=grid.size)
    for problem, wrong in (("more than one image", counts > 1), ("no image", counts == 0)):
        if wrong.any():
            first = ", ".join(map(str, grid.levels(np.argmax(wrong))))
            raise BenchmarkError(
                f"{folder}: {wrong.sum():,} of {grid.size:,} combinations of factors have {problem} in train and test together, "
                f"the first is ({first}); get all four files of the split again."
            )
    is_test, place = np.zeros(grid.size, dtype=np.bool_), np.empty(grid.size, dtype=np.int64)
    is_test[grid.index(labels["test"])] = True
    place[rows] = np.concatenate([np.arange(len(labels[mode])) for mode in MODES])
    return is_test, place
