"""What the models of hierarchical data have in common: layers for signals and for images, and how far a painting is off.

- Ross and Doshi-Velez (ICML 2021, arXiv:2102.05185): the models, the likelihoods, the layers for signals of 64 numbers.
- Burgess, Higgins, Pal, Matthey, Watters, Desjardins and Lerchner (2018, arXiv:1804.03599): the layers for images of 64 x 64.

A body looks (inputs to 256 features) and paints (a code to something of the inputs' shape). What lies between, from features
to code, is the models' own: see `representations` and `cofhae`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError
from pytest_genbench.hierarchy import Hierarchy
from pytest_genbench.learners import TrainingTask

from .beta_vae import cross_entropy

SIDE = 64  # images are SIDE x SIDE, signals have SIDE numbers
FEATURES = 256  # that every head reads
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "softplus": nn.Softplus}
"""The paper's text has ReLU but in the network that MIMOSA reads, the code that came with it softplus everywhere."""

PRECISION = 100.0
"""Weight of a signal's squared error. As a Gaussian likelihood: a standard deviation of 0.07. Other weights are meant beside it."""


class Body(nn.Module):
    """Looks at signals or images, and paints them.

    Args:
        shape: Of an input as the task has it: (64,) for signals, (64, 64, C) for images.
        code: Numbers in the code that is painted from.
        activation: ``relu`` or ``softplus``; images are painted with ReLUs in any case.
    """

    def __init__(self, shape: Sequence[int], code: int, activation: str = "relu") -> None:
        super().__init__()
        self.is_signal = len(shape) == 1
        act = ACTIVATIONS[activation]
        if self.is_signal:
            self.look = nn.Sequential(nn.Linear(SIDE, 256), act(), nn.Linear(256, FEATURES), act())
            self.painter = nn.Sequential(
                nn.Linear(code, 256),
                act(),
                nn.Linear(256, 256),
                act(),
                nn.Linear(256, SIDE),
            )
            self.apply(start)
            return
        channels = shape[2]
        self.look = nn.Sequential(
            nn.Conv2d(channels, 32, 4, stride=2, padding=1),  # (N, 32, 32, 32)
            act(),
            nn.Conv2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 16, 16)
            act(),
            nn.Conv2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 8, 8)
            act(),
            nn.Conv2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 4, 4)
            act(),
            nn.Flatten(),  # (N, 512)
            nn.Linear(512, 256),
            act(),
            nn.Linear(256, FEATURES),
            act(),
        )
        self.painter = nn.Sequential(
            nn.Linear(code, 256),
            nn.ReLU(),
            nn.Linear(256, 512),
            nn.ReLU(),
            nn.Unflatten(1, (32, 4, 4)),
            nn.ConvTranspose2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 8, 8)
            nn.ReLU(),
            nn.ConvTranspose2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 16, 16)
            nn.ReLU(),
            nn.ConvTranspose2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 32, 32)
            nn.ReLU(),
            nn.ConvTranspose2d(32, channels, 4, stride=2, padding=1),  # (N, C, 64, 64)
        )
        self.apply(start_evenly)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a quarter faster on a CPU

    def features(self, inputs: Tensor) -> Tensor:
        """Signals (N, 64), or images (N, C, 64, 64) in [0, 1], to features (N, 256)."""
        features: Tensor = self.look(inputs)
        return features

    def raw(self, code: Tensor) -> Tensor:
        """Codes (N, D) to signals (N, 64), or to logits of pixels (N, C, 64, 64)."""
        raw: Tensor = self.painter(code)
        return raw

    def shown(self, raw: Tensor) -> Tensor:
        """What `raw` gives, as signals or as images in [0, 1]."""
        return raw if self.is_signal else raw.sigmoid()

    def misfit(self, raw: Tensor, inputs: Tensor) -> Tensor:
        """What training lowers, from what `raw` gives: an average over the batch; a scalar.

        For signals 100 times the sum of the squared errors, for images the cross-entropy summed over pixels, in nats.
        """
        if self.is_signal:
            return PRECISION * (raw - inputs).square().sum(1).mean()
        return cross_entropy(raw, inputs)

    def squared_error(self, raw: Tensor, inputs: Tensor) -> Tensor:
        """Sum of the squared errors of each item (N,); what signals and images are compared by when runs are chosen among."""
        return (self.shown(raw) - inputs).square().flatten(1).sum(1)


def start(layer: nn.Module) -> None:
    """Give a fully connected layer the weights of Glorot and Bengio (2010), uniform, and no bias."""
    if isinstance(layer, nn.Linear):
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)


def start_evenly(layer: nn.Module) -> None:
    """Give a layer weights and biases from +-1 / sqrt(inputs of a unit), a transposed convolution counted as if it were none."""
    if isinstance(layer, nn.Linear | nn.Conv2d | nn.ConvTranspose2d):
        inputs = layer.in_features if isinstance(layer, nn.Linear) else layer.in_channels * layer.weight[0, 0].numel()
        for weight in layer.parameters():
            nn.init.uniform_(weight, -(inputs**-0.5), inputs**-0.5)


def check_settings(settings: Any, name: str, *, counts: Sequence[str], weights: Sequence[str]) -> None:
    """Check the settings that the models of hierarchical data share.

    Args:
        settings: Has the attributes named here, and `activation`.
        name: Of the model, for messages.
        counts: Names of whole numbers, 0 or more.
        weights: Names of numbers, 0 or more.

    Raises:
        LearnerError: A value cannot be used.
    """
    if settings.activation not in ACTIVATIONS:
        raise LearnerError(f"activation={settings.activation} of {name} has to be {' or '.join(ACTIVATIONS)}.")
    for setting in counts:
        value = getattr(settings, setting)
        if not (isinstance(value, int) and value >= 0):
            raise LearnerError(f"{setting}={value} of {name} has to be a whole number, 0 or more.")
    for setting in weights:
        value = getattr(settings, setting)
        if not 0 <= value < float("inf"):
            raise LearnerError(f"{setting}={value} of {name} has to be a number, 0 or more.")


def shape_of(task: TrainingTask, name: str) -> tuple[int, ...]:
    """Return the shape of a task's inputs, (64,) or (64, 64, C).

    Args:
        task: The task.
        name: Of the model, for messages.

    Raises:
        LearnerError: It is another one.
    """
    shape: tuple[int, ...] = tuple(task.image_shape)
    if shape[:2] not in ((SIDE,), (SIDE, SIDE)):
        raise LearnerError(
            f"{name} takes signals of {SIDE} numbers or images of {SIDE} x {SIDE} pixels; the inputs of "
            f"{task.split.benchmark} have the shape {shape}."
        )
    return shape


def true_hierarchy(task: TrainingTask, name: str, advice: str) -> Hierarchy:
    """Return the hierarchy by which a task's data were made.

    Args:
        task: The task.
        name: Of the model, for messages.
        advice: What to do where there is none.

    Raises:
        LearnerError: The benchmark has none.
    """
    of = getattr(task.benchmark, "hierarchy", None)
    if of is None:
        raise LearnerError(f"{name} asks for the hierarchy of {task.split.benchmark}, which has none. {advice}")
    hierarchy: Hierarchy = of(task.split)
    return hierarchy


def as_tensor(inputs: NDArray[Any]) -> Tensor:
    """Signals float32 (N, 64) as they are; images uint8 (N, H, W, C) as float32 (N, C, H, W) in [0, 1]."""
    tensor = torch.from_numpy(np.ascontiguousarray(inputs))
    return tensor.permute(0, 3, 1, 2).float() / 255 if tensor.ndim == 4 else tensor
