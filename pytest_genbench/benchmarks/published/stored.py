"""Arrays where they lie in .npy, .npz and .h5 files: their shape first, then their rows, never the whole.

Formats: numpy.lib.format (NEP 1) for .npy; APPNOTE.TXT 4.3 of PKWARE for .npz, a zip archive of .npy files.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...errors import BenchmarkError
from .files import PIECE, md5
from .unpack import unpacked

if TYPE_CHECKING:
    import h5py

_BLOCK = 1 << 28
"""Bytes of an HDF5 array that are unpacked at a time, at most."""

_DIRECTORY = 22
"""Bytes of the smallest directory at the end of a zip archive."""


class Stored(Protocol):
    """An array within a file, which is open only while it is read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def load(self) -> NDArray[Any]:
        """Read all of it; for labels, which are small."""

    def map(self, cache: Path | None) -> NDArray[Any]:
        """Map it into memory; what is compressed is unpacked into the cache folder first, once."""


def open_stored(path: Path, key: str | None) -> Stored:
    """Find an array in a file, by the file's suffix.

    Args:
        path: An .npy, .npz, .h5 or .hdf5 file.
        key: Name of the array; None for that of an .npy file.

    Raises:
        BenchmarkError: The file is none of its kind or cut short, it has no such array, or the array holds Python objects,
            which are never unpickled; h5py is not installed.
    """
    if key is None:
        return Npy(path)
    return Npz(path, key) if path.suffix == ".npz" else Hdf5(path, key)


@dataclass(frozen=True)
class _Header:
    """What an .npy file says of its array; `length` is where the array begins."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_fortran: bool
    length: int

    @property
    def end(self) -> int:
        """Bytes of the whole file."""
        return self.length + int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def map(self, path: Path, start: int) -> NDArray[Any]:
        if self.is_fortran:
            raise BenchmarkError(
                f"{path}: in Fortran order, a row would be spread over the whole file; save numpy.ascontiguousarray of it."
            )
        return np.memmap(path, self.dtype, "r", start + self.length, self.shape)


def _read_header(stream: IO[bytes], where: str) -> _Header:
    try:
        version = npy.read_magic(stream)
        # Version 3 differs in the names of fields only, and these arrays have none.
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, dtype = read(stream)
    except ValueError as error:
        raise BenchmarkError(f"{where}: not an array in NumPy's format ({error}).") from None
    _refuse_objects(dtype, where)
    return _Header(shape, dtype, is_fortran, stream.tell())


def _refuse_objects(dtype: np.dtype[Any], where: str) -> None:
    if dtype.hasobject:
        raise BenchmarkError(
            f"{where}: holds Python objects, and reading them could run code; save it as an array of numbers."
        )


def _cut_short(path: Path, whole: str) -> BenchmarkError:
    return BenchmarkError(f"{path}: is cut short: {path.stat().st_size:,} of {whole} bytes; get it again.")


class Npy:
    """The array of an .npy file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as stream:
            self._header = _read_header(stream, str(path))
        if path.stat().st_size < self._header.end:
            raise _cut_short(path, f"{self._header.end:,}")
        self.shape, self.dtype = self._header.shape, self._header.dtype

    def load(self) -> NDArray[Any]:
        """Read all of it."""
        return np.asarray(np.load(self._path, allow_pickle=False))

    def map(self, cache: Path | None) -> NDArray[Any]:
        """Map it where it lies."""
        return self._header.map(self._path, 0)


class Npz:
    """An array of an .npz file."""

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._where = path, f"{path}, array {key!r}"
        self._key = key
        with self._opened() as (info, stream):
            self._info = info
            self._header = _read_header(stream, self._where)
        if info.file_size != self._header.end:
            raise self._broken(f"{info.file_size:,} bytes are stored, its shape needs {self._header.end:,}")
        self.shape, self.dtype = self._header.shape, self._header.dtype

    def load(self) -> NDArray[Any]:
        """Read all of it."""
        with self._opened() as (_, stream):
            return np.asarray(npy.read_array(stream, allow_pickle=False))

    def map(self, cache: Path | None) -> NDArray[Any]:
        """Map it where it lies, or unpack it first where it is compressed."""
        if self._info.compress_type == zipfile.ZIP_STORED:
            return self._header.map(self._path, self._start())
        name = f"{self._path.stem}-{self._key}-{md5(self._path, cache)[:16]}.npy"
        return self._header.map(unpacked(name, self._header.end, self._pieces, cache), 0)

    def _pieces(self) -> Iterator[bytes]:
        with self._opened() as (_, stream):
            while piece := stream.read(PIECE):
                yield piece

    def _start(self) -> int:
        """Where the member begins: its local header's extra field need not be as long as that in the directory."""
        with self._path.open("rb") as file:
            file.seek(self._info.header_offset)
            local = file.read(30)
        name, extra = struct.unpack("<HH", local[26:])
        return self._info.header_offset + len(local) + int(name) + int(extra)

    @contextmanager
    def _opened(self) -> Iterator[tuple[zipfile.ZipInfo, IO[bytes]]]:
        """Open the member; opening checks its local header, and reading to the end its checksum."""
        member = f"{self._key}.npy"
        try:
            with zipfile.ZipFile(self._path) as archive:
                if member not in archive.namelist():
                    raise self._broken(f"there is none; the file has {', '.join(archive.namelist()) or 'nothing'}")
                with archive.open(member) as stream:
                    yield archive.getinfo(member), stream
        except zipfile.BadZipFile as error:
            raise self._no_archive(error) from None
        except (RuntimeError, zlib.error, EOFError) as error:
            raise self._broken(f"cannot be read ({error})") from None

    def _no_archive(self, error: zipfile.BadZipFile) -> BenchmarkError:
        with self._path.open("rb") as file:
            local = file.read(1 << 10)
        if local.startswith(b"PK\3\4") and not zipfile.is_zipfile(self._path):
            least = max(_first_member_end(local), self._path.stat().st_size + _DIRECTORY)
            return _cut_short(self._path, f"at least {least:,}")
        return BenchmarkError(f"{self._path}: not an .npz file that can be read ({error}); get it again.")

    def _broken(self, what: str) -> BenchmarkError:
        return BenchmarkError(f"{self._where}: {what}.")


def _first_member_end(local: bytes) -> int:
    """Where the first member of an archive ends, from its local header; a part of a header counts as zeros."""
    size, name, extra = (int.from_bytes(local[start:end], "little") for start, end in ((18, 22), (26, 28), (28, 30)))
    if size == 0xFFFFFFFF:  # zip64: an extra field has it, after its own number and length and the unpacked size
        size = int.from_bytes(local[30 + name + 12 : 30 + name + 20], "little")
    return 30 + name + extra + size


class Hdf5:
    """A data set of an HDF5 file."""

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key
        self._where = f"{path}, data set {key!r}"
        with self._opened() as data:
            self.shape, self.dtype = data.shape, data.dtype
        _refuse_objects(self.dtype, self._where)

    def load(self) -> NDArray[Any]:
        """Read all of it."""
        with self._opened() as data:
            return np.asarray(data[:])

    def map(self, cache: Path | None) -> NDArray[Any]:
        """Unpack it, and map that.

        HDF5 can read single rows, but h5py's own choice of chunks for such an array puts a few pixels of 15,000 images into
        each, so that a random batch would decompress all of 3dshapes.h5.
        """
        name = f"{self._path.stem}-{self._key}-{md5(self._path, cache)[:16]}.npy"
        size = len(self._header()) + int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        return Npy(unpacked(name, size, self._pieces, cache)).map(cache)

    def _header(self) -> bytes:
        buffer = BytesIO()
        about = {"shape": self.shape, "fortran_order": False, "descr": npy.dtype_to_descr(self.dtype)}
        npy.write_array_header_1_0(buffer, about)
        return buffer.getvalue()

    def _pieces(self) -> Iterator[bytes]:
        yield self._header()
        with self._opened() as data:
            most = max(1, _BLOCK // max(1, data.nbytes // max(1, len(data))))
            rows = min(most, data.chunks[0] if data.chunks else most)
            for start in range(0, len(data), rows):
                yield data[start : start + rows].tobytes()

    @contextmanager
    def _opened(self) -> Iterator[h5py.Dataset]:
        try:
            import h5py
        except ModuleNotFoundError:
            raise BenchmarkError(
                f"{self._path}: reading HDF5 needs h5py: pip install 'pytest-genbench[data]'."
            ) from None
        try:
            with h5py.File(self._path, "r") as file:
                if not isinstance(file.get(self._key), h5py.Dataset):
                    raise BenchmarkError(f"{self._where}: there is none; the file has {', '.join(file) or 'nothing'}.")
                yield file[self._key]
        except OSError as error:
            whole = re.search(r"truncated file: .*stored_eof = (\d+)", str(error))
            if whole:
                raise _cut_short(self._path, f"{int(whole[1]):,}") from None
            raise BenchmarkError(f"{self._path}: not an HDF5 file that can be read ({error}); get it again.") from None
