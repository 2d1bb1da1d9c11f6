"""Aggregates: means and worst splits by hand, incomplete families, and what carries over from cases."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import GateError
from pytest_genbench.gates import UNBOUNDED, AggregateGate, Gates, judge_aggregates, judge_document, load
from pytest_genbench.gates.aggregate import mean_interval
from pytest_genbench.results.merge import merge
from pytest_genbench.results.schema import AggregateResult, Case, Document, GateResult
from pytest_genbench.scores import Interval, Score

from ..results.documents import case, score

NAME = "comporth/published/compositional/reconstruction"
MEAN = AggregateGate(min=0.9, statistic="mean")
WORST = AggregateGate(min=0.9, statistic="worst")


def family(*values: float | Score, **changes: Any) -> list[Case]:
    """A family with splits s0, s1 and so on."""
    made = [value if isinstance(value, Score) else score(value) for value in values]
    return [case(one, split=f"s{number}", **changes) for number, one in enumerate(made)]


def slugs(count: int) -> dict[str, tuple[str, ...]]:
    return {NAME: tuple(f"s{number}" for number in range(count))}


def judge(cases: list[Case], *gates: AggregateGate, expected: int | None = None) -> list[AggregateResult]:
    count = len({one.split for one in cases}) if expected is None else expected
    return judge_aggregates(cases, slugs(count), Gates(aggregates=gates))


def judge_one(cases: list[Case], gate: AggregateGate, expected: int | None = None) -> AggregateResult:
    results = judge(cases, gate, expected=expected)
    assert len(results) == 1
    return results[0]


def test_mean_of_censuses() -> None:
    result = judge_one(family(0.95, 0.97, 0.84), MEAN)
    assert result == AggregateResult(
        benchmark="comporth",
        version="1",
        preset="published",
        family="compositional",
        output="reconstruction",
        metric="target_probability",
        statistic="mean",
        group="",
        value=pytest.approx(0.92),  # type: ignore[arg-type]
        verdict="passed",
        reason="target_probability: expected >= 0.9, got 0.9200 (mean of 3 splits, each a census, exact)",
        bound=0.9,
    )
    assert judge_one(family(0.95, 0.80), MEAN).verdict == "failed"


def test_worst_of_censuses() -> None:
    result = judge_one(family(0.95, 0.84, 0.97), WORST)
    assert (result.value, result.verdict) == (0.84, "failed")
    assert result.reason == (
        "target_probability: expected >= 0.9, got 0.8400 (worst of 3 splits: s1, census of 30, exact)"
    )
    assert judge_one(family(0.95, 0.92), WORST).verdict == "passed"


def test_lower_is_better() -> None:
    cases = family(*(score(value, metric="mse", better="lower") for value in (0.01, 0.05)))
    result = judge_one(cases, AggregateGate(max=0.04, statistic="worst"))
    assert (result.value, result.verdict) == (0.05, "failed")
    assert judge_one(cases, AggregateGate(max=0.04)).verdict == "passed"
    with pytest.raises(GateError, match="use max"):
        judge(cases, MEAN)


def test_worst_interval_has_the_worst_bounds() -> None:
    one = score(0.95, population=99, interval=Interval(0.93, 0.97, "Wilson"))
    two = score(0.96, population=99, interval=Interval(0.88, 0.99, "Wilson"))
    result = judge_one(family(one, two), WORST)
    assert (result.value, result.verdict) == (0.95, "inconclusive")
    assert "95 % interval 0.8800 to 0.9700, worst bounds of all splits" in result.reason
    # A census has no interval: its value is both bounds.
    assert "0.9000 to 0.9000" in judge_one(family(one, 0.9), WORST).reason
    assert judge_one(family(one, score(0.99, population=99)), WORST).verdict == "inconclusive"


def test_mean_interval_by_hand() -> None:
    # Means 0.8 and 0.6 around 0.7: shares in the error of the mean +-(0.1 * 10) / 20, times sqrt(2 / 1).
    one = score(clusters={"A": (10, 8.0), "B": (10, 6.0)}, population=99)
    half = 1.96 * (2 * (2**0.5 * 0.05) ** 2) ** 0.5
    interval = mean_interval([one])
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.7 - half, 0.7 + half))
    # The same words in each split are no more evidence; other words are.
    shared = mean_interval([one, one])
    assert shared is not None
    assert shared.high == pytest.approx(0.7 + half)
    other = score(clusters={"C": (10, 8.0), "D": (10, 6.0)}, population=99)
    apart = mean_interval([one, other])
    assert apart is not None
    assert apart.high == pytest.approx(0.7 + half / 2**0.5)
    # A census adds no error, and half the splits halve it.
    half_sure = mean_interval([one, score(0.7)])
    assert half_sure is not None
    assert half_sure.high == pytest.approx(0.7 + half / 2)


def test_mean_interval_without_clusters() -> None:
    one = score(0.9, clusters={}, population=99, interval=Interval(0.84, 0.94, "Wilson"))
    interval = mean_interval([one, one])
    assert interval is not None
    assert interval.low == pytest.approx(0.9 - 0.05 / 2**0.5)
    assert mean_interval([replace(one, interval=None)]) is None
    result = judge_one(family(0.95, replace(one, interval=None)), MEAN)
    assert result.verdict == "inconclusive"


def test_one_split_keeps_its_own_interval() -> None:
    one = score(0.95, population=99, interval=Interval(0.93, 0.97, "Wilson"))
    assert "0.9300 to 0.9700, Wilson" in judge_one(family(one), MEAN).reason


def test_mean_over_seeds() -> None:
    # Means of the seeds 0.94, 0.95, 0.96: half width 0.0248, as in the test of one split.
    cases = [one for seed, value in enumerate((0.94, 0.95, 0.96)) for one in family(value, value, seed=seed)]
    result = judge_one(cases, MEAN)
    assert result.value == pytest.approx(0.95)
    assert result.reason.endswith("(95 % interval 0.9252 to 0.9748, t over seeds, mean of 2 splits, 3 seeds)")
    worst = judge_one(cases, WORST)
    assert worst.verdict == "passed"
    assert "worst of 2 splits: s0, 3 seeds" in worst.reason


def test_incomplete_families() -> None:
    cases = family(0.95, 0.97)
    result = judge_one(cases, MEAN, expected=10)
    assert (result.value, result.verdict, result.reason) == (None, "not evaluated", "not evaluated (2 of 10 splits)")
    assert judge_one([], MEAN, expected=10).reason == "not evaluated (0 of 10 splits)"
    unknown = judge_aggregates(cases, {}, Gates(aggregates=(MEAN,)))
    assert unknown[0].reason == "not evaluated (the full list of splits is not known)"
    unscored = [*cases, replace(cases[0], split="s2", scores=())]
    assert judge_one(unscored, MEAN, expected=3).reason == "not evaluated (2 of 3 splits)"


def test_incomplete_seeds() -> None:
    cases = [*family(0.95, 0.97), *family(0.95, seed=1)]
    assert judge_one(cases, MEAN).reason == "not evaluated (1 of 2 splits have all 2 seeds)"


def test_different_judges_are_not_averaged() -> None:
    cases = family(0.95, score(0.95, judge="published-2"))
    assert judge_one(cases, MEAN).reason == (
        "not evaluated (its splits have different scores: "
        "target_probability published-1, target_probability published-2)"
    )


def test_versions_are_judged_apart() -> None:
    results = judge([*family(0.95, 0.97), *family(0.5, version="2")], MEAN, expected=2)
    assert [(result.verdict, result.reason.split(":")[0]) for result in results] == [
        ("passed", "benchmark version 1"),
        ("not evaluated", "benchmark version 2"),
    ]
    assert [result.version for result in results] == ["1", "2"]


def test_unknown_code_size_carries_over() -> None:
    unknown = (GateResult("inconclusive", "floor", "target_probability", f"{UNBOUNDED}. x"),)
    cases = [replace(one, gates=unknown, verdict="inconclusive") for one in family(0.95, 0.97)]
    result = judge_one(cases, MEAN)
    assert result.verdict == "inconclusive"
    assert result.reason.startswith(f"{UNBOUNDED} (2 of 2 cases). target_probability: expected >= 0.9")
    one, other = cases
    result = judge_one([one, replace(other, gates=(), verdict="passed")], MEAN)
    assert (result.verdict, result.reason.split(". ")[0]) == ("inconclusive", f"{UNBOUNDED} (1 of 2 cases)")
    ungated = [replace(one, verdict="passed", reason=f"not gated; {UNBOUNDED}") for one in family(0.95, 0.97)]
    assert judge_one(ungated, MEAN).verdict == "inconclusive"
    assert judge_one([replace(one, gates=unknown) for one in family(0.5, 0.6)], MEAN).verdict == "failed"


def test_groups() -> None:
    cases = [
        replace(one, group=group)
        for one, group in zip(family(0.5, 0.9, 1.0), ("shorter", "longer", "longer"), strict=True)
    ]
    results = judge(cases, replace(MEAN, group="*"))
    assert [(result.group, result.value) for result in results] == [("longer", 0.95), ("shorter", 0.5)]
    assert [result.group for result in judge(cases, replace(MEAN, group="long*"))] == ["longer"]
    assert judge_one(cases, replace(MEAN, group="longer"), expected=4).reason == "not evaluated (3 of 4 splits)"
    assert judge(family(0.5), replace(MEAN, group="*")) == []


def test_first_gate_counts_and_can_switch_off() -> None:
    cases = family(0.95)
    assert [result.verdict for result in judge(cases, replace(MEAN, min=0.99), MEAN)] == ["failed"]
    assert judge(cases, AggregateGate(against="none"), MEAN) == []
    assert [result.statistic for result in judge(cases, AggregateGate(against="none"), MEAN, WORST)] == ["worst"]
    assert judge(cases, replace(MEAN, output="recognition")) == []
    assert judge(cases, replace(MEAN, metric="word_accuracy")) == []


def test_merged_shards_are_judged_whole() -> None:
    gates = Gates(aggregates=(MEAN,))
    shards = [Document(cases=(one,), expected=slugs(2)) for one in family(0.95, 0.97)]
    assert [judge_document(shard, gates).aggregates[0].verdict for shard in shards] == ["not evaluated"] * 2
    merged = judge_document(merge(shards), gates)
    assert merged.aggregates[0].verdict == "passed"
    assert merged.cases == tuple(family(0.95, 0.97))
    # Judging again changes nothing.
    assert judge_document(merged, gates) == merged


def test_shipped_aggregates() -> None:
    cases = [
        case(score(0.95), family="length", split=f"length-{n}", group={1: "shorter", 5: "longer"}.get(n, "between"))
        for n in range(1, 6)
    ]
    expected = {"comporth/published/length/reconstruction": tuple(one.split for one in cases)}
    results = judge_aggregates(cases, expected, load())
    assert [(result.statistic, result.group) for result in results] == [
        ("mean", ""),
        ("worst", ""),
        ("mean", "between"),
        ("mean", "longer"),
        ("mean", "shorter"),
    ]
    assert {result.verdict for result in results} == {"passed"}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.randoms())
def test_order_does_not_matter(values: list[float], random: Any) -> None:
    cases = family(*values)
    mixed = list(cases)
    random.shuffle(mixed)
    worst = judge_one(cases, WORST)
    assert judge_one(mixed, WORST).value == worst.value == min(values)
    assert judge_one(mixed, MEAN).value == pytest.approx(judge_one(cases, MEAN).value)
    assert (worst.verdict == "passed") == all(value >= 0.9 for value in values)
