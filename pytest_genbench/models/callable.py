"""Plain functions as models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import GenbenchError, ModelError
from . import extra
from .contract import Contract
from .declaration import Declaration
from .extra import About
from .prepare import Inputs, check_images, chunks, join, locate, prepare
from .results import named, raised
from .trial import explore


class FunctionModel:
    """A function of NumPy images; see :class:`~pytest_genbench.models.protocol.Model`.

    Args:
        function: Takes images as its ``genbench`` dict declares them, else float32 (N, C, H, W) in [0, 1]; returns an
            array, or several in a tuple or dict.
        declared: What is declared, most binding first.
        name: The function in words, for messages.
        files: Hashes of the files it was made from.
        names: Names of a tuple's outputs.
        image_shape: Height, width, channels of the images to come.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        declared: Sequence[Declaration],
        *,
        name: str,
        files: Mapping[str, str],
        names: Sequence[str] | None = None,
        image_shape: tuple[int, ...] | None = None,
    ) -> None:
        self._function, self._names, self.name = function, names, name
        self._extra = extra.of_callable(function)
        self.device = "a function of NumPy arrays"
        self.files: Mapping[str, str] = dict(files)
        self.contract: Contract = explore(self._run, declared, name, "float32", image_shape, extra=self._extra)

    def predict(
        self, batch: Inputs, outputs: Sequence[str] | None = None, *, about: About | None = None
    ) -> Mapping[str, Any]:
        """Call the function on uint8 (N, H, W, C) images; see :class:`~pytest_genbench.models.protocol.Model`."""
        asked = locate(self.contract, outputs)
        check_images(batch, self.contract, self.name)
        parts, kept = [], []
        said = extra.pieces(about, self.contract.extra, len(batch), self.contract.batch, self.name)
        for (piece, keep), more in zip(chunks(batch, self.contract.batch), said, strict=True):
            parts.append(self._run(piece, self.contract, more))
            kept.append(keep)
        given = self.contract.batch or len(batch)
        return {role: self._joined(parts, kept, given, name) for role, name in asked.items()}

    def _joined(self, parts: Sequence[Mapping[str, Any]], kept: Sequence[int], given: int, name: str) -> Any:
        for part in parts:
            if name not in part:
                raise ModelError(
                    f"{self.name} did not return the output {name!r}; it returned {', '.join(part) or 'none'}."
                )
        return join([part[name] for part in parts], kept, given, f"{self.name}: output {name!r}")

    def _run(self, batch: Inputs, contract: Contract, about: About | None = None) -> dict[str, Any]:
        pixels = prepare(batch, contract)
        if about is None:  # a trial
            about = {name: np.zeros(len(batch), np.int64) for name in self._extra}
        try:
            result = self._function(pixels, **about)
        except GenbenchError:
            raise
        except Exception as error:
            raise ModelError(
                f"{self.name} failed on a NumPy array {pixels.dtype} {pixels.shape}: {raised(error)}. (An nn.Module is "
                "given tensors, any other callable NumPy arrays.)"
            ) from error
        return named(result, self._names, self.name)
