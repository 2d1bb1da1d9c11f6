"""Renew a baseline on purpose: what a newer run found takes the place of what it holds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..errors import DocumentError
from . import io
from .compare import TOLERANCE, Comparison, Status, compare, render, with_origins
from .merge import update
from .schema import AggregateResult, Case, Document
from .writing import count, escaped, printable

_LISTED = 5


@dataclass(frozen=True)
class Renewed:
    """A baseline that was brought up to date.

    Attributes:
        document: What it holds now.
        kept: Cases that the newer run does not have, and that stay.
        superseded: Cases that are left out, because the newer run has the same test at another preset or version.
    """

    document: Document
    kept: tuple[Case, ...]
    superseded: tuple[Case, ...]


def accept(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    tolerance: float = TOLERANCE,
    markdown: bool = False,
    everything: bool = False,
) -> str:
    """Compare a run with a baseline, then write what it found into that baseline, in one step or not at all.

    Args:
        old: Path of the baseline; where there is none, the run becomes the first.
        new: Path of the run.
        tolerance: As in :func:`~pytest_genbench.results.compare.compare`.
        markdown: As in :func:`~pytest_genbench.results.compare.render`.
        everything: As in :func:`~pytest_genbench.results.compare.render`.

    Returns:
        The comparison, and lines that say what was accepted.

    Raises:
        DocumentError: A document cannot be read, the baseline cannot be written, or the run cannot be accepted: it has no cases, or
            tests that ended without a result, or is of another kind (see :func:`renew`). The baseline is then as it was.
    """
    write = escaped if markdown else printable
    between = "\n\n" if markdown else "\n"
    after = io.read(new)
    _check_whole(after, os.fspath(new))
    if not os.path.lexists(old):
        io.write(old, after)
        return write(
            f"accepted: {os.fspath(old)} is new, and holds the {count(len(after.cases), 'case')} of {os.fspath(new)}."
        )
    if os.path.realpath(old) == os.path.realpath(new):
        raise DocumentError(f"{os.fspath(new)} is the baseline itself; name the run that is to be accepted.")
    before = io.read(old)
    renewed = renew(before, after)
    comparison = compare(before, after, tolerance)
    text = with_origins(
        [("old", old, before), ("new", new, after)],
        render(comparison, markdown=markdown, everything=everything),
        markdown,
    )
    io.write(old, renewed.document)
    lines = _lines(comparison, renewed, before, after, os.fspath(old))
    return "\n\n".join([text, between.join(map(write, lines))])


def renew(old: Document, new: Document) -> Renewed:
    """Bring a baseline up to date with a run: cases by key, those of the run win.

    A case that only the baseline has stays, unless it is superseded: the run has the same test at another version of the same
    preset, or at another preset where the baseline has it at that one alone. A baseline may hold several presets on purpose.
    Aggregates stay where all cases of their family are of one of the two documents; the others would have to be judged again.

    Raises:
        DocumentError: The two have no test in common, or were made with another budget or readout.
    """
    _check_same_kind(old, new)
    superseded = _superseded(old, new)
    gone = {case.key for case in superseded}
    joined = update(replace(old, cases=tuple(case for case in old.cases if case.key not in gone)), new)
    there = {_family(case) for case in joined.cases}
    left = {_family(case) for case in superseded} - there
    fresh = {case.key for case in new.cases}
    kept = tuple(case for case in joined.cases if case.key not in fresh)
    by_new = {_family(case) for case in new.cases}
    by_old = {_family(case) for case in kept}
    aggregates = [a for a in old.aggregates if _family(a) in by_old - by_new]
    aggregates += [a for a in new.aggregates if _family(a) in by_new - by_old]
    expected = {name: slugs for name, slugs in joined.expected.items() if name not in left}
    return Renewed(replace(joined, expected=expected, aggregates=tuple(aggregates)), kept, superseded)


def _check_whole(new: Document, name: str) -> None:
    if new.broken:
        listed = "; ".join(f"{test}: {reason}" for test, reason in sorted(new.broken.items())[:3])
        more = f"; and {len(new.broken) - 3} more" if len(new.broken) > 3 else ""
        raise DocumentError(
            f"{name}: {count(len(new.broken), 'test')} ended without a result ({printable(listed)}{more}), so it is no baseline. "
            "Mend these and run it again. Nothing was written."
        )
    if not any(case.scores for case in new.cases):
        raise DocumentError(f"{name}: holds no scores, so it is no baseline. Nothing was written.")


def _check_same_kind(old: Document, new: Document) -> None:
    for what in ("budget", "probe"):
        was, now = old.model.get(what) or "none", new.model.get(what) or "none"
        if old.cases and was != now:
            raise DocumentError(
                f"The baseline was made with the {what} {was}, the run with {now}; that is another kind of run. "
                "Save it as a baseline of its own. Nothing was written."
            )
    if old.cases and not {_test(case) for case in old.cases} & {_test(case) for case in new.cases}:
        raise DocumentError(
            "The baseline and the run have no test in common; that is another kind of run. Join them with genbench merge, "
            "or save it as a baseline of its own. Nothing was written."
        )


def _superseded(old: Document, new: Document) -> tuple[Case, ...]:
    """Find the cases of a baseline whose place is taken by one at another preset or version."""
    fresh, there = {case.key for case in new.cases}, {case.key for case in old.cases}
    left: dict[tuple[str, ...], list[Case]] = {}
    for case in old.cases:
        if case.key not in fresh:
            left.setdefault(_test(case), []).append(case)
    found: dict[tuple[str, ...], Case] = {}
    for case in new.cases:
        candidates = left.get(_test(case), []) if case.key not in there else []
        at_home = [other for other in candidates if other.preset == case.preset]
        if at_home or len({other.preset for other in candidates}) == 1:
            found.update({other.key: other for other in at_home or candidates})
    return tuple(found[key] for key in sorted(found))


def _test(case: Case) -> tuple[str, ...]:
    return (case.benchmark, case.family, case.split, case.factor, case.output, str(case.seed))


def _family(each: Case | AggregateResult) -> str:
    return "/".join((each.benchmark, each.preset, each.family, each.output))


def _lines(comparison: Comparison, renewed: Renewed, before: Document, after: Document, path: str) -> list[str]:
    """Say what was accepted."""
    statuses: tuple[Status, ...] = ("regressed", "improved", "same", "not comparable")
    counts = [f"{len(comparison.having(status))} {status}" for status in statuses]
    lines = [
        f"accepted: {path} now holds the {count(len(after.cases), 'case')} of the new document; "
        f"scores: {', '.join(counts)}, {len(comparison.only_new)} new"
    ]
    was, now = before.model.get("spec"), after.model.get("spec")
    if was != now:
        lines.append(f"another model: {was or 'not named'} before, {now or 'not named'} now")
    for what, cases in (("kept, as only the old one has them", renewed.kept), ("superseded", renewed.superseded)):
        if cases:
            lines.append(f"{what}: {_named(cases)}")
    return lines


def _named(cases: Iterable[Case]) -> str:
    names = [f"{case.benchmark} ({case.preset}, version {case.version}) {case.split} {case.output}" for case in cases]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
