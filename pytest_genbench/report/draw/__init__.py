"""Figures drawn for a page: SVG that follows the page's colours and font, pictures within the page, and text.

The style sheet `FIGURE_CSS` has to stand in the page once. What is drawn holds neither scripts nor anything from elsewhere, and the
same figure gives the same bytes.
"""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from ...figures import Bars, Curves, Density, Figure, Gallery, HeatMap, Histogram, Panels, Points, Text
from . import pages
from .numbers import Table, table

# It is the project's own file, and CSS is not escaped within <style>.
FIGURE_CSS = Markup(files("pytest_genbench.report").joinpath("figures.css").read_text(encoding="utf-8"))
"""The style that figures need: colours by light, dark and print, and how pictures and panels lie."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def draw(figure: Figure, name: str) -> Markup:
    """Draw the body of a figure, without its title and note.

    Args:
        figure: What to draw.
        name: Begins its ids, so that they are unique in the page; of any characters.

    Returns:
        An element for a page: drawings within <div>, pictures in <ul>, text in <pre>.

    Raises:
        TypeError: Nothing draws figures of this type.
        ValueError: Values and names are not as many.
    """
    return _draw(figure, _identifier(name), is_small=False)


def numbers(figure: Figure) -> Table | None:
    """Write what a figure shows as a table.

    Args:
        figure: A figure.

    Returns:
        Headings, and rows as long, as text that is not escaped yet; scores with three decimals, names in full. None where pictures
        or text are shown.
    """
    return table(figure)


def _draw(figure: Figure, name: str, *, is_small: bool) -> Markup:
    from . import bars, grids, planes

    if _is_empty(figure):
        return pages.nothing()
    match figure:
        case HeatMap():
            body = grids.heat_map(figure, name)
        case Density():
            body = grids.density(figure, name)
        case Bars():
            body = bars.bars(figure, name, is_small=is_small)
        case Histogram():
            body = bars.histogram(figure, name, is_small=is_small)
        case Curves():
            body = planes.curves(figure, name, is_small=is_small)
        case Points():
            body = planes.points(figure, name, is_small=is_small)
        case Gallery():
            return pages.gallery(figure)
        case Text():
            return pages.text(figure)
        case Panels():
            drawn = [_draw(panel, f"{name}-{n}", is_small=True) for n, panel in enumerate(figure.figures)]
            return pages.panels([(p.title, p.note, body) for p, body in zip(figure.figures, drawn, strict=True)])
        case _:
            raise TypeError(f"no figure that can be drawn: {type(figure).__name__}")
    return pages.scrolled(body)


def _is_empty(figure: Figure) -> bool:
    """Say whether there is nothing to draw, not even a gap."""
    match figure:
        case HeatMap():
            return not (figure.rows and figure.columns)
        case Density():
            return not any(map(any, figure.counts))
        case Bars():
            return not (figure.labels and (figure.series or figure.marks))
        case Histogram():
            return not any(map(any, figure.counts.values()))
        case Curves():
            return not any(line.x for line in figure.lines)
        case Points():
            return not (any(figure.groups.values()) or figure.front)
        case Gallery():
            return not any(strip.pictures for strip in figure.strips)
        case _:
            return False


def _identifier(name: str) -> str:
    """Make a name fit for ids, and different from those of other names."""
    if _NAME.fullmatch(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"figure-{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:40]}-{digest}"
