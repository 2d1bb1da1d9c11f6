"""What there is to see in results of the in-domain benchmark: factors, splits, unseen values, of one model and of several.

Figures follow those of Schott et al. 2022 (arXiv 2107.08221, sections 5.1 to 5.4) where there are such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...figures import Bars, Figure, HeatMap, Histogram, Panels, Points, Row
from ...results.indomain import correlations, downstream, has_answers, pairs, pooled
from ..drawing import (
    LOW,
    Splits,
    about_seeds,
    about_seeds_of,
    anchor,
    columns,
    cut,
    flat,
    gate,
    has_values,
    joined,
    known,
    mean,
    merged,
    off_axis,
)
from ..grids import Design
from . import answers, rows, rule
from .modularity import ID, OOD, RATIO, SHARE, train_means
from .recognition import ACCURACY
from .regression import METRIC, counted

if TYPE_CHECKING:
    from ...results.schema import Case

_R2 = "R²"

_TASKS = ("regression", "recognition")

_GUESSES = ("nearest seen value", "right where seen, else mean", "training mean", "chance")
"""Anchors that bars are read by, the best first."""

_EDGES = tuple(round(-0.5 + 0.1 * k, 1) for k in range(21))
"""Of the signed ratio of equation 2."""

_PUBLISHED_RHO = (
    "Published: 0.57 or more between models, -0.48 or less with the truth (Schott et al. 2022, section 5.3)."
)


def figures(design: Design, cases: Sequence[Case]) -> Iterator[Figure]:
    """Describe what there is to see in the results of one model; see :class:`pytest_genbench.benchmarks.Illustrates`.

    Args:
        design: The grid.
        cases: Cases of one model.
    """
    for task in _TASKS:
        splits = rows.by_split(cases, task)
        if splits:
            yield _overview({_R2: splits}, f"{_R2} by split, {task}")
            yield _factors(design, splits, task)
        if task == "recognition" and splits:
            yield _levels(design, splits)
    seen = rows.by_split(cases, "regression").get("random", ())
    for split, unseen in rows.by_split(cases, "modularity").items():
        yield _one_unseen(design, split, unseen, seen)
    beyond = [case for case in cases if has_answers(case)]
    if _factors_of(design, beyond):
        yield _against_truth(design, beyond)
        yield _toward_mean(design, beyond)
        yield from _alike_seeds(beyond)
    yield from _codes({"": cases})


def contrasts(design: Design, models: Mapping[str, Sequence[Case]]) -> Iterator[Figure]:
    """Describe how models differ; see :class:`pytest_genbench.benchmarks.Contrasts`.

    Args:
        design: The grid.
        models: Cases by the name of their model.
    """
    for task in _TASKS:
        of = {name: splits for name, cases in models.items() if (splits := rows.by_split(cases, task))}
        if len(of) > 1:
            yield _overview(of, f"{_R2} by split, {task}")
    unseen = {name: splits for name, cases in models.items() if (splits := rows.by_split(cases, "modularity"))}
    if len(unseen) > 1:
        yield _unseen_of_models(unseen)
    yield from _alike_models({name: [case for case in cases if has_answers(case)] for name, cases in models.items()})
    yield from _codes({name: cases for name, cases in models.items() if pairs(cases)})


# Splits and factors.


def _overview(models: Mapping[str, Splits], heading: str) -> Bars:
    """The headline of each split, a series for each model; anchors are the same for all."""
    names = [split for split in rows.SPLITS if any(split in splits for splits in models.values())]
    found = {name: [mean(splits.get(split, ()), METRIC) for split in names] for name, splits in models.items()}
    series, intervals = columns(found)
    marks, note = off_axis(_anchors(merged(models, names)), LOW)
    return Bars(
        title=heading,
        note=joined(
            "The mean over factors of 1 - MSE / variance over the whole grid.",
            about_seeds_of(models.values()),
            note,
            cut(series.values(), LOW),
        ),
        labels=tuple(rows.SPLITS[split] for split in names),
        series=series,
        intervals=intervals,
        marks=marks,
        value_title=_R2,
        low=LOW,
    )


def _anchors(splits: Splits) -> dict[str, Row]:
    """What the headline of each split is read by."""
    published = dict.fromkeys(
        each.name
        for case in flat(splits)
        for each in case.anchors
        if each.source == "published" and each.metric == METRIC
    )
    found = {name: tuple(anchor(cases, name, METRIC) for cases in splits.values()) for name in (*_GUESSES, *published)}
    return known({**found, "gate": tuple(gate(cases, METRIC) for cases in splits.values())})


def _factors(design: Design, splits: Splits, task: str) -> Bars:
    """Each factor of each split."""
    names = design.grid.names
    found, marks = {}, {}
    for split, cases in splits.items():
        title = rows.SPLITS[split]
        found[title] = [mean(cases, f"{METRIC}.{name}") for name in names]
        nearest = tuple(anchor(cases, _GUESSES[0], f"{METRIC}.{name}") for name in names)
        # Where training showed every value of every factor, this is 1.
        if any(value is not None and value < 0.9995 for value in nearest):
            marks[f"{_GUESSES[0]}, {title}"] = nearest
    series, intervals = columns(found)
    shown, below = off_axis(marks, LOW)
    return Bars(
        title=f"{_R2} of each factor, {task}",
        note=joined(
            about_seeds(flat(splits)),
            "A tick is where a model ends that never leaves the values it has seen." if shown else "",
            below,
            cut(series.values(), LOW),
            _degenerate(splits),
            f"Never held out: {', '.join(design.kept)}." if design.kept else "",
        ),
        labels=names,
        series=series,
        intervals=intervals,
        marks=shown,
        value_title=_R2,
        low=LOW,
    )


def _degenerate(splits: Splits) -> str:
    """Name the factors whose bar means little, as their anchors say."""
    notes: dict[str, list[str]] = {}
    for split, cases in splits.items():
        for case in cases:
            for each in case.anchors:
                if each.note.startswith("degenerate"):
                    about = notes.setdefault(f"{rows.SPLITS[split]}, {each.note}", [])
                    name = each.metric.partition(".")[2]
                    about += [name] * (name not in about)
    return " ".join(f"{', '.join(names)} in {note}." for note, names in notes.items())


def _levels(design: Design, splits: Splits) -> Bars:
    """How often the level of each factor is named, and all of them."""
    names = design.grid.names
    metrics = (ACCURACY, *(f"{ACCURACY}.{name}" for name in names))
    series, intervals = columns(
        {rows.SPLITS[split]: [mean(cases, metric) for metric in metrics] for split, cases in splits.items()}
    )
    everything = float(np.prod([1 / design.grid.shape[k] for k in counted(design)]))
    return Bars(
        title="Levels named, recognition: accuracy",
        note=about_seeds(flat(splits)),
        labels=("all factors right", *names),
        series=series,
        intervals=intervals,
        marks={"chance": (everything, *(1 / n for n in design.grid.shape))},
        value_title="accuracy",
    )


# One factor unseen.


def _one_unseen(design: Design, split: str, unseen: Sequence[Case], seen: Sequence[Case]) -> Bars:
    """Each factor where it is unseen, where another is, and in distribution."""
    names = design.grid.names
    about = {"unseen": (unseen, OOD), "while another is unseen": (unseen, ID), "in distribution": (seen, METRIC)}
    series, intervals = columns(
        {what: [mean(cases, f"{head}.{name}") for name in names] for what, (cases, head) in about.items()}
    )
    marks = {_GUESSES[0]: tuple(anchor(unseen, _GUESSES[0], f"{OOD}.{name}") for name in names)}
    marks, below = off_axis(marks, LOW)
    return Bars(
        title=f"One factor unseen, {rows.SPLITS[split]}: {_R2}",
        note=joined(
            "A model of independent parts would lose the unseen factor alone, and keep the others as in distribution.",
            about_seeds(unseen) if len({case.seed for case in unseen}) > 1 else "",
            below,
            cut(series.values(), LOW),
        ),
        labels=names,
        series=series,
        intervals={name: bounds for name, bounds in intervals.items() if any(each is not None for each in bounds)},
        marks=marks,
        value_title=_R2,
        low=LOW,
    )


def _unseen_of_models(models: Mapping[str, Splits]) -> Bars:
    """The unseen factor and the others, a series for each model."""
    about = [
        (f"{rows.SPLITS[split]}: {what}", split, metric)
        for split in ("interpolation", "extrapolation")
        if any(split in splits for splits in models.values())
        for what, metric in (("unseen factor", OOD), ("the others", ID))
    ]
    found = {
        name: [mean(splits.get(split, ()), metric) for _, split, metric in about] for name, splits in models.items()
    }
    series, intervals = columns(found)
    every = merged(models, {split for _, split, _ in about})
    marks = {_GUESSES[0]: tuple(anchor(every[split], _GUESSES[0], metric) for _, split, metric in about)}
    marks, below = off_axis(marks, LOW)
    return Bars(
        title=f"One factor unseen: {_R2}",
        note=joined("Means over factors.", about_seeds_of(models.values()), below, cut(series.values(), LOW)),
        labels=tuple(label for label, _, _ in about),
        series=series,
        intervals=intervals,
        marks=marks,
        value_title=_R2,
        low=LOW,
    )


# Answers to values beyond those seen.


def _against_truth(design: Design, cases: Sequence[Case]) -> Panels:
    """What was predicted of each unseen factor against what is true."""
    means, held = train_means(design, "extrapolation"), rule.held_levels(design, "extrapolation")
    panels = []
    for k, name in _factors_of(design, cases):
        groups = {
            f"seed {case.seed}": tuple(zip(case.kept[name]["true"], case.kept[name]["answer"], strict=True))
            for case in cases
        }
        highest = (min(held[k]) - 1) / (len(design.factors[k]) - 1)
        panels.append(
            Points(
                title=name,
                groups=groups if len(cases) > 1 else {"answers": next(iter(groups.values()))},
                x_title="true",
                y_title="predicted",
                diagonal=True,
                levels={"highest value seen": highest, "mean of training": float(means[k])},
            )
        )
    count = max(len(case.kept[name]["items"]) for case in cases for _, name in _factors_of(design, [case]))
    of_seeds = f" by each of {len(cases)} seeds" if len(cases) > 1 else ""
    return Panels(
        title="Predicted against true where one factor is beyond what was seen",
        note=f"Extrapolation; {count} images of each factor{of_seeds}. Values are the level over the highest.",
        figures=tuple(panels),
    )


def _factors_of(design: Design, cases: Sequence[Case]) -> list[tuple[int, str]]:
    """Position and name of the factors that all cases keep answers of."""
    names = design.grid.names
    return [(k, names[k]) for k in rule.varying(design) if cases and all(names[k] in case.kept for case in cases)]


def _toward_mean(design: Design, cases: Sequence[Case]) -> Histogram:
    """How far predictions are pulled towards the mean of training: equation 2, with its sign."""
    means = train_means(design, "extrapolation")
    ratios = np.concatenate(
        [
            (np.array(case.kept[name]["answer"]) - means[k]) / (np.array(case.kept[name]["true"]) - means[k])
            for case in cases
            for k, name in _factors_of(design, [case])
        ]
    )
    counts, _ = np.histogram(np.clip(ratios, _EDGES[0], _EDGES[-1]), _EDGES)
    share, ratio = mean(cases, SHARE)[0], mean(cases, RATIO)[0]
    scored = ""
    if share is not None and ratio is not None:
        scored = (
            f"Of all images scored, {share:.1%} of predictions are nearer to the mean of training than the truth is; "
            f"the median of the ratio without its sign is {ratio:.2f}."
        )
    return Histogram(
        title="Pulled towards the mean",
        note=joined(
            "Extrapolation, one factor unseen: distance of the prediction from the mean of training over that of the truth "
            f"(equation 2), with its sign, for {len(ratios):,} answers that were kept; the outer bars hold what lies beyond.",
            scored,
        ),
        edges=_EDGES,
        counts={"answers": tuple(int(count) for count in counts)},
        x_title="signed ratio",
        marks={"mean of training": 0.0, "truth": 1.0},
    )


def _alike_seeds(cases: Sequence[Case]) -> Iterator[HeatMap]:
    """How answers of this model's seeds, of recorded reference models and the truth go together."""
    ordered = sorted(cases, key=lambda case: case.seed)
    own = {f"seed {case.seed}" if len(cases) > 1 else "this model": [pooled(case, "answer")] for case in ordered}
    recorded = {f"{name}, recorded": seeds for name, seeds in answers.beside(ordered[0]).items()}
    note = "Recorded are reference models of three seeds, trained with the budget quick." if recorded else ""
    yield from _heat_map(own | recorded, pooled(ordered[0], "true"), note)


def _alike_models(models: Mapping[str, Sequence[Case]]) -> Iterator[HeatMap]:
    """How answers of models and the truth go together."""
    found = {name: cases for name, cases in models.items() if cases}
    if len(found) > 1:
        true = pooled(next(iter(found.values()))[0], "true")
        note = "Of a model with several seeds, means over pairs of them."
        yield from _heat_map({name: [pooled(c, "answer") for c in cases] for name, cases in found.items()}, true, note)


def _heat_map(found: Mapping[str, Sequence[Sequence[float]]], true: Sequence[float], note: str) -> Iterator[HeatMap]:
    values = correlations(list(found.values()), true)
    if not any(has_values(row) for row in values):
        return
    names = (*found, "truth")
    yield HeatMap(
        title="Answers to values beyond those seen: how they go together",
        note=joined(
            f"Pearson correlation over {len(true)} images of which one factor is unseen, factors pooled. Models that agree "
            "with each other and not with the truth make the same mistake.",
            note,
            _PUBLISHED_RHO,
        ),
        rows=names,
        columns=names,
        values=values,
        low=-1.0,
        is_signed=True,
    )


# Codes.


def _codes(models: Mapping[str, Sequence[Case]]) -> Iterator[Points]:
    """Disentanglement of codes against what is read from them: a group for each model, or for each split of the only one."""
    order = {split: at for at, split in enumerate(rows.SPLITS)}
    found = [
        (name or rows.SPLITS.get(pair.split, pair.split), pair)
        for name, cases in models.items()
        for pair in sorted(pairs(cases), key=lambda pair: (order.get(pair.split, len(order)), pair.seed))
    ]
    if not found:
        return
    groups: dict[str, list[tuple[float, float]]] = {}
    names: dict[str, list[str]] = {}
    for group, pair in found:
        groups.setdefault(group, []).append((pair.dci, pair.r2))
        names.setdefault(group, []).append(rows.SPLITS.get(pair.split, pair.split))
    yield Points(
        title=f"Disentanglement of the code against {_R2} of what is read from it",
        note=f"{downstream(list(models.values()))}.",
        groups={group: tuple(points) for group, points in groups.items()},
        names={} if "" in models else {group: tuple(each) for group, each in names.items()},
        x_title="DCI disentanglement",
        y_title=_R2,
    )
