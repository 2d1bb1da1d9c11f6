"""The shipped judges read every original, and trivial models score what they should."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from pytest_genbench.benchmarks.comporth import CompOrth, judge
from pytest_genbench.benchmarks.comporth.anchors import Originals, constant_answer
from pytest_genbench.rng import stream


@pytest.mark.parametrize("name", [judge.PUBLISHED, judge.ROBUST])
@pytest.mark.parametrize("preset", ["mini", "published", "described"])
def test_every_original_is_read(name, preset):
    stimuli = CompOrth(preset).stimuli
    index = np.arange(stimuli.grid.size)
    probability = Originals(stimuli).read(index, name)
    word = stimuli.grid.levels(index)[:, 0]
    assert (probability.argmax(axis=1) == word).all()
    assert probability[index, word].mean() > 0.99
    np.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-5)


@pytest.fixture(scope="module")
def some_images():
    stimuli = CompOrth("published").stimuli
    index = np.sort(stream("judge test").choice(stimuli.grid.size, 600, replace=False))
    return stimuli.images(index), stimuli.grid.levels(index)[:, 0]


def accuracy(name, images, word):
    return float((judge.get(name).read(images).argmax(axis=1) == word).mean())


def test_blur_blinds_the_published_judge_and_not_the_robust_one(some_images):
    images, word = some_images
    blurred = gaussian_filter(images.astype(np.float32) / 255, sigma=(0, 1, 1, 0))
    assert accuracy(judge.PUBLISHED, blurred, word) < 0.5
    assert accuracy(judge.ROBUST, blurred, word) > 0.95


def test_noise_and_grey(some_images):
    images, word = some_images
    noise = stream("judge noise").normal(0, 30 / 255, images.shape)
    noisy = np.clip(images / 255 + noise, 0, 1).astype(np.float32)
    assert accuracy(judge.ROBUST, noisy, word) > 0.95
    grey = np.maximum(images.astype(np.float32) / 255 * 0.6, 20 / 255)
    assert accuracy(judge.ROBUST, grey, word) > 0.95


def test_bytes_and_floats_read_alike(some_images):
    images, _ = some_images
    reader = judge.get(judge.PUBLISHED)
    np.testing.assert_array_equal(
        reader.read(images[:40]), reader.read(images[:40].astype(np.float32) / np.float32(255))
    )
    assert reader.read(images[:0]).shape == (0, 62)


def anchors(family, slug, preset="published", task="reconstruction"):
    benchmark = CompOrth(preset)
    split = next(split for split in benchmark.splits(family) if split.slug == slug)
    return {(a.name, a.judge): a.value for a in benchmark.tasks[task].anchors(split)}


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("compositional-A1", 31),
        ("compositional-B2", 30),
        ("compositional-A3", 28),
        ("compositional-B4", 24),
        ("compositional-B5", 16),
    ],
)
def test_anchors_of_compositional_splits(slug, words):
    found = anchors("compositional", slug)
    assert found["constant answer", judge.PUBLISHED] == pytest.approx(1 / words)
    assert found["chance", judge.PUBLISHED] == pytest.approx(1 / 62)
    assert found["identity", judge.PUBLISHED] > 0.99
    assert found["identity", judge.ROBUST] > 0.99
    # A word of the test set is never in the training set, so a memoriser must name another one.
    assert found["nearest training image", judge.PUBLISHED] < 0.01
    # One blank image is read as one word, which at best is one of the split's.
    assert found["blank image", judge.PUBLISHED] <= 1 / words + 1e-6


def test_anchors_of_other_families():
    assert anchors("length", "length-1")["constant answer", judge.PUBLISHED] == pytest.approx(0.5)
    assert anchors("length", "length-5")["constant answer", judge.PUBLISHED] == pytest.approx(1 / 32)
    corner, centre = anchors("spatial", "spatial-x-2y-4"), anchors("spatial", "spatial-x+0y+0")
    assert corner["constant answer", judge.PUBLISHED] == pytest.approx(1 / 62)
    assert corner["published", ""] == 0.9
    # Pixel memory does not solve the spatial test: a neighbour one pixel off often is another word.
    assert corner["nearest training image", judge.PUBLISHED] < centre["nearest training image", judge.PUBLISHED] < 0.5


def test_anchors_of_recognition():
    found = anchors("compositional", "compositional-B5", task="recognition")
    assert found["constant answer", ""] == pytest.approx(1 / 16)


@pytest.fixture(scope="module")
def published():
    return CompOrth("published")


@pytest.mark.parametrize("family", ["length", "compositional"])
def test_a_memoriser_never_finds_a_word_that_it_was_not_shown(published, family):
    for split in published.splits(family):
        sample, neighbour = published.originals.nearest(split)
        shown, found = (published.grid.levels(index)[:, 0] for index in (sample, neighbour))
        assert not (shown == found).any(), split
        read = published.originals.read(neighbour)
        assert not (read.argmax(axis=1) == shown).any(), split


@pytest.mark.parametrize("family", CompOrth.families)
@pytest.mark.parametrize("name", [judge.PUBLISHED, judge.ROBUST])
def test_the_identity_is_read_on_every_split(published, family, name):
    for split in published.splits(family):
        word = published.grid.levels(split.test)[:, 0]
        probability = published.originals.read(split.test, name)
        assert probability[np.arange(len(word)), word].mean() >= 0.99, split


def test_nearest_neighbour_is_nearest():
    benchmark = CompOrth("mini")
    split = benchmark.splits("length")[1]
    sample, found = benchmark.originals.nearest(split)
    train = benchmark.images(split.train).reshape(len(split.train), -1).astype(np.int64)
    for query, answer in list(zip(sample, found, strict=True))[::10]:
        distance = ((train - benchmark.images([query]).reshape(1, -1)) ** 2).sum(axis=1)
        own = ((benchmark.images([answer]).astype(np.int64) - benchmark.images([query])) ** 2).sum()
        assert own == distance.min()


def test_constant_answer():
    assert constant_answer(np.array([3, 3, 1, 2])) == 0.5
