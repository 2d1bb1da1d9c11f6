"""The cache of embeddings: computed once, shared by splits, never trusted blindly."""

import errno
import io
import threading
import time

import numpy as np
import pytest

from pytest_genbench.errors import CacheError, MissingOutputError, ModelError
from pytest_genbench.readout import embeddings as module
from pytest_genbench.readout.backbone import Backbone, embedding_name
from pytest_genbench.readout.embeddings import Embeddings, chunks_of, key, order, training_places

from .squares import Looks, Squares

BENCHMARK = Squares()
SPLITS = BENCHMARK.splits()
ITEMS = order(BENCHMARK, 160)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Ten chunks of 16."""
    monkeypatch.setattr(module, "CHUNK", 16)
    monkeypatch.setattr(module, "BATCH", 10)


def keep(folder, model=None):
    model = model or Looks()
    return Embeddings(Backbone(model), BENCHMARK, ITEMS, folder), model


def expected(places):
    return (BENCHMARK.images(ITEMS[places]).reshape(len(places), -1) / 255).astype(np.float32)


def test_the_order_is_one_permutation_for_ever():
    assert sorted(ITEMS) == list(range(160))
    assert ITEMS[:5].tolist() == [139, 156, 22, 93, 9]
    other = Squares()
    for name in ("name", "version", "preset"):
        setattr(other, name, "2")
        assert not np.array_equal(ITEMS, order(other, 160))


def test_training_items_are_the_first_in_the_order_that_are_in_the_split():
    places = training_places(ITEMS, SPLITS[2])
    assert np.array_equal(np.sort(ITEMS[places]), SPLITS[2].train)
    assert (np.diff(places) > 0).all()
    np.testing.assert_array_equal(training_places(ITEMS, SPLITS[2], 7), places[:7])


@pytest.mark.parametrize("kept", [True, False])
def test_splits_share_what_is_embedded(tmp_path, kept):
    embeddings, model = keep(tmp_path if kept else None)
    places = training_places(ITEMS, SPLITS[0], 40)
    np.testing.assert_array_equal(embeddings.at(places), expected(places))
    assert model.shown == 16 * len(chunks_of(places)) < 160
    assert max(size for size, _ in model.calls) == 10
    embeddings.at(training_places(ITEMS, SPLITS[0]))
    assert model.shown == 160
    others = training_places(ITEMS, SPLITS[1])
    np.testing.assert_array_equal(embeddings.at(others), expected(others))
    assert model.shown == 160
    assert len(list(tmp_path.glob("*.npy"))) == (10 if kept else 0)


def test_a_chunk_without_any_item_of_the_split_is_not_embedded(tmp_path):
    embeddings, model = keep(tmp_path)
    embeddings.at(np.array([3, 40, 41]))
    assert model.shown == 32
    assert [file.name for file in sorted(tmp_path.glob("*.npy"))] == ["00000.npy", "00002.npy"]


def test_another_process_reads_what_is_there(tmp_path):
    places = training_places(ITEMS, SPLITS[0])
    first = keep(tmp_path)[0].at(places)
    again, model = keep(tmp_path)
    assert again.at(places).tobytes() == first.tobytes()
    assert model.shown == 2 * 10


def test_progress_is_told():
    told = []
    keep(None)[0].at(np.array([3, 40, 41]), lambda done, total: told.append((done, total)))
    assert told == [(16, 32), (32, 32)]


def damage_archive(file):
    data = io.BytesIO()
    np.savez(data, np.load(file))
    file.write_bytes(data.getvalue())


def rewrite(change):
    def damage(file):
        chunk = np.load(file)
        changed = change(chunk)
        np.save(file, chunk if changed is None else changed)

    return damage


DAMAGES = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-5]),
    "text": lambda file: file.write_text("hello"),
    "header": lambda file: file.write_bytes(file.read_bytes().replace(b"descr", b"de{cr", 1)),
    "pickle": lambda file: np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True),
    "archive": damage_archive,
    "rows": rewrite(lambda chunk: chunk[:-1]),
    "type": rewrite(lambda chunk: chunk["embedding"]),
    "width": rewrite(lambda chunk: np.zeros(16, module.record(63))),
    "NaN": rewrite(lambda chunk: chunk["embedding"].__setitem__((5, 3), np.nan)),
    "other images": rewrite(lambda chunk: chunk["image"].__setitem__(0, 0)),
    "other embeddings": rewrite(lambda chunk: chunk["embedding"].__setitem__(slice(None), chunk["embedding"] + 0.1)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_chunk_that_cannot_be_trusted_is_made_again(tmp_path, damage):
    places = np.arange(32)
    keep(tmp_path)[0].at(places)
    whole = (tmp_path / "00001.npy").read_bytes()
    damage(tmp_path / "00001.npy")
    embeddings, model = keep(tmp_path)
    np.testing.assert_array_equal(embeddings.at(places), expected(places))
    assert 2 + 16 <= model.shown <= 2 + 2 + 16
    assert (tmp_path / "00001.npy").read_bytes() == whole
    assert {file.name for file in tmp_path.iterdir()} == {"00000.npy", "00001.npy", "lock"}


def test_a_model_that_its_files_do_not_tell_from_another_is_told_by_its_embeddings(tmp_path):
    places = np.arange(32)
    keep(tmp_path)[0].at(places)
    other, model = keep(tmp_path, Looks(lambda images: images.reshape(len(images), -1) / 200))
    np.testing.assert_allclose(other.at(places), expected(places) * 255 / 200, rtol=1e-6)
    assert model.shown == 2 * (2 + 16)


def test_rounding_of_another_device_is_no_other_model(tmp_path):
    places = np.arange(32)
    keep(tmp_path)[0].at(places)
    model = keep(tmp_path, Looks(lambda images: images.reshape(len(images), -1) / 255.1))[1]
    keep(tmp_path, model)[0].at(places)
    assert model.shown == 2 * 2


def named(model=None, **benchmark):
    changed = Squares()
    for name, value in benchmark.items():
        setattr(changed, name, value)
    return key(Backbone(model or Looks()), changed, ITEMS)


def test_what_embeddings_depend_on_names_them():
    assert named() == named()
    assert len(named()) == 32
    others = {
        named(Looks(files=("01",))),
        named(Looks(files=("00", "01"))),
        named(Looks(range=(-1.0, 1.0))),
        named(Looks(mean=(0.5,))),
        named(Looks(shape=(1, 16, 16))),
        named(Looks(outputs={}, unnamed={"y": ((None, 4), "float32")})),
        named(version="2"),
        named(preset="other"),
        named(name="circles"),
    }
    assert len(others | {named()}) == 10


def test_only_names_of_files_change_nothing_and_no_files_mean_no_name():
    renamed = Looks()
    renamed.files = {"other.onnx": "00"}
    assert named(renamed) == named()
    assert named(Looks(files=())) is None


def test_known_images_are_not_embedded_again(tmp_path):
    embeddings, model = keep(tmp_path)
    embeddings.at(np.arange(32))
    model.shown = 0
    images = BENCHMARK.images(ITEMS[[20, 100, 5, 20]])
    np.testing.assert_array_equal(embeddings.of(images, {0, 1}), expected(np.array([20, 100, 5, 20])))
    assert model.shown == 1
    np.testing.assert_array_equal(embeddings.of(images, {0}), expected(np.array([20, 100, 5, 20])))
    assert model.shown == 1 + 3


def test_two_workers_embed_a_chunk_once(tmp_path):
    def slow(images):
        time.sleep(0.05)
        return images.reshape(len(images), -1) / 255

    workers = [keep(tmp_path, Looks(slow)) for _ in range(2)]
    found = [None, None]

    def work(number):
        found[number] = workers[number][0].at(np.arange(48))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(found[0], found[1])
    assert sum(model.shown for _, model in workers) == 3 * 16 + 3 * 2


def test_a_full_disk_is_said(tmp_path, monkeypatch):
    def full(*args, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(CacheError, match="disk is full while keeping embeddings"):
        keep(tmp_path / "new")[0].at(np.arange(3))
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["lock"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="while keeping embeddings"):
        keep(tmp_path / "file" / "folder")[0].at(np.arange(3))


def test_more_axes_are_laid_out_in_one():
    model = Looks(lambda images: images.transpose(0, 3, 1, 2).astype(np.float16))
    found = Backbone(model).embed(BENCHMARK.images([0, 159]))
    assert (found.dtype, found.shape) == (np.float32, (2, 64))


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (lambda images: np.full((len(images), 3), np.nan), "NaN or infinite for 4 of 4"),
        (lambda images: np.full((len(images), 3), 1e300), "too large for float32"),
        (lambda images: np.zeros((len(images), 0)), "0 numbers"),
        (lambda images: np.zeros((len(images), 20_000)), "20,000 numbers for each image.*Pool it"),
        (lambda images: np.zeros((1, 3)), "1 rows for 4 images"),
    ],
)
def test_embeddings_that_cannot_be_used(look, said):
    with pytest.raises(ModelError, match=said):
        Backbone(Looks(look)).embed(BENCHMARK.images(np.arange(4)))


def test_embeddings_of_changing_size():
    backbone = Backbone(Looks(lambda images: np.zeros((len(images), len(images)))))
    backbone.embed(BENCHMARK.images(np.arange(4)))
    with pytest.raises(ModelError, match="3 numbers for each image, and had 4 before"):
        backbone.embed(BENCHMARK.images(np.arange(3)))


def test_the_embedding_is_found_by_its_role_or_as_the_only_vector():
    two = {"y": ((None, 4), "float32"), "w": ((None, 5), "float32")}
    assert embedding_name(Looks().contract) == "embedding"
    assert embedding_name(Looks(outputs={}, unnamed={"y": two["y"]}).contract) == "y"
    with pytest.raises(MissingOutputError, match=r"reads the embedding.*'y'.*'w'.*genbench.outputs"):
        embedding_name(Looks(outputs={}, unnamed=two).contract)
    with pytest.raises(MissingOutputError, match="offers reconstruction, and no other output"):
        embedding_name(Looks(outputs={"reconstruction": "y"}).contract)
    with pytest.raises(MissingOutputError, match="could be none of them"):
        embedding_name(Looks(outputs={}, unnamed={"y": ((None, 8, 8, 1), "float32")}).contract)


def test_a_device_is_given_large_batches(monkeypatch):
    monkeypatch.setattr(module, "DEVICE_BATCH", 13)
    model = Looks()
    model.device = "cuda:0 (torch)"
    keep(None, model)[0].at(np.arange(3))
    assert [size for size, _ in model.calls] == [13, 3]
