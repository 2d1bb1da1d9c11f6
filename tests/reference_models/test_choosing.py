"""Choosing among models by how disentangled their codes are."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.metrics import dci  # noqa: E402
from pytest_genbench.reference_models import disentangled  # noqa: E402
from pytest_genbench.reference_models.choosing import GRIDS, choose, disentanglement  # noqa: E402

from .blocks import task  # noqa: E402


class Knowing(torch.nn.Module):
    """Has a code of brightness and two places, measured in the image and mixed by a matrix."""

    def __init__(self, mixing):
        super().__init__()
        self.mixing = torch.as_tensor(mixing, dtype=torch.float32)

    def forward(self, images):
        line = torch.arange(64.0)
        light = images[:, 0]  # (N, 64, 64)
        mass = light.sum((1, 2))
        x, y = (light.sum(axis) @ line / mass for axis in (1, 2))
        return {"embedding": torch.stack([light.amax((1, 2)), x / 64, y / 64], 1) @ self.mixing}


CLEAN, MIXED = np.eye(3), [[1, 1, 1], [1, -1, 1], [1, 1, -1]]


@pytest.fixture(scope="module")
def blocks():
    return task("extrapolation")


def test_clean_codes_are_chosen(blocks):
    best, scores = choose({"mixed": [Knowing(MIXED)], "clean": [Knowing(CLEAN)]}, blocks, samples=120)
    assert best == "clean"
    assert scores["clean"] > scores["mixed"] + 0.2


def test_the_mean_over_seeds_counts(blocks):
    names = {"half": [Knowing(CLEAN), Knowing(MIXED)], "mixed": [Knowing(MIXED)], "clean": [Knowing(CLEAN)]}
    best, scores = choose(names, blocks, samples=30)
    assert scores["half"] == pytest.approx((scores["clean"] + scores["mixed"]) / 2)
    assert best == "clean"


def test_only_the_training_set_is_looked_at(monkeypatch):
    made, seen = task("composition"), []
    benchmark = made.benchmark
    for method in ("images", "levels"):
        original = getattr(benchmark, method)
        monkeypatch.setattr(benchmark, method, lambda index, call=original: (seen.append(index), call(index))[1])
    found = disentanglement(Knowing(CLEAN), made, samples=10**6)
    assert set(np.concatenate(seen).tolist()) == set(made.split.train.tolist())
    codes = Knowing(CLEAN)(torch.from_numpy(benchmark.images(made.split.train)).permute(0, 3, 1, 2) / 255)
    # Once more in another order: the metric's split depends on it.
    expected = dci(benchmark.levels(made.split.train), codes["embedding"].numpy()).disentanglement
    assert found == pytest.approx(float(expected), abs=0.1)


def test_the_same_for_the_same_seed(blocks):
    first, again = (disentanglement(Knowing(MIXED), blocks, samples=30, seed=1) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("candidates", [{}, {"one": [Knowing(CLEAN)], "none": []}])
def test_without_models_there_is_no_choice(candidates, blocks):
    with pytest.raises(LearnerError, match="candidates to choose among, each with one model or more"):
        choose(candidates, blocks)


def test_grids_of_the_paper():
    assert [settings.beta for settings in GRIDS["ada-gvae"]] == [1, 2, 4, 6, 8, 16]
    assert [settings.gamma for settings in GRIDS["slow-vae"]] == [1, 5, 10, 15, 20, 25]
    assert all(settings.name == name for name, grid in GRIDS.items() for settings in grid)
    assert GRIDS["pcl"] == (disentangled.PclSettings(),)
