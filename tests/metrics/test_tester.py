"""The tester finds what is wrong with metrics that are."""

import numpy as np
import pytest

from pytest_genbench.metrics.arrays import tables
from pytest_genbench.metrics.result import Result

from .tester import Claims, checks


def fine(factors, codes):
    truth, units = tables(factors, codes)
    value = float(truth.shape[1] / (truth.shape[1] + units.shape[1]))
    return Result("fine", value, {"all": value})


def global_state(factors, codes):
    tables(factors, codes)
    return Result("global_state", float(np.random.rand()))


def not_a_number(factors, codes):
    tables(factors, codes)
    return Result("not_a_number", float("nan"))


def numpy_scalar(factors, codes):
    return Result("numpy_scalar", np.float64(len(tables(factors, codes)[0]) > 0))


def out_of_range(factors, codes):
    return Result("out_of_range", float(len(tables(factors, codes)[0])))


def changes_arguments(factors, codes):
    tables(factors, codes)
    if isinstance(codes, np.ndarray):
        codes[0, 0] += 1
    return Result("changes_arguments", 0.5)


def first_sample(factors, codes):
    return Result("first_sample", float(tables(factors, codes)[1][0, 0] > 0))


def warns(factors, codes):
    _, units = tables(factors, codes)
    return Result("warns", float(np.clip(1 / np.ptp(units, axis=0).min(), 0, 1)))


def checks_nothing(factors, codes):
    return Result("checks_nothing", 0.5)


def other_name(factors, codes):
    tables(factors, codes)
    return Result("another", 0.5)


def parts_of_something_else(factors, codes):
    tables(factors, codes)
    return Result("parts_of_something_else", 0.5, {"0": 0.1, "1": 0.2})


def failing(claims):
    found = set()
    for parameter in checks(claims):
        try:
            parameter.values[0]()
        except BaseException:  # pytest's own failures are no Exceptions
            found.add(parameter.id.split("-", 1)[1])
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (global_state, "repeatable"),
        (not_a_number, "sound_results"),
        (numpy_scalar, "sound_results"),
        (out_of_range, "sound_results"),
        (other_name, "sound_results"),
        (parts_of_something_else, "sound_results"),
        (changes_arguments, "repeatable"),
        (first_sample, "same_after_order_of_samples"),
        (warns, "few_samples_and_constants"),
        (checks_nothing, "refuses_NaN_in_codes"),
    ],
)
def test_finds(metric, expected):
    claims = Claims(metric, same={"order of samples": 1e-12}, examples=8)
    assert expected in failing(claims)


def test_finds_nothing_wrong_with_a_fine_metric():
    same = {"order of samples": 0.0, "order of units": 0.0, "samples twice": 0.0, "bent units": 0.0}
    assert failing(Claims(fine, same=same, examples=8)) == set()


def test_claims_that_are_false():
    claims = Claims(fine, same={"constant unit": 0.01}, becomes={"one-level factor": 0.9}, perfect=1.0, examples=8)
    assert failing(claims) == {"same_after_constant_unit", "changed_by_one-level_factor", "perfect_codes"}


def test_unknown_transformations():
    with pytest.raises(AssertionError, match="no such transformation"):
        checks(Claims(fine, same={"order of pixels": 0.0}))
