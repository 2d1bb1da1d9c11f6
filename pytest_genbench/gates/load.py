"""Read gates from TOML: a team's own file first, the shipped defaults after it."""

from __future__ import annotations

import os
import re
import tomllib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import fields
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar

from ..errors import GateError, nearest
from .model import AggregateGate, Bound, Gate, Gates

_SUITES = "pytest_genbench.suites"
_BoundT = TypeVar("_BoundT", bound=Bound)


class Known(TypedDict):
    """Names that a benchmark has, for :func:`validate`.

    Attributes:
        families: Split families.
        outputs: Names of its tasks.
        metrics: Names of all its metrics; as a mapping to ``higher`` or ``lower``, directions are checked too.
    """

    families: Iterable[str]
    outputs: Iterable[str]
    metrics: Iterable[str] | Mapping[str, Literal["higher", "lower"]]


def load(path: str | os.PathLike[str] | None = None, others: Iterable[Path] = ()) -> Gates:
    """Read a gates file and put it before the shipped defaults.

    Args:
        path: A TOML file with ``[[gate]]`` and ``[[aggregate]]`` tables, whose keys are the fields of :class:`Gate` and
            :class:`AggregateGate`. With ``defaults = false`` at its top level the shipped gates are dropped. None for
            the shipped gates alone.
        others: Gates files that other packages ship with their suites; they stand beside our shipped ones.

    Raises:
        GateError: The file cannot be read, is not TOML, or says something that cannot be. The message names the line.
    """
    found = [] if path is None else [_read(Path(path), str(path))]
    parts = [gates for gates, _ in found]
    if all(with_defaults for _, with_defaults in found):
        parts += [_shipped(), *(_read(other, str(other))[0] for other in others)]
    return Gates(
        tuple(gate for part in parts for gate in part.gates),
        tuple(aggregate for part in parts for aggregate in part.aggregates),
        ", then ".join(part.source for part in parts),
    )


def validate(gates: Gates, known: Mapping[str, Known]) -> None:
    """Refuse patterns that fit nothing there is: a misspelt gate would never turn red.

    Args:
        gates: What :func:`load` returned.
        known: For each benchmark, the names it has.

    Raises:
        GateError: A benchmark, family, output or metric fits nothing, or a bound is on the wrong side of its metric.
    """
    entries: tuple[Bound, ...] = (*gates.gates, *gates.aggregates)
    for entry in entries:
        chosen = [known[name] for name in _fitting(entry, "benchmark", entry.benchmark, known)]
        _fitting(entry, "family", entry.family, {name for names in chosen for name in names["families"]})
        _fitting(entry, "output", entry.output, {name for names in chosen for name in names["outputs"]})
        metrics = _fitting(entry, "metric", entry.metric, {name for names in chosen for name in names["metrics"]})
        # A wildcard may reach metrics of both directions, of which only the first score of a case is meant.
        if len(metrics) == 1:
            for names in chosen:
                if isinstance(names["metrics"], Mapping) and metrics[0] in names["metrics"]:
                    entry.check_direction(metrics[0], names["metrics"][metrics[0]])


def shipped_path() -> Path:
    """Where the shipped gates are: in the installed package, or in a checkout that was never installed.

    Raises:
        GateError: They are in neither place, so the installation is damaged.
    """
    # By string: the package is mapped to the folder suites/ when built, and does not exist beside this file.
    spec = find_spec(_SUITES)
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    folders.append(Path(__file__).parents[2] / "suites")
    for folder in folders:
        if (folder / "gates.toml").is_file():
            return folder / "gates.toml"
    raise GateError(
        f"The shipped gates.toml is in none of {', '.join(map(str, folders))}; install pytest-genbench again."
    )


def _shipped() -> Gates:
    gates, _ = _read(shipped_path(), "gates.toml (shipped)")
    for entry in (*gates.gates, *gates.aggregates):
        if not entry.reason.strip():
            raise GateError(f"{entry.where}: a shipped gate needs a reason.")
    return gates


def _read(path: Path, name: str) -> tuple[Gates, bool]:
    """Read one file; also return whether the shipped gates shall follow."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise GateError(f"{name}: there is no such gates file.") from None
    except OSError as error:
        raise GateError(f"{name}: cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError:
        raise GateError(f"{name}: not TOML (not even text in UTF-8).") from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise GateError(f"{name}: not TOML: {error}.") from None
    for key in content:
        if key not in ("gate", "aggregate", "defaults"):
            raise GateError(f"{name}: unknown key {key!r}.{nearest(key, ('gate', 'aggregate', 'defaults'))}")
    with_defaults = content.get("defaults", True)
    if not isinstance(with_defaults, bool):
        raise GateError(f"{name}: defaults = {with_defaults!r}; it is true or false.")
    gates = _entries(Gate, "gate", content, text, name)
    aggregates = _entries(AggregateGate, "aggregate", content, text, name)
    return Gates(gates, aggregates, name), with_defaults


def _entries(kind: type[_BoundT], key: str, content: Mapping[str, Any], text: str, name: str) -> tuple[_BoundT, ...]:
    tables = content.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise GateError(f"{name}: {key!r} has to be a list of tables; write [[{key}]].")
    header = re.compile(rf"\s*\[\[\s*{key}\s*\]\]")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if header.match(line)]
    # The parser keeps no line numbers; where headers cannot be counted (inline tables), count entries instead.
    places = [f"line {line}" for line in lines]
    if len(lines) != len(tables):
        places = [f"{key} {number}" for number in range(1, len(tables) + 1)]
    return tuple(_entry(kind, table, f"{name}, {place}") for table, place in zip(tables, places, strict=True))


def _entry(kind: type[_BoundT], table: Mapping[str, Any], where: str) -> _BoundT:
    """Make one gate from its table, checking names and types; values are checked by the gate itself."""
    hints = typing.get_type_hints(kind)
    names = [field.name for field in fields(kind) if field.name != "where"]
    values = {}
    for key, value in table.items():
        if key not in names:
            raise GateError(f"{where}: unknown key {key!r}.{nearest(key, names)}")
        if hints[key] in (float, float | None):
            if type(value) not in (int, float):
                raise GateError(f"{where}: {key} = {value!r}; it has to be a number.")
            value = float(value)
        elif not isinstance(value, str):
            raise GateError(f"{where}: {key} = {value!r}; it has to be text in quotes.")
        values[key] = value
    return kind(**values, where=where)


def _fitting(entry: Bound, kind: str, pattern: str, known: Iterable[str]) -> list[str]:
    """Names that a pattern fits, at least one."""
    names = sorted(known)
    found = [name for name in names if fnmatchcase(name, pattern)]
    if not found:
        raise GateError(f"{entry.where or 'gate'}: {kind} = {pattern!r} fits nothing.{nearest(pattern, names)}")
    return found
