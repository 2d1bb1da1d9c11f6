"""The splits, against the counts of the paper's protocol."""

import numpy as np
import pytest

from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.errors import BenchmarkError

LENGTHS = {
    "published": [(384, 11_520), (768, 11_136), (1_536, 10_368), (3_072, 8_832), (6_144, 5_760)],
    "described": [(810, 24_300), (1_620, 23_490), (3_240, 21_870), (6_480, 18_630), (12_960, 12_150)],
}
POSITIONS = {
    "published": [(5_952, 5_952), (5_760, 6_144), (5_376, 6_528), (4_608, 7_296), (3_072, 8_832)],
    "described": [(12_555, 12_555), (12_150, 12_960), (11_340, 13_770), (9_720, 15_390), (6_480, 18_630)],
}


def sizes(splits):
    return [(len(split.test), len(split.train)) for split in splits]


@pytest.mark.parametrize("preset", ["published", "described"])
class TestCounts:
    def test_length(self, preset):
        splits = CompOrth(preset).splits("length")
        assert sizes(splits) == LENGTHS[preset]
        assert [split.group for split in splits] == ["shorter", "between", "between", "between", "longer"]

    def test_compositional(self, preset):
        splits = CompOrth(preset).splits("compositional")
        assert sizes(splits) == POSITIONS[preset] * 2
        assert [split.slug[-2:] for split in splits] == ["A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5"]

    def test_spatial(self, preset):
        splits = CompOrth(preset).splits("spatial")
        count, test, train = {"published": (48, 248, 11_656), "described": (81, 310, 24_800)}[preset]
        assert sizes(splits) == [(test, train)] * count


@pytest.mark.parametrize("preset", ["published", "described", "mini"])
@pytest.mark.parametrize("family", CompOrth.families)
def test_train_and_test_divide_the_images(preset, family):
    benchmark = CompOrth(preset)
    for split in benchmark.splits(family):
        both = np.concatenate([split.train, split.test])
        np.testing.assert_array_equal(np.sort(both), np.arange(benchmark.grid.size))


def held_out_words(split, benchmark):
    return {benchmark.stimuli.words[w] for w in benchmark.grid.levels(split.test)[:, 0]}


def test_a_compositional_split_holds_out_its_letter_at_its_position():
    benchmark = CompOrth("mini")
    words = {split.slug[-2:]: held_out_words(split, benchmark) for split in benchmark.splits("compositional")}
    for name, held_out in words.items():
        assert held_out == {w for w in benchmark.stimuli.words if w[int(name[1]) - 1 : int(name[1])] == name[0]}
    for position in range(1, 6):
        pair = words[f"A{position}"], words[f"B{position}"]
        assert pair[0].isdisjoint(pair[1])
        assert pair[0] | pair[1] == {w for w in benchmark.stimuli.words if len(w) >= position}
    assert sum(map(len, words.values())) == 258
    for word in benchmark.stimuli.words:
        assert sum(word in held_out for held_out in words.values()) == len(word)


@pytest.mark.parametrize("family", ["spatial", "length"])
def test_each_image_is_held_out_once(family):
    benchmark = CompOrth("mini")
    held_out = np.concatenate([split.test for split in benchmark.splits(family)])
    np.testing.assert_array_equal(np.sort(held_out), np.arange(benchmark.grid.size))


def test_slugs_are_unique():
    benchmark = CompOrth()
    slugs = [split.slug for family in benchmark.families for split in benchmark.splits(family)]
    assert len(set(slugs)) == len(slugs) == 63
    assert "spatial-x-2y+3" in slugs


@pytest.mark.parametrize(
    ("trained_on", "tested", "exposed"),
    [
        ("comporth/mini/compositional-B5", "compositional-B5", False),
        ("comporth/mini/compositional-B5", "compositional-A5", True),
        ("comporth/mini/compositional-A1", "compositional-A2", True),
        # Without five-letter words there was no B at position 5 either.
        ("comporth/mini/length-5", "compositional-B5", False),
        ("comporth/mini/compositional-B5", "length-5", True),
        ("comporth/described/compositional-B5", "compositional-B5", False),
        ("comporth/described/compositional-B5", "compositional-A5", True),
    ],
)
def test_exposure(trained_on, tested, exposed):
    benchmark = CompOrth("mini")
    split = next(s for family in benchmark.families for s in benchmark.splits(family) if s.slug == tested)
    assert benchmark.is_exposed(trained_on, split) is exposed


def test_unknown_names_are_explained():
    benchmark = CompOrth("mini")
    with pytest.raises(BenchmarkError, match="Did you mean 'spatial'"):
        benchmark.splits("spacial")
    with pytest.raises(BenchmarkError, match="Did you mean 'comporth/mini/compositional-B5'"):
        benchmark.is_exposed("comporth/mini/compositional-B6", benchmark.splits("length")[0])
