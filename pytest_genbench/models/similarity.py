"""Encoders of single images that take part where sets of images are compared: the one least like the others is the odd one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingOutputError
from .arrays import to_numpy
from .contract import Contract
from .extra import About
from .prepare import Inputs
from .protocol import Model
from .roles import assign_unnamed

EMBEDDING, SCORES = "embedding", "scores"

READOUT = "scored by the similarity of its embeddings"


class SimilarityModel:
    """A model of single images with an ``embedding``, as one of sets of them with ``scores``.

    The score of an image is minus the sum of the cosines of its embedding and those of all images of the set (Zerroug et al. 2022,
    section 4.1).

    Args:
        model: The encoder.
        size: Images in a set.
        name: The encoder's own name for the embedding.
    """

    def __init__(self, model: Model, size: int, name: str = EMBEDDING) -> None:
        self._model, self._name = model, name
        contract = model.contract
        self.device, self.files = model.device, model.files
        self.contract: Contract = replace(
            contract,
            shape=(size, *contract.shape),
            input_kind="set",
            batch=None,
            outputs={SCORES: SCORES},
            shapes={SCORES: (None, size)},
            unnamed={},
            readout=READOUT if contract.readout is None else f"{contract.readout}, {READOUT}",
        )

    def predict(
        self, batch: Inputs, outputs: Sequence[str] | None = None, *, about: About | None = None
    ) -> Mapping[str, Any]:
        """Score sets of images uint8 (N, K, H, W, C): ``scores`` float64 (N, K). What is said of a set holds for all its images.

        Raises:
            MissingOutputError: Another output is asked for.
            ModelError: The encoder fails.
        """
        for name in outputs or ():
            if name != SCORES:
                raise MissingOutputError(f"An encoder that is compared by similarity offers scores, not {name!r}.")
        number, size = batch.shape[:2]
        said = {} if about is None else {"about": {key: np.repeat(column, size) for key, column in about.items()}}
        found = self._model.predict(batch.reshape(-1, *batch.shape[2:]), (self._name,), **said)
        return {SCORES: unlikeness(to_numpy(found[self._name]).reshape(number, size, -1))}


def of_sets(model: Model, size: int, benchmark: str) -> Model:
    """Return a model of sets as it is, and an encoder of single images as one of sets of them.

    Args:
        model: The model.
        size: Images in a set.
        benchmark: Name of the benchmark that shows sets, for messages.

    Raises:
        MissingOutputError: It takes single images and offers no embedding, nor one output of shape (N, D) that can be one; or
            it takes signals.
    """
    contract = model.contract
    if contract.input_kind == "set":
        return model
    if contract.input_kind == "image":
        if EMBEDDING in contract.outputs:
            return SimilarityModel(model, size)
        if not contract.outputs:
            with suppress(MissingOutputError):
                names = assign_unnamed(contract, {EMBEDDING: lambda role, shape: len(shape) == 1})
                return SimilarityModel(model, size, names[EMBEDDING])
    offers = ", ".join([*contract.outputs, *(repr(name) for name in contract.unnamed)]) or "no output"
    raise MissingOutputError(
        f"{benchmark} shows sets of {size} images: to a model of sets with the output {SCORES}, or to an encoder of single images "
        f"with the output {EMBEDDING}, whose embeddings are compared; this model takes single {contract.input_kind}s and offers "
        f"{offers}"
    )


def unlikeness(embeddings: NDArray[Any]) -> NDArray[np.float64]:
    """Score each embedding of a set by how unlike it is to the set, from embeddings (N, K, D): float64 (N, K).

    Embeddings of length 0 have no direction; their cosine with any other is taken for 0.
    """
    vectors = embeddings.astype(np.float64)
    length = np.linalg.norm(vectors, axis=2, keepdims=True)
    vectors = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    scores: NDArray[np.float64] = -(vectors * vectors.sum(1, keepdims=True)).sum(2)
    return scores
