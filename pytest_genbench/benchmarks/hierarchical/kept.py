"""What is kept of a code for figures: which unit is active where, what it tells of the true variables, how the code lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...hierarchy import Column, Hierarchy
from ...rng import stream
from .packed import pack

BINS = 16
"""Intervals of a continuous variable in a histogram."""

SHARES = (1, 99)
"""Percentiles between which continuous variables are shown; what lies outside counts with the outermost interval."""

POINTS = 200
"""Items in the view of a code."""

UNITS = 24
"""Most units whose activity is kept, those that vary most."""

PATHS = 14
"""Most paths of the model's hierarchy that are told apart, the most frequent ones: as many as any true one has."""

WIDEST, LONGEST = 60, 4000
"""Most characters of a name and of a tree: a model's file may hold any."""

OTHER, NOTHING = "other paths", "nothing"
"""Columns for items on paths that are not told apart, and for items that are assigned to nothing."""


@dataclass(frozen=True)
class Found:
    """What a code was found to be, for all items that were tested.

    Attributes:
        items: Their numbers, int64 (N,).
        factors: True values, float64 (N, K).
        codes: The model's, float64 (N, D).
        assigned: Whether it assigns an item to anything, bool (N,).
        truth: The true hierarchy.
        learned: The model's own; a flat one where it has none.
        r2: R² both ways of each variable and unit where both are active, float64 (K, D).
    """

    items: NDArray[np.int64]
    factors: NDArray[np.float64]
    codes: NDArray[np.float64]
    assigned: NDArray[np.bool_]
    truth: Hierarchy
    learned: Hierarchy
    r2: NDArray[np.float64]

    @cached_property
    def active(self) -> NDArray[np.bool_]:
        """Where each unit is active: bool (N, D)."""
        return self.learned.active(self.codes)


def kept(found: Found) -> dict[str, Any]:
    """Gather what figures need, in builtin types.

    Returns:
        hierarchy: ``notation`` and ``tree`` of the model's own hierarchy, where it has one.
        units: ``names``, the share of items in which each is ``active``, and its ``spread`` there: the standard deviation, None of
            categorical ones.
        paths: of a hierarchy with choices, how many items of each ``true`` path take each ``learned`` one: packed
            ``counts``, a row for each true path.
        plane: 200 ``points`` (packed: two coordinates in units of ``scale``, and the number of the true path), and its ``axes``.
        histograms: for each true variable, see :func:`histograms`.
    """
    plain: dict[str, Any] = {"units": _units(found), "histograms": histograms(found)}
    if found.learned.categorical:
        tree = found.learned.tree()
        plain["hierarchy"] = {
            "notation": cut(found.learned.notation, LONGEST),
            "tree": tree if len(tree) <= LONGEST else tree[:LONGEST].rpartition("\n")[0] + "\n…",
        }
        plain["paths"] = _paths(found)
    if plane := _plane(found):
        plain["plane"] = plane
    return plain


def histograms(found: Found) -> list[dict[str, Any]]:
    """Count how each true variable goes with the unit that tells most of it, where both are active.

    That is the unit whose R² both ways, times the share of the variable's items in which it is active, is greatest: a unit that is
    seldom active tells little, however well. Where it is 0 for all units, as for a unit that is the absolute value of a
    variable, the one with the largest mutual information is taken.

    Returns:
        For each variable that some unit tells anything of, ``true`` and ``unit``, their ``kinds``, ``r2``, the number ``n`` of
        items where both are active, the ranges ``x`` of the variable and ``y`` of the unit, the ``shape`` of the table and its
        packed ``counts``: a row for each interval or option of the unit, from the lowest, a column for those of the variable.
    """
    on, active = found.truth.active(found.factors), found.active
    made = []
    for i, variable in enumerate(found.truth.columns):
        together = on[:, [i]] & active
        share = together.sum(axis=0) / max(on[:, i].sum(), 1)
        tells = found.r2[i] * share
        if not tells.max() > 0:
            tells = share * [_information(_table(found, i, j, mask)[0]) for j, mask in enumerate(together.T)]
        best = int(tells.argmax())
        if not tells[best] > 0:
            continue
        unit = found.learned.columns[best]
        counts, x, y = _table(found, i, best, together[:, best])
        made.append(
            {
                "true": variable.name,
                "unit": cut(unit.name),
                "kinds": [variable.kind, unit.kind],
                "r2": short(found.r2[i, best]),
                "n": int(together[:, best].sum()),
                "x": x,
                "y": y,
                "shape": list(counts.shape),
                "counts": pack(counts),
            }
        )
    return made


def option_names(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """Names of the options of each categorical column, in order: their labels, or numbers from 1."""

    def walk(group: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
        for node in group:
            if node["type"] == "categorical":
                numbers = [str(number) for number in range(1, len(node["options"]) + 1)]
                yield tuple(node.get("labels", numbers))
                for option in node["options"]:
                    yield from walk(option)

    return list(walk(hierarchy.plain()))


def path_names(hierarchy: Hierarchy) -> list[str]:
    """Name each path of a hierarchy by what is chosen on it: ``ship, jet=yes``; ``all`` where there is no choice."""
    options = option_names(hierarchy)

    def chosen(at: int, option: int) -> str:
        label = options[at][option - 1]
        # A number, yes or no says nothing without the variable's name.
        return f"{hierarchy.columns[at].name}={label}" if label.isdigit() or label in ("yes", "no") else label

    return [
        ", ".join(chosen(at, option) for at, option in enumerate(path) if option) or "all" for path in hierarchy.paths
    ]


def short(value: float) -> float:
    """Round to four significant digits."""
    return float(f"{value:.4g}")


def cut(name: str, most: int = WIDEST) -> str:
    """Shorten a text that may be longer than anyone reads."""
    return name if len(name) <= most else name[: most - 1] + "…"


def bounds(values: NDArray[np.float64]) -> tuple[float, float]:
    """The 1st and the 99th percentile of values (N,); 0 and 0 of none."""
    low, high = np.percentile(values, SHARES) if len(values) else (0.0, 0.0)
    return float(low), float(high)


def _units(found: Found) -> dict[str, Any]:
    active = found.active
    spread = [_spread(found, active, at) for at in range(len(found.learned.columns))]
    order = sorted(range(len(spread)), key=lambda at: -(float("inf") if spread[at] is None else spread[at]))
    shown = sorted(order[:UNITS])
    return {
        "names": [cut(found.learned.names[at]) for at in shown],
        "active": [short(float(active[:, at].mean())) for at in shown],
        "spread": [None if spread[at] is None else short(spread[at]) for at in shown],
    }


def _spread(found: Found, active: NDArray[np.bool_], at: int) -> Any:
    if found.learned.columns[at].kind == "categorical":
        return None
    values = found.codes[active[:, at], at]
    return float(values.std()) if len(values) else 0.0


def _paths(found: Found) -> dict[str, Any]:
    """Count the items of each true path on each learned one."""
    names, true = path_names(found.learned), found.truth.path(found.factors)
    number = found.learned.path(found.codes)
    often = np.bincount(number[found.assigned], minlength=len(names))
    told = np.sort(np.argsort(-often, kind="stable")[:PATHS])
    place = np.full(len(names), len(told))
    place[told] = np.arange(len(told))
    column = np.where(found.assigned, place[number], len(told) + 1)
    counts = np.zeros((len(found.truth.paths), len(told) + 2), dtype=np.int64)
    np.add.at(counts, (true, column), 1)
    # A column for items that are on none of those paths only where there are such items.
    shown = [*range(len(told)), *(at for at in (len(told), len(told) + 1) if counts[:, at].any())]
    titles = [*(cut(names[at]) for at in told), OTHER, NOTHING]
    return {
        "true": path_names(found.truth),
        "learned": [titles[at] for at in shown],
        "counts": pack(counts[:, shown]),
    }


def _plane(found: Found) -> dict[str, Any]:
    """Two units, or the two principal components of several, for a sample of items."""
    units = found.codes[:, found.learned.categorical :]
    if units.shape[1] < 2 or len(units) < 2:
        return {}
    draw = stream("plane", len(found.items)).permutation(len(found.items))
    names = [cut(name) for name in found.learned.names[found.learned.categorical :]]
    places = units - units.mean(axis=0)
    if units.shape[1] == 2:
        places = units
    else:
        # A thousand items say where the axes lie.
        axes = np.linalg.svd(places[draw[:1000]], full_matrices=False)[2][:2]
        axes *= np.sign(axes[[0, 1], np.abs(axes).argmax(axis=1)])[:, None]
        places, names = places @ axes.T, ["first principal component", "second principal component"]
    some = np.sort(draw[:POINTS])
    scale = short(max(np.abs(places[some]).max() / 1000, np.finfo(np.float32).tiny))
    path = found.truth.path(found.factors[some])
    points = np.column_stack([np.rint(places[some] / scale), path])
    return {"axes": names, "scale": scale, "points": pack(points)}


def _table(
    found: Found, variable: int, unit: int, mask: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], list[float], list[float]]:
    """Count the intervals of a unit (rows) and of a variable (columns); also return both ranges, the variable's first."""
    column, x = _intervals(found.factors[mask, variable], found.truth.columns[variable])
    row, y = _intervals(found.codes[mask, unit], found.learned.columns[unit])
    shape = tuple(each.options or BINS for each in (found.learned.columns[unit], found.truth.columns[variable]))
    cells = np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1])
    return cells.reshape(shape), x, y


def _intervals(values: NDArray[np.float64], column: Column) -> tuple[NDArray[np.int64], list[float]]:
    """Number the interval, or option, of each value (N,) from 0; also return where the first begins and the last ends."""
    if column.options:
        return values.astype(np.int64) - 1, [0.5, column.options + 0.5]
    low, high = bounds(values)
    width = (high - low) / BINS
    if not width > 0:
        return np.zeros(len(values), dtype=np.int64), [low, high]
    numbers = np.clip(np.floor((values - low) / width), 0, BINS - 1).astype(np.int64)
    return numbers, [short(low), short(high)]


def _information(counts: NDArray[np.int64]) -> float:
    """Mutual information of rows and columns of a table of counts, nats."""
    n = counts.sum()
    if not n:
        return 0.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / n
    some = counts > 0
    return float((counts[some] * np.log(counts[some] / expected[some])).sum() / n)
