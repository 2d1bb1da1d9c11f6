"""Real models as frozen backbones: an example's encoder, a network of timm with random weights, and one trained here."""

from pathlib import Path

import numpy as np
import pytest

from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.evaluation import evaluate
from pytest_genbench.models import ModelOptions, load, wrap
from pytest_genbench.readout import probed_model

EXAMPLES = Path(__file__).parents[2] / "examples" / "comporth" / "conv1d"
MINI = CompOrth("mini")


def find(benchmark, slug):
    return next(split for family in benchmark.families for split in benchmark.splits(family) if split.slug == slug)


def scores(benchmark, split, model):
    found = evaluate(benchmark, split, benchmark.tasks["recognition"], model).scores
    return {(score.metric, score.condition): score.value for score in found}


def own(made, benchmark, name="own"):
    return wrap(
        made, ModelOptions("", device="cpu"), name=name, files={"own.py": name}, image_shape=benchmark.image_shape
    )


def test_an_encoder_of_the_examples(tmp_path):
    base = load(ModelOptions("compositional-B5.onnx", device="cpu", root=EXAMPLES))
    split = find(MINI, "compositional-B5")
    model = probed_model(base, MINI, split, "linear", cache=tmp_path)
    assert {"reconstruction", "embedding", "factor.letter_1"} <= set(model.contract.outputs)
    assert model.can_decode
    linear = scores(MINI, split, model)
    assert linear["letter_accuracy", "in-split"] > 0.8
    assert linear["held_out_letter_accuracy", "held-out"] == 0  # a readout cannot answer what it was never shown
    network = scores(MINI, split, probed_model(base, MINI, split, "mlp", cache=tmp_path))
    assert network["word_accuracy", "in-split"] > max(0.9, linear["word_accuracy", "in-split"])


def test_an_embedding_that_does_not_know_the_place_passes_the_spatial_test():
    def fourier(images):
        return np.abs(np.fft.fft2(images[:, 0]))[:, :16, :16].reshape(len(images), -1)

    fourier.genbench = {"range": "0, 1", "outputs": "output=embedding"}
    split = find(MINI, "spatial-x+0y+0")
    found = scores(MINI, split, probed_model(own(fourier, MINI), MINI, split, "linear"))
    assert found["word_accuracy", "held-out"] > 0.99


def test_a_network_of_timm(tmp_path):
    try:
        import timm
        import torch
    except (ImportError, RuntimeError) as error:  # a torchvision that was built for another torch
        pytest.skip(f"timm cannot be imported: {error}")
    torch.manual_seed(0)
    words = CompOrth("mini", max_length=3)  # 252 images
    network = timm.create_model("resnet18", pretrained=False, num_classes=0, zero_init_last=False)
    network.genbench = {
        "range": (0, 1),
        "mean": network.pretrained_cfg["mean"],
        "std": network.pretrained_cfg["std"],
        "size": (96, 96),
    }
    base = own(network, words)
    assert base.contract.shape == (3, 96, 96)
    split, other = find(words, "spatial-x+0y+0"), find(words, "length-2")
    model = probed_model(base, words, split, "linear", cache=tmp_path)
    assert model.contract.readout == "linear readout of 512 numbers from images made (3, 96, 96) (C, H, W)"
    found = scores(words, split, model)
    assert found["word_accuracy", "in-split"] > 3 / 14
    chunk = next(tmp_path.rglob("00000.npy"))
    made = chunk.stat().st_mtime_ns
    probed_model(base, words, other, "linear", cache=tmp_path)
    assert chunk.stat().st_mtime_ns == made


def test_an_encoder_that_was_trained_to_read():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    words = CompOrth("mini", max_length=2)  # 108 images
    split = find(words, "spatial-x+0y+0")
    encoder = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 5, stride=2),
        torch.nn.ReLU(),
        torch.nn.Conv2d(8, 16, 5, stride=2),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(16 * 13 * 13, 32),
    )
    head = torch.nn.Linear(32, 6)
    images = torch.tensor(words.images(split.train)).permute(0, 3, 1, 2) / 255
    answers = torch.tensor(np.stack(list(words.targets(split.train).values()), axis=1))
    untrained = own(encoder, words, "untrained")
    before = scores(words, split, probed_model(untrained, words, split, "linear"))["word_accuracy", "in-split"]
    encoder.train()
    adam = torch.optim.Adam([*encoder.parameters(), *head.parameters()], 3e-3)
    for _ in range(60):
        logits = head(torch.relu(encoder(images))).unflatten(1, (3, 2))
        loss = torch.nn.functional.cross_entropy(logits, answers)
        adam.zero_grad()
        loss.backward()
        adam.step()
    found = scores(words, split, probed_model(own(encoder, words, "trained"), words, split, "linear"))
    assert found["word_accuracy", "in-split"] > max(0.95, before)
    assert found["word_accuracy", "held-out"] > 0.5
