"""Join results documents: shards of one run, or a subset that was run again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ..errors import DocumentError
from .schema import CUT_SHORT, Case, Document


def merge(documents: Sequence[Document], *, allow_mixed: bool = False) -> Document:
    """Join the documents of one model's run.

    Args:
        documents: At least one; of cases with the same key the later one wins.
        allow_mixed: Join results of different models all the same.

    Returns:
        All cases, and the united lists of expected splits; what was skipped or broken, unless a later document has a case of it or
        another reason; and the notes of all, but for those of :data:`~.schema.CUT_SHORT`: whether the whole is complete is another
        question. It has no aggregates: what a shard said about a family is no longer true, so they are to be judged again.

    Raises:
        DocumentError: No documents, or documents of different models.
    """
    if not documents:
        raise DocumentError("There is nothing to merge; name at least one results document.")
    cases = {case.key: case for document in documents for case in document.cases}
    if not allow_mixed:
        check_one_model(documents, list(cases.values()))
    joined = documents[0]
    for document in documents[1:]:
        joined = _join(joined, document)
    return Document(
        cases=tuple(cases[key] for key in sorted(cases)),
        expected=joined.expected,
        skipped=joined.skipped,
        broken=joined.broken,
        notes=tuple(note for note in joined.notes if not note.startswith(CUT_SHORT)),
        environment=joined.environment,
        model=joined.model,
        created=joined.created,
        commit=joined.commit,
    )


def update(existing: Document, new: Document) -> Document:
    """Bring a saved document up to date with a run that may have been a part of it.

    Cases are replaced by key and none is deleted. Each case names its own model files, so that a changed file is no
    reason to throw away a finished run; the document's own model is the new one. :func:`check_one_model` says whether
    the result is of one model. Aggregates are left out, as in :func:`merge`. How a run ended is said of the new one alone.
    """
    ended = tuple(note for note in new.notes if note.startswith(CUT_SHORT))
    joined = merge([existing, new], allow_mixed=True)
    return replace(joined, notes=joined.notes + ended)


def _join(one: Document, two: Document) -> Document:
    """Join what describes the runs; the later one wins."""
    expected = {
        name: tuple(dict.fromkeys(chain(one.expected.get(name, ()), two.expected.get(name, ()))))
        for name in chain(one.expected, two.expected)
    }
    return Document(
        expected=expected,
        skipped={**_still(one.skipped, two), **two.skipped},
        broken={**_still(one.broken, two), **two.broken},
        notes=tuple(dict.fromkeys(chain(one.notes, two.notes))),
        environment={**one.environment, **two.environment},
        model=two.model or one.model,
        created=two.created or one.created,
        commit=two.commit or one.commit,
    )


def _still(entries: Mapping[str, str], later: Document) -> dict[str, str]:
    """Choose the tests of which a later document says nothing: no case, no reason of its own.

    The name of a test begins with benchmark, family and split; what it asks for may follow after a space.
    """
    evaluated: dict[str, set[str]] = {}
    for case in later.cases:
        evaluated.setdefault(f"{case.benchmark}/{case.family}/{case.split}", set()).add(case.output)
    still = {}
    for name, reason in entries.items():
        test, _, asked = name.partition(" ")
        found = evaluated.get(test, set())
        is_evaluated = bool(found.intersection(re.split(r"[ ,]+", asked)) if asked else found)
        if not is_evaluated and name not in later.skipped and name not in later.broken:
            still[name] = reason
    return still


def model_name(document: Document) -> str:
    """Say which model a document is of; the same one with another budget or readout is another model."""
    parts = [f"{key} {document.model[key]}" for key in ("budget", "probe") if document.model.get(key)]
    return ", ".join([str(document.model["spec"]), *parts])


def check_one_model(documents: Sequence[Document], cases: Sequence[Case]) -> None:
    """Refuse documents of different models, as far as the documents can tell.

    Raises:
        DocumentError: They name different models, or a file of the model changed between their cases.
    """
    specs = [model_name(document) for document in documents if document.model.get("spec")]
    is_one_file = all(spec.endswith(".onnx") and "{" not in spec for spec in specs)
    # The same file may lie in another folder on another machine; whether it is the same is said by its hash.
    names = [re.split(r"[\\/]", spec)[-1] if is_one_file else spec for spec in specs]
    for name in names[1:]:
        if name != names[0]:
            raise DocumentError(
                f"These documents are of different models: {names[0]} and {name}. "
                "Merge the runs of one model, or allow it."
            )
    # One file for all splits has to be the same file everywhere; one file per split, only within that split.
    files: dict[tuple[str, ...], Case] = {}
    for case in cases:
        place = () if is_one_file and specs else (case.benchmark, case.version, case.preset, case.split, str(case.seed))
        other = files.setdefault(place, case)
        ours, theirs = case.model.get("files") or {}, other.model.get("files") or {}
        changed = sorted(name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name])
        if changed:
            raise DocumentError(
                f"{changed[0]} has changed between the runs: {case.split} ({case.output}) and "
                f"{other.split} ({other.output}) saw different contents. Run one of them again, or allow it."
            )
