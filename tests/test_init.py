"""``genbench init``: what it finds out, what it writes, and that nothing of anybody's is lost or misread."""

import json
import os
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_genbench import cli
from pytest_genbench.errors import ModelError, OptionError
from pytest_genbench.gates import load
from pytest_genbench.init import find, gates, workflow
from pytest_genbench.init.fit import fit, packages
from pytest_genbench.init.ini import Ini, read
from pytest_genbench.init.plan import Plan
from pytest_genbench.init.repository import installation, open_repository, own_source, python_version
from pytest_genbench.init.run import baseline
from pytest_genbench.init.words import lines, scalar, word
from pytest_genbench.models import ModelOptions
from pytest_genbench.results.io import read as read_document
from pytest_genbench.results.schema import AggregateResult, Document, GateResult

from .results.documents import case, score

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
CONV1D, MLP = (ROOT / "examples" / "comporth" / name for name in ("conv1d", "mlp"))
MINI = "[pytest]\ngenbench_preset = comporth=mini\n"


def git(folder, *arguments):
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *name, *arguments], check=True, capture_output=True)


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("PYTEST_ADDOPTS", "GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_genbench.plugin")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A git repository with a model that was trained for one split."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    for name in ("compositional-B5.onnx", "compositional-B5.decoder.onnx"):
        shutil.copy(MLP / name, folder)
    folder.joinpath("pytest.ini").write_text(MINI)
    monkeypatch.chdir(folder)
    return folder


def written(folder):
    """Texts of the files below a folder, by path."""
    found = (path for path in folder.rglob("*") if path.is_file() and not {".git", ".pytest_cache"} & set(path.parts))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


# Words and YAML


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12) | st.lists(
    st.sampled_from(
        ["${{", "}}", "'", '"', "$", "`", "\\", "\n", " ", "#", ": ", "é", "\x1b", "\u2028", "{split}", "-", "!"]
    ),
    min_size=1,
    max_size=6,
).map("".join)


@given(st.lists(names, min_size=1, max_size=6))
@example(["models/{split}.onnx", "a b'c\"d.onnx", "x${{ github.token }}", "two\nlines\x1b[31m"])
def test_a_shell_reads_the_words_that_were_meant(texts):
    command = "\n".join(lines(["printf", r"'%s\0'", *map(word, texts)], 40)).replace("\n", " ")
    assert command.isprintable()
    assert "${{" not in command
    found = subprocess.run(["bash", "-c", command], capture_output=True, check=True, env={"LC_ALL": "C"}).stdout
    assert found.decode().split("\0")[:-1] == texts


@given(names, names)
@example("main", "on")
def test_yaml_and_shell_give_the_model_as_it_is(model, branch):
    plan = Plan(f"{model}.onnx", ("compositional",), branch=branch, is_trained=True, is_code=True)
    on_github, on_gitlab = yaml.safe_load(workflow.github(plan)), yaml.safe_load(workflow.gitlab(plan))
    pattern = on_github[True]["push"]["branches"]  # YAML 1.1 takes the key "on" for true
    assert [each.replace("\\", "") for each in pattern] == [branch.replace("\\", "")]
    (step,) = (each for each in on_github["jobs"]["genbench"]["steps"] if each.get("name") == "Test")
    (script,) = on_gitlab["genbench"]["script"]
    assert step["run"] == " ".join(plan.test('"$GITHUB_STEP_SUMMARY"'))
    assert script == " ".join(plan.test())
    assert f"--genbench-model={word(f'{model}.onnx')} " in script
    assert "${{" not in step["run"]


@given(st.text(st.characters(codec="utf-8"), max_size=12))
@example("no")
@example("1e3")
def test_a_scalar_is_the_text(text):
    assert yaml.safe_load(f"[{scalar(text)}]") == [text]


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(UnicodeEncodeError):
        word("\udcff.onnx")


# Workflows


TYPICAL = Plan("models/{split}.onnx", ("compositional",), project="pip install -e .")


def test_the_examples_are_what_is_written():
    assert (ROOT / "examples/ci/github-actions.yml").read_text("utf-8") == workflow.github(TYPICAL)
    assert (ROOT / "examples/ci/gitlab-ci.yml").read_text("utf-8") == workflow.gitlab(TYPICAL)


def test_a_learner_is_cached_and_installed():
    plan = Plan("mylab.nets:SlotAE", ("compositional",), project="pip install -e .", is_code=True, needs_torch=True)
    plan = Plan(**{**vars(plan), "is_trained": True, "is_lfs": True})
    job = yaml.safe_load(workflow.github(plan))["jobs"]["genbench"]
    uses = [step.get("uses", "").partition("@")[0] for step in job["steps"]]
    assert uses.index("actions/cache/restore") < uses.index("actions/cache/save")
    keep = job["steps"][uses.index("actions/cache/save")]
    assert keep["if"] == "always()"
    assert keep["with"]["path"] == ".genbench-cache"
    assert "--genbench-cache=.genbench-cache" in workflow.github(plan)
    assert job["steps"][0]["with"] == {"lfs": True}
    install = next(step["run"] for step in job["steps"] if step.get("name") == "Install").splitlines()
    assert install == ["pip install -e .", "pip install 'pytest-genbench[torch,xdist]'"]
    on_gitlab = yaml.safe_load(workflow.gitlab(plan))["genbench"]
    assert on_gitlab["cache"]["paths"] == [".cache/pip", ".genbench-cache"]
    assert on_gitlab["before_script"] == install


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (None, ("", False)),
        ('{"url": "file:///home/someone/genbench", "dir_info": {"editable": true}}', ("", True)),
        (
            '{"url": "https://example.org/g.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}',
            ("git+https://example.org/g.git@ab12", False),
        ),
        ('{"url": "https://example.org/g-1-py3-none-any.whl", "archive_info": {}}', ("", False)),
    ],
)
def test_where_the_package_came_from(monkeypatch, written, expected):
    class Installed:
        def read_text(self, name):
            assert name == "direct_url.json"
            return written

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    assert own_source() == expected
    plan = Plan("m.onnx", (), source=expected[0])
    assert shlex.split(plan.install[-1])[-1] == "pytest-genbench[xdist]" + (f" @ {expected[0]}" if expected[0] else "")


def test_a_branch_is_no_pattern():
    """To GitHub a plus means "once or more often"."""
    found = yaml.safe_load(workflow.github(Plan("m.onnx", (), branch="c++/!next")))
    assert found[True]["push"]["branches"] == [r"c\+\+/\!next"]


def test_what_every_workflow_has():
    found = yaml.safe_load(workflow.github(TYPICAL))
    assert set(found) == {"name", True, "permissions", "concurrency", "jobs"}
    assert found["permissions"] == {"contents": "read"}
    assert found[True] == {"push": {"branches": ["main"]}, "pull_request": None}
    steps = found["jobs"]["genbench"]["steps"]
    assert [step.get("uses") for step in steps].count("actions/upload-artifact@v4") == 1
    assert steps[-1]["if"] == "always()"
    assert steps[-1]["with"]["path"].split() == ["genbench.html", "genbench-results.json", "genbench-junit.xml"]


# Gates


def test_gates_are_comments_that_are_the_shipped_gates(tmp_path):
    options = ModelOptions(spec="{split}.onnx", device="cpu", root=CONV1D)
    found = fit(options, Ini(), ["compositional", "disentanglement"])
    text = gates.text(found)
    path = tmp_path / "gates.toml"
    path.write_text(text)
    ours, shipped = load(path), load()
    assert (ours.gates, ours.aggregates) == (shipped.gates, shipped.aggregates)
    # Without the # that stands right before a word the file says the same in gates of its own.
    path.write_text("\n".join(line[1:] if line[:2] != "# " else line for line in text.splitlines() if line != "#"))
    ours = load(path)
    for own, there in ((ours.gates, shipped.gates), (ours.aggregates, shipped.aggregates)):
        added = own[: len(own) - len(there)]
        assert added
        said = [{**vars(gate), "reason": "", "where": ""} for gate in there]
        assert all({**vars(gate), "where": ""} in said for gate in added)
        assert {gate.benchmark for gate in added} == {"comporth"}
        assert {gate.output for gate in added} == {"reconstruction", "disentanglement"}


# Finding out


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a.onnx"], ["a.onnx"]),
        (["m/length-1.onnx", "m/length-2.onnx"], ["m/{split}.onnx"]),
        (["m/length-1/net.onnx", "m/length-2/net.onnx"], ["m/{split}/net.onnx"]),
        (["length-1/length-1.onnx", "length-2/length-2.onnx"], ["{split}/{split}.onnx"]),
        (["length-1.onnx"], ["length-1.onnx"]),
        (["length-1.onnx", "length-10.onnx"], ["length-1.onnx", "length-10.onnx"]),
        (["length-1.onnx", "length-1.decoder.onnx", "length-2.onnx", "length-2.decoder.onnx"], ["{split}.onnx"]),
        (["length-10.onnx", "length-20.onnx"], ["length-10.onnx", "length-20.onnx"]),
        (["length-1.onnx", "length-2.onnx", "other.onnx"], ["{split}.onnx", "other.onnx"]),
        (
            ["length-1-0.onnx", "length-1-1.onnx", "length-2-0.onnx", "length-2-1.onnx"],
            ["{split}-0.onnx", "{split}-1.onnx"],
        ),
        ([], []),
    ],
)
def test_files_that_differ_in_a_split_are_one_model(paths, found):
    assert list(find.models_of(paths, ["length-1", "length-2", "length"])) == found


def test_a_repository_is_found_from_within(project):
    shutil.copy(MLP / "compositional-B4.onnx", project / "other.onnx")
    for folder in ("node_modules", ".venv", "build", "sub"):
        (project / folder).mkdir()
        shutil.copy(MLP / "compositional-B4.onnx", project / folder)
    project.joinpath(".gitignore").write_text("other.onnx\n")
    project.joinpath(".gitattributes").write_text("*.onnx filter=lfs -text\n")
    found = open_repository(project / "sub")
    assert (found.root, found.has_git, found.branch, found.host, found.notes) == (project, True, "trunk", "", ())
    assert found.onnx_files() == ["compositional-B5.decoder.onnx", "compositional-B5.onnx", "sub/compositional-B4.onnx"]
    assert found.ignored(["other.onnx", "pytest.ini"]) == ["other.onnx"]
    assert found.is_lfs("compositional-B5.onnx")
    assert not found.is_lfs("pytest.ini")
    git(project, "remote", "add", "origin", "https://me:secret@gitlab.example.org/a/b.git")
    assert open_repository(project).host == "gitlab.example.org"
    git(project, "commit", "-q", "--allow-empty", "-m", "a")
    git(project, "checkout", "-q", "--detach")
    git(project, "branch", "-m", "trunk", "main")
    detached = open_repository(project)
    assert detached.branch == "main"
    assert "detached" in detached.notes[0]
    git(project, "update-ref", "refs/remotes/origin/develop", "HEAD")
    git(project, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    assert open_repository(project).branch == "develop"


@pytest.mark.parametrize("address", ["git@gitlab.com:a/b.git", "ssh://git@gitlab.com:22/a/b", "https://gitlab.com/a/b"])
def test_the_host_of_a_remote(project, address):
    git(project, "remote", "add", "upstream", address)
    assert open_repository(project).host == "gitlab.com"


def test_python_and_installation(tmp_path):
    assert installation(tmp_path) == ""
    tmp_path.joinpath("requirements.txt").write_text("numpy\n")
    assert installation(tmp_path) == "pip install -r requirements.txt"
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text("[tool.ruff]\nline-length = 100\n")
    assert installation(tmp_path) == "pip install -r requirements.txt"
    pyproject.write_text('[project]\nname = "a"\nrequires-python = "==3.13.*"\n')
    assert installation(tmp_path) == "pip install -e ."
    assert python_version(tmp_path)[0] == "3.13"
    tmp_path.joinpath(".python-version").write_text("3.12.4\n")
    assert python_version(tmp_path) == ("3.12", "said by .python-version")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\ngenbench_model = a.onnx\ngenbench_suite =\n    length\n    spatial\n"),
        ("setup.cfg", "[tool:pytest]\ngenbench_model = a.onnx\ngenbench_suite = length\n  spatial\n"),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\ngenbench_model = "a.onnx"\ngenbench_suite = ["length", "spatial"]\n',
        ),
        ("pyproject.toml", '[tool.pytest]\ngenbench_model = "a.onnx"\ngenbench_suite = ["length", "spatial"]\n'),
    ],
)
def test_the_configuration_of_pytest_is_read(tmp_path, name, text):
    tmp_path.joinpath("tox.ini").write_text("[tox]\n")
    tmp_path.joinpath(name).write_text(text)
    found = read(tmp_path)
    assert (found.name, found.text("model"), found.lines("suite")) == (name, "a.onnx", ["length", "spatial"])


def test_a_broken_configuration_is_named(tmp_path):
    tmp_path.joinpath("pyproject.toml").write_text("[tool\n")
    with pytest.raises(OptionError, match=r"pyproject\.toml: cannot be read as TOML"):
        read(tmp_path)


def test_suites_fit_what_a_model_offers():
    one = fit(ModelOptions(spec="compositional-B5.onnx", device="cpu", root=CONV1D), Ini(), packages())
    assert [(part.test.suite, part.tasks, part.splits, part.of) for part in one.parts] == [
        ("compositional", ("reconstruction",), 1, 10),
        ("disentanglement", ("disentanglement",), 1, 10),
    ]
    assert "comporth" in one.reasons["cvr"]
    assert not one.is_trained
    assert not one.needs_torch


# The command


def test_files_are_written_once(project, capsys):
    assert cli.main(["init", "--no-baseline"]) == 0
    first, said = written(project), capsys.readouterr().out
    assert {".github/workflows/genbench.yml", "genbench-gates.toml"} <= first.keys()
    assert "compositional-B5.onnx (the only .onnx file)" in said
    assert "branches: [trunk]" in first[".github/workflows/genbench.yml"].decode()
    assert "compositional-B5.decoder.onnx" in next(line for line in said.splitlines() if "git add" in line)
    project.joinpath("genbench-gates.toml").write_text("# mine\n")
    before = written(project)
    assert cli.main(["init", "--no-baseline"]) == 0
    assert written(project) == before
    said = capsys.readouterr().out
    assert "left alone genbench-gates.toml" in said
    assert "what .github/workflows/genbench.yml has to run" in said


def test_a_dry_run_writes_nothing(project, capsys):
    before = written(project)
    assert cli.main(["init", "--dry-run", "--ci", "gitlab"]) == 0
    said = capsys.readouterr().out
    assert written(project) == before
    assert "--- .gitlab-ci.yml\n# Written by genbench init" in said
    assert "--- genbench-baseline.json\nas written by: pytest --genbench-model=compositional-B5.onnx" in said


def test_a_folder_without_git(project, capsys):
    shutil.rmtree(project / ".git")
    assert cli.main(["init", "--no-baseline", "--suite", "disentanglement"]) == 0
    said = capsys.readouterr().out
    assert "note: there is no git repository here" in said
    files = ".github/workflows/genbench.yml genbench-baseline.json compositional-B5.decoder.onnx compositional-B5.onnx"
    assert f"git init\n  # give git what a build needs\n  git add genbench-gates.toml {files}\n" in said


def test_gitlab_is_included_where_there_is_a_configuration(project, capsys):
    project.joinpath(".gitlab-ci.yml").write_text("build:\n  script: make\n")
    arguments = ["init", "--no-baseline", "--suite", "compositional"]
    assert cli.main(arguments) == 0
    assert "add to .gitlab-ci.yml:\ninclude:\n  - local: .gitlab/genbench.yml\n" in capsys.readouterr().out
    assert project.joinpath(".gitlab-ci.yml").read_text() == "build:\n  script: make\n"
    included = yaml.safe_load(project.joinpath(".gitlab/genbench.yml").read_text())
    assert "--genbench-suite=compositional" in included["genbench"]["script"][0]
    project.joinpath(".gitlab-ci.yml").write_text("include:\n  - local: .gitlab/genbench.yml\n")
    cli.main(arguments)
    assert "add to .gitlab-ci.yml" not in capsys.readouterr().out


def test_what_cannot_be_found_out_is_said(project, capsys):
    shutil.copy(CONV1D / "compositional-A1.onnx", project / "second.onnx")
    assert cli.main(["init"]) == 2
    assert "2 models; pass --model with one of them: 'compositional-B5.onnx', 'second.onnx'" in capsys.readouterr().err
    for path in project.glob("*.onnx"):
        path.unlink()
    assert cli.main(["init"]) == 2
    assert "No model: there is no .onnx file" in capsys.readouterr().err
    project.joinpath("a{b}.onnx").touch()
    assert cli.main(["init"]) == 2
    assert "1 with braces" in capsys.readouterr().err
    assert cli.main(["init", "missing"]) == 2
    assert "missing is not there" in capsys.readouterr().err
    assert set(written(project)) == {"pytest.ini", "a{b}.onnx"}


def test_a_suite_or_model_that_does_not_fit(project, capsys):
    assert cli.main(["init", "--suite", "compositonal"]) == 2
    assert "No suite 'compositonal'. Did you mean 'compositional'?" in capsys.readouterr().err
    assert cli.main(["init", "--suite", "reasoning"]) == 2
    assert "takes part in no suite of reasoning:\n  cvr: the model declares genbench.benchmark = comporth" in (
        capsys.readouterr().err
    )
    outside = project.parent / "outside.onnx"
    shutil.copy(MLP / "compositional-B5.onnx", outside)
    assert cli.main(["init", "--model", "../outside.onnx"]) == 2
    assert "lies outside the repository" in capsys.readouterr().err


def test_a_path_starts_where_it_is_typed(project, monkeypatch):
    (project / "sub").mkdir()
    for name in ("compositional-B5.onnx", "compositional-B5.decoder.onnx"):
        shutil.move(project / name, project / "sub" / name)
    found = find.find_model(open_repository(project), Ini(), "compositional-B5.onnx", project / "sub")
    assert found.options.spec == "sub/compositional-B5.onnx"
    assert found.files == ("sub/compositional-B5.decoder.onnx", "sub/compositional-B5.onnx")


def test_a_file_that_was_not_fetched(project):
    project.joinpath("compositional-B5.onnx").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(ModelError, match="git lfs pull"):
        find.find_model(open_repository(project), Ini(), None, project)


def test_a_place_that_cannot_be_written_to(project, capsys):
    project.joinpath(".github").write_text("a file, where a folder has to be")
    assert cli.main(["init", "--no-baseline", "--ci", "github", "--suite", "disentanglement"]) == 2
    found = capsys.readouterr()
    assert "genbench.yml: cannot be written" in found.err
    assert "written before that: genbench-gates.toml" in found.out


def test_a_run_that_fails_leaves_no_baseline(project, capfd):
    project.joinpath("genbench-gates.toml").write_text("[[gate]]\nbenchmark = 'nothing'\n")
    assert cli.main(["init", "--suite", "compositional"]) == 1
    found = capfd.readouterr()
    assert "no baseline: pytest could not start" in found.out
    assert "wrote .github/workflows/genbench.yml" in found.out
    assert not project.joinpath("genbench-baseline.json").exists()


def test_an_interrupted_run_leaves_no_half_baseline(project, monkeypatch):
    class Interrupted:
        """A run that is interrupted, and saves what it has."""

        def __init__(self, command, cwd):
            self._path, self._waits = Path(cwd, "genbench-baseline.json"), 0

        def wait(self, timeout=None):
            self._waits += 1
            if self._waits == 1:
                raise KeyboardInterrupt
            self._path.write_text("{}")
            return 2

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        baseline(Plan("compositional-B5.onnx", ("compositional",)), project)
    assert not project.joinpath("genbench-baseline.json").exists()


def test_a_red_baseline_is_written_and_explained(project, capfd):
    """The model reads 13 % of the images it never saw; that is what later ones are held against."""
    assert cli.main(["init", "--suite", "compositional"]) == 0
    said = capfd.readouterr().out
    document = read_document(project / "genbench-baseline.json")
    assert [case.split for case in document.cases] == ["compositional-B5"]
    assert document.cases[0].verdict == "failed"
    assert "the baseline is red: 1 of 1 scores do not clear their gates." in said
    entry = gates.remedy(document)
    assert entry in said
    assert tomllib.loads(entry)["gate"][0] | {"reason": ""} == {
        "benchmark": "comporth",
        "family": "compositional",
        "output": "reconstruction",
        "metric": "target_probability",
        "against": "baseline",
        "reason": "",
    }


def test_what_is_red_is_held_to_the_baseline_alone():
    def red(verdict, against, **changes):
        return case(score(0.5), gates=(GateResult(verdict, against, "target_probability", "", 0.9),), **changes)

    document = Document(
        cases=(
            red("failed", "floor", family="spatial", split="a"),
            red("failed", "floor", family="spatial", split="b"),
            red("inconclusive", "floor", family="length"),
            red("passed", "floor", family="compositional"),
            red("failed", "baseline", family="interpolation"),
        ),
        aggregates=tuple(
            AggregateResult(
                "comporth", "published", "spatial", "reconstruction", "top1", "mean", group, 0.5, verdict, ""
            )
            for group, verdict in (("", "failed"), ("longer", "inconclusive"), ("x", "passed"), ("y", "not evaluated"))
        ),
    )
    found = tomllib.loads(gates.remedy(document))
    assert [(each["family"], each["against"]) for each in found["gate"]] == [
        ("length", "baseline"),
        ("spatial", "baseline"),
    ]
    assert [(each["family"], each.get("group", ""), each["against"]) for each in found["aggregate"]] == [
        ("spatial", "", "none"),
        ("spatial", "*", "none"),
    ]


@pytest.mark.slow
def test_the_steps_that_are_printed_work(tmp_path, capfd, monkeypatch):
    """Ten models, red at first; the remedy goes into the gates file, and the workflow's command is green."""
    project = tmp_path / "it's a project"
    shutil.copytree(MLP, project / "models")
    project.joinpath("pytest.ini").write_text(MINI)
    git(project, "init", "-q", "-b", "main")
    assert cli.main(["init", str(project), "--suite", "compositional"]) == 0
    said = capfd.readouterr().out
    with project.joinpath("genbench-gates.toml").open("a") as file:
        file.write("\n" + gates.remedy(read_document(project / "genbench-baseline.json")) + "\n")
    for line in said.partition("next:\n")[2].splitlines():
        if line.strip().startswith(("git add", "pytest", "genbench")):
            path = os.pathsep.join([str(Path(os.sys.executable).parent), os.environ["PATH"]])
            environment = {**os.environ, "PATH": path}
            done = subprocess.run(
                ["bash", "-c", line], cwd=project, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    job = yaml.safe_load(project.joinpath(".github/workflows/genbench.yml").read_text())["jobs"]["genbench"]
    command = next(step["run"] for step in job["steps"] if step.get("name") == "Test").replace("-n auto", "")
    environment |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    del environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"], environment["PYTEST_PLUGINS"]
    subprocess.run(["bash", "-e", "-c", command], cwd=project, env=environment, check=True, capture_output=True)
    assert "comporth" in tmp_path.joinpath("summary.md").read_text()
    left = {path.name for path in project.iterdir()}
    assert {"genbench.html", "genbench-results.json", "genbench-junit.xml"} <= left
    assert json.loads(project.joinpath("genbench-results.json").read_text())["cases"]
