"""CVR as a benchmark: it keeps to what everything here relies on, and tells what its problems are about."""

import numpy as np
import pytest

from pytest_genbench.benchmarks import Poses, Scalable, Tells, get
from pytest_genbench.benchmarks.cvr import Cvr, sets
from pytest_genbench.benchmarks.cvr.render import render
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.testing import check_benchmark


@pytest.fixture(scope="module")
def mini():
    return get("cvr", "mini")


def test_conforms(mini):
    check_benchmark(mini)


def test_what_else_it_can_do(mini):
    for protocol in (Poses, Scalable, Tells):
        assert isinstance(mini, protocol)
    assert mini.sized(64) is mini
    assert mini.sized(32).images([0]).shape == (1, 4, 32, 32, 3)


def test_a_rule_is_explained(mini):
    for rule in (RULES[0], RULES[71]):
        rows = dict(mini.explain(find_split(mini, f"{rule.name}-n20")))
        assert rows["rule"].startswith(f"{rule.id} {rule.name}: ")
        assert rows["three images"] == rule.reference
        assert {f"odd by {kind}": text for kind, text in rule.odd.items()}.items() <= rows.items()
    rows = mini.explain(find_split(mini, "joint-elementary-n20"))
    assert rows == [(f"{rule.id} {rule.name}", rule.reference) for rule in RULES[:9]]


def test_every_way_to_be_odd_is_explained(mini):
    items = np.concatenate([sets.items(rule.id, "test", 2) for rule in RULES[::8]])
    for item, caption in zip(items.tolist(), mini.captions(items), strict=True):
        problem = mini.problem(item)
        rule = RULES[problem.rule]
        assert caption == f"{rule.name}: the odd one {rule.odd[problem.kind]}"


def test_what_training_never_shows():
    benchmark = Cvr("mini")
    split = find_split(benchmark, "joint-elementary-n20")
    items = benchmark.unseen(split)
    assert {sets.place(item).set for item in items.tolist()} == {"test_gen"}
    assert benchmark.about(items)["rule"].tolist() == sorted(list(range(9)) * 1000)
    assert not np.isin(items, np.concatenate([split.train, split.validation])).any()


def test_answers_that_were_forgotten_are_found_again(monkeypatch):
    monkeypatch.setattr("pytest_genbench.benchmarks.cvr.benchmark._REMEMBERED", 2)
    benchmark = Cvr("mini")
    items = sets.items(3, "test", 12)
    expected = [benchmark.problem(item).answer for item in items.tolist()]
    assert benchmark.targets(items)["scores"].tolist() == expected
    assert len(set(expected)) > 1


def test_another_size_has_the_same_problems():
    assert (other := Cvr("published", seed=3).sized(48)).seed == 3
    assert other.is_published


def test_published_images_are_drawn_as_published():
    benchmark = Cvr("published", side=64)
    found, things = benchmark.images([7])[0, 0], benchmark.problem(7).images[0]
    assert np.array_equal(found, render(things, 64, published=True))
    assert not np.array_equal(found, render(things, 64))


def test_splits_to_train_on_do_not_depend_on_an_order():
    benchmark = Cvr("mini")
    first, second = benchmark.training((2, 0), 5), benchmark.training((0, 2), 5)
    assert first.slug == second.slug == "shape+size-n5"
    for other in ("cvr/minni/size-n20", "faces/mini/size-n20"):
        with pytest.raises(BenchmarkError, match="is not a split of cvr"):
            benchmark.is_exposed(other, first)
