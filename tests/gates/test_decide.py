"""Decisions on one test: floors, baselines, seeds, unknown code sizes, and how verdicts combine."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import GateError
from pytest_genbench.gates import UNBOUNDED, Decision, Gate, Gates, decide, load
from pytest_genbench.gates.decide import number
from pytest_genbench.results import io
from pytest_genbench.results.schema import Case, Document, GateResult
from pytest_genbench.scores import Anchor, Interval, Score

from ..results.documents import case, score, scores

FLOOR = Gate(min=0.9, against="floor")
BOTH = Gate(min=0.9, against="both")
BASELINE = Gate(against="baseline")
GOOD = score(clusters={"A": (10, 9.5), "B": (10, 9.3)})
WORSE = score(clusters={"A": (10, 9.4), "B": (10, 9.2)})


def sampled(value: float, low: float, high: float, **changes: Any) -> Score:
    return score(value, population=1000, interval=Interval(low, high, "Wilson"), **changes)


def run(
    one: Score | Case | list[Case],
    *gates: Gate,
    baseline: Case | Document | None = None,
    known: bool = True,
    **options: Any,
) -> Decision:
    cases = one if isinstance(one, list) else [one if isinstance(one, Case) else case(one)]
    document = Document(cases=(baseline,)) if isinstance(baseline, Case) else baseline
    return decide(cases, Gates(gates, source="test.toml"), document, code_size_known=known, **options)


@pytest.mark.parametrize(
    ("one", "verdict", "reason"),
    [
        (score(0.94), "passed", "target_probability: expected >= 0.9, got 0.9400 (census of 30, exact)"),
        (score(0.9), "passed", "target_probability: expected >= 0.9, got 0.9000 (census of 30, exact)"),
        (score(0.89), "failed", "target_probability: expected >= 0.9, got 0.8900 (census of 30, exact)"),
        (
            sampled(0.94, 0.91, 0.96),
            "passed",
            "target_probability: expected >= 0.9, got 0.9400 (95 % interval 0.9100 to 0.9600, Wilson, n = 30 of 1,000)",
        ),
        (
            sampled(0.94, 0.89, 0.96),
            "inconclusive",
            "target_probability: expected >= 0.9, got 0.9400 (95 % interval 0.8900 to 0.9600, Wilson, n = 30 of 1,000)"
            ": the interval spans the bound",
        ),
        (
            sampled(0.85, 0.8, 0.89),
            "failed",
            "target_probability: expected >= 0.9, got 0.8500 (95 % interval 0.8000 to 0.8900, Wilson, n = 30 of 1,000)",
        ),
        (
            score(0.99, population=99),
            "inconclusive",
            "target_probability: expected >= 0.9, got 0.9900 (n = 30 of 99; sampled, and without an interval)",
        ),
    ],
)
def test_floor(one: Score, verdict: str, reason: str) -> None:
    decision = run(one, FLOOR)
    assert (decision.verdict, decision.reason) == (verdict, reason)
    assert decision.results == (GateResult(verdict, "floor", "target_probability", reason, 0.9),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (score(0.05), "passed"),
        (score(0.11), "failed"),
        (sampled(0.05, 0.01, 0.09), "passed"),
        (sampled(0.05, 0.01, 0.11), "inconclusive"),
        (sampled(0.2, 0.11, 0.3), "failed"),
    ],
)
def test_ceiling(one: Score, verdict: str) -> None:
    lower = replace(one, metric="mse", better="lower")
    decision = run(lower, Gate(metric="mse", max=0.1, against="floor"))
    assert decision.verdict == verdict
    assert decision.reason.startswith("mse: expected <= 0.1, got 0.")


def test_one_sampled_cluster_is_no_certainty() -> None:
    one = score(clusters={"A": (5, 5.0)}, population=1000, interval=Interval(1.0, 1.0, "cluster bootstrap"))
    assert run(one, FLOOR).verdict == "inconclusive"


def test_bound_on_the_wrong_side() -> None:
    with pytest.raises(GateError, match=r"min = 0\.9 for mse, which is better when lower; use max"):
        run(score(0.5, metric="mse", better="lower"), FLOOR)
    with pytest.raises(GateError, match=r"max = 0\.9 for target_probability, which is better when higher; use min"):
        run(GOOD, Gate(max=0.9, against="floor"))


def test_green_for_the_inconclusive() -> None:
    decision = run(sampled(0.94, 0.89, 0.96), replace(FLOOR, inconclusive="green"))
    assert decision.verdict == "passed"
    assert decision.reason.endswith("the interval spans the bound; this gate lets an inconclusive result pass")
    assert run(sampled(0.8, 0.7, 0.89), replace(FLOOR, inconclusive="green")).verdict == "failed"


def test_numbers_differ_in_print_when_they_differ() -> None:
    assert number(0.95) == "0.9500"
    assert number(0.9, 0.9) == "0.9000"
    assert number(0.8999999, 0.9) == "0.8999999"
    assert "got 0.899999" in run(score(0.899999), FLOOR).reason


def test_first_gate_on_a_score_counts() -> None:
    strict = Gate(min=0.99, against="floor")
    assert run(score(0.94), FLOOR, strict).verdict == "passed"
    assert run(score(0.94), strict, FLOOR).verdict == "failed"
    assert run(score(0.94), replace(strict, split="compositional-A*"), FLOOR).verdict == "passed"
    assert run(score(0.94), replace(strict, family="spatial"), FLOOR).verdict == "passed"


def test_gates_on_different_scores_all_count() -> None:
    one = case(score(0.94), score(0.5, judge="robust-1"), score(0.95, metric="top1"))
    gates = [FLOOR, replace(FLOOR, judge="robust-*"), replace(FLOOR, metric="top1")]
    decision = run(one, *gates)
    assert [result.verdict for result in decision.results] == ["passed", "failed", "passed"]
    assert decision.reason == decision.results[1].reason
    # Without a judge the headline is meant, so this is the first gate again.
    assert len(run(one, FLOOR, replace(FLOOR, metric="target_probability")).results) == 1


def test_in_split_scores_are_not_judged() -> None:
    one = case(score(0.99, condition="in-split"), score(0.5))
    assert run(one, FLOOR).verdict == "failed"


def test_no_gate_is_not_green() -> None:
    decision = run(GOOD, replace(FLOOR, family="spatial"))
    assert decision == Decision(
        "inconclusive",
        "no gate applies to comporth/compositional/compositional-B5, reconstruction (test.toml); "
        "say what it must clear by --genbench-gates=FILE",
        (),
    )
    assert run(GOOD, replace(FLOOR, metric="word_accuracy")).verdict == "inconclusive"
    assert run(GOOD).verdict == "inconclusive"


def test_not_gated_on_purpose() -> None:
    assert run(score(0.1), Gate(against="none"), FLOOR) == Decision("passed", "not gated", ())
    why = Gate(against="none", reason="Nothing is known to be enough.")
    assert run(score(0.1), why, FLOOR).reason == "not gated: Nothing is known to be enough."
    # The aggregates have to know.
    assert run(score(0.1), Gate(against="none"), known=False) == Decision("passed", f"not gated; {UNBOUNDED}", ())


def test_no_cases() -> None:
    with pytest.raises(ValueError, match="at least one case"):
        run([], FLOOR)


def test_unknown_code_size() -> None:
    decision = run(GOOD, FLOOR, known=False)
    assert decision.verdict == "inconclusive"
    assert decision.reason.startswith(
        "code size unknown: the identity would pass too; declare genbench.code_size, "
        "or use --genbench-allow-unbounded. target_probability: expected >= 0.9"
    )
    assert decision.results[0].bound == 0.9
    assert run(GOOD, replace(FLOOR, inconclusive="green"), known=False).verdict == "inconclusive"
    assert run(GOOD, BASELINE, baseline=case(GOOD), known=False).verdict == "inconclusive"
    assert run(GOOD, FLOOR, known=False, allow_unbounded=True).verdict == "passed"
    assert run(score(0.5), FLOOR, known=False).verdict == "failed"
    assert UNBOUNDED not in run(score(0.5), FLOOR, known=False).reason


def seeds(*values: float) -> list[Case]:
    return [case(score(value), seed=seed) for seed, value in enumerate(values)]


def test_seeds_are_judged_by_their_interval() -> None:
    # Mean 0.95, standard deviation 0.01, t(0.975, 2) = 4.303: half width 0.0248.
    decision = run(seeds(0.94, 0.95, 0.96), FLOOR)
    assert decision.verdict == "passed"
    assert decision.reason == (
        "target_probability: expected >= 0.9, got 0.9500 (95 % interval 0.9252 to 0.9748, t over seeds, 3 seeds)"
    )
    assert run(seeds(0.85, 0.95, 0.96), FLOOR).verdict == "inconclusive"
    assert run(seeds(0.5, 0.51, 0.52), FLOOR).verdict == "failed"


def test_a_seed_without_the_score() -> None:
    cases = [*seeds(0.94, 0.95), case(score(0.9, metric="top1"), seed=2)]
    decision = run(cases, FLOOR)
    assert decision.verdict == "inconclusive"
    assert decision.reason.endswith("the interval spans the bound; only 2 of 3 seeds have this score")
    passing = seeds(0.95, 0.9501)
    assert run(passing, FLOOR).verdict == "passed"
    assert run([*passing, cases[2]], FLOOR).verdict == "inconclusive"


def test_baseline() -> None:
    decision = run(WORSE, BOTH, baseline=case(GOOD))
    assert [(r.verdict, r.against) for r in decision.results] == [("passed", "floor"), ("failed", "baseline")]
    assert decision.verdict == "failed"
    assert decision.reason == (
        "target_probability: baseline 0.9400, got 0.9300 (regressed: -0.0100, 95 % interval -0.0100 to -0.0100, "
        "paired cluster bootstrap, 2 clusters, tolerance 0.005, smallest detectable drop 0.0050)"
    )
    assert run(WORSE, replace(BOTH, tolerance=0.02), baseline=case(GOOD)).verdict == "passed"
    assert run(GOOD, BOTH, baseline=case(WORSE)).verdict == "passed"
    assert run(WORSE, FLOOR, baseline=case(GOOD)).verdict == "passed"


def test_baseline_gate_ignores_the_floor_where_it_can() -> None:
    low = score(0.1)
    assert run(low, replace(BASELINE, min=0.9), baseline=case(low)).verdict == "passed"
    decision = run(low, replace(BASELINE, min=0.9))
    assert decision.verdict == "failed"
    assert decision.reason.endswith("; there is no baseline: floor only")


def test_no_counterpart() -> None:
    other = case(GOOD, split="another")
    decision = run(GOOD, BOTH, baseline=other)
    assert decision.verdict == "passed"
    assert decision.reason.endswith("; the baseline has no counterpart: floor only")
    required = run(GOOD, BOTH, baseline=other, require_baseline=True)
    assert required.verdict == "failed"
    assert required.reason == "target_probability: the baseline has no counterpart, and one is required"
    assert run(GOOD, BASELINE, baseline=other).reason == (
        "target_probability: the baseline has no counterpart, and no floor to fall back on"
    )
    assert run(GOOD, BASELINE, baseline=other).verdict == "inconclusive"
    assert run(GOOD, BOTH, require_baseline=True).verdict == "failed"
    assert run(GOOD, FLOOR, require_baseline=True).verdict == "passed"


@pytest.mark.parametrize(
    ("baseline", "why"),
    [
        (case(GOOD, preset="mini"), "preset: mini there, published here"),
        (case(GOOD, version="0"), "benchmark version: 0 there, 1 here"),
        (case(replace(GOOD, population=99), samples=20), "samples: 20 there, all here"),
        (case(replace(GOOD, judge="published-0")), "judge: published-0 there, published-1 here"),
        (case(GOOD, model={"contract": {"layout": "NHWC", "range": [0, 1]}}), "contract layout: NHWC there, NCHW here"),
    ],
)
def test_not_comparable(baseline: Case, why: str) -> None:
    decision = run(GOOD, BOTH, baseline=baseline)
    assert (decision.verdict, decision.reason) == (
        "not comparable",
        f"target_probability: not comparable with the baseline ({why})",
    )
    # A floor that is missed is still missed.
    assert run(replace(GOOD, value=0.5), BOTH, baseline=baseline).verdict == "failed"
    assert run(sampled(0.94, 0.89, 0.96), BOTH, baseline=baseline).verdict == "not comparable"


def test_baseline_over_seeds() -> None:
    old = Document(cases=tuple(seeds(0.99, 0.98, 0.97)))
    decision = run(seeds(0.94, 0.93, 0.92), BASELINE, baseline=old)
    assert decision.verdict == "failed"
    assert "baseline 0.9800, got 0.9300 (regressed: -0.0500" in decision.reason
    assert "t over seeds, 3 seeds" in decision.reason
    assert run(seeds(0.99, 0.98, 0.97), BASELINE, baseline=old).verdict == "passed"
    partly = run(seeds(0.99, 0.98, 0.97, 0.96), BASELINE, baseline=old)
    assert partly.verdict == "passed"
    assert partly.reason.endswith("; 3 of 4 seeds are in the baseline")


@given(scores(), st.floats(0, 1), st.sampled_from(["floor", "both", "baseline"]))
def test_same_model_twice_is_never_red_by_its_baseline(one: Score, low: float, against: Any) -> None:
    saved = io.from_json(io.to_json(Document(cases=(case(one),))), "x")
    decision = run(one, Gate(min=low, against=against), baseline=saved)
    assert all(result.verdict == "passed" for result in decision.results if result.against == "baseline")


@given(scores(), st.floats(-0.5, 1.5), st.floats(-0.5, 1.5))
def test_verdict_is_monotone_in_the_floor(one: Score, a: float, b: float) -> None:
    one = replace(one, metric="r2", interval=one.interval and Interval(one.value - 0.1, one.value + 0.1, "x"))
    rank = {"passed": 0, "inconclusive": 1, "failed": 2}
    easy, hard = (rank[run(one, Gate(min=bound, against="floor")).verdict] for bound in sorted((a, b)))
    assert easy <= hard


@pytest.mark.parametrize(
    ("output", "one", "verdict"),
    [
        ("reconstruction", score(0.95), "passed"),
        ("reconstruction", score(0.89), "failed"),
        ("recognition", score(0.95, metric="word_accuracy", judge=""), "passed"),
        ("recognition", score(0.89, metric="word_accuracy", judge=""), "failed"),
    ],
)
def test_shipped_gates(output: str, one: Score, verdict: str) -> None:
    assert decide([case(one, output=output)], load(), None, code_size_known=True).verdict == verdict


class TestAnchorAsBound:
    """A gate may ask for more than an anchor of the same case."""

    GATE = Gate(anchor="nearest", against="floor")
    ANCHORS = (
        Anchor("nearest", "target_probability", 0.93),
        Anchor("nearest", "mse", 4.0),
        Anchor("mean", "target_probability", 0.1),
    )

    @pytest.mark.parametrize(("value", "verdict"), [(0.94, "passed"), (0.93, "passed"), (0.92, "failed")])
    def test_value_of_the_anchor_is_the_floor(self, value: float, verdict: str) -> None:
        found = run(case(score(value), anchors=self.ANCHORS), self.GATE)
        assert found.verdict == verdict
        assert "expected >= 0.93" in found.reason
        assert found.reason.endswith("the bound is the anchor 'nearest'")
        assert found.results[0].bound == 0.93

    @pytest.mark.parametrize(("value", "verdict"), [(3.0, "passed"), (5.0, "failed")])
    def test_it_is_a_ceiling_where_lower_is_better(self, value: float, verdict: str) -> None:
        found = run(case(score(value, metric="mse", better="lower"), anchors=self.ANCHORS), self.GATE)
        assert found.verdict == verdict

    def test_anchor_that_is_not_there(self) -> None:
        with pytest.raises(
            GateError, match=r"anchor = 'chance', but .* has none of that name .*; it has mean, nearest"
        ):
            run(case(score(0.9), anchors=self.ANCHORS), Gate(anchor="chance"))

    def test_anchor_and_number(self) -> None:
        with pytest.raises(GateError, match="both an anchor and a number"):
            Gate(anchor="chance", min=0.5)
