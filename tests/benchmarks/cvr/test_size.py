"""Rules about sizes alone, and about sizes and symmetry (33 to 39)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.checker import check
from pytest_genbench.benchmarks.cvr.checker.view import Fault, View
from pytest_genbench.benchmarks.cvr.draw import Draw
from pytest_genbench.benchmarks.cvr.place import PIXEL, CannotPlace
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.rules.size import Couple, couple, mirror_pairs
from pytest_genbench.benchmarks.cvr.scene import Image, Problem


def drawn(rule: int, number: int = 30, set: str = "train", *, published: bool = False) -> list[Problem]:
    return [make(find(rule), set, k, published=published) for k in range(number)]


def ordered(image: Image) -> list[float]:
    return sorted(thing.size for thing in image)


def leaves(image: Image) -> bool:
    """Whether a line is more than a pixel outside of the frame."""
    return any((thing.box < -PIXEL).any() or (thing.box > 1 + PIXEL).any() for thing in image)


def test_couples_of_sizes() -> None:
    d = Draw(np.random.default_rng(0), find(33).train)
    for _ in range(100):
        small, large = couple(d, Couple("image", 0.25, 0.4, step=(0.15, 0.4), least=0.2))
        assert 0.2 <= small <= 0.25
        assert small + 0.15 <= large <= 0.4 + 1e-9
        small, large = couple(d, Couple("image", 0.3, 0.5, ratio=(0.1, 0.6), least=0.08))
        assert 0.15 <= large <= 0.3
        assert 0.08 <= small <= 0.6 * large


def test_the_size_of_a_shape_is_exchanged() -> None:
    for problem in drawn(33):
        a, b = (thing.shape for thing in problem.odd)
        assert all([thing.shape for thing in image] == [a, b] for image in problem.images)
        assert all(image[0].size + 0.15 <= image[1].size <= 0.4 + 1e-9 for image in problem.references)
        assert problem.odd[0].size > problem.odd[1].size


def test_an_odd_size_of_two_leaves_the_frame_only_as_published() -> None:
    share = np.mean([leaves(image) for problem in drawn(33, published=True) for image in problem.images])
    assert 0.35 < share < 0.65
    assert not any(leaves(image) for problem in drawn(33) for image in problem.images)


def test_the_order_of_two_sizes_tells_the_odd_image_only_as_published() -> None:
    def first_is_before(image: Image, axis: int) -> bool:
        return [image[0].x < image[1].x, image[0].y < image[1].y][axis]

    def in_order(problem: Problem) -> bool:
        return any(all(first_is_before(image, axis) for image in problem.images) for axis in (0, 1))

    assert all(in_order(problem) for problem in drawn(33, 20, "test_gen", published=True))
    assert not all(in_order(problem) for problem in drawn(33, 20, "test_gen"))


@pytest.mark.parametrize(("rule", "kinds"), [(34, {"equal", "different"}), (35, {"equal", "two"})])
def test_kinds_of_three_sizes(rule: int, kinds: set[str]) -> None:
    problems = drawn(rule, 60)
    counts = Counter(problem.kind for problem in problems)
    assert counts.keys() == kinds
    assert min(counts.values()) > 15
    sums = [sum(ordered(image)) for problem in problems for image in problem.images]
    assert min(sums) >= 0.648
    assert max(sums) <= 0.9 + 1e-9
    odd = np.mean([sum(ordered(problem.odd)) for problem in problems])
    assert abs(odd - np.mean(sums)) < 0.03


def test_references_that_agree_on_another_rule_are_noticed() -> None:
    two, different = (next(p for p in drawn(rule, set="train") if p.kind == "equal") for rule in (34, 35))
    for rule, problem in ((34, different), (35, two)):
        with pytest.raises(Fault, match="in a reference"):
            check(problem, find(rule))


def test_third_of_three_sizes_is_larger_in_two_references() -> None:
    for problem in drawn(34):
        assert sum(image[2].size > image[0].size for image in problem.references) == 2


def test_equal_sizes_are_dust_only_as_published() -> None:
    def least(published: bool) -> float:
        return min(ordered(p.odd)[0] for p in drawn(35, published=published) if p.kind == "equal")

    assert least(True) < 5 * PIXEL
    assert least(False) > 25 * PIXEL


def test_half_as_large() -> None:
    for set, most in (("train", 0.5), ("test_gen", 0.6)):
        problems = drawn(36, set=set)
        sizes = np.array([ordered(image) for problem in problems for image in problem.references])
        assert np.allclose(sizes[:, 0] / sizes[:, 1], 0.5)
        assert sizes.max() <= most
        ratios = {round(small / large, 3) for small, large in (ordered(problem.odd) for problem in problems)}
        assert ratios == {0.2, 0.25, 0.667, 0.8}


def test_columns_of_sizes() -> None:
    for problem in drawn(37, 10):
        for image in problem.images:
            left, right = image[:3], image[3:]
            assert [thing.size for thing in left] == ordered(left) == ordered(right)
            assert sorted(left, key=lambda thing: thing.y) == list(left)
            assert [thing.shape for thing in left] == [thing.shape for thing in right]
            assert np.ptp([b.x - a.x for a, b in zip(left, right, strict=True)]) < 1e-9
    assert len({thing.shape for thing in make(find(37), "test_shape", 0).odd}) == 6
    assert any([t.size for t in p.odd[:3]] != ordered(p.odd[:3]) for p in drawn(37, 10, "test_direction"))


def test_mirror_pairs() -> None:
    d = Draw(np.random.default_rng(0), find(38).train)
    left, right = mirror_pairs(d, [0.1, 0.2, 0.15])
    assert np.allclose(left[:, 0] + right[:, 0], 1)
    assert np.allclose(left[:, 1], right[:, 1])
    assert right[:, 0] - 0.5 == pytest.approx([0.065, 0.37, 0.2175])
    with pytest.raises(CannotPlace):
        mirror_pairs(d, [0.3, 0.49])
    left, _ = mirror_pairs(d, [0.1, 0.2, 0.15], by_size=False)
    assert (left[:, 0] < 0.5 - np.array([0.05, 0.1, 0.075])).all()


@pytest.mark.parametrize(("set", "pairs", "broken"), [("train", 5, 3), ("test_gen", 6, 4)])
def test_mirror_pairs_by_size(set: str, pairs: int, broken: int) -> None:
    problems = drawn(38, 15, set)
    assert {len(image) for problem in problems for image in problem.images} == {2 * pairs}
    assert {problem.kind for problem in problems} == {"distance", "mirror"}
    assert all(ordered(i)[0] >= 8 * PIXEL and sum(ordered(i)) / 2 <= 0.9 + 1e-9 for p in problems for i in p.images)
    different = [sum(a.shape is not b.shape for a, b in zip(p.odd[::2], p.odd[1::2], strict=True)) for p in problems]
    assert all(1 <= n <= broken if p.kind == "mirror" else n == 0 for n, p in zip(different, problems, strict=True))
    across = {bool(np.isclose(p.odd[0].x + p.odd[1].x, 1)) for p in problems}
    assert across == ({True} if set == "train" else {True, False})


@pytest.mark.parametrize(
    ("set", "sizes", "radii"), [("train", (0.06, 0.18), (0.072, 0.368)), ("test_size", (0.07, 0.23), (0.084, 0.329))]
)
def test_twins_around_a_dot(set: str, sizes: tuple[float, float], radii: tuple[float, float]) -> None:
    for problem in drawn(39, 10, set):
        for image in problem.references:
            assert len(image) == 7
            assert (image[0].size, image[0].x, image[0].y) == (0.03, 0.5, 0.5)
            far = sorted(float(np.hypot(thing.x - 0.5, thing.y - 0.5)) for thing in image[1:])
            assert (far[0], far[-1]) == pytest.approx(radii)
            assert (ordered(image)[1], ordered(image)[-1]) == pytest.approx(sizes)


def test_twins_of_different_shapes_are_unseen_in_training() -> None:
    assert {problem.kind for problem in drawn(39, 12)} == {"distance"}
    assert {problem.kind for problem in drawn(39, 12, "test_number")} == {"distance", "twin"}


def test_least_size_of_published_pairs() -> None:
    problem = next(p for p in drawn(38, published=True) if min(ordered(p.odd)) < 7 * PIXEL)
    with pytest.raises(Fault, match="too small"):
        check(problem, find(38))
    assert View(problem.odd).count == 10
