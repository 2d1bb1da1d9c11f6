"""The large supervised models of the in-domain benchmark: residual and dense networks, from scratch and fine-tuned.

- Schott, von Kügelgen, Träuble, Gehler, Russell, Bethge, Schölkopf, Locatello and Brendel (ICLR 2022, arXiv:2107.08221),
  appendix H: which networks, from which weights.
- Kolesnikov, Beyer, Zhai, Puigcerver, Yung, Gelly and Houlsby (ECCV 2020, arXiv:1912.11370): BiT, the residual networks.
- Huang, Liu, van der Maaten and Weinberger (CVPR 2017, arXiv:1608.06993): DenseNet-121.

The paper's text has a ResNet-101, but the weights it names, ``BiT-M-R101x3.npz``, are those of the network three times as wide:
382 million parameters. That one is here. Networks are those of timm.

Of the inputs the paper says nothing more than for the small models, so images stay 64 x 64 and in [0, 1]; where they have one
channel, it is shown three times.

On a CPU, these networks get no further in a `quick` budget than to show that they run: that says nothing about the paper.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import safetensors.torch
import timm
import torch
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError
from pytest_genbench.learners import TrainingTask
from pytest_genbench.models.files import neighbours, sha256
from pytest_genbench.models.results import raised

from .regression import RegressionLearner, RegressionSettings, export

# A step of 64 images takes 1 to 2 CPU-s; of the network three times as wide more than a minute.
STEPS: Mapping[str, int] = {"smoke": 2, "quick": 50, "standard": 12_000, "paper": 500_000}


@dataclass(frozen=True)
class SlowSettings(RegressionSettings):
    """Of a network that diverges with the others' rate."""

    lr: float = 1e-4


@dataclass(frozen=True)
class TransferSettings(SlowSettings):
    """Of a network that is fine-tuned.

    Attributes:
        weights: What to start from: a ``.npz`` file of BiT, or the state dict of timm or torchvision in a ``.safetensors`` or
            ``.pt`` file. Empty: fresh weights.
        frozen: Train the last layer only.
    """

    weights: str = ""
    frozen: bool = False


class Backbone(nn.Module):
    """A network of timm and a linear layer.

    Args:
        kind: Name of the network.
        factors: Numbers to give.
        frozen: Train the linear layer only.
    """

    def __init__(self, kind: str, factors: int, frozen: bool = False) -> None:
        super().__init__()
        self.frozen = frozen
        body: Any = timm.create_model(kind, pretrained=False, num_classes=0)
        if hasattr(body, "stem"):
            # BiT pads with zeros before its max pooling. ONNX Runtime merges the two, and so pads with -inf; but not this.
            body.stem.pad.value = 1e-30
        self.body, self.head = body, nn.Linear(body.num_features, factors)

    def train(self, mode: bool = True) -> Backbone:
        """Set training mode, or evaluation mode, in which a frozen body stays."""
        super().train(mode)
        if self.frozen:
            self.body.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        """Images (N, C, 64, 64), of one channel or three, to factors (N, K)."""
        with torch.no_grad() if self.frozen and self.training else nullcontext():
            features = self.body(images.expand(-1, 3, -1, -1))
        factors: Tensor = self.head(features)
        return factors


class BackboneLearner(RegressionLearner):
    """Trains a network of timm; a base class."""

    kind: ClassVar[str]
    steps = STEPS

    def sizes(self, task: TrainingTask) -> tuple[int, int]:
        """Channels of a task's images and number of its factors.

        Raises:
            LearnerError: As of the base class, or the images have neither one channel nor three.
        """
        channels, factors = super().sizes(task)
        if channels not in (1, 3):
            raise LearnerError(
                f"{self.name} takes images of 1 or 3 channels; those of {task.split.benchmark} have {channels}."
            )
        return channels, factors

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the network, with fresh weights."""
        return Backbone(self.kind, factors)


class TransferLearner(BackboneLearner):
    """Fine-tunes a network of timm; a base class.

    What the given weights were trained on is not known, so the files it saves declare nothing about it.
    """

    Settings: ClassVar[type[Any]] = TransferSettings
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "paper": 50_000}

    def check(self) -> None:
        """Check the settings."""
        super().check()
        if self.settings.frozen and self.settings.weight_decay:
            raise LearnerError(
                f"weight_decay={self.settings.weight_decay} of {self.name} has to be 0 with frozen=true."
            )

    @property
    def version(self) -> str:
        """Hash of the weights to start from: a file of the same name may hold others tomorrow.

        Raises:
            LearnerError: There is no such file.
        """
        return sha256(self._weights()) if self.settings.weights else ""

    def network(self, channels: int, factors: int) -> nn.Module:
        """Make the network, with the given weights and a fresh last layer.

        Raises:
            LearnerError: The weights cannot be read, or do not fit.
        """
        model = Backbone(self.kind, factors, self.settings.frozen)
        if self.settings.weights:
            path = self._weights()
            try:
                load(model.body, path)
            except Exception as error:
                raise LearnerError(f"weights={path} of {self.name} cannot be used: {raised(error)}.") from error
        else:
            warnings.warn(f"{self.name} starts from random weights: set weights to a file.", stacklevel=2)
        return model

    def save(self, model: nn.Module, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx``, which declares what it was trained on where it began with fresh weights."""
        export(model, folder, task, "" if self.settings.weights else task.split.id)

    def _weights(self) -> Path:
        path = Path(self.settings.weights)
        if not path.is_file():
            raise LearnerError(
                f"weights={path} of {self.name}: there is no such file.{neighbours(path, [path.suffix])}"
            )
        return path


def load(body: Any, path: Path) -> None:
    """Load weights into a network of timm without its last layer; only numbers are read, whatever the file.

    Args:
        body: The network.
        path: A ``.npz`` file in the layout of BiT, or a state dict, whose last layer is left out.

    Raises:
        Exception: The file cannot be read, or holds the weights of another network.
    """
    if path.suffix == ".npz":
        if not hasattr(body, "load_pretrained"):
            raise ValueError("only the residual networks have weights in .npz files")
        with np.load(path, allow_pickle=False) as arrays:
            blocks = sum(bool(re.search(r"/unit\d+/a/standardized_conv2d/kernel$", name)) for name in arrays.files)
        # timm would load the first blocks of a deeper network.
        if blocks != sum(len(stage.blocks) for stage in body.stages):
            raise ValueError(f"it holds {blocks} blocks")
        body.load_pretrained(str(path))
        return
    is_safe = path.suffix == ".safetensors"
    state = safetensors.torch.load_file(path) if is_safe else torch.load(path, map_location="cpu", weights_only=True)
    body.load_state_dict(
        # torchvision's own files have the layers' names of its first years.
        {
            re.sub(r"(denselayer\d+\.(?:norm|conv))\.([12])\.", r"\1\2.", name): value
            for name, value in state.items()
            if not name.startswith(("head.", "classifier."))
        }
    )


class ResNet50Learner(BackboneLearner):
    """``reference:resnet50``."""

    name, kind = "resnet50", "resnetv2_50x1_bit"


class ResNet101x3Learner(BackboneLearner):
    """``reference:resnet101x3``: what the paper calls RN101."""

    name, kind = "resnet101x3", "resnetv2_101x3_bit"
    steps: ClassVar[Mapping[str, int]] = {**STEPS, "smoke": 1, "quick": 2}


class DenseNetLearner(BackboneLearner):
    """``reference:densenet121``."""

    name, kind = "densenet121", "densenet121"
    Settings: ClassVar[type[Any]] = SlowSettings


class ResNet50TransferLearner(TransferLearner):
    """``reference:resnet50-transfer``; in the paper from ``BiT-M-R50x1.npz``, of ImageNet-21k."""

    name, kind = "resnet50-transfer", ResNet50Learner.kind


class ResNet101x3TransferLearner(TransferLearner):
    """``reference:resnet101x3-transfer``; in the paper from ``BiT-M-R101x3.npz``, of ImageNet-21k."""

    name, kind = "resnet101x3-transfer", ResNet101x3Learner.kind
    steps: ClassVar[Mapping[str, int]] = {**ResNet101x3Learner.steps, "paper": 50_000}


class DenseNetTransferLearner(TransferLearner):
    """``reference:densenet121-transfer``; in the paper from torchvision's weights, of ImageNet-1k."""

    name, kind = "densenet121-transfer", DenseNetLearner.kind
