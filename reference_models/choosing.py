"""Choose among models that differ in a hyper-parameter by how disentangled their codes are, as the paper does.

- Schott et al. (ICLR 2022, arXiv:2107.08221), appendix H: ten seeds for each hyper-parameter, the best one by DCI disentanglement
  (Eastwood and Williams 2018) on the training set.
- Locatello et al. (JMLR 2020, arXiv:2010.14766), table 2: the grid of beta.

This needs the factors of the training set. What is held out is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import nn

from pytest_genbench.errors import LearnerError
from pytest_genbench.learners import TrainingTask
from pytest_genbench.metrics import dci
from pytest_genbench.rng import stream

from .bodies import as_tensor
from .disentangled import AdaGvaeSettings, BetaVaeSettings, PclSettings, Settings, SlowVaeSettings

BETAS, GAMMAS = (1.0, 2.0, 4.0, 6.0, 8.0, 16.0), (1.0, 5.0, 10.0, 15.0, 20.0, 25.0)

GRIDS: Mapping[str, tuple[Settings, ...]] = {
    "beta-vae-readout": tuple(BetaVaeSettings(beta=beta) for beta in BETAS),
    "ada-gvae": tuple(AdaGvaeSettings(beta=beta) for beta in BETAS),
    "slow-vae": tuple(SlowVaeSettings(gamma=gamma) for gamma in GAMMAS),
    "pcl": (PclSettings(),),
}
"""What the paper chose among, by the learner's name."""

SAMPLES = 2_000
"""Images that codes are judged by, a third of them held back. A factor of 40 levels takes a minute, of 10,000 images five."""

Candidate = TypeVar("Candidate")


def disentanglement(model: nn.Module, task: TrainingTask, *, samples: int = SAMPLES, seed: int = 0) -> float:
    """DCI disentanglement of a model's embedding, from 0 to 1, on images of the training set.

    Args:
        model: From images (N, C, H, W) in [0, 1] to a dict with ``embedding`` (N, D).
        task: What it was trained on.
        samples: How many images; where there are fewer, all.
        seed: Which images, and of the metric.
    """
    rows = stream("choosing", task.split.id, seed).permutation(len(task))[:samples]
    with torch.no_grad():
        codes = [
            model(as_tensor(task.images(part)))["embedding"] for part in np.split(rows, range(512, len(rows), 512))
        ]
    return float(dci(task.levels(rows), torch.cat(codes).numpy(), seed=seed).disentanglement)


def choose(
    candidates: Mapping[Candidate, Sequence[nn.Module]], task: TrainingTask, *, samples: int = SAMPLES, seed: int = 0
) -> tuple[Candidate, dict[Candidate, float]]:
    """Choose the hyper-parameter whose models have the most disentangled codes on average.

    Args:
        candidates: By hyper-parameter, or settings, the models trained with it: one for each seed.
        task: What they were trained on.
        samples: Images that each model is judged by.
        seed: Which images.

    Returns:
        The best one, of equal ones the first; and the mean disentanglement of each.

    Raises:
        LearnerError: There is no candidate, or one has no models.
    """
    if not candidates or not all(candidates.values()):
        raise LearnerError("There have to be candidates to choose among, each with one model or more.")
    scores = {
        name: float(np.mean([disentanglement(model, task, samples=samples, seed=seed) for model in models]))
        for name, models in candidates.items()
    }
    return max(scores, key=lambda name: scores[name]), scores
