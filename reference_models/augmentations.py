"""Changes of training images that leave the labels as they are.

- Schott, von Kügelgen, Träuble, Gehler, Russell, Bethge, Schölkopf, Locatello and Brendel (ICLR 2022, arXiv:2107.08221),
  appendix F: random erasing, Gaussian noise, small shears and blur for the CNN. Of their strengths nothing is said.
- Zhong, Zheng, Kang, Li and Yang (AAAI 2020, arXiv:1708.04896): random erasing.

Each image is changed in its own way, with torch's generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

LARGEST = 0.2  # share of an image that is erased
ASPECT = 3.0  # of what is erased, at most, height to width or width to height
NOISE = 0.1  # standard deviation, of a range of 1
SHEAR = 10.0  # degrees, at most
SIGMA = 1.5  # pixels, at most
RADIUS = 3  # of the blur's kernel: two of the largest sigmas


def erase(images: Tensor) -> Tensor:
    """Turn a rectangle of each image (N, C, H, W) black."""
    n, _, height, width = images.shape
    area, aspect, top, left = torch.rand(4, n, 1, 1, device=images.device)
    area = LARGEST * area * height * width
    aspect = ((2 * aspect - 1) * math.log(ASPECT)).exp()
    high, wide = (area * aspect).sqrt(), (area / aspect).sqrt()
    down = torch.arange(height, device=images.device).view(1, -1, 1) - top * (height - high)
    right = torch.arange(width, device=images.device).view(1, 1, -1) - left * (width - wide)
    inside = (down >= 0) & (down < high) & (right >= 0) & (right < wide)  # (N, H, W)
    return images.masked_fill(inside.unsqueeze(1), 0)


def noise(images: Tensor) -> Tensor:
    """Add normal noise to images, which may then leave [0, 1]."""
    return images + NOISE * torch.randn_like(images)


def shear(images: Tensor) -> Tensor:
    """Shift the rows of each image (N, C, H, W) in proportion to their distance from its middle; borders are continued."""
    angle = (2 * torch.rand(len(images), device=images.device) - 1) * math.radians(SHEAR)
    maps = torch.eye(2, 3, device=images.device).repeat(len(images), 1, 1)
    maps[:, 0, 1] = angle.tan()
    grid = F.affine_grid(maps, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, padding_mode="border", align_corners=False)


def blur(images: Tensor) -> Tensor:
    """Blur each image (N, C, H, W) with a Gaussian of its own width."""
    n, channels = images.shape[:2]
    sigma = SIGMA * (1 - torch.rand(n, 1, device=images.device))  # above 0
    offsets = torch.arange(-RADIUS, RADIUS + 1, device=images.device)
    kernel = (-0.5 * (offsets / sigma).square()).softmax(1).repeat_interleave(channels, 0)  # (N C, 7)
    padded = F.pad(images, [RADIUS] * 4, mode="replicate").reshape(1, n * channels, *_larger(images))
    down = F.conv2d(padded, kernel[:, None, :, None], groups=n * channels)
    return F.conv2d(down, kernel[:, None, None, :], groups=n * channels).view_as(images)


def _larger(images: Tensor) -> tuple[int, int]:
    return images.shape[2] + 2 * RADIUS, images.shape[3] + 2 * RADIUS


AUGMENTATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {"erase": erase, "noise": noise, "shear": shear, "blur": blur}
"""By name, each from images float32 (N, C, H, W) in [0, 1] to images of the same shape."""
