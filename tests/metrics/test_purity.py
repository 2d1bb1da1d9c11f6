import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.purity import coverage, purity

from .latents import recorded


def test_recorded_case():
    case = recorded("purity")
    components = np.full(len(case["true_assigns"]), -1)
    for number, members in enumerate(case["components"]):
        components[members] = number
    found = purity(components, case["true_assigns"])
    assert found.name == "purity"
    assert found.value == pytest.approx(case["purity"], abs=1e-15)
    assert found.parts == pytest.approx(dict(zip("012", case["component_purities"], strict=True)))
    assert coverage(components).value == pytest.approx(case["coverage"])


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 3)), min_size=1).filter(lambda all_: max(all_)[0] >= 0))
def test_by_counting(pairs):
    components, paths = zip(*pairs, strict=True)
    inside = [pair for pair in pairs if pair[0] >= 0]
    majorities = sum(max(inside.count((number, path)) for path in range(4)) for number in set(components) - {-1})
    found = purity(components, paths)
    assert found.value == pytest.approx(majorities / len(inside))
    assert coverage(components).value == pytest.approx(len(inside) / len(pairs))
    assert 0 < min(found.parts.values()) <= found.value <= 1


@given(st.lists(st.integers(0, 3), min_size=1))
def test_components_of_one_path_are_pure_however_many(paths):
    assert purity(paths, paths).value == 1
    assert purity(range(len(paths)), paths).value == 1


def test_two_components_may_share_a_path():
    assert purity([0, 0, 1, 1, 1], [7, 7, 7, 7, 9]).value == pytest.approx(0.8)


def test_no_component():
    with pytest.raises(MetricError, match="No sample belongs to a component"):
        purity([-1, -1], [0, 1])
    assert coverage([-1, -1]).value == 0


@pytest.mark.parametrize(
    ("components", "paths", "message"),
    [
        ([0, 1], [0], "components have 2 samples, paths 1"),
        ([], [], "components need a whole number for each sample"),
        ([0.0, 1.0], [0, 1], "components need .* dtype float64"),
        ([0, 1], ["a", "b"], "paths need"),
        ([[0, 1]], [[0, 1]], r"shape \(1, 2\)"),
        ([0, -2], [0, 1], "with -1 for none; got -2"),
    ],
)
def test_bad_input(components, paths, message):
    with pytest.raises(MetricError, match=message):
        purity(components, paths)
