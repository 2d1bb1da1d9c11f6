"""What checks notice: references in which one object is not as the rule has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_genbench.benchmarks.cvr.checker import CHECKS
from pytest_genbench.benchmarks.cvr.checker.view import Fault, View
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
