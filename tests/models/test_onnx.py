"""ONNX files: what can be wrong with them, and what they are given and give."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from pytest_genbench.errors import DeviceError, MissingOutputError, ModelError
from pytest_genbench.models import ModelOptions, load, to_numpy, unit_images
from pytest_genbench.models import onnx as onnx_models
from pytest_genbench.models.devices import cuda_devices

from .builders import (
    SIZE,
    autoencoder,
    decoder,
    external,
    identity,
    images,
    node,
    options,
    save,
    says,
    value,
)


def refused(path, *words, kind=ModelError, **more):
    with pytest.raises(kind) as error:
        load(options(path, **more))
    says(error, *words)


def test_images_come_back(tmp_path):
    model = load(options(identity(tmp_path / "m.onnx")))
    batch = images()
    given = batch.copy()
    found = model.predict(batch)
    assert np.array_equal(np.rint(unit_images(found["reconstruction"], model.contract) * 255), batch)
    assert np.array_equal(batch, given)
    assert model.device == "CPUExecutionProvider"
    assert model.files == {"m.onnx": hashlib.sha256((tmp_path / "m.onnx").read_bytes()).hexdigest()}


def test_only_the_outputs_asked_for(tmp_path):
    model = load(options(autoencoder(tmp_path / "m.onnx")))
    assert set(model.predict(images(), ["embedding"])) == {"embedding"}
    assert set(model.predict(images())) == {"embedding", "reconstruction"}
    with pytest.raises(MissingOutputError) as error:
        model.predict(images(), ["embeding"])
    says(error, "'embeding'", "Did you mean 'embedding'")


def test_missing_file_offers_its_neighbours(tmp_path):
    identity(tmp_path / "model.onnx")
    refused(tmp_path / "modle.onnx", "There is no file modle.onnx", "Did you mean 'model.onnx'")


def test_text_file(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_text("<html>404: Not Found</html>\n")
    refused(path, "m.onnx is a text file", "download it again")


def test_git_lfs_pointer(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    refused(path, "Git LFS pointer", "git lfs pull")


def test_empty_file(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"")
    refused(path, "m.onnx is empty", "0 bytes")


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_truncated_file(tmp_path, kept):
    whole = autoencoder(tmp_path / "whole.onnx").read_bytes()
    path = tmp_path / "m.onnx"
    path.write_bytes(whole[: int(len(whole) * kept)])
    refused(path, "truncated")


def test_newer_ir_version(tmp_path):
    refused(identity(tmp_path / "m.onnx", ir=99), "IR version", "99", "Upgrade onnxruntime", "ir_version")


def test_newer_opset(tmp_path):
    refused(identity(tmp_path / "m.onnx", opset=99), "opset", "99", "Upgrade onnxruntime", "opset_version")


def test_custom_operator_is_never_loaded(tmp_path):
    shape = ("N", 1, SIZE, SIZE)
    nodes = [node("Magic", ["x"], ["reconstruction"])]
    path = save(tmp_path / "m.onnx", nodes, [value("x", shape)], [value("reconstruction", shape)])
    refused(path, "Magic", "standard operators")


def test_two_inputs(tmp_path):
    shape = ("N", 1, SIZE, SIZE)
    nodes = [node("Add", ["x", "noise"], ["reconstruction"])]
    path = save(
        tmp_path / "m.onnx", nodes, [value("x", shape), value("noise", shape)], [value("reconstruction", shape)]
    )
    refused(path, "2 inputs", "noise")


def test_rank_of_the_graph(tmp_path):
    refused(identity(tmp_path / "m.onnx", ("N", 1, 64), output="embedding"), "(any, 1, 64)", "four axes")


def test_signals_go_in_as_they_are(tmp_path):
    model = load(options(identity(tmp_path / "m.onnx", ("N", 8), output="embedding")))
    signals = np.linspace(-3, 3, 24, dtype=np.float32).reshape(3, 8)
    np.testing.assert_array_equal(model.predict(signals)["embedding"], signals)
    for wrong in (signals[:, :4], signals.astype(np.float64), images()):
        with pytest.raises(ModelError, match="signals"):
            model.predict(wrong)


def test_element_type_of_the_graph(tmp_path):
    refused(identity(tmp_path / "m.onnx", dtype="int64"), "int64", "Cast")


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (images(channels=3), ("expects 1 channels", "have 3", "NCHW")),
        (images(height=9), ("expects 8 height", "have 9", "Export it for this size")),
        (images(width=9), ("expects 8 width", "have 9")),
        (images()[..., 0], ("(N, H, W, C)", "(7, 8, 8)")),
        (images().astype(np.float32), ("uint8", "float32")),
        (images(0), ("N > 0",)),
    ],
)
def test_images_that_do_not_fit(tmp_path, batch, words):
    model = load(options(identity(tmp_path / "m.onnx")))
    with pytest.raises(ModelError) as error:
        model.predict(batch)
    says(error, *words)


def test_failure_inside_the_runtime_is_one_line(tmp_path):
    shape = ("N", 1, SIZE, SIZE)
    weights = {"shape": np.array([2, 32], dtype=np.int64)}
    nodes = [node("Reshape", ["x", "shape"], ["embedding"])]
    path = save(tmp_path / "m.onnx", nodes, [value("x", shape)], [value("embedding", ("M", 32))], weights)
    with pytest.raises(ModelError) as error:
        load(options(path)).predict(images())
    says(error, "m.onnx", "float32 (7, 1, 8, 8)")


def test_output_without_batch_axis(tmp_path):
    nodes = [node("ReduceMean", ["x"], ["embedding"], keepdims=0)]
    path = save(tmp_path / "m.onnx", nodes, [value("x", ("N", 1, SIZE, SIZE))], [value("embedding", ())])
    with pytest.raises(ModelError) as error:
        load(options(path)).predict(images())
    says(error, "'embedding'", "7 images", "batch")


def test_nhwc(tmp_path):
    model = load(options(identity(tmp_path / "m.onnx", ("N", SIZE, SIZE, 3))))
    assert model.contract.layout == "NHWC"
    batch = images(channels=3)
    found = model.predict(batch)["reconstruction"]
    assert to_numpy(found).shape == batch.shape
    assert np.array_equal(np.rint(unit_images(found, model.contract) * 255), batch)


def test_ambiguous_layout(tmp_path):
    path = identity(tmp_path / "m.onnx", ("N", 3, SIZE, 3))
    refused(path, "NCHW or NHWC", "genbench.layout")
    assert load(options(path, overrides={"layout": "NHWC"})).contract.shape == (3, 3, SIZE)


@pytest.mark.parametrize(("declared", "low", "high"), [("0,255", 0, 255), ("-1,1", -1, 1), (None, 0, 1)])
def test_range(tmp_path, declared, low, high):
    meta = {} if declared is None else {"genbench.range": declared}
    model = load(options(identity(tmp_path / "m.onnx", metadata=meta)))
    batch = images()
    batch[0, 0, 0], batch[0, 0, 1] = 0, 255
    found = to_numpy(model.predict(batch)["reconstruction"])
    assert (found.min(), found.max()) == (low, high)
    assert np.array_equal(np.rint(unit_images(found, model.contract) * 255), batch)
    if high == 255:
        assert np.array_equal(found, batch.transpose(0, 3, 1, 2))


@pytest.mark.parametrize("dtype", ["float16", "float64", "uint8"])
def test_element_types(tmp_path, dtype):
    model = load(options(identity(tmp_path / "m.onnx", dtype=dtype)))
    batch = images()
    found = to_numpy(model.predict(batch)["reconstruction"])
    assert found.dtype == dtype
    assert np.array_equal(np.rint(unit_images(found, model.contract) * 255), batch)


def test_mean_and_std(tmp_path):
    meta = {"genbench.mean": "0.1,0.2,0.3", "genbench.std": "0.5,0.25,0.125"}
    model = load(options(identity(tmp_path / "m.onnx", ("N", 3, SIZE, SIZE), output="embedding", metadata=meta)))
    batch = images(channels=3)
    expected = (batch / 255 - [0.1, 0.2, 0.3]) / [0.5, 0.25, 0.125]
    found = to_numpy(model.predict(batch)["embedding"])
    assert np.allclose(found, expected.transpose(0, 3, 1, 2), atol=1e-5)


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_fixed_batch(tmp_path, size, n):
    free = load(options(autoencoder(tmp_path / "free.onnx")))
    fixed = load(options(autoencoder(tmp_path / "fixed.onnx", batch=size)))
    assert fixed.contract.batch == size
    expected, found = free.predict(images(n)), fixed.predict(images(n))
    for role in ("embedding", "reconstruction"):
        assert to_numpy(found[role]).shape == to_numpy(expected[role]).shape
        assert np.allclose(to_numpy(found[role]), to_numpy(expected[role]), atol=1e-6)


def test_outputs_with_unknown_names(tmp_path):
    shape = ("N", 1, SIZE, SIZE)
    nodes = [node("Identity", ["x"], ["a"]), node("Flatten", ["x"], ["b"])]
    path = save(tmp_path / "m.onnx", nodes, [value("x", shape)], [value("a", shape), value("b", ("N", 64))])
    model = load(options(path))
    assert model.contract.outputs == {}
    assert model.contract.unnamed == {"a": ((None, 1, 8, 8), "float32"), "b": ((None, 64), "float32")}
    assert set(model.predict(images(), ["b"])) == {"b"}
    declared = load(options(path, overrides={"outputs": "a=reconstruction"}))
    assert declared.contract.outputs == {"reconstruction": "a"}
    assert set(declared.predict(images())) == {"reconstruction"}


def test_typo_in_metadata(tmp_path):
    path = identity(tmp_path / "m.onnx", metadata={"genbench.rnage": "0,1"})
    refused(path, "'rnage'", "metadata of m.onnx", "'range'")


def test_metadata_against_the_graph(tmp_path):
    model = load(options(identity(tmp_path / "m.onnx", metadata={"genbench.layout": "NHWC"})))
    assert model.contract.layout == "NCHW"
    assert "NHWC" in model.contract.warnings[0]


def test_sidecar(tmp_path):
    path = identity(tmp_path / "m.onnx", output="y", metadata={"genbench.range": "0,1"})
    (tmp_path / "m.genbench.toml").write_text(
        'range = [0, 255]\ntrained_on = ["none"]\n[outputs]\ny = "reconstruction"\n'
    )
    contract = load(options(path)).contract
    assert (contract.range, contract.trained_on, contract.outputs) == ((0, 255), ("none",), {"reconstruction": "y"})
    assert contract.sources["range"] == "sidecar"


@pytest.mark.parametrize(("text", "words"), [("rnage = [0, 1]", ("'rnage'", "'range'")), ("range = [0,", ("TOML",))])
def test_broken_sidecar(tmp_path, text, words):
    path = identity(tmp_path / "m.onnx")
    (tmp_path / "m.genbench.toml").write_text(text)
    refused(path, "m.genbench.toml", *words)


def test_external_data_is_hashed(tmp_path):
    path = external(tmp_path / "m.onnx", "data/w.bin")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w.bin").write_bytes(np.float32(0.25).tobytes())
    model = load(options(path))
    assert model.files["data/w.bin"] == hashlib.sha256(np.float32(0.25).tobytes()).hexdigest()
    found = to_numpy(model.predict(np.zeros((1, SIZE, SIZE, 1), dtype=np.uint8))["reconstruction"])
    assert (found == 0.25).all()


def test_external_data_missing(tmp_path):
    refused(external(tmp_path / "m.onnx", "w.bin"), "'w.bin'", "missing", "beside the model")


@pytest.mark.parametrize("location", ["../w.bin", "{absolute}"])
def test_external_data_outside(tmp_path, location):
    (tmp_path / "w.bin").write_bytes(np.float32(1).tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    refused(external(folder / "m.onnx", location.format(absolute=tmp_path / "w.bin")), "outside", "folder", "w.bin")


def test_external_data_behind_a_link(tmp_path):
    (tmp_path / "blob").write_bytes(np.float32(1).tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "w.bin").symlink_to(tmp_path / "blob")
    refused(external(folder / "m.onnx", "w.bin"), "outside", "symbolic link", "copy the real files")


def test_decoder(tmp_path):
    decoder(tmp_path / "d.onnx")
    model = load(options(autoencoder(tmp_path / "m.onnx", {"genbench.decoder": "d.onnx"})))
    found = model.predict(images())
    assert set(model.files) == {"m.onnx", "d.onnx"}
    assert np.allclose(model.decode(found["embedding"]), found["reconstruction"], atol=1e-6)


def test_no_decoder(tmp_path):
    model = load(options(autoencoder(tmp_path / "m.onnx")))
    assert not model.can_decode
    with pytest.raises(MissingOutputError) as error:
        model.decode(np.zeros((1, 5)))
    says(error, "genbench.decoder")


def test_decoder_missing_or_of_other_names(tmp_path):
    path = autoencoder(tmp_path / "m.onnx", {"genbench.decoder": "d.onnx"})
    refused(path, "decoder 'd.onnx' does not exist", "m.onnx")
    decoder(tmp_path / "d.onnx", name="z")
    refused(path, "'embedding'", "z -> reconstruction")


@pytest.mark.skipif(cuda_devices() > 0, reason="there is a CUDA device")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_cuda_asked_for_and_absent(tmp_path, device):
    refused(identity(tmp_path / "m.onnx"), device, "CPUExecutionProvider", kind=DeviceError, device=device)


def test_two_wheels_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_models.importlib.metadata, "version", lambda name: "1.2.3")
    monkeypatch.setattr(onnx_models, "cuda_devices", lambda: 0)
    refused(
        identity(tmp_path / "m.onnx"),
        "onnxruntime 1.2.3 and onnxruntime-gpu 1.2.3",
        "shadow",
        kind=DeviceError,
        device="cuda",
    )


class CpuOnly:
    """A session that fell back to the CPU without a word, as ONNX Runtime does where cuDNN is missing."""

    def __init__(self, *args, **kwargs):
        pass

    def get_providers(self):
        return ["CPUExecutionProvider"]


def test_silent_fall_back_is_an_error(tmp_path, monkeypatch):
    ort = pytest.importorskip("onnxruntime")
    path = identity(tmp_path / "m.onnx")
    monkeypatch.setattr(onnx_models, "cuda_devices", lambda: 1)
    monkeypatch.setattr(ort, "get_available_providers", lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"])
    monkeypatch.setattr(ort, "preload_dlls", lambda: None)
    monkeypatch.setattr(ort, "InferenceSession", CpuOnly)
    with pytest.raises(DeviceError) as error:
        onnx_models.open_session(path, options(path, device="cuda"))
    says(error, "could not load CUDAExecutionProvider", "runs CPUExecutionProvider")
    _, device, bound, warnings = onnx_models.open_session(path, options(path, device="auto"))
    assert (device, bound) == ("CPUExecutionProvider", None)
    assert "could not load CUDAExecutionProvider" in warnings[0]


def test_binding_gives_the_same(tmp_path):
    """The way CUDA takes, on the CPU: outputs stay where they are bound and speak DLPack."""
    path = autoencoder(tmp_path / "m.onnx")
    session, *_ = onnx_models.open_session(path, options(path))
    feed = {"x": np.random.default_rng(0).random((7, 1, SIZE, SIZE), dtype=np.float32)}
    names = ["embedding", "reconstruction"]
    plain = onnx_models.run_session(session, feed, names, None, "m.onnx")
    bound = onnx_models.run_session(session, feed, names, ("cpu", 0), "m.onnx")
    for expected, found in zip(plain, bound, strict=True):
        assert np.array_equal(to_numpy(found), expected)
        assert np.array_equal(np.from_dlpack(found), expected)


@pytest.mark.gpu
@pytest.mark.skipif(cuda_devices() == 0, reason="needs a CUDA device")
def test_cuda_gives_the_same_and_stays_on_the_device(tmp_path):
    path = autoencoder(tmp_path / "m.onnx")
    cpu, cuda = load(options(path)), load(ModelOptions("m.onnx", device="cuda", root=tmp_path))
    assert cuda.device.startswith("CUDAExecutionProvider")
    expected, found = cpu.predict(images()), cuda.predict(images())
    assert found["embedding"].device_name() == "cuda"
    for role, array in expected.items():
        assert np.allclose(to_numpy(found[role]), array, atol=1e-3)
