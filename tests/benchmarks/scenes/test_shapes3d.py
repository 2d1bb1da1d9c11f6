"""The stand-in for 3D Shapes, against what its factors say."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.grids import SHAPES3D
from pytest_genbench.benchmarks.scenes import shapes3d
from pytest_genbench.benchmarks.scenes.shapes3d import COUNTS, HUES, camera, images, thing
from pytest_genbench.errors import BenchmarkError

from .plain import room

FLOOR, WALL, OBJECT, SIZE, TYPE, AZIMUTH = range(6)
NAMES = list(COUNTS)

points = st.tuples(*(st.integers(0, count - 1) for count in COUNTS.values()))


def some(n, seed=0):
    return np.random.default_rng(seed).integers(0, list(COUNTS.values()), (n, 6))


def differing(one, other):
    """Pixels that differ between pairs of images so that one can see it."""
    return (np.abs(one.astype(int) - other).max(axis=-1) > 8).sum(axis=(1, 2))


def colour(pixel):
    """The hue that a pixel has, whatever its brightness: the nearest in angle."""
    hues = HUES / np.linalg.norm(HUES, axis=1, keepdims=True)
    return int((hues @ (pixel / np.linalg.norm(pixel.astype(float)))).argmax())


class TestFormat:
    def test_the_grid_is_that_of_3d_shapes(self):
        assert tuple(COUNTS.items()) == tuple(zip(SHAPES3D.grid.names, SHAPES3D.grid.shape, strict=True))
        np.testing.assert_allclose(shapes3d.SIZES, SHAPES3D.factors[SIZE].values)
        np.testing.assert_allclose(shapes3d.AZIMUTHS, SHAPES3D.factors[AZIMUTH].values)

    def test_images_are_rgb(self):
        drawn = images(some(3))
        assert (drawn.shape, drawn.dtype) == ((3, 64, 64, 3), np.uint8)
        assert images(np.empty((0, 6), dtype=np.int64)).shape == (0, 64, 64, 3)

    def test_content_never_changes(self):
        levels = np.array([(1, 5, 8, 6, kind, azimuth) for kind in range(4) for azimuth in (0, 7, 14)])
        assert hashlib.sha256(images(levels).tobytes()).hexdigest()[:16] == "5ada36e81bf81837"

    @settings(max_examples=20, deadline=None)
    @given(st.lists(points, min_size=1, max_size=5))
    def test_an_image_depends_on_its_row_alone(self, rows):
        together = images(np.array(rows))
        np.testing.assert_array_equal(images(np.array(rows[::-1])), together[::-1])
        shapes3d._maps.cache_clear()
        np.testing.assert_array_equal(images(np.array(rows[:1])), together[:1])

    @pytest.mark.parametrize("row", some(12, seed=1).tolist())
    def test_images_are_those_that_rays_give(self, row):
        far = np.abs(images(np.array([row]))[0].astype(int) - room(row))
        # The shares of materials are bytes; and what is dark is taken for a pixel, not for each ray.
        assert far.max() <= 4

    @pytest.mark.parametrize(
        ("levels", "message"),
        [
            (
                [[0, 0, 0, 8, 0, 0]],
                "Level 8 of factor 'object size' in row 0 is outside the grid, which has levels 0 to 7",
            ),
            ([[0] * 6, [0, -1, 0, 0, 0, 0]], "Level -1 of factor 'wall color' in row 1"),
            ([[0] * 5], r"\(N, 6\)"),
            ([[0.0] * 6], "integers"),
        ],
    )
    def test_other_levels_are_refused(self, levels, message):
        with pytest.raises(BenchmarkError, match=message):
            images(np.array(levels))


class TestFactors:
    @pytest.mark.parametrize(
        ("factor", "least"), [(FLOOR, 1500), (WALL, 1500), (OBJECT, 150), (SIZE, 80), (TYPE, 150), (AZIMUTH, 120)]
    )
    def test_neighbouring_levels_look_different(self, factor, least):
        for level in range(COUNTS[NAMES[factor]] - 1):
            one = some(25, seed=level)
            one[:, factor] = level
            other = one.copy()
            other[:, factor] += 1
            assert differing(images(one), images(other)).min() >= least

    def test_hues_have_ten_colours(self):
        distances = np.abs(HUES.astype(int)[:, None] - HUES).max(axis=2)
        assert distances[~np.eye(10, dtype=bool)].min() >= 80
        assert HUES[0].argmax() == 0
        assert HUES[5].argmin() == 0

    @settings(max_examples=40, deadline=None)
    @given(points)
    def test_colours_are_where_they_should_be(self, point):
        (drawn,) = images(np.array([point]))
        floor, wall, thing_, size, kind, azimuth = point
        assert colour(drawn[62, 4]) == colour(drawn[62, 60]) == floor
        assert colour(drawn[2, 2]) == colour(drawn[2, 61]) == wall
        row, column = camera(azimuth).place(thing(size, kind).at)
        pixel = drawn[int(row), int(column)]
        assert colour(pixel - (pixel.min() * 0.8).astype(np.uint8)) == thing_

    def test_sizes_grow_the_object(self):
        for kind in range(4):
            drawn = [
                images(np.array([(0, 0, hue, size, kind, 7) for hue in (3, 6)]))
                for size in range(COUNTS["object size"])
            ]
            areas = [int((one != other).any(axis=-1).sum()) for one, other in drawn]
            assert areas[0] > 100
            assert areas == sorted(set(areas))
            assert areas[-1] / areas[0] == pytest.approx((1.25 / 0.75) ** 2, rel=0.2)

    def test_the_corner_moves_to_the_right_with_azimuth(self):
        places = [camera(azimuth).place(np.array([0, shapes3d.WALL * 2**0.5, 1.5]))[1] for azimuth in range(15)]
        assert places == sorted(places)
        assert places[7] == pytest.approx(32)
        assert 4 < places[0] < places[-1] < 60
        for azimuth, place in enumerate(places):
            top = images(np.array([(0, 3, 0, 0, 0, azimuth)]))[0, 1, :, 1].astype(int)
            assert top[int(place) - 4] - top[int(place) + 4] > 20

    def test_light_comes_from_the_same_side_of_the_room(self):
        """So a sphere, which looks the same from all sides, is brightest farther left the more the camera goes to the right."""
        bright = []
        for azimuth in (0, 7, 14):
            (drawn,) = images(np.array([(6, 6, 0, 7, 2, azimuth)]))
            # The highlight is what is least coloured.
            bright.append(drawn.min(axis=2).max(axis=0).argmax())
        assert bright[0] > bright[1] > bright[2]
