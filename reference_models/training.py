"""The training loop that the reference models share: Adam, a rate that falls in the end, checkpoints to go on from."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pytest_genbench.cache import replacing
from pytest_genbench.learners import Progress, TrainingTask

CHECKPOINT_SECONDS = 20.0
"""Time between checkpoints: what is lost at most when a training is killed."""


@dataclass(frozen=True)
class Schedule:
    """Adam with the rate `lr` for a share `constant` of the steps, then a cosine down to `last_lr`."""

    steps: int
    batch: int = 64
    lr: float = 1e-3
    last_lr: float = 1e-5
    constant: float = 0.3

    def rate(self, step: int) -> float:
        """Learning rate of a step, counted from 0."""
        start = self.constant * self.steps
        progress = max(0.0, (step - start) / (self.steps - start)) if self.steps > start else 0.0
        return self.last_lr + (self.lr - self.last_lr) * 0.5 * (1 + math.cos(math.pi * progress))


def build(make: Callable[[], nn.Module], seed: int) -> Any:
    """Make a network with fresh weights, the same for the same seed; torch's own generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def train(
    module: nn.Module,
    loss: Callable[[Tensor, int], Tensor],
    task: TrainingTask,
    schedule: Schedule,
    *,
    seed: int,
    device: str,
    checkpoint_dir: Path,
    progress: Progress,
) -> None:
    """Train a module in place; the same weights for the same module, task, schedule and seed, interrupted or not.

    Args:
        module: Left in evaluation mode on the CPU.
        loss: From images, float32 (N, C, H, W) in [0, 1], and the number of the step, from 0, to the loss.
        task: Renders each batch when it is needed.
        schedule: Steps, batch size, learning rate.
        seed: Of the order of the images, and of what `loss` draws from torch's generator.
        device: Where to train.
        checkpoint_dir: Where checkpoints are kept, and gone on from.
        progress: Called after each step.
    """
    module.to(device).train()
    optimiser = torch.optim.Adam(module.parameters(), lr=schedule.lr, fused=True)
    file = checkpoint_dir / "checkpoint.pt"
    with seeded(seed, device):
        done = _restore(file, module, optimiser, device)
        saved = time.monotonic()
        batches = islice(task.batches(schedule.batch, seed=seed), done, schedule.steps)
        for step, rows in enumerate(batches, done):
            images = torch.from_numpy(task.images(rows)).to(device).permute(0, 3, 1, 2).float() / 255
            optimiser.param_groups[0]["lr"] = schedule.rate(step)
            value = loss(images, step)
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                _save(file, module, optimiser, step + 1, device)
                saved = time.monotonic()
            progress(step + 1, schedule.steps, value.item())
    module.cpu().eval()


@contextmanager
def seeded(seed: int, device: str) -> Iterator[None]:
    """Seed torch for a while, and keep it to one thread on the CPU.

    Layers this small wait for several threads longer than they gain from them; and sums depend on their number.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[device] if device.startswith("cuda") else []):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def _save(file: Path, module: nn.Module, optimiser: torch.optim.Optimizer, done: int, device: str) -> None:
    state = {
        "module": module.state_dict(),
        "optimiser": optimiser.state_dict(),
        "done": done,
        "random": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state(device) if device.startswith("cuda") else None,
    }
    with replacing(file) as partial, partial.open("wb") as stream:  # a path would turn a full disk into a RuntimeError
        torch.save(state, stream)


def _restore(file: Path, module: nn.Module, optimiser: torch.optim.Optimizer, device: str) -> int:
    """Load a checkpoint, if there is one; returns the number of steps done."""
    if not file.exists():
        return 0
    state = torch.load(file, map_location="cpu", weights_only=True)
    module.load_state_dict(state["module"])
    optimiser.load_state_dict(state["optimiser"])
    torch.set_rng_state(state["random"])
    if state["cuda"] is not None:
        torch.cuda.set_rng_state(state["cuda"], device)
    done: int = state["done"]
    return done
