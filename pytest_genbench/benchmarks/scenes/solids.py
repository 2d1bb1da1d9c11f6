"""Where rays meet convex solids, in closed form.

Vectors have their three coordinates on the first axis, so each coordinate is one array and all is done element by element: a
ray's result does not depend on the rays beside it. A ray is ``origin + depth * direction``; directions need no unit length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


class Hits(NamedTuple):
    """Where rays of shape S enter a solid.

    Attributes:
        depth: (*S), above 0; inf where a ray misses, or starts inside.
        normal: (3, *S), of unit length, outwards; of no meaning where a ray misses.
    """

    depth: Array
    normal: Array


class Solid(Protocol):
    """A convex solid in coordinates of its own."""

    def hits(self, origin: Array, direction: Array) -> Hits:
        """Intersect rays.

        Args:
            origin: (3,), or of a shape that can be broadcast with that of `direction`.
            direction: (3, ...).
        """
        ...


class Sphere:
    """Radius 1, about the origin."""

    def hits(self, origin: Array, direction: Array) -> Hits:
        """See `Solid`."""
        inside = _Span.below_zero(dot(direction, direction), dot(origin, direction), dot(origin, origin) - 1)
        depth = inside.depth()
        at = np.where(depth < np.inf, depth, 0)
        return Hits(depth, np.stack([origin[axis] + at * direction[axis] for axis in range(3)]))


@dataclass(frozen=True)
class Frustum:
    """Round about the z axis: a cylinder where both radii are the same, a cone where one is 0.

    Attributes:
        lower: Radius at z = -half.
        upper: Radius at z = half.
        half: Half its height.
    """

    lower: float
    upper: float
    half: float

    def hits(self, origin: Array, direction: Array) -> Hits:
        """See `Solid`."""
        slope = (self.upper - self.lower) / (2 * self.half)
        (x, y, z), (dx, dy, dz) = origin, direction
        # The radius grows along a ray as radius + growth * depth.
        radius, growth = (self.upper + self.lower) / 2 + slope * z, slope * dz
        side = _Span.below_zero(
            dx * dx + dy * dy - growth * growth,
            x * dx + y * dy - radius * growth,
            x * x + y * y - radius * radius,
            # A cone has a mirror image beyond its tip; rays that are steep enough to enter both are ahead in that which widens.
            growth > 0 if slope else None,
        )
        ends = _Span.between(self.half, z, dz)
        depth = side.within(ends).depth()
        at = np.where(depth < np.inf, depth, 0)
        px, py = x + at * dx, y + at * dy
        rise = math.sqrt(1 + slope * slope)
        along = 1 / (rise * np.maximum(np.sqrt(px * px + py * py), 1e-12))
        end = ends.near > side.near
        along[end] = 0
        normal = np.empty((3, *depth.shape), dtype=depth.dtype)
        normal[0], normal[1], normal[2] = px * along, py * along, np.where(end, -np.sign(dz), -slope / rise)
        return Hits(depth, normal)


@dataclass(frozen=True)
class Capsule:
    """Points no farther than a radius from the z axis between -half and half."""

    radius: float
    half: float

    def hits(self, origin: Array, direction: Array) -> Hits:
        """See `Solid`."""
        ball = [
            Placed(Sphere(), np.array([0, 0, z]), self.radius).hits(origin, direction) for z in (-self.half, self.half)
        ]
        return nearest([Frustum(self.radius, self.radius, self.half).hits(origin, direction), *ball])


@dataclass(frozen=True)
class Polyhedron:
    """Where ``normal . point <= offset`` for all faces.

    Attributes:
        normals: (F, 3), of unit length.
        offsets: F distances of the faces from the origin.
    """

    normals: Array
    offsets: Sequence[float]

    def hits(self, origin: Array, direction: Array) -> Hits:
        """See `Solid`."""
        near = np.full(np.broadcast_shapes(origin.shape[1:], direction.shape[1:]), -np.inf, dtype=direction.dtype)
        far, entered = -near, np.zeros(near.shape, dtype=np.int8)
        normals = self.normals.astype(direction.dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            for face, (normal, offset) in enumerate(zip(normals, self.offsets, strict=True)):
                # A ray along a face gets an infinite number of the right sign, as the sum makes -0 to 0; one in the face gets none.
                towards = dot(normal, direction) + 0.0
                at = (offset - dot(normal, origin)) / towards
                enters = towards < 0
                np.fmin(far, at, out=far, where=~enters)
                enters = enters & (at > near)
                np.copyto(near, at, where=enters)
                np.copyto(entered, face, where=enters)
        return Hits(_Span(near, far).depth(), np.take(normals.T, entered, axis=1))


@dataclass(frozen=True)
class Placed:
    """A solid made larger, turned and moved.

    Attributes:
        solid: What is placed.
        at: (3,): where its origin goes.
        scale: How many times larger.
        axes: (3, 3): its x, y and z axis are the rows; None if it is not turned.
    """

    solid: Solid
    at: Array
    scale: float = 1.0
    axes: Array | None = None

    def hits(self, origin: Array, direction: Array) -> Hits:
        """See `Solid`."""
        origin = (origin - self.at.reshape(3, *[1] * (origin.ndim - 1))) / self.scale
        origin = origin.astype(direction.dtype)
        if self.axes is None:
            depth, normal = self.solid.hits(origin, direction)
        else:
            depth, normal = self.solid.hits(turned(self.axes, origin), turned(self.axes, direction))
            normal = turned(self.axes.T, normal)
        return Hits(depth * self.scale, normal)


def nearest(hits: Sequence[Hits]) -> Hits:
    """Keep of several solids' hits, for each ray, that with the least depth."""
    depth, normal = hits[0]
    for other in hits[1:]:
        closer = other.depth < depth
        depth, normal = np.where(closer, other.depth, depth), np.where(closer, other.normal, normal)
    return Hits(depth, normal)


def dot(a: Array, b: Array) -> Array:
    """Scalar products of vectors (3, *S): (*S)."""
    product: Array = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def turned(axes: Array, vectors: Array) -> Array:
    """Coordinates of vectors (3, *S) along the rows of axes (3, 3): (3, *S)."""
    along = np.empty_like(vectors)
    for row, axis in enumerate(axes.astype(vectors.dtype)):
        along[row] = dot(axis, vectors)
    return along


class _Span(NamedTuple):
    """Depths from `near` to `far`, where a ray is inside something: none if near > far."""

    near: Array
    far: Array

    @classmethod
    def below_zero(cls, a: Array, b: Array, c: Array, ahead: NDArray[np.bool_] | None = None) -> _Span:
        """Where a t² + 2 b t + c <= 0; for a < 0, where there are two such parts, the one ahead or the other."""
        # Hardly any square instead of none gives the roots of a line, and all depths or none where there is not even a line.
        a = np.where(a == 0, 1e-30, a).astype(a.dtype)
        beyond = b * b - a * c
        # This form of the roots has no difference of like numbers.
        q = -(b + np.copysign(np.sqrt(np.maximum(beyond, 0)), b))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            one, other = q / a, c / q
        # fmin and fmax pass over 0 / 0.
        near, far = np.fmin(one, other), np.fmax(one, other)
        if ahead is not None:
            near, far = (
                np.where(a < 0, np.where(ahead, far, -np.inf), near),
                np.where(a < 0, np.where(ahead, np.inf, near), far),
            )
        return cls(np.where((beyond < 0) & (a > 0), np.inf, near), far)

    @classmethod
    def between(cls, half: float, z: Array, dz: Array) -> _Span:
        """Where -half <= z + t dz <= half."""
        # For dz = 0 and z outside, both are the same infinite number, and no depth is between them.
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (-half - z) / dz, (half - z) / dz
        return cls(np.fmin(one, other), np.fmax(one, other))

    def within(self, other: _Span) -> _Span:
        """What both have in common."""
        return _Span(np.maximum(self.near, other.near), np.minimum(self.far, other.far))

    def depth(self) -> Array:
        """Where rays enter: inf where they do not, or have begun inside."""
        depth: Array = np.where((self.near <= self.far) & (self.near > 0), self.near, np.inf)
        return depth
