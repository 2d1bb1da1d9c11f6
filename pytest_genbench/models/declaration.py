"""Declarations: what people say about a model in options, sidecar files and metadata, checked key by key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

from ..errors import GenbenchError, HierarchyError, ModelError, OptionError, nearest
from ..hierarchy import Hierarchy

Source = Literal["option", "sidecar", "metadata", "graph", "default"]

ROLES = ("reconstruction", "embedding", "scores", "factors", "factor.<name>", "assignment.<k>")
"""The meanings an output can have."""

_ROLE = re.compile(r"reconstruction|embedding|scores|factors|factor\..+|assignment\.\d+")


def is_role(name: str) -> bool:
    """Whether a name says what an output means: ``embedding``, ``factor.shape``, ``assignment.0``."""
    return _ROLE.fullmatch(name) is not None


@dataclass(frozen=True)
class Declaration:
    """All that one source says.

    Attributes:
        source: Kind of source.
        where: The source in words, for messages: ``the metadata of m.onnx``.
        values: Checked values by key.
    """

    source: Source
    where: str
    values: Mapping[str, Any]

    def error(self, message: str) -> GenbenchError:
        """Return the error to raise for a value of this source: an option is the user's, a file is the model's."""
        return OptionError(message) if self.source == "option" else ModelError(message)


def declare(source: Source, where: str, raw: Mapping[str, object]) -> Declaration:
    """Check raw keys and values, which are strings (metadata, options) or TOML and Python values (sidecar, ``genbench``
    dict).

    Raises:
        OptionError: A key or value of an option cannot be used.
        ModelError: A key or value of any other source cannot be used.
    """
    values: dict[str, Any] = {}
    blank = Declaration(source, where, {})
    for key, value in raw.items():
        if key not in PARSERS:
            raise blank.error(f"{where}: {key!r} is not a key of the contract.{nearest(key, PARSERS)}")
        try:
            values[key] = PARSERS[key](value)
        except (TypeError, ValueError) as error:
            raise blank.error(f"{where}: {key} = {value!r} cannot be used: {error}") from None
    return Declaration(source, where, values)


def parse_pairs(pairs: Iterable[str], option: str) -> dict[str, str]:
    """Read ``KEY=VALUE`` texts of a command line.

    Raises:
        OptionError: One has no ``=``, an unknown key, or a value that cannot be used.
    """
    raw: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise OptionError(f"{option} takes KEY=VALUE, such as range=0,255; got {pair!r}.")
        raw[key.strip()] = value.strip()
    declare("option", option, raw)
    return raw


def from_metadata(where: str, metadata: Mapping[str, str]) -> Declaration:
    """Read ``genbench.<key>`` strings; other people's keys are left alone, near misses of the prefix are not."""
    raw: dict[str, object] = {}
    for key, value in metadata.items():
        if key.startswith("genbench."):
            raw[key.removeprefix("genbench.")] = value
        elif key.lower().startswith("genbench"):
            known = [f"genbench.{name}" for name in PARSERS]
            raise ModelError(f"{where}: {key!r} is not a key of the contract.{nearest(key, known)}")
    return declare("metadata", where, raw)


def from_sidecar(model: Path) -> Declaration | None:
    """Read ``m.genbench.toml`` beside ``m.onnx`` (or beside the weights), if there is one."""
    path = model.with_name(model.stem + ".genbench.toml")
    if not path.is_file():
        return None
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{path.name} is not valid TOML: {error}") from None
    return declare("sidecar", path.name, raw)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError("write a name")
    return value.strip()


def _items(value: object) -> list[object]:
    """Split ``"0, 1"``, ``"[0, 1]"`` or ``[0, 1]`` into items."""
    if isinstance(value, str):
        text = value.strip().removeprefix("[").removesuffix("]").strip()
        return [part.strip() for part in text.split(",")] if text else []
    if isinstance(value, list | tuple):
        return list(value)
    return [value]


def _numbers(value: object) -> tuple[float, ...]:
    try:
        numbers = tuple(float(item) for item in _items(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError("write numbers separated by commas") from None
    if not numbers or not all(abs(number) < float("inf") for number in numbers):
        raise ValueError("write finite numbers separated by commas")
    return numbers


def _range(value: object) -> tuple[float, float]:
    numbers = _numbers(value)
    if len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise ValueError('write the lowest and the highest pixel value, as in "0, 1" or "0, 255"')
    return numbers[0], numbers[1]


def _size(value: object) -> tuple[int, int]:
    numbers = _numbers(value)
    if len(numbers) != 2 or not all(number.is_integer() and number >= 1 for number in numbers):
        raise ValueError('write height and width in pixels, as in "224, 224"')
    return int(numbers[0]), int(numbers[1])


def _std(value: object) -> tuple[float, ...]:
    numbers = _numbers(value)
    if min(numbers) <= 0:
        raise ValueError("every standard deviation must be above 0")
    return numbers


def _layout(value: object) -> str:
    text = _text(value).upper()
    if text not in ("NCHW", "NHWC"):
        raise ValueError("write NCHW or NHWC")
    return text


def _names(value: object) -> tuple[str, ...]:
    names = tuple(_text(item) for item in _items(value))
    if not names:
        raise ValueError("write split ids separated by commas, or none")
    return names


def _outputs(value: object) -> tuple[tuple[str, str], ...]:
    """Read ``"z=embedding, y=reconstruction"``, JSON of the same, or a table; returns (graph name, role) pairs."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = json.loads(value)
    if isinstance(value, Mapping):
        pairs = [(_text(name), _text(role)) for name, role in value.items()]
    else:
        pairs = []
        for item in _items(value):
            name, equals, role = _text(item).rpartition("=")
            if not equals or not name.strip() or not role.strip():
                raise ValueError('write pairs as in "z=embedding, y=reconstruction"')
            pairs.append((name.strip(), role.strip()))
    for _, role in pairs:
        if not is_role(role):
            raise ValueError(f"{role!r} is not a role.{nearest(role, ROLES)}")
    twice = {role for _, role in pairs if [other for _, other in pairs].count(role) > 1}
    if twice:
        raise ValueError(f"two outputs have the role {sorted(twice)[0]!r}")
    return tuple(pairs)


def _count(value: object) -> int:
    number = int(value) if isinstance(value, str | int) and not isinstance(value, bool) else 0
    if number < 1:
        raise ValueError("write how many numbers the code has, at least 1")
    return number


def _hierarchy(value: object) -> Hierarchy:
    """Read a hierarchy written as JSON, or as the lists and objects that TOML and Python hold; one that is made already stays."""
    if isinstance(value, Hierarchy):
        return value
    try:
        return Hierarchy.from_json(cast(Any, value))
    except HierarchyError as error:
        raise ValueError(str(error)) from None


def _beside(value: object) -> str:
    """Check a path that must stay in the model's folder: a declaration must not make us read other files."""
    path = PurePosixPath(_text(value).replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise ValueError("write a path relative to the model's folder, inside that folder")
    return str(path)


PARSERS: Mapping[str, Callable[[object], Any]] = {
    "benchmark": _text,
    "code_size": _count,
    "decoder": _beside,
    "hierarchy": _hierarchy,
    "input": _text,
    "layout": _layout,
    "mean": _numbers,
    "outputs": _outputs,
    "range": _range,
    "size": _size,
    "std": _std,
    "trained_on": _names,
}
"""Keys of the contract that can be declared, with their readers."""
