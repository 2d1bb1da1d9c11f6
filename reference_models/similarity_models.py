"""The encoders of the odd-one-out benchmark: each image becomes a code by itself, and the odd one is least like the others.

- Zerroug, Vaishnav, Colin, Musslick and Serre (NeurIPS 2022, arXiv:2206.05379): the head, and which encoders.
- He, Zhang, Ren and Sun (CVPR 2016, arXiv:1512.03385): ResNet-50, of torchvision.
- Dosovitskiy et al. (ICLR 2021, arXiv:2010.11929): the vision transformer, of timm.
- Chen, Xie and He (ICCV 2021, arXiv:2104.02057): its form here, with fixed positions and patches that are never trained.

The patch projection stays as it was drawn in supervised training too, as published. The small ResNet is not published: it is what
a CPU trains in a minute.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import timm.models.vision_transformer
import torch
import torch.nn.functional as F  # noqa: N812
import torchvision
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError
from pytest_genbench.learners import Budget, TrainingTask

from . import moco
from .reasoning import STEPS, Reasoner, ReasoningLearner, ReasoningSettings, with_rule
from .regressors import mlp

PATCH = 16
HEAD = (2048, 128)

# A step of 64 problems of 64 x 64 pixels takes 0.12 CPU-s of the small ResNet, 7 to 10 of the others.
SLOW: Mapping[str, int] = {**STEPS, "smoke": 1, "quick": 6}


class Similarity(Reasoner):
    """An encoder, two linear layers, and how little an image's code is like those of all four.

    Args:
        encoder: From normalised images (N, 3, H, W) to features (N, width).
        width: Of its features.
        is_joint: Whether the layers are told the rule.
    """

    handed_on = ("encoder",)

    def __init__(self, encoder: nn.Module, width: int, is_joint: bool) -> None:
        super().__init__(is_joint)
        self.encoder = encoder
        self.head = mlp(width + self.told, *HEAD)

    def scores(self, images: Tensor, told: Tensor | None) -> Tensor:
        """See :meth:`Reasoner.scores`."""
        features = self.encoder(images.flatten(0, 1)).unflatten(0, (-1, 4))  # (N, 4, width)
        return unlike(self.head(with_rule(features, told)))


def unlike(codes: Tensor) -> Tensor:
    """Score codes: minus the sum of a code's cosines with all four, itself included; (N, 4, D) to (N, 4)."""
    codes = F.normalize(codes, dim=2)
    return -(codes * codes.sum(1, keepdim=True)).sum(2)


def resnet50(zero: bool = False) -> nn.Module:
    """Make the encoder: from images (N, 3, H, W) to features (N, 2048).

    Args:
        zero: Begin each block as the identity, as in pretraining.
    """
    body: nn.Module = torchvision.models.resnet50(weights=None, zero_init_residual=zero)
    body.fc = nn.Identity()
    return body


class Block(nn.Module):
    """Two convolutions, and a way around them."""

    def __init__(self, before: int, after: int, stride: int, zero: bool) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(after),
            nn.ReLU(),
            nn.Conv2d(after, after, 3, padding=1, bias=False),
            nn.BatchNorm2d(after),
        )
        self.around = nn.Sequential()
        if stride > 1:
            self.around = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
        if zero:
            nn.init.zeros_(self.layers[4].weight)  # type: ignore[arg-type]

    def forward(self, images: Tensor) -> Tensor:
        """Images (N, before, H, W) to images (N, after, H / stride, W / stride)."""
        return F.relu(self.layers(images) + self.around(images))


def resnet_small(zero: bool = False) -> nn.Module:
    """Make the encoder: from images (N, 3, H, W) to features (N, 64); four stages of one block; arguments as of `resnet50`."""
    body = nn.Sequential(
        nn.Conv2d(3, 16, 5, stride=2, padding=2, bias=False),  # (N, 16, 32, 32) of 64 x 64
        nn.MaxPool2d(2),  # before the rest, of which a quarter remains
        nn.BatchNorm2d(16),
        nn.ReLU(),
        Block(16, 16, 1, zero),  # (N, 16, 16, 16)
        Block(16, 32, 2, zero),
        Block(32, 64, 2, zero),
        Block(64, 64, 2, zero),  # (N, 64, 2, 2)
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    return body.to(memory_format=torch.channels_last)  # faster on a CPU


def vit_small(side: int) -> nn.Module:
    """Make the encoder: from images (N, 3, side, side) to the class token's features (N, 384)."""
    width = 384
    body: Any = timm.models.vision_transformer.VisionTransformer(
        img_size=side,
        patch_size=PATCH,
        embed_dim=width,
        depth=12,
        num_heads=12,
        num_classes=0,
        global_pool="token",
        qkv_bias=True,
        norm_layer=partial(nn.LayerNorm, eps=1e-6),
    )
    for module in body.modules():
        if isinstance(module, nn.Linear):
            # Of width x width; so of queries, keys and values each by itself.
            outputs = width if module.out_features == 3 * width else module.out_features
            bound = math.sqrt(6 / (module.in_features + outputs))
            nn.init.uniform_(module.weight, -bound, bound)
            nn.init.zeros_(module.bias)
    patches = body.patch_embed.proj
    nn.init.uniform_(patches.weight, -(bound := math.sqrt(6 / (3 * PATCH**2 + width))), bound)
    nn.init.zeros_(patches.bias)
    nn.init.normal_(body.cls_token, std=1e-6)
    with torch.no_grad():
        body.pos_embed.copy_(positions(side // PATCH, width))
    for fixed in (patches.weight, patches.bias, body.pos_embed):
        fixed.requires_grad = False
    encoder: nn.Module = body
    return encoder


def positions(patches: int, width: int) -> Tensor:
    """Codes of places: (1, 1 + patches^2, width), of the class token zeros; sines and cosines of columns, then of rows."""
    frequencies = 10_000 ** -(torch.arange(width // 4) / (width // 4))
    line = torch.arange(patches)[:, None] * frequencies  # (patches, width / 4)
    waves = torch.cat([line.sin(), line.cos()], 1)  # (patches, width / 2)
    of_columns = waves[None].expand(patches, -1, -1)
    grid = torch.cat([of_columns, of_columns.transpose(0, 1)], 2)  # (rows, columns, width)
    return torch.cat([torch.zeros(1, width), grid.flatten(0, 1)])[None]


class SimilarityLearner(ReasoningLearner):
    """Trains an encoder and the head; a base class."""

    width: ClassVar[int]
    recipe: ClassVar[moco.Recipe]

    @abstractmethod
    def encoder(self, side: int, zero: bool = False) -> nn.Module:
        """Make the encoder for images of `side` x `side` pixels, for pretraining with `zero`."""

    def network(self, side: int, is_joint: bool) -> Similarity:
        """Make encoder and head."""
        return Similarity(self.encoder(side), self.width, is_joint)

    def pretraining(self, task: TrainingTask, budget: Budget) -> moco.Pretraining:
        """Make the pretraining of the encoder."""
        side = self.side(task)
        return moco.Pretraining(lambda: self.encoder(side, zero=True), self.width, self.recipe, task, budget)


@dataclass(frozen=True)
class VitSettings(ReasoningSettings):
    """Of the transformer and its training."""

    lr: float = 1e-5


@dataclass(frozen=True)
class SmallSettings(ReasoningSettings):
    """Of the small ResNet and its training."""

    lr: float = 1e-3


class ResNet50Learner(SimilarityLearner):
    """``reference:cvr-resnet50``."""

    name, width, recipe = "cvr-resnet50", 2048, moco.RESNET50
    steps = SLOW

    def encoder(self, side: int, zero: bool = False) -> nn.Module:
        """Make a ResNet-50."""
        return resnet50(zero)


class VitSmallLearner(SimilarityLearner):
    """``reference:cvr-vit-small``."""

    name, width, recipe = "cvr-vit-small", 384, moco.VIT
    Settings: ClassVar[type[Any]] = VitSettings
    steps = SLOW

    def encoder(self, side: int, zero: bool = False) -> nn.Module:
        """Make a transformer.

        Raises:
            LearnerError: The images cannot be cut into patches.
        """
        if side % PATCH:
            raise LearnerError(
                f"{self.name} takes images whose sides are multiples of {PATCH} pixels; got {side} x {side}."
            )
        return vit_small(side)


class ResNetSmallLearner(SimilarityLearner):
    """``reference:cvr-resnet-small``."""

    name, width, recipe = "cvr-resnet-small", 64, moco.SMALL
    Settings: ClassVar[type[Any]] = SmallSettings

    def encoder(self, side: int, zero: bool = False) -> nn.Module:
        """Make a small ResNet."""
        return resnet_small(zero)
