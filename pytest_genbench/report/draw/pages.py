"""Figures that are HTML: pictures, text, and panels beside each other."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache

from jinja2 import Environment
from jinja2.environment import Template
from markupsafe import Markup

from ...figures import Gallery, Text
from .words import clean

_LEAST, _MOST = 72, 320
"""Px of the longer side of a picture: smaller ones are enlarged by whole numbers, larger ones made smaller."""

_GALLERY = """<ul class="genbench-gallery">
{%- for caption, pictures in strips %}<li>{% if caption %}<p>{{ caption }}</p>{% endif %}<ul>
{%- for picture in pictures %}<li style="width:{{ picture.width }}px"><img src="data:image/png;base64,{{ picture.data }}"
 width="{{ picture.width }}" height="{{ picture.height }}" alt="{{ picture.alt }}">
{%- if picture.caption %}<span>{{ picture.caption }}</span>{% endif %}</li>{% endfor %}</ul></li>{% endfor %}</ul>"""

# The first line break of <pre> is not shown, whether the text begins with one or not.
_TEXT = '<pre class="genbench-text">\n{{ text }}</pre>'

_SCROLLED = '<div class="genbench-scroll">{{ body }}</div>'

_PANELS = """<div class="genbench-panels">
{%- for title, note, body in panels %}<figure><figcaption>{{ title }}{% if note %}<small>{{ note }}</small>{% endif %}</figcaption>
{{- body }}</figure>{% endfor %}</div>"""


def gallery(figure: Gallery) -> Markup:
    """List strips of pictures, each picture an element <img> that carries its file."""
    strips = [
        (clean(strip.caption), [_picture(picture.png, picture.caption, picture.alt) for picture in strip.pictures])
        for strip in figure.strips
    ]
    return Markup(_template(_GALLERY).render(strips=strips))


def text(figure: Text) -> Markup:
    """Show text as it is."""
    return Markup(_template(_TEXT).render(text=clean(figure.text, keep_lines=True)))


def nothing() -> Markup:
    """Say that there is nothing to see."""
    return Markup('<p class="genbench-nothing">no values</p>')


def scrolled(body: Markup) -> Markup:
    """Put a drawing where it can be scrolled if the page is narrow."""
    return Markup(_template(_SCROLLED).render(body=body))


def panels(parts: Sequence[tuple[str, str, Markup]]) -> Markup:
    """Put figures beside each other, each with its title and note."""
    made = [(clean(title), clean(note), body) for title, note, body in parts]
    return Markup(_template(_PANELS).render(panels=made))


def _picture(png: bytes, caption: str, alt: str) -> dict[str, str | int]:
    wide, tall = _size(png)
    longest = max(wide, tall, 1)
    scale = float(-(-_LEAST // longest)) if longest < _LEAST else min(1.0, _MOST / longest)
    return {
        "data": b64encode(png).decode(),
        "width": round(wide * scale),
        "height": round(tall * scale),
        "caption": clean(caption),
        "alt": clean(alt or caption),
    }


def _size(png: bytes) -> tuple[int, int]:
    """Read width and height from the beginning of a PNG file; of anything else nothing is known."""
    if png[:8] != b"\x89PNG\r\n\x1a\n" or len(png) < 24:
        return _LEAST, _LEAST
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


@cache
def _template(source: str) -> Template:
    return Environment(autoescape=True).from_string(source)
