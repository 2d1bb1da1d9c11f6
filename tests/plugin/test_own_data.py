"""From a table and images to a verdict: a description in a marker, gates, results, a baseline."""

import json

import numpy as np
import pytest
from PIL import Image

from pytest_genbench.benchmarks.table import TableBenchmark
from pytest_genbench.testing import check_benchmark
from tests.benchmarks.table.tables import as_array, as_folder, combinations, describe, draw
from tests.plugin.conftest import run_pytest

SUITE = """
import pytest

@pytest.mark.genbench(benchmark="t.toml", family="extrapolation")
def test_extrapolation(split, genbench):
    genbench.passes()
"""

MODELS = """
import numpy as np

def read(images):
    images = images[:, 0]
    shape = images[:, 11].argmax(axis=1)
    size = (images[:, :11] > 0).any(axis=1).sum(axis=1)
    shade = np.rint(images[:, :11].max(axis=(1, 2)) * 255 / 50)
    return shape, size - 1, shade.astype(int) - 1

def says(**declared):
    def decorate(function):
        function.genbench = {"range": "0,1", "trained_on": "none", **declared}
        return lambda: function
    return decorate

@says()
def good(images):
    shape, size, shade = read(images)
    return {"factors": np.stack([shape / 2, size / 4, shade / 4], axis=1)}

@says()
def clamps(images):
    shape, size, shade = read(images)
    return {"factors": np.stack([shape / 2, np.minimum(size, 3) / 4, shade / 4], axis=1)}

@says()
def both(images):
    # Probes show random pixels, which read as no level.
    shape, size, shade = np.clip(read(images), 0, [[2], [4], [4]])
    named = {"factor.shape": np.eye(3)[shape], "factor.size": np.eye(5)[size], "factor.shade": np.eye(5)[shade]}
    return {**named, **good()(images)}

@says(trained_on="shapes/default/extrapolation-size")
def trained(images):
    return good()(images)

@says(trained_on="shapes/default/extrapolation-sise")
def misspelt(images):
    return good()(images)

@says()
def wrong_shape(images):
    return {"factors": np.zeros((len(images), 2))}
"""

GATES = """
[[gate]]
benchmark = "shapes"
family = "extrapolation"
output = "regression"
metric = "r2_grid"
min = 0.9
reason = "for the test"

[[gate]]
benchmark = "shapes"
output = "recognition"
metric = "factor_accuracy"
min = 0.9
reason = "for the test"

[[aggregate]]
benchmark = "shapes"
family = "extrapolation"
output = "regression"
metric = "r2_grid"
statistic = "worst"
min = 0.9
reason = "for the test"
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A user's folder with an incomplete table, both as files and as an array, a suite, models and gates."""
    as_folder(pytester.path)
    (pytester.path / "t.toml").write_text('name = "shapes"\ntable = "t.csv"\nimages = "t"\n')
    pytester.makepyfile(test_shapes=SUITE, models=MODELS)
    (pytester.path / "gates.toml").write_text(GATES)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return pytester


@pytest.fixture
def run(project, monkeypatch):
    def run(*args, model="models:good", gates="gates.toml"):
        options = [f"--genbench-model={model}"] if model else []
        options += [f"--genbench-gates={gates}"] if gates else []
        spread = any(arg.startswith("-n") for arg in args)
        return run_pytest(project, monkeypatch, [*options, *args], own_process=spread)

    return run


def test_a_good_model_passes_and_a_clamping_one_fails(run):
    result = run("-v")
    assert result.ret == 0
    # Size at both ends is one split: of the lower there are too few rows.
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "*test_extrapolation?extrapolation-size? PASSED*",
            "shapes (default), extrapolation, regression: R² grid",
            "size 5 (upper) * 1.000 *passed",
            "worst: passed, r2_grid: expected >= 0.9, got 1.0000 (worst of 4 splits*",
        ]
    )
    result = run(model="models:clamps")
    assert result.ret == 1
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "extrapolation-size (size 5), regression: failed",
            "*r2_grid: expected >= 0.9, got *census of 13, exact*",
            "*in-split 1.000, * nearest seen value *(held-out factors)*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_array_gives_the_same_scores(run, project):
    run("--genbench-save=files.json", model="models:clamps")
    as_array(project.path)
    (project.path / "t.toml").write_text('name = "shapes"\ntable = "t.csv"\nimages = "t.npy"\n')
    run("--genbench-save=array.json", model="models:clamps")
    one, other = (json.loads((project.path / f"{name}.json").read_text())["cases"] for name in ("files", "array"))
    assert [case["scores"] for case in one] == [case["scores"] for case in other]
    assert [case["anchors"] for case in one] == [case["anchors"] for case in other]
    assert one[0]["version"] != other[0]["version"]


def test_a_model_that_takes_part_both_ways(run):
    result = run(model="models:both")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "shapes (default), extrapolation, recognition: factor accuracy",
            "shapes (default), extrapolation, regression: R² grid",
            "genbench: 8 scores: 8 passed; aggregates: 1 passed",
        ]
    )


def test_without_a_gate_nothing_is_asserted_and_the_way_out_is_said(run):
    result = run(gates=None)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "inconclusive: extrapolation-size (no gate applies to shapes/*; say what it must clear by --genbench-gates=FILE)"
        ]
    )


def test_exposure(run):
    result = run(model="models:trained")
    assert result.ret == 0
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(["skipped: *exposed: the model was trained on shapes/default/extrapolation-size"])
    result = run(model="models:misspelt")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*is not a split of shapes. Did you mean 'shapes/default/extrapolation-size'*"])


def test_a_baseline(run, project):
    assert run("--genbench-save=base.json").ret == 0
    (project.path / "gates.toml").write_text('[[gate]]\nbenchmark = "shapes"\nagainst = "baseline"\n')
    assert run("--genbench-baseline=base.json").ret == 0
    result = run("--genbench-baseline=base.json", model="models:clamps")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*r2_grid: baseline 1.0000, got *regressed*"])


def test_a_baseline_of_other_data_is_not_comparable(run, project):
    run("--genbench-save=base.json")
    Image.fromarray(draw("star", 5, 50)).save(project.path / "t" / "0.png")
    result = run("--genbench-baseline=base.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*not comparable*benchmark version: 1-*"])


def test_a_table_in_another_folder_is_looked_for_beside_the_test_first(run, project):
    project.mkdir("suites")
    (project.path / "test_shapes.py").rename(project.path / "suites" / "test_shapes.py")
    assert run("suites").ret == 0
    (project.path / "suites" / "t.toml").write_text('name = "beside"\ntable = "../t.csv"\nimages = "../t"\n')
    result = run("suites", gates=None)
    result.stdout.fnmatch_lines(["beside (default), extrapolation, regression: R² grid"])


def test_one_table_of_several_tests_is_read_once(run, project):
    project.makepyfile(test_more=SUITE.replace('"extrapolation"', '"compositional"'))
    text = (project.path / "models.py").read_text()
    (project.path / "models.py").write_text(
        text + "\nfrom pytest_genbench.benchmarks.table import benchmark\n_read = benchmark.read\n"
        "def counted(path):\n    open('reads.txt', 'a').write('x')\n    return _read(path)\nbenchmark.read = counted\n"
    )
    project.makeconftest("import models\n")
    try:
        result = run("--co", "-q")
    finally:
        from pytest_genbench.benchmarks.table import benchmark
        from pytest_genbench.benchmarks.table.read import read

        benchmark.read = read
    assert result.ret == 0
    assert (project.path / "reads.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "t.toml").unlink(), "*t.toml: there is no such description of a table."),
        (
            lambda folder: (folder / "t" / "7.png").unlink(),
            "*1 of 60 images that the table names are not there: 7.png;*",
        ),
        (
            lambda folder: (
                (folder / "t.toml").open("a").write("factors.size.kind = 'cyclic'\nuse = ['shape', 'size']\n")
            ),
            "*rows repeat the factors of an earlier one*",
        ),
        (
            lambda folder: (folder / "t.toml").open("a").write("splits.minimum = 50\n"),
            "*shapes has no extrapolation split. extrapolation-shape: shape is categorical*",
        ),
    ],
    ids=["description", "image", "duplicates", "too few rows"],
)
def test_what_is_wrong_is_a_usage_error_in_one_line(run, project, change, message):
    change(project.path)
    result = run(gates=None)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: genbench: test_shapes.py::test_extrapolation: {message}"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_an_image_that_breaks_while_it_is_read(run, project):
    # Only every image that is looked at beforehand is sure to be whole.
    path = project.path / "t" / "59.png"
    path.write_bytes(path.read_bytes()[:60])
    result = run("-k", "size")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*genbench: *59.png cannot be read as an image*"])


def test_another_shape_of_the_output(run):
    result = run(model="models:wrong_shape")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*factors has shape (13, 2); expected (N, 3), in [[]0, 1] for shape, size, shade*"])


def test_two_tables_of_one_name_are_refused(run, project):
    project.mkdir("other")
    (project.path / "other" / "t.toml").write_text('name = "shapes"\ntable = "../t.csv"\nimages = "../t"\n')
    project.makepyfile(**{"other/test_other": SUITE})
    result = run(gates=None)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*another benchmark of this run is called shapes too; rename one of them*"])


def test_a_benchmark_object(run, project):
    project.makepyfile(
        test_shapes=SUITE.replace('"t.toml"', "SHAPES").replace(
            "import pytest",
            "import pytest\nfrom pathlib import Path\nfrom pytest_genbench.benchmarks.table import TableBenchmark\n"
            "SHAPES = TableBenchmark('t.csv', Path('t'), 'shapes', factors={'shape': {'values': ['disc', 'square', 'star']}})\n",
        )
    )
    assert run().ret == 0


def test_several_processes(run):
    pytest.importorskip("xdist")
    result = run("-n2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["worst: passed, *", "genbench: 4 scores: 4 passed; aggregates: 1 passed"])


def test_a_table_keeps_to_what_a_benchmark_is(tmp_path):
    check_benchmark(describe(as_folder(tmp_path), images="t"))
    text = "use = ['size', 'shade']\nallow_duplicates = true\nfactors.shade = { kind = 'continuous', bands = 4 }"
    check_benchmark(describe(as_array(tmp_path), text))


def test_rows_are_items(tmp_path):
    benchmark = TableBenchmark.from_toml(describe(as_array(tmp_path)).source)
    assert len(benchmark) == len(combinations()) < benchmark.grid.size
    np.testing.assert_array_equal(benchmark.levels([0])[0], [0, 0, 2])
