"""Train readouts: for each right answer of a benchmark one small model from the embedding to the answer.

``linear`` is multinomial logistic regression, or ridge regression where the answers are numbers. ``mlp`` is a network with one
hidden layer. Embeddings are standardised by the training items. Nothing is tuned: a readout is the same size and is trained in the
same way for every model, so that models are compared and not the care taken with them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Kind = Literal["linear", "mlp"]

KINDS: tuple[str, ...] = get_args(Kind)
"""What ``--genbench-probe`` takes."""

C = 1.0
"""Inverse strength of the L2 penalty of logistic regression, on standardised embeddings and the sum of the items' losses."""

ALPHA = 1.0
"""Strength of the L2 penalty of ridge regression, on standardised embeddings and the sum of squares."""

ITERATIONS, PRECISION = 1000, 1e-4
"""Most iterations of L-BFGS, and the largest component of the gradient at which it stops."""

HIDDEN, STEPS, PATIENCE = 256, 10_000, 10
"""Hidden units (ReLU); most steps of Adam; epochs without progress after which training ends."""

BATCH = 200
"""Items in a step of Adam."""

ASIDE, ENOUGH = 0.1, 500
"""Share of the items that are kept aside to see progress by, if these are enough; else progress is seen by the loss. On fewer, the
first epochs would seem the best ones, since their accuracy has few values."""

Numbers = NDArray[np.float64]

Layers = tuple[tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]], ...]
"""Weights (in, out) and biases (out,), first layer first; float64 of linear readouts, float32 of networks."""


@dataclass(frozen=True)
class Head:
    """One trained readout, as plain arrays.

    Attributes:
        centre: Subtracted from embeddings, (D,).
        scale: Divides them then, (D,).
        layers: Weights (in, out) and biases (out,), first layer first; ReLU between layers.
        classes: Class numbers that training showed, ascending, which are the columns of the last layer; None where the answers are
            numbers.
        size: Classes there are, shown or not; numbers in an answer where the answers are numbers.
        converged: Whether training ended by itself.
    """

    centre: Numbers
    scale: Numbers
    layers: Layers
    classes: NDArray[np.int64] | None
    size: int
    converged: bool = True

    def __call__(self, embedding: NDArray[np.float32]) -> NDArray[np.float32]:
        """Answer.

        Args:
            embedding: float32 (N, D).

        Returns:
            float32 (N, size): logits, where a class that training never showed is always less likely than all others; or numbers
            in [0, 1].
        """
        standard = (embedding - self.centre) / self.scale
        found: NDArray[np.floating[Any]] = standard.astype(self.layers[0][0].dtype, copy=False)  # as in training
        for at, (weights, biases) in enumerate(self.layers):
            found = (np.maximum(found, 0) if at else found) @ weights + biases
        if self.classes is None:
            return np.asarray(np.clip(found, 0, 1), dtype=np.float32)
        logits = np.repeat(found.min(axis=1, keepdims=True) - 1, self.size, axis=1)
        logits[:, self.classes] = found
        return logits.astype(np.float32)


def fit(
    kind: Kind,
    embedding: NDArray[np.float32],
    targets: Mapping[str, NDArray[Any]],
    sizes: Mapping[str, int],
    *,
    seed_of: Callable[[str], int],
    threads: int,
) -> dict[str, Head]:
    """Train one readout for each target, separately.

    Args:
        kind: ``linear`` or ``mlp``.
        embedding: float32 (N, D), finite.
        targets: By output: class numbers int64 (N,), or numbers in [0, 1] (N, K).
        sizes: For each target, how many classes there are, or K.
        seed_of: Gives the seed of a target's training.
        threads: CPU threads for linear readouts; networks use one.
    """
    # Before threads are limited: what is loaded later would not be, and SciPy brings a BLAS of its own.
    import sklearn.linear_model
    import sklearn.neural_network  # noqa: F401
    from threadpoolctl import threadpool_limits

    centre = embedding.mean(axis=0, dtype=np.float64)
    scale = embedding.std(axis=0, dtype=np.float64)
    # What is constant but for rounding stays constant, instead of becoming noise of size 1.
    scale[scale <= 1e-6 * np.abs(centre)] = 1
    scale[scale == 0] = 1
    standard = (embedding - centre) / scale
    heads = {}
    # The steps of a network are too small to share: threads would wait for each other, and spin meanwhile.
    with threadpool_limits(limits=threads if kind == "linear" else 1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a training did not converge is said by the model's contract
        for name, target in targets.items():
            seed = seed_of(name)
            if target.ndim == 1:
                layers, classes, converged = _classify(kind, standard, target, seed)
            else:
                (layers, converged), classes = _regress(kind, standard, target, seed), None
            heads[name] = Head(centre, scale, layers, classes, sizes[name], converged)
    return heads


def _classify(kind: Kind, x: Numbers, y: NDArray[Any], seed: int) -> tuple[Layers, NDArray[np.int64], bool]:
    classes, counts = np.unique(y.astype(np.int64), return_counts=True)
    if len(classes) == 1:  # nothing to learn, and scikit-learn refuses
        return ((np.zeros((x.shape[1], 1)), np.zeros(1)),), classes, True
    if kind == "linear":
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=C, solver="lbfgs", tol=PRECISION, max_iter=ITERATIONS).fit(x, y)
        layers: Layers = ((model.coef_.T, model.intercept_),)
        converged = int(model.n_iter_.max()) < ITERATIONS
    else:
        from sklearn.neural_network import MLPClassifier

        # scikit-learn keeps items of every class aside, and refuses if there is one item of a class.
        settings = _network(seed, len(y), counts.min() >= 2)
        model = MLPClassifier(**settings).fit(x.astype(np.float32), y)
        layers, converged = _layers(model), model.n_iter_ < settings["max_iter"]
    if len(classes) == 2:  # one column, the logit of the second class against the first
        weights, biases = layers[-1]
        layers = (*layers[:-1], (np.hstack([0 * weights, weights]), np.hstack([0 * biases, biases])))
    return layers, classes, converged


def _regress(kind: Kind, x: Numbers, y: NDArray[Any], seed: int) -> tuple[Layers, bool]:
    if kind == "linear":
        from sklearn.linear_model import Ridge

        model = Ridge(alpha=ALPHA, solver="cholesky").fit(x, y.astype(np.float64))
        return ((model.coef_.T.reshape(x.shape[1], -1), np.atleast_1d(model.intercept_)),), True
    from sklearn.neural_network import MLPRegressor

    settings = _network(seed, len(y), True)
    answers = y.astype(np.float32)
    model = MLPRegressor(**settings).fit(x.astype(np.float32), answers[:, 0] if answers.shape[1] == 1 else answers)
    return _layers(model), model.n_iter_ < settings["max_iter"]


def _network(seed: int, items: int, can_keep_aside: bool) -> dict[str, Any]:
    stops = can_keep_aside and items * ASIDE >= ENOUGH
    trained = int(items * (1 - ASIDE)) if stops else items
    return {
        "hidden_layer_sizes": (HIDDEN,),
        "batch_size": min(BATCH, trained),
        "early_stopping": stops,
        "validation_fraction": ASIDE,
        "n_iter_no_change": PATIENCE,
        "max_iter": ceil(STEPS / ceil(trained / BATCH)),
        "random_state": seed,
    }


def _layers(model: Any) -> Layers:
    return tuple(zip(model.coefs_, model.intercepts_, strict=True))
