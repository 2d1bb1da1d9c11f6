"""Rules of arrangements and of counts in them against facts of the published generator (sections 2.2 and 7 of its description)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.checker.arrangement import misfit
from pytest_genbench.benchmarks.cvr.checker.view import View, angle_distance
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.scene import Image, Problem


@cache
def one(rule: int, set: str, number: int, published: bool) -> Problem:
    return make(find(rule), set, number, published=published)


def made(rule: int, n: int, set: str = "train", *, published: bool = False) -> list[Problem]:
    """The first problems of a set."""
    return [one(rule, set, number, published) for number in range(n)]


def images(problems: list[Problem]) -> list[Image]:
    return [image for problem in problems for image in problem.images]


def centres(image: Image) -> np.ndarray:
    return np.array([(thing.x, thing.y) for thing in image])


def columns(image: Image, axis: int = 0) -> list[int]:
    """How many objects have each place of an axis."""
    return np.unique(centres(image)[:, axis].round(6), return_counts=True)[1].tolist()


def on_line(image: Image) -> int:
    """Most objects on a line."""
    points = centres(image) @ (1, 1j)
    counts = []
    for point in points:
        angles = np.angle(points[points != point] - point) % np.pi
        near = np.abs((angles[:, None] - angles + np.pi / 2) % np.pi - np.pi / 2) < 1e-6
        counts.append(1 + int(near.sum(1).max()))
    return max(counts)


def deviates(problem: Problem, feature: Callable[[Image], float]) -> bool:
    """Whether a feature of the odd image is not within those of the references."""
    usual = [feature(image) for image in problem.references]
    return not min(usual) - 1e-6 <= feature(problem.odd) <= max(usual) + 1e-6


@pytest.mark.parametrize(
    ("rule", "axes"),
    [
        (11, "shape size colour"),
        (12, "shape size colour direction"),
        (13, "shape size colour number"),
        (14, "size colour number direction"),
        (15, "colour direction"),
        (16, "shape colour number direction"),
        (31, "colour direction"),
        (32, "shape size colour number direction"),
        (51, "shape size colour"),
        (52, "colour direction"),
    ],
)
def test_what_the_unseen_law_changes(rule: int, axes: str) -> None:
    assert find(rule).axes == tuple(axes.split())


@pytest.mark.parametrize(
    ("rule", "train", "unseen"),
    [
        (11, (3, 6), (3, 6)),
        (12, (6, 10), (6, 10)),
        (13, (5, 9), (9, 13)),
        (14, (7, 13), (13, 19)),
        (15, (3, 4), (3, 4)),
        (16, (9, 28), (12, 36)),
        (31, (4, 4), (4, 4)),
        (32, (3, 18), (9, 26)),
        (51, (3, 5), (3, 5)),
        (52, (8, 10), (8, 10)),
    ],
)
def test_numbers_of_objects(rule: int, train: tuple[int, int], unseen: tuple[int, int]) -> None:
    for name, (low, high) in (("train", train), ("test_gen", unseen)):
        assert all(low <= len(image) <= high for image in images(made(rule, 6, name)))


@pytest.mark.parametrize(("rule", "shapes"), [(11, 1), (12, 2), (13, 1), (15, 1), (16, 1), (32, 3), (51, 1), (52, 1)])
def test_how_shapes_are_shared_in_training(rule: int, shapes: int) -> None:
    for problem in made(rule, 6):
        assert len({thing.shape.number for image in problem.images for thing in image}) == shapes


@pytest.mark.parametrize("rule", [11, 12, 13, 16, 32])
def test_unseen_objects_have_each_a_shape(rule: int) -> None:
    for image in images(made(rule, 2, "test_shape")):
        assert len({thing.shape.number for thing in image}) == len(image)


def test_arrangements_are_one_whatever_moved_and_spread_them() -> None:
    points = np.array([(0, 0), (0.1, 0.4), (0.3, 0.2)])
    assert misfit(points, points * 1.7 + 0.2) < 1e-12
    assert misfit(points, points[::-1]) < 1e-12
    assert misfit(points, points * (1, -1)) > 0.15


def test_the_odd_arrangement_fills_the_usual_box() -> None:
    """In the published rule the box tells it in nine of ten problems."""

    def box(image: Image) -> float:
        return float(np.prod(np.ptp(centres(image), axis=0)))

    assert sum(deviates(problem, box) for problem in made(11, 30, published=True)) >= 25
    assert not any(deviates(problem, box) for problem in made(11, 30))


def test_two_sets_are_one_turned_by_right_angles() -> None:
    turns = set()
    for problem in made(52, 12):
        for image in problem.references:
            half = len(image) // 2
            assert {thing.angle for thing in image[:half]} == {0}
            turns |= {thing.angle for thing in image[half:]}
    assert turns == {-90, 90, 180}


def test_unseen_frames_differ_within_an_image() -> None:
    def spread(image: Image) -> list[float]:
        return [float(np.ptp(half, axis=0).max()) for half in np.split(centres(image), 2)]

    assert all(np.allclose(*spread(image)) for problem in made(12, 6) for image in problem.references)
    assert not any(np.allclose(*spread(image)) for problem in made(12, 6, "test_size") for image in problem.references)


def test_the_odd_angles_are_the_usual_ones_exchanged() -> None:
    """New ones change the ink, which is the same in the published references."""
    for problem in made(51, 20):
        usual = [thing.angle for thing in problem.references[0]]
        odd = [thing.angle for thing in problem.odd]
        assert sorted(usual) == sorted(odd)
        assert all(angle_distance(a, b) >= 45 - 1e-6 for a, b in zip(usual, odd, strict=True))


def test_the_extreme_object_has_one_rank() -> None:
    for problem in made(15, 20):
        ranks = [int(np.argsort(np.argsort(at[:, 0]))[at[:, 1].argmax()]) for at in map(centres, problem.references)]
        odd = centres(problem.odd)
        assert len(set(ranks)) == 1
        assert (odd[:, 0] < odd[odd[:, 1].argmax(), 0]).sum() != ranks[0]


def test_the_others_ascend_in_the_published_odd_image() -> None:
    def ascend(problem: Problem) -> bool:
        at = centres(problem.odd)
        rest = np.delete(at, at[:, 1].argmax(), axis=0)
        return bool((np.diff(rest[np.argsort(rest[:, 0]), 1]) > 0).all())

    assert all(ascend(problem) for problem in made(15, 20, published=True))
    assert 2 <= sum(ascend(problem) for problem in made(15, 20)) <= 15


def test_one_pair_is_clearly_nearer() -> None:
    """In a third of the published problems there is an image whose pairs differ by less than three pixels."""

    def least(problem: Problem, axis: int = 0) -> float:
        gaps = [np.abs(np.diff(centres(image)[:, axis].reshape(2, 2)))[:, 0] for image in problem.images]
        return float(128 * min(abs(first - second) for first, second in gaps))

    assert sum(least(problem) < 3 for problem in made(31, 40, published=True)) >= 6
    assert min(least(problem) for problem in made(31, 20)) >= 7.9
    assert min(least(problem, 1) for problem in made(31, 10, "test_direction")) >= 7.9


def test_lines_have_three_to_six_objects() -> None:
    for problem in made(13, 10):
        usual, other = {on_line(image) for image in problem.references}, on_line(problem.odd)
        assert len(usual) == 1
        assert usual | {other} <= {3, 4, 5, 6}
        assert other not in usual
    assert {on_line(image) for image in images(made(13, 6, "test_number"))} <= {5, 6, 7, 8}


@pytest.mark.parametrize("rule", [13, 16])
def test_the_total_does_not_tell_the_odd_image(rule: int) -> None:
    assert sum(deviates(problem, len) for problem in made(rule, 40, published=True)) >= 25
    assert sum(deviates(problem, len) for problem in made(rule, 15)) <= 11


def test_bands_are_two_fifths_of_the_image() -> None:
    for problem in made(14, 8):
        lefts = [int((centres(image)[:, 0] < 0.4).sum()) for image in (*problem.references, problem.odd)]
        rights = [int((centres(image)[:, 0] > 0.6).sum()) for image in (*problem.references, problem.odd)]
        assert [left < right for left, right in zip(lefts, rights, strict=True)] == [True, True, True, False]
        assert {*lefts, *rights} <= {3, 4, 5, 6, 7}


def test_bands_of_the_published_odd_image_overlap_and_overflow() -> None:
    def faults(published: bool) -> int:
        views = [View(problem.odd) for problem in made(14, 8, published=published)]
        outside = [any(abs(0.5 - thing.x) + thing.size / 2 > 0.5 for thing in view.things) for view in views]
        return sum(out or bool(view.touching) for out, view in zip(outside, views, strict=True))

    assert faults(True) >= 2
    assert faults(False) == 0


def test_lines_of_three_to_five_objects() -> None:
    for problem in made(16, 8):
        rows = [columns(image) for image in (*problem.references, problem.odd)]
        assert all(3 <= n <= 5 for row in rows for n in row)
        assert len({len(row) for row in rows[:3]}) == 1 != len(rows[3]) / len(rows[0])
        assert all(3 <= len(row) <= 6 for row in rows)


def test_the_last_column_is_the_sum() -> None:
    for problem in made(32, 15):
        for image in problem.references:
            first, second, last = columns(image)
            assert last == first + second
            assert 1 <= first <= 4
            assert 1 <= second <= 4


def test_no_column_of_the_odd_image_is_the_sum() -> None:
    """In a tenth of the published problems another one is."""

    def sums(published: bool) -> int:
        rows = [columns(problem.odd) for problem in made(32, 60 if published else 20, published=published)]
        return sum(2 * max(row) == sum(row) for row in rows)

    assert sums(True) >= 2
    assert sums(False) == 0
