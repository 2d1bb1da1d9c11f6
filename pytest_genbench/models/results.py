"""Names for what Python models return, and one line for what they raise."""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ModelError

_PACKAGE = str(Path(__file__).resolve().parent.parent)

SINGLE = "output"
"""Name of an output that is returned alone, without a name."""


def named(result: Any, names: Sequence[str] | None, what: str) -> dict[str, Any]:
    """Give every output of a call a name.

    Args:
        result: An array; or several in a dict, dataclass, named tuple, tuple or list.
        names: What ``genbench_outputs`` says, in order; else tuples become ``output_0``, ``output_1`` …
        what: The model in words, for messages.

    Raises:
        ModelError: Nothing is returned, or the number of names differs.
    """
    if result is None:
        raise ModelError(
            f"{what} returned None; return a tensor, a tuple of tensors, or a dict of tensors by output name."
        )
    if isinstance(result, Mapping):
        return {str(name): value for name, value in result.items()}
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {entry.name: getattr(result, entry.name) for entry in dataclasses.fields(result)}
    if not isinstance(result, tuple | list):
        if names is not None and len(names) != 1:
            raise ModelError(
                f"{what} returned one output, but {len(names)} are named: {', '.join(names)}. Return them all, or correct "
                "genbench_outputs (a learner's outputs)."
            )
        return {names[0] if names else SINGLE: result}
    if names is None:
        fields = getattr(result, "_fields", None) or [f"{SINGLE}_{at}" for at in range(len(result))]
        return dict(zip(fields, result, strict=True))
    if len(names) != len(result):
        raise ModelError(
            f"{what} returned {len(result)} outputs, but {len(names)} are named: {', '.join(names)}. Return as many, or correct "
            "genbench_outputs (a learner's outputs)."
        )
    return dict(zip(names, result, strict=True))


def output_names(*objects: object) -> tuple[str, ...] | None:
    """Read ``genbench_outputs`` of the first object that has it: names in the order of a returned tuple.

    Raises:
        ModelError: It is no sequence of texts.
    """
    for candidate in objects:
        names = getattr(candidate, "genbench_outputs", None)
        if names is None:
            continue
        if isinstance(names, str):
            return (names,)
        if isinstance(names, Sequence) and all(isinstance(name, str) for name in names):
            return tuple(names)
        raise ModelError(f"genbench_outputs = {names!r} cannot be used: write a tuple of output names.")
    return None


def raised(error: BaseException) -> str:
    """Say in one line what was raised and where: ``ValueError: bad depth (nets.py:12)``."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_PACKAGE)]
    own = [frame for frame in theirs if "site-packages" not in frame.filename and not frame.filename.startswith("<")]
    shown = own or theirs or list(frames)
    at = f" ({Path(shown[-1].filename).name}:{shown[-1].lineno})" if shown else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}{at}" if text else f"{type(error).__name__}{at}"
