"""The cache folder, files that are there whole or not at all, and locks between processes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from .errors import CacheError

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # no space, no quota; Windows has no quota's number


def default_folder() -> Path:
    """The user's cache folder for this package, as the platform has it."""
    from platformdirs import user_cache_path

    return user_cache_path("pytest-genbench", appauthor=False)


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Write a file so that others see the old one or the new one, never half of it.

    Yields:
        A path beside `file`, with the same suffix, to write to. It takes the place of `file` when the block ends, and is removed
        when the block raises.
    """
    partial = file.with_name(f".{os.getpid()}-{file.name}")
    try:
        yield partial
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def explained(doing: str, folder: Path) -> Iterator[None]:
    """Turn a full disk, a read-only folder and the like into one line.

    Args:
        doing: What the block does, to follow "while": ``keeping the trained model``.
        folder: Where.

    Raises:
        CacheError: The operating system refused.
    """
    try:
        yield
    except OSError as error:
        raise refused(error, doing, folder) from error


def is_full(error: BaseException | None) -> bool:
    """Whether an error says that there is no space left, or follows from one that does."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def refused(error: OSError, doing: str, folder: Path) -> CacheError:
    """Say in one line what the operating system refused, and what to do; arguments as for :func:`explained`."""
    if is_full(error):
        return CacheError(
            f"The disk is full while {doing} in {folder}. Free some space, or choose another folder with "
            "--genbench-cache. What is finished is kept, and training goes on from its last checkpoint."
        )
    return CacheError(
        f"{error.strerror or error} while {doing} in {folder}. Make the folder writable, or choose another with "
        "--genbench-cache."
    )


@contextmanager
def locked(file: Path) -> Iterator[float]:
    """Hold a lock between processes; it is free again when its process ends, however it ends.

    Yields:
        Seconds waited for another process to let go; 0 where nobody held it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(file)
    start = monotonic()
    try:
        lock.acquire(timeout=0)
        waited = 0.0
    except Timeout:
        lock.acquire(poll_interval=0.2)
        waited = monotonic() - start
    try:
        yield waited
    finally:
        lock.release()
