"""Several models side by side: mean scores, the Pareto front, and MIR against accuracy."""

from __future__ import annotations

import pytest

from pytest_genbench.cli import main
from pytest_genbench.errors import DocumentError
from pytest_genbench.results import io
from pytest_genbench.results.models import compare_models
from pytest_genbench.results.schema import Case, Document
from pytest_genbench.scores import Score


def document(path, spec, mir, loss, accuracy, *, seeds=(0,)):
    """A document of splits A1, A2, …: each has a MIR, a loss and an accuracy; None leaves the case out."""
    cases = []
    for at, (ratio, lost, right) in enumerate(zip(mir, loss, accuracy, strict=True), 1):
        for seed in seeds:
            where = {"benchmark": "comporth", "version": "1", "preset": "mini", "family": "compositional"}
            where |= {"split": f"A{at}", "seed": seed}
            made = [
                Score("mir_letters", ratio, 9, 9, "all"),
                Score("mir_all", ratio / 2, 9, 9, "all"),
                Score("excess_bce", lost, 9, 9, "all", better="lower"),
            ]
            cases.append(Case(**where, output="disentanglement", scores=tuple(made)))
            if right is not None:
                cases.append(Case(**where, output="reconstruction", scores=(Score("target_probability", right, 9, 9),)))
    io.write(path, Document(cases=tuple(cases), model={"spec": spec}))
    return path


@pytest.fixture
def three(tmp_path):
    """The first is best in loss, the second in MIR, the third in neither."""
    return [
        document(tmp_path / "a.json", "a.onnx", (0.2, 0.3), (10, 20), (0.1, 0.9)),
        document(tmp_path / "b.json", "b.onnx", (0.6, 0.8), (40, 50), (0.5, 0.2)),
        document(tmp_path / "c.json", "c.onnx", (0.1, 0.1), (60, 70), (0.9, 0.9)),
    ]


def rows(text):
    return {line.split("  ")[0]: line.split() for line in text.splitlines()}


def test_means_stand_side_by_side(three):
    found = rows(compare_models(three))
    assert found["mean score"][-3:] == ["a.onnx", "b.onnx", "c.onnx"]
    title = "comporth (mini) compositional, reconstruction: target probability"
    assert found[title][-3:] == ["0.500", "0.350", "0.900"]


def test_the_front_is_of_loss_and_mir(three):
    text = compare_models(three).split("\n\n")[1]
    assert [line.split()[-1] for line in text.splitlines()[1:]] == ["yes", "yes", "no"]
    assert "15.00" in text
    assert "0.125" in text


def test_correlation_is_over_the_models_on_the_front(three):
    last = compare_models(three).split("\n\n")[2]
    assert "4 pairs of the models on the front" in last
    # Pairs (.2, .1), (.3, .9), (.6, .5), (.8, .2): -.0575 / sqrt(.2275 * .3875).
    assert "Pearson -0.19 (p = 0.81)" in last
    assert "published: 0.13" in last


def test_too_few_pairs_are_said_to_be_too_few(tmp_path):
    two = [document(tmp_path / f"{n}.json", n, (0.2,), (10,), (0.1,)) for n in "ab"]
    assert "no correlation" in compare_models(two)


def test_models_without_codes_have_their_means_alone(tmp_path):
    for name in "ab":
        case = Case("toy", "1", "p", "f", "s", "o", scores=(Score("accuracy", 0.5, 9, 9),))
        io.write(tmp_path / f"{name}.json", Document(cases=(case,), model={"spec": name}))
    text = compare_models([tmp_path / "a.json", tmp_path / "b.json"])
    assert "\n\n" not in text


def test_the_same_model_twice_is_told_apart_by_its_files(tmp_path):
    paths = [document(tmp_path / f"{n}.json", "m.onnx", (0.2, 0.3), (1, 2), (0.5, 0.6)) for n in "ab"]
    head = compare_models(paths).splitlines()[0]
    assert all(f"m.onnx ({path})" in head for path in paths)


def test_markdown(three):
    lines = compare_models(three, markdown=True).splitlines()
    assert lines[0].startswith("| mean score |")
    assert lines[1].count("|") == lines[0].count("|")


def test_command(three, capsys, tmp_path):
    assert main(["compare", *map(str, three)]) == 0
    assert "Pareto" in capsys.readouterr().out
    assert main(["compare", "--models", str(three[0]), str(three[1])]) == 0
    assert main(["compare", str(three[0]), str(tmp_path / "none.json"), str(three[1])]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_one_model_is_no_comparison(three):
    with pytest.raises(DocumentError, match="two documents"):
        compare_models(three[:1])
