"""Layers for signals and images: sizes, where they start, and what a painting costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.reference_models.bodies import Body, as_tensor, shape_of, true_hierarchy  # noqa: E402
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402

from .twigs import HIERARCHY, task  # noqa: E402

SIGNAL, IMAGE = (64,), (64, 64, 1)
INPUTS = {SIGNAL: (64,), IMAGE: (1, 64, 64), (64, 64, 3): (3, 64, 64)}


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


# Layers


@pytest.mark.parametrize(
    ("shape", "code", "parameters"),
    [
        # 64 x 256 + 256, 65,792; 256 D + 256, 65,792, 256 x 64 + 64.
        (SIGNAL, 5, 16_640 + 65_792 + 1_536 + 65_792 + 16_448),
        # 544, 3 x 16,416, 131,328, 65,792; 256 D + 256, 131,584, 3 x 16,416, 513.
        (IMAGE, 8, 544 + 49_248 + 131_328 + 65_792 + 2_304 + 131_584 + 49_248 + 513),
    ],
)
def test_number_of_parameters(shape, code, parameters):
    assert sum(p.numel() for p in Body(shape, code).parameters()) == parameters


@pytest.mark.parametrize("shape", INPUTS)
@pytest.mark.parametrize("n", [1, 3])
def test_shapes(shape, n):
    body = Body(shape, 4)
    inputs = torch.rand(n, *INPUTS[shape])
    assert body.features(inputs).shape == (n, 256)
    raw = body.raw(torch.randn(n, 4))
    assert raw.shape == inputs.shape
    assert body.misfit(raw, inputs).shape == ()
    assert body.squared_error(raw, inputs).shape == (n,)


@pytest.mark.parametrize("shape", [SIGNAL, IMAGE])
def test_activations(shape):
    inputs = torch.rand(4, *INPUTS[shape])
    smooth, rectified = (build(lambda name=name: Body(shape, 4, name), 0) for name in ("softplus", "relu"))
    assert smooth.features(inputs).min() > 0
    assert rectified.features(inputs).min() == 0
    painters = [sum(isinstance(layer, torch.nn.ReLU) for layer in body.painter) for body in (smooth, rectified)]
    assert painters == ([0, 2] if shape == SIGNAL else [5, 5])  # images are painted with ReLUs in any case


def test_layers_for_signals_start_as_glorot_and_bengio_say():
    body = build(lambda: Body(SIGNAL, 4), 0)
    first = body.look[0]
    limit = math.sqrt(6 / (64 + 256))
    assert limit * 0.99 < first.weight.abs().max() <= limit
    assert not any(layer.bias.any() for layer in [*body.look, *body.painter] if hasattr(layer, "bias"))


@pytest.mark.parametrize(
    ("part", "at", "inputs"),
    [("look", 0, 16), ("look", 2, 512), ("look", 9, 512), ("painter", 0, 4), ("painter", 11, 512)],
)
def test_layers_for_images_start_evenly(part, at, inputs):
    layer = getattr(build(lambda: Body(IMAGE, 4), 0), part)[at]
    limit = inputs**-0.5
    assert 0.97 * limit < layer.weight.abs().max() <= limit
    assert 0.6 * limit < layer.bias.abs().max() <= limit or layer.bias.numel() == 1


# What a painting costs


def test_signals_cost_a_hundred_times_their_squared_error():
    body = Body(SIGNAL, 2)
    raw, inputs = torch.zeros(2, 64), torch.zeros(2, 64)
    inputs[0, :3] = 0.5
    assert body.misfit(raw, inputs).item() == pytest.approx(100 * 3 * 0.25 / 2)
    assert body.squared_error(raw, inputs).tolist() == [0.75, 0]
    assert body.shown(raw) is raw


def test_images_cost_their_cross_entropy():
    body = Body(IMAGE, 2)
    raw, inputs = torch.zeros(2, 1, 64, 64), torch.ones(2, 1, 64, 64)
    assert body.misfit(raw, inputs).item() == pytest.approx(4096 * math.log(2))
    assert body.squared_error(raw, inputs).tolist() == [1024, 1024]


# Inputs


def test_images_become_floats_and_signals_stay_as_they_are():
    image = as_tensor(np.full((2, 64, 64, 3), 255, np.uint8))
    assert image.shape == (2, 3, 64, 64)
    assert image.dtype == torch.float32
    assert (image == 1).all()
    signal = np.linspace(-3, 3, 128, dtype=np.float32).reshape(2, 64)
    assert np.array_equal(as_tensor(signal).numpy(), signal)


def test_other_inputs_are_refused():
    for shape in ((32,), (32, 64, 1)):
        with pytest.raises(LearnerError, match="takes signals of 64 numbers or images of 64 x 64"):
            shape_of(task(shape=shape), "vae")
    assert shape_of(task(shape=IMAGE), "vae") == IMAGE


def test_a_benchmark_without_a_hierarchy(monkeypatch):
    made = task()
    assert true_hierarchy(made, "vae", "") == HIERARCHY
    monkeypatch.delattr(type(made.benchmark), "hierarchy")
    with pytest.raises(LearnerError, match=r"twigs, which has none\. Set latent"):
        true_hierarchy(made, "vae", "Set latent.")
