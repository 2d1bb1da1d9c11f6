"""``--genbench-probe`` takes one of two words."""

import pytest

from pytest_genbench.readout import KINDS


@pytest.mark.parametrize("where", ["option", "ini"])
def test_a_wrong_value_is_a_usage_error(pytester, where):
    pytester.makepyfile("def test(): pass")
    if where == "ini":
        pytester.makeini("[pytest]\ngenbench_probe = liner")
    result = pytester.runpytest_inprocess(*(["--genbench-probe=liner"] if where == "option" else []))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = "\n".join([*result.outlines, *result.errlines])
    assert "--genbench-probe takes linear or mlp; got 'liner'. Did you mean 'linear'?" in text


@pytest.mark.parametrize("kind", KINDS)
def test_both_values_are_taken(pytester, kind):
    pytester.makepyfile("def test(): pass")
    assert pytester.runpytest_inprocess(f"--genbench-probe={kind}").ret == pytest.ExitCode.OK
