"""A drawing in px, from the top left, that becomes SVG: Matplotlib writes it, and what does not belong into a page is taken out.

Text never reaches Matplotlib: it would read mathematics into it and look for glyphs. Numbers of the texts stand in their places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markupsafe import Markup

from .colours import SENTINELS, VARIABLES
from .words import clean

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.transforms import Transform

SIZE = 12.0
"""Px of text that has no size of its own."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height."""

_LEAST = 0.8
"""Part of its natural width below which a drawing is not shrunk, but scrolled: text stays legible on phones."""

_BASELINE = 0.35
"""How far below the middle of a line of text its baseline lies, in parts of its size."""

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "genbench",
    "font.family": ["DejaVu Sans"],
    "text.usetex": False,
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
    "path.effects": [],
    "path.sketch": None,
    "hatch.linewidth": 2.0,
}
"""All that is not said to each artist itself; people's own settings must not change a report."""


@dataclass(frozen=True)
class _Shape:
    """Polygons or lines that look alike."""

    parts: tuple[tuple[Point, ...], ...]
    is_closed: bool
    fill: str
    stroke: str
    width: float
    dashes: tuple[float, ...]
    alpha: float
    is_round: bool
    hatch: str
    clip: Box | None


@dataclass(frozen=True)
class _Words:
    """A line of text."""

    x: float
    y: float
    text: str
    size: float
    anchor: str
    colour: str
    is_bold: bool
    angle: float
    has_halo: bool


class Canvas:
    """What is drawn, in order: later things lie over earlier ones. Colours are names of `colours.NAMES` or #rrggbb."""

    def __init__(self) -> None:
        self._things: list[_Shape | _Words] = []

    def boxes(self, boxes: Sequence[Box], fill: str, *, stroke: str = "", hatch: str = "", alpha: float = 1.0) -> None:
        """Draw rectangles that look alike."""
        parts = [((x, y), (x + w, y), (x + w, y + h), (x, y + h)) for x, y, w, h in boxes]
        self.polygons(parts, fill, stroke=stroke, hatch=hatch, alpha=alpha)

    def polygons(
        self,
        parts: Sequence[Sequence[Point]],
        fill: str,
        *,
        stroke: str = "",
        width: float = 1.0,
        hatch: str = "",
        alpha: float = 1.0,
        clip: Box | None = None,
    ) -> None:
        """Draw closed polygons that look alike."""
        if parts:
            shape = tuple(tuple(part) for part in parts)
            self._things.append(_Shape(shape, True, fill, stroke, width, (), alpha, False, hatch, clip))

    def lines(
        self,
        parts: Sequence[Sequence[Point]],
        stroke: str,
        *,
        width: float = 1.0,
        dashes: Sequence[float] = (),
        alpha: float = 1.0,
        is_round: bool = False,
        clip: Box | None = None,
    ) -> None:
        """Draw open lines that look alike. A line of no length with round ends is a dot of `width` px."""
        if parts:
            shape = tuple(tuple(part) for part in parts)
            self._things.append(_Shape(shape, False, "", stroke, width, tuple(dashes), alpha, is_round, "", clip))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = SIZE,
        anchor: str = "start",
        colour: str = "ink",
        is_bold: bool = False,
        angle: float = 0.0,
        has_halo: bool = False,
    ) -> None:
        """Write a line of text.

        Args:
            x: Where it begins, or has its middle or end, as `anchor` says.
            y: Its middle.
            text: Any text; it is cleaned and escaped.
            size: Px.
            anchor: ``"start"``, ``"middle"`` or ``"end"``.
            colour: Its colour.
            is_bold: Whether it is bold.
            angle: Degrees by which it is turned, against the clock.
            has_halo: Whether it stands out from lines below it.
        """
        if text:
            self._things.append(_Words(x, y, clean(text), size, anchor, colour, is_bold, angle, has_halo))

    def add(self, other: Canvas) -> None:
        """Lay another drawing, of the same places, over this one."""
        self._things += other._things

    def svg(self, width: float, height: float, title: str, name: str) -> Markup:
        """Write the drawing as an element <svg> of a page.

        Args:
            width: Natural width in px: it is never drawn larger.
            height: Height in px.
            title: What it shows, for those who cannot see it.
            name: Begins all ids: letters, digits, ``-`` and ``_``.
        """
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.transforms import Affine2D

        width, height = round(width + 0.5), round(height + 0.5)
        with rc_context(_SETTINGS):
            figure = Figure(figsize=(width / 72, height / 72), dpi=72, frameon=False)
            flip = Affine2D().scale(1, -1).translate(0, height)
            for place, thing in enumerate(self._things):
                figure.add_artist(_artist(thing, place, flip))
            file = BytesIO()
            unsaid = dict.fromkeys(("Creator", "Date", "Format", "Type"))
            FigureCanvasSVG(figure).print_svg(file, metadata=unsaid)  # type: ignore[no-untyped-call]
        root = Element("svg", _root_attributes(width, height, clean(title)))
        ElementTree.SubElement(root, "title").text = clean(title)
        root.extend(self._elements(ElementTree.fromstring(file.getvalue()), name))
        # What ElementTree has written is escaped.
        return Markup(ElementTree.tostring(root, encoding="unicode"))

    def _elements(self, parent: Element, name: str) -> list[Element]:
        """Take over what is drawn: groups are dissolved, ids renamed, texts and colours put in."""
        found = []
        for child in parent:
            tag = child.tag.rpartition("}")[2]
            if tag in ("metadata", "style"):
                continue
            if tag == "g" or (tag == "defs" and not parent.tag.endswith("pattern")):
                inner = self._elements(child, name)
                if tag == "g" or not inner:
                    found += inner
                    continue
                element = Element("defs")
                element.extend(inner)
            elif tag == "text":
                element = _words_element(self._things[int(child.text or "")], child)
            else:
                element = Element(tag, _attributes(child, name))
                element.extend(self._elements(child, name))
            found.append(element)
        return found


def _root_attributes(width: float, height: float, title: str) -> dict[str, str]:
    return {
        "class": "genbench-plot",
        "viewBox": f"0 0 {width} {height}",
        "style": f"width:100%;max-width:{width}px;min-width:{round(width * _LEAST)}px",
        "role": "img",
        "aria-label": title,
        "font-size": _short(SIZE),
        "stroke-linejoin": "round",
    }


def _artist(thing: _Shape | _Words, place: int, flip: Transform) -> Artist:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox, TransformedBbox

    if isinstance(thing, _Words):
        ends = {"start": "left", "middle": "center", "end": "right"}
        return Text(
            thing.x,
            thing.y,
            str(place),
            size=thing.size,
            horizontalalignment=ends[thing.anchor],  # type: ignore[arg-type]
            verticalalignment="baseline",
            rotation=thing.angle,
            rotation_mode="anchor",
            parse_math=False,
            transform=flip,
        )
    points: list[Point] = []
    codes: list[Any] = []
    for part in thing.parts:
        points += part
        codes += [Path.MOVETO] + [Path.LINETO] * (len(part) - 1)
        if thing.is_closed:
            points.append(part[0])
            codes.append(Path.CLOSEPOLY)
    path = Path(points, codes)
    path.should_simplify = False
    patch = PathPatch(
        path,
        facecolor=(_colour(thing.fill), thing.alpha) if thing.fill else "none",
        edgecolor=_edge(thing),
        fill=bool(thing.fill),
        linewidth=thing.width if thing.stroke and not thing.hatch else 0.0,
        # The lengths are px here, and parts of the width there.
        linestyle=(0, [dash / thing.width for dash in thing.dashes]) if thing.dashes else "solid",
        capstyle="round" if thing.is_round else "butt",
        joinstyle="round",
        hatch=thing.hatch or None,
        transform=flip,
    )
    if thing.clip:
        x, y, w, h = thing.clip
        patch.set_clip_box(TransformedBbox(Bbox([[x, y], [x + w, y + h]]), flip))
    return patch


def _edge(shape: _Shape) -> Any:
    """Choose the colour of the edge, which is that of a pattern too."""
    if shape.hatch:
        return _colour("surface")
    return (_colour(shape.stroke), 1.0 if shape.is_closed else shape.alpha) if shape.stroke else "none"


def _colour(name: str) -> str:
    return SENTINELS.get(name, name)


def _words_element(words: _Shape | _Words, written: Element) -> Element:
    assert isinstance(words, _Words)
    slant = 0.0 if words.angle else _BASELINE * words.size
    x, y = _short(words.x), _short(words.y + slant)
    element = Element("text", {"x": x, "y": y})
    if words.angle:
        element.set("transform", f"rotate({_short(-words.angle)} {x} {y})")
        element.set("dy", "0.35em")
    if words.size != SIZE:
        element.set("font-size", _short(words.size))
    if words.anchor != "start":
        element.set("text-anchor", words.anchor)
    if words.is_bold:
        element.set("font-weight", "600")
    colour = _colour(words.colour)
    halo = ";paint-order:stroke;stroke:var(--genbench-surface);stroke-width:3px" if words.has_halo else ""
    element.set("style", f"fill:{VARIABLES.get(colour, colour)}{halo}")
    element.text = words.text
    return element


def _attributes(written: Element, name: str) -> dict[str, str]:
    """Rename ids and what refers to them, put variables for colours and round numbers."""
    kept: dict[str, str] = {}
    styles = [part.strip() for part in written.get("style", "").split(";") if part.strip()]
    for key, value in written.attrib.items():
        key = key.rpartition("}")[2]
        if key == "style":
            continue
        if key in ("fill", "stroke"):  # variables hold in styles only
            styles.append(f"{key}: {value}")
        elif key == "d":
            kept[key] = _path(value)
        elif key == "id":
            # Only what is referred to has to keep its id: clip paths and patterns.
            if not written.tag.endswith("path") or written.tag.endswith("clipPath"):
                kept[key] = f"{name}-{value}"
        else:
            kept[key] = value.replace("url(#", f"url(#{name}-")
    if styles:
        kept["style"] = ";".join(_style(part, name) for part in styles)
    return kept


def _style(text: str, name: str) -> str:
    key, _, value = text.partition(":")
    value = value.strip().replace("url(#", f"url(#{name}-")
    return f"{key}:{VARIABLES.get(value, value)}"


_STEP = re.compile(r"([MLCQz])([^MLCQz]*)")


def _path(written: str) -> str:
    """Write a path in fewer letters: with a decimal of a px, lines along an axis by their end."""
    short = []
    last = ("", "")
    for letter, numbers in _STEP.findall(written):
        places = [_short(float(number)) for number in numbers.split()]
        if letter == "L" and places[1] == last[1]:
            short.append(f"H{places[0]}")
        elif letter == "L" and places[0] == last[0]:
            short.append(f"V{places[1]}")
        else:
            short.append(letter + " ".join(places))
        if places:
            last = (places[-2], places[-1])
    return "".join(short)


def _short(number: float) -> str:
    return f"{round(number, 1) + 0.0:g}"
