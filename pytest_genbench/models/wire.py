"""What an ONNX file says of itself, read from its bytes: works without the onnx package and runs nothing.

ONNX Runtime does not tell which external data files a model reads, and they belong to the model's hash. The field
numbers are those of ``onnx.proto``; tensors are skipped, not read, so that the size of the weights does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ModelError

Chunk = memoryview


@dataclass
class OnnxFile:
    """What is read from a ``ModelProto``.

    Attributes:
        ir_version: Version of the file format.
        opsets: Version of each operator set, by domain; the standard one is ``""``.
        metadata: ``metadata_props``.
        external: Locations of external data as they are written, in order, each once.
        has_graph: Whether there is a graph at all.
    """

    ir_version: int = 0
    opsets: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    external: dict[str, None] = field(default_factory=dict)
    has_graph: bool = False


def read(path: Path) -> OnnxFile:
    """Read an ONNX file's structure.

    Raises:
        ModelError: The file is empty, truncated, or no ONNX file.
    """
    data = path.read_bytes()
    if not data:
        raise ModelError(f"{path.name} is empty (0 bytes). Export or download it again.")
    if data.startswith(b"version https://git-lfs"):
        raise ModelError(f"{path.name} is a Git LFS pointer, not the model. Fetch it with: git lfs pull")
    found = OnnxFile()
    try:
        _model(memoryview(data), found)
    except (_MalformedError, UnicodeDecodeError):
        kind = "a text file" if _is_text(data) else "truncated, or no ONNX file"
        raise ModelError(f"{path.name} is {kind} ({len(data)} bytes). Export or download it again.") from None
    if not found.has_graph or not found.ir_version:
        kind = "a text file" if _is_text(data) else "truncated, or no ONNX file"
        raise ModelError(f"{path.name} is {kind}: {len(data)} bytes without a graph. Export or download it again.")
    return found


class _MalformedError(Exception):
    """The bytes are no protocol buffer."""


def _is_text(data: bytes) -> bool:
    """Whether the beginning reads as text."""
    try:
        head = data[:512].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return all(letter.isprintable() or letter in "\r\n\t" for letter in head)


def _varint(data: Chunk, at: int) -> tuple[int, int]:
    """Read a base-128 number; returns it and the position after it."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise _MalformedError


def _fields(data: Chunk) -> Iterator[tuple[int, int | Chunk]]:
    """Yield the number and value of each field: an int, or the bytes of a string or message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise _MalformedError
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise _MalformedError
        if at + size > len(data):
            raise _MalformedError
        yield number, data[at : at + size]
        at += size


def _messages(data: Chunk) -> Iterator[tuple[int, Chunk]]:
    """Yield the fields that are strings or messages."""
    for number, value in _fields(data):
        if not isinstance(value, int):
            yield number, value


def _pair(data: Chunk) -> tuple[str, str]:
    """Read a ``StringStringEntryProto``."""
    parts = {number: bytes(value).decode("utf-8") for number, value in _messages(data)}
    return parts.get(1, ""), parts.get(2, "")


def _model(data: Chunk, found: OnnxFile) -> None:
    for number, value in _fields(data):
        if isinstance(value, int):
            if number == 1:
                found.ir_version = value
        elif number == 7:
            found.has_graph = True
            _graph(value, found)
        elif number == 8:
            domain, version = "", 0
            for part, entry in _fields(value):
                if part == 1 and not isinstance(entry, int):
                    domain = bytes(entry).decode("utf-8")
                elif part == 2 and isinstance(entry, int):
                    version = entry
            found.opsets[domain] = version
        elif number == 14:
            key, text = _pair(value)
            found.metadata[key] = text
        elif number == 25:  # a function: its nodes may hold constants
            for part, entry in _messages(value):
                if part == 7:
                    _node(entry, found)


def _graph(data: Chunk, found: OnnxFile) -> None:
    for number, value in _messages(data):
        if number == 1:
            _node(value, found)
        elif number == 5:
            _tensor(value, found)
        elif number == 15:
            _sparse(value, found)


def _node(data: Chunk, found: OnnxFile) -> None:
    for number, value in _messages(data):
        if number != 5:
            continue
        for part, entry in _messages(value):
            if part in (5, 10):
                _tensor(entry, found)
            elif part in (6, 11):
                _graph(entry, found)
            elif part in (22, 23):
                _sparse(entry, found)


def _sparse(data: Chunk, found: OnnxFile) -> None:
    for number, value in _messages(data):
        if number in (1, 2):
            _tensor(value, found)


def _tensor(data: Chunk, found: OnnxFile) -> None:
    for number, value in _messages(data):
        if number == 13:
            key, text = _pair(value)
            if key == "location":
                found.external[text] = None
