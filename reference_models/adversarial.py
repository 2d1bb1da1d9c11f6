"""Training with a critic: a second network that tells codes from shuffled ones, and so how much their numbers depend.

- Kim and Mnih (ICML 2018, arXiv:1802.05983): total correlation by the density-ratio trick, appendix D.
- Ross and Doshi-Velez (ICML 2021, arXiv:2102.05185): shuffled only among the items that have the variable at all.

As in `training`, of which this loop differs in that two networks take turns: the same weights for the same seed, interrupted
or not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor, nn

from pytest_genbench.cache import replacing
from pytest_genbench.learners import Progress, TrainingTask

from . import training
from .bodies import as_tensor, start

Reply = Callable[[], Tensor]
"""Gives the critic's loss, once the model has taken its step."""

Objective = Callable[[Tensor, NDArray[np.int64]], tuple[Tensor, Reply | None]]
"""From inputs and their rows to the model's loss, and to the critic's where there is a critic."""


@dataclass(frozen=True)
class StepSchedule:
    """Adam with the rate `lr`, a tenth of it from half of the epochs on, a hundredth from three quarters on.

    Attributes:
        steps: How many.
        batch: Items in a step.
        lr: The first rate.
        epoch: Steps in an epoch, within which the rate stays as it is.
    """

    steps: int
    batch: int = 256
    lr: float = 1e-3
    epoch: int = 1

    def rate(self, step: int) -> float:
        """Learning rate of a step, counted from 0."""
        begun = step // self.epoch * self.epoch / self.steps
        return self.lr * (1.0 if begun < 0.5 else 0.1 if begun < 0.75 else 0.01)


EPOCHS = 50  # of the published schedule


def published(items: int, batch: int, lr: float) -> StepSchedule:
    """Make the published schedule: 50 epochs, the last batch of each a smaller one."""
    epoch = -(-items // batch)
    return StepSchedule(EPOCHS * epoch, batch, lr, epoch)


class Memory:
    """A task's training set, of which every item is made once, when it is first asked for.

    A training comes by the same items tens of times. 54,000 images take 221 MB, what is not asked for takes nothing.
    """

    def __init__(self, task: TrainingTask) -> None:
        self.task = task
        self._arrays: dict[str, NDArray[Any]] = {}
        self._known: dict[str, NDArray[np.bool_]] = {}

    def inputs(self, rows: NDArray[np.int64]) -> Tensor:
        """Rows (N,) to signals (N, 64) or images (N, C, H, W) in [0, 1]."""
        return as_tensor(self._get("inputs", rows, lambda new: {"inputs": self.task.images(new)})["inputs"])

    def targets(self, rows: NDArray[np.int64]) -> Mapping[str, Tensor]:
        """Rows (N,) to the right answers by the name of the output."""
        found = self._get("targets", rows, self.task.targets)
        return {name: torch.from_numpy(values) for name, values in found.items()}

    def _get(
        self, kind: str, rows: NDArray[np.int64], make: Callable[[NDArray[np.int64]], Mapping[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        known = self._known.setdefault(kind, np.zeros(len(self.task), dtype=bool))
        new = np.unique(rows[~known[rows]])
        if len(new) or not known.any():
            for name, values in make(new).items():
                key = f"{kind}/{name}"
                if key not in self._arrays:
                    self._arrays[key] = np.zeros((len(self.task), *values.shape[1:]), values.dtype)
                self._arrays[key][new] = values
            known[new] = True
        prefix = f"{kind}/"
        return {key.removeprefix(prefix): a[rows] for key, a in self._arrays.items() if key.startswith(prefix)}


class Critic(nn.Module):
    """Three layers of leaky ReLUs: from codes (N, D) to the log-odds (N,) that they are not shuffled."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, width),
            nn.LeakyReLU(0.2),
            nn.Linear(width, 1),
        )
        self.apply(start)

    def forward(self, codes: Tensor) -> Tensor:
        """Codes (N, D) to log-odds (N,), whose mean over real codes estimates their total correlation in nats."""
        logits: Tensor = self.layers(codes).squeeze(1)
        return logits

    def loss(self, real: Tensor, shuffled: Tensor) -> Tensor:
        """How badly real codes are told from shuffled ones, both (N, D): the mean of both cross-entropies; a scalar."""
        odds = self(torch.cat([real, shuffled])).chunk(2)
        return 0.5 * (F.softplus(-odds[0]).mean() + F.softplus(odds[1]).mean())


def shuffled(codes: Tensor, on: Tensor | None = None) -> Tensor:
    """Permute each column (N,) of codes (N, D) by itself, with torch's generator.

    Args:
        codes: Left as they are.
        on: bool (N, D): permute among these rows of a column only, and leave the others where they are; None for all rows.
    """
    keys = torch.rand_like(codes)
    if on is None:
        return codes.gather(0, keys.argsort(0))
    # Both orders have the rows that are on first: once at random, once as they come.
    source, target = (keys + 2.0 * ~on).argsort(0), (~on).byte().argsort(stable=True, dim=0)
    return torch.where(on, torch.empty_like(codes).scatter_(0, target, codes.gather(0, source)), codes)


def compete(
    model: nn.Module,
    critic: nn.Module | None,
    objective: Objective,
    memory: Memory,
    schedule: StepSchedule,
    *,
    seed: int,
    device: str,
    checkpoint_dir: Path,
    progress: Progress,
    keep: bool = False,
) -> None:
    """Train a model and its critic in turns, in place; without a critic, the model alone.

    In each step the model moves first, by a loss in which the critic is fixed, then the critic, by a loss of the moved model's
    codes; both by Adam with the same rate.

    Args:
        model: Left in evaluation mode on the CPU.
        critic: Left in evaluation mode on the CPU.
        objective: Their losses; inputs are float32 signals (N, 64) or images (N, C, H, W) in [0, 1].
        memory: The training set.
        schedule: Steps, batch size, learning rate.
        seed: Of the order of the items, and of what `objective` draws from torch's generator.
        device: Where to train.
        checkpoint_dir: Where checkpoints are kept, and gone on from; made where it is missing.
        progress: Called after each step.
        keep: Leave the trained model there, so that the same call finds it; for a training of several stages.
    """
    checkpoint_dir.mkdir(parents=True, exist_ok=True)
    kept = checkpoint_dir / "trained.pt"
    if kept.exists():
        model.load_state_dict(torch.load(kept, map_location="cpu", weights_only=True))
        model.eval()
        return
    players = {"model": model} if critic is None else {"model": model, "critic": critic}
    for player in players.values():
        player.to(device).train()
    with training.seeded(seed, device):
        state = _State(players, checkpoint_dir / "checkpoint.pt", device)
        for step, rows in state.steps(memory.task, schedule, seed):
            state.set_rate(schedule.rate(step))
            loss, reply = objective(memory.inputs(rows).to(device), rows)
            state.move("model", loss)
            if reply is not None:
                state.move("critic", reply())
            state.save_if_due(step + 1)
            progress(step + 1, schedule.steps, loss.item())
        for player in players.values():
            player.cpu().eval()
        if keep:
            with replacing(kept) as partial, partial.open("wb") as stream:
                torch.save(model.state_dict(), stream)
            state.file.unlink(missing_ok=True)


class _State:
    """Networks and their optimisers in the course of a training, and the file that they are saved in."""

    def __init__(self, players: Mapping[str, nn.Module], file: Path, device: str) -> None:
        self.players, self.file, self.device = players, file, device
        self.optimisers = {name: torch.optim.Adam(each.parameters(), fused=True) for name, each in players.items()}
        self.saved = time.monotonic()

    def steps(self, task: TrainingTask, schedule: StepSchedule, seed: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield the numbers and rows of all steps that are not done yet."""
        done = self._restore()
        yield from enumerate(islice(task.batches(schedule.batch, seed=seed), done, schedule.steps), done)

    def set_rate(self, rate: float) -> None:
        for optimiser in self.optimisers.values():
            optimiser.param_groups[0]["lr"] = rate

    def move(self, name: str, loss: Tensor) -> None:
        """Take a step down a loss with the parameters of one network; gradients of the other are not even computed."""
        self.optimisers[name].zero_grad()
        torch.autograd.backward(loss, inputs=list(self.players[name].parameters()))
        self.optimisers[name].step()

    def save_if_due(self, done: int) -> None:
        if time.monotonic() - self.saved <= training.CHECKPOINT_SECONDS:
            return
        cuda = self.device.startswith("cuda")
        state = {
            "players": {name: each.state_dict() for name, each in self.players.items()},
            "optimisers": {name: each.state_dict() for name, each in self.optimisers.items()},
            "done": done,
            "random": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state(self.device) if cuda else None,
        }
        # Opened here: given a path, torch would turn a full disk into a RuntimeError.
        with replacing(self.file) as partial, partial.open("wb") as stream:
            torch.save(state, stream)
        self.saved = time.monotonic()

    def _restore(self) -> int:
        """Load a checkpoint, if there is one; returns the number of steps done."""
        if not self.file.exists():
            return 0
        state = torch.load(self.file, map_location="cpu", weights_only=True)
        for name, player in self.players.items():
            player.load_state_dict(state["players"][name])
            self.optimisers[name].load_state_dict(state["optimisers"][name])
        torch.set_rng_state(state["random"])
        if state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], self.device)
        done: int = state["done"]
        return done
