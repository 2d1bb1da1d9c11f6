"""The report: one HTML page that needs nothing else, made from a results document.

There is no script in it and nothing is fetched: a policy in its head forbids both, so that no name of a model or file can do harm.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..benchmarks import Benchmark, Illustrates, get
from ..errors import DocumentError, GenbenchError
from ..figures import Figure
from ..results.io import check_writable, from_json, to_json, write_text
from ..results.schema import CUT_SHORT, Case, Document
from ..results.writing import count
from .cards import Group, about, groups, message
from .failures import gallery, worst
from .glossary import VERDICTS, WORDS
from .tables import benchmark_title, tables, verdict_line
from .view import Listed, facts, left_out, listed
from .view import anchor as anchored

if TYPE_CHECKING:
    from markupsafe import Markup

MARK = "<!-- genbench report -->"
"""Stands in the second line of each report, so that only a report is ever overwritten by one."""

_FEW = 2
"""Cards that leave room beside them."""

_LONG = 24
"""Rows of a table above which it is folded where figures show the same."""

_MOST = 250
"""Rows of numbers below a figure; clouds of more points have none, they are in the document."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*( to [+-]?\d[\d.,]*| \(\d+\)| = \d+| [a-z]+)?")
"""A number, an interval, ranks that are equal, or a number and a word."""


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
        return [all(not cell or _NUMBER.fullmatch(cell) for cell in column) and any(column) for column in cells]


@dataclass(frozen=True)
class Section:
    """A part of the page; what it lacks is left out."""

    title: str
    anchor: str
    groups: Sequence[Group] = ()
    worst: Drawn | None = None
    facts: Sequence[tuple[str, Sequence[str]]] = ()
    figures: Sequence[Drawn] = ()
    tables: Sequence[Listed] = ()
    plain: Sequence[Plain] = ()
    lines: Sequence[str] = ()
    left: Sequence[tuple[str, str, Sequence[str]]] = ()
    words: Sequence[tuple[str, str]] = ()

    @property
    def is_narrow(self) -> bool:
        """Whether there are so few cards that pictures have room beside them."""
        return sum(len(group.cards) for group in self.groups) <= _FEW


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        title: What browsers call it.
        kind: Which kind of page it is.
        heading: What it is about.
        sections: Its parts.
        verdict: The verdict; empty where nothing is judged.
        line: The verdict in numbers.
        message: By verdict what has it.
        about: What was done, in a few words each.
        notes: What a reader should know.
    """

    title: str
    kind: str
    heading: str
    sections: Sequence[Section]
    verdict: str = ""
    line: str = ""
    message: Sequence[tuple[str, str]] = ()
    about: Sequence[str] = ()
    notes: Sequence[str] = ()


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
        body, found = draw(figure, f"f{self._count}"), numbers(figure)
        is_long = found is not None and len(found[1]) > _MOST
        return Drawn(figure.title, figure.note, body, None if is_long else found)


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
    whole = from_json(to_json(document), "this run")
    document = _scored(whole)
    artist, found = Artist(), tables(document)
    line, green = verdict_line(whole)
    drawn = _Benchmarks(known or {}, artist)
    parts = _of_benchmarks(document, listed(document, found, baseline), drawn)
    top = groups(document, found)
    summary = [Section("Summary", "summary", groups=top, worst=drawn.worst(document))] if top else []
    parts = [*summary, *parts]
    if left := left_out(document):
        parts.append(Section("Without a verdict", "left", left=left))
    parts.append(Section("This run", "run", facts=facts(document, found, baseline)))
    parts.append(Section("How to read this page", "words", words=WORDS))
    spec = str(document.model.get("spec") or "a model without a name")
    verdict = verdict_of(whole, green)
    return render(
        Page(
            title=f"{spec}: {verdict}",
            kind="genbench: does it generalise?",
            heading=spec,
            sections=parts,
            verdict=verdict,
            line=line,
            message=message(found),
            about=about(document, found),
            notes=(*document.notes, *artist.problems),
        )
    )


def verdict_of(document: Document, green: bool) -> str:
    """Say in a word or two how a run ended; `green` as of :func:`~pytest_genbench.report.tables.verdict_line`."""
    if green:
        is_judged = any(case.gates for case in document.cases) or bool(document.aggregates)
        return "passed" if is_judged else "not gated"
    if not document.cases and not document.broken:
        return "nothing tested"
    verdicts: set[str] = {case.verdict for case in document.cases}
    verdicts |= {each.verdict for each in document.aggregates}
    is_open = "inconclusive" in verdicts and verdicts <= {"passed", "inconclusive", "not evaluated"}
    is_whole = not document.broken and not any(note.startswith(CUT_SHORT) for note in document.notes)
    return "inconclusive" if is_open and is_whole else "not passed"


@dataclass
class _Benchmarks:
    """The benchmarks that results are of, each looked for once."""

    known: Mapping[str, Benchmark]
    artist: Artist
    _found: dict[tuple[str, str, str], Benchmark | None] = field(default_factory=dict)

    def of(self, case: Case) -> Benchmark | None:
        """Find the benchmark of a case."""
        kind = _kind(case)
        if kind not in self._found:
            self._found[kind] = benchmark_of(*kind, self.known, self.artist)
        return self._found[kind]

    def worst(self, document: Document) -> Drawn | None:
        """Draw a few of the worst failures of what has not passed."""
        cases = [case for case in document.cases if case.verdict != "passed" and case.failures]
        drawn = self.artist.draw(lambda: [worst(cases, self.of)], "the worst failures")
        return drawn[0] if drawn else None


def _scored(document: Document) -> Document:
    """Leave out cases without a score, which no run makes, and say so; they count for the verdict all the same."""
    scored = tuple(case for case in document.cases if case.scores)
    without = len(document.cases) - len(scored)
    if not without:
        return document
    return replace(
        document, cases=scored, notes=(*document.notes, f"left out: {count(without, 'case')} without a score")
    )


def _kind(case: Case) -> tuple[str, str, str]:
    """Benchmark, version and preset."""
    return (case.benchmark, case.version, case.preset)


def _of_benchmarks(document: Document, found: Sequence[Listed], known: _Benchmarks) -> list[Section]:
    """A section for each benchmark and preset: its figures, then its tables with their failures."""
    kinds: dict[tuple[str, str, str], list[Case]] = {}
    for case in document.cases:
        kinds.setdefault(_kind(case), []).append(case)
    sections = []
    for (name, version, preset), cases in kinds.items():
        benchmark = known.of(cases[0])
        figures: list[Drawn] = []
        if isinstance(benchmark, Illustrates):
            figures = known.artist.draw(partial(benchmark.figures, cases), f"figures of {name}")
        versions = [kind[1] for kind in kinds if kind[0] == name and kind[2] == preset]
        called = benchmark_title(name, version, preset, is_one=len(versions) == 1)
        own = [each for each in found if each.table.cases and _kind(each.table.cases[0]) == (name, version, preset)]
        if version == versions[-1]:
            # What cases of several families say together is not told apart by version.
            own += [e for e in found if not e.table.cases and e.table.title.startswith(f"{name} ({preset}), ")]
        sections.append(
            Section(
                called,
                anchored((name, version, preset)),
                figures=figures,
                tables=[
                    replace(
                        each,
                        title=each.table.title.removeprefix(f"{called}, ").replace("_", " "),
                        failures=_failures(each, benchmark, known.artist),
                        is_folded=bool(figures) and (len(each.table.rows) > _LONG or not each.scales),
                    )
                    for each in own
                ],
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
    text: str = _template().render(
        page=content, css=_styles(), verdicts=VERDICTS, generator=f"pytest-genbench {__version__}"
    )
    return text


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_visible
    )
    return environment.from_string(files(__package__).joinpath("page.html").read_text("utf-8"))


def _visible(value: object) -> object:
    """Replace what no page may hold, such as a terminal's escape, by a space; what is drawn has none."""
    return "".join(c if c.isprintable() or c in "\n\t" else " " for c in value) if type(value) is str else value


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
