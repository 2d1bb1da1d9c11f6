"""What accuracies on many rules say together."""

from dataclasses import replace

import pytest

from pytest_genbench.benchmarks.cvr import Cvr
from pytest_genbench.report.tables import tables
from pytest_genbench.results.reasoning import by_pair, by_relation, curves, efficiency, runs, together
from pytest_genbench.results.schema import Document
from pytest_genbench.scores import ENDLESS, Score

from .documents import case


def rule(name, value, n=1000, family="reasoning", seed=0, output="odd_one_out", more=()):
    share = Score("accuracy", value, 100, ENDLESS)
    scores = [share, *(Score(metric, part, 100, ENDLESS) for metric, part in more)]
    return case(*scores, benchmark="cvr", preset="mini", family=family, split=f"{name}-n{n}", output=output, seed=seed)


RELATIONS = {"shape": "S", "pos": "P", "pos_pos_1": "PP", "pos_shape_1": "PS", "sym_rot": "MSPZR"}


def test_seeds_are_averaged_and_problems_counted_once():
    (run,) = runs([rule("shape", 0.4), rule("shape", 0.6, seed=1), rule("pos", 0.9)])
    assert (run.training, run.n, run.output) == ("one rule", 1000, "odd_one_out")
    assert run.shares["shape"].value == pytest.approx(0.5)
    assert run.shares["shape"].n == 100
    pooled = together(run.shares.values())
    assert (pooled.rules, pooled.n, pooled.value) == (2, 200, pytest.approx(0.7))
    assert pooled.interval.low < 0.7 < pooled.interval.high
    assert together([]) is None


def test_joint_models_are_read_rule_by_rule():
    joint = rule("joint", 0.5, more=[("accuracy.shape", 0.4), ("accuracy.pos", 0.6), ("accuracy_elementary", 0.5)])
    (run,) = runs([joint])
    assert run.training == "joint"
    assert {name: share.value for name, share in run.shares.items()} == {"shape": 0.4, "pos": 0.6}


def test_what_is_no_accuracy_on_test_problems_is_left_out():
    """What training showed, sets of other laws beside the headline; and presets stay apart."""
    found = rule("shape", 0.4, output="generalisation", more=[("accuracy.test", 0.9), ("generalisation_gap", 0.5)])
    found = replace(found, scores=(*found.scores, Score("accuracy", 1.0, 50, ENDLESS, condition="in-split")))
    first, second = runs([found, replace(found, preset="checked")])
    assert (first.preset, second.preset) == ("checked", "mini")
    assert {name: share.value for name, share in first.shares.items()} == {"shape": 0.4}
    joint = rule("joint", 0.5, output="generalisation", more=[("accuracy.test", 0.9), ("accuracy.test_gen", 0.5)])
    assert not runs([joint]) or not runs([joint])[0].shares


def test_relations_and_pairs():
    (run,) = runs([rule(name, k / 10) for k, name in enumerate(RELATIONS)])
    relations = by_relation(run.shares, RELATIONS)
    assert {letter: share.rules for letter, share in relations.items()} == {"S": 3, "P": 4, "Z": 1, "R": 1}
    assert relations["S"].value == pytest.approx((0 + 0.3 + 0.4) / 3)
    assert {pair: share.value for pair, share in by_pair(run.shares, RELATIONS).items()} == pytest.approx(
        {("P", "P"): 0.2, ("S", "P"): 0.3, ("P", "S"): 0.3}
    )


def test_curves_join_the_families_that_have_a_rule():
    values = {20: 0.25, 100: 0.4, 1000: 0.9}
    found = [rule("shape", value, n, "efficiency") for n, value in values.items()]
    ((key, rules),) = curves(runs([*found, rule("shape", 0.9), rule("shape", 0.1, output="generalisation")])).items()
    assert key == ("mini", "one rule")
    assert efficiency(rules["shape"]) == (pytest.approx(0.5167, abs=1e-4), pytest.approx(0.4463, abs=1e-4))


def test_tables_of_a_document():
    found = [rule(name, 0.5, n, "efficiency") for name in ("shape", "pos") for n in (20, 100, 1000)]
    found += [rule("pos_size_1", 0.75, family="compositional"), rule("pos_shape_1", 0.25, family="compositional")]
    titles = {table.title: table for table in tables(Document(cases=tuple(found)))}
    curve = titles["cvr (mini), one rule: accuracy over the number of training problems"]
    assert curve.columns == ("rule", "20", "100", "1,000", "AUC", "SES")
    assert curve.rows[-1].cells == ("all 2", "0.500", "0.500", "0.500", "0.500", "0.500")
    assert curve.notes[0].startswith(
        "after 20 problems, on the 2 rules here that people were asked about: 0.500; people 0.975 (14 "
    )
    relation = titles["cvr (mini), odd_one_out, one rule, n = 1,000: accuracy by relation"]
    assert ("composed rules", "2", "200", "0.500", "0.431 to 0.569") in [row.cells for row in relation.rows]
    matrix = titles["cvr (mini), odd_one_out, one rule, n = 1,000: accuracy by pair of relations"]
    cells = {row.cells[0]: row.cells[1:] for row in matrix.rows}
    assert cells["position"][:3] == ("0.25", "", "0.75")
    assert cells["size"][1] == "0.75"


def test_tables_tell_elementary_rules_from_composed_ones():
    """One composed rule says nothing about relations; 10,000 problems are no part of sample efficiency."""
    assert len(tables(Document(cases=(rule("shape", 1.0), rule("pos", 1.0), rule("pos_size_1", 0.0))))) == 1
    found = [rule(name, 0.0) for name in ("pos_size_1", "pos_shape_1")] + [rule("shape", 1.0)]
    (relation,) = [table for table in tables(Document(cases=tuple(found))) if table.title.endswith("by relation")]
    cells = {row.cells[0]: row.cells[1:4] for row in relation.rows}
    assert cells["elementary rules"] == ("1", "100", "1.000")
    assert cells["composed rules"] == ("2", "200", "0.000")
    joint = [rule("joint", 0.5, n, "joint", more=[("accuracy.shape", 0.5)]) for n in (20, 50, 1000, 10_000)]
    (curve,) = [table for table in tables(Document(cases=tuple(joint))) if "over the number" in table.title]
    assert curve.columns == ("rule", "20", "50", "1,000", "AUC", "SES")


def test_published_values_are_of_the_same_training():
    """Models of one rule beside those of the paper, joint ones beside joint ones, and joint ones of some rules beside none."""
    for training, expected in (("shape", ".337 / .349"), ("joint", ".360 / .384"), ("joint-composed", None)):
        found = [rule(training, 0.5, n, more=[("accuracy.shape", 0.5)]) for n in (50, 100, 1000)]
        (curve,) = [table for table in tables(Document(cases=tuple(found))) if "over the number" in table.title]
        said = [note for note in curve.notes if note.startswith("published")]
        assert len(said) == (expected is not None)
        assert all(f"ResNet-50 {expected}" in note for note in said)


def test_the_page_says_what_the_terminal_says():
    found = tuple(
        rule(name, value + n / 5000, n, "efficiency")
        for name, value in (("shape", 0.2), ("pos", 0.7))
        for n in (20, 100, 1000)
    )
    (curve,) = [table for table in tables(Document(cases=found)) if "over the number" in table.title]
    (figure,) = [each for each in Cvr("mini").figures(found) if "over the number" in each.title]
    auc, ses = curve.rows[-1].cells[-2:]
    assert f"AUC {auc}, SES {ses}" in figure.note
    assert [f"{value:.3f}" for value in figure.lines[0].y] == list(curve.rows[-1].cells[1:-2])
    assert all(note.rstrip(".")[1:] in figure.note for note in curve.notes)


def test_other_benchmarks_have_none():
    assert not runs([case()])


def test_the_gap_stands_beside_accuracy_on_unseen_problems():
    more = [("generalisation_gap", 0.2), ("accuracy.test", 0.9), ("accuracy.test_gen", 0.7)]
    found = rule("shape", 0.7, output="generalisation", more=more)
    (table,) = tables(Document(cases=(found,)))
    cells = dict(zip(table.columns, table.rows[0].cells, strict=True))
    assert (cells["score"], cells["generalisation gap"]) == ("0.700", "0.200")
