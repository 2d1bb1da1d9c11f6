"""The two auto-encoders: sizes, shapes, what they paint and that they learn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.benchmarks.comporth.stimuli import Stimuli  # noqa: E402
from pytest_genbench.reference_models import autoencoders  # noqa: E402
from pytest_genbench.reference_models.autoencoders import MODELS, TrainConfig, build, learning_rate, train  # noqa: E402

BOTH = pytest.mark.parametrize("name", sorted(MODELS))


@pytest.fixture(autouse=True)
def _one_thread():
    """Results depend on the number of threads, and these layers are too small for two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def images():
    stimuli = Stimuli("mini")
    return stimuli.images(np.arange(stimuli.grid.size))


def as_tensor(images):
    return torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255


@pytest.mark.parametrize(("name", "parameters"), [("conv1d", 76_696), ("mlp", 184_320)])
def test_number_of_parameters(name, parameters):
    assert sum(p.numel() for p in build(name, seed=0).parameters()) == parameters


@BOTH
@pytest.mark.parametrize("n", [1, 3])
def test_shapes_and_ranges(name, n):
    model = build(name, seed=0).eval()
    reconstruction, code = model(torch.rand(n, 1, 64, 64))
    assert reconstruction.shape == (n, 1, 64, 64)
    assert code.shape == (n, 32)
    assert reconstruction.min() >= 0
    assert reconstruction.max() <= 1
    assert code.abs().max() < 1


@BOTH
def test_the_reconstruction_is_made_from_the_code_alone(name):
    model = build(name, seed=0).eval()
    image = torch.rand(5, 1, 64, 64)
    reconstruction, code = model(image)
    assert torch.equal(model.encode(image), code)
    torch.testing.assert_close(model.decode(code), reconstruction)


@BOTH
def test_rows_outside_the_strip_are_black_and_unseen(name):
    model = build(name, seed=0).eval()
    image = torch.rand(3, 1, 64, 64)
    reconstruction, code = model(image)
    outside = np.r_[0:22, 42:64]
    assert not reconstruction[:, :, outside].any()
    assert reconstruction[:, :, 22:42].min() > 0
    image[:, :, outside] = 0
    assert torch.equal(model.encode(image), code)


@pytest.mark.parametrize("preset", ["published", "described", "mini"])
def test_the_strip_holds_all_ink(preset):
    stimuli = Stimuli(preset)
    images = stimuli.images(np.arange(0, stimuli.grid.size, 7))
    assert not np.delete(images, np.s_[22:42], axis=1).any()


@BOTH
def test_training_lowers_the_loss(name, images):
    losses = []
    model = build(name, seed=0)
    train(model, images, seed=0, config=TrainConfig(steps=50), progress=lambda _, loss: losses.append(loss))
    assert len(losses) == 50
    assert np.mean(losses[-10:]) < 0.8 * np.mean(losses[:10])
    assert not model.training


@BOTH
def test_same_seed_gives_same_weights(name, images):
    def trained(seed):
        model = build(name, seed)
        train(model, images[:130], seed=seed, config=TrainConfig(steps=5))
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    state = torch.get_rng_state()
    first = trained(3)
    assert torch.equal(torch.get_rng_state(), state), "torch's own generator was touched"
    torch.rand(1)  # what others draw does not matter
    assert torch.equal(first, trained(3))
    assert not torch.equal(first, trained(4))


@BOTH
def test_noise_on_the_code_in_training_alone(name, images):
    model = build(name, seed=0)
    batch = as_tensor(images[:8])

    def losses():
        return [autoencoders.reconstruction_loss(model, batch).item() for _ in range(2)]

    model.eval()
    assert losses()[0] == losses()[1]
    model.train()
    noisy = losses()
    assert (noisy[0] != noisy[1]) == (model.config.noise > 0)


def test_loss_is_summed_over_pixels_and_averaged_over_images(images):
    model = build("conv1d", seed=0).eval()
    batch = as_tensor(images[:6])
    reconstruction = model(batch)[0][:, :, 22:42].double()
    target = batch[:, :, 22:42].double()
    entropy = -(target * reconstruction.log() + (1 - target) * (1 - reconstruction).log()).sum() / 6
    loss = autoencoders.reconstruction_loss(model, batch)
    assert loss.item() == pytest.approx(entropy.item(), rel=1e-5)


def test_learning_rate_is_constant_then_falls():
    config = TrainConfig(steps=100)
    rates = [learning_rate(step, config) for step in range(101)]
    assert rates[:31] == [1e-3] * 31
    assert all(a > b for a, b in pairwise(rates[30:]))
    assert rates[100] == pytest.approx(1e-5)
    assert rates[65] == pytest.approx((1e-3 + 1e-5) / 2)
