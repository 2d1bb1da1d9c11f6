"""Where images come from: drawn by our generators, or read from the publishers' files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError, MissingDataError
from ..grids import Design
from ..published import VARIANTS, Images, Presplit, open_images, open_presplit

DATA = "GENBENCH_DATA"
"""Environment variable that names the folder of data files where nothing else does."""


class Source(Protocol):
    """Images of a full grid."""

    def images(self, levels: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Levels (N, K) on the full grid to uint8 (N, 64, 64, C)."""

    def check(self, variant: str) -> None:
        """Raise MissingDataError or BenchmarkError where the data for a split are missing or cannot be used."""

    def is_held_out(self, variant: str) -> NDArray[np.bool_] | None:
        """What a split tests, bool (size of the grid,), where the files say so; None where the rule does."""


class Drawn:
    """Images by a generator.

    Args:
        draw: Levels (N, K) to uint8 (N, 64, 64, C).
    """

    def __init__(self, draw: Callable[[NDArray[np.int64]], NDArray[np.uint8]]) -> None:
        self.images = draw

    def check(self, variant: str) -> None:
        """Nothing can be missing."""

    def is_held_out(self, variant: str) -> None:
        """Leave it to the rule."""


class Published:
    """Images of one of the publishers' files, opened when they are first asked for.

    Args:
        design: The full grid.
        variant: Of the data set, such as ``published`` or ``toy``.
        folder: Where the file is; None where nobody said.
    """

    def __init__(self, design: Design, variant: str, folder: Path | None) -> None:
        self._design, self._variant, self._folder = design, variant, folder

    @cached_property
    def _opened(self) -> Images:
        return open_images(self._design.name, self._variant, _folder(self._folder, self._design.name))

    def images(self, levels: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Levels (N, K) to uint8 (N, 64, 64, C)."""
        return self._opened.images(self._design.grid.index(levels))

    def check(self, variant: str) -> None:
        """Open the file.

        Raises:
            MissingDataError: It is not there.
            BenchmarkError: It cannot be used.
        """
        _ = self._opened

    def is_held_out(self, variant: str) -> None:
        """Leave it to the rule."""


class Released:
    """The authors' pre-split files: each pair of them covers the grid, and says what is tested.

    Args:
        design: The full grid.
        folder: Where the files are; None where nobody said.
    """

    def __init__(self, design: Design, folder: Path | None) -> None:
        self._design, self._folder = design, folder
        self._opened: dict[str, Presplit] = {}

    def images(self, levels: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Levels (N, K) to uint8 (N, 64, 64, C), from the files of any split that are there."""
        return self._any().images(self._design.grid.index(levels))

    def check(self, variant: str) -> None:
        """Open the files of a split.

        Raises:
            MissingDataError: One is not there.
            BenchmarkError: They cannot be used.
        """
        if variant not in self._opened:
            self._opened[variant] = open_presplit(self._design.name, variant, _folder(self._folder, self._design.name))

    def is_held_out(self, variant: str) -> NDArray[np.bool_]:
        """Return what the files of a split test."""
        self.check(variant)
        return self._opened[variant].is_test

    def _any(self) -> Presplit:
        for variant in () if self._opened else VARIANTS:
            try:
                self.check(variant)
                break
            except MissingDataError:
                continue
        if not self._opened:
            self.check(VARIANTS[0])
        return next(iter(self._opened.values()))


class Selected:
    """A sub-grid of another source.

    Args:
        source: Of the full grid.
        design: The full grid.
        levels: Of some factors the levels that the sub-grid has, by name.
    """

    def __init__(self, source: Source, design: Design, levels: Mapping[str, range | tuple[int, ...]]) -> None:
        self._source = source
        self._levels = [
            np.asarray(levels.get(factor.name, range(len(factor))), dtype=np.int64) for factor in design.factors
        ]

    def images(self, levels: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Levels (N, K) on the sub-grid to uint8 (N, 64, 64, C)."""
        return self._source.images(np.stack([of[levels[:, k]] for k, of in enumerate(self._levels)], axis=1))

    def check(self, variant: str) -> None:
        """Check the source."""
        self._source.check(variant)

    def is_held_out(self, variant: str) -> None:
        """Leave it to the rule, which holds out other levels of a smaller grid."""


def data_folder(given: Path | None) -> Path | None:
    """The folder of data files: the one that is given, else what the environment says."""
    named = os.environ.get(DATA)
    return given or (Path(named) if named else None)


def _folder(folder: Path | None, data_set: str) -> Path:
    if folder is None:
        raise MissingDataError(
            f"This preset of {data_set} reads the publishers' files; say where they are with --genbench-data=DIR (--data of the "
            f"genbench command, or the environment variable {DATA}). The preset stand-in needs none."
        )
    if not folder.is_dir():
        raise BenchmarkError(
            f"The data folder {folder} is no folder; give the one that the files of {data_set} are in."
        )
    return folder
