"""The images of a table: an .npy file whose rows are those of the table, or a folder of files that the table names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError

if TYPE_CHECKING:
    from PIL.Image import Image

_HASHED_ARRAY = 1 << 30
"""Bytes of an .npy file up to which all of it is hashed."""

_HASHED_FOLDER = 100 << 20
"""Bytes of image files up to which their content is hashed; of more, their names and sizes are."""

_PIECES, _PIECE = 64, 1 << 20
"""Of a larger .npy file, this many pieces of this many bytes are hashed, spread from its beginning to its end."""

_LOOKED_AT = 256
"""Files whose size is looked at before anything runs; every other one is checked when it is read."""

GREY, COLOUR = ("1", "L"), ("RGB", "P", "CMYK", "YCbCr", "HSV", "LAB")
GREY_TRANSPARENT = ("LA", "La")
TRANSPARENT = ("RGBA", "PA", "RGBa", *GREY_TRANSPARENT)


class Images(Protocol):
    """Images in the order of the table's rows."""

    shape: tuple[int, int, int]
    """Height, width, channels."""

    def read(self, index: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Read rows (N,): uint8 (N, H, W, C)."""

    def digest(self) -> str:
        """Hash what identifies the images."""


def open_array(path: Path, rows: int) -> Images:
    """Open an .npy file without reading it.

    Args:
        path: uint8 (N, H, W), (N, H, W, 1) or (N, H, W, 3).
        rows: N, the number of rows of the table.

    Raises:
        BenchmarkError: There is no such file, it is no such array, or it has another number of rows.
    """
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise BenchmarkError(
            f"{path}: there is no such file of images; write its path relative to the description."
        ) from None
    except (OSError, ValueError, EOFError) as error:
        raise BenchmarkError(f"{path}: not an .npy file that can be read ({error}).") from None
    if not isinstance(array, np.ndarray):
        raise BenchmarkError(f"{path}: an .npz archive cannot be memory-mapped; save the images alone by numpy.save.")
    if array.dtype != np.uint8:
        advice = "multiply by 255, round and " if array.dtype.kind == "f" else ""
        raise BenchmarkError(f"{path}: images are {array.dtype}; {advice}save them as uint8.")
    if array.ndim not in (3, 4) or (array.ndim == 4 and array.shape[3] not in (1, 3)) or 0 in array.shape[1:]:
        advice = "move the channels to the end" if array.ndim == 4 and array.shape[1] in (1, 3) else "reshape them"
        raise BenchmarkError(
            f"{path}: images have shape {array.shape}; {advice}: (N, H, W), (N, H, W, 1) or (N, H, W, 3)."
        )
    if len(array) != rows:
        raise BenchmarkError(
            f"{path}: {len(array):,} images, but the table has {rows:,} rows; row i belongs to image i."
        )
    return _Array(path, array)


class _Array:
    def __init__(self, path: Path, array: NDArray[np.uint8]) -> None:
        self._path = path
        self._array = array if array.ndim == 4 else array[..., None]
        height, width, channels = self._array.shape[1:]
        self.shape = (int(height), int(width), int(channels))

    def read(self, index: NDArray[np.int64]) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self._array[index])

    def digest(self) -> str:
        with self._path.open("rb") as file:
            size = self._path.stat().st_size
            if size <= _HASHED_ARRAY:
                return hashlib.file_digest(file, "sha256").hexdigest()
            return _hash_pieces(file, size)


def _hash_pieces(file: BinaryIO, size: int) -> str:
    """Hash a part of a large file: the time of its last change would differ between two machines that hold the same."""
    found = hashlib.sha256(str(size).encode())
    for start in np.linspace(0, size - _PIECE, _PIECES, dtype=np.int64):
        file.seek(int(start))
        found.update(file.read(_PIECE))
    return found.hexdigest()


def open_folder(folder: Path, names: Sequence[str], lines: Sequence[int], channels: int | None = None) -> Images:
    """Find the files that a table names; they are read when they are needed.

    Args:
        folder: Where they are.
        names: The file of each row, relative to the folder; whatever Pillow reads.
        lines: The line of the table on which each row stands, for messages.
        channels: 1 for grey, 3 for RGB, to which every image is converted; None for what the first image is, which every
            other one then has to be.

    Raises:
        BenchmarkError: The folder or files are missing, a file is named twice, or (of up to 256 that are looked at) one is no
            image, holds more than 8 bits a channel or has another size than the first.
    """
    if not folder.is_dir():
        raise BenchmarkError(
            f"{folder}: there is no such folder of images; write its path relative to the description."
        )
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        listed = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise BenchmarkError(
            f"{folder}: {len(missing):,} of {len(names):,} images that the table names are not there: {listed}; "
            "correct the column image or the folder."
        )
    first: dict[str, int] = {}
    for name, line in zip(names, lines, strict=True):
        if first.setdefault(name, line) != line:
            raise BenchmarkError(
                f"{folder}: the table names {name} on lines {first[name]} and {line}; an image has one row, or it would be in "
                "the training set and held out at once."
            )
    return _Folder(folder, names, channels)


class _Folder:
    def __init__(self, folder: Path, names: Sequence[str], channels: int | None) -> None:
        self._folder, self._names = folder, names
        self._is_mixed = channels is not None
        width, height, found = self._look(0)
        self.shape = (height, width, channels or found)
        for row in np.unique(np.linspace(0, len(names) - 1, _LOOKED_AT, dtype=np.int64)):
            self._check(int(row), *self._look(int(row)))

    def read(self, index: NDArray[np.int64]) -> NDArray[np.uint8]:
        images = np.empty((len(index), *self.shape), dtype=np.uint8)
        for place, row in enumerate(index.tolist()):
            images[place] = self._read(row)
        return images

    def digest(self) -> str:
        paths = [self._folder / name for name in self._names]
        sizes = [path.stat().st_size for path in paths]
        is_small = sum(sizes) <= _HASHED_FOLDER
        found = hashlib.sha256()
        for name, path, size in zip(self._names, paths, sizes, strict=True):
            content = hashlib.sha256(path.read_bytes()).hexdigest() if is_small else size
            found.update(f"{name}\0{content}\0".encode())
        return found.hexdigest()

    def _look(self, row: int) -> tuple[int, int, int]:
        """Width, height and channels of an image, from the head of its file."""
        import PIL.Image

        try:
            with PIL.Image.open(self._folder / self._names[row]) as image:
                return (*image.size, self._channels(row, image.mode))
        except _unreadable() as error:
            raise self._broken(row, error) from None

    def _read(self, row: int) -> NDArray[np.uint8]:
        import PIL.Image

        try:
            with PIL.Image.open(self._folder / self._names[row]) as file:
                self._check(row, *file.size, self._channels(row, file.mode))
                image: Image = file
                if file.mode in TRANSPARENT or "transparency" in file.info:
                    image = self._opaque(row, file.convert("RGBA"), grey=file.mode in (*GREY, *GREY_TRANSPARENT))
                pixels = np.asarray(image.convert("L" if self.shape[2] == 1 else "RGB"))
        except _unreadable() as error:
            raise self._broken(row, error) from None
        return pixels.reshape(self.shape)

    def _opaque(self, row: int, image: Image, grey: bool) -> Image:
        """Drop an alpha channel that hides nothing."""
        if image.getchannel("A").getextrema()[0] != 255:
            raise self._error(
                row, "is transparent in parts, and what is behind it is not known; save it on a background"
            )
        return image.convert("L" if grey else "RGB")

    def _channels(self, row: int, mode: str) -> int:
        if mode in (*GREY, *GREY_TRANSPARENT):
            return 1
        if mode in (*COLOUR, *TRANSPARENT):
            return 3
        raise self._error(row, f"has pixels of mode {mode}; save it with 8 bits for each channel, as grey or RGB")

    def _check(self, row: int, width: int, height: int, channels: int) -> None:
        if (height, width) != self.shape[:2]:
            raise self._error(
                row,
                f"has {width} by {height} pixels, and {self._names[0]} has {self.shape[1]} by {self.shape[0]}; all images "
                "need one size",
            )
        if channels != self.shape[2] and not self._is_mixed:
            kinds = {1: "grey", 3: "in colour"}
            raise self._error(
                row,
                f"is {kinds[channels]}, and {self._names[0]} is {kinds[self.shape[2]]}; set channels = 1 or 3 to convert them all",
            )

    def _broken(self, row: int, error: Exception) -> BenchmarkError:
        reason = str(error).replace(str(self._folder / self._names[row]), self._names[row])
        return self._error(row, f"cannot be read as an image ({reason})")

    def _error(self, row: int, problem: str) -> BenchmarkError:
        return BenchmarkError(f"{self._folder}: {self._names[row]} {problem}.")


def _unreadable() -> tuple[type[Exception], ...]:
    """What Pillow raises for files that are no images, are cut off, or are too large."""
    import PIL.Image

    return (OSError, SyntaxError, ValueError, EOFError, PIL.Image.DecompressionBombError)
