"""A frozen model with readouts: what it offers, what it is shown, and what goes wrong."""

import numpy as np
import pytest

from pytest_genbench.errors import BenchmarkError, MissingOutputError, ModelError, OptionError
from pytest_genbench.models import Model, ModelOptions, code_size, probe, wrap
from pytest_genbench.readout import KINDS, probed_model
from pytest_genbench.readout import embeddings as module

from .squares import Looks, Squares

BENCHMARK = Squares()
SPLITS = BENCHMARK.splits()
FACTORS = ("factor.row", "factor.column")


@pytest.fixture(autouse=True)
def short_training(monkeypatch):
    """Enough for images of which no two of one class and another are alike."""
    monkeypatch.setattr("pytest_genbench.readout.fit.STEPS", 300)


def accuracy(model, index, name):
    return (
        model.predict(BENCHMARK.images(index), (name,))[name].argmax(axis=1) == BENCHMARK.targets(index)[name]
    ).mean()


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_embedding_has_is_read_out_and_what_training_did_not_show_is_not(kind):
    split = SPLITS[3]
    model = probed_model(Looks(), BENCHMARK, split, kind)
    assert isinstance(model, Model)
    for name in FACTORS:
        assert accuracy(model, split.train, name) == 1
    assert accuracy(model, split.test, "factor.row") == 0
    found = model.predict(BENCHMARK.images(split.test))
    assert set(found) == {"embedding", *FACTORS, "factors"}
    assert found["factor.row"].shape == (40, 4)
    assert np.isfinite(found["factor.row"]).all()
    assert (found["factor.row"].argmin(axis=1) == 3).all()
    assert found["factors"].shape == (40, 2)
    column = BENCHMARK.targets(split.train)["factors"][:, 0]
    assert np.abs(model.predict(BENCHMARK.images(split.train), ("factors",))["factors"][:, 0] - column).mean() < 0.1


def test_a_constant_embedding_scores_like_chance():
    split = SPLITS[0]
    model = probed_model(Looks(lambda images: np.ones((len(images), 3))), BENCHMARK, split, "linear")
    assert accuracy(model, split.train, "factor.column") == 0.25
    assert accuracy(model, split.train, "factor.row") == pytest.approx(1 / 3)


def test_the_contract_says_what_was_done():
    base = Looks(trained_on=("none",), benchmark="squares", mean=(0.5,), batch=None)
    contract = probed_model(base, BENCHMARK, SPLITS[0], "linear").contract
    assert contract.readout == "linear readout of 64 numbers"
    assert contract.shape == (1, 8, 8)
    assert contract.shapes["factor.row"] == (None, 4)
    assert (contract.trained_on, contract.benchmark, contract.mean) == (("none",), "squares", (0.5,))
    assert contract.describe().endswith(
        "-> embedding, factor.row, factor.column, factors (linear readout of 64 numbers)"
    )
    other = probed_model(base, BENCHMARK, SPLITS[0], "mlp").contract
    assert contract.flat() != other.flat() != base.contract.flat()
    assert "readout" not in base.contract.flat()
    small = probed_model(Looks(lambda x: x.mean(axis=(1, 2)), shape=(3, 4, 4)), BENCHMARK, SPLITS[0], "mlp").contract
    assert small.readout == "MLP readout of 3 numbers from images made (3, 4, 4) (C, H, W)"


def test_training_that_did_not_converge_is_a_warning(monkeypatch):
    monkeypatch.setattr("pytest_genbench.readout.fit.ITERATIONS", 1)
    (warning,) = probed_model(Looks(), BENCHMARK, SPLITS[0], "linear").contract.warnings
    assert "factor.row, factor.column" in warning


def test_a_model_of_another_size_and_channels_is_shown_images_of_its_own(monkeypatch):
    shown = []

    def look(images):
        shown.append(images.copy())
        return images.reshape(len(images), -1)

    look.genbench = {"size": "16, 12", "mean": "0.5, 0.4, 0.3", "std": "0.1, 0.2, 0.3", "range": "0, 1"}
    base = wrap(look, ModelOptions("", device="cpu"), name="look", image_shape=BENCHMARK.image_shape)
    assert base.contract.shape == (3, 16, 12)
    shown.clear()
    model = probed_model(base, BENCHMARK, SPLITS[0], "linear")
    assert {images.shape[1:] for images in shown} == {(3, 16, 12)}
    shown.clear()
    monkeypatch.setattr(model, "_chunks", frozenset())  # as for images that were not embedded before
    assert accuracy(model, SPLITS[0].train, "factor.column") == 1
    first = shown[0][0]
    black = (0 - np.array([0.5, 0.4, 0.3])) / [0.1, 0.2, 0.3]
    np.testing.assert_allclose(first[:, -1, -1], black, rtol=1e-6)
    bright = int(BENCHMARK.images(SPLITS[0].train[:1]).max())
    assert bright * 0.8 / 255 < first[0].max() * 0.1 + 0.5 <= bright / 255 + 1e-6
    assert set(model.contract.outputs) == {"embedding", *FACTORS, "factors"}


def test_other_outputs_pass_where_the_images_are_as_the_model_takes_them():
    base = Looks(outputs={"embedding": "z", "reconstruction": "y"}, code_size=64)
    images = BENCHMARK.images(np.arange(3))
    model = probed_model(base, BENCHMARK, SPLITS[0], "linear")
    found = model.predict(images, ("reconstruction", "embedding", "factor.row"))
    assert list(found) == ["reconstruction", "embedding", "factor.row"]
    np.testing.assert_array_equal(found["reconstruction"], images)
    np.testing.assert_array_equal(found["embedding"], images.reshape(3, -1) / 255)
    assert code_size(model, images).numbers == 64
    resized = Looks(shape=(1, 4, 4), outputs={"embedding": "z", "reconstruction": "y"}, code_size=64)
    model = probed_model(resized, BENCHMARK, SPLITS[0], "linear")
    assert "reconstruction" not in model.contract.outputs
    assert model.contract.code_size is None
    assert model.predict(images, ("embedding",))["embedding"].shape == (3, 16)
    with pytest.raises(MissingOutputError, match="reconstruction"):
        model.predict(images, ("reconstruction",))


def test_a_model_that_decodes_still_does():
    base = Looks()
    base.decode = lambda embedding: embedding.reshape(-1, 8, 8, 1)
    model = probed_model(base, BENCHMARK, SPLITS[0], "linear")
    assert model.can_decode
    assert model.decode(np.zeros((2, 64))).shape == (2, 8, 8, 1)
    model = probed_model(Looks(), BENCHMARK, SPLITS[0], "linear")
    assert not model.can_decode
    with pytest.raises(MissingOutputError, match="cannot decode"):
        model.decode(np.zeros((2, 64)))


def test_a_readout_takes_the_place_of_an_output_of_its_name():
    base = Looks(outputs={"embedding": "z", "factor.row": "r"})
    model = probed_model(base, BENCHMARK, SPLITS[3], "linear")
    assert accuracy(model, SPLITS[3].train, "factor.row") == 1


def test_an_only_output_without_a_role_is_the_embedding():
    base = Looks(outputs={}, unnamed={"output": ((None, 64), "float32")})
    model = probed_model(base, BENCHMARK, SPLITS[0], "linear")
    assert model.contract.outputs["embedding"] == "output"
    assert model.contract.unnamed == {}
    found = model.predict(BENCHMARK.images([0]), ("embedding", "factor.row"))
    assert found["embedding"].shape == (1, 64)


def test_it_passes_the_probes_of_a_model():
    model = probed_model(Looks(), BENCHMARK, SPLITS[0], "mlp")
    probe(model, BENCHMARK.images(np.arange(50, 57)))


def test_the_same_bytes_whichever_split_came_first(tmp_path):
    images = BENCHMARK.images(np.arange(160))

    def noisy(scale):
        # Sums in another order for another number of images, as real kernels do.
        return lambda images: images.reshape(len(images), -1) / 255 * (1 + 1e-6 * len(images)) * scale

    alone = probed_model(Looks(noisy(1)), BENCHMARK, SPLITS[1], "mlp", cache=tmp_path / "a").predict(images)
    base = Looks(noisy(1))
    for split in (SPLITS[0], SPLITS[1]):
        second = probed_model(base, BENCHMARK, split, "mlp", cache=tmp_path / "b").predict(images)
    for name in FACTORS:
        assert alone[name].tobytes() == second[name].tobytes()


def test_embeddings_are_kept_between_splits_and_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 40)
    base = Looks()
    probed_model(base, BENCHMARK, SPLITS[0], "linear", cache=tmp_path)
    assert sum(size for size, _ in base.calls) == 160 + (7 + 7 + 1 + 1)
    model = probed_model(base, BENCHMARK, SPLITS[1], "linear", cache=tmp_path)
    model.predict(BENCHMARK.images(np.arange(160)), FACTORS)
    assert sum(size for size, _ in base.calls) == 160 + (7 + 7 + 1 + 1)
    (folder,) = (tmp_path / "v1" / "embeddings").iterdir()
    assert len(list(folder.glob("*.npy"))) == 4
    again = Looks()
    probed_model(again, BENCHMARK, SPLITS[0], "linear", cache=tmp_path)
    assert sum(size for size, _ in again.calls) == 4 * 2 + (7 + 7 + 1 + 1)


def test_a_model_without_files_is_kept_in_memory_only(tmp_path):
    base = Looks(files=())
    for split in SPLITS[:2]:
        probed_model(base, BENCHMARK, split, "linear", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert sum(size for size, _ in base.calls) == 160 + 16


def test_seeds_differ_for_networks(tmp_path):
    images = BENCHMARK.images(np.arange(160))
    base = Looks()
    first, again, other = (
        probed_model(base, BENCHMARK, SPLITS[0], "mlp", seed=seed).predict(images, FACTORS) for seed in (0, 0, 1)
    )
    assert np.array_equal(first["factor.row"], again["factor.row"])
    assert not np.array_equal(first["factor.row"], other["factor.row"])


def test_progress_is_shown_and_closed():
    told = []

    class Shows:
        def __init__(self, what):
            told.append(what)

        def __call__(self, step, steps, loss=None):
            told.append((step, steps))

        def close(self):
            told.append("closed")

    probed_model(Looks(), BENCHMARK, SPLITS[0], "linear", show=Shows)
    assert told == ["embedding squares", (1024, 1024), "closed"]


def test_a_wrong_kind():
    with pytest.raises(OptionError, match=r"takes linear or mlp; got 'liner'. Did you mean 'linear'"):
        probed_model(Looks(), BENCHMARK, SPLITS[0], "liner")


def test_a_model_without_an_embedding():
    with pytest.raises(MissingOutputError, match=r"reads the embedding.*offers reconstruction"):
        probed_model(Looks(outputs={"reconstruction": "y"}), BENCHMARK, SPLITS[0], "linear")


@pytest.mark.parametrize("targets", [None, lambda index: {}, lambda index: {"assignment.0": np.zeros(len(index))}])
def test_a_benchmark_without_answers(targets):
    benchmark = Squares()
    benchmark.targets = targets
    with pytest.raises(BenchmarkError, match="squares has no right answers"):
        probed_model(Looks(), benchmark, SPLITS[0], "linear")


def test_a_split_without_training_items():
    from pytest_genbench.splits import Split

    nothing = Split("squares", "default", "rows", "none", "all", lambda: np.ones(160, bool))
    with pytest.raises(BenchmarkError, match="no training items"):
        probed_model(Looks(), BENCHMARK, nothing, "linear")


def test_an_embedding_that_is_not_finite():
    with pytest.raises(ModelError, match="not finite"):
        probed_model(Looks(lambda images: np.full((len(images), 2), np.nan)), BENCHMARK, SPLITS[0], "linear")


def test_an_embedding_that_depends_on_chance():
    chance = np.random.default_rng(0)
    with pytest.raises(ModelError, match="dropout"):
        probed_model(Looks(lambda images: chance.normal(size=(len(images), 3))), BENCHMARK, SPLITS[0], "linear")


@pytest.mark.parametrize(("name", "shows"), [("cvr", "problems"), ("chopsticks", "signals")])
def test_inputs_that_are_no_single_images(name, shows):
    from pytest_genbench.benchmarks import get

    benchmark = get(name, "mini")
    split = benchmark.splits(benchmark.families[0])[0]
    with pytest.raises(BenchmarkError, match=f"{name} shows {shows}; a readout is trained over .* single images"):
        probed_model(Looks(), benchmark, split, "linear")
