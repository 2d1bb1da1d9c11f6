"""Export to ONNX with int8 weights: what the file computes, holds and weighs."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")

from pytest_genbench.reference_models.autoencoders import (  # noqa: E402
    Conv1dAutoencoder,
    Conv1dSettings,
    MlpAutoencoder,
    MlpSettings,
)
from pytest_genbench.reference_models.export import export_onnx, quantise, run_onnx, shrink  # noqa: E402
from pytest_genbench.reference_models.training import build  # noqa: E402

METADATA = {"genbench.benchmark": "comporth", "genbench.range": "0,1"}


@pytest.fixture(
    scope="module",
    params=[(Conv1dAutoencoder, Conv1dSettings()), (MlpAutoencoder, MlpSettings())],
    ids=["conv1d", "mlp"],
)
def exported(request, tmp_path_factory):
    network, settings = request.param
    model = build(lambda: network(settings), seed=0).eval()
    file = tmp_path_factory.mktemp("export") / "model.onnx"
    export_onnx(model, file, "image", ["reconstruction", "embedding"], (1, 64, 64), METADATA)
    return model, file


@pytest.mark.parametrize("n", [1, 2, 7])
def test_outputs_are_those_of_torch_at_any_batch_size(exported, n):
    model, file = exported
    image = torch.rand(n, 1, 64, 64, generator=torch.Generator().manual_seed(n))
    outputs = run_onnx(file, image.numpy())
    with torch.no_grad():
        reconstruction, code = model(image)
    # A weight is off by up to 1/254 of its channel's largest; errors average out over the inputs of a unit.
    assert np.abs(outputs["embedding"] - code.numpy()).max() < 0.02
    assert np.abs(outputs["reconstruction"] - reconstruction.numpy()).max() < 0.02
    assert outputs["reconstruction"].shape == (n, 1, 64, 64)


def test_batches_do_not_matter(exported):
    _, file = exported
    image = np.random.default_rng(0).random((7, 1, 64, 64), dtype=np.float32)
    whole, single = run_onnx(file, image), run_onnx(file, image, batch=1)
    for name in whole:
        np.testing.assert_allclose(whole[name], single[name], atol=1e-5)


def test_declarations(exported):
    model = onnx.load(exported[1])
    assert {entry.key: entry.value for entry in model.metadata_props} == METADATA
    assert model.ir_version <= 10
    assert [opset.version for opset in model.opset_import if opset.domain == ""] == [20]
    (source,) = model.graph.input
    assert source.name == "image"
    batch, *rest = source.type.tensor_type.shape.dim
    assert batch.dim_param
    assert [dim.dim_value for dim in rest] == [1, 64, 64]
    assert [output.name for output in model.graph.output] == ["reconstruction", "embedding"]


def test_a_file_takes_about_a_byte_per_parameter(exported):
    model, file = exported
    parameters = sum(p.numel() for p in model.parameters())
    assert parameters < file.stat().st_size < parameters + 30_000


def test_weights_are_folded_when_loaded(exported, tmp_path):
    """The network that runs has float32 weights and no node that restores them."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    onnxruntime.InferenceSession(exported[1], options, providers=["CPUExecutionProvider"])
    optimised = onnx.load(tmp_path / "optimised.onnx")
    assert not {"Cast", "DequantizeLinear"} & {node.op_type for node in optimised.graph.node}
    assert onnx.TensorProto.INT8 not in {tensor.data_type for tensor in optimised.graph.initializer}


def test_same_module_gives_same_bytes(tmp_path):
    module = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 200))
    files = [tmp_path / "first.onnx", tmp_path / "second.onnx"]
    for file in files:
        export_onnx(module, file, "embedding", ["reconstruction"], (64,), METADATA)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_shrinking_twice_changes_nothing(exported):
    model = onnx.load(exported[1])
    again = shrink(model)
    assert again.graph == model.graph


@pytest.mark.parametrize("axis", [0, 1])
def test_quantise(axis):
    weight = np.random.default_rng(0).normal(size=(40, 30)).astype(np.float32)
    weight[3] *= 100  # a channel of its own size costs the others nothing
    if axis == 1:
        weight = np.ascontiguousarray(weight.T)
    levels, scale = quantise(weight, axis)
    assert levels.dtype == np.int8
    assert scale.dtype == np.float32
    assert scale.shape == ((40, 1) if axis == 0 else (1, 40))
    assert (np.abs(levels * scale - weight) <= scale * 0.5001).all()
    assert (np.abs(levels).max(axis=1 - axis) == 127).all()


def test_quantise_keeps_silent_channels_silent():
    levels, scale = quantise(np.zeros((2, 3), np.float32), 0)
    assert not levels.any()
    assert np.isfinite(scale).all()
