"""Documents as text and files: nothing is lost on the way, and whatever is wrong is named in one line."""

import json
import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from pytest_genbench.errors import DocumentError, GenbenchError
from pytest_genbench.results import io
from pytest_genbench.results.schema import AggregateResult, Document, Failure, GateResult
from pytest_genbench.scores import Anchor, Interval

from .documents import CASES, DOCUMENTS, case, score

NUMBER, TEXT, COUNT = {"type": "number"}, {"type": "string"}, {"type": "integer", "minimum": 0}
OPTIONAL = {"type": ["number", "null"]}
VERDICTS = ["passed", "failed", "inconclusive", "not comparable"]


def record(**properties: Any) -> dict[str, Any]:
    """Schema of an object that has exactly these fields."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def table(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": of}


def several(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


SCORE = record(
    metric={**TEXT, "description": "What was measured."},
    value={**NUMBER, "description": "Mean over items."},
    n={**COUNT, "minimum": 1, "description": "Items evaluated."},
    population={**COUNT, "minimum": 1, "description": "Items there are."},
    condition={"enum": ["held-out", "in-split"]},
    judge={**TEXT, "description": "Who read the output; may be empty."},
    interval={"anyOf": [{"type": "null"}, record(low=NUMBER, high=NUMBER, method=TEXT)]},
    clusters=table({"type": "array", "prefixItems": [COUNT, NUMBER], "minItems": 2, "maxItems": 2}),
    better={"enum": ["higher", "lower"]},
)
CASE = record(
    **dict.fromkeys(
        ("benchmark", "version", "preset", "family", "split", "output", "group", "held_out", "factor"), TEXT
    ),
    seed=COUNT,
    samples={"anyOf": [{"const": "all"}, COUNT]},
    model={"type": "object"},
    scores={**several(SCORE), "description": "The headline first."},
    anchors=several(record(name=TEXT, metric=TEXT, value=NUMBER, source=TEXT, judge=TEXT, note=TEXT)),
    errors=table(COUNT),
    failures=several(record(item=COUNT, right=TEXT, read=TEXT, output=TEXT)),
    kept={"type": "object"},
    gates=several(
        record(
            verdict={"enum": VERDICTS},
            against={"enum": ["floor", "baseline"]},
            metric=TEXT,
            reason=TEXT,
            bound=OPTIONAL,
        )
    ),
    verdict={"enum": VERDICTS},
    reason=TEXT,
    seconds=table(NUMBER),
)
AGGREGATE = record(
    **dict.fromkeys(("benchmark", "version", "preset", "family", "output", "metric", "group", "reason"), TEXT),
    statistic={"enum": ["mean", "worst"]},
    value=OPTIONAL,
    bound=OPTIONAL,
    verdict={"enum": [*VERDICTS, "not evaluated"]},
)
SCHEMA = Draft202012Validator(
    record(
        format={"const": "genbench results"},
        schema={"const": 1},
        cases=several(CASE),
        expected=table(several(TEXT)),
        aggregates=several(AGGREGATE),
        skipped=table(TEXT),
        broken=table(TEXT),
        notes=several(TEXT),
        environment=table(TEXT),
        model={"type": "object"},
        created=TEXT,
        commit=TEXT,
    )
)

FULL = Document(
    cases=(
        case(
            score(interval=Interval(0.8, 0.95, "Wilson"), population=100),
            anchors=(Anchor("chance", "target_probability", 1 / 62),),
            errors={"right": 3},
            failures=(Failure(7, "AB", "BB (0.93)", "iVBORw0KGgo="),),
            kept={"size": {"items": [4, 7], "true": [0.5, 1.0], "answer": [0.4, 0.6]}},
            gates=(GateResult("passed", "floor", "target_probability", "expected >= 0.9, got 0.95"),),
            verdict="passed",
            seconds={"model": 0.1 + 0.2},
        ),
    ),
    expected={"comporth/published/compositional/reconstruction": ("compositional-A1", "compositional-B5")},
    aggregates=(AggregateResult("c", "p", "f", "o", "m", "mean", "", None, "not evaluated", "1 of 2"),),
    skipped={"comporth/length/length-5": "exposed"},
    broken={"comporth/length/length-4": "the worker that ran it crashed"},
    notes=("NOT SAVED: disk full",),
    environment={"python": "3.11"},
    model={"spec": "m.onnx"},
    created="2026-11-29T00:00:00+00:00",
)


def test_text_can_be_reviewed() -> None:
    lines = io.to_json(FULL).splitlines()
    assert '    "anchors": [' not in lines[0]
    assert '   "errors": {"right": 3},' in lines
    assert '   "seconds": {"model": 0.30000000000000004},' in lines
    assert '      "AB": [10, 8.0],' in lines
    assert '     "interval": {"high": 0.95, "low": 0.8, "method": "Wilson"},' in lines
    assert lines[0] == "{"
    assert ' "schema": 1,' in lines
    assert lines[-1] == "}"
    assert io.to_json(FULL).endswith("}\n")


def test_cases_are_sorted_by_key() -> None:
    one, two = case(split="compositional-A1"), case(split="compositional-B1")
    assert io.to_json(Document(cases=(two, one))) == io.to_json(Document(cases=(one, two)))


def test_same_case_twice_is_not_written() -> None:
    with pytest.raises(DocumentError, match="Two cases have the key comporth/1/published"):
        io.to_json(Document(cases=(case(), case())))


@given(DOCUMENTS)
def test_round_trip(document: Document) -> None:
    text = io.to_json(document)
    assert io.from_json(text, "x") == document
    assert io.to_json(io.from_json(text, "x")) == text
    # The layout is ours, the content is what json would write.
    assert json.loads(text) == io.to_plain(document)


@given(DOCUMENTS)
def test_schema(document: Document) -> None:
    SCHEMA.validate(json.loads(io.to_json(document)))


def test_schema_of_a_full_document() -> None:
    SCHEMA.validate(json.loads(io.to_json(FULL)))


@given(CASES)
def test_case_round_trip(one: Any) -> None:
    plain = io.case_to_plain(one)
    io.check_builtin(plain, "case")
    assert io.case_from_plain(plain) == one
    assert io.case_from_plain(json.loads(json.dumps(plain))) == one


class Name(StrEnum):
    A = "a"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.float64(0.5), "r is of type numpy.float64"),
        ({"a": [1, (2, np.int64(3))]}, r"r\.a\[1\]\[1\] is of type numpy.int64"),
        ({"a": np.bool_(True)}, r"r\.a is of type numpy.bool"),
        ({"a": np.zeros(3)}, r"r\.a is of type numpy.ndarray"),
        ({1: 2}, "r has the key 1 of type int"),
        ({np.str_("k"): 2}, "of type numpy.str_"),
        ([float("nan")], r"r\[0\] is nan"),
        ([float("-inf")], r"r\[0\] is -inf"),
        (Name.A, r"r is of type .*Name"),
        ({"a": {1, 2}}, r"r\.a is of type set"),
        ({"a": b""}, r"r\.a is of type bytes"),
        ("\udc80", "r holds characters"),
        (Path("x"), "r is of type pathlib"),
    ],
)
def test_check_builtin_refuses(value: object, message: str) -> None:
    with pytest.raises(GenbenchError, match=message) as caught:
        io.check_builtin(value, "r")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, True, 3, 10**40, -0.0, "é", [], (), {}, {"a": [1, ("b", None)]}])
def test_check_builtin_accepts(value: object) -> None:
    io.check_builtin(value, "r")


def test_a_numpy_scalar_does_not_leave_the_worker() -> None:
    with pytest.raises(GenbenchError, match=r"compositional-B5/reconstruction.*scores\[0\]\.value is of type numpy"):
        io.case_to_plain(case(replace(score(), value=np.float64(0.5))))


def changed(**fields: Any) -> str:
    return json.dumps({**io.to_plain(FULL), **fields})


def with_score(**fields: Any) -> str:
    plain = io.to_plain(FULL)
    plain["cases"][0]["scores"][0].update(fields)
    return json.dumps(plain)


def without(*path: str | int) -> str:
    plain = place = io.to_plain(FULL)
    for step in path[:-1]:
        place = place[step]  # type: ignore[index]
    del place[path[-1]]  # type: ignore[arg-type]
    return json.dumps(plain)


BAD = {
    "empty": ("  \n", "is empty"),
    "not JSON": ("<<<<<<< HEAD\n", "not JSON .line 1, column 1"),
    "truncated": (io.to_json(FULL)[:-20], "truncated; it ends in the middle, at line"),
    "cut in text": (io.to_json(FULL)[: io.to_json(FULL).index("Wilson") + 3], "truncated"),
    "a list": ("[]", "not a genbench results document"),
    "another's": ('{"schema": 1, "cases": []}', "not a genbench results document"),
    "newer": (changed(schema=2), "schema number 2, but this version of genbench reads 1"),
    "no schema": (without("schema"), "schema number None"),
    "no cases": (without("cases"), "missing field 'cases'"),
    "no split": (without("cases", 0, "split"), r"cases\[0\]: missing field 'split'"),
    "no n": (without("cases", 0, "scores", 0, "n"), r"cases\[0\]\.scores\[0\]: missing field 'n'"),
    "unknown field": (changed(comit="x"), "unknown field 'comit'. Did you mean 'commit'"),
    "cases an object": (changed(cases={}), "cases: expected a list, found {}"),
    "a case a text": (changed(cases=["x"]), r"cases\[0\]: expected an object, found \"x\""),
    "text for number": (with_score(value="0.9"), r"scores\[0\]\.value: expected a number, found \"0.9\""),
    "true for number": (with_score(value=True), r"value: expected a number, found true"),
    "fraction for count": (with_score(n=1.5), r"n: expected a whole number, found 1.5"),
    "wrong word": (with_score(better="up"), r"better: expected 'higher' or 'lower', found \"up\""),
    "pair of three": (with_score(clusters={"A": [1, 2, 3]}), r"clusters\.A: expected a list of 2, found \[1, 2, 3\]"),
    "empty cluster": (with_score(clusters={"A": [0, 0.0]}), r"clusters\.A: 0 items"),
    "n above population": (with_score(n=30, population=3), "n = 30 of a population of 3 cannot be"),
    "no items": (with_score(n=0), "n = 0 of a population"),
    "NaN": (with_score(value=float("nan")), "NaN is not a number"),
    "overflow": (with_score(value=0.5).replace("0.5", "1e999"), r"cases\[0\]\.scores\[0\]\.value is inf"),
    "deep": ("[" * 100_000, "not JSON that can be read|truncated"),
    "twice": (changed(cases=io.to_plain(FULL)["cases"] * 2), r"cases\[1\]: the case .* is there twice"),
    "samples": (changed(cases=[{**io.to_plain(FULL)["cases"][0], "samples": None}]), "a whole number or text"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_document(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(DocumentError, match=message) as caught:
        io.read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_fields_with_a_default_may_be_missing() -> None:
    assert io.from_json(without("commit"), "x").commit == ""


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.json: there is no such file"):
        io.read(tmp_path / "none.json")
    with pytest.raises(DocumentError, match="is a folder"):
        io.read(tmp_path)
    (tmp_path / "binary").write_bytes(b"\x80\xff")
    with pytest.raises(DocumentError, match="not JSON"):
        io.read(tmp_path / "binary")


def test_write_and_read(tmp_path: Path) -> None:
    io.write(tmp_path / "r.json", FULL)
    assert io.read(tmp_path / "r.json") == FULL
    assert os.listdir(tmp_path) == ["r.json"]


def test_write_follows_links_and_keeps_permissions(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "real.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("real.json")
    io.write(tmp_path / "link.json", FULL)
    assert (tmp_path / "link.json").is_symlink()
    assert io.read(tmp_path / "real.json") == FULL
    assert (tmp_path / "real.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_write_keeps_what_was_there(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "r.json").write_text("old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(DocumentError, match=r"r\.json: cannot be written .No space left"):
        io.write(tmp_path / "r.json", FULL)
    assert (tmp_path / "r.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["r.json"]


def test_what_cannot_be_json_keeps_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("old")
    with pytest.raises(DocumentError, match=r"document\.cases\[0\]\.scores\[0\]\.value is nan"):
        io.write(tmp_path / "r.json", Document(cases=(case(score(float("nan"))),)))
    assert (tmp_path / "r.json").read_text() == "old"


def test_check_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    io.check_writable(tmp_path / "new.json")
    assert os.listdir(tmp_path) == []
    with pytest.raises(DocumentError, match="is a folder"):
        io.check_writable(tmp_path)
    with pytest.raises(DocumentError, match=r"the folder .*none does not exist"):
        io.check_writable(tmp_path / "none" / "r.json")
    (tmp_path / "file").touch()
    with pytest.raises(DocumentError, match="is not a folder"):
        io.check_writable(tmp_path / "file" / "r.json")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DocumentError, match="not an ordinary file"):
        io.check_writable(tmp_path / "pipe")
    monkeypatch.setattr(os, "access", lambda *_: False)  # Tests may run as a user who may do everything.
    with pytest.raises(DocumentError, match="no permission"):
        io.check_writable(tmp_path / "r.json")


def test_check_writable_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    io.check_writable("r.json")
