"""The faces: what each factor changes, for whom, and where."""

import hashlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.faces import images
from pytest_genbench.benchmarks.faces.look import COUNTS, look
from pytest_genbench.benchmarks.faces.persons import COLOURS, LENGTHS, PERSONS, persons
from pytest_genbench.benchmarks.grids import CELEBGLOW
from pytest_genbench.errors import BenchmarkError

PERSON, SMILE, BLOND, AGE = range(4)

VISIBLE = 8
"""Grey levels by which a pixel has to change, in any channel, to count."""

points = st.tuples(*(st.integers(0, count - 1) for count in COUNTS.values()))


@cache
def everyone():
    """Every person once, with a level mouth, brown hair and in middle age."""
    return images(np.column_stack([np.arange(PERSONS), *np.full((3, PERSONS), 2)]))


def along(factor, person, other=2):
    """A person at all levels of a factor, the others being at one level."""
    levels = np.full((6, 4), other)
    levels[:, PERSON] = person
    levels[:, factor] = range(6)
    return images(levels).astype(int)


def changed(one, other):
    """Pixels that visibly differ: bool (N, 64, 64)."""
    return np.abs(one.astype(int) - other).max(axis=-1) >= VISIBLE


class TestFormat:
    def test_the_grid_is_that_of_celebglow(self):
        assert tuple(COUNTS.items()) == tuple(zip(CELEBGLOW.grid.names, CELEBGLOW.grid.shape, strict=True))

    def test_images_are_coloured(self):
        drawn = everyone()
        assert (drawn.shape, drawn.dtype) == ((1000, 64, 64, 3), np.uint8)
        assert drawn.min() < 40
        assert drawn.max() > 230
        assert (drawn[..., 0] != drawn[..., 2]).mean() > 0.9
        assert images(np.empty((0, 4), dtype=np.int64)).shape == (0, 64, 64, 3)

    def test_content_never_changes(self):
        levels = CELEBGLOW.grid.levels(np.arange(0, CELEBGLOW.grid.size, 997))
        assert hashlib.sha256(images(levels).tobytes()).hexdigest()[:16] == "5c862d0d91163cd8"

    def test_all_is_computed_in_single_floats(self):
        """Which is what makes content the same everywhere, and quick."""
        face = look(np.array([[5, 1, 2, 3]]))
        found = [
            face.smile,
            face.age,
            face.nose,
            face.mouth,
            face.skin,
            face.hair,
            face.shade(0.5),
            *face.measures.values(),
        ]
        assert {each.dtype for each in found} == {np.dtype(np.float32)}

    @settings(max_examples=20)
    @given(st.lists(points, min_size=1, max_size=20))
    def test_an_image_depends_on_its_row_alone(self, rows):
        together = images(np.array(rows))
        np.testing.assert_array_equal(images(np.array(rows[::-1])), together[::-1])
        np.testing.assert_array_equal(images(np.array(rows[:1])), together[:1])


class TestPersons:
    def test_no_two_look_alike(self):
        pixels = everyone().reshape(PERSONS, -1).astype(np.float32)
        squares = np.square(pixels).sum(axis=1)
        apart = squares[:, None] + squares - 2 * pixels @ pixels.T
        np.fill_diagonal(apart, np.inf)
        assert np.sqrt(apart.min() / pixels.shape[1]) > 8

    def test_measures_and_colours_are_in_their_ranges(self):
        measures, colours = persons()
        for name, (low, high) in LENGTHS.items():
            assert low <= measures[name].min() < low + 0.05 * (high - low)
            assert high >= measures[name].max() > high - 0.05 * (high - low)
        for name, steps in COLOURS.items():
            assert (colours[name] >= np.min(steps, axis=0)).all()
            assert (colours[name] <= np.max(steps, axis=0)).all()

    def test_some_wear_glasses_and_some_have_beards(self):
        measures, _ = persons()
        assert (measures["glasses"].sum(), measures["beard"].sum()) == (139, 69)


class TestFactors:
    @pytest.mark.parametrize(
        ("factor", "least"), [(SMILE, 25), (BLOND, 130), (AGE, 160)], ids=["smile", "blond", "age"]
    )
    def test_every_level_is_visible_in_every_person(self, factor, least):
        draw = np.random.default_rng(factor)
        levels = np.column_stack([np.arange(PERSONS), draw.integers(0, 6, (PERSONS, 3))])
        levels[:, factor] = np.arange(PERSONS) % 5
        following = levels.copy()
        following[:, factor] += 1
        assert changed(images(levels), images(following)).sum(axis=(1, 2)).min() >= least

    @settings(max_examples=20)
    @given(points)
    def test_smile_changes_the_face_and_nothing_around_it(self, point):
        person, _, blond, age = point
        grave, broad = images(np.array([[person, 0, blond, age], [person, 5, blond, age]]))
        np.testing.assert_array_equal(grave[:16], broad[:16])
        np.testing.assert_array_equal(grave[:, :11], broad[:, :11])
        assert changed(grave, broad)[40:58, 20:44].sum() > 40

    @pytest.mark.parametrize("person", range(0, 1000, 100))
    def test_a_broad_smile_shows_teeth(self, person):
        mouths = along(SMILE, person)[:, 40:51, 26:38]
        white = (mouths.min(axis=-1) > 150) & (np.ptp(mouths, axis=-1) < 30)
        teeth = white.sum(axis=(1, 2))
        assert not teeth[:3].any()
        assert 3 <= teeth[4] < teeth[5]

    @settings(max_examples=20)
    @given(points)
    def test_blond_changes_hair_alone(self, point):
        person, smile, _, age = point
        dark, blond = images(np.array([[person, smile, 0, age], [person, smile, 5, age]]))
        assert changed(dark, blond)[:26].sum() > 100
        if not persons()[0]["beard"][person]:
            # Skin that covers hair can be off by a rounding.
            np.testing.assert_allclose(dark[38:48, 25:39].astype(int), blond[38:48, 25:39], rtol=0, atol=1)
        assert not changed(dark, blond)[:4].any()

    @pytest.mark.parametrize("person", range(0, 1000, 100))
    def test_hair_gets_brighter_at_every_level_of_blond(self, person):
        for age in (0, 5):
            sequence = along(BLOND, person, age)
            hair = changed(sequence[0], sequence[5])
            assert (np.diff(sequence[:, hair].mean(axis=(1, 2))) > 5).all()

    @pytest.mark.parametrize("person", range(0, 1000, 100))
    def test_hair_gets_grey_and_recedes_with_age(self, person):
        levels = np.full((6, 4), 5)
        levels[:, PERSON], levels[:, AGE] = person, range(6)
        faces = look(levels)
        assert (np.diff(np.ptp(faces.hair, axis=1)) < 0).all()
        assert (np.diff(faces["hairline"][:, 0, 0]) < 0).all()
        assert (np.diff(faces["hair volume"][:, 0, 0]) < 0).all()

    @pytest.mark.parametrize("person", range(0, 1000, 100))
    def test_age_brings_wrinkles(self, person):
        """Steps of brightness between neighbouring pixels below the eyes and beside the nose."""
        cheeks = along(AGE, person)[:, 34:44, 18:28].mean(axis=-1)
        rough = np.abs(np.diff(cheeks, axis=1)).mean(axis=(1, 2))
        assert rough[5] > rough[0]


class TestErrors:
    @pytest.mark.parametrize(
        ("levels", "message"),
        [
            ([[1000, 0, 0, 0]], "Level 1000 of factor 'person' in row 0 .* levels 0 to 999"),
            ([[0, 0, 0, 0], [0, 0, 0, -1]], "Level -1 of factor 'age' in row 1 .* levels 0 to 5"),
            ([[0, 0, 0]], r"table \(N, 4\) with columns person, smile, blond, age; .*shape \(1, 3\)"),
        ],
    )
    def test_levels_outside_the_grid(self, levels, message):
        with pytest.raises(BenchmarkError, match=message):
            images(np.array(levels))
