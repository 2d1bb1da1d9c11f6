"""What a rule draws with: one random stream, one law, and the sharing of shapes, sizes and colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import alike, contact, place
from .contours import PLAIN, Shape, Style, contours
from .laws import Band, Colours, Law, Share, Sizes
from .place import Array, CannotPlace
from .rule import Drawn
from .scene import Colour, Image, Thing, turned

T = TypeVar("T")

TRIES = 50
"""How often a part of a problem is drawn until it fits, before the whole problem is drawn again."""

HUES_APART = 0.15
"""Least distance of two hues that are to be told apart, of 1 around the circle."""


class Draw:
    """One attempt at a problem.

    Args:
        rng: Its random stream.
        law: What to draw.
        published: Draw as the published generator does, with its slips, instead of soundly.
    """

    def __init__(self, rng: np.random.Generator, law: Law, *, published: bool = False) -> None:
        self.rng, self.law, self.published = rng, law, published
        self._shapes = 0

    # Numbers

    def uniform(self, low: float, high: float) -> float:
        """Draw a number in [low, high)."""
        return float(self.rng.uniform(low, high))

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number from low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, p: float = 0.5) -> bool:
        """Return true with this probability."""
        return bool(self.rng.random() < p)

    def choice(self, values: Sequence[T]) -> T:
        """Draw one of some values."""
        return values[int(self.rng.integers(len(values)))]

    def choices(self, values: Sequence[T], n: int) -> list[T]:
        """Draw n different ones of some values, in random order."""
        return [values[k] for k in self.rng.permutation(len(values))[:n]]

    def order(self, n: int) -> list[int]:
        """Draw a permutation of 0 to n - 1."""
        return [int(k) for k in self.rng.permutation(n)]

    def other_order(self, order: Sequence[int]) -> list[int]:
        """Draw a permutation that is not this one."""
        while (found := self.order(len(order))) == list(order):
            pass
        return found

    def until(self, make: Callable[[], T], good: Callable[[T], bool] = lambda made: True) -> T:
        """Make something until it is good and can be placed.

        Raises:
            CannotPlace: It never was.
        """
        for _ in range(TRIES):
            try:
                if good(made := make()):
                    return made
            except CannotPlace:
                continue
        raise CannotPlace

    # What is shared

    def shared(self, share: Share, counts: Sequence[int], make: Callable[[int], Sequence[T]]) -> list[list[T]]:
        """Draw a value for each object of each image, as far as it is not shared.

        Args:
            share: Who has one value in common.
            counts: How many objects each image has.
            make: Draws so many values.

        Returns:
            For each image a list of as many values as it has objects.
        """
        if share == "any":
            share = self.choice(("image", "slot", "object"))
        if share == "object":
            values = list(make(sum(counts)))
            ends = np.cumsum(counts)
            return [values[end - count : end] for count, end in zip(counts, ends, strict=True)]
        if share == "slot":
            values = list(make(max(counts)))
            return [values[:count] for count in counts]
        values = list(make(len(counts) if share == "image" else 1))
        return [[values[k if share == "image" else 0]] * count for k, count in enumerate(counts)]

    def shapes(self, n: int, style: Style = PLAIN, *, distinct: bool = False, chiral: bool = False) -> list[Shape]:
        """Draw shapes.

        Args:
            n: How many.
            style: Of all of them.
            distinct: Whether each pair has to look different, however turned and flipped.
            chiral: Whether each has to look different from its mirror image.
        """
        if self.published or not (distinct or chiral):
            return self._new(n, style)
        found: list[Shape] = []
        for _ in range(TRIES):
            for shape in self._new(n - len(found) + 1, style):
                fine = not chiral or alike.is_chiral(shape)
                if fine and len(found) < n and not (distinct and not all(alike.differ(shape, f) for f in found)):
                    found.append(shape)
            if len(found) == n:
                return found
        raise CannotPlace

    def another(self, shapes: Sequence[Shape] | Shape, style: Style | None = None, *, chiral: bool = False) -> Shape:
        """Draw a shape that looks different from some others; in the style of the first of them where none is given."""
        others = [shapes] if isinstance(shapes, Shape) else list(shapes)
        style = others[0].style if style is None else style
        for _ in range(TRIES):
            (shape,) = self.shapes(1, style, chiral=chiral)
            if self.published or all(alike.differ(shape, other) for other in others):
                return shape
        raise CannotPlace

    def _new(self, n: int, style: Style) -> list[Shape]:
        made = contours(self.rng, [style] * n)
        self._shapes += n
        return [Shape(self._shapes - n + k, style, points) for k, points in enumerate(made)]

    def shapes_of(
        self, counts: Sequence[int], style: Style | None = None, share: Share | None = None
    ) -> list[list[Shape]]:
        """Draw a shape for each object of each image, shared as the law says."""
        law = self.law.shape
        chosen = law.style if style is None else style
        return self.shared(share or law.share, counts, lambda n: self.shapes(n, chosen))

    def sizes_of(self, counts: Sequence[int], n: float = 1, sizes: Sizes | None = None) -> list[list[float]]:
        """Draw a size for each object of each image, as the law says.

        Args:
            counts: How many objects each image has.
            n: What the law's largest size depends on, where it depends on anything.
            sizes: Another law.
        """
        law = sizes or self.law.size
        low, high = law.span(n)
        return self.shared(law.share, counts, lambda k: self.rng.uniform(low, high, k).tolist())

    def colours_of(self, counts: Sequence[int], colours: Colours | None = None) -> list[list[Colour]]:
        """Draw a colour for each object of each image where colours do not matter, shared as the law says."""
        law = colours or self.law.colour
        return self.shared(law.share, counts, lambda n: [self.colour(law) for _ in range(n)])

    def colour(self, colours: Colours | None = None) -> Colour:
        """Draw a colour of any hue."""
        law = colours or self.law.colour
        return (self.uniform(0, 1), self.uniform(law.s.low, law.s.high), self.uniform(law.v.low, law.v.high))

    # Hues that matter

    def other_hue(self, hue: float) -> float:
        """Draw a hue that can be told from another."""
        return (hue + self.choice((-1, 1)) * self.uniform(HUES_APART, 1 - HUES_APART)) % 1

    def hues(self, n: int) -> list[float]:
        """Draw hues, ascending, of which each two can be told apart, also across the end of the circle."""
        return [float(h) for h in place.pack(self.rng, np.full(n, HUES_APART), strict=False)]

    def hued(self, hues: Sequence[Sequence[float]], colours: Colours | None = None) -> list[list[Colour]]:
        """Give hues that the rule decides their saturation and value, each shared as its band says.

        Args:
            hues: For each image the hue of each object; those that are equal in an image share what is shared by ``hue``.
            colours: Another law than the rule's.
        """
        law = colours or self.law.colour
        s, v = self._band(law.s, hues), self._band(law.v, hues)
        return [[(float(h), a, b) for h, a, b in zip(*rows, strict=True)] for rows in zip(hues, s, v, strict=True)]

    def _band(self, band: Band, hues: Sequence[Sequence[float]]) -> list[list[float]]:
        def make(n: int) -> list[float]:
            drawn: list[float] = self.rng.uniform(band.low, band.high, n).tolist()
            return drawn

        if band.share == "hue":
            rows = []
            for row in hues:
                values = dict(zip(dict.fromkeys(row), make(len(set(row))), strict=True))
                rows.append([values[hue] for hue in row])
            return rows
        return self.shared(band.share, [len(row) for row in hues], make)

    # Places; see the module place

    def pack(self, widths: ArrayLike, low: float = 0.0, high: float = 1.0) -> Array:
        """Place intervals on a line, in order and disjoint: centres (n,)."""
        return place.pack(self.rng, widths, low, high, strict=not self.published)

    def free(self, boxes: ArrayLike, within: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)) -> Array:
        """Place boxes, side (n,) or width and height (n, 2), in the plane, disjoint: centres (n, 2)."""
        return place.free(self.rng, boxes, within=within, strict=not self.published)

    def anywhere(self, box: float | Sequence[float]) -> Array:
        """Place one box in the frame: its centre (2,)."""
        centre: Array = self.free(np.broadcast_to(np.asarray(box, dtype=np.float64), (1, 2)))[0]
        return centre

    def config(self, n: int, side: float, size: float) -> Array:
        """Place n objects of one size in a square, disjoint: offsets (n, 2) from its middle."""
        return place.config(self.rng, n, side, size, strict=not self.published)

    def on_axis(self, boxes: Sequence[float], axis: str, widths: ArrayLike | None = None) -> Array:
        """Place objects one after the other along an axis, ``x`` or ``y``, and anywhere on the other: centres (n, 2).

        Args:
            boxes: Side of each object.
            axis: The axis they are packed on.
            widths: What each takes of the axis, where that is not its side.
        """
        margin = 0.0 if self.published else place.GAP / 2
        sides = np.asarray(boxes, dtype=np.float64)
        low, high = sides / 2 + margin, 1 - sides / 2 - margin
        if (low > high).any() and not self.published:
            raise CannotPlace
        across = self.rng.uniform(np.minimum(low, high), np.maximum(low, high))
        along = self.pack(sides if widths is None else widths)
        return np.stack([along, across] if axis == "x" else [across, along], axis=1)

    def inside(self, outer: Shape, sizes: ArrayLike, size: float = 1.0) -> Array:
        """Find places (C, n, 2) for boxes inside a shape, in units of its side; see :func:`place.inside`."""
        return place.inside(self.rng, outer.points, sizes, size=size, strict=not self.published)

    def split(self, groups: int, total: int, least: int = 1) -> list[int]:
        """Share a total among groups at random, each at least so much."""
        return place.split(self.rng, groups, total, least)

    def clump(
        self,
        shapes: Sequence[Shape],
        sizes: Sequence[float],
        directions: Sequence[float] | None = None,
        angles: Sequence[float] | None = None,
        flips: Sequence[bool] | None = None,
    ) -> tuple[Array, Array]:
        """Push objects together: centres (n, 2) around the clump's middle, and its width and height (2,)."""
        n = len(shapes)
        turns = zip(shapes, sizes, angles or [0.0] * n, flips or [False] * n, strict=True)
        lines = [size * turned(shape.points, angle, flip) for shape, size, angle, flip in turns]
        return contact.clump(self.rng, lines, directions, strict=not self.published)

    # Images

    def image(
        self,
        shapes: Sequence[Shape],
        sizes: Sequence[float],
        centres: ArrayLike,
        colours: Sequence[Colour],
        angles: Sequence[float] | None = None,
        flips: Sequence[bool] | None = None,
    ) -> Image:
        """Make an image of as many things as there are shapes."""
        n = len(shapes)
        places = np.asarray(centres, dtype=np.float64).reshape(n, 2).tolist()
        columns: tuple[Sequence[Any], ...] = (shapes, sizes, places, colours, angles or [0.0] * n, flips or [False] * n)
        return tuple(
            Thing(shape, float(size), x, y, colour, float(angle), bool(flip))
            for shape, size, (x, y), colour, angle, flip in zip(*columns, strict=True)
        )

    def drawn(self, images: Sequence[Image], kind: str) -> Drawn:
        """Return an attempt: three references, the odd image, and how it is odd."""
        a, b, c, odd = images
        return Drawn((a, b, c, odd), kind)
