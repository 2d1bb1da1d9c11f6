"""Encoders of single images that take part where sets of images are compared: the one least like the others is the odd one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingOutputError
from .arrays import to_numpy
from .contract import Contract
from .prepare import Inputs
from .protocol import Model

READOUT = "scored by the similarity of its embeddings"


class SimilarityModel:
    """A model of single images with an ``embedding``, as one of sets of them with ``scores``.

    The score of an image is minus the sum of the cosines of its embedding and those of all images of the set (Zerroug et al. 2022,
    section 4.1).

    Args:
        model: The encoder.
        size: Images in a set.
    """

    def __init__(self, model: Model, size: int) -> None:
        self._model = model
        contract = model.contract
        self.device, self.files = model.device, model.files
        self.contract: Contract = replace(
            contract,
            shape=(size, *contract.shape),
            input_kind="set",
            batch=None,
            outputs={"scores": "scores"},
            shapes={"scores": (None, size)},
            unnamed={},
            readout=READOUT if contract.readout is None else f"{contract.readout}, {READOUT}",
        )

    def predict(self, batch: Inputs, outputs: Sequence[str] | None = None) -> Mapping[str, Any]:
        """Score sets of images uint8 (N, K, H, W, C): ``scores`` float64 (N, K).

        Raises:
            MissingOutputError: Another output is asked for.
            ModelError: The encoder fails.
        """
        for name in outputs or ():
            if name != "scores":
                raise MissingOutputError(f"An encoder that is compared by similarity offers scores, not {name!r}.")
        number, size = batch.shape[:2]
        found = self._model.predict(batch.reshape(-1, *batch.shape[2:]), ("embedding",))
        return {"scores": unlikeness(to_numpy(found["embedding"]).reshape(number, size, -1))}


def unlikeness(embeddings: NDArray[Any]) -> NDArray[np.float64]:
    """Score each embedding of a set by how unlike it is to the set, from embeddings (N, K, D): float64 (N, K).

    Embeddings of length 0 have no direction; their cosine with any other is taken for 0.
    """
    vectors = embeddings.astype(np.float64)
    length = np.linalg.norm(vectors, axis=2, keepdims=True)
    vectors = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    scores: NDArray[np.float64] = -(vectors * vectors.sum(1, keepdims=True)).sum(2)
    return scores
