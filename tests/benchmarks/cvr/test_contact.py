"""Rules about things that touch: the facts of the published rules, and their slips."""

from collections import Counter

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr import contact
from pytest_genbench.benchmarks.cvr.checker.view import View
from pytest_genbench.benchmarks.cvr.contours import PLAIN, contours
from pytest_genbench.benchmarks.cvr.place import PIXEL, contains
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.scene import Problem


def problems(rule: int, set: str, number: int, **law: bool) -> list[Problem]:
    return [make(find(rule), set, k, **law) for k in range(number)]


def clumps(view: View) -> list[int]:
    return sorted(len(clump) for clump in view.clumps)


def test_clump_touches_but_does_not_overlap() -> None:
    rng = np.random.default_rng(0)
    shapes = [0.2 * contour for contour in contours(rng, [PLAIN] * 6)]
    for _ in range(5):
        centres, box = contact.clump(rng, shapes)
        lines = [shape + centre for shape, centre in zip(shapes, centres, strict=True)]
        everything = np.concatenate(lines)
        assert everything.min(0) + everything.max(0) == pytest.approx([0, 0], abs=1e-3)
        assert np.ptp(everything, axis=0) == pytest.approx(box, abs=1e-3)
        for k in range(1, 6):
            assert min(contact.distance(lines[k], line) for line in lines[:k]) < PIXEL / 2
            # Of a line no more lies in another than what the overlap cuts off.
            assert max(contains(line, lines[k]).mean() for line in lines[:k]) < 0.25


def test_clump_in_given_directions() -> None:
    rng = np.random.default_rng(1)
    shapes = [0.2 * contour for contour in contours(rng, [PLAIN] * 2)]
    for angle in (0.0, 90.0, 200.0):
        centres, _ = contact.clump(rng, shapes, [angle])
        x, y = centres[1] - centres[0]
        assert np.rad2deg(np.arctan2(y, x)) % 360 == pytest.approx(angle, abs=1e-3)


@pytest.mark.parametrize(("side", "overlap"), [(0.02, contact.LEAST), (0.2, 0.2 / 32), (0.8, contact.MOST)])
def test_an_overlap_can_be_seen_and_is_small(side: float, overlap: float) -> None:
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2
    centres, _ = contact.clump(np.random.default_rng(0), [square, square], [0.0])
    assert centres[1, 0] - centres[0, 0] == pytest.approx(side - overlap, abs=1e-9)


def test_distance_of_points_and_edges() -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * 0.2
    assert contact.distance(square, np.add(square, [0.21, 0.1])) == pytest.approx(0.01, abs=PIXEL / 4)
    assert contact.distance(square, np.add(square, [0.1, 0.1])) < PIXEL / 2
    assert contact.distance(square, np.add(square, [0.5, 0])) == np.inf


@pytest.mark.parametrize("rule", [20, 44, 45, 88, 101])
def test_pair(rule: int) -> None:
    for problem in problems(rule, "train", 6):
        for image in problem.images:
            a, b, other = sorted(image, key=lambda thing: -View(image).by_shape[thing.shape.number])
            assert a.shape is b.shape
            assert a.shape is not other.shape
            assert all(0.15 <= thing.size <= 0.3 for thing in image)
            assert (a.angle != b.angle) == (rule == 88)
            assert (a.flip != b.flip) == (rule == 101)
        sizes = {thing.size for image in problem.images for thing in image}
        assert len(sizes) == (1 if rule in (20, 45) else 12)


def test_pair_unseen_sizes() -> None:
    sizes = [thing.size for p in problems(44, "test_gen", 12) for image in p.images for thing in image]
    assert min(sizes) >= 0.104
    assert max(sizes) <= 0.367
    assert max(sizes) > 0.3
    assert min(sizes) < 0.15
    capped = [problem.images[0][0].size for problem in problems(45, "test_size", 20)]
    assert max(capped) == 0.3
    assert capped.count(0.3) > 1


def test_either_of_two_equal_shapes_touches_the_other() -> None:
    def turned(**law: bool) -> set[bool]:
        odd = [View(problem.odd) for problem in problems(88, "train", 12, **law)]
        return {any(view.things[i].angle != 0 for pair in view.touching for i in pair) for view in odd}

    assert turned() == {True, False}
    assert turned(published=True) == {False}


@pytest.mark.parametrize(("set", "most"), [("train", 6), ("test_number", 8)])
def test_one_clump(set: str, most: int) -> None:
    made = problems(21, set, 10)
    numbers = Counter(len(image) for problem in made for image in problem.images)
    assert min(numbers) == most // 2
    assert max(numbers) == most
    assert {problem.kind for problem in made} == {"none", "part"}
    for problem in made:
        assert all(0.45 <= thing.size * len(image) <= 0.9 for image in problem.images for thing in image)


def test_one_alone() -> None:
    for problem in problems(46, "train", 6):
        rows = [clumps(View(image)) for image in problem.references]
        assert all(set(row) <= {2, 3} for row in rows)
        assert {len(row) for row in rows} <= {2, 3, 4}
        assert len({thing.shape for image in problem.images for thing in image}) == 1
        first, second, *_ = clumps(View(problem.odd))
        assert first == 1
        assert second > 1


def test_odd_image_of_one_alone_has_as_many_objects() -> None:
    def fewer(**law: bool) -> float:
        made = problems(46, "test_size", 25, **law)
        return float(np.mean([len(p.odd) - np.mean([len(image) for image in p.references]) for p in made]))

    assert fewer(published=True) < -1
    assert fewer() > -0.5


def test_clump_counts() -> None:
    made = problems(80, "train", 8)
    for problem in made:
        rows = [clumps(View(image)) for image in problem.images]
        assert {sum(row) for row in rows} <= set(range(4, 13))
        assert len({sum(row) for row in rows}) == 1
    # In the published rule only the odd image has clumps of one.
    assert any(clumps(View(problem.references[0]))[0] == 1 for problem in made)


def test_clump_count() -> None:
    for problem in problems(81, "train", 8):
        assert len({len(image) for image in problem.images}) == 1
        assert 3 <= len(problem.odd) <= 7
        assert {len(clumps(View(image))) for image in problem.images} <= {2, 3, 4}
        assert all(len({thing.shape for thing in image}) == 1 for image in problem.images)
