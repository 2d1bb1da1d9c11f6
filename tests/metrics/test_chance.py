from functools import partial

import numpy as np
import pytest

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.chance import chance
from pytest_genbench.metrics.dci import dci
from pytest_genbench.metrics.mig import mig
from pytest_genbench.metrics.mir import mir
from pytest_genbench.metrics.result import Result
from pytest_genbench.metrics.sap import sap

from .tester import Claims, checks

FACTORS = np.tile(np.indices((2, 3)).reshape(2, -1).T, (50, 1))

CLAIMS = Claims(
    partial(chance, mig),
    {"repeats": 2, "kinds": "categorical"},
    "chance of mig",
    same={"order of units": 1e-12, "order of factors": 1e-12, "constant unit": 1e-12},
    becomes={"every unit twice": 0.0},
    examples=10,
)


@pytest.mark.parametrize("check", checks(CLAIMS))
def test_claims(check):
    check()


def test_perfect_codes_fall_to_the_floor():
    found = chance(mig, FACTORS, FACTORS)
    assert mig(FACTORS, FACTORS).value == pytest.approx(1.0)
    assert 0 < found.value < 0.05
    assert len(set(found.parts.values())) == 5
    assert found.value == pytest.approx(np.mean(list(found.parts.values())))


def test_factors_stay_together():
    """Whole rows are shuffled: what factors have in common is kept."""
    seen = []

    def spy(factors, codes):
        seen.append(factors)
        return Result("spy", 1.0)

    twins = np.column_stack([np.arange(20), np.arange(20) * 2])
    assert chance(spy, twins, twins, repeats=3).name == "chance of spy"
    assert len(seen) == 3
    for rows in seen:
        assert (rows[:, 1] == rows[:, 0] * 2).all()
        assert sorted(rows[:, 0]) == list(range(20))
        assert rows[:, 0].tolist() != list(range(20))
    assert seen[0].tolist() != seen[1].tolist()


def test_settings_reach_the_metric():
    found = chance(mir, FACTORS, FACTORS, normalize="factor_entropy", active=None, repeats=1)
    assert found.name == "chance of mir[factor_entropy,active=all]"
    assert chance(sap, FACTORS * 1.5, FACTORS, kinds="continuous").value < 0.1


def test_seeds():
    values = [chance(mig, FACTORS, FACTORS, seed=seed, repeats=1).value for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


def test_metrics_with_several_results():
    settings = {"repeats": 1, "variant": "paper"}
    found = chance(dci, FACTORS[:60], FACTORS[:60], part="disentanglement", **settings)
    assert found.name == "chance of dci_disentanglement[paper]"
    other = chance(lambda *arrays, **more: dci(*arrays, **more).disentanglement, FACTORS[:60], FACTORS[:60], **settings)
    assert other.value == found.value
    assert found.value < 0.8


@pytest.mark.parametrize("part", ["", "modularity", "importances"])
def test_a_part_has_to_be_a_result(part):
    with pytest.raises(MetricError, match="part=, one of disentanglement, completeness, informativeness"):
        chance(dci, FACTORS[:30], FACTORS[:30], part=part)


def test_no_result_at_all():
    with pytest.raises(MetricError, match="returned float"):
        chance(lambda factors, codes: 0.5, FACTORS, FACTORS)


def test_repeats():
    with pytest.raises(MetricError, match="repeats"):
        chance(mig, FACTORS, FACTORS, repeats=0)


def test_errors_of_the_metric_pass():
    with pytest.raises(MetricError, match="factors take more"):
        chance(mig, FACTORS * 0, FACTORS)
