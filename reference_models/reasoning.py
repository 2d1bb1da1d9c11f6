"""What the models of the odd-one-out benchmark share: from four images to a score of each, by which the odd one is named.

- Zerroug, Vaishnav, Colin, Musslick and Serre (NeurIPS 2022, arXiv:2206.05379): the benchmark, its conditions and its training:
  one network per rule (individual), or one for all that is told the rule (joint); from scratch, after a curriculum, or after
  self-supervised pretraining.

Where the publication slips, this does not:

- Its rate for 50 problems is 7.8 times that for 100, where 0.78 was surely meant. Here it is lr min(1, n / 64) for all n.
- It tells a joint network a rule's place among the selected ones. Here it is the rule's own number, whatever is selected.

What differs, the networks, is in `relational` and `similarity_models`; the loop is in `stages`, MoCo in `moco`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from pytest_genbench.benchmarks.cvr.components import COMPONENTS, ELEMENTARY, components
from pytest_genbench.errors import LearnerError, nearest
from pytest_genbench.learners import Budget, Progress, TrainingTask

from .export import export_onnx
from .stages import Plan, hand_on, part_of, shared, train
from .training import build

RULES = 103
TOLD = 64
"""Numbers that a joint network learns for each rule."""

EPOCHS: Mapping[int, tuple[int, int]] = {20: (800, 8), 50: (800, 8), 100: (400, 4), 200: (200, 2), 500: (100, 1)}
"""Published epochs, and epochs between two validations, from so many problems on."""

JOINT = (100, 1)
"""The same of a joint network, and of the lessons of a curriculum."""

STEPS: Mapping[str, int] = {"smoke": 20, "quick": 600, "standard": 6_000}
"""Most steps by budget; ``paper`` has as many as were published."""

CHECKS: Mapping[str, int] = {"smoke": 4, "quick": 20, "standard": 100}
"""Most validations by budget."""

CHECKED: Mapping[str, int] = {"smoke": 32, "quick": 250, "standard": 1_000, "paper": 0}
"""Problems to validate on by budget; 0 for all."""

LESSONS: Mapping[str, int] = {"smoke": 32, "quick": 500, "standard": 2_000, "paper": 5_000}
"""Problems per rule of a curriculum's first lessons by budget."""

PATIENT = 30
"""Patience in the lessons of a curriculum for one rule."""

CURRICULA = ("none", "forward")
PRETRAININGS = ("none", "moco")


class Reasoner(nn.Module):
    """From four images to four scores; a base class.

    A child called ``encoder`` is what pretraining hands on, and of some networks all that a curriculum does.

    Args:
        is_joint: Whether it is told the rule.
    """

    handed_on: ClassVar[tuple[str, ...]] = ()
    """Children that a curriculum hands on; all but the embedding of the rules where none is named."""

    trained_on: tuple[str, ...] = ()
    """Ids of the splits that it has seen, once it is trained."""

    def __init__(self, is_joint: bool) -> None:
        super().__init__()
        self.rules = nn.Embedding(RULES, TOLD) if is_joint else None
        self.told = TOLD if is_joint else 0

    def forward(self, images: Tensor, rule: Tensor | None = None) -> Tensor:
        """Score images.

        Args:
            images: float32 (N, 4, 3, H, W) in [0, 1].
            rule: Numbers of the rules, int64 (N,), for a joint network; others are told nothing.

        Returns:
            float32 (N, 4), higher where an image is likelier the odd one.
        """
        if (rule is None) != (self.rules is None):
            raise ValueError("A joint network needs the numbers of the rules, and no other network takes them.")
        told = None if self.rules is None else self.rules(rule)
        return self.scores((images - 0.9) / 0.1, told)

    @abstractmethod
    def scores(self, images: Tensor, told: Tensor | None) -> Tensor:
        """Normalised images (N, 4, 3, H, W), and of a joint network what is known of the rule (N, 64), to scores (N, 4)."""

    def is_handed_on(self, child: str) -> bool:
        """Whether a curriculum hands on the child of this name."""
        return child in self.handed_on if self.handed_on else child != "rules"


def with_rule(features: Tensor, told: Tensor | None) -> Tensor:
    """Append what is known of the rule (N, 64) to the features of each of its four images: (N, 4, D) to (N, 4, D + 64)."""
    return features if told is None else torch.cat([features, told[:, None].expand(-1, features.shape[1], -1)], 2)


@dataclass(frozen=True)
class ReasoningSettings:
    """Of the training of any of these models.

    Attributes:
        lr: Adam's constant rate; in individual training it is multiplied by min(1, n / 64) for n problems.
        batch: Problems in a step.
        steps: 0: what the budget says.
        weight_decay: Added to each weight's gradient, times the weight.
        patience: Validations without a gain after which training ends; 0: as published.
        curriculum: ``forward``: learn the two components of the rule first, or the nine elementary rules for joint training.
        pretraining: ``moco``: learn the encoder first, from images alone.
        pretrained: Folder in which the weights of these first stages are kept and found again, so that trainings share them;
            empty: each training makes its own.
    """

    lr: float = 1e-4
    batch: int = 64
    steps: int = 0
    weight_decay: float = 1e-4
    patience: int = 0
    curriculum: str = "none"
    pretraining: str = "none"
    pretrained: str = ""


class ReasoningLearner(ABC):
    """Trains a network to name the odd image; a base class, see :class:`pytest_genbench.learners.Learner`.

    Args:
        settings: See :class:`ReasoningSettings`.

    Raises:
        LearnerError: A setting cannot be used.
    """

    outputs = ("scores",)
    name: ClassVar[str]
    Settings: ClassVar[type[Any]] = ReasoningSettings
    steps: ClassVar[Mapping[str, int]] = STEPS
    patience: ClassVar[tuple[int, int]] = (20, 20)  # individual, joint

    def __init__(self, settings: Any = None) -> None:
        self.settings = settings or self.Settings()
        self.check()

    def check(self) -> None:
        """Check the settings."""
        settings = self.settings
        for name, least in {"batch": 1, "steps": 0, "patience": 0}.items():
            value = getattr(settings, name)
            if not (isinstance(value, int) and value >= least):
                raise LearnerError(f"{name}={value} of {self.name} has to be a whole number, {least} or more.")
        if not 0 < settings.lr < math.inf:
            raise LearnerError(f"lr={settings.lr} of {self.name} has to be a number above 0.")
        if not 0 <= settings.weight_decay < math.inf:
            raise LearnerError(f"weight_decay={settings.weight_decay} of {self.name} has to be a number, 0 or more.")
        for name, known in {"curriculum": CURRICULA, "pretraining": PRETRAININGS}.items():
            if (value := getattr(settings, name)) not in known:
                raise LearnerError(f"{self.name} has no {name}={value!r}.{nearest(value, known)}")
        if settings.curriculum != "none" and settings.pretraining != "none":
            raise LearnerError(f"{self.name} takes a curriculum or a pretraining, not both.")

    @abstractmethod
    def network(self, side: int, is_joint: bool) -> Reasoner:
        """Make the network for images of `side` x `side` pixels, with fresh weights.

        Raises:
            LearnerError: Images of this size do not fit.
        """

    def pretraining(self, task: TrainingTask, budget: Budget) -> Any:
        """Make the pretraining, see :class:`.moco.Pretraining`.

        Raises:
            LearnerError: The network has no encoder that could be trained by itself.
        """
        raise LearnerError(f"{self.name} has no pretraining: it has no encoder that is trained on images alone.")

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> nn.Module:
        """Train a network; see :meth:`pytest_genbench.learners.Learner.fit`.

        Raises:
            LearnerError: The task has no odd image to name, its images do not fit, or the rule has no components.
        """
        side, rules = self.side(task), rules_of(task, self.name)
        is_joint = len(rules) > 1
        network: Reasoner = build(lambda: self.network(side, is_joint), seed)
        plan = self.plan(len(task) // len(rules), len(task), is_joint, budget)
        first = self.first(task, rules, budget)
        start, total = (first.steps if first else 0), plan.steps + (first.steps if first else 0)
        how: dict[str, Any] = {"seed": seed, "device": device}
        if first is not None:
            how["checkpoint_dir"] = checkpoint_dir / "first"
            recipe = {
                "learner": self.name,
                "settings": {k: v for k, v in asdict(self.settings).items() if k != "pretrained"},
                "stage": [first.task.split.id, len(first.task), list(rules_of(first.task, self.name)), is_joint],
                "of": [task.benchmark.version, side, budget, seed],
            }
            hand_on(
                shared(
                    self.settings.pretrained or str(how["checkpoint_dir"]),
                    f"{self.name}-{task.split.benchmark}",
                    recipe,
                    lambda: first.weights(**how, progress=lambda step, _, loss=None: progress(step, total, loss)),
                ),
                network,
            )
        train(
            network,
            task,
            plan,
            is_told=is_joint,
            **(how | {"checkpoint_dir": checkpoint_dir}),
            progress=lambda step, _, loss=None: progress(start + step, total, loss),
        )
        network.trained_on = (task.split.id, *([first.task.split.id] if first else []))
        return network

    def first(self, task: TrainingTask, rules: Sequence[int], budget: Budget) -> Any:
        """Make what comes before the training: an object with ``steps``, ``task`` and ``weights``; None for nothing."""
        if self.settings.pretraining != "none":
            return self.pretraining(task, budget)
        return None if self.settings.curriculum == "none" else Lessons(self, task, rules, budget)

    def side(self, task: TrainingTask) -> int:
        """Side of a task's images in pixels.

        Raises:
            LearnerError: They are no four square images of three channels.
        """
        shape = tuple(task.image_shape)
        if len(shape) != 4 or shape[0] != 4 or shape[1] != shape[2] or shape[3] != 3:
            raise LearnerError(
                f"{self.name} takes four square images of three channels; the inputs of {task.split.benchmark} have the "
                f"shape {shape}."
            )
        return int(shape[1])

    def plan(self, n: int, problems: int, is_joint: bool, budget: Budget, *, is_lesson: bool = False) -> Plan:
        """Plan a training.

        Args:
            n: Problems per rule.
            problems: Problems in all.
            is_joint: Whether the network is told the rule.
            budget: How much work to put in.
            is_lesson: Whether this is a curriculum's first part, which has 100 epochs, and the whole rate.
        """
        settings = self.settings
        epochs, between = JOINT if is_joint or is_lesson else EPOCHS[max((m for m in EPOCHS if m <= n), default=20)]
        epoch = -(-problems // settings.batch)
        steps, every = epochs * epoch, between * epoch
        if budget != "paper":
            steps = min(steps, self.steps[budget])
        steps = settings.steps or steps
        if budget != "paper":
            every = max(every, -(-steps // CHECKS[budget]))
        patience = PATIENT if is_lesson and not is_joint else self.patience[is_joint]
        lr = settings.lr if is_joint or is_lesson else settings.lr * min(1.0, n / 64)
        return Plan(
            steps, every, settings.patience or patience, lr, settings.batch, settings.weight_decay, CHECKED[budget]
        )

    def save(self, model: nn.Module, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx``, which declares what it was trained on."""
        export(model, folder, task)

    def load(self, folder: Path) -> Path:
        """Return the file to be tested."""
        return folder / "model.onnx"


class Lessons:
    """A curriculum's first part: the rules that come before the one, or the ones, to be learnt.

    Args:
        learner: Whose network is trained.
        task: What is to be learnt afterwards.
        rules: Its rules; of one its two components come first, of more the nine elementary rules.
        budget: How much work to put in.

    Raises:
        LearnerError: The one rule has no components.
    """

    def __init__(self, learner: ReasoningLearner, task: TrainingTask, rules: Sequence[int], budget: Budget) -> None:
        self.learner, self.is_joint = learner, len(rules) > 1
        before = ELEMENTARY if self.is_joint else components(rules[0])
        if before is None:
            raise LearnerError(
                f"{learner.name} has no curriculum for rule {rules[0]}, which has no components; {len(COMPONENTS)} of the "
                f"rules from {min(COMPONENTS)} to {max(COMPONENTS)} have some."
            )
        self.task = TrainingTask(task.benchmark, benchmark_of(task).training(before, LESSONS[budget]))
        self.plan = learner.plan(LESSONS[budget], len(self.task), self.is_joint, budget, is_lesson=True)

    @property
    def steps(self) -> int:
        """How many there are at most."""
        return self.plan.steps

    def weights(self, *, seed: int, device: str, checkpoint_dir: Path, progress: Progress) -> dict[str, Tensor]:
        """Train a network, and return those of its weights that are handed on."""
        side = self.learner.side(self.task)
        network: Reasoner = build(lambda: self.learner.network(side, self.is_joint), seed)
        train(
            network,
            self.task,
            self.plan,
            is_told=self.is_joint,
            seed=seed,
            device=device,
            checkpoint_dir=checkpoint_dir,
            progress=progress,
        )
        return part_of(network, network.is_handed_on)


def benchmark_of(task: TrainingTask) -> Any:
    """Return a task's benchmark, which has more than others: ``rules_of``, ``training`` and ``references``."""
    return task.benchmark


def rules_of(task: TrainingTask, name: str) -> tuple[int, ...]:
    """Return the numbers of the rules that a task trains on.

    Args:
        task: The task.
        name: Of the model, for messages.

    Raises:
        LearnerError: The benchmark has no rules.
    """
    if not hasattr(task.benchmark, "rules_of"):
        raise LearnerError(f"{name} learns the output scores from the rules of cvr; {task.split.benchmark} has none.")
    rules: tuple[int, ...] = tuple(benchmark_of(task).rules_of(task.split))
    return rules


def export(model: nn.Module, folder: Path, task: TrainingTask) -> None:
    """Write ``model.onnx``: from ``images``, and of a joint network ``rule``, to ``scores``; the weights stay as they are."""
    assert isinstance(model, Reasoner)
    images, height, width, channels = task.image_shape
    about = {
        "genbench.benchmark": task.split.benchmark,
        "genbench.range": "0,1",
        "genbench.outputs": "scores=scores",
        "genbench.trained_on": ",".join(model.trained_on or (task.split.id,)),
    }
    shape = (images, channels, height, width)
    more = {"rule": torch.zeros(2, dtype=torch.int64)} if model.rules is not None else {}
    export_onnx(model, folder / "model.onnx", "images", ["scores"], shape, about, exact=True, more=more)
