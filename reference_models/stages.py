"""Training in stages, each of which can be interrupted, keeps its best weights, and may be shared between trainings.

- Zerroug, Vaishnav, Colin, Musslick and Serre (NeurIPS 2022, arXiv:2206.05379): Adam with its L2 penalty in the gradient, four
  images of a problem in a new order in every step, the weights of the best validation.
"""

from __future__ import annotations

import copy
import hashlib
import json
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from pytest_genbench.cache import explained, locked, replacing
from pytest_genbench.learners import Progress, TrainingTask

from . import training

SOLVED = 0.99
"""Validation accuracy above which training ends."""


class Packed:
    """Images that are made once, when they are first asked for, and kept compressed.

    Line drawings shrink to a fiftieth: 103,000 problems of 128 x 128 pixels, 20 GB, take 400 MB.

    Args:
        count: How many items there are.
        make: From rows (N,) to uint8 (N, ...).
    """

    def __init__(self, count: int, make: Callable[[NDArray[np.int64]], NDArray[Any]]) -> None:
        self._make = make
        self._kept: list[bytes] = [b""] * count
        self._shape: tuple[int, ...] = ()

    def __getitem__(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Rows (N,) to uint8 (N, ...)."""
        new = np.unique([row for row in rows.tolist() if not self._kept[row]]).astype(np.int64)
        if len(new):
            for row, item in zip(new.tolist(), made := self._make(new), strict=True):
                self._kept[row] = zlib.compress(np.ascontiguousarray(item).tobytes(), 1)
            self._shape = made.shape[1:]
        data = bytearray().join(zlib.decompress(self._kept[row]) for row in rows.tolist())
        return np.frombuffer(data, np.uint8).reshape(len(rows), *self._shape)


def pixels(images: ArrayLike, device: str) -> Tensor:
    """Images uint8 (..., H, W, 3) as float32 (..., 3, H, W) in [0, 1]."""
    return torch.from_numpy(np.asarray(images)).to(device).movedim(-1, -3).float() / 255


@dataclass(frozen=True)
class Plan:
    """How a network is trained on problems.

    Attributes:
        steps: At most.
        every: Steps between two validations; one more comes after the last step.
        patience: Validations without a gain after which training ends.
        lr: Adam's constant rate.
        batch: Problems in a step; the last one of a pass may have fewer.
        weight_decay: Times the weights, added to their gradients.
        checked: Problems to validate on, spread over all; 0 for all.
    """

    steps: int
    every: int
    patience: int
    lr: float
    batch: int = 64
    weight_decay: float = 1e-4
    checked: int = 0


class Best:
    """The weights of the best validation so far, and how long ago that was.

    Attributes:
        accuracy: The best one.
        waited: Validations since.
    """

    def __init__(self) -> None:
        self.accuracy, self.waited = -1.0, 0
        self.weights: dict[str, Tensor] = {}

    def see(self, accuracy: float, network: nn.Module) -> None:
        """Take the result of a validation; of equal ones the first counts."""
        if accuracy > self.accuracy:
            self.accuracy, self.waited = accuracy, 0
            self.weights = {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
        else:
            self.waited += 1

    def is_over(self, patience: int) -> bool:
        """Whether more training is of no use."""
        return self.accuracy > SOLVED or self.waited >= patience

    def state_dict(self) -> dict[str, Any]:
        """All of it."""
        return dict(vars(self))

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        vars(self).update(state)


class Checkpoint:
    """What a training has come to, in a file from which an interrupted one goes on as if nothing had happened.

    Args:
        file: Where.
        parts: What has a ``state_dict``, by name.
        device: Where the training runs; the state of its generator belongs to it.
    """

    def __init__(self, file: Path, parts: Mapping[str, Any], device: str) -> None:
        self.file, self.parts, self.device = file, parts, device
        self._saved = time.monotonic()

    def restore(self) -> int:
        """Load the file, if there is one; returns the number of steps done."""
        if not self.file.exists():
            return 0
        state = torch.load(self.file, map_location="cpu", weights_only=True)
        for name, part in self.parts.items():
            part.load_state_dict(state["parts"][name])
        torch.set_rng_state(state["random"])
        if state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], self.device)
        done: int = state["done"]
        return done

    def save_if_due(self, done: int) -> None:
        """Write the file, where the last time is long ago."""
        if time.monotonic() - self._saved <= training.CHECKPOINT_SECONDS:
            return
        cuda = self.device.startswith("cuda")
        state = {
            "parts": {name: part.state_dict() for name, part in self.parts.items()},
            "done": done,
            "random": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state(self.device) if cuda else None,
        }
        write(state, self.file)
        self._saved = time.monotonic()


def write(state: Any, file: Path) -> None:
    """Write tensors to a file, which is there whole or not at all."""
    with replacing(file) as partial, partial.open("wb") as stream:  # a path would turn a full disk into a RuntimeError
        torch.save(state, stream)


def train(
    network: nn.Module,
    task: TrainingTask,
    plan: Plan,
    *,
    is_told: bool,
    seed: int,
    device: str,
    checkpoint_dir: Path,
    progress: Progress,
) -> None:
    """Train a network in place to name the odd image; the same weights for the same arguments, interrupted or not.

    It is left with the weights of its best validation, or with the last ones where the task has no validation problems.

    Args:
        network: From images (N, 4, 3, H, W) in [0, 1] to scores (N, 4); left in evaluation mode on the CPU.
        task: The problems.
        plan: How.
        is_told: Whether the network takes the numbers of the rules (N,) too.
        seed: Of the order of the problems, of their images, and of what the network draws.
        device: Where to train.
        checkpoint_dir: Where checkpoints are kept, and gone on from; made where it is missing.
        progress: Called after each step.
    """
    checkpoint_dir.mkdir(parents=True, exist_ok=True)
    network.to(device).train()
    problems, examination = Problems(task, device, is_told), None
    if task.validation is not None and len(task.validation):
        examination = Problems(task.validation, device, is_told)
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimiser = torch.optim.Adam(weights, plan.lr, weight_decay=plan.weight_decay, fused=True)
    best = Best()
    with training.seeded(seed, device):
        parts = {"network": network, "optimiser": optimiser, "best": best}
        checkpoint = Checkpoint(checkpoint_dir / "checkpoint.pt", parts, device)
        done = checkpoint.restore()
        batches = islice(task.batches(plan.batch, seed=seed), done, plan.steps)
        for step, rows in enumerate(batches, done + 1):
            if best.is_over(plan.patience):
                break
            loss = problems.loss(network, rows)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            if examination is not None and (step % plan.every == 0 or step == plan.steps):
                best.see(examination.accuracy(network, plan), network)
            checkpoint.save_if_due(step)
            progress(step, plan.steps, loss.item())
    network.cpu().eval()
    if best.weights:
        network.load_state_dict(best.weights)


class Problems:
    """The problems of a task, as a network sees them.

    Args:
        task: The task.
        device: Where the network is.
        is_told: Whether it takes the numbers of the rules too.
    """

    def __init__(self, task: TrainingTask, device: str, is_told: bool) -> None:
        self.task, self.device, self.is_told = task, device, is_told
        self.images = Packed(len(task), task.images)

    def shown(self, rows: NDArray[np.int64]) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Return images (N, 4, 3, H, W) in [0, 1], places of the odd ones (N,), and rules (N,) for who is told."""
        odd = torch.from_numpy(self.task.targets(rows)["scores"]).to(self.device)
        rules = (torch.from_numpy(self.task.levels(rows)[:, 0]).to(self.device),) if self.is_told else ()
        return pixels(self.images[rows], self.device), odd, rules

    def loss(self, network: nn.Module, rows: NDArray[np.int64]) -> Tensor:
        """Cross-entropy of the softmax of the scores, in nats, the images of each problem being in a new order; a scalar."""
        images, odd, rules = self.shown(rows)
        order = torch.rand(len(rows), 4).argsort(1).to(self.device)  # drawn on the CPU: the same on all devices
        images = images[torch.arange(len(rows), device=self.device)[:, None], order]
        return F.cross_entropy(network(images, *rules), (order == odd[:, None]).byte().argmax(1))

    @torch.no_grad()
    def accuracy(self, network: nn.Module, plan: Plan) -> float:
        """Share of problems, of all or of some, whose odd image has the highest score."""
        network.eval()
        count = min(plan.checked or len(self.task), len(self.task))
        rows = np.linspace(0, len(self.task) - 1, count).round().astype(np.int64)
        right = 0
        for start in range(0, count, plan.batch):
            images, odd, rules = self.shown(rows[start : start + plan.batch])
            right += int((network(images, *rules).argmax(1) == odd).sum())
        network.train()
        return right / count


def shared(
    folder: str, name: str, recipe: Mapping[str, Any], make: Callable[[], dict[str, Tensor]]
) -> dict[str, Tensor]:
    """Return the weights that a stage gives: from a file that another training left, or made now and left for others.

    Args:
        folder: Where such files lie; made where it is missing. One process makes them, others wait.
        name: Begins the file's name.
        recipe: All that the weights depend on.
        make: Makes them.

    Raises:
        CacheError: The folder cannot be used.
    """
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]
    file = Path(folder) / f"{name}-{digest}.pt"
    with explained("keeping pretrained weights", file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
    with locked(file.with_suffix(".lock")):
        if not file.exists():
            weights = make()
            with explained("keeping pretrained weights", file.parent):
                write(weights, file)
        found: dict[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    return found


def part_of(network: nn.Module, is_part: Callable[[str], bool]) -> dict[str, Tensor]:
    """Copy the weights, and what else is saved with them, of the children of a network whose names satisfy a condition."""
    state = copy.deepcopy(network.state_dict())
    return {name: value for name, value in state.items() if is_part(name.partition(".")[0])}


def hand_on(weights: Mapping[str, Tensor], network: nn.Module) -> None:
    """Give a network the weights of some of its parts, and leave the others as they are."""
    network.load_state_dict({**network.state_dict(), **weights})
