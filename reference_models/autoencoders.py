"""Auto-encoders with a code of 32 numbers for CompOrth: one that generalises, one that does not.

The task is that of Bianchi, Agrawal, Dehaene, Chemla and Lakretz (2024, arXiv:2412.10446): reconstruct images of letter
strings that hold a letter at a position where training never showed it. The beta-VAEs of the paper fail. Neither
network here is from the paper:

- Conv1dAutoencoder shares its weights along the line of writing. What it learns about a letter at one position serves
  at all positions, and it passes. That shows what locality and translation sharing buy, not that it learned to compose.
- MlpAutoencoder has weights of its own for every position. It fits its training set and fails on what was held out, as
  the networks of the paper do, in a minute of CPU time.

Both see rows 22 to 41 alone, which hold the ink of every preset, and paint the rest black. Loss as in the paper: binary
cross-entropy, summed over pixels, averaged over images.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor, nn

SIDE = 64  # images are SIDE x SIDE
TOP, ROWS = 22, 20  # the strip that the networks see


@dataclass(frozen=True)
class Conv1dConfig:
    """Sizes of Conv1dAutoencoder: 76,696 parameters."""

    channels: int = 64
    code_channels: int = 4  # at each of 8 columns: 32 numbers
    noise: float = 0.05


@dataclass(frozen=True)
class MlpConfig:
    """Sizes of MlpAutoencoder: 184,320 parameters."""

    first: int = 32
    hidden: int = 128
    blocks: int = 8  # of columns
    per_block: int = 56
    code: int = 32
    noise: float = 0.0


@dataclass(frozen=True)
class TrainConfig:
    """How a network is trained: Adam, the rate `lr` for a share `constant` of the steps, then a cosine to `last_lr`."""

    steps: int = 12_000
    batch: int = 64
    lr: float = 1e-3
    last_lr: float = 1e-5
    constant: float = 0.3


class StripAutoencoder(nn.Module, ABC):
    """What both networks share: cut the strip out, put it back.

    Subclasses have a `config` with `noise`, and map strips (N, 20, 64) to codes (N, 32) in `_encode` and codes to
    logits of strips in `logits`.
    """

    config: Conv1dConfig | MlpConfig

    @abstractmethod
    def _encode(self, strip: Tensor) -> Tensor:
        """Strip (N, 20, 64) to code (N, 32)."""

    @abstractmethod
    def logits(self, code: Tensor) -> Tensor:
        """Code (N, 32) to logits of the strip's pixels (N, 20, 64)."""

    def encode(self, images: Tensor) -> Tensor:
        """Images (N, 1, 64, 64) in [0, 1] to codes (N, 32) in (-1, 1)."""
        return self._encode(cut(images))

    def decode(self, code: Tensor) -> Tensor:
        """Codes (N, 32) to images (N, 1, 64, 64) in [0, 1], black outside the strip."""
        strip = self.logits(code).sigmoid().unsqueeze(1)  # (N, 1, 20, 64)
        return F.pad(strip, (0, 0, TOP, SIDE - TOP - ROWS))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Images (N, 1, 64, 64) to their reconstruction, of the same shape, and their code (N, 32)."""
        code = self.encode(images)
        return self.decode(code), code


def cut(images: Tensor) -> Tensor:
    """The strip (N, 20, 64) of images (N, 1, 64, 64)."""
    return images[:, 0, TOP : TOP + ROWS]


class Conv1dAutoencoder(StripAutoencoder):
    """Convolutions along x; the 20 rows of the strip are their input channels."""

    def __init__(self, config: Conv1dConfig | None = None) -> None:
        super().__init__()
        self.config = config = config or Conv1dConfig()
        c, k = config.channels, config.code_channels
        self.encoder = nn.Sequential(
            nn.Conv1d(ROWS, c, 4, stride=2, padding=1),  # (N, c, 32)
            nn.ReLU(),
            nn.Conv1d(c, c, 4, stride=2, padding=1),  # (N, c, 16)
            nn.ReLU(),
            nn.Conv1d(c, c, 4, stride=2, padding=1),  # (N, c, 8)
            nn.ReLU(),
            nn.Conv1d(c, k, 1),  # (N, k, 8)
            nn.Tanh(),
        )
        self.decoder = nn.Sequential(
            nn.Conv1d(k, c, 1),  # (N, c, 8)
            nn.ReLU(),
            nn.ConvTranspose1d(c, c, 4, stride=2, padding=1),  # (N, c, 16)
            nn.ReLU(),
            nn.ConvTranspose1d(c, c, 4, stride=2, padding=1),  # (N, c, 32)
            nn.ReLU(),
            nn.ConvTranspose1d(c, ROWS, 4, stride=2, padding=1),  # (N, 20, 64)
        )
        _start_dark(self.decoder)

    def _encode(self, strip: Tensor) -> Tensor:
        return self.encoder(strip).flatten(1)  # (N, k, 8) -> (N, 8k)

    def logits(self, code: Tensor) -> Tensor:
        """Code (N, 32) to logits of the strip's pixels (N, 20, 64)."""
        return self.decoder(code.unflatten(1, (self.config.code_channels, SIDE // 8)))


class MlpAutoencoder(StripAutoencoder):
    """Fully connected layers; no two pixels, columns or letters share a weight.

    The last layer is cut into blocks of columns, each painted from units of its own. One layer over all columns needs
    four times the weights for pictures as sharp, and the judge does not read blurred ones.
    """

    def __init__(self, config: MlpConfig | None = None) -> None:
        super().__init__()
        self.config = config = config or MlpConfig()
        pixels, units = ROWS * SIDE, config.blocks * config.per_block
        self.encoder = nn.Sequential(
            nn.Linear(pixels, config.first),
            nn.GELU(),
            nn.Linear(config.first, config.hidden),
            nn.GELU(),
            nn.Linear(config.hidden, config.code),
            nn.Tanh(),
        )
        self.decoder = nn.Sequential(
            nn.Linear(config.code, config.hidden),
            nn.GELU(),
            nn.Linear(config.hidden, units),
            nn.GELU(),
            nn.Unflatten(1, (units, 1)),
            nn.Conv1d(units, pixels, 1, groups=config.blocks),  # one linear layer per block; (N, 1280, 1)
        )
        _start_dark(self.decoder)

    def _encode(self, strip: Tensor) -> Tensor:
        return self.encoder(strip.flatten(1))

    def logits(self, code: Tensor) -> Tensor:
        """Code (N, 32) to logits of the strip's pixels (N, 20, 64)."""
        blocks = self.config.blocks
        painted = self.decoder(code).view(-1, blocks, ROWS, SIDE // blocks)
        return painted.transpose(1, 2).flatten(2)  # (N, 20, 8, 8) -> (N, 20, 64)


def _start_dark(decoder: nn.Sequential) -> None:
    """Start from black images, which most pixels are; from grey ones a run can get stuck at an all-black output."""
    nn.init.constant_(decoder[-1].bias, -3.0)


MODELS: dict[str, type[Conv1dAutoencoder] | type[MlpAutoencoder]] = {
    "conv1d": Conv1dAutoencoder,
    "mlp": MlpAutoencoder,
}


def build(name: str, seed: int) -> Conv1dAutoencoder | MlpAutoencoder:
    """A network with fresh weights, the same for the same seed; torch's own generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return MODELS[name]()


def reconstruction_loss(model: StripAutoencoder, images: Tensor) -> Tensor:
    """Binary cross-entropy of images (N, 1, 64, 64), summed over the strip's pixels, averaged over images.

    In training the code gets Gaussian noise, so that it cannot hide information in its last digits.
    """
    code = model.encode(images)
    if model.training:
        code = code + model.config.noise * torch.randn_like(code)
    return F.binary_cross_entropy_with_logits(model.logits(code), cut(images), reduction="sum") / len(images)


def batches(n: int, size: int) -> Iterator[Tensor]:
    """Indices of one batch after another, for ever; each of the `n` images once before any comes again."""
    while True:
        yield from torch.randperm(n).split(size)


def learning_rate(step: int, config: TrainConfig) -> float:
    """Learning rate of a step, counted from 0."""
    start = config.constant * config.steps
    progress = max(0.0, (step - start) / (config.steps - start))
    return config.last_lr + (config.lr - config.last_lr) * 0.5 * (1 + math.cos(math.pi * progress))


def train(
    model: StripAutoencoder,
    images: NDArray[np.uint8],
    *,
    seed: int,
    config: TrainConfig | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> None:
    """Train a network in place; the same weights for the same network, images, seed and number of threads.

    Args:
        model: On any device; left in eval mode.
        images: uint8 (N, 64, 64, 1), the training set of a split.
        seed: Of the order of the images and of the noise.
        config: Schedule.
        progress: Called after each step with its number, from 1, and its loss.
    """
    config = config or TrainConfig()
    device = next(model.parameters()).device
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2).contiguous()  # (N, 1, 64, 64)
    optimiser = torch.optim.Adam(model.parameters(), lr=config.lr)
    model.train()
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        for step, rows in zip(range(config.steps), batches(len(pixels), config.batch), strict=False):
            optimiser.param_groups[0]["lr"] = learning_rate(step, config)
            loss = reconstruction_loss(model, pixels[rows].to(device).float() / 255)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if progress:
                progress(step + 1, loss.item())
    model.eval()
