"""The head of a page: cards in words, what failed, and a few of the worst failures; and the tables that it points to."""

from __future__ import annotations

import pytest

from pytest_genbench.figures import Bars, Text
from pytest_genbench.report import html
from pytest_genbench.report.cards import about, groups, message
from pytest_genbench.report.failures import worst
from pytest_genbench.report.html import Plain, page
from pytest_genbench.report.tables import tables
from pytest_genbench.report.view import listed
from pytest_genbench.results.schema import AggregateResult, Document, Failure
from pytest_genbench.scores import Anchor

from ..plugin.toy import Toy
from .test_html import DOCUMENT, Elements, known, toy_case, toy_score


def card_of(*cases, **more):
    document = Document(cases=cases, **more)
    ((card,),) = (group.cards for group in groups(document, tables(document)))
    return card


def headline(value, seen=None, better="higher"):
    there = () if seen is None else (toy_score(seen, condition="in-split", better=better),)
    return (toy_score(value, better=better), *there)


def split(n, *scores, **more):
    return toy_case(*scores, split=f"brightness-{n}", held_out=f"brightness {n}", **more)


def test_a_card_says_in_words_what_a_mean_is_worth() -> None:
    card = card_of(split(3, *headline(0.125, 0.9)), split(4, *headline(0.25, 0.8)))
    assert (card.name, card.about, card.value) == ("brightness", "recognition: accuracy", "0.188")
    assert card.lines == (
        "mean of 2 splits; worst 0.125: brightness 3",
        "0.850 on training items: a loss of 0.662",
        "7 % of the way from chance (0.125) to people (1.000)",
    )
    assert card.verdicts == (("failed", 2),)
    assert [(mark.name, mark.kind) for mark in card.scale.marks] == [
        ("chance", "anchor"),
        ("people", "anchor"),
        ("gate", "gate"),
        ("in-split", "seen"),
        ("brightness 3", "failed"),
        ("brightness 4", "failed"),
    ]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (headline(0.5, 0.51), "0.510 on training items: about the same"),
        (headline(0.75, 0.5), "0.500 on training items: no loss"),
        (headline(0.75, 0.5, "lower"), "0.500 on training items: a loss of 0.250"),
        # As the printed numbers give it, 0.974 less 0.141, and not 0.834 as those before rounding do.
        (headline(0.1406, 0.9744), "0.974 on training items: a loss of 0.833"),
    ],
)
def test_a_loss_is_that_of_the_printed_numbers(scores, said) -> None:
    assert card_of(split(3, *scores)).lines[:2] == ("brightness 3", said)


@pytest.mark.parametrize(
    ("value", "chance", "said"),
    [
        (0.125, 0.125, "no better than chance (0.125); people 1.000"),
        (0.1, 0.125, "no better than chance (0.125); people 1.000"),
        (1.0, 0.125, "as good as people (1.000); chance 0.125"),
        (0.5, -0.5, "chance -0.500, people 1.000"),
    ],
)
def test_the_way_from_chance_to_people(value, chance, said) -> None:
    anchors = (Anchor("chance", "accuracy", chance), Anchor("people", "accuracy", 1.0, "people"))
    assert card_of(split(3, toy_score(value), anchors=anchors)).lines[-1] == said


def test_a_card_of_several_seeds() -> None:
    card = card_of(*(split(3, toy_score(value), seed=seed) for seed, value in enumerate((0.25, 0.5, 0.75))))
    assert card.lines[0] == "brightness 3, mean of 3 seeds, worst 0.250"
    two = [split(n, toy_score(0.5), seed=seed) for n in (3, 4) for seed in (0, 1)]
    assert card_of(*two).lines[0] == "mean of 2 splits and 2 seeds; worst 0.500: brightness 3"
    of = {"toy/default/brightness/recognition": ("brightness-3", "brightness-4")}
    assert card_of(split(3, toy_score(0.5)), expected=of).lines[0] == "brightness 3 (1 of 2 splits)"


def test_families_are_named_by_their_worst_verdict() -> None:
    cases = (
        toy_case(verdict="passed"),
        toy_case(output="regression", verdict="inconclusive"),
        toy_case(family="place_of_things", verdict="passed"),
        toy_case(benchmark="zoo", family="size"),
    )
    of = ("toy", "default", "place_of_things", "recognition")
    failed = AggregateResult(*of, "accuracy", "mean", "", 0.5, "failed", "accuracy: expected >= 0.9, got 0.5")
    document = Document(cases=cases, aggregates=(failed,))
    assert message(tables(document)) == [
        ("failed", "toy (default): place of things; zoo (default): size"),
        ("inconclusive", "toy (default): brightness (regression)"),
        ("passed", "toy (default): brightness (recognition)"),
    ]
    assert message(tables(Document(cases=cases[:1]))) == []
    names = [(group.title, [card.name for card in group.cards]) for group in groups(document, tables(document))]
    assert names == [
        ("toy (default)", ["brightness, recognition", "brightness, regression", "place of things"]),
        ("zoo (default)", ["size"]),
    ]
    assert "failed mean: accuracy: expected >= 0.9, got 0.5" in Elements(page(document, known=known())).text


def test_a_line_says_what_was_done() -> None:
    assert about(DOCUMENT, tables(DOCUMENT)) == ["80 items evaluated", "seed 0", "exposure: undeclared", "2026-11-30"]
    two = Document(cases=(toy_case(output="reconstruction"), toy_case(output="reconstruction", seed=1)))
    assert about(two, tables(two))[1:] == ["seeds 0, 1", "exposure: undeclared", "code size: 32 numbers (verified)"]
    assert about(Document(), []) == []


def test_worst_failures_begin_where_the_score_is_worst_and_take_turns() -> None:
    cases = [
        split(3, toy_score(0.5), failures=(Failure(1, "a", "b"), Failure(2, "c", "d"))),
        split(4, toy_score(0.25), failures=(Failure(3, "e", "f"),)),
        split(3, toy_score(0.5), family="other_one", failures=(Failure(4, "g", "h"),)),
        split(5, toy_score(0.5), benchmark="unknown", failures=(Failure(5, "i", "j"),)),
    ]
    found = worst(cases, lambda case: Toy() if case.benchmark == "toy" else None)
    assert [strip.caption for strip in found.strips] == [
        "toy, brightness: brightness 4: e → f",
        "toy, other one: brightness 3: g → h",
        "toy, brightness: brightness 3: a → b",
        "toy, brightness: brightness 3: c → d",
    ]
    many = [split(n, failures=tuple(Failure(k, "a", "b") for k in range(4))) for n in range(5)]
    assert sum(len(strip.pictures) for strip in worst(many, lambda _: Toy()).strips) == 12
    assert worst(cases[3:], lambda _: None) is None


def test_what_passed_has_no_failures_at_the_head() -> None:
    text = Elements(
        page(Document(cases=(toy_case(verdict="passed", failures=(Failure(3, "a", "b"),)),)), known=known())
    ).text
    assert "Among the worst failures" not in text
    assert "What went wrong worst" in text


def test_seeds_of_a_split_stand_together_with_their_mean() -> None:
    cases = [
        split(n, *headline(value, 0.9 + n / 100), seed=seed)
        for n, values in ((3, (0.1, 0.2, 0.4)), (4, (0.5,)))
        for seed, value in enumerate(values)
    ]
    document = Document(cases=tuple(cases))
    (table,) = listed(document, tables(document), None)
    first, second = table.together  # rows without an order of splits are sorted by seed first
    assert (first.name, first.places, second.places, second.mean) == ("brightness 3", (0, 2, 3), (1,), ())
    named = dict(zip(table.table.columns, first.mean, strict=True))
    assert {name: cell for name, cell in named.items() if cell} == {
        "seed": "mean",
        "score": "0.233",
        "in-split": "0.930",
        "gap": "0.697",
    }
    assert [(mark.name, mark.kind) for mark in first.scale.marks][-2:] == [("seed 2", "seen"), ("mean", "mean")]
    found = Elements(page(document, known=known())).found
    assert [a.get("rowspan") for tag, a in found if tag == "th" and a.get("scope") == "rowgroup"] == ["4"]


def test_score_and_verdict_stand_first_and_rows_share_an_axis() -> None:
    low = (Anchor("chance", "accuracy", -0.5),)
    document = Document(cases=(split(3, toy_score(0.5), anchors=low), split(4, toy_score(0.5), anchors=())))
    (table,) = listed(document, tables(document), None)
    assert [table.table.columns[place] for place in table.columns][: table.split] == ["score"]
    assert {(row.low, row.high) for row in table.scales} == {(-0.5, 1.0)}
    cells = [attributes for tag, attributes in Elements(page(document, known=known())).found if tag in ("th", "td")]
    assert [cell.get("class") for cell in cells[:5]] == [None, None, "verdicts", "drawn", None]


def test_long_tables_are_folded_where_figures_show_the_same(monkeypatch) -> None:
    class Drawn(Toy):
        def figures(self, cases):
            yield Text(title="all", text="all")

    monkeypatch.setattr(html, "_LONG", 1)
    assert "2 rows, from 0.250 (brightness 3) to 0.250 (brightness 4)" in page(DOCUMENT, known={"toy": Drawn()})
    assert "2 rows" not in page(DOCUMENT, known=known())


def test_headings_descend_and_tables_have_names() -> None:
    found = Elements(page(DOCUMENT, known=known())).found
    levels = [int(tag[1]) for tag, _ in found if tag in ("h1", "h2", "h3")]
    assert levels == [1, 2, 3, 2, 3, 2, 2, 2]
    ids = {attributes["id"] for _, attributes in found if "id" in attributes}
    names = [attributes for tag, attributes in found if tag == "table"]
    assert names
    assert all(a.get("aria-label") or a.get("aria-labelledby") in ids for a in names)


def test_sections_come_in_the_order_of_a_hurried_reader() -> None:
    def sections(text: str) -> list[str | None]:
        return [attributes["id"] for tag, attributes in Elements(text).found if tag == "section"]

    assert sections(page(DOCUMENT, known=known())) == ["summary", "toy-1-default", "left", "run", "words"]
    nothing = page(Document(skipped={"toy/brightness/brightness-3": "no model"}))
    assert sections(nothing) == ["left", "run", "words"]
    assert "nothing tested no scores; 1 test skipped" in Elements(nothing).text


def test_columns_of_numbers() -> None:
    rows = [("a", "-0.25 to +0.5", "1.50 (12)", "2 = 3", "-0.01 worse", "36 scores: 1 failed", "2026-01-02", "")]
    assert Plain("", tuple("abcdefgh"), rows).is_number == [False, True, True, True, True, False, False, False]


def test_clouds_of_points_have_no_numbers(monkeypatch) -> None:
    monkeypatch.setattr(html, "_MOST", 2)
    few, many = (Bars(title="t", labels=tuple("abc"[:n]), series={"s": (0.5,) * n}) for n in (2, 3))
    assert html.Artist().one(few).numbers is not None
    assert html.Artist().one(many).numbers is None
