"""The beta-VAE: layers, both objectives, training, what it starts from and what its files declare."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")
safetensors = pytest.importorskip("safetensors.torch")

from pytest_genbench.benchmarks.comporth import CompOrth  # noqa: E402
from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.learners import Learner, TrainingTask  # noqa: E402
from pytest_genbench.reference_models import export, training  # noqa: E402
from pytest_genbench.reference_models.beta_vae import (  # noqa: E402
    GRID,
    BetaVae,
    BetaVaeLearner,
    BetaVaeSettings,
    capacity,
    cross_entropy,
    divergence,
    penalty,
)
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402

BOTH = pytest.mark.parametrize("objective", ["beta", "capacity"])
OTHER = "comporth/mini/compositional-B5"


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def task():
    benchmark = CompOrth("mini")
    return TrainingTask(benchmark, benchmark.splits("compositional")[0])


class Colour:
    """A task of coloured noise, of any size."""

    def __init__(self, task, *shape):
        self.split, self.image_shape = task.split, shape

    def __len__(self):
        return 10

    def batches(self, size, *, seed):
        while True:
            yield np.arange(4)

    def images(self, rows):
        return np.random.default_rng(0).integers(0, 256, (len(rows), *self.image_shape), dtype=np.uint8)


def fit(task, folder, stop=None, seed=0, budget="smoke", **settings):
    """Train; returns the model and the losses. Interrupted after `stop` steps."""
    losses = []

    def progress(step, steps, loss=None):
        losses.append(loss)
        if step == stop:
            raise KeyboardInterrupt

    learner = BetaVaeLearner(BetaVaeSettings(**settings))
    model = learner.fit(task, seed=seed, budget=budget, device="cpu", checkpoint_dir=folder, progress=progress)
    return model, losses


def flat(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def declared(file):
    return {entry.key: entry.value for entry in onnx.load(file).metadata_props}


# Layers


@pytest.mark.parametrize(
    ("latent", "channels", "parameters"),
    [
        # Encoder 512C + 32, 3 x 16,416, 131,328, 65,792, 514D; decoder 256D + 256, 65,792, 131,584, 3 x 16,416, 512C + C.
        (32, 1, 518_945),
        (8, 1, 518_945 - 24 * 770),
        (32, 3, 518_945 + 2 * 1025),
    ],
)
def test_number_of_parameters(latent, channels, parameters):
    assert sum(p.numel() for p in BetaVae(latent, channels).parameters()) == parameters


@pytest.mark.parametrize("latent", [1, 8])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("n", [1, 3])
def test_shapes_and_ranges(latent, channels, n):
    model = BetaVae(latent, channels).eval()
    images = torch.rand(n, channels, 64, 64)
    reconstruction, code = model(images)
    assert reconstruction.shape == images.shape
    assert code.shape == (n, latent)
    assert reconstruction.min() >= 0
    assert reconstruction.max() <= 1


def test_the_reconstruction_is_made_from_the_means_without_noise():
    model = BetaVae(8).train()
    images = torch.rand(5, 1, 64, 64)
    reconstruction, code = model(images)
    mean, log_variance = model.posterior(images)
    assert torch.equal(code, mean)
    assert not torch.equal(mean, log_variance)
    assert torch.equal(model.decode(code), reconstruction)
    assert torch.equal(model.logits(code).sigmoid(), reconstruction)
    assert torch.equal(model(images)[0], reconstruction)


def test_variance_is_kept_through_the_layers():
    images = torch.rand(64, 1, 64, 64)
    mean = BetaVae(128).encode(images)
    assert 0.01 < mean.square().mean() < 10


# Losses


def test_cross_entropy_is_summed_over_pixels_and_averaged_over_images():
    logits = torch.tensor([0.0, math.log(3)]).view(1, 1, 1, 2).repeat(2, 1, 1, 1)  # probabilities 1/2 and 3/4
    images = torch.tensor([[1.0, 1.0], [0.5, 0.0]]).view(2, 1, 1, 2)
    first = math.log(2) + math.log(4 / 3)
    second = math.log(2) + math.log(4)
    assert cross_entropy(logits, images).item() == pytest.approx((first + second) / 2)


def test_the_divergence_of_the_prior_from_itself_is_zero():
    assert divergence(torch.zeros(3, 8), torch.zeros(3, 8)).item() == 0


def test_divergence_is_summed_over_latents_and_averaged_over_images():
    mean = torch.tensor([[1.0, 0.0], [3.0, -2.0]])
    log_variance = torch.tensor([[0.0, math.log(4)], [math.log(0.25), 0.0]])
    first = 0.5 * 1 + 0.5 * (4 - 1 - math.log(4))
    second = 0.5 * (9 + 0.25 - 1 - math.log(0.25)) + 0.5 * 4
    assert divergence(mean, log_variance).item() == pytest.approx((first + second) / 2)


def test_divergence_is_that_of_torch():
    mean, log_variance = torch.randn(5, 8), torch.randn(5, 8)
    posterior = torch.distributions.Normal(mean, (0.5 * log_variance).exp())
    expected = torch.distributions.kl_divergence(posterior, torch.distributions.Normal(0.0, 1.0)).sum(1).mean()
    torch.testing.assert_close(divergence(mean, log_variance), expected)


def test_capacity_rises_to_its_end_and_stays():
    settings = BetaVaeSettings()
    assert [capacity(step, settings) for step in (0, 1, 5_000, 10_000, 50_000)] == [0, 0.0025, 12.5, 25, 25]


def test_what_a_divergence_costs():
    kl = torch.tensor(10.0)
    assert penalty(kl, 0, BetaVaeSettings(beta=4.0)).item() == 40
    assert penalty(kl, 9_999, BetaVaeSettings(beta=4.0)).item() == 40  # whatever the step
    burgess = BetaVaeSettings(objective="capacity", beta=4.0)
    assert penalty(kl, 0, burgess).item() == 1000
    assert penalty(kl, 4_000, burgess).item() == 0
    assert penalty(kl, 8_000, burgess).item() == 1000  # too little is as bad as too much
    assert penalty(kl, 0, replace(burgess, beta=1.0, gamma=3.0)).item() == 30  # whatever beta


@BOTH
def test_the_loss_of_a_step(task, tmp_path, objective):
    """The first loss, put together by hand: sampled code, cross-entropy, penalty."""
    _, (loss,) = fit(task, tmp_path, objective=objective, latent=8, steps=1)
    model = training.build(lambda: BetaVae(8), 0)
    rows = next(task.batches(64, seed=0))
    images = torch.from_numpy(task.images(rows)).permute(0, 3, 1, 2).float() / 255
    torch.manual_seed(0)
    mean, log_variance = model.encoder(images).split(8, dim=1)
    p = model.decode(mean + (log_variance / 2).exp() * torch.randn(64, 8)).double().clamp(1e-12, 1 - 1e-12)
    entropy = -(images * p.log() + (1 - images) * (1 - p).log()).sum() / 64
    kl = 0.5 * (mean**2 + log_variance.exp() - log_variance - 1).sum() / 64
    assert loss == pytest.approx((entropy + (4 if objective == "beta" else 100) * kl).item(), rel=1e-4)


# Settings


def test_the_grid_of_the_paper():
    assert len(GRID) == len(set(GRID)) == 8 * 5 * 3
    assert {s.beta for s in GRID} == {1, 2, 4, 8, 16, 32, 64, 128}
    assert {s.latent for s in GRID} == {8, 16, 32, 64, 128}
    assert {s.lr for s in GRID} == {1e-4, 1e-3, 1e-2}
    assert BetaVaeSettings() in GRID
    assert {replace(s, beta=4.0, latent=32, lr=1e-3) for s in GRID} == {BetaVaeSettings()}, "all else is alike"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"objective": "capcity"}, "objective 'capcity'.*Did you mean 'capacity'"),
        ({"objective": "vae"}, "objective 'vae'.*beta, capacity"),
        ({"latent": 0}, "latent=0.*1 or more"),
        ({"latent": 2.5}, "latent=2.5.*whole number"),
        ({"batch": 0}, "batch=0.*1 or more"),
        ({"capacity_steps": 0}, "capacity_steps=0.*1 or more"),
        ({"steps": -1}, "steps=-1.*0 or more"),
        ({"beta": -1.0}, "beta=-1.0.*number, 0 or more"),
        ({"beta": math.nan}, "beta=nan"),
        ({"gamma": -1.0}, "gamma=-1.0.*0 or more"),
        ({"capacity": math.inf}, "capacity=inf"),
        ({"lr": 0.0}, "lr=0.0.*above 0"),
    ],
)
def test_settings_that_cannot_be_used(wrong, message):
    with pytest.raises(LearnerError, match=message):
        BetaVaeSettings(**wrong)


def test_steps_of_the_budgets():
    learner = BetaVaeLearner()
    steps = [learner._steps(8_832, budget) for budget in ("smoke", "quick", "standard", "paper")]
    assert all(a < b for a, b in pairwise(steps))
    assert steps[-1] == 1_000 * 138  # epochs of 138 batches of 64
    assert BetaVaeLearner(BetaVaeSettings(batch=100))._steps(101, "paper") == 2_000  # the last batch is a small one
    assert BetaVaeLearner(BetaVaeSettings(steps=7))._steps(101, "paper") == 7


def test_it_is_a_learner_for_any_benchmark():
    assert isinstance(BetaVaeLearner(), Learner)
    assert not hasattr(BetaVaeLearner(), "benchmark")


# Training


@BOTH
def test_training_lowers_the_loss(task, tmp_path, objective):
    model, losses = fit(task, tmp_path, objective=objective, steps=60, batch=16)
    assert len(losses) == 60
    assert np.mean(losses[-5:]) < 0.2 * losses[0]
    assert not model.training


def test_an_interrupted_training_goes_on(task, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    folders = [tmp_path / "whole", tmp_path / "parts"]
    for folder in folders:
        folder.mkdir()
    settings = {"steps": 8, "batch": 16, "objective": "capacity", "capacity_steps": 5}
    whole, losses = fit(task, folders[0], **settings)
    with pytest.raises(KeyboardInterrupt):
        fit(task, folders[1], stop=5, **settings)
    resumed, rest = fit(task, folders[1], **settings)
    assert rest == losses[5:]
    assert torch.equal(flat(whole), flat(resumed))


def test_same_seed_gives_same_weights(task, tmp_path):
    def trained(name, seed):
        (tmp_path / name).mkdir()
        return flat(fit(task, tmp_path / name, seed=seed, steps=3, batch=16)[0])

    first = trained("first", 3)
    torch.rand(1)  # what others draw does not matter
    assert torch.equal(first, trained("again", 3))
    assert not torch.equal(first, trained("other", 4))


@pytest.mark.parametrize("shape", [(32, 64, 1), (64, 128, 3)])
def test_images_of_another_size(task, tmp_path, shape):
    with pytest.raises(LearnerError, match=rf"64 x 64.*comporth have {shape[0]} x {shape[1]}\."):
        fit(Colour(task, *shape), tmp_path)


# Weights to start from


@pytest.fixture
def weights(tmp_path):
    """Returns a function that writes the weights of a fresh network, and the network."""

    def write(name, latent=8, metadata=None, change=lambda state: state):
        model = BetaVae(latent)
        state = change(model.state_dict())
        if name.endswith(".safetensors"):
            safetensors.save_file(state, tmp_path / name, metadata)
        else:
            torch.save(state, tmp_path / name)
        return str(tmp_path / name), model

    return write


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
def test_training_starts_from_weights(task, tmp_path, weights, name):
    path, model = weights(name)
    trained, _ = fit(task, tmp_path, weights=path, latent=8, steps=1, lr=1e-9, batch=8)
    torch.testing.assert_close(flat(trained), flat(model), rtol=0, atol=1e-8)


def without(key):
    return lambda state: {k: v for k, v in state.items() if k != key}


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
@pytest.mark.parametrize(
    ("write", "message"),
    [
        ({"latent": 16}, r"latent=8.*encoder\.13\.weight has shape \(32, 256\), expected \(16, 256\)"),
        ({"change": without("encoder.0.bias")}, r"encoder\.0\.bias is missing"),
        ({"change": lambda state: state | {"more": torch.zeros(1)}}, "more has no place"),
    ],
)
def test_weights_that_do_not_fit(task, tmp_path, weights, name, write, message):
    path, _ = weights(name, **write)
    with pytest.raises(LearnerError, match=message) as error:
        fit(task, tmp_path, weights=path, latent=8)
    assert path in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
def test_weights_that_are_none(task, tmp_path, name):
    (tmp_path / name).write_text("no weights")
    with pytest.raises(LearnerError, match=name):
        fit(task, tmp_path, weights=str(tmp_path / name))


def test_weights_that_would_run_code(task, tmp_path):
    torch.save(BetaVae(8), tmp_path / "w.pt")
    with pytest.raises(LearnerError, match="more than tensors"):
        fit(task, tmp_path, weights=str(tmp_path / "w.pt"), latent=8)


def test_weights_that_are_not_there(task, tmp_path, weights):
    weights("right.pt")
    learner = BetaVaeLearner(BetaVaeSettings(weights=str(tmp_path / "rihgt.pt")))
    with pytest.raises(LearnerError, match=r"no such file\. Did you mean 'right\.pt'"):
        _ = learner.version
    with pytest.raises(LearnerError, match="no such file"):
        fit(task, tmp_path, weights=str(tmp_path / "rihgt.pt"))


def test_other_weights_under_the_same_name_are_another_version(weights):
    versions = set()
    for _ in range(2):
        path, _ = weights("w.safetensors")
        learner = BetaVaeLearner(BetaVaeSettings(weights=path))
        assert learner.version == learner.version
        versions.add(learner.version)
    assert len(versions) == 2
    assert BetaVaeLearner().version == ""


@pytest.mark.parametrize(
    ("metadata", "trained_on"),
    [
        (None, ()),
        ({"format": "pt"}, ()),
        ({"genbench.trained_on": "none"}, ("comporth/mini/compositional-A1",)),
        ({"genbench.trained_on": f"{OTHER}, {OTHER}"}, ("comporth/mini/compositional-A1", OTHER)),
        ({"genbench.trained_on": "comporth/mini/compositional-A1"}, ("comporth/mini/compositional-A1",)),
    ],
)
def test_what_refined_weights_were_trained_on(task, tmp_path, weights, metadata, trained_on):
    path, _ = weights("w.safetensors", metadata=metadata)
    model, _ = fit(task, tmp_path, weights=path, latent=8, steps=1, batch=8)
    assert model.trained_on == trained_on


# Export


@pytest.fixture(scope="module")
def saved(task, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    with training.seeded(0, "cpu"):
        model, _ = fit(task, folder, steps=60, batch=16)
    learner = BetaVaeLearner()
    learner.save(model, folder, task)
    return model, learner.load(folder), folder / "decoder.onnx"


def test_declarations(task, saved):
    _, file, decoder = saved
    assert declared(file) == {
        "genbench.benchmark": "comporth",
        "genbench.trained_on": task.split.id,
        "genbench.range": "0,1",
        "genbench.code_size": "32",
        "genbench.decoder": "decoder.onnx",
    }
    assert declared(decoder)["genbench.trained_on"] == task.split.id


def test_the_file_computes_what_torch_computes(task, saved):
    """Weights are shrunk to 8 bits and their errors add up through the layers, but stay below a grey level or two."""
    model, file, decoder = saved
    images = torch.from_numpy(task.images(np.arange(0, len(task), 9))).permute(0, 3, 1, 2).float() / 255
    outputs = run_onnx(file, images.numpy())
    with torch.no_grad():
        reconstruction, code = (each.numpy() for each in model(images))
    error = np.abs(outputs["reconstruction"] - reconstruction)
    assert error.max() < 0.05
    assert error.mean() < 0.005
    assert np.abs(outputs["embedding"] - code).max() < 0.05 * np.abs(code).max()
    alone = run_onnx(decoder, outputs["embedding"])["reconstruction"]
    np.testing.assert_allclose(alone, outputs["reconstruction"], atol=1e-5)


def test_nothing_is_declared_about_weights_of_unknown_origin(task, tmp_path, weights, monkeypatch):
    written = {}

    def record(module, file, source, outputs, shape, metadata):
        written[file.name] = metadata

    monkeypatch.setattr(export, "export_onnx", record)
    model, _ = fit(task, tmp_path, latent=8, steps=1, batch=8, weights=weights("w.pt")[0])
    BetaVaeLearner().save(model, tmp_path, task)
    assert set(written) == {"model.onnx", "decoder.onnx"}
    assert not any("genbench.trained_on" in about for about in written.values())


def test_coloured_images(task, tmp_path):
    model, losses = fit(Colour(task, 64, 64, 3), tmp_path, latent=8, steps=5)
    assert losses[-1] < losses[0]
    assert model(torch.rand(2, 3, 64, 64))[0].shape == (2, 3, 64, 64)
