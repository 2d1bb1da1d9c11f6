"""What there is to see in results on Chopsticks and Spaceshapes: scores, and what was kept of codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from numpy.typing import ArrayLike

from ...figures import Bars, Bounds, Figure, Row
from ...hierarchy import Hierarchy
from ...results.schema import Case
from ..drawing import about_seeds, anchor, by_split, flat, gate, known, mean
from ..protocol import Inputs
from . import views

R_C, R = "r_c_fast", "r_fast"

SCORES = {"R_c": R_C, "R": R}

STRUCTURE = {"purity": "purity", "coverage": "coverage"}


class Shown(Protocol):
    """What figures ask of a benchmark."""

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        """True hierarchies by the slug of their split, in order."""

    def images(self, index: ArrayLike) -> Inputs:
        """Render items (N,)."""


def figures(data: Shown, cases: Sequence[Case]) -> Iterator[Figure]:
    """Describe the results of one model: over data sets, then each data set by itself."""
    sets = _by_set(data, cases)
    if len(sets) > 1:
        yield _over_sets(sets)
        yield from _structure(sets)
    for slug, some in sets.items():
        truth = data.hierarchies[slug]
        if some[0].score(R_C) is not None:
            yield _variables(slug, truth, some)
        # Pictures are of one model: the first seed that has them.
        case = next((each for each in some if each.kept), some[0])
        about = f" Seed {case.seed} of {len(some)}." if len(some) > 1 else ""
        yield views.trees(slug, truth, case, about)
        for make in (views.paths, views.units, views.plane, views.densities, views.mixtures, views.tables):
            found = make(slug, truth, case, about)
            if found is not None:
                yield found
        if (found := views.traversals(data.images, slug, case, about)) is not None:
            yield found


def contrasts(data: Shown, models: Mapping[str, Sequence[Case]]) -> Iterator[Figure]:
    """Describe the results of several models side by side."""
    found = {name: _by_set(data, cases) for name, cases in models.items()}
    slugs = [slug for slug in data.hierarchies if sum(slug in sets for sets in found.values()) > 1]
    if not slugs:
        return
    yield Bars(
        title="R_c of each model",
        note="Mean over the true variables: each against the best unit, only where both are active.",
        labels=tuple(slugs),
        series=_contrasted(found, slugs, R_C),
        marks=_marks([_any(found, slug) for slug in slugs]),
        value_title="R_c",
    )
    if len(slugs) == 1:
        names = data.hierarchies[slugs[0]].names
        yield Bars(
            title=f"{slugs[0]}: R_c of each variable by model",
            labels=names,
            series={
                model: tuple(_value(sets[slugs[0]], f"{R_C}.{name}") for name in names)
                for model, sets in found.items()
                if slugs[0] in sets
            },
            value_title="R_c",
        )
    for title, metric in {"Purity": "purity", "Coverage": "coverage", "H-error": "h_error"}.items():
        # Flat models have none; they stay in the figure, so that colours are the same in all of them.
        series = _contrasted(found, slugs, metric)
        values = [value for row in series.values() for value in row if value is not None]
        if len(known(series)) > 1:
            yield Bars(
                title=f"{title} of each model",
                note=_MEANING[metric],
                labels=tuple(slugs),
                series=series,
                value_title=title,
                high=max(1.0, *values) if metric == "h_error" else 1.0,
            )


_MEANING = {
    "purity": "Share of the items that are on a path of the model's hierarchy whose most frequent true path is their own.",
    "coverage": "Share of the items that the model assigns to a path.",
    "h_error": "Paths that one hierarchy has and the other has not; 0 is right. Models with a hierarchy of their own.",
}


def _any(found: Mapping[str, Mapping[str, list[Case]]], slug: str) -> list[Case]:
    return next(sets[slug] for sets in found.values() if slug in sets)


def _contrasted(found: Mapping[str, Mapping[str, list[Case]]], slugs: Sequence[str], metric: str) -> dict[str, Row]:
    return {
        model: tuple(_value(sets[slug], metric) if slug in sets else None for slug in slugs)
        for model, sets in found.items()
    }


def _by_set(data: Shown, cases: Sequence[Case]) -> dict[str, list[Case]]:
    """Sort cases by data set, in the benchmark's order, and by seed."""
    found = by_split(cases)
    return {slug: found[slug] for slug in data.hierarchies if slug in found}


def _values(cases: Sequence[Case], metric: str) -> list[float]:
    return [score.value for case in cases if (score := case.score(metric)) is not None]


def _value(cases: Sequence[Case], metric: str) -> float | None:
    return mean(cases, metric)[0]


def _interval(cases: Sequence[Case], metric: str) -> Bounds | None:
    """The interval over seeds, or that of a sample."""
    return mean(cases, metric)[1]


def _marks(sets: Sequence[Sequence[Case]]) -> dict[str, Row]:
    """Values of the anchors of R_c by name, one for each data set."""
    names = dict.fromkeys(a.name for cases in sets for a in cases[0].anchors if a.metric == R_C)
    return {name: tuple(anchor(cases, name, R_C) for cases in sets) for name in names}


def _levels(cases: Sequence[Case]) -> dict[str, float]:
    bound = gate(cases, R_C)
    return {} if bound is None else {"gate": bound}


def _spread(cases: Sequence[Case]) -> str:
    said = about_seeds(cases, "items")
    return f" {said}" if said else ""


def _over_sets(sets: Mapping[str, list[Case]]) -> Figure:
    return Bars(
        title="R_c and R of each data set",
        note="R_c compares each true variable with the best unit only where both are active, R everywhere. The marks are R_c of "
        f"shuffled principal components (chance), principal components, and the true values themselves.{_spread(flat(sets))}",
        labels=tuple(sets),
        series={name: tuple(_value(cases, metric) for cases in sets.values()) for name, metric in SCORES.items()},
        intervals={name: tuple(_interval(cases, metric) for cases in sets.values()) for name, metric in SCORES.items()},
        marks=_marks(list(sets.values())),
        levels=_levels(flat(sets)),
        value_title="R_c, R",
    )


def _structure(sets: Mapping[str, list[Case]]) -> Iterator[Figure]:
    """Purity, coverage and H-error over data sets, of a model that has a hierarchy for some of them."""
    sets = {slug: cases for slug, cases in sets.items() if _values(cases, "purity")}
    if not sets:
        return
    yield Bars(
        title="Purity and coverage of each data set",
        note=f"Purity: {_MEANING['purity']} Coverage: {_MEANING['coverage']}",
        labels=tuple(sets),
        series={name: tuple(_value(cases, metric) for cases in sets.values()) for name, metric in STRUCTURE.items()},
        value_title="share of items",
    )
    errors = tuple(_value(cases, "h_error") for cases in sets.values())
    yield Bars(
        title="H-error of each data set",
        note=_MEANING["h_error"],
        labels=tuple(sets),
        series={"H-error": errors},
        value_title="paths",
        high=max(1.0, *(each for each in errors if each is not None)),
    )


def _variables(slug: str, truth: Hierarchy, cases: Sequence[Case]) -> Figure:
    """R_c and R of each variable, below their means, beside which the anchors stand."""
    labels = ("all (mean)", *truth.names)
    series, intervals = {}, {}
    for name, metric in SCORES.items():
        metrics = (metric, *(f"{metric}.{variable}" for variable in truth.names))
        series[name] = tuple(_value(cases, each) for each in metrics)
        intervals[name] = tuple(_interval(cases, each) for each in metrics)
    rest: Row = (None,) * len(truth.names)
    published = any(a.source == "published" and a.metric == R_C for a in cases[0].anchors)
    return Bars(
        title=f"{slug}: R_c and R of each true variable",
        note="R_c: how well the variable and the best unit tell each other where both are active; R: everywhere, with zeros for "
        "what is inactive. Categorical variables are not 0 by chance, and a continuous unit can only match them in part. Marks are "
        "R_c of shuffled labels (chance), of principal components, of the true values"
        + (", and of the best published runs (Ross & Doshi-Velez 2021, fig. 12)." if published else ".")
        + _spread(cases),
        labels=labels,
        series=series,
        intervals=intervals,
        marks={name: (*row, *rest) for name, row in _marks([cases]).items()},
        levels=_levels(cases),
        value_title="R_c, R",
    )
