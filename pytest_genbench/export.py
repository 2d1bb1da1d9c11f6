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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from . import __version__, sheets
from .benchmarks import Benchmark, Poses, noun
from .errors import BenchmarkError, OptionError
from .factors import FactorGrid
from .loader import TEXT
from .splits import Split

FORMAT = 1
"""Number in the manifest; it changes when a reader of older exports would misread a newer one."""

IMAGES, FACTORS, MANIFEST, LOADER = "images.npy", "factors.csv", "manifest.json", "load.py"

VALIDATION, PROBLEMS = "validation", "problems"
"""Folders within the folder: the items set apart to choose by, and pictures with scene graphs of some problems."""

SHEETS = 20
"""Problems that are also written as a picture and a scene graph, unless another number is asked for."""

COLUMNS = {"scores": "answer"}
"""Columns that are not called as the output which should give them: the highest of the scores is to be that of the answer."""

_SAID = {"answer": " (place of the image to be found, from 0)"}
"""What is said of columns whose name does not say it."""

Progress = Callable[[int, int], None]
"""Called with the number of images written so far and of all."""

_CHUNK_BYTES = 8 << 20
"""Pixels that are held at a time."""

_ROWS = 4096
"""Rows of the table that are held at a time."""


def export(
    benchmark: Benchmark,
    split: Split,
    out: Path,
    progress: Progress | None = None,
    problems: int | None = None,
    validation: bool = True,
) -> dict[str, Any]:
    """Write the training set of a split.

    The folder then holds ``images.npy`` (uint8 (N, H, W, C), problems of K images uint8 (N, K, H, W, C), or signals float32
    (N, length); can be memory-mapped), ``factors.csv`` (a row for each image or problem: its index, the values of its factors, and
    the benchmark's right answers that are class numbers), ``manifest.json`` (what is returned) and ``load.py`` (a PyTorch Dataset
    over them). Where items are set apart to choose by, ``validation`` holds their images and table; of problems, ``problems`` holds
    some as a picture and a scene graph, named by their row. The same export gives the same bytes. Memory does not grow with the
    number of images.

    Args:
        benchmark: Renders the images.
        split: One of its splits.
        out: A folder that does not exist, or is empty; missing parents are made.
        progress: Called after each chunk of images.
        problems: Problems to draw and write out, spread evenly over the training set; None for a few where the benchmark has any.
        validation: Whether to write what is set apart to choose by, where there is any.

    Returns:
        The manifest.

    Raises:
        OptionError: The folder exists and is not empty, or cannot be written (what was begun is removed); or problems are asked of
            a benchmark that has none.
        BenchmarkError: The split has no training set, or the benchmark gives what cannot be exported.
    """
    if not len(split.train):
        raise BenchmarkError(f"{split.id} holds out every item; there is no training set to export.")
    if problems and not isinstance(benchmark, Poses):
        raise OptionError(f"--problems={problems}: {benchmark.name} has single images, no problems; leave it out.")
    parts = {"": split.train} | ({VALIDATION: split.validation} if validation and len(split.validation) else {})
    total, done = sum(map(len, parts.values())), 0
    with _whole_or_nothing(out) as folder:
        for part, items in parts.items():
            (folder / part).mkdir(exist_ok=True)
            header = _write_arrays(folder / part, benchmark, items, _counted(progress, done, total))
            done += len(items)
        drawn = _write_problems(folder / PROBLEMS, benchmark, split, SHEETS if problems is None else problems)
        (folder / LOADER).write_bytes(TEXT.encode())
        manifest = _manifest(benchmark, split, {part or "train": len(items) for part, items in parts.items()}) | {
            "targets": header[1 + len(benchmark.grid.factors) :],
            "sha256": {
                f"{part}/{name}".removeprefix("/"): _sha256(folder / part / name)
                for part in parts
                for name in (IMAGES, FACTORS)
            },
        }
        if drawn:
            manifest["problems"] = drawn
        text = json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        (folder / MANIFEST).write_bytes(text.encode())
    return manifest


def _counted(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    """Count on from what an earlier part has written."""

    def advance(done: int) -> None:
        if progress:
            progress(before + done, total)

    return advance


def describe(manifest: dict[str, Any], out: Path) -> str:
    """Say what was written, and what to do with it."""
    size = (out / IMAGES).stat().st_size / 1e6
    counts, what = manifest["counts"], noun(manifest["image"]["shape"])
    columns = ", ".join(factor["name"] for factor in manifest["factors"])
    shape = tuple(manifest["image"]["shape"])
    targets = ", ".join(f"{name}{_SAID.get(name, '')}" for name in manifest["targets"])
    drawn = manifest.get("problems", 0)
    lines = [
        f"{out}: training set of {manifest['id']}",
        f"  held out       {manifest['held_out']}: {counts['held_out']:,} {what}, not in this folder",
        f"  {IMAGES:<13}  {counts['train']:,} {what} {shape} {manifest['image']['dtype']}, {size:.1f} MB",
        f"  {FACTORS:<13}  {columns}" + (f"; right answers: {targets}" if targets else ""),
        *([f"  {VALIDATION:<13}  {counts[VALIDATION]:,} more {what} to choose by"] if VALIDATION in counts else []),
        *([f"  {PROBLEMS:<13}  {drawn:,} of them as a picture and as a scene graph, by row"] if drawn else []),
        f"  {MANIFEST:<13}  what this is, with hashes",
        f"  {LOADER:<13}  a PyTorch Dataset of it; python {out / LOADER} says what is there",
        "A model that was trained on this has to say so in its metadata:",
        f'genbench.trained_on = "{manifest["id"]}"',
    ]
    return "\n".join(lines)


def _manifest(benchmark: Benchmark, split: Split, written: Mapping[str, int]) -> dict[str, Any]:
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
        "counts": {**written, "held_out": len(split.test)},
        "image": {"shape": [int(side) for side in benchmark.image_shape], "dtype": _dtype(benchmark).name},
        "factors": [
            {"name": factor.name, "kind": factor.kind, "values": [_plain(value) for value in factor.values]}
            for factor in benchmark.grid.factors
        ],
        "versions": {"pytest-genbench": __version__, "numpy": np.__version__},
    }


def _dtype(benchmark: Benchmark) -> np.dtype[Any]:
    """Element type of the file, little-endian on every machine: bytes for images, floats for signals."""
    return np.dtype("<f4" if len(benchmark.image_shape) == 1 else "u1")


def _write_arrays(
    folder: Path, benchmark: Benchmark, items: NDArray[np.int64], progress: Callable[[int], object]
) -> list[str]:
    """Write images and table of some items; returns the header of the table."""
    header, texts = _header(benchmark, items), _texts(benchmark.grid)
    with _created(folder / FACTORS) as table:
        table.write(_csv([header]))
        for chunk in _write_images(folder / IMAGES, benchmark, items, progress):
            # The answer to a problem is known once it has been drawn: doing one chunk after the other makes each problem once.
            _write_rows(table, benchmark, chunk, texts)
    return header


def _write_images(
    path: Path, benchmark: Benchmark, items: NDArray[np.int64], progress: Callable[[int], object]
) -> Iterator[NDArray[np.int64]]:
    """Write the images of some items; yields those that are written."""
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
            yield chunk
            done += len(chunk)
            progress(done)


def _header(benchmark: Benchmark, items: NDArray[np.int64]) -> list[str]:
    """Name the columns of the table."""
    header = ["index", *benchmark.grid.names, *_class_numbers(benchmark, items[:1])]
    if repeated := sorted({name for name in header if header.count(name) > 1}):
        raise BenchmarkError(f"{FACTORS} of {benchmark.name} would have two columns called {' and '.join(repeated)}.")
    return header


def _write_rows(
    file: IO[bytes], benchmark: Benchmark, items: NDArray[np.int64], texts: Sequence[Sequence[str]]
) -> None:
    """Write a row of the table for each item."""
    for chunk in _chunks(items, _ROWS):
        levels, targets = benchmark.levels(chunk).T.tolist(), _class_numbers(benchmark, chunk)
        values = [[text[level] for level in column] for text, column in zip(texts, levels, strict=True)]
        columns = [chunk.tolist(), *values, *(target.tolist() for target in targets.values())]
        file.write(_csv(zip(*columns, strict=True)))


def _write_problems(folder: Path, benchmark: Benchmark, split: Split, most: int) -> int:
    """Write some problems as a picture and a scene graph, named by their row; returns how many."""
    if not most or not isinstance(benchmark, Poses):
        return 0
    from PIL import Image

    folder.mkdir()
    size = len(split.train)
    rows = np.unique(np.linspace(0, size - 1, min(most, size)).astype(np.int64)).tolist()
    digits = max(5, len(str(size - 1)))
    for row in rows:
        item = int(split.train[row])
        with _created(folder / f"{row:0{digits}d}.png") as file:
            Image.fromarray(sheets.strip(benchmark.images(item)[0])).save(file, format="PNG")
        plain = {"index": item, **benchmark.problem(item).plain()}
        with _created(folder / f"{row:0{digits}d}.json") as file:
            file.write((json.dumps(plain, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode())
    return len(rows)


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
        if repeated := sorted(each for each, count in Counter(text).items() if count > 1):
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
    numbers = {name: array for name, array in arrays.items() if array.ndim == 1 and array.dtype.kind in "iu"}
    return {COLUMNS.get(name, name): array for name, array in numbers.items()}


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
        for name in sorted((path.name for path in partial.iterdir()), key=lambda name: (name == MANIFEST, name)):
            (partial / name).rename(target / name)
    else:
        partial.rename(target)
