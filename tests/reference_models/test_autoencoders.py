"""The auto-encoders of CompOrth: sizes, shapes, what they paint and that they learn."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from pytest_genbench.benchmarks.comporth import CompOrth  # noqa: E402
from pytest_genbench.benchmarks.comporth.stimuli import Stimuli  # noqa: E402
from pytest_genbench.learners import BUDGETS, Learner, TrainingTask  # noqa: E402
from pytest_genbench.reference_models import autoencoders  # noqa: E402
from pytest_genbench.reference_models.autoencoders import (  # noqa: E402
    BlockLinear,
    Conv1dAutoencoder,
    Conv1dLearner,
    Conv1dSettings,
    MlpAutoencoder,
    MlpLearner,
    MlpSettings,
    SharedCellAutoencoder,
    SharedCellLearner,
    SharedCellSettings,
    cut,
)
from pytest_genbench.reference_models.training import build, seeded  # noqa: E402

MODELS = {
    "conv1d": (Conv1dAutoencoder, Conv1dSettings()),
    "shared-cell": (SharedCellAutoencoder, SharedCellSettings()),
    "own-cells": (SharedCellAutoencoder, SharedCellSettings(shared=False)),
    "mlp": (MlpAutoencoder, MlpSettings()),
}
ALL = pytest.mark.parametrize("name", MODELS)
LEARNERS = {
    "conv1d": Conv1dLearner(Conv1dSettings(steps=150)),
    "shared-cell": SharedCellLearner(SharedCellSettings(steps=150)),
    "own-cells": SharedCellLearner(SharedCellSettings(shared=False, steps=150)),
    "mlp": MlpLearner(MlpSettings(steps=150)),
}


@pytest.fixture(autouse=True)
def _one_thread():
    """Results depend on the number of threads, and these layers are too small for two."""
    with seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def task():
    benchmark = CompOrth("mini")
    return TrainingTask(benchmark, benchmark.splits("compositional")[0])


def make(name, seed=0):
    network, settings = MODELS[name]
    return build(lambda: network(settings), seed).eval()


def as_tensor(images):
    return torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255


def fit(learner, task, folder, seed=0, budget="smoke"):
    folder.mkdir(exist_ok=True)
    losses = []

    def progress(step, steps, loss=None):
        losses.append(loss)

    model = learner.fit(task, seed=seed, budget=budget, device="cpu", checkpoint_dir=folder, progress=progress)
    return model, losses


# Networks


@pytest.mark.parametrize(
    ("name", "parameters"), [("conv1d", 76_696), ("shared-cell", 99_524), ("own-cells", 8 * 99_524), ("mlp", 184_320)]
)
def test_number_of_parameters(name, parameters):
    assert sum(p.numel() for p in make(name).parameters()) == parameters


@ALL
@pytest.mark.parametrize("n", [1, 3])
def test_shapes_and_ranges(name, n):
    model = make(name)
    images = torch.rand(n, 1, 64, 64)
    reconstruction, code = model(images)
    assert reconstruction.shape == (n, 1, 64, 64)
    assert code.shape == (n, 32)
    assert model.logits(code).shape == cut(images).shape == (n, 20, 64)
    assert reconstruction.min() >= 0
    assert reconstruction.max() <= 1
    assert code.abs().max() < 1


@pytest.mark.parametrize(
    ("network", "settings", "size"),
    [
        (Conv1dAutoencoder, Conv1dSettings(channels=16, code=2), 16),
        (SharedCellAutoencoder, SharedCellSettings(code=3), 24),
        (SharedCellAutoencoder, SharedCellSettings(code=3, shared=False), 24),
        (MlpAutoencoder, MlpSettings(first=8, hidden=16, per_block=4, code=5), 5),
    ],
)
def test_sizes_follow_the_settings(network, settings, size):
    reconstruction, code = network(settings)(torch.rand(2, 1, 64, 64))
    assert code.shape == (2, size)
    assert reconstruction.shape == (2, 1, 64, 64)


@ALL
def test_the_reconstruction_is_made_from_the_code_alone(name):
    model = make(name)
    image = torch.rand(5, 1, 64, 64)
    reconstruction, code = model(image)
    assert torch.equal(model.encode(image), code)
    torch.testing.assert_close(model.decode(code), reconstruction)


@ALL
def test_rows_outside_the_strip_are_black_and_unseen(name):
    model = make(name)
    image = torch.rand(3, 1, 64, 64)
    reconstruction, code = model(image)
    outside = np.r_[0:22, 42:64]
    assert not reconstruction[:, :, outside].any()
    assert reconstruction[:, :, 22:42].min() > 0
    image[:, :, outside] = 0
    assert torch.equal(model.encode(image), code)


@pytest.mark.parametrize("preset", ["published", "described", "mini"])
def test_the_strip_holds_all_ink(preset):
    stimuli = Stimuli(preset)
    images = stimuli.images(np.arange(0, stimuli.grid.size, 7))
    assert not np.delete(images, np.s_[22:42], axis=1).any()


@ALL
def test_fresh_networks_paint_dark_images(name):
    painted = cut(make(name)(torch.rand(8, 1, 64, 64))[0])
    paint = torch.tensor(-3.0).sigmoid().item()
    assert painted.min() > 0.5 * paint
    assert painted.max() < 4 * paint  # two windows paint most pixels


# Windows


def noisy_or(model, code):
    """What the windows paint, joined pixel by pixel, in double precision: P = 1 - (1 - p)(1 - q)."""
    dark = torch.ones(len(code), 20, 72, dtype=torch.float64)  # 8 columns to the left, where nothing is seen
    painted = model.decoder(code.unflatten(1, (8, -1))).double().sigmoid()
    for window in range(8):
        columns = slice(8 * window, 8 * window + 16)
        dark[:, :, columns] *= 1 - painted[:, window].reshape(-1, 20, 16)
    return 1 - dark[:, :, 8:]


@pytest.mark.parametrize("name", ["shared-cell", "own-cells"])
@pytest.mark.parametrize("scale", [1, 30])
def test_windows_are_joined_by_a_noisy_or(name, scale):
    model = make(name)
    with torch.no_grad():
        model.decoder[-1].weight *= scale  # paint with conviction too
        code = torch.rand(4, 32) * 2 - 1
        probability = model.logits(code).sigmoid().double()
        torch.testing.assert_close(probability, noisy_or(model, code), rtol=1e-4, atol=1e-6)


def test_the_noisy_or_has_gradients_where_windows_are_sure():
    model = make("shared-cell")
    with torch.no_grad():
        model.decoder[-1].bias.fill_(-40.0)
    code = torch.zeros(1, 32, requires_grad=True)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model.logits(code), torch.ones(1, 20, 64))
    loss.backward()
    assert loss.item() == pytest.approx(40, rel=0.05)
    assert code.grad.isfinite().all()
    assert code.grad.abs().max() > 1e-4


def test_what_is_shifted_by_a_window_shifts_the_code_by_a_window():
    model = make("shared-cell")
    images = torch.zeros(3, 1, 64, 64)
    images[:, :, 24:40, 12:40] = torch.rand(3, 1, 16, 28)
    shifted = images.roll(8, dims=3)
    code, other = (model.encode(each).unflatten(1, (8, 4)) for each in (images, shifted))
    torch.testing.assert_close(other[:, 1:], code[:, :-1])
    painted, moved = (cut(model.decode(each.flatten(1))) for each in (code, other))
    torch.testing.assert_close(moved[:, :, 16:56], painted[:, :, 8:48])  # the border sees fewer windows


def test_what_is_shifted_by_a_window_is_something_else_where_weights_are_not_shared():
    model = make("own-cells")
    images = torch.zeros(3, 1, 64, 64)
    images[:, :, 24:40, 12:40] = torch.rand(3, 1, 16, 28)
    code, other = (model.encode(each).unflatten(1, (8, 4)) for each in (images, images.roll(8, dims=3)))
    assert (other[:, 1:] - code[:, :-1]).abs().max() > 0.01


@pytest.mark.parametrize("name", ["shared-cell", "own-cells"])
def test_a_window_sees_its_own_columns_and_those_to_its_left(name):
    model = make(name)
    images = torch.rand(1, 1, 64, 64)
    code = model.encode(images).unflatten(1, (8, 4))
    for window in range(8):
        changed = images.clone()
        changed[..., 8 * window : 8 * window + 8] = 0
        differs = (model.encode(changed).unflatten(1, (8, 4)) != code).any(dim=2)[0]
        assert differs.nonzero().flatten().tolist() == [window, window + 1][: 8 - window]


def test_block_linear_has_a_layer_of_its_own_for_each_block():
    layer = BlockLinear(3, 5, 7)
    x = torch.rand(4, 3, 5)
    expected = torch.stack([x[:, b] @ layer.weight[b] + layer.bias[b, 0] for b in range(3)], dim=1)
    torch.testing.assert_close(layer(x), expected)
    assert layer.weight.abs().max() <= 5**-0.5


# Learners


@ALL
def test_training_lowers_the_loss(name, task, tmp_path):
    model, losses = fit(LEARNERS[name], task, tmp_path)
    assert len(losses) == 150
    assert np.mean(losses[-10:]) < 0.75 * np.mean(losses[:10])
    assert not model.training


@pytest.mark.parametrize(
    ("learner", "settings"),
    [(Conv1dLearner, Conv1dSettings), (SharedCellLearner, SharedCellSettings), (MlpLearner, MlpSettings)],
)
def test_same_seed_gives_same_weights(learner, settings, task, tmp_path):
    def trained(name, seed):
        model, _ = fit(learner(settings(steps=5)), task, tmp_path / name, seed)
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    first = trained("first", 3)
    torch.rand(1)  # what others draw does not matter
    assert torch.equal(first, trained("again", 3))
    assert not torch.equal(first, trained("other", 4))


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_first_loss(noise, task, tmp_path):
    """Cross-entropy with a noisy code, summed over pixels, averaged over images, put together by hand."""
    _, (loss,) = fit(Conv1dLearner(Conv1dSettings(noise=noise, steps=1)), task, tmp_path)
    model = make("conv1d")
    images = as_tensor(task.images(next(task.batches(64, seed=0))))
    torch.manual_seed(0)
    code = model.encode(images)
    p = cut(model.decode(code + noise * torch.randn_like(code))).double()
    target = cut(images).double()
    entropy = -(target * p.log() + (1 - target) * (1 - p).log()).sum() / 64
    assert loss == pytest.approx(entropy.item(), rel=1e-5)


@pytest.mark.parametrize("learner", [Conv1dLearner, SharedCellLearner, MlpLearner])
def test_what_a_learner_says(learner):
    made = learner()
    assert isinstance(made, Learner)
    assert made.settings == learner.Settings()
    assert (made.outputs, made.benchmark) == (("reconstruction", "embedding"), "comporth")
    assert tuple(learner.steps) == BUDGETS
    assert list(learner.steps.values()) == sorted(learner.steps.values())


def test_the_budget_says_how_many_steps(task, tmp_path, monkeypatch):
    monkeypatch.setattr(MlpLearner, "steps", {"smoke": 2, "quick": 3})
    assert [len(fit(MlpLearner(), task, tmp_path, budget=budget)[1]) for budget in ("smoke", "quick")] == [2, 3]
    assert len(fit(MlpLearner(MlpSettings(steps=4)), task, tmp_path, budget="quick")[1]) == 4


def test_what_is_saved(task, tmp_path, monkeypatch):
    """The files themselves are tested with the export."""
    written = []
    monkeypatch.setattr(autoencoders, "export_autoencoder", lambda *args: written.append(args))
    learner, model = MlpLearner(), make("mlp")
    learner.save(model, tmp_path, task)
    assert written == [(model, tmp_path / "model.onnx", tmp_path / "decoder.onnx", task.split, (1, 64, 64))]
    assert learner.load(tmp_path) == tmp_path / "model.onnx"


def test_a_level_line_is_moved_up_and_back():
    stimuli = Stimuli("mini")
    images = stimuli.images(np.arange(stimuli.grid.size))
    strips = autoencoders.cut(as_tensor(images))
    model = SharedCellAutoencoder(SharedCellSettings(level=True)).eval()
    with torch.no_grad():
        code = model.encode(as_tensor(images))
    assert code.shape == (len(images), 33)
    top = ((code[:, 0] + 1) * 10).round().long()
    level = autoencoders.moved(strips, top, 0.0)
    assert (level[:, 0].amax(1) > 0.25).all(), "every line begins in the first row"
    assert torch.equal(autoencoders.moved(level, -top, 0.0), strips)


def test_the_height_of_a_line_does_not_change_the_rest_of_its_code():
    stimuli = Stimuli("published")
    # One word at two heights.
    images = stimuli.images(stimuli.grid.index([[40, 2, 1, 1], [40, 2, 6, 1]]))
    model = SharedCellAutoencoder(SharedCellSettings(level=True)).eval()
    with torch.no_grad():
        one, two = model.encode(as_tensor(images))
    assert torch.allclose(one[1:], two[1:], atol=1e-6)
    assert abs(one[0] - two[0]) == pytest.approx(0.5)
