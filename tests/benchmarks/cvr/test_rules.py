"""All 103 rules: each problem of each set is sound, and the checker would notice if it were not."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.cvr import problems
from pytest_genbench.benchmarks.cvr.checker import check
from pytest_genbench.benchmarks.cvr.checker.view import Fault
from pytest_genbench.benchmarks.cvr.laws import AXES
from pytest_genbench.benchmarks.cvr.render import render
from pytest_genbench.benchmarks.cvr.rule import RELATIONS, Rule
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.errors import BenchmarkError

by_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def test_there_are_103_rules():
    """The paper's list: numbers 0 to 102, nine of them elementary, names without repetition."""
    assert [rule.id for rule in RULES] == list(range(103))
    assert len({rule.name for rule in RULES}) == 103
    assert [rule.name for rule in RULES if rule.is_elementary] == [
        *("shape", "pos", "size", "color", "rot", "flip", "count", "inside", "contact"),
    ]
    assert "".join(rule.relations for rule in RULES[:9]) == "".join(RELATIONS)[:9] == "SPZCRFNIT"


def test_every_pair_of_relations_is_composed():
    """94 compositions cover all pairs of the nine relations (section 3)."""
    pairs = {frozenset(rule.relations) for rule in RULES if len(set(rule.relations)) == 2}
    assert {frozenset((a, b)) for a in "SPZCRFNIT" for b in "SPZCRFNIT" if a != b} <= pairs


@by_rule
def test_a_record_can_be_read(rule: Rule):
    """Every rule says what its images share and how one is odd, and names relations that exist."""
    assert set(rule.relations) <= set(RELATIONS)
    assert rule.reference
    assert rule.odd
    assert all(text and not text.endswith(".") for text in (rule.reference, *rule.odd.values()))
    assert rule.axes, "the unseen law is the law of training"
    assert rule.least >= 5


@by_rule
def test_problems_of_every_set_are_sound(rule: Rule):
    """A few of each set pass the check, are odd in a declared way, and are noticed when odd and reference are exchanged."""
    for name in ("train", "test_gen", *(f"test_{axis}" for axis in rule.axes)):
        problem = problems.make(rule, name, 3)
        assert problem.kind in rule.odd
        check(problem, rule)
        first = next(k for k in range(4) if k != problem.answer)
        images = list(problem.images)
        images[problem.answer] = images[first]
        with pytest.raises(Fault):
            check(replace(problem, images=tuple(images)), rule)
        images = list(problem.images)
        images[first] = images[problem.answer]
        with pytest.raises(Fault):
            check(replace(problem, images=tuple(images)), rule)


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if not set("RFM") & set(rule.relations)], ids=lambda rule: rule.name
)
def test_nothing_is_turned_or_mirrored_by_accident(rule: Rule):
    """Where the rule is about neither, one turned or mirrored object is noticed."""
    problem = problems.make(rule, "train", 0)
    for change in ({"angle": problem.images[0][-1].angle + 90}, {"flip": not problem.images[0][-1].flip}):
        first = (*problem.images[0][:-1], replace(problem.images[0][-1], **change))
        with pytest.raises(Fault):
            check(replace(problem, images=(first, *problem.images[1:])), rule)


@by_rule
def test_the_published_law_can_be_drawn(rule: Rule):
    """It is drawn as it is and never drawn again for being unsound."""
    made = [problems.make(rule, name, 0, published=True) for name in ("train", "test_gen")]
    assert all(problem.kind in rule.odd and problem.law == "published" for problem in made)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(RULES), st.sampled_from(["train", "test_gen"]), st.integers(0, 9_999), st.integers(0, 2**32))
def test_any_problem_is_sound_and_can_be_written_down(rule: Rule, name: str, number: int, seed: int):
    """Whatever is asked for: it passes the check, all four images show something, and its scene graph is JSON."""
    problem = problems.make(rule, name, number, seed=seed)
    check(problem, rule)
    assert all((render(image, 64) != 255).any() for image in problem.images)
    plain = json.loads(json.dumps(problem.plain()))
    assert [len(image) for image in plain["images"]] == [len(image) for image in problem.images]
    assert {str(thing["shape"]) for image in plain["images"] for thing in image} == set(plain["shapes"])


def test_a_problem_is_made_alone():
    """The same bytes in any order; other sets, numbers and seeds give others."""

    def digest(set: str, number: int, seed: int) -> str:
        problem = problems.make(RULES[47], set, number, seed=seed)
        return hashlib.sha256(b"".join(render(image).tobytes() for image in problem.images)).hexdigest()

    keys = [("train", 0, 0), ("train", 1, 0), ("val", 0, 0), ("test", 0, 0), ("test_gen", 0, 0), ("train", 0, 1)]
    found = [digest(*key) for key in keys]
    assert len(set(found)) == len(keys)
    assert [digest(*key) for key in reversed(keys)] == found[::-1]


def test_the_odd_image_is_anywhere():
    """Its place is drawn from the stream of the problem, uniformly: 400 problems, three standard errors."""
    places = Counter(problems.make(RULES[k % 9], "train", k).answer for k in range(400))
    assert all(abs(places[place] - 100) < 3 * np.sqrt(75) for place in range(4))


def test_an_axis_moves_alone():
    """A law with one axis moved differs from that of training on this axis only."""
    for rule in RULES:
        for axis in rule.axes:
            law = problems.law_of(rule, f"test_{axis}")
            assert law.moved(rule.train) == (axis,)
            assert getattr(law, axis) == getattr(rule.unseen, axis)


def test_sets_that_do_not_exist():
    """A set or a rule that is not there is named with what may have been meant."""
    fixed = next(rule for rule in RULES if "number" not in rule.axes)
    with pytest.raises(BenchmarkError, match="has no set 'test_number'") as caught:
        problems.make(fixed, "test_number", 0)
    assert str(caught.value).count("test_number") == 1, "what the rule does not have is offered"
    with pytest.raises(BenchmarkError, match="Did you mean 'pos_size_1'"):
        problems.find("pos_sizes_1")
    with pytest.raises(BenchmarkError, match="from 0 to 102"):
        problems.find(103)
    assert set(AXES) == {"shape", "size", "colour", "number", "direction"}


def test_a_rule_that_cannot_be_drawn_says_so():
    """A law without room ends with an error after so many attempts, not in an endless loop."""
    rule = RULES[6]
    law = replace(rule.train, size=replace(rule.train.size, most=0.9), number=(8, 9))
    with pytest.raises(
        problems.PlacementError, match="none of 1000 attempts was sound; the last one: there is no room"
    ):
        problems.make(rule, "train", 0, law=law)


def test_problems_stay_what_they_were():
    """Published results are on these problems; a change needs a new version of the benchmark."""
    for published, expected in (
        (False, [3, 3, 2, 3, 1, 0, 1, 0, 0, 0, 3, 3, 2, 1, 3, 3]),
        (True, [1, 3, 0, 0, 1, 2, 2, 3, 0, 1, 0, 2, 0, 2, 1, 3]),
    ):
        made = [problems.make(RULES[rule], "test", k, published=published) for rule in (0, 47) for k in range(8)]
        assert [problem.answer for problem in made] == expected
