"""The report: one HTML page that needs nothing else, made from a results document.

There is no script in it and nothing is fetched: a policy in its head forbids both, so that no name of a model or file can do harm.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..benchmarks import Benchmark, Illustrates, get
from ..errors import DocumentError, GenbenchError
from ..figures import Figure
from ..results.io import check_writable, from_json, to_json, write_text
from ..results.schema import Case, Document
from .failures import gallery
from .tables import tables, verdict_line
from .view import Card, Listed, cards, facts, left_out, listed
from .view import anchor as anchored

if TYPE_CHECKING:
    from markupsafe import Markup

MARK = "<!-- genbench report -->"
"""Stands in the second line of each report, so that only a report is ever overwritten by one."""

WORDS = (
    (
        "split",
        "What training never showed: a letter at a position, a value of a factor. Each split is a test of its own.",
    ),
    (
        "score",
        "The mean over held-out items, from 0 to 1 unless the metric is another; in-split is the same on training items.",
    ),
    (
        "interval",
        "95 % interval, of the sample that was evaluated or over training seeds. A census evaluated everything there is.",
    ),
    (
        "gate",
        "What a score must clear. Passed: the score (or the lower end of its interval) does; failed: the upper end does not.",
    ),
    ("inconclusive", "The interval spans the gate; more items or seeds would tell."),
    (
        "anchors",
        "What trivial models, published models and people score on the same split: what a score is to be read by.",
    ),
    ("exposure", "Whether the model may have seen what is held out, as far as it declares what it was trained on."),
    ("code size", "Numbers through which a reconstruction passed. Copying the input reconstructs everything."),
)


@dataclass(frozen=True)
class Drawn:
    """A figure with its body drawn, and the same as numbers where there are any."""

    title: str
    note: str
    body: Markup
    numbers: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None


@dataclass(frozen=True)
class Plain:
    """A table of text, with lines below it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    @property
    def is_number(self) -> list[bool]:
        """Whether each column holds numbers, which are aligned to the right."""
        cells = zip(*self.rows, strict=True) if self.rows else [[] for _ in self.columns]
        return [all(cell[:1] in ("", *"+-0123456789") for cell in column) and any(column) for column in cells]


@dataclass(frozen=True)
class Section:
    """A part of the page; what it lacks is left out."""

    title: str
    anchor: str
    lead: str = ""
    cards: Sequence[Card] = ()
    facts: Sequence[tuple[str, Sequence[str]]] = ()
    figures: Sequence[Drawn] = ()
    tables: Sequence[Any] = ()
    plain: Sequence[Plain] = ()
    lines: Sequence[str] = ()
    left: Sequence[tuple[str, str, Sequence[str]]] = ()
    words: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Page:
    """A page: `verdict` is empty where nothing is judged."""

    title: str
    kind: str
    heading: str
    sections: Sequence[Section]
    verdict: str = ""
    line: str = ""
    notes: Sequence[str] = ()
    footer: str = ""


@dataclass
class Artist:
    """Draws figures, each under a name of its own; what cannot be drawn is told, and the rest of the page stands."""

    problems: list[str] = field(default_factory=list)
    _count: int = 0

    def draw(self, figures: Callable[[], Iterable[Figure | None]], what: str) -> list[Drawn]:
        """Draw figures that are made on the way; an error ends them."""
        drawn = []
        try:
            drawn += [self.one(figure) for figure in figures() if figure is not None]
        except Exception as error:  # results that were hours in the making are not lost to a figure
            kind = "" if isinstance(error, GenbenchError) else f"{type(error).__name__}: "
            self.problems.append(f"{what} could not be drawn: {kind}{error}")
        return drawn

    def one(self, figure: Figure) -> Drawn:
        """Draw a figure."""
        from .draw import draw, numbers

        self._count += 1
        return Drawn(figure.title, figure.note, draw(figure, f"f{self._count}"), numbers(figure))


@dataclass(frozen=True)
class _Table:
    """A table with its failures."""

    listed: Listed
    failures: Drawn | None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.listed, name)


def page(document: Document, *, baseline: Document | None = None, known: Mapping[str, Benchmark] | None = None) -> str:
    """Write a document as a page.

    Args:
        document: What a run found.
        baseline: Another document whose scores stand beside.
        known: Benchmarks by name that cannot be had by their name alone, such as somebody's own table.

    Returns:
        HTML.

    Raises:
        DocumentError: The document holds what no file can.
    """
    # As it comes back from a file, so that a page made later is the same: there, entries of mappings are sorted.
    document = from_json(to_json(document), "this run")
    artist, found = Artist(), tables(document)
    line, green = verdict_line(document)
    parts = [Section("Summary", "summary", cards=cards(document, found), facts=facts(document, found))]
    parts += _of_benchmarks(document, listed(document, found, baseline), known or {}, artist)
    if left := left_out(document):
        parts.append(Section("Without a verdict", "left", left=left))
    parts.append(Section("How to read this page", "words", words=WORDS))
    spec = str(document.model.get("spec") or "a model without a name")
    is_judged = any(case.gates for case in document.cases) or bool(document.aggregates)
    verdict = "not passed" if not green else "passed" if is_judged else "not gated"
    return render(
        Page(
            title=f"{spec}: {verdict}",
            kind="genbench: does it generalise?",
            heading=spec,
            sections=parts,
            verdict=verdict,
            line=line,
            notes=(*document.notes, *artist.problems),
        )
    )


def _of_benchmarks(
    document: Document, found: Sequence[Listed], known: Mapping[str, Benchmark], artist: Artist
) -> list[Section]:
    """A section for each benchmark and preset: its figures, then its tables with their failures."""
    kinds: dict[tuple[str, str, str], list[Case]] = {}
    for case in document.cases:
        kinds.setdefault((case.benchmark, case.version, case.preset), []).append(case)
    sections = []
    for (name, version, preset), cases in kinds.items():
        benchmark = benchmark_of(name, version, preset, known, artist)
        figures: list[Drawn] = []
        if isinstance(benchmark, Illustrates):
            figures = artist.draw(partial(benchmark.figures, cases), f"figures of {name}")
        own = [each for each in found if each.benchmark == name and f"({preset})" in each.table.title]
        sections.append(
            Section(
                f"{name} ({preset})",
                anchored((name, version, preset)),
                figures=figures,
                tables=[_Table(each, _failures(each, benchmark, artist)) for each in own],
            )
        )
    return sections


def benchmark_of(
    name: str, version: str, preset: str, known: Mapping[str, Benchmark], artist: Artist
) -> Benchmark | None:
    """Find the benchmark that results are of; None, and a line for the reader, where it cannot be had."""
    try:
        found = known[name] if name in known else get(name, preset)
    except GenbenchError as error:
        artist.problems.append(f"no pictures of {name} ({preset}): {error}")
        return None
    if (found.version, found.preset) == (version, preset):
        return found
    artist.problems.append(
        f"no pictures of {name} {version} ({preset}): here is {found.name} {found.version} ({found.preset})"
    )
    return None


def _failures(each: Listed, benchmark: Benchmark | None, artist: Artist) -> Drawn | None:
    if benchmark is None or not any(case.failures for case in each.table.cases):
        return None
    drawn = artist.draw(lambda: [gallery(each.table.cases, benchmark)], f"failures of {each.table.title}")
    return drawn[0] if drawn else None


def render(content: Page) -> str:
    """Fill the template; all text is escaped."""
    text: str = _template().render(page=content, css=_styles(), generator=f"pytest-genbench {__version__}")
    return text


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(files(__package__).joinpath("page.html").read_text("utf-8"))


@cache
def _styles() -> Markup:
    from markupsafe import Markup

    from .draw import FIGURE_CSS

    # Each by itself: adding marked text to plain text would escape the plain one.
    return Markup(files(__package__).joinpath("page.css").read_text("utf-8")) + Markup(FIGURE_CSS)


def check_target(path: str | os.PathLike[str]) -> None:
    """Say early that a report could not be written.

    Raises:
        DocumentError: The name does not end with ``.html``, the place cannot be written to, or there is a file that is no report.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise DocumentError(f"{path}: a report is an HTML file; name it so, as in report.html.")
    check_writable(path)
    if target.exists() and MARK not in target.read_text("utf-8", errors="replace")[:200]:
        raise DocumentError(f"{path}: exists already and is no report of genbench; choose another file.")


def write_page(path: str | os.PathLike[str], content: str) -> None:
    """Write a page so that readers see the old one or the new, never a part.

    Raises:
        DocumentError: See :func:`check_target`; or it cannot be written, and what was there before is still there.
    """
    check_target(path)
    write_text(path, content)
