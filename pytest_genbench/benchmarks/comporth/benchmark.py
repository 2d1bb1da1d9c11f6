"""CompOrth as a benchmark: stimuli, splits and the two ways to take part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...factors import FactorGrid
from ...figures import Figure
from ...metrics.reading import encode_words
from ...splits import Split
from ..exposure import shows
from ..protocol import Targets, Task
from . import figures, judge, recognition, reconstruction, representation
from .anchors import Originals
from .splits import FAMILIES, NAME
from .stimuli import Stimuli

if TYPE_CHECKING:
    from ...results.schema import Case


class CompOrth:
    """Letter strings whose letters, lengths and places are held out (Bianchi et al. 2024, arXiv 2412.10446).

    Args:
        preset: ``published`` (11,904 images, the default), ``described`` (25,110) or ``mini`` (1,116).
        letters: Another alphabet; see :class:`Stimuli`, as for `max_length`, `font` and `background`.
        max_length: Longest word.
        font: Font file.
        background: Grey level of the canvas.

    The judges know the standard alphabet only; with any other, models can take part by recognition.

    Raises:
        BenchmarkError: See :class:`Stimuli`.
    """

    name = NAME
    version = "1"
    families = tuple(FAMILIES)

    def __init__(
        self,
        preset: str = "published",
        *,
        letters: str = "AB",
        max_length: int = 5,
        font: str | Path | None = None,
        background: int = 0,
    ) -> None:
        self.stimuli = Stimuli(preset, letters=letters, max_length=max_length, font=font, background=background)
        self.originals = Originals(self.stimuli)

    @property
    def preset(self) -> str:
        """Name of the preset, with a digest where the alphabet is not the standard one."""
        return self.stimuli.name

    @property
    def grid(self) -> FactorGrid:
        """Factors word, x, y, spacing."""
        return self.stimuli.grid

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """(64, 64, 1)."""
        return self.stimuli.image_shape

    def images(self, index: ArrayLike) -> NDArray[np.uint8]:
        """Render images; see :meth:`Stimuli.images`."""
        return self.stimuli.images(index)

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Levels (N, 4) of word, x, y and spacing."""
        return self.grid.levels(index)

    def targets(self, index: ArrayLike) -> Targets:
        """Right answers of recognition: for each position 0 (no letter) or the letter's number, from 1; int64 (N,)."""
        codes = encode_words(self.stimuli.words, self.stimuli.letters)[self.grid.levels(index)[..., 0]]
        return {name: codes[..., at] for at, name in enumerate(recognition.outputs(self.stimuli))}

    @cache  # noqa: B019 - benchmarks live as long as the process, and index sets hang on the splits
    def splits(self, family: str) -> tuple[Split, ...]:
        """Return the splits of ``spatial``, ``length`` or ``compositional``.

        Raises:
            BenchmarkError: Unknown family.
        """
        if family not in FAMILIES:
            raise BenchmarkError(f"CompOrth has no split family {family!r}.{nearest(family, FAMILIES)}")
        return FAMILIES[family](self.stimuli)

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """``reconstruction`` (with the standard alphabet), ``recognition``, and on request ``disentanglement``."""
        stimuli, originals = self.stimuli, self.originals
        tasks = {
            "recognition": Task(
                name="recognition",
                outputs=recognition.outputs(stimuli),
                optional=(recognition.LENGTH,),
                metrics=recognition.METRICS,
                scorer=partial(recognition.RecognitionScorer, stimuli),
                anchors=partial(recognition.anchors, stimuli, originals),
                reading=partial(recognition.reading, stimuli),
                fits=partial(recognition.fits, stimuli=stimuli),
            ),
        }
        if stimuli.is_standard:
            tasks["reconstruction"] = Task(
                name="reconstruction",
                outputs=(reconstruction.OUTPUT,),
                metrics=reconstruction.METRICS,
                judge=judge.PUBLISHED,
                scorer=partial(reconstruction.ReconstructionScorer, stimuli),
                anchors=partial(reconstruction.anchors, stimuli, originals),
                reading=partial(reconstruction.reading, stimuli),
                needs_code_size=True,
                fits=lambda name, shape: reconstruction.fits(shape),
            )
        tasks[representation.TASK] = Task(
            name=representation.TASK,
            outputs=(representation.OUTPUT,),
            optional=("reconstruction",),
            metrics=representation.METRICS,
            scorer=partial(representation.DisentanglementScorer, stimuli),
            anchors=partial(representation.anchors, stimuli),
            fits=lambda name, shape: len(shape) == 1,
            items=partial(representation.items, stimuli),
            on_request=True,
            of_model=partial(representation.for_model, stimuli),
        )
        return tasks

    def is_exposed(self, trained_on: str, split: Split) -> bool:
        """Whether a training set may have shown what a split holds out.

        Within a preset the index sets decide: training without any five-letter word shows no B at position 5 either. Between
        presets the same split holds out the same thing; of others nothing is known, so they count as exposed.

        Args:
            trained_on: Id of a split, such as ``comporth/published/compositional-B5``.
            split: The split to be tested.

        Raises:
            BenchmarkError: The id names no split of this benchmark.
        """
        return shows(trained_on, split, (each for family in self.families for each in self.splits(family)))

    def figures(self, cases: Sequence[Case]) -> Iterable[Figure]:
        """Describe what there is to see in the results of one model; see :func:`.figures.figures`."""
        return figures.figures(cases)

    def contrasts(self, models: Mapping[str, Sequence[Case]]) -> Iterable[Figure]:
        """Describe what there is to see in the results of several models; see :func:`.figures.contrasts`."""
        return figures.contrasts(models)
