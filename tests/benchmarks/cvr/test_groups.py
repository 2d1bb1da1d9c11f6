"""Rules about groups of objects of one shape: the facts of the published rules, and their slips."""

from collections import Counter

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.checker.view import View
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.render import render
from pytest_genbench.benchmarks.cvr.scene import Image, Problem


def problems(rule: int, set: str, number: int, **law: bool) -> list[Problem]:
    return [make(find(rule), set, k, **law) for k in range(number)]


def counts(image: Image) -> list[int]:
    return sorted(Counter(thing.shape.number for thing in image).values())


@pytest.mark.parametrize("rule", [87, 89, 102])
def test_clumps_of_one_shape(rule: int) -> None:
    for problem in problems(rule, "train", 5):
        (n,) = {len(image) for image in problem.images}
        (k,) = {len(counts(image)) for image in problem.images}
        assert k in (3, 4)
        assert k < n < 2 * k
        # Two objects have been exchanged, so that one clump has two shapes, or two have.
        odd = View(problem.odd)
        assert sum(len({odd.shapes[i] for i in clump}) == 2 for clump in odd.clumps) in (1, 2)
        assert {thing.angle != 0 for thing in problem.odd} == {rule == 89}
        (size,) = {thing.size for image in problem.images for thing in image}
        assert 0.45 <= size * (4 * n) ** 0.5 <= 0.9


def test_shape_counts() -> None:
    for set, most in (("train", 9), ("test_number", 12)):
        made = problems(68, set, 12)
        numbers = {len(problem.odd) for problem in made}
        assert numbers <= {*range(4, most + 1)}
        assert max(numbers) > 6
        assert {len(counts(problem.odd)) for problem in made} == {2, 3}


def test_numbers_of_references_are_like_those_of_the_odd_image() -> None:
    def singles(**law: bool) -> int:
        return sum(1 in counts(problem.references[0]) for problem in problems(68, "train", 15, **law))

    assert singles(published=True) == 0
    assert singles() > 2


def test_shape_count() -> None:
    for problem in problems(69, "train", 8):
        assert len({len(image) for image in problem.images}) == 1
        assert 3 <= len(problem.odd) <= 7
        assert {len(counts(image)) for image in problem.images} <= {2, 3, 4}
        assert len({image[0].shape for image in problem.images}) == 4


@pytest.mark.parametrize("rule", [73, 91])
def test_turned_and_mirrored_counts(rule: int) -> None:
    made = problems(rule, "train", 8)
    assert {len(problem.odd) for problem in made} == {4, 5, 6}
    for problem in made:
        assert len({thing.shape for image in problem.images for thing in image}) in (2, 3)
        assert {thing.angle != 0 for thing in problem.odd} == {rule == 73}
        assert all(0.4 - 1e-9 <= thing.size * len(image) ** 0.5 <= 0.6 for image in problem.images for thing in image)
    unseen = make(find(rule), "test_gen", 0)
    assert len({thing.shape for image in unseen.images for thing in image}) > 3
    assert len({thing.size for thing in unseen.odd}) == len(unseen.odd)


def test_ink_does_not_tell_the_odd_image() -> None:
    """In the published rule the references have the same ink."""

    def told(**law: bool) -> float:
        found = 0
        for problem in problems(91, "train", 30, **law):
            ink = np.array([(render(image) < 255).any(-1).sum() for image in problem.images], dtype=float)
            found += int(np.abs(ink - np.median(ink)).argmax()) == problem.answer
        return found / 30

    assert told(published=True) > 0.75
    assert told() < 0.6
