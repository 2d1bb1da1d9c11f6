"""Write a split's training set to a folder, for a model that is trained elsewhere and tested here."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import math
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from . import __version__
from .benchmarks import Benchmark
from .errors import BenchmarkError, OptionError
from .factors import FactorGrid
from .splits import Split

FORMAT = 1
"""Number in the manifest; it changes when a reader of older exports would misread a newer one."""

IMAGES, FACTORS, MANIFEST, LOADER = "images.npy", "factors.csv", "manifest.json", "load.py"

Progress = Callable[[int, int], None]
"""Called with the number of images written so far and of all."""

_CHUNK_BYTES = 8 << 20
"""Pixels that are held at a time."""

_ROWS = 4096
"""Rows of the table that are held at a time."""


def export(benchmark: Benchmark, split: Split, out: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Write the training set of a split.

    The folder then holds ``images.npy`` (uint8 (N, H, W, C) or signals float32 (N, length), can be memory-mapped),
    ``factors.csv`` (a row for each image: its index, the values of its factors, and the benchmark's right answers that are
    class numbers), ``manifest.json`` (what is returned) and ``load.py`` (a PyTorch Dataset over them). The same export gives
    the same bytes. Memory does not grow with the number of images.

    Args:
        benchmark: Renders the images.
        split: One of its splits.
        out: A folder that does not exist, or is empty; missing parents are made.
        progress: Called after each chunk of images.

    Returns:
        The manifest.

    Raises:
        OptionError: The folder exists and is not empty, or cannot be written. What was begun is removed.
        BenchmarkError: The split has no training set, or the benchmark gives what cannot be exported.
    """
    if not len(split.train):
        raise BenchmarkError(f"{split.id} holds out every item; there is no training set to export.")
    with _whole_or_nothing(out) as folder:
        columns = _write_factors(folder / FACTORS, benchmark, split.train)
        _write_images(folder / IMAGES, benchmark, split.train, progress)
        (folder / LOADER).write_bytes(_LOADER.encode())
        manifest = _manifest(benchmark, split) | {
            "targets": columns[1 + len(benchmark.grid.factors) :],
            "sha256": {name: _sha256(folder / name) for name in (IMAGES, FACTORS)},
        }
        text = json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        (folder / MANIFEST).write_bytes(text.encode())
    return manifest


def describe(manifest: dict[str, Any], out: Path) -> str:
    """Say what was written, and what to do with it."""
    size = (out / IMAGES).stat().st_size / 1e6
    columns = ", ".join(factor["name"] for factor in manifest["factors"])
    shape = tuple(manifest["image"]["shape"])
    targets = ", ".join(manifest["targets"])
    lines = [
        f"{out}: training set of {manifest['id']}",
        f"  held out       {manifest['held_out']}: {manifest['counts']['held_out']:,} images, not in this folder",
        f"  {IMAGES:<13}  {manifest['counts']['train']:,} images {shape} {manifest['image']['dtype']}, {size:.1f} MB",
        f"  {FACTORS:<13}  {columns}" + (f"; right answers: {targets}" if targets else ""),
        f"  {MANIFEST:<13}  what this is, with hashes",
        f"  {LOADER:<13}  a PyTorch Dataset of it; python {out / LOADER} says what is there",
        "A model that was trained on this has to say so in its metadata:",
        f'genbench.trained_on = "{manifest["id"]}"',
    ]
    return "\n".join(lines)


def _manifest(benchmark: Benchmark, split: Split) -> dict[str, Any]:
    """Everything in the manifest that is known without the files."""
    return {
        "format": FORMAT,
        "benchmark": benchmark.name,
        "version": benchmark.version,
        "preset": benchmark.preset,
        "family": split.family,
        "split": split.slug,
        "id": split.id,
        "held_out": split.held_out,
        "counts": {"train": len(split.train), "held_out": len(split.test)},
        "image": {"shape": [int(side) for side in benchmark.image_shape], "dtype": _dtype(benchmark).name},
        "factors": [
            {"name": factor.name, "kind": factor.kind, "values": [_plain(value) for value in factor.values]}
            for factor in benchmark.grid.factors
        ],
        "versions": {"pytest-genbench": __version__, "numpy": np.__version__},
    }


def _dtype(benchmark: Benchmark) -> np.dtype[Any]:
    """Element type of the file, little-endian on every machine: bytes for images, floats for signals."""
    return np.dtype("u1" if len(benchmark.image_shape) == 3 else "<f4")


def _write_images(path: Path, benchmark: Benchmark, items: NDArray[np.int64], progress: Progress | None) -> None:
    shape = tuple(int(side) for side in benchmark.image_shape)
    dtype = _dtype(benchmark)
    header = {"descr": dtype.str, "fortran_order": False, "shape": (len(items), *shape)}
    done = 0
    # Plain writes, not a memory map: on a full disk a write raises, and a store to a mapped page kills the process.
    with _created(path) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for chunk in _chunks(items, max(1, _CHUNK_BYTES // (dtype.itemsize * math.prod(shape)))):
            images = benchmark.images(chunk)
            if images.dtype != dtype or images.shape != (len(chunk), *shape):
                raise BenchmarkError(
                    f"{benchmark.name} rendered {images.dtype} {images.shape} for {len(chunk)} items; "
                    f"expected {dtype} {(len(chunk), *shape)}."
                )
            file.write(images.astype(dtype, copy=False).tobytes())
            done += len(chunk)
            if progress:
                progress(done, len(items))


def _write_factors(path: Path, benchmark: Benchmark, items: NDArray[np.int64]) -> list[str]:
    """Write the table; returns its header."""
    texts = _texts(benchmark.grid)
    answers = list(_class_numbers(benchmark, items[:1]))
    header = ["index", *benchmark.grid.names, *answers]
    if repeated := sorted({name for name in header if header.count(name) > 1}):
        raise BenchmarkError(f"{FACTORS} of {benchmark.name} would have two columns called {' and '.join(repeated)}.")
    with _created(path) as file:
        file.write(_csv([header]))
        for chunk in _chunks(items, _ROWS):
            levels, targets = benchmark.levels(chunk).T.tolist(), _class_numbers(benchmark, chunk)
            values = [[text[level] for level in column] for text, column in zip(texts, levels, strict=True)]
            columns = [chunk.tolist(), *values, *(targets[name].tolist() for name in answers)]
            file.write(_csv(zip(*columns, strict=True)))
    return header


class _Lines(list[str]):
    """Lines as csv writes them, but ended by a line feed: csv quotes a carriage return only where its lines end with one."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _csv(rows: Iterable[Sequence[object]]) -> bytes:
    lines = _Lines()
    csv.writer(lines).writerows(rows)
    return "".join(lines).encode()


def _texts(grid: FactorGrid) -> list[list[str]]:
    """Return the values of each factor as they stand in the table."""
    texts = [[str(_plain(value)) for value in factor.values] for factor in grid.factors]
    for factor, text in zip(grid.factors, texts, strict=True):
        if repeated := sorted({each for each in text if text.count(each) > 1}):
            raise BenchmarkError(
                f"Factor {factor.name!r} has two values that read {repeated[0]!r}; {FACTORS} would mix them up."
            )
    return texts


def _class_numbers(benchmark: Benchmark, items: NDArray[np.int64]) -> dict[str, NDArray[np.integer[Any]]]:
    """Return the targets that are class numbers; ``factors`` is a table of its own, and is left out."""
    targets = getattr(benchmark, "targets", None)
    if targets is None:
        return {}
    arrays = {name: np.asarray(target) for name, target in targets(items).items()}
    return {name: array for name, array in arrays.items() if array.ndim == 1 and array.dtype.kind in "iu"}


def _plain(value: object) -> object:
    """Turn a factor's value into what JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    is_plain = value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value))
    return value if is_plain else str(value)


def _chunks(items: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _created(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file, and make sure that what was written is on the disk."""
    with open(path, "xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _whole_or_nothing(out: Path) -> Iterator[Path]:
    """Fill a folder so that nobody takes a part of it for the whole.

    Yields:
        A folder to write to. Its content is in `out` when the block ends, and is removed when the block raises.

    Raises:
        OptionError: `out` exists and is not an empty folder, or the operating system refused something.
    """
    target = Path(os.path.realpath(out))
    name = f"{target.name}.partial-{secrets.token_hex(4)}"
    try:
        _refuse_used(out, target)
        # A folder that is there may be the current one or a mounted disk: it is filled, not replaced.
        is_there = target.exists()
        partial = (target if is_there else target.parent) / name
        made = [parent for parent in target.parents if not parent.exists()]
        try:
            partial.mkdir(parents=True)
            yield partial
            _move(partial, target, is_there)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
            for parent in made:
                with suppress(OSError):  # one that is not empty stays
                    parent.rmdir()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OptionError(
                f"{out}: the disk is full. Make room, or choose another folder; nothing was left."
            ) from None
        is_ours = name in str(error.filename or name)
        where = "" if is_ours else f": {error.filename}"
        raise OptionError(f"{out}: cannot be exported to ({error.strerror or error}{where}).") from None


def _refuse_used(out: Path, target: Path) -> None:
    if target.is_dir():
        if found := sorted(path.name for path in target.iterdir()):
            listed = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
            raise OptionError(
                f"{out}: is not empty ({listed}); name a folder that is new or empty. Nothing is overwritten."
            )
    elif target.exists():
        raise OptionError(f"{out}: is a file; name a folder that is new or empty.")


def _move(partial: Path, target: Path, is_there: bool) -> None:
    """Give finished files their place; where that takes several steps, the manifest comes last, as load.py needs it."""
    if is_there:
        for name in (IMAGES, FACTORS, LOADER, MANIFEST):
            (partial / name).rename(target / name)
    else:
        partial.rename(target)


_LOADER = '''\
"""The training set in this folder, in plain PyTorch.

    data = TrainingSet()
    image, levels, targets = data[0]

A model that was trained on it declares ID as its genbench.trained_on.
"""

import csv
import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

FOLDER = Path(__file__).resolve().parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
ID = MANIFEST["id"]
FACTORS = {factor["name"]: factor["values"] for factor in MANIFEST["factors"]}
# Images uint8 (N, H, W, C), or signals float32 (N, length); read from the disk when used.
IMAGES = np.load(FOLDER / "images.npy", mmap_mode="r")


def read_table():
    """Columns of factors.csv by name, int64 (N,): a factor's value becomes its level, its place among the values."""
    levels = {name: {str(value): level for level, value in enumerate(values)} for name, values in FACTORS.items()}
    with open(FOLDER / "factors.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        table = [[levels[k][text] if k in levels else int(text) for k, text in zip(header, row)] for row in rows]
    return dict(zip(header, torch.tensor(table, dtype=torch.int64).T))


class TrainingSet(Dataset):
    """Image float32 (C, H, W) in [0, 1] or signal float32 (length,), levels of the factors int64, class numbers by output."""

    def __init__(self):
        table = read_table()
        self.index = table["index"]  # the benchmark's numbers of the images
        self.levels = torch.stack([table[name] for name in FACTORS], dim=1)
        self.targets = {name: table[name] for name in MANIFEST["targets"]}

    def __len__(self):
        return len(IMAGES)

    def __getitem__(self, n):
        image = torch.tensor(IMAGES[n])
        if image.ndim == 3:
            image = image.permute(2, 0, 1).contiguous() / 255
        return image, self.levels[n], {name: target[n] for name, target in self.targets.items()}


if __name__ == "__main__":
    image, levels, targets = TrainingSet()[0]
    print(
        f"{ID}: {len(IMAGES)} {'images' if image.ndim == 3 else 'signals'} float32 {tuple(image.shape)}",
        "in [0, 1];" if image.ndim == 3 else "as they are;",
        f"factors: {', '.join(FACTORS)}; targets: {', '.join(targets) or 'none'}",
    )
'''
