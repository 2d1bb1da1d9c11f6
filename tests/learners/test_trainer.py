"""The engine: what it trains, keeps, compares and refuses; without pytest around it."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.errors import BenchmarkError, LearnerError, OptionError
from pytest_genbench.learners import TrainingTask, train
from pytest_genbench.learners.find import describe, is_learner
from pytest_genbench.learners.trainer import COMPARED, Recorder, Trainer


@pytest.fixture(scope="module")
def comporth():
    return get("comporth", "mini")


@pytest.fixture(scope="module")
def split(comporth):
    return find_split(comporth, "compositional-B5")


def mean_image(images):
    return images


class Counts:
    """Counts its trainings; losses are what `losses` gives for a step."""

    outputs = ("reconstruction",)

    def __init__(self, losses=lambda step: 1 / step, steps=50):
        self.losses, self.steps, self.trained, self.calls = losses, steps, 0, []

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        self.trained += 1
        self.calls.append(0)
        for step in range(1, self.steps + 1):
            self.calls[-1] += 1
            progress(step, self.steps, self.losses(step))
        return mean_image


def trainer(learner, folder, **options):
    return Trainer(
        describe("tests:Counts", learner), **{"budget": "quick", "device": "cpu", "cache": folder, **options}
    )


# The task.


def test_a_task_shows_the_training_set_and_nothing_else(comporth, split):
    task = TrainingTask(comporth, split)
    assert len(task) == len(split.train)
    assert np.array_equal(task.images([0, 5]), comporth.images(split.train[[0, 5]]))
    assert np.array_equal(task.levels(), comporth.grid.levels(split.train))
    assert set(task.targets([0])) == {f"factor.letter_{k}" for k in range(1, 6)}
    for wrong in ([-1], [len(task)]):
        with pytest.raises(BenchmarkError, match="Rows of comporth/mini/compositional-B5 go from 0 to"):
            task.images(wrong)


def test_what_is_set_apart_to_choose_by_is_a_task_of_its_own(comporth, split):
    assert TrainingTask(comporth, split).validation is None
    cvr = get("cvr", "mini")
    task = TrainingTask(cvr, find_split(cvr, "contact-n20"))
    chosen = task.validation
    assert (len(task), len(chosen)) == (20, 500)
    assert chosen.image_shape == (4, 64, 64, 3)
    items = chosen.split.validation
    assert not np.isin(items, np.concatenate([task.split.train, task.split.test])).any()
    assert np.array_equal(chosen.images([0, 3]), cvr.images(items[[0, 3]]))
    assert np.array_equal(chosen.targets([3])["scores"], cvr.targets(items[3:4])["scores"])
    assert np.array_equal(chosen.levels(), cvr.levels(items))
    assert next(chosen.batches(600, seed=0)).max() == 499
    with pytest.raises(BenchmarkError, match="Rows of cvr/mini/contact-n20 go from 0 to 499; got 500 to 500"):
        chosen.images([500])


def test_batches_pass_over_the_training_set_again_and_again(comporth, split):
    task = TrainingTask(comporth, split)
    batches = task.batches(100, seed=0)
    first, second = ([next(batches) for _ in range(-(-len(task) // 100))] for _ in range(2))
    for one in (first, second):
        assert np.array_equal(np.sort(np.concatenate(one)), np.arange(len(task)))
    assert not np.array_equal(first[0], second[0])
    assert np.array_equal(next(task.batches(100, seed=0)), first[0])
    assert not np.array_equal(next(task.batches(100, seed=1)), first[0])


# Trained once.


def test_a_model_is_trained_once(comporth, split, tmp_path):
    learner = Counts()
    one = trainer(learner, tmp_path).get(comporth, split, 0)
    two = trainer(learner, tmp_path).get(comporth, split, 0)
    assert (one.origin, two.origin) == ("trained", "cache")
    assert one.folder == two.folder
    assert learner.calls == [50, COMPARED], "one training, and the beginning of a second"
    assert trainer(learner, tmp_path).lookup(comporth, split, 0) == one.folder
    assert trainer(learner, tmp_path).lookup(comporth, split, 1) is None


@pytest.mark.parametrize("other", ["seed", "budget", "settings", "version", "split", "preset"])
def test_what_a_training_depends_on_tells_models_apart(comporth, split, tmp_path, other):
    learner = Counts()
    one = trainer(learner, tmp_path).get(comporth, split, 0)
    if other == "settings":
        learner.settings = {"depth": 2}
    if other == "version":
        learner.version = "2"
    target = get("comporth", "described") if other == "preset" else comporth
    slug = "compositional-A1" if other == "split" else "compositional-B5"
    options = {"budget": "smoke"} if other == "budget" else {}
    two = trainer(learner, tmp_path, **options).get(target, find_split(target, slug), 1 if other == "seed" else 0)
    assert two.origin == "trained"
    assert two.folder != one.folder


def test_two_processes_train_one_model_between_them(tmp_path):
    tmp_path.joinpath("nets.py").write_text(
        textwrap.dedent(
            """
            import time
            from pathlib import Path

            def copy(images):
                return images

            class Slow:
                outputs = ("reconstruction",)
                def fit(self, task, **rest):
                    with Path("trained.txt").open("a") as log:
                        log.write("x")
                    time.sleep(1)
                    return copy
            """
        )
    )
    code = (
        "from pathlib import Path\nfrom pytest_genbench.learners import train\n"
        "train('nets:Slow', 'comporth', 'length-5', preset='mini', cache=Path('kept'))"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert tmp_path.joinpath("trained.txt").read_text() == "x"


def test_who_names_no_run_may_try_again(comporth, split, tmp_path):
    learner = Counts()
    learner.losses = lambda step: 1.0 if learner.trained > 1 else [][1]
    with pytest.raises(LearnerError, match="list index out of range"):
        trainer(learner, tmp_path).get(comporth, split, 0)
    assert trainer(learner, tmp_path).get(comporth, split, 0).origin == "trained"


def test_a_run_does_not_try_again(comporth, split, tmp_path):
    learner = Counts(losses=lambda step: [][1])
    for _ in range(3):
        with pytest.raises(LearnerError, match="list index out of range"):
            trainer(learner, tmp_path, run="a").get(comporth, split, 0)
    assert learner.trained == 1


# Determinism.


def test_only_the_first_training_of_a_run_is_begun_twice(comporth, tmp_path):
    learner = Counts()
    engine = trainer(learner, tmp_path)
    verdicts = [engine.get(comporth, split, 0).deterministic for split in comporth.splits("length")[:3]]
    assert verdicts == [True] * 3
    assert learner.calls == [50, COMPARED, 50, 50]


@pytest.mark.parametrize(
    ("losses", "deterministic"),
    [
        (lambda step: 1.0, True),
        (lambda step: float("nan"), True),
        (lambda step: np.random.default_rng().random(), False),
        (lambda step: None, None),  # nothing to compare
    ],
)
def test_losses_tell_whether_a_training_is_deterministic(comporth, split, tmp_path, losses, deterministic):
    assert trainer(Counts(losses), tmp_path).get(comporth, split, 0).deterministic is deterministic


def test_a_training_that_ends_sooner_the_second_time_is_not_deterministic(comporth, split, tmp_path):
    learner = Counts()
    learner.losses = lambda step: 1.0 if learner.trained == 1 else [][1]
    assert trainer(learner, tmp_path).get(comporth, split, 0).deterministic is False


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_stop_while_trainings_are_compared_does_not_cost_the_first(comporth, split, tmp_path, stop):
    def losses(step):
        if learner.trained == 2:
            raise stop
        return 1.0

    learner = Counts(losses)
    if isinstance(stop, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            trainer(learner, tmp_path).get(comporth, split, 0)
    else:
        assert trainer(learner, tmp_path).get(comporth, split, 0).deterministic is None
    again = trainer(learner, tmp_path).get(comporth, split, 0)
    assert (again.origin, again.deterministic) == ("cache", None)


def test_a_short_training_is_repeated_whole(comporth, split, tmp_path):
    learner = Counts(steps=3)
    assert trainer(learner, tmp_path).get(comporth, split, 0).deterministic is True
    assert learner.calls == [3, 3]


def test_a_training_that_went_on_is_not_compared():
    recorder = Recorder()
    recorder(4, 10, 0.5)
    assert not recorder.is_from_the_start


# What is a learner, and what tells it apart.


def test_what_is_a_learner():
    assert is_learner(Counts())
    assert not is_learner(Counts)
    assert not is_learner(mean_image)
    sklearn = pytest.importorskip("sklearn.linear_model")
    assert not is_learner(sklearn.LinearRegression())  # it has fit, and predicts


@pytest.mark.parametrize("outputs", [None, "reconstruction", (), (1,)])
def test_a_learner_says_what_it_offers(outputs):
    learner = Counts()
    learner.outputs = outputs
    with pytest.raises(LearnerError, match="its attribute outputs is"):
        describe("nets:L", learner)


def test_settings_must_be_plain():
    learner = Counts()
    learner.settings = {"network": object()}
    with pytest.raises(LearnerError, match="settings must be a dataclass or a mapping"):
        describe("nets:L", learner)


def test_the_sources_of_a_reference_model_are_its_own_folder():
    pytest.importorskip("torch")
    from pytest_genbench.learners import references

    found = references.make("reference:mlp-autoencoder[code=16]")
    assert found.settings["code"] == 16
    folder = "pytest_genbench.reference_models."
    assert set(found.sources) == {folder + name for name in ("autoencoders", "training", "export")}
    assert found.name == "mlp-autoencoder"


# The function of plain arguments.


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (("reference:nobody", "comporth", "length-5"), OptionError, "no reference model 'nobody'"),
        (("json:JSONDecoder", "comporth", "length-5"), LearnerError, "json:JSONDecoder is no learner"),
        (("m.onnx", "comporth", "length-5"), LearnerError, "m.onnx is no learner"),
        (("reference:mlp-autoencoder", "comporth", "length-6"), BenchmarkError, "no split 'length-6'"),
    ],
)
def test_wrong_arguments(tmp_path, arguments, error, said):
    if error is BenchmarkError:
        pytest.importorskip("torch")
    with pytest.raises(error, match=said):
        train(*arguments, cache=tmp_path)


def test_a_wrong_budget(tmp_path):
    with pytest.raises(OptionError, match=r"No budget 'quik'\. Did you mean 'quick'"):
        train("reference:mlp-autoencoder", "comporth", "length-5", budget="quik", cache=tmp_path)
