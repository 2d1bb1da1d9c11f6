"""COFHAE: an auto-encoder whose code follows a hierarchy of variables.

- Ross and Doshi-Velez (ICML 2021, arXiv:2102.05185): "Benchmarks, algorithms, and metrics for hierarchical disentanglement",
  section 4 for the network and its losses, fig. 4 for the ablations.

The network chooses an option of each categorical variable, softly in training and for good in a test, and switches each
continuous variable off where the options it hangs on are not chosen. Which options those are, it is told: by the truth, or by
what MIMOSA finds in the codes of an auto-encoder trained before it. What the variables are, it has to find out, helped by a
penalty on their total correlation among the items that have them.

What is ours: the names of the ablations; how the latents are supervised in H+A+Z; and all of the budgets but `paper`.

With the true hierarchy and one seed, a `quick` training has R_c 0.99, 0.98 and 0.98 on Chopsticks depth2-slope, depth3-slope and
depth2-either (a flat auto-encoder 0.67 on the first), 0.88 on depth2-both, and 0.64 on Spaceshapes, where it ends long before it
has converged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pytest_genbench.errors import LearnerError, nearest
from pytest_genbench.hierarchy import Hierarchy
from pytest_genbench.learners import Budget, Progress, TrainingTask

from .adversarial import Critic, Memory, Objective, Reply, compete, shuffled
from .bodies import FEATURES, Body, check_settings, shape_of, start, true_hierarchy
from .files import save
from .representations import WIDTH, schedule_for
from .structure import Structure, learned_structure, true_structure
from .training import build, seeded

TERMS = ("flat", "H", "A", "TC", "TC-on", "Z")
ALIASES = {"tc(z)": "TC", "tc(z|on)": "TC-on", **{term.lower(): term for term in TERMS}}

GRID: Mapping[str, tuple[float, ...]] = {
    "tau": (0.5, 0.67, 1.0),
    "assignment": (10, 100, 1000),
    "adversarial": (1, 10, 100),
}
"""What the published models were chosen among."""

DEFAULTS: Mapping[str, float] = {"tau": 1.0, "assignment": 1000.0, "adversarial": 1.0}
"""What the authors' programme takes where it is told nothing."""


@dataclass(frozen=True)
class CofhaeSettings:
    """Of COFHAE and its training.

    Attributes:
        hierarchy: ``true``, or ``mimosa`` for one that is learned first, see :mod:`.structure`.
        terms: What there is, joined by ``+``: ``H`` the hierarchy (``flat``: as many continuous variables as the truth has
            variables), ``A`` supervised assignments, ``TC-on`` total correlation among the items that have a variable, or ``TC``
            among all of them, ``Z`` supervised latents. The paper's ``TC(Z|on)`` and ``TC(Z)`` are understood too.
        tau: Temperature of the options in training; 0: what the budget says, 1 or, in `paper`, a grid to choose from.
        assignment: Weight of A; 0: what the budget says, 1000 or a grid.
        adversarial: Weight of TC or TC-on; 0: what the budget says, 1 or a grid.
        supervision: Weight of Z: of the sum of squared errors of the continuous variables, each in units of its deviation.
        activation: ``relu`` as in the paper's text, or ``softplus`` as in its code.
        discriminator: Units in each of the three layers that estimate TC; 0: what the budget says, see WIDTH.
        initial_dim: Of ``mimosa``: numbers in the code that it reads; 0: what the paper took for the data set.
        rows: Of ``mimosa``: how many items it reads; 0: what the budget says.
        lr: The first learning rate.
        batch: Items in a step; 0: what the budget says.
        steps: Of each training; 0: what the budget says.

    Raises:
        LearnerError: A value cannot be used.
    """

    hierarchy: str = "true"
    terms: str = "H+A+TC-on"
    tau: float = 0.0
    assignment: float = 0.0
    adversarial: float = 0.0
    supervision: float = 10.0
    activation: str = "relu"
    discriminator: int = 0
    initial_dim: int = 0
    rows: int = 0
    lr: float = 1e-3
    batch: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        counts = ("discriminator", "initial_dim", "rows", "batch", "steps")
        check_settings(self, "cofhae", counts=counts, weights=("tau", "assignment", "adversarial", "supervision", "lr"))
        if self.hierarchy not in ("true", "mimosa"):
            raise LearnerError(f"hierarchy={self.hierarchy} of cofhae has to be true or mimosa.")
        parts = self.parts
        is_flat = "flat" in parts
        if is_flat == ("H" in parts) or parts >= {"TC", "TC-on"} or (is_flat and parts & {"A", "Z"}):
            raise LearnerError(
                f"terms={self.terms} of cofhae: start with H or flat; A and Z go with H, and of TC and TC-on there is one, as in "
                "H+A+TC-on."
            )
        if "Z" in parts and self.hierarchy != "true":
            raise LearnerError("Z of cofhae is the truth about the true hierarchy's variables: set hierarchy=true.")

    @property
    def parts(self) -> frozenset[str]:
        """The terms one by one."""
        parts = [part.strip().lower() for part in self.terms.split("+")]
        for part in parts:
            if part not in ALIASES:
                raise LearnerError(f"cofhae has no term {part!r}.{nearest(part, TERMS)}")
        return frozenset(ALIASES[part] for part in parts)

    def grid(self, budget: Budget) -> tuple[CofhaeSettings, ...]:
        """All settings to train with under a budget: one but for `paper`, which tries the values of GRID that matter."""
        matter = {"tau": "H", "assignment": "A", "adversarial": "TC"}
        values = []
        for name, published in GRID.items():
            chosen = getattr(self, name)
            counts = budget == "paper" and any(part.startswith(matter[name]) for part in self.parts)
            values.append((chosen,) if chosen else published if counts else (DEFAULTS[name],))
        return tuple(replace(self, **dict(zip(GRID, each, strict=True))) for each in product(*values))


class Hierarchical(nn.Module):
    """An auto-encoder with K categorical variables, with options to choose from, and D continuous ones.

    Args:
        shape: Of an input as the task has it: (64,), or (64, 64, C).
        hierarchy: Of the variables.
        activation: ``relu`` or ``softplus``.
        tau: Temperature of the options while they are soft.
    """

    def __init__(self, shape: Sequence[int], hierarchy: Hierarchy, activation: str = "relu", tau: float = 1.0) -> None:
        super().__init__()
        self.hierarchy, self.tau = hierarchy, tau
        columns = hierarchy.columns
        # A variable is on as far as the last option above it is; which in turn is masked by those above.
        self.above = [column.conditions[-1] if column.conditions else None for column in columns]
        options = [column.options for column in columns[: hierarchy.categorical]]
        self.code_size = len(columns)
        self.body = Body(shape, sum(options) + hierarchy.continuous, activation)
        self.head = nn.Linear(FEATURES, hierarchy.continuous)
        self.choosers = nn.ModuleList(nn.Linear(FEATURES, k) for k in options)
        self.head.apply(start)
        self.choosers.apply(start)

    def read(self, inputs: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Inputs (N, …) to continuous variables (N, D), all on, and to logits (N, options) of each categorical one."""
        features = self.body.features(inputs)
        return self.head(features), [chooser(features) for chooser in self.choosers]

    def choose(self, logits: Sequence[Tensor], *, hard: bool) -> list[Tensor]:
        """Logits (N, options) to assignments (N, options) of each categorical variable.

        Rows add up to what is left of the variable: one where it is on, nought where it is off.
        """
        chosen: list[Tensor] = []
        for at, each in enumerate(logits):
            share = one_hot(each) if hard else (each / self.tau).softmax(1)
            above = self.above[at]
            chosen.append(share if above is None else share * chosen[above[0]][:, above[1] - 1, None])
        return chosen

    def mask(self, chosen: Sequence[Tensor], like: Tensor) -> Tensor:
        """Assignments to how far each continuous variable is on: (N, D), in [0, 1], zeros and ones where they are hard."""
        above = self.above[len(chosen) :]
        on = [torch.ones_like(like[:, 0]) if pair is None else chosen[pair[0]][:, pair[1] - 1] for pair in above]
        return torch.stack(on, 1)

    def raw(self, chosen: Sequence[Tensor], values: Tensor) -> Tensor:
        """Assignments, and masked variables (N, D), to signals (N, 64) or logits of pixels (N, C, 64, 64)."""
        return self.body.raw(torch.cat([*chosen, values], 1))

    def code(self, inputs: Tensor, *, hard: bool) -> tuple[list[Tensor], Tensor]:
        """Inputs (N, …) to assignments and masked variables (N, D)."""
        z, logits = self.read(inputs)
        chosen = self.choose(logits, hard=hard)
        return chosen, self.mask(chosen, z) * z

    def forward(self, inputs: Tensor) -> dict[str, Tensor]:
        """Inputs (N, …) to their reconstruction, of the same shape, masked variables (N, D) and assignments (N, options)."""
        chosen, values = self.code(inputs, hard=True)
        assignments = {f"assignment.{at}": each for at, each in enumerate(chosen)}
        return {"reconstruction": self.body.shown(self.raw(chosen, values)), "embedding": values, **assignments}


def one_hot(logits: Tensor) -> Tensor:
    """Logits (N, K) to ones at the largest and zeros elsewhere."""
    return (torch.arange(logits.shape[1], device=logits.device) == logits.argmax(1, keepdim=True)).to(logits.dtype)


def assignment_error(chosen: Sequence[Tensor], right: Sequence[Tensor]) -> Tensor:
    """How far assignments are off: squared errors, summed over options and variables, averaged over the batch; a scalar.

    Args:
        chosen: (N, options) for each categorical variable.
        right: The same, one-hot; all zero where the variable is off, and -1 where nobody knows: these cost nothing, but count
            as items of the batch.
    """
    errors = [((a[:, 0] >= 0) * (a - b).square().sum(1)).mean() for a, b in zip(right, chosen, strict=True)]
    return torch.stack(errors).sum() if errors else torch.zeros(())


class CofhaeLearner:
    """``reference:cofhae``; see :class:`pytest_genbench.learners.Learner`.

    Its models also offer ``assignment.<k>`` for each categorical variable, of which a learned hierarchy may have any number.

    Args:
        settings: See :class:`CofhaeSettings`.
    """

    outputs = ("embedding", "reconstruction")
    Settings = CofhaeSettings

    def __init__(self, settings: CofhaeSettings | None = None) -> None:
        self.settings = settings or CofhaeSettings()

    def fit(
        self, task: TrainingTask, *, seed: int, budget: Budget, device: str, checkpoint_dir: Path, progress: Progress
    ) -> Hierarchical:
        """Train a network, or all of a grid, of which the best is returned; see :meth:`pytest_genbench.learners.Learner.fit`.

        Raises:
            LearnerError: The inputs have another shape, there is no true hierarchy, MIMOSA finds none, or it has no continuous
                variable.
        """
        shape_of(task, "cofhae")
        grid, memory = self.settings.grid(budget), Memory(task)
        schedule = schedule_for(task, self.settings, budget)
        is_learned = self.settings.hierarchy == "mimosa"
        total = schedule.steps * (len(grid) + is_learned)

        def stage(number: int) -> Progress:
            return lambda step, steps, loss=None: progress(number * schedule.steps + step, total, loss)

        if is_learned:
            structure = learned_structure(
                memory,
                schedule,
                self.settings,
                seed=seed,
                budget=budget,
                device=device,
                folder=checkpoint_dir / "initial",
                progress=stage(0),
            )
        elif "flat" in self.settings.parts:
            variables = len(true_hierarchy(task, "cofhae", "").columns)
            structure = Structure(Hierarchy.flat(variables), lambda rows: [])
        else:
            structure = true_structure(memory)
        if not structure.hierarchy.continuous:
            raise LearnerError(f"cofhae: {structure.hierarchy.notation} has no continuous variable to learn.")
        runs = []
        for at, settings in enumerate(grid):
            run = Run(settings, structure, memory, budget, seed)
            compete(
                run.model,
                run.critic,
                run.objective(),
                memory,
                schedule,
                seed=seed,
                device=device,
                checkpoint_dir=checkpoint_dir / f"run-{at:02d}",
                progress=stage(at + is_learned),
                keep=len(grid) > 1,
            )
            run.critic = None  # 27 of them would take a GB
            runs.append(run)
        return runs[0].model if len(runs) == 1 else best(runs).model

    def save(self, model: Hierarchical, folder: Path, task: TrainingTask) -> None:
        """Write ``model.onnx``; see :func:`.files.save`."""
        save(model, folder, task)

    def load(self, folder: Path) -> Path:
        """Return the file to be tested."""
        return folder / "model.onnx"


class Run:
    """One training: the networks, and what they lower.

    Args:
        settings: Without anything left to the budget but the width of the critic.
        structure: The hierarchy, and what assignments are supervised with.
        memory: The training set.
        budget: For the width of the critic.
        seed: Of fresh weights.
    """

    def __init__(
        self, settings: CofhaeSettings, structure: Structure, memory: Memory, budget: Budget, seed: int
    ) -> None:
        self.settings, self.structure, self.memory = settings, structure, memory
        shape, hierarchy = tuple(memory.task.image_shape), structure.hierarchy
        self.model: Hierarchical = build(
            lambda: Hierarchical(shape, hierarchy, settings.activation, settings.tau), seed
        )
        self.critic: Critic | None = None
        if settings.parts & {"TC", "TC-on"}:
            width = settings.discriminator or WIDTH[budget]
            self.critic = build(lambda: Critic(hierarchy.continuous, width), seed)

    def objective(self) -> Objective:
        """Return the losses of a step."""
        settings, model, critic, parts = self.settings, self.model, self.critic, self.settings.parts
        scale = Scale(self.memory, self.structure.hierarchy) if "Z" in parts else None

        def loss(inputs: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor, Reply | None]:
            z, logits = model.read(inputs)
            chosen = model.choose(logits, hard=False)
            values = model.mask(chosen, z) * z
            value = model.body.misfit(model.raw(chosen, values), inputs)
            if "A" in parts:
                right = [each.to(inputs.device) for each in self.structure.assignments(rows)]
                value = value + settings.assignment * assignment_error(chosen, right)
            if scale is not None:
                error = (values - scale.latents(rows).to(inputs.device)).square().sum(1).mean()
                value = value + settings.supervision * error
            if critic is None:
                return value, None
            on = None
            if "TC-on" in parts:
                # Shuffled are the very codes that the decoder sees, soft as they are, among rows chosen for good.
                on = model.mask(model.choose([each.detach() for each in logits], hard=True), z) > 0.1
            fake = shuffled(values.detach(), on)
            value = value + settings.adversarial * critic(values).mean()

            def reply() -> Tensor:
                with torch.no_grad():
                    _, real = model.code(inputs, hard=False)  # of the model as it is after its step
                return critic.loss(real, fake)

            return value, reply

        return loss

    def errors(self) -> tuple[float, float]:
        """Errors on the training set with options chosen for good: of the assignments, and squared ones of the inputs."""
        assignment = squared = 0.0
        items = len(self.memory.task)
        with torch.no_grad(), seeded(0, "cpu"):
            for begin in range(0, items, 1000):
                rows = np.arange(begin, min(begin + 1000, items))
                inputs = self.memory.inputs(rows)
                chosen, values = self.model.code(inputs, hard=True)
                squared += self.model.body.squared_error(self.model.raw(chosen, values), inputs).double().sum().item()
                if "A" in self.settings.parts:
                    assignment += assignment_error(chosen, self.structure.assignments(rows)).item() * len(rows)
        return assignment / items, squared / items


def best(runs: Sequence[Run]) -> Run:
    """Choose as the paper does: of the third with the smallest errors of assignments, that with the smallest squared one.

    Where assignments are not supervised, all have the same error of nought, and all are compared by their squared one.
    """
    errors = [run.errors() for run in runs]
    order = sorted(range(len(runs)), key=lambda at: errors[at][0])
    limit = errors[order[max(1, len(runs) // 3) - 1]][0]
    allowed = [at for at in order if errors[at][0] <= limit]
    return runs[min(allowed, key=lambda at: errors[at][1])]


class Scale:
    """True continuous variables in units of their deviation, and nought where they are off, for the network to be shown.

    Args:
        memory: The training set; deviations are those of its first 10,000 items.
        hierarchy: The true one.
    """

    def __init__(self, memory: Memory, hierarchy: Hierarchy) -> None:
        self._memory, self._hierarchy = memory, hierarchy
        table, on = self._read(np.arange(min(10_000, len(memory.task))))
        count = on.sum(0).clamp(min=1)
        self._mean = (table * on).sum(0) / count
        deviation = (((table - self._mean) * on).square().sum(0) / count).sqrt()
        self._deviation = torch.where(deviation > 0, deviation, 1.0)

    def latents(self, rows: NDArray[np.int64]) -> Tensor:
        """Rows (N,) to latents (N, D)."""
        table, on = self._read(rows)
        return on * (table - self._mean) / self._deviation

    def _read(self, rows: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        table = self._memory.targets(rows)["embedding"]
        k = self._hierarchy.categorical
        on = torch.from_numpy(self._hierarchy.active(table[:, :k].numpy()))
        return table[:, k:], on[:, k:].float()
