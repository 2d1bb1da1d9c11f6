"""The checks of a learner: what is sound passes, and each broken rule is named."""

from pathlib import Path

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr import Cvr
from pytest_genbench.testing import check_learner
from pytest_genbench.testing import learner as learner_checks

from .dots import Dots


class Answer:
    """A model that is kept by pickling it."""

    def __init__(self, weights):
        self.weights = weights

    def __call__(self, images):
        return {"factor.row": (images.mean(axis=(1, 2, 3))[:, None] + self.weights).astype(np.float32)}


class Nan(Answer):
    def __call__(self, images):
        return {"factor.row": np.full((len(images), 4), np.nan)}


class Forgetful(Answer):
    """Does not take its weights along when it is pickled."""

    def __reduce__(self):
        return Answer, (np.zeros(4),)


class Counter:
    """A sound learner: its model's answers depend on the seed and on ten steps, each written to a checkpoint."""

    outputs = ("factor.row",)
    steps = 10

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        state = checkpoint_dir / "state.npz"
        weights, done = np.zeros(4), 0
        if state.exists():
            with np.load(state) as saved:
                weights, done = saved["weights"], int(saved["done"])
        for step in range(done, self.steps):
            weights = weights + self.draw(seed, step)
            np.savez(state, weights=weights, done=step + 1)
            progress(step + 1, self.steps, 1 / (step + 1))
        return self.model(weights)

    def draw(self, seed, step):
        return np.random.default_rng([seed, step]).normal(size=4)

    def model(self, weights):
        return Answer(weights)


class Closed(Counter):
    """A sound learner that needs one step and writes nothing."""

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        progress(1, 1)
        return self.model(task.targets()["factor.row"][:4].astype(float))


class FromTheStart(Counter):
    """A sound learner that begins anew when it is interrupted."""

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        weights = np.zeros(4)
        for step in range(self.steps):
            weights += self.draw(seed, step)
            progress(step + 1, self.steps)
        return self.model(weights)


class Saves(Counter):
    """A sound learner that keeps its models itself, and returns something that only it understands."""

    def model(self, weights):
        return weights

    def save(self, model, folder, task):
        np.save(folder / "weights.npy", model)

    def load(self, folder):
        return Answer(np.load(folder / "weights.npy"))


@pytest.mark.parametrize(
    "learner", [Counter(), Closed(), FromTheStart(), Saves()], ids=lambda learner: type(learner).__name__
)
def test_sound_learners_pass(learner):
    check_learner(learner, Dots())
    check_learner(learner, Dots(), family="line")


class Brightest:
    """A model of sets that is told the rule; kept by pickling it."""

    genbench = {"layout": "NHWC"}  # noqa: RUF012

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, images, rule):
        return {"scores": images.mean(axis=(2, 3, 4)) * self.weight + rule[:, None]}


class Chooses(Counter):
    """Learns the odd one of several images, and chooses between two signs by what is set apart."""

    outputs = ("scores",)
    steps = 2

    def fit(self, task, **arguments):
        self.right = task.validation.targets([0, 1, 2])["scores"]
        self.ink = task.validation.images([0, 1, 2]).mean(axis=(2, 3, 4))
        return super().fit(task, **arguments)

    def model(self, weights):
        return Brightest(max((-1, 1), key=lambda sign: ((sign * self.ink).argmax(1) == self.right).mean()))


class Encoder:
    genbench = {"layout": "NHWC", "outputs": "embedding=embedding"}  # noqa: RUF012

    def __call__(self, images):
        return {"embedding": images.mean(axis=(1, 2))}


class Encodes(Counter):
    outputs = ("embedding",)
    steps = 2

    def model(self, weights):
        return Encoder()


@pytest.mark.parametrize("learner", [Chooses(), Encodes()], ids=["Chooses", "Encodes"])
def test_learners_of_problems_pass(learner):
    check_learner(learner, Cvr("mini", side=32))


def fit_with(change):
    """A fit whose arguments are changed before the right one is called."""

    def fit(self, task, **arguments):
        return Counter.fit(self, task, **{**arguments, **change(arguments)})

    return fit


def progress_with(change):
    def wrapped(arguments):
        progress = arguments["progress"]
        return {"progress": lambda step, steps, loss=None: progress(*change(step, steps, loss))}

    return fit_with(wrapped)


def swallows(self, task, **arguments):
    try:
        return Counter.fit(self, task, **arguments)
    except KeyboardInterrupt:
        return self.model(np.zeros(4))


def translates(self, task, **arguments):
    try:
        return Counter.fit(self, task, **arguments)
    except KeyboardInterrupt:
        raise RuntimeError("stopped") from None


def forgets_weights(self, task, **arguments):
    saved = arguments["checkpoint_dir"] / "state.npz"
    if saved.exists():
        np.savez(saved, weights=np.zeros(4), done=np.load(saved)["done"])
    return Counter.fit(self, task, **arguments)


def refuses_leftovers(self, task, **arguments):
    if any(arguments["checkpoint_dir"].iterdir()):
        raise FileExistsError("not empty")
    return Counter.fit(self, task, **arguments)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"outputs": ()}, "outputs is (); give a tuple"),
        ({"outputs": ("row",)}, "'row' is no output"),
        ({"outputs": ("factor.row", "embedding")}, "the model does not offer embedding, which the learner declares"),
        ({"benchmark": "other"}, "benchmark is 'other', but it is checked with 'dots'"),
        ({"fit": None}, "there is no method fit(task, *, seed"),
        ({"fit": lambda self, task: None}, "fit(): raised TypeError"),
        ({"fit": lambda self, task, **_: None}, "fit() returned None"),
        ({"fit": lambda self, task, **_: self.model(np.zeros(4))}, "fit() never called progress"),
        ({"model": lambda self, weights: 3}, "fit(): raised ModelError: what fit() of Broken returned"),
        ({"model": lambda self, weights: Nan(weights)}, "is NaN"),
        (
            {"model": lambda self, weights: lambda images: Answer(weights)(images)},
            "its model, a function, cannot be kept",
        ),
        ({"settings": 3}, "settings must be a dataclass or a mapping"),
        (
            {
                "save": lambda self, model, folder, task: np.save(folder / "a.npy", 0),
                "load": lambda self, folder: Answer(0),
            },
            "after the model was written to files and read; keep all of it",
        ),
        ({"model": lambda self, weights: Forgetful(weights)}, "after the model was written to files and read"),
        ({"save": lambda self, model, folder, task: None}, "save wrote no file"),
        (
            {"fit": progress_with(lambda step, steps, loss: (step - 1, steps))},
            "the steps 0, 1 … 8, 9 of 10; count from 1",
        ),
        ({"fit": progress_with(lambda step, steps, loss: (11 - step, steps))}, "the steps 10, 9 … 2, 1 of 10"),
        (
            {"fit": progress_with(lambda step, steps, loss: (step, steps + 5))},
            "of 15; count from 1 and up, to the last",
        ),
        ({"fit": progress_with(lambda step, steps, loss: (step, steps + step))}, "their number may not change"),
        ({"fit": progress_with(lambda step, steps, loss: (step, steps, float("nan")))}, "a loss that is not finite"),
        (
            {"draw": lambda self, seed, step: np.random.default_rng().normal(size=4)},
            "when trained again with the same seed; draw all that is random from it",
        ),
        ({"fit": swallows}, "fit() returned a model when interrupted at step 5"),
        ({"fit": translates}, "fit() raised RuntimeError: stopped"),
        (
            {"fit": forgets_weights},
            "called again with what was left in checkpoint_dir; the result has to be that of one go",
        ),
        ({"fit": refuses_leftovers}, "fit() raised FileExistsError: not empty"),
    ],
)
def test_a_rule_of_learners_is_named(members, words):
    with pytest.raises(AssertionError) as caught:
        check_learner(type("Broken", (Counter,), members)(), Dots())
    assert str(caught.value).startswith("Broken is no learner yet: ")
    assert words in str(caught.value)


def test_a_smoke_training_is_short(monkeypatch):
    monkeypatch.setattr(learner_checks, "SMOKE_SECONDS", 0.0)
    with pytest.raises(AssertionError, match="s with the smoke budget"):
        check_learner(Counter(), Dots())
    check_learner(Counter(), Dots(), budget="quick")


def test_a_learner_leaves_nothing_behind(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    check_learner(Counter(), Dots())
    assert not list(Path(tmp_path).iterdir())
