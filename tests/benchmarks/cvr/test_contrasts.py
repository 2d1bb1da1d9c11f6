"""What CVR shows of several models side by side, with exact values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_genbench.benchmarks.cvr import Cvr
from pytest_genbench.figures import Bars, Curves, Figure
from pytest_genbench.results.schema import Case

from .test_figures import answered

PLAIN, FIRST = "reference:scl", "reference:scl[curriculum=forward]"


def contrast(models: dict[str, Sequence[Case]]) -> dict[str, Figure]:
    return {figure.title: figure for figure in Cvr("mini").contrasts(models)}


def test_means_are_over_rules_and_numbers_that_models_share() -> None:
    ours = [answered(rule, value, n) for rule, value in (("pos", 0.4), ("size", 0.6)) for n in (20, 100, 1000)]
    theirs = [answered(rule, 0.9, n) for rule in ("pos", "count") for n in (20, 50, 100, 1000)]
    few = [answered("pos", 0.9)]
    found = contrast({"ours": ours, "theirs": theirs, "few": few})
    curves = found["Mean accuracy over the number of training problems; each rule trained alone"]
    assert isinstance(curves, Curves)
    assert {line.name: (line.x, line.y) for line in curves.lines} == {
        "ours": ((20, 100, 1000), (0.4, 0.4, 0.4)),
        "theirs": ((20, 100, 1000), (0.9, 0.9, 0.9)),
    }
    assert curves.note == (
        "Of the 1 rules that each of these models was tested on with n = 20, 100, 1,000: ours AUC 0.400, SES 0.400; "
        "theirs AUC 0.900, SES 0.900."
    )


def test_relations_are_over_rules_that_models_share() -> None:
    ours = [answered(rule, value) for rule, value in (("pos", 0.4), ("pos_size_1", 0.6), ("size", 0.1), ("shape", 1.0))]
    theirs = [answered(rule, value) for rule, value in (("pos", 0.8), ("pos_size_1", 0.2), ("count", 1.0))]
    found = contrast({"ours": ours, "theirs": theirs})["Accuracy by relation; each rule trained alone, n = 1,000"]
    assert isinstance(found, Bars)
    assert found.labels == ("position", "size", "elementary rules", "composed rules")
    assert found.series == {
        "ours": pytest.approx((0.5, 0.6, 0.4, 0.6)),
        "theirs": pytest.approx((0.5, 0.2, 0.8, 0.2)),
    }


def test_what_a_curriculum_changed() -> None:
    plain = [answered(rule, value) for rule, value in (("pos", 0.1), ("pos_size_1", 0.3), ("pos_count_2", 0.5))]
    first = [answered(rule, value) for rule, value in (("pos", 0.9), ("pos_size_1", 0.5), ("pos_count_2", 0.8))]
    plain.append(answered("pos_size_1", 0.3, 20))
    first.append(answered("pos_size_1", 0.3, 20))
    title = f"What a curriculum changed: {FIRST} less {PLAIN}; each rule trained alone, n = 1,000"
    found = contrast({PLAIN: plain, FIRST: first})[title]
    assert isinstance(found, Bars)
    assert found.labels == ("pos_count_2", "pos_size_1")
    assert found.series == {"change of accuracy": pytest.approx((0.3, 0.2))}
    assert "n = 1,000 +0.250." in found.note
    assert found.low == -found.high


def test_changes_over_the_numbers_of_problems() -> None:
    plain, first = ([answered("pos_size_1", value + n / 10_000, n) for n in (20, 100, 1000)] for value in (0.3, 0.4))
    found = contrast({PLAIN: plain, FIRST: first})
    (figure,) = [figure for title, figure in found.items() if title.startswith("What")]
    assert "n = 20 +0.100, n = 100 +0.100, n = 1,000 +0.100." in figure.note


@pytest.mark.parametrize(
    ("one", "other", "setting"),
    [
        ("reference:scl[lr=0.1,curriculum=forward]", "reference:scl[curriculum=none,lr=0.1]", "a curriculum"),
        ("reference:scl[curriculum=forward,pretrained=/data/a] (b.json)", "reference:scl", "a curriculum"),
        ("m[pretraining=moco]", "m[]", "pretraining"),
        ("m[pretraining=moco,curriculum=forward]", "m[curriculum=forward]", "pretraining"),
        ("m[pretraining=moco,curriculum=forward]", "m", None),
        ("reference:scl[curriculum=forward]", "reference:wren", None),
        ("reference:scl[curriculum=forward]", "reference:scl[lr=0.1]", None),
        ("reference:scl[steps=3]", "reference:scl", None),
        ("[[curriculum=forward", "reference:scl", None),
    ],
)
def test_only_the_first_training_may_differ(one: str, other: str, setting: str | None) -> None:
    cases = [answered("pos_size_1", 0.5), answered("pos_count_2", 0.5)]
    found = [title for title in contrast({other: cases, one: cases}) if title.startswith("What")]
    assert [title.partition(" changed")[0] for title in found] == ([] if setting is None else [f"What {setting}"])


def test_pretraining_is_about_elementary_rules_too() -> None:
    cases = [answered("pos", 0.5)]
    (title,) = contrast({"m": cases, "m[pretraining=moco]": cases})
    assert title.startswith("What pretraining changed: m[pretraining=moco] less m;")
    assert contrast({"m": cases, "m[curriculum=forward]": cases}) == {}


def test_models_with_nothing_in_common_are_not_set_side_by_side() -> None:
    joint = [answered("joint", 0.5, accuracy__pos=0.5, accuracy__size=0.5)]
    assert contrast({"one": [answered("pos", 0.5), answered("size", 0.5)], "many": joint}) == {}
    assert contrast({"one": [answered("pos", 0.5)], "other": [answered("pos", 0.5, 20)]}) == {}
    assert contrast({"one": [], "other": [answered("unheard of", 0.5)]}) == {}
