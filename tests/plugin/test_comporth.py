"""CompOrth end to end: both ways to take part, and what is said about what went wrong."""

import json

import pytest

from tests.plugin.conftest import run_pytest

READERS = '''
import numpy as np
from pytest_genbench.benchmarks import get
from pytest_genbench.metrics.reading import encode_words

stimuli = get("comporth", "mini").stimuli
index = np.arange(stimuli.grid.size)
codes = encode_words(stimuli.words, "AB")[stimuli.grid.levels(index)[:, 0]]
known = {image.tobytes(): code for image, code in zip(stimuli.images(index), codes)}


def reader(change, blanks=True, length=False):
    """A model that knows every image by heart, and misreads as `change` (letter codes to letter codes) says."""

    def read(images):
        pixels = np.rint(images * 255).astype(np.uint8).reshape(-1, 64, 64, 1)
        none = np.zeros(5, dtype=int)
        found = change(np.array([known.get(image.tobytes(), none) for image in pixels]))
        logits = {f"factor.letter_{k + 1}": np.eye(3, dtype=np.float32)[found[:, k]] for k in range(5)}
        if not blanks:
            logits = {name: values[:, 1:] for name, values in logits.items()}
        if length:
            logits["factor.length"] = np.eye(5, dtype=np.float32)[np.maximum((found > 0).sum(axis=1), 1) - 1]
        return logits

    read.genbench = {"range": "0,1", "benchmark": "comporth"}
    return read


def perfect():
    return reader(lambda codes: codes)


def with_length():
    return reader(lambda codes: codes, blanks=False, length=True)


def without_length():
    return reader(lambda codes: codes, blanks=False)


def never_b5():
    """Reads A for B at position 5, as the published models do."""

    def change(codes):
        codes = codes.copy()
        codes[codes[:, 4] == 2, 4] = 1
        return codes

    return reader(change)


def four_letters():
    def change(codes):
        codes = codes.copy()
        codes[:, 4] = 0
        return codes

    return reader(change)
'''


@pytest.fixture
def suite(pytester, monkeypatch):
    pytester.makepyfile(readers=READERS)
    monkeypatch.setenv("COLUMNS", "200")

    def suite(model, *args, name="compositional"):
        options = [f"--genbench-model={model}", f"--genbench-suite={name}", "--genbench-preset=mini", *args]
        return run_pytest(pytester, monkeypatch, options, own_process=False)

    return suite


def cases(pytester, name="r.json"):
    return {case["split"]: case for case in json.loads((pytester.path / name).read_text())["cases"]}


@pytest.mark.parametrize("model", ["readers:perfect", "readers:with_length"])
def test_recognition_needs_no_judge(suite, model):
    result = suite(model)
    assert result.ret == 0
    # Those of the other data sets, which show nothing to read.
    result.assert_outcomes(passed=12, skipped=192)
    result.stdout.fnmatch_lines(
        ["comporth (mini), compositional, recognition: word accuracy", "A at position 1 *558 *1.000*passed"]
    )


def test_the_held_out_letter_is_found_to_be_replaced(suite, pytester):
    result = suite("readers:never_b5", "--genbench-save=r.json")
    assert result.ret == 1
    found = cases(pytester)
    assert found["compositional-B5"]["errors"]["held-out letter replaced"] == 16 * 18
    assert found["compositional-B5"]["verdict"] == "failed"
    scores = {(s["metric"], s["condition"]): s["value"] for s in found["compositional-B5"]["scores"]}
    assert scores["word_accuracy", "held-out"] == 0
    assert scores["held_out_letter_accuracy", "held-out"] == 0
    assert scores["letter_accuracy", "held-out"] == pytest.approx(0.8)
    assert scores["word_accuracy", "in-split"] == 1
    assert found["compositional-A5"]["verdict"] == "passed"
    # Other splits hold out words that also end in B.
    assert found["compositional-A1"]["errors"]["other letters"] == 8 * 18


def test_length_groups_are_told_apart(suite, pytester):
    result = suite("readers:four_letters", "--genbench-save=r.json", name="length")
    result.assert_outcomes(passed=6, failed=4)
    result.stdout.fnmatch_lines(["words of 5 letters (longer) *0.000*failed"])
    assert cases(pytester)["length-5"]["errors"]["too short"] == 32 * 18
    aggregates = {
        (a["statistic"], a["group"]): a["verdict"]
        for a in json.loads((pytester.path / "r.json").read_text())["aggregates"]
    }
    assert aggregates == {
        ("mean", ""): "failed",
        ("worst", ""): "failed",
        ("mean", "shorter"): "passed",
        ("mean", "between"): "passed",
        ("mean", "longer"): "failed",
    }


def test_letters_without_blanks_need_a_length(suite):
    result = suite("readers:without_length", "-k", "B5")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["genbench: factor.letter_1 has 2 classes*offer factor.length (N, 5)."])


def test_both_ways_at_once(suite, pytester):
    with (pytester.path / "readers.py").open("a") as file:
        file.write(
            "\n\ndef both():\n    read = perfect()\n"
            "    model = lambda images: {**read(images), 'reconstruction': images * 0}\n"
            "    model.genbench = {**read.genbench, 'code_size': '1'}\n    return model\n"
        )
    result = suite("readers:both", "-k", "B5")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*recognition: word accuracy", "*1.000*passed", "*reconstruction: target probability*", "*0.000*failed"]
    )


def test_your_own_letters_in_a_plain_file(pytester, monkeypatch):
    pytester.makepyfile(
        test_letters="""
        import numpy as np
        import pytest
        from pytest_genbench.benchmarks.comporth import CompOrth

        HX = CompOrth("mini", letters="HX", max_length=3)

        @pytest.mark.genbench(benchmark=HX, family="compositional")
        def test_letters(split, genbench):
            genbench.passes()

        def guesses():
            def model(images):
                return {f"factor.letter_{k}": np.zeros((len(images), 3), np.float32) for k in (1, 2, 3)}
            return model
        """
    )
    args = ["--genbench-model=test_letters:guesses", "--genbench-contract=range=0,1"]
    result = run_pytest(pytester, monkeypatch, args, own_process=True)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["comporth (mini-*), compositional, recognition: word accuracy", "X at position 3 *0.000*failed"]
    )
