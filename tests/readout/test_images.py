"""Resizing and channels: what Pillow does, and nothing where nothing is to be done."""

import numpy as np
import pytest
from PIL import Image

from pytest_genbench.errors import ModelError
from pytest_genbench.readout.images import adapt, fits


def draw(*shape):
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


@pytest.mark.parametrize("shape", [(None, None, None), (3, None, None), (3, 8, 6), (None, 8, None)])
def test_images_that_fit_stay_as_they_are(shape):
    images = draw(2, 8, 6, 3)
    assert fits((8, 6, 3), shape)
    assert adapt(images, shape) is images


@pytest.mark.parametrize(("height", "width"), [(224, 224), (5, 20), (3, 3)])
def test_sizes_change_as_pillow_changes_colour_images(height, width):
    images = draw(3, 16, 12, 3)
    assert not fits((16, 12, 3), (3, height, width))
    found = adapt(images, (3, height, width))
    expected = [Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR) for image in images]
    np.testing.assert_array_equal(found, np.stack([np.asarray(image) for image in expected]))


def test_small_details_are_averaged_and_not_left_out():
    stripes = np.tile(np.array([0, 200], np.uint8), 32)[None, None, :, None].repeat(64, axis=1)
    found = adapt(stripes, (1, 16, 16))
    assert found.shape == (1, 16, 16, 1)
    assert (abs(found.astype(int) - 100) <= 26).all()


def test_grey_becomes_colour_by_repetition():
    images = draw(2, 8, 8, 1)
    found = adapt(images, (3, None, None))
    assert found.shape == (2, 8, 8, 3)
    assert (found == images).all()
    assert (adapt(images, (3, 11, 7)) == adapt(images, (1, 11, 7))).all()


def test_colour_becomes_grey_by_luminance():
    images = draw(4, 8, 8, 3)
    expected = np.stack([np.asarray(Image.fromarray(image).convert("L")) for image in images])[..., None]
    np.testing.assert_array_equal(adapt(images, (1, 8, 8)), expected)


def test_other_channels_cannot_be_made():
    with pytest.raises(ModelError, match="takes 4 channels and the images have 3"):
        adapt(draw(2, 8, 8, 3), (4, 8, 8))
    assert adapt(draw(2, 8, 8, 4), (None, 4, 4)).shape == (2, 4, 4, 4)


@pytest.mark.parametrize("images", [np.zeros((2, 8, 8, 1)), draw(8, 8, 1), draw(2, 8, 8, 1)[:0]])
def test_no_images(images):
    with pytest.raises(ModelError, match=r"uint8 of shape \(N, H, W, C\)"):
        adapt(images, (1, 4, 4))
