"""Rules of position and one more relation against facts of the published generator."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.checker import CHECKS
from pytest_genbench.benchmarks.cvr.checker.view import Fault, View, angle_distance
from pytest_genbench.benchmarks.cvr.place import PIXEL
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.rules.position import partition
from pytest_genbench.benchmarks.cvr.scene import Image, Problem


@cache
def one(rule: int, number: int, set: str, published: bool) -> Problem:
    return make(find(rule), set, number, published=published)


def made(rule: int, n: int, set: str = "train", *, published: bool = False) -> list[Problem]:
    """The first problems of a set."""
    return [one(rule, number, set, published) for number in range(n)]


def images(problems: list[Problem]) -> list[Image]:
    return [image for problem in problems for image in (*problem.references, problem.odd)]


def centres(image: Image) -> np.ndarray:
    return np.array([(thing.x, thing.y) for thing in image])


def is_sound(problem: Problem, odd: Image | None = None, kind: str | None = None) -> bool:
    """Whether the rule's own check takes an image for the odd one."""
    odd = odd or problem.odd
    others = [View(image) for image in problem.images if image is not odd]
    try:
        CHECKS[problem.rule](others, View(odd), kind or problem.kind)
    except Fault:
        return False
    return True


@pytest.mark.parametrize(
    ("rule", "axes"),
    [
        (47, {"size", "colour"}),
        (48, {"shape", "size", "colour", "number"}),
        (49, {"size", "colour", "direction"}),
        (50, {"size", "colour", "direction"}),
        (53, {"size", "colour"}),
        (54, {"shape", "size", "colour"}),
        (55, {"size", "colour"}),
    ],
)
def test_what_the_unseen_law_changes(rule: int, axes: set[str]) -> None:
    assert set(find(rule).axes) == axes


@pytest.mark.parametrize(
    ("set", "large", "ratio"), [("train", (0.27, 0.6), (0.2, 0.667)), ("test_gen", (0.15, 0.3), (0.5, 0.8))]
)
def test_large_before_small(set: str, large: tuple[float, float], ratio: tuple[float, float]) -> None:
    sizes = np.array([sorted(thing.size for thing in image) for image in images(made(47, 12, set))])
    assert large[0] <= sizes[:, 1].min()
    assert sizes[:, 1].max() <= large[1]
    shares = sizes[:, 0] / sizes[:, 1]
    assert ratio[0] <= shares.min()
    assert shares.max() <= ratio[1]
    assert sizes.sum(1).max() <= 0.9 + 1e-9


@pytest.mark.parametrize("rule", [47, 49, 53])
def test_no_reference_is_as_odd_on_the_other_axis(rule: int) -> None:
    def twofold(problems: list[Problem]) -> int:
        return sum(
            is_sound(problem, reference, "order")
            for problem in problems
            for reference in problem.references
            if problem.kind == "order"
        )

    assert twofold(made(rule, 20)) == 0
    unsound = [problem for problem in made(rule, 20, published=True) if not is_sound(problem)]
    assert unsound, "the published rule leaves it to chance"


def test_arrangements_of_two_sizes() -> None:
    for problem in made(48, 6):
        n = {len(image) for image in problem.images}
        assert len(n) == 1
        assert n < {6, 8, 10}
        assert {len({thing.shape.number for thing in image}) for image in problem.images} == {2}
    for image in images(made(48, 3, "test_gen")):
        assert len(image) in (8, 10, 12)
        assert len({thing.shape.number for thing in image}) == len(image)
    smallest = min(thing.size for image in images(made(48, 6)) for thing in image)
    assert smallest >= 5 * PIXEL - 1e-9
    assert min(thing.size for image in images(made(48, 12, published=True)) for thing in image) < 5 * PIXEL


def test_arrangements_of_the_published_law_leave_the_frame() -> None:
    def outside(problems: list[Problem]) -> int:
        return sum(bool((np.abs(thing.box - 0.5) > 0.5).any()) for image in images(problems) for thing in image)

    assert outside(made(48, 12, published=True)) > 0
    assert outside(made(48, 6)) == 0


def test_kinds_of_shapes_in_relation() -> None:
    usual = Counter(problem.kind for problem in made(49, 30))
    assert usual.keys() == {"order", "shape"}
    assert min(usual.values()) >= 7
    unseen = Counter(problem.kind for problem in made(49, 30, "test_direction"))
    assert unseen.keys() == {"order", "apart", "level"}
    assert min(unseen.values()) >= 3
    sizes = [thing.size for image in images(made(49, 20)) for thing in image]
    assert min(sizes) >= 0.125
    assert max(sizes) <= 0.25


def test_level_and_apart() -> None:
    for problem in made(49, 30, "test_direction"):
        steps = [np.abs(np.diff(centres(image), axis=0)).min() for image in (*problem.references, problem.odd)]
        if problem.kind == "apart":
            assert max(steps[:3]) < 1e-9
            assert steps[3] >= 0.06
        elif problem.kind == "level":
            assert min(steps[:3]) >= 0.06
            assert steps[3] < 1e-9


def test_the_published_odd_image_that_is_not_level_is_in_order_on_both_axes() -> None:
    problems = [problem for problem in made(49, 30, "test_gen", published=True) if problem.kind == "apart"]
    assert problems
    for problem in problems:
        a, b = centres(problem.odd)
        assert (a < b).all()


def test_partners() -> None:
    for problem in made(50, 5):
        assert len({thing.size for image in problem.images for thing in image}) == 1
        n = len(problem.odd)
        assert n in (4, 6, 8)
        assert problem.odd[0].size == pytest.approx(0.9 / n)
        assert {frozenset(thing.shape.number for thing in image) for image in problem.images} == {
            frozenset(thing.shape.number for thing in problem.odd)
        }
        orders = {tuple(thing.shape.number for thing in image) for image in problem.images}
        places = {tuple(centres(image).round(6).ravel()) for image in problem.references}
        assert len(orders) == 2
        assert len(places) > 1
    sizes = [thing.size for image in images(made(50, 5, "test_size")) for thing in image]
    assert min(sizes) >= 0.1125
    assert max(sizes) <= 0.225
    assert len({*sizes}) == len(sizes)


def test_hues_in_order() -> None:
    for problem in made(53, 8):
        colours = np.array([[thing.colour for thing in image] for image in problem.images])
        assert len(np.unique(colours[..., 0])) == 2
        assert len(np.unique(colours[..., 1])) == 8
        assert colours[..., 1].min() >= 0.6
        assert len(np.unique(colours[..., 2])) == 1
    values = [thing.colour[2] for thing in images(made(53, 1, "test_colour"))[0]]
    assert values[0] != values[1]


def test_hues_of_the_odd_arrangement_are_shifted_too() -> None:
    def has_red(image: Image) -> bool:
        return any(thing.colour[0] == 0 for thing in image)

    assert all(has_red(problem.odd) for problem in made(54, 10, published=True))
    assert not any(has_red(image) for image in images(made(54, 10)))


def test_odd_arrangement_is_grouped_otherwise() -> None:
    def groups(image: Image) -> list[int]:
        return partition([round(1000 * thing.colour[0]) for thing in image])

    def void(problems: list[Problem]) -> int:
        return sum(groups(problem.odd) == groups(problem.references[0]) for problem in problems)

    assert 0 < void(made(54, 120, published=True)) < 25
    assert void(made(54, 20)) == 0


def test_groups_share_hues() -> None:
    assert partition([2, 0, 2, 1]) == partition([0, 1, 0, 2]) == [0, 1, 0, 3]
    for problem in made(54, 10):
        n = {len(image) for image in problem.images}
        k = {len({round(thing.colour[0], 6) for thing in image}) for image in problem.images}
        assert len(n) == len(k) == 1
        assert 4 <= min(n) <= 6
        assert 2 <= min(k) < min(n)


def test_direction_of_contact() -> None:
    def wander(problems: list[Problem]) -> float:
        """Largest distance of two references' directions."""
        found = []
        for problem in problems:
            angles = [np.degrees(np.arctan2(*np.diff(centres(image), axis=0)[0][::-1])) for image in problem.references]
            found += [angle_distance(a, b) for a in angles for b in angles]
        return max(found)

    assert wander(made(55, 10)) <= 24 + 1e-6 < wander(made(55, 10, published=True))
