"""The images, against the numbers of the paper and of the generator it was made with."""

import hashlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.benchmarks.comporth.glyphs import FROZEN
from pytest_genbench.benchmarks.comporth.stimuli import PRESETS, Stimuli
from pytest_genbench.errors import BenchmarkError

COUNTS = {"published": 11_904, "described": 25_110, "mini": 1_116}
DISTINCT = {"published": 11_616, "described": 24_462, "mini": 1_098}
INK = {"published": ((24, 39), (4, 60)), "described": ((23, 39), (4, 59)), "mini": ((26, 36), (9, 54))}
HASHES = {
    "mini": "e5021fe2da754d1c",
    "published": "7822012217f37475",
    "described": "bd0588bf6c352da5",
}


@cache
def stimuli(preset):
    return Stimuli(preset)


@cache
def all_images(preset):
    made = stimuli(preset)
    return made.images(np.arange(made.grid.size))


@pytest.mark.parametrize("preset", PRESETS)
class TestWholePresets:
    def test_count_and_format(self, preset):
        images = all_images(preset)
        assert images.shape == (COUNTS[preset], 64, 64, 1)
        assert images.dtype == np.uint8
        assert (images.min(), images.max()) == (0, 255)

    def test_words_are_all_strings_shorter_first(self, preset):
        words = stimuli(preset).words
        assert len(words) == 62
        assert words[:6] == ("A", "B", "AA", "AB", "BA", "BB")
        assert words[-1] == "BBBBB"

    def test_content_never_changes(self, preset):
        assert hashlib.sha256(all_images(preset).tobytes()).hexdigest()[:16] == HASHES[preset]

    def test_ink_keeps_clear_of_the_border(self, preset):
        used = all_images(preset)
        rows = np.flatnonzero(used.any(axis=(0, 2, 3)))
        columns = np.flatnonzero(used.any(axis=(0, 1, 3)))
        assert ((rows[0], rows[-1]), (columns[0], columns[-1])) == INK[preset]

    def test_only_one_letter_words_repeat_and_only_over_spacings(self, preset):
        made, images = stimuli(preset), all_images(preset)
        _, first, inverse = np.unique(images.reshape(len(images), -1), axis=0, return_index=True, return_inverse=True)
        assert len(first) == DISTINCT[preset]
        levels = made.grid.levels(np.arange(len(images)))
        twins = levels[first][inverse]
        np.testing.assert_array_equal(levels[:, :3], twins[:, :3])
        repeated = (levels[:, 3] != twins[:, 3]).nonzero()[0]
        assert {len(made.words[w]) for w in levels[repeated, 0]} == {1}


def item(preset, word, x, y, spacing):
    made = stimuli(preset)
    levels = PRESETS[preset]
    index = made.grid.index(
        [made.words.index(word), levels.xs.index(x), levels.ys.index(y), levels.spacings.index(spacing)]
    )
    return made.images(index[None])[0, :, :, 0]


WORDS = st.text("AB", min_size=1, max_size=5)


@given(word=WORDS, x=st.integers(-4, 3), y=st.integers(-4, 3), spacing=st.integers(-2, 2))
def test_shifts_move_all_pixels(word, x, y, spacing):
    here = item("described", word, x, y, spacing)
    np.testing.assert_array_equal(item("described", word, x + 1, y, spacing), np.roll(here, 1, axis=1))
    # A positive y is up.
    np.testing.assert_array_equal(item("described", word, x, y + 1, spacing), np.roll(here, -1, axis=0))


@given(word=WORDS, x=st.integers(-2, 3), y=st.integers(-4, 3), spacing=st.integers(0, 3))
def test_ink_is_that_of_the_letters(word, x, y, spacing):
    image = item("published", word, x, y, spacing)
    assert image.sum() == sum(int(FROZEN[letter].ink.sum()) for letter in word)


@given(word=WORDS, spacing=st.sampled_from([-2, -1]))
def test_overlapping_letters_lose_ink(word, spacing):
    image = item("described", word, 0, 0, spacing)
    ink = sum(int(FROZEN[letter].ink.sum()) for letter in word)
    assert image.sum() < ink if len(word) > 1 else image.sum() == ink


@given(word=WORDS, spacing=st.integers(0, 3))
def test_words_are_centred(word, spacing):
    image = item("published", word, 0, 0, spacing)
    width = 8 * len(word) + spacing * (len(word) - 1)
    left = (64 - width) // 2
    first = np.zeros((64, 8), dtype=np.uint8)
    first[27:36] = FROZEN[word[0]].ink
    np.testing.assert_array_equal(image[:, left : left + 8], first)
    assert not image[:, :left].any()
    assert not image[:, left + width :].any()


@given(order=st.permutations(range(0, 1116, 40)))
def test_an_image_does_not_depend_on_its_batch(order):
    np.testing.assert_array_equal(stimuli("mini").images(order), all_images("mini")[list(order)])


def test_background_lies_under_the_letters():
    plain, grey = stimuli("mini"), Stimuli("mini", background=10)
    np.testing.assert_array_equal(grey.images([700]), np.maximum(plain.images([700]), 10))
    assert grey.name != plain.name


def test_other_letters_and_lengths():
    made = Stimuli("mini", letters="HXO", max_length=2)
    assert len(made.words) == 12
    assert made.name.startswith("mini-")
    images = made.images(np.arange(made.grid.size))
    assert len(np.unique(images[::18].reshape(12, -1), axis=0)) == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"preset": "publisched"}, "Did you mean 'published'"),
        ({"letters": "A"}, "two or more distinct characters; got 'A'"),
        ({"letters": "AA"}, "two or more distinct characters"),
        ({"letters": "A "}, "draws nothing for ' '"),
        ({"max_length": 0}, "max_length=0"),
        ({"max_length": 9}, "leaves the image"),
        ({"background": 300}, "0 to 255; got 300"),
        ({"letters": "HX", "font": "no-such-font.ttf"}, "'no-such-font.ttf' cannot be read"),
    ],
)
def test_wrong_arguments_are_explained(arguments, said):
    with pytest.raises(BenchmarkError, match=said):
        Stimuli(**arguments).images([0])


def test_indices_outside_are_refused():
    with pytest.raises(BenchmarkError, match="1116 points"):
        stimuli("mini").images([1116])
