"""Comparing documents: hand-computed differences, what is never and always red, and what cannot be compared."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import DocumentError
from pytest_genbench.results import io
from pytest_genbench.results.compare import Comparison, Row, compare, compare_files, render
from pytest_genbench.results.pairing import paired, paired_seeds
from pytest_genbench.results.schema import Case, Document
from pytest_genbench.scores import Score

from .documents import DOCUMENTS, case, score

OLD = score(clusters={"A": (10, 9.0), "B": (10, 5.0)})
ALIKE = score(clusters={"A": (10, 8.0), "B": (10, 4.0)})
UNLIKE = score(clusters={"A": (10, 7.0), "B": (10, 5.0)})
CONTRACT = {"range": [0, 1], "layout": "NCHW"}


def documents(old: Score, new: Score, **changes: Any) -> tuple[Document, Document]:
    return Document(cases=(case(old),)), Document(cases=(case(new, **changes),))


def only_row(old: Score, new: Score, **changes: Any) -> Row:
    comparison = compare(*documents(old, new, **changes))
    assert len(comparison.rows) == 1
    return comparison.rows[0]


def test_drop_on_all_clusters() -> None:
    row = only_row(OLD, ALIKE)
    assert (row.old, row.new, row.status) == (0.7, 0.6, "regressed")
    assert row.difference == pytest.approx(-0.1)
    assert row.interval is not None
    assert (row.interval.low, row.interval.high) == pytest.approx((-0.1, -0.1))
    assert row.detectable == 0.005
    assert only_row(ALIKE, OLD).status == "improved"


def test_drop_on_one_of_two_clusters_may_be_chance() -> None:
    # Resamples of two clusters: A twice (-0.2), both (-0.1), B twice (0), with probabilities 1/4, 1/2, 1/4.
    row = only_row(OLD, UNLIKE)
    assert row.status == "same"
    assert row.interval is not None
    assert (row.interval.low, row.interval.high) == pytest.approx((-0.2, 0.0))
    assert row.detectable == pytest.approx(2.8 * 0.005**0.5, rel=0.05)


def test_pairing_takes_out_what_is_hard_for_both() -> None:
    # Clusters are far apart, but every one of them drops by 0.01 to 0.03.
    old = {str(c): (100, 10.0 * c) for c in range(1, 10)}
    new = {name: (100, total - 1.0 - int(name) % 3) for name, (_, total) in old.items()}
    row = only_row(score(clusters=old), score(clusters=new))
    assert row.difference == pytest.approx(-0.02)
    assert row.status == "regressed"
    assert row.detectable is not None
    assert row.detectable < 0.01


@pytest.mark.parametrize(
    ("drop", "status"), [(0.005, "same"), (0.0051, "regressed"), (0.0, "same"), (-0.01, "improved")]
)
def test_tolerance(drop: float, status: str) -> None:
    new = {name: (count, total - drop * count) for name, (count, total) in OLD.clusters.items()}
    assert only_row(OLD, score(clusters=new)).status == status


def test_lower_is_better() -> None:
    assert only_row(replace(OLD, better="lower"), replace(ALIKE, better="lower")).status == "improved"
    assert only_row(replace(ALIKE, better="lower"), replace(OLD, better="lower")).status == "regressed"


def test_only_shared_clusters_count() -> None:
    new = score(clusters={"A": (10, 8.0), "C": (10, 0.0)})
    row = only_row(OLD, new)
    assert row.difference == pytest.approx(-0.1)
    assert row.note == "over the 1 of 3 clusters that both have"


def test_without_clusters() -> None:
    old, equal, other = (score(value, clusters={}) for value in (0.9, 0.9, 0.5))
    assert only_row(old, equal).status == "same"
    row = only_row(old, other)
    assert (row.status, row.note) == (
        "not comparable",
        "no cluster is stored in both, so chance cannot be told from change",
    )


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"preset": "mini"}, "preset: published there, mini here"),
        ({"version": "2"}, "benchmark version: 1 there, 2 here"),
        ({"model": {"contract": {**CONTRACT, "range": [0, 255]}}}, "contract range: [0, 1] there, [0, 255] here"),
        ({"model": {"contract": {**CONTRACT, "mean": [0.5]}}}, "contract mean: nothing there, [0.5] here"),
        ({"preset": "mini", "version": "2"}, "preset: published there, mini here; benchmark version: 1 there, 2 here"),
    ],
)
def test_not_comparable(changes: dict[str, Any], note: str) -> None:
    row = only_row(OLD, ALIKE, **changes)
    assert (row.status, row.note, row.interval) == ("not comparable", note, None)
    assert compare(*documents(OLD, ALIKE, **changes)).exit_status == 2


def test_other_samples() -> None:
    # Where both runs took all there is, they took the same.
    assert only_row(OLD, OLD, samples=500).status == "same"
    row = only_row(OLD, replace(OLD, population=500), samples=20)
    assert (row.status, row.note) == ("not comparable", "samples: all there, 20 here")


def test_a_contract_from_memory_equals_one_from_a_file() -> None:
    model = {"contract": {"range": (0, 1), "layout": "NCHW"}, "provider": "another is fine"}
    assert only_row(OLD, OLD, model=model).status == "same"


def test_another_judge() -> None:
    row = only_row(OLD, replace(OLD, judge="published-2"))
    assert (row.status, row.note) == ("not comparable", "judge: published-1 there, published-2 here")


def test_a_second_judge_is_new_and_not_another() -> None:
    new = Document(cases=(case(OLD, replace(OLD, judge="robust-1")),))
    comparison = compare(Document(cases=(case(OLD),)), new)
    assert [row.status for row in comparison.rows] == ["same"]
    assert comparison.only_new == ("comporth/compositional-B5 reconstruction target_probability (robust-1)",)


def test_another_preset_beside_the_same_one_is_new() -> None:
    new = Document(cases=(case(OLD), case(OLD, preset="mini")))
    comparison = compare(Document(cases=(case(OLD),)), new)
    assert [row.status for row in comparison.rows] == ["same"]
    assert len(comparison.only_new) == 1


def test_what_only_one_has() -> None:
    old = Document(cases=(case(OLD), case(OLD, split="a")))
    new = Document(cases=(case(OLD), case(OLD, split="b", seed=1)))
    comparison = compare(old, new)
    assert comparison.only_old == ("comporth/a reconstruction target_probability (published-1)",)
    assert comparison.only_new == ("comporth/b reconstruction target_probability (published-1) seed 1",)
    assert compare(Document(), new).exit_status == 2


@given(DOCUMENTS, st.floats(0, 0.1))
def test_same_document_is_never_red(document: Document, tolerance: float) -> None:
    for new in (document, io.from_json(io.to_json(document), "x")):
        comparison = compare(document, new, tolerance)
        assert {row.status for row in comparison.rows} <= {"same"}
        assert (comparison.only_old, comparison.only_new) == ((), ())
        assert comparison.exit_status == (0 if document.cases else 2)


@given(st.lists(st.tuples(st.integers(1, 500), st.floats(0, 1), st.floats(0.0051, 1)), min_size=1, max_size=30))
def test_drop_on_all_clusters_is_always_red(clusters: list[tuple[int, float, float]]) -> None:
    old = {str(c): (count, count * mean) for c, (count, mean, _) in enumerate(clusters)}
    new = {str(c): (count, count * (mean - drop)) for c, (count, mean, drop) in enumerate(clusters)}
    comparison = compare(*documents(score(clusters=old), score(clusters=new)))
    assert len(comparison.regressed) == 1
    assert comparison.exit_status == 1
    row = comparison.rows[0]
    assert row.interval is not None
    assert row.interval.low <= row.interval.high < 0


def test_seeds_are_compared_over_seeds() -> None:
    # Differences -0.1, -0.2, -0.3: mean -0.2, standard error 0.1/sqrt(3), t(0.975, 2) = 4.303.
    pairs = [(score(0.9), score(value)) for value in (0.8, 0.7, 0.6)]
    difference = paired_seeds(pairs, 0.005)
    assert difference is not None
    assert difference.value == pytest.approx(-0.2)
    assert difference.interval.low == pytest.approx(-0.2 - 4.303 * 0.1 / 3**0.5, abs=1e-4)
    assert difference.interval.method == "t over seeds"
    assert difference.detectable == pytest.approx((4.3027 + 1.0607) * 0.1 / 3**0.5, abs=1e-3)
    assert paired_seeds(pairs[:1], 0.005) == paired(*pairs[0], 0.005)


def test_equal_seeds_give_no_nan() -> None:
    difference = paired_seeds([(OLD, OLD), (OLD, OLD)], 0.005)
    assert difference is not None
    assert (difference.value, difference.interval.low, difference.interval.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("tolerance", [-0.1, float("nan")])
def test_bad_tolerance(tolerance: float) -> None:
    with pytest.raises(ValueError, match="at least 0"):
        compare(Document(), Document(), tolerance)


def mixed() -> Comparison:
    secondary = score(metric="top1", clusters={"A": (10, 9.0)})
    old = (case(OLD, secondary), case(OLD, split="a"), case(OLD, split="b"), case(OLD, split="gone"))
    new = (case(ALIKE, secondary), case(OLD, split="a"), case(OLD, split="b", preset="mini"))
    return compare(Document(cases=old), Document(cases=new))


def test_plain_table() -> None:
    lines = render(mixed()).splitlines()
    assert lines[0].split() == ["score", "old", "new", "difference", "95", "%", "interval", "detectable", "status"]
    assert lines[1].startswith("comporth/b reconstruction target_probability (published-1)  ")
    assert lines[1].endswith("not comparable: preset: published there, mini here")
    assert lines[2].split()[-6:] == ["+0.0000", "+0.0000", "to", "+0.0000", "0.0050", "same"]
    assert lines[3].split()[-8:] == ["0.7000", "0.6000", "-0.1000", "-0.1000", "to", "-0.1000", "0.0050", "regressed"]
    assert lines[0].index("old") + 3 == lines[3].index("0.7000") + 6
    assert "1 more scores stayed the same." in lines
    assert "- comporth/gone reconstruction target_probability (published-1)" in lines
    assert lines[-1] == (
        "regressed: 1 regressed, 0 improved, 2 same, 1 not comparable, 1 only in the old, 0 only in the new document; "
        "tolerance 0.005; smallest detectable drop 0.0050 to 0.0050"
    )
    assert "top1" in render(mixed(), everything=True)


def test_markdown_table() -> None:
    lines = render(mixed(), markdown=True).splitlines()
    assert lines[1] == "|---|---:|---:|---:|---:|---:|---|"
    assert all(line.count("|") == 8 for line in lines[:5])
    assert lines[-1].startswith("**regressed: ")


@pytest.mark.parametrize(
    ("new", "status", "verdict"),
    [
        (case(ALIKE), 1, "regressed: 1 regressed"),
        (case(OLD), 0, "no regression: 0 regressed"),
        (case(OLD, preset="mini"), 2, "nothing was comparable: "),
    ],
)
def test_files(new: Case, status: int, verdict: str, tmp_path: Path) -> None:
    described = {"model": {"spec": "m.onnx"}, "created": "2026-11-29", "commit": "0123456789abcdef"}
    io.write(tmp_path / "old.json", Document(cases=(case(OLD),), **described))  # type: ignore[arg-type]
    io.write(tmp_path / "new.json", Document(cases=(new,)))
    text, code = compare_files(tmp_path / "old.json", tmp_path / "new.json")
    assert code == status
    assert text.splitlines()[0] == f"old: {tmp_path}/old.json (m.onnx, 2026-11-29, commit 0123456789ab, 1 cases)"
    assert text.splitlines()[-1].startswith(verdict)
    assert "| score |" in compare_files(tmp_path / "old.json", tmp_path / "new.json", markdown=True)[0]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no such file"):
        compare_files(tmp_path / "a.json", tmp_path / "b.json")
