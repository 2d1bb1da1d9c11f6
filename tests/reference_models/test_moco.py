"""MoCo: views, losses, followers, optimisers, and that an encoder learns and is handed on."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")
pytest.importorskip("timm")

import torch.nn.functional as F  # noqa: E402, N812

from pytest_genbench.learners import TrainingTask  # noqa: E402
from pytest_genbench.reference_models import moco, training  # noqa: E402
from pytest_genbench.reference_models.moco import (  # noqa: E402
    RESNET50,
    SMALL,
    VIT,
    Lars,
    Moco,
    Pretraining,
    contrast,
    crops,
    head,
    momentum_at,
    optimiser_of,
    rate_at,
    views,
)
from pytest_genbench.reference_models.similarity_models import ResNetSmallLearner, resnet_small  # noqa: E402

from .odd import Odd, task  # noqa: E402
from .test_reasoning import fit  # noqa: E402


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


# Views


def test_each_image_is_shown_in_its_own_way():
    images = torch.rand(1, 3, 32, 32).expand(6, -1, -1, -1)
    shown = views(images)
    assert shown.shape == images.shape
    assert 0 <= shown.min() <= shown.max() <= 1
    assert not any(torch.allclose(shown[i], shown[j]) for i in range(6) for j in range(i))
    assert torch.allclose(views(torch.full((3, 3, 32, 32), 0.7)), torch.tensor(0.7)), "an even image stays as it is"


def test_crops_keep_most_of_an_image():
    grid = crops(200, 16, torch.device("cpu"))
    spans = grid.amax((1, 2)) - grid.amin((1, 2))  # of pixels' middles: the side's share times 2 - 2 / 16
    wide, high = (spans / (2 - 2 / 16)).T
    assert grid.abs().max() <= 1
    assert (wide * high).min() > 0.8 - 1e-5
    assert (wide * high).max() <= 1 + 1e-5
    assert (wide / high).max() > 1.1
    assert (wide / high).min() < 0.9
    assert len(set(wide.tolist())) > 190


def test_views_are_turned_and_mirrored():
    image = torch.ones(1, 3, 32, 32)
    image[:, :, :10, :3] = 0  # a corner that is no square
    ways = set()
    for shown in views(image.expand(120, -1, -1, -1)):
        dark = shown[0] < 0.6
        corner = (bool(dark[16:].sum() > dark[:16].sum()), bool(dark[:, 16:].sum() > dark[:, :16].sum()))
        ways.add((*corner, bool(dark.any(1).sum() > dark.any(0).sum())))
    assert len(ways) == 8


@pytest.mark.parametrize("sigma", [0.3, 1.5])
def test_the_blur_is_a_gaussian(sigma):
    images = torch.zeros(2, 3, 129, 129)
    images[:, :, 64, 64] = 1
    found = moco.blurred(images, torch.tensor([sigma, 0.01]))
    line = torch.arange(-4, 5)
    expected = torch.exp(-0.5 * (line / sigma) ** 2)
    expected = torch.outer(expected, expected)
    expected /= expected.sum()
    torch.testing.assert_close(found[0, 1, 60:69, 60:69], expected, atol=0.002, rtol=0)
    torch.testing.assert_close(found[1], images[1])


# Losses and schedules


def test_the_loss_by_hand():
    asked, keys = np.random.default_rng(0).normal(size=(2, 5, 8))
    unit = [each / np.linalg.norm(each, axis=1, keepdims=True) for each in (asked, keys)]
    logits = unit[0] @ unit[1].T / 0.2
    expected = 2 * 0.2 * np.mean([np.log(np.exp(row).sum()) - row[i] for i, row in enumerate(logits)])
    assert contrast(torch.from_numpy(asked), torch.from_numpy(keys), 0.2).item() == pytest.approx(expected)


def test_the_follower_follows():
    model = Moco(resnet_small(), 64, SMALL)
    leaders, followers = ([p.detach().clone() for p in part.parameters()] for part in (model.leader, model.follower))
    assert all(torch.equal(a, b) for a, b in zip(leaders, followers, strict=True)), "at first they are equal"
    with torch.no_grad():
        for weight in model.leader.parameters():
            weight += 1
    model.follow(0.9)
    for before, after in zip(followers, model.follower.parameters(), strict=True):
        torch.testing.assert_close(after, before + 0.1)
    assert not any(weight.requires_grad for weight in model.follower.parameters())


def test_views_are_exchanged():
    model = Moco(resnet_small(), 64, SMALL)
    one, other = torch.rand(2, 6, 3, 32, 32)
    with torch.no_grad():
        first, second = ((view - 0.9) / 0.1 for view in (one, other))
        expected = 0
        for asked, keys in ((first, second), (second, first)):
            q = F.normalize(model.predictor(model.leader(asked)))
            k = F.normalize(model.follower(keys))
            expected += 0.4 * F.cross_entropy(q @ k.T / 0.2, torch.arange(6)).item()
    assert model(one, other, 1.0).item() == pytest.approx(expected, rel=1e-5)


def test_momentum_and_rate():
    assert momentum_at(0) == pytest.approx(0.99)
    assert momentum_at(0.5) == pytest.approx(0.995)
    assert momentum_at(1) == pytest.approx(1)
    rates = [rate_at(share, RESNET50) for share in (0, 0.05, 0.1, 0.55, 1)]
    assert rates == pytest.approx([0, 0.5, 1, 0.5, 0])
    assert rate_at(0.2, VIT) == pytest.approx(0.5), "40 epochs of warming up"


@pytest.mark.parametrize(
    ("recipe", "width", "projector", "predictor"),
    [
        (RESNET50, 2048, "LNRLN", "LNRL"),
        (VIT, 384, "LNRLNRLN", "LNRLN"),
    ],
)
def test_heads(recipe, width, projector, predictor):
    def letters(made):
        return "".join({"Linear": "L", "BatchNorm1d": "N", "ReLU": "R"}[type(layer).__name__] for layer in made)

    with torch.device("meta"):
        one = head(width, recipe.hidden, recipe.projector)
        two = head(256, recipe.hidden, 2, recipe.is_plain)
    assert letters(one) == projector
    assert letters(two) == predictor
    for made in (one, two):
        assert all(layer.bias is None for layer in made if isinstance(layer, torch.nn.Linear))
        norms = [layer.affine for layer in made if isinstance(layer, torch.nn.BatchNorm1d)]
        assert norms[0]
        assert made[0].out_features == 4096
        assert [layer for layer in made if isinstance(layer, torch.nn.Linear)][-1].out_features == 256
    assert not one[-1].affine


def test_lars_by_hand():
    matrix, bias = (torch.nn.Parameter(torch.tensor(values)) for values in ([[3.0, 4.0]], [3.0, 4.0]))
    optimiser = Lars([matrix, bias], lr=0.5, weight_decay=0.1)
    steps = []
    for _ in range(2):
        for weight in (matrix, bias):
            weight.grad = torch.tensor([0.6, 0.8]).view_as(weight)
        steps.append((matrix.detach().clone(), bias.detach().clone()))
        optimiser.step()
    # 0.1 weights + gradients = (0.9, 1.2), of norm 1.5; weights of norm 5: trust 1e-3 x 5 / 1.5.
    moved = torch.tensor([[0.9, 1.2]]) * 5e-3 / 1.5
    torch.testing.assert_close(steps[1][0], torch.tensor([[3.0, 4.0]]) - 0.5 * moved)
    torch.testing.assert_close(steps[1][1], torch.tensor([3.0, 4.0]) - 0.5 * torch.tensor([0.6, 0.8]))
    torch.testing.assert_close(
        bias.detach(), steps[1][1] - 0.5 * 1.9 * torch.tensor([0.6, 0.8]), msg="momentum of 0.9, no decay, no trust"
    )


def test_optimisers():
    model = Moco(resnet_small(), 64, SMALL)
    assert isinstance(optimiser_of(model, RESNET50), Lars)
    found = optimiser_of(model, VIT)
    assert isinstance(found, torch.optim.AdamW)
    assert found.param_groups[0]["weight_decay"] == 0.1
    assert len(found.param_groups[0]["params"]) == len([*model.leader.parameters(), *model.predictor.parameters()])


# Pretraining


def pretraining(budget="smoke", recipe=SMALL):
    return Pretraining(lambda: resnet_small(zero=True), 64, recipe, TrainingTask(Odd(), task(n=4).split), budget)


def learn(made, folder, stop=None, seed=0):
    losses = []

    def progress(step, steps, loss=None):
        losses.append(loss)
        if step == stop:
            raise KeyboardInterrupt

    return made.weights(seed=seed, device="cpu", checkpoint_dir=folder, progress=progress), losses


def test_it_sees_the_first_reference_of_every_rule():
    made = pretraining()
    assert len(made.task) == 103 * 2
    assert made.batch == 16
    assert made.steps == 8
    assert pretraining("quick").batch == 64


def test_the_published_length(monkeypatch):
    monkeypatch.setitem(moco.IMAGES, "paper", 100)  # as many as there are here
    made = pretraining("paper", RESNET50)
    assert made.batch == 1_536
    assert made.steps == 100 * (103 * 100 // 1_536)


def test_never_an_odd_image(tmp_path, monkeypatch):
    benchmark, seen = Odd(), []
    whole = benchmark.references(np.arange(50))
    assert (whole < 230).sum() == 50 * 8 * 8 * 3, "all squares are small"
    made = pretraining()
    references = made.task.benchmark.references
    monkeypatch.setattr(
        made.task.benchmark, "references", lambda items: seen.extend(items.tolist()) or references(items)
    )
    learn(made, tmp_path)
    assert set(seen) <= set(made.task.split.train.tolist())
    assert len(seen) == len(set(seen)) == 8 * 16


@pytest.mark.parametrize(("optimiser", "lr"), [("adamw", 0.15), ("lars", 30.0)])
def test_the_loss_falls(tmp_path, monkeypatch, optimiser, lr):
    monkeypatch.setattr(moco, "MOMENTUM", 0.5)  # in forty steps a slow follower gets nowhere
    recipe = moco.Recipe(optimiser, lr, 256, 1e-6, 10, 0.2, 2, True, 64, {"smoke": 40})
    _, losses = learn(pretraining(recipe=recipe), tmp_path)
    assert len(losses) == 40
    assert losses[0] == pytest.approx(0.8 * math.log(16), rel=0.1), "at first all sixteen are as likely"
    assert np.mean(losses[-8:]) < np.mean(losses[:8]) - 0.1


def test_an_interrupted_pretraining_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    monkeypatch.setitem(moco.BATCH, "smoke", 8)
    for recipe in (SMALL, moco.Recipe(**{**vars(SMALL), "optimiser": "lars"})):
        name = recipe.optimiser
        whole, losses = learn(pretraining(recipe=recipe), tmp_path / name / "whole")
        with pytest.raises(KeyboardInterrupt):
            learn(pretraining(recipe=recipe), tmp_path / name / "parts", stop=4)
        resumed, rest = learn(pretraining(recipe=recipe), tmp_path / name / "parts")
        assert rest == losses[-len(rest) :]
        assert len(rest) < len(losses)
        assert all(torch.equal(value, resumed[key]) for key, value in whole.items())


def test_the_encoder_alone_is_handed_on(tmp_path, monkeypatch):
    from pytest_genbench.reference_models import reasoning

    begun = []
    monkeypatch.setattr(
        reasoning,
        "train",
        lambda network, *_, **__: begun.append({k: v.clone() for k, v in network.state_dict().items()}),
    )
    monkeypatch.setitem(moco.BATCH, "smoke", 8)
    made = task(n=8)
    model, calls = fit(ResNetSmallLearner, made, tmp_path, pretraining="moco")
    fresh = training.build(lambda: ResNetSmallLearner().network(32, False), 0).state_dict()
    (kept,) = (tmp_path / "first").glob("cvr-resnet-small-odd-*.pt")
    learnt = torch.load(kept, weights_only=True)
    for name, value in begun[0].items():
        assert torch.equal(value, learnt[name] if name.startswith("encoder.") else fresh[name]), name
    assert not torch.equal(learnt["encoder.0.weight"], fresh["encoder.0.weight"])
    assert len(calls) == 8
    assert model.trained_on == (made.split.id, "odd/default/all-n2")


def test_the_transformer_keeps_its_patches():
    from pytest_genbench.reference_models.similarity_models import vit_small

    model = Moco(vit_small(32), 384, moco.Recipe(**{**vars(VIT), "hidden": 32}))
    learning = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert not any("patch_embed" in name or "pos_embed" in name for name in learning)
    assert math.isfinite(model(torch.rand(2, 3, 32, 32), torch.rand(2, 3, 32, 32), 0.99).item())
