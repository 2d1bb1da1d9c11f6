"""Chopsticks: 64-sample signals of straight pieces, whose right part is chopped off and moved again and again.

From Ross & Doshi-Velez 2021, "Benchmarks, algorithms, and metrics for hierarchical disentanglement", appendix.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...hierarchy import Categorical, Continuous, Group, Hierarchy
from .tables import checked, count

LENGTH = 64
"""Samples of a signal."""

RANGE = {"inter": 0.2, "slope": 0.01}
"""Factors are uniform from minus this to this: an offset, and a rise from each sample to the next."""

KINDS = {"slope": ("slope",), "inter": ("inter",), "both": ("inter", "slope"), "either": ("inter", "slope")}
"""What each variant may change at a level, in the order of the columns."""

_SAMPLES = np.arange(LENGTH, dtype=np.float64)

_AT_ONCE = 1024
"""Signals written together, so that they stay in the processor's cache from the first piece to the last."""

STOPPING = ("released", "equal")

DEEPEST = 6
"""Levels after which a piece has one sample, whose slope could not be seen."""


@dataclass(frozen=True)
class Chopsticks:
    """A variant of Chopsticks: the hierarchy of its factors, and the signals they make.

    The first level moves the whole signal. After each level the signal may end as it is; otherwise the right half of what the
    level moved is moved again, on top of what it has: from sample 0, 32, 48, 56 … on. A level adds an offset (``inter``), a slope
    (``slope``), the two together (``both``), or one of the two, chosen anew (``either``).

    Args:
        variant: ``slope``, ``inter``, ``both`` or ``either``.
        depth: Most levels, 1 to 6; the paper has 2 and 3. ``either`` has 3 * 2^depth - 3 columns, the others up to 3 * depth - 1.
        stopping: How many levels a signal has. ``released`` draws as the authors' program does: with r levels left it stops with
            probability 2^-r, which makes 1, 2 or 3 levels .25, .375 and .375 probable at depth 3. ``equal`` makes each number
            equally probable, as the paper words it. They are the same at depth 1 and 2.
        noise: Standard deviation of Gaussian noise on each sample of a signal, 0 or more.

    Raises:
        BenchmarkError: Unknown variant or stopping, a depth that is not 1 to 6, or a noise below 0.

    Example:
        >>> sticks = Chopsticks("slope", 2)
        >>> sticks.hierarchy.notation, sticks.hierarchy.names
        ('c {0 | c}', ('chop1', 'slope1', 'slope2'))
        >>> sticks.signals([[2, 0.01, -0.01]])[0, [0, 1, 31, 32, 63]].round(3).tolist()
        [0.0, 0.01, 0.31, 0.32, 0.32]
    """

    variant: str
    depth: int
    _: KW_ONLY
    stopping: str = "released"
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.variant not in KINDS:
            raise BenchmarkError(f"Chopsticks has no variant {self.variant!r}.{nearest(str(self.variant), KINDS)}")
        if self.stopping not in STOPPING:
            raise BenchmarkError(
                f"Chopsticks has no stopping {self.stopping!r}.{nearest(str(self.stopping), STOPPING)}"
            )
        if not isinstance(self.depth, int) or not 1 <= self.depth <= DEEPEST:
            raise BenchmarkError(
                f"The depth has to be a whole number from 1 to {DEEPEST}, after which a piece of the {LENGTH} samples has one "
                f"sample; got {self.depth!r}."
            )
        if not 0 <= self.noise < np.inf:
            raise BenchmarkError(f"The noise is a standard deviation, 0 or more; got {self.noise!r}.")

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The factors.

        ``slope1``, ``inter1``, ``slope2`` … belong to a level; ``chop1`` says whether there is a level after the first. Those of
        ``either`` say which choices lead to them: ``slope-inter`` is the offset of the second level after a slope at the first,
        ``kind-slope`` what the second level is after such a first one: nothing more, an offset or a slope.
        """
        return Hierarchy(_either((), self.depth) if self.variant == "either" else self._levels(1))

    def _levels(self, level: int) -> Group:
        """Group of a level and those below it, where all add the same."""
        own = tuple(Continuous(f"{kind}{level}") for kind in KINDS[self.variant])
        if level == self.depth:
            return own
        return (*own, Categorical(((), self._levels(level + 1)), f"chop{level}", ("no", "yes")))

    @property
    def level_probabilities(self) -> NDArray[np.float64]:
        """Probabilities of 1, 2 … `depth` levels: float64 (depth,)."""
        if self.stopping == "equal":
            return np.full(self.depth, 1 / self.depth)
        stop = 0.5 ** np.arange(self.depth - 1, -1, -1.0)
        probabilities: NDArray[np.float64] = stop * np.cumprod([1, *(1 - stop[:-1])])
        return probabilities

    def latents(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw factors.

        Args:
            n: Number of rows.
            rng: All numbers come from it; the same state gives the same table.

        Returns:
            float64 (n, columns) in the order of `hierarchy`: categorical columns first, from 1, 0 where inactive; offsets in
            [-0.2, 0.2) and slopes in [-0.01, 0.01), 0 where inactive.

        Raises:
            BenchmarkError: `n` is no whole number, or below 0.
        """
        rows = count(n)
        table = np.zeros((rows, len(self.hierarchy.columns)))
        thresholds = np.cumsum(self.level_probabilities)[:-1]
        levels = 1 + np.searchsorted(thresholds, rng.random(rows), side="right")
        if self.variant == "either":
            self._draw_either(table, levels, rng)
        else:
            self._draw_levels(table, levels, rng)
        return table

    def _draw_levels(self, table: NDArray[np.float64], levels: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Fill a table of zeros where all levels add the same: ``chop1`` …, then the factors level by level."""
        kinds = KINDS[self.variant]
        widths = np.array([RANGE[kind] for kind in kinds])
        for level in range(1, self.depth + 1):
            on = levels >= level
            if level < self.depth:
                table[:, level - 1] = np.where(on, 1 + (levels > level), 0)
            first = self.depth - 1 + (level - 1) * len(kinds)
            values = _signed(rng, (len(table), len(kinds))) * widths
            table[:, first : first + len(kinds)] = np.where(on[:, None], values, 0)

    def _draw_either(self, table: NDArray[np.float64], levels: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Fill a table of zeros where each level chooses what it adds.

        Columns are depth first, so a child's follows its parent's, and its sibling's follows after all that lie below the child:
        2^r - 1 of either kind of column where there are r levels from the child on (r - 1 of them with a choice).
        """
        widths = np.array([RANGE[kind] for kind in KINDS["either"]])
        categorical = self.hierarchy.categorical
        rows = np.arange(len(table))
        choice = np.zeros(len(table), dtype=np.int64)
        factor = np.full(len(table), categorical - 1)
        for level in range(1, self.depth + 1):
            kind = rng.integers(0, 2, len(rows))
            left = self.depth - level
            table[rows, choice] = kind + (1 if level == 1 else 2)
            factor = factor + 1 + kind * (2 ** (left + 1) - 1)
            table[rows, factor] = _signed(rng, (len(rows),)) * widths[kind]
            choice = choice + 1 + kind * (2**left - 1)
            stops = levels[rows] == level
            if left:
                table[rows[stops], choice[stops]] = 1
            rows, choice, factor = rows[~stops], choice[~stops], factor[~stops]

    def signals(self, latents: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.float64]:
        """Make signals.

        Args:
            latents: A table (N, columns) as :meth:`latents` draws it; factors may also have values outside those ranges.
            rng: Where noise comes from; without it there is none, whatever `noise` says.

        Returns:
            float64 (N, 64). Without noise a row depends on its row of the table alone, to the last bit.

        Raises:
            BenchmarkError: The table does not fit the hierarchy.
        """
        table = checked(self.hierarchy, latents)
        signals = np.empty((len(table), LENGTH))
        for start in range(0, len(table), _AT_ONCE):
            self._fill(signals[start : start + _AT_ONCE], table[start : start + _AT_ONCE, self.hierarchy.categorical :])
        if rng is not None and self.noise:
            signals += rng.normal(0, self.noise, signals.shape)
        return signals

    def _fill(self, signals: NDArray[np.float64], factors: NDArray[np.float64]) -> None:
        """Write the signals (N, 64) that continuous columns make."""
        # Only one column of each sum is not 0, so it is exact in any order.
        offsets, slopes = (factors @ gather for gather in self._by_level)
        starts = _starts(self.depth)
        # What the levels so far add up to, as a line through all samples, is all there is up to where the next level starts.
        offsets = np.cumsum(offsets - starts * slopes, axis=1)
        slopes = np.cumsum(slopes, axis=1)
        for level, (start, end) in enumerate(zip(starts, [*starts[1:], LENGTH], strict=True)):
            piece = signals[:, start:end]
            np.multiply(slopes[:, level, None], _SAMPLES[start:end], out=piece)
            piece += offsets[:, level, None]

    @cached_property
    def _by_level(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Which continuous columns are the offset, and which the slope, of a level: 0 or 1, (continuous, depth) each."""
        names = self.hierarchy.names[self.hierarchy.categorical :]
        offsets, slopes = np.zeros((2, len(names), self.depth))
        for column, name in enumerate(names):
            path = name.split("-")
            level = len(path) if self.variant == "either" else int(name[-1])
            (offsets if path[-1].startswith("inter") else slopes)[column, level - 1] = 1
        return offsets, slopes


def _either(path: tuple[str, ...], depth: int) -> Group:
    """Group below the choices so far, each level a choice of its own; the first has no option to stop."""
    own = (Continuous("-".join(path)),) if path else ()
    if len(path) == depth:
        return own
    options = tuple(_either((*path, kind), depth) for kind in KINDS["either"])
    labels = KINDS["either"]
    if path:
        options, labels = ((), *options), ("stop", *labels)
    return (*own, Categorical(options, "-".join(("kind", *path)), labels))


def _signed(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform on [-1, 1): the generator's own `uniform` may round differently from one processor to another."""
    return 2 * rng.random(shape) - 1


def _starts(depth: int) -> NDArray[np.int64]:
    """First sample of what each level moves."""
    return (LENGTH * (1 - 0.5 ** np.arange(depth))).astype(np.int64)
