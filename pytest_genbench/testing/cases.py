"""Cases as runs of two models would record them: one that is always right, and one that says the same of every image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..benchmarks import Benchmark, Task
from ..results.io import from_json, to_json
from ..results.schema import Case, Document, Failure
from ..scores import Anchor, Score
from ..splits import Split

RIGHT, SAME = "right answers", "the same answer to all"
"""The two models."""


@dataclass(frozen=True)
class Found:
    """What a scorer made of some outputs.

    Attributes:
        scores: The headline first; those that cannot be used are left out.
        errors: As in :class:`Case`, and so on.
        kept: What the scorer keeps for figures.
        failures: The worst items, or a few where nothing went wrong.
    """

    scores: Sequence[Score] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)
    failures: Sequence[Failure] = ()


class Cases:
    """Gathers cases while tasks are checked.

    Args:
        benchmark: Whose they are.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._cases: dict[tuple[str, str, str, str], Case] = {}
        self._anchors: dict[tuple[str, str], tuple[Anchor, ...]] = {}

    def add(self, task: Task, split: Split, model: str, found: Found) -> None:
        """Take what was found of one condition; scores of a second one come after those that are there."""
        key = (model, task.name, split.family, split.slug)
        case = self._cases.get(key) or self._case(task, split)
        self._cases[key] = replace(
            case,
            scores=(*case.scores, *found.scores),
            errors={**case.errors, **found.errors},
            kept={**case.kept, **found.kept},
            failures=(*case.failures, *found.failures),
        )

    def anchor(self, task: Task, split: Split, anchors: Sequence[Anchor]) -> None:
        """Take reference values, for all splits of the family that have none yet: they take a while to compute."""
        self._anchors.setdefault((task.name, split.family), tuple(anchors))

    def has(self, task: Task, split: Split) -> bool:
        """Whether a task was scored on a split; then, if it was under the name of another family, it counts for this one too."""
        for (model, name, _, slug), case in list(self._cases.items()):
            if (name, slug) == (task.name, split.slug):
                key = (model, name, split.family, slug)
                self._cases.setdefault(
                    key, replace(case, family=split.family, group=split.group, held_out=split.held_out)
                )
        return (SAME, task.name, split.family, split.slug) in self._cases

    def models(self) -> dict[str, tuple[Case, ...]]:
        """Return the cases of each model as they come back from a file, which is how figures get them.

        Raises:
            DocumentError: They hold what no file can.
        """
        found = {}
        for model in (RIGHT, SAME):
            own = tuple(
                replace(case, anchors=self._anchors.get((case.output, case.family), ()))
                for key, case in self._cases.items()
                if key[0] == model and case.scores
            )
            found[model] = from_json(to_json(Document(cases=own)), model).cases
        return found

    def _case(self, task: Task, split: Split) -> Case:
        benchmark = self._benchmark
        return Case(
            benchmark=benchmark.name,
            version=benchmark.version,
            preset=benchmark.preset,
            family=split.family,
            split=split.slug,
            output=task.name,
            group=split.group,
            held_out=split.held_out,
            model={
                "files": {},
                "contract": {"shape": list(benchmark.image_shape)},
                "provider": "cpu",
                "exposure": "undeclared",
                "code_size": {"kind": "declared", "numbers": 1, "reason": ""},
            },
        )
