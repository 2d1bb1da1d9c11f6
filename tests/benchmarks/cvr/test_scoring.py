"""Scores of CVR from answers: choices, ties, gaps, order, parts of a composition; and the shortcuts they are read by."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_genbench.benchmarks.cvr import anchors, choices, people, scoring, sets, shortcuts
from pytest_genbench.benchmarks.cvr.benchmark import REGIMES, Cvr
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.errors import BenchmarkError, ModelError
from pytest_genbench.scores import ENDLESS, Interval, Score

STUB = SimpleNamespace(answers=lambda index: [(int(k) % 4, "kind") for k in index], rules_of=lambda split: split)
"""Knows the answers: the number of the item, modulo four."""


def scores(places: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.eye(4)[places]


def by_name(found: list[Score]) -> dict[str, float]:
    return {score.metric: score.value for score in found}


def test_the_highest_score_is_the_choice_and_ties_are_none() -> None:
    outputs = {"scores": np.array([[0, 3, 1, 2], [1, 1, 0, 0], [-1, -2, -3, -4], [2, 2, 2, 2]], dtype=np.float32)}
    chosen, tied = choices.choices(outputs, 4)
    assert chosen.tolist()[::2] == [1, 0]
    assert tied.tolist() == [False, True, False, True]


@pytest.mark.parametrize("places", [np.array([0, 3, 2]), np.array([[0], [3], [2]], dtype=np.int32)])
def test_places_are_accepted_and_said_so(places: NDArray[np.int64]) -> None:
    with pytest.warns(UserWarning, match="taken for the place of the odd image"):
        chosen, tied = choices.choices({"scores": places}, 3)
    assert chosen.tolist() == [0, 3, 2]
    assert not tied.any()


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([0, 4]), "from 0 to 4; the place of the odd image is 0 to 3"),
        (np.array([0.0, 1.0]), r"shape \(2,\) and type float64; expected is \(N, 4\)"),
        (np.zeros((2, 5)), r"shape \(2, 5\)"),
        (np.zeros((2, 4, 1)), r"shape \(2, 4, 1\)"),
    ],
)
def test_other_outputs_are_refused(array: NDArray[np.float64], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        choices.choices({"scores": array}, 2)


def test_ties_count_as_wrong_and_are_counted() -> None:
    scorer = scoring.OddOneOutScorer(STUB, (2,))  # type: ignore[arg-type]
    index = sets.items(2, "test", 8)
    right = scores(index % 4)
    right[:2] = 1
    scorer.add(index, np.empty(0), {"scores": right})
    (score,) = scorer.scores(ENDLESS, "held-out")
    assert (score.value, score.n, score.metric) == (0.75, 8, "accuracy")
    assert score.interval is not None
    assert score.interval.method == "Wilson"
    assert scorer.errors() == {"size, odd by kind": 2, "ties": 2}


def test_many_rules_are_scored_together_and_one_by_one() -> None:
    scorer = scoring.OddOneOutScorer(STUB, (2, 47))  # type: ignore[arg-type]
    for rule, wrong in ((2, 0), (47, 2)):
        index = sets.items(rule, "test", 4)
        places = index % 4
        places[:wrong] = (places[:wrong] + 1) % 4
        scorer.add(index, np.empty(0), {"scores": scores(places)})
    assert by_name(scorer.scores(ENDLESS, "held-out")) == {
        "accuracy": 0.75,
        "accuracy_elementary": 1.0,
        "accuracy_composed": 0.5,
        "accuracy.size": 1.0,
        "accuracy.pos_size_1": 0.5,
    }


def test_the_gap_is_between_two_sets() -> None:
    task = Cvr("mini").tasks["generalisation"]
    scorer = task.scorer(Cvr("mini").training([2], 5))
    scorer._benchmark = STUB  # type: ignore[attr-defined]
    for name, wrong in (("test", 1), ("test_gen", 3)):
        index = sets.items(2, name, 10)
        places = index % 4
        places[:wrong] = (places[:wrong] + 1) % 4
        scorer.add(index, np.empty(0), {"scores": scores(places)})
    found = scorer.scores(ENDLESS, "all")
    assert by_name(found) == pytest.approx(
        {"accuracy": 0.7, "generalisation_gap": 0.2, "accuracy.test": 0.9, "accuracy.test_gen": 0.7}
    )
    assert (found[1].better, found[1].n) == ("lower", 20)


def test_the_interval_of_a_difference_is_newcombes() -> None:
    """The first example of Newcombe (1998), table II: 56 of 70 against 48 of 80."""
    first, second = (Score("x", right / n, n, ENDLESS, interval=_wilson(right, n)) for right, n in ((56, 70), (48, 80)))
    found = scoring.difference("gap", first, second, "lower")
    assert found.interval is not None
    assert (round(found.interval.low, 4), round(found.interval.high, 4)) == (0.0524, 0.3339)


def _wilson(right: int, n: int) -> Interval:
    from pytest_genbench.scores import wilson

    return wilson(right, n)


def test_each_axis_stands_beside_training() -> None:
    scorer = Cvr("mini").tasks["axes"].scorer(Cvr("mini").training([6], 5))
    scorer._benchmark = STUB  # type: ignore[attr-defined]
    for name, wrong in (("test", 0), ("test_size", 4), ("test_number", 2)):
        index = sets.items(6, name, 10)
        places = index % 4
        places[:wrong] = (places[:wrong] + 1) % 4
        scorer.add(index, np.empty(0), {"scores": scores(places)})
    assert by_name(scorer.scores(ENDLESS, "all")) == pytest.approx(
        {"accuracy": 0.7, "accuracy.none": 1.0, "accuracy.size": 0.6, "accuracy.number": 0.8}
    )


def test_a_choice_should_follow_the_images() -> None:
    """A model that always points to one place agrees with itself never, one that knows the answer always."""
    for follows, expected in ((True, 1.0), (False, 0.0)):
        stub = SimpleNamespace(
            answers=lambda index: [
                ((sets.place(k).number - (sets.place(k).set == sets.TURNED)) % 4, "kind") for k in index.tolist()
            ]
        )
        scorer = scoring.OrderScorer(stub)  # type: ignore[arg-type]
        for name in ("test", sets.TURNED):
            index = sets.items(2, name, 12)
            places = (
                np.array([answer for answer, _ in stub.answers(index)]) if follows else np.zeros(12, dtype=np.int64)
            )
            scorer.add(index, np.empty(0), {"scores": scores(places)})
        assert by_name(scorer.scores(ENDLESS, "all"))["order_agreement"] == expected


def test_turned_problems_are_the_same_in_another_order() -> None:
    benchmark = Cvr("mini")
    for number in range(3):
        plain, turned = (benchmark.images([sets.items(7, name)[number]])[0] for name in ("test", sets.TURNED))
        assert np.array_equal(turned, np.roll(plain, -1, axis=0))
        answers = [benchmark.targets([sets.items(7, name)[number]])["scores"][0] for name in ("test", sets.TURNED)]
        assert answers[1] == (answers[0] - 1) % 4


def test_a_composition_is_compared_with_its_parts() -> None:
    scorer = scoring.ReverseScorer(STUB, 47)  # type: ignore[arg-type]
    for rule, wrong in ((47, 1), (1, 4), (2, 6)):
        index = sets.items(rule, "test", 10)
        places = index % 4
        places[:wrong] = (places[:wrong] + 1) % 4
        scorer.add(index, np.empty(0), {"scores": scores(places)})
    assert by_name(scorer.scores(ENDLESS, "all")) == pytest.approx(
        {"accuracy": 0.5, "reverse_gap": -0.4, "accuracy.own": 0.9, "accuracy.components": 0.5}
    )


def test_items_are_numbered_rule_by_rule_and_set_by_set() -> None:
    assert sets.EACH == 10_000 + 500 + 1_000 + 1_000 + 5 * 500 + 200
    assert sets.place(0) == sets.Place(0, "train", 0)
    assert sets.place(sets.EACH * 3 + 10_000) == sets.Place(3, "val", 0)
    assert sets.place(sets.EACH - 1) == sets.Place(0, sets.TURNED, 199)
    assert sets.rules_of(sets.items(5, "test_gen")).tolist() == [5] * 1_000


def test_splits_train_on_the_first_problems_and_are_tested_on_others() -> None:
    benchmark = Cvr("mini")
    families = {name: len(benchmark.splits(name)) for name in benchmark.families}
    assert families == {
        **{
            "reasoning": 9,
            "compositional": 94,
            "efficiency": 54,
            "compositional_efficiency": 564,
            "reverse": 70,
            "joint": 21,
        }
    }
    assert [split.slug for split in benchmark.splits("efficiency")][:6] == [f"shape-n{n}" for n in REGIMES]
    split = benchmark.splits("efficiency")[1]
    assert np.array_equal(split.train, sets.items(0, "train", 50))
    assert np.array_equal(split.test, sets.items(0, "test"))
    assert np.array_equal(split.validation, sets.items(0, "val"))
    joint = benchmark.splits("joint")[0]
    assert (len(joint.train), len(joint.test)) == (103 * 20, 103_000)
    assert benchmark.rules_of(benchmark.splits("joint")[-1]) == tuple(range(9, 103))
    assert not benchmark.is_exposed("cvr/mini/pos+size-n5000", split)
    with pytest.raises(BenchmarkError, match="is not a split of cvr"):
        benchmark.is_exposed("cvr/mini/posi-n100", split)


def test_generalisation_is_about_the_rules_that_were_learnt() -> None:
    """Of a model of some rules, the generalisation sets of these, and axes that each of them moves."""
    benchmark = Cvr("mini")
    split = benchmark.training([2, 47], 5)
    for name, expected in (("generalisation", {"test", "test_gen"}), ("axes", {"test", "test_size", "test_colour"})):
        items = benchmark.tasks[name].items
        assert items is not None
        places = {(place.rule, place.set) for place in map(sets.place, items(split).tolist())}
        assert places == {(rule, set) for rule in (2, 47) for set in expected}


@pytest.mark.parametrize(("side", "fits"), [(31, False), (32, True), (512, True), (513, False)])
def test_images_are_drawn_at_many_sizes(side: int, fits: bool) -> None:
    if fits:
        assert Cvr("mini").sized(side).images([0]).shape == (1, 4, side, side, 3)
    else:
        with pytest.raises(BenchmarkError, match="32 to 512"):
            Cvr("mini").sized(side)


def test_shortcuts_measure_simple_things() -> None:
    image = np.full((8, 10, 3), 255, dtype=np.uint8)
    image[1, 2:5] = (255, 0, 0)
    image[6, 8] = (0, 0, 255)
    ink, box, parts, saturation, x, y, hue = shortcuts.features(image)
    assert (ink, box, parts, saturation) == (4, 6 * 7, 2, 1.0)
    assert (x, y) == (4.25, 2.25)
    assert hue == pytest.approx(np.angle(3 + np.exp(-2j * np.pi / 3)))
    assert shortcuts.most_deviant(np.array([[1.0, 1.1, 5.0, 0.9]])).tolist() == [2]
    assert shortcuts.most_deviant(np.array([[0.1, -0.1, 2 * np.pi, np.pi]]), cyclic=True).tolist() == [3]


def test_anchors_of_a_rule() -> None:
    found = {anchor.name: anchor for anchor in anchors.of_rules([2], published=False)}
    assert found["chance"].value == 0.25
    assert found["best shortcut"].value > 0.95
    assert (found["people"].value, found["people"].note) == (1.0, "1 person, 20 problems each")
    assert "people" not in {anchor.name for anchor in anchors.of_rules([9], published=False)}


def test_people() -> None:
    """The means that the spec recomputes from the released data: 45 rules .787, elementary .976, composed .740."""
    values = {rule: value for rule, (value, _) in people.PEOPLE.items()}
    assert len(values) == 45
    assert np.mean(list(values.values())) == pytest.approx(0.787, abs=0.001)
    assert np.mean([values[rule] for rule in range(9)]) == pytest.approx(0.976, abs=0.001)
    assert np.mean([value for rule, value in values.items() if rule > 8]) == pytest.approx(0.740, abs=0.001)
    assert sum(number for _, number in people.PEOPLE.values()) == 126


def test_recorded_shortcuts_cover_all_rules() -> None:
    table = shortcuts.table()
    for law in ("checked", "published"):
        assert list(table[law]) == [rule.name for rule in RULES]
        assert all(set(row) == set(shortcuts.FEATURES) for row in table[law].values())


def test_anchors_are_of_the_law_and_the_task() -> None:
    """Shortcuts differ by law; people count where all rules were asked; off test problems there is chance alone."""
    laws = [anchors.of_rules([12, 40], published=published) for published in (False, True)]
    for published, found in zip((False, True), laws, strict=True):
        best = [shortcuts.best(RULES[rule].name, published)[1] for rule in (12, 40)]
        assert found[1].value == pytest.approx(np.mean(best))
    assert laws[0][1] != laws[1][1]
    assert "people" not in {anchor.name for anchor in anchors.of_rules([2, 9], published=False)}
    benchmark = Cvr("mini")
    split = benchmark.training([2], 5)
    for name, expected in (("odd_one_out", ["chance", "best shortcut", "people"]), ("generalisation", ["chance"])):
        assert [anchor.name for anchor in benchmark.tasks[name].anchors(split)] == expected


def test_sets_that_are_compared_are_equally_large() -> None:
    benchmark = Cvr("mini")
    split = benchmark.training([2], 5)
    for name, size in (("generalisation", 1_000), ("axes", 500), ("order", 200)):
        items = benchmark.tasks[name].items
        assert items is not None
        found = [sets.place(item).set for item in items(split).tolist()]
        assert {found.count(set) for set in found} == {size}


def test_accuracies_of_shortcuts() -> None:
    """Parts may meet at a corner; a hue on the other side of cyan is near."""
    image = np.full((8, 8, 3), 255, dtype=np.uint8)
    image[2, 2] = image[3, 3] = 9
    assert shortcuts.features(image)[2] == 1
    problem = np.full((4, 8, 8, 3), 255, dtype=np.uint8)
    problem[:, 2:5, 2:5] = np.array([[0, 255, 235], [0, 235, 255], [0, 255, 235], [0, 255, 130]])[:, None, None]
    found = shortcuts.accuracies([(problem, 3), (problem, 2)])
    assert list(found) == list(shortcuts.FEATURES)
    assert (found["hue"], found["ink"]) == (0.5, 0.0)
