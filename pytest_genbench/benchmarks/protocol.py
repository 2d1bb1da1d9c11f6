"""What a benchmark is: the one interface between generators and everything that runs, judges and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..factors import FactorGrid
from ..figures import Figure
from ..scores import Anchor, Better, Condition, Score
from ..splits import Split

if TYPE_CHECKING:
    from ..models import Model
    from ..results.schema import Case

Inputs = NDArray[Any]
"""What models are shown: images uint8 (N, H, W, C), sets of K images uint8 (N, K, H, W, C), or signals float32 (N, length)."""

Outputs = Mapping[str, NDArray[Any]]
"""Arrays by output name; the first axis is the batch. A ``reconstruction`` is float32: images NHWC in [0, 1], or signals."""

Targets = Mapping[str, NDArray[Any]]
"""Right answers by output: class numbers int64 (N,) for ``factor.<name>``, places int64 (N,) for ``scores``, float32 (N, K) in
[0, 1] for ``factors``; of a hierarchy float32 (N, columns) for ``embedding`` and one-hot float32 (N, options) for
``assignment.<k>``."""


def noun(shape: Sequence[int]) -> str:
    """Say what items with inputs of this shape (without the batch axis) are: signals, images, or problems of several images."""
    return {1: "signals", 4: "problems"}.get(len(shape), "images")


class Scorer(Protocol):
    """Turns outputs into scores, batch by batch, in memory that does not grow."""

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take one batch: indices (N,), the images or signals shown, and what the model made of them.

        The arrays may be read later, while the model works on the next batch; nobody changes them.
        """

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return all scores, the headline first."""

    def errors(self) -> dict[str, int]:
        """Count how many items went wrong in which way."""


@runtime_checkable
class Ranks(Protocol):
    """What a scorer has that knows which items went wrong worst."""

    def worst(self) -> NDArray[np.int64]:
        """Return a few items, the worst first, int64 (n,); none where nothing went wrong."""


@runtime_checkable
class Keeps(Protocol):
    """What a scorer has that gathers what figures are drawn from."""

    def kept(self) -> Mapping[str, Any]:
        """Return builtin types, by what they are about, for :attr:`Case.kept`."""


@runtime_checkable
class Judges(Protocol):
    """What a scorer has that lets a network read outputs."""

    @property
    def judging(self) -> float:
        """Seconds spent waiting for the judge so far."""


@dataclass(frozen=True)
class Kept:
    """Some items whose answers are kept in the results document, for plots and to compare models by.

    Attributes:
        items: The same ones in every run, int64 (N,).
        true: The right answers (N,).
        read: From the outputs for some of the items to the answers to them, in order.
    """

    items: NDArray[np.int64]
    true: NDArray[np.float64]
    read: Callable[[Outputs], NDArray[np.float64]]


@dataclass(frozen=True)
class Task:
    """One way for a model to take part in a benchmark.

    Attributes:
        name: ``reconstruction``, ``recognition`` …
        outputs: Names of the outputs it needs, all of them.
        optional: Names of outputs it uses where they are offered.
        metrics: Every metric it may report, the headline first, and which way each improves.
        judge: The headline metric's judge, with its version; may be empty.
        scorer: Makes a fresh scorer for a split.
        anchors: Computes the reference values for a split.
        needs_code_size: Whether copying the input would solve it, so that the size of the code has to be known.
        fits: Whether an output of this shape (without the batch axis; None for a free axis) could serve as the named one.
        items: Which items it looks at, for a task about all of a data set rather than what training never showed; their scores
            have the condition ``all``. None for the split's held-out items.
        in_split: Whether some items that training shows are scored beside the held-out ones. Not where a score means something
            else for another number of items.
        on_request: Whether it takes part only where a test names it.
        population: How many items there are in all, where those that can be tested are themselves a sample: every score then has an
            interval. None where they are all there are.
        kept: Items whose answers are kept in the results document, by what they are about.
        reading: Says of some items (N,), given the outputs for them, what was to be read of each and what was read, for people.
            None where there is no right or wrong for one item.
        of_model: Makes of this task the one for a certain model, where that decides how it is scored: by its hierarchy, say.
    """

    name: str
    outputs: tuple[str, ...]
    metrics: Mapping[str, Better]
    scorer: Callable[[Split], Scorer]
    anchors: Callable[[Split], list[Anchor]]
    optional: tuple[str, ...] = ()
    judge: str = ""
    needs_code_size: bool = False
    fits: Callable[[str, Sequence[int | None]], bool] = lambda name, shape: False
    items: Callable[[Split], NDArray[np.int64]] | None = None
    in_split: bool = True
    on_request: bool = False
    population: int | None = None
    kept: Callable[[Split], Mapping[str, Kept]] | None = None
    reading: Callable[[NDArray[np.int64], Outputs], Sequence[tuple[str, str]]] | None = None
    of_model: Callable[[Task, Model], Task] | None = None

    @property
    def metric(self) -> str:
        """The headline metric."""
        return next(iter(self.metrics))


class Benchmark(Protocol):
    """A named, versioned generator with its splits and scores, at one preset."""

    @property
    def name(self) -> str:
        """Name in options, markers, documents."""

    @property
    def version(self) -> str:
        """Changes whenever scores may change."""

    @property
    def preset(self) -> str:
        """Name of the preset; all numbers carry it."""

    @property
    def families(self) -> tuple[str, ...]:
        """Split families."""

    @property
    def grid(self) -> FactorGrid:
        """Factors and their levels. In ours an item is an index into the grid; where points of the grid are missing, items
        are numbered for themselves and `levels` tells where they lie."""

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Height, width, channels of an image; of sets of images how many they are before that; of a signal its length alone."""

    @property
    def tasks(self) -> Mapping[str, Task]:
        """Ways to take part, by name."""

    def splits(self, family: str) -> tuple[Split, ...]:
        """All splits of a family, in order; BenchmarkError for an unknown family."""

    def images(self, index: ArrayLike) -> Inputs:
        """Render items: images uint8 NHWC, or signals float32 (N, length)."""

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Levels (N, number of factors) of items (N,), in the order of the grid's factors."""

    def targets(self, index: ArrayLike) -> Targets:
        """Right answers for items (N,), by the name of the output that should give them."""

    def is_exposed(self, trained_on: str, split: Split) -> bool:
        """Whether training on a declared split (its id) may have shown what `split` holds out."""


@runtime_checkable
class NeedsData(Protocol):
    """What a benchmark has whose images may be missing."""

    def check_data(self, split: Split) -> None:
        """Raise MissingDataError where a file is missing, which skips the test, and BenchmarkError where one cannot be used."""


@runtime_checkable
class Scalable(Protocol):
    """What a benchmark has that can draw its images at any size."""

    def sized(self, side: int) -> Benchmark:
        """Return the same benchmark with images of another side; BenchmarkError where it cannot draw them so."""


@runtime_checkable
class Tells(Protocol):
    """What a benchmark has that can tell a model more of an item than its images."""

    def about(self, index: ArrayLike) -> Mapping[str, NDArray[np.int64]]:
        """Numbers of items (N,) by name, int64 (N,); see :mod:`pytest_genbench.models.extra`."""


@runtime_checkable
class Illustrates(Protocol):
    """What a benchmark has that draws figures of its results."""

    def figures(self, cases: Sequence[Case]) -> Iterable[Figure]:
        """Describe what there is to see in the results of one model.

        Args:
            cases: Of this benchmark, version and preset, of all families, tasks and seeds, in any order; any may be missing.
        """


@runtime_checkable
class Contrasts(Protocol):
    """What a benchmark has that draws figures of several models side by side."""

    def contrasts(self, models: Mapping[str, Sequence[Case]]) -> Iterable[Figure]:
        """Describe what there is to see in the results of two models or more, by name; cases as in :meth:`Illustrates.figures`."""


class Posed(Protocol):
    """One problem: several images, and which of them is right."""

    @property
    def answer(self) -> int:
        """Place of the right image among those shown, from 0."""

    def plain(self) -> dict[str, Any]:
        """Return how it came about, such as its scene graph, as builtin types."""


@runtime_checkable
class Poses(Protocol):
    """What a benchmark has whose items are problems, each a set of images one of which is right, that it can explain."""

    def problem(self, item: int) -> Posed:
        """Make the problem of an item."""

    def explain(self, split: Split) -> Sequence[tuple[str, str]]:
        """Say what the problems of a split are about: what is explained, and how."""

    def captions(self, index: ArrayLike) -> Sequence[str]:
        """Say in a few words what each of items (N,) is about."""

    def unseen(self, split: Split) -> NDArray[np.int64]:
        """Items that a split's training says least about, ascending, int64; to be shown beside those of the training."""
