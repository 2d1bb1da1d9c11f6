"""The tester of metrics: what a metric claims is written down once, and checked against drawn data.

A metric is a function ``(factors, codes, **settings)`` that returns a :class:`~pytest_genbench.metrics.result.Result`, factors
(N, K) first, codes (N, D) second. Its test file states what it claims and hands that to pytest::

    CLAIMS = Claims(mig, same={"order of samples": 1e-12, "constant unit": 1e-12}, becomes={"every unit twice": 0.0})

    @pytest.mark.parametrize("check", checks(CLAIMS))
    def test_claims(check):
        check()

Without being asked, every metric is checked for what all of them owe:

* the value is a built-in float within the declared range, never NaN; the result is a ``Result`` whose parts and matrix are
  floats, and it has the declared name;
* the same call gives the same result; arguments are not changed; NumPy's global random state is not touched;
* lists, float32, integers and truth values give what float64 gives;
* any number of samples, constant columns and units of any scale give a value or an error of ours, and no warning;
* bad input (lengths that differ, NaN, infinity, objects, texts, nothing at all, a third dimension, too few samples; kinds that
  are too many, unknown, or wrong for the values) is refused with a ``MetricError``.

What differs from metric to metric is claimed by the name of a transformation, see :data:`TRANSFORMATIONS`: in ``same`` with the
greatest change of the value that it may cause, or in ``becomes`` with the value it leads to: a number, which has to be met to
1e-12, or a ``pytest.approx`` with a tolerance of its own; so ``perfect``. What is in neither is not claimed and not checked.
Where a claim would be false for some data it belongs in neither; say why in the test file.

Drawn data: factors of a few balanced levels or continuous ones, and units that are copies, mixtures or functions of factors, or
noise, some rounded so that there are ties. Hypothesis draws sizes and a seed; numbers come from the seed, as a large array of
floats drawn one by one would be slow. Metrics that take long lower ``examples``.

Extending it: a new transformation is a function ``(draw, factors, codes) -> (factors, codes)`` in :data:`TRANSFORMATIONS`; a new
duty of all metrics is a function ``(claims) -> None`` in :data:`DUTIES`.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pytest_genbench.errors import GenbenchError, MetricError
from pytest_genbench.metrics.result import Result

Arrays = tuple[np.ndarray, np.ndarray]
Transformation = Callable[[np.random.Generator, np.ndarray, np.ndarray], Arrays]


@dataclass(frozen=True)
class Claims:
    """What a metric claims.

    Attributes:
        metric: The function.
        settings: What it is always called with; a function of (factors, codes) where that depends on the number of columns, as a
            hierarchy does. With `kinds` among them, or a function, bad kinds are left to the metric's own tests.
        name: Name that its results carry; the function's own unless given.
        kind: Kind of the factors that are drawn; handed over as ``kinds`` if the metric takes that and `settings` do not give it.
        range: Least and greatest value.
        perfect: Value for codes that equal independent, balanced factors; None where that is not known exactly.
        samples: Least and greatest number of samples drawn.
        factors: Least and greatest number of factors drawn.
        units: Least and greatest number of units drawn.
        too_few: A number of samples that has to be refused.
        refuses: What bad input raises.
        same: Transformations and the greatest change of the value that each may cause.
        becomes: Transformations and the value each leads to.
        mean_of_parts: Whether the value is the plain mean of its parts.
        examples: How many data sets Hypothesis draws for each check; with 10 or fewer, failures are not shrunk.
    """

    metric: Callable[..., Any]
    settings: Mapping[str, Any] | Callable[..., Mapping[str, Any]] = field(default_factory=dict)
    name: str = ""
    kind: str = "categorical"
    range: tuple[float, float] = (0.0, 1.0)
    perfect: Any = None
    samples: tuple[int, int] = (20, 120)
    factors: tuple[int, int] = (2, 3)
    units: tuple[int, int] = (1, 4)
    too_few: int = 1
    refuses: type[GenbenchError] | tuple[type[GenbenchError], ...] = MetricError
    same: Mapping[str, float] = field(default_factory=dict)
    becomes: Mapping[str, Any] = field(default_factory=dict)
    mean_of_parts: bool = True
    examples: int = 30

    def __call__(self, factors: Any, codes: Any) -> Any:
        return self.metric(factors, codes, **self.settings_for(factors, codes))

    def settings_for(self, factors: Any, codes: Any) -> dict[str, Any]:
        own = self.settings(factors, codes) if callable(self.settings) else self.settings
        return {**({"kinds": self.kind} if "kinds" in inspect.signature(self.metric).parameters else {}), **own}

    @property
    def leaves_kinds_to_tester(self) -> bool:
        own = callable(self.settings) or "kinds" in self.settings
        return not own and "kinds" in inspect.signature(self.metric).parameters

    @property
    def columns(self) -> tuple[int, int]:
        """Factors and units of data that are not drawn: two and three, or as near as the metric allows."""
        (low, high), (least, most) = self.factors, self.units
        return min(max(2, low), high), min(max(3, least), most)

    @property
    def full_name(self) -> str:
        return self.name or self.metric.__name__


def draw_factors(draw: np.random.Generator, samples: int, count: int, kind: str) -> np.ndarray:
    """Independent factors (samples, count): two to four levels from 0, each taken about equally often, or U(-1, 1)."""
    if kind == "continuous":
        return draw.uniform(-1, 1, (samples, count))
    levels = draw.integers(2, 5, count)
    return np.column_stack([draw.permutation(np.arange(samples) % level) for level in levels]).astype(float)


def draw_units(draw: np.random.Generator, factors: np.ndarray, count: int) -> np.ndarray:
    """Units (samples, count) of every sort: copies, mixtures, bent copies, noise; half of them rounded."""
    units = []
    for _ in range(count):
        one, other = factors[:, draw.integers(factors.shape[1], size=2)].T
        noise = draw.normal(size=len(factors))
        unit = (one, one + other, one**2 - other, one + 0.3 * noise, noise)[draw.integers(5)]
        units.append(unit.round(1) if draw.integers(2) else unit)
    return np.column_stack(units)


def balanced(kind: str, count: int, samples: int) -> np.ndarray:
    """Factors that are independent exactly (categorical: full grid of 3 levels, repeated) or nearly (continuous)."""
    if kind == "continuous":
        return np.random.default_rng(0).uniform(-1, 1, (samples, count))
    grid = np.indices((3,) * count).reshape(count, -1).T
    return np.tile(grid, (math.ceil(samples / len(grid)), 1)).astype(float)


def fixed(claims: Claims) -> Arrays:
    """Factors and units that are the same on every call, of the least number of samples."""
    factors = balanced(claims.kind, claims.columns[0], claims.samples[0])
    return factors, draw_units(np.random.default_rng(1), factors, claims.columns[1])


def _samples_in_other_order(draw, factors, codes):
    rows = draw.permutation(len(factors))
    return factors[rows], codes[rows]


def _units_in_other_order(draw, factors, codes):
    return factors, codes[:, draw.permutation(codes.shape[1])]


def _factors_in_other_order(draw, factors, codes):
    return factors[:, draw.permutation(factors.shape[1])], codes


def _constant_unit(draw, factors, codes):
    return factors, np.insert(codes, draw.integers(codes.shape[1] + 1), draw.normal(), axis=1)


def _noise_unit(draw, factors, codes):
    return factors, np.column_stack([codes, draw.normal(size=len(codes))])


def _every_unit_twice(draw, factors, codes):
    return factors, np.hstack([codes, codes])


def _scaled_units(draw, factors, codes):
    # Scales within a factor of ten: units are compared by their spread where inactive ones are left out.
    return factors, codes * draw.uniform(1, 10, codes.shape[1]) + draw.uniform(-5, 5, codes.shape[1])


def _mirrored_units(draw, factors, codes):
    return factors, codes * draw.choice([-1, 1], codes.shape[1])


def _bent_units(draw, factors, codes):
    # Strictly increasing, and far from flat: values that differ go on to differ.
    return factors, codes**3 + codes


def _scaled_factors(draw, factors, codes):
    return factors * draw.uniform(1, 10, factors.shape[1]) + draw.uniform(-5, 5, factors.shape[1]), codes


def _levels_renamed(draw, factors, codes):
    renamed = factors.copy()
    for column in renamed.T:
        levels, index = np.unique(column, return_inverse=True)
        column[:] = draw.permutation(levels)[index]
    return renamed, codes


def _one_level_factor(draw, factors, codes):
    return np.insert(factors, draw.integers(factors.shape[1] + 1), 1.0, axis=1), codes


def _samples_twice(draw, factors, codes):
    return np.vstack([factors, factors]), np.vstack([codes, codes])


TRANSFORMATIONS: dict[str, Transformation] = {
    "order of samples": _samples_in_other_order,
    "order of units": _units_in_other_order,
    "order of factors": _factors_in_other_order,
    "constant unit": _constant_unit,
    "noise unit": _noise_unit,
    "every unit twice": _every_unit_twice,
    "scaled units": _scaled_units,
    "mirrored units": _mirrored_units,
    "bent units": _bent_units,
    "scaled factors": _scaled_factors,
    "levels renamed": _levels_renamed,
    "one-level factor": _one_level_factor,
    "samples twice": _samples_twice,
}


def checks(claims: Claims) -> list[Any]:
    """Everything to check of a metric, as parameters of one pytest test: callables without arguments."""
    unknown = {*claims.same, *claims.becomes} - set(TRANSFORMATIONS)
    assert not unknown, f"no such transformation: {sorted(unknown)}"
    found = {name: partial(duty, claims) for name, duty in DUTIES.items()}
    found |= {f"same after {name}": partial(_check_same, claims, name, change) for name, change in claims.same.items()}
    found |= {
        f"changed by {name}": partial(_check_becomes, claims, name, value) for name, value in claims.becomes.items()
    }
    found |= {f"refuses {name}": partial(_check_refusal, claims, *bad) for name, bad in bad_input(claims).items()}
    return [pytest.param(check, id=f"{claims.full_name}-{name}".replace(" ", "_")) for name, check in found.items()]


def on_drawn_data(claims: Claims, check: Callable[[np.random.Generator, np.ndarray, np.ndarray], None]) -> None:
    """Run a check on as many data sets as the claims ask for."""

    # A failure of a slow metric would be shrunk for minutes.
    slow = claims.examples <= 10
    phases = [phase for phase in Phase if not (slow and phase in (Phase.shrink, Phase.explain))]

    @settings(max_examples=claims.examples, deadline=None, phases=phases)
    @given(
        seed=st.integers(0, 2**32 - 1),
        samples=st.integers(*claims.samples),
        factors=st.integers(*claims.factors),
        units=st.integers(*claims.units),
    )
    def run(seed, samples, factors, units):
        draw = np.random.default_rng(seed)
        truth = draw_factors(draw, samples, factors, claims.kind)
        check(draw, truth, draw_units(draw, truth, units))

    run()


def assert_sound(claims: Claims, result: Result) -> None:
    """What every result owes, whatever it was computed from."""
    assert isinstance(result, Result)
    assert result.name == claims.full_name
    assert type(result.value) is float
    assert float(result) == result.value
    low, high = claims.range
    assert low <= result.value <= high
    assert all(type(name) is str and type(part) is float for name, part in result.parts.items())
    assert not any(math.isnan(part) for part in result.parts.values())
    if claims.mean_of_parts and result.parts:
        assert result.value == pytest.approx(np.mean(list(result.parts.values())), abs=1e-12)
    if result.matrix is not None:
        assert result.matrix.dtype == np.float64
        assert result.matrix.ndim == 2


def exactly(value: Any) -> Any:
    """Turn a number into one to be met to 1e-12; leave a ``pytest.approx`` as it is."""
    return pytest.approx(value, abs=1e-12, rel=0) if isinstance(value, float | int) else value


def _check_same(claims: Claims, name: str, change: float) -> None:
    def check(draw: np.random.Generator, factors: np.ndarray, codes: np.ndarray) -> None:
        changed = TRANSFORMATIONS[name](draw, factors, codes)
        assert float(claims(*changed)) == pytest.approx(float(claims(factors, codes)), abs=change, rel=0)

    on_drawn_data(claims, check)


def _check_becomes(claims: Claims, name: str, value: Any) -> None:
    def check(draw: np.random.Generator, factors: np.ndarray, codes: np.ndarray) -> None:
        assert float(claims(*TRANSFORMATIONS[name](draw, factors, codes))) == exactly(value)

    on_drawn_data(claims, check)


def _check_result(claims: Claims) -> None:
    on_drawn_data(claims, lambda draw, factors, codes: assert_sound(claims, claims(factors, codes)))


def _check_repeatable(claims: Claims) -> None:
    factors, codes = fixed(claims)
    kept = factors.copy(), codes.copy()
    state = np.random.get_state()[1].copy()
    first, second = claims(factors, codes), claims(factors, codes)
    assert (np.random.get_state()[1] == state).all()
    assert (first.value, first.parts) == (second.value, second.parts)
    assert (factors == kept[0]).all()
    assert (codes == kept[1]).all()
    for array in (factors, codes):
        array.flags.writeable = False
    assert claims(factors, codes).value == first.value


def _check_perfect(claims: Claims) -> None:
    factors = balanced(claims.kind, claims.columns[0], max(claims.samples[0], 100))
    if claims.perfect is not None:
        assert float(claims(factors, factors)) == exactly(claims.perfect)


def _check_types(claims: Claims) -> None:
    factors, codes = fixed(claims)
    # Halves and quarters, which float32 holds exactly.
    factors = np.round(factors * 4) / 4
    codes = (codes > 0).astype(float)
    expected = claims(factors, codes).value
    same = {"lists": (factors.tolist(), codes.tolist()), "float32": (factors.astype("f4"), codes.astype("f4"))}
    same["truth values"] = factors, codes.astype(bool)
    same["other layout"] = np.asfortranarray(factors), codes[:, ::-1].copy()[:, ::-1]
    if claims.kind == "categorical":
        same["integers"] = factors.astype("u1"), codes.astype("i2")
    for what, arrays in same.items():
        assert claims(*arrays).value == expected, what


def _check_few_samples_and_constants(claims: Claims) -> None:
    factors, units = fixed(claims)
    cases = [(factors[:n], units[:n]) for n in range(1, min(claims.samples[0], 8) + 1)]
    still = np.zeros_like(factors), np.full_like(units, 0.1)
    cases += [(still[0], units), (factors, still[1]), still]
    cases += [(factors, units * 1e300), (factors, units * 1e-300)]
    for case in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with contextlib.suppress(GenbenchError):
                assert_sound(claims, claims(*case))


def bad_input(claims: Claims) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Arguments that a metric has to refuse."""
    factors, codes = fixed(claims)

    def holed(array: np.ndarray, value: float) -> np.ndarray:
        array = array.copy()
        array[-1, 0] = value
        return array

    found: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "lengths that differ": (factors[:-1], codes, {}),
        "NaN in codes": (factors, holed(codes, np.nan), {}),
        "infinity in codes": (factors, holed(codes, -np.inf), {}),
        "NaN in factors": (holed(factors, np.nan), codes, {}),
        "infinity in factors": (holed(factors, np.inf), codes, {}),
        "objects": (factors.astype(object), codes, {}),
        "texts": (factors, codes.astype(str), {}),
        "complex numbers": (factors, codes + 0j, {}),
        "no samples": (factors[:0], codes[:0], {}),
        "no factors": (factors[:, :0], codes, {}),
        "no units": (factors, codes[:, :0], {}),
        "three dimensions": (factors, codes[:, :, None], {}),
        "too few samples": (factors[: claims.too_few], codes[: claims.too_few], {}),
    }
    if claims.leaves_kinds_to_tester:
        found["kinds that are too many"] = (factors, codes, {"kinds": ["continuous"] * (factors.shape[1] + 1)})
        found["kinds that are unknown"] = (factors, codes, {"kinds": "cyclic"})
        found["categories that are no whole numbers"] = (factors + 0.5, codes, {"kinds": "categorical"})
    return found


def _check_refusal(claims: Claims, factors: Any, codes: Any, more: dict[str, Any]) -> None:
    # The settings are those for good arrays: it is the metric that has to refuse, not what makes its settings.
    with pytest.raises(claims.refuses) as caught:
        claims.metric(factors, codes, **{**claims.settings_for(*fixed(claims)), **more})
    assert len(str(caught.value)) > 20


DUTIES: dict[str, Callable[[Claims], None]] = {
    "sound results": _check_result,
    "repeatable": _check_repeatable,
    "perfect codes": _check_perfect,
    "types of input": _check_types,
    "few samples and constants": _check_few_samples_and_constants,
}
