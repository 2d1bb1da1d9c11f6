"""What the odd-one-out models share: plans, training, choosing by validation, curricula, files."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")
pytest.importorskip("torchvision")
pytest.importorskip("timm")

from pytest_genbench.benchmarks.cvr.components import ELEMENTARY  # noqa: E402
from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.learners import Learner, TrainingTask  # noqa: E402
from pytest_genbench.learners.references import make  # noqa: E402
from pytest_genbench.reference_models import reasoning, stages, training  # noqa: E402
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402
from pytest_genbench.reference_models.reasoning import Lessons, Reasoner, ReasoningLearner  # noqa: E402
from pytest_genbench.reference_models.relational import SclLearner, SclResNet18Learner, WReNLearner  # noqa: E402
from pytest_genbench.reference_models.similarity_models import (  # noqa: E402
    ResNet50Learner,
    ResNetSmallLearner,
    VitSmallLearner,
)
from pytest_genbench.reference_models.stages import Best, Packed, Plan, Problems, hand_on, part_of, shared, train  # noqa: E402

from .blocks import task as blocks  # noqa: E402
from .odd import Odd, task  # noqa: E402

LEARNERS = [ResNetSmallLearner, ResNet50Learner, VitSmallLearner, SclLearner, WReNLearner, SclResNet18Learner]
SMALL = [ResNetSmallLearner, SclLearner, WReNLearner]
ALL = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


class Glance(Reasoner):
    """The smallest network: how dark an image is."""

    def __init__(self, is_joint=False):
        super().__init__(is_joint)
        self.look = torch.nn.Linear(3, 1)

    def scores(self, images, told):
        scores = self.look(images.mean((3, 4))).squeeze(2)
        return scores if told is None else scores + told.sum(1, keepdim=True)


class GlanceLearner(ReasoningLearner):
    name = "glance"

    def network(self, side, is_joint):
        return Glance(is_joint)


def fit(learner, made, folder, stop=None, seed=0, budget="smoke", **settings):
    """Train; returns the network and the calls of `progress`. Interrupted after `stop` steps."""
    calls = []

    def progress(step, steps, loss=None):
        calls.append((step, steps, loss))
        if step == stop:
            raise KeyboardInterrupt

    made_learner = learner(learner.Settings(**settings))
    model = made_learner.fit(made, seed=seed, budget=budget, device="cpu", checkpoint_dir=folder, progress=progress)
    return model, calls


def flat(network):
    return torch.cat([value.detach().float().flatten() for value in network.state_dict().values()])


def accuracy(network, made, is_told=False):
    return Problems(made, "cpu", is_told).accuracy(network.eval(), Plan(1, 1, 1, 1.0))


# Settings and plans


@ALL
def test_they_are_learners_by_their_names(learner):
    found = make(f"reference:{learner.name}[lr=0.25,patience=3,curriculum=forward]")
    assert isinstance(found.learner, Learner)
    assert type(found.learner).__name__ == learner.__name__  # imported under the package's name
    assert found.learner.outputs == ("scores",)
    assert dict(found.settings) | {"lr": 0.25, "patience": 3, "curriculum": "forward"} == dict(found.settings)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"batch": 0}, "batch=0 of glance has to be a whole number, 1 or more"),
        ({"steps": -1}, "steps=-1 of glance"),
        ({"patience": 0.5}, "patience=0.5 of glance"),
        ({"lr": 0.0}, "lr=0.0 of glance has to be a number above 0"),
        ({"weight_decay": float("nan")}, "weight_decay=nan of glance"),
        ({"curriculum": "forwards"}, "glance has no curriculum='forwards'. Did you mean 'forward'"),
        ({"pretraining": "mocha"}, "glance has no pretraining='mocha'. Did you mean 'moco'"),
        ({"pretraining": "moco", "curriculum": "forward"}, "takes a curriculum or a pretraining, not both"),
    ],
)
def test_settings_that_cannot_be_used(setting, message):
    with pytest.raises(LearnerError, match=message):
        GlanceLearner(GlanceLearner.Settings(**setting))


@pytest.mark.parametrize(
    ("learner", "lr", "decay", "patience"),
    [
        (ResNet50Learner, 1e-4, 1e-4, (20, 20)),
        (VitSmallLearner, 1e-5, 1e-4, (20, 20)),
        (SclLearner, 1e-3, 1e-4, (20, 30)),
        (WReNLearner, 1e-4, 0.0, (20, 30)),
        (SclResNet18Learner, 5e-4, 1e-4, (20, 30)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_published_rates(learner, lr, decay, patience):
    for n, share in {20: 20 / 64, 50: 50 / 64, 100: 1, 1000: 1}.items():
        alone = learner().plan(n, n, False, "paper")
        assert (alone.lr, alone.weight_decay, alone.patience) == (pytest.approx(lr * share), decay, patience[0])
        joint = learner().plan(n, 103 * n, True, "paper")
        assert (joint.lr, joint.weight_decay, joint.patience) == (lr, decay, patience[1])


@pytest.mark.parametrize(
    ("n", "epochs", "between"),
    [
        (5, 800, 8),
        (20, 800, 8),
        (50, 800, 8),
        (99, 800, 8),
        (100, 400, 4),
        (200, 200, 2),
        (500, 100, 1),
        (1000, 100, 1),
        (10_000, 100, 1),
    ],
)
def test_published_epochs(n, epochs, between):
    epoch = -(-n // 64)
    plan = SclLearner().plan(n, n, False, "paper")
    assert (plan.steps, plan.every, plan.batch, plan.checked) == (epochs * epoch, between * epoch, 64, 0)
    joint, epoch = SclLearner().plan(n, 103 * n, True, "paper"), -(-103 * n // 64)
    assert (joint.steps, joint.every) == (100 * epoch, epoch)


@ALL
def test_budgets_grow(learner):
    plans = [learner().plan(1000, 1000, False, budget) for budget in ("smoke", "quick", "standard", "paper")]
    steps = [plan.steps for plan in plans]
    assert steps == sorted(steps)
    assert steps[-1] == 1600
    assert steps[0] <= 20
    for plan in plans[:3]:
        assert -(-plan.steps // plan.every) <= 100


def test_settings_go_before_plans():
    plan = SclLearner(SclLearner.Settings(steps=7, batch=10, patience=2, lr=0.5)).plan(100, 100, False, "paper")
    assert (plan.steps, plan.every, plan.batch, plan.patience, plan.lr) == (7, 40, 10, 2, 0.5)


def test_the_plan_of_lessons():
    alone = SclLearner().plan(5000, 10_000, False, "paper", is_lesson=True)
    assert (alone.steps, alone.every, alone.patience, alone.lr) == (100 * 157, 157, 30, 1e-3)
    few = SclLearner().plan(32, 64, False, "smoke", is_lesson=True)
    assert few.lr == 1e-3
    assert few.steps == 20
    assert ResNet50Learner().plan(5000, 45_000, True, "paper", is_lesson=True).patience == 20


# Training


def test_images_are_made_once(tmp_path):
    made = task(n=50)
    fit(SclLearner, made, tmp_path, steps=6, batch=25)
    rendered = made.benchmark.rendered
    assert len(rendered) == len(set(rendered)), "over three passes and four validations"
    assert set(rendered) >= set(made.split.train.tolist())


def test_packed_images_are_the_images():
    made = task(n=9)
    packed = Packed(9, made.images)
    for rows in ([3, 1, 3], [0], list(range(9))):
        assert np.array_equal(packed[np.array(rows)], made.images(rows))
    assert packed[np.array([3])].dtype == np.uint8


def test_the_odd_image_is_found_where_it_was_put(monkeypatch):
    """The network sees the images of a problem in another order, and the answer moves with the odd one."""
    made, seen = task(n=40), {}

    def loss(scores, answers):
        seen["answers"] = answers
        return scores.sum()

    monkeypatch.setattr(stages.F, "cross_entropy", loss)

    def network(images):
        seen["images"] = images
        return torch.zeros(len(images), 4)

    rows = np.arange(40)
    Problems(made, "cpu", False).loss(network, rows)
    dark = (seen["images"] < 0.9).flatten(2).sum(2)
    assert torch.equal(dark.argmax(1), seen["answers"])
    assert not np.array_equal(seen["answers"], made.targets(rows)["scores"])


@pytest.mark.parametrize("learner", SMALL, ids=lambda learner: learner.name)
def test_it_learns(learner, tmp_path):
    made = task()
    settings = {"lr": 1e-3} if learner is WReNLearner else {}
    model, calls = fit(learner, made, tmp_path, steps=25, **settings)
    assert not model.training
    assert calls[-1][2] < calls[0][2]
    test = TrainingTask(made.benchmark, made.split, part="validation")
    assert accuracy(model, test) >= 0.9


def follow(monkeypatch, accuracies, steps=10, patience=3, every=1):
    """Prepare a training with these validation accuracies: network, weights after each validation, steps done, plan."""
    weights, given = [], iter(accuracies)

    def accuracy(self, network, plan):
        weights.append(network.look.weight.detach().clone())
        return next(given)

    monkeypatch.setattr(Problems, "accuracy", accuracy)
    network, calls = training.build(Glance, 0), []
    return network, weights, calls, Plan(steps, every, patience, 0.1)


def run(network, plan, folder, calls, made=None):
    train(
        network,
        made or task(n=20),
        plan,
        is_told=False,
        seed=0,
        device="cpu",
        checkpoint_dir=folder,
        progress=lambda step, steps, loss=None: calls.append(step),
    )


def test_the_best_validation_is_kept_and_patience_ends(tmp_path, monkeypatch):
    network, weights, calls, plan = follow(monkeypatch, [0.3, 0.6, 0.6, 0.5, 0.6, 0.9])
    run(network, plan, tmp_path, calls)
    assert calls == [1, 2, 3, 4, 5], "three without a gain"
    assert torch.equal(network.look.weight, weights[1])
    assert not torch.equal(weights[1], weights[2])


def test_a_solved_rule_ends_training(tmp_path, monkeypatch):
    network, weights, calls, plan = follow(monkeypatch, [0.3, 0.99, 0.991, 1.0])
    run(network, plan, tmp_path, calls)
    assert calls == [1, 2, 3]
    assert torch.equal(network.look.weight, weights[2])


def test_the_last_step_is_validated_too(tmp_path, monkeypatch):
    network, weights, calls, plan = follow(monkeypatch, [0.3, 0.4, 0.5], steps=10, every=4)
    run(network, plan, tmp_path, calls)
    assert len(weights) == 3
    assert calls[-1] == 10
    assert torch.equal(network.look.weight, weights[2])


def test_without_validation_problems_the_last_weights_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(Problems, "accuracy", lambda *_: pytest.fail("validated"))
    made = task(n=20)
    split = made.benchmark.training((13,), 20)
    object.__setattr__(split, "validates", None)
    network, calls = training.build(Glance, 0), []
    run(network, Plan(3, 1, 1, 0.1), tmp_path, calls, TrainingTask(made.benchmark, split))
    assert calls == [1, 2, 3]


def test_validation_on_some_problems_spreads_over_all(monkeypatch):
    problems, seen = Problems(task(n=100), "cpu", False), []
    shown = problems.shown
    monkeypatch.setattr(problems, "shown", lambda rows: seen.extend(rows) or shown(rows))
    problems.accuracy(Glance(), Plan(1, 1, 1, 1.0, checked=5))
    assert seen == [0, 25, 50, 74, 99]


def test_validation_is_in_evaluation_mode_and_training_goes_on():
    modes = []

    class Watched(Glance):
        def forward(self, *given):
            modes.append(self.training)
            return super().forward(*given)

    network = Watched().train()
    Problems(task(n=8), "cpu", False).accuracy(network, Plan(1, 1, 1, 1.0, batch=4))
    assert modes == [False, False]
    assert network.training


def test_decay_is_part_of_the_gradient(tmp_path):
    """Adam's first step is the sign of the gradient: a decay that outweighs the loss shrinks all weights by the rate."""
    network = training.build(Glance, 0)
    before = network.look.weight.detach().clone()
    run(network, Plan(1, 9, 1, 0.01, weight_decay=1e6), tmp_path, [])
    torch.testing.assert_close(network.look.weight.detach(), before - 0.01 * before.sign())


@pytest.mark.parametrize(
    ("learner", "stop", "settings", "rules"),
    [
        (SclLearner, 5, {}, (13,)),  # which draws the order of a set
        (WReNLearner, 3, {}, (2, 30)),  # which drops out
        (GlanceLearner, 3, {"curriculum": "forward"}, (13,)),
        (GlanceLearner, 9, {"curriculum": "forward"}, (13,)),
    ],
    ids=["orders", "joint", "lessons", "after-lessons"],
)
def test_an_interrupted_training_goes_on(tmp_path, monkeypatch, learner, stop, settings, rules):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    monkeypatch.setattr(reasoning, "LESSONS", {"smoke": 8})
    settings |= {"steps": 7, "batch": 8, "patience": 2, "lr": 3e-4}
    made = task(rules, n=12)
    whole, calls = fit(learner, made, tmp_path / "whole", **settings)
    with pytest.raises(KeyboardInterrupt):
        fit(learner, made, tmp_path / "parts", stop=stop, **settings)
    resumed, rest = fit(learner, made, tmp_path / "parts", **settings)
    assert rest == calls[-len(rest) :]
    assert 0 < len(rest) < len(calls)
    assert torch.equal(flat(whole), flat(resumed))


def test_a_checkpoint_holds_the_best_and_the_patience():
    best, network = Best(), Glance()
    for accuracy in (0.5, 0.4, 0.5):
        best.see(accuracy, network)
    again = Best()
    again.load_state_dict(best.state_dict())
    assert (again.accuracy, again.waited) == (0.5, 2)
    assert again.weights.keys() == network.state_dict().keys()
    assert again.is_over(2)
    assert not again.is_over(3)


def test_same_seed_gives_same_weights(tmp_path):
    def trained(name, seed):
        return flat(fit(SclLearner, task(n=16), tmp_path / name, seed=seed, steps=3, batch=8)[0])

    first = trained("first", 3)
    torch.rand(1)  # what others draw does not matter
    assert torch.equal(first, trained("again", 3))
    assert not torch.equal(first, trained("other", 4))


def test_the_rule_is_told_in_joint_training_only(tmp_path, monkeypatch):
    told, forward = [], Glance.forward
    monkeypatch.setattr(Glance, "forward", lambda self, *given: told.append(given[1:]) or forward(self, *given))
    fit(GlanceLearner, task((5,), n=8), tmp_path / "one", steps=1, batch=4)
    assert all(rule == () for rule in told)
    told.clear()
    fit(GlanceLearner, task((5, 77), n=8), tmp_path / "two", steps=1, batch=16)
    assert set(torch.cat([rule for (rule,) in told]).tolist()) == {5, 77}, "by its own number"


@pytest.mark.parametrize(("rules", "joint"), [((13,), False), ((5, 77), True)])
def test_a_network_for_one_rule_has_no_embedding(tmp_path, rules, joint):
    model, _ = fit(GlanceLearner, task(rules, n=4), tmp_path, steps=1, batch=4)
    assert (model.rules is not None) == joint
    if joint:
        assert model.rules.weight.shape == (103, 64)


def test_other_benchmarks(tmp_path):
    with pytest.raises(LearnerError, match=r"scl takes four square images of three channels.*blocks.*\(64, 64, 1\)"):
        fit(SclLearner, blocks(), tmp_path)
    made = task()
    without_rules = SimpleNamespace(image_shape=(4, 32, 32, 3))
    with pytest.raises(LearnerError, match="from the rules of cvr; odd has none"):
        fit(SclLearner, TrainingTask(without_rules, made.split), tmp_path)


# Curricula


@pytest.mark.parametrize(
    ("rules", "lessons"), [((13,), (1, 6)), ((90,), (7, 10)), ((13, 90), ELEMENTARY), (tuple(range(103)), ELEMENTARY)]
)
def test_what_comes_first(rules, lessons):
    first = Lessons(GlanceLearner(), task(rules, n=4), rules, "smoke")
    assert Odd().rules_of(first.task.split) == lessons
    assert len(first.task) == 32 * len(lessons)
    assert first.task.validation is not None
    assert first.is_joint == (len(rules) > 1)


@pytest.mark.parametrize("rule", [3, 12])
def test_a_rule_without_components(rule, tmp_path):
    with pytest.raises(LearnerError, match=rf"scl has no curriculum for rule {rule}.*70 of the rules from 13 to 102"):
        fit(SclLearner, task((rule,), n=4), tmp_path, curriculum="forward")


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("learner", SMALL, ids=lambda learner: learner.name)
def test_a_curriculum_hands_on_some_parts(learner, joint):
    before, after = (training.build(lambda: learner().network(32, joint), seed) for seed in (0, 1))
    fresh = {name: value.clone() for name, value in after.state_dict().items()}
    for weight in before.parameters():
        weight.data += 0.5
    hand_on(part_of(before, before.is_handed_on), after)
    handed = before.state_dict()
    for name, value in after.state_dict().items():
        if name.startswith("rules.") or (learner is ResNetSmallLearner and name.startswith("head.")):
            assert torch.equal(value, fresh[name]), name
        else:
            assert torch.equal(value, handed[name]), name


def test_what_each_network_hands_on():
    with torch.device("meta"):
        for learner in LEARNERS:
            network = learner().network(32, True)
            handed = {name for name, _ in network.named_children() if network.is_handed_on(name)}
            everything = {name for name, _ in network.named_children()} - {"rules"}
            assert handed == (everything if hasattr(network, "sets") or learner is WReNLearner else {"encoder"})


@pytest.mark.parametrize("rules", [(13,), (13, 90)])
def test_training_goes_on_from_the_lessons(tmp_path, monkeypatch, rules):
    begun, told = [], []

    def watched(network, made, plan, **how):
        begun.append({name: value.clone() for name, value in network.state_dict().items()})
        told.append(how["is_told"])
        train(network, made, plan, **how)
        begun.append({name: value.clone() for name, value in network.state_dict().items()})

    monkeypatch.setattr(reasoning, "train", watched)
    monkeypatch.setattr(reasoning, "LESSONS", {"smoke": 8})
    made = task(rules, n=8)
    model, calls = fit(SclLearner, made, tmp_path, curriculum="forward", steps=2, batch=8)
    fresh, taught, start, _ = begun
    assert told == [len(rules) > 1] * 2
    for name, value in start.items():
        assert torch.equal(value, (fresh if name.startswith("rules.") else taught)[name]), name
    assert [(step, steps) for step, steps, _ in calls] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    lessons = "1-6" if len(rules) == 1 else "0-1-2-3-4-5-6-7-8"
    assert model.trained_on == (made.split.id, f"odd/default/{lessons}-n8")


def test_lessons_are_shared(tmp_path, monkeypatch):
    monkeypatch.setattr(reasoning, "LESSONS", {"smoke": 8})
    settings = {"curriculum": "forward", "pretrained": str(tmp_path / "shared"), "steps": 2, "batch": 8}
    first, calls = fit(GlanceLearner, task((14,), n=8), tmp_path / "one", **settings)
    assert len(calls) == 4
    again, calls = fit(GlanceLearner, task((14,), n=8), tmp_path / "two", **settings)
    assert [step for step, *_ in calls] == [3, 4]
    assert torch.equal(flat(first), flat(again))
    for seed, rule, expected in ((1, 14, 4), (0, 17, 4), (0, 16, 2)):  # 14 and 16 are both of 1 and 6
        _, calls = fit(GlanceLearner, task((rule,), n=8), tmp_path / f"{seed}-{rule}", seed=seed, **settings)
        assert len(calls) == expected
    assert len(list((tmp_path / "shared").glob("glance-odd-*.pt"))) == 3


def test_shared_weights_that_fail_leave_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        shared(str(tmp_path), "a", {}, lambda: 1 / 0)
    assert list(tmp_path.glob("*.pt")) == []
    assert torch.equal(shared(str(tmp_path), "a", {}, lambda: {"w": torch.ones(2)})["w"], torch.ones(2))


def test_a_relational_network_has_no_pretraining(tmp_path):
    with pytest.raises(LearnerError, match="scl has no pretraining: it has no encoder"):
        fit(SclLearner, task(n=4), tmp_path, pretraining="moco")


# Files


def declared(file):
    return {entry.key: entry.value for entry in onnx.load(file).metadata_props}


def assert_file_computes(learner, rules, folder, side=32, n=5):
    made, joint = task(rules, n=4, side=side), len(rules) > 1
    model = training.build(lambda: learner().network(side, joint), 0).eval()
    learner().save(model, folder, made)
    file = learner().load(folder)
    images, rule = torch.rand(n, 4, 3, 1, 1) * torch.rand(n, 4, 3, side, side), torch.arange(n) * 25 % 103
    with torch.no_grad():
        expected = model(images, *([rule] if joint else [])).numpy()
    more = {"rule": rule.numpy()} if joint else {}
    for batch in (1, n):
        found = run_onnx(file, images.numpy(), batch, more)
        assert list(found) == ["scores"]
        np.testing.assert_allclose(found["scores"], expected, rtol=0, atol=1e-4)
    assert [source.name for source in onnx.load(file).graph.input] == ["images", *more]
    assert declared(file) == {
        "genbench.benchmark": "odd",
        "genbench.range": "0,1",
        "genbench.outputs": "scores=scores",
        "genbench.trained_on": made.split.id,
    }


@pytest.mark.parametrize(
    ("learner", "rules"),
    [(ResNetSmallLearner, (13,)), (WReNLearner, (5, 77))],
    ids=["cvr-resnet-small", "wren-joint"],
)
def test_the_file_computes_what_torch_computes(learner, rules, tmp_path):
    assert_file_computes(learner, rules, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [(13,), (5, 77)])
@ALL
def test_every_file_computes_what_torch_computes(learner, rules, tmp_path):
    assert_file_computes(learner, rules, tmp_path, side=64, n=3)


def test_a_file_declares_the_lessons_too(tmp_path, monkeypatch):
    model, written = Glance(), []
    monkeypatch.setattr(reasoning, "export_onnx", lambda *given, **_: written.append(given))
    model.trained_on = ("odd/default/13-n4", "odd/default/1-6-n8")
    GlanceLearner().save(model, tmp_path, task(n=4))
    ((network, file, source, outputs, shape, about),) = written
    assert network is model
    assert file == GlanceLearner().load(tmp_path)
    assert (source, outputs, shape) == ("images", ["scores"], (4, 3, 32, 32))
    assert about["genbench.trained_on"] == "odd/default/13-n4,odd/default/1-6-n8"
