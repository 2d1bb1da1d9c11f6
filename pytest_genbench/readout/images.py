"""Bring a benchmark's images to the size and the channels that a frozen model takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..models.contract import Shape

_RED, _GREEN, _BLUE, _ONE = 19595, 38470, 7471, 1 << 16
"""Weights of ITU-R 601 in sixteen bits, as Pillow has them; they sum to one."""


def fits(image_shape: tuple[int, int, int], shape: Shape) -> bool:
    """Whether a model takes images (height, width, channels) as they are.

    Args:
        image_shape: Height, width, channels.
        shape: Channels, height, width; None for a free axis.
    """
    height, width, channels = image_shape
    return all(axis in (None, side) for axis, side in zip(shape, (channels, height, width), strict=True))


def adapt(images: NDArray[np.uint8], shape: Shape) -> NDArray[np.uint8]:
    """Resize images and change their number of channels, where the model's are fixed and others.

    Sizes change by Pillow's bilinear filter, which is wide enough not to alias when an image gets smaller; the ratio of the sides
    is not kept. Grey becomes colour by repetition, colour becomes grey by luminance (ITU-R 601).

    Args:
        images: uint8 (N, H, W, C).
        shape: Channels, height, width that the model takes; None for a free axis.

    Returns:
        uint8 (N, height, width, channels); `images` itself if nothing is to be done.

    Raises:
        ModelError: They are no uint8 images, or the model takes another number of channels that is neither 1 nor 3.
    """
    if images.ndim != 4 or images.dtype != np.uint8 or len(images) == 0:
        raise ModelError(
            f"A readout takes images as uint8 of shape (N, H, W, C) with N > 0; got {images.dtype} {images.shape}."
        )
    height, width, channels = images.shape[1:]
    if fits((height, width, channels), shape):
        return images
    wanted, tall, wide = shape[0] or channels, shape[1] or height, shape[2] or width
    if wanted != channels and {wanted, channels} != {1, 3}:
        raise ModelError(
            f"The model takes {wanted} channels and the images have {channels}: only grey and RGB can be made from one another."
        )
    if (channels, wanted) == (3, 1):
        images = _luminance(images)
    if (tall, wide) != (height, width):
        images = _resized(images, tall, wide)
    if (channels, wanted) == (1, 3):
        images = np.repeat(images, 3, axis=-1)
    return images


def _luminance(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    weights = np.array([_RED, _GREEN, _BLUE], dtype=np.uint32)
    return ((images @ weights + _ONE // 2) // _ONE).astype(np.uint8)[..., None]


def _resized(images: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    from PIL import Image

    resized = np.empty((len(images), height, width, images.shape[-1]), dtype=np.uint8)
    for image, into in zip(images, resized, strict=True):
        for channel in range(images.shape[-1]):
            plane = Image.fromarray(np.ascontiguousarray(image[..., channel]))
            into[..., channel] = np.asarray(plane.resize((width, height), Image.Resampling.BILINEAR))
    return resized
