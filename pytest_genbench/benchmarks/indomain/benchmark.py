"""The in-domain benchmark: four data sets, four splits each (Schott et al. 2022, arXiv 2107.08221)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...factors import FactorGrid
from ...figures import Figure
from ...splits import Split
from ..exposure import shows
from ..grids import Design
from ..protocol import Scorer, Targets, Task
from . import anchors, modularity, reading, recognition, regression, representation, rule
from .sources import Source

if TYPE_CHECKING:
    from ...results.schema import Case


class InDomain:
    """One data set, at one preset. Items are indices into its grid.

    Args:
        design: The grid, which may be a part of the published one.
        preset: Name of the preset.
        source: Where images come from.
        published: Whether the images are those that figures are published for.

    A grid of your own gets the same splits and scores: ``InDomain(Design("mine", factors, …), "default", Drawn(draw))``.
    """

    version = "1"
    families = tuple(rule.FAMILIES)

    def __init__(self, design: Design, preset: str, source: Source, *, published: bool = False) -> None:
        self.design, self.preset, self.published = design, preset, published
        self.name = design.name
        self._source = source
        self.image_shape = design.image_shape

    @cached_property
    def grid(self) -> FactorGrid:
        """The factors and their levels; the last factor varies fastest."""
        return self.design.grid

    def images(self, index: ArrayLike) -> NDArray[np.uint8]:
        """Images of items (N,): uint8 (N, 64, 64, C).

        Raises:
            BenchmarkError: An item is out of range, or a data file is missing or cannot be used.
        """
        return self._source.images(self.levels(index))

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Levels (N, K) of items (N,), in grid order."""
        return self.grid.levels(index)

    def targets(self, index: ArrayLike) -> Targets:
        """Right answers for items (N,): ``factors`` float32 (N, K) in [0, 1], ``factor.<name>`` levels int64 (N,)."""
        levels = self.levels(index)
        named = {f"factor.{name}": levels[:, k] for k, name in enumerate(self.grid.names)}
        return {**named, regression.OUTPUT: regression.targets(self.design, levels).astype(np.float32)}

    @cache  # noqa: B019 - benchmarks live as long as the process, and index sets hang on the splits
    def splits(self, family: str) -> tuple[Split, ...]:
        """Return the one split of a family.

        Raises:
            BenchmarkError: Unknown family, or the grid is too small for it.
        """
        if family not in rule.FAMILIES:
            raise BenchmarkError(f"{self.name} has no split family {family!r}.{nearest(family, self.families)}")
        variant = rule.FAMILIES[family]
        held_out = rule.described(self.design, variant)
        return (Split(self.name, self.preset, family, variant, held_out, partial(self._is_held_out, variant)),)

    def _is_held_out(self, variant: str) -> NDArray[np.bool_]:
        found = self._source.is_held_out(variant)
        return rule.is_held_out(self.design, variant) if found is None else found

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """``regression`` and ``recognition``; on request ``modularity`` and ``disentanglement``."""
        return {
            "regression": Task(
                name="regression",
                outputs=(regression.OUTPUT,),
                metrics=regression.metrics(self.design),
                scorer=self._of_variant(regression.RegressionScorer),
                anchors=self._anchors(anchors.of_split),
                fits=partial(regression.fits, self.design),
                reading=partial(reading.of_numbers, self.design),
            ),
            "recognition": Task(
                name="recognition",
                outputs=recognition.outputs(self.design),
                optional=recognition.optional(self.design),
                metrics=recognition.metrics(self.design),
                scorer=self._of_variant(recognition.RecognitionScorer),
                anchors=self._anchors(anchors.of_split),
                fits=partial(recognition.fits, self.design),
                reading=partial(reading.of_levels, self.design),
            ),
            "modularity": Task(
                name="modularity",
                outputs=(regression.OUTPUT,),
                metrics=modularity.metrics(self.design),
                scorer=self._of_variant(modularity.ModularityScorer),
                anchors=self._anchors(anchors.of_single_factors),
                fits=partial(regression.fits, self.design),
                in_split=False,
                on_request=True,
                kept=self._of_variant(modularity.kept),
            ),
            "disentanglement": Task(
                name="disentanglement",
                outputs=("embedding",),
                metrics=representation.METRICS,
                scorer=self._of_variant(representation.RepresentationScorer),
                anchors=representation.anchors,
                fits=lambda name, shape: name == "embedding" and len(shape) == 1,
                on_request=True,
            ),
        }

    def _of_variant(self, make: Callable[[Design, str], Any]) -> Callable[[Split], Any]:
        """Bind a maker of scorers (or of item lists) to this grid; the split's slug is the paper's name of it."""

        def made(split: Split) -> Scorer | NDArray[np.int64]:
            result: Scorer | NDArray[np.int64] = make(self.design, split.slug)
            return result

        return made

    def _anchors(self, of: Callable[..., Any]) -> Callable[[Split], Any]:
        return lambda split: of(self.design, split, published=self.published)

    def check_data(self, split: Split) -> None:
        """Find out whether the images of a split can be had.

        Raises:
            MissingDataError: A file is missing; the message says which, and where to put it.
            BenchmarkError: A file cannot be used.
        """
        self._source.check(split.slug)

    def is_exposed(self, trained_on: str, split: Split) -> bool:
        """Whether training on a declared split (its id) may have shown what `split` holds out.

        Raises:
            BenchmarkError: The id names no split of this benchmark.
        """
        return shows(trained_on, split, (each for family in self.families for each in self.splits(family)))

    def figures(self, cases: Sequence[Case]) -> Iterable[Figure]:
        """Describe what there is to see in the results of one model; see :class:`~pytest_genbench.benchmarks.Illustrates`."""
        from .figures import figures

        return figures(self.design, cases)

    def contrasts(self, models: Mapping[str, Sequence[Case]]) -> Iterable[Figure]:
        """Describe models side by side; see :class:`~pytest_genbench.benchmarks.Contrasts`."""
        from .figures import contrasts

        return contrasts(self.design, models)
