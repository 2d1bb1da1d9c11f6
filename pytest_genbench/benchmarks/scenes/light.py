"""Light on surfaces: a sky that is brighter above, a sun, and its reflection."""

from __future__ import annotations

import math

import numpy as np

from .solids import Array, dot

SUN = np.array([-0.45, -0.55, 0.75]) / math.sqrt(0.45**2 + 0.55**2 + 0.75**2)
"""Where the sun is: (3,), of unit length."""


def diffuse(normal: Array, sun: Array = SUN) -> Array:
    """Light that a matt surface with normals (3, *S) scatters, by Lambert's law: (*S), in [0, 1]."""
    bright: Array = 0.42 + 0.12 * normal[2] + 0.46 * np.maximum(dot(sun.astype(normal.dtype), normal), 0)
    return bright


def halfway(direction: Array) -> Array:
    """Normals (3, *S) of mirrors that would show the sun to an eye, for rays of direction (3, *S) from there (Blinn 1977)."""
    sun = SUN.astype(direction.dtype).reshape(3, *[1] * (direction.ndim - 1))
    half = sun - direction / np.sqrt(dot(direction, direction))
    unit: Array = half / np.sqrt(dot(half, half))
    return unit


def gleam(normal: Array, half: Array) -> Array:
    """Light of the sun that a glossy surface reflects to an eye: (*S), in [0, 1].

    Args:
        normal: (3, *S).
        half: (3, *S), see `halfway`.
    """
    bright = np.clip(dot(half, normal), 0, 1)
    for _ in range(5):
        bright = bright * bright
    return bright


def corner(gap: Array) -> Array:
    """Share of light that reaches a surface so far from another at a right angle to it: (*S), in [0.75, 1]."""
    near = 1 / (1 + 3 * np.maximum(gap, 0))
    return 1 - 0.25 * near * near
