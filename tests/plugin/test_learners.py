"""Learners under test: trained once per split, kept, found again; and what can go wrong."""

import json
from collections import Counter

import pytest

from tests.plugin.conftest import run_pytest

from .learners import LEARNERS


@pytest.fixture
def learn(project, run):
    """Run pytest with a learner of `nets.py`, with a cache of its own."""
    project.makepyfile(nets=LEARNERS)

    def learn(name, *args, **options):
        return run(f"--genbench-cache={project.path / 'kept'}", *args, model=f"nets:{name}", **options)

    return learn


@pytest.fixture
def trained(project):
    """Return the lines that trainings have written."""
    log = project.path / "trained.txt"
    return lambda: log.read_text().splitlines() if log.exists() else []


def trainings(project, name="r.json"):
    """How the models of a document were trained, by split."""
    document = json.loads(project.path.joinpath(name).read_text())
    return {case["split"]: case["model"]["training"] for case in document["cases"]}


def test_each_split_is_trained_once_and_found_again(project, learn, trained):
    result = learn("Good", "--genbench-save=r.json")
    result.assert_outcomes(passed=11)
    result.stdout.fnmatch_lines(
        ["genbench: model nets:Good: trained for each split (budget quick, seed 0), kept in *kept"]
    )
    result.stdout.fnmatch_lines(["models: 10 trained in * s (budget quick)"])
    assert Counter(line.split()[0] for line in trained()) == {f"brightness-{n}": 1 for n in range(10)}
    assert {(t["origin"], t["deterministic"], t["waited"]) for t in trainings(project).values()} == {
        ("trained", True, 0.0)
    }
    result = learn("Good", "--genbench-save=again.json")
    result.assert_outcomes(passed=11)
    result.stdout.fnmatch_lines(["models: 10 from the cache (budget quick)"])
    assert len(trained()) == 10
    assert {t["origin"] for t in trainings(project, "again.json").values()} == {"cache"}


def test_two_workers_train_each_split_once_and_nobody_waits(project, learn, trained):
    result = learn("Slow", "-n2", "--genbench-save=r.json")
    result.assert_outcomes(passed=11)
    lines = [line.split() for line in trained()]
    assert Counter(line[0] for line in lines) == {f"brightness-{n}": 1 for n in range(10)}
    assert len({line[3] for line in lines}) == 2, "one worker trained everything"
    assert {t["waited"] for t in trainings(project).values()} == {0.0}


def test_two_suites_share_the_model_of_a_split(project, learn, trained):
    project.makepyfile(test_second=project.path.joinpath("test_toy.py").read_text())
    learn("Slow", "-n2").assert_outcomes(passed=21)
    assert len(trained()) == 10


def test_seeds_are_trained_and_judged_together(project, learn, trained):
    result = learn("Good", "--genbench-seeds=2", "-k", "brightness-3", "--genbench-save=r.json")
    result.assert_outcomes(passed=1)
    assert [line.split()[:2] for line in trained()] == [["brightness-3", "0"], ["brightness-3", "1"]]
    assert len(json.loads(project.path.joinpath("r.json").read_text())["cases"]) == 2


def test_budgets_are_kept_apart(learn, trained):
    learn("Good", "-k", "brightness-3", "--genbench-budget=smoke").assert_outcomes(passed=1)
    learn("Good", "-k", "brightness-3").assert_outcomes(passed=1)
    assert [line.split()[2] for line in trained()] == ["smoke", "quick"]


def test_results_of_two_budgets_are_not_mixed(learn):
    learn("Good", "-k", "brightness-3", "--genbench-budget=smoke", "--genbench-save=r.json").assert_outcomes(passed=1)
    result = learn("Good", "-k", "brightness-4", "--genbench-save=r.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*holds results of nets:Good, budget smoke, not of nets:Good, budget quick*"])


def test_what_a_learner_made_is_not_exposed(project, learn):
    learn("Good", "--genbench-require-exposure", "--genbench-save=r.json").assert_outcomes(passed=11)
    case = json.loads(project.path.joinpath("r.json").read_text())["cases"][0]
    assert case["model"]["exposure"] == "not exposed"
    assert list(case["model"]["files"]) == ["model.pkl"]


def test_a_learner_that_learns_nothing_fails_its_tests(learn):
    learn("Bad").assert_outcomes(failed=10, passed=1)  # brightness 0 is black, and so is what it returns


def test_a_learner_keeps_its_model_itself(learn, trained):
    learn("Saved", "-k", "brightness-3").assert_outcomes(passed=1)
    learn("Saved", "-k", "brightness-3").assert_outcomes(passed=1)
    assert len(trained()) == 1


def test_changed_code_is_trained_again(project, learn, trained):
    learn("Good", "-k", "brightness-3")
    project.path.joinpath("nets.py").write_text(LEARNERS + "\n# a remark\n")
    learn("Good", "-k", "brightness-3", own_process=True)
    assert len(trained()) == 2


def test_changed_code_that_a_learner_imports_is_trained_again(project, learn, trained):
    project.makepyfile(parts="WIDTH = 1")
    project.path.joinpath("nets.py").write_text("import parts\n" + LEARNERS)
    for width in (1, 1, 2):
        project.makepyfile(parts=f"WIDTH = {width}")
        learn("Good", "-k", "brightness-3", own_process=True).assert_outcomes(passed=1)
    assert len(trained()) == 2


def test_the_hook_may_return_a_learner(project, run, trained):
    project.makepyfile(nets=LEARNERS)
    project.makeconftest("import nets\ndef pytest_genbench_model(config, split):\n    return nets.Good()\n")
    cache = f"--genbench-cache={project.path / 'kept'}"
    run(cache, model=None).assert_outcomes(passed=11)
    run(cache, model=None).assert_outcomes(passed=11)
    assert len(trained()) == 10


def test_the_learner_of_a_hook_may_have_several_seeds(project, run, trained):
    project.makepyfile(nets=LEARNERS)
    project.makeconftest("import nets\ndef pytest_genbench_model(config, split):\n    return nets.Good()\n")
    cache = f"--genbench-cache={project.path / 'kept'}"
    run(cache, "--genbench-seeds=2", "-k", "brightness-3", model=None).assert_outcomes(passed=1)
    assert [line.split()[1] for line in trained()] == ["0", "1"]


# What can go wrong.


def test_a_learner_that_raises_is_tried_once_for_all_tests_of_a_split(project, learn, trained):
    project.makepyfile(test_second=project.path.joinpath("test_toy.py").read_text())
    result = learn("Raises", "-k", "brightness-3")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*genbench: nets:Raises on toy/default/brightness-3 (seed 0) failed in training: ValueError: bad depth (nets.py:*)*"
        ]
    )
    result.stdout.fnmatch_lines(["*(It failed earlier in this run and was not tried again.)*"])
    assert trained() == ["brightness-3"]
    learn("Raises", "-k", "brightness-3 and toy")
    assert trained() == ["brightness-3"] * 2, "a new run tries again"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Nothing", "*(seed 0): fit returned None; return the trained model.*"),
        ("Closure", "*its model, a function, cannot be kept:*top level of a module*"),
        (
            "Fewer",
            "*says in its attribute outputs that it offers embedding, but the model it trained offers reconstruction*",
        ),
        ("Other", "*returned one output, but 2 are named: reconstruction, embedding.*"),
        ("Full", "*The disk is full while training in *kept. Free some space*"),
    ],
)
def test_a_learner_that_breaks_its_word(learn, name, said):
    result = learn(name, "-k", "brightness-3")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([said])


def test_a_learner_must_say_what_it_offers(learn):
    result = learn("Mute")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*nets:Mute has a method fit, but its attribute outputs is None: name what its models offer*"]
    )


def test_nothing_is_trained_for_a_test_it_cannot_take_part_in(learn):
    result = learn("Letters")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(skipped=10)
    result.stdout.fnmatch_lines(
        ["NOTHING EVALUATED: toy needs the output reconstruction; the learner offers factor.letter_1"]
    )


def test_a_learner_for_another_benchmark_is_skipped(learn, trained):
    learn("Named").assert_outcomes(skipped=10)
    assert trained() == []


def test_chance_that_is_not_seeded_is_reported(learn):
    result = learn("Loose", "-k", "brightness-3")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["NOT DETERMINISTIC: two trainings with the same seed began differently (brightness-3)*"]
    )
    learn("Loose", "-k", "brightness-3").stdout.fnmatch_lines(["NOT DETERMINISTIC:*"])  # also from the cache


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--genbench-budget=fast", "*--genbench-budget: no budget 'fast'.*"),
        ("--genbench-budget=standart", "*Did you mean 'standard'?*"),
        (
            "--genbench-model=reference:conv1d-autoencodr",
            "*no reference model 'conv1d-autoencodr'. Did you mean 'conv1d-autoencoder'*",
        ),
        ("--genbench-model=reference:mlp-autoencoder[code=32", "*lack their closing bracket*"),
        ("--genbench-model=reference:mlp-autoencoder[code]", "*'code' is no setting; write key=value*"),
        ("--genbench-model=reference:mlp-autoencoder[cod=32]", "*has no setting 'cod'. Did you mean 'code'?*"),
        (
            "--genbench-model=reference:mlp-autoencoder[code=many]",
            "*code takes a whole number, such as 32; got 'many'.*",
        ),
        (
            "--genbench-model=reference:shared-cell-autoencoder[shared=no]",
            "*shared takes true or false, such as True; got 'no'.*",
        ),
    ],
)
def test_wrong_options(run, option, said):
    if "[" in option and "]" in option:
        pytest.importorskip("torch")
    result = run(option, model="models:good" if "budget" in option else None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_weights_do_not_go_with_a_learner(project, learn):
    project.path.joinpath("w.pt").write_bytes(b"")
    result = learn("Good", "--genbench-weights=w.pt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--genbench-weights fit a PyTorch module; nets:Good gives a learner, which is trained.*"]
    )


def test_several_seeds_need_a_learner_or_a_place_for_one(run):
    result = run("--genbench-seeds=2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--genbench-seeds=2 needs a learner, which is trained with each seed, or a model path*"]
    )


def test_a_cache_of_another_version_is_set_aside_not_lost(project, learn, trained):
    learn("Good", "-k", "brightness-3")
    [about] = project.path.joinpath("kept").rglob("entry.json")
    plain = json.loads(about.read_text())
    about.write_text(json.dumps(plain | {"format": 99, "made_by": "9.9"}))
    result = learn("Good", "-k", "brightness-3")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*was not used (written by pytest-genbench 9.9 in another format); in the cache it is now *.set-aside-1"]
    )
    assert len(trained()) == 2
    assert (
        json.loads(about.parent.with_name(about.parent.name + ".set-aside-1").joinpath("entry.json").read_text())[
            "format"
        ]
        == 99
    )


@pytest.mark.parametrize("damage", ["model", "entry"])
def test_a_damaged_model_is_trained_again(project, learn, trained, damage):
    learn("Good", "-k", "brightness-3")
    [file] = project.path.joinpath("kept").rglob("model.pkl" if damage == "model" else "entry.json")
    file.write_bytes(b"half")
    result = learn("Good", "-k", "brightness-3")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*was not used (*"])
    assert len(trained()) == 2


def test_a_cache_that_cannot_be_written_is_one_line(project, learn):
    project.path.joinpath("kept").write_text("a file")
    result = learn("Good", "-k", "brightness-3")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["genbench: * while making room for a trained model in *kept. Make the folder writable*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize("stop", ["interrupt", "kill"])
def test_what_was_trained_before_a_stop_is_gone_on_from(project, learn, trained, monkeypatch, stop):
    workers = ["-n2"] if stop == "kill" else []
    monkeypatch.setenv("STOP", stop)
    result = learn("Steps", *workers, "-k", "brightness-2 or brightness-3", own_process=True)
    assert result.ret != 0
    if stop == "interrupt":
        result.stdout.fnmatch_lines(["INTERRUPTED: the same command goes on from where trainings are"])
    monkeypatch.delenv("STOP")
    learn("Steps", "-k", "brightness-2 or brightness-3", own_process=True).assert_outcomes(passed=2)
    steps = Counter(trained())
    assert steps == {f"brightness-{n} {step}": 1 for n in (2, 3) for step in range(10)}, (
        "steps were lost, or done twice"
    )


def test_a_reference_model_without_torch_is_tested_where_weights_are_recorded(pytester, monkeypatch):
    pytester.makepyfile(
        without="""
        import sys

        class Without:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "torch":
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        sys.meta_path.insert(0, Without())
        """
    )
    options = ("--genbench-model=reference:conv1d-autoencoder", "--genbench-samples=64", "-p", "without")
    result = run_pytest(
        pytester, monkeypatch, [*options, "--genbench-suite=compositional", "-k", "B5 or A1 or shape-n1000"], True
    )
    outcomes = result.parseoutcomes()
    assert not {"error", "errors", "failed"} & outcomes.keys()
    assert outcomes["passed"] >= 2
    found = run_pytest(pytester, monkeypatch, [*options, "--genbench-suite=reasoning", "-k", "shape-n1000"], True)
    assert found.ret == 1
    found.stdout.fnmatch_lines(["NOTHING EVALUATED: *has to be trained, which needs torch: pip install*"])
