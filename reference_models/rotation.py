"""The rotation-equivariant supervised models of the in-domain benchmark: RotEQ, and RotEQ-big.

- Schott, von Kügelgen, Träuble, Gehler, Russell, Bethge, Schölkopf, Locatello and Brendel (ICLR 2022, arXiv:2107.08221),
  appendix H: the CNN with convolutions that are equivariant to rotations by multiples of 45 degrees.
- Weiler and Cesa (NeurIPS 2019, arXiv:1911.08251): these convolutions, of the library e2cnn.

A feature map of such a network has eight channels, one per orientation. RotEQ has an eighth of the CNN's number of maps, so as
many channels; RotEQ-big as many maps, so eight times the channels.

The paper does not say how the linear layer sees the eight orientations. Here it reads all of them: their maximum or mean would
not change with a rotation of the image, and could tell neither an orientation nor on which side something is. So the features
turn with the image and the factors are what a linear layer makes of that. Rotating an image by 90 degrees shifts each map's
orientations by two, but for rounding; by 45 degrees it does so about, since pixels lie on a square grid.

The paper gives RotEQ-big as many parameters as the CNN. With e2cnn's default basis it has two and a half times as many, and
RotEQ one for the CNN's 24.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from torch import Tensor, nn

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what e2cnn imports, about what will once be gone
    from e2cnn import gspaces  # type: ignore[import-untyped]
    from e2cnn import nn as enn

from pytest_genbench.learners import TrainingTask

from .regression import RegressionLearner, export

ORIENTATIONS = 8
WIDTHS = (32, 32, 64, 64, 256)  # of the CNN's layers


class Rotational(nn.Module):
    """The CNN with rotation-equivariant convolutions.

    Args:
        channels: Of the images.
        factors: Numbers to give.
        share: By which the CNN's numbers of maps are divided.
    """

    def __init__(self, channels: int, factors: int, share: int) -> None:
        super().__init__()
        space = gspaces.Rot2dOnR2(N=ORIENTATIONS)
        kind = enn.FieldType(space, channels * [space.trivial_repr])
        layers: list[nn.Module] = []
        for width in WIDTHS:
            before, kind = kind, enn.FieldType(space, width // share * [space.regular_repr])
            last = width == WIDTHS[-1]  # (N, 8 M, 4, 4) to (N, 8 M, 1, 1); those before it halve the side
            layers += [enn.R2Conv(before, kind, 4, stride=1 if last else 2, padding=0 if last else 1), enn.ReLU(kind)]
        self.body = enn.SequentialModule(*layers)
        self.head = nn.Linear(kind.size, factors)

    def features(self, images: Tensor) -> Tensor:
        """Images (N, C, 64, 64) to features (N, maps, 8), whose last axis is the orientation."""
        features: Tensor = self.body(enn.GeometricTensor(images, self.body.in_type)).tensor
        return features.view(len(features), -1, ORIENTATIONS)

    def forward(self, images: Tensor) -> Tensor:
        """Images (N, C, 64, 64) to factors (N, K)."""
        factors: Tensor = self.head(self.features(images).flatten(1))
        return factors

    def plain(self) -> nn.Sequential:
        """Make the same network of ordinary convolutions, from images (N, C, 64, 64) to factors (N, K)."""
        self.eval()  # in which the convolutions work out their kernels
        return nn.Sequential(self.body.export(), nn.Flatten(), self.head)


class RotEqLearner(RegressionLearner):
    """``reference:roteq``."""

    name = "roteq"
    share: ClassVar[int] = 8
    # A step of 64 images takes 40 CPU-ms.
    steps: ClassVar[Mapping[str, int]] = {"smoke": 30, "quick": 1_000, "standard": 12_000, "paper": 500_000}

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the convolutions and a linear layer."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of torch, about how e2cnn indexes
            return Rotational(channels, factors, self.share)

    def save(self, model: nn.Module, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx``, with ordinary convolutions."""
        assert isinstance(model, Rotational)
        export(model.plain(), folder, task, task.split.id)


class RotEqBigLearner(RotEqLearner):
    """``reference:roteq-big``; what it does in a `quick` budget says nothing about the paper."""

    name = "roteq-big"
    share = 1
    # A step of 64 images takes 1.9 CPU-s.
    steps: ClassVar[Mapping[str, int]] = {"smoke": 3, "quick": 50, "standard": 12_000, "paper": 500_000}
