"""The judges of CompOrth: networks that read the word in an image.

The published one is the Evaluator of Bianchi, Agrawal, Dehaene, Chemla and Lakretz (2024, arXiv:2412.10446), with the
layer sizes of the authors' code: two 5x5 convolutions, two linear layers and a softmax over the 62 words, trained on
original images alone until it reads all of them. The robust one is the same network, trained on degraded originals as
well, since the published judge misreads images that people read easily, such as those blurred by one pixel.

One judge serves every preset: it is trained on the distinct images of all of them. Deviation from the authors, who used
SGD (lr 1e-3, momentum 0.9, batch 10, 10 epochs): Adam, batch 64, lr 1e-3 falling to 0 along a cosine. It reaches the
same criterion, every original read, in a fraction of the time.

    python -m pytest_genbench.reference_models.judges --out DIR
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor, nn

from pytest_genbench.benchmarks.comporth.stimuli import PRESETS, Stimuli

from .export import export_onnx, run_onnx


class Judge(nn.Module):
    """Images (N, 1, 64, 64) in [0, 1] to logits (N, words); 1,381,060 parameters for 62 words."""

    def __init__(self, words: int = 62) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 5)
        self.conv2 = nn.Conv2d(16, 32, 5)
        self.fc1 = nn.Linear(32 * 13 * 13, 250)
        self.fc2 = nn.Linear(250, words)

    def forward(self, image: Tensor) -> Tensor:
        """Logits of the words."""
        x = F.max_pool2d(F.relu(self.conv1(image)), 2)  # (N, 16, 30, 30)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)  # (N, 32, 13, 13)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))  # (N, 250), (N, words)


class Reader(nn.Module):
    """A judge with its softmax: what is exported."""

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self.judge = judge

    def forward(self, image: Tensor) -> Tensor:
        """Probability of each word, (N, words)."""
        return self.judge(image).softmax(dim=1)


@dataclass(frozen=True)
class JudgeConfig:
    """How a judge is trained."""

    name: str = "published-1"
    degraded: bool = False
    epochs: int = 8
    lr: float = 1e-3
    batch: int = 64
    seed: int = 1


CONFIGS = {
    "published-1": JudgeConfig(),
    # Degraded images are harder to fit: more epochs until every clean original is read with confidence.
    "robust-1": JudgeConfig("robust-1", degraded=True, epochs=16),
}


def originals(presets: tuple[str, ...] = tuple(PRESETS)) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Every distinct image of some presets, uint8 (N, 1, 64, 64), and the word on it, int64 (N,)."""
    images, words = zip(*(_preset(name) for name in presets), strict=True)
    pixels, labels = np.concatenate(images), np.concatenate(words)
    # Rows as opaque bytes: one comparison per image, not one per pixel.
    rows = pixels.reshape(len(pixels), -1).view(f"V{pixels[0].size}").ravel()
    _, first = np.unique(rows, return_index=True)
    first.sort()
    return pixels[first], labels[first]


def _preset(name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    stimuli = Stimuli(name)
    index = np.arange(stimuli.grid.size)
    return stimuli.images(index).reshape(-1, 1, 64, 64), stimuli.grid.levels(index)[:, 0].astype(np.int64)


def degrade(image: Tensor, generator: torch.Generator) -> Tensor:
    """Degrade images (N, 1, 64, 64) in [0, 1], each in its own way and each of the four with probability one half.

    Gaussian blur with sigma up to 1 pixel, contrast 0.6 to 1, background up to 20 grey levels, Gaussian noise with
    sigma up to 30 grey levels; the result is clipped to [0, 1].
    """
    n = len(image)

    def draw(low: float, high: float, otherwise: float) -> Tensor:  # (N, 1, 1, 1)
        value, use = torch.rand(2, n, 1, 1, 1, generator=generator)
        return torch.where(use < 0.5, low + (high - low) * value, torch.tensor(otherwise))

    image = _blur(image, draw(0.0, 1.0, 0.0))
    background = draw(0.0, 20 / 255, 0.0)
    image = background + (draw(0.6, 1.0, 1.0) - background) * image
    noise = torch.randn(image.shape, generator=generator)
    return (image + draw(0.0, 30 / 255, 0.0) * noise).clamp(0.0, 1.0)


def _blur(image: Tensor, sigma: Tensor) -> Tensor:
    """Blur each image with its own Gaussian; images become the channels of a grouped convolution."""
    offset = torch.arange(-3.0, 4.0)
    kernel = torch.exp(-0.5 * (offset / sigma.clamp_min(1e-3)) ** 2)  # (N, 1, 1, 7)
    kernel = kernel / kernel.sum(dim=-1, keepdim=True)
    x = image.transpose(0, 1)  # (1, N, 64, 64)
    x = F.conv2d(x, kernel, padding=(0, 3), groups=len(image))
    x = F.conv2d(x, kernel.transpose(2, 3), padding=(3, 0), groups=len(image))
    return x.transpose(0, 1)


def train(config: JudgeConfig, log: Callable[[str], None] = print) -> Judge:
    """Train a judge on the distinct images of all presets; the same weights for the same config and torch."""
    torch.manual_seed(config.seed)
    generator = torch.Generator().manual_seed(config.seed)
    pixels, words = originals()
    judge = Judge().to(memory_format=torch.channels_last)
    optimiser = torch.optim.Adam(judge.parameters(), lr=config.lr)
    steps = config.epochs * math.ceil(len(words) / config.batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for epoch in range(config.epochs):
        start, losses, right = time.process_time(), 0.0, 0
        for rows in torch.randperm(len(words), generator=generator).split(config.batch):
            image = torch.from_numpy(pixels[rows.numpy()]).float() / 255
            target = torch.from_numpy(words[rows.numpy()])
            logits = judge(degrade(image, generator) if config.degraded else image)
            loss = F.cross_entropy(logits, target)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses += loss.item() * len(rows)
            right += int((logits.argmax(1) == target).sum())
        loss_mean, accuracy, seconds = losses / len(words), right / len(words), time.process_time() - start
        log(f"{config.name} epoch {epoch + 1}: loss {loss_mean:.5f}, right {accuracy:.5f}, {seconds:.0f} CPU-s")
    return judge.eval()


def check(file: Path) -> Iterator[tuple[str, float, float]]:
    """Read all originals with an exported judge: (preset, top-1 accuracy, mean probability of the true word)."""
    for preset in PRESETS:
        pixels, words = _preset(preset)
        probability = run_onnx(file, pixels.astype(np.float32) / 255)["probability"]
        top1 = float((probability.argmax(1) == words).mean())
        yield preset, top1, float(probability[np.arange(len(words)), words].mean())


def main() -> None:
    """Train, export and check judges."""
    parser = argparse.ArgumentParser(description="Train the judges of CompOrth.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the ONNX files")
    parser.add_argument("--judge", choices=CONFIGS, action="append", help="only this one; may be repeated")
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.judge or CONFIGS:
        judge = train(CONFIGS[name], log=lambda line: print(line, flush=True))
        file = args.out / f"{name}.onnx"
        export_onnx(Reader(judge), file, "image", ["probability"], (1, 64, 64), {"genbench.judge": name})
        for preset, top1, probability in check(file):
            print(f"{name} {preset}: top-1 {top1:.5f}, probability {probability:.5f}", flush=True)
            if top1 < 1:
                raise SystemExit(f"{name} misreads originals of {preset}: train longer or with another seed.")


if __name__ == "__main__":
    main()
