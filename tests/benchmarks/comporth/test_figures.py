"""Figures of results, exactly, from cases made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from pytest_genbench.benchmarks import Contrasts, Illustrates, get
from pytest_genbench.figures import Bars, Curves, HeatMap, Line, Panels, Points
from pytest_genbench.results import models as comparison
from pytest_genbench.results.schema import Document, GateResult
from pytest_genbench.scores import Anchor, Interval, over_seeds
from tests.results.documents import case, score

COMPORTH = get("comporth", "mini")
CHANCE = Anchor("chance", "target_probability", 1 / 62, judge="published-1")


def read(split, value, in_split=None, **changes):
    """A case of reconstruction: held out and in split, with chance beside it."""
    family = split.partition("-")[0]
    scores = [score(value, interval=changes.pop("interval", None))]
    if in_split is not None:
        scores += [score(0.5, judge="robust-1"), score(in_split, condition="in-split")]
    anchors = (CHANCE, *changes.pop("anchors", ()))
    held_out = changes.pop("held_out", split.partition("-")[2])
    return case(*scores, family=family, split=split, held_out=held_out, anchors=anchors, **changes)


def constant(value):
    return Anchor("constant answer", "target_probability", value, judge="published-1")


def figures(cases, kind):
    return [figure for figure in COMPORTH.figures(cases) if isinstance(figure, kind)]


def contrasts(models, kind):
    return [figure for figure in COMPORTH.contrasts(models) if isinstance(figure, kind)]


def test_the_benchmark_offers_both():
    assert isinstance(COMPORTH, Illustrates)
    assert isinstance(COMPORTH, Contrasts)
    assert list(COMPORTH.figures([])) == []
    assert list(COMPORTH.contrasts({"a": [], "b": []})) == []


PLACES = [("spatial-x+0y-1", 0.25), ("spatial-x-1y+1", 1.0), ("spatial-x+1y-1", 0.75), ("spatial-x-1y-1", 0.5)]


def test_places_lie_as_in_the_image():
    published = Anchor("published", "target_probability", 0.9, "published", note="lower bound")
    (found,) = figures([read(split, value, 0.875, anchors=(published,)) for split, value in PLACES], HeatMap)
    assert (found.rows, found.columns) == (("+1", "+0", "-1"), ("-1", "+0", "+1"))
    assert found.values == ((1.0, None, None), (None, None, None), (0.5, 0.25, 0.75))
    assert found.means
    assert found.note == (
        "All words are held out at one shift from the centre. In split: 0.875, mean over all. Chance: 0.016. "
        "Published: 0.90, lower bound."
    )


def test_few_places_are_no_map():
    assert list(COMPORTH.figures([read(split, value) for split, value in PLACES[:3]])) == []


def test_all_places_of_a_preset():
    splits = [split.slug for split in get("comporth").splits("spatial")]
    (found,) = figures([read(slug, n / 48) for n, slug in enumerate(splits)], HeatMap)
    assert (found.rows[0], found.rows[-1], len(found.rows)) == ("+3", "-4", 8)
    assert (found.columns[0], found.columns[-1], len(found.columns)) == ("-2", "+3", 6)
    assert found.values[-1][0] == 0
    assert found.values[0][-1] == 47 / 48


def test_letters_in_order_with_what_to_read_them_by():
    gate = GateResult("failed", "floor", "target_probability", "", 0.9)
    cases = [
        read("compositional-B1", 0.25, 0.75, anchors=(constant(1 / 31),), gates=(gate,)),
        read("compositional-A10", 0.5, 1.0, anchors=(constant(1 / 2),), interval=Interval(0.25, 0.75, "x")),
        read("compositional-A2", 0.0, 1.0, anchors=(constant(1 / 30),)),
    ]
    (found,) = figures(cases, Bars)
    assert found.labels == ("A2", "A10", "B1")
    assert found.series == {"held out": (0.0, 0.5, 0.25), "in split": (1.0, 1.0, 0.75)}
    assert found.intervals == {"held out": (None, (0.25, 0.75), None), "in split": (None, None, None)}
    assert found.marks == {"constant answer": (1 / 30, 1 / 2, 1 / 31)}
    assert found.levels == {"chance": 1 / 62, "gate": 0.9}
    assert found.title.endswith("reconstruction: target probability, read by published-1")


def test_means_over_seeds_with_their_interval():
    cases = [read("compositional-A1", value, seed=seed) for seed, value in enumerate((0.25, 0.5, 0.75))]
    (found,) = figures([*cases, read("compositional-A2", 1.0)], Bars)
    expected = over_seeds([0.25, 0.5, 0.75])
    assert found.series == {"held out": (0.5, 1.0)}
    assert found.intervals == {"held out": ((expected.low, expected.high), None)}
    assert "Means over 3 seeds or fewer" in found.note


def test_what_went_wrong_as_shares_of_items():
    errors = {"too short": 3, "held-out letter replaced": 6, "too long": 0}  # of 30
    cases = [read("compositional-A1", 0.5, errors=errors), read("compositional-A2", 1.0, errors={"odd": 1})]
    _, found = figures(cases, Bars)
    assert found.series == {
        "held-out letter replaced": (0.2, 0.0),
        "too short": (0.1, 0.0),
        "odd": (0.0, 1 / 30),
    }
    assert found.high == 0.2
    sampled = [replace(case, scores=(replace(case.scores[0], population=3000),)) for case in cases]
    assert figures(sampled, Bars)[1].series == found.series


def test_lengths_beside_the_constant_answer():
    cases = [read(f"length-{n}", n / 8, 1.0, anchors=(constant(2.0**-n),)) for n in (5, 1, 3)]
    (found,) = figures(cases, Curves)
    assert found.lines == (
        Line("held out", (1.0, 3.0, 5.0), (0.125, 0.375, 0.625), (None, None, None)),
        Line("in split", (1.0, 3.0, 5.0), (1.0, 1.0, 1.0), (None, None, None)),
        Line("constant answer", (1.0, 3.0, 5.0), (0.5, 0.125, 0.03125)),
    )
    assert found.levels == {"chance": 1 / 62}
    assert found.ticks == {1.0: "1", 3.0: "3", 5.0: "5"}
    assert figures(cases[:2], Curves) == []


def test_a_figure_for_each_task():
    spellings = [
        case(score(value, metric="word_accuracy", judge=""), output="recognition", split=f"compositional-A{n}")
        for n, value in ((1, 0.5), (2, 0.25))
    ]
    first, second = figures([read("compositional-A1", 1.0), read("compositional-A2", 1.0), *spellings], Bars)
    assert first.series == {"held out": (0.5, 0.25)}
    assert first.title.endswith("recognition: word accuracy")
    assert second.series == {"held out": (1.0, 1.0)}


def code(split, loss, mir, letters, seed=0, **perturbed):
    """A case of disentanglement; of perturbed units the shares by name."""
    scores = {"mir_letters": letters, "mig_letters": 0.25, "mir_all": mir, "active_units": 30.0, "excess_bce": loss}
    made = [score(value, metric=name, judge="", condition="all") for name, value in scores.items()]
    for name, units in perturbed.items():
        clusters = {str(unit): (1, value) for unit, value in units.items()}
        made.append(score(metric=name, clusters=clusters, condition="all"))
    anchors = (Anchor("noise", "mir_letters", 0.1),)
    return case(*made, output="disentanglement", split=split, held_out=split, seed=seed, anchors=anchors)


def test_codes_and_their_units():
    one = {"perturbed_one_letter": {0: 0.5, 1: 0.25, 2: 0.0}, "position_entropy": {0: 0.0, 1: 1.5}}
    cases = [code("compositional-A1", 2.0, 0.5, 0.75, **one), code("compositional-A2", 2.0, 0.25, 0.5)]
    ratios, changed = figures(cases, Bars)
    assert ratios.series == {"MIR letters": (0.75, 0.5), "MIG letters": (0.25, 0.25), "MIR all": (0.5, 0.25)}
    assert ratios.levels == {"noise": 0.1}
    assert "Active units: 30 to 30." in ratios.note
    assert changed.series == {"one letter": (0.25, None)}
    (units,) = figures(cases, Points)
    # Unit 2 never changes a letter, so it is about no position.
    assert units.groups == {"units, all splits": ((0.5, 0.0), (0.25, 1.5))}


MODELS = {
    "good": [(1.0, 0.5, 0.75), (3.0, 0.75, 0.5)],
    "other": [(4.0, 0.75, 0.25), (6.0, 0.75, 0.5)],
    "bad": [(8.0, 0.25, 0.25), (8.0, 0.25, 0.125)],
}
"""Loss, MIR of all factors and of letters for the splits A1 and A2; ``bad`` is beaten in loss and MIR."""

ACCURACY = {"good": (0.75, 0.5), "other": (0.5, 0.25), "bad": (0.5, 0.0)}


def everything():
    slugs = ("compositional-A1", "compositional-A2")
    return {
        name: [
            *(code(slug, *codes) for slug, codes in zip(slugs, MODELS[name], strict=True)),
            *(read(slug, value) for slug, value in zip(slugs, ACCURACY[name], strict=True)),
        ]
        for name in MODELS
    }


def test_models_side_by_side_by_letter():
    models = everything() | {"partial": [read("compositional-A2", 0.125), read("compositional-B1", 1.0)]}
    (found,) = contrasts(models, Bars)
    assert found.labels == ("A1", "A2", "B1")
    assert found.series == {
        "good": (0.75, 0.5, None),
        "other": (0.5, 0.25, None),
        "bad": (0.5, 0.0, None),
        "partial": (None, 0.125, 1.0),
    }
    assert found.levels == {"chance": 1 / 62}


def test_models_side_by_side_by_length_and_place():
    def one(scale):
        lengths = [read(f"length-{n}", scale / n) for n in (1, 2, 4)]
        return [*lengths, *(read(split, scale * value) for split, value in PLACES)]

    models = {"a": one(1.0), "b": one(0.5), "c": one(1.0)[:2]}
    (lengths,) = contrasts(models, Curves)
    assert [(each.name, each.x, each.y) for each in lengths.lines] == [
        ("a", (1.0, 2.0, 4.0), (1.0, 0.5, 0.25)),
        ("b", (1.0, 2.0, 4.0), (0.5, 0.25, 0.125)),
    ]
    # A place that one model lacks counts for none.
    models["a"].append(read("spatial-x+1y+1", 0.0))
    (panels,) = contrasts(models, Panels)
    up, right = panels.figures
    assert up.lines == (Line("a", (-1.0, 1.0), (0.5, 1.0)), Line("b", (-1.0, 1.0), (0.25, 0.5)))
    assert right.lines[0] == Line("a", (-1.0, 0.0, 1.0), (0.75, 0.25, 0.75))
    assert "4 places" in panels.note


def test_the_numbers_are_those_of_the_comparison_in_words(tmp_path):
    front, against = contrasts(everything(), Points)
    assert front.groups == {"good": ((2.0, 0.625),), "other": ((5.0, 0.75),), "bad": ((8.0, 0.25),)}
    assert front.front == ((2.0, 0.625), (5.0, 0.75))
    assert against.groups["good"] == ((0.75, 0.75), (0.5, 0.5))
    paths = []
    for name, cases in everything().items():
        paths.append(tmp_path / f"{name}.json")
        comparison.io.write(paths[-1], Document(cases=tuple(sorted(cases, key=lambda c: c.key)), model={"spec": name}))
    said, _ = comparison.compare_models(paths)
    # Four pairs, of the models on the front alone.
    x, y = (0.75, 0.5, 0.25, 0.5), (0.75, 0.5, 0.5, 0.25)
    rho = pearson(x, y)
    line = f"4 pairs of the models on the front and their splits: Pearson {rho:+.2f} (p = "
    assert line in against.note
    assert line in said
    for number in ("2.00", "5.00", "8.00", "0.625", "0.750", "0.250"):
        assert number in said
    assert "0.13 (p = 0.26)" in against.note


def pearson(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


def test_one_model_is_no_contrast():
    assert list(COMPORTH.contrasts({"good": everything()["good"], "bad": []})) == []


@pytest.mark.parametrize("family", ["compositional", "length"])
def test_one_split_is_no_figure(family):
    assert list(COMPORTH.figures([read(f"{family}-{'A1' if family == 'compositional' else 1}", 0.5)])) == []
