"""The in-domain suites end to end: models that read images perfectly, badly, or in another form; data that are missing."""

import json
from pathlib import Path

import pytest

from tests.plugin.conftest import run_pytest

MODELS = """
import numpy as np
from pytest_genbench.benchmarks import get

BENCHMARK = get("dsprites", "mini")
ITEMS = np.arange(BENCHMARK.grid.size)
KNOWN = {image.tobytes(): item for item, image in zip(ITEMS, BENCHMARK.images(ITEMS))}
SHAPE = np.array(BENCHMARK.grid.shape)

def levels(images):
    # Probes show random pixels, which are no known image.
    found = [KNOWN.get(image.tobytes(), 0) for image in np.rint(images * 255).astype(np.uint8)]
    return BENCHMARK.levels(found)

def says(**declared):
    def decorate(function):
        function.genbench = {"range": "0,1", "benchmark": "dsprites", "trained_on": "none", **declared}
        return lambda: function
    return decorate

@says()
def knows(images):
    return {"factors": (levels(images) / (SHAPE - 1)).astype(np.float32)}

@says()
def stays(images):
    # The upper two levels of what varies are never named.
    return {"factors": (np.minimum(levels(images), [2, 3, 7, 7, 7]) / (SHAPE - 1)).astype(np.float32)}

@says()
def numbers(images):
    return {"factors": levels(images).astype(np.float32)}

@says()
def short(images):
    return {"factors": (levels(images) / (SHAPE - 1)).astype(np.float32)[:, :4]}

@says()
def broken(images):
    found = (levels(images) / (SHAPE - 1)).astype(np.float32)
    found[(levels(images)[:, 1] == 5), 2] = np.nan
    return {"factors": found}

@says()
def logits(images):
    found = levels(images)
    return {f"factor.{name}": np.eye(n)[found[:, k]] for k, (name, n) in enumerate(zip(BENCHMARK.grid.names, SHAPE))}

@says()
def encodes(images):
    return {"factors": (levels(images) / (SHAPE - 1)).astype(np.float32), "embedding": levels(images).astype(np.float32)}

@says(trained_on="dsprites/stand-in-mini/random")
def exposed(images):
    return knows()(images)
"""


@pytest.fixture
def run(pytester, monkeypatch):
    pytester.makepyfile(models=MODELS)
    monkeypatch.setenv("COLUMNS", "160")

    def run(model, suite="extrapolation", *args, only="dsprites", data_set="mini"):
        options = [
            f"--genbench-model=models:{model}",
            f"--genbench-suite={suite}",
            "-k",
            only,
            "--genbench-samples=2000",
        ]
        return run_pytest(pytester, monkeypatch, [*options, f"--genbench-preset=dsprites={data_set}", *args], False)

    return run


def test_model_that_knows_passes_everywhere(run, pytester):
    for suite in ("in_distribution", "compositional", "interpolation", "extrapolation"):
        result = run("knows", suite, "--genbench-save=all.json")
        assert result.ret == 0, suite
    document = json.loads(pytester.path.joinpath("all.json").read_text())
    assert {case["split"]: case["scores"][0]["value"] for case in document["cases"]} == pytest.approx(
        dict.fromkeys(("random", "composition", "interpolation", "extrapolation"), 1.0)
    )
    result.stdout.fnmatch_lines(["dsprites (stand-in-mini), extrapolation, regression: R² grid"])


def test_model_that_never_leaves_what_it_saw_does_not(run):
    result = run("stays")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*expected >= 0.858*the bound is the anchor 'nearest seen value'*"])


def test_modularity_stands_beside_the_random_split(run, pytester):
    result = run("stays", "modularity", "--genbench-suite=extrapolation", "--genbench-save=m.json")
    result.stdout.fnmatch_lines(
        [
            "dsprites (stand-in-mini), extrapolation, modularity: OOD R² grid",
            "OOD R² grid of extrapolation: scale 0.1??, orientation 0.???, *",
            "beside extrapolation, in distribution: scale 0.7??, orientation 0.9??, *",
        ]
    )
    assert result.stdout.str().count("beside extrapolation") == 1
    saved = json.loads(pytester.path.joinpath("m.json").read_text())["cases"]
    cases = {case["split"]: case for case in saved if case["output"] == "modularity" or case["split"] == "random"}
    assert set(cases) == {"random", "interpolation", "extrapolation"}
    assert {name: len(each["items"]) for name, each in cases["extrapolation"]["kept"].items()} == dict.fromkeys(
        ("scale", "orientation", "x-position", "y-position"), 60
    )
    assert max(cases["extrapolation"]["kept"]["scale"]["answer"]) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("numbers", "*looks like level numbers*divide shape by 2, scale by 5, orientation by 9*"),
        (
            "short",
            "*Output 'factors' has shape (64, 4); expected is (N, 5)*shape, scale, orientation, x-position, y-pos*",
        ),
        ("broken", "*Output 'factors' is *NaN or infinit* for * of * images*"),
    ],
)
def test_wrong_outputs_fail_with_a_line(run, model, line):
    result = run(model)
    assert result.ret == 1
    result.stdout.fnmatch_lines([line])
    assert "Traceback" not in result.stdout.str()


def test_logits_are_accepted(run):
    result = run("logits")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["dsprites (stand-in-mini), extrapolation, recognition: R² grid", "*accuracy*"])


def test_exposed_model_is_skipped(run):
    result = run("exposed")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*exposed: the model was trained on dsprites/stand-in-mini/random*"])


@pytest.mark.slow
def test_code_is_scored_by_dci(run):
    result = run("encodes", "disentanglement", only="dsprites-random")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*in_distribution, disentanglement: DCI disentanglement"])


class TestData:
    def test_missing_file_is_a_skip_that_says_what_to_get(self, run, pytester):
        pytester.mkdir("data")
        result = run("knows", "extrapolation", "--genbench-data=data", data_set="published")
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            ["*skipped: *dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz*", "*NOTHING EVALUATED*"]
        )

    def test_no_folder_is_named(self, run, monkeypatch):
        monkeypatch.delenv("GENBENCH_DATA", raising=False)
        result = run("knows", data_set="published")
        result.stdout.fnmatch_lines(["*say where they are with --genbench-data=DIR*"])

    def test_folder_that_is_none(self, run):
        result = run("knows", "extrapolation", "--genbench-data=nowhere")
        assert result.ret == 4
        result.stderr.fnmatch_lines(["*--genbench-data: *nowhere is not there.*"])

    def test_with_a_folder_the_publishers_images_are_the_default(self, run, pytester, monkeypatch):
        pytester.mkdir("data")
        monkeypatch.setenv("GENBENCH_DATA", str(pytester.path / "data"))
        result = run_pytest(
            pytester,
            monkeypatch,
            ["--genbench-model=models:knows", "--genbench-suite=extrapolation", "-k", "dsprites"],
            False,
        )
        result.stdout.fnmatch_lines(["*skipped: *dsprites_ndarray*"])


def test_each_test_is_of_the_benchmark_that_its_name_says(pytester, monkeypatch):
    pytester.makepyfile(
        halves="""
        import numpy as np

        def build():
            return half

        def half(images):
            return {"factors": np.full((len(images), 6), 0.5, dtype=np.float32)}

        half.genbench = {"range": "0,1", "trained_on": "none"}
        """
    )
    options = ["--genbench-model=halves:build", "--genbench-suite=extrapolation", "--genbench-preset=mini"]
    result = run_pytest(pytester, monkeypatch, [*options, "--genbench-samples=500"], False)
    # Only the rooms have six factors; a model that says nothing of its benchmark is tested where its outputs fit.
    result.stdout.fnmatch_lines(["shapes3d (stand-in-mini), extrapolation, regression: R² grid"])
    result.stdout.fnmatch_lines(["*Output 'factors' has shape (64, 6); expected is (N, 5)*"])


def test_unknown_preset(run):
    result = run("knows", data_set="minni")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*dsprites has no preset 'minni'*"])


def test_files_for_the_splits_of_one_benchmark_are_not_missing_for_others(pytester, monkeypatch):
    """A suite folder holds tests of several benchmarks; only those that the files are for are run."""
    files = Path(__file__).parents[2] / "examples" / "comporth" / "conv1d" / "{split}.onnx"
    options = [f"--genbench-model={files}", "--genbench-suite=compositional", "--genbench-preset=mini"]
    result = run_pytest(pytester, monkeypatch, [*options, "-k", "A5 or mpi3d or celebglow"], False)
    result.assert_outcomes(passed=1, skipped=2, deselected=199)
    result.stdout.fnmatch_lines(
        ["skipped: celebglow/composition, mpi3d/composition: the model is for another benchmark*"]
    )


def test_one_file_for_each_benchmark(run, pytester):
    result = run_pytest(
        pytester,
        pytest.MonkeyPatch(),
        ["--genbench-model=nets/{benchmark}/{split}.onnx", "--genbench-suite=extrapolation"],
        False,
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*No file matches nets/{benchmark}/{split}.onnx*"])
