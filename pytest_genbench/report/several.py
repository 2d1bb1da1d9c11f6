"""Pages of several results documents: models side by side, and how the scores of a folder went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ..benchmarks import Benchmark, Contrasts
from ..results import figures as model_figures
from ..results import trend_figures
from ..results.contrast import Contrast, contrast
from ..results.history import History
from ..results.models import remarks, tables_of
from ..results.schema import Case, Document
from ..results.trends import changes, rows
from ..results.writing import count
from .html import Artist, Drawn, Page, Plain, Section, benchmark_of, render, verdict_of
from .tables import verdict_line
from .view import anchor

Kind = tuple[str, str, str]
"""Benchmark, version and preset."""

_FEW = 4
"""Models that are named in the heading; more are counted, and named in the first table."""

_NAMED = 6
"""Scores that are named at the head of a page."""


def models_page(
    models: Mapping[str, Document],
    *,
    against: str = "",
    notes: Sequence[str] = (),
    known: Mapping[str, Benchmark] | None = None,
) -> str:
    """Write the documents of several models as a page.

    Args:
        models: Documents by the name of their model.
        against: The model that the others are held against; empty for the first.
        notes: What a reader should know.
        known: As in :func:`~pytest_genbench.report.html.page`.

    Returns:
        HTML.

    Raises:
        DocumentError: Fewer than two of the documents have scores, or none is called `against`.
    """
    found, artist = contrast(models, against), Artist()
    tables = [Plain(title, table[0], table[1:], below) for title, table, below in tables_of(found, models) if table[1:]]
    parts = [
        Section("Models", "models", plain=[_models(models, found)]),
        Section(
            "Side by side",
            "side",
            figures=artist.draw(partial(model_figures.figures, found), "the comparison"),
            plain=tables,
            lines=remarks(found, models),
        ),
        *_of_benchmarks({name: models[name] for name in found.models}, known or {}, artist),
    ]
    return render(
        Page(
            title=f"{len(found.models)} models side by side",
            kind="genbench: models side by side",
            heading=", ".join(found.models) if len(found.models) <= _FEW else f"{len(found.models)} models",
            sections=parts,
            line=f"{_best(found)}Differences are to {found.against}.",
            notes=(*notes, *found.notes, *artist.problems),
        )
    )


def _best(found: Contrast) -> str:
    """Name the models of the best mean rank; nothing where they were not ranked over the same suites."""
    ranks = {name: rank for name in found.models if (rank := found.mean_rank(name)) is not None}
    if len(ranks) < len(found.models) or len({suites for _, suites in ranks.values()}) > 1:
        return ""
    best, suites = min(ranks.values())
    first = [name for name, (rank, _) in ranks.items() if rank == best]
    return f"Best mean rank: {', '.join(first)} ({best:.2f} over {count(suites, 'suite')}). "


def _models(models: Mapping[str, Document], found: Contrast) -> Plain:
    table = []
    for name, document in models.items():
        line, green = verdict_line(document)
        rank = found.mean_rank(name) if name in found.models else None
        sizes = sorted({f"{each.numbers:,}" for each in found.sizes if each.model == name})
        table.append(
            (
                name,
                verdict_of(document, green),
                line,
                "" if rank is None else f"{rank[0]:.2f} ({rank[1]})",
                ", ".join(sizes),
                document.created[:10],
            )
        )
    columns = ("model", "verdict", "scores", "mean rank (suites)", "code size", "date")
    there = [place for place in range(len(columns)) if any(row[place] for row in table)]
    return Plain("", [columns[place] for place in there], [[row[place] for place in there] for row in table])


def _of_benchmarks(models: Mapping[str, Document], known: Mapping[str, Benchmark], artist: Artist) -> Iterator[Section]:
    """A section for each benchmark that has figures of several models."""
    kinds: dict[Kind, dict[str, list[Case]]] = {}
    for name, document in models.items():
        for case in document.cases:
            kinds.setdefault((case.benchmark, case.version, case.preset), {}).setdefault(name, []).append(case)
    for kind, cases in sorted(kinds.items()):
        if len(cases) < 2:
            continue
        benchmark = benchmark_of(*kind, known, artist)
        drawn: list[Drawn] = []
        if isinstance(benchmark, Contrasts):
            drawn = artist.draw(partial(benchmark.contrasts, cases), f"figures of {kind[0]}")
        if drawn:
            yield Section(f"{kind[0]} ({kind[2]})", anchor(kind), figures=drawn)


def history_page(found: History, folder: str) -> str:
    """Write how scores went over the documents of a folder as a page.

    Args:
        found: See :func:`~pytest_genbench.results.history.history`.
        folder: What to call it.

    Returns:
        HTML.
    """
    artist, (headings, *lines) = Artist(), rows(found)
    regressed, scores = len(found.regressed), [trend for trend in found.trends if not trend.is_aggregate]
    dates = [date[:10] for date in (found.dates[0], found.dates[-1]) if date]
    return render(
        Page(
            title=f"{folder}: scores over time",
            kind="genbench: scores over time",
            heading=folder,
            verdict="regressed" if regressed else "no regression",
            line=f"{count(len(found.files), 'document')}{', ' + ' to '.join(dates) if dates else ''}; "
            f"{count(len(scores), 'score')}, {regressed} of which regressed last; tolerance {found.tolerance:g}",
            message=[("regressed", _named(found))] if regressed else [],
            sections=[
                Section("Trends", "trends", figures=artist.draw(partial(trend_figures.figures, found), "the trends")),
                Section("Scores", "scores", plain=[Plain("", headings, lines, tuple(changes(found)))]),
            ],
            notes=(*found.notes, *artist.problems),
        )
    )


def _named(found: History) -> str:
    """Name what regressed, the greatest loss first, as far as a line goes."""
    worst = sorted(found.regressed, key=lambda trend: -abs(trend.step or 0.0))
    named = [f"{trend.suite[0]} {trend.name} ({trend.step or 0.0:+.3f})" for trend in worst[:_NAMED]]
    return ", ".join([*named, *([f"{len(worst) - _NAMED} more"] if len(worst) > _NAMED else [])])
