"""Files of hierarchical models: what they compute and declare."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")

from pytest_genbench.hierarchy import Hierarchy  # noqa: E402
from pytest_genbench.reference_models.cofhae import Hierarchical  # noqa: E402
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402
from pytest_genbench.reference_models.files import save  # noqa: E402
from pytest_genbench.reference_models.representations import Flat  # noqa: E402
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402

from .twigs import task  # noqa: E402

SIGNAL, IMAGE = (64,), (64, 64, 1)
INPUTS = {SIGNAL: (64,), IMAGE: (1, 64, 64)}


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


SPACESHAPES = Hierarchy.from_json(
    '[{"type":"continuous"},{"type":"categorical","options":[[{"type":"continuous"}],[{"type":"continuous"}],'
    '[{"type":"continuous"},{"type":"categorical","options":[[],[{"type":"continuous"}]]}]]}]'
)


def declared(file):
    return {entry.key: entry.value for entry in onnx.load(file).metadata_props}


@pytest.mark.parametrize("shape", [SIGNAL, IMAGE])
def test_a_hierarchical_model_as_a_file(shape, tmp_path):
    model = build(lambda: Hierarchical(shape, SPACESHAPES), 0)
    made = task(40, shape)
    save(model, tmp_path, made)
    file = tmp_path / "model.onnx"
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
    about = declared(file)
    assert Hierarchy.from_json(about["genbench.hierarchy"]) == SPACESHAPES
    assert about["genbench.trained_on"] == made.split.id
    assert about["genbench.benchmark"] == "twigs"
    assert about["genbench.code_size"] == "7"  # two choices, five numbers
    assert about.get("genbench.range") == (None if shape == SIGNAL else "0,1")
    inputs = torch.rand(9, *INPUTS[shape])
    with torch.no_grad():
        expected = model(inputs)
    found = run_onnx(file, inputs.numpy(), batch=4)
    assert list(found) == list(expected) == ["reconstruction", "embedding", "assignment.0", "assignment.1"]
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values.numpy(), atol=1e-5)
    assert str(tmp_path.cwd()).encode() not in file.read_bytes()


def test_a_flat_model_as_files(tmp_path):
    model = build(lambda: Flat(SIGNAL, 3, "relu", True), 0)
    save(model, tmp_path, task(40))
    about = declared(tmp_path / "model.onnx")
    assert Hierarchy.from_json(about["genbench.hierarchy"]) == Hierarchy.flat(3)
    assert about["genbench.decoder"] == "decoder.onnx"
    inputs = torch.rand(5, 64)
    found = run_onnx(tmp_path / "model.onnx", inputs.numpy())
    assert list(found) == ["reconstruction", "embedding"]
    painted = run_onnx(tmp_path / "decoder.onnx", found["embedding"])["reconstruction"]
    np.testing.assert_allclose(painted, found["reconstruction"], atol=1e-5)
    with torch.no_grad():
        np.testing.assert_allclose(found["embedding"], model.encode(inputs).numpy(), atol=1e-5)
