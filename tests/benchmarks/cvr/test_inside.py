"""Rules of things that lie in others: numbers, sizes and places that the paper's generator has, and defects that it has not."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from pytest_genbench.benchmarks.cvr.checker.view import View
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.scene import Image, Problem

PIXEL = 1 / 128


@cache
def made(id: int, set: str = "train", n: int = 8, published: bool = False) -> list[Problem]:
    return [make(find(id), set, k, published=published) for k in range(n)]


def overlap(image: Image) -> bool:
    """Whether the boxes of two things overlap."""
    boxes = [thing.box for thing in image]
    return any(
        (np.maximum(a[:2], b[:2]) < np.minimum(a[2:], b[2:])).all() for k, a in enumerate(boxes) for b in boxes[:k]
    )


def least(problems: list[Problem]) -> float:
    """Size of the smallest thing in pixels."""
    return min(thing.size for problem in problems for image in problem.images for thing in image) / PIXEL


def test_inside_count_1_changes_the_number_of_holders_by_one():
    for set, holders, most in (("train", {1, 2, 3}, 5), ("test_number", {2, 3, 4, 5}, 6)):
        for problem in made(17, set):
            views = [View(image) for image in (*problem.references, problem.odd)]
            *usual, other = [len(view.holders) for view in views]
            assert len({*usual}) == 1
            assert usual[0] in holders
            assert other - usual[0] == {"more": 1, "fewer": -1}[problem.kind]
            outer = [view.count - len(view.holders) for view in views]
            assert max(outer[:3]) <= most
            # One more where one fewer lies in another, so that the number of lines is as usual.
            assert outer[3] <= most + (problem.kind == "fewer")


def test_what_lies_inside_can_be_seen_and_in_the_published_rules_cannot():
    for id in (17, 22, 23, 24, 27):
        assert least(made(id)) >= 6 - 1e-6
        assert least(made(id, n=12, published=True)) < 5


def test_inside_inside_1_has_four_kinds_of_odd_images():
    kinds = Counter(problem.kind for problem in made(22, n=60, published=True))
    assert set(kinds) == {"pair", "small", "middle", "all"}
    assert min(kinds.values()) > 5
    for problem in made(22):
        sizes = np.array([[thing.size for thing in image] for image in problem.images])
        assert sizes[:, 0].min() >= 0.35
        assert sizes[:, 0].max() <= 0.7
        ratios = sizes[:, 1:] / sizes[:, :-1]
        assert ratios.min() >= 0.25
        assert ratios.max() <= 0.4


def test_inside_inside_1_keeps_things_apart_that_lie_side_by_side():
    alone = [problem.odd for problem in made(22, n=16) if problem.kind == "all"]
    assert alone
    assert not any(overlap(image) for image in alone)
    published = [problem.odd for problem in made(22, n=60, published=True) if problem.kind == "all"]
    assert any(overlap(image) for image in published)


def test_inside_inside_2_has_one_size_inside_and_outside():
    for set, counts in (("train", {3, 4, 5, 6}), ("test_number", {4, 5, 6, 7, 8})):
        problems = made(23, set)
        for problem in problems:
            assert all(len({thing.size for thing in image[1:]}) == 1 for image in problem.images)
            # The odd container of the published rule has a jagged line.
            assert len({image[0].shape.style for image in problem.images}) == 1
        assert {len(image) for problem in problems for image in problem.images} == counts
    assert all(problem.odd[0].shape.style.gap == 0.03 for problem in made(23, n=5, published=True))


def test_pos_inside_3_has_things_on_both_sides_of_an_empty_middle():
    for problem in made(24):
        assert len({thing.colour for image in problem.images for thing in image}) == 1
        for image in problem.images:
            view = View(image)
            x = np.array([thing.x for i, thing in enumerate(image) if i not in view.holders])
            assert 2 <= len(x) <= 5
            assert (x < 0.45).any()
            assert (x > 0.55).any()
            assert np.abs(x - 0.5).min() >= 0.05
    assert any(not View(problem.odd).holders for problem in made(24, n=40, published=True))


def test_pos_inside_1_is_on_the_left_in_training_and_on_any_side_elsewhere():
    def offset(image: Image) -> tuple[float, float]:
        outer, inner = image
        return (inner.x - outer.x) / outer.size, (inner.y - outer.y) / outer.size

    for problem in made(25):
        assert max(offset(image)[0] for image in problem.references) < -0.1
        assert offset(problem.odd)[0] > 0.1
        assert all(0.2 <= inner.size / outer.size <= 1 / 3.5 for outer, inner in problem.images)
    sides = Counter()
    for problem in made(25, "test_direction", 20):
        (x, y) = np.mean([offset(image) for image in problem.references], axis=0)
        sides[(x > 0) if abs(x) > abs(y) else 2 + (y > 0)] += 1
    assert len(sides) == 4
    # The odd place of the published rule may be left of the middle.
    assert any(offset(problem.odd)[0] < 0.1 for problem in made(25, n=40, published=True))


def test_pos_inside_2_turns_the_direction_by_a_right_angle():
    def angle(image: Image) -> float:
        _, a, b = image
        return float(np.degrees(np.arctan2(b.y - a.y, b.x - a.x)) % 180)

    for problem in made(26):
        assert all(min(angle(image), 180 - angle(image)) < 15 for image in problem.references)
        assert abs(angle(problem.odd) - 90) < 15
    ways = {int(angle(problem.references[0]) / 45 + 0.5) % 4 for problem in made(26, "test_direction", 20)}
    assert ways == {0, 1, 2, 3}


def test_pos_inside_4_puts_the_holder_first_or_last():
    ends = Counter()
    for problem in made(27, n=20):
        for image in problem.references:
            a, b, c, _ = image
            assert (a.y < min(b.y, c.y)) != (a.y > max(b.y, c.y))
        a, b, c, _ = problem.references[0]
        ends[a.y < min(b.y, c.y)] += 1
        assert (problem.odd[0].y < problem.odd[1].y) != (a.y < b.y)
    assert min(ends[True], ends[False]) >= 4
