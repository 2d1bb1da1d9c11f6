"""From a benchmark's images to a model's input, and from chunks of results back to whole ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingOutputError, ModelError, nearest
from .contract import Contract, show

Inputs = NDArray[Any]
"""Images uint8 (N, H, W, C), sets of K images uint8 (N, K, H, W, C), or signals float32 (N, length)."""


def locate(contract: Contract, outputs: Sequence[str] | None) -> dict[str, str]:
    """Return the name in the graph of each output to compute.

    Args:
        contract: What the model offers.
        outputs: Roles, or graph names of outputs without a role; all roles that are offered where None.

    Raises:
        MissingOutputError: Something is asked for that the model does not offer.
    """
    if outputs is None:
        return dict(contract.outputs)
    known = {**{name: name for name in contract.unnamed}, **contract.outputs}
    for name in outputs:
        if name not in known:
            offers = ", ".join(known) or "no output that is known"
            raise MissingOutputError(f"The model does not offer {name!r}; it offers {offers}.{nearest(name, known)}")
    return {name: known[name] for name in outputs}


def check_images(batch: Inputs, contract: Contract, name: str) -> None:
    """Compare a batch with the contract.

    Args:
        batch: Images as a benchmark makes them, uint8 (N, H, W, C), or (N, K, H, W, C) in sets; or signals, float32 (N, length).
        contract: What the model takes.
        name: The model in words, for messages.

    Raises:
        ModelError: The batch is no such array of at least one item, or its size is not the model's.
    """
    if contract.input_kind == "signal":
        _check_signals(batch, contract, name)
        return
    if contract.input_kind == "set":
        number = contract.shape[0]
        if batch.ndim != 5 or number not in (None, batch.shape[1]):
            raise ModelError(
                f"{name} takes {number or 'any'} images at once, uint8 of shape (N, {number or 'K'}, H, W, C); got {batch.dtype} "
                f"{batch.shape}."
            )
        batch = batch.reshape(-1, *batch.shape[2:])
    if batch.ndim != 4 or batch.dtype != np.uint8 or len(batch) == 0:
        raise ModelError(
            f"{name}: predict takes images as uint8 of shape (N, H, W, C) with N > 0; got {batch.dtype} {batch.shape}."
        )
    height, width, channels = batch.shape[1:]
    given = (channels, height, width)
    takes = contract.shape[-3:]
    for axis, expected, got in zip(("channels", "height", "width"), takes, given, strict=True):
        if expected is not None and expected != got:
            order = takes if contract.layout == "NCHW" else (*takes[1:], takes[0])
            raise ModelError(
                f"{name} expects {expected} {axis}, but the images have {got}: its input is {contract.layout} "
                f"{show(order)} (layout by {contract.sources.get('layout', 'default')}), the images are {channels} x "
                f"{height} x {width} (C x H x W). Export it for this size, or correct genbench.layout."
            )
    for key, numbers in (("mean", contract.mean), ("std", contract.std)):
        if numbers is not None and len(numbers) not in (1, channels):
            raise ModelError(f"{name}: {key} has {len(numbers)} numbers, but the images have {channels} channels.")


def _check_signals(batch: Inputs, contract: Contract, name: str) -> None:
    if batch.ndim != 2 or batch.dtype != np.float32 or len(batch) == 0:
        raise ModelError(
            f"{name} takes signals, float32 of shape (N, length) with N > 0; got {batch.dtype} {batch.shape}."
        )
    (expected,) = contract.shape
    if expected not in (None, batch.shape[1]):
        raise ModelError(f"{name} expects signals of {expected} values; these have {batch.shape[1]}.")


def prepare(batch: Inputs, contract: Contract) -> NDArray[Any]:
    """Convert images to the model's input: range, then mean and std, then layout and dtype. Signals keep their values.

    Args:
        batch: uint8 (N, H, W, C) or (N, K, H, W, C), or float32 (N, length).
        contract: What the model takes.

    Returns:
        A new contiguous array of the contract's dtype, (N, C, H, W), (N, H, W, C) or (N, length); sets have K after N.
    """
    if contract.input_kind == "set":
        images = prepare(batch.reshape(-1, *batch.shape[2:]), replace(contract, input_kind="image"))
        return images.reshape(*batch.shape[:2], *images.shape[1:])
    if contract.input_kind == "signal":
        return np.array(batch, dtype=np.dtype(contract.dtype))
    if contract.dtype == "uint8":
        pixels: NDArray[Any] = batch.copy()
    else:
        work = np.dtype(np.float64 if contract.dtype == "float64" else np.float32)
        low, high = contract.range
        # Dividing by 255 gives the very floats that torchvision's ToTensor gives; multiplying by 1/255 would not.
        pixels = batch.astype(work)
        pixels /= 255 / (high - low)
        pixels += low
        if contract.mean is not None:
            pixels -= np.asarray(contract.mean, dtype=work)
        if contract.std is not None:
            pixels /= np.asarray(contract.std, dtype=work)
    if contract.layout == "NCHW":
        pixels = pixels.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(pixels, dtype=np.dtype(contract.dtype))


def chunks(batch: NDArray[Any], size: int | None) -> Iterator[tuple[NDArray[Any], int]]:
    """Cut a batch into pieces of a fixed size, the last one padded by repeating its last image.

    Yields:
        The piece, and how many of its images count. The whole batch where `size` is None.
    """
    if size is None:
        yield batch, len(batch)
        return
    for start in range(0, len(batch), size):
        piece = batch[start : start + size]
        kept = len(piece)
        if kept < size:
            piece = np.concatenate([piece, np.repeat(piece[-1:], size - kept, axis=0)])
        yield piece, kept


def join(parts: Sequence[Any], kept: Sequence[int], given: int, what: str) -> Any:
    """Join the results of :func:`chunks` along the batch axis.

    Args:
        parts: One array for each piece.
        kept: How many rows of each count.
        given: Images in a piece, which every result must have as its first axis.
        what: Model and output in words, for messages.

    Returns:
        The one array untouched (it may be on a device), or NumPy arrays concatenated.

    Raises:
        ModelError: A result has no batch axis, or another number of rows than there were images.
    """
    from .arrays import shape_of, to_numpy

    for part in parts:
        shape = shape_of(part)
        if not shape or shape[0] != given:
            raise ModelError(
                f"{what} has shape {show(shape)} for {given} images; its first axis must be the batch. Export it with "
                "a free batch axis, or declare another output."
            )
    if len(parts) == 1 and kept[0] == given:
        return parts[0]
    return np.concatenate([to_numpy(part)[:keep] for part, keep in zip(parts, kept, strict=True)])
