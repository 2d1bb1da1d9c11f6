"""Hashes of the files a model is made from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from ..errors import nearest


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def neighbours(path: Path, suffixes: Iterable[str] = ()) -> str:
    """Say which nearest names there are in a missing file's folder, with a leading space; may be empty."""
    if not path.parent.is_dir():
        return f" There is no folder {str(path.parent)!r} either."
    wanted = tuple(suffixes)
    names = [file.name for file in path.parent.iterdir() if file.is_file() and (not wanted or file.suffix in wanted)]
    if not names:
        return " There is no other of its kind either."
    said = nearest(path.name, names)
    return said if len(said) < 400 else f" {str(path.parent)!r} holds {len(names)} other such files."
