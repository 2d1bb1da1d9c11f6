"""The worst failures as pictures: what was shown, what the model made of it, and what was read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from .. import png
from ..benchmarks import Benchmark, Inputs, noun
from ..figures import Gallery, Picture, Strip
from ..results.schema import Case, Failure
from ..show import plotted

MOST = 12
"""Failures that are shown of one family and task."""

_HEAD = 12
"""Pictures at the head of a page."""


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
        title="What went wrong worst",
        note=f"held-out {noun(benchmark.image_shape)}{made}: what was to be read, and what was read",
        strips=tuple(strips),
    )


def worst(cases: Sequence[Case], find: Callable[[Case], Benchmark | None]) -> Gallery | None:
    """Show a few failures for the head of a page: one of each family and task in turn, from where the model scores worst.

    Args:
        cases: Of any benchmarks.
        find: Finds the benchmark of a case; None where it cannot be had.

    Returns:
        A gallery of few pictures; None where there is none.

    Raises:
        BenchmarkError: A benchmark cannot make its inputs.
    """
    families: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        families.setdefault((case.benchmark, case.preset, case.family, case.output), []).append(case)
    ranked = [sorted(each, key=_merit) for each in families.values()]
    strips: list[Strip] = []
    for case, failure in (pair for rank in zip_longest(*map(_chosen, ranked)) for pair in rank if pair is not None):
        benchmark = find(case)
        if benchmark is None:
            continue
        item = benchmark.images(np.array([failure.item], dtype=np.int64))[0]
        strip = _strip(case, failure, item)
        if strips and sum(len(each.pictures) for each in (*strips, strip)) > _HEAD:
            break
        family = f"{case.benchmark}, {case.family.replace('_', ' ')}: " if len(families) > 1 else ""
        strips.append(replace(strip, caption=family + strip.caption))
    if not strips:
        return None
    return Gallery(title="Among the worst failures", note="what was to be read → what was read", strips=tuple(strips))


def _merit(case: Case) -> float:
    """What a case is ranked by, the worst first."""
    head = case.scores[0]
    return head.value if head.better == "higher" else -head.value


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
