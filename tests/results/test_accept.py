"""Renewing a baseline: what is taken over, what stays, what is refused, and that a baseline is never half written."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.cli import main
from pytest_genbench.errors import DocumentError
from pytest_genbench.results import io
from pytest_genbench.results.accept import accept, renew
from pytest_genbench.results.schema import AggregateResult, Document

from .documents import DOCUMENTS, case, score


def share(value):
    return score(clusters=dict.fromkeys("ABCD", (10, 10 * value)))


def document(*cases, spec="m.onnx", **fields):
    return Document(cases=cases, model={"spec": spec}, **fields)


def at(value, **changes):
    return case(share(value), **changes)


def names(cases):
    return [(each.split, each.preset, each.version, each.scores[0].value) for each in cases]


def test_cases_are_replaced_and_the_rest_is_kept():
    found = renew(document(at(0.9), at(0.8, split="a")), document(at(0.5), at(0.4, split="z")))
    assert names(found.document.cases) == [
        ("a", "published", "1", 0.8),
        ("compositional-B5", "published", "1", 0.5),
        ("z", "published", "1", 0.4),
    ]
    assert names(found.kept) == [("a", "published", "1", 0.8)]
    assert found.superseded == ()


@pytest.mark.parametrize("changes", [{"preset": "mini"}, {"version": "2"}])
def test_another_preset_or_version_supersedes(changes):
    old = document(at(0.9), at(0.8, split="a"), expected={"comporth/published/compositional/reconstruction": ("a",)})
    found = renew(old, document(at(0.5, **changes)))
    assert [each.split for each in found.superseded] == ["compositional-B5"]
    assert [each.split for each in found.kept] == ["a"]
    assert found.document.expected == old.expected
    whole = renew(document(at(0.9), expected=old.expected), document(at(0.5, preset="mini")))
    assert whole.document.expected == {}


def test_a_baseline_of_two_presets_keeps_the_other():
    old = document(at(0.9), at(0.8, preset="mini"))
    assert names(renew(old, document(at(0.5, preset="mini"))).kept) == [("compositional-B5", "published", "1", 0.9)]
    third = renew(old, document(at(0.5, preset="fine")))
    assert (len(third.document.cases), third.superseded) == (3, ())
    newer = renew(old, document(at(0.5, preset="mini", version="2")))
    assert names(newer.superseded) == [("compositional-B5", "mini", "1", 0.8)]


def aggregate(family, value):
    return AggregateResult(
        "comporth", "published", family, "reconstruction", "target_probability", "mean", "", value, "passed", ""
    )


def test_aggregates_stay_where_they_are_still_true():
    old = document(
        at(0.9), at(0.9, split="a"), at(0.9, family="length"), at(0.9, family="spatial"),
        aggregates=tuple(aggregate(family, 0.9) for family in ("compositional", "length", "spatial")),
    )  # fmt: skip
    new = document(
        at(0.5),
        at(0.5, family="length"),
        aggregates=tuple(aggregate(family, 0.5) for family in ("compositional", "length")),
    )
    # Of compositional one split is old and one is new: what was said of either is no longer true.
    assert [(each.family, each.value) for each in renew(old, new).document.aggregates] == [
        ("spatial", 0.9),
        ("length", 0.5),
    ]


@settings(max_examples=25)
@given(DOCUMENTS)
def test_a_run_accepted_again_changes_no_case(found):
    renewed = renew(found, found)
    assert renewed.document.cases == found.cases
    assert (renewed.kept, renewed.superseded) == ((), ())


KINDS = st.lists(st.tuples(st.sampled_from(["published", "mini"]), st.sampled_from("12")), min_size=5, max_size=5)


def of_kinds(found, kinds):
    """Put cases of a document at presets and versions."""
    cases = (
        replace(each, split="s1", preset=preset, version=version)
        for each, (preset, version) in zip(found.cases, kinds, strict=False)
    )
    return replace(found, cases=tuple({each.key: each for each in cases}.values()))


@settings(max_examples=40)
@given(DOCUMENTS, DOCUMENTS, KINDS, KINDS)
def test_no_case_is_lost_unless_another_takes_its_place(one, two, kinds, others):
    old, new = of_kinds(one, kinds), of_kinds(two, others)
    try:
        renewed = renew(old, new)
    except DocumentError as error:
        assert "no test in common" in str(error)  # noqa: PT017
        return
    now = {each.key: each for each in renewed.document.cases}
    was, fresh = ({each.key: each for each in document.cases} for document in (old, new))
    gone = {each.key for each in renewed.superseded}
    assert now == {key: each for key, each in {**was, **fresh}.items() if key not in gone}
    assert gone <= was.keys() - fresh.keys()
    assert [each.key for each in renewed.kept] == [key for key in now if key not in fresh]
    there = {(each.output, each.seed) for each in new.cases}
    assert {(each.output, each.seed) for each in renewed.superseded} <= there


@pytest.fixture
def paths(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    io.write(old, document(at(0.9), at(0.9, split="a"), at(0.9, split="kept")))
    io.write(new, document(at(0.5), at(0.95, split="a"), at(0.7, split="z"), spec="n.onnx"))
    return old, new


def test_what_was_accepted_is_said(paths, capsys):
    assert main(["compare", *map(str, paths)]) == 1
    assert main(["compare", *map(str, paths), "--accept"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        f"accepted: {paths[0]} now holds the 3 cases of the new document; "
        "scores: 1 regressed, 1 improved, 0 same, 0 not comparable, 1 new",
        "another model: m.onnx before, n.onnx now",
        "kept, as only the old one has them: comporth (published, version 1) kept reconstruction",
    ]
    assert any(line.startswith("regressed: 1 regressed") for line in lines)
    assert [each.scores[0].value for each in io.read(paths[0]).cases] == [0.95, 0.5, 0.9, 0.7]
    assert main(["compare", *map(str, paths), "--accept", "--markdown"]) == 0
    assert main(["compare", *map(str, paths)]) == 0


def test_a_run_becomes_the_first_baseline(paths, capsys):
    first = paths[0].with_name("first.json")
    assert main(["compare", str(first), str(paths[1]), "--accept"]) == 0
    assert io.read(first) == io.read(paths[1])
    assert f"{first} is new, and holds the 3 cases of {paths[1]}." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            document(at(0.5), broken={"comporth/a": "out of \x1bmemory"}),
            r"1 test ended without a result \(comporth/a: out of  memory\)",
        ),
        (document(), "holds no scores"),
        (document(at(0.5, benchmark="cvr")), "no test in common"),
        (replace(document(at(0.5)), model={"spec": "m.onnx", "probe": "mlp"}), "the probe none, the run with mlp"),
        (
            replace(document(at(0.5)), model={"spec": "m.onnx", "budget": "quick"}),
            "the budget none, the run with quick",
        ),
    ],
)
def test_what_is_refused(paths, new, message, capsys):
    before = paths[0].read_bytes()
    io.write(paths[1], new)
    with pytest.raises(DocumentError, match=message):
        accept(*paths)
    assert main(["compare", *map(str, paths), "--accept"]) == 2
    assert "Nothing was written" in capsys.readouterr().err
    assert paths[0].read_bytes() == before
    assert sorted(path.name for path in paths[0].parent.iterdir()) == ["new.json", "old.json"]


def test_wrong_uses(paths, tmp_path):
    old, new = map(str, paths)
    before = paths[0].read_bytes()
    for arguments in (
        [old],
        [old, new, new],
        [old, new, "--models"],
        [old, new, "--against", "m.onnx"],
        [old, old],
        [str(tmp_path), new],
    ):
        assert main(["compare", *arguments, "--accept"]) == 2, arguments
    (tmp_path / "bad.json").write_text("{")
    assert main(["compare", str(tmp_path / "bad.json"), new, "--accept"]) == 2
    assert main(["compare", old, str(tmp_path / "none.json"), "--accept"]) == 2
    assert (paths[0].read_bytes(), (tmp_path / "bad.json").read_text()) == (before, "{")


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (OSError("disk full"), 2)])
def test_interrupted_while_writing(paths, monkeypatch, error, status):
    before = paths[0].read_bytes()

    def stop(*_):
        raise error

    monkeypatch.setattr(os, "replace", stop)
    assert main(["compare", *map(str, paths), "--accept"]) == status
    assert paths[0].read_bytes() == before
    assert len(list(paths[0].parent.iterdir())) == 2
