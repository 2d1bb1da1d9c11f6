"""What the user asked for: the model under test as the options describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True)
class ModelOptions:
    """How to find, declare and run the model under test.

    Attributes:
        spec: ``m.onnx``, ``package.module:callable`` or a file of another kind. Files may hold ``{split}``,
            ``{seed}`` and ``{benchmark}``.
        weights: ``.safetensors``, ``.pt`` or ``.pth`` for a callable; may hold the same.
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
        trust: Whether files that can run code may be loaded.
        overrides: Contract keys given as options; they win over the sidecar, the metadata and defaults.
        threads: CPU threads the runtime may use.
        worker: Number of the test process; processes spread over the CUDA devices by it.
        root: Where relative paths start and dotted modules are looked up.
    """

    spec: str
    weights: str | None = None
    device: str = "auto"
    trust: bool = False
    overrides: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    worker: int = 0
    root: Path = field(default_factory=Path.cwd)

    def of(self, benchmark: str) -> ModelOptions:
        """Return these options with the name of a benchmark in place of ``{benchmark}``."""
        weights = None if self.weights is None else self.weights.replace("{benchmark}", benchmark)
        return replace(self, spec=self.spec.replace("{benchmark}", benchmark), weights=weights)
