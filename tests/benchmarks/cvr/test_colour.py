"""Rules of colour against facts of the published generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr import problems
from pytest_genbench.benchmarks.cvr.checker import CHECKS
from pytest_genbench.benchmarks.cvr.checker.colour import labels
from pytest_genbench.benchmarks.cvr.checker.view import Fault, View, hue_distance
from pytest_genbench.benchmarks.cvr.scene import Image, Problem, Thing

RULES = (40, 41, 63, 64, 65, 70, 74, 75, 76, 77, 78, 84, 85, 94)
GROUPED = (64, 65, 70, 94)


@cache
def one(rule: int, number: int, set: str = "train", *, published: bool = False) -> Problem:
    """A problem, made once for all tests."""
    return problems.make(problems.find(rule), set, number, published=published)


def made(rule: int, n: int, set: str = "train") -> list[Problem]:
    """The first problems of a set."""
    return [one(rule, number, set) for number in range(n)]


def things(found: Sequence[Problem]) -> list[Thing]:
    """All objects but dots that mark the middle."""
    return [thing for problem in found for image in problem.images for thing in image if thing.colour[2] > 0]


def hues(image: Image) -> list[float]:
    """Hue of each object."""
    return [thing.colour[0] for thing in image]


def counts(found: Sequence[Problem]) -> set[int]:
    """Numbers of objects in an image."""
    return {len(image) for problem in found for image in problem.images}


def by_shape(image: Image) -> dict[int, list[float]]:
    """Hues of the objects of each shape."""
    found: dict[int, list[float]] = {}
    for thing in image:
        found.setdefault(thing.shape.number, []).append(thing.colour[0])
    return found


@pytest.mark.parametrize(
    ("rule", "set", "s", "v"),
    [
        (40, "train", (0.2, 0.7), (0.5, 1)),
        (40, "test_colour", (0.5, 1), (0.35, 0.85)),
        (41, "train", (0.3, 1), (0.7, 1)),
        (63, "train", (0.6, 1), (0.5, 1)),
        (63, "test_gen", (0.4, 1), (0.35, 0.85)),
        (84, "test_gen", (0.4, 1), (0.35, 0.85)),
    ],
)
def test_saturation_and_value_follow_the_law(
    rule: int, set: str, s: tuple[float, float], v: tuple[float, float]
) -> None:
    colours = np.array([thing.colour for thing in things(made(rule, 4, set))])
    assert colours[:, 1].min() >= s[0]
    assert colours[:, 1].max() <= s[1]
    assert colours[:, 2].min() >= v[0]
    assert colours[:, 2].max() <= v[1]


@pytest.mark.parametrize(
    ("rule", "set", "least", "most"),
    [
        (40, "train", 0.133, 0.4),
        (40, "test_size", 0.09, 0.45),
        (63, "train", 0.225, 0.45),
        (63, "test_size", 0.1125, 0.45),
        (64, "train", 0.9 / 48**0.5 * 2 / 3, 0.225),
        (76, "train", 0.1125, 0.225),
        (76, "test_size", 0.159, 0.318),
    ],
)
def test_sizes_follow_the_law(rule: int, set: str, least: float, most: float) -> None:
    sizes = [thing.size for thing in things(made(rule, 4, set))]
    assert min(sizes) >= least - 1e-3
    assert max(sizes) <= most + 1e-9


@pytest.mark.parametrize(
    ("rule", "train", "unseen"),
    [
        (41, (3, 6), (5, 8)),
        (64, (4, 12), (6, 12)),
        (65, (4, 9), (6, 12)),
        (75, (3, 11), (5, 15)),
        (77, (4, 12), (6, 16)),
        (78, (3, 7), (3, 9)),
        (84, (5, 9), (5, 9)),
        (85, (10, 10), (12, 12)),
    ],
)
def test_numbers_of_objects(rule: int, train: tuple[int, int], unseen: tuple[int, int]) -> None:
    for set, (least, most) in (("train", train), ("test_gen", unseen)):
        found = counts(made(rule, 4, set))
        assert least <= min(found) <= max(found) <= most


def test_the_hues_of_two_roles_are_exchanged() -> None:
    for rule in (63, 74):
        for problem in made(rule, 4):
            first, *others = (hues(image) for image in problem.references)
            assert others == [first, first]
            assert hues(problem.odd) == first[::-1]
            assert hue_distance(*first) >= 0.15 - 1e-9


def test_each_axis_of_a_rule_is_that_of_its_line() -> None:
    axes = {rule: problems.find(rule).axes for rule in RULES}
    assert axes[40] == ("size", "colour", "direction")
    assert axes[41] == ("size", "colour", "number")
    assert axes[74] == ("colour",)
    assert axes[76] == ("shape", "size", "colour")
    assert axes[84] == ("shape", "colour")
    assert axes[85] == ("shape", "size", "colour", "number", "direction")


@pytest.mark.parametrize("rule", GROUPED)
def test_the_number_of_shapes_is_shared_and_shapes_are_new(rule: int) -> None:
    for problem in made(rule, 4):
        images = [by_shape(image) for image in problem.images]
        assert len({len(shapes) for shapes in images}) == 1
        assert 2 <= len(images[0]) <= 3
        assert not set.intersection(*(set(shapes) for shapes in images))


def test_who_shares_saturation_and_value() -> None:
    for problem in made(64, 4):
        assert len({thing.colour[1:] for image in problem.images for thing in image}) == 1
    for problem in made(64, 3, "test_colour"):
        for image in problem.images:
            assert len({thing.colour[:2] for thing in image}) == len({thing.colour[0] for thing in image})
        assert len({thing.colour[2] for image in problem.images for thing in image}) == 1


def test_rotations_and_flips() -> None:
    assert {thing.angle for thing in things(made(70, 4))} == {0, 90, 180, 270}
    assert {thing.flip for thing in things(made(94, 4))} == {False, True}
    assert {thing.angle for thing in things(made(94, 4))} == {0}


def test_pairs_have_six_patterns_of_hues() -> None:
    patterns = Counter(labels(hues(problem.references[0])) for problem in made(76, 15))
    assert set(patterns) == {(0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1), (0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 3)}


def test_pairs_around_the_dot_have_the_sizes_of_their_number() -> None:
    for problem in made(84, 4):
        for dot, *pairs in problem.images:
            sizes, most = [thing.size for thing in pairs], 0.5 / (len(pairs) / 2)
            assert dot.size == 0.03
            assert min(sizes) == pytest.approx(most / 3 + 0.02)
            assert max(sizes) == pytest.approx(most - 0.02)


def test_unseen_mirror_pairs_have_either_axis() -> None:
    for set, axes in (("train", {False}), ("test_direction", {False, True})):
        mirrored = {abs(image[0].x + image[1].x - 1) > 1e-9 for problem in made(85, 5, set) for image in problem.images}
        assert mirrored == axes


# Defects of the published law


@pytest.mark.parametrize("rule", [70, 94])
def test_only_a_published_shuffle_leaves_the_rule_intact(rule: int) -> None:
    def intact(problem: Problem) -> bool:
        return all(len(set(row)) == 1 for row in by_shape(problem.odd).values())

    assert any(intact(one(rule, number, published=True)) for number in range(60))
    assert not any(map(intact, made(rule, 4)))


def test_only_published_numbers_are_permuted() -> None:
    def permuted(problem: Problem) -> bool:
        usual, other = (sorted(Counter(hues(image)).values()) for image in (problem.references[0], problem.odd))
        return usual == other

    assert any(permuted(one(77, number, published=True)) for number in range(40))
    assert not any(map(permuted, made(77, 4)))


def test_only_published_references_have_two_or_three_of_each_hue() -> None:
    def numbers(published: bool) -> set[int]:
        images = [one(77, number, published=published).references[0] for number in range(20)]
        return {count for image in images for count in Counter(hues(image)).values()}

    assert numbers(published=True) == {2, 3}
    assert numbers(published=False) > {1, 2, 3}


def test_only_published_odd_objects_have_nearly_the_hue_of_what_they_lie_in() -> None:
    def nearest(problem: Problem) -> float:
        view = View(problem.odd)
        return min(hue_distance(view.hues[i], view.hues[j]) for i, j in view.holders.items())

    assert any(nearest(one(75, number, published=True)) < 0.05 for number in range(30))
    assert all(nearest(problem) >= 0.15 - 1e-9 for problem in made(75, 4))


def test_only_published_first_shapes_always_come_first() -> None:
    def comes_first(a: Thing, b: Thing) -> bool:
        reach = (a.size + b.size) / 2
        return b.x - a.x >= reach - 1e-9 or b.y - a.y >= reach - 1e-9

    assert all(comes_first(*image) for number in range(4) for image in one(63, number, published=True).images)
    assert {comes_first(*image) for problem in made(63, 4) for image in problem.images} == {False, True}


def test_only_published_odd_hues_are_those_of_sizes() -> None:
    def single(published: bool) -> set[float]:
        images = [hues(one(76, number, published=published).odd) for number in range(40)]
        return {row[0] for row in images if len(set(row)) == 1}

    assert all(0.1125 <= hue <= 0.225 for hue in single(published=True))
    assert max(single(published=False)) > 0.225
    unseen = [hues(one(76, number, "test_gen", published=True).odd) for number in range(30)]
    assert all(0.159 <= row[0] <= 0.318 for row in unseen if len(set(row)) == 1)


@pytest.mark.parametrize("rule", RULES)
def test_checks_refuse_a_wrong_odd_image(rule: int) -> None:
    problem = one(rule, 0)
    markers = problems.find(rule).markers
    a, b, c, odd = (View(image, markers) for image in (*problem.references, problem.odd))
    CHECKS[rule]([a, b, c], odd, problem.kind)
    for references, other in (([a, b, c], a), ([a, odd, c], b), ([a, odd, c], odd)):
        with pytest.raises(Fault):
            CHECKS[rule](references, other, problem.kind)
