"""Flat auto-encoders: what they lower, how large their codes are, that they learn."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.hierarchy import Hierarchy  # noqa: E402
from pytest_genbench.learners import Learner  # noqa: E402
from pytest_genbench.learners.references import make  # noqa: E402
from pytest_genbench.reference_models import representations  # noqa: E402
from pytest_genbench.reference_models.adversarial import shuffled  # noqa: E402
from pytest_genbench.reference_models.beta_vae import divergence  # noqa: E402
from pytest_genbench.reference_models.representations import (  # noqa: E402
    FactorVaeLearner,
    Flat,
    FlatLearner,
    TcVaeLearner,
    VaeLearner,
    log_density,
    schedule_for,
    total_correlation,
)
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402

from .twigs import task  # noqa: E402

LEARNERS = {
    "autoencoder": FlatLearner,
    "vae": VaeLearner,
    "beta-tcvae": TcVaeLearner,
    "factor-vae": FactorVaeLearner,
}
ALL = pytest.mark.parametrize("name", LEARNERS)


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def signals():
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


# Models


@pytest.mark.parametrize("shape", [(64,), (64, 64, 1)])
@pytest.mark.parametrize("is_variational", [False, True])
def test_the_reconstruction_is_made_from_the_embedding(shape, is_variational):
    model = build(lambda: Flat(shape, 5, "relu", is_variational), 0).eval()
    inputs = torch.rand(3, *((64,) if len(shape) == 1 else (1, 64, 64)))
    outputs = model(inputs)
    assert outputs["embedding"].shape == (3, 5)
    assert outputs["reconstruction"].shape == inputs.shape
    assert torch.equal(model.encode(inputs), outputs["embedding"])
    torch.testing.assert_close(model.decode(outputs["embedding"]), outputs["reconstruction"])
    assert model.hierarchy == Hierarchy.flat(5)
    if is_variational:
        assert torch.equal(model.posterior(inputs)[0], outputs["embedding"])


# Total correlation


def test_log_density_is_that_of_torch():
    z, mean, log_variance = torch.randn(3, 4, 2)
    expected = torch.distributions.Normal(mean, (0.5 * log_variance).exp()).log_prob(z)
    torch.testing.assert_close(log_density(z, mean, log_variance), expected)


def test_the_three_parts_add_up_to_the_divergence():
    mean, log_variance = torch.randn(4000, 3), torch.randn(4000, 3) - 1
    z = representations.sampled(mean, log_variance)
    parts = total_correlation(z, mean, log_variance, 4000)
    assert sum(parts).item() == pytest.approx(divergence(mean, log_variance).item(), rel=0.05)


def test_the_parts_put_together_entry_by_entry():
    z, mean, log_variance = torch.randn(3, 5, 2, dtype=torch.float64)
    deviation = (0.5 * log_variance).exp()
    density = [
        [torch.distributions.Normal(mean[j], deviation[j]).log_prob(z[i]).exp() for j in range(5)] for i in range(5)
    ]
    joint = [math.log(sum(density[i][j].prod().item() for j in range(5)) / (5 * 70)) for i in range(5)]
    product = [
        sum(math.log(sum(density[i][j][d].item() for j in range(5)) / (5 * 70)) for d in range(2)) for i in range(5)
    ]
    own = [density[i][i].log().sum().item() for i in range(5)]
    prior = torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(1).tolist()
    expected = [np.mean(own) - np.mean(joint), np.mean(joint) - np.mean(product), np.mean(product) - np.mean(prior)]
    assert [part.item() for part in total_correlation(z, mean, log_variance, 70)] == pytest.approx(expected)


def test_dependent_codes_have_a_larger_total_correlation():
    x = torch.randn(500, 1)
    narrow = torch.full((500, 2), -2.0)
    same, apart = torch.cat([x, x], 1), torch.cat([x, torch.randn(500, 1)], 1)
    one, other = (total_correlation(z, z, narrow, 500)[1].item() for z in (same, apart))
    assert one > other + 0.3


# Losses


@ALL
def test_the_first_loss(name, signals, tmp_path):
    """Put together by hand: a sampled code, its misfit, its divergence and what else there is."""
    _, (loss,) = fit(name, signals, tmp_path, steps=1, latent=4, batch=50)
    model = build(lambda: Flat((64,), 4, "relu", name != "autoencoder"), 0)
    inputs = torch.from_numpy(signals.images(next(signals.batches(50, seed=0))))
    torch.manual_seed(0)
    mean = z = model.encode(inputs)
    if name != "autoencoder":
        mean, log_variance = model.posterior(inputs)
        z = mean + (0.5 * log_variance).exp() * torch.randn_like(mean)
    expected = 100 * (model.decode(z) - inputs).square().sum() / 50
    if name == "vae":
        expected = expected + divergence(mean, log_variance)
    elif name == "beta-tcvae":
        information, correlation, single = total_correlation(z, mean, log_variance, len(signals))
        expected = expected + information + 5 * correlation + single
    elif name == "factor-vae":
        critic = build(lambda: representations.Critic(4, 32), 0)
        expected = expected + divergence(mean, log_variance) + 10 * critic(z).mean()
    assert loss == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.parametrize(("name", "setting"), [("vae", "beta"), ("beta-tcvae", "beta"), ("factor-vae", "gamma")])
def test_weights_count(name, setting, signals, tmp_path):
    losses = [fit(name, signals, tmp_path, steps=1, **{setting: weight})[1][0] for weight in (0.0, 1.0, 3.0)]
    assert losses[2] - losses[0] == pytest.approx(3 * (losses[1] - losses[0]), rel=1e-3, abs=1e-3)
    assert losses[1] != losses[0]


def test_the_critic_of_a_factor_vae_sees_sampled_codes(signals):
    learner = FactorVaeLearner()
    model, critic = build(lambda: Flat((64,), 3, "relu", True), 0), learner.critic(3, "smoke", 0)
    inputs = torch.from_numpy(signals.images(np.arange(20)))
    torch.manual_seed(1)
    _, reply = learner.objective(model, critic, 100)(inputs, np.arange(20))
    found = reply()
    torch.manual_seed(1)
    z = representations.sampled(*model.posterior(inputs))
    torch.testing.assert_close(found, critic.loss(z, shuffled(z)))


# Learners


@ALL
def test_what_a_learner_says(name):
    found = make(f"reference:{name}")
    assert isinstance(found.learner, Learner)
    assert found.learner.outputs == ("embedding", "reconstruction")
    assert found.settings["latent"] == 0
    assert type(found.learner) is LEARNERS[name]


@ALL
def test_training_lowers_the_loss(name, signals, tmp_path):
    model, losses = fit(name, signals, tmp_path, steps=60)
    assert len(losses) == 60
    assert np.mean(losses[-5:]) < 0.6 * losses[0]
    assert not model.training
    assert model.code_size == 3  # a slope, a choice and a kink


@ALL
def test_same_seed_gives_same_weights(name, signals, tmp_path):
    first, other, again = (flat(fit(name, signals, tmp_path, steps=3, seed=seed)[0]) for seed in (1, 2, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_images(tmp_path):
    model, losses = fit("factor-vae", task(60, (64, 64, 1)), tmp_path, steps=3, batch=16, latent=2)
    assert losses[-1] < losses[0]
    assert model.code_size == 2


def test_budgets(signals):
    def steps(made, budget, **settings):
        return schedule_for(made, FlatLearner.Settings(**settings), budget)

    assert [steps(signals, budget).steps for budget in ("smoke", "quick", "standard")] == sorted(
        representations.STEPS["signal"].values()
    )
    assert steps(signals, "quick", steps=7, batch=9).steps == 7
    assert (steps(signals, "paper").steps, steps(signals, "paper").epoch) == (
        50 * 3,
        3,
    )  # 540 signals in batches of 256
    assert steps(signals, "paper", batch=540).steps == 50
    assert steps(task(60, (64, 64, 1)), "quick").batch == 32


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"latent": -1}, "latent=-1 of vae has to be a whole number"),
        ({"beta": -1.0}, "beta=-1.0 of vae has to be a number"),
        ({"beta": math.inf}, "beta=inf of vae"),
        ({"activation": "tanh"}, "activation=tanh of vae has to be relu or softplus"),
    ],
)
def test_settings_that_cannot_be_used(setting, message):
    with pytest.raises(LearnerError, match=message):
        VaeLearner(VaeLearner.Settings(**setting))


def test_without_a_hierarchy_the_size_of_the_code_has_to_be_set(tmp_path, monkeypatch):
    made = task(60)
    monkeypatch.delattr(type(made.benchmark), "hierarchy")
    with pytest.raises(LearnerError, match=r"Set latent\."):
        fit("vae", made, tmp_path, steps=1)
    assert fit("vae", made, tmp_path, steps=1, latent=2)[0].code_size == 2
