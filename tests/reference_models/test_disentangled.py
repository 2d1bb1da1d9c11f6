"""Un- and weakly supervised models with a readout: their layers, what they lower, that they learn."""

from __future__ import annotations

import math

import numpy as np
import onnx
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.learners import BUDGETS, Learner  # noqa: E402
from pytest_genbench.learners.find import describe  # noqa: E402
from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.beta_vae import cross_entropy, divergence  # noqa: E402
from pytest_genbench.reference_models.bodies import as_tensor  # noqa: E402
from pytest_genbench.reference_models.disentangled import (  # noqa: E402
    AdaGvaeLearner,
    BetaVaeReadoutLearner,
    Contrast,
    PclLearner,
    SlowVaeLearner,
    Vae,
    encoder,
)
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402
from pytest_genbench.reference_models.weak_losses import contrast, shared, slowness  # noqa: E402

from . import twigs  # noqa: E402
from .blocks import task  # noqa: E402

LEARNERS = {
    "beta-vae-readout": BetaVaeReadoutLearner,
    "ada-gvae": AdaGvaeLearner,
    "slow-vae": SlowVaeLearner,
    "pcl": PclLearner,
}
ALL = pytest.mark.parametrize("name", LEARNERS)
PAIRED = ("ada-gvae", "slow-vae")  # which paint both images of a pair


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def blocks():
    return task()


def fit(name, made, folder, *, seed=0, budget="smoke", stop=None, **settings):
    """Train; returns the model and the losses."""
    losses, learner = [], LEARNERS[name]

    def progress(step, steps, loss=None):
        losses.append(loss)
        if step == stop:
            raise KeyboardInterrupt

    where = {"seed": seed, "budget": budget, "device": "cpu", "checkpoint_dir": folder, "progress": progress}
    return learner(learner.Settings(**settings)).fit(made, **where), losses


def flat(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


def parameters(module):
    return sum(p.numel() for p in module.parameters())


def r2(model, made):
    """R² of each factor on the training set."""
    with torch.no_grad():
        found = model(as_tensor(made.images()))["factors"].numpy()
    truth = made.targets()["factors"]
    return 1 - ((found - truth) ** 2).mean(0) / truth.var(0)


# Layers


def test_numbers_of_parameters():
    assert parameters(encoder(10, 3)) == 383_956
    assert parameters(Vae(10, 3).decoder) == 381_379
    assert parameters(Contrast(10, 3)) == 383_956 + 31


def test_shapes():
    images = torch.rand(2, 3, 64, 64)
    network = Vae(7, 3)
    mean, log_variance = network.posterior(images)
    assert mean.shape == log_variance.shape == (2, 7)
    assert network.decoder(mean).shape == images.shape


def test_first_weights_of_a_vae_are_normal_and_those_of_transposed_convolutions_torch_s_own():
    network = build(lambda: Vae(10, 3), 0)
    for layer in network.modules():
        if isinstance(layer, torch.nn.Linear | torch.nn.Conv2d):
            inputs = layer.weight[0].numel()
            assert layer.weight.std().item() == pytest.approx(math.sqrt(2 / inputs), rel=0.1)
            assert not layer.bias.any()
        elif isinstance(layer, torch.nn.ConvTranspose2d):
            bound = 1 / math.sqrt(layer.weight[0].numel())  # torch counts its output channels as inputs
            assert 0.95 * bound < layer.weight.abs().max().item() <= bound
            assert layer.bias.any()


def test_first_weights_of_a_contrast_are_torch_s_own():
    network = build(lambda: Contrast(10, 3), 0)
    assert network.encoder[-1].weight.abs().max().item() <= 1 / math.sqrt(256)
    assert network.encoder[-1].bias.any()
    first = torch.ones(10)
    assert torch.equal(
        torch.stack([network.a, -network.b, 1 + network.c, 1 + network.m.expand(10)]), first.repeat(4, 1)
    )


# Losses


@ALL
def test_what_is_lowered(name):
    """Put together by hand, for three pairs or six images."""
    learner = LEARNERS[name](LEARNERS[name].Settings(latent=4))
    network = build(lambda: learner.network(4, 1), 0)
    images = torch.rand(6, 1, 64, 64)
    torch.manual_seed(1)
    found = learner.loss(network, images)
    torch.manual_seed(1)
    if name == "pcl":
        code = network.encoder(images)[:, :4]
        before, now = code[:3], code[3:]
        expected = contrast(network.logits(before, now), network.logits(before[[2, 0, 1]], now))
    else:
        mean, log_variance = network.posterior(images)
        if name == "ada-gvae":
            mean, log_variance = shared(mean, log_variance)
        code = mean + (0.5 * log_variance).exp() * torch.randn_like(mean)
        misfit, kl = cross_entropy(network.decoder(code), images), divergence(mean, log_variance)
        expected = misfit + kl
        if name == "slow-vae":
            expected = 2 * misfit + kl + 10 * slowness(mean, log_variance, 6.0)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    ("name", "setting"),
    [("beta-vae-readout", "beta"), ("ada-gvae", "beta"), ("slow-vae", "beta"), ("slow-vae", "gamma")],
)
def test_weights_count(name, setting):
    images = torch.rand(4, 1, 64, 64)
    learners = [LEARNERS[name](LEARNERS[name].Settings(**{setting: weight})) for weight in (0.0, 1.0, 3.0)]
    network = build(lambda: Vae(10, 1), 0)
    losses = []
    for learner in learners:
        torch.manual_seed(0)
        losses.append(learner.loss(network, images).item())
    assert losses[2] - losses[0] == pytest.approx(3 * (losses[1] - losses[0]), rel=1e-3)
    assert losses[1] != losses[0]


def test_a_pcl_learns_from_its_pairs_alone(blocks, tmp_path):
    """Its four weights move with the encoder, which is what tells that one optimiser has them all."""
    learner = PclLearner(PclLearner.Settings(steps=3))
    made = {}
    original = learner.network

    def network(latent, channels):
        made["network"] = original(latent, channels)
        return made["network"]

    learner.network = network
    where = {"seed": 0, "budget": "smoke", "device": "cpu", "checkpoint_dir": tmp_path}
    learner.fit(blocks, progress=lambda step, steps, loss=None: None, **where)
    network = made["network"]
    assert all((getattr(network, each) != start).all() for each, start in {"a": 1, "b": -1, "c": 0, "m": 0}.items())


# Learners


@ALL
def test_what_a_learner_says(name):
    found = describe(name, LEARNERS[name]())
    assert isinstance(found.learner, Learner)
    assert found.learner.outputs == ("factors", "embedding")
    assert found.settings["latent"] == 10
    assert found.learner.settings.name == name
    assert set(found.learner.steps) == set(BUDGETS)


@pytest.mark.parametrize(
    ("name", "steps", "fall"),
    [("beta-vae-readout", 60, 0.4), ("ada-gvae", 50, 0.4), ("slow-vae", 50, 0.4), ("pcl", 100, 0.9)],
)
def test_training_lowers_the_loss_and_the_readout_reads(name, steps, fall, blocks, tmp_path):
    model, losses = fit(name, blocks, tmp_path, steps=steps, batch=8 if name in PAIRED else 16, readout_epochs=150)
    assert np.mean(losses[steps - 5 : steps]) < fall * losses[0]
    assert not model.training
    assert r2(model, blocks).mean() > 0.5
    readings = losses[steps:]
    assert np.mean(readings[-5:]) < 0.5 * readings[0]


@ALL
def test_an_interrupted_training_goes_on_to_the_same_weights(name, blocks, tmp_path, monkeypatch):
    """Interrupted once while the encoder learns and once while the readout does; and another seed gives other weights."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1.0)
    settings = {"steps": 4, "readout_epochs": 2}
    whole, losses = fit(name, blocks, tmp_path / "whole", **settings)
    for stop in (3, 7):
        with pytest.raises(KeyboardInterrupt):
            fit(name, blocks, tmp_path / "parts", stop=stop, **settings)
    parts, rest = fit(name, blocks, tmp_path / "parts", **settings)
    assert torch.equal(flat(whole), flat(parts))
    assert rest == losses[4:]
    assert not torch.equal(flat(whole), flat(fit(name, blocks, tmp_path / "other", seed=1, **settings)[0]))


@ALL
def test_the_file_gives_what_the_model_gives(name, tmp_path):
    made = task("composition", channels=3)
    learner = LEARNERS[name]()
    model, _ = fit(name, made, tmp_path / "checkpoints", steps=2, readout_epochs=1)
    learner.save(model, tmp_path, made)
    images = as_tensor(made.images(np.arange(7)))
    with torch.no_grad():
        expected = model(images)
    assert list(expected) == ["factors", "embedding"]
    assert expected["factors"].shape == (7, 4)
    for batch in (7, 3):
        found = run_onnx(learner.load(tmp_path), images.numpy(), batch)
        for output in learner.outputs:
            np.testing.assert_allclose(found[output], expected[output], atol=1e-4)
    graph = onnx.load(learner.load(tmp_path))
    assert {entry.key: entry.value for entry in graph.metadata_props} == {
        "genbench.benchmark": "blocks",
        "genbench.trained_on": made.split.id,
        "genbench.outputs": "factors=factors,embedding=embedding",
        "genbench.range": "0,1",
    }


def test_the_embedding_holds_means(blocks, tmp_path):
    model, _ = fit("beta-vae-readout", blocks, tmp_path, steps=1, readout_epochs=1, latent=3)
    images = as_tensor(blocks.images(np.arange(5)))
    with torch.no_grad():
        outputs = model(images)
        assert torch.equal(outputs["embedding"], model.encoder(images)[:, :3])
        assert torch.equal(outputs["factors"], model.readout(outputs["embedding"]))


def test_steps_of_both_trainings_are_counted_together(blocks, tmp_path):
    seen = []
    learner = PclLearner(PclLearner.Settings(steps=2, readout_epochs=3))
    where = {"seed": 0, "budget": "smoke", "device": "cpu", "checkpoint_dir": tmp_path}
    learner.fit(blocks, progress=lambda step, steps, loss=None: seen.append((step, steps)), **where)
    total = 2 + 3 * math.ceil(len(blocks) / 64)
    assert seen == [(step, total) for step in range(1, total + 1)]


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("pcl", {"latent": 0}, "latent=0 of pcl has to be a whole number, 1 or more"),
        ("ada-gvae", {"steps": -1}, "steps=-1 of ada-gvae has to be a whole number, 0 or more"),
        ("beta-vae-readout", {"batch": 1.5}, "batch=1.5 of beta-vae-readout has to be a whole number"),
        ("beta-vae-readout", {"beta": -1.0}, "beta=-1.0 of beta-vae-readout has to be a number, 0 or more"),
        ("slow-vae", {"gamma": math.inf}, "gamma=inf of slow-vae has to be a number"),
        ("slow-vae", {"lr": math.nan}, "lr=nan of slow-vae has to be a number"),
        ("slow-vae", {"rate": 0.0}, "rate=0.0 of slow-vae has to be above 0"),
    ],
)
def test_settings_that_cannot_be_used(name, setting, message):
    with pytest.raises(LearnerError, match=message):
        LEARNERS[name].Settings(**setting)


@ALL
def test_images_of_another_size(name, tmp_path):
    for made, shape in ((task(side=32), r"\(32, 32, 1\)"), (twigs.task(20), r"\(64,\)")):
        with pytest.raises(LearnerError, match=f"{name} takes images of 64 x 64 pixels; .* have the shape {shape}"):
            fit(name, made, tmp_path, steps=1)


def test_a_benchmark_without_factors(tmp_path):
    with pytest.raises(LearnerError, match="pcl reads factors; twigs asks for none"):
        fit("pcl", twigs.task(20, (64, 64, 1)), tmp_path, steps=1)
