"""From a learner to the model to be tested: recorded weights, then the cache, then trained now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark
from ..errors import LearnerError
from ..models import Model, ModelOptions, offered, visible_cuda_devices, wrap
from ..models.declaration import Declaration
from ..models.files import sha256
from ..models.onnx import OnnxModel
from ..splits import Split
from . import keep
from .find import Found
from .protocol import Budget, Progress
from .references import Recorded
from .trainer import Trained, Trainer


@dataclass(frozen=True)
class Training:
    """What is known of how a model was trained; stands in the results document.

    Attributes:
        origin: ``recorded`` (weights that come with the package), ``cache`` or ``trained`` in this run.
        budget: Of the training.
        seed: Of the training.
        seconds: Wall time of the training; None for recorded weights.
        waited: Seconds waited for another process that trained it.
        deterministic: Whether a second training with the same seed began alike; None where that is not known.
        notes: What the user should know.
    """

    origin: str
    budget: str
    seed: int
    seconds: float | None = None
    waited: float = 0.0
    deterministic: bool | None = None
    notes: Sequence[str] = ()

    def plain(self) -> dict[str, Any]:
        """Return builtin types."""
        return {
            "origin": self.origin,
            "budget": self.budget,
            "seed": self.seed,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "waited": round(self.waited, 3),
            "deterministic": self.deterministic,
            "notes": list(self.notes),
        }


class LearnedModels:
    """The models of one learner.

    Args:
        found: The learner.
        options: Device, threads, declared contract and the folder of the user's code.
        budget: How much work to put into a training.
        cache: The cache folder.
        run: Names this run.
        show: Makes something that shows the progress of a training, given its name.
    """

    def __init__(
        self,
        found: Found,
        options: ModelOptions,
        *,
        budget: Budget,
        cache: Path,
        run: str,
        show: Callable[[str], Progress] | None = None,
    ) -> None:
        self._found, self._options, self._budget = found, options, budget
        device = training_device(options)
        self._trainer = Trainer(
            found, budget=budget, device=device, cache=cache, threads=options.threads, run=run, show=show
        )

    def get(self, benchmark: Benchmark, split: Split, seed: int) -> tuple[Model, Training]:
        """Return the model for a split and seed, and how it came about.

        Raises:
            LearnerError: The learner fails, or its model does not offer what the learner says.
            CacheError: The cache folder cannot be used.
            DeviceError: The device that was asked for is not there.
        """
        trained = self._trainer.get(benchmark, split, seed)
        model = self._model(trained, benchmark, split)
        missing = [name for name in self._found.learner.outputs if name not in offered(model.contract)]
        if missing:
            have = ", ".join(sorted(offered(model.contract))) or "nothing that has a role"
            raise LearnerError(
                f"{self._found.spec} says in its attribute outputs that it offers {', '.join(missing)}, but the model it "
                f"trained offers {have}. Correct outputs, or what the model returns."
            )
        return model, Training(
            origin=trained.origin,
            budget=self._budget,
            seed=seed,
            seconds=trained.seconds,
            waited=trained.waited,
            deterministic=trained.deterministic,
            notes=trained.notes,
        )

    def _model(self, trained: Trained, benchmark: Benchmark, split: Split) -> Model:
        """Load what was kept, and make a model of it."""
        made = keep.load(self._found, trained.folder, self._options.root)
        if isinstance(made, Path):
            return OnnxModel(made, self._options)
        files = {path.name: sha256(path) for path in sorted(trained.folder.iterdir()) if path.is_file()}
        known = {"trained_on": (split.id,), "benchmark": benchmark.name}
        return wrap(
            made,
            self._options,
            name=self._found.spec,
            files=files,
            declared_by=self._found.learner,
            image_shape=benchmark.image_shape,
            names=_names(made, self._found.learner.outputs),
            known=Declaration("metadata", f"the training of {self._found.spec}", known),
        )


def recorded_model(recorded: Recorded, options: ModelOptions) -> tuple[Model, Training]:
    """Load recorded weights."""
    return OnnxModel(recorded.file, options), Training("recorded", recorded.budget, recorded.seed)


def training_device(options: ModelOptions) -> str:
    """Choose the device to train on: the one the model is to run on.

    Raises:
        DeviceError: A CUDA device was asked for that is not there.
    """
    if options.device == "cpu" or (options.device == "auto" and not visible_cuda_devices()) or not find_spec("torch"):
        return "cpu"
    from ..models.torch import torch_device

    return str(torch_device(options))


def _names(made: Any, outputs: Sequence[str]) -> tuple[str, ...] | None:
    """Names for what a model returns without names: all its learner says, but for the embedding that ``encode`` gives."""
    declared = getattr(made, "genbench", None)
    if isinstance(declared, Mapping) and "outputs" in declared:
        return None  # it names them itself
    encodes = callable(getattr(made, "encode", None))
    return tuple(name for name in outputs if not (encodes and name == "embedding"))
