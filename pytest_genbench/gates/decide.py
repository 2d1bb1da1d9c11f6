"""Decide one test: its scores against floors and against a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..results.pairing import Counterparts, obstacles, other_judge, paired_seeds, same_score
from ..results.schema import ORDER, Case, Document, GateResult, Verdict
from ..scores import ENDLESS, Interval, Score, over_seeds
from .model import Bound, Gate, Gates

UNBOUNDED = (
    "code size unknown: the identity would pass too; declare genbench.code_size, or use --genbench-allow-unbounded"
)
"""How the reason begins where a reconstruction cleared its gate and nobody knows how small its code is."""

UNGATED = "not gated"
"""How the reason begins where every gate that applies has ``against = "none"``, so that any score passes."""


@dataclass(frozen=True)
class Decision:
    """What became of one test.

    Attributes:
        verdict: The worst of `results`, in the order failed, not comparable, inconclusive, passed.
        reason: One line: the reasons of the results with that verdict.
        results: What each gate said.
    """

    verdict: Verdict
    reason: str
    results: tuple[GateResult, ...]


@dataclass(frozen=True)
class Measured:
    """A value to be judged, and how sure it is.

    Attributes:
        metric: The metric.
        better: Which way it improves.
        value: The value.
        interval: 95 % interval; None where there is none.
        is_census: Whether the value is exact, so that it needs no interval.
        basis: What it rests on, for people: ``census of 186``, ``n = 10,000 of 11,904``, ``3 seeds``.
    """

    metric: str
    better: str
    value: float
    interval: Interval | None
    is_census: bool
    basis: str


def decide(
    cases: Sequence[Case],
    gates: Gates,
    baseline: Document | None,
    *,
    code_size_known: bool,
    require_baseline: bool = False,
    allow_unbounded: bool = False,
) -> Decision:
    """Decide one test.

    Args:
        cases: The test's cases, one for each training seed (usually one).
        gates: All gates.
        baseline: The run to compare with; None to judge by floors alone.
        code_size_known: Whether copying the input is out of the question: the task does not reward it, or the size of
            the model's code is verified or declared.
        require_baseline: Fail where the baseline has no counterpart.
        allow_unbounded: Let a reconstruction pass without a known code size.

    Returns:
        The decision. Without any gate that applies it is inconclusive, because nothing was asserted.

    Raises:
        GateError: A gate sets ``min`` for a metric that is better lower, or ``max`` for one that is better higher.
        ValueError: There are no cases.
    """
    if not cases:
        raise ValueError("decide() needs at least one case.")
    first = cases[0]
    applying = list(gates.applying(first))
    if not applying:
        name = f"{first.benchmark}/{first.family}/{first.split}, {first.output}"
        reason = (
            f"no gate applies to {name} ({gates.source or 'no gates'}); say what it must clear by --genbench-gates=FILE"
        )
        return Decision("inconclusive", reason, ())
    counterparts = Counterparts(baseline) if baseline is not None else None
    is_bounded = code_size_known or allow_unbounded
    results: list[GateResult] = []
    for stated, score in applying:
        stated.check_direction(score.metric, score.better)
        gate = stated.resolved(first, score)
        if gate.against != "none":
            results += _judge(gate, score, cases, counterparts, require_baseline, stated.anchor)
    if not results:
        why = dict.fromkeys(gate.reason.strip() for gate, _ in applying if gate.reason.strip())
        reason = f"{UNGATED}{': ' if why else ''}{' '.join(why)}"
        return Decision("passed", reason if is_bounded else f"{UNGATED}; {UNBOUNDED}", ())
    if not is_bounded:
        results = [_unbounded(result) for result in results]
    verdict = worst(result.verdict for result in results)
    reason = "; ".join(result.reason for result in results if result.verdict == verdict)
    return Decision(verdict, reason, tuple(results))


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine verdicts: failed beats not comparable beats inconclusive beats passed."""
    return min(verdicts, key=ORDER.index)


def measure(scores: Sequence[Score]) -> Measured:
    """Sum up the same score of one or several seeds.

    Several seeds have the interval over seeds, whose spread holds the sampling error too.
    """
    first = scores[0]
    if len(scores) > 1:
        values = [score.value for score in scores]
        mean = sum(values) / len(values)
        return Measured(first.metric, first.better, mean, over_seeds(values), False, f"{len(scores)} seeds")
    basis = f"census of {first.n:,}" if first.is_census else f"n = {first.n:,}"
    if not first.is_census and first.population < ENDLESS:
        basis += f" of {first.population:,}"
    # Resampling one cluster always draws that cluster: an interval without width, which is no certainty.
    is_blind = len(first.clusters) == 1 and first.interval is not None and first.interval.low == first.interval.high
    interval = None if first.is_census or is_blind else first.interval
    return Measured(first.metric, first.better, first.value, interval, first.is_census, basis)


def judge_floor(gate: Bound, measured: Measured) -> tuple[Verdict, str]:
    """Hold a value against a bound.

    A census passes or fails by its value. Anything else passes when all of its interval clears the bound, fails when
    none of it does, and is inconclusive in between or without an interval.

    Args:
        gate: A gate with ``min`` or ``max``.
        measured: The value.

    Returns:
        The verdict, and one line that says what was expected, what was found, by which interval and of how many.
    """
    bound = gate.bound
    assert bound is not None
    sign = 1.0 if gate.max is None else -1.0
    interval = measured.interval
    expected = (
        f"{measured.metric}: expected {'>=' if sign > 0 else '<='} {bound:g}, got {number(measured.value, bound)}"
    )
    if measured.is_census:
        passed = sign * measured.value >= sign * bound
        return ("passed" if passed else "failed"), f"{expected} ({measured.basis}, exact)"
    if interval is None:
        return _inconclusive(gate, f"{expected} ({measured.basis}; sampled, and without an interval)")
    low, high = number(interval.low, bound), number(interval.high, bound)
    line = f"{expected} (95 % interval {low} to {high}, {interval.method}, {measured.basis})"
    near, far = (interval.low, interval.high) if sign > 0 else (interval.high, interval.low)
    if sign * near >= sign * bound:
        return "passed", line
    if sign * far < sign * bound:
        return "failed", line
    return _inconclusive(gate, f"{line}: the interval spans the bound")


def number(value: float, beside: float | None = None) -> str:
    """Write a value with four decimals, or with as many as it takes to tell it from the bound `beside` it."""
    for digits in range(4, 17):
        text = f"{value:.{digits}f}"
        if beside is None or value == beside or float(text) != beside:
            return text
    return repr(value)


def _inconclusive(gate: Bound, line: str) -> tuple[Verdict, str]:
    if gate.inconclusive == "green":
        return "passed", f"{line}; this gate lets an inconclusive result pass"
    return "inconclusive", line


def _unbounded(result: GateResult) -> GateResult:
    if result.verdict != "passed":
        return result
    return replace(result, verdict="inconclusive", reason=f"{UNBOUNDED}. {result.reason}")


def _judge(
    gate: Gate,
    score: Score,
    cases: Sequence[Case],
    counterparts: Counterparts | None,
    require_baseline: bool,
    anchor: str,
) -> list[GateResult]:
    """Judge one score of a test by one gate, whose number may come from an anchor, by the floor, the baseline or both."""
    results = []
    baseline = None
    remark = ""
    if gate.against in ("baseline", "both"):
        if counterparts is not None:
            baseline, remark = _against_baseline(gate, score, cases, counterparts)
        elif require_baseline or gate.against == "baseline":
            remark = "there is no baseline"
        if baseline is None and require_baseline:
            baseline = GateResult("failed", "baseline", score.metric, f"{score.metric}: {remark}, and one is required")
    # Without a counterpart a baseline gate falls back to the floor, if it has one.
    if gate.bound is not None and (gate.against != "baseline" or baseline is None):
        found = [same_score(case.scores, score) for case in cases]
        scores = [one for one in found if one is not None]
        verdict, line = judge_floor(gate, measure(scores))
        line += f"; the bound is the anchor {anchor!r}" if anchor else ""
        if len(scores) < len(cases):
            verdict = worst([verdict, "inconclusive"])
            line = f"{line}; only {len(scores)} of {len(cases)} seeds have this score"
        line = f"{line}; {remark}: floor only" if remark else line
        results.append(GateResult(verdict, "floor", score.metric, line, gate.bound))
    if baseline is not None:
        results.append(baseline)
    if not results:
        line = f"{score.metric}: {remark}, and no floor to fall back on"
        results.append(GateResult("inconclusive", "baseline", score.metric, line))
    return results


def _against_baseline(
    gate: Gate, score: Score, cases: Sequence[Case], counterparts: Counterparts
) -> tuple[GateResult | None, str]:
    """Compare with the same seeds of the baseline; None and a remark where it has none."""
    pairs, blocked = [], []
    for case in cases:
        old_case, new = counterparts.find(case), same_score(case.scores, score)
        if old_case is None or new is None:
            continue
        old = same_score(old_case.scores, score) or other_judge(old_case.scores, score)
        if old is None:
            continue
        obstacle = obstacles(old_case, old, case, new)
        if obstacle:
            blocked.append(obstacle)
        else:
            pairs.append((old, new))
    if blocked:
        line = f"{score.metric}: not comparable with the baseline ({blocked[0]})"
        return GateResult("not comparable", "baseline", score.metric, line), ""
    if not pairs:
        return None, "the baseline has no counterpart"
    verdict, line = _compare(gate, pairs)
    if len(pairs) < len(cases):
        line += f"; {len(pairs)} of {len(cases)} seeds are in the baseline"
    return GateResult(verdict, "baseline", score.metric, line), ""


def _compare(gate: Gate, pairs: Sequence[tuple[Score, Score]]) -> tuple[Verdict, str]:
    """Say whether a score dropped, given old and new of each seed."""
    metric, better = pairs[0][1].metric, pairs[0][1].better
    was = sum(old.value for old, _ in pairs) / len(pairs)
    now = sum(new.value for _, new in pairs) / len(pairs)
    line = f"{metric}: baseline {number(was)}, got {number(now, was)}"
    difference = paired_seeds(pairs, gate.tolerance)
    if difference is None:
        if was == now:
            return "passed", line
        return "not comparable", f"{line}; no cluster is stored in both, so chance cannot be told from change"
    change = difference.change(better, gate.tolerance)
    interval = difference.interval
    line += (
        f" ({change}: {difference.value:+.4f}, 95 % interval {interval.low:+.4f} to {interval.high:+.4f}, "
        f"{interval.method}, {difference.units} {'seeds' if len(pairs) > 1 else 'clusters'}, "
        f"tolerance {gate.tolerance:g}, smallest detectable drop {difference.detectable:.4f})"
    )
    if difference.note:
        line += f"; {difference.note}"
    return ("failed" if change == "regressed" else "passed"), line
