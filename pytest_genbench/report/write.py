"""``genbench report``: write results documents as a page, whichever page they call for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..benchmarks import Benchmark, get, names
from ..errors import DocumentError, OptionError
from ..results.history import history, read_folder
from ..results.io import read
from ..results.models import chosen, read_models
from ..results.schema import Document
from ..results.writing import count, printable
from . import html
from .several import history_page, models_page


def write_report(
    paths: Sequence[Path],
    out: Path,
    baseline: Path | None = None,
    *,
    against: str = "",
    own: Sequence[Path] = (),
    data: Path | None = None,
) -> str:
    """Write a page of one document, of several as models side by side, or of a folder of them as trends.

    Args:
        paths: Results documents, or one folder.
        out: The page; an older report of that name is overwritten, and nothing else.
        baseline: A document whose scores stand beside those of one other.
        against: Name or file of the model that the others are held against; empty for the first.
        own: Descriptions of people's own tables, for pictures.
        data: Folder of the publishers' data files, for pictures.

    Returns:
        A line that says what was written.

    Raises:
        GenbenchError: A document or description cannot be read, or the page cannot be written.
    """
    html.check_target(out)
    if baseline is not None and (len(paths) > 1 or paths[0].is_dir()):
        raise OptionError("--baseline stands beside one document; several are compared with each other as they are.")
    if against and len(paths) < 2:
        raise OptionError("--against chooses among several models; name their documents.")
    if data is not None and not data.is_dir():
        raise OptionError(f"--data: {data} is no folder; give the one that the publishers' files are in.")
    if len(paths) > 1 and any(path.is_dir() for path in paths):
        raise OptionError("A folder of documents is shown by itself, over time; name no other documents.")
    if len(paths) > 1:
        return _models(paths, out, against, _known(own), data)
    if paths[0].is_dir():
        documents, notes = read_folder(paths[0])
        html.write_page(out, history_page(history(documents, notes=notes), str(paths[0])))
        return f"{out}: {count(len(documents), 'document')} of {paths[0]}"
    document = read(paths[0])
    older = None if baseline is None else read(baseline)
    known = _known(own) | _from_files([document], data)
    html.write_page(out, html.page(document, baseline=older, known=known))
    return f"{out}: {count(len(document.cases), 'score')} of {printable(str(document.model.get('spec') or 'a model'))}"


def _models(paths: Sequence[Path], out: Path, against: str, known: dict[str, Benchmark], data: Path | None) -> str:
    models, files, notes = read_models(paths)
    if len(models) < 2:
        raise DocumentError(" ".join(["A comparison of models needs two documents or more.", *notes]))
    known |= _from_files(models.values(), data)
    html.write_page(
        out, models_page(models, against=chosen(against, models, files) if against else "", notes=notes, known=known)
    )
    return f"{out}: {len(models)} models"


def _known(own: Sequence[Path]) -> dict[str, Benchmark]:
    return {found.name: found for found in (get(str(path)) for path in own)}


def _from_files(documents: Iterable[Document], data: Path | None) -> dict[str, Benchmark]:
    """Benchmarks whose images are read from files."""
    if data is None:
        return {}
    kinds = {(case.benchmark, case.preset) for document in documents for case in document.cases}
    return {name: get(name, preset, data) for name, preset in kinds if name in names()}
