"""The rotation-equivariant networks: what a rotation does, that they learn, that they become ordinary convolutions."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
e2cnn = pytest.importorskip("e2cnn.nn")
pytest.importorskip("onnxscript")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.learners import Learner  # noqa: E402
from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402
from pytest_genbench.reference_models.rotation import RotEqBigLearner, RotEqLearner  # noqa: E402

from .blocks import task  # noqa: E402
from .test_regressors import MEAN, fit, flat, parameters  # noqa: E402


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def blocks():
    return task()


def check_rotation(network, channels):
    network.eval()
    images = torch.rand(2, channels, 64, 64)
    with torch.no_grad():
        features = network.features(images)
        for quarters in range(1, 4):
            turned = network.features(images.rot90(quarters, (2, 3)))
            torch.testing.assert_close(turned, features.roll(2 * quarters, 2), rtol=0, atol=1e-4)
            # And nothing but the orientations turns: their maximum stays.
            torch.testing.assert_close(turned.amax(2), features.amax(2), rtol=0, atol=1e-4)
    assert not torch.allclose(features, features.roll(2, 2), atol=1e-3), "which is worth something only if they differ"


@pytest.mark.parametrize("channels", [1, 3])
def test_a_rotated_image_shifts_the_orientations(channels):
    check_rotation(RotEqLearner().network(channels, 5), channels)


@pytest.mark.slow
def test_a_rotated_image_shifts_the_orientations_of_the_big_network():
    check_rotation(RotEqBigLearner().network(1, 5), 1)


def test_a_rotated_image_turns_the_feature_maps():
    body = RotEqLearner().network(1, 5).eval().body
    first = next(layer for layer in body.modules() if isinstance(layer, e2cnn.R2Conv))
    images = torch.rand(2, 1, 64, 64)

    def maps(x):
        return first(e2cnn.GeometricTensor(x, body.in_type)).tensor.view(2, -1, 8, 32, 32)

    turned = maps(images).rot90(1, (3, 4)).roll(2, 2)
    torch.testing.assert_close(maps(images.rot90(1, (2, 3))), turned, rtol=0, atol=1e-5)


def test_number_of_parameters():
    assert parameters(RotEqLearner().network(1, 5)) == 14_796 + 1_285
    assert RotEqLearner().network(3, 7)(torch.rand(3, 3, 64, 64)).shape == (3, 7)


@pytest.mark.slow
def test_the_big_network():
    network = RotEqBigLearner().network(1, 5)
    assert parameters(network) == 942_688 + 10_245
    assert network(torch.rand(1, 1, 64, 64)).shape == (1, 5)


@pytest.mark.parametrize("learner", [RotEqLearner, RotEqBigLearner])
def test_they_are_learners(learner):
    assert isinstance(learner(), Learner)
    steps = [learner().schedule(budget).steps for budget in ("smoke", "quick", "standard", "paper")]
    assert steps == sorted(steps)
    with pytest.raises(LearnerError, match=f"batch=0 of {learner.name}"):
        learner(learner.Settings(batch=0))


def test_it_learns(blocks, tmp_path):
    _, losses = fit(RotEqLearner, blocks, tmp_path, steps=50, batch=16, lr=5e-3)
    assert np.mean(losses[-5:]) < 0.7 * MEAN


def test_an_interrupted_training_goes_on(blocks, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    whole, losses = fit(RotEqLearner, blocks, tmp_path / "whole", steps=5, batch=4)
    with pytest.raises(KeyboardInterrupt):
        fit(RotEqLearner, blocks, tmp_path / "parts", steps=5, batch=4, stop=3)
    resumed, rest = fit(RotEqLearner, blocks, tmp_path / "parts", steps=5, batch=4)
    assert rest == losses[3:]
    assert torch.equal(flat(whole), flat(resumed))


def test_images_of_another_size(tmp_path):
    with pytest.raises(LearnerError, match=r"roteq takes images of 64 x 64.*32 x 32\."):
        fit(RotEqLearner, task(side=32), tmp_path)


def test_the_file_computes_what_torch_computes(tmp_path):
    made = task(channels=3)
    model, _ = fit(RotEqLearner, made, tmp_path, steps=2, batch=4)
    RotEqLearner().save(model, tmp_path, made)
    images = torch.rand(5, 3, 64, 64)
    with torch.no_grad():
        expected = model(images).numpy()
    for batch in (1, 5):
        factors = run_onnx(RotEqLearner().load(tmp_path), images.numpy(), batch)["factors"]
        np.testing.assert_allclose(factors, expected, rtol=0, atol=1e-4)
