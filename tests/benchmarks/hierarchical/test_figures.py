"""What is drawn of results on Chopsticks and Spaceshapes, from cases alone."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from pytest_genbench.benchmarks import Contrasts, Illustrates, get
from pytest_genbench.benchmarks.hierarchical.kept import kept
from pytest_genbench.benchmarks.hierarchical.traversals import traversals
from pytest_genbench.figures import Bars, Curves, Density, Gallery, HeatMap, Histogram, Panels, Points, Text
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.results.schema import Case, GateResult
from pytest_genbench.scores import Anchor, Interval, Score

from .test_kept import SHAPES, SLOPES, STICKS, TRUE, TRUTH, VALUES, found, slide

FLAT = found(VALUES[:, 2:4])
STICK_TRUTH, STICK_VALUES = STICKS.hierarchy(SLOPES), STICKS.latents(SLOPES.test)
STICK_CODE = found(STICK_VALUES, STICK_TRUTH, STICK_VALUES, STICK_TRUTH, SLOPES.test, r2=np.eye(3))


def case(code, decode=None, benchmark="spaceshapes", slug="spaceshapes", seed=0, r_c=0.8, structure=None, **more):
    """A case as an evaluation makes it, with scores of our choice."""
    values = {"r_c_fast": r_c, "r_fast": r_c - 0.1} | (structure or {})
    values |= {f"r_c_fast.{name}": r_c for name in code.truth.names}
    values |= {f"r_fast.{name}": r_c - 0.1 for name in code.truth.names}
    shape = (64, 64, 1) if benchmark == "spaceshapes" else (64,)
    return Case(
        benchmark,
        "1",
        "mini",
        "hierarchy",
        slug,
        "representation",
        seed=seed,
        scores=tuple(Score(name, value, 600, 600) for name, value in values.items()),
        anchors=(
            Anchor("chance", "r_c_fast", 0.1),
            Anchor("chance", "r_fast", 0.2),
            Anchor("published COFHAE", "r_c_fast", 0.89, "published"),
        ),
        kept=kept(code) | {"traversals": traversals(code, decode, shape)},
        **more,
    )


RIGHT = {"purity": 1.0, "coverage": 0.9, "h_error": 2.0}


def drawn(*cases, benchmark=SHAPES):
    return {each.title.partition(": ")[2] or each.title: each for each in benchmark.figures(cases)}


def test_a_hierarchical_code():
    made = drawn(case(TRUE, structure=RIGHT))
    assert {title: type(each) for title, each in made.items()} == {
        "R_c and R of each true variable": Bars,
        "true and learned hierarchy": Text,
        "true paths and those of the model": HeatMap,
        "units of the code": Bars,
        "the code of 200 items": Points,
        "true variables and the units that tell most of them": Panels,
        "true choices and those of the model": Panels,
        "units from their 1st to their 99th percentile": Gallery,
    }
    lines = made["true and learned hierarchy"].text.splitlines()
    assert [line.split() for line in lines[3:5]] == [["├─", "x", "├─", "x"], ["├─", "y", "├─", "y"]]
    assert "H-error 2" in made["true and learned hierarchy"].note
    paths = made["true paths and those of the model"]
    np.testing.assert_array_equal(paths.values, np.eye(4))
    assert paths.columns[0] == "moon (35%)"
    units = made["units of the code"]
    assert (units.labels, units.series["active"][2:4]) == (TRUTH.names, (1.0, 1.0))
    assert set(made["the code of 200 items"].groups) == set(paths.rows)
    assert sum(map(len, made["the code of 200 items"].groups.values())) == 200
    choices = made["true choices and those of the model"].figures
    assert [each.columns for each in choices] == [("moon", "star", "ship"), ("no", "yes")]
    np.testing.assert_array_equal(choices[0].values, np.eye(3))


def test_histograms_have_the_true_variable_along():
    panels = drawn(case(TRUE))["true variables and the units that tell most of them"].figures
    assert all(isinstance(each, Density) for each in panels)
    x = panels[0]
    assert (x.x_title, x.y_title) == ("true x", "unit x")
    assert len(x.x_edges) == len(x.y_edges) == len(x.counts) + 1 == len(x.counts[0]) + 1 == 17
    assert sum(map(sum, x.counts)) == 600 == sum(row[at] for at, row in enumerate(x.counts))


def test_choices_and_continuous_units_are_histograms():
    made = drawn(case(found(np.column_stack([VALUES[:, 0], VALUES[:, 2]]))))
    panels = made["choices and continuous variables that tell most of each other"].figures
    assert all(isinstance(each, Histogram) for each in panels)
    shape = panels[0]
    assert shape.title.startswith("shape by z1, R²")
    assert list(shape.counts) == ["shape=moon", "shape=star", "shape=ship"]
    assert [sum(counts) for counts in shape.counts.values()] == np.bincount(VALUES[:, 0].astype(int))[1:].tolist()
    assert [np.flatnonzero(counts).tolist() for counts in shape.counts.values()] == [[0], [8], [15]]
    assert (shape.x_title, shape.edges[0], shape.edges[-1]) == ("unit z1", 1.0, 3.0)


def test_continuous_variables_and_choices_are_histograms():
    learned = Hierarchy((Categorical(((), ()), "k"), Continuous("z")))
    halves = 1 + (VALUES[:, 2] > 0.5)
    made = drawn(case(found(np.column_stack([halves, np.zeros(len(VALUES))]), learned)))
    x = next(
        each
        for each in made["choices and continuous variables that tell most of each other"].figures
        if each.x_title == "true x"
    )
    assert [sum(counts) for counts in x.counts.values()] == np.bincount(halves)[1:].tolist()
    assert list(x.counts) == ["k=1", "k=2"]
    assert not any(x.counts["k=1"][9:])
    assert not any(x.counts["k=2"][:7])


def test_a_flat_code_has_no_paths():
    made = drawn(case(FLAT, slide))
    assert not any("path" in title or "those of the model" in title for title in made)
    assert "flat" in made["true hierarchy"].note
    assert set(made["units of the code"].series) == {"varies"}


def test_a_decoders_pictures():
    gallery = drawn(case(FLAT, slide))["units from their 1st to their 99th percentile"]
    first = gallery.strips[0]
    assert first.caption == "z1, tells x"
    assert len(first.pictures) == 7
    images = [np.asarray(Image.open(io.BytesIO(each.png))) for each in first.pictures]
    places = [image[0].argmax() for image in images]
    low, high = np.percentile(VALUES[:, 2], (1, 99))
    np.testing.assert_allclose(places, np.linspace(low, high, 7) * 63, atol=0.51)
    assert "decoder" in gallery.note


def test_items_in_place_of_a_decoder():
    gallery = drawn(case(FLAT))["units from their 1st to their 99th percentile"]
    item = traversals(FLAT, None, (64, 64, 1))["units"][0]["items"][3]
    shown = np.asarray(Image.open(io.BytesIO(gallery.strips[0].pictures[3].png)))
    np.testing.assert_array_equal(shown, SHAPES.images([item])[0, :, :, 0])
    assert "held-out items" in gallery.note
    assert "the model does not decode embeddings" in gallery.note


@pytest.mark.parametrize("decode", [None, lambda codes: codes[:, :1] * np.arange(64)])
def test_signals_are_curves(decode):
    made = drawn(case(STICK_CODE, decode, "chopsticks", "depth2-slope"), benchmark=STICKS)
    panels = made["units from their 1st to their 99th percentile"].figures
    assert all(isinstance(each, Curves) and len(each.lines) == 7 for each in panels)
    first = panels[0].lines
    rises = [line.y[1] - line.y[0] for line in first]
    assert rises == sorted(rises)
    assert (rises[0], rises[-1]) == pytest.approx((-0.0098, 0.0098), abs=0.001)
    assert first[0].name.startswith("-0.009")


def test_anchors_are_marks_beside_the_mean():
    bars = drawn(case(FLAT, gates=(GateResult("failed", "floor", "r_c_fast", "", 0.9),)))[
        "R_c and R of each true variable"
    ]
    assert bars.labels == ("all (mean)", *TRUTH.names)
    assert bars.marks == {"chance": (0.1, *[None] * 8), "published COFHAE": (0.89, *[None] * 8)}
    assert bars.levels == {"gate": 0.9}
    assert bars.series == {"R_c": (0.8,) * 9, "R": pytest.approx((0.7,) * 9)}
    assert "published" in bars.note


def test_seeds_are_averaged_and_the_first_is_pictured():
    made = drawn(case(TRUE, seed=1, r_c=0.6), case(FLAT, slide, seed=0, r_c=0.8))
    bars = made["R_c and R of each true variable"]
    assert bars.series["R_c"][0] == pytest.approx(0.7)
    # Student's t of two seeds, as everywhere in a report.
    assert bars.intervals["R_c"][0] == pytest.approx((0.7 - 1.27062, 0.7 + 1.27062), abs=1e-5)
    assert "2 seeds" in bars.note
    assert "Seed 0 of 2" in made["units of the code"].note


def test_a_sample_has_whiskers():
    one = case(FLAT)
    sampled = replace(one, scores=(replace(one.scores[0], interval=Interval(0.7, 0.9, "jackknife")), *one.scores[1:]))
    assert drawn(sampled)["R_c and R of each true variable"].intervals["R_c"][:2] == ((0.7, 0.9), None)


def test_data_sets_side_by_side():
    cases = [
        case(STICK_CODE, None, "chopsticks", slug, structure=RIGHT, r_c=r_c)
        for slug, r_c in (("depth3-slope", 0.5), ("depth2-slope", 0.7))
    ]
    first, purity, errors, *_ = STICKS.figures([replace(each, kept={}) for each in cases])
    assert (first.labels, first.series["R_c"]) == (("depth2-slope", "depth3-slope"), (0.7, 0.5))
    assert first.marks["chance"] == (0.1, 0.1)
    assert purity.series == {"purity": (1.0, 1.0), "coverage": (0.9, 0.9)}
    assert (errors.series, errors.high) == ({"H-error": (2.0, 2.0)}, 2.0)


def test_results_of_before_have_no_pictures():
    """Documents that were written when nothing was kept still have their bars and their tree."""
    made = drawn(replace(case(FLAT), kept={}))
    assert set(made) == {"R_c and R of each true variable", "true hierarchy"}


def test_nothing_is_drawn_of_nothing():
    assert list(SHAPES.figures([])) == []
    assert list(SHAPES.figures([replace(case(FLAT), split="of another version")])) == []
    assert list(SHAPES.contrasts({"a": [case(FLAT)], "b": []})) == []


def test_models_side_by_side():
    models = {"flat": [case(FLAT, r_c=0.4)], "one": [case(TRUE, structure=RIGHT)], "two": [case(TRUE, structure=RIGHT)]}
    made = {each.title: each for each in SHAPES.contrasts(models)}
    assert made["R_c of each model"].series == {"flat": (0.4,), "one": (0.8,), "two": (0.8,)}
    assert made["R_c of each model"].marks == {"chance": (0.1,), "published COFHAE": (0.89,)}
    assert made["spaceshapes: R_c of each variable by model"].series["flat"] == (0.4,) * 8
    assert made["Purity of each model"].series == {"flat": (None,), "one": (1.0,), "two": (1.0,)}
    assert made["H-error of each model"].high == 2.0
    assert not any("H-error" in each.title for each in SHAPES.contrasts({"flat": models["flat"], "one": models["one"]}))


def test_models_that_were_tested_on_different_data_sets():
    def sets(*slugs):
        return [case(STICK_CODE, None, "chopsticks", slug) for slug in slugs]

    models = {"a": sets("depth2-slope", "depth3-slope"), "b": sets("depth2-slope", "depth2-inter", "depth3-slope")}
    first = next(iter(STICKS.contrasts(models)))
    assert first.labels == ("depth2-slope", "depth3-slope")
    third = next(iter(STICKS.contrasts(models | {"c": sets("depth2-inter")})))
    assert third.series["a"] == (None, 0.8, 0.8)


@pytest.mark.parametrize("name", ["chopsticks", "spaceshapes"])
def test_both_benchmarks_have_figures(name):
    assert isinstance(get(name, "mini"), Illustrates)
    assert isinstance(get(name, "mini"), Contrasts)


def test_many_paths_are_coloured_by_the_first_choice():
    split = next(each for each in STICKS.splits("hierarchy") if each.slug == "depth3-either")
    truth, values = STICKS.hierarchy(split), STICKS.latents(split.test)
    code = found(values, truth, values, truth, split.test, r2=np.eye(len(truth.columns)))
    points = drawn(case(code, None, "chopsticks", "depth3-either"), benchmark=STICKS)["the code of 200 items"]
    assert set(points.groups) == {"inter", "slope"}


def test_hostile_names_stay_text():
    learned = Hierarchy.flat(["<script>alert(1)</script>", "\"'&"])
    figures = list(SHAPES.figures([case(found(VALUES[:, 2:4], learned))]))
    assert any(isinstance(each, Bars) and "<script>alert(1)</script>" in each.labels for each in figures)


def test_a_document_that_keeps_nothing_still_says_which_hierarchy_a_model_declares():
    old = replace(case(FLAT), kept={}, model={"contract": {"hierarchy": "{c | c}"}})
    figure = drawn(old)["true and learned hierarchy"]
    assert "{c | c}" in figure.text.splitlines()[1]
    assert "flat" not in figure.note
