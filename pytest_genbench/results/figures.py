"""Figures of several models side by side, whatever the benchmarks: differences, ranks, code sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..figures import Bars, Bounds, Figure, HeatMap, Points
from ..scores import title
from .contrast import Contrast, Versus
from .kinds import Kind, titles


def figures(contrast: Contrast) -> Iterable[Figure]:
    """Describe what there is to see; what cannot be shown is left out."""
    yield from _differences(contrast)
    yield from _ranks(contrast)
    yield from _sizes(contrast)


def _differences(contrast: Contrast) -> Iterator[Bars]:
    """A figure for each benchmark, task and metric: a group of bars for each family, a bar for each model."""
    groups: dict[Kind, list[Versus]] = {}
    for each in contrast.differences:
        if each.value is not None:
            groups.setdefault(_without_family(each.kind), []).append(each)
    called = titles(groups)
    for kind, found in sorted(groups.items()):
        families = list(dict.fromkeys(each.kind.family for each in found))
        models = list(dict.fromkeys(each.model for each in found))
        cells = {(each.model, each.kind.family): each for each in found}
        intervals = {model: tuple(_bounds(cells.get((model, family))) for family in families) for model in models}
        series = {model: tuple(_value(cells.get((model, family))) for family in families) for model in models}
        reached = [end for row in intervals.values() for ends in row if ends is not None for end in ends]
        reached += [value for row in series.values() for value in row if value is not None]
        low, high = min(0.0, *reached), max(0.0, *reached)
        margin = 0.05 * (high - low) or 0.05
        yield Bars(
            title=f"Difference to {contrast.against}: {called[kind]}",
            note=f"{'Above' if kind.better == 'higher' else 'Below'} 0 is better. 95 % intervals of the paired difference; "
            "they are not corrected for their number.",
            labels=tuple(families),
            series=series,
            intervals=intervals,
            value_title=f"difference in {title(kind.metric)}",
            low=low - margin if low < 0 else 0.0,
            high=high + margin if high > 0 or low == 0 else 0.0,
        )


def _without_family(kind: Kind) -> Kind:
    return Kind(kind.benchmark, kind.version, kind.preset, "", kind.output, kind.metric, kind.judge, kind.better)


def _value(each: Versus | None) -> float | None:
    return None if each is None else each.value


def _bounds(each: Versus | None) -> Bounds | None:
    return None if each is None or each.interval is None else (each.interval.low, each.interval.high)


def _ranks(contrast: Contrast) -> Iterator[HeatMap]:
    if not contrast.rankings:
        return
    called = _rows([ranking.kind for ranking in contrast.rankings])
    ranks = [[ranking.of(name) for name in contrast.models] for ranking in contrast.rankings]
    rows = [tuple(None if rank is None else float(rank.rank) for rank in row) for row in ranks]
    means = [contrast.mean_rank(name) for name in contrast.models]
    # The mean of one rank says nothing that the rank does not.
    has_means = len(rows) > 1
    texts = [tuple("" if rank is None else rank.text for rank in row) for row in ranks]
    alike = any(rank is not None and rank.equals for row in ranks for rank in row)
    yield HeatMap(
        title="Ranks by suite",
        note="1 is the best. Each rank is by the mean over the splits that all ranked models have; equal means share a rank."
        + (" 1 = 2 is the second, whose difference to the first is within chance." if alike else ""),
        rows=(*(called[ranking.kind] for ranking in contrast.rankings), *["mean rank"] * has_means),
        columns=contrast.models,
        values=(*rows, *[tuple(None if mean is None else mean[0] for mean in means)] * has_means),
        texts=(*texts, *[tuple("" if mean is None else f"{mean[0]:.2f}" for mean in means)] * has_means),
        column_title="model",
        low=1.0,
        high=float(max(2, len(contrast.models))),
    )


def _rows(kinds: Sequence[Kind]) -> dict[Kind, str]:
    """Name suites as briefly as they can be told apart."""
    brief = [f"{kind.benchmark} {kind.family}, {kind.output}" for kind in kinds]
    full = titles(kinds)
    return {kind: name if brief.count(name) == 1 else full[kind] for kind, name in zip(kinds, brief, strict=True)}


def _sizes(contrast: Contrast) -> Iterator[Points]:
    """Figures only where code sizes differ: else there is nothing to read off."""
    groups: dict[Kind, dict[str, list[tuple[str, float, float]]]] = {}
    for each in contrast.sizes:
        families = groups.setdefault(_without_family(each.kind), {})
        families.setdefault(each.kind.family, []).append((each.model, float(each.numbers), each.score))
    called = titles(groups)
    for kind, families in sorted(groups.items()):
        if len({numbers for found in families.values() for _, numbers, _ in found}) > 1:
            yield Points(
                title=f"Code size and what was held out: {called[kind]}",
                note="Mean over splits and seeds of reconstructions whose code size is known.",
                groups={family: tuple((x, y) for _, x, y in found) for family, found in families.items()},
                names={family: tuple(name for name, _, _ in found) for family, found in families.items()},
                x_title="numbers in the code",
                y_title=title(kind.metric),
                is_log=True,
            )
