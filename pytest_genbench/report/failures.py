"""The worst failures as pictures: what was shown, what the model made of it, and what was read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np

from .. import png
from ..benchmarks import Benchmark, Inputs, noun
from ..figures import Gallery, Picture, Strip
from ..results.schema import Case, Failure
from ..show import plotted

MOST = 12
"""Failures that are shown of one family and task."""


def gallery(cases: Sequence[Case], benchmark: Benchmark) -> Gallery | None:
    """Show the worst failures: the worst of each case first, then the second worst, up to twelve; None where there is none.

    Args:
        cases: Of one family and task.
        benchmark: Makes the inputs again.

    Raises:
        BenchmarkError: It cannot make them.
    """
    chosen = list(_chosen(cases))[:MOST]
    if not chosen:
        return None
    shown = benchmark.images(np.array([failure.item for _, failure in chosen], dtype=np.int64))
    strips = [_strip(case, failure, item) for (case, failure), item in zip(chosen, shown, strict=True)]
    made = ", and what the model made of them" if any(failure.output for _, failure in chosen) else ""
    return Gallery(
        title="what went wrong worst",
        note=f"held-out {noun(benchmark.image_shape)}{made}: what was to be read, and what was read",
        strips=tuple(strips),
    )


def _chosen(cases: Sequence[Case]) -> Iterator[tuple[Case, Failure]]:
    for rank in zip_longest(*(case.failures for case in cases)):
        yield from ((case, failure) for case, failure in zip(cases, rank, strict=True) if failure is not None)


def _strip(case: Case, failure: Failure, item: Inputs) -> Strip:
    """Lay out one failure; `item` is an image (H, W, C), several of them (K, H, W, C) or a signal (length)."""
    images = plotted(item[None].astype(np.float32)) if item.ndim == 1 else item[None] if item.ndim == 3 else item
    captions = [str(k) for k in range(1, len(images) + 1)] if len(images) > 1 else ["shown"]
    pictures = [
        Picture(png.encode(image), caption, f"input: {failure.right}")
        for image, caption in zip(images, captions, strict=True)
    ]
    if failure.output:
        pictures.append(Picture(_decoded(failure.output), "made of it", f"output, read as {failure.read}"))
    where = case.held_out or case.split
    seed = f", seed {case.seed}" if case.seed else ""
    return Strip(tuple(pictures), f"{where}{seed}: {failure.right} → {failure.read}")


def _decoded(text: str) -> bytes:
    """Read base64; a document that was changed by hand shows an empty picture, and no error."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
