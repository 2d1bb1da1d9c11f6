"""How well a code, flat or hierarchical, has the variables of the data (Ross & Doshi-Velez 2021, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import MetricError, ModelError
from ...hierarchy import Hierarchy
from ...metrics import coverage, dci, factorvae_score, h_error, mig, purity, r_and_r_c, sap
from ...metrics.result import Result
from ...rng import stream
from ...scores import LEVEL, Better, Condition, Interval, Score
from ...splits import Split
from ..protocol import Inputs, Outputs, Task
from .kept import Found, kept
from .traversals import Decode, traversals

if TYPE_CHECKING:
    from ...models import Model

METRICS: dict[str, Better] = {
    "r_c_fast": "higher",
    "r_fast": "higher",
    "mig": "higher",
    "sap": "higher",
    "dci_disentanglement": "higher",
    "dci_completeness": "higher",
    "dci_informativeness": "higher",
    "factorvae": "higher",
    "purity": "higher",
    "coverage": "higher",
    "h_error": "lower",
}

DCI_SAMPLES = 2_000
"""Samples that DCI is computed on: its boosted trees would take minutes on all of a test set."""

FACTORVAE_SAMPLES = 1_000
"""Least number of samples for the FactorVAE score, which estimates variances on so many."""

GROUPS = 10
"""Parts of the jackknife."""


class Data(Protocol):
    """What the scorer asks of a benchmark."""

    def hierarchy(self, split: Split) -> Hierarchy:
        """The true hierarchy of a split's data set."""

    def latents(self, index: NDArray[np.int64]) -> NDArray[np.float64]:
        """True values of items (N,): float64 (N, columns)."""


class RepresentationScorer:
    """Collects a code for each item, and scores it against the true values when all are there.

    What is kept grows with the number of items, by the numbers of a code: the scores are no means over items.

    Args:
        data: Knows the true values.
        split: Which data set it is.
        learned: The model's own hierarchy; None for a flat code.
        decode: The model's decoder; None where it has none. No score depends on it.
    """

    def __init__(
        self, data: Data, split: Split, learned: Hierarchy | None = None, decode: Decode | None = None
    ) -> None:
        self._data, self._truth, self._learned, self._decode = data, data.hierarchy(split), learned, decode
        self._shape: tuple[int, ...] = ()
        self._found: Found | None = None
        self._items: list[NDArray[np.int64]] = []
        self._codes: list[NDArray[np.float64]] = []
        self._assigned: list[NDArray[np.bool_]] = []

    def add(self, index: NDArray[np.int64], images: Inputs, outputs: Outputs) -> None:
        """Take a batch: ``embedding`` (N, …) and, of a hierarchical model, every ``assignment.<k>`` (N, options)."""
        self._items.append(index)
        self._shape = images.shape[1:]
        codes, assigned = table(outputs, self._learned)
        self._codes.append(codes)
        self._assigned.append(assigned)

    def scores(self, population: int, condition: Condition) -> list[Score]:
        """Return R_c, R, MIG, SAP, DCI and the FactorVAE score, R_c and R of each variable, and how good the hierarchy is."""
        items, codes = np.concatenate(self._items), np.concatenate(self._codes)
        factors = self._data.latents(items)
        learned = self._learned or Hierarchy.flat(codes.shape[1])
        found = measure(factors, codes, self._truth, learned)
        self._found = self._seen(items, factors, codes, learned, found["r_c_fast"])
        sampled = len(items) < population
        bounds = _jackknife(factors, codes, self._truth, learned) if sampled else {}
        make = partial(Score, n=len(items), population=population, condition=condition)
        scores = [
            make(
                name,
                result.value,
                interval=bounds.get(name),
                clusters=_parts(result),
                better=METRICS[name],
            )
            for name, result in found.items()
        ]
        if self._learned is not None:
            scores += [make(name, value, better=METRICS[name]) for name, value in self._structure(factors, codes)]
        for name in ("r_c_fast", "r_fast"):
            scores += [make(f"{name}.{factor}", value) for factor, value in found[name].parts.items()]
        return scores

    def errors(self) -> dict[str, int]:
        """Return nothing: there is no right or wrong for one item."""
        return {}

    def kept(self) -> dict[str, Any]:
        """Return what figures are drawn from, see :mod:`.kept` and :mod:`.traversals`; nothing before `scores` were asked for."""
        if self._found is None:
            return {}
        shown = traversals(self._found, self._decode, self._shape)
        return kept(self._found) | ({"traversals": shown} if shown else {})

    def _seen(
        self,
        items: NDArray[np.int64],
        factors: NDArray[np.float64],
        codes: NDArray[np.float64],
        learned: Hierarchy,
        conditional: Result,
    ) -> Found:
        assert conditional.matrix is not None
        return Found(items, factors, codes, np.concatenate(self._assigned), self._truth, learned, r2=conditional.matrix)

    def _structure(self, factors: NDArray[np.float64], codes: NDArray[np.float64]) -> list[tuple[str, float]]:
        """Compare the model's hierarchy with the true one, and its paths with the true paths."""
        assert self._learned is not None
        components = np.where(np.concatenate(self._assigned), self._learned.path(codes), -1)
        return [
            ("purity", float(purity(components, self._truth.path(factors)))),
            ("coverage", float(coverage(components))),
            ("h_error", float(h_error(self._truth, self._learned))),
        ]


def measure(
    factors: NDArray[np.float64],
    codes: NDArray[np.float64],
    truth: Hierarchy,
    learned: Hierarchy,
    *,
    trees: bool = True,
) -> dict[str, Result]:
    """Compute every metric that compares true values (N, columns) with codes (N, columns), by name; DCI if `trees`."""
    few = stream("dci", len(factors)).permutation(len(factors))[:DCI_SAMPLES]
    flat, conditional = r_and_r_c(factors, codes, truth=truth, learned=learned)
    found: dict[str, Result] = {"r_c_fast": conditional, "r_fast": flat}
    varying = _varying(factors)
    kinds = [truth.columns[at].kind for at in varying]
    factors = factors[:, varying]
    # What is not defined for a code, such as DCI for a single unit, is left out; R_c and R have to be there.
    with suppress(MetricError):
        found["mig"] = mig(factors, codes, kinds=kinds)
    with suppress(MetricError):
        found["sap"] = sap(factors, codes, kinds=kinds)
    if trees:
        with suppress(MetricError):
            scored = dci(factors[few], codes[few], kinds=kinds)
            found["dci_disentanglement"] = scored.disentanglement
            found["dci_completeness"] = scored.completeness
            found["dci_informativeness"] = scored.informativeness
    if len(factors) >= FACTORVAE_SAMPLES:
        with suppress(MetricError):
            found["factorvae"] = factorvae_score(factors, codes, kinds=kinds)
    return found


def table(outputs: Outputs, learned: Hierarchy | None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Bring a model's outputs into the columns of its hierarchy.

    Args:
        outputs: ``embedding`` (N, …), the continuous variables; ``assignment.<k>`` (N, options), how much each option of a
            categorical variable holds. Options that are all negative say that a row is assigned to nothing: it then counts as
            the first option with zeros, so that leaving out what is difficult gains nothing.
        learned: The model's hierarchy; None for a flat code.

    Returns:
        float64 (N, columns), categorical columns as option numbers from 1, 0 where inactive; and whether each row is assigned,
        bool (N,).

    Raises:
        ModelError: The outputs do not fit the hierarchy.
    """
    embedding = np.asarray(outputs["embedding"], dtype=np.float64)
    embedding = embedding.reshape(len(embedding), -1)
    assigned = np.ones(len(embedding), dtype=bool)
    if learned is None:
        return embedding, assigned
    if embedding.shape[1] != learned.continuous:
        raise ModelError(
            f"The model declares the hierarchy {learned.notation} with {learned.continuous} continuous variables, but its "
            f"embedding has {embedding.shape[1]} numbers; give one for each, in the order of the hierarchy."
        )
    codes = np.zeros((len(embedding), len(learned.columns)))
    codes[:, learned.categorical :] = embedding
    for at, column in enumerate(learned.columns):
        active = np.ones(len(codes), dtype=bool)
        for parent, option in column.conditions:
            active &= codes[:, parent] == option
        if column.kind == "categorical":
            held = np.asarray(outputs[f"assignment.{at}"], dtype=np.float64)
            if held.shape != (len(codes), column.options):
                raise ModelError(
                    f"Output 'assignment.{at}' has shape {held.shape}; {column.name!r} of the hierarchy {learned.notation} has "
                    f"{column.options} options, so {(len(codes), column.options)} is needed."
                )
            codes[:, at] = held.argmax(axis=1) + 1
            assigned &= ~(held < 0).all(axis=1)
        codes[:, at] *= active
    codes[~assigned, learned.categorical :] = 0
    return codes, assigned


def for_model(data: Data, task: Task, model: Model) -> Task:
    """Fit the task to a model: one that declares a hierarchy is scored with it, and needs an output for each of its choices.

    Where the model decodes, that is shown in figures.

    Raises:
        ModelError: It declares a hierarchy, but does not offer its assignments.
    """
    from ...models import to_numpy, unit_images

    learned, decode = model.contract.hierarchy, None
    found: Any = getattr(model, "decode", None) if getattr(model, "can_decode", True) else None
    if found is not None:

        def decode(codes: NDArray[np.float32]) -> NDArray[np.float32]:
            return unit_images(to_numpy(found(codes)), model.contract)

    scorer = partial(RepresentationScorer, data, decode=decode)
    if learned is None or not learned.categorical:
        return task if decode is None else replace(task, scorer=scorer)
    needed = tuple(f"assignment.{at}" for at in range(learned.categorical))
    missing = [name for name in needed if name not in model.contract.outputs]
    if missing:
        raise ModelError(
            f"The model declares the hierarchy {learned.notation}, but does not offer {', '.join(missing)}: an output "
            "(N, options) for each of its categorical variables."
        )
    return replace(task, optional=needed, scorer=partial(scorer, learned=learned))


def _parts(result: Result) -> dict[str, tuple[int, float]]:
    """What a score is the plain mean of; nothing where it is a weighted one, as those of DCI are."""
    parts = {part: (1, value) for part, value in result.parts.items()}
    is_mean = bool(parts) and np.isclose(np.mean([value for _, value in parts.values()]), result.value)
    return parts if is_mean else {}


def _varying(factors: NDArray[np.float64]) -> list[int]:
    """Columns with more than one value: a small sample may show some variable on one level only."""
    return [at for at in range(factors.shape[1]) if np.ptp(factors[:, at]) > 0]


def _jackknife(
    factors: NDArray[np.float64], codes: NDArray[np.float64], truth: Hierarchy, learned: Hierarchy
) -> Mapping[str, Interval]:
    """95 % intervals of R_c and R for a sample of items: each of ten parts is left out once.

    The scores are no means, so there is nothing to resample by cluster; and repeating an item, as a bootstrap does, would let it
    stand on both sides of their own training and test sets.
    """
    from scipy.stats import t

    def both(kept: NDArray[np.bool_]) -> list[float]:
        return [float(each) for each in r_and_r_c(factors[kept], codes[kept], truth=truth, learned=learned)]

    parts = stream("jackknife", len(factors)).permutation(len(factors)) % GROUPS
    values = np.array([both(parts != part) for part in range(GROUPS)])
    error = np.sqrt((GROUPS - 1) * values.var(axis=0))
    half = t.ppf((1 + LEVEL) / 2, GROUPS - 1) * error
    return {
        name: Interval(float(centre - width), float(centre + width), "jackknife")
        for name, centre, width in zip(("r_fast", "r_c_fast"), both(parts >= 0), half, strict=True)
    }
