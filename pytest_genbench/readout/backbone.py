"""A frozen model as a function from a benchmark's images to embeddings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingOutputError, ModelError
from ..evaluation import predict
from ..models import Contract, Model, assign_unnamed
from .images import adapt

EMBEDDING = "embedding"

LARGEST = 16_384
"""Most numbers in an embedding: 10,000 of them then take 650 MB, and a readout of more would be no small one."""


class Backbone:
    """A model of which only the embedding is used.

    Args:
        model: The model; it is not changed.

    Attributes:
        model: The same.
        output: The name under which it offers the embedding.
        width: Numbers in an embedding; 0 until one is made.

    Raises:
        MissingOutputError: It offers no embedding, or several outputs that could be one.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.output = embedding_name(model.contract)
        self.width = 0

    def adapted(self, images: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Bring images to the size and the channels that the model takes; see :func:`adapt`."""
        return adapt(images, self.model.contract.shape)

    def embed(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Embed images.

        Args:
            images: uint8 (N, H, W, C) as the benchmark makes them.

        Returns:
            float32 (N, D); an embedding with more axes is laid out in one.

        Raises:
            ModelError: The model fails; embeddings are not finite, empty, too large, or not all of one size.
        """
        found = predict(self.model, self.adapted(images), [EMBEDDING], {EMBEDDING: self.output})[EMBEDDING]
        with np.errstate(over="ignore"):
            flat = found.reshape(len(found), -1).astype(np.float32)
        if not np.isfinite(flat).all():
            raise ModelError(
                f"Output {self.output!r} has values that are too large for float32; a readout cannot use them."
            )
        if not 1 <= flat.shape[1] <= LARGEST:
            raise ModelError(
                f"Output {self.output!r} has {flat.shape[1]:,} numbers for each image; a readout takes from 1 to {LARGEST:,}. "
                "Pool it inside the model."
            )
        if self.width not in (0, flat.shape[1]):
            raise ModelError(
                f"Output {self.output!r} has {flat.shape[1]} numbers for each image, and had {self.width} before; "
                "a readout needs always as many."
            )
        self.width = flat.shape[1]
        return flat


def embedding_name(contract: Contract) -> str:
    """Return the name under which a model offers its embedding.

    Without one that is declared, an only output of shape (N, D) whose meaning is not known is taken for it.

    Raises:
        MissingOutputError: There is none; the message lists what the model offers.
    """
    if EMBEDDING in contract.outputs:
        return EMBEDDING
    try:
        return assign_unnamed(contract, {EMBEDDING: lambda role, shape: len(shape) == 1})[EMBEDDING]
    except MissingOutputError as error:
        raise MissingOutputError(f"--genbench-probe reads the embedding of the model. {error}") from None
