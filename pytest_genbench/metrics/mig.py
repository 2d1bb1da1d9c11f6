"""Mutual information gap: does each factor have one unit that knows it better than all others?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Kinds, names_of, tables
from .columns import varying
from .information import BINS, Binning, entropies, factor_labels, labels, mutual_information, settings_in_name
from .result import Result


def mig(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    kinds: Kinds = "categorical",
    bins: int = BINS,
    binning: Binning = "equal-width",
) -> Result:
    """Mutual information gap (Chen et al. 2018, section 4), with the plug-in estimate of Locatello et al. (2019).

    For each factor, the mutual information of the best unit less that of the second best, divided by the factor's entropy; then
    the mean over factors. Two units that share a factor, or duplicate it, give 0. Independent units do not give exactly 0 but a
    floor of the order of bins * levels / N: compare with :func:`~pytest_genbench.metrics.chance.chance`.

    Equal-width bins hang on the extremes of a unit: a single outlier may push all other samples into one bin. ``quantile`` bins
    do not mind, and see nothing of a unit but its order.

    Args:
        factors: True values (N, K). Categorical ones are used level by level, continuous ones are cut like units. Factors of one
            level have no entropy and are left out.
        codes: Values of the units (N, D), means where they have a distribution. With a single unit the second best is 0.
        kinds: What the factors are.
        bins: Bins for each unit and each continuous factor.
        binning: ``equal-width``, ``quantile``, or ``levels`` for units that take few values, each its own bin.

    Returns:
        From 0 to 1. ``parts`` are the normalised gaps by factor; ``matrix`` is the mutual information in nats, (kept factors, D).

    Raises:
        MetricError: The arrays or settings cannot be used, or every factor has one level.

    Example:
        >>> factors = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> float(mig(factors, factors[:, ::-1])), float(mig(factors, np.hstack([factors, factors])))
        (1.0, 0.0)
    """
    truth, units = tables(factors, codes)
    cut = factor_labels(truth, kinds, bins, binning)
    entropy = entropies(cut)
    kept = varying(cut)
    information = mutual_information(cut[:, kept], labels(units, bins, binning))
    ranked = np.sort(np.hstack([np.zeros((len(kept), 1)), information]), axis=1)
    gaps = (ranked[:, -1] - ranked[:, -2]) / entropy[kept]
    names = names_of(kinds, truth.shape[1])
    return Result(
        name="mig" + settings_in_name(bins, binning),
        value=float(gaps.mean()),
        parts={names[k]: float(gap) for k, gap in zip(kept, gaps, strict=True)},
        matrix=information,
    )
