"""Models of hierarchical data as ONNX files.

Weights are kept as they are, unlike those of `export`: a file is to give the very numbers that were trained, for what is measured
of a code is how it varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pytest_genbench.learners import TrainingTask

from .export import export_onnx


class InOrder(nn.Module):
    """A model that returns a dict, as one that returns a tuple, which is what ONNX knows.

    Args:
        model: The model.
        names: What to return of its dict, in this order; none where the method returns a tensor.
        method: What to call.
    """

    def __init__(self, model: nn.Module, names: Sequence[str] = (), method: str = "forward") -> None:
        super().__init__()
        self.model, self.names, self.method = model, names, method

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """Call the model; returns its outputs."""
        result = getattr(self.model, self.method)(x)
        return tuple(result[name] for name in self.names) if self.names else (result,)


def save(model: Any, folder: Path, task: TrainingTask) -> None:
    """Write ``model.onnx`` and, where the embedding alone can be painted from, ``decoder.onnx``.

    They declare what they were trained on, the hierarchy of the code and its size.

    Args:
        model: ``forward`` gives a dict of outputs by role; has `hierarchy` and `code_size`, and may have `decode`.
        folder: Where to write.
        task: What it was trained on.
    """
    shape = tuple(task.image_shape)
    source, inputs = ("signal", shape) if len(shape) == 1 else ("image", (shape[2], *shape[:2]))
    about = {"genbench.benchmark": task.split.benchmark, "genbench.trained_on": task.split.id}
    if source == "image":
        about["genbench.range"] = "0,1"
    if hasattr(model, "decode"):
        decoder = InOrder(model, method="decode")
        export_onnx(
            decoder, folder / "decoder.onnx", "embedding", ["reconstruction"], (model.code_size,), about, exact=True
        )
        about["genbench.decoder"] = "decoder.onnx"
    with torch.no_grad():
        names = list(model.eval()(torch.zeros(1, *inputs)))
    about |= {"genbench.code_size": str(model.code_size), "genbench.hierarchy": model.hierarchy.to_json()}
    about["genbench.outputs"] = ",".join(f"{name}={name}" for name in names)
    export_onnx(InOrder(model, names), folder / "model.onnx", source, names, inputs, about, exact=True)
