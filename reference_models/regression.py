"""What the supervised models of the in-domain benchmark share: from images to all factors at once, by least squares.

- Schott, von Kügelgen, Träuble, Gehler, Russell, Bethge, Schölkopf, Locatello and Brendel (ICLR 2022, arXiv:2107.08221),
  section 4 and appendix H: Adam with a constant rate, 500,000 batches of 64 images.

Budgets but `paper` are short, and lower the rate in their second half. What differs, the networks, is in `regressors`,
`rotation` and `backbones`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError, nearest
from pytest_genbench.learners import Budget, Progress, TrainingTask

from .adversarial import Memory, Reply, StepSchedule, compete
from .augmentations import AUGMENTATIONS
from .beta_vae import SIDE
from .bodies import as_tensor
from .export import export_onnx
from .training import build

ROOM = 1_000_000_000  # bytes of images that are kept in memory


@dataclass(frozen=True)
class RegressionSettings:
    """Of the training of any of these models.

    Attributes:
        lr: Adam's rate.
        batch: Images in a step.
        steps: 0: what the budget says.
        weight_decay: Added to each weight's gradient, times the weight (appendix C).
        augment: ``erase``, ``noise``, ``shear`` or ``blur``: what training images suffer (appendix F); empty: nothing.
    """

    lr: float = 5e-4
    batch: int = 64
    steps: int = 0
    weight_decay: float = 0.0
    augment: str = ""


class RegressionLearner(ABC):
    """Trains a network to tell the factors; a base class, see :class:`pytest_genbench.learners.Learner`.

    Args:
        settings: See :class:`RegressionSettings`.

    Raises:
        LearnerError: A setting cannot be used.
    """

    outputs = ("factors",)
    name: ClassVar[str]
    Settings: ClassVar[type[Any]] = RegressionSettings
    steps: ClassVar[Mapping[str, int]]

    def __init__(self, settings: Any = None) -> None:
        self.settings = settings or self.Settings()
        self.check()

    def check(self) -> None:
        """Check the settings."""
        settings = self.settings
        for name, least in {"batch": 1, "steps": 0}.items():
            value = getattr(settings, name)
            if not (isinstance(value, int) and value >= least):
                raise LearnerError(f"{name}={value} of {self.name} has to be a whole number, {least} or more.")
        if not 0 < settings.lr < math.inf:
            raise LearnerError(f"lr={settings.lr} of {self.name} has to be a number above 0.")
        if not 0 <= settings.weight_decay < math.inf:
            raise LearnerError(f"weight_decay={settings.weight_decay} of {self.name} has to be a number, 0 or more.")
        if settings.augment and settings.augment not in AUGMENTATIONS:
            raise LearnerError(
                f"{self.name} has no augment={settings.augment!r}.{nearest(settings.augment, AUGMENTATIONS)}"
            )

    @abstractmethod
    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the network: from images (N, C, 64, 64) in [0, 1] to factors (N, K), with fresh weights."""

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> nn.Module:
        """Train a network; see :meth:`pytest_genbench.learners.Learner.fit`.

        Raises:
            LearnerError: The images are not 64 x 64, or the benchmark has no numbers to regress.
        """
        channels, factors = self.sizes(task)
        settings = self.settings
        model: nn.Module = build(lambda: self.network(channels, factors), seed)
        memory = memory_of(task)

        def objective(images: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor, Reply | None]:
            if settings.augment:
                images = AUGMENTATIONS[settings.augment](images)
            loss = squared_error(model(images), memory.targets(rows)["factors"].to(images.device))
            if settings.weight_decay:  # as a penalty its gradient is that of Adam's own weight decay
                loss = loss + 0.5 * settings.weight_decay * sum(p.square().sum() for p in model.parameters())
            return loss, None

        compete(
            model,
            None,
            objective,
            memory,
            self.schedule(budget),
            seed=seed,
            device=device,
            checkpoint_dir=checkpoint_dir,
            progress=progress,
        )
        return model

    def sizes(self, task: TrainingTask) -> tuple[int, int]:
        """Channels of a task's images and number of its factors.

        Raises:
            LearnerError: The images are not 64 x 64, or the benchmark has no numbers to regress.
        """
        shape, of = tuple(task.image_shape), task.split.benchmark
        if shape[:2] != (SIDE, SIDE):
            size = " x ".join(map(str, shape[:2]))
            raise LearnerError(f"{self.name} takes images of {SIDE} x {SIDE} pixels; the inputs of {of} have {size}.")
        if "factors" not in task.targets(np.arange(1)):
            raise LearnerError(f"{self.name} learns the output factors, of which {of} has no right answers.")
        return shape[2], len(task.grid.factors)

    def schedule(self, budget: Budget) -> StepSchedule:
        """Make the schedule of a budget, or of so many steps as the settings say; the published rate is constant."""
        steps = self.settings.steps or self.steps[budget]
        return StepSchedule(steps, self.settings.batch, self.settings.lr, epoch=steps if budget == "paper" else 1)

    def save(self, model: nn.Module, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx``, which declares what it was trained on."""
        export(model, folder, task, task.split.id)

    def load(self, folder: Path) -> Path:
        """Return the file to be tested."""
        return folder / "model.onnx"


def squared_error(factors: Tensor, targets: Tensor) -> Tensor:
    """Squared error of factors (N, K), summed over factors, averaged over images; a scalar."""
    return (factors - targets).square().sum(1).mean()


class Rendered(Memory):
    """A training set too large to be kept: images are made whenever they are asked for."""

    def inputs(self, rows: NDArray[np.int64]) -> Tensor:
        """Rows (N,) to images (N, C, H, W) in [0, 1]."""
        return as_tensor(self.task.images(rows))


def memory_of(task: TrainingTask) -> Memory:
    """Return a task's training set, kept in memory once made where its images take no more than a gigabyte."""
    return (Memory if len(task) * math.prod(task.image_shape) <= ROOM else Rendered)(task)


def export(model: nn.Module, folder: Path, task: TrainingTask, trained_on: str) -> None:
    """Write ``model.onnx``, with the weights as they are.

    Args:
        model: From images (N, C, 64, 64) to factors (N, K).
        folder: Where to write.
        task: What it was trained on last.
        trained_on: Ids of the splits that it was trained on, with commas; empty: not known.
    """
    height, width, channels = task.image_shape
    about = {
        "genbench.benchmark": task.split.benchmark,
        "genbench.range": "0,1",
        "genbench.outputs": "factors=factors",
    }
    if trained_on:
        about["genbench.trained_on"] = trained_on
    export_onnx(model, folder / "model.onnx", "image", ["factors"], (channels, height, width), about, exact=True)
