"""Several models side by side, written down: means, differences, ranks; do better disentangled codes generalise better?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..errors import DocumentError, nearest
from . import io
from .codes import correlated
from .contrast import Contrast, Versus, contrast
from .indomain import alike, downstream
from .kinds import titles
from .merge import model_name
from .schema import Document
from .writing import Page, Table, printable

Path = str | os.PathLike[str]

_INTERVALS = (
    "Intervals: 95 %, of the paired difference; of several splits both splits and clusters are resampled, of several seeds it is "
    "Student's t over them; * where 0 is not in it. They are not corrected for their number."
)
_RANKS = (
    "1 = 2 is the second, whose difference to the first is within chance. "
    "A mean rank is over the suites that a model has (how many)."
)


def compare_models(paths: Sequence[Path], *, markdown: bool = False, against: str = "") -> tuple[str, int]:
    """Compare the models of several documents.

    Args:
        paths: A results document of each model, two or more.
        markdown: Write Markdown tables instead of aligned plain ones.
        against: Name or file of the model that the others are held against; empty for the first.

    Returns:
        The text: tables of mean scores, of paired differences, of ranks, of code sizes; where the documents hold codes of CompOrth,
        which models lie on the Pareto front of reconstruction loss and MIR, and how MIR and accuracy of the models on it go
        together (Bianchi et al. 2024, sections 3.2.2 and 4.4); where they hold answers to single unseen factors, how alike these
        are; and where they hold codes of the in-domain benchmark, how DCI and what is read from the code go together (Schott et al.
        2022, sections 5.3 and 5.4). And the exit status: 2 where nothing could be compared, else 0.

    Raises:
        DocumentError: A document cannot be read, there are fewer than two with scores, or none of them is called `against`.
    """
    models, files, notes = read_models(paths)
    if len(models) < 2:
        raise DocumentError(" ".join(["A comparison of models needs two documents or more.", *notes]))
    found = contrast(models, chosen(against, models, files) if against else "")
    page = Page(markdown)
    for title, table, below in tables_of(found, models):
        page.table(table, title, below)
    page.lines([*remarks(found, models), *notes, *found.notes])
    if found.is_empty:
        page.strong("nothing was comparable: no two of these models have the same kind of score")
    return page.text(), 2 if found.is_empty else 0


def read_models(paths: Sequence[Path]) -> tuple[dict[str, Document], dict[str, Path], list[str]]:
    """Read documents, each of another model, and name the models.

    Args:
        paths: Results documents. One that is listed again counts once.

    Returns:
        The documents by the name of their model, in order: what was tested, with budget and readout where that tells them apart, or
        else with its file; the path of each; and lines on what a reader should know.

    Raises:
        DocumentError: A document cannot be read.
    """
    files: dict[str, Path] = {}
    for path in paths:
        files.setdefault(os.path.realpath(path), path)
    again = Counter(map(os.path.realpath, paths))
    notes = [
        f"{os.fspath(path)} is listed {again[real]} times; it counts once."
        for real, path in files.items()
        if again[real] > 1
    ]
    documents = [(path, io.read(path)) for path in files.values()]
    specs = [str(document.model.get("spec") or os.fspath(path)) for path, document in documents]
    longer = [model_name(each) if each.model.get("spec") else os.fspath(path) for path, each in documents]
    models: dict[str, Document] = {}
    named: dict[str, Path] = {}
    for (path, document), spec, long in zip(documents, specs, longer, strict=True):
        name = spec if specs.count(spec) == 1 else long if longer.count(long) == 1 else f"{spec} ({os.fspath(path)})"
        models[name], named[name] = document, path
    for long in dict.fromkeys(longer):
        if longer.count(long) > 1:
            which = ", ".join(
                os.fspath(path) for (path, _), each in zip(documents, longer, strict=True) if each == long
            )
            notes.append(f"{long} is there {longer.count(long)} times: {which}.")
    return models, named, notes


def chosen(wanted: str, models: Mapping[str, Document], files: Mapping[str, Path]) -> str:
    """Find a model by its name, by what was tested, or by its file.

    Args:
        wanted: One of these.
        models: As of :func:`read_models`, as is `files`.
        files: The path of each.

    Raises:
        DocumentError: None is called that, or several are.
    """
    if wanted in models:
        return wanted
    by_file = [name for name, path in files.items() if os.path.realpath(path) == os.path.realpath(wanted)]
    by_spec = [name for name, document in models.items() if document.model.get("spec") == wanted]
    found = by_file or by_spec
    if not found:
        raise DocumentError(
            f"--against {wanted}: none of these models or files is called that.{nearest(wanted, models)}"
        )
    if len(found) > 1:
        raise DocumentError(printable(f"--against {wanted} could be {' or '.join(found)}; name the file."))
    return found[0]


def tables_of(found: Contrast, models: Mapping[str, Document]) -> Iterator[tuple[str, Table, Sequence[str]]]:
    """Make the tables of a comparison of models: a title, which may be empty, rows with headings first, and lines below.

    One without rows below its headings is to be left out.

    Args:
        found: The comparison.
        models: The documents that it is of.
    """
    called = titles(found.means)
    rows: list[tuple[str, ...]] = [("mean score", *found.models)]
    for kind, means in found.means.items():
        rows.append((called[kind], *("" if name not in means else f"{means[name]:.3f}" for name in found.models)))
    yield "", rows, []
    compared = list(dict.fromkeys(each.model for each in found.differences))
    for name in compared:
        rows = [("difference", "value", "95 % interval", "over", "")]
        rows += [_cells(called[each.kind], each) for each in found.differences if each.model == name]
        yield f"{name}, compared with {found.against}", rows, [_INTERVALS] if name == compared[-1] else []
    rows = [("rank by suite", *found.models, "splits of all")]
    for ranking in found.rankings:
        ranks = [ranking.of(name) for name in found.models]
        rows.append((called[ranking.kind], *("" if rank is None else rank.text for rank in ranks), str(ranking.splits)))
    if found.rankings:
        mean_ranks = [found.mean_rank(name) for name in found.models]
        rows.append(("mean rank", *("" if mean is None else f"{mean[0]:.2f} ({mean[1]})" for mean in mean_ranks), ""))
    yield "", rows, [_RANKS]
    rows = [("code size of", "numbers", "score", "reconstruction")]
    rows += [(each.model, f"{each.numbers:,}", f"{each.score:.3f}", called[each.kind]) for each in found.sizes]
    yield "", rows, []
    rows = [("model", "excess bce", "MIR, all factors", "on the Pareto front")]
    rows += [(c.model, f"{c.loss:.2f}", f"{c.mir:.3f}", "yes" if c.is_on_front else "no") for c in found.front]
    yield "", rows, []
    for heading, similar in alike([(name, models[name].cases) for name in found.models]):
        yield heading, similar, []


def remarks(found: Contrast, models: Mapping[str, Document]) -> list[str]:
    """Say how disentanglement and generalisation go together over these models, where their documents tell."""
    chosen = {name: models[name].cases for name in found.models}
    lines = [correlated(chosen), downstream(list(chosen.values()))]
    return [line for line in lines if line]


def _cells(name: str, each: Versus) -> tuple[str, ...]:
    interval = each.interval
    standing = f"* {each.standing}" if each.is_significant else each.standing
    return (
        name,
        "" if each.value is None else f"{each.value:+.4f}",
        "" if interval is None else f"{interval.low:+.4f} to {interval.high:+.4f}",
        each.basis,
        f"{standing}: {each.note}" if each.note else standing,
    )
