"""What there is to see in results of CompOrth: places, letters, lengths, units, of one model and of several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...figures import Bars, Curves, Figure, HeatMap, Line, Panels, Points
from ...metrics.reading import LETTERS, LONG, REPLACED, SHORT
from ...results import codes
from ...scores import title
from ..drawing import Splits, about_seeds, about_seeds_of, anchor, columns, flat, joined, known, merged
from . import rows
from .representation import CHANGES, TASK

if TYPE_CHECKING:
    from ...results.schema import Case

_LEAST_PLACES, _LEAST_LENGTHS, _LEAST_SPLITS = 4, 3, 2
"""Splits of a family without which there is no figure of it."""

_LIMITS = (0.1, 0.2, 0.5, 1.0)
"""Where the axis of rare errors may end."""


def figures(cases: Sequence[Case]) -> Iterator[Figure]:
    """Describe what there is to see in the results of one model; see :class:`pytest_genbench.benchmarks.Illustrates`."""
    for task in sorted({case.output for case in cases} - {TASK}):
        about = [case for case in cases if case.output == task and case.scores]
        yield from _letters(task, rows.of_family(about, "compositional"))
        yield from _lengths(task, rows.of_family(about, "length"))
        yield from _places(task, rows.of_family(about, "spatial"))
    yield from _units(rows.codes(cases))


def contrasts(models: Mapping[str, Sequence[Case]]) -> Iterator[Figure]:
    """Describe how models differ; see :class:`pytest_genbench.benchmarks.Contrasts`."""
    for task in sorted({case.output for cases in models.values() for case in cases} - {TASK}):
        about = {name: [c for c in cases if c.output == task and c.scores] for name, cases in models.items()}
        yield from _letters_of_models(task, rows.of_models(about, "compositional"))
        yield from _lengths_of_models(task, rows.of_models(about, "length"))
        yield from _places_of_models(task, rows.of_models(about, "spatial"))
    yield from _codes_of_models(models)


# One model.


def _letters(task: str, splits: Splits) -> Iterator[Figure]:
    if len(splits) < _LEAST_SPLITS:
        return
    scored = rows.Scored(splits)
    yield Bars(
        title=f"Letters where they were never seen, {task}: {scored.title}",
        note=joined("Each letter is held out at one position.", scored.note),
        labels=scored.labels,
        series=scored.values,
        intervals=scored.intervals,
        marks=scored.marks,
        levels=scored.levels,
        value_title=scored.title,
    )
    yield from _wrong(f"What went wrong where a letter was never seen, {task}", splits)


def _lengths(task: str, splits: Splits) -> Iterator[Figure]:
    if len(splits) < _LEAST_LENGTHS:
        return
    scored, lengths = rows.Scored(splits), tuple(float(rows.length(slug)) for slug in splits)
    values = scored.values | scored.marks
    yield Curves(
        title=f"Words of a length that was never seen, {task}: {scored.title}",
        note=joined("The shortest and the longest extrapolate.", scored.note),
        lines=tuple(rows.line(name, lengths, row, scored.intervals.get(name)) for name, row in values.items()),
        x_title="letters in the words held out",
        y_title=scored.title,
        levels=scored.levels,
        ticks=rows.ticks(splits),
    )
    yield from _wrong(f"What went wrong with words of another length, {task}", splits)


def _places(task: str, splits: Splits) -> Iterator[Figure]:
    if len(splits) < _LEAST_PLACES:
        return
    scored, seeds = rows.Scored(splits), about_seeds(flat(splits), intervals=False)
    found = {rows.place(slug): value for slug, value in zip(splits, scored.values["held out"], strict=True)}
    columns, lines = (rows.shifts(place[axis] for place in found) for axis in (0, 1))
    seen = [value for value in scored.values.get("in split", ()) if value is not None]
    beside = [f"In split: {fmean(seen):.3f}, mean over all."] if seen else []
    levels = {name: value for name, value in scored.levels.items() if name != "gate"}
    beside += [f"{name.capitalize()}: {value:.3f}." for name, value in levels.items()]
    published = {a.value: a.note for case in flat(splits) for a in case.anchors if a.source == "published"}
    beside += [f"Published: {value:.2f}, {note}." for value, note in published.items()]
    yield HeatMap(
        title=f"Places where nothing was ever seen, {task}: {scored.title}",
        note=joined("All words are held out at one shift from the centre.", seeds, *beside),
        rows=tuple(f"{y:+d}" for y in reversed(lines)),
        columns=tuple(f"{x:+d}" for x in columns),
        values=tuple(tuple(found.get((x, y)) for x in columns) for y in reversed(lines)),
        row_title="shift up, pixels",
        column_title="shift to the right, pixels",
        means=True,
    )


def _wrong(heading: str, splits: Splits) -> Iterator[Figure]:
    """Shares of held-out items by what went wrong with them, where anything did."""
    kinds = dict.fromkeys([REPLACED, LETTERS, SHORT, LONG, *(kind for case in flat(splits) for kind in case.errors)])
    shares = {
        kind: tuple(fmean(case.errors.get(kind, 0) / case.scores[0].n for case in each) for each in splits.values())
        for kind in kinds
    }
    shares = {kind: row for kind, row in shares.items() if any(row)}
    if not shares:
        return
    most = max(map(max, shares.values()))
    yield Bars(
        title=heading,
        note=joined("Shares of the held-out images.", about_seeds(flat(splits), intervals=False)),
        labels=rows.labels(splits),
        series=shares,
        value_title="share of images",
        high=next((limit for limit in _LIMITS if most <= limit), 1.0),
    )


def _units(splits: Splits) -> Iterator[Figure]:
    """What there is to see of codes: MIR and MIG, and what perturbed units change."""
    if not splits:
        return
    seeds = about_seeds(flat(splits), intervals=False)
    metrics = [f"{metric}_{factors}" for factors in ("letters", "all") for metric in ("mir", "mig")]
    active = [score.value for score in rows.scores(splits, "active_units")]
    units = f"Active units: {min(active):g} to {max(active):g}." if active else ""
    yield Bars(
        title="Does a unit tell of one thing (MIR), has a thing a unit of its own (MIG)?",
        note=joined(
            "Letters: words of full length and their letters. All: every factor and all images. Lines: MIR of the letters for "
            "codes that are known.",
            units,
            seeds,
        ),
        labels=rows.labels(splits),
        series=known({title(metric): rows.means(splits, metric) for metric in metrics}),
        levels={
            name: value
            for name in ("two letters mixed", "noise")
            if (value := anchor(flat(splits), name, "mir_letters")) is not None
        },
    )
    changes = known({title(change): rows.means(splits, f"perturbed_{change}") for change in CHANGES})
    if changes:
        yield Bars(
            title="What another value of one unit changes in the word that is read",
            note=joined("Means over units: shares of the values that they were set to.", seeds),
            labels=rows.labels(splits),
            series=changes,
            value_title="share of values",
        )
    yield from _positions(splits)


def _positions(splits: Splits) -> Iterator[Figure]:
    """Where single units change a letter: a good one does so at one position."""
    pairs = [(case.score("perturbed_one_letter"), case.score("position_entropy")) for case in flat(splits)]
    points = tuple(
        (share.clusters[unit][1], entropy)
        for share, spread in pairs
        if share is not None and spread is not None
        for unit, (_, entropy) in spread.clusters.items()
    )
    if points:
        yield Points(
            title="Is a unit about one position?",
            note="A point is a unit that changes single letters. At the bottom it does so at one position only: a unit that "
            "stands for a letter at a position is at the bottom right. Five positions alike are 1.61 nats.",
            groups={"units, all splits": points},
            x_title="share of values that change one letter",
            y_title="entropy of the position, nats",
        )


# Several models.


def _with_enough(models: Mapping[str, Splits], least: int) -> dict[str, Splits]:
    """Leave out models with too few splits for a figure; of a single one that is left there is nothing to be compared."""
    found = {name: splits for name, splits in models.items() if len(splits) >= least}
    return found if len(found) > 1 else {}


def _letters_of_models(task: str, models: Mapping[str, Splits]) -> Iterator[Figure]:
    models = _with_enough(models, _LEAST_SPLITS)
    if not models:
        return
    slugs = rows.ordered({slug for splits in models.values() for slug in splits})
    scored = rows.Scored(merged(models, slugs))
    series, intervals = columns({name: rows.Scored(splits).by_split(slugs) for name, splits in models.items()})
    yield Bars(
        title=f"Letters where they were never seen, {task}: {scored.title}",
        note=joined("Each letter is held out at one position.", about_seeds_of(models.values())),
        labels=scored.labels,
        series=series,
        intervals=intervals,
        marks=scored.marks,
        levels=scored.levels,
        value_title=scored.title,
    )


def _lengths_of_models(task: str, models: Mapping[str, Splits]) -> Iterator[Figure]:
    models = _with_enough(models, _LEAST_LENGTHS)
    if not models:
        return
    slugs = rows.ordered({slug for splits in models.values() for slug in splits})
    scored = rows.Scored(merged(models, slugs))
    lines = []
    for name, splits in models.items():
        own, lengths = rows.Scored(splits), tuple(float(rows.length(slug)) for slug in splits)
        lines.append(rows.line(name, lengths, own.values["held out"], own.intervals["held out"]))
    lengths = tuple(float(rows.length(slug)) for slug in slugs)
    yield Curves(
        title=f"Words of a length that was never seen, {task}: {scored.title}",
        note=joined("The shortest and the longest extrapolate.", about_seeds_of(models.values())),
        lines=(*lines, *(rows.line(name, lengths, row, None) for name, row in scored.marks.items())),
        x_title="letters in the words held out",
        y_title=scored.title,
        levels=scored.levels,
        ticks=rows.ticks(slugs),
    )


def _places_of_models(task: str, models: Mapping[str, Splits]) -> Iterator[Figure]:
    """Means by row and column, over the places that all models were tested at."""
    if len(models) < 2:
        return
    common = rows.ordered(set.intersection(*(set(splits) for splits in models.values())))
    if len(common) < _LEAST_PLACES:
        return
    scored = rows.Scored(merged(models, common))
    found = {
        name: rows.Scored({slug: splits[slug] for slug in common}).values["held out"] for name, splits in models.items()
    }

    def means(axis: int, x_title: str) -> Curves:
        at = [rows.place(slug)[axis] for slug in common]
        shifts = sorted(set(at))
        lines = [
            Line(name, tuple(map(float, shifts)), tuple(rows.mean_at(shift, at, row) for shift in shifts))
            for name, row in found.items()
        ]
        return Curves(
            title=x_title, lines=tuple(lines), x_title=f"{x_title}, pixels", y_title=scored.title, levels=scored.levels
        )

    yield Panels(
        title=f"Places where nothing was ever seen, {task}: {scored.title}",
        note=joined(
            f"Means over the {len(common)} places that all models were tested at.",
            about_seeds_of(models.values(), intervals=False),
        ),
        figures=(means(1, "shift up"), means(0, "shift to the right")),
    )


def _codes_of_models(models: Mapping[str, Sequence[Case]]) -> Iterator[Figure]:
    """Loss against MIR with the models that no other beats in both, and MIR against accuracy of those."""
    chosen = codes.front(models)
    if chosen:
        yield Points(
            title="Which models to look at: loss of the reconstruction against MIR of all factors",
            note="Means over splits. The line joins the models that no other beats in both (figure 2A of Bianchi et al. 2024).",
            groups={each.model: ((each.loss, each.mir),) for each in chosen},
            names={each.model: (each.model,) for each in chosen},
            x_title="excess BCE, nats per image",
            y_title="MIR, all factors",
            front=tuple(sorted((each.loss, each.mir) for each in chosen if each.is_on_front)),
        )
    pairs = {name: tuple(points) for name, cases in models.items() if (points := codes.pairs(cases))}
    if len(pairs) > 1:
        yield Points(
            title="Does MIR go with generalisation?",
            note=f"A point is a model's split. {codes.correlated(models)}.",
            groups=pairs,
            x_title="MIR, letters",
            y_title="accuracy of reconstruction, held out",
        )
