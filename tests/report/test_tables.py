"""Tables in text and Markdown, made from documents by hand."""

from dataclasses import replace

from pytest_genbench.report import markdown, text
from pytest_genbench.report.tables import tables, verdict_line
from pytest_genbench.results.schema import AggregateResult, Case, Document, GateResult
from pytest_genbench.scores import Anchor, Interval, Score

SCORES = (Score("word_accuracy", 0.5, 10, 10), Score("word_accuracy", 0.75, 20, 20, condition="in-split"))
CASE = Case(
    benchmark="comporth",
    version="1",
    preset="mini",
    family="length",
    split="length-1",
    output="recognition",
    held_out="words of 1 letter",
    group="shorter",
    scores=SCORES,
    anchors=(Anchor("chance", "word_accuracy", 1 / 62), Anchor("people", "word_accuracy", 1.0, "people", note="about")),
    errors={"too short": 0, "other letters": 2, "held-out letter replaced": 3},
    gates=(GateResult("failed", "floor", "word_accuracy", "too low", 0.9),),
    verdict="failed",
    reason="too low",
)


def table_of(*cases, **more):
    (table,) = tables(Document(cases=cases, **more))
    return table


def test_a_row_has_score_gap_and_group():
    table = table_of(CASE)
    assert table.columns == ("held out", "n", "score", "in-split", "gap", "verdict")
    assert table.rows[0].cells == ("words of 1 letter (shorter)", "10", "0.500", "0.750", "0.250", "failed")


def test_notes_name_gate_anchors_and_every_kind_of_error():
    # Counts have no order in a document: each kind that occurred must be named, the most frequent first.
    assert table_of(CASE).notes == (
        "gate: word accuracy 0.9",
        "anchors: chance 0.016, people 1.000 (about)",
        "what went wrong on 10 held-out images: held-out letter replaced 30.0%, other letters 20.0%",
    )


def test_rows_stand_in_the_order_of_the_splits():
    cases = [replace(CASE, split=slug, held_out=slug) for slug in ("length-10", "length-2", "length-1")]
    expected = {"comporth/mini/length/recognition": ("length-1", "length-2", "length-10")}
    rows = table_of(*cases, expected=expected).rows
    assert [row.cells[0] for row in rows] == ["length-1 (shorter)", "length-2 (shorter)", "length-10 (shorter)"]


def test_anchors_that_differ_are_columns():
    other = replace(CASE, split="length-2", anchors=(Anchor("chance", "word_accuracy", 0.5), CASE.anchors[1]))
    table = table_of(CASE, other)
    assert "chance" in table.columns
    assert [row.cells[-2] for row in table.rows] == ["0.016", "0.500"]


def test_a_sample_has_an_interval_and_a_word_on_many_tests():
    score = replace(SCORES[0], n=5, interval=Interval(0.4, 0.6, "Wilson"))
    table = table_of(replace(CASE, scores=(score, SCORES[1])))
    assert table.rows[0].cells[3] == "0.400 to 0.600"
    assert "not corrected for their number" in table.notes[0]


def test_a_tiny_negative_gap_is_no_minus_zero():
    seen = replace(SCORES[1], value=0.4999)
    assert table_of(replace(CASE, scores=(SCORES[0], seen))).rows[0].cells[4] == "0.000"


def test_code_size_stands_with_reconstructions():
    size = {"code_size": {"kind": "verified", "numbers": 4096, "reason": ""}}
    table = table_of(replace(CASE, output="reconstruction", model=size))
    assert "code size: 4,096 numbers (verified)" in table.notes


def test_the_verdict_line_counts_and_is_green_only_when_all_is():
    passed = replace(CASE, verdict="passed")
    assert verdict_line(Document(cases=(passed,))) == ("1 score: 1 passed", True)
    assert verdict_line(
        Document(cases=(passed,), skipped={"a/b/c": "no", "a/b/d": "no"}, broken={"a/b/e": "crash"})
    ) == (
        "1 score: 1 passed; 2 tests skipped; 1 test ended without a result",
        False,
    )
    assert verdict_line(Document(cases=(passed, replace(CASE, seed=1))))[1] is False
    failed = AggregateResult(
        "comporth", "mini", "length", "recognition", "word_accuracy", "mean", "", 0.5, "failed", "low"
    )
    assert verdict_line(Document(cases=(passed,), aggregates=(failed,)))[1] is False
    assert verdict_line(Document()) == ("no scores", False)
    for note in ("INTERRUPTED: stopped", "INCOMPLETE: 2 tests were lost"):
        assert verdict_line(Document(cases=(passed,), notes=(note,))) == ("1 score: 1 passed", False)


def test_text_is_aligned():
    lines = [line.text for line in text.summary(Document(cases=(CASE,)))]
    heading = next(line for line in lines if line.startswith("held out"))
    row = next(line for line in lines if line.startswith("words of"))
    assert heading.index("verdict") == row.index("failed")


def test_markdown_escapes_what_models_and_files_are_called():
    document = Document(cases=(replace(CASE, held_out="<b>|x`"),), model={"spec": "`<script>`|m.onnx"})
    page = markdown.summary(replace(document, notes=("a <note>",)))
    # Between backticks it is shown, and nothing more.
    assert "`'<script>'|m.onnx`: " in page
    assert "<b>" not in page
    assert "&lt;b&gt;\\|x'" in page
    assert "- a &lt;note&gt;" in page
