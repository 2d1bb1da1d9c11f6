"""The four data sets with their presets: stand-ins, which are drawn, and the publishers' files.

A stand-in has the grid and the splits of the published data set, but images of its own. ``stand-in-mini`` is a part of the grid
that is small enough to train on in a minute or two, with the same rules applied to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError, nearest
from ..grids import CELEBGLOW, DSPRITES, MPI3D, SHAPES3D, Design, selection
from .benchmark import InDomain
from .sources import Drawn, Published, Released, Selected, Source, data_folder

STAND_IN, MINI = "stand-in", "stand-in-mini"

Part = Mapping[str, tuple[int, ...]]
"""Levels of some factors, by name; of the others all."""

Open = Callable[[Path | None], Source]
"""Makes a source, given the folder of data files."""


def _every(step: int, count: int) -> tuple[int, ...]:
    return tuple(range(0, step * count, step))


_TEN_PLACES = (0, 3, 7, 10, 14, 17, 21, 24, 28, 31)
"""Of the 32 positions of dSprites."""

_QUARTER_TURN: Part = {"orientation": tuple(range(10))}
"""Orientations that no shape repeats (appendix E): squares look the same after a quarter turn."""


class Factory:
    """Makes the benchmark of one data set; in the registry.

    Args:
        design: The full grid.
        presets: Part of the grid and source, by name.
        published: The preset that reads the publisher's file: the default where a data folder is given.
    """

    takes_data = True

    def __init__(self, design: Design, presets: Mapping[str, tuple[Part, Open]], published: str) -> None:
        self._design, self._presets, self._published = design, presets, published

    def __call__(self, preset: str | None = None, data: Path | None = None) -> InDomain:
        """Make the benchmark.

        Args:
            preset: Name of a preset, or ``mini``, as other benchmarks call theirs, for ``stand-in-mini``; None for the stand-in,
                or for the published images where there is a data folder.
            data: Folder of data files; None for that of the environment, if any.

        Raises:
            BenchmarkError: Unknown preset.
        """
        folder = data_folder(data)
        chosen = MINI if preset == "mini" else preset or (STAND_IN if folder is None else self._published)
        if chosen not in self._presets:
            raise BenchmarkError(f"{self._design.name} has no preset {chosen!r}.{nearest(chosen, self._presets)}")
        part, opening = self._presets[chosen]
        source = opening(folder)
        is_published = not part and chosen in (self._published, "zenodo")
        if part:
            source = Selected(source, self._design, part)
        return InDomain(selection(self._design, part), chosen, source, published=is_published)


def _drawn(module: str, name: str = "images", **settings: str) -> Open:
    """Draw with a function of a module, which is imported when it is first asked for."""

    def draw(levels: NDArray[np.int64]) -> NDArray[np.uint8]:
        found = getattr(import_module(f"pytest_genbench.benchmarks.{module}"), name)
        images: NDArray[np.uint8] = found(levels, **settings)
        return images

    return lambda folder: Drawn(draw)


def _read(design: Design, variant: str) -> Open:
    return partial(Published, design, variant)


DSPRITES_SET = Factory(
    DSPRITES,
    {
        STAND_IN: ({}, _drawn("sprites")),
        MINI: (
            {**_QUARTER_TURN, "x-position": _TEN_PLACES, "y-position": _TEN_PLACES},
            _drawn("sprites"),
        ),
        "stand-in-rot90": (_QUARTER_TURN, _drawn("sprites")),
        "published": ({}, _read(DSPRITES, "published")),
        "published-rot90": (_QUARTER_TURN, _read(DSPRITES, "published")),
        "zenodo": ({}, partial(Released, DSPRITES)),
    },
    "published",
)

SHAPES3D_SET = Factory(
    SHAPES3D,
    {
        STAND_IN: ({}, _drawn("scenes.shapes3d")),
        MINI: ({"object size": (0, 2, 5, 7), "azimuth": _every(3, 5)}, _drawn("scenes.shapes3d")),
        "published": ({}, _read(SHAPES3D, "published")),
        "zenodo": ({}, partial(Released, SHAPES3D)),
    },
    "published",
)

MPI3D_SET = Factory(
    MPI3D,
    {
        STAND_IN: ({}, _drawn("scenes.mpi3d")),
        "stand-in-flat": ({}, _drawn("scenes.mpi3d", style="flat")),
        MINI: ({"x-axis": _every(4, 10), "y-axis": _every(4, 10)}, _drawn("scenes.mpi3d")),
        "real": ({}, _read(MPI3D, "real")),
        "realistic": ({}, _read(MPI3D, "realistic")),
        "toy": ({}, _read(MPI3D, "toy")),
        "zenodo": ({}, partial(Released, MPI3D)),
    },
    "real",
)

CELEBGLOW_SET = Factory(
    CELEBGLOW,
    {
        STAND_IN: ({}, _drawn("faces")),
        MINI: ({"person": tuple(range(50))}, _drawn("faces")),
        "published": ({}, _read(CELEBGLOW, "published")),
    },
    "published",
)
