"""Spaceshapes, against images of the authors' program, a plain way of drawing them, and what the paper says of them."""

import hashlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_genbench.benchmarks.hierarchical import shapes
from pytest_genbench.benchmarks.hierarchical.shrink import shrink, shrink_inside
from pytest_genbench.benchmarks.hierarchical.spaceshapes import HIERARCHY, images, latents
from pytest_genbench.errors import BenchmarkError

from . import plain

ORACLE = json.loads((Path(__file__).parents[2] / "data/hierarchical/spaceshapes_images.json").read_text())["cases"]

FIXED = {"moon": (1, 0), "star": (2, 0), "ship_none": (3, 1), "ship_jet": (3, 2)}

OWN = {"moon": (4,), "star": (5,), "ship_none": (6,), "ship_jet": (6, 7)}

HASH = "9d0b3797c2fa8e06"

unit = st.floats(0, 1)
seeds = st.integers(0, 2**32 - 1)


def row(kind, x=0.5, y=0.5, *own):
    """One row of the table; `own` are the factors of the kind, from .5."""
    made = np.zeros(8)
    made[:4] = *FIXED[kind], x, y
    for at, value in itertools.zip_longest(OWN[kind], own[: len(OWN[kind])], fillvalue=0.5):
        made[at] = value
    return made


@st.composite
def rows(draw, kinds=tuple(FIXED)):
    kind = draw(st.sampled_from(kinds))
    return row(kind, draw(unit), draw(unit), *(draw(unit) for _ in OWN[kind]))


def draw(*table):
    return images(np.array(table)).astype(int)


class TestAgainstTheAuthorsProgram:
    @pytest.mark.parametrize("case", ORACLE, ids=lambda case: f"{case['kind']}-{case['params']}")
    def test_images(self, case):
        (image,) = draw(row(case["kind"], *case["params"]))
        mask = image >= 128
        assert [f"{int(''.join(map(str, line)), 2):016x}" for line in mask.astype(int)] == case["mask_rows_hex"]
        assert (image.sum(), image.max(), mask.sum()) == (case["sum"], case["max"], case["n_ge128"])
        centroid = [(image.sum(axis=axis) * np.arange(64)).sum() / image.sum() for axis in (1, 0)]
        np.testing.assert_allclose(centroid, case["centroid_row_col"], atol=1e-4)


class TestAgainstPlainDrawing:
    def test_random_rows(self):
        table = latents(240, np.random.default_rng(0))
        np.testing.assert_array_equal(images(table), [plain.draw(each) for each in table])

    @pytest.mark.parametrize("kind", FIXED)
    def test_round_values(self, kind):
        """Where rounding of places and levels could go either way, and at the ends."""
        table = [row(kind, x, y, *own) for x, y in ((0, 0), (1, 0.5), (0.25, 1 / 256)) for own in self.own(kind)]
        np.testing.assert_array_equal(draw(*table), [plain.draw(each) for each in table])

    @staticmethod
    def own(kind):
        return itertools.product((0, 0.25, 0.5, 1), repeat=len(OWN[kind]))

    def test_all_levels(self):
        levels = np.arange(256)
        grid = np.tile(np.arange(-128, 128), (256, 1))
        for drawn, values, reference in (
            (shapes.moon(grid, grid, levels), shapes.BITES, plain.moon),
            (shapes.star(grid, grid, levels), shapes.DENTS, plain.star),
            (shapes.ship(grid[:, 40:216], grid[:, 40:216], levels, np.zeros(256)), shapes.JETS, plain.ship),
        ):
            cut = slice(40, 216) if drawn.shape[1] < 256 else slice(None)
            for level in levels:
                np.testing.assert_array_equal(drawn[level], reference(values[level])[cut, cut])

    @given(st.floats(0, 0.4))
    def test_closest_level(self, value):
        assert shapes.BITES[shapes.closest(shapes.BITES, np.array([value]))] == plain.closest(value, 0, 0.4)

    @given(st.integers(0, 509))
    def test_closest_level_halfway(self, half):
        value = half * 0.4 / 510
        assert shapes.BITES[shapes.closest(shapes.BITES, np.array([value]))] == plain.closest(value, 0, 0.4)


class TestShrinking:
    @given(seeds, st.floats(0, 1))
    def test_is_that_of_pillow(self, seed, share):
        picture = np.random.default_rng(seed).random((256, 256)) < share
        expected = Image.fromarray(np.uint8(255) * picture).resize((64, 64), Image.Resampling.BILINEAR)
        np.testing.assert_array_equal(shrink(picture[None])[0], expected)

    @given(seeds, st.floats(0, 1))
    def test_of_a_window_is_that_of_the_whole(self, seed, share):
        picture = np.zeros((256, 256), dtype=bool)
        picture[6:250, 6:250] = np.random.default_rng(seed).random((244, 244)) < share
        window = picture[4 * 5 - 2 : 4 * 5 + 4 * 30 + 2, 4 * 9 - 2 : 4 * 9 + 4 * 20 + 2]
        np.testing.assert_array_equal(shrink_inside(window[None])[0], shrink(picture[None])[0, 5:35, 9:29])


class TestHierarchy:
    def test_structure(self):
        assert HIERARCHY.notation == "c c {c | c | c {0 | c}}"
        assert HIERARCHY.names == ("shape", "jet", "x", "y", "phase", "shine", "angle", "jetlen")
        assert len(HIERARCHY.paths) == 4

    def test_labels(self):
        shape = HIERARCHY.root[2]
        assert shape.labels == ("moon", "star", "ship")
        assert shape.options[2][1].labels == ("no", "yes")


class TestLatents:
    @given(st.integers(0, 200), seeds)
    def test_mix(self, n, seed):
        table = latents(n, np.random.default_rng(seed))
        assert (table.shape, table.dtype) == ((n, 8), np.float64)
        counts = [((table[:, :2] == fixed).all(axis=1)).sum() for fixed in FIXED.values()]
        assert sum(counts) == n
        assert (np.abs(counts - n * np.array([1 / 3, 1 / 3, 1 / 6, 1 / 6])) < 1).all()

    @given(seeds)
    def test_values_fit_the_hierarchy(self, seed):
        table = latents(120, np.random.default_rng(seed))
        assert ((table != 0) == HIERARCHY.active(table)).all()
        assert ((table[:, 2:] >= 0) & (table[:, 2:] < 1)).all()

    def test_are_uniform_and_independent_of_the_shape(self):
        table = latents(30_000, np.random.default_rng(0))
        active = HIERARCHY.active(table)
        for at in range(2, 8):
            values = table[active[:, at], at]
            assert abs(values.mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / len(values))
            assert abs(values.var() - 1 / 12) < 4.5 * np.sqrt(1 / 180 / len(values))
        for shape in (1, 2, 3):
            assert abs(table[table[:, 0] == shape, 2].mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / 10_000)

    def test_are_in_random_order(self):
        shape = latents(6000, np.random.default_rng(0))[:, 0]
        for part in np.split(shape, 10):
            assert np.abs(np.bincount(part.astype(int))[1:] - 200).max() < 4.5 * np.sqrt(600 * 2 / 9)

    @given(seeds)
    def test_depend_on_the_generator_alone(self, seed):
        first, second = (latents(30, np.random.default_rng(seed)).tobytes() for _ in range(2))
        assert first == second != latents(30, np.random.default_rng(seed + 1)).tobytes()

    @pytest.mark.parametrize("n", [-1, 2.5, "3"])
    def test_wrong_number(self, n):
        with pytest.raises(BenchmarkError, match="whole number from 0"):
            latents(n, np.random.default_rng(0))


class TestImages:
    def test_content_never_changes(self):
        drawn = images(latents(300, np.random.Generator(np.random.Philox(3))))
        assert hashlib.sha256(drawn.tobytes()).hexdigest()[:16] == HASH

    @given(st.lists(rows(), max_size=40), st.data())
    def test_of_a_row_do_not_depend_on_the_others(self, table, data):
        drawn = images(np.array(table).reshape(-1, 8))
        assert (drawn.shape, drawn.dtype) == ((len(table), 64, 64), np.uint8)
        if table:
            at = data.draw(st.integers(0, len(table) - 1))
            assert images(table[at][None]).tobytes() == drawn[at].tobytes()

    @given(rows())
    def test_are_neither_empty_nor_full(self, each):
        (image,) = draw(each)
        assert image.max() == 255
        assert (image > 0).mean() < 0.25

    def test_are_antialiased(self):
        drawn = images(latents(60, np.random.default_rng(0)))
        assert min(len(np.unique(image)) for image in drawn) > 15

    @given(rows())
    def test_binary_is_a_threshold(self, each):
        (grey,), (binary,) = images([each]), images([each], binary=True)
        assert binary.dtype == np.uint8
        assert set(np.unique(binary)) == {0, 255}
        np.testing.assert_array_equal(binary == 255, grey >= 128)

    @given(rows())
    def test_leave_the_table_alone(self, each):
        table = each[None].copy()
        images(table)
        assert (table == each).all()


class TestFactors:
    @given(rows(("moon", "star", "ship_none")), st.integers(0, 32), st.integers(0, 32))
    def test_places_move_the_picture_right_and_up(self, each, right, up):
        """By whole pixels, of which there are 32 from 0 to 1."""
        start, moved = each.copy(), each.copy()
        start[2:4] = 0.5
        moved[2:4] = right / 32, up / 32
        before, after = draw(start, moved)
        np.testing.assert_array_equal(after, np.roll(before, (16 - up, right - 16), (0, 1)))

    @given(rows(("moon", "star", "ship_none")))
    def test_only_jets_are_ever_clipped(self, each):
        centred = each.copy()
        centred[2:4] = 0.5
        image, whole = draw(each, centred)
        assert not np.concatenate([image[[0, -1]].ravel(), image[:, [0, -1]].ravel()]).any()
        # A place of a fraction of a pixel changes how edges round, not how much there is.
        assert abs(image.sum() - whole.sum()) < 0.02 * whole.sum()

    @given(unit, unit, unit)
    def test_jets_may_be_clipped_by_an_eighth(self, x, y, angle):
        image, whole = draw(row("ship_jet", x, y, angle, 1), row("ship_jet", 0.5, 0.5, angle, 1))
        assert image.sum() > 0.87 * whole.sum()

    def test_a_long_jet_is_clipped_at_the_lower_border(self):
        image, whole = draw(row("ship_jet", 0.5, 0, 0.5, 1), row("ship_jet", 0.5, 0.5, 0.5, 1))
        assert image[-1].any()
        assert 0.87 < image.sum() / whole.sum() < 0.9

    @given(st.integers(0, 255), st.floats(-0.49, 0.49))
    def test_images_are_constant_between_levels(self, level, off):
        for kind in ("moon", "ship_jet"):
            values = np.clip([level / 255, (level + off) / 255], 0, 1)
            own = [(0.3, value) if kind == "ship_jet" else (value,) for value in values]
            first, second = draw(*(row(kind, 0.5, 0.5, *each) for each in own))
            np.testing.assert_array_equal(first, second)

    def test_number_of_levels(self):
        steps = np.linspace(0, 1, 4001)
        for kind, parameter, expected in (("moon", 0.4, 256), ("star", 0.165, 211), ("ship", 0.42, 256)):
            grid = {"moon": shapes.BITES, "star": shapes.DENTS, "ship": shapes.JETS}[kind]
            assert len(np.unique(shapes.closest(grid, grid[0] + parameter * steps))) == expected

    def test_moons_and_stars_grow_with_phase_and_shine(self):
        for kind in ("moon", "star"):
            areas = draw(*(row(kind, 0.5, 0.5, value) for value in np.linspace(0, 1, 256))).sum(axis=(1, 2))
            # Rounding may undo a pixel's worth.
            assert (np.diff(areas) > -255).all()
            assert (np.diff(areas[::16]) > 0).all()

    def test_areas(self):
        """In small pixels, of which a unit has 16."""
        full, half, square, ship = draw(
            row("moon", 0.5, 0.5, 1), row("moon", 0.5, 0.5, 0.375), row("star", 0.5, 0.5, 1), row("ship_none")
        ).sum(axis=(1, 2)) / (255 * 16**2)
        np.testing.assert_allclose(full, np.pi * 0.75**2, rtol=0.01)
        np.testing.assert_allclose(half, np.pi * 0.75**2 / 2, rtol=0.02)
        np.testing.assert_allclose(square, 2 * 0.8**2, rtol=0.02)
        np.testing.assert_allclose(ship, 1.1**2 * np.sqrt(3) / 4, rtol=0.02)

    def test_a_crescent_is_on_the_left(self):
        (image,) = draw(row("moon", 0.5, 0.5, 0))
        assert image[:, :32].sum() > 0.99 * image.sum()

    def test_angle_turns_the_nose_from_left_to_right(self):
        left, up, right = draw(*(row("ship_none", 0.5, 0.5, angle) for angle in (0, 0.5, 1)))
        tips = [np.flatnonzero(image[np.flatnonzero(image.any(axis=1))[0]]).mean() for image in (left, up, right)]
        assert tips[0] < 30 < tips[1] < 33 < tips[2]
        # The grid's middle is half a large pixel away from where turns would be mirror images of each other.
        assert abs(left.sum() - right.sum()) < 0.01 * left.sum()

    def test_jets_grow(self):
        areas = draw(*(row("ship_jet", 0.5, 0.9, 0.5, value) for value in np.linspace(0, 1, 64))).sum(axis=(1, 2))
        assert (np.diff(areas) >= 0).all()
        assert areas[0] > draw(row("ship_none", 0.5, 0.9)).sum()
        assert areas[-1] > 1.3 * areas[0]

    @given(unit)
    def test_windows_hold_all_of_a_shape(self, turn):
        """At most as far from the middle as images() reckons with."""
        grid = np.arange(-86, 86)[None]
        for level, (up, down, across) in ((shapes.NO_JET, (37, 42, 43)), (255, (37, 80, 74))):
            (drawn,) = shapes.ship(grid, grid, np.array([level]), np.array([90 * turn - 45]))
            y, x = np.nonzero(drawn)
            assert -up <= y.min() - 86
            assert y.max() - 86 <= down
            assert -across <= x.min() - 86
            assert x.max() - 86 <= across


class TestErrors:
    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (np.zeros((2, 7)), r"\(N, 8\) with columns shape, jet, x"),
            (np.zeros(8), r"shape \(8,\)"),
            ([[4, 0, 0.5, 0.5, 0, 0, 0, 0]], "'shape' has to be a whole number from 1 to 3"),
            ([[3, 0, 0.5, 0.5, 0, 0, 0.5, 0]], "'jet' has to be a whole number from 1 to 2"),
            ([[1, 1, 0.5, 0.5, 0.5, 0, 0, 0]], "'jet' has to be 0, since it is inactive"),
            ([[1, 0, 0.5, 0.5, 0.5, 0.5, 0, 0]], "'shine' has to be 0 in row 0, where it is inactive"),
            ([[1, 0, 0.5, 1.5, 0.5, 0, 0, 0]], r"in \[0, 1\]; 'y' of row 0 is 1.5"),
            ([[1, 0, 0.5, 0.5, -0.1, 0, 0, 0]], r"in \[0, 1\]; 'phase' of row 0 is -0.1"),
            ([[1, 0, np.inf, 0.5, 0.5, 0, 0, 0]], "'x' of row 0 is inf"),
            ([["moon", 0, 0, 0, 0, 0, 0, 0]], "table of numbers"),
        ],
    )
    def test_of_the_table(self, table, message):
        with pytest.raises(BenchmarkError, match=message):
            images(table)
