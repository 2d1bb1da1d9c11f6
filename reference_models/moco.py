"""MoCo v3: an encoder learns, without any answer, to tell an image from all others however it is shown.

- Chen, Xie and He (ICCV 2021, arXiv:2104.02057): the method.
- He, Fan, Wu, Xie and Girshick (CVPR 2020, arXiv:1911.05722): the encoder that follows slowly.
- You, Gitman and Ginsburg (2017, arXiv:1708.03888): LARS.
- Zerroug, Vaishnav, Colin, Musslick and Serre (NeurIPS 2022, arXiv:2206.05379): on one image of each training problem, never an
  odd one, with the augmentations that leave line drawings what they are.

Two views of each image are encoded. The codes of one, by the encoder that learns, shall be close to those of the other, by an
encoder that follows it, and far from those of all other images in the batch. One process has the whole batch, as here there is
no gathering; so batch norm sees all of it. Fractions of an epoch count in the momentum, as they do in the rate.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from pytest_genbench.learners import Budget, Progress, TrainingTask

from .stages import Checkpoint, Packed, pixels
from .training import build, seeded

EPOCHS = 100
CODE = 256
MOMENTUM = 0.99
SIDE = 128
"""Pixels of a side in the publication, of which the blur's width is a share."""

CROP = (0.8, 1.0)  # share of the image's area
ASPECT = (3 / 4, 4 / 3)  # of the crop, width to height
TRIES = 10
SIGMA = (0.1, 2.0)  # of the blur in pixels of 128

IMAGES: Mapping[str, int] = {"smoke": 2, "quick": 20, "standard": 1_000, "paper": 10_000}
"""Images per rule by budget."""

BATCH: Mapping[str, int] = {"smoke": 16, "quick": 64, "standard": 256}
"""Largest batch by budget; the rate goes with it."""


@dataclass(frozen=True)
class Recipe:
    """What the encoders are trained by.

    Attributes:
        optimiser: ``lars`` or ``adamw``.
        lr: Of 256 images in a batch.
        batch: Images.
        weight_decay: Of weights with two dimensions or more, if by LARS; of all, if by AdamW.
        warm_up: Epochs of 100 in which the rate rises.
        temperature: By which cosines are divided.
        projector: Linear layers.
        is_plain: Whether the predictor does without a last batch norm.
        hidden: Width of the layers between.
        steps: Most steps by budget; ``paper`` has as many as 100 epochs take.
    """

    optimiser: str
    lr: float
    batch: int
    weight_decay: float
    warm_up: int
    temperature: float
    projector: int
    is_plain: bool
    hidden: int
    steps: Mapping[str, int]


# A step of 64 images of 64 x 64 pixels takes 0.1 CPU-s of the small ResNet, 5 to 10 of the others.
_STEPS = {"smoke": 8, "quick": 200, "standard": 4_000}
_FEW = {"smoke": 1, "quick": 6, "standard": 4_000}
RESNET50 = Recipe("lars", 0.6, 1_536, 1e-6, 10, 1.0, 2, True, 4_096, _FEW)
VIT = Recipe("adamw", 1.5e-4, 1_024, 0.1, 40, 0.2, 3, False, 4_096, _FEW)
SMALL = Recipe("adamw", 2e-3, 256, 1e-4, 10, 0.2, 2, True, 256, _STEPS)  # not published


# Views


def views(images: Tensor) -> Tensor:
    """Show each of the images float32 (N, 3, S, S) in [0, 1] in its own way: cropped, turned, mirrored and blurred."""
    n, side = len(images), images.shape[2]
    images = F.grid_sample(images, crops(n, side, images.device), padding_mode="border", align_corners=False)
    turns, mirrored = torch.randint(4, (n,)), torch.rand(n) < 0.5
    shown = [image.rot90(turn, (1, 2)) for image, turn in zip(images, turns.tolist(), strict=True)]
    images = torch.stack([image.flip(2) if flip else image for image, flip in zip(shown, mirrored, strict=True)])
    low, high = (bound * side / SIDE for bound in SIGMA)
    return blurred(images, low + (high - low) * torch.rand(n).to(images.device))


def crops(n: int, side: int, device: torch.device) -> Tensor:
    """Draw where to look: grids (N, side, side, 2) of boxes whose area and aspect are random; the whole image if none fits."""
    area = torch.empty(n, TRIES).uniform_(*CROP)
    aspect = torch.empty(n, TRIES).uniform_(*(math.log(bound) for bound in ASPECT)).exp()
    wide, high = (area * aspect).sqrt(), (area / aspect).sqrt()  # shares of the side
    fits = (wide <= 1) & (high <= 1)
    first = fits.byte().argmax(1, keepdim=True)
    whole = ~fits.any(1)
    wide, high = (size.gather(1, first).squeeze(1).masked_fill(whole, 1) for size in (wide, high))
    maps = torch.zeros(n, 2, 3)
    for axis, size in enumerate(
        (wide, high)
    ):  # the middle lies anywhere where the box stays inside; coordinates run from -1 to 1
        maps[:, axis, axis], maps[:, axis, 2] = size, (1 - size) * torch.empty(n).uniform_(-1, 1)
    return F.affine_grid(maps.to(device), [n, 3, side, side], align_corners=False)


def blurred(images: Tensor, sigma: Tensor) -> Tensor:
    """Blur images (N, 3, S, S) with a Gaussian of standard deviations (N,) in pixels; borders are continued."""
    n, channels, side, _ = images.shape
    radius = max(1, math.ceil(2 * SIGMA[1] * side / SIDE))
    offsets = torch.arange(-radius, radius + 1, device=images.device)
    kernel = (
        (-0.5 * (offsets / sigma[:, None]).square()).softmax(1).repeat_interleave(channels, 0)
    )  # (3 N, 2 radius + 1)
    padded = F.pad(images, [radius] * 4, mode="replicate").reshape(
        1, n * channels, side + 2 * radius, side + 2 * radius
    )
    down = F.conv2d(padded, kernel[:, None, :, None], groups=n * channels)
    return F.conv2d(down, kernel[:, None, None, :], groups=n * channels).view_as(images)


# Networks


def head(inputs: int, hidden: int, layers: int, is_plain: bool = False) -> nn.Sequential:
    """Make linear layers without biases, batch norms and ReLUs: from (N, inputs) to (N, 256).

    Args:
        inputs: Numbers in.
        hidden: Numbers between.
        layers: Linear ones.
        is_plain: End in the last linear layer, not in a batch norm without weights.
    """
    parts: list[nn.Module] = []
    for _ in range(layers - 1):
        parts += [nn.Linear(inputs, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU()]
        inputs = hidden
    parts.append(nn.Linear(inputs, CODE, bias=False))
    return nn.Sequential(*parts, *([] if is_plain else [nn.BatchNorm1d(CODE, affine=False)]))


class Moco(nn.Module):
    """The encoder that learns, the one that follows, and what stands on them.

    Args:
        encoder: From normalised images (N, 3, S, S) to features (N, width).
        width: Of the features.
        recipe: Its heads and its temperature.
    """

    def __init__(self, encoder: nn.Module, width: int, recipe: Recipe) -> None:
        super().__init__()
        self.temperature = recipe.temperature
        self.leader = nn.Sequential(encoder, head(width, recipe.hidden, recipe.projector))
        self.follower = copy.deepcopy(self.leader).requires_grad_(False)
        self.predictor = head(CODE, recipe.hidden, 2, recipe.is_plain)

    def forward(self, one: Tensor, other: Tensor, momentum: float) -> Tensor:
        """Let the follower follow, then compare views.

        Args:
            one: Images float32 (N, 3, S, S) in [0, 1].
            other: The same images, shown otherwise.
            momentum: What the follower keeps of itself.

        Returns:
            The loss; a scalar.
        """
        self.follow(momentum)
        one, other = ((view - 0.9) / 0.1 for view in (one, other))
        asked = [self.predictor(self.leader(view)) for view in (one, other)]
        with torch.no_grad():
            keys = [self.follower(view) for view in (one, other)]
        return contrast(asked[0], keys[1], self.temperature) + contrast(asked[1], keys[0], self.temperature)

    @torch.no_grad()
    def follow(self, momentum: float) -> None:
        """Move the follower's weights: momentum times its own, and for the rest the leader's."""
        for own, others in zip(self.follower.parameters(), self.leader.parameters(), strict=True):
            own.mul_(momentum).add_(others, alpha=1 - momentum)


def contrast(asked: Tensor, keys: Tensor, temperature: float) -> Tensor:
    """Cross-entropy of naming the key of one's own image among all, codes (N, D) both, times twice the temperature; a scalar."""
    logits = F.normalize(asked) @ F.normalize(keys).T / temperature
    return 2 * temperature * F.cross_entropy(logits, torch.arange(len(asked), device=asked.device))


def momentum_at(share: float) -> float:
    """What the follower keeps of itself when a share of the training is done: from 0.99 up to 1."""
    return 1 - 0.5 * (1 + math.cos(math.pi * share)) * (1 - MOMENTUM)


def rate_at(share: float, recipe: Recipe) -> float:
    """Share of the rate when a share of the training is done: up from 0 in a line, down to 0 in half a cosine."""
    warm = recipe.warm_up / EPOCHS
    return share / warm if share < warm else 0.5 * (1 + math.cos(math.pi * (share - warm) / (1 - warm)))


# Optimisers


class Lars(torch.optim.Optimizer):
    """Momentum, with a rate for each weight that goes with its norm over that of its gradient.

    Weights of one dimension, biases and those of batch norms, have neither that nor weight decay.
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float,
        weight_decay: float,
        momentum: float = 0.9,
        trust: float = 1e-3,
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "trust": trust})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Move all weights."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                change = weight.grad
                if weight.ndim > 1:
                    change = change + group["weight_decay"] * weight
                    norm, size = change.norm(), weight.norm()
                    change = change * torch.where((norm > 0) & (size > 0), group["trust"] * size / norm, 1.0)
                state = self.state[weight]
                moved = state["moved"] = state.get("moved", torch.zeros_like(weight)) * group["momentum"] + change
                weight.add_(moved, alpha=-group["lr"])


def optimiser_of(model: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Make the optimiser of all weights that learn; its rate is set in every step."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    if recipe.optimiser == "lars":
        return Lars(weights, 0.0, recipe.weight_decay)
    return torch.optim.AdamW(weights, 0.0, weight_decay=recipe.weight_decay, fused=True)


# Training


class Pretraining:
    """A first stage of training: an encoder learns from images of all rules.

    Args:
        make: Makes the encoder, with fresh weights.
        width: Of its features.
        recipe: How it learns.
        task: What is to be learnt afterwards; names the benchmark.
        budget: How much work to put in.

    Attributes:
        task: The problems of which it sees the first reference.
        steps: How many there are.
    """

    def __init__(
        self, make: Callable[[], nn.Module], width: int, recipe: Recipe, task: TrainingTask, budget: Budget
    ) -> None:
        self.make, self.width, self.recipe = make, width, recipe
        benchmark: Any = task.benchmark
        rules = range(len(benchmark.grid.factors[0]))
        self.task = TrainingTask(benchmark, benchmark.training(rules, IMAGES[budget]))
        largest = recipe.batch if budget == "paper" else min(recipe.batch, BATCH[budget])
        self.batch = min(largest, len(self.task))
        published = EPOCHS * (len(self.task) // self.batch)
        self.steps = published if budget == "paper" else min(published, recipe.steps[budget])

    def weights(self, *, seed: int, device: str, checkpoint_dir: Path, progress: Progress) -> dict[str, Tensor]:
        """Train, and return the weights of the encoder, whose names begin with ``encoder.``.

        The same weights for the same seed, interrupted or not.
        """
        checkpoint_dir.mkdir(parents=True, exist_ok=True)
        benchmark: Any = self.task.benchmark
        images = Packed(len(self.task), lambda rows: benchmark.references(self.task.split.train[rows]))
        model: Moco = build(lambda: Moco(self.make(), self.width, self.recipe), seed)
        model.to(device).train()
        optimiser = optimiser_of(model, self.recipe)
        with seeded(seed, device):
            checkpoint = Checkpoint(checkpoint_dir / "checkpoint.pt", {"model": model, "optimiser": optimiser}, device)
            done = checkpoint.restore()
            full = (rows for rows in self.task.batches(self.batch, seed=seed) if len(rows) == self.batch)
            for step, rows in enumerate(islice(full, done, self.steps), done):
                share = step / self.steps
                shown = pixels(images[rows], device)
                loss = model(views(shown), views(shown), momentum_at(share))
                for group in optimiser.param_groups:
                    group["lr"] = self.recipe.lr * self.batch / 256 * rate_at(share, self.recipe)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                checkpoint.save_if_due(step + 1)
                progress(step + 1, self.steps, loss.item())
        model.cpu()
        return {f"encoder.{name}": value for name, value in model.leader[0].state_dict().items()}
