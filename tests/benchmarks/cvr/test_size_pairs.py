"""Rules about size and one other relation (56 to 62, 82, 83)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.checker import check
from pytest_genbench.benchmarks.cvr.checker.view import Fault, hue_distance
from pytest_genbench.benchmarks.cvr.draw import Draw
from pytest_genbench.benchmarks.cvr.place import PIXEL
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.rules.size_pairs import PATTERNS, fitted, ratios
from pytest_genbench.benchmarks.cvr.scene import Image, Problem


def drawn(rule: int, number: int = 20, set: str = "train", *, published: bool = False) -> list[Problem]:
    return [make(find(rule), set, k, published=published) for k in range(number)]


def sizes(image: Image) -> list[float]:
    return [round(thing.size, 9) for thing in image]


def counts(image: Image) -> list[int]:
    """How many things have each size, the smallest first."""
    return [n for _, n in sorted(Counter(sizes(image)).items())]


def test_ratios_are_a_quarter_of_their_range_apart() -> None:
    d = Draw(np.random.default_rng(0), find(62).train)
    for n in range(1, 6):
        found = np.array([ratios(d, n, (0.2, 0.6)) for _ in range(50)])
        assert found.min() >= 0.2 - 1e-9
        assert found.max() <= 0.6 + 1e-9
        assert n == 1 or np.diff(found, axis=1).min() >= 0.1 - 1e-9
    assert fitted([0.2, 0.3]) == [0.2, 0.3]
    assert fitted([0.9, 0.9]) == pytest.approx([0.45, 0.45])


@pytest.mark.parametrize(
    ("set", "kinds"),
    [("train", {"sorted", "exchanged"}), ("test_shape", {"sorted", "mixed"}), ("test_gen", {"sorted", "mixed"})],
)
def test_two_shapes_of_two_sizes(set: str, kinds: set[str]) -> None:
    problems = drawn(56, 16, set)
    assert {problem.kind for problem in problems} == kinds
    for problem in problems:
        assert all(counts(image) == [2, 2] and sum(sizes(image)) <= 0.9 + 1e-6 for image in problem.images)
        shapes = {thing.shape.number for image in problem.images for thing in image}
        assert len(shapes) == (2 if set == "train" else 8)


@pytest.mark.parametrize("set", ["train", "test_direction"])
def test_couples_of_shapes(set: str) -> None:
    firsts: list[bool] = []
    for problem in drawn(57, 16, set):
        for image in problem.references:
            a, b, c, d = sizes(image)
            assert (a < c) == (b < d)
            firsts.append(a < c)
        a, b, c, d = sizes(problem.odd)
        assert (a < c) != (b < d)
        assert min(sizes(problem.odd)) >= 8 * PIXEL
    assert {*firsts} == ({True} if set == "train" else {True, False})


@pytest.mark.parametrize("set", ["train", "test_direction"])
def test_what_holds(set: str) -> None:
    larger = [image[0].size > image[1].size for problem in drawn(59, 12, set) for image in problem.references]
    assert {*larger} == ({True} if set == "train" else {True, False})
    for problem in drawn(59, 6, set):
        assert all(0.25 <= image[2].size / image[0].size <= 0.4 for image in problem.images)
        assert all(image[2].size >= 5 * PIXEL for image in problem.images)


def test_patterns_differ_however_they_are_turned() -> None:
    assert len({tuple(sorted(tuple(sorted(pattern[k : k + 2])) for k in (0, 2))) for pattern in PATTERNS}) == 9


def test_odd_couples_have_a_wider_range_of_ratios_only_as_published() -> None:
    def least(published: bool) -> tuple[float, float]:
        """Least ratio of two sizes in references, and in odd images."""
        problems = drawn(60, 60, published=published)
        groups = [[i for p in problems for i in p.references], [p.odd for p in problems]]
        first, second = (min(min(sizes(image)) / max(sizes(image)) for image in group) for group in groups)
        return first, second

    usual, odd = least(True)
    assert usual >= 0.4 - 1e-6
    assert odd < 0.35
    assert min(least(False)) >= 0.3 - 1e-6


def test_ink_of_couples_does_not_tell_the_pattern() -> None:
    problems = drawn(60, 30)
    assert all(0.45 - 1e-6 <= sum(sizes(image)) <= 0.9 + 1e-6 for problem in problems for image in problem.images)


def test_counts_of_sizes() -> None:
    published = drawn(61, 40, published=True)
    assert any(sorted(counts(p.odd)) == sorted(counts(p.references[0])) for p in published)
    assert {n for p in published for n in counts(p.references[0])} == {2, 3}
    # A size of one object alone does not tell the odd image.
    assert any(1 in counts(p.references[0]) for p in drawn(61))
    for problem in drawn(61):
        usual = counts(problem.references[0])
        assert len(usual) in (2, 3)
        assert 4 <= sum(usual) <= 9
        assert all(counts(image) == usual for image in problem.references)
        assert len(problem.odd) == sum(usual)
        assert sorted(counts(problem.odd)) != sorted(usual)


def test_exchanged_counts_are_no_oddity() -> None:
    problem = next(p for p in drawn(61, 60, published=True) if sorted(counts(p.odd)) == sorted(counts(p.references[0])))
    with pytest.raises(Fault):
        check(problem, find(61))


def test_number_of_sizes() -> None:
    pairs = Counter((len(counts(p.references[0])), len(counts(p.odd))) for p in drawn(62, 40))
    assert pairs.keys() == {(a, b) for a in (2, 3, 4) for b in (2, 3, 4) if a != b}
    for problem in drawn(62, 8, "test_gen"):
        assert len({len(image) for image in problem.images}) == 1
        assert 4 <= len(problem.odd) <= 12
        levels = np.array(sorted({*sizes(problem.odd)}))
        assert np.diff(levels).min() >= 2 * PIXEL
    assert min(min(sizes(p.odd)) for p in drawn(62, published=True)) < 6 * PIXEL


def test_hue_of_the_larger() -> None:
    for problem in drawn(82):
        usual = {image[0].colour[0] for image in problem.references}
        assert usual == {problem.odd[1].colour[0]}
        assert all(image[0].size > image[1].size for image in problem.images)
        assert all(hue_distance(*(thing.colour[0] for thing in image)) >= 0.15 - 1e-9 for image in problem.images)


def test_place_of_the_hue_is_a_shortcut_only_as_published() -> None:
    def first(image: Image) -> bool:
        return image[0].x < image[1].x or image[0].y < image[1].y

    assert not all(first(image) for problem in drawn(82) for image in problem.references)
    assert np.mean([first(i) for p in drawn(82, published=True) for i in p.references]) > 0.9


@pytest.mark.parametrize(("set", "most"), [("train", 4), ("test_number", 5)])
def test_hue_of_each_size(set: str, most: int) -> None:
    problems = drawn(83, 20, set)
    assert {len(counts(problem.odd)) for problem in problems} == {*range(2, most + 1)}
    for problem in problems:
        usual = counts(problem.references[0])
        for image in problem.references:
            assert len({(thing.size, thing.colour[0]) for thing in image}) == len(usual) == len({*sizes(image)})
        hues = Counter(thing.colour[0] for thing in problem.odd)
        assert sorted(hues.values()) == sorted(usual)
