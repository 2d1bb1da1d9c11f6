"""What Ada-GVAE, SlowVAE and PCL lower, as functions of what an encoder says about both images of each pair.

- Locatello, Poole, Rätsch, Schölkopf, Bachem and Tschannen (ICML 2020, arXiv:2002.02886): Ada-GVAE.
- Klindt, Schott, Sharma, Ustyuzhaninov, Brendel, Bethge and Paiton (ICLR 2021, arXiv:2007.10930): SlowVAE.
- Hyvärinen and Morioka (AISTATS 2017): permutation-contrastive learning, PCL.

Arrays (2 B, D) hold the first images of B pairs, then the second ones, in the same order.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor


def distances(mean: Tensor, log_variance: Tensor) -> Tensor:
    """Twice the divergence of the second posterior from the first, latent by latent: (2 B, D) each to (B, D)."""
    (mean1, mean2), (log1, log2) = mean.chunk(2), log_variance.chunk(2)
    return (log1 - log2).exp() + (mean2 - mean1).square() * (-log2).exp() - 1 + log2 - log1


def shared(mean: Tensor, log_variance: Tensor) -> tuple[Tensor, Tensor]:
    """Give both images of a pair the same posterior in those latents in which theirs are close: Ada-GVAE.

    Close is what is not above the middle between a pair's largest and smallest distance. Locatello et al. write "below", which
    differs where a distance lies exactly there: then two equal images would share nothing.

    Args:
        mean: Of the posteriors (2 B, D).
        log_variance: Of the posteriors (2 B, D).

    Returns:
        Means and log-variances (2 B, D). Where they are shared these are the mean of both means, and of both variances.
    """
    apart = distances(mean, log_variance)
    middle = (apart.amax(dim=1, keepdim=True) + apart.amin(dim=1, keepdim=True)) / 2
    close = (apart <= middle).repeat(2, 1)
    (mean1, mean2), (log1, log2) = mean.chunk(2), log_variance.chunk(2)
    middle_mean = ((mean1 + mean2) / 2).repeat(2, 1)
    middle_log_variance = (torch.logaddexp(log1, log2) - math.log(2)).repeat(2, 1)
    return torch.where(close, middle_mean, mean), torch.where(close, middle_log_variance, log_variance)


def entropy(log_variance: Tensor) -> Tensor:
    """Entropy of normal posteriors (N, D) in nats, summed over latents, averaged over rows; a scalar."""
    return 0.5 * (log_variance + math.log(2 * math.pi * math.e)).sum(dim=1).mean()


def laplace_cross_entropy(offset: Tensor, deviation: Tensor, rate: float) -> Tensor:
    """Cross-entropy in nats, entry by entry, of normal distributions and the Laplace distribution of the same axis around 0.

    Args:
        offset: Means of the normal distributions, of any shape.
        deviation: Their standard deviations, of the same shape.
        rate: Of the Laplace distribution: the inverse of its scale.
    """
    ratio = offset / deviation
    distance = deviation * math.sqrt(2 / math.pi) * (-0.5 * ratio.square()).exp() - offset * (
        1 - 2 * torch.special.ndtr(ratio)
    )
    return rate * distance - math.log(rate / 2)


def slowness(mean: Tensor, log_variance: Tensor, rate: float) -> Tensor:
    """How far the images of a pair are apart, for SlowVAE: in nats, summed over latents, averaged over pairs; a scalar.

    The cross-entropies of each image's posterior and a Laplace distribution around the other's mean are added, the entropy is
    subtracted once, as the authors' experiments have it.

    Args:
        mean: Of the posteriors (2 B, D).
        log_variance: Of the posteriors (2 B, D).
        rate: Of the Laplace distribution.
    """
    mean1, mean2 = mean.chunk(2)
    offset = torch.cat([mean1 - mean2, mean2 - mean1])
    both = laplace_cross_entropy(offset, (0.5 * log_variance).exp(), rate).sum(dim=1).mean()
    return 2 * both - entropy(log_variance)


def permutation_logits(before: Tensor, now: Tensor, a: Tensor, b: Tensor, c: Tensor, m: Tensor) -> Tensor:
    """Log-odds (B,) that two codes (B, D) belong to the same pair, for PCL.

    Args:
        before: Codes of first images.
        now: Codes of second images; their squares have the weight 1.
        a: Weights (D,) of `now`.
        b: Weights (D,) of `before`.
        c: Offsets (D,).
        m: Offset of the whole, a scalar.
    """
    return now.square().sum(dim=1) - (a * now + b * before + c).abs().sum(dim=1) + m


def contrast(true: Tensor, false: Tensor) -> Tensor:
    """How badly true pairs are told from false ones: cross-entropy of log-odds (B,) of either, averaged over all 2 B; a scalar."""
    return 0.5 * (F.softplus(-true).mean() + F.softplus(false).mean())
