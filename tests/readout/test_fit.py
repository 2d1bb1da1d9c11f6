"""Readouts in cases where the right answer is known."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier

from pytest_genbench.readout import fit as module
from pytest_genbench.readout.fit import KINDS, fit

both = pytest.mark.parametrize("kind", KINDS)


def train(kind, embedding, target, size=None, seed=0):
    size = size or (int(target.max()) + 1 if target.ndim == 1 else target.shape[1])
    embedding = np.asarray(embedding, np.float32)
    return fit(kind, embedding, {"t": target}, {"t": size}, seed_of=lambda name: seed, threads=1)["t"], embedding


def clusters(classes=3, each=60, width=4):
    draw = np.random.default_rng(0)
    target = np.repeat(np.arange(classes), each)
    return draw.normal(size=(classes, width))[target] * 10 + draw.normal(size=(len(target), width)), target


def softmax(logits):
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


@both
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_what_is_apart_is_told_apart(kind, classes):
    embedding, target = clusters(classes)
    head, embedding = train(kind, embedding, target)
    logits = head(embedding)
    assert (logits.dtype, logits.shape) == (np.float32, (len(target), classes))
    np.testing.assert_array_equal(logits.argmax(axis=1), target)


@both
def test_scale_and_place_of_the_embedding_do_not_matter(kind):
    embedding, target = clusters()
    head, moved = train(kind, embedding * [1e-6, 1, 1e6, 1] + [0, 0, 0, 1e3], target)
    np.testing.assert_array_equal(head(moved).argmax(axis=1), target)


@both
def test_a_constant_embedding_gives_the_commonest_class(kind):
    target = np.array([1] * 50 + [0] * 30 + [2] * 20)
    head, embedding = train(kind, np.full((100, 3), 0.1), target)
    assert (head(embedding).argmax(axis=1) == 1).all()
    assert (head(embedding + np.float32(1e-9)).argmax(axis=1) == 1).all()


def test_a_constant_embedding_gives_the_mean():
    target = np.random.default_rng(0).random((50, 2))
    head, embedding = train("linear", np.ones((50, 3)), target)
    np.testing.assert_allclose(head(embedding), np.tile(target.mean(axis=0), (50, 1)), rtol=1e-6)


@both
def test_a_class_never_shown_has_a_column_and_is_never_the_answer(kind):
    embedding, target = clusters(3)
    head, embedding = train(kind, embedding, np.array([1, 3, 4])[target], size=6)
    for inputs in (embedding, 100 * np.random.default_rng(1).normal(size=embedding.shape).astype(np.float32)):
        logits = head(inputs)
        assert logits.shape == (len(inputs), 6)
        assert np.isfinite(logits).all()
        assert logits[:, [0, 2, 5]].max() < logits.max()
        assert (logits[:, [0, 2, 5]].max(axis=1) < logits[:, [1, 3, 4]].min(axis=1)).all()


@both
def test_a_single_class_is_always_the_answer(kind):
    head, embedding = train(kind, clusters()[0], np.full(180, 2), size=3)
    assert (head(embedding).argmax(axis=1) == 2).all()
    assert np.isfinite(head(embedding)).all()


def test_linear_is_the_logistic_regression_of_scikit_learn():
    draw = np.random.default_rng(0)
    embedding = draw.normal(size=(200, 5)).astype(np.float32)
    standard = (embedding - embedding.mean(axis=0)) / embedding.std(axis=0)
    for classes in (2, 4):
        target = draw.integers(0, classes, 200)
        head, _ = train("linear", embedding, target)
        expected = LogisticRegression(C=1.0).fit(standard, target).predict_proba(standard)
        np.testing.assert_allclose(softmax(head(embedding)), expected, atol=2e-3)


@pytest.mark.parametrize(
    ("items", "classes", "stops", "epochs"), [(100, 2, False, 20), (100, 3, False, 20), (1000, 3, True, 4)]
)
def test_mlp_is_the_network_of_scikit_learn(items, classes, stops, epochs, monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 100)
    monkeypatch.setattr(module, "STEPS", 20)
    draw = np.random.default_rng(0)
    embedding = draw.normal(size=(items, 5)).astype(np.float32)
    target = draw.integers(0, classes, items)
    head, _ = train("mlp", embedding, target, seed=5)
    standard = ((embedding - head.centre) / head.scale).astype(np.float32)
    same = MLPClassifier((256,), early_stopping=stops, max_iter=epochs, random_state=5)
    with pytest.warns(ConvergenceWarning):
        same.fit(standard, target)
    np.testing.assert_allclose(softmax(head(embedding)), same.predict_proba(standard), atol=1e-5)


@both
@pytest.mark.parametrize("numbers", [1, 2])
def test_numbers_are_recovered_and_stay_between_0_and_1(kind, numbers):
    draw = np.random.default_rng(0)
    embedding = draw.normal(size=(400, 3))
    target = 0.5 + np.clip(embedding[:, :numbers], -2, 2) / 4
    head, embedding = train(kind, embedding, target)
    found = head(embedding)
    assert (found.dtype, found.shape) == (np.float32, (400, numbers))
    assert np.abs(found - target).mean() < (0.02 if kind == "linear" else 0.1)
    assert head(embedding * 1000).min() == 0
    assert head(embedding * 1000).max() == 1


def test_linear_is_the_ridge_regression_of_scikit_learn():
    draw = np.random.default_rng(0)
    embedding, target = draw.normal(size=(50, 4)).astype(np.float32), draw.random((50, 2))
    head, _ = train("linear", embedding, target)
    standard = (embedding.astype(float) - head.centre) / head.scale
    expected = Ridge(alpha=1.0).fit(standard, target).predict(standard)
    np.testing.assert_allclose(head(embedding), np.clip(expected, 0, 1), atol=1e-6)


@both
def test_the_same_seed_gives_the_same_bytes(kind):
    embedding, target = clusters()
    first, embedding = train(kind, embedding, target)
    again, _ = train(kind, embedding, target)
    assert first(embedding).tobytes() == again(embedding).tobytes()


def test_another_seed_gives_another_network():
    embedding, target = clusters()
    first, embedding = train("mlp", embedding, target)
    other, _ = train("mlp", embedding, target, seed=1)
    assert not np.array_equal(first(embedding), other(embedding))


def test_a_network_bears_rare_classes_and_few_items(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 1)
    embedding, target = clusters(3, each=20)
    target[0] = 3
    head, embedding = train("mlp", embedding, target)
    assert head(embedding).shape == (60, 4)
    head, embedding = train("mlp", embedding[:3], np.array([0, 1, 1]))
    assert np.isfinite(head(embedding)).all()
    head, embedding = train("mlp", embedding[:3], np.array([[0.0], [1.0], [1.0]]))
    assert head(embedding).shape == (3, 1)


def test_training_that_is_ended_early_is_known(monkeypatch):
    embedding, target = clusters()
    assert train("linear", embedding, target)[0].converged
    monkeypatch.setattr(module, "ITERATIONS", 1)
    monkeypatch.setattr(module, "STEPS", 1)
    assert not any(train(kind, embedding, target)[0].converged for kind in KINDS)


def test_targets_are_read_out_each_for_itself():
    embedding, target = clusters()
    embedding = embedding.astype(np.float32)
    targets = {"a": target, "b": (target == 1).astype(np.int64), "c": np.stack([target / 2], axis=1)}
    sizes = {"a": 3, "b": 2, "c": 1}
    heads = fit("linear", embedding, targets, sizes, seed_of=len, threads=1)
    assert list(heads) == ["a", "b", "c"]
    for name, one in targets.items():
        alone = fit("linear", embedding, {name: one}, sizes, seed_of=len, threads=1)[name]
        np.testing.assert_array_equal(heads[name](embedding), alone(embedding))
