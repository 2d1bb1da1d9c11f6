"""What a loaded model is, whatever runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from .contract import Contract
from .prepare import Inputs


@runtime_checkable
class Model(Protocol):
    """A model under test.

    Attributes:
        contract: What it consumes and offers.
        device: What really runs it: ``CPUExecutionProvider``, ``CUDAExecutionProvider (cuda:0)``, ``cuda:0 (torch)`` …
        files: SHA-256 of every file it was made from, external data included, by name.

    A model that can also decode has ``decode(embedding)``, from embeddings (N, D) to reconstructions in its own
    convention. Where the method is there without being usable, ``can_decode`` is false. One whose contract has `extra`
    inputs takes what they say in an argument ``about`` of ``predict``, see :mod:`pytest_genbench.models.extra`.
    """

    contract: Contract
    device: str
    files: Mapping[str, str]

    def predict(self, batch: Inputs, outputs: Sequence[str] | None = None) -> Mapping[str, Any]:
        """Run the model.

        Args:
            batch: Images as a benchmark makes them, uint8 (N, H, W, C), or (N, K, H, W, C) in sets; or signals, float32
                (N, length); never changed.
            outputs: Roles to compute, or graph names of outputs that have none; all roles that are offered where None.

        Returns:
            For each name asked for an array with ``__dlpack__`` or a NumPy array, the batch first, in the model's own
            dtype, layout and range.

        Raises:
            MissingOutputError: A role is not offered.
            ModelError: The images are not what the model takes, or running it failed.
        """
