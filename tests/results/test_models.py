"""Several models side by side: mean scores, the Pareto front, and MIR against accuracy."""

from __future__ import annotations

from dataclasses import replace

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


def text_of(*arguments, **more):
    return compare_models(*arguments, **more)[0]


def rows(text):
    return {line.split("  ")[0]: line.split() for line in text.splitlines()}


def test_means_stand_side_by_side(three):
    found = rows(text_of(three).split("\n\n")[0])
    assert found["mean score"][-3:] == ["a.onnx", "b.onnx", "c.onnx"]
    title = "comporth (mini) compositional, reconstruction: target probability"
    assert found[title][-3:] == ["0.500", "0.350", "0.900"]


def block(text, start):
    """The block of lines that begins with a line that starts so."""
    return next(found.splitlines() for found in text.split("\n\n") if found.startswith(start))


def test_differences_stand_by_model(three):
    lines = block(text_of(three), "b.onnx, compared with a.onnx")
    assert lines[1].split() == ["difference", "value", "95", "%", "interval", "over"]
    title = "comporth (mini) compositional, reconstruction: target probability"
    # +0.4 and -0.7: without clusters the splits alone are resampled.
    row = next(line for line in lines if line.startswith(title))
    assert row[len(title) :].split("  ", 1)[1].split() == [
        "-0.1500",
        "-0.7000",
        "to",
        "+0.4000",
        "2",
        "splits",
        "within",
        "chance",
    ]
    lines = block(text_of(three, against="b.onnx"), "a.onnx, compared with b.onnx")
    assert "+0.1500" in next(line for line in lines if line.startswith(title))
    assert block(text_of(three, against=str(three[1])), "a.onnx, compared with b.onnx") == lines
    assert "* better" in text_of(three)


def test_ranks_stand_by_suite(three):
    lines = block(text_of(three), "rank by suite")
    assert lines[0].split() == ["rank", "by", "suite", "a.onnx", "b.onnx", "c.onnx", "splits", "of", "all"]
    title = "comporth (mini) compositional, reconstruction: target probability"
    row = next(line for line in lines if line.startswith(title))
    # Means 0.5, 0.35, 0.9: a is 0.8 and 0.0 below c.
    assert row[len(title) :].split() == ["1", "=", "2", "2", "=", "3", "1", "2"]
    assert lines[-2].split() == ["mean", "rank", "2.00", "(2)", "2.00", "(2)", "2.00", "(2)"]


def test_the_front_is_of_loss_and_mir(three):
    lines = block(text_of(three), "model  ")
    assert [line.split()[-1] for line in lines[1:]] == ["yes", "yes", "no"]
    assert lines[1].split()[1:3] == ["15.00", "0.125"]


def test_correlation_is_over_the_models_on_the_front(three):
    last = block(text_of(three), "MIR (letters)")[0]
    assert "4 pairs of the models on the front" in last
    # Pairs (.2, .1), (.3, .9), (.6, .5), (.8, .2): -.0575 / sqrt(.2275 * .3875).
    assert "Pearson -0.19 (p = 0.81)" in last
    assert "published: 0.13" in last


def test_too_few_pairs_are_said_to_be_too_few(tmp_path):
    two = [document(tmp_path / f"{n}.json", n, (0.2,), (10,), (0.1,)) for n in "ab"]
    assert "no correlation" in text_of(two)


def toy(path, spec, value=0.5, **changes):
    clusters = {"p": (1, value), "q": (1, value)}
    where = {"benchmark": "toy", "version": "1", "preset": "p", "family": "f", "split": "s", "output": "reconstruction"}
    case = Case(**{**where, **changes}, scores=(Score("accuracy", value, 2, 2, clusters=clusters),))
    io.write(path, Document(cases=(case,), model={"spec": spec}))
    return path


def test_code_sizes_stand_beside_scores(tmp_path):
    size = {"code_size": {"kind": "verified", "numbers": 4096, "reason": ""}}
    paths = [toy(tmp_path / "a.json", "a", model=size), toy(tmp_path / "b.json", "b", 0.25)]
    assert block(text_of(paths), "code size of")[1].split()[:3] == ["a", "4,096", "0.500"]


def test_the_same_model_twice_is_told_apart_by_its_files(tmp_path):
    paths = [document(tmp_path / f"{n}.json", "m.onnx", (0.2, 0.3), (1, 2), (0.5, 0.6)) for n in "ab"]
    text = text_of(paths)
    assert all(f"m.onnx ({path})" in text.splitlines()[0] for path in paths)
    assert f"m.onnx is there 2 times: {paths[0]}, {paths[1]}." in text
    with pytest.raises(DocumentError, match=r"could be m.onnx \(.*a.json\) or .*; name the file"):
        compare_models(paths, against="m.onnx")


def test_budgets_tell_models_apart(tmp_path):
    paths = []
    for budget in ("quick", "paper"):
        paths.append(toy(tmp_path / f"{budget}.json", "reference:x"))
        found = io.read(paths[-1])
        io.write(paths[-1], replace(found, model={"spec": "reference:x", "budget": budget}))
    assert text_of(paths).splitlines()[0].endswith("reference:x, budget quick  reference:x, budget paper")


def test_a_file_that_is_listed_twice_counts_once(three):
    a, b, _ = three
    text = text_of([a, b, a])
    assert text.splitlines()[0].split()[-2:] == ["a.onnx", "b.onnx"]
    assert f"{a} is listed 2 times; it counts once." in text
    with pytest.raises(DocumentError, match=r"two documents or more. .*a.json is listed 2 times"):
        compare_models([a, a])


def test_empty_documents_and_strangers(tmp_path, three, capsys):
    io.write(tmp_path / "empty.json", Document(model={"spec": "e.onnx"}))
    assert "e.onnx: no scores, so it is left out." in text_of([*three, tmp_path / "empty.json"])
    toy(tmp_path / "toy.json", "toy.onnx")
    text, status = compare_models([three[0], tmp_path / "toy.json"])
    assert status == 2
    assert "toy.onnx has no kind of score in common with a.onnx." in text
    assert text.splitlines()[-1].startswith("nothing was comparable")


def test_whom_to_hold_others_against_has_to_be_there(three):
    with pytest.raises(
        DocumentError, match=r"--against d\.onnx: none of these models or files is called that\. Did you mean"
    ):
        compare_models(three, against="d.onnx")


HOSTILE = "<script>|`[x](y)`\x1b[31m\n# m"


def test_hostile_names(tmp_path):
    paths = [toy(tmp_path / "a.json", HOSTILE), toy(tmp_path / "b.json", "b", 0.25)]
    page, text = text_of(paths, markdown=True), text_of(paths)
    assert "\x1b" not in page + text
    assert "<script>" not in page
    assert "&lt;script&gt;\\|'\\[x\\](y)'" in page
    assert not any(line.startswith("# m") for line in (page + text).splitlines())
    lines = [line for line in page.splitlines() if line.startswith("| mean score")]
    assert len(lines) == 1


def test_markdown(three):
    lines = text_of(three, markdown=True).splitlines()
    assert lines[0].startswith("| mean score |")
    assert lines[1].count("|") == lines[0].count("|")
    assert "### b.onnx, compared with a.onnx" in lines


def test_command(three, capsys, tmp_path):
    assert main(["compare", *map(str, three)]) == 0
    assert "Pareto" in capsys.readouterr().out
    assert main(["compare", str(three[0]), "--models", str(three[1]), "--against", "b.onnx"]) == 0
    assert "a.onnx, compared with b.onnx" in capsys.readouterr().out
    assert main(["compare", str(three[0]), str(tmp_path / "none.json"), str(three[1])]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert main(["compare", str(three[0])]) == 2
    assert "name a second document" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["compare", str(three[0]), str(three[1]), "--modles"])
    with pytest.raises(SystemExit, match="2"):
        main(["inspect", "m.onnx", "n.onnx"])


def test_one_model_is_no_comparison(three):
    with pytest.raises(DocumentError, match="two documents"):
        compare_models(three[:1])
