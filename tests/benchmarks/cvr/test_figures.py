"""What CVR shows of one model: exact values from cases made by hand, and nothing where there is nothing to see."""

from __future__ import annotations

import pytest

from pytest_genbench.benchmarks import Contrasts, Illustrates
from pytest_genbench.benchmarks.cvr import Cvr
from pytest_genbench.benchmarks.cvr.people import PEOPLE
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.figures import Bars, Curves, Figure, HeatMap
from pytest_genbench.results.schema import Case
from pytest_genbench.scores import ENDLESS, Score, wilson

from ...results.documents import case

CVR = Cvr("mini")


def answered(
    rule: str, value: float, n: int = 1000, *, output: str = "odd_one_out", seed: int = 0, **more: float
) -> Case:
    """A case of a model of one rule, or of several, with 100 problems; `more` are other accuracies."""
    scores = [Score("accuracy", value, 100, ENDLESS)]
    scores += [Score(metric.replace("__", "."), other, 100, ENDLESS) for metric, other in more.items()]
    family = "joint" if rule.startswith("joint") else "reasoning"
    return case(*scores, benchmark="cvr", preset="mini", family=family, split=f"{rule}-n{n}", output=output, seed=seed)


def titled(cases: list[Case], start: str) -> Figure:
    """The only figure whose title begins so."""
    (found,) = [figure for figure in CVR.figures(cases) if figure.title.startswith(start)]
    return found


def bars(cases: list[Case], start: str) -> Bars:
    found = titled(cases, start)
    assert isinstance(found, Bars)
    return found


def test_it_has_figures() -> None:
    assert isinstance(CVR, Illustrates)
    assert isinstance(CVR, Contrasts)


def test_nothing_is_shown_of_nothing() -> None:
    assert list(CVR.figures([])) == []
    assert list(CVR.figures([answered("shape", 0.5)])) == []
    assert list(CVR.figures([answered("no rule", 0.5), answered("pos+size", 0.5), case()])) == []
    assert list(CVR.figures([case(benchmark="cvr", output="odd_one_out")])) == []


def test_rules_are_sorted_beside_people_and_shortcuts() -> None:
    cases = [answered("shape", 0.3), answered("pos", 0.9), answered("sym_rot", 0.9), answered("pos", 0.2, 20)]
    cases += [answered("shape", 0.25, output="generalisation"), answered("pos", 0.1, 20, output="generalisation")]
    found = bars(cases, "Accuracy by rule")
    assert found.title == "Accuracy by rule; each rule trained alone, n = 1,000"
    assert found.labels == ("pos", "sym_rot", "shape")
    assert found.series == {"test problems": (0.9, 0.9, 0.3), "unseen law": (None, None, 0.25)}
    limits = wilson(90, 100)
    assert found.intervals["test problems"][0] == (limits.low, limits.high)
    assert found.intervals["unseen law"][:2] == (None, None)
    assert found.marks["people"] == (0.98, None, 0.97)
    assert found.marks["best shortcut"] == (pytest.approx(0.996), pytest.approx(0.28, abs=0.01), pytest.approx(0.266))
    assert found.levels == {"chance": 0.25}
    assert "Of n = 20, 1,000 the number" in found.note
    assert "People: over the 20 problems that they saw of each of 45 rules" in found.note
    assert "seeds" not in found.note


def test_people_stand_only_where_they_were_asked() -> None:
    found = bars([answered("sym_rot", 0.3), answered("sym_mir", 0.4)], "Accuracy by rule")
    assert set(found.marks) == {"best shortcut"}
    assert "People" not in found.note
    assert "Of n" not in found.note


def test_most_rules_decide_before_most_problems() -> None:
    cases = [answered("shape", 0.3, 20), answered("pos", 0.4, 20), answered("size", 0.5, 50), answered("pos", 0.6, 50)]
    cases += [answered("shape", 0.3, 1000)]
    cases += [answered(rule, 0.1, 20, output="generalisation") for rule in ("shape", "pos", "count")]
    assert bars(cases, "Accuracy by rule").title.endswith("n = 50")


def test_seeds_are_averaged() -> None:
    cases = [answered(rule, value, seed=seed) for rule in ("shape", "pos") for seed, value in enumerate((0.5, 1.0))]
    found = bars(cases, "Accuracy by rule")
    assert found.series["test problems"] == (0.75, 0.75)
    assert found.note.endswith("Means over 2 training seeds.")


def test_relations_and_pairs() -> None:
    """Rules of three relations count for each of these, and for no pair."""
    values = {"shape": 1.0, "pos_size_1": 0.5, "pos_size_2": 0.7, "pos_pos_1": 0.4, "sym_rot": 0.0}
    cases = [answered(rule, value) for rule, value in values.items()]
    cases += [
        answered("pos_size_1", 0.2, output="generalisation"),
        answered("pos_size_2", 0.3, output="generalisation"),
    ]
    found = bars(cases, "Accuracy by relation")
    assert found.labels == (
        "shape (2)",
        "position (4)",
        "size (3)",
        "rotation",
        "elementary rules",
        "composed rules (4)",
    )
    assert found.series["test problems"] == pytest.approx((0.5, 0.4, 0.4, 0.0, 1.0, 0.4))
    assert found.series["unseen law"][1] == 0.25
    limits = wilson(160, 400)
    assert found.intervals["test problems"][1] == (limits.low, limits.high)
    pairs = titled(cases, "Accuracy by pair of relations, test problems")
    assert isinstance(pairs, HeatMap)
    assert (pairs.rows[:3], len(pairs.columns), len(pairs.values)) == (("shape", "position", "size"), 9, 9)
    assert (pairs.values[1][1], pairs.values[1][2], pairs.values[2][1]) == (0.4, 0.6, 0.6)
    assert sum(value is not None for row in pairs.values for value in row) == 3
    unseen = titled(cases, "Accuracy by pair of relations, unseen law")
    assert isinstance(unseen, HeatMap)
    assert unseen.values[1][1:3] == (None, 0.25)


def test_one_composed_rule_says_nothing_of_relations() -> None:
    cases = [answered("shape", 1.0), answered("pos", 1.0), answered("pos_size_1", 0.0)]
    assert [figure.title.partition(";")[0] for figure in CVR.figures(cases)] == ["Accuracy by rule"]


def test_curves_are_of_rules_with_every_number_of_problems() -> None:
    cases = [answered("pos", value, n) for n, value in ((20, 0.5), (100, 0.7), (1000, 0.9))]
    cases += [answered("sym_rot", value, n) for n, value in ((20, 0.3), (100, 0.3), (1000, 0.3))]
    cases += [answered("shape", 0.1, 20), answered("shape", 0.2, 10_000)]
    found = titled(cases, "Accuracy over the number")
    assert isinstance(found, Curves)
    assert [line.name for line in found.lines] == ["mean of 2 rules", "pos", "sym_rot", "people"]
    assert found.lines[0].x == (20, 100, 1000)
    assert found.lines[0].y == pytest.approx((0.4, 0.5, 0.6))
    limits = wilson(80, 200)
    assert found.lines[0].intervals[0] == (limits.low, limits.high)
    assert (found.lines[-1].x, found.lines[-1].y) == ((20.0,), (pytest.approx((PEOPLE[0][0] + PEOPLE[1][0]) / 2),))
    assert found.is_log
    assert found.note.startswith("Of the mean of 2 rules: AUC 0.500, SES 0.478, over n = 20, 100, 1,000; the paper")
    assert "After 20 problems, on the 2 rules here that people were asked about: 0.300; people 0.975" in found.note
    assert "each trained alone): ResNet-50 .337 / .349" in found.note


def test_many_rules_are_drawn_as_their_mean_with_the_elementary_ones() -> None:
    cases = [answered(rule.name, 0.5, n) for rule in RULES[1:12] for n in (20, 50, 100)]
    found = titled(cases, "Accuracy over the number")
    assert isinstance(found, Curves)
    elementary = [rule.name for rule in RULES[1:9]]
    assert [line.name for line in found.lines] == ["mean of 11 rules", *elementary, "people"]
    six = titled([answered("pos", 0.5, n) for n in (20, 50, 100, 200, 500, 1000)], "Accuracy over the number")
    assert six.note.startswith("Of pos: AUC 0.500, SES 0.500, over n = 20, 50, 100, 200, 500, 1,000. After 20")
    few = titled([answered("pos", 0.5, n) for n in (50, 100, 200)], "Accuracy over the number")
    assert isinstance(few, Curves)
    assert [line.name for line in few.lines] == ["pos"]
    assert not [f for f in CVR.figures([answered("pos", 0.5, n) for n in (50, 100)]) if isinstance(f, Curves)]


def test_joint_models_stand_for_themselves() -> None:
    joint = [answered("joint", 0.5, n, accuracy__shape=0.4, accuracy__pos=0.6) for n in (20, 100, 1000)]
    found = titled(joint, "Accuracy over the number")
    assert found.title.endswith("; all rules trained together")
    assert "trained together): ResNet-50 .360 / .384" in found.note
    assert bars([*joint, answered("pos", 0.1)], "Accuracy by rule").series == {"test problems": (0.6, 0.4)}


def test_axes_stand_beside_the_same_rules_with_nothing_unseen() -> None:
    cases = [answered("pos", 0.6, output="axes", accuracy__none=0.9, accuracy__size=0.7, accuracy__shape=0.5)]
    cases += [answered("size", 0.6, output="axes", accuracy__none=0.7, accuracy__size=0.6)]
    cases += [answered("size", 0.6, 20, output="axes", accuracy__none=0.1, accuracy__size=0.1)]
    cases += [answered("count", 0.6, 20, output="axes", accuracy__none=0.1, accuracy__size=0.1)]
    found = bars(cases, "Accuracy with one thing unseen")
    assert found.title.endswith("each rule trained alone, n = 1,000")
    assert found.labels == ("size unseen (2)", "shape unseen")
    assert found.series == {"nothing unseen": pytest.approx((0.8, 0.9)), "unseen": pytest.approx((0.65, 0.5))}
    # All at once only where every one of these rules was tested so.
    once = [answered("pos", 0.4, output="generalisation", accuracy__test=0.8, accuracy__test_gen=0.4)]
    assert bars([*cases, *once], "Accuracy with one thing unseen").labels == found.labels
    once += [answered("size", 0.2, output="generalisation", accuracy__test=0.6, accuracy__test_gen=0.2)]
    found = bars([*cases, *once], "Accuracy with one thing unseen")
    assert found.labels[-1] == "all at once (2)"
    assert (found.series["nothing unseen"][-1], found.series["unseen"][-1]) == pytest.approx((0.7, 0.3))


def test_order_and_components() -> None:
    """The order of the images; and what a composition teaches of its parts, with Newcombe's interval."""
    cases = [
        case(
            Score("order_agreement", agreed, 100, ENDLESS),
            Score("accuracy", right, 200, ENDLESS),
            benchmark="cvr",
            preset="mini",
            split=f"{rule}-n1000",
            output="order",
        )
        for rule, agreed, right in (("pos", 0.5, 0.9), ("size", 1.0, 0.8))
    ]
    order = bars(cases, "The same image chosen")
    assert (order.labels, order.series) == (("size", "pos"), {"same choice": (1.0, 0.5)})
    assert order.marks == {"accuracy": (0.8, 0.9)}
    rules = (("pos_size_1", 0.9, 0.5), ("pos_count_2", 0.3, 0.35))
    cases = [
        answered(rule, parts, output="reverse", accuracy__own=own, accuracy__components=parts)
        for rule, own, parts in rules
    ]
    reverse = bars(cases, "Accuracy on the components")
    assert reverse.labels == ("pos_count_2 (0.30)", "pos_size_1 (0.90)")
    assert reverse.series == {"difference of accuracies": pytest.approx((0.05, -0.4))}
    ((low, high),) = reverse.intervals["difference of accuracies"][1:]  # type: ignore[misc]
    parts, own = wilson(50, 100), wilson(90, 100)
    assert low == pytest.approx(-0.4 - ((0.5 - parts.low) ** 2 + (own.high - 0.9) ** 2) ** 0.5)
    assert high == pytest.approx(-0.4 + ((parts.high - 0.5) ** 2 + (0.9 - own.low) ** 2) ** 0.5)
    assert (reverse.low, reverse.high) == (-0.6, 0.6)
    assert reverse.note.endswith("above 0.8: 1 of these, mean -0.400.")
