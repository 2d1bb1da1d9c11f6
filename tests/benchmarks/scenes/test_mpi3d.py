"""The stand-in for MPI3D, against what its factors say."""

import hashlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.grids import MPI3D
from pytest_genbench.benchmarks.scenes import mpi3d
from pytest_genbench.benchmarks.scenes.mpi3d import COLOURS, COUNTS, TABLES, images
from pytest_genbench.benchmarks.scenes.rig import CAMERAS, pose
from pytest_genbench.errors import BenchmarkError

from .plain import arm

COLOR, SHAPE, SIZE, HEIGHT, BACKGROUND, X, Y = range(7)
NAMES = list(COUNTS)

points = st.tuples(*(st.integers(0, count - 1) for count in COUNTS.values()))
styles = st.sampled_from(["lit", "flat"])


def some(n, seed=0):
    """Rows at few positions of the joints, as each takes time."""
    draw = np.random.default_rng(seed)
    levels = draw.integers(0, list(COUNTS.values()), (n, 7))
    levels[:, HEIGHT:] = levels[draw.integers(0, 12, n) % n, HEIGHT:]
    return levels


def differing(one, other):
    """Pixels that differ between pairs of images so that one can see it."""
    return (np.abs(one.astype(int) - other).max(axis=-1) > 8).sum(axis=(1, 2))


def visible(shape, size, height, x, y, style="lit"):
    """Pixels whose colour is, for a tenth or more, the object's: bool (64, 64)."""
    row = (shape, size, height, 0, x, y)
    red, blue = images(np.array([(2, *row), (3, *row)]), style).astype(int)
    return np.abs(red - blue).max(axis=-1) > 18


@cache
def covered(shape, size, height, x, y):
    """Pixels that an object would cover with all rays, were the arm not there, and how deep it is there; and the arm's depth."""
    camera, robot = CAMERAS[height], pose(x, y)
    rays = camera.directions()
    depth = robot.held(shape, size).hits(camera.at, rays).depth
    parts = np.min([part.placed.hits(camera.at, rays).depth for part in robot.parts], axis=0)
    return (depth < np.inf).all(axis=0), depth, parts


class TestFormat:
    def test_the_grid_is_that_of_mpi3d(self):
        assert tuple(COUNTS.items()) == tuple(zip(MPI3D.grid.names, MPI3D.grid.shape, strict=True))

    def test_images_are_rgb(self):
        drawn = images(some(3))
        assert (drawn.shape, drawn.dtype) == ((3, 64, 64, 3), np.uint8)
        assert images(np.empty((0, 7), dtype=np.int64)).shape == (0, 64, 64, 3)

    @pytest.mark.parametrize(("style", "content"), [("lit", "868bae9a1abb72ae"), ("flat", "9c7ced3c5c6914d1")])
    def test_content_never_changes(self, style, content):
        levels = np.array([(k, k, k % 2, k % 3, k % 3, 7 * k, 39 - 6 * k) for k in range(6)])
        assert hashlib.sha256(images(levels, style).tobytes()).hexdigest()[:16] == content

    @settings(max_examples=15, deadline=None)
    @given(st.lists(points, min_size=1, max_size=4), styles)
    def test_an_image_depends_on_its_row_and_style_alone(self, rows, style):
        together = images(np.array(rows), style)
        images(np.array(rows), "flat" if style == "lit" else "lit")
        np.testing.assert_array_equal(images(np.array(rows[::-1]), style), together[::-1])
        mpi3d._view.cache_clear()
        np.testing.assert_array_equal(images(np.array(rows[:1]), style), together[:1])

    @pytest.mark.parametrize("row", some(12, seed=1).tolist())
    def test_images_are_those_that_rays_give(self, row):
        far = np.abs(images(np.array([row]))[0].astype(int) - arm(row)).max(axis=-1)
        # Shares of materials are bytes; and a ray in a hundred thousand falls to the other side of an edge by rounding.
        assert (far > 4).sum() <= 1

    @pytest.mark.parametrize(
        ("levels", "message"),
        [
            (
                [[0, 0, 0, 0, 0, 40, 0]],
                "Level 40 of factor 'x-axis' in row 0 is outside the grid, which has levels 0 to 39",
            ),
            ([[0] * 7, [0, 0, -1, 0, 0, 0, 0]], "Level -1 of factor 'size' in row 1"),
            ([[0] * 6], r"\(N, 7\)"),
            ([[0.0] * 7], "integers"),
        ],
    )
    def test_other_levels_are_refused(self, levels, message):
        with pytest.raises(BenchmarkError, match=message):
            images(np.array(levels))

    def test_other_styles_are_refused(self):
        with pytest.raises(BenchmarkError, match=r"no style 'flatt'\. Did you mean 'flat'\?"):
            images(some(1), "flatt")


class TestFactors:
    @pytest.mark.parametrize("style", ["lit", "flat"])
    @pytest.mark.parametrize(
        ("factor", "least"), [(COLOR, 20), (SHAPE, 8), (SIZE, 20), (HEIGHT, 800), (BACKGROUND, 800)]
    )
    def test_neighbouring_levels_look_different(self, factor, least, style):
        for level in range(COUNTS[NAMES[factor]] - 1):
            one = some(40)
            one[:, factor] = level
            other = one.copy()
            other[:, factor] += 1
            assert differing(images(one, style), images(other, style)).min() >= least

    @pytest.mark.parametrize("height", range(3))
    @pytest.mark.parametrize("axis", [X, Y])
    def test_neighbouring_positions_look_different(self, axis, height):
        """Also where the arm points straight to the camera, so that the object is raised nearly along the line of sight."""
        draw = np.random.default_rng(height)
        for fixed in (26, *draw.integers(0, 40, 2)):
            rows = np.full((40, 7), fixed)
            rows[:, :BACKGROUND] = *draw.integers(0, (6, 6, 2)), height
            rows[:, BACKGROUND] = 1
            rows[:, axis] = np.arange(40)
            drawn = images(rows)
            assert differing(drawn[:-1], drawn[1:]).min() >= 6

    def test_no_two_positions_look_alike(self):
        """Also if they are far apart: the object is elsewhere, or turned another way."""
        positions = [(x, y) for x in range(0, 40, 3) for y in range(1, 40, 6)]
        drawn = images(np.array([(0, 1, 1, 2, 0, *position) for position in positions])).astype(np.int16)
        for k in range(1, len(drawn)):
            assert differing(drawn[:k], drawn[k]).min() >= 40

    def test_colours_are_distinct(self):
        for colours in (COLOURS.astype(int), TABLES.astype(int)):
            distances = np.abs(colours[:, None] - colours).max(axis=2)
            assert distances[~np.eye(len(colours), dtype=bool)].min() >= 25

    @settings(max_examples=25, deadline=None)
    @given(points, styles)
    def test_colours_are_where_they_should_be(self, point, style):
        color, shape, size, height, background, x, y = point
        (drawn,) = images(np.array([point]), style)
        row, column = (int(at) for at in CAMERAS[height].place(np.array([-0.7, -0.8, 0])))
        own = visible(shape, size, height, x, y, style)
        if not own[row, column]:
            table = np.sort(np.abs(drawn[row, column] / TABLES[background] / 0.95 - 0.75))
            assert table.max() < 0.3
        wall = drawn[1, 1].astype(int)
        assert np.ptp(wall) < 10
        assert wall.max() < 80
        inner = covered(shape, size, height, x, y)
        pixels = drawn[inner[0] & (inner[1] < inner[2]).all(axis=0)].astype(float)
        if len(pixels):
            mixed = np.median(pixels, axis=0)
            mixed /= np.linalg.norm(mixed)
            alike = COLOURS / np.linalg.norm(COLOURS.astype(float), axis=1, keepdims=True) @ mixed
            assert alike.argmax() == color


class TestSight:
    def least(self, positions):
        """The fewest pixels that show each object, small and large."""
        found = np.full((6, 2), 4096)
        for height, x, y in positions:
            view = mpi3d._view.__wrapped__("lit", height, x, y)
            assert min(view.window.top, view.window.left) > 0
            assert max(view.window.bottom, view.window.right) < 64
            shown = view.held[:, :, 2] > 25
            found = np.minimum(found, shown.sum(axis=(2, 3)))
        return found.min(axis=0)

    def test_every_object_can_be_seen(self):
        draw = np.random.default_rng(0)
        positions = [(height, x, y) for height in range(3) for x in (0, 39) for y in (0, 20, 39)]
        small, large = self.least([*positions, *draw.integers(0, (3, 40, 40), (120, 3)).tolist()])
        assert small >= 20
        assert large >= 45

    @pytest.mark.slow
    def test_every_object_can_be_seen_everywhere(self):
        small, large = self.least(np.ndindex(3, 40, 40))
        assert small >= 20
        assert large >= 45

    def test_the_arm_hides_a_part_of_the_object(self):
        """Where it points away from the camera."""
        inner, depth, parts = covered(1, 1, 2, 0, 20)
        behind = inner & (parts < depth).all(axis=0)
        assert behind.sum() >= 4
        assert not visible(1, 1, 2, 0, 20)[behind].any()

    def test_the_object_hides_a_part_of_the_arm(self):
        """Where it points to the camera."""
        inner, depth, parts = covered(1, 1, 1, 26, 20)
        before = inner & ((depth < parts) & (parts < np.inf)).all(axis=0)
        assert before.sum() >= 20
        assert visible(1, 1, 1, 26, 20)[before].all()

    @settings(max_examples=20, deadline=None)
    @given(points)
    def test_what_is_nearer_is_seen(self, point):
        _, *where, _, x, y = point
        inner, depth, parts = covered(*where, x, y)
        seen = visible(*where, x, y)
        assert seen[inner & (depth < parts - 1e-4).all(axis=0)].all()
        assert not seen[(parts < depth - 1e-4).all(axis=0)].any()

    def test_flat_images_have_few_tones(self):
        row = (2, 5, 1, 0, 1, 20, 20)
        tones = {
            style: len(np.unique(images(np.array([row]), style)[0].reshape(-1, 3), axis=0)) for style in ("lit", "flat")
        }
        assert tones["flat"] < tones["lit"] / 2
