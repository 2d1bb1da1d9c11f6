"""A trial run: what a Python model returns can only be seen by calling it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError
from .arrays import shape_of
from .contract import Contract, GraphFacts, Shape, resolve
from .declaration import Declaration, is_role
from .prepare import Inputs, check_images

SIZES = ((64, 64), (128, 128), (32, 32), (28, 28), (224, 224))
"""Heights and widths to try where the images to come are not known; 64 x 64 is what most benchmarks use."""

Size = tuple[int, ...]
"""Height, width, channels; or the length of a signal."""

Run = Callable[[Inputs, Contract], Mapping[str, Any]]
"""Runs a model on uint8 (N, H, W, C) images under a contract; returns arrays by name."""


def explore(
    run: Run,
    declared: Sequence[Declaration],
    name: str,
    dtype: str,
    image_shape: Size | None = None,
    input_shape: Shape | None = None,
) -> Contract:
    """Resolve the contract of a Python model, calling it on grey images to see its outputs.

    Args:
        run: Runs the model.
        declared: What is declared, most binding first.
        name: The model in words, for messages.
        dtype: Element type of its input.
        image_shape: Height, width, channels of the images to come, where known.
        input_shape: What is known of its input, with the batch axis; None for nothing but what `image_shape` tells.

    Raises:
        ModelError: It fails on the images to come; or on all that were tried, and does not declare its outputs.
    """
    is_open = input_shape is None
    if input_shape is None:
        input_shape = (None, None) if image_shape is not None and len(image_shape) == 1 else (None,) * 4
    assumed = resolve(declared, GraphFacts(name, input_shape=input_shape, input_dtype=dtype))
    failure: ModelError | None = None
    for size in _candidates(assumed, image_shape):
        try:
            seen = _try(run, assumed, name, size)
        except ModelError as error:
            failure = failure or error
            continue
        shape = _learnt(run, assumed, name, size, image_shape)
        facts = GraphFacts(name, "input", shape, dtype, _facts(seen, assumed, name))
        return resolve(declared, facts)
    if failure is not None and is_open and (other := _other_kind(run, declared, name, assumed)):
        return other
    if failure is not None and (image_shape is not None or not assumed.outputs):
        raise failure
    return assumed


def _other_kind(run: Run, declared: Sequence[Declaration], name: str, assumed: Contract) -> Contract | None:
    """Return the contract of a model that takes signals where images were assumed, or the other way round; else None."""
    is_signal, dtype = assumed.input_kind == "signal", assumed.dtype
    other = resolve(declared, GraphFacts(name, input_shape=(None,) * (4 if is_signal else 2), input_dtype=dtype))
    for size in _candidates(other, None):
        try:
            seen = _try(run, other, name, size)
        except ModelError:
            continue
        axes = (None,) * 4 if is_signal else (None, *size)
        return resolve(declared, GraphFacts(name, "input", axes, dtype, _facts(seen, other, name)))
    return None


def _candidates(contract: Contract, image_shape: Size | None) -> list[Size]:
    """List sizes to try, the likeliest first: the images to come, those with other channels, then usual sizes.

    What the contract fixes is fixed in all of them: a model with a declared size is tried on that size, whatever the images.
    """
    if contract.input_kind == "signal":
        return [image_shape if image_shape is not None else (contract.shape[0] or SIZES[0][0],)]
    channels, height, width = contract.shape
    depths = (1, 3) if channels is None else (channels,)
    sizes = [] if image_shape is None else [image_shape, *((*image_shape[:2], depth) for depth in depths)]
    sizes += [(*sides, depth) for sides in SIZES for depth in depths]
    return list(dict.fromkeys((height or tall, width or wide, channels or depth) for tall, wide, depth in sizes))


def _learnt(run: Run, contract: Contract, name: str, size: Size, image_shape: Size | None) -> Shape:
    """Return the input shape that is known after a trial of `size` went well, and those before it did not.

    Only what is certain: the number of channels where the other number fails; the size where the images to come failed.
    """
    if contract.input_kind == "signal":
        return (contract.batch, *contract.shape)
    channels, height, width = contract.shape
    likeliest = _candidates(contract, image_shape)[0]
    if image_shape is not None and size != likeliest:
        channels = size[2]
        if size[:2] != likeliest[:2]:
            height, width = size[:2]
    elif image_shape is None and channels is None:
        try:
            _try(run, contract, name, (*size[:2], 4 - size[2]))  # 1 channel instead of 3, or 3 instead of 1
        except ModelError:
            channels = size[2]
    axes = (channels, height, width) if contract.layout == "NCHW" else (height, width, channels)
    return (contract.batch, *axes)


def _try(run: Run, contract: Contract, name: str, image_shape: Size) -> Mapping[str, Any]:
    # Two images, so that an output without a batch axis shows; and grey ones, as black pixels hide scales.
    shape = (contract.batch or 2, *image_shape)
    is_signal = contract.input_kind == "signal"
    images: Inputs = np.full(shape, 0.1, dtype=np.float32) if is_signal else np.full(shape, 127, dtype=np.uint8)
    check_images(images, contract, name)
    return run(images, contract)


def _facts(seen: Mapping[str, Any], contract: Contract, name: str) -> dict[str, tuple[Shape, str]]:
    """Return shape, with a free batch axis, and dtype of each output.

    What has no batch axis (a loss, a list of layers) is left out, unless it has a role or there is nothing else.
    """
    facts: dict[str, tuple[Shape, str]] = {}
    others: dict[str, str] = {}
    for output, value in seen.items():
        shape = shape_of(value) if hasattr(value, "shape") else ()
        if shape:
            dtype = str(getattr(value, "dtype", np.dtype(np.float64))).removeprefix("torch.")
            facts[output] = ((None, *shape[1:]), dtype)
        else:
            others[output] = type(value).__name__
    for output, kind in others.items():
        if not facts or is_role(output) or output in contract.outputs.values():
            raise ModelError(
                f"{name}: output {output!r} is a {kind} without a batch axis; return one row for each image."
            )
    return facts
