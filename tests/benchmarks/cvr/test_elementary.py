"""The elementary rules, and what is the same with counts of counts (18)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr import place
from pytest_genbench.benchmarks.cvr.checker import check
from pytest_genbench.benchmarks.cvr.checker.view import Fault
from pytest_genbench.benchmarks.cvr.place import disjoint
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.scene import Problem


def drawn(rule: int, number: int = 20, set: str = "train", *, published: bool = False) -> list[Problem]:
    return [make(find(rule), set, k, published=published) for k in range(number)]


def counts(problem: Problem) -> list[int]:
    return [len(image) for image in (*problem.references, problem.odd)]


@pytest.mark.parametrize(
    ("rule", "set", "low", "high"),
    [
        *((0, "train", 0.2, 0.4), (0, "test_gen", 0.4, 0.8), (1, "train", 0.2, 0.4), (1, "test_gen", 0.3, 0.6)),
        *((3, "train", 0.2, 0.6), (3, "test_gen", 0.15, 0.6), (8, "train", 0.2, 0.4), (8, "test_gen", 0.1, 0.2)),
    ],
)
def test_ranges_of_sizes(rule: int, set: str, low: float, high: float) -> None:
    sizes = [thing.size for problem in drawn(rule, 40, set) for image in problem.images for thing in image]
    assert low <= min(sizes) < low + 0.2 * (high - low)
    assert high - 0.2 * (high - low) < max(sizes) <= high


def test_numbers_of_objects() -> None:
    for set, low, high in (("train", 1, 5), ("test_number", 4, 8)):
        for problem in drawn(6, set=set):
            usual, *_, other = counts(problem)
            assert low <= min(usual, other) < max(usual, other) <= high


def test_numbers_are_even_but_the_odd_one() -> None:
    for problem in drawn(18):
        *usual, other = counts(problem)
        assert {*usual, other - 1} == {2, 4, 6, 8}
    for problem in drawn(18, set="test_direction"):
        assert len({count % 2 for count in counts(problem)[:3]}) == 1


def test_published_numbers_leave_the_frame_but_do_not_overlap() -> None:
    images = [image for problem in drawn(18, published=True) for image in problem.images]
    centres = [np.array([(thing.x, thing.y) for thing in image]) for image in images]
    assert all(places.min() >= 0 and places.max() <= 0.8 for places in centres)
    assert all(disjoint(places, [thing.size for thing in image]) for places, image in zip(centres, images, strict=True))
    assert any(thing.box.min() < 0 for image in images for thing in image)


def test_an_inner_outline_is_jagged_only_as_published() -> None:
    for published in (False, True):
        for problem in drawn(7, 5, published=published):
            usual, other = (image[0].shape.style for image in (problem.references[0], problem.odd))
            assert (usual != other) == published


def test_some_references_of_flip_are_mirrored() -> None:
    for problem in drawn(5, 10):
        assert {image[0].flip for image in problem.references} == {False, True}
        images = tuple((replace(image[0], flip=False),) for image in problem.images)
        with pytest.raises(Fault):
            check(replace(problem, images=images), find(5))


def test_a_configuration_is_centred_on_its_box_but_as_published() -> None:
    for strict in (True, False):
        points = place.config(np.random.default_rng(0), 3, 0.6, 0.1, strict=strict)
        middle, mean = (points.min(0) + points.max(0)) / 2, points.mean(0)
        assert np.abs(middle if strict else mean).max() < 1e-12
        assert np.abs(mean if strict else middle).max() > 1e-3
