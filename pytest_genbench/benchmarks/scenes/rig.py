"""A robot arm on a round table: where its parts and the object that it holds are.

x goes to the right, y away from the cameras and z up; the arm stands at the origin, on top of the table. The first joint turns all
of the arm about the z axis, the second raises the forearm; the hand stays level, so what it holds stays upright.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .solids import Array, Frustum, Placed, Polyhedron, Solid, Sphere
from .view import Camera, Window

STEPS = 40
"""Positions of each joint."""

TURNS = np.linspace(150, 330, STEPS)
"""Directions in which the arm points, degrees counted from x to y: from the back left past the front to the front right."""

RISES = np.linspace(-34, 58, STEPS)
"""Elevations of the forearm, degrees. Were the first lower, the highest camera could see it rise along its line of sight."""

CAMERAS = tuple(Camera.orbiting((0, 0, 0.7), 4.6, 0, elevation, 114) for elevation in (42, 24, 7))
"""At the top, in the centre and at the bottom."""

SIZES = np.array([0.15, 0.215])
"""Scales of a small and a large object."""

MIDDLES = np.outer(0.85 * SIZES, (1, 0, 0))
"""Where their origins are in the hand, in coordinates of which the tip is the origin and `Pose.axes` are the axes: (2, 3)."""

REACH = 1.43 * SIZES[1]
"""Radius of a ball about `Pose.middle` that holds any object."""

TABLE, THICK = 1.2, 0.14
"""Radius of the table, and how far it reaches down."""

_SHOULDER = np.array([0.0, 0.0, 0.38])
_UPPER_ARM, _LEAN, _FOREARM, _HAND = 0.5, math.radians(104), 0.66, 0.09


def _prism(sides: int, apothem: float, half: float) -> Polyhedron:
    turns = [2 * math.pi * k / sides for k in range(sides)]
    walls = [(math.cos(turn), math.sin(turn), 0.0) for turn in turns]
    return Polyhedron(np.array([*walls, (0, 0, 1), (0, 0, -1)]), (apothem,) * sides + (half, half))


def _pyramid(half: float) -> Polyhedron:
    """Four triangles over a square, as wide as it is high."""
    slope = math.sqrt(5)
    walls = [(2 * x / slope, 2 * y / slope, 1 / slope) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    return Polyhedron(np.array([*walls, (0, 0, -1)]), (half / slope,) * 4 + (half,))


SHAPES: tuple[Solid, ...] = (
    Frustum(1.05, 0, 0.95),
    _prism(4, 0.82, 0.82),
    Frustum(0.8, 0.8, 0.9),
    _prism(6, 0.78, 0.9),
    _pyramid(0.82),
    Sphere(),
)
"""Cone, cube, cylinder, hexagonal prism, pyramid and sphere, upright; none reaches farther than 1.43 from its origin."""


class Part(NamedTuple):
    """A part of the arm.

    Attributes:
        placed: Its solid.
        ends: Middle and radius of two balls, whose convex hull holds it.
        tone: Share of light that its surface scatters.
    """

    placed: Placed
    ends: tuple[tuple[Array, float], tuple[Array, float]]
    tone: float

    def window(self, camera: Camera) -> Window:
        """Where a camera may see it."""
        first, last = (camera.around(*end) for end in self.ends)
        return first.join(last)


class Pose(NamedTuple):
    """The arm with its joints at one position each.

    Attributes:
        parts: What moves.
        points: The shoulder, the elbow, the wrist and the tip.
        axes: (3, 3): rows are the directions ahead of the hand, to its left and up.
    """

    parts: tuple[Part, ...]
    points: tuple[Array, Array, Array, Array]
    axes: Array

    @property
    def tip(self) -> Array:
        """Where the hand ends: (3,)."""
        return self.points[-1]

    @property
    def middle(self) -> Array:
        """The middle of a large object in the hand: (3,)."""
        middle: Array = self.tip + MIDDLES[1, 0] * self.axes[0]
        return middle

    def held(self, shape: int, size: int) -> Placed:
        """An object in the hand."""
        return Placed(SHAPES[shape], self.tip + MIDDLES[size, 0] * self.axes[0], SIZES[size], self.axes)


def _ball(at: Array, radius: float, tone: float) -> Part:
    return Part(Placed(Sphere(), at, radius), ((at, radius), (at, radius)), tone)


def _link(start: Array, end: Array, across: Array, lower: float, upper: float, tone: float) -> Part:
    """A round bar from one point to another; `across` is a direction at a right angle to it."""
    length = math.dist(start, end)
    along = (end - start) / length
    (x, y, z), (ax, ay, az) = along, across
    axes = np.array([across, (y * az - z * ay, z * ax - x * az, x * ay - y * ax), along])
    solid = Frustum(lower, upper, length / 2)
    return Part(Placed(solid, (start + end) / 2, axes=axes), ((start, lower), (end, upper)), tone)


_X = np.array([1.0, 0, 0])

PEDESTAL = (
    _link(np.zeros(3), np.array([0, 0, 0.1]), _X, 0.3, 0.24, 0.5),
    _link(np.array([0, 0, 0.1]), np.array([0, 0, 0.34]), _X, 0.17, 0.15, 0.8),
    _ball(_SHOULDER, 0.17, 0.5),
)
"""What does not move."""


def pose(x: int, y: int) -> Pose:
    """Place the arm.

    Args:
        x: Position of the first joint, 0 to 39.
        y: Position of the second joint, 0 to 39.
    """
    turn, rise = math.radians(TURNS[x]), math.radians(RISES[y])
    ahead, up = np.array([math.cos(turn), math.sin(turn), 0]), np.array([0.0, 0.0, 1.0])
    left = np.array([-math.sin(turn), math.cos(turn), 0])
    elbow = _SHOULDER + _UPPER_ARM * (math.cos(_LEAN) * ahead + math.sin(_LEAN) * up)
    wrist = elbow + _FOREARM * (math.cos(rise) * ahead + math.sin(rise) * up)
    tip = wrist + _HAND * ahead
    right_finger, left_finger = (tip + side * left for side in (-0.1, 0.1))
    parts = (
        _link(_SHOULDER, elbow, left, 0.11, 0.085, 0.8),
        _ball(elbow, 0.12, 0.5),
        _link(elbow, wrist, left, 0.085, 0.06, 0.8),
        _ball(wrist, 0.08, 0.5),
        _link(tip - 0.05 * ahead, tip, left, 0.1, 0.1, 0.6),
        _link(right_finger, right_finger + 0.11 * ahead, left, 0.03, 0.025, 0.6),
        _link(left_finger, left_finger + 0.11 * ahead, left, 0.03, 0.025, 0.6),
    )
    return Pose(parts, (_SHOULDER, elbow, wrist, tip), np.stack([ahead, left, up]))
