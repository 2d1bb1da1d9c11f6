"""Embeddings of a benchmark's items by a frozen model, kept in the cache and shared by all splits.

Items are taken in one random order, the same for all splits of a benchmark, and embedded in chunks of 1,024 places of that order.
A chunk is always embedded whole, those of its items included that a split does not need: so the splits of a small benchmark share
nearly everything, and the numbers do not depend on which split came first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..benchmarks import Benchmark
from ..cache import explained, locked, replacing
from ..evaluation import BATCH, DEVICE_BATCH
from ..rng import stream
from ..splits import Split
from .backbone import Backbone

LIMIT = 10_000
"""Most training items of a readout."""

CHUNK = 1024
"""Places of the order in one file."""

FORMAT = 1
"""Changes whenever embeddings of an older version must not be used: another way to resize, another layout of the files."""

TOLERANCE = 0.01
"""Difference, relative to the largest number, at which kept embeddings are another model's; runtimes and devices differ less."""

Chunk = NDArray[np.void]
"""Records of ``image``, the image's digest, and ``embedding``, float32 (D,)."""

Advance = Callable[[int, int], None]
"""Is told how many embeddings of how many are there."""


def order(benchmark: Benchmark, total: int) -> NDArray[np.int64]:
    """Return the order in which a benchmark's items are taken: a permutation of all of them, int64, the same for all splits."""
    return (
        stream("embedding order", benchmark.name, benchmark.version, benchmark.preset)
        .permutation(total)
        .astype(np.int64)
    )


def training_places(items: NDArray[np.int64], split: Split, limit: int = LIMIT) -> NDArray[np.int64]:
    """Return the places in the order of the first `limit` training items, ascending, int64."""
    is_train = np.zeros(len(items), dtype=np.bool_)
    is_train[split.train] = True
    return np.flatnonzero(is_train[items])[:limit].astype(np.int64, copy=False)


def key(backbone: Backbone, benchmark: Benchmark, items: NDArray[np.int64]) -> str | None:
    """Name what embeddings depend on; None for a model without files, which nothing tells from another.

    A factory's files may not be all that its model is made from. That is seen when chunks are read.
    """
    model = backbone.model
    if not model.files:
        return None
    parts = {
        "format": FORMAT,
        "files": sorted(model.files.values()),
        "contract": model.contract.flat(),
        "output": backbone.output,
        "benchmark": [benchmark.name, benchmark.version, benchmark.preset, list(benchmark.image_shape), len(items)],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


class Embeddings:
    """Embeddings of one benchmark by one model.

    Args:
        backbone: The model.
        benchmark: Renders the images.
        items: The order, see :func:`order`.
        folder: Where chunks are kept; None to keep them in memory only.
    """

    def __init__(self, backbone: Backbone, benchmark: Benchmark, items: NDArray[np.int64], folder: Path | None) -> None:
        self.backbone, self.items = backbone, items
        self._benchmark, self._folder = benchmark, folder
        self._chunks: dict[int, Chunk] = {}
        self._places: dict[bytes, int] = {}

    def at(self, places: NDArray[np.int64], advance: Advance | None = None) -> NDArray[np.float32]:
        """Return the embeddings of the items at some places of the order.

        Args:
            places: int64 (N,), ascending.
            advance: Is called after each chunk.

        Returns:
            float32 (N, D).

        Raises:
            ModelError: See :meth:`Backbone.embed`.
            CacheError: The cache folder cannot be used.
        """
        numbers = chunks_of(places)
        rows = []
        for done, number in enumerate(numbers, start=1):
            rows.append(self._chunk(number)["embedding"][places[places // CHUNK == number] % CHUNK])
            if advance is not None:
                advance(done * CHUNK, len(numbers) * CHUNK)
        return np.concatenate(rows)

    def of(self, images: NDArray[np.uint8], chunks: Collection[int]) -> NDArray[np.float32]:
        """Embed images, but take from `chunks` what is known: an image has one embedding, whoever shows it.

        Only from these, so that a result does not depend, by the last bits, on what else happens to be in memory.

        Args:
            images: uint8 (N, H, W, C) as the benchmark makes them.
            chunks: Numbers of chunks that :meth:`at` has read.

        Returns:
            float32 (N, D).

        Raises:
            ModelError: See :meth:`Backbone.embed`.
        """
        places = [self._places.get(digest.tobytes(), -1) for digest in digests(images)]
        known = np.array([place >= 0 and place // CHUNK in chunks for place in places])
        found = np.empty((len(images), self.backbone.width), dtype=np.float32)
        for row in np.flatnonzero(known):
            number, within = divmod(places[row], CHUNK)
            found[row] = self._chunks[number]["embedding"][within]
        if not known.all():
            found[~known] = self.backbone.embed(images[~known])
        return found

    def _chunk(self, number: int) -> Chunk:
        """Return a chunk: from memory, from its file, or made now."""
        if number not in self._chunks:
            self._chunks[number] = chunk = self._read_or_make(number)
            for within, digest in enumerate(chunk["image"]):
                place, name = number * CHUNK + within, digest.tobytes()
                self._places[name] = min(place, self._places.get(name, place))  # items may look alike
        return self._chunks[number]

    def _read_or_make(self, number: int) -> Chunk:
        items = self.items[number * CHUNK : (number + 1) * CHUNK]
        if self._folder is None:
            return self._make(items)
        doing, file = "keeping embeddings", self._folder / f"{number:05d}.npy"
        with ExitStack() as held:
            with explained(doing, self._folder):
                self._folder.mkdir(parents=True, exist_ok=True)
                # One process embeds; others that want the chunk wait, and read it.
                held.enter_context(locked(self._folder / "lock"))
            chunk = self._read(file, items)
            if chunk is None:
                chunk = self._make(items)
                with explained(doing, self._folder), replacing(file) as partial:
                    np.save(partial, chunk, allow_pickle=False)
        return chunk

    def _read(self, file: Path, items: NDArray[np.int64]) -> Chunk | None:
        """Read a chunk; None where there is none that can be trusted."""
        try:
            chunk = np.load(file, allow_pickle=False)
        except Exception:  # whatever a damaged file makes NumPy raise
            return None
        return chunk if isinstance(chunk, np.ndarray) and self._is_ours(chunk, items) else None

    def _is_ours(self, chunk: NDArray[Any], items: NDArray[np.int64]) -> bool:
        """Whether a chunk holds these items, embedded by this model: the first and the last are embedded again."""
        ends = [0, len(items) - 1]
        images = self._benchmark.images(items[ends])
        fresh = self.backbone.embed(images)
        if chunk.dtype != record(fresh.shape[1]) or chunk.shape != items.shape:
            return False
        if not np.array_equal(chunk["image"][ends], digests(images)) or not np.isfinite(chunk["embedding"]).all():
            return False
        difference = np.abs(chunk["embedding"][ends].astype(np.float64) - fresh)
        return bool(difference.max() <= TOLERANCE * np.abs(fresh).max())

    def _make(self, items: NDArray[np.int64]) -> Chunk:
        step = DEVICE_BATCH if "cuda" in self.backbone.model.device.lower() else BATCH
        parts = []
        for start in range(0, len(items), step):
            images = self._benchmark.images(items[start : start + step])
            embedded = self.backbone.embed(images)
            part = np.empty(len(images), dtype=record(embedded.shape[1]))
            part["image"], part["embedding"] = digests(images), embedded
            parts.append(part)
        return np.concatenate(parts)


def chunks_of(places: NDArray[np.int64]) -> list[int]:
    """Numbers of the chunks that hold some places, ascending."""
    return [int(number) for number in np.unique(places // CHUNK)]


def record(width: int) -> np.dtype[Any]:
    """The type of a chunk's records, for embeddings of `width` numbers."""
    return np.dtype([("image", "u1", (16,)), ("embedding", "<f4", (width,))])


def digests(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Name images by their content: uint8 (N, H, W, C) to uint8 (N, 16)."""
    found = [hashlib.blake2b(image.tobytes(), digest_size=16).digest() for image in images]
    return np.frombuffer(b"".join(found), dtype=np.uint8).reshape(len(images), 16)
