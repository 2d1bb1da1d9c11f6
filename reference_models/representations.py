"""Flat representations, to compare hierarchical ones with: auto-encoders whose code is a list of numbers.

- Kingma and Welling (ICLR 2014, arXiv:1312.6114): the VAE.
- Higgins, Matthey, Pal, Burgess, Glorot, Botvinick, Mohamed and Lerchner (ICLR 2017): beta.
- Chen, Li, Grosse and Duvenaud (NeurIPS 2018, arXiv:1802.04942): the beta-TCVAE, eq. 4, by minibatch-weighted sampling.
- Kim and Mnih (ICML 2018, arXiv:1802.05983): the FactorVAE. Its critic here is that of COFHAE: smaller, and trained with the
  model's learning rate, on the very codes that the model is trained with.
- Ross and Doshi-Velez (ICML 2021, arXiv:2102.05185): all of them on Chopsticks and Spaceshapes.

The last paper gives beta 5 and gamma 10 of its best models. It does not say how many numbers a code has; here it has as many
as there are true variables, categorical ones included, unless the setting `latent` says otherwise.

Likelihoods are those of `bodies`. The embedding of a VAE is the mean of its posterior.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pytest_genbench.hierarchy import Hierarchy
from pytest_genbench.learners import Budget, Progress, TrainingTask

from .adversarial import Critic, Memory, Objective, Reply, StepSchedule, compete, published, shuffled
from .beta_vae import divergence
from .bodies import FEATURES, Body, check_settings, shape_of, start, true_hierarchy
from .files import save
from .training import build

# A step of 256 signals takes 4 CPU-ms, 7 with a critic; one of 32 images 60 to 90, one of 256 images 400. So `quick` is half a
# CPU-minute to a minute and a half for signals, two to three for images, which small batches serve better than few steps.
STEPS: Mapping[str, Mapping[str, int]] = {
    "signal": {"smoke": 50, "quick": 8_000, "standard": 30_000},
    "image": {"smoke": 5, "quick": 2_000, "standard": 12_000},
}
"""Steps of each budget but `paper`, by what is shown."""

BATCH: Mapping[str, Mapping[str, int]] = {
    "signal": {"smoke": 256, "quick": 256, "standard": 256, "paper": 256},
    "image": {"smoke": 32, "quick": 32, "standard": 64, "paper": 256},
}
"""Items in a step."""

WIDTH = {"smoke": 32, "quick": 128, "standard": 256, "paper": 1_000}
"""Units in each of a critic's three layers, by budget: the published thousand cost more than all the rest on a CPU."""


@dataclass(frozen=True)
class Settings:
    """Of a flat auto-encoder and its training.

    Attributes:
        latent: Numbers in the code; 0: as many as there are true variables.
        activation: ``relu`` or ``softplus``.
        lr: The first learning rate.
        batch: Items in a step; 0: what the budget says, see BATCH.
        steps: 0: what the budget says, see STEPS.
    """

    latent: int = 0
    activation: str = "relu"
    lr: float = 1e-3
    batch: int = 0
    steps: int = 0


@dataclass(frozen=True)
class VaeSettings(Settings):
    """Of a VAE, with `beta`, the weight of its divergence from the prior."""

    beta: float = 1.0


@dataclass(frozen=True)
class TcVaeSettings(Settings):
    """Of a beta-TCVAE, with `beta`, the weight of its total correlation."""

    beta: float = 5.0


@dataclass(frozen=True)
class FactorVaeSettings(Settings):
    """Of a FactorVAE.

    Attributes:
        gamma: Weight of the total correlation.
        discriminator: Units in each of its three layers; 0: what the budget says, see WIDTH.
    """

    gamma: float = 10.0
    discriminator: int = 0


class Flat(nn.Module):
    """An auto-encoder with a code of D numbers.

    Args:
        shape: Of an input as the task has it: (64,), or (64, 64, C).
        latent: D.
        activation: ``relu`` or ``softplus``.
        is_variational: Whether it also gives the variances of a posterior.
    """

    def __init__(self, shape: Sequence[int], latent: int, activation: str, is_variational: bool) -> None:
        super().__init__()
        self.hierarchy, self.code_size = Hierarchy.flat(latent), latent
        self.body = Body(shape, latent, activation)
        self.head = nn.Linear(FEATURES, latent * (2 if is_variational else 1))  # means, then log-variances
        self.head.apply(start)

    def posterior(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs (N, …) to means and log-variances of the latents, each (N, D)."""
        mean, log_variance = self.head(self.body.features(inputs)).chunk(2, dim=1)
        return mean, log_variance

    def encode(self, inputs: Tensor) -> Tensor:
        """Inputs (N, …) to codes (N, D): of a VAE the means of the latents, without noise."""
        codes: Tensor = self.head(self.body.features(inputs))
        return codes[:, : self.code_size]

    def decode(self, code: Tensor) -> Tensor:
        """Codes (N, D) to signals, or to images in [0, 1]."""
        return self.body.shown(self.body.raw(code))

    def forward(self, inputs: Tensor) -> dict[str, Tensor]:
        """Inputs (N, …) to their reconstruction, of the same shape, and their code (N, D)."""
        code = self.encode(inputs)
        return {"reconstruction": self.decode(code), "embedding": code}


def log_density(z: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Logarithms of normal densities, entry by entry, of arrays that broadcast."""
    return -0.5 * ((z - mean).square() * (-log_variance).exp() + log_variance + math.log(2 * math.pi))


def total_correlation(z: Tensor, mean: Tensor, log_variance: Tensor, items: int) -> tuple[Tensor, Tensor, Tensor]:
    """Split the divergence from the prior in three, which add up to it in expectation: Chen et al., eq. 2.

    Densities of the aggregate posterior are estimated from the batch by minibatch-weighted sampling, their appendix C.1.

    Args:
        z: Sampled codes (N, D).
        mean: Of their posteriors (N, D).
        log_variance: Of their posteriors (N, D).
        items: Size of the training set.

    Returns:
        Mutual information of code and input, total correlation, divergence of each number from its prior; averages over the
        batch, in nats, scalars.
    """
    pairs = log_density(
        z.unsqueeze(1), mean.unsqueeze(0), log_variance.unsqueeze(0)
    )  # (N, N, D): z of i, posterior of j
    scale = math.log(len(z) * items)
    joint = pairs.sum(2).logsumexp(1) - scale  # (N,): log q(z)
    product = (pairs.logsumexp(1) - scale).sum(1)  # (N,): log of the product of q(z_d)
    own = log_density(z, mean, log_variance).sum(1)
    prior = log_density(z, torch.zeros_like(z), torch.zeros_like(z)).sum(1)
    return (own - joint).mean(), (joint - product).mean(), (product - prior).mean()


class FlatLearner:
    """``reference:autoencoder``; see :class:`pytest_genbench.learners.Learner`.

    Args:
        settings: See :class:`Settings`.

    Raises:
        LearnerError: A setting cannot be used.
    """

    outputs = ("embedding", "reconstruction")
    name: ClassVar[str] = "autoencoder"
    Settings: ClassVar[type[Any]] = Settings
    weights: ClassVar[tuple[str, ...]] = ("lr",)
    is_variational: ClassVar[bool] = False

    def __init__(self, settings: Any = None) -> None:
        self.settings = settings or self.Settings()
        counts = ("latent", "batch", "steps", *(["discriminator"] if hasattr(self.settings, "discriminator") else []))
        check_settings(self.settings, self.name, counts=counts, weights=self.weights)

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> Flat:
        """Train a network; see :meth:`pytest_genbench.learners.Learner.fit`.

        Raises:
            LearnerError: The inputs have another shape, or there is no hierarchy to count the variables of.
        """
        settings = self.settings
        shape = shape_of(task, self.name)
        latent = settings.latent or len(true_hierarchy(task, self.name, "Set latent.").columns)
        model: Flat = build(lambda: Flat(shape, latent, settings.activation, self.is_variational), seed)
        critic = self.critic(latent, budget, seed)
        objective, schedule = self.objective(model, critic, len(task)), schedule_for(task, settings, budget)
        compete(
            model,
            critic,
            objective,
            Memory(task),
            schedule,
            seed=seed,
            device=device,
            checkpoint_dir=checkpoint_dir,
            progress=progress,
        )
        return model

    def critic(self, latent: int, budget: Budget, seed: int) -> Critic | None:
        """Make the second network, where there is one."""
        return None

    def objective(self, model: Flat, critic: Critic | None, items: int) -> Objective:
        """Return what is to be lowered, given the size of the training set."""

        def loss(inputs: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor, Reply | None]:
            return model.body.misfit(model.body.raw(model.encode(inputs)), inputs), None

        return loss

    def save(self, model: Flat, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx`` and ``decoder.onnx``; see :func:`.files.save`."""
        save(model, folder, task)

    def load(self, folder: Path) -> Path:
        """Return the file to be tested."""
        return folder / "model.onnx"


def schedule_for(task: TrainingTask, settings: Any, budget: Budget) -> StepSchedule:
    """Make the schedule of a budget, or of so many steps as the settings say."""
    kind = "signal" if len(task.image_shape) == 1 else "image"
    batch = settings.batch or BATCH[kind][budget]
    if budget == "paper" and not settings.steps:
        return published(len(task), batch, settings.lr)
    return StepSchedule(settings.steps or STEPS[kind][budget], batch, settings.lr)


def sampled(mean: Tensor, log_variance: Tensor) -> Tensor:
    """Draw codes (N, D) from their posteriors, with torch's generator."""
    return mean + (0.5 * log_variance).exp() * torch.randn_like(mean)


class VaeLearner(FlatLearner):
    """``reference:vae``; with `beta` a beta-VAE."""

    name = "vae"
    Settings: ClassVar[type[Any]] = VaeSettings
    weights = ("lr", "beta")
    is_variational = True

    def objective(self, model: Flat, critic: Critic | None, items: int) -> Objective:
        """Misfit + beta KL."""

        def loss(inputs: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor, Reply | None]:
            mean, log_variance = model.posterior(inputs)
            misfit = model.body.misfit(model.body.raw(sampled(mean, log_variance)), inputs)
            return misfit + self.settings.beta * divergence(mean, log_variance), None

        return loss


class TcVaeLearner(VaeLearner):
    """``reference:beta-tcvae``."""

    name = "beta-tcvae"
    Settings: ClassVar[type[Any]] = TcVaeSettings

    def objective(self, model: Flat, critic: Critic | None, items: int) -> Objective:
        """Misfit + mutual information + beta TC + divergences of the single latents."""

        def loss(inputs: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor, Reply | None]:
            mean, log_variance = model.posterior(inputs)
            z = sampled(mean, log_variance)
            information, correlation, single = total_correlation(z, mean, log_variance, items)
            misfit = model.body.misfit(model.body.raw(z), inputs)
            return misfit + information + self.settings.beta * correlation + single, None

        return loss


class FactorVaeLearner(VaeLearner):
    """``reference:factor-vae``."""

    name = "factor-vae"
    Settings: ClassVar[type[Any]] = FactorVaeSettings
    weights = ("lr", "gamma")

    def critic(self, latent: int, budget: Budget, seed: int) -> Critic:
        """Make the network that estimates the total correlation."""
        critic: Critic = build(lambda: Critic(latent, self.settings.discriminator or WIDTH[budget]), seed)
        return critic

    def objective(self, model: Flat, critic: Critic | None, items: int) -> Objective:
        """Misfit + KL + gamma TC, the last as the critic estimates it."""
        assert critic is not None

        def loss(inputs: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor, Reply | None]:
            mean, log_variance = model.posterior(inputs)
            z = sampled(mean, log_variance)
            correlation = critic(z).mean()
            misfit = model.body.misfit(model.body.raw(z), inputs)
            real = z.detach()
            return (
                misfit + divergence(mean, log_variance) + self.settings.gamma * correlation,
                lambda: critic.loss(real, shuffled(real)),
            )

        return loss
