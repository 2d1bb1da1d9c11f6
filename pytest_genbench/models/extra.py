"""Further inputs: what a model may be told about each item beside its images.

There is one, ``rule``: the number of a problem's rule, int64 (N,), for models that learn many rules at once. An ONNX file has an
input of that name, a Python model a parameter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .contract import Contract
from .prepare import chunks

NAMES = ("rule",)
"""Names of all that there are."""

About = Mapping[str, NDArray[np.int64]]
"""What is said about each item of a batch, by name: int64 (N,)."""


def of_callable(function: Callable[..., Any]) -> tuple[str, ...]:
    """Find which of these a function has parameters for."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some builtins have none that can be read
        return ()
    return tuple(name for name in NAMES if name in parameters)


def arguments(contract: Contract, about: About | None, given: int) -> dict[str, About]:
    """Return what ``predict`` takes beside a batch: ``about``, for a model with further inputs; nothing for any other.

    Args:
        contract: What the model takes.
        about: What is said of the batch; None for a trial, where the numbers 0, 1, 2 … say it.
        given: Items in the batch.
    """
    if not contract.extra:
        return {}
    some = np.arange(given, dtype=np.int64)
    return {"about": {name: some if about is None else about[name] for name in contract.extra}}


def pieces(about: About | None, names: tuple[str, ...], given: int, size: int | None, model: str) -> Iterator[About]:
    """Cut what is said about a batch as :func:`pytest_genbench.models.prepare.chunks` cuts the batch.

    Args:
        about: What is said.
        names: What the model takes.
        given: Items in the batch.
        size: The model's fixed batch size, or None.
        model: The model in words, for messages.

    Raises:
        ModelError: The model takes what is not said.
    """
    for name in names:
        if about is None or name not in about:
            raise ModelError(
                f"{model} takes the input {name!r}, which says something about problems; these inputs have none."
            )
    columns = {name: [piece for piece, _ in chunks(np.asarray(about[name], np.int64), size)] for name in names if about}
    for k in range(1 if size is None else -(-given // size)):
        yield {name: column[k] for name, column in columns.items()}
