"""COFHAE: masks, losses and who moves when, the choice among runs, where its hierarchy comes from, and that it learns."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy  # noqa: E402
from pytest_genbench.learners import Learner  # noqa: E402
from pytest_genbench.learners.references import make  # noqa: E402
from pytest_genbench.reference_models import structure, training  # noqa: E402
from pytest_genbench.reference_models.adversarial import Memory, shuffled  # noqa: E402
from pytest_genbench.reference_models.cofhae import (  # noqa: E402
    CofhaeLearner,
    CofhaeSettings,
    Hierarchical,
    Run,
    Scale,
    assignment_error,
    best,
    one_hot,
)
from pytest_genbench.reference_models.structure import Structure, true_structure  # noqa: E402
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402

from .twigs import HIERARCHY, task  # noqa: E402

C = Continuous()
SHIP = (C, Categorical(((), (C,))))
SPACESHAPES = Hierarchy(
    (C, C, Categorical(((C,), (C,), SHIP)))
)  # columns: shape, jet; x, y, phase, shine, angle, length


@pytest.fixture(autouse=True)
def _one_thread():
    with seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def signals():
    return task()


def fit(made, folder, *, seed=0, budget="smoke", stop=None, **settings):
    """Train; returns the model and what `progress` was told."""
    told = []

    def progress(*args):
        told.append(args)
        if args[0] == stop:
            raise KeyboardInterrupt

    where = {"seed": seed, "budget": budget, "device": "cpu", "checkpoint_dir": folder, "progress": progress}
    return CofhaeLearner(CofhaeSettings(**settings)).fit(made, **where), told


def flat(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


# Settings


def test_terms():
    assert CofhaeSettings().parts == {"H", "A", "TC-on"}
    assert CofhaeSettings(terms="h + a+tc(z|on)").parts == {"H", "A", "TC-on"}
    assert CofhaeSettings(terms="H+TC(Z)").parts == {"H", "TC"}
    assert make("reference:cofhae[terms=H+A+Z,tau=0.5]").learner.settings == CofhaeSettings(terms="H+A+Z", tau=0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"terms": "H+B"}, "cofhae has no term 'b'"),
        ({"terms": "A"}, "start with H or flat"),
        ({"terms": "flat+A"}, "A and Z go with H"),
        ({"terms": "H+TC+TC-on"}, "of TC and TC-on there is one"),
        ({"terms": "H+A+Z", "hierarchy": "mimosa"}, "set hierarchy=true"),
        ({"hierarchy": "guess"}, "has to be true or mimosa"),
        ({"tau": -1.0}, "tau=-1.0 of cofhae"),
        ({"steps": -1}, "steps=-1 of cofhae"),
        ({"activation": "elu"}, "activation=elu of cofhae"),
    ],
)
def test_settings_that_cannot_be_used(settings, message):
    with pytest.raises(LearnerError, match=message):
        CofhaeSettings(**settings)


def test_the_published_grid():
    grid = CofhaeSettings().grid("paper")
    found = {(each.tau, each.assignment, each.adversarial) for each in grid}
    assert found == set(product((0.5, 0.67, 1.0), (10, 100, 1000), (1, 10, 100)))
    assert len(grid) == 27
    (quick,) = CofhaeSettings().grid("quick")
    assert (quick.tau, quick.assignment, quick.adversarial) == (1, 1000, 1)


def test_only_what_matters_is_tried():
    assert len(CofhaeSettings(terms="H").grid("paper")) == 3
    assert len(CofhaeSettings(terms="H+A+Z").grid("paper")) == 9
    assert len(CofhaeSettings(terms="flat").grid("paper")) == 1
    assert {each.tau for each in CofhaeSettings(tau=0.8).grid("paper")} == {0.8}
    assert len(CofhaeSettings(tau=0.8).grid("paper")) == 9


# The network


def test_hard_choices_are_whole_even_where_two_are_equal():
    assert one_hot(torch.tensor([[1.0, 3.0, 3.0], [0.0, -1.0, -2.0]])).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_soft_masks_are_products_of_the_options_above():
    model = Hierarchical((64,), SPACESHAPES, tau=0.5)
    shape, jet = torch.randn(4, 3), torch.randn(4, 2)
    chosen = model.choose([shape, jet], hard=False)
    p, q = (2 * shape).softmax(1), (2 * jet).softmax(1)
    torch.testing.assert_close(chosen[0], p)
    torch.testing.assert_close(chosen[1], q * p[:, 2:])
    one = torch.ones(4)
    expected = torch.stack([one, one, p[:, 0], p[:, 1], p[:, 2], p[:, 2] * q[:, 1]], 1)
    torch.testing.assert_close(model.mask(chosen, torch.zeros(4, 6)), expected)


def test_what_a_model_gives_follows_its_hierarchy():
    model = build(lambda: Hierarchical((64, 64, 1), SPACESHAPES), 0).eval()
    torch.nn.init.normal_(model.choosers[0].weight, std=20)
    torch.nn.init.normal_(model.choosers[1].weight, std=20)
    with torch.no_grad():
        outputs = model(torch.rand(64, 1, 64, 64))
    shape, jet, z = outputs["assignment.0"], outputs["assignment.1"], outputs["embedding"]
    assert (shape.sum(1) == 1).all()
    assert torch.equal(jet.sum(1), shape[:, 2])
    table = np.concatenate([(a * torch.arange(1, a.shape[1] + 1)).sum(1, keepdim=True) for a in (shape, jet)], 1)
    assert torch.equal(z != 0, torch.from_numpy(SPACESHAPES.active(table)[:, 2:]))
    assert outputs["reconstruction"].shape == (64, 1, 64, 64)
    assert model.hierarchy is SPACESHAPES


def test_a_flat_hierarchy_has_no_choices():
    model = Hierarchical((64,), Hierarchy.flat(3)).eval()
    outputs = model(torch.rand(2, 64))
    assert list(outputs) == ["reconstruction", "embedding"]
    assert outputs["embedding"].all()


def test_softer_at_a_higher_temperature():
    logits = [torch.tensor([[0.0, 1.0]])]
    soft, hot = (Hierarchical((64,), HIERARCHY, tau=tau).choose(logits, hard=False)[0] for tau in (1.0, 2.0))
    assert soft[0, 1] == pytest.approx(1 / (1 + math.exp(-1)))
    assert hot[0, 1] == pytest.approx(1 / (1 + math.exp(-0.5)))


# Losses


def test_the_error_of_assignments():
    chosen = [torch.tensor([[0.5, 0.5], [0.2, 0.8], [1.0, 0.0], [0.3, 0.1]])]
    right = [torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.0, 0.0]])]
    # The third is not known; the fourth should be off.
    assert assignment_error(chosen, right).item() == pytest.approx((0.5 + 0.08 + 0 + 0.1) / 4)
    assert assignment_error(chosen * 2, right * 2).item() == pytest.approx(2 * (0.5 + 0.08 + 0.1) / 4)
    assert assignment_error([], []).item() == 0


def run(made, **settings):
    memory = Memory(made)
    (chosen,) = CofhaeSettings(**settings).grid("smoke")
    return Run(chosen, true_structure(memory), memory, "smoke", 0)


@pytest.mark.parametrize("terms", ["H", "H+A", "H+A+Z", "H+TC", "H+A+TC", "H+A+TC-on"])
def test_the_losses_of_a_step(terms, signals):
    made = run(signals, terms=terms, tau=0.5, assignment=70.0, adversarial=3.0, supervision=5.0)
    model, rows = made.model, np.arange(30)
    inputs = torch.from_numpy(signals.images(rows))
    torch.manual_seed(1)
    value, reply = made.objective()(inputs, rows)

    (logits,) = model.read(inputs)[1]
    soft, z = (logits / 0.5).softmax(1), model.read(inputs)[0]
    values = torch.stack([z[:, 0], z[:, 1] * soft[:, 1]], 1)
    expected = 100 * (model.body.raw(torch.cat([soft, values], 1)) - inputs).square().sum() / 30
    targets = signals.targets(rows)
    if "A" in terms:
        expected = expected + 70 * (torch.from_numpy(targets["assignment.0"]) - soft).square().sum() / 30
    if "Z" in terms:
        expected = expected + 5 * (values - Scale(made.memory, HIERARCHY).latents(rows)).square().sum() / 30
    if "TC" not in terms:
        assert reply is None
        assert made.critic is None
    else:
        expected = expected + 3 * made.critic(values).mean()
        on = torch.stack([torch.ones(30), logits.argmax(1)], 1).bool() if "on" in terms else None
        torch.manual_seed(1)
        fake = shuffled(values, on)
        with torch.no_grad():  # the critic's loss is of the model as it is by then, of the shuffled codes as they were
            model.head.weight *= 2
        real = model.code(inputs, hard=False)[1]
        torch.testing.assert_close(reply(), made.critic.loss(real, fake))
        assert not torch.equal(real, values)
    assert value.item() == pytest.approx(expected.item(), rel=1e-5)


def test_latents_are_supervised_in_units_of_their_deviation(signals):
    latents = Scale(Memory(signals), HIERARCHY).latents(np.arange(len(signals)))
    table = signals.targets()["embedding"]
    on = np.stack([np.ones(len(table)), table[:, 0] == 2], 1).astype(bool)
    assert not latents[~torch.from_numpy(on)].any()
    for at in range(2):
        mine = latents[on[:, at], at].numpy()
        assert mine.mean() == pytest.approx(0, abs=1e-4)
        assert mine.std() == pytest.approx(1, rel=1e-4)
        assert np.corrcoef(mine, table[on[:, at], at + 1])[0, 1] == pytest.approx(1)


# The choice among runs


class Known:
    def __init__(self, *errors):
        self._errors = errors

    def errors(self):
        return self._errors


def test_the_best_reconstruction_among_the_third_with_the_best_assignments():
    runs = [Known(0.3, 1.0), Known(0.1, 9.0), Known(0.2, 5.0), Known(0.9, 0.0), Known(0.5, 2.0), Known(0.4, 2.0)]
    assert best(runs) is runs[2]
    assert best(runs[:3]) is runs[1]
    assert best([Known(0.0, 3.0), Known(0.0, 1.0), Known(0.0, 2.0)]).errors() == (0.0, 1.0)


def test_errors_are_those_of_hard_choices(signals):
    made = run(signals, terms="H+A")
    inputs = torch.from_numpy(signals.images())
    with torch.no_grad():
        outputs = made.model.eval()(inputs)
    squared = (outputs["reconstruction"] - inputs).square().sum(1).mean().item()
    wrong = (outputs["assignment.0"].numpy() != signals.targets()["assignment.0"]).sum() / len(inputs)
    assert made.errors() == pytest.approx((wrong, squared), rel=1e-5)


def test_the_paper_budget_trains_the_whole_grid(signals, tmp_path, monkeypatch):
    monkeypatch.setattr("pytest_genbench.reference_models.adversarial.EPOCHS", 2)
    settings = {"budget": "paper", "adversarial": 1.0, "discriminator": 8}  # 9 runs of 2 epochs of 3 steps
    model, told = fit(signals, tmp_path / "whole", **settings)
    assert [step for step, *_ in told] == list(range(1, 9 * 6 + 1))
    assert {steps for _, steps, _ in told} == {54}
    with pytest.raises(KeyboardInterrupt):
        fit(signals, tmp_path / "parts", stop=20, **settings)
    again, rest = fit(signals, tmp_path / "parts", **settings)
    assert rest == told[18:]  # three runs were done
    assert torch.equal(flat(model), flat(again))
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == [f"run-{at:02d}" for at in range(9)]


# Where the hierarchy comes from


class FakeMimosa:
    """Finds a line and a plane in the codes, and leaves every tenth out."""

    def __init__(self, **options):
        self.options = options

    def fit(self, codes):
        FakeMimosa.seen.append((self.options, codes))
        right = np.eye(2, dtype=np.int8)[np.arange(len(codes)) % 2]
        right[::10] = -1
        self.hierarchy_, self.assignments_ = Hierarchy((C, Categorical(((), (C, C))))), [right]
        return self


@pytest.fixture
def mimosa(monkeypatch):
    FakeMimosa.seen = []
    monkeypatch.setattr(structure, "MIMOSA", FakeMimosa)
    return FakeMimosa.seen


def learned(made, folder, **settings):
    told = []
    found = structure.learned_structure(
        Memory(made),
        structure.StepSchedule(5, 100),
        CofhaeSettings(initial_dim=3, **settings),
        seed=0,
        budget="smoke",
        device="cpu",
        folder=folder,
        progress=lambda *args: told.append(args),
    )
    return found, told


def test_mimosa_reads_the_codes_of_a_smooth_flat_model(signals, tmp_path, mimosa):
    found, told = learned(signals, tmp_path, rows=100)
    ((options, codes),) = mimosa
    assert len(told) == 5
    assert codes.shape == (100, 3)
    assert options == {"num_nearest_neighbors": 20}
    assert found.hierarchy.notation == "c {0 | c c}"
    (right,) = found.assignments(np.arange(len(signals)))
    known = (right >= 0).all(1)
    assert known.sum() == 90  # of those that were read, all but every tenth
    assert (right[known].sum(1) == 1).all()
    assert (right[~known] == -1).all()


def test_what_mimosa_found_is_found_again(signals, tmp_path, mimosa):
    first, _ = learned(signals, tmp_path)
    again, told = learned(signals, tmp_path)
    assert len(mimosa) == 1
    assert not told
    assert again.hierarchy == first.hierarchy
    assert torch.equal(again.assignments(np.arange(9))[0], first.assignments(np.arange(9))[0])


def test_a_learned_hierarchy_is_the_model_s(signals, tmp_path, mimosa):
    settings = {"hierarchy": "mimosa", "initial_dim": 3, "steps": 4}
    model, told = fit(signals, tmp_path, **settings)
    assert [step for step, *_ in told] == list(range(1, 9))
    assert model.hierarchy.notation == "c {0 | c c}"
    outputs = model(torch.rand(2, 64))
    assert outputs["embedding"].shape == (2, 3)
    assert outputs["assignment.0"].shape == (2, 2)


@pytest.mark.parametrize("stop", [2, 6])
def test_interrupted_in_either_stage(signals, tmp_path, mimosa, monkeypatch, stop):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", -1)
    settings = {"hierarchy": "mimosa", "initial_dim": 3, "steps": 4, "discriminator": 8}
    whole, told = fit(signals, tmp_path / "whole", **settings)
    with pytest.raises(KeyboardInterrupt):
        fit(signals, tmp_path / "parts", stop=stop, **settings)
    again, rest = fit(signals, tmp_path / "parts", **settings)
    assert rest == told[stop:]
    assert torch.equal(flat(whole), flat(again))


def test_mimosa_itself_on_codes_that_follow_the_truth(mimosa, signals, monkeypatch):
    from pytest_genbench.reference_models.mimosa import MIMOSA

    monkeypatch.setattr(structure, "MIMOSA", MIMOSA)
    draw = np.random.default_rng(0)
    kinked = np.arange(3000) % 2
    codes = np.stack([draw.uniform(-1, 1, 3000), kinked * draw.uniform(-1, 1, 3000), kinked * 0.0], 1)
    hierarchy, (right,) = structure._found(codes, signals)
    assert hierarchy.notation == "c {0 | c}"
    known = right[:, 0] >= 0
    assert (right[known, 1] == kinked[known]).mean() > 0.9


def test_without_a_published_size_initial_dim_has_to_be_set(signals, tmp_path):
    with pytest.raises(LearnerError, match=r"hierarchy of twigs-random was never published\. Set initial_dim"):
        fit(signals, tmp_path, hierarchy="mimosa")


# Learning


def test_what_a_learner_says(signals, tmp_path):
    found = make("reference:cofhae")
    assert isinstance(found.learner, Learner)
    assert found.learner.outputs == ("embedding", "reconstruction")
    model, _ = fit(signals, tmp_path, terms="flat", steps=1)
    assert model.hierarchy == Hierarchy.flat(3)


def test_assignments_are_learned(signals, tmp_path):
    model, told = fit(signals, tmp_path, terms="H+A", steps=250, batch=100)
    losses = [loss for *_, loss in told]
    assert np.mean(losses[-5:]) < 0.3 * losses[0]
    with torch.no_grad():
        chosen = model(torch.from_numpy(signals.images()))["assignment.0"]
    table = signals.targets()["embedding"]
    clear = np.abs(table[:, 2]) > 0.002  # or there is no kink at all
    right = chosen.numpy()[:, 1] == (table[:, 0] == 2)
    assert right[clear | (table[:, 0] == 1)].mean() > 0.9


def test_same_seed_gives_same_weights(signals, tmp_path):
    settings = {"steps": 3, "discriminator": 8}
    first, other, again = (flat(fit(signals, tmp_path, seed=seed, **settings)[0]) for seed in (1, 2, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_images(tmp_path):
    model, told = fit(task(60, (64, 64, 1)), tmp_path, steps=3, batch=16, discriminator=8)
    assert told[-1][2] < told[0][2]
    assert model.hierarchy == HIERARCHY


def test_a_benchmark_without_a_hierarchy(tmp_path, monkeypatch):
    made = task(60)
    monkeypatch.delattr(type(made.benchmark), "hierarchy")
    with pytest.raises(LearnerError, match="Set hierarchy=mimosa"):
        fit(made, tmp_path)


def test_assignments_of_the_truth(signals):
    found = true_structure(Memory(signals))
    assert isinstance(found, Structure)
    (right,) = found.assignments(np.array([5, 2]))
    np.testing.assert_array_equal(right.numpy(), signals.targets(np.array([5, 2]))["assignment.0"])
