"""Several models side by side: what each scores, and whether the codes that are better disentangled generalise better."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..errors import DocumentError, MetricError
from ..scores import title
from . import io
from .compare import aligned, markdown_rows
from .indomain import alike, downstream
from .schema import Case, Document

LOSS, MIR_ALL, MIR_LETTERS = "excess_bce", "mir_all", "mir_letters"
"""What models are chosen by (Bianchi et al. 2024, figure 2A), and what is held against accuracy (figure A.5)."""


@dataclass(frozen=True)
class Entry:
    """One model of the comparison.

    Attributes:
        name: What it is called: the model under test, and the file where two documents have the same one.
        document: Its results.
    """

    name: str
    document: Document

    def means(self) -> Mapping[str, float]:
        """Mean of the headline scores over the splits and seeds of each family, by ``benchmark family, output: metric``."""
        found: dict[str, list[float]] = {}
        for case in self.document.cases:
            if case.scores:
                head = case.scores[0]
                name = f"{case.benchmark} ({case.preset}) {case.family}, {case.output}: {title(head.metric)}"
                found.setdefault(name, []).append(head.value)
        return {name: fmean(values) for name, values in found.items()}

    def mean(self, metric: str) -> float | None:
        """Mean of a metric over all codes that were scored; None where there is none."""
        values = [score.value for case in self._codes() if (score := case.score(metric)) is not None]
        return fmean(values) if values else None

    def points(self) -> Iterator[tuple[float, float]]:
        """Pairs of MIR (letters) and accuracy of reconstruction on what was held out, for each split and seed that has both."""
        read = {
            (case.split, case.seed): case.scores[0].value
            for case in self.document.cases
            if case.output == "reconstruction" and case.scores
        }
        for case in self._codes():
            score = case.score(MIR_LETTERS)
            if score is not None and (case.split, case.seed) in read:
                yield score.value, read[case.split, case.seed]

    def _codes(self) -> Iterator[Case]:
        return (case for case in self.document.cases if case.output == "disentanglement")


def compare_models(paths: Sequence[str | os.PathLike[str]], *, markdown: bool = False) -> str:
    """Compare the models of several documents.

    Args:
        paths: A results document of each model, two or more.
        markdown: Write Markdown tables instead of aligned plain ones.

    Returns:
        A table of mean scores; and where the documents hold codes of CompOrth, which models lie on the Pareto front of
        reconstruction loss and MIR, and how MIR and accuracy of the models on it go together (Bianchi et al. 2024, sections 3.2.2
        and 4.4); where they hold answers to single unseen factors, how alike these are, and where they hold codes of the in-domain
        benchmark, how DCI and what is read from the code go together (Schott et al. 2022, sections 5.3 and 5.4).

    Raises:
        DocumentError: A document cannot be read, or there are fewer than two.
    """
    if len(paths) < 2:
        raise DocumentError("A comparison of models needs two documents or more.")
    entries = _entries(paths)
    write = markdown_rows if markdown else aligned
    blocks = ["\n".join(write(_scores(entries)))]
    front = _front(entries)
    if front:
        rows = [("model", "excess bce", "MIR, all factors", "on the Pareto front")]
        rows += [(each.name, f"{loss:.2f}", f"{mir:.3f}", "yes" if is_on else "no") for each, loss, mir, is_on in front]
        blocks.append("\n".join(write(rows)))
    for heading, table in alike([(each.name, each.document.cases) for each in entries]):
        blocks.append("\n".join([heading, *write(table)]))
    lines = [
        _correlation([each for each, _, _, is_on in front if is_on] or entries, bool(front)),
        downstream([each.document.cases for each in entries]),
    ]
    return "\n\n".join([*blocks, *filter(None, lines)])


def _entries(paths: Sequence[str | os.PathLike[str]]) -> list[Entry]:
    documents = [io.read(path) for path in paths]
    specs = [
        str(document.model.get("spec") or os.fspath(path)) for path, document in zip(paths, documents, strict=True)
    ]
    names = [
        f"{spec} ({os.fspath(path)})" if specs.count(spec) > 1 else spec
        for path, spec in zip(paths, specs, strict=True)
    ]
    return [Entry(name, document) for name, document in zip(names, documents, strict=True)]


def _scores(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """A row for each kind of score, a column for each model."""
    means = [each.means() for each in entries]
    names = dict.fromkeys(name for each in means for name in each)
    rows = [("mean score", *(each.name for each in entries))]
    rows += [(name, *("" if name not in each else f"{each[name]:.3f}" for each in means)) for name in names]
    return rows


def _front(entries: Sequence[Entry]) -> list[tuple[Entry, float, float, bool]]:
    """Models with loss and MIR, and whether no other model is better in both."""
    from ..metrics import pareto_front

    known = [
        (each, loss, mir)
        for each in entries
        if (loss := each.mean(LOSS)) is not None and (mir := each.mean(MIR_ALL)) is not None
    ]
    if len(known) < 2:
        return []
    is_on = pareto_front([(-loss, mir) for _, loss, mir in known])
    return [(*each, bool(on)) for each, on in zip(known, is_on, strict=True)]


def _correlation(entries: Sequence[Entry], chosen: bool) -> str:
    """Say how MIR and accuracy go together over models and splits; empty where the documents hold no such pairs."""
    from ..metrics import correlation

    points = [point for each in entries for point in each.points()]
    if not points:
        return ""
    who = "the models on the front" if chosen else "these models"
    head = f"MIR (letters) against accuracy of reconstruction, {len(points)} pairs of {who} and their splits: "
    try:
        found = correlation([mir for mir, _ in points], [accuracy for _, accuracy in points])
    except MetricError as error:
        return head + f"no correlation ({error})"
    published = "published: 0.13 (p = 0.26), Bianchi et al. 2024, section 4.4; 0.12 (p = 0.30) in figure A.5"
    return f"{head}Pearson {found.rho:+.2f} (p = {found.p:.2g}); {published}"
