"""The sprites, against what their factors say."""

import hashlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.grids import DSPRITES
from pytest_genbench.benchmarks.sprites import images
from pytest_genbench.benchmarks.sprites.render import COUNTS
from pytest_genbench.benchmarks.sprites.shapes import REACH, SHAPES
from pytest_genbench.errors import BenchmarkError

SQUARE, ELLIPSE, HEART = range(3)

AREAS = (441, 371, 459)
"""Pixels at scale 1, by shape."""

points = st.tuples(*(st.integers(0, count - 1) for count in COUNTS.values()))


@cache
def masks():
    """Every shape, scale and orientation in the middle: bool (3, 6, 40, 64, 64)."""
    levels = np.indices((3, 6, 40)).reshape(3, -1).T
    drawn = images(np.hstack([levels, np.full((len(levels), 2), 16)]))
    return drawn.reshape(3, 6, 40, 64, 64) == 255


def differing(one, other):
    """Pixels that differ between pairs of images."""
    return (one != other).sum(axis=(-1, -2))


class TestFormat:
    def test_the_grid_is_that_of_dsprites(self):
        assert tuple(COUNTS.items()) == tuple(zip(DSPRITES.grid.names, DSPRITES.grid.shape, strict=True))

    def test_images_are_black_and_white(self):
        drawn = images(np.array([[0, 5, 3, 0, 31], [2, 0, 7, 12, 1]]))
        assert (drawn.shape, drawn.dtype) == ((2, 64, 64, 1), np.uint8)
        assert np.unique(drawn).tolist() == [0, 255]
        assert images(np.empty((0, 5), dtype=np.int64)).shape == (0, 64, 64, 1)

    def test_content_never_changes(self):
        content = np.packbits(masks()).tobytes()
        assert hashlib.sha256(content).hexdigest()[:16] == "922b39fa845b1790"

    def test_no_pixel_is_on_an_edge(self):
        """So rounding, which differs between machines, decides nothing."""
        scale = np.linspace(0.5, 1, 6)[:, None, None, None]
        turn = np.linspace(0, 2 * np.pi, 40)[:39, None, None]
        right = np.arange(-REACH, REACH + 1.0)
        place = (right + 1j * right[:, None]) * np.exp(-1j * turn) / scale
        for depth in SHAPES:
            assert np.abs(depth(place.real, place.imag)).min() > 1e-9

    @settings(max_examples=20)
    @given(st.lists(points, min_size=1, max_size=6))
    def test_an_image_depends_on_its_row_alone(self, rows):
        together = images(np.array(rows))
        np.testing.assert_array_equal(images(np.array(rows[::-1])), together[::-1])
        np.testing.assert_array_equal(images(np.array(rows[:1])), together[:1])


class TestFactors:
    @settings(max_examples=50)
    @given(points)
    def test_position_is_the_centroid_and_all_of_a_shape_is_inside(self, point):
        *_, x, y = point
        (drawn,) = images(np.array([point]))[..., 0]
        assert not drawn[[0, -1]].any()
        assert not drawn[:, [0, -1]].any()
        rows, columns = np.nonzero(drawn)
        assert abs(columns.mean() - 16 - x) < 0.3
        assert abs(rows.mean() - 16 - y) < 0.3

    @settings(max_examples=20)
    @given(points)
    def test_moving_changes_nothing_else(self, point):
        shape, scale, orientation, x, y = point
        (drawn,) = images(np.array([point]))[..., 0] == 255
        np.testing.assert_array_equal(drawn, np.roll(masks()[shape, scale, orientation], (y - 16, x - 16), (0, 1)))

    def test_area_goes_with_the_square_of_scale(self):
        areas = masks().sum(axis=(-1, -2))
        expected = np.array(AREAS)[:, None, None] * np.square(np.linspace(0.5, 1, 6))[:, None]
        # A small square has too few pixels to keep its area when turned.
        assert (np.abs(areas / expected - 1) < [[[0.11]], [[0.07]], [[0.04]]]).all()
        assert (np.diff(areas, axis=1).min(axis=-1) > 20).all()

    def test_orientation_turns_clockwise(self):
        """The tip of the heart points down, and a quarter of the turns later to the left."""
        rows, columns = np.nonzero(masks()[HEART, 5, 0])
        assert (rows.max() - 32, columns[rows.argmax()]) == (14, 32)
        rows, columns = np.nonzero(masks()[HEART, 5, 10])
        assert columns.min() - 32 < -12
        assert abs(rows[columns.argmin()] - 32) <= 1


class TestDifferences:
    """Between an image and the one at the next level of a factor."""

    def test_of_shape_and_scale(self):
        drawn = masks()
        for one, other in ((SQUARE, ELLIPSE), (ELLIPSE, HEART), (SQUARE, HEART)):
            assert differing(drawn[one], drawn[other]).min() >= 18
        assert differing(drawn[:, 1:], drawn[:, :-1]).min() >= 20

    def test_of_orientation(self):
        changed = differing(masks()[:, :, 1:], masks()[:, :, :-1])
        assert changed.min(axis=(1, 2)).tolist() == [8, 10, 6]

    @pytest.mark.parametrize("axis", [-1, -2], ids=["x", "y"])
    def test_of_position(self, axis):
        # Moves are whole pixels, so one stands for all.
        assert differing(masks(), np.roll(masks(), 1, axis)).min() >= 16

    def test_the_last_orientation_equals_the_first(self):
        """As in dSprites, whose orientations have both ends of the turn."""
        np.testing.assert_array_equal(masks()[:, :, 0], masks()[:, :, 39])

    def test_no_other_orientations_of_hearts_are_equal(self):
        for scale in range(6):
            assert len(np.unique(masks()[HEART, scale].reshape(40, -1), axis=0)) == 39

    def test_squares_and_ellipses_nearly_repeat(self):
        """39 steps are a full turn, so a quarter is 9.75 steps and a half 19.5; some images of squares are even equal."""
        squares, ellipses = masks()[SQUARE], masks()[ELLIPSE]
        assert differing(squares[:, 10:], squares[:, :-10]).max() <= 40
        np.testing.assert_array_equal(squares[:, 0], squares[:, 10])
        assert differing(ellipses[:, 20:], ellipses[:, :-20]).max() <= 40
        assert differing(squares[5, 0], squares[5, 5]) > 60
        assert differing(ellipses[5, 0], ellipses[5, 10]) > 200


class TestErrors:
    @pytest.mark.parametrize(
        ("levels", "message"),
        [
            ([[0, 0, 0, 0, 0], [0, 6, 0, 0, 0]], "Level 6 of factor 'scale' in row 1 .* levels 0 to 5"),
            ([[0, 0, -1, 0, 0]], "Level -1 of factor 'orientation' in row 0 .* levels 0 to 39"),
            ([[0, 0, 0, 0]], r"table \(N, 5\) with columns shape, .*shape \(1, 4\)"),
            ([0, 0, 0, 0, 0], r"shape \(5,\)"),
            ([[0, 0, 0, 0, 0.5]], "integers; got an array of float64"),
        ],
    )
    def test_levels_outside_the_grid(self, levels, message):
        with pytest.raises(BenchmarkError, match=message):
            images(np.array(levels))
