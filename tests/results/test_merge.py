"""Joining documents: by key, nothing deleted, never two models by accident."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import DocumentError
from pytest_genbench.results.merge import merge, update
from pytest_genbench.results.schema import Case, Document

from .documents import DOCUMENTS, case, score

OLD, NEW = score(0.5), score(0.6)


def keys(document: Document) -> list[tuple[str, ...]]:
    return [one.key for one in document.cases]


def by_key(document: Document) -> dict[tuple[str, ...], Case]:
    return {one.key: one for one in document.cases}


def test_later_one_wins() -> None:
    merged = merge([Document(cases=(case(OLD), case(OLD, split="a"))), Document(cases=(case(NEW),))])
    assert [(one.split, one.scores[0].value) for one in merged.cases] == [("a", 0.5), ("compositional-B5", 0.6)]


def test_expected_splits_are_united_in_order() -> None:
    merged = merge([Document(expected={"f": ("s1", "s2")}), Document(expected={"f": ("s2", "s3"), "g": ("s1",)})])
    assert merged.expected == {"f": ("s1", "s2", "s3"), "g": ("s1",)}


def test_later_description_wins() -> None:
    one = Document(environment={"python": "3.11", "torch": "2.10"}, created="1", commit="a", model={"spec": "m.onnx"})
    merged = merge([one, Document(environment={"python": "3.12"}, created="2")])
    assert merged.environment == {"python": "3.12", "torch": "2.10"}
    assert (merged.created, merged.commit, merged.model) == ("2", "a", {"spec": "m.onnx"})


LENGTH = "comporth/length/length-1"


def test_reasons_stay_until_there_is_a_case_or_another_reason() -> None:
    old = Document(
        skipped={LENGTH: "exposed", f"{LENGTH}0": "exposed", f"{LENGTH} recognition": "no output", "x/y/z": "no data"},
        broken={f"{LENGTH} reconstruction": "crashed", "a/b/c": "out of memory"},
        notes=("old", "both"),
    )
    new = Document(
        cases=(case(NEW, family="length", split="length-1", output="reconstruction"),),
        skipped={"a/b/c": "no data"},
        broken={"x/y/z": "crashed"},
        notes=("both", "new"),
    )
    merged = merge([old, new])
    assert merged.skipped == {f"{LENGTH}0": "exposed", f"{LENGTH} recognition": "no output", "a/b/c": "no data"}
    assert merged.broken == {"x/y/z": "crashed"}
    assert merged.notes == ("old", "both", "new")


def test_a_reason_that_is_newer_than_a_case_stays() -> None:
    merged = merge(
        [Document(cases=(case(OLD, family="length", split="length-1"),)), Document(skipped={LENGTH: "exposed"})]
    )
    assert (len(merged.cases), merged.skipped) == (1, {LENGTH: "exposed"})


def test_a_test_of_several_tasks_is_evaluated_by_one_of_them() -> None:
    old = Document(skipped={f"{LENGTH} recognition, embedding": "no output"})
    assert (
        update(old, Document(cases=(case(NEW, family="length", split="length-1", output="recognition"),))).skipped == {}
    )


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_merge_is_associative_and_idempotent(a: Document, b: Document, c: Document) -> None:
    def join(*documents: Document) -> Document:
        return merge(documents, allow_mixed=True)

    assert join(join(a, b), c) == join(a, join(b, c)) == join(a, b, c)
    assert join(a, a) == join(a)
    assert keys(join(a, b)) == keys(join(b, a)) == sorted(keys(join(a, b)))


@given(DOCUMENTS, DOCUMENTS)
def test_update_deletes_nothing(existing: Document, new: Document) -> None:
    updated = by_key(update(existing, new))
    assert updated == {**by_key(existing), **by_key(new)}
    assert update(existing, Document()).cases == existing.cases


@given(DOCUMENTS, st.data())
def test_saving_a_subset_again_changes_nothing(document: Document, data: st.DataObject) -> None:
    subset = data.draw(st.lists(st.sampled_from(document.cases), unique_by=id)) if document.cases else []
    assert update(document, replace(document, cases=tuple(subset))).cases == document.cases


def test_how_a_run_ended_is_not_said_of_a_later_one_or_of_the_whole() -> None:
    stopped = Document(cases=(case(),), notes=("INTERRUPTED: stopped", "range assumed"))
    ended = Document(cases=(case(),), notes=("range assumed",))
    assert update(stopped, ended).notes == merge([ended, stopped]).notes == ("range assumed",)
    assert update(ended, stopped).notes == ("range assumed", "INTERRUPTED: stopped")


def test_nothing_to_merge() -> None:
    with pytest.raises(DocumentError, match="nothing to merge"):
        merge([])


def spec(name: str, *cases: Case) -> Document:
    return Document(cases=cases, model={"spec": name})


def test_different_models_are_refused() -> None:
    with pytest.raises(DocumentError, match=r"different models: a\.onnx and b\.onnx"):
        merge([spec("a.onnx"), spec("b.onnx")])
    assert merge([spec("a.onnx"), spec("b.onnx")], allow_mixed=True).model == {"spec": "b.onnx"}
    with pytest.raises(DocumentError, match=r"different models"):
        merge([spec("runs/1/{split}.onnx"), spec("runs/2/{split}.onnx")])


def test_same_file_may_lie_elsewhere() -> None:
    assert merge([spec("/ci/1/m.onnx"), spec("C:\\ci\\2\\m.onnx")]).model == {"spec": "C:\\ci\\2\\m.onnx"}


def test_changed_file_is_refused() -> None:
    one = case(split="a", model={"files": {"m.onnx": "abc"}})
    two = case(split="b", model={"files": {"m.onnx": "xyz"}})
    with pytest.raises(DocumentError, match=r"m\.onnx has changed between the runs: b .* and a "):
        merge([spec("m.onnx", one), spec("m.onnx", two)])
    # With a file for each split they are different files, which may have the same name.
    assert len(merge([spec("{split}/m.onnx", one), spec("{split}/m.onnx", two)]).cases) == 2


def test_file_of_one_split_changed_between_tasks() -> None:
    one = case(output="reconstruction", model={"files": {"m.onnx": "abc"}})
    two = case(output="recognition", model={"files": {"m.onnx": "xyz"}})
    with pytest.raises(DocumentError, match=r"m\.onnx has changed"):
        merge([spec("{split}.onnx", one), spec("{split}.onnx", two)])


def test_a_split_run_again_with_another_file_is_not_mixed() -> None:
    one, two = case(model={"files": {"m.onnx": "abc"}}), case(model={"files": {"m.onnx": "xyz"}})
    assert merge([spec("m.onnx", one), spec("m.onnx", two)]).cases == (two,)
