"""A trial run: what a Python model returns can only be seen by calling it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import ModelError
from .arrays import shape_of
from .contract import KINDS, Contract, GraphFacts, Shape, resolve
from .declaration import Declaration, is_role
from .prepare import Inputs, check_images

SIZES = ((64, 64), (128, 128), (32, 32), (28, 28), (224, 224))
"""Heights and widths to try where the images to come are not known; 64 x 64 is what most benchmarks use."""

CANDIDATES = 4
"""Images in a set, where that is not known; a problem has so many."""

Size = tuple[int, ...]
"""Height, width, channels; of sets the number of images before them; or the length of a signal."""

Run = Callable[[Inputs, Contract], Mapping[str, Any]]
"""Runs a model on uint8 (N, H, W, C) images under a contract; returns arrays by name."""


def explore(
    run: Run,
    declared: Sequence[Declaration],
    name: str,
    dtype: str,
    image_shape: Size | None = None,
    input_shape: Shape | None = None,
    extra: tuple[str, ...] = (),
) -> Contract:
    """Resolve the contract of a Python model, calling it on grey images to see its outputs.

    Args:
        run: Runs the model.
        declared: What is declared, most binding first.
        name: The model in words, for messages.
        dtype: Element type of its input.
        image_shape: Height, width, channels of the images to come, where known.
        input_shape: What is known of its input, with the batch axis; None for nothing but what `image_shape` tells.
        extra: Names of its further inputs.

    Raises:
        ModelError: It fails on the images to come; or on all that were tried, and does not declare its outputs.
    """
    is_open = input_shape is None
    if image_shape is not None and len(image_shape) == 4 and _embeds(declared):
        image_shape = image_shape[1:]
    if input_shape is None:
        input_shape = (None,) * (4 if image_shape is None else len(image_shape) + 1)
    assumed = resolve(declared, GraphFacts(name, input_shape=input_shape, input_dtype=dtype, extra=extra))
    failure: ModelError | None = None
    for size in _candidates(assumed, image_shape):
        try:
            seen = _try(run, assumed, name, size)
        except ModelError as error:
            failure = failure or error
            continue
        shape = _learnt(run, assumed, name, size, image_shape)
        facts = GraphFacts(name, "input", shape, dtype, _facts(seen, assumed, name), extra)
        found = resolve(declared, facts)
        if is_open and image_shape is not None and _embeds_sets(found):
            # What flattens its input takes sets as well as images; an embedding is of one image.
            with suppress(ModelError):
                return explore(run, declared, name, dtype, image_shape[1:], extra=extra)
        return found
    if failure is not None and is_open:
        other = _other_kind(run, declared, name, assumed, image_shape, extra)
        if other is not None:
            return other
    if failure is not None and (image_shape is not None or not assumed.outputs):
        raise failure
    return assumed


def _embeds(declared: Sequence[Declaration]) -> bool:
    """Whether a model is declared to embed, and not to score: then it takes images one by one, whatever the benchmark has."""
    roles = {role for one in declared for _, role in one.values.get("outputs", ())}
    return "embedding" in roles and "scores" not in roles


def _embeds_sets(contract: Contract) -> bool:
    """Whether a model gives whole sets an embedding, and images no scores."""
    return contract.input_kind == "set" and "embedding" in contract.outputs and "scores" not in contract.outputs


def _other_kind(
    run: Run,
    declared: Sequence[Declaration],
    name: str,
    assumed: Contract,
    image_shape: Size | None,
    extra: tuple[str, ...],
) -> Contract | None:
    """Return the contract of a model that takes another kind of input than was assumed; None where no kind goes well."""
    known = image_shape[1:] if image_shape is not None and len(image_shape) == 4 else None
    for axes, kind in sorted(KINDS.items(), key=lambda each: each[1]):  # images, sets of them, signals
        if kind == assumed.input_kind:
            continue
        facts = GraphFacts(name, input_shape=(None,) * axes, input_dtype=assumed.dtype, extra=extra)
        other = resolve(declared, facts)
        for size in _candidates(other, known if kind == "image" else None):
            try:
                seen = _try(run, other, name, size)
            except ModelError:
                continue
            shape = (None, *size) if kind == "signal" else (None,) * axes
            if kind == "image" and known is not None:
                shape = _learnt(run, other, name, size, known)
            return resolve(declared, replace(facts, input_shape=shape, outputs=_facts(seen, other, name)))
    return None


def _candidates(contract: Contract, image_shape: Size | None) -> list[Size]:
    """List sizes to try, the likeliest first: the images to come, those with other channels, then usual sizes.

    What the contract fixes is fixed in all of them: a model with a declared size is tried on that size, whatever the images.
    """
    if contract.input_kind == "signal":
        return [image_shape if image_shape is not None else (contract.shape[0] or SIZES[0][0],)]
    *number, channels, height, width = contract.shape
    if number:
        several = number[0] or (image_shape[0] if image_shape else CANDIDATES)
        one = _candidates(
            replace(contract, input_kind="image", shape=contract.shape[1:]), image_shape and image_shape[1:]
        )
        return [(several, *size) for size in one]
    depths: tuple[int, ...] = (1, 3) if channels is None else (channels,)
    if image_shape is not None and image_shape[2] in depths:
        depths = tuple(sorted(depths, key=lambda depth: depth != image_shape[2]))  # that of the images to come first
    sizes = [] if image_shape is None else [image_shape, *((*image_shape[:2], depth) for depth in depths)]
    sizes += [(*sides, depth) for sides in SIZES for depth in depths]
    return list(dict.fromkeys((height or tall, width or wide, channels or depth) for tall, wide, depth in sizes))


def _learnt(run: Run, contract: Contract, name: str, size: Size, image_shape: Size | None) -> Shape:
    """Return the input shape that is known after a trial of `size` went well, and those before it did not.

    Only what is certain: the number of channels where the other number fails; the size where the images to come failed.
    """
    if contract.input_kind == "signal":
        return (contract.batch, *contract.shape)
    if contract.input_kind == "set":
        one = replace(contract, input_kind="image", shape=contract.shape[1:])
        # The images of a set are alike in size and depth, so that what holds for one holds for all.
        learnt = _learnt(
            partial(_in_sets, run, contract, size[0]), one, name, size[1:], image_shape and image_shape[1:]
        )
        return (contract.batch, contract.shape[0], *learnt[1:])
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


def _in_sets(run: Run, contract: Contract, number: int, images: Inputs, _: Contract) -> Mapping[str, Any]:
    """Run a model of sets on sets of equal images."""
    return run(np.repeat(images[:, None], number, axis=1), contract)


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
