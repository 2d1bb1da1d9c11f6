"""Spaceshapes: moons, stars and ships on 64 x 64 pixels (Ross & Doshi-Velez 2021, appendix).

Every image has a place, x and y. A moon has a phase, a star a shine, a ship an angle; some ships have jets, which have a length.
Images are grey with smooth edges, as the authors' program makes them; the paper calls them binary, and ``binary=True`` makes
them so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError
from ...hierarchy import Categorical, Continuous, Hierarchy
from . import shapes
from .shrink import GRID, LEAD, SIDE, STEP, shrink, shrink_inside
from .tables import checked, count

HIERARCHY = Hierarchy(
    (
        Continuous("x"),
        Continuous("y"),
        Categorical(
            (
                (Continuous("phase"),),
                (Continuous("shine"),),
                (Continuous("angle"), Categorical(((), (Continuous("jetlen"),)), "jet", ("no", "yes"))),
            ),
            "shape",
            ("moon", "star", "ship"),
        ),
    )
)
"""The factors; columns shape, jet, x, y, phase, shine, angle, jetlen."""

_SHAPE, _JET, _X, _Y, _PHASE, _SHINE, _ANGLE, _JETLEN = range(8)

_SIXTHS = ((1, 0, 2), (2, 0, 2), (3, 1, 1), (3, 2, 1))
"""Shape, jet, and how many of six images are such."""

_TRAVEL = 64
"""Pixels of the large grid by which x and y move a shape from the middle either way."""

_AT_ONCE = 8
"""Images drawn together: more do not fit the processor's cache, fewer cost more calls."""

_Draw = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], NDArray[np.bool_]]


def latents(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw factors.

    Args:
        n: Number of rows.
        rng: All numbers come from it; the same state gives the same table.

    Returns:
        float64 (n, 8) in the order of `HIERARCHY`: a third moons, a third stars, a sixth ships without jets and a sixth ships with
        them, each to within one row, in random order; continuous factors uniform in [0, 1), 0 where inactive.

    Raises:
        BenchmarkError: `n` is no whole number, or below 0.
    """
    rows = count(n)
    kinds = np.repeat(np.arange(len(_SIXTHS)), [sixths for *_, sixths in _SIXTHS])
    # Each kind gets a run of what is evenly spread over all six, so that no count is off by more than one.
    table = np.zeros((rows, len(HIERARCHY.columns)))
    table[:, : HIERARCHY.categorical] = np.array(_SIXTHS)[kinds[np.arange(rows) * 6 // max(rows, 1)], :2]
    table = rng.permutation(table)
    active = HIERARCHY.active(table)[:, HIERARCHY.categorical :]
    table[:, HIERARCHY.categorical :] = rng.random((rows, HIERARCHY.continuous)) * active
    return table


def images(latents: ArrayLike, *, binary: bool = False) -> NDArray[np.uint8]:
    """Draw images.

    x goes to the right and y up, 16 pixels either way of the middle. Phase 1 is the full moon, 0 a crescent to the left; shine 0 is
    a slender star, 1 a square; angle 0 has the ship's nose to the upper left, 1 to the upper right; jets grow with jetlen. Places
    are rounded to a quarter of a pixel, phase and jetlen to 256 levels, shine to 211. Long jets may reach out of the image; nothing
    else does.

    Args:
        latents: A table (N, 8) as :func:`latents` draws it: continuous factors in [0, 1].
        binary: 0 below a grey level of 128, and 255 from there on.

    Returns:
        uint8 (N, 64, 64), grey levels in [0, 255]; an image depends on its row alone, to the last bit.

    Raises:
        BenchmarkError: The table does not fit the hierarchy, or a continuous factor is outside [0, 1].
    """
    table = checked(HIERARCHY, latents)
    outside = (table < 0) | (table > 1)
    outside[:, : HIERARCHY.categorical] = False
    if outside.any():
        at, column = np.argwhere(outside)[0]
        raise BenchmarkError(
            f"Factors of Spaceshapes are in [0, 1]; {HIERARCHY.names[column]!r} of row {at} is {table[at, column]}."
        )
    drawn = np.zeros((len(table), SIDE, SIDE), dtype=np.uint8)
    for shape, jet, _ in _SIXTHS:
        rows = np.flatnonzero((table[:, _SHAPE] == shape) & (table[:, _JET] == jet))
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            draw, reach = _WAYS[shape, jet]
            _place(drawn, some, table[some], draw, reach)
    if binary:
        drawn = np.where(drawn >= 128, np.uint8(255), np.uint8(0))
    return drawn


def _moon(down: NDArray[np.int64], right: NDArray[np.int64], rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    return shapes.moon(down, right, shapes.closest(shapes.BITES, 0.4 * (1 - rows[:, _PHASE])))


def _star(down: NDArray[np.int64], right: NDArray[np.int64], rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    return shapes.star(down, right, shapes.closest(shapes.DENTS, 0.165 * (1 - rows[:, _SHINE])))


def _ship(down: NDArray[np.int64], right: NDArray[np.int64], rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    jets = shapes.closest(shapes.JETS, 0.25 + 0.42 * rows[:, _JETLEN])
    level = np.where(rows[:, _JET] == 2, jets, shapes.NO_JET)
    return shapes.ship(down, right, level, -45 + 90 * (1 - rows[:, _ANGLE]))


_WAYS: dict[tuple[int, int], tuple[_Draw, tuple[int, int, int, int]]] = {
    (1, 0): (_moon, (48, 48, 48, 48)),
    (2, 0): (_star, (51, 51, 51, 51)),
    (3, 1): (_ship, (37, 42, 43, 43)),
    (3, 2): (_ship, (37, 80, 74, 74)),
}
"""How each shape is drawn, and how many pixels of the large grid it can reach up, down, left and right, however it is turned."""


def _place(
    drawn: NDArray[np.uint8], at: NDArray[np.int64], rows: NDArray[np.float64], draw: _Draw, reach: tuple[int, ...]
) -> None:
    """Draw some rows of one shape in the images `at`."""
    # Rounded in this form, in which a half goes to the same side as in the authors' program.
    middle_y = GRID // 2 + np.rint(_TRAVEL - 2 * _TRAVEL * rows[:, _Y]).astype(np.int64)
    middle_x = GRID // 2 + np.rint(2 * _TRAVEL * rows[:, _X] - _TRAVEL).astype(np.int64)
    tops, down = _window(middle_y, *reach[:2])
    lefts, right = _window(middle_x, *reach[2:])
    pixels = draw(down - middle_y[:, None], right - middle_x[:, None], rows)
    small = shrink_inside(pixels)
    height, width = small.shape[1:]
    for k, (image, top, left) in enumerate(zip(at, tops, lefts, strict=True)):
        if top > 0 and top + height < SIDE and left > 0 and left + width < SIDE:
            drawn[image, top : top + height, left : left + width] = small[k]
        elif pixels[k][_by_border(down[k])].any() or pixels[k][:, _by_border(right[k])].any():
            drawn[image] = _clipped(pixels[k], down[k], right[k])
        else:
            # The window leaves the image, but all in it that is not black does not.
            y, x = _common(top, height), _common(left, width)
            drawn[image, y, x] = small[k, y.start - top : y.stop - top, x.start - left : x.stop - left]


def _window(middle: NDArray[np.int64], before: int, after: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the pixels that show what reaches so far before and after the middles (N,), in one direction.

    Returns:
        The first small pixel (N,), and the large pixels it and all others to the last one are made of (N, 4 outputs + 4).
    """
    outputs = (before + after + 2 * STEP - 1) // STEP + 1
    first = -((before + STEP + LEAD - 1 - middle) // STEP)
    return first, STEP * first[:, None] - LEAD + np.arange(STEP * outputs + STEP)


def _by_border(large: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which large pixels have a part in the first or the last small one, or lie outside: bool, as `large`."""
    near: NDArray[np.bool_] = (large < STEP + LEAD) | (large >= GRID - STEP - LEAD)
    return near


def _common(first: int, outputs: int) -> slice:
    """Part of the image that a window's small pixels cover, in one direction."""
    return slice(max(first, 0), min(first + outputs, SIDE))


def _clipped(pixels: NDArray[np.bool_], down: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Shrink a window that shows something at the border, without what lies beyond it: uint8 (64, 64)."""
    picture = np.zeros((GRID, GRID), dtype=bool)
    y, x = (down >= 0) & (down < GRID), (right >= 0) & (right < GRID)
    picture[np.ix_(down[y], right[x])] = pixels[np.ix_(y, x)]
    shrunk: NDArray[np.uint8] = shrink(picture[None])[0]
    return shrunk
