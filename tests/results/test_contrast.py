"""Models side by side: differences and ranks worked out by hand, what order and names must not change."""

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.errors import DocumentError
from pytest_genbench.figures import Bars, HeatMap, Points
from pytest_genbench.results.contrast import contrast
from pytest_genbench.results.figures import figures
from pytest_genbench.results.kinds import titles
from pytest_genbench.results.pairing import paired, paired_splits
from pytest_genbench.results.schema import Document
from pytest_genbench.scores import Score

from .documents import DOCUMENTS, case, score


def share(value, clusters=4, n=10, **changes):
    """A score whose clusters all have the same value."""
    return score(clusters={f"w{k}": (n, n * value) for k in range(clusters)}, **changes)


def model(values, spec="m", **changes):
    """A document with a value for each split, or for each split a list of values, one for each seed."""
    cases = []
    for split, found in values.items():
        for seed, value in enumerate(found if isinstance(found, list) else [found]):
            head = value if isinstance(value, Score) else share(value)
            cases.append(case(head, split=split, seed=seed, **changes))
    return Document(cases=tuple(cases), model={"spec": spec})


def only_difference(one, two):
    (found,) = contrast({"one": one, "two": two}).differences
    return found


def test_of_several_splits_each_counts_the_same():
    # Differences +0.1, +0.2, +0.3, without spread within a split: resamples of three splits lie between the extremes.
    found = only_difference(model({"a": 0.5, "b": 0.5, "c": 0.5}), model({"a": 0.6, "b": 0.7, "c": 0.8}))
    assert found.value == pytest.approx(0.2)
    # Of 27 draws one is a, a, a (3.7 %, beyond 2.5 %), and one c, c, c.
    assert (found.interval.low, found.interval.high) == pytest.approx((0.1, 0.3))
    assert (found.standing, found.basis) == ("better", "3 splits")
    assert found.interval.method == "paired bootstrap of splits and clusters"


def test_splits_that_disagree_are_within_chance():
    found = only_difference(model({"a": 0.5, "b": 0.5}), model({"a": 0.3, "b": 0.8}))
    assert found.value == pytest.approx(0.05)
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.2, 0.3))
    assert found.standing == "within chance"


def test_of_one_split_the_clusters_are_resampled():
    old, new = (score(clusters={"A": (10, a), "B": (10, b)}) for a, b in ((9.0, 5.0), (7.0, 5.0)))
    found = only_difference(model({"a": old}), model({"a": new}))
    expected = paired(old, new, 0.0)
    assert (found.value, found.interval) == (expected.value, expected.interval)
    assert (found.standing, found.basis) == ("within chance", "2 clusters")
    assert paired_splits([[(old, new)]]) == expected


def test_clusters_count_beside_splits():
    # Both splits rise by 0.1 on average, all of it by one of their two clusters: both twice, or none at all, may be drawn.
    old, new = score(clusters={"A": (10, 5.0), "B": (10, 5.0)}), score(clusters={"A": (10, 7.0), "B": (10, 5.0)})
    found = paired_splits([[(old, new)], [(old, new)]])
    assert found.value == pytest.approx(0.1)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.0, 0.2))


def test_of_several_seeds_it_is_students_t():
    # Over seeds: +0.1, +0.2, +0.3, each the mean of two splits; t(0.975, 2) = 4.3027.
    old = model({"a": [0.5] * 3, "b": [0.5] * 3})
    found = only_difference(old, model({"a": [0.5, 0.6, 0.7], "b": [0.7, 0.8, 0.9]}))
    assert found.value == pytest.approx(0.2)
    assert found.interval.low == pytest.approx(0.2 - 4.3027 * 0.1 / 3**0.5, abs=1e-4)
    assert (found.standing, found.basis) == ("within chance", "3 seeds, 2 splits")


def test_splits_without_all_seeds_are_left_out():
    found = only_difference(model({"a": [0.5, 0.5], "b": 0.5}), model({"a": [0.6, 0.7], "b": 0.1}))
    assert found.value == pytest.approx(0.15)
    assert (found.basis, found.note) == ("2 seeds, 1 split", "1 of 2 splits have seed 0, 1")


def test_a_loss_is_better_when_lower():
    old, new = (model({"a": share(value, better="lower")}) for value in (0.5, 0.4))
    assert only_difference(old, new).standing == "better"
    assert only_difference(new, old).standing == "worse"
    assert [rank.model for rank in contrast({"old": old, "new": new}).rankings[0].ranks] == ["new", "old"]


def test_one_cluster_tells_nothing_about_chance():
    found = only_difference(model({"a": share(0.5, clusters=1)}), model({"a": share(0.9, clusters=1)}))
    assert (found.standing, found.interval) == ("within chance", None)
    assert "nothing is known about chance" in found.note


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"preset": "mini"}, "preset: published there, mini here"),
        ({"version": "2"}, "benchmark version: 1 there, 2 here"),
        ({"seed": 3}, "they have no split with the same seed in common"),
    ],
)
def test_not_comparable(changes, note):
    old, new = model({"a": 0.5}), model({"a": 0.6})
    new = replace(new, cases=tuple(replace(each, **changes) for each in new.cases))
    found = only_difference(old, new)
    assert (found.standing, found.value, found.note) == ("not comparable", None, note)


def test_another_judge_metric_or_sample_is_not_comparable():
    old = model({"a": 0.5})
    assert (
        only_difference(old, model({"a": share(0.6, judge="robust-1")})).note
        == "judge: published-1 there, robust-1 here"
    )
    assert (
        only_difference(old, model({"a": share(0.6, metric="top1")})).note
        == "metric: target_probability there, top1 here"
    )
    sampled = model({"a": share(0.6, population=999)}, samples=40)
    assert only_difference(old, sampled).note == "samples: all there, 40 here"


def test_models_may_differ_in_their_contract():
    new = model({"a": 0.6, "b": 0.6})
    other = tuple(replace(each, model={"contract": {"range": [0, 255]}}) for each in new.cases)
    assert only_difference(model({"a": 0.5, "b": 0.5}), replace(new, cases=other)).standing == "better"


def test_ranks():
    splits = "abc"
    models = {
        "best": model(dict.fromkeys(splits, 0.9)),
        "tied": model(dict.fromkeys(splits, 0.5)),
        "Tied": model(dict.fromkeys(splits, 0.5)),
        "near": model({"a": 0.1, "b": 0.9, "c": 0.4}),
        "other": model({"a": 0.5}, family="length"),
        "part": model({"a": 0.0, "b": 0.0, "z": 1.0}),
    }
    found = contrast(models)
    (ranking,) = found.rankings
    # Of the splits a and b that all have: near has 0.5 there, which is the mean of the tied ones.
    assert ranking.splits == 2
    assert [(rank.model, rank.rank) for rank in ranking.ranks] == [
        ("best", 1), ("Tied", 2), ("near", 2), ("tied", 2), ("part", 5)
    ]  # fmt: skip
    assert [rank.text for rank in ranking.ranks] == ["1", "2", "1 = 2", "2", "5"]
    assert ranking.of("other") is None
    assert found.mean_rank("other") is None
    assert found.mean_rank("part") == (5.0, 1)


def test_mean_rank():
    def two(a, b):
        one, other = model({"a": a}), model({"a": b}, family="length")
        return Document(cases=(*one.cases, *other.cases))

    found = contrast({"x": two(0.9, 0.1), "y": two(0.5, 0.5), "z": model({"a": 0.1})})
    assert [found.mean_rank(name) for name in "xyz"] == [(1.5, 2), (1.5, 2), (3.0, 1)]


def test_without_a_common_split_there_is_no_rank():
    found = contrast({"x": model({"a": 0.5}), "y": model({"b": 0.5})})
    assert found.rankings == ()
    assert found.is_empty
    assert any("no split is in all of x, y" in note for note in found.notes)


def test_what_is_left_out_is_said():
    found = contrast({"x": model({"a": 0.5}), "empty": Document(), "y": model({"a": 0.5})})
    assert found.models == ("x", "y")
    assert found.notes == ("empty: no scores, so it is left out.",)
    with pytest.raises(DocumentError, match=r"two documents or more with scores. empty: no scores"):
        contrast({"x": model({"a": 0.5}), "empty": Document()})
    with pytest.raises(DocumentError, match=r"no scores of empty .* there are: x, y"):
        contrast({"x": model({"a": 0.5}), "empty": Document(), "y": model({"a": 0.5})}, "empty")
    stranger = contrast({"x": model({"a": 0.5}), "y": model({"a": 0.5}, benchmark="cvr")})
    assert stranger.is_empty
    assert stranger.notes == ("y has no kind of score in common with x.",)


@settings(max_examples=40)
@given(DOCUMENTS)
def test_a_model_against_itself(document):
    if not document.cases:
        return
    found = contrast({"one": document, "two": document})
    assert {each.value for each in found.differences} == {0.0}
    assert {each.standing for each in found.differences} == {"within chance"}
    assert {rank.rank for ranking in found.rankings for rank in ranking.ranks} == {1}
    assert len(found.rankings) == len(found.means)


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from([0.1, 0.4, 0.5, 0.9]), min_size=2, max_size=2), min_size=3, max_size=3))
def test_the_order_of_documents_changes_no_rank(values):
    models = {name: model({"a": a, "b": b}) for name, (a, b) in zip("xyz", values, strict=True)}
    rankings = {contrast({name: models[name] for name in order}).rankings for order in permutations("xyz")}
    assert len(rankings) == 1


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 3))
def test_differences_turn_round(one, two, number):
    first, second = (model({"abc"[k]: value for k in range(number)}) for value in (one, two))
    there, back = only_difference(first, second), only_difference(second, first)
    assert there.value == pytest.approx(-back.value)
    assert there.interval.low == pytest.approx(-back.interval.high, abs=1e-9)


def sized(value, numbers, **changes):
    return model({"a": value}, model={"code_size": {"kind": "verified", "numbers": numbers, "reason": ""}}, **changes)


def test_code_sizes():
    found = contrast(
        {"x": sized(0.9, 32), "y": sized(0.5, 8), "u": sized(0.4, None), "r": sized(0.1, 4, output="recognition")}
    )
    assert [(each.model, each.numbers, each.score) for each in found.sizes] == [("x", 32, 0.9), ("y", 8, 0.5)]
    cases = [sized(value, 8).cases[0] for value in (0.5, 0.7)]
    splits = Document(cases=(cases[0], replace(cases[1], split="b")))
    (two,) = [each for each in contrast({"x": splits, "y": sized(0.5, 4)}).sizes if each.model == "x"]
    assert (two.numbers, two.score) == (8, pytest.approx(0.6))


def test_means_count_splits_the_same_however_many_seeds_they_have():
    found = contrast({"x": model({"a": [0.2, 0.4, 0.6], "b": 0.8}), "y": model({"a": 0.5, "b": 0.5})})
    (means,) = found.means.values()
    assert means == {"x": pytest.approx(0.6), "y": pytest.approx(0.5)}


def test_kinds_of_one_name_are_told_apart():
    versions = [model({"a": 0.5}, version=version).cases for version in ("1", "2")]
    both = Document(cases=(*versions[0], *versions[1]))
    names = list(titles(contrast({"x": both, "y": both}).means).values())
    assert names == [
        f"comporth (published) compositional, reconstruction: target probability (version {version}, published-1)"
        for version in ("1", "2")
    ]


def test_figures():
    two = Document(cases=(*sized(0.5, 8).cases, *model({"a": 0.2}, family="length").cases))
    found = {type(figure): figure for figure in figures(contrast({"<x>": sized(0.9, 32), "y": two, "z": two}))}
    bars = found[Bars]
    assert bars.title == "Difference to <x>: comporth (published), reconstruction: target probability"
    assert bars.labels == ("compositional",)
    assert bars.series["y"] == (pytest.approx(-0.4),)
    assert bars.intervals["y"] == ((pytest.approx(-0.4), pytest.approx(-0.4)),)
    assert bars.low < -0.4
    assert bars.high == 0.0
    assert "Above 0 is better" in bars.note
    ranks = found[HeatMap]
    assert ranks.columns == ("<x>", "y", "z")
    assert ranks.values == ((1.0, 2.0, 2.0), (None, 1.0, 1.0), (1.0, 1.5, 1.5))
    assert ranks.rows[-1] == "mean rank"
    sizes = found[Points]
    assert sizes.groups == {"compositional": ((32.0, 0.9), (8.0, 0.5), (8.0, 0.5))}
    assert sizes.names == {"compositional": ("<x>", "y", "z")}
    assert sizes.is_log


def test_figures_of_equal_models():
    (bars, ranks) = figures(contrast({"x": model({"a": 0.5}), "y": model({"a": 0.5})}))
    assert bars.low < bars.high
    assert ranks.rows == ("comporth compositional, reconstruction",)
