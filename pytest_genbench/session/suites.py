"""Find the packaged suites: ours, and those that other packages register."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

from ..errors import nearest

OURS = "pytest_genbench.suites"

GROUP = "pytest_genbench.suites"
"""Entry-point group for suites of other packages: name = "package", whose folder holds the test files."""

ALL = "all"


def folder(package: str = OURS) -> Path:
    """Return the folder of a package, without importing it.

    Raises:
        pytest.UsageError: The package is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise pytest.UsageError(f"The suites of {package} are not installed; install the package that holds them.")
    return Path(next(iter(spec.submodule_search_locations))).resolve()


def names() -> list[str]:
    """Names of our suites."""
    return sorted(path.parent.name for path in folder().glob("*/__init__.py"))


def roots(chosen: Sequence[str]) -> list[Path]:
    """Return the folders to collect for some suites; ours share one, of which :func:`is_left_out` drops the rest.

    Raises:
        pytest.UsageError: A name is not that of a suite; the nearest names are offered.
    """
    ours = names()
    foreign = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    for name in chosen:
        if name not in (*ours, *foreign, ALL):
            raise pytest.UsageError(f"--genbench-suite: no suite {name!r}.{nearest(name, [*ours, *foreign, ALL])}")
    found = [folder()] if set(chosen) & {*ours, ALL} else []
    return found + [folder(package) for name, package in foreign.items() if name in chosen or ALL in chosen]


def foreign_gates() -> list[Path]:
    """Return the gates files that other packages ship in the folders of their suites."""
    files = [folder(entry.value) / "gates.toml" for entry in entry_points(group=GROUP)]
    return [path for path in files if path.is_file()]


def is_left_out(path: Path, chosen: Sequence[str]) -> bool:
    """Whether a path is the folder of one of our suites that was not chosen."""
    return ALL not in chosen and path.parent == folder() and path.is_dir() and path.name not in chosen


def misspelt(arg: str) -> str:
    """Say what an argument may have meant that looks like the folder of a suite and does not exist; else nothing."""
    path = Path(arg.partition("::")[0])
    if path.parent.name != "suites" or not path.parent.is_dir() or path.exists():
        return ""
    return f"no suite {arg!r}.{nearest(path.name, [each.parent.name for each in path.parent.glob('*/__init__.py')])}"
