"""Kinds of scores: what splits of one family have in common, and what models are set side by side by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean

from ..scores import Better, title
from .schema import Case

Place = tuple[str, str]
"""Split and factor of a case."""


@dataclass(frozen=True, order=True)
class Kind:
    """One kind of score: a suite (a family of splits), seen through one task.

    Attributes:
        benchmark: As in :class:`Case`, and so on to `output`.
        version: As in :class:`Case`.
        preset: As in :class:`Case`.
        family: As in :class:`Case`.
        output: As in :class:`Case`.
        metric: The headline metric.
        judge: Who read the outputs; may be empty.
        better: Which way the metric improves.
    """

    benchmark: str
    version: str
    preset: str
    family: str
    output: str
    metric: str
    judge: str = ""
    better: Better = "higher"

    @classmethod
    def of(cls, case: Case) -> Kind:
        """Return the kind of a case's headline score."""
        head = case.scores[0]
        return cls(
            case.benchmark, case.version, case.preset, case.family, case.output, head.metric, head.judge, head.better
        )

    @property
    def title(self) -> str:
        """The kind for people, without version and judge."""
        return f"{self.benchmark} ({self.preset}){f' {self.family}' if self.family else ''}, {self.output}: {title(self.metric)}"


def titles(kinds: Iterable[Kind]) -> dict[Kind, str]:
    """Name kinds for people; those that have the same name also by their version and judge."""
    found = list(kinds)
    names = [kind.title for kind in found]
    return {
        kind: name if names.count(name) == 1 else f"{name} (version {kind.version}, {kind.judge or 'no judge'})"
        for kind, name in zip(found, names, strict=True)
    }


class Sorted:
    """The cases of one model by kind, then by split and factor, then by seed; those without a score are left out.

    Args:
        cases: Cases of one document.
    """

    def __init__(self, cases: Iterable[Case]) -> None:
        self.kinds: dict[Kind, dict[Place, dict[int, Case]]] = {}
        for case in sorted(cases, key=lambda case: case.key):
            if case.scores:
                places = self.kinds.setdefault(Kind.of(case), {})
                places.setdefault((case.split, case.factor), {})[case.seed] = case

    def __iter__(self) -> Iterator[Case]:
        """Go through the cases."""
        return (case for places in self.kinds.values() for seeds in places.values() for case in seeds.values())

    def mean(self, kind: Kind, places: Iterable[Place] | None = None) -> float | None:
        """Mean over some splits, or all, each being the mean over its seeds; None where the model has none of the kind."""
        found = self.kinds.get(kind, {})
        chosen = found if places is None else places
        values = [fmean(each.scores[0].value for each in found[place].values()) for place in chosen]
        return fmean(values) if values else None
