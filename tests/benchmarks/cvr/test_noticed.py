"""What checks notice: references in which one object is not as the rule has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.benchmarks.cvr.checker import CHECKS, check
from pytest_genbench.benchmarks.cvr.checker.view import Fault, View, hue_distance
from pytest_genbench.benchmarks.cvr.contours import PLAIN, Shape
from pytest_genbench.benchmarks.cvr.problems import find, make
from pytest_genbench.benchmarks.cvr.scene import Image, Thing

Change = Callable[[Image], Image]


def last(change: Callable[[Thing], Thing]) -> Change:
    """Change the last thing of an image, which lies inside another where any does."""
    return lambda image: (*image[:-1], change(image[-1]))


def mirrored(thing: Thing) -> Thing:
    return replace(thing, flip=not thing.flip)


def turned(thing: Thing) -> Thing:
    return replace(thing, angle=thing.angle + 90)


def other_hue(thing: Thing) -> Thing:
    hue, s, v = thing.colour
    return replace(thing, colour=((hue + 0.3) % 1, s, v))


def smaller(thing: Thing) -> Thing:
    return replace(thing, size=0.7 * thing.size)


def right_exchanged(image: Image) -> Image:
    """Let the two things at the right of a square change places."""
    a, b, c, d = image
    return a, b.moved(d.x, d.y), c, d.moved(b.x, b.y)


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        (52, last(mirrored)),
        (52, last(smaller)),
        (54, last(other_hue)),
        (58, last(mirrored)),
        (60, last(smaller)),
        (64, last(other_hue)),
        (67, last(turned)),
        (71, last(turned)),
        (72, last(mirrored)),
        (83, last(other_hue)),
        (84, last(mirrored)),
        (85, last(smaller)),
        (92, last(turned)),
        (93, last(mirrored)),
        (96, last(mirrored)),
        (96, right_exchanged),
        (97, last(turned)),
        (98, last(mirrored)),
        (99, last(turned)),
        (100, last(turned)),
    ],
)
def test_a_wrong_reference_is_noticed(rule: int, change: Change) -> None:
    for number in range(2):
        problem = make(find(rule), "train", number)
        markers = find(rule).markers
        first, *others, odd = (View(image, markers) for image in (*problem.references, problem.odd))
        CHECKS[rule]([first, *others], odd, problem.kind)
        with pytest.raises(Fault):
            CHECKS[rule]([View(change(first.all), markers), *others], odd, problem.kind)


@pytest.mark.parametrize("k", range(4))
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda things: (things[0].moved(0.99, 0.5), *things[1:]), "a line leaves the frame"),
        (lambda things: (things[0].moved(0.5, 0.99), *things[1:]), "a line leaves the frame"),
        (lambda things: (things[0].moved(0.01, 0.5), *things[1:]), "a line leaves the frame"),
        (lambda things: (replace(things[0], size=0.02), *things[1:]), "too small to be seen"),
        (lambda things: (*things, things[0].moved(things[0].x + 0.05, things[0].y)), "lines touch by accident"),
        (
            lambda things: [replace(things[0], x=0.5, y=0.5, size=size) for size in (0.8, 0.1)],
            "lies in another by accident",
        ),
        (lambda things: (), "an image is empty"),
    ],
)
def test_an_accident_is_noticed_in_any_image(change: Change, said: str, k: int) -> None:
    rule = find("size")
    problem = make(rule, "train", 0)
    images = tuple(change(image) if n == k else image for n, image in enumerate(problem.images))
    with pytest.raises(Fault, match=said):
        check(replace(problem, images=images), rule)


def test_of_things_around_another_the_innermost_holds_it() -> None:
    square = Shape(0, PLAIN, np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]))
    thing = replace(make(find("size"), "train", 0).images[0][0], shape=square)
    for sizes, expected in (((0.9, 0.4, 0.1), {1: 0, 2: 1}), ((0.1, 0.9, 0.4), {0: 2, 2: 1})):
        assert View(tuple(replace(thing, x=0.5, y=0.5, size=size) for size in sizes)).holders == expected


def test_hues_are_on_a_circle() -> None:
    assert hue_distance(0.95, 0.05) == hue_distance(0.05, 0.95) == pytest.approx(0.1)
