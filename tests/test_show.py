"""``genbench show``: counts before any training, for people's own tables and for ours."""

import numpy as np
import pytest
from PIL import Image

from pytest_genbench import show
from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.benchmarks.cvr import Cvr, sets
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.cli import main

from .benchmarks.table.tables import as_array, as_folder, describe
from .plugin.toy import Toy


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run ``genbench show`` in a folder with a table; returns the exit status and the lines it printed."""
    describe(as_array(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main(["show", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, (captured.out + captured.err).splitlines()

    return run


def words(line):
    return " ".join(line.split())


def test_a_table(run):
    status, lines = run("t.toml")
    assert status == 0
    assert "60 images of 12 by 12 pixels, grey; the grid of all levels has 75 points" in lines[0]
    shown = [words(line) for line in lines]
    assert "size ordinal 5 1, 2, 3, 4, 5" in shown
    assert "recognition factor.shape, factor.size, factor.shade factor_accuracy" in shown
    assert "in_distribution-1 48 12 20% of the rows, at random" in shown
    assert "extrapolation-size 47 13 size 5 (upper)" in shown
    assert "extrapolation-size-low rows held out: 8, to train on: 52; each needs at least 10" in shown
    assert "interpolation-shape shape is categorical, which has no order" in shown
    assert len({line.index("training") for line in lines if line.startswith(("inter", "extra"))}) <= 2


def test_a_split_by_slug_and_by_id(run):
    status, lines = run("t.toml", "compositional-shape-size")
    assert status == 0
    assert words(lines[1]) == "held out 13 images: 3 of 15 pairs of shape and size"
    assert "declares genbench.trained_on = shapes/default/compositional-shape-size" in lines[2]
    assert words(lines[-2]) == "shape and size 3 disc with 1, square with 2, star with 3"
    # Rows are missing, so that the three pairs take another one with them.
    assert words(lines[-1]) == "size and shade 1 1 with 200"
    assert run("t.toml", "shapes/default/compositional-shape-size")[1] == lines
    _, lines = run("t.toml", "extrapolation-size")
    assert "size 5 4 5" in [words(line) for line in lines]


def test_what_is_not_there(run):
    assert run("t.toml", "interpolation-shape") == (
        2,
        ["genbench: shapes has no split interpolation-shape: shape is categorical, which has no order."],
    )
    status, lines = run("t.toml", "interpolation-sise")
    assert status == 2
    assert "Did you mean 'interpolation-size'" in lines[0]
    assert run("nothing.toml") == (2, ["genbench: nothing.toml: there is no such description of a table."])
    assert run("komporth") == (2, ["genbench: No benchmark 'komporth'. Did you mean 'comporth'?"])
    assert run("t.csv") == (
        2,
        ["genbench: 't.csv' is a table; write a description of it, and give that: a file in TOML."],
    )
    assert "has no preset 'mini'" in run("t.toml", "--preset", "mini")[1][0]


def test_a_benchmark_of_ours(run):
    status, lines = run("comporth", "--preset=mini")
    assert status == 0
    assert lines[0] == "comporth 1 (mini): 1,116 images of 64 by 64 pixels, grey"
    shown = [words(line) for line in lines]
    assert "word categorical 62 A, B, AA, AB, BA, BB, …, BBBBA, BBBBB" in shown
    assert "compositional-B5 828 288 B at position 5" in shown
    assert not any(line.startswith("left out") for line in lines)


def test_a_sheet(run, tmp_path):
    status, lines = run("t.toml", "extrapolation-size", "--out", "sheet.png")
    assert status == 0
    assert lines[-1] == "sheet.png: 36 training images beside 13 that are held out"
    picture = np.asarray(Image.open(tmp_path / "sheet.png").convert("L"))
    # Pictures of 12 pixels, four times as large: six by six on the left, and on the right two rows and one picture more.
    assert picture.shape == (2 * 16 + 6 * 52 + 20 + 10, 2 * (6 * 52 + 20) + 10)
    assert picture[46:94, 10:58].min() == 0
    assert picture[46 + 2 * 52, 342] < 255
    assert picture[46 + 2 * 52, 342 + 52] == 255
    assert picture[46 + 3 * 52, 342] == 255


def test_a_sheet_of_a_benchmark_shows_a_split_of_each_family(run, tmp_path):
    status, lines = run("comporth", "--preset=mini", "--out=sheet.png")
    assert status == 0
    assert lines[-1] == (
        "sheet.png: training images beside what is held out, for spatial-x+0y+0, length-3, compositional-B1"
    )
    assert Image.open(tmp_path / "sheet.png").size == (2 * (6 * 68 + 20) + 10, 10 + 3 * (2 * 16 + 3 * 68 + 20))


def test_a_sheet_of_a_benchmark_of_problems_shows_each_rule(run, tmp_path):
    assert run("cvr", "--preset=mini", "--out=sheet.png")[1][-1] == "sheet.png: 2 training problems of each of 9 splits"


def test_a_sheet_is_the_same_every_time_and_overwrites_nothing(run, tmp_path):
    for name in ("a.png", "b.png"):
        assert run("t.toml", "in_distribution-1", f"--out={name}")[0] == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    status, lines = run("t.toml", "in_distribution-1", "--out=a.png")
    assert (status, lines[-1]) == (2, "genbench: --out=a.png: exists already; choose another file.")
    assert "is a PNG file" in run("t.toml", "in_distribution-1", "--out=a.jpg")[1][-1]
    assert "does not exist; create it first" in run("t.toml", "in_distribution-1", "--out=no/a.png")[1][-1]
    assert "exists already" in run("t.toml", "--out=a.png")[1][-1]


@pytest.mark.parametrize(("side", "drawn"), [(8, 48), (31, 62), (48, 48), (64, 64), (500, 128)])
def test_small_images_are_enlarged_and_large_ones_made_smaller(tmp_path, side, drawn):
    benchmark = Toy()
    benchmark.image_shape = (side, side, 3)
    benchmark.images = lambda index: np.zeros((len(index), side, side, 3), dtype=np.uint8)
    show.sheet(benchmark, benchmark.splits("brightness")[0], tmp_path / "s.png")
    picture = np.asarray(Image.open(tmp_path / "s.png"))
    assert (picture[60] == 0).all(axis=-1).sum() == 12 * drawn


def test_signals_are_drawn_with_high_values_at_the_top():
    drawn = show.plotted(np.array([[0, 1, 2], [2, 2, 0]], dtype=np.float32))[..., 0]
    assert (drawn == 0).astype(int).tolist() == [
        [[0, 0, 1], [0, 1, 1], [1, 1, 0]],
        [[1, 1, 1], [0, 0, 1], [0, 0, 1]],
    ]


def test_a_sheet_of_ours(tmp_path):
    benchmark = CompOrth("mini")
    assert "36 training images" in show.sheet(benchmark, benchmark.splits("length")[0], tmp_path / "s.png")


def test_a_table_without_any_split(tmp_path):
    rows = [("disc", 1, 50), ("disc", 2, 100), ("square", 1, 50)]
    lines = show.benchmark(describe(as_folder(tmp_path, rows), images="t")).splitlines()
    assert "3 images of 12 by 12 pixels, grey" in lines[0]
    assert any(words(line).startswith("in_distribution-1 rows held out: 0, to train on: 3") for line in lines)


def test_many_rules_and_splits_are_shortened(run):
    status, lines = run("cvr")
    assert status == 0
    shown = [words(line) for line in lines]
    assert shown[0].endswith("problems of 4 images of 128 by 128 pixels, RGB")
    assert "rule categorical 103 shape, pos, size, color, rot, flip, …, flip_contact_1, flip_contact_2" in shown
    assert "generalisation scores accuracy" in shown
    assert "shape-n1000 1,000 1,000 0 shape, n = 1,000" in shown
    assert "… 86 more" in shown
    assert len(lines) < 100
    assert max(map(len, lines)) < 120


def test_a_rule_is_explained_and_many_are_listed(run):
    status, lines = run("cvr", "shape_contact_2-n20")
    assert status == 0
    shown = [words(line) for line in lines]
    rule = RULES[20]
    assert (
        "training 20 problems; a model trained on them declares genbench.trained_on = cvr/checked/shape_contact_2-n20"
        in shown
    )
    assert "to choose by 500 problems (validation)" in shown
    assert "rule 20 shape_contact_2: shape, contact" in shown
    assert f"three images {rule.reference}" in shown
    for kind, text in rule.odd.items():
        assert f"odd by {kind} {text}" in shown
    assert f"unseen law differs in {', '.join(rule.axes)}" in shown
    shown = [words(line) for line in run("cvr", "joint-n20")[1]]
    assert f"0 shape {RULES[0].reference}" in shown
    assert "… 95 more" in shown
    assert f"102 flip_contact_2 {RULES[102].reference}" in shown
    assert "Did you mean 'joint-n20'" in run("cvr", "jont-n20")[1][0]


@pytest.mark.parametrize("name", ["contact-n20", "joint-n20"])
def test_a_sheet_of_problems_marks_the_odd_ones(name, run, tmp_path):
    for out in ("a.png", "b.png"):
        status, lines = run("cvr", name, "--preset=mini", f"--out={out}")
        assert status == 0
        assert lines[-1] == f"{out}: 6 training problems above 6 that follow a law training never shows"
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    picture = np.asarray(Image.open(tmp_path / "a.png"))
    # An image of 64 pixels is drawn twice as large; a frame of 4 pixels round it.
    edges, size = 136 * 136 - 128 * 128, (picture == (214, 40, 30)).all(axis=-1)
    assert size.sum() == 12 * edges
    lefts = {int(np.flatnonzero(row)[0]) for row in size if row.sum() in (136, 2 * 136)}
    assert len(lefts) > 1, "at the place at which it is shown"
    assert picture.shape[1] < 1200


def test_a_sheet_of_sets_that_nothing_more_is_known_of(tmp_path):
    benchmark = Toy()
    benchmark.image_shape = (4, 8, 8, 3)
    benchmark.images = lambda index: np.zeros((len(index), 4, 8, 8, 3), dtype=np.uint8)
    split = benchmark.splits("brightness")[0]
    assert "36 training problems" in show.sheet(benchmark, split, tmp_path / "s.png")
    assert "problems of 4 images of 8 by 8 pixels, RGB" in show.benchmark(benchmark)


def test_a_sheet_shows_the_unseen_law_below(monkeypatch, tmp_path):
    benchmark, drawn = Cvr("mini"), []
    images = benchmark.images
    monkeypatch.setattr(benchmark, "images", lambda index: drawn.append(index.tolist()) or images(index))
    show.sheet(benchmark, find_split(benchmark, "size-n20"), tmp_path / "s.png")
    assert [{sets.place(item).set for item in items} for items in drawn] == [{"train"}, {"test_gen"}]
