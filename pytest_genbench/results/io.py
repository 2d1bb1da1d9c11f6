"""Read and write results documents, and carry cases between processes as builtin types."""

from __future__ import annotations

import collections.abc
import dataclasses
import itertools
import json
import math
import os
import secrets
import shutil
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from ..errors import DocumentError, GenbenchError, nearest
from .schema import SCHEMA, Case, Document

FORMAT = "genbench results"
"""What a document says it is, so that another tool's JSON is not taken for one."""

_WIDTH = 120
_SCALARS = (type(None), bool, int, float, str)


def check_builtin(value: object, where: str) -> None:
    """Refuse what cannot travel between processes or be written as JSON.

    A NumPy scalar looks like a number until it kills an xdist worker, so this is called where results are recorded:
    runs with and without workers then fail alike.

    Args:
        value: Anything.
        where: What to call it in the message.

    Raises:
        GenbenchError: Something in it is not exactly None, bool, int, float, str, list, tuple or dict with str keys, or
            is not finite, or is not text that UTF-8 can hold. The message names the path to the first such value.
    """
    for path, problem in _problems(value, where):
        raise GenbenchError(f"{path} {problem}")


def to_plain(document: Document) -> dict[str, Any]:
    """Turn a document into builtin types, cases sorted by key.

    Raises:
        DocumentError: Two cases have the same key, or a value is not a finite builtin.
    """
    cases = sorted(document.cases, key=lambda case: case.key)
    for one, next_one in itertools.pairwise(cases):
        if one.key == next_one.key:
            raise DocumentError(f"Two cases have the key {'/'.join(one.key)}; a results document holds each once.")
    plain = _plain(dataclasses.replace(document, cases=tuple(cases)))
    for path, problem in _problems(plain, "document"):
        raise DocumentError(f"{path} {problem}")
    return {"format": FORMAT, "schema": SCHEMA, **plain}


def to_json(document: Document) -> str:
    """Write a document as text that can be reviewed: sorted keys, floats unrounded, small groups of values on one line.

    Raises:
        DocumentError: As for :func:`to_plain`.
    """
    return _layout(to_plain(document)) + "\n"


def from_json(text: str, name: str) -> Document:
    """Parse a document.

    Args:
        text: JSON.
        name: What to call it in messages, such as its path.

    Raises:
        DocumentError: Not JSON, truncated, not a genbench document, another schema number, a field that is missing,
            unknown or of the wrong type, or the same case twice.
    """
    plain = _parse(text, name)
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise DocumentError(f'{name}: not a genbench results document (no \'"format": "{FORMAT}"\' at its top level).')
    schema = plain.get("schema")
    if schema != SCHEMA:
        raise DocumentError(
            f"{name}: schema number {schema!r}, but this version of genbench reads {SCHEMA}; "
            "use the version that wrote it, or write it again."
        )
    if "cases" not in plain:
        raise DocumentError(f"{name}: missing field 'cases'.")
    for path, problem in _problems(plain, "document"):
        raise DocumentError(f"{name}: {path} {problem}")
    try:
        document = _record(Document, {k: v for k, v in plain.items() if k not in ("format", "schema")}, "")
        _check_meaning(document)
    except DocumentError as error:
        raise DocumentError(f"{name}: {error}") from None
    return typing.cast(Document, document)


def read(path: str | os.PathLike[str]) -> Document:
    """Read a document from a file.

    Raises:
        DocumentError: The file is missing or unreadable, or as for :func:`from_json`.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DocumentError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise DocumentError(f"{path}: is a folder, not a results document.") from None
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError:
        raise DocumentError(f"{path}: not JSON (not even text in UTF-8).") from None
    return from_json(text, str(path))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Say early that a document could not be written at the end; creates nothing.

    Raises:
        DocumentError: The folder is missing or not a folder, the path is a folder or no ordinary file, or permission
            lacks.
    """
    target = Path(os.path.realpath(path))
    folder = target.parent
    if target.is_dir():
        raise DocumentError(f"{path}: is a folder; name a file in it.")
    if not folder.exists():
        raise DocumentError(f"{path}: the folder {folder} does not exist; create it first.")
    if not folder.is_dir():
        raise DocumentError(f"{path}: {folder} is not a folder.")
    if target.exists() and not target.is_file():
        raise DocumentError(f"{path}: is not an ordinary file.")
    if not os.access(folder, os.W_OK | os.X_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise DocumentError(f"{path}: no permission to write there.")


def write(path: str | os.PathLike[str], document: Document) -> None:
    """Write a document; see :func:`write_text`."""
    write_text(path, to_json(document))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file so that readers see the old content or the new, never a part.

    A link is followed, and an existing file keeps its permissions.

    Raises:
        DocumentError: It cannot be written; what was there before is still there.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    # In the same folder, because a rename across file systems is not atomic.
    temporary = target.with_name(f".genbench-{secrets.token_hex(8)}.tmp")
    try:
        # Not tempfile: its files are private to the user, while a baseline is shared.
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise DocumentError(f"{path}: cannot be written ({error.strerror or error}).") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def case_to_plain(case: Case) -> dict[str, Any]:
    """Turn a case into builtin types, to be attached to a test report.

    Raises:
        GenbenchError: As for :func:`check_builtin`.
    """
    plain: dict[str, Any] = _plain(case)
    check_builtin(plain, f"Result of {'/'.join(str(part) for part in case.key if part)}:")
    return plain


def case_from_plain(plain: Mapping[str, Any]) -> Case:
    """Undo :func:`case_to_plain`.

    Raises:
        DocumentError: A field is missing, unknown or of the wrong type.
    """
    return typing.cast(Case, _record(Case, plain, "case"))


def _problems(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path to, and the problem with, each value that is not a finite builtin."""
    kind = type(value)
    if kind is float:
        if not math.isfinite(value):  # type: ignore[arg-type]
            yield path, f"is {value}; a result has to be a finite number."
    elif kind is str:
        try:
            value.encode()  # type: ignore[attr-defined]
        except UnicodeEncodeError:
            yield path, "holds characters that UTF-8 cannot write."
    elif kind is dict:
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str:
                yield path, f"has the key {key!r} of type {_name(type(key))}; keys have to be str."
            else:
                yield from _problems(item, f"{path}.{key}")
    elif kind is list or kind is tuple:
        for position, item in enumerate(value):  # type: ignore[arg-type]
            yield from _problems(item, f"{path}[{position}]")
    elif kind not in _SCALARS:
        yield (
            path,
            f"is of type {_name(kind)}; results hold builtin types only, so convert it (float(x), int(x), x.tolist()).",
        )


def _name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _plain(value: Any) -> Any:
    """Dataclasses and mappings become dicts, sequences become lists; everything else is left as it is."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _layout(value: Any, margin: int = 0) -> str:
    """Like ``json.dumps(indent=1)``, but scalars that belong together share a line where it is short enough."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if all(isinstance(item, _SCALARS) for item in items):
        line = json.dumps(value, sort_keys=True, allow_nan=False)
        if not items or margin + len(line) <= _WIDTH:
            return line
    inner = margin + 1
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_layout(value[key], inner)}" for key in sorted(value)]
    else:
        parts = [_layout(item, inner) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(" " * inner + part for part in parts)
    return f"{opening}\n{lines}\n{' ' * margin}{closing}"


def _parse(text: str, name: str) -> Any:
    if not text.strip():
        raise DocumentError(f"{name}: is empty.")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise DocumentError(
                f"{name}: truncated; it ends in the middle, at line {text.rstrip().count(chr(10)) + 1}."
            ) from None
        raise DocumentError(f"{name}: not JSON (line {error.lineno}, column {error.colno}: {error.msg}).") from None
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{name}: not JSON that can be read ({error}).") from None


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


_hints = lru_cache(typing.get_type_hints)
"""Annotations are evaluated once for each class, not for each of a thousand scores."""


def _record(kind: Any, value: Any, where: str) -> Any:
    """Make a dataclass from a mapping; `where` is the path to it."""
    if not isinstance(value, Mapping):
        raise DocumentError(f"{where}: expected an object, found {_show(value)}.")
    hints = _hints(kind)
    place = f"{where}: " if where else ""
    for key in value:
        # Dropping it would lose it when the document is next saved.
        if key not in hints:
            raise DocumentError(f"{place}unknown field {key!r}.{nearest(str(key), hints)}")
    made = {}
    for field in dataclasses.fields(kind):
        if field.name in value:
            made[field.name] = _build(hints[field.name], value[field.name], f"{where}.{field.name}".lstrip("."))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise DocumentError(f"{place}missing field {field.name!r}.")
    return kind(**made)


def _build(kind: Any, value: Any, where: str) -> Any:
    """Check a plain value against a type annotation, and give it that type."""
    if kind is Any or type(value) is kind:
        return value
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _record(kind, value, where)
    if kind is float and type(value) in (int, float):
        return float(value)
    if origin is Literal and type(value) is str and value in arguments:
        return value
    if origin is tuple and isinstance(value, list | tuple):
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else list(arguments)
        if len(kinds) == len(value):
            return tuple(_build(k, item, f"{where}[{i}]") for i, (k, item) in enumerate(zip(kinds, value, strict=True)))
    if origin is collections.abc.Mapping and isinstance(value, Mapping):
        return {key: _build(arguments[1], item, f"{where}.{key}") for key, item in value.items()}
    if origin in (types.UnionType, typing.Union):
        return _build_union(arguments, value, where)
    raise DocumentError(f"{where}: expected {_describe(kind)}, found {_show(value)}.")


def _build_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    rest = [kind for kind in kinds if kind is not type(None)]
    if len(rest) == 1:
        return _build(rest[0], value, where)
    for kind in rest:
        with suppress(DocumentError):
            return _build(kind, value, where)
    raise DocumentError(f"{where}: expected {' or '.join(map(_describe, rest))}, found {_show(value)}.")


def _describe(kind: Any) -> str:
    """Name a type annotation in the words of JSON."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin is tuple:
        return "a list" if arguments[-1] is Ellipsis else f"a list of {len(arguments)}"
    if origin is collections.abc.Mapping:
        return "an object"
    return {str: "text", int: "a whole number", float: "a number", bool: "true or false"}.get(kind, str(kind))


def _show(value: Any) -> str:
    """Show a value in an error message, on one line of bearable length."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= 60 else text[:57] + "..."


def _check_meaning(document: Document) -> None:
    """Refuse what has the right type and still cannot be: comparisons divide by these counts."""
    seen = set()
    for position, case in enumerate(document.cases):
        if case.key in seen:
            raise DocumentError(f"cases[{position}]: the case {'/'.join(case.key)} is there twice.")
        seen.add(case.key)
        for number, score in enumerate(case.scores):
            where = f"cases[{position}].scores[{number}]"
            if not 1 <= score.n <= score.population:
                raise DocumentError(f"{where}: n = {score.n} of a population of {score.population} cannot be.")
            for name, (count, _) in score.clusters.items():
                if count < 1:
                    raise DocumentError(f"{where}.clusters.{name}: {count} items; a cluster has at least one.")
