"""The border between models and metrics: arrays of any runtime become NumPy, reconstructions become images."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .contract import Contract

_LEEWAY = 0.5
"""How far outside its range, in widths of the range, a reconstruction may go: ringing is clipped, another scale is
an error."""


def to_numpy(array: Any) -> NDArray[Any]:
    """Return an array of torch (any device), ONNX Runtime, NumPy or anything with ``__dlpack__`` as a NumPy array.

    Raises:
        ModelError: It is no array.
    """
    if isinstance(array, np.ndarray | np.generic):
        return np.asarray(array)
    if hasattr(array, "detach"):  # torch; NumPy has no bfloat16
        tensor = array.detach().cpu()
        return np.asarray((tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy())
    if hasattr(array, "numpy") and hasattr(array, "device_name"):  # OrtValue; numpy() copies from any device
        return np.asarray(array.numpy())
    if hasattr(array, "__dlpack__"):
        try:
            return np.from_dlpack(array)
        except (BufferError, RuntimeError):  # another device: a copy has to be asked for (DLPack 1.0)
            return np.from_dlpack(array, device="cpu", copy=True)
    if isinstance(array, list | tuple | float | int):
        return np.asarray(array)
    raise ModelError(f"The model returned {type(array).__name__}; return a tensor or an array for every output.")


def shape_of(array: Any) -> tuple[int, ...]:
    """Return an array's shape without copying it from its device."""
    shape = getattr(array, "shape", None)
    if callable(shape):  # OrtValue
        shape = shape()
    return tuple(int(axis) for axis in (np.shape(array) if shape is None else shape))


def unit_images(array: Any, contract: Contract) -> NDArray[np.float32]:
    """Turn a model's reconstruction into images.

    Args:
        array: (N, C, H, W) or (N, H, W, C) in the contract's layout and range; uint8 is always in [0, 255].
        contract: What the model declares; mean and std are not undone, a reconstruction shows pixels.

    Returns:
        float32 (N, H, W, C) in [0, 1], clipped. Signals (N, length) keep their values.

    Raises:
        ModelError: It is no batch of images, has values that are not finite, or values far outside the declared range.
    """
    values = to_numpy(array)
    if contract.input_kind == "signal":
        return values.astype(np.float32)
    if values.ndim != 4:
        several = "" if contract.input_kind != "set" else " Sets of images are not reconstructed."
        raise ModelError(
            f"The reconstruction has shape {values.shape}; images have four axes, {contract.layout}. Reshape inside "
            f"the model.{several}"
        )
    low, high = (0.0, 255.0) if values.dtype == np.uint8 else contract.range
    if values.size:
        _check_range(float(values.min()), float(values.max()), low, high, contract)
    if contract.layout == "NCHW":
        values = values.transpose(0, 2, 3, 1)
    # A copy that is then changed in place: with a temporary for every step this took three times as long.
    unit = values.astype(np.float32)
    if (low, high) != (0, 1):
        unit -= np.float32(low)
        unit /= np.float32(high - low)
    return np.clip(unit, 0, 1, out=unit)


def _check_range(least: float, most: float, low: float, high: float, contract: Contract) -> None:
    declared = f"[{low:g}, {high:g}]"
    if not (np.isfinite(least) and np.isfinite(most)):
        raise ModelError("The reconstruction has values that are not finite (NaN or infinity).")
    slack = _LEEWAY * (high - low)
    # A graph that takes bytes has its range fixed, so that only the model itself can be changed.
    or_declare = "" if contract.dtype == "uint8" else ", or declare genbench.range"
    if least < low - slack or most > high + slack:
        undo = " Undo mean and std inside the model: a reconstruction shows pixels." if contract.mean else ""
        raise ModelError(
            f"The reconstruction goes from {least:.3g} to {most:.3g}, far outside its range {declared}. Apply the "
            f"sigmoid inside the model{or_declare}.{undo}"
        )
    if high - low > 100 and 0 < most <= 1 and least >= 0:
        raise ModelError(
            f"The reconstruction goes from {least:.3g} to {most:.3g}, but its range is {declared}: it seems to be in "
            f"[0, 1]. Scale it inside the model{or_declare}."
        )
