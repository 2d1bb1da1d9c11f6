"""`--genbench-probe`: a readout over a frozen embedding is what is tested."""

import json

import pytest

from .conftest import run_pytest

NETS = '''
import numpy as np


def magnitudes(images):
    """The lowest frequencies without their phase, which do not depend on the place."""
    return np.abs(np.fft.fft2(images[:, 0]))[:, :16, :16].reshape(len(images), -1)


magnitudes.genbench = {"outputs": "output=embedding", "range": "0, 1", "trained_on": "none"}


def both(images):
    return {"embedding": magnitudes(images), "reconstruction": images}


both.genbench = {"range": "0, 1", "code_size": 4096}


def copies(images):
    return images


copies.genbench = {"outputs": "output=reconstruction", "range": "0, 1", "code_size": 4096}


fourier, autoencoder, identity = (lambda: magnitudes), (lambda: both), (lambda: copies)


class Learner:
    outputs = ("embedding",)

    def fit(self, task, **rest):
        return magnitudes
'''


@pytest.fixture
def probe(pytester, monkeypatch):
    """Run the packaged suites on the smallest preset, in a user's folder with `nets.py`."""
    pytester.makepyfile(nets=NETS)
    monkeypatch.setenv("COLUMNS", "160")

    def probe(model, *args, kind="linear"):
        common = ["--genbench-suite=all", "--genbench-preset=mini", "--genbench-cache=kept"]
        args = [f"--genbench-model=nets:{model}", f"--genbench-probe={kind}", *common, *args]
        return run_pytest(pytester, monkeypatch, args, own_process=False)

    return probe


def test_an_embedding_is_read_out(pytester, probe):
    result = probe("fourier", "-k", "x+0y+0 or (B5 and not units)", "--genbench-save=r.json")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["genbench: probe: a linear readout is trained for each split over the frozen embedding*"]
    )
    cases = {case["split"]: case for case in json.loads(pytester.path.joinpath("r.json").read_text())["cases"]}
    assert {case["output"] for case in cases.values()} == {"recognition"}
    assert cases["spatial-x+0y+0"]["scores"][0]["value"] > 0.9
    assert cases["compositional-B5"]["scores"][0]["value"] == 0, "the readout never saw a B there"
    assert list(pytester.path.joinpath("kept").rglob("*.npy")), "embeddings are kept"


def test_what_the_model_offers_itself_is_not_tested(probe):
    result = probe("autoencoder", "-k", "x+0y+0")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*target probability*")


def test_a_learner_is_trained_and_then_read_out(probe):
    probe("Learner", "-k", "x+0y+0").assert_outcomes(passed=1)


def test_a_model_without_an_embedding_is_skipped_with_the_reason(probe):
    result = probe("identity", "-k", "x+0y+0")
    result.assert_outcomes(skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["NOTHING EVALUATED: *embedding*offers reconstruction*"])


def test_an_unknown_readout(probe):
    result = probe("fourier", kind="liner")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--genbench-probe takes linear or mlp; got 'liner'. Did you mean 'linear'?*"])
