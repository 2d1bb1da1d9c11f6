"""Rules of symmetry against facts of the published generator (sections 2.2, 2.8 and 7.1 of its description)."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr import alike
from pytest_genbench.benchmarks.cvr.checker import CHECKS
from pytest_genbench.benchmarks.cvr.checker.view import Fault, View, angle_distance
from pytest_genbench.benchmarks.cvr.contours import PLAIN, Shape
from pytest_genbench.benchmarks.cvr.draw import Draw
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.rules.symmetry import is_told
from pytest_genbench.benchmarks.cvr.scene import Image, Problem, turned


@cache
def one(rule: int, set: str, number: int, published: bool) -> Problem:
    return make(find(rule), set, number, published=published)


def made(rule: int, n: int, set: str = "train", *, published: bool = False) -> list[Problem]:
    """The first problems of a set."""
    return [one(rule, set, number, published) for number in range(n)]


def images(problems: list[Problem]) -> list[Image]:
    return [image for problem in problems for image in problem.images]


def line(image: Image) -> float:
    """Direction of the line that joins the last two things, in degrees."""
    first, second = image[-2:]
    return float(np.rad2deg(np.arctan2(first.y - second.y, first.x - second.x)))


def is_sound(problem: Problem) -> bool:
    """Whether the rule's own check passes; it looks neither at the frame nor at lines that touch."""
    markers = find(problem.rule).markers
    try:
        CHECKS[problem.rule](
            [View(image, markers) for image in problem.references], View(problem.odd, markers), problem.kind
        )
    except Fault:
        return False
    return True


@pytest.mark.parametrize(
    ("rule", "axes"),
    [(9, "shape colour direction"), (10, "shape colour"), (42, "shape colour"), (43, "shape colour")],
)
def test_what_the_unseen_law_changes(rule: int, axes: str) -> None:
    assert find(rule).axes == tuple(axes.split())


@pytest.mark.parametrize(("rule", "number"), [(9, 3), (10, 2), (42, 2), (43, 3)])
def test_numbers_and_sizes(rule: int, number: int) -> None:
    for problem in made(rule, 12):
        for image in problem.references:
            assert len(image) == number
            assert image[-1].size == image[-2].size
            assert 0.1 <= image[-1].size <= 0.4
            assert len({thing.colour for thing in image}) == 1
        if number == 3:
            assert {image[0].size for image in problem.images} == {0.05}
            assert len({image[0].shape.number for image in problem.images}) == 1


@pytest.mark.parametrize("rule", [9, 10, 42, 43])
def test_references_share_a_shape_in_training_only(rule: int) -> None:
    def number(problem: Problem) -> int:
        return len({image[-1].shape.number for image in problem.references})

    assert {number(problem) for problem in made(rule, 8) if problem.kind != "shape"} == {1}
    assert {number(problem) for problem in made(rule, 8, "test_shape")} == {3}


@pytest.mark.parametrize(("rule", "kinds"), [(9, "shape size place turn"), (10, "shape size flip place turn")])
def test_the_ways_to_be_odd_are_equally_frequent(rule: int, kinds: str) -> None:
    found = Counter(problem.kind for problem in made(rule, 80))
    assert set(found) == set(kinds.split())
    assert all(abs(n - 80 / len(found)) < 12 for n in found.values())


def test_what_is_turned_about_the_mark_is_the_other_object() -> None:
    for image in (image for problem in made(9, 12) for image in problem.references):
        mark, first, second = image
        centre = np.array([mark.x, mark.y])
        moved = turned(first.contour - centre, 90, False) + centre
        assert np.allclose(moved, second.contour)


def test_what_is_mirrored_on_the_bisector_is_the_other_object() -> None:
    for image in (image for problem in [*made(10, 12), *made(42, 12)] for image in problem.references):
        first, second = image
        middle, across = (first.x + second.x) / 2, np.deg2rad(line(image))
        centre, normal = np.array([middle, (first.y + second.y) / 2]), np.array([np.cos(across), np.sin(across)])
        moved = first.contour - 2 * ((first.contour - centre) @ normal)[:, None] * normal
        assert np.allclose(moved, second.contour)


def test_the_unseen_odd_image_has_both_objects_turned() -> None:
    """Not alike, which would leave the symmetry whole."""
    for problem in made(9, 30, "test_direction"):
        if problem.kind == "turn":
            mark, first, second = problem.odd
            arms = [np.rad2deg(np.arctan2(thing.y - mark.y, thing.x - mark.x)) for thing in (first, second)]
            turns = [angle_distance(thing.angle, arm) for thing, arm in zip((first, second), arms, strict=True)]
            assert min(turns) >= 90 - 1e-6
            assert angle_distance(second.angle - first.angle, 90) >= 60 - 1e-6


def test_the_angle_about_the_mark_differs_by_45_degrees() -> None:
    for problem in made(43, 20):
        turns = [angle_distance(image[2].angle, image[1].angle) for image in (*problem.references, problem.odd)]
        assert np.allclose(turns[:3], turns[0])
        assert abs(turns[3] - turns[0]) >= 45 - 1e-6
        assert all(45 - 1e-6 <= turn <= 180 for turn in turns)


def test_the_published_odd_axis_may_be_the_usual_one() -> None:
    """-89 and 89 degrees are one axis but for two degrees."""

    def apart(published: bool) -> list[float]:
        problems = made(42, 60, published=published)
        return [angle_distance(line(problem.odd), line(problem.references[0]), 180) for problem in problems]

    assert min(apart(True)) < 30
    assert min(apart(False)) >= 60 - 1e-6


def test_the_published_odd_image_may_be_symmetric() -> None:
    """Where both objects are turned by about 180 degrees, or freely placed ones happen to be on the right line."""
    published = [problem for problem in made(10, 100, published=True) if problem.kind in ("place", "turn")]
    assert sum(not is_sound(problem) for problem in published) >= 5
    assert all(is_sound(problem) for problem in made(10, 40))


def test_the_published_copies_may_be_too_small_to_be_seen() -> None:
    def smallest(published: bool) -> float:
        return 128 * min(thing.size for image in images(made(9, 80, published=published)) for thing in image[1:])

    assert smallest(True) < 6
    assert smallest(False) >= 8


def test_contours_that_do_not_show_a_turn_are_found() -> None:
    round_one = np.exp(2j * np.pi * np.arange(200) / 200) / 2
    pointed = np.where(np.arange(200) < 20, 0.5, 0.25) * np.exp(2j * np.pi * np.arange(200) / 200)
    shapes = [Shape(k, PLAIN, np.stack([line.real, line.imag], 1)) for k, line in enumerate((round_one, pointed))]
    assert not is_told(shapes[0], 90)
    assert is_told(shapes[1], 90, 180)
    for problem in made(10, 30):
        if problem.kind == "flip":
            assert alike.is_chiral(problem.odd[0].shape)


def test_a_mirror_image_is_no_other_shape():
    """Shapes that are to look different do so however they are turned and flipped."""
    shape, other = Draw(np.random.default_rng(0), find(9).train).shapes(2, chiral=True)
    angle = np.deg2rad(40)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    mirrored = Shape(7, shape.style, shape.points * [-1, 1] @ turn)
    assert alike.is_chiral(shape)
    assert not alike.differ(shape, mirrored)
    assert alike.differ(shape, other)
