"""A robot arm that holds an object before one of three cameras: a stand-in for MPI3D (Gondal et al. 2019, arXiv 1906.03292).

What is where depends on the camera and the two joints, in 4,800 ways, and in a part of the image on the object in the hand, in 12
ways more. For each of the former, how much rig and table every pixel shows is kept, and the same with each object in the part of
the image where it can be; an image mixes the colours in these shares.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError, nearest
from ..levels import checked
from .light import SUN, corner, diffuse, gleam, halfway
from .rig import CAMERAS, MIDDLES, PEDESTAL, REACH, SHAPES, SIZES, STEPS, TABLE, THICK, Part, Pose, pose
from .solids import Array, Frustum, Placed, turned
from .view import SIDE, Window, mean, packed, paint

Style = Literal["lit", "flat"]

COUNTS = {"color": 6, "shape": 6, "size": 2, "height": 3, "bg color": 3, "x-axis": STEPS, "y-axis": STEPS}
"""Levels of each factor, in grid order."""

COLOURS = np.array(
    [(245, 245, 245), (30, 165, 60), (215, 35, 40), (35, 80, 215), (125, 72, 36), (150, 150, 40)], dtype=np.uint16
)
"""RGB of objects: white, green, red, blue, brown, olive."""

TABLES = np.array([(140, 70, 175), (46, 165, 125), (250, 135, 118)], dtype=np.uint16)
"""RGB of tables: purple, sea green, salmon."""

STEEL = np.array((238, 244, 255), dtype=np.uint16)
"""RGB of the rig, the room and highlights."""


def images(levels: NDArray[np.int64], style: Style = "lit") -> NDArray[np.uint8]:
    """Draw images.

    The arm stands on a round table, which has the background colour. The first joint (x-axis) turns it half around: from the back
    left past the front to the front right. The second (y-axis) raises the forearm by 92 degrees. Cameras look down by 42, 24 and 7
    degrees. The object stays upright and turns with the first joint.

    The first image of each camera and position of the joints takes some milliseconds, others a hundredth of that.

    Args:
        levels: int64 (N, 7): levels of colour, shape, size, height, background colour, x-axis and y-axis.
        style: ``"lit"`` has light and shadow; ``"flat"`` has few tones, no shadows and no highlights, like a toy's picture.

    Returns:
        uint8 (N, 64, 64, 3), RGB in [0, 255]. An image depends on its row and the style alone, to the last bit.

    Raises:
        BenchmarkError: The levels are no table of integers (N, 7), one lies outside the grid, or there is no such style.
    """
    table = checked(levels, COUNTS)
    if style not in get_args(Style):
        raise BenchmarkError(f"There is no style {style!r}.{nearest(str(style), get_args(Style))}")
    drawn = np.empty((len(table), SIDE, SIDE, 3), dtype=np.uint8)
    colours = np.stack(np.broadcast_arrays(STEEL, TABLES[table[:, 4]], COLOURS[table[:, 0]]), axis=1)
    for picture, mixed, (_, shape, size, height, _, x, y) in zip(drawn, colours, table.tolist(), strict=True):
        view = _view(style, height, x, y)
        paint(picture, view.empty, mixed[:2])
        paint(picture[view.window.slices], view.held[shape, size], mixed)
    return drawn


class _Sight(NamedTuple):
    """Rays of a window.

    Attributes:
        directions: (3, RAYS, height, width), see :meth:`Camera.directions`.
        half: (3, RAYS, height, width), see :func:`halfway`.
    """

    directions: Array
    half: Array

    def part(self, window: Window) -> _Sight:
        """Copy those of a window in here."""
        return _Sight(*(each[:, :, *window.slices].copy() for each in self))

    def turned(self, axes: Array) -> _Sight:
        """The same in coordinates along other axes (3, 3)."""
        return _Sight(*(turned(axes, each) for each in self))


class _Scene(NamedTuple):
    """What rays meet: depth, and how bright rig and table are there, 0 where they are not; (RAYS, height, width) each."""

    depth: Array
    rig: Array
    table: Array

    def part(self, window: Window) -> _Scene:
        """Refer to those of a window in here."""
        return _Scene(*(each[:, *window.slices] for each in self))


class _View(NamedTuple):
    """What a camera sees of the arm.

    Attributes:
        empty: Rig and table with nothing in the hand: uint8 (2, 64, 64).
        window: Where an object in the hand can be seen.
        held: Rig, table and object in there: uint8 (shapes, sizes, 3, height, width).
    """

    empty: NDArray[np.uint8]
    window: Window
    held: NDArray[np.uint8]


# As many as the grid has in one style, together below 100 MB.
@lru_cache(maxsize=COUNTS["height"] * STEPS * STEPS)
def _view(style: Style, height: int, x: int, y: int) -> _View:
    arm = pose(x, y)
    scene = _Scene(*(each.copy() for each in _room(style, height)))
    for part in arm.parts:
        _add(scene, part, style, height)
    dark = _shadow(arm, height) if style == "lit" else np.ones((SIDE, SIDE), dtype=np.float32)
    window = CAMERAS[height].around(arm.middle, REACH)
    here = _Scene(*(each.copy() for each in scene.part(window)))
    held = _held(here, dark[window.slices], arm, CAMERAS[height].at, _sight(height).part(window), style)
    return _View(packed(mean(scene.rig), mean(scene.table) * dark), window, held)


def _held(scene: _Scene, dark: Array, arm: Pose, eye: Array, sight: _Sight, style: Style) -> NDArray[np.uint8]:
    """See the arm with each object: uint8 (shapes, sizes, 3, height, width).

    All is done in coordinates of the hand, in which objects are not turned, and for both sizes at once.
    """
    directions, half = (each[:, None] for each in sight.turned(arm.axes))
    eyes = (turned(arm.axes, eye - arm.tip)[:, None] - MIDDLES.T) / SIZES
    eyes, sizes = eyes[..., None, None, None].astype(np.float32), SIZES[:, None, None, None].astype(np.float32)
    sun = turned(arm.axes, SUN)
    maps = np.empty((len(SHAPES), len(SIZES), 3, *dark.shape), dtype=np.uint8)
    for shape, solid in enumerate(SHAPES):
        depth, normal = solid.hits(eyes, directions)
        front = depth * sizes < scene.depth
        # Little, so that the whole face of a pyramid may reflect the sun and yet have its colour.
        shine = np.where(front, 0.15 * _gleam(normal, half, style), 0)
        seen = np.where(front, _diffuse(normal, style, sun), 0) * (1 - shine)
        rig, table = np.where(front, shine, scene.rig), np.where(front, 0, scene.table)
        maps[shape] = packed(mean(rig), mean(table) * dark, mean(seen))
    return maps


def _add(scene: _Scene, part: Part, style: Style, height: int) -> None:
    """Put a part of the rig into a scene."""
    window = part.window(CAMERAS[height])
    here, (directions, half) = scene.part(window), _sight(height).part(window)
    depth, normal = part.placed.hits(CAMERAS[height].at, directions)
    front = depth < here.depth
    shine = 0.3 * _gleam(normal, half, style)
    np.copyto(here.rig, part.tone * _diffuse(normal, style) * (1 - shine) + shine, where=front)
    np.copyto(here.table, 0, where=front)
    np.copyto(here.depth, depth, where=front)


@cache
def _sight(height: int) -> _Sight:
    """All rays of a camera."""
    directions = CAMERAS[height].directions()
    return _Sight(directions, halfway(directions))


def _diffuse(normal: Array, style: Style, sun: Array = SUN) -> Array:
    bright = diffuse(normal, sun)
    return bright if style == "lit" else np.ceil(6 * bright) / 6


def _gleam(normal: Array, half: Array, style: Style) -> Array:
    return gleam(normal, half) if style == "lit" else np.zeros(half.shape[1:])


@cache
def _room(style: Style, height: int) -> _Scene:
    """The room with the table and what of the arm does not move."""
    camera = CAMERAS[height]
    directions = camera.directions()
    wall = np.where(directions[1] > 0, (2 - camera.at[1]) / np.maximum(directions[1], 1e-9), np.inf)
    floor = np.where(directions[2] < 0, (-THICK - camera.at[2]) / np.minimum(directions[2], -1e-9), np.inf)
    depth = np.minimum(wall, floor)
    y, z = (camera.at[axis] + depth * directions[axis] for axis in (1, 2))
    fade = corner(2 - y) * corner(z + THICK) if style == "lit" else 1.0
    rig = np.where(floor < wall, 0.3, 0.22) * fade
    disc = Placed(Frustum(TABLE, TABLE, THICK / 2), np.array([0, 0, -THICK / 2]))
    at, normal = disc.hits(camera.at, directions)
    front = at < depth
    lights = np.where(front, at, depth), np.where(front, 0, rig), np.where(front, 0.95 * _diffuse(normal, style), 0)
    scene = _Scene(*(each.astype(np.float32) for each in lights))
    for part in PEDESTAL:
        _add(scene, part, style, height)
    return scene


def _shadow(arm: Pose, height: int) -> Array:
    """Light that is left on the table under the arm, at the middle of each pixel: (64, 64)."""
    px, py = CAMERAS[height].ground
    light = np.ones((SIDE, SIDE), dtype=np.float32)
    feet = [(point[:2] - SUN[:2] / SUN[2] * point[2]).tolist() for point in arm.points]
    for ((ax, ay), (bx, by)), radius in zip(pairwise(feet), (0.16, 0.13, 0.22), strict=True):
        # Distance from the shadow's middle line.
        along = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
        along = np.clip(along, 0, 1)
        dx, dy = px - ax - along * (bx - ax), py - ay - along * (by - ay)
        near = np.maximum(1 - (dx * dx + dy * dy) / (radius * radius), 0)
        light = np.minimum(light, 1 - 0.5 * near)
    return light
