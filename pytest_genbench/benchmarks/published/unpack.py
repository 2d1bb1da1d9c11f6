"""Unpacking compressed arrays into the cache folder, once, so that any row can be read without the others."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from ...cache import explained, locked, replacing
from ...errors import CacheError
from .files import cache_folder, progress


def unpacked(name: str, size: int, pieces: Callable[[], Iterable[bytes]], cache: Path | None) -> Path:
    """Write a file of the cache folder, unless it is there.

    Args:
        name: Of the file; it has to tell the content.
        size: Bytes of the file.
        pieces: Makes the content.
        cache: The cache folder; None for the user's.

    Raises:
        CacheError: The folder cannot be used, or there is too little space.
    """
    folder = cache_folder(cache)
    file = folder / name
    with explained(f"unpacking {name}", folder), locked(file.with_suffix(".lock")):
        if not file.is_file() or file.stat().st_size != size:
            _check_space(name, size, folder)
            with replacing(file) as partial, partial.open("wb") as out, progress(f"unpacking {name}", size) as bar:
                for piece in pieces():
                    out.write(piece)
                    bar.update(len(piece))
    return file


def _check_space(name: str, size: int, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise CacheError(
            f"Unpacking {name} needs {size / 1e9:,.1f} GB in {folder}, and {free / 1e9:,.1f} GB are free. Free some space, or "
            "choose another folder with --genbench-cache."
        )
