"""The small supervised models and what all of them share: layers, settings, augmentations, training, files."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.learners import Learner  # noqa: E402
from pytest_genbench.reference_models import regression, training  # noqa: E402
from pytest_genbench.reference_models.augmentations import AUGMENTATIONS, SHEAR  # noqa: E402
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402
from pytest_genbench.reference_models.regression import memory_of, squared_error  # noqa: E402
from pytest_genbench.reference_models.regressors import (  # noqa: E402
    CnnLearner,
    CoordConvLearner,
    MlpLearner,
    SetEncoder,
    SetEncoderLearner,
    SpatialTransformer,
    SpatialTransformerLearner,
    WithCoordinates,
    cnn,
    cnn_body,
)

from .blocks import Blocks, task  # noqa: E402

LEARNERS = [MlpLearner, CnnLearner, CoordConvLearner, SetEncoderLearner, SpatialTransformerLearner]
ALL = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
MEAN = sum((n + 1) / (12 * (n - 1)) for n in Blocks.grid.shape)  # the loss of who always answers 1/2


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def blocks():
    return task()


def fit(learner, made, folder, stop=None, seed=0, budget="smoke", **settings):
    """Train; returns the model and the losses. Interrupted after `stop` steps."""
    losses = []

    def progress(step, steps, loss=None):
        losses.append(loss)
        if step == stop:
            raise KeyboardInterrupt

    made_learner = learner(learner.Settings(**settings))
    model = made_learner.fit(made, seed=seed, budget=budget, device="cpu", checkpoint_dir=folder, progress=progress)
    return model, losses


def flat(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def parameters(network):
    return sum(p.numel() for p in network.parameters())


def declared(file):
    return {entry.key: entry.value for entry in onnx.load(file).metadata_props}


# Layers


@pytest.mark.parametrize(
    ("learner", "channels", "factors", "expected"),
    [
        (CnnLearner, 1, 5, 379_077),
        (CnnLearner, 3, 6, 380_358),
        (CnnLearner, 3, 7, 380_615),
        (MlpLearner, 1, 5, 398_522),
        (MlpLearner, 3, 7, 1_135_848),
        # 448 and 5 x 2,320; 544 and 165.
        (CoordConvLearner, 1, 5, 448 + 5 * 2_320 + 544 + 165),
        # 160, 1,640, 820; 420, 420, 105.
        (SetEncoderLearner, 1, 5, 3_565),
        # 400, 2,010, 3,610, 2,912 and 198 beside the CNN.
        (SpatialTransformerLearner, 1, 5, 379_077 + 9_130),
    ],
)
def test_number_of_parameters(learner, channels, factors, expected):
    assert parameters(learner().network(channels, factors)) == expected


@ALL
@pytest.mark.parametrize(("n", "channels", "factors"), [(1, 1, 5), (3, 3, 7)])
def test_shapes(learner, n, channels, factors):
    assert learner().network(channels, factors)(torch.rand(n, channels, 64, 64)).shape == (n, factors)


def test_the_bodies_features():
    body = cnn_body(3)
    assert body(torch.rand(2, 3, 64, 64)).shape == (2, 256)
    assert cnn_body(1, width=4)(torch.rand(2, 1, 64, 64)).shape == (2, 256)
    assert [tuple(p.shape[:2]) for p in body.parameters() if p.ndim == 4] == [
        (32, 3),
        (32, 32),
        (64, 32),
        (64, 64),
        (256, 64),
    ]


@pytest.mark.parametrize("depth", [6, 9])
def test_depth_is_the_number_of_layers(depth):
    network = CnnLearner(CnnLearner.Settings(depth=depth)).network(1, 5)
    assert sum(isinstance(layer, torch.nn.Conv2d | torch.nn.Linear) for layer in network.modules()) == depth
    assert network(torch.rand(2, 1, 64, 64)).shape == (2, 5)


def test_where_the_coordinates_run():
    shown = WithCoordinates(-1)(torch.zeros(2, 1, 64, 64))
    assert shown.shape == (2, 3, 64, 64)
    assert shown[1, 1, 5, [0, 63]].tolist() == [-1, 1], "columns"
    assert shown[1, 2, [0, 63], 5].tolist() == [-1, 1], "rows"
    assert (shown[:, 0] == 0).all()


def test_a_set_has_no_order():
    """Pixels that are moved together with their coordinates give the same factors."""
    network = SetEncoder(1, 5)
    images = torch.rand(2, 1, 64, 64)
    before = network(images)
    order = torch.randperm(4096)

    def mixed(x):
        return x.flatten(2)[..., order].view_as(x)

    network.place.coordinates = mixed(network.place.coordinates)
    torch.testing.assert_close(network(mixed(images)), before)
    assert not torch.allclose(network(images), before)


def test_the_transformer_starts_at_the_identity():
    network = SpatialTransformer(3, 5)
    images = torch.rand(2, 3, 64, 64)
    torch.testing.assert_close(network.moved(images), images, rtol=0, atol=1e-4)
    torch.testing.assert_close(network(images), network.cnn(images), rtol=0, atol=1e-4)


def test_the_transformer_moves_what_it_sees():
    network = SpatialTransformer(1, 5)
    with torch.no_grad():
        network.affine.bias[2] = 2 * 8 / 64  # of a width of 2: look 8 pixels further to the right
    images = torch.rand(1, 1, 64, 64)
    torch.testing.assert_close(network.moved(images)[..., :56], images[..., 8:], rtol=0, atol=1e-4)


# Settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"batch": 0}, "batch=0 of cnn.*1 or more"),
        ({"batch": 2.5}, "batch=2.5.*whole number"),
        ({"steps": -1}, "steps=-1.*0 or more"),
        ({"lr": 0.0}, "lr=0.0.*above 0"),
        ({"lr": math.nan}, "lr=nan"),
        ({"weight_decay": -1.0}, "weight_decay=-1.0.*0 or more"),
        ({"augment": "eraze"}, "augment='eraze'.*Did you mean 'erase'"),
        ({"augment": "flip"}, "augment='flip'.*noise"),
        ({"depth": 7}, "depth=7.*6 or 9"),
    ],
)
def test_settings_that_cannot_be_used(wrong, message):
    with pytest.raises(LearnerError, match=message):
        CnnLearner(CnnLearner.Settings(**wrong))


@ALL
def test_it_is_a_learner_with_budgets(learner):
    assert isinstance(learner(), Learner)
    assert learner.outputs == ("factors",)
    steps = [learner().schedule(budget).steps for budget in ("smoke", "quick", "standard", "paper")]
    assert steps == sorted(steps)
    assert steps[-1] == 500_000
    assert learner().schedule("paper").batch == 64


def test_the_published_rate_is_constant():
    published, quick = CnnLearner().schedule("paper"), CnnLearner().schedule("quick")
    assert {published.rate(step) for step in (0, 250_000, 499_999)} == {5e-4}
    assert quick.rate(quick.steps - 1) < quick.rate(0) == 5e-4
    assert CnnLearner(CnnLearner.Settings(steps=7)).schedule("paper").steps == 7


# Augmentations


@pytest.mark.parametrize("name", AUGMENTATIONS)
@pytest.mark.parametrize("channels", [1, 3])
def test_each_image_is_changed_in_its_own_way(name, channels):
    images = torch.rand(1, channels, 64, 64).expand(4, -1, -1, -1)
    before = images.clone()
    changed = AUGMENTATIONS[name](images)
    assert changed.shape == images.shape
    assert torch.equal(images, before), "a copy"
    assert len({tuple(image.flatten().tolist()) for image in changed}) == 4
    assert not any(torch.equal(a, b) for a, b in zip(changed, images, strict=True))


def test_a_rectangle_is_erased_in_all_channels():
    erased = AUGMENTATIONS["erase"](torch.ones(50, 3, 64, 64)) == 0
    assert torch.equal(erased[:, 0], erased[:, 2])
    assert erased.float().mean((1, 2, 3)).max() < 0.22
    for one in erased[:, 0]:
        rows, columns = one.any(1), one.any(0)
        assert torch.equal(one, rows[:, None] & columns[None]), "a rectangle"


def test_a_shear_is_small_and_keeps_the_middle():
    image = torch.zeros(20, 1, 64, 64)
    image[..., 32] = 1  # a vertical line
    sheared = AUGMENTATIONS["shear"](image)
    middle = (sheared * torch.arange(64)).sum(3) / sheared.sum(3)  # (20, 1, 64): where the line is in each row
    assert (middle[:, :, 31:33] - 32).abs().max() < 0.2
    assert 1 < (middle - 32).abs().max() < 32 * math.tan(math.radians(SHEAR)) + 0.5


@pytest.mark.parametrize("name", ["blur", "shear"])
def test_an_even_image_stays_as_it_is(name):
    images = torch.full((3, 2, 64, 64), 0.7)
    torch.testing.assert_close(AUGMENTATIONS[name](images), images)


def test_blur_smooths():
    images = torch.rand(8, 2, 64, 64)
    assert AUGMENTATIONS["blur"](images).std() < 0.8 * images.std()


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_training_images_change_and_labels_do_not(blocks, tmp_path, monkeypatch, name):
    seen = []

    def watched(factors, targets):
        seen.append((factors, targets))
        return squared_error(factors, targets)

    monkeypatch.setattr(regression, "squared_error", watched)
    for augment in ("", name):
        fit(MlpLearner, blocks, tmp_path / augment, augment=augment, steps=1, batch=8)
    (plain, targets), (changed, same) = seen
    assert not torch.equal(plain, changed)
    assert torch.equal(targets, same)


# Training


def test_the_loss_is_summed_over_factors_and_averaged_over_images():
    assert squared_error(torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.tensor([[0.0, 0.0], [0.0, 1.0]])).item() == 3


def test_the_loss_of_a_step(blocks, tmp_path):
    """The first loss, put together by hand, with a penalty and without."""
    model = training.build(lambda: cnn(1, 4), 0)
    rows = next(blocks.batches(8, seed=0))
    images = torch.from_numpy(blocks.images(rows)).permute(0, 3, 1, 2) / 255
    targets = torch.from_numpy(blocks.targets(rows)["factors"])
    expected = ((model(images) - targets) ** 2).sum().item() / 8
    for decay in (0.0, 0.1):
        _, (loss,) = fit(CnnLearner, blocks, tmp_path / str(decay), steps=1, batch=8, weight_decay=decay)
        assert loss == pytest.approx(expected + decay / 2 * (flat(model) ** 2).sum().item(), rel=1e-4)


@pytest.mark.parametrize(
    ("learner", "settings"),
    [
        (MlpLearner, {"steps": 100, "lr": 2e-3}),
        (CnnLearner, {"steps": 60, "lr": 1e-3}),
        (CoordConvLearner, {"steps": 120, "lr": 5e-3}),
        pytest.param(SetEncoderLearner, {"steps": 500, "lr": 1e-2}, marks=pytest.mark.slow),
        (SpatialTransformerLearner, {"steps": 50, "lr": 2e-3}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_it_learns(blocks, tmp_path, learner, settings):
    model, losses = fit(learner, blocks, tmp_path, batch=16, **settings)
    assert len(losses) == settings["steps"]
    assert np.mean(losses[-5:]) < 0.7 * MEAN
    assert not model.training


@pytest.mark.parametrize("augment", ["", "erase"])
def test_an_interrupted_training_goes_on(blocks, tmp_path, monkeypatch, augment):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    settings = {"steps": 6, "batch": 8, "augment": augment, "weight_decay": 1e-3}
    whole, losses = fit(CnnLearner, blocks, tmp_path / "whole", **settings)
    with pytest.raises(KeyboardInterrupt):
        fit(CnnLearner, blocks, tmp_path / "parts", stop=4, **settings)
    resumed, rest = fit(CnnLearner, blocks, tmp_path / "parts", **settings)
    assert losses[6 - len(rest) :] == rest
    assert len(rest) < 6
    assert torch.equal(flat(whole), flat(resumed))


@ALL
def test_same_seed_gives_same_weights(blocks, tmp_path, learner):
    def trained(name, seed):
        return flat(fit(learner, blocks, tmp_path / name, seed=seed, steps=2, batch=4)[0])

    first = trained("first", 3)
    torch.rand(1)  # what others draw does not matter
    assert torch.equal(first, trained("again", 3))
    assert not torch.equal(first, trained("other", 4))


def test_a_large_training_set_is_not_kept(tmp_path, monkeypatch):
    small = task()
    rows = np.array([3, 1])
    kept = memory_of(small).inputs(rows)
    monkeypatch.setattr(regression, "ROOM", 1_000)
    memory = memory_of(small)
    assert torch.equal(memory.inputs(rows), kept)
    assert list(memory._arrays) == []
    assert memory.targets(rows)["factors"].shape == (2, 4)


@pytest.mark.parametrize("side", [32, 128])
def test_images_of_another_size(tmp_path, side):
    with pytest.raises(LearnerError, match=rf"cnn takes images of 64 x 64.*blocks have {side} x {side}\."):
        fit(CnnLearner, task(side=side), tmp_path)


def test_a_benchmark_without_factors(tmp_path, monkeypatch):
    monkeypatch.setattr(Blocks, "targets", lambda self, index: {"factor.x": np.zeros(len(index), np.int64)})
    with pytest.raises(LearnerError, match="mlp learns the output factors, of which blocks"):
        fit(MlpLearner, task(), tmp_path)


# Files


@ALL
def test_the_file_computes_what_torch_computes(tmp_path, learner):
    made = task(channels=3)
    model, _ = fit(learner, made, tmp_path, steps=2, batch=4)
    learner().save(model, tmp_path, made)
    file = learner().load(tmp_path)
    images = torch.rand(5, 3, 64, 64)
    with torch.no_grad():
        expected = model(images).numpy()
    for batch in (1, 5):
        outputs = run_onnx(file, images.numpy(), batch)
        assert list(outputs) == ["factors"]
        np.testing.assert_allclose(outputs["factors"], expected, rtol=0, atol=1e-4)
    assert declared(file) == {
        "genbench.benchmark": "blocks",
        "genbench.trained_on": made.split.id,
        "genbench.range": "0,1",
        "genbench.outputs": "factors=factors",
    }
