"""Probes find models that are no function of single images; the code size is verified, not believed."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pytest_genbench.errors import ModelError
from pytest_genbench.models import Contract, ModelOptions, code_size, load, probe, wrap

from .builders import SIZE, autoencoder, decoder, identity, images, node, options, save, says, value

SHAPE = ("N", 1, SIZE, SIZE)


def found(model, *words):
    with pytest.raises(ModelError) as error:
        probe(model, images())
    says(error, *words)


def onnx_model(tmp_path, nodes, shape=("N", 1, SIZE, SIZE), weights=None, output="embedding"):
    return load(options(save(tmp_path / "m.onnx", nodes, [value("x", SHAPE)], [value(output, shape)], weights)))


def function_model(function, **declared):
    function.genbench = {"outputs": {"output": "embedding"}, **declared}
    return wrap(function, ModelOptions(""), name="function", image_shape=(SIZE, SIZE, 1))


def test_good_models_pass_in_under_a_second(tmp_path):
    start = time.perf_counter()
    probe(load(options(autoencoder(tmp_path / "m.onnx"))), images())
    probe(load(options(autoencoder(tmp_path / "m4.onnx", batch=4))), images(9))
    probe(load(options(identity(tmp_path / "m16.onnx", dtype="float16"))), images())
    assert time.perf_counter() - start < 1


def test_too_few_images(tmp_path):
    with pytest.raises(ModelError) as error:
        probe(load(options(identity(tmp_path / "m.onnx"))), images(6))
    says(error, "at least 7", "6")


def test_not_a_number(tmp_path):
    nodes = [node("Log", ["x"], ["log"]), node("Sub", ["log", "log"], ["embedding"])]
    model = onnx_model(tmp_path, nodes, SHAPE)
    batch = images()
    batch[2:, 0, 0] = 0
    batch[:2] = 9
    with pytest.raises(ModelError) as error:
        probe(model, batch)
    says(error, "'embedding'", "not finite", "5 of 7 images")


def test_outputs_without_a_role_are_probed_too(tmp_path):
    nodes = [node("Sub", ["x", "x"], ["zero"]), node("Div", ["zero", "zero"], ["y"])]
    found(onnx_model(tmp_path, nodes, SHAPE, output="y"), "'y'", "not finite")


def test_dependence_on_the_batch(tmp_path):
    nodes = [
        node("ReduceMean", ["x"], ["mean"], axes=[0], keepdims=1),
        node("Sub", ["x", "mean"], ["embedding"]),
    ]
    found(onnx_model(tmp_path, nodes, SHAPE), "'embedding'", "batch of 1 and a batch of 7", "eval()")


def test_batch_norm_in_training_mode():
    torch = pytest.importorskip("torch")
    norm = torch.nn.BatchNorm2d(1, track_running_stats=False)  # eval() cannot help here
    norm.genbench_outputs = ("embedding",)
    found(wrap(norm, ModelOptions("", device="cpu"), name="norm", image_shape=(8, 8, 1)), "'embedding'", "BatchNorm")


def test_dependence_on_chance(tmp_path):
    nodes = [node("RandomUniformLike", ["x"], ["r"]), node("Add", ["x", "r"], ["embedding"])]
    found(onnx_model(tmp_path, nodes, SHAPE), "'embedding'", "depends on chance", "dropout")


def test_buffer_that_is_used_again_hides_nothing():
    rng, buffer = np.random.default_rng(0), np.zeros((7, 4))

    def predict(x):
        out = buffer[: len(x)]
        out[:] = rng.random(out.shape)
        return out

    found(function_model(predict), "depends on chance")


def test_small_differences_are_tolerated():
    rng = np.random.default_rng(0)
    probe(function_model(lambda x: 1000 * (x + 1e-5 * rng.random(x.shape))), images())


class Greedy:
    """Changes the images it is given."""

    contract = Contract("x", outputs={"embedding": "embedding"})

    def predict(self, batch, outputs=None):
        batch[:] = 255 - batch
        return {"embedding": batch.reshape(len(batch), -1).astype(np.float32)}


def test_input_that_is_changed():
    found(wrap(Greedy(), ModelOptions(""), name="greedy"), "changes the images", "Copy")


def test_function_that_changes_its_array_does_no_harm():
    def predict(x):
        x *= 2
        return x

    batch = images()
    probe(function_model(predict, range=(0, 255)), batch)
    assert np.array_equal(batch, images())


def test_decoder_that_verifies(tmp_path):
    decoder(tmp_path / "d.onnx")
    model = load(options(autoencoder(tmp_path / "m.onnx", {"genbench.decoder": "d.onnx", "genbench.code_size": "9"})))
    size = code_size(model, images())
    assert (size.kind, size.numbers) == ("verified", 5)
    assert "declared as 9" in size.reason


def test_decoder_that_contradicts(tmp_path):
    decoder(tmp_path / "d.onnx", offset=0.5)
    model = load(options(autoencoder(tmp_path / "m.onnx", {"genbench.decoder": "d.onnx", "genbench.code_size": "5"})))
    size = code_size(model, images())
    assert (size.kind, size.numbers) == ("unbounded", None)
    assert "differs from the reconstruction" in size.reason


def test_declared(tmp_path):
    size = code_size(load(options(autoencoder(tmp_path / "m.onnx", {"genbench.code_size": "5"}))), images())
    assert (size.kind, size.numbers) == ("declared", 5)


def test_unbounded(tmp_path):
    size = code_size(load(options(identity(tmp_path / "m.onnx"))), images())
    assert size.kind == "unbounded"
    assert "no embedding" in size.reason
    size = code_size(load(options(autoencoder(tmp_path / "a.onnx"))), images())
    assert "no decoder" in size.reason
    size = code_size(load(options(identity(tmp_path / "e.onnx", output="embedding"))), images())
    assert "no reconstruction" in size.reason


def test_names_of_the_model(tmp_path):
    path = identity(tmp_path / "m.onnx", output="y", metadata={"genbench.code_size": "64"})
    size = code_size(load(options(path)), images(), {"reconstruction": "y"})
    assert size.kind == "declared"


def test_code_of_a_module():
    torch = pytest.importorskip("torch")

    class AE(torch.nn.Module):
        genbench_outputs = ("reconstruction",)

        def __init__(self, skips):
            super().__init__()
            self.skips = skips
            self.enc, self.dec = torch.nn.Linear(64, 3), torch.nn.Linear(3, 64)

        def encode(self, x):
            self.last = x
            return self.enc(x.flatten(1))

        def decode(self, z):
            image = torch.sigmoid(self.dec(z)).view(-1, 1, 8, 8)
            return (image + self.last) / 2 if self.skips else image

        def forward(self, x):
            return self.decode(self.encode(x))

    def size(skips):
        model = wrap(AE(skips), ModelOptions("", device="cpu"), name="AE", image_shape=(8, 8, 1))
        return code_size(model, images())

    assert (size(False).kind, size(False).numbers) == ("verified", 3)
    assert size(True).kind == "unbounded"  # the decoder remembers the image it encoded last


def test_decoder_that_fails(tmp_path):
    decoder(tmp_path / "d.onnx", code=6)
    size = code_size(load(options(autoencoder(tmp_path / "m.onnx", {"genbench.decoder": "d.onnx"}))), images())
    assert size.kind == "unbounded"
    assert "cannot be used" in size.reason
