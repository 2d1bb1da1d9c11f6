"""A frozen model with readouts, as a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingOutputError
from ..models import Contract
from ..models.contract import show
from ..models.prepare import locate
from .backbone import EMBEDDING
from .embeddings import Embeddings
from .fit import Head, Kind
from .images import fits


class ReadoutModel:
    """A frozen model and what was trained over its embedding; see :class:`~pytest_genbench.models.protocol.Model`.

    It takes a benchmark's images of any size: they are brought to the size and the channels that the frozen model takes. Where that
    is needed, only the embedding and the readouts are offered; else also what the frozen model offers itself, unless a readout has
    the same name.

    Args:
        embeddings: Of the frozen model, for the benchmark at hand.
        chunks: Those that the readouts were trained on; images in them need not be embedded again.
        heads: The readouts, by the name of their output.
        kind: What they are.
        image_shape: Height, width, channels of the benchmark's images.
    """

    def __init__(
        self,
        embeddings: Embeddings,
        chunks: Collection[int],
        heads: Mapping[str, Head],
        kind: Kind,
        image_shape: tuple[int, int, int],
    ) -> None:
        from threadpoolctl import ThreadpoolController

        self._pools = ThreadpoolController()
        self._embeddings, self._chunks, self._heads = embeddings, frozenset(chunks), dict(heads)
        self._backbone = embeddings.backbone
        self._base = self._backbone.model
        self._is_adapted = not fits(image_shape, self._base.contract.shape)
        self.device, self.files = self._base.device, self._base.files
        self.contract: Contract = self._contract(kind, image_shape)
        self.name = f"{getattr(self._base, 'name', 'the model')} ({self.contract.readout})"

    def _contract(self, kind: Kind, image_shape: tuple[int, int, int]) -> Contract:
        base, output = self._base.contract, self._backbone.output
        own = {EMBEDDING: base.outputs.get(EMBEDDING, output)}
        if not self._is_adapted:
            own = {**base.outputs, **own}
        own = {role: name for role, name in own.items() if role not in self._heads}
        shapes = {role: shape for role, shape in base.shapes.items() if role in own}
        taken = show([axis or side for axis, side in zip(base.shape, _first_channels(image_shape), strict=True)])
        adapted = f" from images made {taken} (C, H, W)" if self._is_adapted else ""
        unfinished = [name for name, head in self._heads.items() if not head.converged]
        said = f"The training of the readout for {', '.join(unfinished)} was ended before it had converged."
        return replace(
            base,
            shape=_first_channels(image_shape),
            batch=None,
            outputs={**own, **{name: name for name in self._heads}},
            shapes={**shapes, **{name: (None, head.size) for name, head in self._heads.items()}},
            unnamed={} if self._is_adapted else {name: fact for name, fact in base.unnamed.items() if name != output},
            code_size=base.code_size if "reconstruction" in own else None,
            decoder=base.decoder if "reconstruction" in own else None,
            readout=f"{'linear' if kind == 'linear' else 'MLP'} readout of {self._backbone.width} numbers{adapted}",
            warnings=(*base.warnings, *([said] if unfinished else [])),
        )

    def predict(self, batch: NDArray[np.uint8], outputs: Sequence[str] | None = None) -> Mapping[str, Any]:
        """Embed uint8 (N, H, W, C) images and read out; see :class:`~pytest_genbench.models.protocol.Model`.

        Readouts are float32 arrays, see :class:`Head`. Everything else is as the frozen model gives it.
        """
        asked = locate(self.contract, outputs)
        found: dict[str, Any] = {}
        if others := {role: self._own_name(role) for role in asked if role not in self._heads}:
            given = self._base.predict(self._backbone.adapted(batch), tuple(others.values()))
            found |= {role: given[name] for role, name in others.items()}
        if any(role in self._heads for role in asked):
            embedding = self._embeddings.of(batch, self._chunks)
            with self._pools.limit(limits=1, user_api="blas"):  # a batch is too small to share; threads would spin
                found |= {role: self._heads[role](embedding) for role in asked if role in self._heads}
        return {role: found[role] for role in asked}

    def _own_name(self, role: str) -> str:
        """The frozen model's name for an output: its embedding may have no role."""
        return self._backbone.output if role == EMBEDDING else role

    @property
    def can_decode(self) -> bool:
        """Whether :meth:`decode` works."""
        decodes = callable(getattr(self._base, "decode", None)) and getattr(self._base, "can_decode", True)
        return bool(decodes) and not self._is_adapted

    def decode(self, embedding: Any) -> Any:
        """Let the frozen model decode embeddings (N, D).

        Raises:
            MissingOutputError: It cannot, or its images are not the benchmark's.
        """
        if not self.can_decode:
            raise MissingOutputError(f"{self.name} cannot decode embeddings.")
        return self._base.decode(embedding)  # type: ignore[attr-defined]


def _first_channels(image_shape: tuple[int, int, int]) -> tuple[int, int, int]:
    height, width, channels = image_shape
    return channels, height, width
