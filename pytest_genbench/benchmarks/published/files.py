"""Finding a published file, and knowing it by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...cache import default_folder, explained, locked, replacing
from ...errors import BenchmarkError, MissingDataError
from .records import Record

if TYPE_CHECKING:
    from tqdm import tqdm

PIECE = 1 << 20
"""Bytes that are read at a time."""


def locate(records: Sequence[Record], folder: Path) -> tuple[Record, Path]:
    """Find the first of some files that serve equally well.

    Args:
        records: Of one data set, the preferred one first.
        folder: Where they are, or in a folder within it that is called like the data set.

    Raises:
        MissingDataError: None of them is there.
    """
    places = (folder, folder / records[0].data_set)
    for record in records:
        for place in places:
            if (place / record.name).is_file():
                return record, place / record.name
    raise MissingDataError(_missing(records, places))


def _missing(records: Sequence[Record], places: tuple[Path, Path]) -> str:
    here, below = places
    wanted = " or ".join(record.described for record in records)
    stems = tuple(Path(record.name).stem.lower() for record in records)
    there = {each.name for place in places if place.is_dir() for each in place.iterdir()}
    alike = sorted(name for name in there if name.lower().startswith(stems))
    near_by = f" There is {', '.join(alike)}, which is not it." if alike else ""
    looked = f"in {here} and {below}" if here.is_dir() else f"in {here}, and there is no such folder"
    return (
        f"Missing file of {records[0].data_set}: {wanted}; looked {looked}.{near_by} Get it from {records[0].source} "
        f"(licence: {records[0].licence}) and put it, under that name, into {below}."
    )


def check_hash(record: Record, path: Path, cache: Path | None) -> None:
    """Compare a file's hash with the published one, where there is one.

    Raises:
        BenchmarkError: They differ.
        CacheError: The cache folder cannot be used.
    """
    if record.md5 is None:
        return
    found = md5(path, cache)
    if found != record.md5:
        raise BenchmarkError(
            f"{path}: the file is not the published one: its MD5 is {found}, expected {record.md5}. Get it again from "
            f"{record.source}; in Python, verify=False reads it as it is."
        )


def md5(path: Path, cache: Path | None) -> str:
    """Hash a file, once: as long as its path, size and time stay the same, the cache folder remembers.

    Returns:
        32 hexadecimal digits.

    Raises:
        CacheError: The cache folder cannot be used.
    """
    state = path.stat()
    known: dict[str, str | int] = {"path": str(path.resolve()), "bytes": state.st_size, "modified": state.st_mtime_ns}
    folder = cache_folder(cache)
    memory = folder / f"{hashlib.sha256(str(known['path']).encode()).hexdigest()[:16]}.json"
    with explained(f"keeping the hash of {path.name}", folder), locked(memory.with_suffix(".lock")):
        found = _remembered(memory, known)
        if found is None:
            found = _hash(path)
            with replacing(memory) as partial:
                partial.write_text(json.dumps({**known, "md5": found}), encoding="utf-8")
    return found


def _remembered(memory: Path, known: dict[str, str | int]) -> str | None:
    try:
        entry = json.loads(memory.read_text(encoding="utf-8"))
        return str(entry.pop("md5")) if entry.keys() == {*known, "md5"} and known.items() <= entry.items() else None
    except (FileNotFoundError, ValueError, AttributeError):
        return None


def _hash(path: Path) -> str:
    found = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file, progress(f"checking {path.name}", path.stat().st_size) as bar:
        while piece := file.read(PIECE):
            found.update(piece)
            bar.update(len(piece))
    return found.hexdigest()


def cache_folder(cache: Path | None) -> Path:
    """The folder within the cache that is for published files; it is made where it is not there.

    Args:
        cache: The cache folder; None for the user's.

    Raises:
        CacheError: It cannot be made.
    """
    folder = (cache or default_folder()) / "published"
    with explained("making the folder for published data", folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def progress(doing: str, total: int) -> tqdm[None]:
    """A bar that counts bytes, where there is a terminal."""
    from tqdm import tqdm

    return tqdm(total=total, desc=doing, unit="B", unit_scale=True, disable=None, leave=False)
