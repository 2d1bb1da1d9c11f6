"""A trial run: what a Python model returns can only be seen by calling it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .arrays import shape_of
from .contract import Contract, GraphFacts, Shape, resolve
from .declaration import Declaration
from .prepare import check_images

SIZES = ((64, 64), (128, 128), (32, 32), (28, 28), (224, 224))
"""Heights and widths to try where the images to come are not known; 64 x 64 is what most benchmarks use."""

Run = Callable[[NDArray[np.uint8], Contract], Mapping[str, Any]]
"""Runs a model on uint8 (N, H, W, C) images under a contract; returns arrays by name."""


def explore(
    run: Run,
    declared: Sequence[Declaration],
    name: str,
    dtype: str,
    image_shape: tuple[int, int, int] | None = None,
    input_shape: Shape = (None, None, None, None),
) -> Contract:
    """Resolve the contract of a Python model, calling it on grey images to see its outputs.

    Args:
        run: Runs the model.
        declared: What is declared, most binding first.
        name: The model in words, for messages.
        dtype: Element type of its input.
        image_shape: Height, width, channels of the images to come, where known.
        input_shape: What is known of its input, with the batch axis.

    Raises:
        ModelError: It fails on the images to come; or on all that were tried, and does not declare its outputs.
    """
    facts = GraphFacts(name, input_shape=input_shape, input_dtype=dtype)
    assumed = resolve(declared, facts)
    seen: Mapping[str, Any] | None = None
    channels: set[int] = set()
    failure: ModelError | None = None
    for height, width, depths in _candidates(assumed, image_shape):
        for depth in depths:
            try:
                outputs = _try(run, assumed, name, (height, width, depth))
            except ModelError as error:
                failure = failure or error
                continue
            seen = seen or outputs
            channels.add(depth)
        if seen is not None:
            break
    if seen is None:
        if failure is not None and (image_shape is not None or not assumed.outputs):
            raise failure
        return assumed
    shown = {output: _fact(value, name, output) for output, value in seen.items()}
    shape = input_shape
    if image_shape is None and assumed.shape[0] is None and len(channels) == 1:
        # It ran with one number of channels and not with the other: that much is certain, the size is not.
        axis = 1 if assumed.layout == "NCHW" else 3
        shape = tuple(channels.copy().pop() if at == axis else old for at, old in enumerate(input_shape))
    return resolve(declared, GraphFacts(name, input_shape=shape, input_dtype=dtype, outputs=shown))


def _candidates(contract: Contract, image_shape: tuple[int, int, int] | None) -> list[tuple[int, int, tuple[int, ...]]]:
    """List heights, widths and numbers of channels to try, the likeliest first."""
    channels, height, width = contract.shape
    if image_shape is not None:
        return [(image_shape[0], image_shape[1], (image_shape[2],))]
    depths = (1, 3) if channels is None else (channels,)
    sizes = dict.fromkeys((height or tall, width or wide) for tall, wide in SIZES)
    return [(tall, wide, depths) for tall, wide in sizes]


def _try(run: Run, contract: Contract, name: str, image_shape: tuple[int, int, int]) -> Mapping[str, Any]:
    # Two images, so that an output without a batch axis shows; and grey ones, as black pixels hide scales.
    images = np.full((contract.batch or 2, *image_shape), 127, dtype=np.uint8)
    check_images(images, contract, name)
    return run(images, contract)


def _fact(value: Any, name: str, output: str) -> tuple[Shape, str]:
    """Return shape, with a free batch axis, and dtype of an output."""
    try:
        shape = shape_of(value)
    except (TypeError, ValueError):
        shape = ()
    if not shape:
        kind = type(value).__name__
        raise ModelError(f"{name}: output {output!r} is a {kind} without a batch axis; return one row for each image.")
    dtype = str(getattr(value, "dtype", np.asarray(0.0).dtype)).removeprefix("torch.")
    return (None, *shape[1:]), dtype
