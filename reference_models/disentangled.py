"""Un- and weakly supervised models, of whose code a small network then reads the factors: beta-VAE, Ada-GVAE, SlowVAE, PCL.

- Higgins et al. (ICLR 2017): the beta-VAE. Kingma and Welling (ICLR 2014): the VAE, which is beta 1.
- Locatello, Poole, Rätsch, Schölkopf, Bachem and Tschannen (ICML 2020, arXiv:2002.02886): Ada-GVAE.
- Klindt, Schott, Sharma, Ustyuzhaninov, Brendel, Bethge and Paiton (ICLR 2021, arXiv:2007.10930): SlowVAE.
- Hyvärinen and Morioka (AISTATS 2017): PCL.
- Schott, von Kügelgen, Träuble, Gehler, Russell, Bethge, Schölkopf, Locatello and Brendel (ICLR 2022, arXiv:2107.08221),
  appendix H: the layers, the readout, all four on the in-domain generalisation benchmark.

Where the paper leaves a choice: Ada-GVAE's divergences have their one half, so that beta means what it means in a beta-VAE (other
code lacks it, and adds the images of a pair instead of averaging them: its beta is four times as large). SlowVAE counts the
reconstruction twice and the entropy once. PCL has the encoder of the others, of whose outputs it uses the first half; its false
pairs take their first images from the next pair. Convolutions and fully connected layers of the VAEs begin as He et al. (2015)
have them, all else as torch has it.

Factors are never shown to an encoder: their labels train the readout alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError
from pytest_genbench.learners import Budget, Progress, TrainingTask

from .adversarial import Memory, StepSchedule, compete
from .beta_vae import SIDE, cross_entropy, divergence
from .export import export_onnx
from .files import InOrder
from .pairs import FewFactors, Laplace, Paired, Sampler
from .readouts import epochs_of, fit_readout, steps_per_epoch
from .regression import memory_of
from .regressors import FEATURES, cnn_body
from .representations import sampled
from .training import build, seeded
from .weak_losses import contrast, permutation_logits, shared, slowness

BATCH = {"smoke": 16, "quick": 32, "standard": 64, "paper": 64}
"""Images in a step, or pairs, by budget."""

LR = {"smoke": 1e-3, "quick": 1e-3, "standard": 5e-4, "paper": 1e-4}
"""Adam's constant rate by budget: few steps have to be larger ones."""


@dataclass(frozen=True)
class Settings:
    """Of an encoder, its training and its readout.

    Attributes:
        latent: Numbers in the code.
        lr: Adam's constant rate; 0: what the budget says, see LR.
        batch: Images, or pairs, in a step; 0: what the budget says, see BATCH.
        steps: 0: what the budget says.
        readout_epochs: How often the readout is shown each item; 0: what the budget says.

    Raises:
        LearnerError: A value cannot be used.
    """

    name: ClassVar[str] = ""
    latent: int = 10
    lr: float = 0.0
    batch: int = 0
    steps: int = 0
    readout_epochs: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value, least = getattr(self, field.name), 1 if field.name == "latent" else 0
            if isinstance(field.default, int) and not (isinstance(value, int) and value >= least):
                raise LearnerError(f"{field.name}={value} of {self.name} has to be a whole number, {least} or more.")
            if not 0 <= value < float("inf"):
                raise LearnerError(f"{field.name}={value} of {self.name} has to be a number, 0 or more.")


@dataclass(frozen=True)
class BetaVaeSettings(Settings):
    """Of a beta-VAE, with `beta`, the weight of its divergence from the prior; the paper has 1, 2, 4, 6, 8 and 16."""

    name = "beta-vae-readout"
    beta: float = 1.0


@dataclass(frozen=True)
class AdaGvaeSettings(BetaVaeSettings):
    """Of an Ada-GVAE, with `beta`, the weight of its divergence from the prior."""

    name = "ada-gvae"


@dataclass(frozen=True)
class SlowVaeSettings(Settings):
    """Of a SlowVAE.

    Attributes:
        beta: Weight of the divergence from the prior.
        gamma: Weight of the slowness; the paper has 1, 5, 10, 15, 20 and 25.
        rate: Of the Laplace distribution of changes: the inverse of its scale, above 0.
    """

    name = "slow-vae"
    beta: float = 1.0
    gamma: float = 10.0
    rate: float = 6.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rate == 0:
            raise LearnerError(f"rate={self.rate} of {self.name} has to be above 0.")


@dataclass(frozen=True)
class PclSettings(Settings):
    """Of PCL."""

    name = "pcl"


class Vae(nn.Module):
    """An encoder to D means and log-variances, and a decoder, for images (C, 64, 64)."""

    def __init__(self, latent: int, channels: int) -> None:
        super().__init__()
        self.encoder = encoder(latent, channels)
        self.decoder = nn.Sequential(
            nn.Linear(latent, 256),
            nn.ReLU(),
            nn.Unflatten(1, (256, 1, 1)),
            nn.ConvTranspose2d(256, 64, 4),  # (N, 64, 4, 4)
            nn.ReLU(),
            nn.ConvTranspose2d(64, 64, 4, stride=2, padding=1),  # (N, 64, 8, 8)
            nn.ReLU(),
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),  # (N, 32, 16, 16)
            nn.ReLU(),
            nn.ConvTranspose2d(32, 32, 4, stride=2, padding=1),  # (N, 32, 32, 32)
            nn.ReLU(),
            nn.ConvTranspose2d(32, channels, 4, stride=2, padding=1),  # (N, C, 64, 64)
        )
        self.apply(start)

    def posterior(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Images (N, C, 64, 64) in [0, 1] to means and log-variances of the latents, each (N, D)."""
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        return mean, log_variance

    def misfit(self, mean: Tensor, log_variance: Tensor, images: Tensor) -> Tensor:
        """Cross-entropy of images and what is painted from sampled codes: summed over pixels, averaged over images, in nats."""
        return cross_entropy(self.decoder(sampled(mean, log_variance)), images)


class Contrast(nn.Module):
    """An encoder, and what tells true pairs of its codes from false ones."""

    def __init__(self, latent: int, channels: int) -> None:
        super().__init__()
        self.encoder = encoder(latent, channels)
        self.latent = latent
        self.a, self.b = nn.Parameter(torch.ones(latent)), nn.Parameter(-torch.ones(latent))
        self.c, self.m = nn.Parameter(torch.zeros(latent)), nn.Parameter(torch.zeros(()))

    def logits(self, before: Tensor, now: Tensor) -> Tensor:
        """Codes (B, D) of first and of second images to the log-odds (B,) that they are pairs."""
        return permutation_logits(before, now, self.a, self.b, self.c, self.m)


def encoder(latent: int, channels: int) -> nn.Sequential:
    """Make an encoder: images (N, C, 64, 64) to (N, 2 D), the code first; 383,956 parameters with 10 latents, three channels."""
    return nn.Sequential(cnn_body(channels), nn.Linear(FEATURES, 2 * latent))


def start(layer: nn.Module) -> None:
    """Give convolutions and fully connected layers the weights of He et al. (2015), normal, and no bias."""
    if isinstance(layer, nn.Linear | nn.Conv2d):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)


class Readable(nn.Module):
    """A trained encoder with its readout, without what only training needs."""

    def __init__(self, encoder: nn.Module, readout: nn.Module, latent: int) -> None:
        super().__init__()
        self.encoder, self.readout, self.latent = encoder, readout, latent

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        """Images (N, C, 64, 64) in [0, 1] to ``factors`` (N, K) and ``embedding`` (N, D), which holds means, no samples."""
        embedding = self.encoder(images)[:, : self.latent]
        return {"factors": self.readout(embedding), "embedding": embedding}


class BetaVaeReadoutLearner:
    """``reference:beta-vae-readout``; see :class:`pytest_genbench.learners.Learner`.

    Args:
        settings: See :class:`Settings`.
    """

    outputs = ("factors", "embedding")
    Settings: ClassVar[type[Any]] = BetaVaeSettings
    network: ClassVar[type[Any]] = Vae
    sampler: ClassVar[Sampler | None] = None  # None: single images
    # A step of 32 images takes 50 CPU-ms, one of 32 pairs 95, of PCL 35: quick is about two CPU-minutes.
    steps: ClassVar[Mapping[str, int]] = {"smoke": 30, "quick": 2_000, "standard": 12_000, "paper": 500_000}

    def __init__(self, settings: Any = None) -> None:
        self.settings = settings or self.Settings()

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> Readable:
        """Train an encoder, then its readout; see :meth:`pytest_genbench.learners.Learner.fit`.

        Raises:
            LearnerError: The images are not 64 x 64, the benchmark asks for no factors, or its items do not fill its grid.
        """
        settings = self.settings
        channels = channels_of(task, settings.name)
        network = build(lambda: self.network(settings.latent, channels), seed)
        network.to(memory_format=torch.channels_last)  # faster on a CPU
        memory = memory_of(task if self.sampler is None else Paired(task.benchmark, task.split, self.sampler))
        steps = settings.steps or self.steps[budget]
        # One epoch, within which the rate stays as it is.
        schedule = StepSchedule(steps, settings.batch or BATCH[budget], settings.lr or LR[budget], epoch=steps)
        epochs = settings.readout_epochs or epochs_of(len(task), budget)
        total = steps + epochs * steps_per_epoch(len(task))
        compete(
            network,
            None,
            lambda images, rows: (self.loss(network, images), None),
            memory,
            schedule,
            seed=seed,
            device=device,
            checkpoint_dir=checkpoint_dir,
            progress=lambda step, _, loss=None: progress(step, total, loss),
            keep=True,
        )
        codes = encode(network.encoder, memory, device)[:, : settings.latent]
        readout = fit_readout(
            codes,
            torch.from_numpy(task.targets()["factors"]),
            epochs=epochs,
            seed=seed,
            device=device,
            progress=lambda step, _, loss=None: progress(steps + step, total, loss),
        )
        return Readable(network.encoder, readout, settings.latent).eval()

    def loss(self, network: Any, images: Tensor) -> Tensor:
        """Misfit + beta KL, of images (N, C, 64, 64) in [0, 1]."""
        mean, log_variance = network.posterior(images)
        misfit: Tensor = network.misfit(mean, log_variance, images)
        return misfit + self.settings.beta * divergence(mean, log_variance)

    def save(self, model: Readable, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx``, its weights as they are; it declares what it was trained on."""
        about = {
            "genbench.benchmark": task.split.benchmark,
            "genbench.trained_on": task.split.id,
            "genbench.outputs": ",".join(f"{name}={name}" for name in self.outputs),
            "genbench.range": "0,1",
        }
        shape, names = (task.image_shape[2], SIDE, SIDE), self.outputs
        export_onnx(InOrder(model, names), folder / "model.onnx", "image", names, shape, about, exact=True)

    def load(self, folder: Path) -> Path:
        """Return the file to be tested."""
        return folder / "model.onnx"


class AdaGvaeLearner(BetaVaeReadoutLearner):
    """``reference:ada-gvae``: a VAE that makes the codes of a pair the same where they are close."""

    Settings: ClassVar[type[Any]] = AdaGvaeSettings
    sampler = FewFactors()
    steps: ClassVar[Mapping[str, int]] = {**BetaVaeReadoutLearner.steps, "quick": 1_200}

    def loss(self, network: Any, images: Tensor) -> Tensor:
        """Misfit + beta KL of the posteriors once they are shared; of the first images of all pairs, then the second ones."""
        mean, log_variance = shared(*network.posterior(images))
        misfit: Tensor = network.misfit(mean, log_variance, images)
        return misfit + self.settings.beta * divergence(mean, log_variance)


class SlowVaeLearner(BetaVaeReadoutLearner):
    """``reference:slow-vae``: a VAE whose latents change little from one image of a pair to the other, and seldom."""

    Settings: ClassVar[type[Any]] = SlowVaeSettings
    sampler = Laplace()
    steps: ClassVar[Mapping[str, int]] = AdaGvaeLearner.steps

    def loss(self, network: Any, images: Tensor) -> Tensor:
        """2 misfit + beta KL + gamma slowness, of the first images of all pairs, then the second ones."""
        mean, log_variance = network.posterior(images)
        misfit: Tensor = 2 * network.misfit(mean, log_variance, images)
        slow = slowness(mean, log_variance, self.settings.rate)
        return misfit + self.settings.beta * divergence(mean, log_variance) + self.settings.gamma * slow


class PclLearner(BetaVaeReadoutLearner):
    """``reference:pcl``: an encoder whose codes tell which images make a pair; it never reconstructs any."""

    Settings: ClassVar[type[Any]] = PclSettings
    network = Contrast
    sampler = Laplace()
    steps: ClassVar[Mapping[str, int]] = {**BetaVaeReadoutLearner.steps, "quick": 3_000}

    def loss(self, network: Any, images: Tensor) -> Tensor:
        """How badly pairs are told from those whose first images are the next pairs', which of two or more is another."""
        before, now = network.encoder(images)[:, : self.settings.latent].chunk(2)
        return contrast(network.logits(before, now), network.logits(before.roll(1, 0), now))


def channels_of(task: TrainingTask, name: str) -> int:
    """Number of channels of a task's images.

    Args:
        task: The task.
        name: Of the model, for messages.

    Raises:
        LearnerError: The inputs are no images of 64 x 64, or no factors are asked for.
    """
    shape = tuple(task.image_shape)
    if len(shape) != 3 or shape[:2] != (SIDE, SIDE):
        raise LearnerError(
            f"{name} takes images of {SIDE} x {SIDE} pixels; the inputs of {task.split.benchmark} have the shape {shape}."
        )
    if "factors" not in task.targets([0]):
        raise LearnerError(f"{name} reads factors; {task.split.benchmark} asks for none.")
    return shape[2]


def encode(encoder: nn.Module, memory: Memory, device: str, batch: int = 512) -> Tensor:
    """Encode the whole training set: (N, 2 D), on the CPU; leaves the encoder there, too."""
    encoder.to(device).eval()
    rows = np.arange(len(memory.task))
    with seeded(0, device), torch.no_grad():
        parts = [encoder(memory.inputs(rows[i : i + batch]).to(device)).cpu() for i in range(0, len(rows), batch)]
    encoder.cpu()
    return torch.cat(parts)
