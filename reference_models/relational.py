"""The relational models of the odd-one-out benchmark: SCL, WReN, and SCL on a ResNet-18.

- Zerroug, Vaishnav, Colin, Musslick and Serre (NeurIPS 2022, arXiv:2206.05379): all three, as odd-one-out models.
- Wu, Dong, Grosse and Ba (2020, arXiv:2007.04212): the scattering compositional learner, SCL.
- Barrett, Hill, Santoro, Morcos and Lillicrap (ICML 2018, arXiv:1807.04225): the wild relation network, WReN.
- He, Zhang, Ren and Sun (CVPR 2016, arXiv:1512.03385): ResNet-18, of torchvision.

An image is scored as a candidate: beside the four images as a set it makes five. Where the published code slips, this does not:

- In SCL it orders the set at random also when it is tested, so that scores differ from one call to the next. Here training
  draws an order per problem, and scores are averaged over all 24 afterwards: to show the images in another order moves the scores
  with them, and nothing else.
- In SCL it repeats what is known of the rule along the wrong axis: each image gets another quarter of it. Here all four get all.

The publication has images of 128 x 128; other sides change SCL's and WReN's first linear layer alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

import torch
import torchvision
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError

from .reasoning import STEPS, Reasoner, ReasoningLearner, ReasoningSettings, with_rule
from .regressors import mlp

ORDERS = torch.tensor(list(permutations(range(4)))).view(4, 6, 4)
"""All orders of four, by which comes first."""

LEAST = 32
"""Pixels in a side below which nothing would be left after the convolutions."""

# A step of 64 problems of 64 x 64 pixels takes 0.09 CPU-s of SCL, 0.25 of WReN, 3 of SCL on a ResNet-18.


class FeedForward(nn.Module):
    """A residual layer: x + V relu(norm(U x)), U taking what is known of the rule too, where something is."""

    def __init__(self, width: int, told: int = 0) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(width + told, 4 * width), nn.LayerNorm(4 * width), nn.ReLU())
        self.outer = nn.Linear(4 * width, width)

    def forward(self, features: Tensor, told: Tensor | None = None) -> Tensor:
        """Features (N, 4, D), and what is known of the rule (N, 64), to features (N, 4, D)."""
        changed: Tensor = self.outer(self.inner(with_rule(features, told)))
        return features + changed


class Sets(nn.Module):
    """SCL's last part: compares each image, as a candidate, with the four as a set, in one number of theirs after the other.

    Args:
        width: Numbers per image, D; all are compared by the same small network.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.relation = mlp(5, 64, 23, 5)
        self.score = nn.Linear(5 * width, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Features (N, 4, D) to scores (N, 4); of a random order of each set in training, else the mean over all."""
        if self.training:
            order = torch.rand(features.shape[:2], device=features.device).argsort(1)
            return self.ordered(features.gather(1, order[:, :, None].expand_as(features))[:, None], features)
        # Six orders at once, not all: the numbers in between take 2 MB per problem for 24.
        some = [self.ordered(features[:, orders.to(features.device)], features) for orders in ORDERS]
        return torch.stack(some).mean(0)

    def ordered(self, context: Tensor, candidates: Tensor) -> Tensor:
        """The set in P orders (N, P, 4, D), and the candidates (N, 4, D), to scores (N, 4): the means over the orders."""
        context = context.transpose(2, 3)[:, :, None].expand(-1, -1, 4, -1, -1)  # (N, P, 4 candidates, D, 4)
        one = candidates[:, None, :, :, None].expand(-1, context.shape[1], -1, -1, -1)
        scores: Tensor = self.score(self.relation(torch.cat([context, one], 4)).flatten(3))  # of (N, P, 4, D, 5)
        return scores.squeeze(3).mean(1)


class Scl(Reasoner):
    """The scattering compositional learner.

    Args:
        side: Of an image in pixels.
        is_joint: Whether it is told the rule.
    """

    def __init__(self, side: int, is_joint: bool) -> None:
        super().__init__(is_joint)
        layers: list[nn.Module] = []
        for before, after in [(3, 16), (16, 16), (16, 32), (32, 32)]:  # no activation in between, as published
            layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.BatchNorm2d(after)]
        layers += [nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.Flatten()]
        self.look = nn.Sequential(
            *layers, nn.Linear(32 * (-(-side // 32)) ** 2, 80), nn.ReLU()
        )  # 512 to 80 of 128 x 128
        self.look.to(memory_format=torch.channels_last)  # faster on a CPU
        self.before = FeedForward(80)
        self.attribute = mlp(8, 128, 8)
        self.after = FeedForward(80, self.told)
        self.sets = Sets(80)

    def scores(self, images: Tensor, told: Tensor | None) -> Tensor:
        """See :meth:`Reasoner.scores`."""
        features = self.look(images.flatten(0, 1)).unflatten(0, (-1, 4))  # (N, 4, 80)
        features = self.attribute(self.before(features).unflatten(2, (10, 8))).flatten(2)  # ten heads of eight numbers
        scores: Tensor = self.sets(self.after(features, told))
        return scores


class SclResNet18(Reasoner):
    """SCL with a ResNet-18 to look at images, and with 128 attributes of one number.

    Args:
        is_joint: Whether it is told the rule.
    """

    def __init__(self, is_joint: bool) -> None:
        super().__init__(is_joint)
        self.look = torchvision.models.resnet18(weights=None)
        self.look.fc = nn.Identity()
        self.reduce = nn.Sequential(nn.Linear(512 + self.told, 128), nn.ReLU())
        self.before = FeedForward(128)
        self.attribute = mlp(1, 256, 1)
        self.after = FeedForward(128, self.told)
        self.sets = Sets(128)

    def scores(self, images: Tensor, told: Tensor | None) -> Tensor:
        """See :meth:`Reasoner.scores`."""
        features = self.look(images.flatten(0, 1)).unflatten(0, (-1, 4))  # (N, 4, 512)
        features = self.before(self.reduce(with_rule(features, told)))  # (N, 4, 128)
        features = self.attribute(features[..., None]).squeeze(3)
        scores: Tensor = self.sets(self.after(features, told))
        return scores


class WReN(Reasoner):
    """The wild relation network: the sum of what it makes of pairs of images.

    Args:
        side: Of an image in pixels.
        is_joint: Whether it is told the rule.
    """

    def __init__(self, side: int, is_joint: bool) -> None:
        super().__init__(is_joint)
        layers: list[nn.Module] = []
        for before in (3, 32, 32, 32):
            layers += [nn.Conv2d(before, 32, 3, stride=2), nn.BatchNorm2d(32), nn.ReLU()]
            side = (side - 1) // 2  # 128, 63, 31, 15, 7
        self.look = nn.Sequential(*layers, nn.Flatten())
        self.look.to(memory_format=torch.channels_last)  # faster on a CPU
        self.reduce = nn.Linear(32 * side**2 + self.told, 256)  # from 1568 of 128 x 128
        self.pair = nn.Sequential(mlp(512, 512, 512, 512, 256), nn.ReLU())
        self.score = nn.Sequential(
            nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, 1)
        )

    def scores(self, images: Tensor, told: Tensor | None) -> Tensor:
        """See :meth:`Reasoner.scores`."""
        features = self.look(images.flatten(0, 1)).unflatten(0, (-1, 4))
        features = self.reduce(with_rule(features, told))  # (N, 4, 256)
        # The candidate is one of the four: its pairs with all four, either way round, are among the 16 of the set, and count twice.
        first, second = features[:, :, None].expand(-1, -1, 4, -1), features[:, None].expand(-1, 4, -1, -1)
        pairs = self.pair(torch.cat([first, second], 3))  # (N, 4, 4, 256)
        scores: Tensor = self.score(pairs.sum((1, 2))[:, None] + pairs.sum(1) + pairs.sum(2))  # of 24 pairs
        return scores.squeeze(2)


@dataclass(frozen=True)
class SclSettings(ReasoningSettings):
    """Of SCL and its training."""

    lr: float = 1e-3


@dataclass(frozen=True)
class WReNSettings(ReasoningSettings):
    """Of WReN and its training."""

    weight_decay: float = 0.0


@dataclass(frozen=True)
class SclResNet18Settings(ReasoningSettings):
    """Of SCL on a ResNet-18 and its training."""

    lr: float = 5e-4


class RelationalLearner(ReasoningLearner):
    """Trains one of the networks here; a base class."""

    patience = (20, 30)

    def least(self, side: int) -> int:
        """Return `side`.

        Raises:
            LearnerError: It is too small.
        """
        if side < LEAST:
            raise LearnerError(f"{self.name} takes images of {LEAST} x {LEAST} pixels or more; got {side} x {side}.")
        return side


class SclLearner(RelationalLearner):
    """``reference:scl``."""

    name = "scl"
    Settings: ClassVar[type[Any]] = SclSettings

    def network(self, side: int, is_joint: bool) -> Scl:
        """Make the network."""
        return Scl(self.least(side), is_joint)


class WReNLearner(RelationalLearner):
    """``reference:wren``."""

    name = "wren"
    Settings: ClassVar[type[Any]] = WReNSettings
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "quick": 400}

    def network(self, side: int, is_joint: bool) -> WReN:
        """Make the network."""
        return WReN(self.least(side), is_joint)


class SclResNet18Learner(RelationalLearner):
    """``reference:scl-resnet18``."""

    name = "scl-resnet18"
    Settings: ClassVar[type[Any]] = SclResNet18Settings
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "smoke": 2, "quick": 25}

    def network(self, side: int, is_joint: bool) -> SclResNet18:
        """Make the network."""
        self.least(side)
        return SclResNet18(is_joint)
