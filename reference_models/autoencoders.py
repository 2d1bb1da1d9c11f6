"""Auto-encoders with a code of 32 numbers for CompOrth: two that generalise, one that does not.

The task is that of Bianchi, Agrawal, Dehaene, Chemla and Lakretz (2024, arXiv:2412.10446): reconstruct images of letter
strings that hold a letter at a position where training never showed it. The beta-VAEs of the paper fail. None of the
networks here is from the paper:

- Conv1dAutoencoder shares its weights along the line of writing. What it learns about a letter at one position serves
  at all positions, and it passes. That shows what locality and translation sharing buy, not that it learned to compose.
- SharedCellAutoencoder says the same with less: one small network looks through each of eight windows and has four
  numbers for what it sees there. With `shared=false` each window has a network of its own, and it fails.
- MlpAutoencoder has weights of its own for every position. It fits its training set and fails on what was held out, as
  the networks of the paper do, in half a minute of CPU time.

All see rows 22 to 41 alone, which hold the ink of every preset, and paint the rest black. Loss as in the paper: binary
cross-entropy, summed over pixels, averaged over images. In training the code gets Gaussian noise, so that it cannot hide
information in its last digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from pytest_genbench.learners import Budget, Progress, TrainingTask

from .export import export_autoencoder
from .training import Schedule, build, train

SIDE = 64  # images are SIDE x SIDE
TOP, ROWS = 22, 20  # the strip that the networks see
WINDOWS = 8  # of 8 columns each
WIDTH = SIDE // WINDOWS


class StripAutoencoder(nn.Module, ABC):
    """What the networks share: cut the strip out, put it back.

    Subclasses map strips (N, 20, 64) to codes (N, D) in `_encode`, and codes to logits of strips in `logits`.

    Attributes:
        measured: How many numbers of the code, the first ones, are not learned but measured; these get no noise.
    """

    measured = 0

    @abstractmethod
    def _encode(self, strip: Tensor) -> Tensor:
        """Strip (N, 20, 64) to code (N, D) in (-1, 1)."""

    @abstractmethod
    def logits(self, code: Tensor) -> Tensor:
        """Code (N, D) to logits of the strip's pixels (N, 20, 64)."""

    def encode(self, images: Tensor) -> Tensor:
        """Images (N, 1, 64, 64) in [0, 1] to codes (N, D) in (-1, 1)."""
        return self._encode(cut(images))

    def decode(self, code: Tensor) -> Tensor:
        """Codes (N, D) to images (N, 1, 64, 64) in [0, 1], black outside the strip."""
        strip = self.logits(code).sigmoid().unsqueeze(1)  # (N, 1, 20, 64)
        return F.pad(strip, (0, 0, TOP, SIDE - TOP - ROWS))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Images (N, 1, 64, 64) to their reconstruction, of the same shape, and their code (N, D)."""
        code = self.encode(images)
        return self.decode(code), code


def cut(images: Tensor) -> Tensor:
    """The strip (N, 20, 64) of images (N, 1, 64, 64)."""
    return images[:, 0, TOP : TOP + ROWS]


def start_dark(layer: nn.Module) -> None:
    """Start from black images, which most pixels are; from grey ones a run can get stuck at an all-black output."""
    assert isinstance(layer.bias, Tensor)
    nn.init.constant_(layer.bias, -3.0)


@dataclass(frozen=True)
class Conv1dSettings:
    """Of Conv1dAutoencoder: 76,696 parameters."""

    channels: int = 64
    code: int = 4  # numbers at each of 8 columns
    noise: float = 0.05
    lr: float = 1e-3
    steps: int = 0  # 0: what the budget says


class Conv1dAutoencoder(StripAutoencoder):
    """Convolutions along x; the 20 rows of the strip are their input channels."""

    def __init__(self, settings: Conv1dSettings) -> None:
        super().__init__()
        self.settings = settings
        c, k = settings.channels, settings.code
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
        start_dark(self.decoder[-1])

    def _encode(self, strip: Tensor) -> Tensor:
        return self.encoder(strip).flatten(1)  # (N, k, 8) -> (N, 8k)

    def logits(self, code: Tensor) -> Tensor:
        """Code (N, 8k) to logits of the strip's pixels (N, 20, 64)."""
        return self.decoder(code.unflatten(1, (self.settings.code, WINDOWS)))


@dataclass(frozen=True)
class SharedCellSettings:
    """Of SharedCellAutoencoder: 99,524 parameters; eight times as many where they are not shared."""

    shared: bool = True  # one network for all windows
    level: bool = False  # bring the line to one height first; its height is then one more number of the code
    code: int = 4  # numbers for each of 8 windows
    noise: float = 0.05
    lr: float = 2e-3
    steps: int = 0  # 0: what the budget says


class SharedCellAutoencoder(StripAutoencoder):
    """One small network, given each of eight windows in turn.

    A window shows its own 8 columns and the 8 to their left, so that a letter that begins in the window before is seen
    whole. What the windows paint overlaps and is joined by a noisy or: a pixel is dark if no window paints it.
    """

    def __init__(self, settings: SharedCellSettings) -> None:
        super().__init__()
        self.measured = 1 if settings.level else 0
        pixels, networks = ROWS * 2 * WIDTH, 1 if settings.shared else WINDOWS

        def layer(inputs: int, outputs: int) -> nn.Module:
            return nn.Linear(inputs, outputs) if settings.shared else BlockLinear(networks, inputs, outputs)

        self.encoder = nn.Sequential(
            layer(pixels, 128), nn.ReLU(), layer(128, 64), nn.ReLU(), layer(64, settings.code), nn.Tanh()
        )
        self.decoder = nn.Sequential(layer(settings.code, 64), nn.ReLU(), layer(64, 128), nn.ReLU(), layer(128, pixels))
        start_dark(self.decoder[-1])

    def _encode(self, strip: Tensor) -> Tensor:
        if not self.measured:
            return self._cells(strip)
        top = (strip.amax(2) > 0.25).int().argmax(1)  # (N,): the first row with ink
        return torch.cat([(top / 10 - 1).unsqueeze(1), self._cells(moved(strip, top, 0.0))], 1)

    def _cells(self, strip: Tensor) -> Tensor:
        windows = F.pad(strip, (WIDTH, 0)).unfold(2, 2 * WIDTH, WIDTH)  # (N, 20, 8, 16)
        return self.encoder(windows.transpose(1, 2).flatten(2)).flatten(1)  # (N, 8, 320) -> (N, 8k)

    def logits(self, code: Tensor) -> Tensor:
        """Code (N, 8k), or (N, 1 + 8k) with a height, to logits of the strip's pixels (N, 20, 64)."""
        if not self.measured:
            return self._painted(code)
        top = ((code[:, 0] + 1) * 10).round().long()
        return moved(self._painted(code[:, 1:]), -top, -30.0)

    def _painted(self, code: Tensor) -> Tensor:
        painted = self.decoder(code.unflatten(1, (WINDOWS, -1))).unflatten(2, (ROWS, 2 * WIDTH))  # (N, 8, 20, 16)
        own = painted[..., WIDTH:]
        next_ones = F.pad(
            painted[:, 1:, :, :WIDTH], (0, 0, 0, 0, 0, 1), value=-30.0
        )  # nothing right of the last window
        # P = 1 - (1 - p)(1 - q); its logit is log P - log(1 - P), in logarithms for gradients that do not vanish.
        dark = F.logsigmoid(-own)
        paint = torch.logaddexp(F.logsigmoid(own), F.logsigmoid(next_ones) + dark)
        return (paint - dark - F.logsigmoid(-next_ones)).transpose(1, 2).flatten(2)  # (N, 20, 8, 8) -> (N, 20, 64)


def moved(strip: Tensor, rows: Tensor, fill: float) -> Tensor:
    """Move each strip (N, 20, 64) up by its number of rows (N,), down where that is negative; `fill` comes in."""
    source = torch.arange(ROWS, device=strip.device) + rows.unsqueeze(1)  # (N, 20)
    inside = (source >= 0) & (source < ROWS)
    taken = strip.gather(1, source.clamp(0, ROWS - 1).unsqueeze(2).expand_as(strip))
    return torch.where(inside.unsqueeze(2), taken, fill)


class BlockLinear(nn.Module):
    """A linear layer of its own for each of B blocks: (N, B, inputs) to (N, B, outputs)."""

    def __init__(self, blocks: int, inputs: int, outputs: int) -> None:
        super().__init__()
        bound = inputs**-0.5  # as torch starts a Linear
        self.weight = nn.Parameter(torch.empty(blocks, inputs, outputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(blocks, 1, outputs).uniform_(-bound, bound))

    def forward(self, x: Tensor) -> Tensor:
        """Apply each block's layer to its part of (N, B, inputs)."""
        return (x.transpose(0, 1) @ self.weight + self.bias).transpose(0, 1)


@dataclass(frozen=True)
class MlpSettings:
    """Of MlpAutoencoder: 184,320 parameters."""

    first: int = 32
    hidden: int = 128
    per_block: int = 56  # units that paint a block of columns
    code: int = 32
    noise: float = 0.0
    lr: float = 3e-3
    steps: int = 0  # 0: what the budget says


class MlpAutoencoder(StripAutoencoder):
    """Fully connected layers; no two pixels, columns or letters share a weight.

    The last layer is cut into blocks of columns, each painted from units of its own. One layer over all columns needs
    four times the weights for pictures as sharp, and the judge does not read blurred ones.
    """

    def __init__(self, settings: MlpSettings) -> None:
        super().__init__()
        units = WINDOWS * settings.per_block
        self.encoder = nn.Sequential(
            nn.Linear(ROWS * SIDE, settings.first),
            nn.GELU(),
            nn.Linear(settings.first, settings.hidden),
            nn.GELU(),
            nn.Linear(settings.hidden, settings.code),
            nn.Tanh(),
        )
        self.decoder = nn.Sequential(
            nn.Linear(settings.code, settings.hidden),
            nn.GELU(),
            nn.Linear(settings.hidden, units),
            nn.GELU(),
            nn.Unflatten(1, (WINDOWS, settings.per_block)),
            BlockLinear(WINDOWS, settings.per_block, ROWS * WIDTH),  # (N, 8, 160)
        )
        start_dark(self.decoder[-1])

    def _encode(self, strip: Tensor) -> Tensor:
        return self.encoder(strip.flatten(1))

    def logits(self, code: Tensor) -> Tensor:
        """Code (N, D) to logits of the strip's pixels (N, 20, 64)."""
        painted = self.decoder(code).unflatten(2, (ROWS, WIDTH))
        return painted.transpose(1, 2).flatten(2)  # (N, 8, 20, 8) -> (N, 20, 64)


class StripLearner:
    """Trains one of the networks on a split of CompOrth; see :class:`pytest_genbench.learners.Learner`.

    Args:
        settings: Sizes, noise, learning rate and, where not 0, the number of steps, which then wins over the budget.
    """

    outputs = ("reconstruction", "embedding")
    benchmark = "comporth"
    Settings: ClassVar[type[Any]]
    network: ClassVar[type[Any]]
    steps: ClassVar[Mapping[str, int]]

    def __init__(self, settings: Any = None) -> None:
        self.settings = settings or self.Settings()

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> StripAutoencoder:
        """Train a network; see :meth:`pytest_genbench.learners.Learner.fit`."""
        settings = self.settings
        model: StripAutoencoder = build(lambda: self.network(settings), seed)

        def loss(images: Tensor, step: int) -> Tensor:
            code = model.encode(images)
            noise = settings.noise * torch.randn_like(code)
            code = torch.cat([code[:, : model.measured], (code + noise)[:, model.measured :]], 1)
            strip = cut(images)
            return F.binary_cross_entropy_with_logits(model.logits(code), strip, reduction="sum") / len(strip)

        schedule = Schedule(settings.steps or self.steps[budget], lr=settings.lr)
        train(model, loss, task, schedule, seed=seed, device=device, checkpoint_dir=checkpoint_dir, progress=progress)
        return model

    def save(self, model: StripAutoencoder, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx`` and ``decoder.onnx``, which declare what they were trained on."""
        export_autoencoder(model, folder / "model.onnx", folder / "decoder.onnx", task.split, (1, SIDE, SIDE))

    def load(self, folder: Path) -> Path:
        """Return the file to be tested."""
        return folder / "model.onnx"


class Conv1dLearner(StripLearner):
    """``reference:conv1d-autoencoder``."""

    Settings, network = Conv1dSettings, Conv1dAutoencoder
    steps: ClassVar[Mapping[str, int]] = {"smoke": 100, "quick": 12_000, "standard": 24_000, "paper": 48_000}


class SharedCellLearner(StripLearner):
    """``reference:shared-cell-autoencoder``."""

    Settings, network = SharedCellSettings, SharedCellAutoencoder
    steps: ClassVar[Mapping[str, int]] = {"smoke": 100, "quick": 8_000, "standard": 16_000, "paper": 32_000}


class MlpLearner(StripLearner):
    """``reference:mlp-autoencoder``."""

    Settings, network = MlpSettings, MlpAutoencoder
    steps: ClassVar[Mapping[str, int]] = {"smoke": 100, "quick": 10_000, "standard": 20_000, "paper": 40_000}
