"""The suites about codes end to end: hierarchies, flat codes, units and letters, and several models side by side."""

import json

import pytest

from pytest_genbench.cli import main
from tests.plugin.conftest import run_pytest

CODES = '''
import numpy as np

CHOPPED = [{"type": "continuous"}, {"type": "categorical", "options": [[], [{"type": "continuous"}]]}]


def slopes(signals):
    """Both slopes of a signal that is chopped once in the middle, exactly but for float32."""
    signals = signals.astype(np.float64)
    first = signals[:, 1] - signals[:, 0]
    second = signals[:, 63] - signals[:, 62] - first
    return np.column_stack([first, np.where(np.abs(second) < 1e-7, 0, second)])


def says(**declared):
    def decorate(function):
        function.genbench = declared
        return lambda: function
    return decorate


@says(outputs="output=embedding", benchmark="chopsticks")
def flat(signals):
    return slopes(signals)


def with_hierarchy(signals):
    found = slopes(signals)
    chopped = found[:, 1] != 0
    return {"embedding": found, "assignment.0": np.column_stack([~chopped, chopped]).astype(np.float32)}

hierarchical = says(hierarchy=CHOPPED, benchmark="chopsticks")(with_hierarchy)
without_assignments = says(hierarchy=CHOPPED, benchmark="chopsticks", outputs="output=embedding")(slopes)


@says(hierarchy=CHOPPED, benchmark="chopsticks")
def too_wide(signals):
    return {**with_hierarchy(signals), "embedding": signals}


@says(outputs="output=embedding")
def of_images(images):
    n, channels, height, width = images.shape
    return images.reshape(n, -1)[:, 1000::100]


@says(outputs="output=embedding")
def nan(signals):
    return np.full((len(signals), 3), np.nan)


def twins():
    """Any signal; reads nothing but its mean."""
    return says(outputs="output=embedding")(lambda signals: signals.mean(axis=1, keepdims=True))()
'''

HIERARCHY = ("--genbench-suite=hierarchy", "--genbench-preset=chopsticks=mini", "--genbench-preset=spaceshapes=mini")


@pytest.fixture
def run(pytester, monkeypatch):
    pytester.makepyfile(codes=CODES)
    monkeypatch.setenv("COLUMNS", "220")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(model, *args, own_process=False):
        return run_pytest(pytester, monkeypatch, [f"--genbench-model={model}", *args], own_process)

    return run


def scores(path):
    (case,) = json.loads(path.read_text())["cases"]
    return {score["metric"]: score["value"] for score in case["scores"]}


def test_a_hierarchical_code_passes(run, pytester):
    result = run("codes:hierarchical", *HIERARCHY, "-k", "depth2-slope", "--genbench-save=r.json")
    result.assert_outcomes(passed=1, deselected=8)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "genbench: signal float32 NL (any), any batch -> embedding, assignment.0; exposure: undeclared*",
            "held out *score *purity *coverage *error *verdict",
            "new signals (slope, depth 2) *1,000  1.000*passed",
            "R_c fast of depth2-slope: chop1 1.000, slope1 1.000, slope2 1.000",
        ]
    )
    found = scores(pytester.path / "r.json")
    assert found["r_c_fast"] > 0.99
    assert (found["h_error"], found["purity"], found["coverage"]) == (0, 1, 1)
    (case,) = json.loads((pytester.path / "r.json").read_text())["cases"]
    assert {score["condition"] for score in case["scores"]} == {"held-out"}, (
        "other numbers of items mean something else"
    )
    assert case["model"]["contract"]["hierarchy"] == "c {0 | c}"
    assert "range" not in case["model"]["contract"] or case["model"]["contract"]["input"] == "signal"


def test_a_flat_code_lacks_the_choice(run, pytester):
    result = run("codes:flat", *HIERARCHY, "-k", "depth2-slope", "--genbench-save=r.json")
    result.assert_outcomes(failed=1, deselected=8)
    result.stdout.re_match_lines([r"  chance 0\.\d+, principal components 0\.\d+, true values [01]\.\d+$"])  # each once
    found = scores(pytester.path / "r.json")
    assert found["r_c_fast"] == pytest.approx(2 / 3, abs=0.02)
    assert found["r_c_fast.chop1"] < 0.05 < 0.95 < found["r_c_fast.slope2"]
    assert "h_error" not in found


def test_nine_data_sets_are_collected_and_those_that_do_not_fit_are_skipped(run):
    result = run("codes:of_images", *HIERARCHY, "--genbench-contract=layout=NCHW", "-rs", "--genbench-samples=400")
    outcomes = result.parseoutcomes()
    assert outcomes["skipped"] == 8
    result.stdout.fnmatch_lines(
        ["*the model takes images of (channels, height, width)*chopsticks has signals of (length) (64)*"]
    )


def test_a_small_sample_has_an_interval(run):
    result = run("codes:flat", *HIERARCHY, "-k", "depth2-inter", "--genbench-samples=300")
    result.stdout.fnmatch_lines(["*95 % interval*", "new signals (inter, depth 2) * 300 * to *failed"])


def test_workers_find_the_same(run, pytester):
    pytest.importorskip("xdist")
    for file, more in (("one.json", ()), ("two.json", ("-n2",))):
        run(
            "codes:hierarchical",
            *HIERARCHY,
            "-k",
            "depth2-slope",
            f"--genbench-save={file}",
            *more,
            own_process=bool(more),
        )
    assert scores(pytester.path / "one.json") == scores(pytester.path / "two.json")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("codes:without_assignments", "*declares the hierarchy c {0 | c}, but does not offer assignment.0*"),
        ("codes:too_wide", "*2 continuous variables, but its embedding has 64 numbers*"),
        ("codes:nan", "*'embedding' is not finite*"),
    ],
)
def test_what_a_model_gets_wrong(run, model, words):
    result = run(model, *HIERARCHY, "-k", "depth2-slope")
    assert result.ret == 1
    result.stdout.fnmatch_lines([words])
    result.stdout.no_fnmatch_line("*Traceback*")


LETTERS = '''
import numpy as np
from pytest_genbench.benchmarks import get
from pytest_genbench.metrics.reading import encode_words

stimuli = get("comporth", "mini").stimuli
index = np.arange(stimuli.grid.size)
levels = stimuli.grid.levels(index)
codes = np.column_stack([encode_words(stimuli.words, "AB")[levels[:, 0]], levels[:, 1:]]).astype(np.float32)
known = {image.tobytes(): code for image, code in zip(stimuli.images(index), codes)}
back = {tuple(code): at for at, code in zip(index, codes)}


class ByHeart:
    """Knows every image; its code has a unit for each letter, mixed in pairs if `mixed`."""

    def __init__(self, mixed):
        mix = np.eye(8, dtype=np.float32)
        if mixed:
            mix[0, 1], mix[1, 0], mix[1, 1] = 1, 1, -1
        self.mix, self.undo = mix, np.linalg.inv(mix).astype(np.float32)
        from pytest_genbench.models import Contract
        roles = {role: role for role in ("embedding", "reconstruction")}
        self.contract = Contract("x", shape=(1, 64, 64), layout="NHWC", outputs=roles, trained_on=("none",), code_size=8)

    def predict(self, batch, outputs=None):
        code = np.array([known[image.tobytes()] for image in batch]) @ self.mix
        return {"embedding": code, "reconstruction": self.decode(code)}

    def decode(self, code):
        words = [tuple(row) for row in np.rint(code @ self.undo).astype(np.float32).tolist()]
        return stimuli.images(np.array([back.get(word, 0) for word in words])).astype(np.float32) / 255


def apart():
    return ByHeart(False)


def mixed():
    return ByHeart(True)
'''


def test_units_letters_and_models_side_by_side(run, pytester, capsys):
    pytester.makepyfile(letters=LETTERS)
    for name in ("apart", "mixed"):
        saved = f"--genbench-save={name}.json"
        result = run(
            f"letters:{name}",
            "--genbench-suite=disentanglement",
            "--genbench-suite=compositional",
            "--genbench-preset=comporth=mini",
            "-k",
            "A5 or B5",
            "--genbench-samples=200",
            saved,
        )
        result.assert_outcomes(passed=4, deselected=224)
    values = {}
    for name in ("apart", "mixed"):
        found = json.loads((pytester.path / f"{name}.json").read_text())["cases"]
        codes = [case for case in found if case["output"] == "disentanglement"]
        assert len(codes) == 2
        assert {score["condition"] for score in codes[0]["scores"]} == {"all"}
        assert {score["n"] for score in codes[0]["scores"] if score["metric"] == "mir_all"} == {1116}, (
            "all, not a sample"
        )
        values[name] = {score["metric"]: score["value"] for score in codes[0]["scores"]}
    assert values["apart"]["mir_letters"] == pytest.approx(1)
    assert values["mixed"]["mir_letters"] == pytest.approx(0.75)  # three units of five are pure, two half so
    assert values["apart"]["perturbed_several"] < values["mixed"]["perturbed_several"]
    capsys.readouterr()
    assert main(["compare", "--models", *(str(pytester.path / f"{name}.json") for name in values)]) == 0
    said = capsys.readouterr().out
    assert "on the Pareto front" in said
    assert "MIR (letters) against accuracy of reconstruction, 4 pairs" in said


def test_codes_are_scored_where_a_suite_asks_for_them(run, pytester):
    pytester.makepyfile(letters=LETTERS)
    run(
        "letters:apart",
        "--genbench-suite=compositional",
        "--genbench-preset=comporth=mini",
        "-k",
        "B5",
        "--genbench-save=r.json",
    )
    (case,) = json.loads((pytester.path / "r.json").read_text())["cases"]
    assert case["output"] == "reconstruction"
