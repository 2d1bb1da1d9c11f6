"""Rules of things that lie in others, of which another relation decides: what the paper's generator has, and its defects."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from pytest_genbench.benchmarks.cvr.alike import is_chiral
from pytest_genbench.benchmarks.cvr.checker.view import View
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.scene import Image, Problem


@cache
def made(id: int, set: str = "train", n: int = 12, published: bool = False) -> list[Problem]:
    return [make(find(id), set, k, published=published) for k in range(n)]


def leaves(image: Image) -> bool:
    """Whether a line leaves the frame."""
    return any((thing.box[:2] < 0).any() or (thing.box[2:] >= 1).any() for thing in image)


def test_shape_inside_exchanges_two_shapes():
    for problem in made(66):
        (outer, inner), *others = [tuple(thing.shape for thing in image) for image in problem.references]
        assert others == [(outer, inner)] * 2
        assert [thing.shape for thing in problem.odd] == [inner, outer]
        assert all(0.25 <= image[0].size <= 0.5 for image in problem.images)
    assert {image[0].size > 0.5 for problem in made(66, "test_size") for image in problem.images} == {True, False}


def test_what_lies_in_the_middle_is_a_copy_of_what_is_around_it():
    for id, set, counts in ((67, "train", {3, 4, 5}), (72, "train", {3, 4, 5}), (93, "test_number", {4, 5, 6, 7})):
        problems = made(id, set)
        for problem in problems:
            for k, image in enumerate(problem.images):
                for inner, outer in View(image).holders.items():
                    inside, around = image[inner], image[outer]
                    assert (inside.x, inside.y) == (around.x, around.y)
                    assert 1 / 3 <= inside.size / around.size <= 1 / 2
                    assert (inside.shape is around.shape) is (id == 93 or k != problem.answer)
                    assert inside.flip is (id == 93 and k != problem.answer)
                    assert (inside.angle in (90, 180, 270)) is (id == 72) or id == 93
        assert {len(image) for problem in problems for image in problem.images} <= counts


def test_shapes_that_are_flipped_differ_from_their_mirror_image():
    for id in (92, 93):
        holders = [image[i].shape for p in made(id) for image in p.images for i in View(image).holders.values()]
        assert all(is_chiral(shape) for shape in holders)
    published = [image[0].shape for p in made(92, n=30, published=True) for image in p.images]
    assert not all(is_chiral(shape) for shape in published)


def test_lines_of_published_problems_cross_and_those_of_others_do_not():
    for id in (67, 71, 72, 90, 93):
        assert not any(View(image).touching for problem in made(id, n=4) for image in problem.images)
    published = [image for id in (71, 93) for p in made(id, n=30, published=True) for image in p.images]
    assert 0.02 < np.mean([bool(View(image).touching) for image in published]) < 0.4


def test_nested_pairs_of_published_problems_leave_the_frame_and_others_do_not():
    for id in (71, 92):
        assert not any(leaves(image) for problem in made(id) for image in problem.images)
    assert any(leaves(image) for p in made(92, n=30, published=True) for image in p.images)


def test_rot_inside_1_turns_a_pair_by_right_angles():
    kinds, angles = Counter(), Counter()
    for problem in made(71, n=20):
        kinds[problem.kind] += 1
        for outer, inner, outer2, inner2 in problem.references:
            assert outer.shape is outer2.shape
            assert inner.shape is inner2.shape
            assert outer2.angle == inner2.angle
            angles[outer2.angle] += 1
        outer, inner = problem.odd[2:]
        assert (inner if problem.kind == "outer" else outer).angle in (0, 90, 180, 270)
        assert 90 <= (outer.angle - inner.angle) % 360 <= 270
    assert set(angles) == {0, 90, 180, 270}
    assert min(kinds.values()) >= 4


def test_flip_inside_1_turns_one_odd_thing_by_thirty_degrees_at_most():
    for problem in made(92):
        assert all(image[2].flip and image[3].flip for image in problem.references)
        assert all(image[0].size == image[2].size and image[1].size == image[3].size for image in problem.images)
        usual, other = problem.odd[2:] if problem.kind == "inner" else problem.odd[:1:-1]
        assert usual.flip
        assert not other.flip
        assert min(other.angle, 360 - other.angle) <= 30
    assert max(image[0].size for problem in made(92, "test_size") for image in problem.images) <= 0.35


def test_inside_sym_mir_has_pairs_of_which_some_hold_others():
    for set in ("train", "test_direction"):
        for problem in made(90, set):
            assert len({len(View(image).holders) for image in problem.images}) == 1
            shapes = [{image[i].shape.number for i in View(image).holders.values()} for image in problem.images]
            assert len(frozenset().union(*shapes)) == 1
            assert {len(image) for image in problem.images} <= {6, 8, 10, 12, 14}
    lying = [problem for problem in made(90, "test_direction") if problem.images[0][0].x == problem.images[0][1].x]
    assert 2 <= len(lying) <= 10
    assert all(problem.images[0][0].y == problem.images[0][1].y for problem in made(90))


def test_inside_contact_exchanges_what_touches_what():
    kinds = Counter()
    for problem in made(79, n=10):
        kinds[problem.kind] += 1
        for image in problem.references:
            usual = {(0, 1), (2, 3)} if problem.kind == "mixed" else {(0, 2), (1, 3)}
            view = View(image)
            assert view.touching == usual
            assert view.holders == {4: 0, 5: 1}
            assert all(0.159 <= thing.size <= 0.318 for thing in image[:4])
            assert all(0.25 <= image[k + 4].size / image[k].size <= 0.4 for k in (0, 1))
        assert len({thing.colour for image in problem.images for thing in image}) == 1
    assert len(kinds) == 2
