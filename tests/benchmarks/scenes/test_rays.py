"""Solids, cameras and shadows, against points that are tried one by one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.scenes.light import SUN, corner, diffuse, gleam, halfway
from pytest_genbench.benchmarks.scenes.rig import MIDDLES, PEDESTAL, REACH, SHAPES, SIZES, pose
from pytest_genbench.benchmarks.scenes.shadow import Shadow
from pytest_genbench.benchmarks.scenes.solids import Capsule, Frustum, Placed, Polyhedron, Sphere, dot, nearest
from pytest_genbench.benchmarks.scenes.view import ALL, RAYS, Camera, Window, mean, packed, paint

CUBE = Polyhedron(np.concatenate([np.eye(3), -np.eye(3)]), (1.0,) * 6)

STEPS = np.linspace(0, 8, 1601)
"""Depths that are tried: every 0.005."""

sizes = st.floats(0.2, 1.5)
seeds = st.integers(0, 2**32 - 1)
solids = st.one_of(
    st.builds(Frustum, sizes, sizes, sizes),
    st.builds(Frustum, st.just(0.0), sizes, sizes),
    st.builds(Frustum, sizes, st.just(0.0), sizes),
    st.builds(Capsule, sizes, sizes),
    st.sampled_from(SHAPES),
)


def inside(solid, points):
    """Tell which points (3, *S) are in a solid, by its definition."""
    x, y, z = points
    around = np.sqrt(x * x + y * y)
    match solid:
        case Sphere():
            return around**2 + z * z <= 1
        case Frustum(lower, upper, half):
            return (np.abs(z) <= half) & (around <= lower + (upper - lower) * (z + half) / (2 * half))
        case Capsule(radius, half):
            return around**2 + np.maximum(np.abs(z) - half, 0) ** 2 <= radius**2
        case Polyhedron(normals, offsets):
            return np.all([dot(n, points) <= offset for n, offset in zip(normals, offsets, strict=True)], axis=0)
        case Placed(solid, at, scale, axes):
            local = np.tensordot(np.eye(3) if axes is None else axes, points - at[:, None, None], 1)
            return inside(solid, local / scale)


def shot(seed, rays=60):
    """A point outside all solids, and rays from there to points about the middle."""
    draw = np.random.default_rng(seed)
    origin = draw.normal(size=3)
    origin *= 4 / np.linalg.norm(origin)
    direction = draw.normal(size=(3, rays)) - origin[:, None]
    return origin, direction / np.linalg.norm(direction, axis=0)


def agree(solid, origin, direction):
    depth, normal = solid.hits(origin, direction)
    points = origin[:, None, None] + direction[..., None] * STEPS
    within = inside(solid, points)
    assert not (within & (depth[:, None] - 1e-9 > STEPS)).any(), "a ray is inside before it enters, or though it misses"
    hit = depth < np.inf
    entry = origin[:, None] + direction[:, hit] * depth[hit]
    np.testing.assert_allclose(np.linalg.norm(normal[:, hit], axis=0), 1)
    assert (dot(normal, direction)[hit] <= 1e-9).all()
    beyond = np.stack([entry - 1e-7 * normal[:, hit], entry + 1e-7 * normal[:, hit]], axis=2)
    assert inside(solid, beyond).tolist() == [[True, False]] * int(hit.sum())


class TestSolids:
    @settings(max_examples=60, deadline=None)
    @given(solids, seeds)
    def test_rays_enter_where_points_begin_to_be_inside(self, solid, seed):
        agree(solid, *shot(seed))

    @settings(max_examples=20, deadline=None)
    @given(solids, seeds, st.floats(0.3, 1), st.booleans())
    def test_so_they_do_when_it_is_placed(self, solid, seed, scale, turn):
        draw = np.random.default_rng(seed)
        axes = np.linalg.qr(draw.normal(size=(3, 3)))[0] if turn else None
        agree(Placed(solid, draw.uniform(-0.5, 0.5, size=3), scale, axes), *shot(seed))

    @pytest.mark.parametrize("solid", [CUBE, Frustum(1, 1, 1), Frustum(1, 0, 1), Sphere(), Capsule(0.5, 0.5)])
    def test_rays_that_start_inside_or_behind_hit_nothing(self, solid):
        straight = np.array([[0.0], [0.0], [1.0]])
        assert solid.hits(np.zeros(3), straight).depth.tolist() == [np.inf]
        assert solid.hits(np.array([0, 0, 3.0]), straight).depth.tolist() == [np.inf]
        assert solid.hits(np.array([0, 0, -3.0]), straight).depth.tolist() == [2.0]

    @pytest.mark.parametrize(
        ("solid", "x", "depth"),
        [
            (CUBE, 0.5, 2),
            (CUBE, 1.5, np.inf),
            (Frustum(1, 1, 1), 0.5, 2),
            (Frustum(1, 1, 1), 1.5, np.inf),
            (Frustum(1, 0, 1), 0.5, 3),
            (Frustum(2, 1, 1), 0, 2),
            (Capsule(1, 1), 0.6, 1.2),
        ],
    )
    def test_rays_along_an_axis(self, solid, x, depth):
        hits = solid.hits(np.array([x, 0, 3.0]), np.array([[0.0], [0.0], [-1.0]]))
        np.testing.assert_allclose(hits.depth, [depth], rtol=1e-12)

    def test_rays_along_a_side_of_a_cone(self):
        """Where the equation that is solved for the depth has no square."""
        cone, direction = Frustum(1, 0, 0.5), np.array([[1.0], [0.0], [-1.0]])
        assert cone.hits(np.array([-1.0, 0, 2.5]), direction).depth.tolist() == [np.inf]
        assert cone.hits(np.array([-1.5, 0, 1.0]), direction).depth == pytest.approx(1)

    def test_the_nearest_of_several(self):
        balls = [Placed(Sphere(), np.array([0, 0, z]), 0.5) for z in (0.0, 2.0, -4.0)]
        origin, direction = np.array([0, 0, 5.0]), np.array([[0.0, 1.0], [0.0, 0.0], [-1.0, 0.0]])
        depth, normal = nearest([ball.hits(origin, direction) for ball in balls])
        assert depth.tolist() == [2.5, np.inf]
        assert normal[:, 0].tolist() == [0, 0, 1]

    def test_many_origins_give_what_each_gives(self):
        origin, direction = np.random.default_rng(0).normal(size=(2, 3, 40))
        for solid in (*SHAPES, Capsule(0.4, 0.3)):
            together = solid.hits(3 * origin, -direction)
            for k in range(40):
                alone = solid.hits(3 * origin[:, k], -direction[:, k : k + 1])
                assert alone.depth == together.depth[k]


class TestCamera:
    camera = Camera.orbiting((0.1, -0.2, 0.5), 4, 25, 30, 80)

    def test_it_looks_at_its_target(self):
        assert self.camera.place(np.array([0.1, -0.2, 0.5])) == pytest.approx((32, 32))
        assert math.dist(self.camera.at, (0.1, -0.2, 0.5)) == pytest.approx(4)
        np.testing.assert_allclose(self.camera.axes @ self.camera.axes.T, np.eye(3), atol=1e-12)
        higher = self.camera.place(np.array([0.1, -0.2, 0.7]))
        assert higher[0] < 30
        assert higher[1] == pytest.approx(32)

    def test_rays_go_through_their_pixels(self):
        rays = self.camera.directions()
        assert (rays.shape, rays.dtype) == ((3, RAYS, 64, 64), np.float32)
        for row, column in ((0, 0), (10, 50), (63, 63)):
            seen = [self.camera.place(self.camera.at + 3 * ray) for ray in rays[:, :, row, column].T.astype(float)]
            middle = np.mean(seen, axis=0)
            np.testing.assert_allclose(middle, [row + 0.5, column + 0.5], atol=1e-4)
            assert np.ptp(seen, axis=0) == pytest.approx([0.8, 0.8], abs=1e-4)
            assert seen[RAYS // 2] == pytest.approx((row + 0.5, column + 0.5), abs=1e-4)

    def test_the_ground_is_where_pixels_see_it(self):
        x, y = self.camera.ground
        for row, column in ((20, 10), (63, 63)):
            seen = self.camera.place(np.array([x[row, column], y[row, column], 0]))
            assert seen == pytest.approx((row + 0.5, column + 0.5), abs=1e-3)

    def test_a_window_has_the_rays_of_the_whole(self):
        window = Window(5, 9, 40, 64)
        np.testing.assert_array_equal(self.camera.directions(window), self.camera.directions()[:, :, *window.slices])
        assert window.join(Window(7, 20, 3, 41)) == Window(5, 20, 3, 64)

    @settings(max_examples=60, deadline=None)
    @given(st.tuples(*[st.floats(-2.2, 2.2)] * 3), st.floats(0.01, 1.2))
    def test_a_sphere_is_seen_in_the_window_around_it(self, at, radius):
        window = self.camera.around(np.array(at), radius)
        assert ALL.top <= window.top < window.bottom <= ALL.bottom
        assert ALL.left <= window.left < window.right <= ALL.right
        hits = Placed(Sphere(), np.array(at), radius).hits(self.camera.at, self.camera.directions())
        seen = (hits.depth < np.inf).any(axis=0)
        seen[window.slices] = False
        assert not seen.any()

    def test_paint_mixes_colours_in_shares(self):
        picture = np.zeros((1, 3, 3), dtype=np.uint8)
        maps = packed(np.array([[1.0, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.0]]))
        paint(picture, maps, np.array([[255, 100, 0], [255, 200, 8]], dtype=np.uint16))
        assert picture.tolist() == [[[254, 99, 0], [253, 148, 3], [0, 0, 0]]]

    def test_mean_is_over_a_pixels_rays(self):
        rays = np.random.default_rng(0).random((RAYS, 4, 6))
        np.testing.assert_allclose(mean(rays), rays.mean(axis=0))


class TestLight:
    def test_light_stays_in_range(self):
        normal = np.random.default_rng(0).normal(size=(3, 1000))
        normal /= np.linalg.norm(normal, axis=0)
        assert 0 < diffuse(normal).min() < 0.35
        assert 0.95 < diffuse(np.append(normal, SUN[:, None], axis=1)).max() <= 1
        half = halfway(-normal)
        assert 0 <= gleam(normal, half).min() <= gleam(normal, half).max() <= 1
        assert corner(np.array([-1, 0, 1e9])).tolist() == [0.75, 0.75, 1]

    def test_a_mirror_shows_the_sun(self):
        direction = np.array([[0.3], [2.0], [-0.5]])
        half = halfway(direction)
        unit = direction / np.linalg.norm(direction)
        np.testing.assert_allclose(unit - 2 * dot(unit, half) * half, SUN[:, None], atol=1e-12)
        assert gleam(half, half) == pytest.approx(1)

    def test_a_shadow_lies_under_a_thing_and_away_from_the_sun(self):
        shadow = Shadow.of(Placed(Sphere(), np.array([0, 0, 0.6]), 0.6), SUN)
        away = -SUN[:2] / SUN[2] * 0.6
        x, y = np.array([0, away[0], -away[0], 2.9, 50]), np.array([0, away[1], -away[1], -2.9, 0])
        under, behind, before, far, out = shadow.at(x, y)
        assert under < 0.2
        assert behind < 0.5
        assert before > 0.7
        assert far > 0.97
        assert out == 1


class TestRig:
    @pytest.mark.parametrize("shape", range(6))
    def test_objects_are_in_the_ball_around_their_middle(self, shape):
        draw = np.random.default_rng(shape)
        points = draw.uniform(-1.5, 1.5, size=(3, 20_000))
        points = points[:, inside(SHAPES[shape], points)]
        for size, middle in zip(SIZES, MIDDLES, strict=True):
            assert np.linalg.norm(size * points + (middle - MIDDLES[1])[:, None], axis=0).max() < REACH

    @pytest.mark.parametrize(("x", "y"), [(0, 0), (17, 30), (39, 39)])
    def test_parts_hold_together_and_lie_between_their_ends(self, x, y):
        arm = pose(x, y)
        np.testing.assert_allclose(arm.axes @ arm.axes.T, np.eye(3), atol=1e-12)
        links = [part for part in arm.parts if isinstance(part.placed.solid, Frustum)]
        assert links[1].ends[0][0] is links[0].ends[1][0]
        for part in (*links, *PEDESTAL[:2]):
            (start, lower), (end, upper) = part.ends
            solid, middle, _, axes = part.placed.solid, part.placed.at, part.placed.scale, part.placed.axes
            assert (solid.lower, solid.upper) == (lower, upper)
            np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
            np.testing.assert_allclose(middle + solid.half * axes[2], end, atol=1e-12)
            np.testing.assert_allclose(middle - solid.half * axes[2], start, atol=1e-12)
