"""The small supervised models of the in-domain benchmark: MLP, CNN, CoordConv, set encoder, spatial transformer.

- Schott, von Kügelgen, Träuble, Gehler, Russell, Bethge, Schölkopf, Locatello and Brendel (ICLR 2022, arXiv:2107.08221),
  appendix H: the layers; appendix C: the deeper CNN.
- Liu, Lehman, Molino, Petroski Such, Frank, Sergeev and Yosinski (NeurIPS 2018, arXiv:1807.03247): CoordConv.
- Jaderberg, Simonyan, Zisserman and Kavukcuoglu (NeurIPS 2015, arXiv:1506.02025): the spatial transformer.

Some layers as printed do not fit together. Here the MLP has a layer from 45 to 22 units, which its count of parameters asks
for; the transformer's localiser has 32 units, not 31; a CoordConv with strides ends in 16 features, not 32; the first layer of
the set encoder, whose width is not printed, has 40 units. Nor is it said what the deeper CNN adds, or how a CoordConv's
kernels move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError

from .beta_vae import SIDE
from .regression import RegressionLearner, RegressionSettings

FEATURES = 256  # that a CNN's body gives
DEPTHS = (6, 9)
# A step of 64 images takes 30 CPU-ms; of the MLP 5 to 15, of the transformer 60, of the set encoder 160.
STEPS: Mapping[str, int] = {"smoke": 30, "quick": 1_500, "standard": 12_000, "paper": 500_000}


def cnn_body(channels: int, width: int = 32, depth: int = 6) -> nn.Sequential:
    """Make the convolutions that most models here share: from images (N, C, 64, 64) to features (N, 256).

    Args:
        channels: C.
        width: Channels after the first convolution.
        depth: Layers of a network with these convolutions and one linear layer: 6, or 9 with a convolution of kernel size 3
            after each of the first three.
    """
    layers: list[nn.Module] = []
    for i, (before, after) in enumerate(
        [(channels, width), (width, width), (width, 2 * width), (2 * width, 2 * width)]
    ):
        layers += [nn.Conv2d(before, after, 4, stride=2, padding=1), nn.ReLU()]  # half the side: 32, 16, 8, 4
        if i < depth - 6:
            layers += [nn.Conv2d(after, after, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.Conv2d(2 * width, FEATURES, 4), nn.ReLU(), nn.Flatten())


def cnn(channels: int, factors: int, depth: int = 6) -> nn.Sequential:
    """Make a CNN: from images (N, C, 64, 64) to factors (N, K)."""
    return nn.Sequential(*cnn_body(channels, depth=depth), nn.Linear(FEATURES, factors))


def mlp(*widths: int) -> nn.Sequential:
    """Make linear layers of these widths, inputs first, with ReLUs between them."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def coordinates(low: float) -> Tensor:
    """Columns and rows of an image's pixels, from `low` to 1: (1, 2, 64, 64)."""
    line = torch.linspace(low, 1, SIDE)
    return torch.stack(torch.meshgrid(line, line, indexing="xy")).unsqueeze(0)


class WithCoordinates(nn.Module):
    """Gives images (N, C, 64, 64) two more channels (N, C + 2, 64, 64), which say where a pixel is, from `low` to 1."""

    coordinates: Tensor

    def __init__(self, low: float) -> None:
        super().__init__()
        self.register_buffer("coordinates", coordinates(low), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Append the coordinates."""
        return torch.cat([images, self.coordinates.expand(images.shape[0], -1, -1, -1)], 1)


def coordconv(channels: int, factors: int) -> nn.Sequential:
    """Make a CoordConv network: from images (N, C, 64, 64) to factors (N, K)."""
    layers: list[nn.Module] = [WithCoordinates(-1), nn.Conv2d(channels + 2, 16, 3, padding=1)]
    for _ in range(5):
        layers += [nn.ReLU(), nn.Conv2d(16, 16, 3, stride=2, padding=1)]  # half the side: 32, 16, 8, 4, 2
    return nn.Sequential(*layers, nn.MaxPool2d(2), nn.Flatten(), mlp(16, 32, factors))


class SetEncoder(nn.Module):
    """Takes an image for a set of pixels, each a list of its place in [0, 1] and its values."""

    def __init__(self, channels: int, factors: int) -> None:
        super().__init__()
        self.place = WithCoordinates(0)
        self.pixel = nn.Sequential(mlp(2 + channels, 40, 40, 20), nn.ReLU())
        self.readout = mlp(20, 20, 20, factors)

    def forward(self, images: Tensor) -> Tensor:
        """Images (N, C, 64, 64) to factors (N, K)."""
        pixels = self.place(images).flatten(2).transpose(1, 2)  # (N, 4096, C + 2)
        factors: Tensor = self.readout(self.pixel(pixels).mean(1))
        return factors


class SpatialTransformer(nn.Module):
    """Looks at an image, moves it by an affine map, and shows it to a CNN; at first the map is the identity."""

    def __init__(self, channels: int, factors: int) -> None:
        super().__init__()
        self.localiser = nn.Sequential(
            nn.Conv2d(channels, 8, 7),  # (N, 8, 58, 58)
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(8, 10, 5),  # (N, 10, 25, 25)
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(10, 10, 6),  # (N, 10, 7, 7)
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Flatten(),  # (N, 90)
            nn.Linear(90, 32),
            nn.ReLU(),
        )
        self.affine = nn.Linear(32, 6)
        nn.init.zeros_(self.affine.weight)
        with torch.no_grad():
            self.affine.bias.copy_(torch.eye(2, 3).flatten())
        self.cnn = cnn(channels, factors)

    def moved(self, images: Tensor) -> Tensor:
        """Images (N, C, 64, 64) to what the CNN sees of them, of the same shape."""
        maps = self.affine(self.localiser(images)).view(-1, 2, 3)
        grid = F.affine_grid(maps, list(images.shape), align_corners=False)
        return F.grid_sample(images, grid, align_corners=False)

    def forward(self, images: Tensor) -> Tensor:
        """Images (N, C, 64, 64) to factors (N, K)."""
        factors: Tensor = self.cnn(self.moved(images))
        return factors


@dataclass(frozen=True)
class CnnSettings(RegressionSettings):
    """Of a CNN and its training, with `depth`: 6 or 9 layers."""

    depth: int = 6


def fast(network: nn.Module) -> nn.Module:
    """Lay out a network's weights as its images are, which makes most convolutions faster on a CPU, by up to a third."""
    return network.to(memory_format=torch.channels_last)


class MlpLearner(RegressionLearner):
    """``reference:mlp``."""

    name = "mlp"
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "quick": 4_000}

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the layers, with a ReLU after each but the last."""
        return nn.Sequential(nn.Flatten(), mlp(channels * SIDE * SIDE, 90, 90, 90, 90, 45, 22, factors))


class CnnLearner(RegressionLearner):
    """``reference:cnn``."""

    name = "cnn"
    Settings: ClassVar[type[Any]] = CnnSettings
    steps = STEPS

    def check(self) -> None:
        """Check the settings."""
        super().check()
        if self.settings.depth not in DEPTHS:
            raise LearnerError(f"depth={self.settings.depth} of cnn has to be 6 or 9.")

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the convolutions and a linear layer."""
        return fast(cnn(channels, factors, self.settings.depth))


class CoordConvLearner(RegressionLearner):
    """``reference:coordconv``."""

    name = "coordconv"
    steps = STEPS

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the convolutions and two linear layers."""
        return fast(coordconv(channels, factors))


class SetEncoderLearner(RegressionLearner):
    """``reference:set-encoder``."""

    name = "set-encoder"
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "quick": 400}

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the layers that each pixel goes through, and those after their mean."""
        return SetEncoder(channels, factors)


class SpatialTransformerLearner(RegressionLearner):
    """``reference:stn``."""

    name = "stn"
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "quick": 1_000}

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the localiser and the CNN."""
        return fast(SpatialTransformer(channels, factors))
