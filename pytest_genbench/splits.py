"""A split: what a model may train on, and what it is tested on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .errors import BenchmarkError

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]*")


@dataclass(frozen=True, eq=False)
class Split:
    """Train and test index sets, and what separates them.

    The index sets are made when first asked for, so that collecting thousands of tests makes none.

    Attributes:
        benchmark: Name of the benchmark.
        preset: Name of the benchmark's preset, which the indices refer to.
        family: The kind of generalisation: ``spatial``, ``length``, ``compositional`` …
        slug: Name of the split, unique within the benchmark and safe in a path; model paths hold it as ``{split}``.
        held_out: What training never shows, for people.
        is_held_out: Returns a bool array over all indices, true where an item is held out.
        group: A part of the family that is reported on its own, such as ``longer``; may be empty.
        belongs: Returns a bool array over all indices, true for the items that the split is about, where one benchmark holds
            several data sets; None where it is about all.
        validates: Returns a bool array over all indices, true for the items by which a training may choose; None where there are
            none set apart.
    """

    benchmark: str
    preset: str
    family: str
    slug: str
    held_out: str
    is_held_out: Callable[[], NDArray[np.bool_]] = field(repr=False)
    group: str = ""
    belongs: Callable[[], NDArray[np.bool_]] | None = field(default=None, repr=False)
    validates: Callable[[], NDArray[np.bool_]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.slug):
            raise BenchmarkError(f"Split slug {self.slug!r} is not safe in a path; use letters, digits and + . _ -")

    def __str__(self) -> str:
        return self.slug

    @property
    def id(self) -> str:
        """What a model declares as ``genbench.trained_on``: ``comporth/published/compositional-B5``."""
        return f"{self.benchmark}/{self.preset}/{self.slug}"

    @cached_property
    def test(self) -> NDArray[np.int64]:
        """Indices of the held-out items, ascending, int64."""
        return np.flatnonzero(self.is_held_out()).astype(np.int64, copy=False)

    @cached_property
    def train(self) -> NDArray[np.int64]:
        """Indices of all other items that the split is about, ascending, int64."""
        return np.flatnonzero(self.is_shown()).astype(np.int64, copy=False)

    @cached_property
    def validation(self) -> NDArray[np.int64]:
        """Indices of the items by which a training may choose, ascending, int64; empty where none are set apart."""
        mask = np.zeros(0, dtype=bool) if self.validates is None else self.validates()
        return np.flatnonzero(mask).astype(np.int64, copy=False)

    def is_shown(self) -> NDArray[np.bool_]:
        """Return a bool array over all indices, true where training may show an item."""
        shown = ~self.is_held_out()
        return shown if self.belongs is None else shown & self.belongs()
