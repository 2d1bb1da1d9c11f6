"""Small ONNX graphs and Python files for tests of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_genbench.models import ModelOptions

onnx = pytest.importorskip("onnx")

SIZE = 8
"""Height and width of the images in these tests."""

TYPES = {
    "float32": onnx.TensorProto.FLOAT,
    "float16": onnx.TensorProto.FLOAT16,
    "float64": onnx.TensorProto.DOUBLE,
    "uint8": onnx.TensorProto.UINT8,
    "int64": onnx.TensorProto.INT64,
}


def images(n: int = 7, channels: int = 1, height: int = SIZE, width: int = SIZE, seed: int = 0) -> np.ndarray:
    """Return random images, uint8 (n, height, width, channels)."""
    return np.random.default_rng(seed).integers(0, 256, (n, height, width, channels), dtype=np.uint8)


def value(name: str, shape: Sequence[object], dtype: str = "float32") -> Any:
    """Describe an input or output; texts are free axes."""
    return onnx.helper.make_tensor_value_info(name, TYPES[dtype], shape)


def save(
    path: Path,
    nodes: Sequence[Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    weights: Mapping[str, np.ndarray] | None = None,
    metadata: Mapping[str, str] | None = None,
    opset: int = 17,
    ir: int = 10,
) -> Path:
    """Write a graph to a file, unchecked, so that broken ones can be made."""
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    graph = onnx.helper.make_graph(nodes, "test", inputs, outputs, tensors)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    model.ir_version = ir
    onnx.helper.set_model_props(model, dict(metadata or {}))
    path.write_bytes(model.SerializeToString())
    return path


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: object) -> Any:
    """Make a node."""
    return onnx.helper.make_node(kind, inputs, outputs, **attributes)


def identity(
    path: Path,
    shape: Sequence[object] = ("N", 1, SIZE, SIZE),
    dtype: str = "float32",
    output: str = "reconstruction",
    metadata: Mapping[str, str] | None = None,
    **more: Any,
) -> Path:
    """Write a graph that returns its input."""
    nodes = [node("Identity", ["x"], [output])]
    return save(path, nodes, [value("x", shape, dtype)], [value(output, shape, dtype)], metadata=metadata, **more)


def flat_weights(code: int = 5, channels: int = 1, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return matrices to a code and back, float32 (C * H * W, code) and (code, C * H * W)."""
    pixels = channels * SIZE * SIZE
    draw = np.random.default_rng(seed)
    encode = draw.normal(size=(pixels, code)).astype(np.float32) / pixels
    return encode, draw.normal(size=(code, pixels)).astype(np.float32)


def autoencoder(path: Path, metadata: Mapping[str, str] | None = None, batch: object = "N", code: int = 5) -> Path:
    """Write a linear autoencoder on (1, 8, 8) images with a sigmoid: outputs ``embedding`` and ``reconstruction``."""
    encode, decode = flat_weights(code)
    nodes = [
        node("Flatten", ["x"], ["flat"]),
        node("MatMul", ["flat", "W"], ["embedding"]),
        node("MatMul", ["embedding", "V"], ["pixels"]),
        node("Sigmoid", ["pixels"], ["bounded"]),
        node("Reshape", ["bounded", "shape"], ["reconstruction"]),
    ]
    weights = {"W": encode, "V": decode, "shape": np.array([-1, 1, SIZE, SIZE], dtype=np.int64)}
    outputs = [value("reconstruction", [batch, 1, SIZE, SIZE]), value("embedding", [batch, code])]
    return save(path, nodes, [value("x", [batch, 1, SIZE, SIZE])], outputs, weights, metadata)


def decoder(path: Path, code: int = 5, offset: float = 0.0, name: str = "embedding") -> Path:
    """Write the decoder of :func:`autoencoder`; with an offset before the sigmoid it is another one."""
    _, decode = flat_weights(code)
    nodes = [
        node("MatMul", [name, "V"], ["pixels"]),
        node("Add", ["pixels", "b"], ["moved"]),
        node("Sigmoid", ["moved"], ["bounded"]),
        node("Reshape", ["bounded", "shape"], ["reconstruction"]),
    ]
    weights = {
        "V": decode,
        "b": np.array([offset], dtype=np.float32),
        "shape": np.array([-1, 1, SIZE, SIZE], dtype=np.int64),
    }
    return save(path, nodes, [value(name, ["N", code])], [value("reconstruction", ["N", 1, SIZE, SIZE])], weights)


def external(path: Path, location: str) -> Path:
    """Write a graph that adds one number, which stands in another file."""
    tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=[1])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, text in (("location", location), ("offset", "0"), ("length", "4")):
        tensor.external_data.add(key=key, value=text)
    shape = ("N", 1, SIZE, SIZE)
    graph = onnx.helper.make_graph(
        [node("Add", ["x", "w"], ["reconstruction"])],
        "test",
        [value("x", shape)],
        [value("reconstruction", shape)],
        [tensor],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 10
    path.write_bytes(model.SerializeToString())
    return path


def options(path: Path, **more: Any) -> ModelOptions:
    """Ask for a file in its own folder, on the CPU."""
    return ModelOptions(path.name, root=path.parent, **{"device": "cpu", **more})


def says(error: pytest.ExceptionInfo[BaseException], *words: str) -> None:
    """Assert that a message is one line that holds all the words."""
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 700
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"
