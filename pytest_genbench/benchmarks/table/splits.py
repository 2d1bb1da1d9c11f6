"""Splits of a table: which rows are held out, by the published rules where there are such.

Composition, interpolation and extrapolation follow Schott et al. 2022 (arXiv 2107.08221), whose splits hold out levels of all
factors at once (``-all``); those of one factor hold out the same levels of that factor alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchmarkError, nearest
from ...rng import stream
from ..held_levels import composition_levels, composition_share, inner_levels, kept_of, lower_levels, upper_levels
from .pairs import choose
from .rows import Rows

FAMILIES = ("in_distribution", "compositional", "interpolation", "extrapolation")

SHARE = 0.2

_SHOWN = 6
"""Levels that are listed by name; of more, the others are counted."""

_SAFE = re.compile(r"[^A-Za-z0-9+._-]+")


@dataclass(frozen=True)
class FamilySettings:
    """How the splits of one family are made.

    Attributes:
        share: Share held out: of a factor's levels, of the pairs of levels, or of the rows; between 0 and 1.
        factors: Names of the factors that may be held out; None for all that can be.
        repeats: How many random splits ``in_distribution`` has.
    """

    share: float = SHARE
    factors: tuple[str, ...] | None = None
    repeats: int = 1


@dataclass(frozen=True)
class SplitSettings:
    """How a table is split.

    Attributes:
        minimum: Rows that a training set and what is held out need each; a split with fewer is left out.
        families: Settings by family; a family that is not there has the defaults.
    """

    minimum: int = 10
    families: Mapping[str, FamilySettings] = field(default_factory=dict)

    def of(self, family: str) -> FamilySettings:
        """Return the settings of a family."""
        return self.families.get(family, FamilySettings())


@dataclass(frozen=True, eq=False)
class Rule:
    """One split.

    Attributes:
        family: See :data:`FAMILIES`.
        slug: As in :class:`~pytest_genbench.splits.Split`.
        held_out: What training never shows, for people.
        factors: Positions of the factors that it is about; empty for a random split.
        group: ``upper`` or ``lower`` end of a factor; else empty.
        bits: Which rows are held out, packed by eight.
        size: Number of rows.
    """

    family: str
    slug: str
    held_out: str
    factors: tuple[int, ...]
    group: str
    bits: NDArray[np.uint8]
    size: int

    def is_held_out(self) -> NDArray[np.bool_]:
        """Which rows are held out, bool (N,)."""
        return np.unpackbits(self.bits, count=self.size).astype(bool)


class Splits:
    """All splits of a table.

    Args:
        rows: The table.
        settings: How it is split.
        name: The benchmark's name, which seeds random splits.

    Attributes:
        rules: Splits by slug, in the order of :data:`FAMILIES`.
        left_out: For each split that was left out, by slug, the reason.

    Raises:
        BenchmarkError: The settings name a factor that is not there, or two splits would have the same slug.
    """

    def __init__(self, rows: Rows, settings: SplitSettings, name: str) -> None:
        self.rules: dict[str, Rule] = {}
        self.left_out: dict[str, str] = {}
        self._rows, self._settings, self._name = rows, settings, name
        self._in_distribution()
        self._compositional()
        for family, held in (("interpolation", inner_levels), ("extrapolation", upper_levels)):
            self._by_levels(family, held)

    def _in_distribution(self) -> None:
        settings = self._settings.of("in_distribution")
        wanted = round(settings.share * len(self._rows))
        for number in range(1, settings.repeats + 1):
            order = stream("in_distribution", self._name, number).permutation(len(self._rows))
            # The last row of each level in this order is kept, so that no level is unseen.
            kept = np.zeros(len(order), dtype=bool)
            for k, variable in enumerate(self._rows.variables):
                last = np.zeros(len(variable.factor), dtype=np.int64)
                last[variable.levels[order]] = order
                kept[last[self._present(k)]] = True
            mask = np.zeros(len(order), dtype=bool)
            mask[order[~kept[order]][:wanted]] = True
            self._add(
                "in_distribution", f"in_distribution-{number}", f"{settings.share:.0%} of the rows, at random", (), mask
            )

    def _compositional(self) -> None:
        settings = self._settings.of("compositional")
        factors = self._factors("compositional")
        for first, second in combinations(factors, 2):
            names = [self._rows.variables[k].factor.name for k in (first, second)]
            slug = f"compositional-{'-'.join(map(_safe, names))}"
            pairs = choose(self._rows, first, second, settings.share)
            if not pairs.held_out:
                self._leave_out(slug, "each pair of levels is needed to show some level of a factor")
                continue
            held_out = f"{len(pairs.held_out)} of {pairs.present} pairs of {' and '.join(names)}"
            self._add("compositional", slug, held_out, (first, second), pairs.is_held_out)
        self._composition_of_all(factors, settings.share)

    def _composition_of_all(self, factors: Sequence[int], share: float) -> None:
        slug = "compositional-all"
        low = {k: composition_levels(len(self._present(k)), composition_share(len(factors), share)) for k in factors}
        taking_part = tuple(k for k in factors if low[k])
        if len(taking_part) < 2:
            self._leave_out(slug, "fewer than two factors have enough levels for a share of them to be trained on")
            return
        is_trained = np.zeros(len(self._rows), dtype=bool)
        for k in taking_part:
            is_trained |= self._has(k, low[k])
        names = [self._rows.variables[k].factor.name for k in taking_part]
        lowest = " or ".join(
            f"{name} at its lowest {_levels(len(low[k]))}" for k, name in zip(taking_part, names, strict=True)
        )
        self._add("compositional", slug, f"all without {lowest}", taking_part, ~is_trained)

    def _by_levels(self, family: str, held: Callable[[int, float], list[int]]) -> None:
        """Hold out levels of one ordered factor at a time, and then of all of them."""
        share = self._settings.of(family).share
        chosen: dict[int, list[int]] = {}
        for k in self._factors(family):
            slug = f"{family}-{_safe(self._rows.variables[k].factor.name)}"
            if reason := self._unordered(k, family, share):
                self._leave_out(slug, reason)
                continue
            chosen[k] = held(len(self._present(k)), share)
            self._add_levels(family, slug, k, chosen[k], "" if family == "interpolation" else "upper")
            if family == "extrapolation":
                self._add_levels(family, f"{slug}-low", k, lower_levels(len(self._present(k)), share), "lower")
        slug = f"{family}-all"
        if len(chosen) < 2:
            self._leave_out(slug, "fewer than two factors can be held out")
            return
        masks = [self._has(k, levels) for k, levels in chosen.items()]
        texts = [self._levels_text(k, levels) for k, levels in chosen.items()]
        self._add(family, slug, "any of " + "; ".join(texts), tuple(chosen), np.logical_or.reduce(masks))

    def _add_levels(self, family: str, slug: str, factor: int, levels: list[int], group: str) -> None:
        self._add(family, slug, self._levels_text(factor, levels), (factor,), self._has(factor, levels), group)

    def _unordered(self, factor: int, family: str, share: float) -> str:
        """Say why levels of a factor cannot be held out in a family; empty where they can."""
        about, n = self._rows.variables[factor].factor, len(self._present(factor))
        if about.kind == "categorical":
            return f"{about.name} is categorical, which has no order"
        if about.kind == "cyclic" and family == "extrapolation":
            return f"{about.name} is cyclic, which has no ends"
        needed = 4 if about.kind == "cyclic" else 3
        if n < needed:
            return f"{about.name} has {n} levels; a factor that is {about.kind} needs at least {needed}"
        if kept_of(n, share) < 2:
            return f"training would keep fewer than two of the {n} levels of {about.name}"
        return ""

    def _add(
        self, family: str, slug: str, held_out: str, factors: tuple[int, ...], mask: NDArray[np.bool_], group: str = ""
    ) -> None:
        """Add a split, or say why it is left out."""
        test, least = int(mask.sum()), self._settings.minimum
        if min(test, len(mask) - test) < least:
            self._leave_out(
                slug, f"rows held out: {test}, to train on: {len(mask) - test}; each needs at least {least}"
            )
            return
        self._refuse_clash(slug)
        # Levels that a split of levels holds out are unseen on purpose.
        if unseen := self._also_unseen(mask, factors if family in ("interpolation", "extrapolation") else ()):
            held_out += f" (and unseen: {unseen})"
        self.rules[slug] = Rule(family, slug, held_out, factors, group, np.packbits(mask), len(mask))

    def _also_unseen(self, mask: NDArray[np.bool_], meant: tuple[int, ...]) -> str:
        """Name levels of factors that are not meant and that training lacks too, as may happen where rows are missing."""
        found = []
        for k, variable in enumerate(self._rows.variables):
            everywhere = self._rows.counts[k]
            tested = np.bincount(variable.levels[mask], minlength=len(everywhere))
            unseen = np.flatnonzero((tested > 0) & (tested == everywhere))
            if k not in meant and len(unseen):
                found.append(self._text(k, unseen.tolist()))
        return "; ".join(found)

    def _leave_out(self, slug: str, reason: str) -> None:
        self._refuse_clash(slug)
        self.left_out[slug] = reason

    def _refuse_clash(self, slug: str) -> None:
        if slug in self.rules or slug in self.left_out:
            raise BenchmarkError(f"{self._name}: two splits would be called {slug}; rename one of the columns.")

    def _factors(self, family: str) -> list[int]:
        """Positions of the factors that the settings allow in a family."""
        names = self._rows.grid.names
        wanted = self._settings.of(family).factors
        for name in wanted or ():
            if name not in names:
                raise BenchmarkError(
                    f"{self._name}: splits.{family}.factors names {name!r}, which is no factor.{nearest(name, names)}"
                )
        return [k for k, name in enumerate(names) if wanted is None or name in wanted]

    def _present(self, factor: int) -> NDArray[np.int64]:
        """Levels that occur, ascending: rules count these, so that an end is an end of what there is."""
        return np.flatnonzero(self._rows.counts[factor])

    def _has(self, factor: int, places: Sequence[int]) -> NDArray[np.bool_]:
        is_wanted = np.zeros(len(self._rows.counts[factor]), dtype=bool)
        is_wanted[self._present(factor)[list(places)]] = True
        return np.asarray(is_wanted[self._rows.variables[factor].levels])

    def _levels_text(self, factor: int, places: Sequence[int]) -> str:
        return self._text(factor, self._present(factor)[list(places)].tolist())

    def _text(self, factor: int, levels: Sequence[int]) -> str:
        shown = [self._rows.show(factor, level) for level in levels[:_SHOWN]]
        more = f" and {len(levels) - _SHOWN} more" if len(levels) > _SHOWN else ""
        return f"{self._rows.variables[factor].factor.name} {', '.join(shown)}{more}"


def _levels(number: int) -> str:
    return "level" if number == 1 else f"{number} levels"


def _safe(name: str) -> str:
    """Turn a factor's name into a part of a slug."""
    return _SAFE.sub("_", name)
