"""What the weakly supervised models lower: against numbers made by hand, loops, integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

torch = pytest.importorskip("torch")

from pytest_genbench.reference_models.beta_vae import divergence  # noqa: E402
from pytest_genbench.reference_models.weak_losses import (  # noqa: E402
    contrast,
    distances,
    entropy,
    laplace_cross_entropy,
    permutation_logits,
    shared,
    slowness,
)


def posteriors(pairs=5, latents=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    mean, log_variance = torch.randn(2, 2 * pairs, latents, generator=generator, dtype=torch.float64)
    return mean, log_variance


# Ada-GVAE


def test_distances_are_twice_the_divergence_of_the_second_from_the_first():
    mean, log_variance = posteriors()
    first, second = (
        torch.distributions.Normal(m, (0.5 * v).exp())
        for m, v in zip(mean.chunk(2), log_variance.chunk(2), strict=True)
    )
    expected = 2 * torch.distributions.kl_divergence(first, second)
    torch.testing.assert_close(distances(mean, log_variance), expected)


def test_close_latents_get_the_mean_of_both_means_and_of_both_variances():
    mean = torch.tensor([[0.0, 1.0, 5.0], [0.0, 1.5, 0.0]])  # unit variances: distances 0, 0.25, 25
    variance = torch.tensor([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    found, log_variance = shared(mean, variance.log())
    assert found.tolist() == [[0, 1.25, 5], [0, 1.25, 0]]
    assert log_variance.exp().tolist() == [[1, 1, 1], [1, 1, 1]]
    found, log_variance = shared(torch.tensor([[0.0, 9.0], [0.0, 0.0]]), torch.tensor([[1.0, 1.0], [3.0, 1.0]]).log())
    assert found.tolist() == [[0, 9], [0, 0]]
    assert log_variance.exp().flatten().tolist() == pytest.approx([2, 1, 2, 1])


def test_sharing_pair_by_pair_and_latent_by_latent():
    mean, log_variance = posteriors(6)
    found = torch.stack(shared(mean, log_variance))
    apart = distances(mean, log_variance)
    for pair in range(6):
        middle = (apart[pair].max() + apart[pair].min()) / 2
        for latent in range(4):
            at = [pair, pair + 6], latent
            if apart[pair, latent] > middle:
                assert torch.equal(found[0][at], mean[at])
                assert torch.equal(found[1][at], log_variance[at])
            else:
                torch.testing.assert_close(found[0][at], mean[at].mean().expand(2))
                torch.testing.assert_close(found[1][at].exp(), log_variance[at].exp().mean().expand(2))


def test_latents_that_are_equally_far_are_shared():
    """Those of two equal images are: nothing is below the middle of equal distances."""
    mean = torch.tensor([[0.0, 2.0], [1.0, 1.0]])
    assert shared(mean, torch.zeros(2, 2))[0].tolist() == [[0.5, 1.5], [0.5, 1.5]]


def test_a_latent_in_the_middle_is_shared():
    mean = torch.tensor([[0.0, 0.0, 0.0], [1.0, 5.0, 7.0]])  # distances 1, 25, 49
    assert shared(mean, torch.zeros(2, 3))[0].tolist() == [[0.5, 2.5, 0], [0.5, 2.5, 7]]


# SlowVAE


@pytest.mark.parametrize(("offset", "deviation", "rate"), [(0.0, 1.0, 6.0), (1.3, 0.4, 6.0), (-2.0, 0.7, 1.0)])
def test_the_laplace_cross_entropy_by_integration(offset, deviation, rate):
    def integrand(z):
        return -norm.pdf(z, offset, deviation) * (math.log(rate / 2) - rate * abs(z))

    expected, _ = quad(integrand, offset - 9 * deviation, offset + 9 * deviation, points=[0.0], limit=200)
    values = torch.tensor([offset, deviation], dtype=torch.float64)
    assert laplace_cross_entropy(values[0], values[1], rate).item() == pytest.approx(expected, rel=1e-6)


def test_entropy_is_that_of_normal_distributions():
    _, log_variance = posteriors()
    expected = torch.distributions.Normal(0.0, (0.5 * log_variance).exp()).entropy().sum(1).mean()
    torch.testing.assert_close(entropy(log_variance), expected)


def test_slowness_adds_both_directions_and_subtracts_the_entropy_once():
    mean, log_variance = posteriors(3)
    total = 0.0
    for pair in range(3):
        for latent in range(4):
            for one, other in ((pair, pair + 3), (pair + 3, pair)):
                m = (mean[one, latent] - mean[other, latent]).item()
                s = math.exp(0.5 * log_variance[one, latent].item())
                total += -math.log(6 / 2) + 6 * s * math.sqrt(2 / math.pi) * math.exp(-m * m / (2 * s * s))
                total -= 6 * m * (1 - 2 * norm.cdf(m / s))
    expected = total / 3 - entropy(log_variance).item()
    assert slowness(mean, log_variance, 6.0).item() == pytest.approx(expected)


def test_the_other_part_of_the_paper_is_the_divergence():
    """The cross-entropy with the prior, less the entropy."""
    mean, log_variance = posteriors()
    with_prior = (0.5 * (mean.square() + log_variance.exp()) + 0.5 * math.log(2 * math.pi)).sum(1).mean()
    torch.testing.assert_close(with_prior - entropy(log_variance), divergence(mean, log_variance))


# PCL


def test_permutation_logits_by_hand():
    before, now = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, -1.0]])
    a, b, c, m = torch.tensor([2.0, 1.0]), torch.tensor([-1.0, 1.0]), torch.tensor([0.5, 0.0]), torch.tensor(0.25)
    # |6 - 1 + 0.5| + |-1 + 2 + 0| = 6.5; squares 9 + 1
    assert permutation_logits(before, now, a, b, c, m).tolist() == [10 - 6.5 + 0.25]


def test_contrast_is_the_mean_cross_entropy_of_all_pairs():
    true, false = torch.tensor([0.3, -2.0]), torch.tensor([1.0, 0.0])
    losses = [math.log(1 + math.exp(-x)) for x in (0.3, -2.0)] + [math.log(1 + math.exp(x)) for x in (1.0, 0.0)]
    assert contrast(true, false).item() == pytest.approx(np.mean(losses))
