"""Files that can run code: refused, and with trust loaded without tripping over deprecations."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

from pytest_genbench.errors import ModelError, TrustError
from pytest_genbench.models import ModelOptions, load, to_numpy, unit_images

from .builders import images, says

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.filterwarnings("error")]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        return x * self.scale


def ask(path, **more):
    return ModelOptions(
        path.name, device="cpu", root=path.parent, overrides={"outputs": "output=reconstruction"}, **more
    )


def halves(model):
    found = unit_images(model.predict(images())["reconstruction"], model.contract)
    return np.allclose(found, images() / 255 / 2, atol=1e-6)


@pytest.mark.parametrize("suffix", ["pkl", "pt"])
def test_planted_pickle_does_not_run(tmp_path, suffix):
    trace = tmp_path / "it-ran"

    class Planted:
        def __reduce__(self):
            return (open, (str(trace), "w"))

    path = tmp_path / f"m.{suffix}"
    path.write_bytes(pickle.dumps(Planted()))
    with pytest.raises(TrustError):
        load(ask(path))
    assert not trace.exists()


def save_program(path, dynamic=True):
    shapes = ({0: torch.export.Dim("n", min=1)},) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(Net(), (torch.rand(2, 1, 8, 8),), dynamic_shapes=shapes), path)


def test_exported_program(tmp_path):
    path = tmp_path / "m.pt2"
    save_program(path)
    with pytest.raises(TrustError):
        load(ask(path))
    model = load(ask(path, trust=True))
    assert model.contract.shape == (1, 8, 8)
    assert model.contract.batch is None
    assert halves(model)


def test_exported_program_of_fixed_batch(tmp_path):
    path = tmp_path / "m.pt2"
    save_program(path, dynamic=False)
    model = load(ask(path, trust=True))
    assert model.contract.batch == 2
    assert halves(model)


@pytest.mark.parametrize("suffix", ["ts", "torchscript", "jit", "pt"])
def test_torchscript_under_warnings_as_errors(tmp_path, suffix):
    path = tmp_path / f"m.{suffix}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(Net()), str(path))
    with pytest.raises(TrustError):
        load(ask(path))
    model = load(ask(path, trust=True), image_shape=(8, 8, 1))
    assert halves(model)
    assert list(model.files) == [path.name]


@pytest.mark.parametrize("suffix", ["pt", "pth", "pkl", "bin"])
def test_pickled_module(tmp_path, suffix):
    path = tmp_path / f"m.{suffix}"
    torch.save(Net(), path)
    assert halves(load(ask(path, trust=True), image_shape=(8, 8, 1)))


def test_weights_are_no_model(tmp_path):
    path = tmp_path / "m.pt"
    torch.save(Net().state_dict(), path)
    with pytest.raises(ModelError) as error:
        load(ask(path, trust=True))
    says(error, "holds weights", "--genbench-weights=m.pt")


def test_broken_file(tmp_path):
    path = tmp_path / "m.pkl"
    path.write_bytes(b"\x00\x01broken")
    with pytest.raises(ModelError) as error:
        load(ask(path, trust=True))
    says(error, "m.pkl cannot be loaded")


def test_sidecar(tmp_path):
    path = tmp_path / "m.pt"
    torch.save(Net(), path)
    (tmp_path / "m.genbench.toml").write_text("range = [0, 255]\n")
    model = load(ask(path, trust=True), image_shape=(8, 8, 1))
    assert model.contract.range == (0, 255)
    assert to_numpy(model.predict(images())["reconstruction"]).max() > 100
