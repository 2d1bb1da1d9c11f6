"""Do single codes stand for single factors, where both are active (Ross & Doshi-Velez 2021, section 5)?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import HierarchyError, MetricError
from ..hierarchy import Hierarchy, Kind
from .arrays import Kinds, kinds_of, names_of, tables
from .binning import Floats
from .correspondence import Estimator, Variant, check, label
from .pairs import Mask, Pair, Pairs
from .result import Result

SMALL = 20
"""Fewer samples than this say little: the factors whose score rests on so few somewhere are named."""

PUBLISHED_ZERO = 1e-10
"""Variant ``paper`` takes a factor for active where it is further from 0."""


@dataclass(frozen=True, eq=False)
class CorrespondenceResult(Result):
    """A score by factor.

    Attributes:
        kinds: What each factor in ``parts`` is: scores of categorical ones are not 0 by chance.
        skipped: Factors that do not vary where they are active, and are left out of the mean.
        small: Factors that were scored on fewer than 20 samples somewhere, be it in a small branch.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    small: tuple[str, ...] = ()

    @property
    def by_kind(self) -> dict[Kind, float]:
        """Mean of the categorical and of the continuous factors, of which there are some."""
        groups: dict[Kind, list[float]] = {}
        for name, value in self.parts.items():
            groups.setdefault(self.kinds[name], []).append(value)
        return {kind: float(np.mean(values)) for kind, values in groups.items()}


def r(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    factor_kinds: Kinds = "continuous",
    code_kinds: Kinds = "continuous",
    estimator: Estimator = "fast",
    variant: Variant = "default",
    seed: int = 0,
) -> CorrespondenceResult:
    """Right-representation R²: the mean over factors of the best code's R² both ways (Ross & Doshi-Velez 2021, section 5).

    It knows no hierarchy: the zeros of inactive variables are data as any other.

    Args:
        factors: True values (N, K).
        codes: What a model makes of the same samples (N, D).
        factor_kinds: What the factors are. Constant ones are left out. Variant ``paper`` guesses kinds, and leaves out none.
        code_kinds: What the codes are.
        estimator: ``fast`` or ``gbdt``, see :func:`~pytest_genbench.metrics.correspondence.correspondence_r2`.
        variant: ``default`` or ``paper``, see there.
        seed: Of the random splits, which are the same for all pairs.

    Returns:
        From 0 to 1. ``parts`` are the best codes' R² by factor; ``matrix`` has R² both ways of all factors and codes, (K, D).

    Raises:
        MetricError: The arrays, kinds or settings cannot be used, or every factor is constant.

    Example:
        >>> factors = np.random.default_rng(0).uniform(size=(200, 2))
        >>> round(float(r(factors, np.exp(factors[:, ::-1]))), 2)
        1.0
    """
    check(estimator, variant)
    true, values = tables(factors, codes)
    kinds = kinds_of("factors", factor_kinds, true)
    pairs = Pairs(true, values, kinds, kinds_of("codes", code_kinds, values), estimator, variant, seed)
    report = _Report(true, names_of(factor_kinds, true.shape[1]), kinds, label(estimator, variant), variant)
    return report.flat(pairs)


def r_c(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    truth: Hierarchy,
    learned: Hierarchy | None = None,
    estimator: Estimator = "fast",
    variant: Variant = "default",
    seed: int = 0,
) -> CorrespondenceResult:
    """Right-representation conditional R² (Ross & Doshi-Velez 2021, section 5, eqs. 4 and 5).

    Each factor is compared with codes only where both are active. The score of a factor within a group of codes is that of the
    best node: R² both ways of the factor and the code, or, at a categorical code, the mean of the scores within its options'
    groups, weighted by the share of the samples that take the option. So a factor may be spread over codes that are never active
    at once, and moving variables up or down the hierarchy changes nothing. (As printed, eq. 5 has weights relative to all samples
    in which the factor is active, which would count the shares of inner groups twice; these are relative to the group's own.)

    Args:
        factors: True values (N, K), columns as ``truth.columns``: categorical ones from 1, 0 where inactive.
        codes: What a model makes of the same samples (N, D), columns as ``learned.columns``, likewise.
        truth: The factors' hierarchy. Factors that do not vary where they are active are left out.
        learned: The codes' hierarchy; None for continuous codes that are always active.
        estimator: ``fast`` or ``gbdt``, see :func:`~pytest_genbench.metrics.correspondence.correspondence_r2`.
        variant: ``default``, or ``paper``, which guesses kinds, takes a factor for inactive where it is 0, scores constant
            variables 1 and leaves out none.
        seed: Of the random splits, which are the same for all pairs that are compared on equally many samples.

    Returns:
        From 0 to 1. ``parts`` are scores by factor; ``matrix`` has R² both ways of all factors and codes where both are active,
        0 where they never are, (K, D).

    Raises:
        MetricError: The arrays or settings cannot be used, or no factor varies.
        HierarchyError: The arrays do not fit their hierarchies.

    Example:
        >>> from pytest_genbench.hierarchy import Categorical, Continuous
        >>> draw = np.random.default_rng(0)
        >>> jet, length = draw.integers(1, 3, 200), draw.uniform(size=200)
        >>> ship = Hierarchy((Categorical(((), (Continuous("length"),)), "jet"),))
        >>> factors = np.column_stack([jet, np.where(jet == 2, length, 0)])
        >>> round(float(r_c(factors, factors, truth=ship, learned=ship)), 2)
        1.0
    """
    return _scored(("r_c",), factors, codes, truth, learned, estimator, variant, seed)[0]


def r_and_r_c(
    factors: ArrayLike,
    codes: ArrayLike,
    *,
    truth: Hierarchy,
    learned: Hierarchy | None = None,
    estimator: Estimator = "fast",
    variant: Variant = "default",
    seed: int = 0,
) -> tuple[CorrespondenceResult, CorrespondenceResult]:
    """Compute :func:`r` and :func:`r_c` together, which share the pairs of always active variables.

    Arguments, values and errors are those of :func:`r_c`; the hierarchies tell the kinds for :func:`r`.
    """
    overall, conditional = _scored(("r", "r_c"), factors, codes, truth, learned, estimator, variant, seed)
    return overall, conditional


def _scored(
    metrics: tuple[str, ...],
    factors: ArrayLike,
    codes: ArrayLike,
    truth: Hierarchy,
    learned: Hierarchy | None,
    estimator: Estimator,
    variant: Variant,
    seed: int,
) -> list[CorrespondenceResult]:
    check(estimator, variant)
    true, values = tables(factors, codes)
    learned = learned or Hierarchy.flat(values.shape[1])
    _fit("factors", true, truth)
    _fit("codes", values, learned)
    on = np.abs(true) > PUBLISHED_ZERO if variant == "paper" else truth.active(true)
    active = learned.active(values)
    kinds, code_kinds = (tuple(column.kind for column in each.columns) for each in (truth, learned))
    pairs = Pairs(true, values, kinds, code_kinds, estimator, variant, seed)
    together = {(i, j): on[:, i] & active[:, j] for i in range(true.shape[1]) for j in range(values.shape[1])}
    if "r" in metrics:
        # All at once: the larger a batch, the less time it takes.
        pairs.compute([*together.items(), *pairs.everywhere().items()])
    report = _Report(true, truth.names, kinds, label(estimator, variant), variant)
    matrix = pairs.of(together)
    scores = [_conditional(learned, values, on[:, i], matrix[i]) for i in range(true.shape[1])]
    conditional = report("r_c", on, together, matrix, scores)
    return [conditional if metric == "r_c" else report.flat(pairs) for metric in metrics]


def _fit(name: str, values: Floats, hierarchy: Hierarchy) -> None:
    if len(hierarchy.columns) != values.shape[1]:
        raise HierarchyError(
            f"{name} have {values.shape[1]} columns, but their hierarchy {hierarchy.notation} has "
            f"{len(hierarchy.columns)}: {', '.join(hierarchy.names)}."
        )


def _conditional(learned: Hierarchy, codes: Floats, on: Mask, scores: Floats) -> float:
    """Score a factor within the root group of the codes.

    Args:
        learned: The codes' hierarchy.
        codes: float64 (N, D).
        on: Where the factor is active, bool (N,).
        scores: R² both ways with each code, where both are active, float64 (D,).
    """
    groups: dict[tuple[int, int] | None, list[int]] = {}
    for j, column in enumerate(learned.columns):
        groups.setdefault(column.conditions[-1] if column.conditions else None, []).append(j)

    def group(place: tuple[int, int] | None, here: Mask) -> float:
        return max((node(j, here) for j in groups.get(place, [])), default=0.0) if here.any() else 0.0

    def node(j: int, here: Mask) -> float:
        inner = 0.0
        for option in range(1, learned.columns[j].options + 1):
            taken = here & (codes[:, j] == option)
            inner += taken.sum() / here.sum() * group((j, option), taken)
        return max(float(scores[j]), float(inner))

    return group(None, on)


class _Report(NamedTuple):
    """Makes results of scores."""

    factors: Floats
    names: Sequence[str]
    kinds: Sequence[Kind]
    label: str
    variant: Variant

    def flat(self, pairs: Pairs) -> CorrespondenceResult:
        masks = pairs.everywhere()
        matrix = pairs.of(masks)
        on = np.ones(self.factors.shape, dtype=bool)
        return self("r", on, masks, matrix, matrix.max(axis=1).tolist())

    def __call__(
        self, metric: str, on: Mask, masks: Mapping[Pair, Mask], matrix: Floats, scores: Sequence[float]
    ) -> CorrespondenceResult:
        """Put the factors' scores together.

        Args:
            metric: Its name.
            on: Where each factor is active, bool (N, K).
            masks: The samples on which factors and codes were compared.
            matrix: R² both ways, float64 (K, D).
            scores: A score for each factor.
        """
        varies = [
            self.variant == "paper" or len(np.unique(v[mask])) > 1 for v, mask in zip(self.factors.T, on.T, strict=True)
        ]
        if not any(varies):
            raise MetricError(
                "No factor takes more than one value where it is active, so that there is nothing to represent. Give the metric "
                "samples in which factors vary."
            )
        few = {i for (i, _), mask in masks.items() if 0 < mask.sum() < SMALL}
        kept = [i for i, each in enumerate(varies) if each]
        return CorrespondenceResult(
            name=f"{metric}[{self.label}]",
            value=float(np.mean([scores[i] for i in kept])),
            parts={self.names[i]: scores[i] for i in kept},
            matrix=matrix,
            kinds={self.names[i]: self.kinds[i] for i in kept},
            skipped=tuple(name for name, each in zip(self.names, varies, strict=True) if not each),
            small=tuple(self.names[i] for i in kept if i in few),
        )
