"""The page: everything a document says is on it, in any document; nothing of it can do harm or reach out."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from pytest_genbench import png
from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.errors import DocumentError
from pytest_genbench.figures import Text
from pytest_genbench.report.cards import groups
from pytest_genbench.report.failures import gallery
from pytest_genbench.report.html import MARK, check_target, page, write_page
from pytest_genbench.report.tables import tables
from pytest_genbench.report.view import Mark, left_out, listed, scale
from pytest_genbench.results.schema import AggregateResult, Document, Failure, GateResult
from pytest_genbench.scores import Anchor, Interval

from ..plugin.toy import Toy
from ..results.documents import case, score

HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(2)> {{ 7*7 }} $\\frac{a}{b}$"


class Elements(HTMLParser):
    """Collects elements, their attributes and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))


def toy_score(value: float, **more):
    return score(value=value, n=40, population=160, metric="accuracy", judge="", clusters={}, **more)


def toy_case(*scores, **more):
    scores = scores or (toy_score(0.25, interval=Interval(0.2, 0.3, "Wilson")), toy_score(0.9, condition="in-split"))
    usual = {
        "benchmark": "toy",
        "preset": "default",
        "family": "brightness",
        "split": "brightness-3",
        "held_out": "brightness 3",
        "output": "recognition",
        "anchors": (Anchor("chance", "accuracy", 0.125), Anchor("people", "accuracy", 1.0, "people")),
        "gates": (GateResult("failed", "floor", "accuracy", "accuracy: expected >= 0.9, got 0.25", 0.9),),
        "verdict": "failed",
        "reason": "accuracy: expected >= 0.9, got 0.25",
        "seconds": {"render": 1.25, "model": 2.5, "metrics": 0.5},
        "model": {
            "files": {"m.onnx": "ab" * 32},
            "contract": {
                "input": "image",
                "shape": [3, 8, 8],
                "dtype": "float32",
                "layout": "NCHW",
                "range": [0.0, 255.0],
                "outputs": ["factors"],
            },
            "provider": "CPUExecutionProvider",
            "exposure": "undeclared",
            "code_size": {"kind": "verified", "numbers": 32, "reason": ""},
        },
    }
    return case(*scores, **usual | more)


DOCUMENT = Document(
    cases=(toy_case(), toy_case(split="brightness-4", held_out="brightness 4")),
    expected={"toy/default/brightness/recognition": ("brightness-3", "brightness-4", "brightness-5")},
    aggregates=(
        AggregateResult(
            "toy",
            "default",
            "brightness",
            "recognition",
            "accuracy",
            "mean",
            "",
            None,
            "not evaluated",
            "2 of 3 splits",
        ),
    ),
    skipped={"toy/brightness/brightness-5": "exposed: the model was trained on it"},
    broken={"toy/brightness/brightness-6": "the worker that ran it crashed"},
    notes=("pixel range not declared", "BASELINE MISSING: base.json"),
    environment={"python": "3.11.7", "pytest": "9.2.0"},
    model={"spec": "my.onnx"},
    created="2026-11-30T12:00:00+00:00",
    commit="0123456789abcdef",
)


def known():
    return {"toy": Toy()}


def test_the_page_says_what_the_document_says() -> None:
    text = Elements(page(DOCUMENT, known=known())).text
    for said in (
        "my.onnx",
        "not passed 2 scores: 2 failed; aggregates: 1 not evaluated; 1 test skipped; 1 test ended without a result",
        "pixel range not declared",
        "BASELINE MISSING: base.json",
        "mean of 2 of 3 splits",
        "in-split 0.900",
        "chance 0.125, people 1.000",
        "m.onnx (SHA-256 abababababab…)",
        "images 3 by 8 by 8 (NCHW, float32), range 0 to 255; offers factors",
        "CPUExecutionProvider",
        "undeclared: 2 scores",
        "80 evaluated; at most all for each test",
        "8.5 s in tests: render 2.5 s, model 5.0 s, metrics 1.0 s",
        "2026-11-30T12:00:00+00:00, commit 0123456789ab",
        "pytest 9.2.0, python 3.11.7",
        "brightness 4",
        "0.200 to 0.300",
        "exposed: the model was trained on it",
        "the worker that ran it crashed",
        "not evaluated mean: 2 of 3 splits",
    ):
        assert said in text, said


def test_a_baseline_stands_beside() -> None:
    old = replace(DOCUMENT, cases=(toy_case(toy_score(0.5, interval=Interval(0.4, 0.6, "Wilson"))),))
    text = Elements(page(DOCUMENT, baseline=old, known=known())).text
    assert "baseline" in text
    assert "0.500-0.250" in text
    assert "not in the baseline" in text
    assert "baselinemy.onnx2026-11-30T12:00:00+00:00, commit 0123456789ab" in text


def test_control_characters_are_not_on_the_page() -> None:
    text = page(replace(DOCUMENT, model={"spec": "a\x1b[31mb\x00c"}), known=known())
    assert not {"\x1b", "\x00"} & set(text)
    assert "<h1>a [31mb c</h1>" in text


def test_a_baseline_of_another_preset_is_not_compared() -> None:
    old = replace(DOCUMENT, cases=(toy_case(preset="other"),))
    assert (
        "not comparable: preset: other there, default here"
        in Elements(page(replace(DOCUMENT, cases=(toy_case(),)), baseline=old, known=known())).text
    )


@pytest.mark.parametrize("where", ["spec", "note", "held_out", "reason", "anchor", "file", "skip", "failure", "env"])
def test_hostile_text_stays_text(where: str) -> None:
    one = toy_case()
    document = DOCUMENT
    if where == "spec":
        document = replace(DOCUMENT, model={"spec": HOSTILE})
    elif where == "note":
        document = replace(DOCUMENT, notes=(HOSTILE,))
    elif where == "held_out":
        document = replace(DOCUMENT, cases=(toy_case(held_out=HOSTILE),))
    elif where == "reason":
        document = replace(DOCUMENT, cases=(toy_case(verdict="inconclusive", reason=HOSTILE),))
    elif where == "anchor":
        document = replace(DOCUMENT, cases=(toy_case(anchors=(Anchor(HOSTILE, "accuracy", 0.5),)),))
    elif where == "file":
        document = replace(DOCUMENT, cases=(replace(one, model={**one.model, "files": {HOSTILE: "0" * 64}}),))
    elif where == "skip":
        document = replace(DOCUMENT, skipped={HOSTILE: HOSTILE})
    elif where == "failure":
        document = replace(DOCUMENT, cases=(toy_case(failures=(Failure(3, HOSTILE, HOSTILE),)),))
    else:
        document = replace(DOCUMENT, environment={"python": HOSTILE})
    parsed = Elements(page(document, known=known()))
    assert "script" not in {tag for tag, _ in parsed.found}
    assert not [value for _, attributes in parsed.found for name, value in attributes.items() if name.startswith("on")]
    assert "<script>alert(1)</script>" in parsed.text
    assert "{{ 7*7 }}" in parsed.text


def test_nothing_is_fetched_and_ids_are_unique() -> None:
    shown = replace(DOCUMENT, cases=(toy_case(failures=(Failure(3, "a", "b"),)), *DOCUMENT.cases[1:]))
    parsed = Elements(page(shown, known=known()))
    assert not {"script", "link", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in parsed.found}
    for _, attributes in parsed.found:
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:image/png;base64,")), attributes
    ids = [attributes["id"] for _, attributes in parsed.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    policy = dict(parsed.found)["meta"]
    assert policy is not None
    links = {attributes["href"] for tag, attributes in parsed.found if tag == "a"}
    assert links <= {f"#{each}" for each in ids}


def test_failures_are_shown_with_what_was_read() -> None:
    failures = (Failure(3, "level 3", "level 4"), Failure(5, "level 5", "level 1"))
    shown = replace(DOCUMENT, cases=(toy_case(failures=failures), *DOCUMENT.cases[1:]))
    parsed = Elements(page(shown, known=known()))
    # At the head and below the table.
    assert len([tag for tag, attributes in parsed.found if tag == "img"]) == 4
    assert "brightness 3: level 3 → level 4" in parsed.text
    assert "brightness 3: level 5 → level 1" in parsed.text


def test_what_cannot_be_drawn_is_told_and_the_rest_stands() -> None:
    class Broken(Toy):
        def figures(self, cases):
            yield Text(title="a tree", text="a\n  b")
            raise ZeroDivisionError("by zero")

        def images(self, index):
            raise MemoryError

    shown = replace(DOCUMENT, cases=(toy_case(failures=(Failure(3, "a", "b"),)),))
    text = Elements(page(shown, known={"toy": Broken()})).text
    assert "figures of toy could not be drawn: ZeroDivisionError: by zero" in text
    assert "failures of toy (default), brightness, recognition: accuracy could not be drawn: MemoryError" in text
    assert "0.250" in text


def test_an_unknown_benchmark_has_tables_without_pictures() -> None:
    text = Elements(page(DOCUMENT)).text
    assert "no pictures of toy (default): No benchmark 'toy'." in text
    assert "brightness 4" in text
    other = replace(DOCUMENT, cases=(toy_case(version="0"),))
    assert "no pictures of toy 0 (default): here is toy" in Elements(page(other, known=known())).text


def test_the_worst_failures_of_each_split_come_first_and_no_more_than_twelve() -> None:
    many = [
        toy_case(split=f"s{k}", held_out=f"s{k}", failures=tuple(Failure(n, f"r{n}", f"w{n}") for n in range(4)))
        for k in range(4)
    ]
    shown = gallery([replace(many[0], seed=2), *many[1:]], Toy())
    assert [strip.caption for strip in shown.strips] == [
        f"s{k}{', seed 2' if k == 0 else ''}: r{rank} → w{rank}" for rank in range(3) for k in range(4)
    ]
    assert [len(strip.pictures) for strip in shown.strips] == [1] * 12


def test_what_lacks_a_verdict_is_listed_with_its_reason() -> None:
    cases = (
        toy_case(verdict="inconclusive", reason="spans the gate"),
        toy_case(split="brightness-4", verdict="not comparable", reason="another preset"),
        toy_case(split="brightness-5"),
    )
    assert left_out(replace(DOCUMENT, cases=cases)) == [
        ("skipped", "exposed: the model was trained on it", ["toy/brightness/brightness-5"]),
        ("ended without a result", "the worker that ran it crashed", ["toy/brightness/brightness-6"]),
        ("inconclusive", "spans the gate", ["toy/brightness/brightness-3 recognition"]),
        ("not comparable", "another preset", ["toy/brightness/brightness-4 recognition"]),
    ]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"verdict": "passed", "gates": (), "reason": "not gated"}, "not gated"),
        ({"verdict": "passed"}, "passed"),
        ({"verdict": "inconclusive"}, "inconclusive"),
        ({"verdict": "failed"}, "not passed"),
        ({"verdict": "not comparable"}, "not passed"),
    ],
)
def test_a_page_is_titled_by_its_verdict(changes, verdict) -> None:
    whole = replace(DOCUMENT, cases=(toy_case(**changes),), broken={}, aggregates=())
    assert f"<title>my.onnx: {verdict}</title>" in page(whole, known=known())
    cut = replace(whole, notes=("INTERRUPTED: by the keyboard",))
    assert "<title>my.onnx: not passed</title>" in page(cut, known=known())


def test_a_row_is_drawn_where_its_numbers_are() -> None:
    found = tables(DOCUMENT)
    (table,) = listed(DOCUMENT, found, replace(DOCUMENT, cases=(toy_case(toy_score(0.5)),)))
    row = table.scales[0]
    assert [(mark.name, mark.value, mark.kind) for mark in row.marks] == [
        ("chance", 0.125, "anchor"),
        ("people", 1.0, "anchor"),
        ("gate", 0.9, "gate"),
        ("baseline", 0.5, "baseline"),
        ("in-split", 0.9, "seen"),
        ("score", 0.25, "failed"),
    ]
    assert (row.low, row.high, row.interval) == (0.0, 1.0, (0.2, 0.3))
    assert table.before == (("0.500", "-0.250"), ("", "not in the baseline"))
    lines = [
        (a["class"], a["x1"], a["x2"]) for tag, a in Elements(page(DOCUMENT, known=known())).found if tag == "line"
    ]
    drawn = lines[-7:]
    assert drawn == [
        ("axis", "0", "100"),
        ("interval", "20.0", "30.0"),
        ("anchor", "12.5", "12.5"),
        ("anchor", "100.0", "100.0"),
        ("gate", "90.0", "90.0"),
        ("dot seen", "90.0", "90.0"),
        ("dot failed", "25.0", "25.0"),
    ]


@pytest.mark.parametrize(("better", "worst"), [("higher", "0.250: brightness 3"), ("lower", "0.750: brightness 4")])
def test_a_card_has_the_mean_and_the_worst(better, worst) -> None:
    cases = tuple(
        toy_case(toy_score(value, better=better), split=f"brightness-{n}", held_out=f"brightness {n}")
        for n, value in ((3, 0.25), (4, 0.75))
    )
    document = replace(DOCUMENT, cases=cases)
    ((card,),) = (group.cards for group in groups(document, tables(document)))
    assert card.value == "0.500"
    assert f"worst {worst}" in " ".join(card.lines)
    assert [mark.value for mark in card.scale.marks if mark.kind == "failed"] == [0.25, 0.75]


def test_versions_of_a_benchmark_stand_apart() -> None:
    cases = tuple(
        toy_case(toy_score(value), version=version, verdict=verdict, failures=(Failure(3, f"of {version}", "b"),))
        for version, value, verdict in (("0", 0.375, "failed"), ("1", 0.75, "passed"))
    )
    means = tuple(
        replace(DOCUMENT.aggregates[0], version=version, reason=f"benchmark version {version}: 1 of 3 splits")
        for version in "01"
    )
    text = page(replace(DOCUMENT, cases=cases, aggregates=means), known=known())
    ids = [attributes["id"] for _, attributes in Elements(text).found if "id" in attributes]
    assert len(ids) == len(set(ids))
    old, new = (Elements(part).text for part in text.split('<section id="toy-')[1:])
    assert ("0.375" in old, "0.750" in old) == (True, False)
    assert ("0.375" in new, "0.750" in new) == (False, True)
    assert "toy 0 (default)" in old
    assert "toy 1 (default)" in new
    assert ("version 0: 1 of 3" in old, "version 1: 1 of 3" in old) == (True, False)
    assert ("version 0: 1 of 3" in new, "version 1: 1 of 3" in new) == (False, True)
    # Version 0 of the benchmark is not here, so that its items cannot be drawn.
    assert "<img" not in text.split('<section id="toy-')[1]
    assert "of 1 → b" in new


def test_a_case_without_a_score_is_left_out_and_counts() -> None:
    lost = replace(toy_case(split="brightness-4", verdict="failed"), scores=())
    text = page(replace(DOCUMENT, cases=(toy_case(verdict="passed"), lost), broken={}, aggregates=()), known=known())
    assert "left out: 1 case without a score" in Elements(text).text
    assert "<title>my.onnx: not passed</title>" in text
    assert "<title>my.onnx: passed</title>" not in text
    assert "2 scores: 1 failed, 1 passed" in Elements(text).text


def test_an_empty_document() -> None:
    text = Elements(page(Document())).text
    assert "a model without a name" in text
    assert "no scores" in text


def test_scales() -> None:
    plain = scale([Mark(0.5, "a", "anchor")])
    assert (plain.low, plain.high, plain.at(0.5), plain.at(-3), plain.at(7)) == (0.0, 1.0, 50.0, 0.0, 100.0)
    low = scale([Mark(-0.5, "a", "anchor"), Mark(2.0, "b", "anchor")])
    assert (low.low, low.high, low.at(-0.5), low.at(0.75)) == (-0.5, 2.0, 0.0, 50.0)
    assert scale([Mark(-30.0, "a", "anchor")]).low == -1.0


def test_only_reports_are_overwritten(tmp_path) -> None:
    path = tmp_path / "report.html"
    write_page(path, page(Document()))
    write_page(path, page(DOCUMENT, known=known()))
    assert MARK in path.read_text("utf-8")[:200]
    path.write_text("<html>mine</html>")
    with pytest.raises(DocumentError, match="is no report of genbench; choose another file"):
        write_page(path, page(Document()))
    assert path.read_text() == "<html>mine</html>"
    with pytest.raises(DocumentError, match=r"name it so, as in report\.html"):
        check_target(tmp_path / "report.txt")
    with pytest.raises(DocumentError, match="does not exist; create it first"):
        check_target(tmp_path / "no" / "report.html")
    (tmp_path / "old.html").write_bytes(np.arange(256, dtype=np.uint8).tobytes())
    with pytest.raises(DocumentError, match="is no report of genbench"):
        check_target(tmp_path / "old.html")


def test_the_same_document_gives_the_same_page() -> None:
    assert page(DOCUMENT, known=known()) == page(DOCUMENT, known=known())


def test_a_full_run_of_comporth_is_a_small_page() -> None:
    """63 splits, four failures each whose pictures are noise, which no file makes smaller."""
    benchmark = CompOrth()
    draw = np.random.default_rng(0)
    noise = draw.integers(0, 256, (4, 64, 64, 1), dtype=np.uint8)
    pictures = [base64.b64encode(png.encode(each)).decode() for each in noise]
    cases = []
    for split in (split for family in benchmark.families for split in benchmark.splits(family)):
        failures = tuple(Failure(int(split.test[n]), "AB", "BB (0.93)", picture) for n, picture in enumerate(pictures))
        cases.append(
            case(
                score(0.5),
                score(0.9, condition="in-split"),
                family=split.family,
                split=split.slug,
                held_out=split.held_out,
                group=split.group,
                anchors=tuple(
                    Anchor(name, "target_probability", 0.5) for name in ("chance", "identity", "blank image")
                ),
                errors={"too long": 7, "other letters": 3},
                failures=failures,
                verdict="failed",
            )
        )
    text = page(Document(cases=tuple(cases), model={"spec": "m.onnx"}))
    assert len(cases) == 63
    assert text.count("<img") > 60
    assert len(text.encode()) < 1_000_000
