"""``module:callable``: PyTorch modules with weights, functions, and factories that go wrong."""

from __future__ import annotations

import itertools
import pickle
from textwrap import dedent

import numpy as np
import pytest

from pytest_genbench.errors import DeviceError, ModelError, OptionError
from pytest_genbench.models import (
    Contract,
    Model,
    ModelOptions,
    check,
    code_size,
    load,
    probe,
    to_numpy,
    unit_images,
    wrap,
)

from .builders import images, says

torch = pytest.importorskip("torch")

_count = itertools.count()

NETS = """
import torch
from torch import nn

class AE(nn.Module):
    def __init__(self, code=5):
        super().__init__()
        self.enc = nn.Linear(64, code)
        self.dec = nn.Linear(code, 64)
        self.drop = nn.Dropout()

    def encode(self, x):
        return self.enc(x.flatten(1))

    def decode(self, z):
        return torch.sigmoid(self.dec(self.drop(z))).view(-1, 1, 8, 8)

    def forward(self, x):
        return {"reconstruction": self.decode(self.encode(x))}
"""

EIGHT = (8, 8, 1)


@pytest.fixture
def module(tmp_path):
    """Write a module under a name that no other test has; return its name."""

    def write(text):
        name = f"genbench_test_module_{next(_count)}"
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return write


def ask(tmp_path, spec, **more):
    return ModelOptions(spec, root=tmp_path, **{"device": "cpu", **more})


def refused(tmp_path, spec, *words, kind=ModelError, image_shape=EIGHT, **more):
    with pytest.raises(kind) as error:
        load(ask(tmp_path, spec, **more), image_shape=image_shape)
    says(error, *words)


def test_module_with_encode_and_decode(tmp_path, module):
    name = module(NETS)
    model = load(ask(tmp_path, f"{name}:AE"), image_shape=EIGHT)
    assert isinstance(model, Model)
    assert model.device == "cpu (torch)"
    assert list(model.files) == [f"{name}.py"]
    assert model.contract.outputs == {"reconstruction": "reconstruction", "embedding": "embedding"}
    assert model.contract.shapes["embedding"] == (None, 5)
    probe(model, images())  # dropout is off
    found = model.predict(images())
    assert unit_images(found["reconstruction"], model.contract).shape == (7, 8, 8, 1)
    assert np.allclose(to_numpy(model.decode(found["embedding"])), to_numpy(found["reconstruction"]), atol=1e-6)
    assert not found["embedding"].requires_grad


def test_outputs_that_need_no_forward(tmp_path, module):
    text = NETS + "\n    def forward(self, x):\n        raise AssertionError\n"
    spec = f"{module(text)}:AE"
    model = load(ask(tmp_path, spec, overrides={"outputs": "output=reconstruction"}))
    assert set(model.predict(images(), ["embedding"])) == {"embedding"}
    with pytest.raises(ModelError) as error:
        model.predict(images(), ["reconstruction"])
    says(error, "AssertionError", ".py:")


@pytest.mark.parametrize(
    ("body", "outputs", "unnamed"),
    [
        ("return x", {}, ["output"]),
        ("return x, x.flatten(1)", {}, ["output_0", "output_1"]),
        ("return {'embedding': x.flatten(1), 'aux': x}", {"embedding": "embedding"}, ["aux"]),
        (
            "from collections import namedtuple; return namedtuple('R', 'factors loss')(x.flatten(1), x)",
            {"factors": "factors"},
            ["loss"],
        ),
    ],
)
def test_what_forward_returns(tmp_path, module, body, outputs, unnamed):
    text = f"from torch import nn\nclass M(nn.Module):\n    def forward(self, x):\n        {body}\n"
    contract = load(ask(tmp_path, f"{module(text)}:M"), image_shape=EIGHT).contract
    assert contract.outputs == outputs
    assert list(contract.unnamed) == unnamed


def test_what_has_no_batch_axis_is_left_out(tmp_path, module):
    text = (
        "from torch import nn\nclass M(nn.Module):\n    def forward(self, x):\n"
        "        return {'reconstruction': x, 'loss': x.mean(), 'layers': [x, x], 'aux': x.log()}\n"
    )
    model = load(ask(tmp_path, f"{module(text)}:M"), image_shape=EIGHT)
    assert (list(model.contract.outputs), list(model.contract.unnamed)) == (["reconstruction"], ["aux"])
    probe(model, np.zeros_like(images()))  # the logarithm of 0 is nobody's business


def test_outputs_are_named_by_attribute(tmp_path, module):
    text = (
        "from torch import nn\nclass M(nn.Module):\n    genbench_outputs = ('reconstruction', 'embedding')\n"
        "    genbench = {'range': (0, 255), 'trained_on': 'none'}\n"
        "    def forward(self, x):\n        return x, x.flatten(1)\n"
    )
    model = load(ask(tmp_path, f"{module(text)}:M"), image_shape=EIGHT)
    assert list(model.contract.outputs) == ["reconstruction", "embedding"]
    assert (model.contract.range, model.contract.sources["range"]) == ((0, 255), "metadata")
    assert np.array_equal(unit_images(model.predict(images())["reconstruction"], model.contract) * 255, images())
    wrong = text.replace("'reconstruction', 'embedding'", "'reconstruction'")
    refused(tmp_path, f"{module(wrong)}:M", "returned 2 outputs", "genbench_outputs")


def test_typo_in_the_genbench_dict(tmp_path, module):
    text = "def build():\n    return lambda x: x\nbuild.genbench = {'rnage': (0, 1)}\n"
    refused(tmp_path, f"{module(text)}:build", "genbench dict", "'rnage'", "'range'")


def test_size_is_found_by_trial(tmp_path, module):
    text = (
        "from torch import nn\ndef build():\n"
        "    return nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten())\n"
    )
    model = load(ask(tmp_path, f"{module(text)}:build"))
    assert model.contract.shape == (3, None, None)
    assert model.contract.unnamed == {"output": ((None, 4), "float32")}
    with pytest.raises(ModelError) as error:
        model.predict(images())
    says(error, "expects 3 channels", "have 1")


@pytest.mark.parametrize(
    ("layer", "image_shape", "shape"),
    [
        ("nn.Conv2d(3, 1, 3)", (64, 64, 1), (3, None, None)),
        ("nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 4))", (64, 64, 1), (1, 28, 28)),
        ("nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 4))", (64, 64, 3), (3, 32, 32)),
        ("nn.Identity()", (64, 64, 1), (None, None, None)),
    ],
)
def test_what_is_learnt_where_the_images_to_come_do_not_fit(tmp_path, module, layer, image_shape, shape):
    name = module(f"from torch import nn\ndef build():\n    return {layer}\n")
    assert load(ask(tmp_path, f"{name}:build"), image_shape=image_shape).contract.shape == shape


def test_double_precision(tmp_path, module):
    name = module(NETS + "\ndef build():\n    return AE().double()\n")
    assert load(ask(tmp_path, f"{name}:build"), image_shape=EIGHT).contract.dtype == "float64"


def test_encode_that_returns_a_pair_is_not_used(tmp_path, module):
    text = NETS + "\nclass VAE(AE):\n    def encode(self, x):\n        z = super().encode(x)\n        return z, z\n"
    text += "    def forward(self, x):\n        return {'reconstruction': self.decode(self.encode(x)[0])}\n"
    contract = load(ask(tmp_path, f"{module(text)}:VAE"), image_shape=EIGHT).contract
    assert list(contract.outputs) == ["reconstruction"]
    assert "encode returns a tuple" in contract.warnings[0]


@pytest.mark.parametrize(
    ("text", "spec", "words"),
    [
        ("def build():\n    raise ValueError('bad depth')\n", "build", ("ValueError: bad depth", ".py:2")),
        ("def build():\n    return None\n", "build", ("returned None",)),
        ("def build(depth, width):\n    return depth\n", "build", ("needs arguments (depth, width)", "def build()")),
        ("def build():\n    return 3\n", "build", ("gives a int", "nn.Module")),
        ("def buidl():\n    pass\n", "build", ("no 'build'", "Did you mean 'buidl'")),
        ("class M:\n    pass\ndef build():\n    return M\n", "build", ("gives the class M", "M()")),
        ("build = 3\n", "build", ("is a int", "not a callable")),
        ("import nothing_of_that_name\n", "build", ("importing", "ModuleNotFoundError", ".py:1")),
        ("raise SystemExit(2)\n", "build", ("importing", "SystemExit")),
        ("def build():\n    return lambda x: 1 / 0\n", "build", ("failed on a NumPy array", "ZeroDivisionError")),
        ("def build():\n    return lambda x: None\n", "build", ("returned None", "return a tensor")),
        ("def build():\n    return lambda x: 'text'\n", "build", ("'output' is a str", "batch axis")),
        ("def build():\n    return lambda x: x.mean()\n", "build", ("'output'", "batch axis")),
        (
            "class L:\n    def fit(self, task): ...\ndef build():\n    return L()\n",
            "build",
            ("can be trained", "trained model"),
        ),
        ("class M:\n    contract = 1\n    def predict(self): ...\n", "M", ("contract is a int", "Contract")),
    ],
)
def test_factories_that_go_wrong(tmp_path, module, text, spec, words):
    refused(tmp_path, f"{module(text)}:{spec}", *words)


def test_module_that_always_fails_without_a_known_size(tmp_path, module):
    text = "from torch import nn\nclass M(nn.Module):\n    def forward(self, x):\n        raise ValueError('no')\n"
    refused(tmp_path, f"{module(text)}:M", "ValueError: no", image_shape=None)


def test_path_is_restored(tmp_path, module):
    import sys

    before = list(sys.path)
    load(ask(tmp_path, f"{module(NETS)}:AE"), image_shape=EIGHT)
    assert sys.path == before


@pytest.mark.parametrize("kind", ["safetensors", "pt", "wrapped.pt"])
def test_weights(tmp_path, module, kind):
    name = module(NETS + "\nclass Other(AE):\n    pass\n")
    source = load(ask(tmp_path, f"{name}:AE"), image_shape=EIGHT)
    state = source._module.state_dict()
    path = tmp_path / f"w.{kind}"
    if kind == "safetensors":
        pytest.importorskip("safetensors.torch").save_file(state, path, metadata={"genbench.trained_on": "a/b/c"})
    else:
        torch.save({"state_dict": state} if kind == "wrapped.pt" else state, path)
    asked = ask(tmp_path, f"{name}:AE", weights=path.name)
    check(asked)
    model = load(asked, image_shape=EIGHT)
    expected = source.predict(images(), ["embedding"])["embedding"]
    assert torch.equal(model.predict(images(), ["embedding"])["embedding"], expected)
    assert path.name in model.files
    assert model.contract.trained_on == (("a/b/c",) if kind == "safetensors" else ())


def test_weights_for_each_split(tmp_path, module):
    name = module(NETS)
    state = load(ask(tmp_path, f"{name}:AE"), image_shape=EIGHT)._module.state_dict()
    torch.save(state, tmp_path / "w-A.pt")
    asked = ask(tmp_path, f"{name}:AE", weights="w-{split}.pt")
    assert "w-A.pt" in load(asked, split="A", image_shape=EIGHT).files
    with pytest.raises(ModelError) as error:
        load(asked, split="B", image_shape=EIGHT)
    says(error, "no file w-B.pt", "w-A.pt")


def test_weights_that_do_not_fit(tmp_path, module):
    name = module(NETS)
    state = dict(load(ask(tmp_path, f"{name}:AE"), image_shape=EIGHT)._module.state_dict())
    state["encoder.weight"] = state.pop("enc.weight")
    state["dec.bias"] = torch.zeros(3)
    torch.save(state, tmp_path / "w.pt")
    refused(
        tmp_path,
        f"{name}:AE",
        "w.pt does not fit",
        "enc.weight is missing",
        "Did you mean 'encoder.weight'",
        "dec.bias has shape (3,), expected (64,)",
        weights="w.pt",
    )


class Planted:
    """Runs a function when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_planted_pickle_in_weights_does_not_run(tmp_path, module):
    trace = tmp_path / "it-ran"
    torch.save({"enc.weight": Planted(trace)}, tmp_path / "w.pt")
    refused(tmp_path, f"{module(NETS)}:AE", "w.pt holds more than tensors", "safetensors", weights="w.pt", trust=True)
    (tmp_path / "raw.pt").write_bytes(pickle.dumps(Planted(trace)))
    refused(tmp_path, f"{module(NETS)}:AE", "raw.pt", weights="raw.pt")
    assert not trace.exists()


@pytest.mark.parametrize("kind", ["pt", "safetensors"])
def test_broken_weights(tmp_path, module, kind):
    (tmp_path / f"w.{kind}").write_bytes(b"\x00\x01broken")
    refused(tmp_path, f"{module(NETS)}:AE", f"w.{kind}", weights=f"w.{kind}")


def test_weights_of_another_kind(tmp_path, module):
    torch.save([1, 2], tmp_path / "w.pt")
    refused(tmp_path, f"{module(NETS)}:AE", "holds a list", "state_dict", weights="w.pt")
    function = module("def build():\n    return lambda x: x\n")
    refused(tmp_path, f"{function}:build", "PyTorch module", "function", kind=OptionError, weights="w.pt")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_asked_for_and_absent(tmp_path, module):
    refused(tmp_path, f"{module(NETS)}:AE", "cuda:0", "no CUDA device", "torch", kind=DeviceError, device="cuda:0")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_gives_the_same_and_stays_on_the_device(tmp_path, module):
    name = module("import torch\n" + NETS + "\ndef build():\n    torch.manual_seed(0)\n    return AE()\n")
    cpu = load(ask(tmp_path, f"{name}:build"), image_shape=EIGHT)
    cuda = load(ask(tmp_path, f"{name}:build", device="cuda"), image_shape=EIGHT)
    assert cuda.device == "cuda:0 (torch)"
    found = cuda.predict(images())
    assert found["embedding"].is_cuda
    for role, array in cpu.predict(images()).items():
        assert np.allclose(to_numpy(found[role]), to_numpy(array), atol=1e-3)


def test_function_of_arrays(tmp_path, module):
    text = (
        "import numpy as np\n"
        "def predict(x):\n    assert isinstance(x, np.ndarray) and x.dtype == np.float32 and x.shape[1:] == (1, 8, 8)\n"
        "    return {'reconstruction': x, 'embedding': x.mean((2, 3))}\n"
        "def build():\n    return predict\n"
    )
    model = load(ask(tmp_path, f"{module(text)}:build"), image_shape=EIGHT)
    assert list(model.contract.outputs) == ["reconstruction", "embedding"]
    found = model.predict(images(), ["reconstruction"])
    assert np.array_equal(np.rint(unit_images(found["reconstruction"], model.contract) * 255), images())


def test_function_that_wants_bytes_nhwc():
    def predict(x):
        assert x.shape == (len(x), 8, 8, 3)
        return x

    predict.genbench = {"layout": "NHWC", "range": (0, 255), "outputs": {"output": "reconstruction"}}
    model = wrap(predict, ModelOptions(""), name="hook", image_shape=(8, 8, 3))
    found = model.predict(images(channels=3))["reconstruction"]
    assert np.array_equal(found, images(channels=3))


def test_object_that_predicts_is_used_as_it_is():
    class Mine:
        contract = Contract("x", outputs={"embedding": "embedding"})

        def predict(self, batch, outputs=None):
            return {"embedding": batch.reshape(len(batch), -1)}

    mine = Mine()
    model = wrap(mine, ModelOptions(""), name="hook")
    assert model is mine
    assert isinstance(model, Model)
    assert (model.device, model.files) == ("chosen by the model", {})


def test_module_instance_named_by_the_spec(tmp_path, module):
    model = load(ask(tmp_path, f"{module(NETS + chr(10) + 'net = AE()')}:net"), image_shape=EIGHT)
    assert "reconstruction" in model.contract.outputs


def test_outputs_that_change_between_calls():
    class Fickle:
        n = 0

        def __call__(self, x):
            self.n += 1
            return {"embedding": x} if self.n == 1 else {"other": x}

    model = wrap(Fickle(), ModelOptions(""), name="hook", image_shape=EIGHT)
    with pytest.raises(ModelError) as error:
        model.predict(images())
    says(error, "did not return the output 'embedding'", "other")


@pytest.mark.parametrize("spec", ["plain", "module"])
def test_a_model_of_signals(tmp_path, module, spec):
    text = """
        import numpy as np
        import torch

        def half(signals):
            assert signals.dtype == np.float32 and signals.shape[1:] == (8,)
            return {"embedding": signals / 2}

        def plain():
            return half

        class Half(torch.nn.Module):
            def forward(self, signals):
                return {"embedding": signals / 2, "reconstruction": signals}

            def decode(self, codes):
                return codes * 2

        def module():
            return Half()
    """
    model = load(ask(tmp_path, f"{module(dedent(text))}:{spec}"), image_shape=(8,))
    signals = np.linspace(-3, 3, 24, dtype=np.float32).reshape(3, 8)
    assert (model.contract.input_kind, model.contract.shape[-1:]) == ("signal", (None,))
    np.testing.assert_array_equal(to_numpy(model.predict(signals)["embedding"]), signals / 2)
    if spec == "module":
        assert code_size(model, signals).kind == "verified"


@pytest.mark.parametrize("image_shape", [None, (64, 64, 1), (64,)])
def test_signals_or_images_is_found_out(tmp_path, module, image_shape):
    text = """
        def signals(x):
            n, length = x.shape
            return {"embedding": x}

        def images(x):
            n, channels, height, width = x.shape
            return {"embedding": x.reshape(n, -1)}
    """
    name = module(dedent(text) + "\n\ndef of_signals():\n    return signals\n\n\ndef of_images():\n    return images\n")
    for kind in ("signal", "image"):
        assert load(ask(tmp_path, f"{name}:of_{kind}s"), image_shape=image_shape).contract.input_kind == kind
