"""What is kept of codes for figures: exact on codes that are known, small, and in builtin types."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.hierarchical import traversals
from pytest_genbench.benchmarks.hierarchical.kept import BINS, Found, histograms, kept, option_names, path_names
from pytest_genbench.benchmarks.hierarchical.packed import film, frames, pack, unpack
from pytest_genbench.benchmarks.hierarchical.scores import RepresentationScorer, table
from pytest_genbench.errors import ModelError
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.metrics import r_c
from pytest_genbench.models import Contract
from pytest_genbench.results.io import case_from_plain, case_to_plain, check_builtin
from pytest_genbench.results.schema import Case

SHAPES, STICKS = get("spaceshapes", "mini"), get("chopsticks", "mini")
SPLIT = SHAPES.splits("hierarchy")[0]
SLOPES = next(split for split in STICKS.splits("hierarchy") if split.slug == "depth2-slope")
TRUTH = SHAPES.hierarchy(SPLIT)
SOME = SPLIT.test[:600]
VALUES = SHAPES.latents(SOME)
STICK_TRUTH, FEW = STICKS.hierarchy(SLOPES), SLOPES.test[:60]
STICK_VALUES = STICKS.latents(FEW)
C = Continuous()


def found(codes, learned=None, factors=VALUES, truth=TRUTH, items=SOME, assigned=None, r2=None):
    """What a scorer would have found, without its scores."""
    learned = learned or Hierarchy.flat(codes.shape[1])
    matrix = r_c(factors, codes, truth=truth, learned=learned).matrix if r2 is None else r2
    assigned = np.ones(len(codes), dtype=bool) if assigned is None else assigned
    return Found(items, factors, codes, assigned, truth, learned, matrix)


TRUE = found(VALUES, TRUTH)


def counts(each):
    return unpack(each["counts"], each["shape"])


def test_true_values_lie_on_the_diagonal():
    made = {each["true"]: each for each in histograms(TRUE)}
    assert [each["unit"] for each in made.values()] == list(TRUTH.names) == list(made)
    for name, each in made.items():
        table = counts(each)
        assert table.sum() == np.trace(table) == each["n"] == TRUTH.active(VALUES)[:, TRUTH.names.index(name)].sum()
    np.testing.assert_array_equal(np.diag(counts(made["shape"])), np.bincount(VALUES[:, 0].astype(int))[1:])
    assert made["shape"]["kinds"] == ["categorical", "categorical"]
    assert made["x"]["shape"] == [BINS, BINS]


def test_a_falling_unit_lies_on_the_other_diagonal_and_options_have_rows_of_their_own():
    flat = np.column_stack([-VALUES[:, 2], VALUES[:, 0]])
    made = {each["true"]: each for each in histograms(found(flat))}
    assert made["x"]["unit"] == "z1"
    table = counts(made["x"])
    assert np.trace(table[::-1]) > 0.98 * table.sum()  # an interval's upper edge is its neighbour's lower one
    assert made["shape"]["kinds"] == ["categorical", "continuous"]
    np.testing.assert_array_equal(counts(made["shape"]).any(axis=1).nonzero()[0], [0, 8, 15])


def test_intervals_go_from_the_first_to_the_last_percentile():
    factors, truth = np.arange(101.0)[:, None], Hierarchy.flat(1)
    each = histograms(found(factors * 10, factors=factors, truth=truth, items=np.arange(101)))[0]
    assert (each["x"], each["y"]) == ([1.0, 99.0], [10.0, 990.0])
    width = 98 / BINS
    expected = np.bincount(np.clip((np.arange(101) - 1) // width, 0, BINS - 1).astype(int))
    np.testing.assert_array_equal(np.diag(counts(each)), expected)


def test_only_items_where_both_are_active_count():
    jet = Hierarchy((Categorical(((), (Continuous("length"),)), "jet"),))
    values = np.array([[1, 0]] * 30 + [[2, k / 9] for k in range(10)] * 3, dtype=np.float64)
    some = {"factors": values, "truth": jet, "items": np.arange(60)}
    length = histograms(found(values, jet, **some))[1]
    assert (length["true"], length["n"]) == ("length", 30)
    flat = histograms(found(values[:, 1:], **some))
    assert [each["n"] for each in flat] == [60, 30]


def test_a_unit_that_is_seldom_active_does_not_stand_for_a_variable():
    """It tells x exactly, for a sixth of the items; the other unit a little less, for all."""
    learned = Hierarchy((Continuous("often"), Categorical(((), (Continuous("seldom"),)), "k")))
    rare = VALUES[:, 1] == 2
    noisy = VALUES[:, 2] + np.random.default_rng(0).normal(0, 0.05, len(VALUES))
    codes = np.column_stack([1 + rare, noisy, np.where(rare, VALUES[:, 2], 0)])
    x = next(each for each in histograms(found(codes, learned)) if each["true"] == "x")
    assert x["unit"] == "often"


def test_an_absolute_value_is_found_by_its_information():
    draw = np.random.default_rng(0)
    factors = draw.uniform(-1, 1, (500, 1))
    codes = np.column_stack([draw.uniform(size=500), np.abs(factors)])
    truth = Hierarchy.flat(1)
    # R² both ways is 0: the sign cannot be told.
    each = histograms(found(codes, factors=factors, truth=truth, items=np.arange(500), r2=np.zeros((1, 2))))[0]
    assert (each["unit"], each["r2"]) == ("z2", 0.0)


def test_units_that_are_constant_or_never_active():
    learned = Hierarchy((Continuous("fixed"), Continuous("x"), Categorical(((), (Continuous("never"),)), "k")))
    codes = np.column_stack([np.ones(len(VALUES)), np.full(len(VALUES), 3.0), VALUES[:, 2], np.zeros(len(VALUES))])
    seen = found(codes, learned)
    units = kept(seen)["units"]
    assert units["names"] == ["k", "fixed", "x", "never"]
    assert units["active"] == [1.0, 1.0, 1.0, 0.0]
    assert units["spread"][:2] == [None, 0.0]
    assert units["spread"][3] == 0.0
    shown = traversals.traversals(seen, None, (64, 64, 1))
    assert [each["unit"] for each in shown["units"]] == ["x"]
    assert not {"fixed", "never"} & {each["unit"] for each in histograms(seen)}


def test_a_constant_code_has_nothing_to_show():
    seen = found(np.zeros((len(VALUES), 3)))
    assert histograms(seen) == []
    assert traversals.traversals(seen, None, (64, 64, 1)) == {}
    assert kept(seen)["plane"]["scale"] > 0
    check_builtin(kept(seen), "kept")


def test_paths_are_counted_by_true_path():
    plain = kept(TRUE)["paths"]
    assert plain["true"] == plain["learned"] == path_names(TRUTH)
    assert plain["true"][-1] == "ship, jet=yes"
    np.testing.assert_array_equal(
        unpack(plain["counts"], (4, 4)), np.diag(np.bincount(TRUTH.path(VALUES))), err_msg="each true path has its own"
    )


def test_items_on_rare_paths_and_on_none_have_columns_of_their_own():
    learned = Hierarchy((Categorical(((C,), *[()] * 16), "k"),))
    number = np.concatenate([np.arange(1, 18), np.repeat(np.arange(1, 15), 10)])
    codes = np.column_stack([number, np.where(number == 1, 0.5, 0.0)])
    some = {"factors": VALUES[: len(codes)], "items": SOME[: len(codes)]}
    assigned = np.arange(len(codes)) != 0
    paths = kept(found(codes, learned, assigned=assigned, **some))["paths"]
    assert paths["learned"] == [f"k={option}" for option in range(1, 15)] + ["other paths", "nothing"]
    np.testing.assert_array_equal(unpack(paths["counts"], (4, -1)).sum(axis=0), [10, *[11] * 13, 3, 1])


def test_names_of_paths():
    assert path_names(Hierarchy.flat(2)) == ["all"]
    assert path_names(Hierarchy((Categorical(((C,), (C,))),))) == ["k1=1", "k1=2"]
    assert option_names(TRUTH) == [("moon", "star", "ship"), ("no", "yes")]


def test_two_units_are_shown_as_they_are():
    plane = kept(found(VALUES[:, 2:4]))["plane"]
    points = unpack(plane["points"], (-1, 3))
    assert (plane["axes"], len(points)) == (["z1", "z2"], 200)
    row = np.abs(points[0, :2] * plane["scale"] - VALUES[:, 2:4]).sum(axis=1).argmin()
    np.testing.assert_allclose(points[0, :2] * plane["scale"], VALUES[row, 2:4], atol=1e-3)
    assert points[0, 2] == TRUTH.path(VALUES)[row]


def test_more_units_are_shown_along_their_widest_directions():
    draw = np.random.default_rng(1)
    wide = draw.normal(size=(len(VALUES), 2)) * (100, 10)
    turn = np.linalg.qr(draw.normal(size=(5, 5)))[0]
    codes = np.column_stack([wide, draw.normal(size=(len(VALUES), 3)) * 0.01]) @ turn
    plane = kept(found(codes))["plane"]
    points = unpack(plane["points"], (-1, 3))[:, :2] * plane["scale"]
    assert points.std(axis=0) == pytest.approx([100, 10], rel=0.15)
    assert "plane" not in kept(found(VALUES[:, 2:3]))


def slide(codes):
    """Paint a bright column at the place that the first number says."""
    images = np.zeros((len(codes), 64, 64, 1), dtype=np.float32)
    images[np.arange(len(codes)), :, np.rint(codes[:, 0] * 63).astype(int)] = 1
    return images


def test_a_unit_goes_from_its_first_to_its_last_percentile():
    grid = np.arange(101.0) / 100
    codes = np.column_stack([grid, grid[::-1] * 0.1])
    seen = found(codes, factors=grid[:, None], truth=Hierarchy.flat(1), items=np.arange(101))
    given = []
    shown = traversals.traversals(seen, lambda codes: given.append(codes) or slide(codes), (64, 64, 1))
    first, second = shown["units"]
    assert (first["unit"], first["item"]) == ("z1", 50)
    np.testing.assert_allclose(first["values"], np.linspace(0.01, 0.99, 7), atol=1e-4)
    np.testing.assert_allclose(given[0][:7], np.column_stack([np.linspace(0.01, 0.99, 7), np.full(7, 0.05)]), atol=1e-6)
    np.testing.assert_allclose(given[0][7:, 0], 0.5)
    pictures = frames(first["film"], 7)
    assert pictures.shape == (7, 64, 64)
    np.testing.assert_array_equal(pictures[:, 0].argmax(axis=1), np.rint(np.linspace(0.01, 0.99, 7) * 63))
    assert len({picture.tobytes() for picture in frames(second["film"], 7)}) == 1
    assert "reason" not in shown


def test_signals_are_kept_as_numbers():
    seen = found(STICK_VALUES, STICK_TRUTH, STICK_VALUES, STICK_TRUTH, FEW, r2=np.eye(3))
    shown = traversals.traversals(seen, lambda codes: codes[:, :1] * np.arange(64), (64,))
    each = shown["units"][0]
    signals = unpack(each["signals"], (7, 64)) * each["scale"]
    np.testing.assert_allclose(signals, np.outer(each["values"], np.arange(64)), atol=each["scale"])
    assert each["unit"] == "slope1"


def test_a_unit_is_shown_on_a_path_that_has_it():
    shown = traversals.traversals(TRUE, None, (64, 64, 1))
    assert shown["reason"] == "the model does not decode embeddings"
    units = {each["unit"]: each for each in shown["units"]}
    assert set(units) == {"x", "y", "phase", "shine", "angle", "jetlen"}
    length = VALUES[VALUES[:, 1] == 2, 7]
    np.testing.assert_allclose(units["jetlen"]["values"], np.linspace(*np.percentile(length, (1, 99)), 7), rtol=1e-3)
    for name, path in (("phase", "moon"), ("shine", "star"), ("jetlen", "ship, jet=yes")):
        items = [units[name]["item"], *units[name]["items"]]
        assert {path_names(TRUTH)[at] for at in SHAPES.levels(items)[:, 0]} == {path}


def test_items_stand_in_for_a_decoder():
    """They have the values, and are like the typical item in all else as far as such items exist."""
    codes = np.stack(np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41)), axis=-1).reshape(-1, 2)
    seen = found(codes, factors=codes, truth=Hierarchy.flat(2), items=np.arange(len(codes)), r2=np.eye(2))
    for at, each in enumerate(traversals.traversals(seen, None, (64,))["units"]):
        chosen = codes[each["items"]]
        np.testing.assert_allclose(codes[each["item"]], 0.5)
        np.testing.assert_allclose(chosen[:, 1 - at], 0.5)
        np.testing.assert_allclose(chosen[:, at], each["values"], atol=0.05)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            lambda codes: np.zeros((len(codes), 32, 32, 1)),
            "the decoder gives (14, 32, 32, 1), (14, 64, 64, 1) was expected",
        ),
        (lambda codes: np.full((len(codes), 64, 64, 1), np.nan), "the decoder gives NaN or infinity"),
    ],
)
def test_what_a_decoder_may_get_wrong(made, words):
    shown = traversals.traversals(found(VALUES[:, 2:4]), made, (64, 64, 1))
    assert shown["reason"] == words
    assert all("items" in each for each in shown["units"])


def test_a_decoder_that_fails_costs_no_score():
    def decode(codes):
        raise ModelError("too deep")

    shown = traversals.traversals(found(VALUES[:, 2:4]), decode, (64, 64, 1))
    assert shown["reason"] == "the decoder cannot be used: too deep"


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=40))
def test_numbers_come_back(numbers):
    assert unpack(pack(numbers), (-1,)).tolist() == numbers


def test_films_come_back():
    ramp = np.linspace(0, 1, 8)[:, None, None] * np.ones((8, 5, 6))
    shown = frames(film(ramp), 8)
    np.testing.assert_array_equal(shown[:, 0, 0], [level * 255 // 7 for level in range(8)])
    assert (shown == shown[:, :1, :1]).all()


def scorer(outputs, learned=None, decode=None):
    made = RepresentationScorer(STICKS, SLOPES, learned, decode)
    made.add(FEW, STICKS.images(FEW), outputs)
    return made


def outputs(values, hierarchy):
    """True values as a model gives them."""
    given = {"embedding": values[:, hierarchy.categorical :].astype(np.float32)}
    for at, column in enumerate(hierarchy.columns[: hierarchy.categorical]):
        given[f"assignment.{at}"] = (values[:, [at]] == np.arange(1, column.options + 1)).astype(np.float32)
    return given


def test_a_scorer_keeps_what_travels():
    made = scorer(outputs(STICK_VALUES, STICK_TRUTH), STICK_TRUTH)
    assert made.kept() == {}, "nothing is known before the scores"
    scores = tuple(made.scores(len(FEW), "held-out"))
    plain = made.kept()
    assert set(plain) == {"hierarchy", "units", "paths", "plane", "histograms", "traversals"}
    assert plain["hierarchy"] == {"notation": "c {0 | c}", "tree": STICK_TRUTH.tree()}
    case = Case("chopsticks", "1", "mini", "hierarchy", "depth2-slope", "representation", scores=scores, kept=plain)
    assert case_from_plain(json.loads(json.dumps(case_to_plain(case)))).kept == plain


@pytest.mark.parametrize("code", [TRUE, found(np.random.default_rng(0).normal(size=(len(VALUES), 8)))])
def test_it_is_small(code):
    assert len(json.dumps(kept(code))) < 6000
    assert len(json.dumps(traversals.traversals(code, slide, (64, 64, 1)))) < 5000


def test_scores_do_not_depend_on_the_decoder():
    flat = {"embedding": STICK_VALUES[:, 1:]}
    with_one, without = scorer(flat, decode=lambda codes: codes[:, :1] * np.arange(64)), scorer(flat)
    assert with_one.scores(len(FEW), "held-out") == without.scores(len(FEW), "held-out")
    assert "signals" in with_one.kept()["traversals"]["units"][0]
    assert "items" in without.kept()["traversals"]["units"][0]


def test_the_task_is_bound_to_the_models_decoder():
    task = SHAPES.tasks["representation"]
    contract = Contract("x", layout="NCHW", outputs={"embedding": "e"})

    def decode(codes):
        return np.zeros((len(codes), 1, 64, 64), dtype=np.float32)

    bound = task.of_model(task, SimpleNamespace(contract=contract, decode=decode))
    made = bound.scorer(SPLIT)
    assert made._decode(np.zeros((5, 2), dtype=np.float32)).shape == (5, 64, 64, 1)
    assert task.of_model(task, SimpleNamespace(contract=contract, decode=decode, can_decode=False)) is task


def test_what_a_models_file_names_is_cut():
    learned = Hierarchy((Continuous("n" * 10_000), Continuous("x")))
    names = kept(found(VALUES[:, 2:4], learned))["units"]["names"]
    assert [len(name) for name in names] == [60, 1]


def test_rows_that_are_assigned_to_nothing_are_nobodys_typical_item():
    given = outputs(VALUES, TRUTH)
    for name in ("assignment.0", "assignment.1"):
        given[name][:300] = -1
    codes, assigned = table(given, TRUTH)
    shown = traversals.traversals(found(codes, TRUTH, assigned=assigned), None, (64, 64, 1))
    assert all(each["item"] >= SOME[300] for each in shown["units"])
