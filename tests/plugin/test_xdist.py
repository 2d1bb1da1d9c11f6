"""Runs that are spread over processes find the same, lose nothing, and say when something is missing."""

import json
import sys

import pytest

pytest.importorskip("xdist")


def document(project, name):
    found = json.loads(project.path.joinpath(name).read_text())
    for case in found["cases"]:
        case["seconds"] = {}
    return {key: found[key] for key in ("cases", "aggregates", "expected")}


@pytest.mark.parametrize("mode", ["-n1", "-n2", "-n2 --dist=loadscope", "-n2 --dist=worksteal", "-n2 --dist=loadgroup"])
def test_every_mode_finds_the_same(run, project, mode):
    plain = run("--genbench-save=plain.json", model="models:half", own_process=True)
    spread = run("--genbench-save=spread.json", *mode.split(), model="models:half")
    assert plain.ret == spread.ret == 1
    assert plain.parseoutcomes() == spread.parseoutcomes()
    assert document(project, "plain.json") == document(project, "spread.json")
    spread.stdout.fnmatch_lines(["*model models:half*", "*brightness 3*1.000*passed", "genbench: 10 scores*"])


def test_properties_reach_junit(run, project):
    run("-n2", "--junitxml=out.xml")
    xml = project.path.joinpath("out.xml").read_text()
    assert xml.count('name="genbench.reconstruction.held-out.accuracy" value="1.0"') == 10


def test_each_split_stays_on_one_worker(run, project):
    project.makepyfile(
        test_toy="""
import os
import pytest
from toy import TOY

@pytest.mark.genbench(benchmark=TOY, family="brightness")
class TestBrightness:
    def test_first(self, split, genbench):
        self.note(split)
        genbench.passes()

    def test_second(self, split, genbench):
        self.note(split)

    def note(self, split):
        with open(f"{split}.txt", "a") as file:
            print(os.environ["PYTEST_XDIST_WORKER"], file=file)
"""
    )
    result = run("-n2")
    assert result.ret == 0
    workers = [set(path.read_text().split()) for path in project.path.glob("brightness-*.txt")]
    assert len(workers) == 10
    assert all(len(seen) == 1 for seen in workers)
    assert len(set.union(*workers)) == 2


def test_a_crash_keeps_what_was_finished_and_is_red(run, project):
    with project.path.joinpath("models.py").open("a") as file:
        file.write("\n@says(code_size='64')\ndef crashes(images):\n")
        file.write(
            "    if len(images) == 30 and images.max() == images.min() and abs(images.max() - 100 / 255) < 1e-3: os._exit(1)\n"
        )
        file.write("    return images\n")
    result = run("-n2", "--genbench-save=r.json", model="models:crashes")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*worker*crashed while running*brightness-4*", "*not evaluated (9 of 10 splits)*"])
    assert len(document(project, "r.json")["cases"]) == 9


def test_the_last_of_several_attempts_counts(run, project):
    pytest.importorskip("pytest_rerunfailures")
    with project.path.joinpath("models.py").open("a") as file:
        file.write("\n@says(code_size='64')\ndef flaky(images):\n")
        file.write("    four = len(images) == 30 and np.ptp(images) == 0 and abs(images.max() - 100 / 255) < 1e-3\n")
        # A score that is too low, then no result at all, then the right one.
        file.write("    if four:\n        with open('seen', 'a+') as file:\n            file.write('x')\n")
        file.write("        return images * (0, np.nan, 1)[os.path.getsize('seen') - 1]\n    return images\n")
    for extra in ((), ("-n2",)):
        project.path.joinpath("seen").unlink(missing_ok=True)
        result = run("--reruns=2", *extra, model="models:flaky")
        assert result.ret == 0, extra
        assert result.parseoutcomes()["rerun"] == 2
        result.stdout.fnmatch_lines(["genbench: 10 scores: 10 passed; aggregates: 1 passed"])


def test_a_numpy_scalar_fails_alike_with_and_without_workers(run, project):
    toy = project.path.joinpath("toy.py")
    toy.write_text(
        toy.read_text().replace('Anchor("chance", "accuracy", 0.1)', 'Anchor("chance", "accuracy", np.float64(0.1))')
    )
    for extra in ((), ("-n2",)):
        result = run(*extra)
        assert result.ret == 1, extra
        result.stdout.fnmatch_lines(["*anchors*float64*"])


def test_stopping_early_is_not_missing(run):
    result = run("-n2", "-x", model="models:bad")
    assert result.ret == 2 or result.ret == 1
    result.stdout.no_fnmatch_line("INCOMPLETE*")
    result.stdout.fnmatch_lines(["*not evaluated (* of 10 splits)*"])


def test_mistakes_are_usage_errors_on_workers_too(run, project):
    project.path.joinpath("wrong.toml").write_text('[[gate]]\nbenchmark = "toy"\nmetric = "acuracy"\nmin = 0.5\n')
    result = run("-n2", gates="wrong.toml")
    assert result.ret != 0
    text = result.stdout.str() + result.stderr.str()
    assert "Did you mean 'accuracy'" in text
    assert "INTERNALERROR" not in text
    result = run("-n2", model="models:god")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*Did you mean 'good'*"])


def test_shards_merge_to_the_whole(run, project):
    assert run("--genbench-save=whole.json").ret == 0
    for part in (1, 2, 3):
        result = run(f"--genbench-shard={part}/3", f"--genbench-save={part}.json", "-n2" if part == 2 else "-n0")
        assert result.ret == 0
        result.stdout.fnmatch_lines(["*not evaluated (* of 10 splits)*"])
    genbench = (sys.executable, "-m", "pytest_genbench.cli")
    merge = project.run(*genbench, "merge", "1.json", "2.json", "3.json", "--out=m.json", "--gates=gates.toml")
    assert merge.ret == 0
    whole, merged = document(project, "whole.json"), document(project, "m.json")
    assert whole == merged
    part = project.run(*genbench, "merge", "1.json", "2.json", "--out=n.json", "--gates=gates.toml")
    assert part.ret == 1
    part.stdout.fnmatch_lines(["*not evaluated (7 of 10 splits)*"])
    again = project.run(*genbench, "merge", "1.json", "--out=m.json")
    assert again.ret == 2
    again.stderr.fnmatch_lines(["*m.json exists already*"])
