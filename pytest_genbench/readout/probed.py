"""From a model and a split to a model with readouts, as a session asks for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..benchmarks import Benchmark, noun
from ..errors import BenchmarkError, OptionError, nearest
from ..learners.protocol import Progress
from ..models import Model, probe
from ..models.probes import BATCH
from ..rng import stream
from ..splits import Split
from .backbone import Backbone
from .embeddings import Embeddings, chunks_of, key, order, training_places
from .fit import KINDS, Kind, fit
from .model import ReadoutModel

_KEPT = 2
"""Models whose embeddings stay in memory; the others are in the cache."""

# The model stands beside its embeddings, so that its id is not given to another.
_shared: OrderedDict[tuple[object, ...], Embeddings] = OrderedDict()


def probed_model(
    model: Model,
    benchmark: Benchmark,
    split: Split,
    kind: str,
    *,
    seed: int = 0,
    cache: Path | None = None,
    threads: int = 1,
    show: Callable[[str], Progress] | None = None,
) -> Model:
    """Train readouts for all answers a benchmark has, on a split's training set, over a model's frozen embedding.

    Trained are the first 10,000 training items in an order that all splits of the benchmark share.

    Args:
        model: Offers ``embedding``, or has one output of shape (N, D) whose meaning is not known.
        benchmark: Renders the images, which may be of another size than the model takes, and knows the answers.
        split: What training must not see.
        kind: ``linear`` or ``mlp``.
        seed: Of the readout.
        cache: The cache folder, for embeddings; None to keep them in memory only.
        threads: CPU threads for the training of linear readouts. More than one pays for wide embeddings on an idle machine only;
            on a busy one they wait for each other in a spin, and take thirty times as long.
        show: Makes something that shows how far the embedding is, given a name.

    Returns:
        The frozen model with readouts, for this benchmark and split only.

    Raises:
        OptionError: `kind` is neither.
        MissingOutputError: The model offers no embedding.
        BenchmarkError: The benchmark has no answers to train on, or the split no training items.
        ModelError: The model fails or misbehaves, or its embeddings cannot be used.
        CacheError: The cache folder cannot be used.
    """
    if kind not in KINDS:
        raise OptionError(f"--genbench-probe takes {' or '.join(KINDS)}; got {kind!r}.{nearest(kind, KINDS)}")
    if len(benchmark.image_shape) != 3:
        raise BenchmarkError(
            f"{benchmark.name} shows {noun(benchmark.image_shape)}; a readout is trained over the embeddings of single images. Run "
            "it without --genbench-probe."
        )
    backbone = Backbone(model)
    sizes = answers(benchmark, split)
    embeddings = _embeddings(backbone, benchmark, split, cache)
    places = training_places(embeddings.items, split)
    if len(places) == 0:
        raise BenchmarkError(f"{split.id} has no training items, so no readout can be trained on it.")
    embedded = _shown(embeddings, places, f"embedding {benchmark.name}", show)
    heads = fit(
        cast(Kind, kind),
        embedded,
        {name: target for name, target in _targets(benchmark, embeddings.items[places]).items() if name in sizes},
        sizes,
        seed_of=lambda name: int(
            stream("readout", benchmark.name, benchmark.preset, split.slug, name, seed).integers(1 << 32)
        ),
        threads=threads,
    )
    height, width, channels = benchmark.image_shape
    return ReadoutModel(embeddings, chunks_of(places), heads, cast(Kind, kind), (height, width, channels))


def answers(benchmark: Benchmark, split: Split) -> dict[str, int]:
    """Return the answers that readouts can be trained for, by output, with the number of classes or of numbers in each.

    All items count, since a class that training does not show is a class as well.

    Raises:
        BenchmarkError: There are none.
    """
    sizes = {}
    whole = np.flatnonzero(split.is_held_out() | split.is_shown())
    for name, target in _targets(benchmark, whole).items():
        if name.startswith("factor.") and target.ndim == 1 and np.issubdtype(target.dtype, np.integer) and target.size:
            sizes[name] = int(target.max()) + 1
        elif name == "factors" and target.ndim == 2 and target.shape[1] > 0:
            sizes[name] = target.shape[1]
    if not sizes:
        raise BenchmarkError(
            f"{benchmark.name} has no right answers (factor.<name> or factors) that a readout could be trained on; run it without "
            "--genbench-probe."
        )
    return sizes


def _targets(benchmark: Benchmark, index: NDArray[np.int64]) -> Mapping[str, NDArray[Any]]:
    targets = getattr(benchmark, "targets", None)  # other packages' benchmarks may be older than the method
    return {} if targets is None else {name: np.asarray(target) for name, target in targets(index).items()}


def _embeddings(backbone: Backbone, benchmark: Benchmark, split: Split, cache: Path | None) -> Embeddings:
    """Return the embeddings that all splits of a benchmark share, after a look whether the model is a function of images."""
    total = len(split.is_held_out())
    own = (id(backbone.model), benchmark.name, benchmark.version, benchmark.preset, total, cache)
    if own not in _shared:
        items = order(benchmark, total)
        some = benchmark.images(items[np.arange(BATCH) % len(items)])
        probe(backbone.model, backbone.adapted(some), (backbone.output,))
        name = key(backbone, benchmark, items)
        folder = None if name is None or cache is None else cache / "v1" / "embeddings" / name
        _shared[own] = Embeddings(backbone, benchmark, items, folder)
    _shared.move_to_end(own)
    while len(_shared) > _KEPT:
        _shared.popitem(last=False)
    return _shared[own]


def _shown(
    embeddings: Embeddings, places: NDArray[np.int64], what: str, show: Callable[[str], Progress] | None
) -> NDArray[np.float32]:
    """Embed, and show how far it is."""
    progress = None if show is None else show(what)
    try:
        return embeddings.at(places, progress)
    finally:
        close = getattr(progress, "close", None)
        if close is not None:
            close()
