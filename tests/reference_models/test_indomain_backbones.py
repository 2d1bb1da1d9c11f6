"""The large networks: that they run, what they start from, what stays fixed, what their files say."""

from __future__ import annotations

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
timm = pytest.importorskip("timm")
pytest.importorskip("onnxscript")
safetensors = pytest.importorskip("safetensors.torch")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.learners import Learner  # noqa: E402
from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.backbones import (  # noqa: E402
    Backbone,
    DenseNetLearner,
    DenseNetTransferLearner,
    ResNet50Learner,
    ResNet50TransferLearner,
    ResNet101x3Learner,
    ResNet101x3TransferLearner,
    load,
)
from pytest_genbench.reference_models.export import run_onnx  # noqa: E402

from .blocks import task  # noqa: E402
from .test_regressors import declared, fit, flat, parameters  # noqa: E402

SCRATCH = [ResNet50Learner, ResNet101x3Learner, DenseNetLearner]
TRANSFER = [ResNet50TransferLearner, ResNet101x3TransferLearner, DenseNetTransferLearner]
RANDOM = pytest.mark.filterwarnings("ignore:.*starts from random weights")


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


@pytest.fixture(scope="module")
def blocks():
    return task()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (ResNet50Learner.kind, 23_500_352 + 10_245),
        (ResNet101x3Learner.kind, 381_789_888 + 30_725),
        (DenseNetLearner.kind, 6_953_856 + 5_125),
    ],
)
def test_number_of_parameters(kind, expected):
    with torch.device("meta"):
        assert parameters(Backbone(kind, 5)) == expected


@pytest.mark.parametrize("learner", [*SCRATCH, *TRANSFER], ids=lambda learner: learner.name)
def test_they_are_learners(learner):
    assert isinstance(learner(), Learner)
    steps = [learner().schedule(budget).steps for budget in ("smoke", "quick", "standard", "paper")]
    assert steps == sorted(steps)
    assert steps[-1] == (50_000 if learner in TRANSFER else 500_000)
    slow = learner in TRANSFER or learner is DenseNetLearner
    assert learner().schedule("paper").rate(0) == (1e-4 if slow else 5e-4)


def test_one_channel_is_shown_three_times():
    network = Backbone("densenet121", 4).eval()
    images = torch.rand(2, 1, 64, 64)
    with torch.no_grad():
        assert torch.equal(network(images), network(images.repeat(1, 3, 1, 1)))


def test_other_numbers_of_channels(tmp_path):
    with pytest.raises(LearnerError, match="resnet50 takes images of 1 or 3 channels; those of blocks have 2"):
        fit(ResNet50Learner, task(channels=2), tmp_path)


def test_images_of_another_size(tmp_path):
    with pytest.raises(LearnerError, match=r"densenet121 takes images of 64 x 64.*32 x 32\."):
        fit(DenseNetLearner, task(side=32), tmp_path)


@RANDOM
@pytest.mark.parametrize("learner", [DenseNetLearner, ResNet50TransferLearner], ids=lambda learner: learner.name)
def test_a_step_moves_all_weights(blocks, tmp_path, learner):
    model, (loss,) = fit(learner, blocks, tmp_path, steps=1, batch=2)
    fresh = training.build(lambda: learner().network(1, 4), 0)
    assert np.isfinite(loss)
    assert not torch.equal(flat(model.body), flat(fresh.body))
    assert not torch.equal(flat(model.head), flat(fresh.head))


@RANDOM
def test_a_frozen_body_stays_as_it_is(blocks, tmp_path):
    model, _ = fit(DenseNetTransferLearner, blocks, tmp_path, frozen=True, steps=2, batch=2)
    fresh = training.build(lambda: DenseNetTransferLearner().network(1, 4), 0)
    for name, value in model.body.state_dict().items():  # running means and variances too
        assert torch.equal(value, fresh.body.state_dict()[name]), name
    assert not torch.equal(flat(model.head), flat(fresh.head))


def test_nothing_else_may_move_a_frozen_body():
    with pytest.raises(LearnerError, match=r"weight_decay=0\.1 of resnet50-transfer has to be 0 with frozen=true"):
        ResNet50TransferLearner(ResNet50TransferLearner.Settings(frozen=True, weight_decay=0.1))


@pytest.mark.slow
@RANDOM
def test_an_interrupted_training_goes_on(blocks, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    whole, losses = fit(DenseNetLearner, blocks, tmp_path / "whole", steps=3, batch=4)
    with pytest.raises(KeyboardInterrupt):
        fit(DenseNetLearner, blocks, tmp_path / "parts", steps=3, batch=4, stop=2)
    resumed, rest = fit(DenseNetLearner, blocks, tmp_path / "parts", steps=3, batch=4)
    assert rest == losses[2:]
    assert torch.equal(flat(whole), flat(resumed))


@pytest.mark.slow
def test_it_learns(blocks, tmp_path):
    _, losses = fit(DenseNetLearner, blocks, tmp_path, steps=25, batch=16, lr=1e-3)
    assert np.mean(losses[-5:]) < 0.5


# Weights to start from


def transfer(path, learner=DenseNetTransferLearner):
    return learner(learner.Settings(weights=str(path)))


def test_without_weights_it_says_so():
    with pytest.warns(UserWarning, match="densenet121-transfer starts from random weights: set weights"):
        DenseNetTransferLearner().network(1, 4)


def old_names(state):
    """As in torchvision's own files."""
    return {re.sub(r"(denselayer\d+\.(?:norm|conv))([12])\.", r"\1.\2.", name): value for name, value in state.items()}


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
@pytest.mark.parametrize("change", [dict, old_names])
def test_training_starts_from_weights(tmp_path, name, change):
    source = timm.create_model("densenet121", num_classes=10)
    state = change(source.state_dict())
    if name.endswith(".pt"):
        torch.save({key: v for key, v in state.items() if "num_batches" not in key or change is dict}, tmp_path / name)
    else:
        safetensors.save_file(state, tmp_path / name)
    network = transfer(tmp_path / name).network(1, 4)
    assert network.head.weight.shape == (4, 1024)
    assert torch.equal(flat(network.body), flat(source.features))


def bit(body):
    """Weights in the layout of BiT's files."""
    arrays = {
        "resnet/root_block/standardized_conv2d/kernel": body.stem.conv.weight,
        "resnet/group_norm/gamma": body.norm.weight,
        "resnet/group_norm/beta": body.norm.bias,
    }
    for i, stage in enumerate(body.stages, 1):
        for j, block in enumerate(stage.blocks, 1):
            unit = f"resnet/block{i}/unit{j:02d}"
            for part, number in zip("abc", (1, 2, 3), strict=True):
                arrays[f"{unit}/{part}/standardized_conv2d/kernel"] = getattr(block, f"conv{number}").weight
                arrays[f"{unit}/{part}/group_norm/gamma"] = getattr(block, f"norm{number}").weight
                arrays[f"{unit}/{part}/group_norm/beta"] = getattr(block, f"norm{number}").bias
            if block.downsample is not None:
                arrays[f"{unit}/a/proj/standardized_conv2d/kernel"] = block.downsample.conv.weight
    return {
        name: array.detach().permute(2, 3, 1, 0).numpy() if array.ndim == 4 else array.detach().numpy()
        for name, array in arrays.items()
    }


def test_training_starts_from_weights_of_bit(tmp_path):
    source = Backbone(ResNet50Learner.kind, 4).body
    np.savez(tmp_path / "w.npz", **bit(source))
    network = transfer(tmp_path / "w.npz", ResNet50TransferLearner).network(3, 4)
    assert torch.equal(flat(network.body), flat(source))


def test_a_deeper_network_of_bit_is_refused(tmp_path):
    arrays = bit(Backbone(ResNet50Learner.kind, 4).body)
    arrays["resnet/block3/unit07/a/standardized_conv2d/kernel"] = np.zeros(1)
    np.savez(tmp_path / "w.npz", **arrays)
    with pytest.raises(LearnerError, match=r"w\.npz of resnet50-transfer cannot be used: .*17 blocks"):
        transfer(tmp_path / "w.npz", ResNet50TransferLearner).network(3, 4)


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt", "w.npz"])
def test_weights_that_are_none(tmp_path, name):
    (tmp_path / name).write_text("no weights")
    with pytest.raises(LearnerError, match=rf"{re.escape(name)} of densenet121-transfer cannot be used"):
        transfer(tmp_path / name).network(1, 4)


def test_weights_of_another_network(tmp_path):
    torch.save(torch.nn.Linear(2, 2).state_dict(), tmp_path / "w.pt")
    with pytest.raises(LearnerError, match=r"cannot be used.*features\.conv0\.weight"):
        transfer(tmp_path / "w.pt").network(1, 4)


def test_weights_of_bit_do_not_fit_a_dense_network(tmp_path):
    np.savez(tmp_path / "w.npz", weight=np.zeros(1))
    with pytest.raises(LearnerError, match=r"cannot be used.*only the residual networks"):
        transfer(tmp_path / "w.npz").network(1, 4)


def test_weights_that_would_run_code(tmp_path):
    torch.save(torch.nn.Linear(2, 2), tmp_path / "w.pt")
    with pytest.raises(Exception, match=r"(?i)weights"):
        load(torch.nn.Linear(2, 2), tmp_path / "w.pt")


def test_weights_that_are_not_there(tmp_path):
    (tmp_path / "right.pt").touch()
    learner = transfer(tmp_path / "rihgt.pt")
    with pytest.raises(LearnerError, match=r"no such file\. Did you mean 'right\.pt'"):
        _ = learner.version
    with pytest.raises(LearnerError, match="no such file"):
        learner.network(1, 4)


def test_other_weights_under_the_same_name_are_another_version(tmp_path):
    versions = set()
    for text in ("one", "two"):
        (tmp_path / "w.pt").write_text(text)
        versions.add(transfer(tmp_path / "w.pt").version)
    assert len(versions) == 2
    assert DenseNetTransferLearner().version == ""


# Files


@pytest.mark.slow
@pytest.mark.parametrize("learner", [ResNet50Learner, DenseNetLearner], ids=lambda learner: learner.name)
def test_the_file_computes_what_torch_computes(blocks, tmp_path, learner):
    model, _ = fit(learner, blocks, tmp_path, steps=1, batch=4)
    learner().save(model, tmp_path, blocks)
    images = torch.rand(5, 1, 64, 64)
    with torch.no_grad():
        expected = model(images).numpy()
    for batch in (1, 5):
        factors = run_onnx(learner().load(tmp_path), images.numpy(), batch)["factors"]
        np.testing.assert_allclose(factors, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(("weights", "trained_on"), [("", "blocks/default/random"), ("w.pt", None)])
def test_what_a_file_says_of_its_training(blocks, tmp_path, weights, trained_on):
    """Given weights may come from anywhere."""
    learner = DenseNetTransferLearner(DenseNetTransferLearner.Settings(weights=weights))
    learner.save(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4096, 4)), tmp_path, blocks)
    assert declared(tmp_path / "model.onnx").get("genbench.trained_on") == trained_on
