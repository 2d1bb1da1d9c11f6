"""Probes: mistakes that make every score wrong, found in under a second; and the code size of a reconstruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import GenbenchError, ModelError
from .arrays import to_numpy, unit_images
from .extra import About, arguments
from .prepare import Inputs
from .protocol import Model

RELATIVE = 1e-3
"""Tolerated difference, relative to the largest value of an output. Kernels sum in another order for another batch
size: float32 then differs by about 1e-6, float16 and TF32 by about 1e-3. A dependence on the batch or on chance is far
larger."""

ABSOLUTE = 1e-4
"""Tolerated difference where all values are near 0, in units of the output."""

BATCH = 7
"""Images in the larger batch: odd, so that it is no multiple of a usual fixed batch."""


@dataclass(frozen=True)
class CodeSize:
    """How much of an image can reach its reconstruction.

    Attributes:
        kind: ``verified`` (decoding the embedding gives the reconstruction), ``declared``, or ``unbounded`` (not
            known).
        numbers: Numbers in the code of one image; None where unbounded.
        reason: How it is known, or why it is not.
    """

    kind: Literal["verified", "declared", "unbounded"]
    numbers: int | None
    reason: str


def probe(model: Model, images: Inputs, names: Sequence[str] | None = None, about: About | None = None) -> None:
    """Check that a model is a function of single images, or of single sets of them.

    Args:
        model: The model under test.
        images: At least 7 images, uint8 (N, H, W, C), sets of images (N, K, H, W, C) or signals; 7 are used.
        names: Outputs to look at, as :meth:`Model.predict` takes them. Where None, all that have a role, or all there
            are if none has one: what nobody asks for may be anything.
        about: What is said of each item, for models with further inputs; None for the numbers from 0.

    Raises:
        ModelError: The model changes its input; its output is not finite, depends on chance, or on the other images of
            the batch.
    """
    batch = np.ascontiguousarray(images[:BATCH])
    if len(batch) < BATCH:
        raise ModelError(f"A probe takes at least {BATCH} images; got {len(batch)}.")
    if names is None:
        names = tuple(model.contract.outputs or model.contract.unnamed)
    given, said = batch.copy(), _about(model, about, slice(BATCH))
    first = _run(model, given, names, said)
    if not np.array_equal(given, batch):
        raise ModelError(
            "The model changes the images it is given. Copy them before changing them (x = x + 1, not x += 1)."
        )
    for name, array in first.items():
        if np.issubdtype(array.dtype, np.inexact) and not np.isfinite(array).all():
            bad = int((~np.isfinite(array.reshape(len(array), -1))).any(axis=1).sum())
            raise ModelError(f"Output {name!r} is not finite (NaN or infinity) for {bad} of {len(batch)} images.")
    again = _run(model, given, names, said)
    for name, array in first.items():
        if (found := _difference(array, again[name])) is not None:
            raise ModelError(
                f"Output {name!r} differs by up to {found:.3g} when the same images are given twice: it depends on "
                "chance. Turn off dropout, sampling and noise for evaluation."
            )
    for at in (0, BATCH - 1):
        alone = _run(model, batch[at : at + 1], names, _about(model, said, slice(at, at + 1)))
        for name, array in first.items():
            if (found := _difference(array[at : at + 1], alone[name])) is not None:
                raise ModelError(
                    f"Output {name!r} of one image differs by up to {found:.3g} between a batch of 1 and a batch of "
                    f"{BATCH}: it depends on the other images. Call eval() before exporting (BatchNorm must use its "
                    "running statistics)."
                )


def _about(model: Model, about: About | None, part: slice) -> About:
    """Return what is said of some items of a batch; by numbers from 0 where nothing is."""
    given = {name: np.arange(BATCH, dtype=np.int64) for name in model.contract.extra} if about is None else about
    return {name: np.asarray(column)[part] for name, column in given.items()}


def _run(model: Model, images: Inputs, names: Sequence[str], about: About) -> dict[str, NDArray[Any]]:
    found = model.predict(images, names, **arguments(model.contract, about, len(images)))
    # A copy, as a model may return the same buffer every time.
    arrays = {name: np.array(to_numpy(found[name])) for name in names}
    for name, array in arrays.items():
        if array.ndim == 0 or len(array) != len(images):
            raise ModelError(
                f"Output {name!r} has shape {array.shape} for {len(images)} images; the first axis must be the batch."
            )
    return arrays


def _difference(expected: NDArray[Any], got: NDArray[Any]) -> float | None:
    """Return the largest difference, or None where it is tolerable."""
    if expected.shape != got.shape:
        return float("inf")
    if expected.size == 0 or not np.issubdtype(expected.dtype, np.number):
        return None
    left, right = expected.astype(np.float64), got.astype(np.float64)
    largest = float(np.abs(left - right).max())
    return None if largest <= ABSOLUTE + RELATIVE * float(np.abs(left).max()) else largest


def code_size(
    model: Model, images: Inputs, names: Mapping[str, str] | None = None, about: About | None = None
) -> CodeSize:
    """Find how large the code of a reconstruction is.

    It is verified when decoding the embedding gives the reconstruction: then nothing else of the image can have reached
    it.

    Args:
        model: The model under test.
        images: Some images, uint8 (N, H, W, C), more than one.
        names: The model's own names for outputs, see :func:`~pytest_genbench.models.roles.assign_unnamed`.
        about: What is said of each image, for models with further inputs; None for the numbers from 0.
    """
    contract = model.contract
    own = {role: role for role in contract.outputs} | dict(names or {})
    declared = contract.code_size
    if "reconstruction" not in own:
        return CodeSize("unbounded", None, "the model offers no reconstruction")
    decode = getattr(model, "decode", None) if getattr(model, "can_decode", True) else None
    if decode is not None and "embedding" in own:
        return _verify(model, decode, images, own["embedding"], own["reconstruction"], about)
    if declared is not None:
        return CodeSize("declared", declared, f"declared as genbench.code_size = {declared}")
    missing = "embedding" if "embedding" not in own else "decoder"
    return CodeSize(
        "unbounded",
        None,
        f"the model offers no {missing}, and genbench.code_size is not declared: the input may be copied",
    )


def _verify(
    model: Model, decode: Any, images: Inputs, embedding: str, reconstruction: str, about: About | None
) -> CodeSize:
    said = arguments(model.contract, about, len(images))
    found = model.predict(images, (embedding, reconstruction), **said)
    codes = np.array(to_numpy(found[embedding]))
    expected = np.array(to_numpy(found[reconstruction]))
    # Other images in between, and another order: a decoder that remembers the last image it encoded must not pass.
    model.predict(images[::-1].copy(), (embedding, reconstruction), **said)
    order = np.roll(np.arange(len(images)), 1)
    low, high = model.contract.range
    try:
        got = to_numpy(decode(codes[order]))
        if got.shape != expected.shape:
            return CodeSize("unbounded", None, f"the decoder gives {got.shape}, the reconstruction is {expected.shape}")
        difference = np.abs(unit_images(got, model.contract) - unit_images(expected[order], model.contract))
    except GenbenchError as error:
        return CodeSize("unbounded", None, f"the decoder cannot be used: {error}")
    largest = float(difference.max())
    if not largest <= RELATIVE:
        return CodeSize(
            "unbounded",
            None,
            f"decoding the embedding differs from the reconstruction by up to {largest * (high - low):.3g}: more than "
            "the embedding reaches it",
        )
    numbers = int(np.prod(codes.shape[1:]))
    declared = model.contract.code_size
    noted = "" if declared in (None, numbers) else f" (declared as {declared})"
    return CodeSize("verified", numbers, f"decoding the embedding of {numbers} numbers gives the reconstruction{noted}")
