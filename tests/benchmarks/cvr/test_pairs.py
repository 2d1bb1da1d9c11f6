"""Rules of shape, size, position, rotation and flip, two at a time, against facts of the published generator."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.rules.turned import extents
from pytest_genbench.benchmarks.cvr.scene import Image, Problem

TURNED = (28, 30, 86, 95, 96, 58, 98, 99, 100)


@cache
def one(rule: int, number: int, set: str, published: bool) -> Problem:
    return make(find(rule), set, number, published=published)


def made(rule: int, n: int, set: str = "train", *, published: bool = False) -> list[Problem]:
    """The first problems of a set."""
    return [one(rule, number, set, published) for number in range(n)]


def images(problems: list[Problem]) -> list[Image]:
    return [image for problem in problems for image in (*problem.references, problem.odd)]


def shapes(image: Image) -> list[int]:
    return [thing.shape.number for thing in image]


def outside(problems: list[Problem]) -> int:
    """How many things leave the frame."""
    return sum(bool((np.abs(thing.box - 0.5) > 0.5).any()) for image in images(problems) for thing in image)


@pytest.mark.parametrize(
    ("rule", "axes"),
    [
        (19, {"size", "colour"}),
        (28, {"size", "colour"}),
        (29, {"size", "colour"}),
        (30, {"shape", "colour"}),
        (58, {"shape", "colour"}),
        (86, {"size", "colour"}),
        (95, {"size", "colour", "direction"}),
        (96, {"shape", "size", "colour"}),
        (97, {"colour"}),
        (98, {"shape", "size", "colour", "direction"}),
        (99, {"shape", "size", "colour", "direction"}),
        (100, {"shape", "size", "colour"}),
    ],
)
def test_what_the_unseen_law_changes(rule: int, axes: set[str]) -> None:
    assert set(find(rule).axes) == axes


@pytest.mark.parametrize("rule", [19, 28, 29])
def test_two_of_one_shape(rule: int) -> None:
    found = made(rule, 6)
    for problem in found:
        assert [len(set(shapes(image))) for image in (*problem.references, problem.odd)] == [1, 1, 1, 2]
        assert len({shapes(image)[0] for image in problem.references}) == 3
    sizes = [thing.size for image in images(found) for thing in image]
    assert min(sizes) >= 0.133
    assert max(sizes) <= 0.4
    assert all(0.15 <= thing.size <= 0.45 for image in images(made(rule, 3, "test_size")) for thing in image)


def test_odd_ones_are_turned_and_mirrored_too() -> None:
    assert all(thing.angle == 0 for problem in made(28, 5, published=True) for thing in problem.odd)
    assert all(thing.angle != 0 for problem in made(28, 5) for thing in problem.odd)
    assert not any(thing.flip for problem in made(29, 5, published=True) for thing in problem.odd)
    assert all([thing.flip for thing in image] == [False, True] for image in images(made(29, 5)))


@pytest.mark.parametrize("rule", TURNED)
def test_what_is_turned_stays_in_the_frame(rule: int) -> None:
    assert outside(made(rule, 6)) == 0


def test_published_turned_things_leave_the_frame() -> None:
    assert min(outside(made(rule, 30, published=True)) for rule in (30, 99, 100)) > 0


def test_turn_between_two() -> None:
    for problem in made(30, 10):
        turns = [image[1].angle - image[0].angle for image in (*problem.references, problem.odd)]
        assert turns[:3] == pytest.approx([turns[0]] * 3)
        assert 30 <= turns[0] <= 180
        assert 0 <= turns[3] < 180
        assert 60 <= abs(turns[3] - turns[0]) <= 120
    for problem in made(30, 4):
        assert len({shape for image in problem.images for shape in shapes(image)}) == 1


@pytest.mark.parametrize("rule", [86, 95])
def test_two_and_one(rule: int) -> None:
    for problem in made(rule, 5):
        (a, b) = sorted(Counter(shapes(problem.references[0])), key=Counter(shapes(problem.references[0])).get)
        assert all(Counter(shapes(image)) == {b: 2, a: 1} for image in problem.references)
        assert Counter(shapes(problem.odd)) == {a: 2, b: 1}


@pytest.mark.parametrize("rule", [86, 95])
def test_sizes_do_not_tell_the_odd_ink(rule: int) -> None:
    for published, n in ((True, 1), (False, 4)):
        for problem in made(rule, 3, published=published):
            assert len({thing.size for image in problem.images for thing in image}) == n
    assert len({thing.size for image in images(made(rule, 1, "test_size")) for thing in image}) == 12


def test_mirror_image_is_turned() -> None:
    angles = [image[1].angle for image in images(made(95, 5))]
    assert min(angles) >= 30
    assert max(angles) <= 330
    assert len(set(angles)) == len(angles)
    assert {image[1].angle for image in images(made(95, 5, "test_direction"))} == {0, 180}


def test_square() -> None:
    for problem in made(96, 6):
        for image in problem.references:
            assert [(thing.x, thing.y) for thing in image] == [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
            assert image[1].angle == image[3].angle
            assert 60 <= image[1].angle <= 300
            assert [thing.flip for thing in image] == [False, False, True, True]
        assert problem.odd[3].flip == (problem.kind == "angle")
        assert (abs(problem.odd[1].angle - problem.odd[3].angle) >= 30) == (problem.kind == "angle")
    assert Counter(problem.kind for problem in made(96, 30)).keys() == {"angle", "flip"}
    low, high = extents([thing for image in images(made(96, 6, "test_size")) for thing in image])
    assert max(-low.min(), high.max()) < 0.25


@pytest.mark.parametrize("rule", [58, 97])
def test_three_sizes(rule: int) -> None:
    for image in images(made(rule, 6)):
        small, mid, large = sorted(thing.size for thing in image)
        assert 0.244 <= large <= 0.367
        assert 2 / 3 <= mid / large <= 3 / 4
        assert 2 / 3 <= small / mid <= 3 / 4


def test_row_of_turns() -> None:
    for problem in made(98, 6):
        for image in problem.references:
            first, second, third = (thing.angle for thing in sorted(image, key=lambda thing: thing.x))
            assert third - second == pytest.approx(second - first)
            assert 30 <= second - first <= 150
            assert sum(thing.size for thing in image) <= 0.636 + 1e-9


def test_published_row_of_flips_may_have_no_odd_one() -> None:
    def void(problems: list[Problem]) -> int:
        def pattern(image: Image) -> list[tuple[bool, float]]:
            return [(thing.flip, thing.angle) for thing in image]

        return sum(pattern(problem.odd) == pattern(problem.references[0]) for problem in problems)

    assert 2 <= void(made(99, 100, "test_direction", published=True)) <= 25
    assert void(made(99, 20, "test_direction")) == 0


def test_row_of_flips() -> None:
    usual, unseen = images(made(99, 10)), images(made(99, 10, "test_direction"))
    assert all(not image[1].flip for image in usual + unseen)
    assert {thing.angle for image in unseen for thing in image} == {0, 180}
    assert all(-60 <= thing.angle <= 60 for image in usual for thing in image)


def test_mirrored_on_the_joining_line() -> None:
    assert Counter(problem.kind for problem in made(100, 20)).keys() == {"flip", "axis"}
    for problem in made(100, 5):
        for first, second in problem.references:
            assert first.angle == second.angle
            assert (first.flip, second.flip) == (False, True)
            across = np.degrees(np.arctan2(first.y - second.y, first.x - second.x)) - first.angle
            assert across % 360 == pytest.approx(90)
