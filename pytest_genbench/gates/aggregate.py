"""Judge whole families of splits: their mean and their worst, on the full list of splits or not at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from ..results.schema import AggregateResult, Case, Document
from ..scores import Interval, Score, over_seeds
from .decide import UNBOUNDED, Measured, judge_floor, measure
from .model import AggregateGate, Gates

_Z = 1.96
"""Standard errors on each side of a 95 % interval."""


@dataclass(frozen=True)
class _Family:
    """The cases of one benchmark version, preset, family and output."""

    benchmark: str
    preset: str
    family: str
    output: str
    version: str
    cases: tuple[Case, ...]
    expected: tuple[str, ...]
    remark: str

    def part(self, group: str) -> tuple[Case, ...]:
        return tuple(case for case in self.cases if group in ("", case.group))


def judge_document(document: Document, gates: Gates) -> Document:
    """Judge the aggregates of a document anew, as after a merge; cases keep the verdicts they have.

    Raises:
        GateError: As for :func:`judge_aggregates`.
    """
    return replace(document, aggregates=tuple(judge_aggregates(document.cases, document.expected, gates)))


def judge_aggregates(
    cases: Iterable[Case], expected: Mapping[str, Sequence[str]], gates: Gates
) -> list[AggregateResult]:
    """Judge every family by every aggregate gate that fits it.

    A split counts as one, however many items it has; its value is the mean over seeds. The value of ``worst`` is that
    of the worst split, and its interval is bounded by the worst bounds: it passes when every split does.

    A family is judged only when all of its splits are there with all seeds. Which of them belong to a group is known
    from the cases alone, so that a group too needs the whole family. Each version of a benchmark is judged for itself.

    Args:
        cases: All cases of a run or a merged document, judged by :func:`~pytest_genbench.gates.decide.decide`.
        expected: For each ``benchmark/preset/family/output`` the slugs of all its splits.
        gates: All gates.

    Returns:
        Results in the order of families, then of gates.

    Raises:
        GateError: A gate's bound is on the wrong side of its metric.
    """
    results = []
    for family in _families(cases, expected):
        taken: set[tuple[str, ...]] = set()
        for gate in gates.aggregates:
            if gate.fits_family(family.benchmark, family.family, family.output):
                for group in _groups(gate, family):
                    results += _judge(gate, family, group, taken)
    return results


def mean_interval(scores: Sequence[Score]) -> Interval | None:
    """95 % interval of the unweighted mean of sampled scores, by the delta method.

    Splits are tested on the same words or problems, so that their errors go together. Each cluster's share in the
    error of the mean is therefore summed over splits before it is squared (a cluster-robust variance, Liang and Zeger
    1986). A score without enough clusters counts as independent, with half the width of its interval as 1.96 standard
    errors.

    Args:
        scores: One for each split; censuses have no sampling error and add none.

    Returns:
        The interval; None where a sampled score has neither two clusters nor an interval.
    """
    shares: dict[str, float] = {}
    variance = 0.0
    for score in scores:
        if score.is_census:
            continue
        if len(score.clusters) >= 2:
            items = sum(count for count, _ in score.clusters.values())
            # The usual correction for estimating a spread around a mean that comes from the same few clusters.
            scale = math.sqrt(len(score.clusters) / (len(score.clusters) - 1)) / items
            for name, (count, total) in score.clusters.items():
                shares[name] = shares.get(name, 0.0) + scale * (total - score.value * count)
        elif score.interval is not None:
            variance += ((score.interval.high - score.interval.low) / 2 / _Z) ** 2
        else:
            return None
    variance += sum(share**2 for share in shares.values())
    centre = sum(score.value for score in scores) / len(scores)
    half = _Z * math.sqrt(variance) / len(scores)
    return Interval(centre - half, centre + half, "delta method over shared clusters")


def _families(cases: Iterable[Case], expected: Mapping[str, Sequence[str]]) -> list[_Family]:
    """Sort cases into families; a family that is expected and has no case is there too."""
    sorted_cases: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        key: tuple[str, ...] = (case.benchmark, case.preset, case.family, case.output, case.version)
        sorted_cases.setdefault(key, []).append(case)
    for name in expected:
        parts = tuple(name.split("/"))
        if len(parts) == 4 and not any(key[:4] == parts for key in sorted_cases):
            sorted_cases[(*parts, "")] = []
    families = []
    for key in sorted(sorted_cases):
        benchmark, preset, family, output, version = key
        slugs = tuple(expected.get("/".join(key[:4]), ()))
        is_alone = sum(other[:4] == key[:4] for other in sorted_cases) == 1
        remark = "" if is_alone else f"benchmark version {version}: "
        families.append(_Family(benchmark, preset, family, output, version, tuple(sorted_cases[key]), slugs, remark))
    return families


def _groups(gate: AggregateGate, family: _Family) -> list[str]:
    if not gate.group:
        return [""]
    present = sorted({case.group for case in family.cases if case.group})
    return [group for group in present if fnmatchcase(group, gate.group)]


def _judge(gate: AggregateGate, family: _Family, group: str, taken: set[tuple[str, ...]]) -> list[AggregateResult]:
    """Judge one family or a group of it; nothing where an earlier gate has done so, or the metric is not there."""
    scores = [score for score in map(gate.find, family.part(group)) if score is not None]
    if not scores and any(case.scores for case in family.cases):
        return []
    metric, judge = (scores[0].metric, scores[0].judge) if scores else (gate.metric, "")
    slot = (metric, judge, gate.statistic, group)
    if slot in taken:
        return []
    taken.add(slot)
    if gate.against == "none":
        return []
    if scores:
        gate.check_direction(metric, scores[0].better)
    blank = AggregateResult(
        benchmark=family.benchmark,
        preset=family.preset,
        family=family.family,
        output=family.output,
        version=family.version,
        metric=metric,
        statistic=gate.statistic,
        group=group,
        value=None,
        verdict="not evaluated",
        reason="",
    )
    missing = _incomplete(gate, family)
    result = replace(blank, reason=missing) if missing else _evaluate(gate, family, group, blank)
    return [replace(result, reason=family.remark + result.reason)]


def _incomplete(gate: AggregateGate, family: _Family) -> str:
    """Say what is missing; empty where every expected split is there with every seed, read by the same judge."""
    if not family.expected:
        return "not evaluated (the full list of splits is not known)"
    evaluated: dict[str, set[int]] = {}
    kinds = set()
    for case in family.cases:
        score = gate.find(case)
        if score is not None:
            evaluated.setdefault(case.split, set()).add(case.seed)
            kinds.add(f"{score.metric} {score.judge}".strip())
    seeds = set().union(*evaluated.values())
    there = sum(slug in evaluated for slug in family.expected)
    if there < len(family.expected):
        return f"not evaluated ({there} of {len(family.expected)} splits)"
    if len(kinds) > 1:
        return f"not evaluated (its splits have different scores: {', '.join(sorted(kinds))})"
    full = sum(evaluated[slug] == seeds for slug in family.expected)
    if full < len(family.expected):
        return f"not evaluated ({full} of {len(family.expected)} splits have all {len(seeds)} seeds)"
    return ""


def _evaluate(gate: AggregateGate, family: _Family, group: str, blank: AggregateResult) -> AggregateResult:
    """Judge a complete family."""
    cases = [case for case in family.part(group) if gate.find(case) is not None]
    splits: dict[tuple[str, str], dict[int, Score]] = {}
    for case in cases:
        score = gate.find(case)
        assert score is not None
        splits.setdefault((case.split, case.factor), {})[case.seed] = score
    measured = _mean(splits, blank.metric) if gate.statistic == "mean" else _worst(splits)
    verdict, line = judge_floor(gate, measured)
    said = ([case.reason, *(result.reason for result in case.gates)] for case in cases)
    unbounded = sum(any(UNBOUNDED in reason for reason in reasons) for reasons in said)
    if verdict == "passed" and unbounded:
        verdict, line = "inconclusive", f"{UNBOUNDED} ({unbounded} of {len(cases)} cases). {line}"
    return replace(blank, value=measured.value, verdict=verdict, reason=line, bound=gate.bound)


def _mean(splits: Mapping[tuple[str, str], Mapping[int, Score]], metric: str) -> Measured:
    """Mean over splits, with the interval over seeds where there are several."""
    scores = [score for seeds in splits.values() for score in seeds.values()]
    value = sum(score.value for score in scores) / len(scores)
    better = scores[0].better
    seeds = sorted({seed for by_seed in splits.values() for seed in by_seed})
    basis = f"mean of {len(splits)} splits"
    if len(seeds) > 1:
        # Averaged within a seed first: splits of one seed may share weights, and then err together.
        values = [float(np.mean([by_seed[seed].value for by_seed in splits.values()])) for seed in seeds]
        return Measured(metric, better, value, over_seeds(values), False, f"{basis}, {len(seeds)} seeds")
    if len(scores) == 1:
        return measure(scores)
    if all(score.is_census for score in scores):
        return Measured(metric, better, value, None, True, f"{basis}, each a census")
    return Measured(metric, better, value, mean_interval(scores), False, basis)


def _worst(splits: Mapping[tuple[str, str], Mapping[int, Score]]) -> Measured:
    """The worst split by value, with the worst of all lower and the worst of all upper bounds."""
    found = [(measure(list(seeds.values())), name) for name, seeds in sorted(splits.items())]
    sign = 1.0 if found[0][0].better == "higher" else -1.0
    measured, (split, factor) = min(found, key=lambda pair: sign * pair[0].value)
    basis = f"worst of {len(found)} splits: {' '.join(filter(None, (split, factor)))}, {measured.basis}"
    if all(one.is_census for one, _ in found):
        return replace(measured, basis=basis)
    if any(one.interval is None and not one.is_census for one, _ in found):
        return replace(measured, interval=None, is_census=False, basis=basis)
    lows = [one.value if one.interval is None else one.interval.low for one, _ in found]
    highs = [one.value if one.interval is None else one.interval.high for one, _ in found]
    choose = min if sign > 0 else max
    interval = Interval(choose(lows), choose(highs), "worst bounds of all splits")
    return replace(measured, interval=interval, is_census=False, basis=basis)
