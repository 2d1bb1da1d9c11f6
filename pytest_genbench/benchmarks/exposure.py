"""Whether a declared training set may have shown what a split holds out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..errors import BenchmarkError, nearest
from ..splits import Split


def shows(trained_on: str, split: Split, splits: Iterable[Split]) -> bool:
    """Decide by the index sets within a preset; between presets the same split holds out the same thing, others may show it.

    Args:
        trained_on: Id of a split, such as ``comporth/published/compositional-B5``.
        split: The split to be tested.
        splits: All splits of its benchmark at its preset.

    Raises:
        BenchmarkError: The id names no split of this benchmark.
    """
    known = {each.slug: each for each in splits}
    benchmark, _, rest = trained_on.partition("/")
    preset, _, slug = rest.partition("/")
    if benchmark != split.benchmark or (preset == split.preset and slug not in known):
        ids = [each.id for each in known.values()]
        raise BenchmarkError(f"{trained_on!r} is not a split of {split.benchmark}.{nearest(trained_on, ids)}")
    if preset != split.preset:
        return slug != split.slug
    return bool(np.any(known[slug].is_shown() & split.is_held_out()))
