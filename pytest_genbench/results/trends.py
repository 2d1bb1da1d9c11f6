"""A folder of documents over time, written down: a line for each score, with a spark line of its values."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from .compare import TOLERANCE
from .history import History, Point, Trend, history, read_folder
from .writing import Page, Table

BLOCKS = "▁▂▃▄▅▆▇█"
"""Levels of a spark line, from the lowest."""

MISSING = "·"
"""Where a document does not have the score."""

_DIGITS = "12345678"
_LONGEST = 40
_LEAST = 0.1
"""A spark line spans at least this much, or this share of the largest value: smaller wiggles are not to look like falls."""


def compare_folder(
    folder: str | os.PathLike[str], *, tolerance: float = TOLERANCE, markdown: bool = False, plain: bool = False
) -> tuple[str, int]:
    """Show how the scores of a folder of documents went.

    Args:
        folder: Holds results documents.
        tolerance: As in :func:`~pytest_genbench.results.history.history`.
        markdown: Write a Markdown table instead of an aligned plain one.
        plain: Draw spark lines with digits, for where block characters cannot be shown.

    Returns:
        The text, and the exit status: 1 where the last change of a score is a regression, else 0.

    Raises:
        DocumentError: The folder cannot be read, or holds no results document.
    """
    documents, notes = read_folder(folder)
    found = history(documents, tolerance, notes)
    return render(found, os.fspath(folder), markdown=markdown, plain=plain), found.exit_status


def render(found: History, folder: str, *, markdown: bool = False, plain: bool = False) -> str:
    """Write a history as a table with one verdict line at its end; arguments as in :func:`compare_folder`."""
    page = Page(markdown)
    first, last = (
        f"{name} ({date})" if date else name for name, date in zip(_ends(found.files), _ends(found.dates), strict=True)
    )
    if len(found.files) == 1:
        page.lines([f"{folder} holds one document, {first}: there is nothing yet to compare it with."])
    else:
        page.lines([f"{folder}: {len(found.files)} documents, from {first} to {last}"])
    page.table(rows(found, plain))
    page.lines([*changes(found), *found.notes])
    counts = Counter(trend.change for trend in found.trends if not trend.is_aggregate)
    head = "regressed" if found.regressed else "no regression" if counts else "no scores"
    parts = [f"{counts[change]} {change}" for change in ("regressed", "improved", "same", "not comparable", "new")]
    page.strong(f"{head}: {', '.join(parts)}; last change of each score, tolerance {found.tolerance:g}")
    return page.text()


def rows(found: History, plain: bool = False) -> Table:
    """Make a row for each trend, headings first."""
    headings = ("score", "documents", "first", "before", "last", "change", "gate", "verdict", "trend")
    return [headings, *(_cells(trend, len(found.files), plain) for trend in found.trends)]


def changes(found: History) -> Iterator[str]:
    """Say what changed in between, document by document: other model files, and what broke trends off."""
    scores = [trend for trend in found.trends if not trend.is_aggregate]
    for at, name in enumerate(found.files):
        here = [point for trend in scores for point in trend.points if point.at == at]
        changed = sum(bool(point.model) for point in here)
        if changed:
            yield f"{name}: other model files in {changed} of {len(here)} scores"
        for reason, number in Counter(point.broke for point in here if point.broke).items():
            yield f"{name}: {number} of {len(here)} scores break off: {reason}"
    gone = [trend.title for trend in scores if trend.points[-1].at < len(found.files) - 1]
    if gone:
        more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
        yield f"not in the last document: {', '.join(gone[:3])}{more}"


def spark(points: Sequence[Point], documents: int, plain: bool = False) -> str:
    """Draw values as characters, one for each document, the last 40 of them; ``|`` before a value that cannot be compared.

    Args:
        points: By time.
        documents: How many documents there are.
        plain: Use digits, from 1 for the lowest to 8, and a full stop for a document without a value.
    """
    levels, missing = (_DIGITS, ".") if plain else (BLOCKS, MISSING)
    low, high = min(point.value for point in points), max(point.value for point in points)
    span = max(high - low, _LEAST * max(1.0, abs(low), abs(high)))
    low = (low + high - span) / 2
    there = {point.at: point for point in points}
    drawn = []
    for at in range(max(0, documents - _LONGEST), documents):
        point = there.get(at)
        if point is None:
            drawn.append(missing)
        else:
            # Rounding errors of the middle would go down or up by chance.
            level = min(int((point.value - low) / span * len(levels) + 1e-9), len(levels) - 1)
            drawn.append(("|" if point.broke else "") + levels[max(level, 0)])
    return "".join(drawn)


def _ends(names: Sequence[str]) -> tuple[str, str]:
    return names[0], names[-1]


def _cells(trend: Trend, documents: int, plain: bool) -> tuple[str, ...]:
    points, step = trend.points, trend.step
    said = [] if step is None else [f"{step:+.4f}"]
    said += [] if trend.change == "new" else [trend.change]
    return (
        trend.title,
        str(len(points)),
        f"{points[0].value:.4f}",
        f"{points[-2].value:.4f}" if len(points) > 1 else "",
        f"{points[-1].value:.4f}",
        " ".join(said),
        ", ".join(f"{bound:g}" for bound in points[-1].bounds),
        points[-1].verdict,
        spark(points, documents, plain),
    )
