"""What there is to see in what is kept of one model on one data set: its tree, its paths, its units, its code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import png
from ...figures import (
    Bars,
    Curves,
    Density,
    Figure,
    Gallery,
    HeatMap,
    Histogram,
    Line,
    Panels,
    Picture,
    Points,
    Strip,
    Text,
)
from ...hierarchy import Hierarchy
from ...results.schema import Case
from ..protocol import Inputs
from .kept import option_names, path_names
from .packed import frames, unpack

LEAST = 0.1
"""R² both ways from which on a unit is said to be about a variable."""

COLOURS = 6
"""Most paths that points are coloured by; of more, the first choice."""


def _declared(case: Case) -> Mapping[str, str] | None:
    """The hierarchy that a model declares, where an older document keeps nothing else of it."""
    notation = case.model.get("contract", {}).get("hierarchy")
    return None if notation is None else {"notation": str(notation), "tree": ""}


def trees(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure:
    """The true tree, beside the model's own where it has one."""
    own = case.kept.get("hierarchy") or _declared(case)
    error = case.score("h_error")
    if own is None:
        units = case.kept.get("units", {}).get("names", ())
        size = f" of {len(units)} units" if units else ""
        return Text(
            title=f"{slug}: true hierarchy",
            note=f"The code{size} is flat: every unit is there for every item.",
            text=f"{truth.notation}\n\n{truth.tree()}",
        )
    left = ["true", truth.notation, "", *truth.tree().splitlines()]
    right = ["learned", own["notation"], "", *own["tree"].splitlines()]
    width = max(map(len, left)) + 4
    lines = [f"{a:<{width}}{b}".rstrip() for a, b in zip_longest(left, right, fillvalue="")]
    said = f" H-error {error.value:g}: so many paths one has and the other has not." if error is not None else ""
    return Text(
        title=f"{slug}: true and learned hierarchy",
        note=f"c is a continuous variable, braces are a choice, 0 is nothing.{said}{about}",
        text="\n".join(lines),
    )


def paths(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure | None:
    """How often each path of the model's hierarchy is taken, and by items of which true path."""
    found = case.kept.get("paths")
    if found is None:
        return None
    counts = unpack(found["counts"], (len(found["true"]), len(found["learned"])))
    total, often = counts.sum(axis=1, keepdims=True), counts.sum(axis=0) / counts.sum()
    shares = counts / np.maximum(total, 1)
    learned = tuple(f"{name} ({share:.0%})" for name, share in zip(found["learned"], often, strict=True))
    return HeatMap(
        title=f"{slug}: true paths and those of the model",
        note="Share of the items of each true path that take each path of the model, and in brackets of all items. A model with "
        f"the right paths has one bright field in each row and column.{about}",
        rows=tuple(found["true"]),
        columns=learned,
        values=tuple(
            tuple(float(value) if all_ else None for value in row)
            for row, all_ in zip(shares, total[:, 0], strict=True)
        ),
        row_title="true path",
        column_title="path of the model",
    )


def units(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure | None:
    """How often each unit is active, and how much it varies then."""
    found = case.kept.get("units")
    if found is None:
        return None
    widest = max((spread for spread in found["spread"] if spread is not None), default=0.0)
    if not widest > 0:
        return None
    varies = tuple(None if spread is None else spread / widest for spread in found["spread"])
    active = tuple(found["active"])
    series = {"active": active} if case.kept.get("hierarchy") else {}
    return Bars(
        title=f"{slug}: units of the code",
        note=(
            "Share of the items in which a unit is active; and the standard deviation"
            if series
            else "Standard deviation"
        )
        + f" of its values, in units of that of the unit that varies most. A unit that does not vary says nothing.{about}",
        labels=tuple(found["names"]),
        series=series | {"varies": varies},
        value_title="share" if series else "of the largest",
    )


def plane(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure | None:
    """The code as a cloud of points."""
    found = case.kept.get("plane")
    if found is None:
        return None
    points = unpack(found["points"], (-1, 3))
    names, what = path_names(truth), "path"
    if len(names) > COLOURS:
        names, what = [name.split(", ")[0] for name in names], truth.columns[0].name
    groups: dict[str, list[tuple[float, float]]] = {name: [] for name in dict.fromkeys(names)}
    for x, y, path in points.tolist():
        groups[names[path]].append((x * found["scale"], y * found["scale"]))
    return Points(
        title=f"{slug}: the code of {len(points)} items",
        note=f"Coloured by the true {what}. Items of a kind lie on a line or surface with a dimension for each variable "
        f"they have.{about}",
        groups={name: tuple(places) for name, places in groups.items() if places},
        x_title=found["axes"][0],
        y_title=found["axes"][1],
    )


def _histograms(case: Case, *kinds: list[str]) -> list[Mapping[str, Any]]:
    """Histograms of true variables and units of these kinds."""
    return [each for each in case.kept.get("histograms", ()) if each["kinds"] in kinds]


def densities(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure | None:
    """How continuous variables go with the continuous units that tell most of them."""
    panels = []
    for each in _histograms(case, ["continuous", "continuous"]):
        counts = unpack(each["counts"], each["shape"])
        panels.append(
            Density(
                title=_pair(each),
                note=f"{each['n']:,} items",
                x_edges=_edges(each["x"], counts.shape[1]),
                y_edges=_edges(each["y"], counts.shape[0]),
                counts=tuple(map(tuple, counts.tolist())),
                x_title=f"true {each['true']}",
                y_title=f"unit {each['unit']}",
            )
        )
    if not panels:
        return None
    missing = set(truth.names) - {each["true"] for each in case.kept["histograms"]}
    none = f" No unit tells anything of {', '.join(n for n in truth.names if n in missing)}." if missing else ""
    return Panels(
        title=f"{slug}: true variables and the units that tell most of them",
        note="How many items have which values, where both are active: a line is right, straight or bent. The unit is that with "
        "the greatest R² both ways, times the share of the variable's items in which it is active. Shown is what lies between the "
        f"1st and the 99th percentile.{none}{about}",
        figures=tuple(panels),
    )


def mixtures(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure | None:
    """How choices go with continuous units, and continuous variables with the model's choices."""
    panels = []
    for each in _histograms(case, ["categorical", "continuous"], ["continuous", "categorical"]):
        counts = unpack(each["counts"], each["shape"])
        is_true = each["kinds"][0] == "categorical"
        options = _options(truth, each["true"]) if is_true else [str(at + 1) for at in range(len(counts))]
        name, along, span = ("true", "unit", "y") if is_true else ("unit", "true", "x")
        rows = counts.T if is_true else counts
        panels.append(
            Histogram(
                title=_pair(each),
                note=f"{each['n']:,} items",
                edges=_edges(each[span], rows.shape[1]),
                counts={
                    f"{each[name]}={option}": tuple(row) for option, row in zip(options, rows.tolist(), strict=True)
                },
                x_title=f"{along} {each[along]}",
            )
        )
    if not panels:
        return None
    return Panels(
        title=f"{slug}: choices and continuous variables that tell most of each other",
        note="How many items of each option have which values, where both are active: the less they overlap, the better one "
        f"tells the other.{about}",
        figures=tuple(panels),
    )


def tables(slug: str, truth: Hierarchy, case: Case, about: str) -> Figure | None:
    """How true choices go with those of the model."""
    panels = []
    for each in _histograms(case, ["categorical", "categorical"]):
        counts = unpack(each["counts"], each["shape"])
        shares = counts / np.maximum(counts.sum(axis=0), 1)
        panels.append(
            HeatMap(
                title=_pair(each),
                note=f"{each['n']:,} items",
                rows=tuple(f"{each['unit']}={option}" for option in range(1, len(counts) + 1)),
                columns=_options(truth, each["true"]),
                values=tuple(map(tuple, shares.tolist())),
                row_title="unit",
                column_title=f"true {each['true']}",
            )
        )
    if not panels:
        return None
    return Panels(
        title=f"{slug}: true choices and those of the model",
        note=f"Share of the items with each true option that have each option of the model, where both are active.{about}",
        figures=tuple(panels),
    )


def _pair(each: Mapping[str, Any]) -> str:
    return f"{each['true']} by {each['unit']}, R² {each['r2']:.2f}"


def _edges(span: Sequence[float], count: int) -> tuple[float, ...]:
    low, high = span
    if not high > low:
        # A unit that is constant where both are active still has an interval to be drawn in.
        low, high = low - 0.5, high + 0.5
    digits = 2 - math.floor(math.log10(high - low))
    return tuple(float(edge) + 0.0 for edge in np.linspace(low, high, count + 1).round(digits))


def _options(truth: Hierarchy, name: str) -> tuple[str, ...]:
    return option_names(truth)[truth.names.index(name)]


def traversals(render: Callable[[Sequence[int]], Inputs], slug: str, case: Case, about: str) -> Figure | None:
    """What changes when single units are set to other values.

    Args:
        render: Renders items.
        slug: Of the data set.
        case: What was kept.
        about: To be added to the note.
    """
    found = case.kept.get("traversals")
    if not found:
        return None
    how = (
        f"These are held-out items that have such values, for {found['reason']}: of the twentieth of its path that is closest to a "
        "value the item whose other units are most like the typical ones."
        if "reason" in found
        else "Shown is what the decoder makes of it."
    )
    title = f"{slug}: units from their 1st to their 99th percentile"
    note = (
        "One unit of a typical item at a time goes through seven values; the others stay as they are. Beside its name are the true "
        f"variables of which no unit tells more. {how}{about}"
    )
    parts = [(_caption(case, unit), unit["values"], _shown(render, unit)) for unit in found["units"]]
    if parts[0][2].ndim == 2:
        places = tuple(float(at) for at in range(parts[0][2].shape[1]))
        curves = tuple(
            Curves(
                title=caption,
                lines=tuple(
                    Line(f"{value:.2g}", places, tuple(signal.tolist()))
                    for value, signal in zip(values, shown, strict=True)
                ),
                x_title="sample",
                y_title="value",
                low=None,
                high=None,
            )
            for caption, values, shown in parts
        )
        return Panels(title=title, note=note, figures=curves)
    strips = tuple(
        Strip(
            tuple(
                Picture(png.encode(picture[..., None]), f"{value:.2g}", f"{caption} at {value:.2g}")
                for value, picture in zip(values, shown, strict=True)
            ),
            caption,
        )
        for caption, values, shown in parts
    )
    return Gallery(title=title, note=note, strips=strips)


def _caption(case: Case, unit: Mapping[str, Any]) -> str:
    tells = [
        each["true"] for each in case.kept.get("histograms", ()) if each["unit"] == unit["unit"] and each["r2"] >= LEAST
    ]
    return f"{unit['unit']}, tells {', '.join(tells)}" if tells else str(unit["unit"])


def _shown(render: Callable[[Sequence[int]], Inputs], unit: Mapping[str, Any]) -> NDArray[Any]:
    """Signals (values, length), or grey pictures uint8 (values, H, W)."""
    count = len(unit["values"])
    if "film" in unit:
        return frames(unit["film"], count)
    if "signals" in unit:
        return np.asarray(unpack(unit["signals"], (count, -1)) * unit["scale"])
    shown = render(unit["items"])
    return shown if shown.ndim == 2 else shown.mean(axis=3).astype(np.uint8)
