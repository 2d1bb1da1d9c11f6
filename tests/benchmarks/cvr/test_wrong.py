"""Which answers went wrong worst, and what is said of them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pytest_genbench import evaluation
from pytest_genbench.benchmarks import Ranks
from pytest_genbench.benchmarks.cvr import Cvr, choices, scoring, sets, wrong

ANSWER = 2
"""The right place of every problem of the stub."""


def stub(ways: int) -> SimpleNamespace:
    """Knows the answers; the odd image is odd in as many ways, by the number of the problem."""
    return SimpleNamespace(
        answers=lambda index: [(ANSWER, f"way {int(k) % ways}") for k in index], rules_of=lambda split: split
    )


def test_how_wrong_an_answer_is() -> None:
    """In standard deviations of the four scores, so that their scale does not matter; equal highest scores count little."""
    scores = np.array([[3.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [2.0, 2.0, 2.0, 2.0]])
    expected = [2 / np.sqrt(0.75), 2.0, wrong.TIE, wrong.TIE]
    found = wrong.amounts(scores, np.full(4, ANSWER))
    assert found == pytest.approx(expected)
    assert wrong.amounts(1000 * scores - 7, np.full(4, ANSWER)) == pytest.approx(expected)
    assert wrong.amounts(scores.astype(np.int64), np.full(4, ANSWER)) == pytest.approx(expected)
    for places in (np.array([0, 1, 3]), np.array([[0], [1], [3]])):
        assert wrong.amounts(places, np.full(3, ANSWER)).tolist() == [1, 1, 1]


def worst(ways: int, amounts: list[float], batch: int = 64) -> list[int]:
    """Numbers of the worst problems of rule 2; problem 10 k has the k-th amount, all others are right."""
    scorer = scoring.OddOneOutScorer(stub(ways), (2,))  # type: ignore[arg-type]
    index = sets.items(2, "test", 10 * len(amounts))
    each = np.zeros(len(index))
    each[::10] = amounts
    scores = np.tile(np.array([0.0, 0, 1, 0]), (len(index), 1))
    scores[each > 0] = [1, 0.5, 0, 0.5]
    # The nearer the odd image comes to the highest, the less wrong is the answer.
    scores[each > 0, ANSWER] = 1 - each[each > 0]
    for start in range(0, len(index), batch):
        part = slice(start, start + batch)
        scorer.add(index[part], np.empty(0), {"scores": scores[part]})
    assert isinstance(scorer, Ranks)
    return [sets.place(item).number for item in scorer.worst().tolist()]


def test_nothing_is_worst_where_all_is_right() -> None:
    assert worst(1, [0, 0, 0]) == []


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_the_worst_are_of_different_blocks(batch: int) -> None:
    assert worst(1, [0.2, 0.9, 0, 0.4, 0.9, 0.1, 0.3], batch) == [10, 40, 30, 60]


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_each_way_of_being_odd_comes_before_a_second_of_one(batch: int) -> None:
    """Problems 0, 30, 60 … of a rule with three ways go one way, 10, 40 … another."""
    first = sets.items(2, "test")[0] % 3
    ways = [(first + 10 * k) % 3 for k in range(6)]
    amounts = [0.9, 0.1, 0.2, 0.8, 0.15, 0.7]
    found = worst(3, amounts, batch)
    best = sorted((max((amounts[k], 10 * k) for k in range(6) if ways[k] == way) for way in range(3)), reverse=True)
    assert found[:3] == [number for _, number in best]
    assert len(found) == 4
    assert found[3] == next(n for n in (0, 30, 50, 20) if n not in found[:3])


@pytest.mark.filterwarnings("ignore:scores are whole numbers")
def test_rules_are_different_too() -> None:
    scorer = scoring.OddOneOutScorer(stub(1), (0, 1, 2, 3, 4))  # type: ignore[arg-type]
    for rule in range(5):
        scorer.add(sets.items(rule, "test", 40), np.empty(0), {"scores": np.array([0, 1, 3])[np.arange(40) % 3]})
    assert [sets.place(item).rule for item in scorer.worst().tolist()] == [0, 1, 2, 3]


@pytest.mark.filterwarnings("ignore:scores are whole numbers")
@pytest.mark.parametrize(
    ("task", "names", "expected"),
    [
        ("generalisation", ("test", "test_gen"), ["test_gen"] * 4),
        ("axes", ("test", "test_shape", "test_size"), ["test_shape", "test_size", "test_shape", "test_shape"]),
    ],
)
def test_what_the_headline_does_not_count_is_not_shown(task: str, names: tuple[str, ...], expected: list[str]) -> None:
    scorer = Cvr("mini").tasks[task].scorer(Cvr("mini").training([1], 5))
    scorer._benchmark = stub(1)  # type: ignore[attr-defined]
    for name in names:
        scorer.add(sets.items(1, name, 40), np.empty(0), {"scores": np.zeros(40, dtype=np.int64)})
    assert isinstance(scorer, Ranks)
    assert [sets.place(item).set for item in scorer.worst().tolist()] == expected


def test_order_and_reverse_have_none() -> None:
    tasks = Cvr("mini").tasks
    for name in ("order", "reverse"):
        assert not isinstance(tasks[name].scorer(Cvr("mini").training([47], 5)), Ranks)


def test_what_is_said_of_an_answer() -> None:
    benchmark = Cvr("mini")
    index = np.array([sets.items(2, "test")[0], sets.items(2, "test_gen")[1], sets.items(2, "test_colour")[2]])
    places = benchmark.targets(index)["scores"]
    scores = np.eye(4)[(places + 1) % 4]
    scores[2] = [5, 0, 5, 5]
    said = choices.reading(benchmark, index, {"scores": scores})
    odd = "is at most half as large, or at least twice as large"
    assert [right for right, _ in said] == [
        f"size: image {places[0] + 1} {odd}",
        f"size: image {places[1] + 1} {odd} (all axes unseen)",
        f"size: image {places[2] + 1} {odd} (colour unseen)",
    ]
    assert [read for _, read in said] == [
        f"image {(places[0] + 1) % 4 + 1}",
        f"image {(places[1] + 1) % 4 + 1}",
        "none: 1, 3 and 4 alike",
    ]
    with pytest.warns(UserWarning, match="taken for the place"):
        assert choices.reading(benchmark, index[:1], {"scores": np.array([3])})[0][1] == "image 4"


@pytest.mark.parametrize("batch", [5, 64])
def test_the_worst_are_stored_with_what_was_read(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that always points to the last image, on 40 problems: right, read and item of each failure, in any batches."""
    monkeypatch.setattr(evaluation, "BATCH", batch)
    benchmark = Cvr("mini")
    model = SimpleNamespace(
        device="cpu",
        contract=SimpleNamespace(outputs=("scores",), extra=()),
        predict=lambda images, names: {"scores": np.tile(np.array([0.0, 1, 2, 3]), (len(images), 1))},
    )
    found = evaluation.evaluate(
        benchmark,
        benchmark.training([2], 5),
        benchmark.tasks["odd_one_out"],
        model,
        samples=40,  # type: ignore[arg-type]
    )
    items = [failure.item for failure in found.failures]
    places = benchmark.targets(items)["scores"].tolist()
    # The lower the right image is, the worse; of equals the first.
    assert len(set(items)) == 4
    assert places == [0, 0, 0, 0]
    assert items == sorted(items)
    assert all(failure.read == "image 4" and failure.output == "" for failure in found.failures)
    assert all(failure.right.startswith("size: image 1 is at most half") for failure in found.failures)
