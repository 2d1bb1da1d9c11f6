"""Exported training sets: what is in the folder, that it is whole or not there, and that it can be trained on without us."""

import csv
import errno
import hashlib
import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from pytest_genbench import cli, export
from pytest_genbench.benchmarks import get, registry
from pytest_genbench.benchmarks.cvr import Cvr, sets
from pytest_genbench.errors import BenchmarkError, OptionError
from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.splits import Split

from .plugin.toy import Toy

FILES = {"images.npy", "factors.csv", "manifest.json", "load.py"}
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="load.py needs torch")


@pytest.fixture(scope="module")
def mini():
    return get("comporth", "mini")


@pytest.fixture(scope="module")
def split(mini):
    return registry.find_split(mini, "compositional-B5")


@pytest.fixture(scope="module")
def exported(mini, split, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "b5"
    return out, export.export(mini, split, out)


class Sparse(Toy):
    """A benchmark whose items are every third point of the grid, as where a table does not cover the grid."""

    def images(self, index):
        return super().images(np.asarray(index) * 3)

    def levels(self, index):
        return self.grid.levels(np.asarray(index) * 3)

    def targets(self, index):
        levels = self.levels(index)
        return {
            "factor.brightness": levels[:, 0].astype(np.uint8),
            "factors": (levels / 30).astype(np.float32),
            "weights": levels[:, 1] / 30,
        }

    def splits(self, family):
        return (Split("toy", "default", family, "dark", "the dark half", lambda: np.arange(100) < 50),)


def labelled(values, name="label"):
    """A benchmark with one factor of these values and an image of one pixel for each."""
    grid = FactorGrid((Factor(name, tuple(values)),))
    benchmark = SimpleNamespace(
        name="labelled",
        version="1",
        preset="default",
        grid=grid,
        image_shape=(1, 1, 1),
        images=lambda index: np.asarray(index, dtype=np.uint8).reshape(-1, 1, 1, 1),
        levels=grid.levels,
    )
    return benchmark, Split("labelled", "default", "f", "all", "nothing", lambda: np.zeros(grid.size, dtype=bool))


def load(folder):
    """Import an export's load.py."""
    spec = spec_from_file_location("load", folder / "load.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(folder):
    with open(folder / "factors.csv", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_images_are_the_training_set_in_order(exported, mini, split):
    out, _ = exported
    assert {path.name for path in out.iterdir()} == FILES
    images = np.load(out / "images.npy", mmap_mode="r")
    assert isinstance(images, np.memmap)
    assert (images.dtype, images.shape) == (np.uint8, (828, 64, 64, 1))
    np.testing.assert_array_equal(images, mini.images(split.train))


def test_factors_are_the_values_and_the_right_answers(exported, mini, split):
    header, *rows = table(exported[0])
    assert header == ["index", "word", "x", "y", "spacing", *(f"factor.letter_{k}" for k in range(1, 6))]
    assert [int(row[0]) for row in rows] == split.train.tolist()
    for row in rows[::97]:
        levels = mini.levels(np.array([int(row[0])]))[0]
        assert row[1:5] == [str(factor.values[level]) for factor, level in zip(mini.grid.factors, levels, strict=True)]
        assert row[5:] == [{"A": "1", "B": "2"}.get(letter, "0") for letter in row[1].ljust(5)]
    assert not any(len(row[1]) == 5 and row[1].endswith("B") for row in rows)


def test_the_manifest_says_what_this_is(exported, mini, split):
    out, returned = exported
    text = (out / "manifest.json").read_text("utf-8")
    manifest = json.loads(text)
    assert manifest == returned
    assert text == json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    assert manifest["format"] == 1
    assert manifest["id"] == split.id == "comporth/mini/compositional-B5"
    assert manifest["counts"] == {"train": 828, "held_out": 288}
    assert manifest["image"] == {"shape": [64, 64, 1], "dtype": "uint8"}
    assert manifest["held_out"] == "B at position 5"
    assert (manifest["benchmark"], manifest["version"], manifest["preset"], manifest["split"]) == (
        "comporth",
        mini.version,
        "mini",
        "compositional-B5",
    )
    assert manifest["factors"][1] == {"name": "x", "kind": "ordinal", "values": [-1, 0, 1]}
    assert set(manifest["versions"]) == {"numpy", "pytest-genbench"}
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest


def test_the_same_export_gives_the_same_bytes_in_any_chunks(exported, mini, split, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(export, "_CHUNK_BYTES", 100 * 4096)
    monkeypatch.setattr(export, "_ROWS", 64)
    counted = SimpleNamespace(**{name: getattr(mini, name) for name in dir(mini) if not name.startswith("_")})
    counted.images = lambda index: asked.append(len(index)) or mini.images(index)
    seen = []
    export.export(counted, split, tmp_path / "again", lambda done, total: seen.append((done, total)))
    for name in FILES:
        assert (tmp_path / "again" / name).read_bytes() == (exported[0] / name).read_bytes(), name
    assert max(asked) == 100
    assert seen == [*((n, 828) for n in range(100, 828, 100)), (828, 828)]


def test_items_need_not_be_points_of_the_grid(tmp_path):
    toy = Sparse()
    (split,) = toy.splits("brightness")
    export.export(toy, split, tmp_path / "dark")
    header, *rows = table(tmp_path / "dark")
    assert header == ["index", "brightness", "copy", "factor.brightness"]
    assert rows[0] == ["50", "5", "0", "5"]
    assert rows[-1] == ["99", "9", "27", "9"]
    np.testing.assert_array_equal(np.load(tmp_path / "dark" / "images.npy"), toy.images(split.train))


@needs_torch
def test_the_loader_gives_images_levels_and_right_answers(exported, mini, split):
    import torch

    module = load(exported[0])
    data = module.TrainingSet()
    assert split.id == module.ID
    assert len(data) == 828
    image, levels, targets = data[700]
    item = split.train[700:701]
    assert (image.dtype, levels.dtype) == (torch.float32, torch.int64)
    assert image.is_contiguous()
    np.testing.assert_array_equal(image, mini.images(item)[0].transpose(2, 0, 1).astype(np.float32) / 255)
    np.testing.assert_array_equal(data.levels, mini.levels(split.train))
    np.testing.assert_array_equal(data.index, split.train)
    assert {name: int(target) for name, target in targets.items()} == {
        name: int(target[0]) for name, target in mini.targets(item).items()
    }
    images, levels, targets = next(iter(torch.utils.data.DataLoader(data, batch_size=3)))
    assert (images.shape, levels.shape, targets["factor.letter_1"].shape) == ((3, 1, 64, 64), (3, 4), (3,))
    assert len(list(data)) == 828


@needs_torch
def test_the_loader_says_what_is_there_and_needs_nothing_of_ours(exported, tmp_path):
    script = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__'); assert 'pytest_genbench' not in sys.modules"
    command = [sys.executable, "-W", "error", "-c", script, str(exported[0] / "load.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith(
        "comporth/mini/compositional-B5: 828 images float32 (1, 64, 64) in [0, 1]; factors: word, x"
    )


VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.sampled_from(["", " ", "1", "None"]),
    st.integers(-9, 9),
    st.floats(),
    st.booleans(),
    st.none(),
    st.integers(-9, 9).map(np.int16),
    st.floats(width=32).map(np.float32),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
)


@needs_torch
@given(values=st.lists(VALUES, min_size=1, max_size=8))
@example(values=["", " ", "a,b", 'say "a"', "two\nlines", "\r", "a\rb", "\n", "a\r\nb", "\r\n", "1", "None", "ü"])
@example(
    values=[1, 1.5, 1e300, float("nan"), float("inf"), True, None, np.int16(7), np.float32(0.1), np.str_("a"), (0, 1)]
)
def test_every_value_comes_back_as_its_level(values, tmp_path_factory):
    out = tmp_path_factory.mktemp("values") / "out"
    benchmark, split = labelled(values)
    texts = [str(value.item() if isinstance(value, np.generic) else value) for value in values]
    if len(set(texts)) < len(texts):
        with pytest.raises(BenchmarkError, match="two values that read"):
            export.export(benchmark, split, out)
        return
    export.export(benchmark, split, out)
    assert [row[1] for row in table(out)[1:]] == texts
    assert load(out).TrainingSet().levels[:, 0].tolist() == list(range(len(values)))


def test_columns_have_names_of_their_own(tmp_path):
    with pytest.raises(BenchmarkError, match="two columns called index"):
        export.export(*labelled([1, 2], name="index"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "images",
    [lambda index: np.zeros((len(index), 1, 1, 1)), lambda index: np.zeros((len(index), 2, 1, 1), dtype=np.uint8)],
)
def test_images_that_are_not_as_declared_are_refused(images, tmp_path):
    benchmark, split = labelled([1, 2])
    benchmark.images = images
    with pytest.raises(BenchmarkError, match=r"expected uint8 \(2, 1, 1, 1\)"):
        export.export(benchmark, split, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_split_without_a_training_set_is_refused(mini, tmp_path):
    everything = Split("comporth", "mini", "f", "all", "all", lambda: np.ones(mini.grid.size, dtype=bool))
    with pytest.raises(BenchmarkError, match="no training set"):
        export.export(mini, everything, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_folders_are_made_or_filled_and_never_overwritten(tmp_path):
    toy, bright = Toy(), Toy().splits("brightness")[3]
    empty = tmp_path / "empty"
    empty.mkdir()
    inode = empty.stat().st_ino
    for out in (empty, tmp_path / "a" / "b" / "c"):
        export.export(toy, bright, out)
        assert {path.name for path in out.iterdir()} == FILES
    assert empty.stat().st_ino == inode
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c"]
    before = (empty / "manifest.json").read_bytes()
    with pytest.raises(OptionError, match=r"is not empty \(factors.csv, images.npy, load.py, …\)"):
        export.export(toy, toy.splits("brightness")[4], empty)
    assert (empty / "manifest.json").read_bytes() == before
    with pytest.raises(OptionError, match="is a file"):
        export.export(toy, bright, empty / "load.py")
    with pytest.raises(OptionError, match=r"cannot be exported to \(Not a directory\)"):
        export.export(toy, bright, empty / "load.py" / "x")


def test_a_folder_that_appears_meanwhile_is_left_alone(tmp_path):
    benchmark, split = labelled([1, 2])
    render = benchmark.images

    def images(index):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine").touch()
        return render(index)

    benchmark.images = images
    with pytest.raises(OptionError, match="cannot be exported to"):
        export.export(benchmark, split, tmp_path / "out")
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["out", "out/mine"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_is_one_line_and_leaves_nothing(number, is_there, tmp_path, monkeypatch):
    def full(_):
        raise OSError(number, os.strerror(number))

    out = tmp_path / "new" / "out"
    if is_there:
        out.mkdir(parents=True)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OptionError, match=r"out: the disk is full\.[^\n]*$"):
        export.export(Toy(), Toy().splits("brightness")[3], out)
    left = [out.parent, out] if is_there else []
    assert list(tmp_path.rglob("*")) == left


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_write_that_the_system_stops_leaves_nothing(tmp_path):
    command = (
        f"ulimit -f 1000; exec {sys.executable} -m pytest_genbench.cli export comporth length-1 --preset mini --out out"
    )
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "genbench: out: cannot be exported to (File too large).\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(export, "_CHUNK_BYTES", 64 * 100)
    calls = []

    class Interrupted(Toy):
        def images(self, index):
            calls.append(sorted(path.name for path in tmp_path.glob("out.partial-*/*")))
            if len(calls) == 2:
                raise KeyboardInterrupt
            return super().images(index)

    monkeypatch.setattr(registry, "get", lambda *_: Interrupted())
    assert cli.main(["export", "toy", "brightness-3", "--out", str(tmp_path / "out")]) == 130
    assert calls == [["factors.csv", "images.npy"]] * 2
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err.endswith("genbench: interrupted\n")


@pytest.mark.parametrize("name", ["compositional-B5", "comporth/mini/compositional-B5"])
def test_the_command_takes_slugs_and_ids(name, exported, tmp_path, capsys):
    out = tmp_path / "b5"
    assert cli.main(["export", "comporth", name, "--preset", "mini", "--out", str(out)]) == 0
    assert (out / "images.npy").read_bytes() == (exported[0] / "images.npy").read_bytes()
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.splitlines()[-1] == 'genbench.trained_on = "comporth/mini/compositional-B5"'
    assert "828 images (64, 64, 1) uint8, 3.4 MB" in said.out
    assert "B at position 5: 288 images, not in this folder" in said.out
    assert f"python {out / 'load.py'}" in said.out


def test_the_preset_is_the_default_one_unless_given(tmp_path, capsys):
    assert cli.main(["export", "comporth", "length-5", "--out", str(tmp_path / "out")]) == 0
    assert 'trained_on = "comporth/published/length-5"' in capsys.readouterr().out
    assert np.load(tmp_path / "out" / "images.npy", mmap_mode="r").shape == (5760, 64, 64, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["comprth", "length-1"], "No benchmark 'comprth'. Did you mean 'comporth'?"),
        (["comporth", "lenght-1"], r"comporth \(published\) has no split 'lenght-1'. Did you mean 'length-1'"),
        (
            ["comporth", "comporth/mini/length-1"],
            r"\(published\) has no split 'comporth/mini/length-1'. Did you mean 'comporth/published/length-1'",
        ),
        (["comporth", "length-1", "--preset", "min"], "no preset 'min'. Did you mean 'mini'?"),
    ],
)
def test_names_that_do_not_exist_are_one_line_and_status_2(arguments, message, tmp_path, capsys):
    assert cli.main(["export", *arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_split_that_was_left_out_is_told_why():
    toy = Toy()
    toy.left_out = {"brightness-all": "there is but one"}
    for name in ("brightness-all", "toy/default/brightness-all"):
        with pytest.raises(BenchmarkError, match=f"toy has no split {name}: there is but one"):
            registry.find_split(toy, name)


def test_exporting_needs_no_torch(tmp_path):
    script = "import sys; from pytest_genbench.cli import main; main(); assert 'torch' not in sys.modules"
    command = [sys.executable, "-c", script, "export", "comporth", "length-1", "--preset", "mini", "--out", "out"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    assert (tmp_path / "out" / "manifest.json").exists()


def test_every_option_of_the_command_is_described(capsys):
    with pytest.raises(SystemExit):
        cli.main(["export", "--help"])
    page = (Path(__file__).parents[1] / "docs" / "training-outside.md").read_text("utf-8")
    for option in set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}:
        assert option in page


# Problems of several images.


@pytest.fixture(scope="module")
def cvr():
    return Cvr("mini", side=32)


@pytest.fixture(scope="module")
def small():
    """A split of two rules with a few problems of each."""

    def marked(sets_of):
        return lambda: np.isin(np.arange(sets.TOTAL), np.concatenate([sets.items(rule, *sets_of) for rule in (0, 8)]))

    test, train, validation = marked(("test", 3)), marked(("train", 15)), marked(("val", 4))
    return Split("cvr", "mini", "f", "two-n15", "2 rules", test, belongs=lambda: test() | train(), validates=validation)


@pytest.fixture(scope="module")
def problems(cvr, small, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "cvr"
    seen = []
    manifest = export.export(cvr, small, out, lambda done, total: seen.append((done, total)))
    return out, manifest, seen


def test_problems_are_sets_of_images_with_their_answers(problems, cvr, small):
    out, manifest, seen = problems
    assert {path.name for path in out.iterdir()} == FILES | {"validation", "problems"}
    for folder, items in ((out, small.train), (out / "validation", small.validation)):
        images = np.load(folder / "images.npy")
        assert (images.dtype, images.shape) == (np.uint8, (len(items), 4, 32, 32, 3))
        np.testing.assert_array_equal(images, cvr.images(items))
        header, *rows = table(folder)
        assert header == ["index", "rule", "problem", "answer"]
        assert [int(row[0]) for row in rows] == items.tolist()
        assert {row[1] for row in rows} == {"shape", "contact"}
        assert [int(row[3]) for row in rows] == cvr.targets(items)["scores"].tolist()
    assert manifest["counts"] == {"train": 30, "held_out": 6, "validation": 8}
    assert manifest["targets"] == ["answer"]
    assert set(manifest["sha256"]) == {"images.npy", "factors.csv", "validation/images.npy", "validation/factors.csv"}
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert seen == [(30, 38), (38, 38)]
    said = export.describe(manifest, out)
    assert "30 problems (4, 32, 32, 3) uint8" in said
    assert "right answers: answer (place of the image to be found, from 0)" in said
    assert "8 more problems to choose by" in said
    assert "20 of them as a picture and as a scene graph" in said


def test_some_problems_are_written_one_by_one_in_shown_order(problems, cvr, small):
    out, manifest, _ = problems
    names = sorted(path.name for path in (out / "problems").iterdir())
    assert manifest["problems"] == len(names) / 2 == 20
    assert (names[0], names[-1]) == ("00000.json", "00029.png"), "spread over all, so over all rules"
    for name in names[::13]:
        row = int(name.partition(".")[0])
        item = int(small.train[row])
        graph = json.loads((out / "problems" / f"{row:05d}.json").read_text("utf-8"))
        assert graph == json.loads(json.dumps({"index": item, **cvr.problem(item).plain()}))
        picture = np.asarray(Image.open(out / "problems" / f"{row:05d}.png"))
        assert picture.shape == (40, 160, 3)
        for k, image in enumerate(cvr.images(item)[0]):
            framed = picture[:, k * 40 : (k + 1) * 40]
            np.testing.assert_array_equal(framed[4:-4, 4:-4], image)
            assert framed.sum() == image.sum(dtype=int), "the frame is black"


@pytest.mark.parametrize(("asked", "written"), [(0, 0), (2, 2), (1000, 30)])
def test_how_many_problems_are_written(asked, written, cvr, small, tmp_path):
    out = tmp_path / "out"
    out.mkdir()  # filled, not replaced
    manifest = export.export(cvr, small, out, problems=asked, validation=False)
    assert len(list(out.glob("problems/*.png"))) == written
    assert (out / "problems").exists() == bool(written)
    assert manifest.get("problems", 0) == written
    assert not (out / "validation").exists()
    assert manifest["counts"] == {"train": 30, "held_out": 6}


@needs_torch
def test_the_loader_gives_problems_and_those_to_choose_by(problems, cvr, small):
    import torch

    module = load(problems[0])
    for part, items in (("", small.train), ("validation", small.validation)):
        data = module.TrainingSet(part)
        assert len(data) == len(items)
        problem, levels, targets = data[3]
        assert (problem.dtype, problem.shape) == (torch.float32, (4, 3, 32, 32))
        np.testing.assert_array_equal(problem, cvr.images(items[3])[0].transpose(0, 3, 1, 2).astype(np.float32) / 255)
        assert levels.tolist() == cvr.levels(items[3:4])[0].tolist()
        assert int(targets["answer"]) == cvr.targets(items[3:4])["scores"][0]


def test_the_command_exports_problems(tmp_path, capsys):
    out = tmp_path / "shape"
    command = ["export", "cvr", "shape-n20", "--preset=mini", "--no-validation", "--problems=1", "--out", str(out)]
    assert cli.main(command) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "0 shape: 1,000 problems, not in this folder" in said.out
    assert 'genbench.trained_on = "cvr/mini/shape-n20"' in said.out
    assert [path.name for path in sorted((out / "problems").iterdir())] == ["00000.json", "00000.png"]
    assert cli.main(command) == 2
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["comporth", "length-1", "--problems=3"],
            "--problems=3: comporth has single images, no problems; leave it out.",
        ),
        (["cvr", "shap-n20"], r"cvr \(checked\) has no split 'shap-n20'. Did you mean 'shape-n20' or"),
        (["cvr", "xyz"], r"has no split 'xyz'. Known: color-n100, color-n1000, .*, …, .*; \d+ in all."),
    ],
)
def test_problems_that_are_not_there(arguments, message, tmp_path, capsys):
    assert cli.main(["export", *arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.count("\n") == 1
    assert len(error) < 300
    assert list(tmp_path.iterdir()) == []


def test_a_number_of_problems_is_a_number(capsys):
    with pytest.raises(SystemExit):
        cli.main(["export", "cvr", "shape-n20", "--out=out", "--problems=all"])
    assert "expected a whole number, 0 for none; got all" in capsys.readouterr().err
