"""Chopsticks and Spaceshapes as benchmarks: nine data sets, each with a hierarchy that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...factors import Factor, FactorGrid
from ...figures import Figure
from ...hierarchy import Hierarchy
from ...rng import stream
from ...splits import Split
from ..exposure import shows
from ..protocol import Inputs, Targets, Task
from . import spaceshapes
from .anchors import anchors
from .chopsticks import Chopsticks
from .figures import contrasts, figures
from .scores import METRICS, RepresentationScorer, for_model

if TYPE_CHECKING:
    from ...results.schema import Case

_T = TypeVar("_T")

FAMILY = "hierarchy"
TEST = 10
"""One item in so many is tested, the first ones; items are independent draws, so any would do."""


@dataclass(frozen=True)
class DataSet:
    """Items with a hierarchy of their own.

    Attributes:
        name: Slug of its split.
        held_out: What its split holds out, for people.
        hierarchy: Its variables.
        draw: Draws a table of their values: from a number of items and a generator, float64 (N, columns).
        render: Turns rows of the table into images uint8 (N, H, W, 1) or signals float32 (N, length).
    """

    name: str
    held_out: str
    hierarchy: Hierarchy
    draw: Callable[[int, np.random.Generator], NDArray[np.float64]]
    render: Callable[[NDArray[np.float64]], Inputs]


class Hierarchical:
    """What both benchmarks have in common. Items of one data set follow those of another, equally many of each.

    Args:
        name: Name of the benchmark.
        preset: Name of the preset.
        size: Items of each data set.
        data_sets: The data sets.
        image_shape: Of one item.
    """

    version = "1"
    families = (FAMILY,)

    def __init__(
        self, name: str, preset: str, size: int, data_sets: tuple[DataSet, ...], image_shape: tuple[int, ...]
    ) -> None:
        self.name, self.preset, self.size, self.image_shape = name, preset, size, image_shape
        self.data_sets = {each.name: each for each in data_sets}
        self._tables: dict[str, NDArray[np.float64]] = {}

    def __len__(self) -> int:
        return self.size * len(self.data_sets)

    @cached_property
    def grid(self) -> FactorGrid:
        """What is categorical in the data: the data set, where there are several, and the path through its hierarchy.

        Continuous variables are not on any grid; :meth:`latents` has them.
        """
        paths = max(len(each.hierarchy.paths) for each in self.data_sets.values())
        path = Factor("path", tuple(range(paths)))
        return FactorGrid((Factor("data set", tuple(self.data_sets)), path) if len(self.data_sets) > 1 else (path,))

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """True hierarchies by data set, in order."""
        return {name: each.hierarchy for name, each in self.data_sets.items()}

    def hierarchy(self, split: Split) -> Hierarchy:
        """Return the true hierarchy of a split's data set."""
        return self.data_sets[split.slug].hierarchy

    def latents(self, index: ArrayLike) -> NDArray[np.float64]:
        """Return the true values of items (N,) of one data set: float64 (N, columns), in the order of its hierarchy.

        Raises:
            BenchmarkError: An item is out of range, or they are of several data sets, which have other columns.
        """
        items = self._checked(index)
        numbers = np.unique(items // self.size)
        if len(numbers) > 1:
            raise BenchmarkError(
                f"Items of {len(numbers)} data sets have no columns in common; ask for each by itself."
            )
        return self._table(int(numbers[0]) if len(numbers) else 0)[items % self.size]

    def images(self, index: ArrayLike) -> Inputs:
        """Render items (N,): images uint8 (N, 64, 64, 1), or signals float32 (N, 64); always the same for the same item."""
        items = self._checked(index)
        shown: Inputs = np.zeros(
            (len(items), *self.image_shape), dtype=np.uint8 if len(self.image_shape) == 3 else np.float32
        )
        for number, each in enumerate(self.data_sets.values()):
            at = np.flatnonzero(items // self.size == number)
            if len(at):
                shown[at] = each.render(self._table(number)[items[at] % self.size])
        return shown

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Numbers of the data set (where there are several) and of the path, int64 (N, 2) or (N, 1), for items (N,)."""
        items = self._checked(index)
        number, row = np.divmod(items, self.size)
        path = np.zeros(len(items), dtype=np.int64)
        for at, each in enumerate(self.data_sets.values()):
            mine = number == at
            if mine.any():
                path[mine] = each.hierarchy.path(self._table(at)[row[mine]])
        return np.stack((number, path) if len(self.data_sets) > 1 else (path,), axis=1)

    def targets(self, index: ArrayLike) -> Targets:
        """True values of items (N,) of one data set, for learners that are told.

        Returns:
            ``embedding``: the table, float32 (N, columns); ``assignment.<k>``: one-hot float32 (N, options) for each categorical
            variable, zeros where it is inactive.
        """
        table = self.latents(index)
        items = self._checked(index)
        hierarchy = list(self.data_sets.values())[int(items[0]) // self.size if len(items) else 0].hierarchy
        found = {"embedding": table.astype(np.float32)}
        for at, column in enumerate(hierarchy.columns[: hierarchy.categorical]):
            options = np.arange(1, column.options + 1)
            found[f"assignment.{at}"] = (table[:, at : at + 1] == options).astype(np.float32)
        return found

    @cache  # noqa: B019 - benchmarks live as long as the process, and index sets hang on the splits
    def splits(self, family: str) -> tuple[Split, ...]:
        """Return a split for each data set: a tenth is tested, the rest may be trained on.

        Raises:
            BenchmarkError: Unknown family.
        """
        if family != FAMILY:
            raise BenchmarkError(f"{self.name} has no split family {family!r}.{nearest(family, self.families)}")
        return tuple(
            Split(
                self.name,
                self.preset,
                FAMILY,
                each.name,
                each.held_out,
                partial(self._rows, number, self.size // TEST),
                belongs=partial(self._rows, number, self.size),
            )
            for number, each in enumerate(self.data_sets.values())
        )

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """``representation``: an ``embedding``, alone or with a hierarchy of the model's own."""
        return {
            "representation": Task(
                name="representation",
                outputs=("embedding",),
                metrics=METRICS | dict.fromkeys(self._factor_metrics(), "higher"),
                scorer=partial(RepresentationScorer, self),
                anchors=partial(anchors, self),
                fits=lambda name, shape: len(shape) == 1,
                in_split=False,
                of_model=partial(for_model, self),
            )
        }

    def is_exposed(self, trained_on: str, split: Split) -> bool:
        """Whether training on a declared split (its id) may have shown what `split` holds out.

        Raises:
            BenchmarkError: The id names no split of this benchmark.
        """
        return shows(trained_on, split, self.splits(FAMILY))

    def figures(self, cases: Sequence[Case]) -> Iterable[Figure]:
        """Describe the results of one model; see :mod:`.figures`."""
        return figures(self, cases)

    def contrasts(self, models: Mapping[str, Sequence[Case]]) -> Iterable[Figure]:
        """Describe the results of several models; see :mod:`.figures`."""
        return contrasts(self, models)

    def _factor_metrics(self) -> list[str]:
        names = dict.fromkeys(name for each in self.data_sets.values() for name in each.hierarchy.names)
        return [f"{metric}.{name}" for metric in ("r_c_fast", "r_fast") for name in names]

    def _table(self, number: int) -> NDArray[np.float64]:
        """Return the values of all items of a data set, drawn once."""
        each = list(self.data_sets.values())[number]
        if each.name not in self._tables:
            table = each.draw(self.size, stream("latents", self.name, self.preset, each.name))
            table.setflags(write=False)
            self._tables[each.name] = table
        return self._tables[each.name]

    def _rows(self, number: int, count: int) -> NDArray[np.bool_]:
        """Mark the first `count` items of a data set."""
        mask = np.zeros(len(self), dtype=bool)
        mask[number * self.size : number * self.size + count] = True
        return mask

    def _checked(self, index: ArrayLike) -> NDArray[np.int64]:
        items = np.asarray(index, dtype=np.int64)
        if items.size and not 0 <= items.min() <= items.max() < len(self):
            raise BenchmarkError(f"Item out of range: {self.name} has {len(self):,} items, numbered from 0.")
        return items


CHOPSTICKS = tuple((variant, depth) for depth in (2, 3) for variant in ("inter", "slope", "both", "either"))
"""The eight data sets of the paper, in the order of its Table 1."""


class ChopsticksBenchmark(Hierarchical):
    """Signals of chopped line segments: eight data sets (Ross & Doshi-Velez 2021, section 5).

    Args:
        preset: ``published`` (100,000 signals of each, chopped as in the authors' code; the default), ``described`` (each number
            of segments equally likely, as in the paper's text) or ``mini`` (10,000 of each).

    Raises:
        BenchmarkError: Unknown preset.
    """

    PRESETS: Mapping[str, tuple[int, str]] = {
        "published": (100_000, "released"),
        "described": (100_000, "equal"),
        "mini": (10_000, "released"),
    }

    def __init__(self, preset: str = "published") -> None:
        size, stopping = _preset("chopsticks", preset, self.PRESETS)
        super().__init__(
            "chopsticks",
            preset,
            size,
            tuple(_chopsticks(variant, depth, stopping) for variant, depth in CHOPSTICKS),
            (64,),
        )


def _chopsticks(variant: str, depth: int, stopping: str) -> DataSet:
    made = Chopsticks(variant, depth, stopping=stopping)

    def render(table: NDArray[np.float64]) -> NDArray[np.float32]:
        return made.signals(table).astype(np.float32)

    return DataSet(
        f"depth{depth}-{variant}", f"new signals ({variant}, depth {depth})", made.hierarchy, made.latents, render
    )


class SpaceshapesBenchmark(Hierarchical):
    """Images of moons, stars and ships (Ross & Doshi-Velez 2021, section 5).

    Args:
        preset: ``published`` (60,000 grey images, as the authors' code makes them; the default), ``described`` (100,000, as the
            paper counts); each with ``-binary`` for black and white, as the paper says; or ``mini`` (12,000 grey).

    Raises:
        BenchmarkError: Unknown preset.
    """

    PRESETS: Mapping[str, tuple[int, bool]] = {
        "published": (60_000, False),
        "published-binary": (60_000, True),
        "described": (100_000, False),
        "described-binary": (100_000, True),
        "mini": (12_000, False),
    }

    def __init__(self, preset: str = "published") -> None:
        size, binary = _preset("spaceshapes", preset, self.PRESETS)
        only = DataSet(
            "spaceshapes",
            "new images",
            spaceshapes.HIERARCHY,
            spaceshapes.latents,
            lambda table: spaceshapes.images(table, binary=binary)[..., None],
        )
        super().__init__("spaceshapes", preset, size, (only,), (64, 64, 1))


def _preset(benchmark: str, preset: str, presets: Mapping[str, _T]) -> _T:
    if preset not in presets:
        raise BenchmarkError(f"{benchmark} has no preset {preset!r}.{nearest(preset, presets)}")
    return presets[preset]
