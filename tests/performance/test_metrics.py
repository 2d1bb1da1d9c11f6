"""Metrics of hierarchical representations on one core, against plain scikit-learn code of the published recipe."""

from time import process_time

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.model_selection import train_test_split

from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.metrics.hierarchical import r_and_r_c, r_c

from ..metrics.latents import representations, spaceshapes
from ..metrics.representations import SPACESHAPES
from ..strategies import samples_of

pytestmark = pytest.mark.slow

SAMPLES = 10_000


class Clock:
    """Keeps the CPU seconds and the value of the last call of a function: on a shared machine, less hangs on the neighbours."""

    def __init__(self, function):
        self._function = function

    def __call__(self):
        start = process_time()
        self.value = self._function()
        self.seconds = process_time() - start


def test_conditional_r2_of_spaceshapes(stopwatch):
    factors = spaceshapes(SAMPLES, 0)
    codes = representations(factors, 0)["noisy0.05"]
    ours = Clock(lambda: r_c(factors, codes, truth=SPACESHAPES, learned=SPACESHAPES))
    plain = Clock(lambda: published(factors, codes, SPACESHAPES))
    ours()
    stopwatch.least(ours, plain, rounds=1, warmup=0)
    stopwatch.show(
        f"r_c of Spaceshapes, {SAMPLES:,} samples, 8 factors: {ours.seconds:.2f} CPU-s ({ours.value.value:.4f}), 1/"
        f"{plain.seconds / ours.seconds:.0f} of plain scikit-learn's {plain.seconds:.1f} ({plain.value:.4f}; aim 1/10)",
        ratio=plain.seconds / ours.seconds,
        cpu_seconds=ours.seconds,
        plain_cpu_seconds=plain.seconds,
    )
    assert ours.value.value == pytest.approx(plain.value, abs=0.005)


@pytest.mark.parametrize("kind", ["hierarchical", "flat"])
def test_the_largest_hierarchy(stopwatch, kind):
    def level(depth):
        rest = () if depth == 0 else (Categorical(((), level(depth - 1), level(depth - 1))),)
        return (Continuous(), *rest)

    hierarchy = Hierarchy((Categorical((level(2), level(2))),))
    draw = np.random.default_rng(0)
    factors = samples_of(hierarchy, SAMPLES, draw)
    turn = np.linalg.qr(draw.normal(size=(21, 21)))[0]
    codes, learned = (factors, hierarchy) if kind == "hierarchical" else (factors @ turn, None)
    ours = Clock(lambda: r_and_r_c(factors, codes, truth=hierarchy, learned=learned))
    stopwatch.least(ours, rounds=1, warmup=0)
    stopwatch.show(
        f"r and r_c of a hierarchy of {len(hierarchy.columns)} variables, {SAMPLES:,} samples, {kind} codes: "
        f"{ours.seconds:.1f} CPU-s",
        cpu_seconds=ours.seconds,
    )


def published(factors, codes, learned):
    """Score as one would at first: ten models for each pair, within each group of the hierarchy."""

    def group(factor, nodes, rows):
        scores = [0.0]
        for node in nodes:
            code = codes[:, node["column"]]
            scores.append(both_ways(factor[rows], code[rows]))
            options = [rows & (code == option) for option in range(1, len(node["options"]) + 1)]
            total = sum(option.sum() for option in options) + 1e-10
            scores.append(
                sum(
                    inside.sum() / total * group(factor, inner, inside)
                    for inner, inside in zip(node["options"], options, strict=True)
                )
            )
        return max(scores)

    tree = nested(learned)
    return float(np.mean([group(factor, tree, np.abs(factor) > 1e-10) for factor in factors.T]))


def nested(hierarchy):
    nodes = [{"column": at, "options": [[] for _ in range(c.options)]} for at, c in enumerate(hierarchy.columns)]
    root = []
    for node, column in zip(nodes, hierarchy.columns, strict=True):
        if column.conditions:
            parent, option = column.conditions[-1]
            nodes[parent]["options"][option - 1].append(node)
        else:
            root.append(node)
    return root


def both_ways(x, y):
    return np.sqrt(max(one_way(x, y), 0) * max(one_way(y, x), 0))


def one_way(x, y):
    if len(x) < 2:
        return 0.0
    scores = []
    few = len(np.unique(y)) <= 10 and np.allclose(y, np.trunc(y))
    for seed in range(5):
        x_train, x_test, y_train, y_test = train_test_split(x[:, None], y, random_state=seed)
        if len(np.unique(y_train)) == 1 or len(np.unique(y_test)) == 1:
            scores.append(1.0)
        elif few:
            model = GradientBoostingClassifier().fit(x_train, y_train.astype(int))
            scores.append(model.score(x_test, y_test.astype(int)))
        else:
            scores.append(GradientBoostingRegressor().fit(x_train, y_train).score(x_test, y_test))
    return np.mean(scores)
