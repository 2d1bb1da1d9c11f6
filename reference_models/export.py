"""Export of small networks to small ONNX files.

Large weights are stored as int8 with one scale per output channel and turned back into float32 by a Cast and a Mul.
ONNX Runtime folds these two nodes when it loads the file, so that the network is evaluated in float32; a
DequantizeLinear would be kept and could switch on integer kernels. Files are a quarter of the size, and a weight is off
by 0.4 % of the largest one of its channel at most. Weights of middling size, often those of a last layer, whose errors
nothing averages out, are stored as float16.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, numpy_helper
from torch import Tensor, nn

from pytest_genbench.splits import Split

OPSET, IR_VERSION = 20, 10  # the newest that ONNX Runtime 1.23 loads
HALF, INT8 = 1024, 8192  # weights with so many elements or more are stored as float16, as int8


def export_onnx(
    module: nn.Module,
    file: Path,
    input_name: str,
    output_names: Sequence[str],
    shape: tuple[int, ...],
    metadata: Mapping[str, str],
    *,
    exact: bool = False,
    more: Mapping[str, Tensor] | None = None,
) -> None:
    """Write a module as an ONNX file with a free batch size and int8 weights.

    Args:
        module: Takes a float32 tensor (N, *shape), and `more`; returns a tensor or a tuple; put into eval mode here.
        file: Where to write; its folder exists.
        input_name: Name of the graph's first input.
        output_names: Names of the graph's outputs, in the order in which the module returns them.
        shape: Shape of one example.
        metadata: Becomes the file's ``metadata_props``.
        exact: Keep the weights as they are.
        more: Further inputs by name, in the order in which the module takes them: of each a batch of two.
    """
    more = more or {}
    module.eval()
    batch = torch.export.Dim("batch", min=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of torch about its own use of pytrees
        # Of torch about inputs whose batch sizes are one and the same.
        warnings.filterwarnings("ignore", "# The axis name", UserWarning)
        before = logging.root.manager.disable
        # Pytest shows the log of a test that fails: hundreds of lines of torch about itself, some of them from a logger that does
        # not heed what is disabled.
        logging.disable(max(before, logging.WARNING))
        trace = logging.getLogger("torch.__trace")
        was_disabled, trace.disabled = trace.disabled, True
        try:
            program = torch.onnx.export(
                module,
                (torch.zeros(2, *shape), *more.values()),
                dynamo=True,
                input_names=[input_name, *more],
                output_names=list(output_names),
                dynamic_shapes=({0: batch},) * (1 + len(more)),
                opset_version=OPSET,
                verbose=False,
            )
        finally:
            logging.disable(before)
            trace.disabled = was_disabled
    assert program is not None
    model = bare(program.model_proto) if exact else shrink(program.model_proto)
    model.ir_version = IR_VERSION
    onnx.helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    file.write_bytes(model.SerializeToString(deterministic=True))


class _Decoder(nn.Module):
    """The decoder of an auto-encoder as a module of its own."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, embedding: Tensor) -> Tensor:
        """Codes (N, D) to images (N, C, H, W)."""
        images: Tensor = self.model.decode(embedding)  # type: ignore[operator]
        return images


def export_autoencoder(
    model: nn.Module,
    file: Path,
    decoder: Path,
    split: Split,
    shape: tuple[int, int, int],
    trained_on: Sequence[str] | None = None,
) -> None:
    """Write an auto-encoder, and beside it its decoder, with which the size of the code can be verified.

    Args:
        model: ``forward`` gives reconstruction and code (N, D); has ``encode`` and ``decode``.
        file: Where the model goes; it names `decoder`, which lies in the same folder.
        decoder: Where the decoder goes.
        split: What the model was trained on.
        shape: Of an image: channels, height, width.
        trained_on: Ids of the splits that it was trained on, where that is not `split` alone; empty: undeclared.
    """
    assert decoder.parent == file.parent
    model.eval()
    with torch.no_grad():
        code = model.encode(torch.zeros(1, *shape)).shape[1]  # type: ignore[operator]
    about = {"genbench.benchmark": split.benchmark, "genbench.range": "0,1"}
    if names := (split.id,) if trained_on is None else trained_on:
        about["genbench.trained_on"] = ",".join(names)
    export_onnx(_Decoder(model), decoder, "embedding", ["reconstruction"], (code,), about)
    about |= {"genbench.code_size": str(code), "genbench.decoder": decoder.name}
    export_onnx(model, file, "image", ["reconstruction", "embedding"], shape, about)


def bare(model: ModelProto) -> ModelProto:
    """Drop the exporter's notes on where a node comes from: they are large, differ between runs, and name people's folders."""
    plain = ModelProto()
    plain.CopyFrom(model)
    graph = plain.graph
    del graph.value_info[:], plain.metadata_props[:], graph.metadata_props[:]
    for part in (*graph.node, *graph.input, *graph.output, *graph.initializer):
        part.ClearField("doc_string")
        del part.metadata_props[:]
    return plain


def shrink(model: ModelProto) -> ModelProto:
    """Store large weights in fewer bytes, without the exporter's notes."""
    small = bare(model)
    graph = small.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    restored: list[NodeProto] = []
    for node in graph.node:
        axis = _channel_axis(node)
        # Taken out of the dictionary: a weight that two nodes share is shrunk once.
        tensor = weights.pop(node.input[1], None) if axis is not None else None
        if tensor is None or (size := math.prod(tensor.dims)) < HALF:
            continue
        name, weight = tensor.name, numpy_helper.to_array(tensor)
        if size < INT8:
            tensor.CopyFrom(numpy_helper.from_array(weight.astype(np.float16), f"{name}.half"))
            restored.append(onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
            continue
        levels, scale = quantise(weight, axis)
        tensor.CopyFrom(numpy_helper.from_array(levels, f"{name}.int8"))
        graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
        restored += [
            onnx.helper.make_node("Cast", [f"{name}.int8"], [f"{name}.levels"], to=onnx.TensorProto.FLOAT),
            onnx.helper.make_node("Mul", [f"{name}.levels", f"{name}.scale"], [name]),
        ]
    nodes = [*restored, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    return small


def _channel_axis(node: NodeProto) -> int | None:
    """Axis of the output channels of a node's weight; None for operators without one."""
    if node.op_type == "Gemm":
        return 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1
    return {"Conv": 0, "ConvTranspose": 1, "MatMul": -1}.get(node.op_type)


def quantise(weight: NDArray[np.float32], axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Integers in [-127, 127] and a scale that broadcasts against them, so that levels * scale is close to `weight`."""
    others = tuple(i for i in range(weight.ndim) if i != axis % weight.ndim)
    scale = np.abs(weight).max(axis=others, keepdims=True) / np.float32(127)
    scale = np.where(scale > 0, scale, np.float32(1)).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def run_onnx(
    file: Path, inputs: NDArray[np.float32], batch: int = 64, more: Mapping[str, NDArray[Any]] | None = None
) -> dict[str, NDArray[np.float32]]:
    """Run a file on the CPU in batches: its outputs by name; `more` are inputs beside the first one, by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    sources = {session.get_inputs()[0].name: inputs, **(more or {})}
    parts = [
        session.run(names, {name: each[i : i + batch] for name, each in sources.items()})
        for i in range(0, len(inputs), batch)
    ]
    return {name: np.concatenate(part) for name, part in zip(names, zip(*parts, strict=True), strict=True)}
