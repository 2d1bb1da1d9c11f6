"""An object in a room, seen by a camera that goes around it: a stand-in for 3D Shapes (Burgess and Kim 2018).

What is where depends on size, type and azimuth only, in 480 ways; for each, how much floor, wall, object and highlight every pixel
shows is kept, and an image mixes the colours in these shares.
"""

from __future__ import annotations

import colorsys
import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..levels import checked
from .light import SUN, corner, diffuse, gleam, halfway
from .shadow import Shadow
from .solids import Capsule, Frustum, Placed, Polyhedron, Solid, Sphere, dot
from .view import SIDE, Camera, mean, packed, paint

COUNTS = {"floor color": 10, "wall color": 10, "object color": 10, "object size": 8, "object type": 4, "azimuth": 15}
"""Levels of each factor, in grid order."""

SIZES = np.linspace(0.75, 1.25, COUNTS["object size"])
AZIMUTHS = np.linspace(-30, 30, COUNTS["azimuth"])

_CUBE = Polyhedron(np.concatenate([np.eye(3), -np.eye(3)]), (0.5,) * 6)
TYPES: tuple[tuple[Solid, float, float], ...] = (
    (_CUBE, 1.0, 0.5),
    (Frustum(0.5, 0.5, 0.55), 1.0, 0.55),
    (Sphere(), 0.6, 1.0),
    (Capsule(0.4, 0.4), 1.0, 0.8),
)
"""Cube, cylinder, sphere and capsule: the solid, its scale at size 1, and its height above the floor in that scale."""

HUES = np.array([[round(255 * c) for c in colorsys.hsv_to_rgb(k / 10, 0.85, 1)] for k in range(10)], dtype=np.uint16)
"""RGB of the hues 0, 0.1, ..., 0.9 as uint16 (10, 3)."""

WALL = 2.5
"""Distance of the walls from the object."""

_INWARDS = np.array([[1, -1, 0], [-1, -1, 0]]) / math.sqrt(2)
"""Normals of the walls to the left and the right, which meet behind the object."""


def images(levels: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Draw images.

    The object stands in the middle of the floor, before the corner of two walls. The camera goes around it to the right as the
    azimuth grows, from -30 to 30 degrees, so the corner moves to the right as well; light falls from the same side of the room
    always, with a soft shadow. Hues go once around in ten steps.

    Args:
        levels: int64 (N, 6): levels of floor, wall and object colour, object size, object type and azimuth.

    Returns:
        uint8 (N, 64, 64, 3), RGB in [0, 255]. An image depends on its row alone, to the last bit.

    Raises:
        BenchmarkError: The levels are no table of integers (N, 6), or one lies outside the grid.
    """
    table = checked(levels, COUNTS)
    drawn = np.empty((len(table), SIDE, SIDE, 3), dtype=np.uint8)
    colours = np.full((len(table), 4, 3), 255, dtype=np.uint16)
    colours[:, :3] = HUES[table[:, :3]]
    for picture, mixed, (size, kind, azimuth) in zip(drawn, colours, table[:, 3:].tolist(), strict=True):
        paint(picture, _maps(size, kind, azimuth), mixed)
    return drawn


@cache
def camera(azimuth: int) -> Camera:
    """The camera at a level of azimuth."""
    return Camera.orbiting((0, 0, 0.6), 4.6, AZIMUTHS[azimuth], 17, 80)


def thing(size: int, kind: int) -> Placed:
    """The object at levels of size and type."""
    solid, scale, height = TYPES[kind]
    scale *= SIZES[size]
    return Placed(solid, np.array([0, 0, scale * height]), scale)


@cache
def _maps(size: int, kind: int, azimuth: int) -> NDArray[np.uint8]:
    """Floor, walls, object and highlight: uint8 (4, 64, 64)."""
    eye, placed = camera(azimuth), thing(size, kind)
    floor, wall = (each.copy() for each in _room(azimuth))
    window = eye.around(placed.at, 0.87 * SIZES[size])
    rays = eye.directions(window)
    depth, normal = placed.hits(eye.at, rays)
    hit = depth < np.inf
    shade = np.where(hit, diffuse(normal), 0)
    shine = np.where(hit, 0.5 * gleam(normal, halfway(rays)), 0)
    rows, columns = window.slices
    for each in (floor, wall):
        each[:, rows, columns][hit] = 0
    scale = TYPES[kind][1] * SIZES[size]
    dark = _shadow(kind).at(*(each / scale for each in eye.ground))
    seen, lit = np.zeros((2, SIDE, SIDE))
    seen[rows, columns] = mean(shade * (1 - shine))
    lit[rows, columns] = mean(shine)
    return packed(mean(floor) * dark, mean(wall), seen, lit)


@cache
def _room(azimuth: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How bright floor and walls are along each ray in the empty room, 0 where they are not: (RAYS, 64, 64) each."""
    eye = camera(azimuth)
    rays = eye.directions()
    depths = [np.where(rays[2] < 0, -eye.at[2] / np.minimum(rays[2], -1e-9), np.inf)]
    for inwards in _INWARDS:
        towards = dot(inwards, rays)
        depths.append(np.where(towards < 0, (-WALL - dot(inwards, eye.at)) / np.minimum(towards, -1e-9), np.inf))
    depth = np.minimum(np.minimum(depths[0], depths[1]), depths[2])
    points = np.stack([eye.at[axis] + depth * rays[axis] for axis in range(3)])
    # Corners get less light, as all of what is before them is wall.
    left, right = (dot(inwards, points) + WALL for inwards in _INWARDS)
    gaps = [corner(gap) for gap in (left, right, np.maximum(points[2], 0))]
    floor = np.where(depth == depths[0], 0.9 * gaps[0] * gaps[1], 0)
    walls = [0.8 * gaps[1] * gaps[2], 0.62 * gaps[0] * gaps[2]]
    wall = np.where(depth == depths[0], 0, np.where(depth == depths[1], *walls))
    return floor.astype(np.float32), wall.astype(np.float32)


@cache
def _shadow(kind: int) -> Shadow:
    solid, _, height = TYPES[kind]
    return Shadow.of(Placed(solid, np.array([0, 0, height])), SUN)
