"""What trivial codes score on a data set, and what is published."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from ...hierarchy import Hierarchy
from ...rng import stream
from ...scores import Anchor
from ...splits import Split
from ...threads import per_process
from ..protocol import Inputs
from .scores import Data, measure

SAMPLES = 10_000
"""Most items that trivial codes are made for."""


class Shown(Data, Protocol):
    """What the anchors ask of a benchmark."""

    def images(self, index: ArrayLike) -> Inputs:
        """Render items (N,)."""


def anchors(data: Shown, split: Split) -> list[Anchor]:
    """Score codes that nobody has to learn, on the items a model is tested on, by all metrics but DCI, which takes too long.

    Returns:
        chance: the principal components with the labels shuffled; principal components: as many as the data have variables,
        which for signals hold all there is to know, but mixed; true values: what a perfect code scores with this estimator; and
        what is published.
    """
    items = split.test[:SAMPLES]
    truth, factors = data.hierarchy(split), data.latents(items)
    components = _principal(data.images(items), truth.continuous)
    flat = Hierarchy.flat(components.shape[1])
    shuffled = stream("chance", split.id).permutation(len(items))
    codes = {
        "chance": (components[shuffled], flat, "shuffled labels"),
        "principal components": (components, flat, f"{flat.continuous} of them"),
        "true values": (factors, truth, "and the true hierarchy"),
    }
    found = []
    for name, (code, learned, note) in codes.items():
        scores = measure(factors, code, truth, learned, trees=False)
        found += [Anchor(name, metric, score.value, note=note) for metric, score in scores.items()]
    return found + [
        Anchor(
            name, metric, value, "published", note="best run, Ross & Doshi-Velez 2021, fig. 12; gradient-boosted trees"
        )
        for name, metric, value in PUBLISHED.get(split.slug, ())
    ]


PUBLISHED = {
    "spaceshapes": (
        ("published COFHAE", "r_c_fast", 0.89),
        ("published COFHAE", "r_fast", 0.79),
        ("published β-TCVAE", "r_c_fast", 0.69),
        ("published β-TCVAE", "r_fast", 0.47),
    )
}
"""By data set: who, metric, value. Of the other data sets the paper shows bars without digits."""


def _principal(shown: Inputs, count: int) -> NDArray[np.float64]:
    """Return the first principal components (N, count) of images or signals."""
    from sklearn.decomposition import PCA

    rows = shown.reshape(len(shown), -1).astype(np.float32)
    with threadpool_limits(per_process()):
        found = PCA(count, svd_solver="randomized", random_state=0).fit_transform(rows)
    return np.asarray(found, dtype=np.float64)
