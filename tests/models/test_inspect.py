"""``genbench inspect``: one text that says it all, and whether the model can be used."""

from __future__ import annotations

import pytest

from pytest_genbench.models import ModelOptions, inspect

from .builders import SIZE, autoencoder, decoder, identity, node, options, save, value


def test_usable_model(tmp_path):
    decoder(tmp_path / "d.onnx")
    path = autoencoder(tmp_path / "m.onnx", {"genbench.decoder": "d.onnx", "genbench.trained_on": "none"})
    text, is_usable = inspect(options(path))
    assert is_usable
    for words in (
        "image float32 NCHW (1, 8, 8) in [0, 1], any batch -> reconstruction, embedding",
        "CPUExecutionProvider",
        "m.onnx  sha256 ",
        "d.onnx  sha256 ",
        "[default]",
        "none  [metadata]",
        "batch of 1",
        "batch of 7",
        "verified 5",
        "range is not declared",
    ):
        assert words in text
    assert text.endswith("usable")


def test_missing_model(tmp_path):
    text, is_usable = inspect(ModelOptions("m.onnx", root=tmp_path))
    assert not is_usable
    assert text.startswith("unusable: There is no file m.onnx")


def test_facts_come_before_what_is_wrong(tmp_path):
    shape = ("N", 1, SIZE, SIZE)
    nodes = [node("Sub", ["x", "x"], ["zero"]), node("Div", ["zero", "zero"], ["y"])]
    text, is_usable = inspect(options(save(tmp_path / "m.onnx", nodes, [value("x", shape)], [value("y", shape)])))
    assert not is_usable
    assert "'y' float32 (any, 1, 8, 8): meaning not declared" in text
    assert "unusable: Output 'y' is not finite" in text


def test_specialised_batch_is_found(tmp_path):
    import numpy as np

    shape = ("N", 1, SIZE, SIZE)
    weights = {"shape": np.array([2, 64], dtype=np.int64)}
    nodes = [node("Reshape", ["x", "shape"], ["embedding"])]
    path = save(tmp_path / "m.onnx", nodes, [value("x", shape)], [value("embedding", ("N", 64))], weights)
    text, is_usable = inspect(options(path))
    assert not is_usable
    assert "unusable: m.onnx: ONNX Runtime failed" in text


def test_size_of_a_benchmark(tmp_path):
    text, is_usable = inspect(options(identity(tmp_path / "m.onnx", ("N", 1, "h", "w"))), "comporth")
    assert is_usable
    assert "random images (64, 64, 1)" in text
    assert "reconstruction  yes: reconstruction" in text
    assert "recognition     no: needs the output" in text
    text, is_usable = inspect(options(identity(tmp_path / "y.onnx", ("N", 1, 64, 64), output="y")), "comporth")
    assert is_usable
    assert "reconstruction  yes: reconstruction = 'y'" in text
    assert "unbounded" in text
    text, is_usable = inspect(options(identity(tmp_path / "e.onnx", ("N", 1, 64, 64), output="embedding")), "comporth")
    assert is_usable  # by the suite that asks for codes
    assert "disentanglement yes: embedding" in text
    text, is_usable = inspect(options(identity(tmp_path / "t.onnx", ("N", 3, "h", "w"), output="t")), "chopsticks")
    assert not is_usable
    text, is_usable = inspect(options(identity(tmp_path / "m8.onnx")), "comporth")
    assert not is_usable
    assert "expects 8 height, but the images have 64" in text


def test_undeclared_outputs_are_noted(tmp_path):
    text, is_usable = inspect(options(identity(tmp_path / "m.onnx", output="y")))
    assert is_usable
    assert "declare genbench.outputs, such as y=embedding" in text


def test_free_size(tmp_path):
    text, is_usable = inspect(options(identity(tmp_path / "m.onnx", ("N", 3, "h", "w"))), image_shape=(16, 24, 3))
    assert is_usable
    assert "(16, 24, 3)" in text


def test_unknown_benchmark(tmp_path):
    text, is_usable = inspect(options(identity(tmp_path / "m.onnx")), "nothing")
    assert not is_usable
    assert "unusable: " in text


@pytest.mark.parametrize("spec", ["m.pt2", "nets:build"])
def test_other_kinds(tmp_path, spec):
    (tmp_path / "m.pt2").write_bytes(b"x")
    assert not inspect(ModelOptions(spec, root=tmp_path))[1]
