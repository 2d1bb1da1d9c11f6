"""From model to exit status: what passes, fails, is skipped, and what must never be green."""

import json

import pytest

from pytest_genbench.results.io import read as read_document


def test_a_good_model_passes(run):
    result = run()
    result.assert_outcomes(passed=11)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*model models:good: *", "toy (default), brightness, reconstruction: accuracy", "brightness 3 *1.000*passed"]
    )


def test_a_bad_model_fails_with_a_reason_and_no_traceback(run):
    result = run(model="models:bad")
    assert result.ret == 1
    # A black image is right for brightness 0.
    result.assert_outcomes(passed=1, failed=10)
    result.stdout.fnmatch_lines(
        ["*brightness-4 (brightness 4), reconstruction: failed", "*expected >= 0.9, got 0.0000*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_unknown_code_size_is_inconclusive_and_not_green(run):
    result = run(model="models:unbounded")
    assert result.ret == 1
    result.assert_outcomes(failed=11)
    result.stdout.fnmatch_lines(["inconclusive: brightness-0 (code size unknown*"])
    assert run("--genbench-allow-unbounded", model="models:unbounded").ret == 0


def test_exposure_skips_all_but_the_declared_split(run):
    result = run("-rs", model="models:trained")
    assert result.ret == 0
    result.assert_outcomes(passed=1, skipped=9)
    result.stdout.fnmatch_lines(
        ["skipped: *9*exposed: the model was trained on toy/default/brightness-3*".replace("9", "6 more")]
    )
    result.stdout.fnmatch_lines(["*not evaluated (1 of 10 splits)*"])


def test_a_run_without_any_evaluation_is_not_green(run):
    result = run("-k", "brightness-4", model="models:trained")
    assert result.ret == 1
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["NOTHING EVALUATED: exposed:*"])


def test_a_document_says_what_became_of_each_test(run, project):
    # Nothing for brightness 4, a black image for brightness 5; what it declares lacks the range.
    with project.path.joinpath("models.py").open("a") as file:
        file.write(
            "\ndef function(images):\n"
            "    is_one = (images == images.flat[0]).all()\n"
            "    return images * {100: np.nan, 125: 0}.get(round(float(images.flat[0]) * 255) if is_one else 0, 1)\n"
            "function.genbench = {'outputs': 'output=reconstruction', 'benchmark': 'toy', 'code_size': '64'}\n"
            "breaks = lambda: function\n"
        )
    run("--genbench-save=r.json", model="models:trained")
    found = read_document(project.path / "r.json")
    exposed = "exposed: the model was trained on toy/default/brightness-3"
    assert found.skipped == {f"toy/brightness/brightness-{n}": exposed for n in range(10) if n != 3}
    assert found.broken == {}
    (case,) = found.cases
    assert {"model", "metrics"} <= set(case.seconds) <= {"render", "model", "metrics"}
    tests = project.path.joinpath("test_toy.py")
    tests.write_text(tests.read_text().replace('family="brightness"', 'family="brightness", needs="reconstruction"'))
    run("--genbench-save=b.json", model="models:breaks")
    found = read_document(project.path / "b.json")
    assert found.skipped == {}
    ((name, reason),) = found.broken.items()
    assert name == "toy/brightness/brightness-4 reconstruction"
    assert "NaN or infinite for 30 of 30 images" in reason
    assert [case.split for case in found.cases] == [f"brightness-{n}" for n in range(10) if n != 4]
    assert [case.split for case in found.cases if case.verdict == "failed"] == ["brightness-5"]
    assert any(note.startswith("pixel range not declared") for note in found.notes)


def test_required_exposure(run):
    result = run("--genbench-require-exposure")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["NOTHING EVALUATED: exposure: the model does not declare genbench.trained_on*"])


def test_a_missing_output_is_skipped_and_not_green(run, project):
    with project.path.joinpath("models.py").open("a") as file:
        file.write("\ndef embeds():\n    f = lambda images: images.reshape(len(images), -1)\n")
        file.write("    f.genbench = {'outputs': 'output=embedding', 'range': '0,1'}\n    return f\n")
    result = run(model="models:embeds")
    assert result.ret == 1
    result.assert_outcomes(skipped=10)
    result.stdout.fnmatch_lines(["NOTHING EVALUATED: toy needs the output reconstruction; the model offers embedding*"])


def test_a_model_for_another_benchmark_is_skipped(run, project):
    project.path.joinpath("models.py").write_text(
        "def other():\n    f = lambda images: images\n"
        "    f.genbench = {'outputs': 'output=reconstruction', 'benchmark': 'comporth'}\n    return f\n"
    )
    result = run(model="models:other")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["NOTHING EVALUATED: the model is for another benchmark*comporth*"])


def test_suites_without_a_model_are_a_usage_error(run):
    result = run(model=None)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*no model to test; give --genbench-model=*"])
    assert run("--co", model=None).ret == 0


def test_aggregates_are_tests_of_their_own(run, project):
    result = run("--junitxml=out.xml", "-v", model="models:dims")
    # Nine of ten splits pass; the mean, 0.9, does too.
    assert result.ret == 1
    result.assert_outcomes(passed=10, failed=1)
    result.stdout.fnmatch_lines(["*genbench::toy::default::brightness::reconstruction::mean PASSED*"])
    xml = project.path.joinpath("out.xml").read_text()
    assert 'classname="genbench.toy.default.brightness.reconstruction" name="mean"' in xml
    assert 'name="genbench.reconstruction.held-out.accuracy" value="1.0"' in xml
    assert 'name="genbench.reconstruction.verdict" value="passed"' in xml


@pytest.mark.parametrize("selection", [("-k", "brightness-1"), ("-x",)])
def test_aggregates_of_a_part_are_not_evaluated(run, selection):
    result = run(*selection, model="models:half")
    result.stdout.fnmatch_lines(["*not evaluated (* of 10 splits)*"])
    result.stdout.no_fnmatch_line("*reconstruction::mean*")


def test_saving_a_part_updates_and_deletes_nothing(run, project):
    assert run("--genbench-save=r.json").ret == 0
    before = json.loads(project.path.joinpath("r.json").read_text())
    run("--genbench-save=r.json", "-k", "brightness-2")
    after = json.loads(project.path.joinpath("r.json").read_text())
    assert len(before["cases"]) == len(after["cases"]) == 10


def test_the_same_model_twice_is_never_red(run):
    run("--genbench-save=r.json", model="models:half")
    result = run("--genbench-baseline=r.json", "--genbench-gates=base.toml", model="models:half", gates=None)
    assert result.ret == 4  # base.toml does not exist
    result.stderr.fnmatch_lines(["*base.toml*"])


@pytest.fixture
def against_baseline(project):
    text = project.path.joinpath("gates.toml").read_text().replace('"both"', '"baseline"')
    project.path.joinpath("baseline.toml").write_text(text.partition("[[aggregate]]")[0])
    return "baseline.toml"


def test_against_a_baseline(run, project, against_baseline):
    run("--genbench-save=half.json", model="models:half")
    same = run("--genbench-baseline=half.json", model="models:half", gates=against_baseline)
    assert same.ret == 0
    same.assert_outcomes(passed=10)
    better = run("--genbench-baseline=half.json", model="models:dims", gates=against_baseline)
    assert better.ret == 0
    options = ("--genbench-baseline=half.json", "--genbench-report=out.html")
    worse = run(*options, model="models:bad", gates=against_baseline)
    assert worse.ret == 1
    worse.assert_outcomes(passed=5, failed=5)
    worse.stdout.fnmatch_lines(["*baseline 1.0000, got 0.0000*regressed*"])
    page = project.path.joinpath("out.html").read_text("utf-8")
    assert page.count("<td>1.000</td><td>-1.000</td>") == 5


def test_a_missing_baseline_is_said_or_refused(run):
    result = run("--genbench-baseline=none.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["BASELINE MISSING: *none.json does not exist*floors only*"])
    result = run("--genbench-baseline=none.json", "--genbench-require-baseline")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*none.json*"])


def test_a_baseline_of_another_preset_is_not_comparable(run, project):
    run("--genbench-save=r.json")
    text = project.path.joinpath("test_toy.py").read_text()
    project.path.joinpath("test_toy.py").write_text(text.replace("import TOY", "import Toy; TOY = Toy('other')"))
    result = run("--genbench-baseline=r.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["not comparable: brightness-0*preset*", "NOTHING EVALUATED*"])


def test_the_summary_in_markdown(run, project):
    run("--genbench-summary=s.md", model="models:half")
    run("--genbench-summary=s.md")
    text = project.path.joinpath("s.md").read_text()
    assert text.count("## genbench") == 2
    assert "| brightness 0 | 30 | 1.000 |" in text


def test_the_ini_file_does_what_options_do(run, project):
    project.makeini(
        "[pytest]\ngenbench_model = models:good\ngenbench_gates = gates.toml\ngenbench_samples = all\n"
        "genbench_require_exposure = false\n"
    )
    assert run(model=None, gates=None).ret == 0
    assert run(model="models:bad", gates=None).ret == 1


def test_the_hook_brings_a_model(run, project):
    project.makeconftest(
        "import models\n"
        "def pytest_genbench_model(config, split):\n"
        "    return models.good() if split.slug != 'brightness-7' else 'models:bad'\n"
    )
    result = run(model=None)
    result.assert_outcomes(passed=10, failed=1)
    result.stdout.fnmatch_lines(["*brought by the hook*"])


def test_a_sample_has_an_interval_and_is_the_same_every_time(run, project):
    for name in "ab":
        result = run("--genbench-samples=10", f"--genbench-save={name}.json", model="models:dims")
    result.stdout.fnmatch_lines(["*95 % interval*", "brightness 2 *0.722 to 1.000*"])
    first, second = (json.loads(project.path.joinpath(f"{name}.json").read_text())["cases"] for name in "ab")
    for case in first + second:
        case["seconds"] = {}
    assert first == second


def test_seeds_give_an_interval_over_seeds(run, project):
    builders = pytest.importorskip("tests.models.builders")
    text = project.path.joinpath("test_toy.py").read_text()
    assert "TOY" in text
    for seed in range(3):
        metadata = {"genbench.code_size": "64", "genbench.range": "0,1"}
        builders.identity(project.path / f"m-{seed}.onnx", metadata=metadata)
    result = run("--genbench-seeds=3", "--genbench-save=r.json", model="m-{seed}.onnx")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["held out * seed *", "brightness 4 * 2 *1.000*passed"])
    cases = json.loads(project.path.joinpath("r.json").read_text())["cases"]
    assert sorted({case["seed"] for case in cases}) == [0, 1, 2]
    assert "3 seeds" in cases[0]["reason"]


def test_a_model_is_loaded_once(run, project):
    with project.path.joinpath("models.py").open("a") as file:
        file.write("\ndef counted():\n    open('loads.txt', 'a').write('x')\n    return good()\n")
    assert run(model="models:counted").ret == 0
    assert project.path.joinpath("loads.txt").read_text() == "x"


def test_an_interrupted_run_keeps_what_it_found(run, project):
    with project.path.joinpath("models.py").open("a") as file:
        file.write("\n@says(code_size='64')\ndef interrupted(images):\n")
        file.write(
            "    if len(images) == 30 and images.min() > 0.35:\n        raise KeyboardInterrupt\n    return images\n"
        )
    result = run("--genbench-save=r.json", "--genbench-report=r.html", model="models:interrupted", own_process=True)
    assert result.ret == 2
    result.stdout.fnmatch_lines(
        ["*not evaluated (4 of 10 splits)*", "INTERRUPTED: the run was stopped *", "saved 4 cases to *"]
    )
    assert 'class="verdict not-passed"' in project.path.joinpath("r.html").read_text("utf-8")
    assert len(json.loads(project.path.joinpath("r.json").read_text())["cases"]) == 4


def test_a_foreign_test_beside_ours_runs_as_always(run, project):
    project.makepyfile(test_other="def test_other():\n    pass\n")
    result = run()
    result.assert_outcomes(passed=12)
    project.makeini("[pytest]\ngenbench_model = models:missing\n")
    alone = run("test_other.py", model=None, gates=None)
    assert alone.ret == 0
    alone.stdout.no_fnmatch_line("*genbench:*")


def test_a_typed_model_wins_over_the_hook(run, project):
    project.makeconftest("import models\ndef pytest_genbench_model(config, split):\n    return models.good()\n")
    result = run("--genbench-save=r.json", model="models:bad")
    assert result.ret == 1
    assert json.loads(project.path.joinpath("r.json").read_text())["model"]["spec"] == "models:bad"
    project.path.joinpath("r.json").unlink()
    assert run("--genbench-save=r.json", model=None).ret == 0
    assert "hook" in json.loads(project.path.joinpath("r.json").read_text())["model"]["spec"]


def test_results_of_two_models_are_not_mixed(run, project):
    run("--genbench-save=r.json")
    before = project.path.joinpath("r.json").read_text()
    result = run("--genbench-save=r.json", "-k", "brightness-3", model="models:bad")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: genbench: --genbench-save=*r.json holds results of models:good, not of models:bad;*"]
    )
    assert project.path.joinpath("r.json").read_text() == before


def test_a_changed_file_beside_kept_results_is_said(run, project):
    builders = pytest.importorskip("tests.models.builders")
    metadata = {"genbench.code_size": "64", "genbench.range": "0,1"}
    builders.identity(project.path / "m.onnx", metadata=metadata)
    run("--genbench-save=r.json", model="m.onnx")
    builders.identity(project.path / "m.onnx", metadata={**metadata, "genbench.code_size": "63"})
    part = run("--genbench-save=r.json", "-k", "brightness-3", model="m.onnx")
    part.stdout.fnmatch_lines(["MIXED: *m.onnx has changed between the runs*"])
    whole = run("--genbench-save=r.json", model="m.onnx")
    whole.stdout.no_fnmatch_line("MIXED*")
