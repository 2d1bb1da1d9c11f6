import itertools
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.errors import HierarchyError, MetricError
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy
from pytest_genbench.metrics.correspondence import correspondence_r2
from pytest_genbench.metrics.hierarchical import CorrespondenceResult, r, r_and_r_c, r_c

from ..strategies import hierarchies, samples_of
from .latents import CHOPSTICKS_KINDS, chopsticks, representations, spaceshapes
from .representations import LEARNED, MERGED_UP, PUSHED_DOWN, SPACESHAPES
from .tester import Claims, checks

FACTORS, CODES, CASES = chopsticks()
SLOPE = Hierarchy((Continuous(), Categorical(((), (Continuous(),)))))

NOISE = {"noisy0.002": 0.03, "rotated_when_active": 0.06}
"""How far one set of random splits of 500 samples may be from another; the recorded ones were drawn from NumPy's global state."""


def flat(factors, codes):
    return {"truth": Hierarchy.flat(np.shape(factors)[1]), "learned": None}


SAME = {
    "order of units": 1e-9,
    "order of factors": 1e-9,
    "constant unit": 1e-9,
    "one-level factor": 1e-9,
    "every unit twice": 1e-9,
    "scaled units": 0.1,
    "mirrored units": 0.1,
    "scaled factors": 1e-6,
}
"""Rounded values may lie halfway between two others, where rounding, or a mirror, decides which side of a split they are on; and of
equally good splits, trees choose the first, which is the last in a mirror."""

COMMON = {
    "kind": "continuous",
    "perfect": pytest.approx(1, abs=0.005),
    "samples": (100, 150),
    "units": (1, 3),
    "same": SAME,
    "examples": 5,
}


@pytest.mark.parametrize("check", checks(Claims(r, name="r[fast]", **COMMON)))
def test_claims_of_r(check):
    check()


@pytest.mark.parametrize(
    "check", checks(Claims(r_c, settings=flat, name="r_c[fast]", refuses=(MetricError, HierarchyError), **COMMON))
)
def test_claims_of_r_c(check):
    check()


@pytest.mark.parametrize("variant", ["default", "paper"])
@pytest.mark.parametrize("case", CASES)
def test_recorded_scores(case, variant):
    learned = Hierarchy.from_json(CASES[case]["hierarchy"])
    flat_, conditional = r_and_r_c(FACTORS, CODES[case], truth=SLOPE, learned=learned, variant=variant)
    assert list(conditional.parts) == ["k1", "z1", "z2"]
    for found, recorded in ((conditional, "R4c"), (flat_, "R4")):
        # Without a hierarchy, a half of the values are 0, and all factors but the first are predicted with errors.
        away = {"push_down": 0.06, "monotone": 0.03}.get(case, 0.002) if recorded == "R4" else 0.002
        away = NOISE.get(case, away)
        assert list(found.parts.values()) == pytest.approx(CASES[case][f"{recorded}_per_factor"][0], abs=away)
        assert found.value == pytest.approx(CASES[case][recorded], abs=away)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_recorded_scores_by_the_published_recipe(case):
    learned = Hierarchy.from_json(CASES[case]["hierarchy"])
    settings = {"truth": SLOPE, "learned": learned}
    published = r_c(FACTORS, CODES[case], estimator="gbdt", variant="paper", **settings)
    assert published.name == "r_c[gbdt-paper]"
    assert list(published.parts.values()) == pytest.approx(CASES[case]["R4c_per_factor"][0], abs=NOISE.get(case, 0.002))
    fast = r_c(FACTORS, CODES[case], **settings)
    # Below 512 values nothing is cut into bins: the same trees but for ties.
    assert fast.parts == pytest.approx(published.parts, abs=0.005)


def test_a_small_case_by_the_published_recipe():
    factors = spaceshapes(50, 1)[:, [0, 2]]
    fast, published = (
        r_c(factors, factors, truth=FLAT_SHAPE, learned=FLAT_SHAPE, estimator=each) for each in ("fast", "gbdt")
    )
    assert published.name == "r_c[gbdt]"
    assert fast.matrix == pytest.approx(published.matrix, abs=0.05)
    assert published.parts["x"] == pytest.approx(1, abs=0.02)


FLAT_SHAPE = Hierarchy((Categorical(((), (), ()), "shape"), Continuous("x")))


@pytest.mark.parametrize("name", ["identity", "monotone", "permuted", "merge_up", "push_down"])
def test_representations_that_deserve_1(name):
    factors = spaceshapes(600, 0)
    learned = LEARNED.get(name, SPACESHAPES)
    flat_, conditional = r_and_r_c(factors, representations(factors, 0)[name], truth=SPACESHAPES, learned=learned)
    assert (flat_.name, conditional.name) == ("r[fast]", "r_c[fast]")
    assert (conditional.skipped, conditional.small) == ((), ())
    assert min(conditional.parts.values()) > 0.985
    assert conditional.value > 0.997
    assert conditional.by_kind == pytest.approx({"categorical": 1, "continuous": 1}, abs=0.004)
    if name == "merge_up":
        assert flat_.value == pytest.approx(0.8755, abs=0.02)
    elif name == "push_down":
        assert flat_.value < 0.9
    else:
        assert flat_.value > 0.99


def test_noise():
    factors = spaceshapes(10_000, 0)
    codes = representations(factors, 0)
    found = r_c(factors, codes["noisy0.05"], truth=SPACESHAPES, learned=SPACESHAPES)
    assert list(found.parts.values()) == pytest.approx([1, 1, 0.972, 0.971, 0.970, 0.969, 0.967, 0.973], abs=0.008)
    assert found.value == pytest.approx(0.978, abs=0.003)
    noisier = r_c(factors, codes["noisy0.20"], truth=SPACESHAPES, learned=SPACESHAPES)
    assert noisier.by_kind["continuous"] == pytest.approx(0.676, abs=0.02)
    assert noisier.by_kind["categorical"] == 1


def test_independent_codes_have_chance_scores():
    factors = spaceshapes(3000, 0)
    found = r_c(factors, representations(factors, 0)["independent"], truth=SPACESHAPES, learned=SPACESHAPES)
    assert found.by_kind["continuous"] < 0.02
    assert found.parts["shape"] == pytest.approx(1 / 3, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["identity", "merge_up", "push_down", "noisy0.20", "rotated_flat", "independent"])
def test_fast_is_the_published_recipe(name):
    factors = spaceshapes(3000, 0)
    codes = representations(factors, 0)[name]
    settings = {"truth": SPACESHAPES, "learned": LEARNED.get(name, SPACESHAPES)}
    fast, published = (r_c(factors, codes, estimator=each, **settings) for each in ("fast", "gbdt"))
    assert fast.value == pytest.approx(published.value, abs=0.01)
    assert fast.parts == pytest.approx(published.parts, abs=0.02)


@settings(max_examples=8)
@given(hierarchies(deepest=2), st.integers(0, 2**16))
def test_the_factors_themselves_score_1(hierarchy, seed):
    factors = samples_of(hierarchy, 500, np.random.default_rng(seed))
    found = r_c(factors, factors, truth=hierarchy, learned=hierarchy)
    assert set(found.parts) | set(found.skipped) == set(hierarchy.names)
    for name, part in found.parts.items():
        enough = (factors[:, hierarchy.names.index(name)] != 0).sum() >= 50
        assert part > (0.98 if enough else -1)


def test_siblings_in_another_order_change_nothing():
    factors = spaceshapes(400, 2)
    draw = np.random.default_rng(0)
    codes = factors + 0.1 * draw.normal(size=factors.shape) * (factors != 0) * ([0] * 2 + [1] * 6)
    codes[:, 0] = np.where(draw.uniform(size=400) < 0.8, codes[:, 0], 1)
    codes[codes[:, 0] != 3, 1] = 0
    codes[(codes[:, 0] == 3) & (codes[:, 1] == 0), 1] = 1
    x, y, shape = SPACESHAPES.root
    turned = Hierarchy((y, Categorical(shape.options[::-1], "shape"), x))
    swapped = codes[:, [0, 1, 3, 7, 6, 5, 4, 2]]
    swapped = np.column_stack([[0, 3, 2, 1] @ np.eye(4)[codes[:, 0].astype(int)].T, swapped[:, 1:]])
    order = [SPACESHAPES.names.index(name) for name in turned.names]
    swapped[:, 2:] = codes[:, order[2:]]
    one = r_c(factors, codes, truth=SPACESHAPES, learned=SPACESHAPES)
    other = r_c(factors, swapped, truth=SPACESHAPES, learned=turned)
    assert one.matrix[:, order][:, 1:] == pytest.approx(other.matrix[:, 1:], abs=1e-12)
    assert one.parts == pytest.approx(other.parts, abs=0.02)


def test_weights_are_shares_of_the_group_at_hand():
    # Half of the samples have a code for z in the outer option 1; the others have one in half of the cases only.
    draw = np.random.default_rng(0)
    n = 4000
    outer, inner, z = draw.integers(1, 3, n), draw.integers(1, 3, n), draw.uniform(size=n)
    learned = Hierarchy((Categorical(((Continuous("a"),), (Categorical(((Continuous("b"),), ())),))),))
    inner = np.where(outer == 2, inner, 0)
    codes = np.column_stack([outer, inner, z * (outer == 1), z * (inner == 1)])
    found = r_c(z, codes, truth=Hierarchy.flat(["z"]), learned=learned)
    assert found.parts["z"] == pytest.approx(0.75, abs=0.02)
    assert found.parts["z"] == pytest.approx((outer == 1).mean() + (inner == 1).mean(), abs=0.001)


def test_the_best_node_of_a_group_counts():
    draw = np.random.default_rng(0)
    z = draw.uniform(size=(1000, 1))
    option = draw.integers(1, 3, (1000, 1))
    learned = Hierarchy((Continuous(), Categorical(((Continuous(),), ()))))
    noisy, inside = z + 0.2 * draw.normal(size=z.shape), z * (option == 1)
    truth = Hierarchy.flat(1)
    assert r_c(z, np.hstack([option, noisy, inside]), truth=truth, learned=learned).value == pytest.approx(
        correspondence_r2(z, noisy).value
    )
    noisy += 0.4 * draw.normal(size=z.shape)
    assert r_c(z, np.hstack([option, noisy, inside]), truth=truth, learned=learned).value == pytest.approx(
        (option == 1).mean(), abs=0.002
    )


def test_masks_come_from_the_hierarchies_not_from_zeros():
    draw = np.random.default_rng(0)
    jet = draw.integers(1, 3, 400)
    # Half of the active values are 0, which the published rule takes for inactive.
    length = np.where(jet == 2, draw.integers(0, 2, 400) * draw.uniform(size=400), 0)
    truth = Hierarchy((Categorical(((), (Continuous("length"),)), "jet"),))
    factors = np.column_stack([jet, length])
    codes = np.column_stack([jet, np.where(length > 0, length, (jet == 2) * draw.uniform(size=400))])
    assert r_c(factors, codes, truth=truth, learned=truth).parts["length"] < 0.9
    assert r_c(factors, codes, truth=truth, learned=truth, variant="paper").parts["length"] > 0.99


def test_more_codes_never_lower_the_score():
    draw = np.random.default_rng(0)
    factors = draw.uniform(size=(300, 2))
    codes = factors + 0.2 * draw.normal(size=(300, 2))
    wider = np.hstack([codes, draw.normal(size=(300, 3))])
    for few, many in (
        (r(factors, codes), r(factors, wider)),
        (r_c(factors, codes, truth=Hierarchy.flat(2)), r_c(factors, wider, truth=Hierarchy.flat(2))),
    ):
        assert many.matrix[:, :2] == pytest.approx(few.matrix)
        assert all(many.parts[name] >= part for name, part in few.parts.items())


def test_flat_hierarchies_give_r():
    factors = np.random.default_rng(0).uniform(size=(200, 2))
    codes = factors @ [[1, 0.5], [0, 1]]
    flat_, conditional = r_and_r_c(factors, codes, truth=Hierarchy.flat(2))
    assert flat_.parts == conditional.parts
    assert (flat_.matrix == conditional.matrix).all()
    alone = r(factors, codes, factor_kinds=Hierarchy.flat(2))
    assert isinstance(alone, CorrespondenceResult)
    assert alone.parts == flat_.parts
    assert list(r(factors, codes).parts) == ["0", "1"]


def test_together_is_as_alone():
    factors = spaceshapes(200, 3)
    codes = representations(factors, 3)["merge_up"]
    flat_, conditional = r_and_r_c(factors, codes, truth=SPACESHAPES, learned=MERGED_UP, seed=4)
    alone = r_c(factors, codes, truth=SPACESHAPES, learned=MERGED_UP, seed=4)
    assert alone.parts == pytest.approx(conditional.parts, abs=1e-9)
    alone = r(factors, codes, factor_kinds=SPACESHAPES, code_kinds=MERGED_UP, seed=4)
    assert alone.parts == pytest.approx(flat_.parts, abs=1e-9)
    assert alone.matrix.shape == (8, 6)


def test_the_matrix_is_of_pairs_where_both_are_active():
    factors = spaceshapes(200, 3)
    found = r_c(factors, factors, truth=SPACESHAPES, learned=SPACESHAPES)
    assert np.diag(found.matrix) == pytest.approx(1, abs=0.05)
    never = [(i, j) for i, j in itertools.permutations((4, 5, 6), 2)]
    assert all(found.matrix[pair] == 0 for pair in never)
    rows = factors[:, 0] == 3
    expected = correspondence_r2(factors[rows, 2], factors[rows, 6]).value
    assert found.matrix[2, 6] == pytest.approx(expected, abs=1e-9)


def test_factors_that_do_not_vary_are_left_out():
    factors = spaceshapes(300, 0)
    factors = factors[factors[:, 0] != 3]
    found = r_c(factors, factors, truth=SPACESHAPES, learned=SPACESHAPES)
    assert found.skipped == ("jet", "angle", "length")
    assert list(found.parts) == ["shape", "x", "y", "phase", "shine"] == list(found.kinds)
    assert found.value > 0.99
    moons = factors[factors[:, 0] == 1]
    assert r_c(moons, moons, truth=SPACESHAPES, learned=SPACESHAPES).skipped == (
        "shape",
        "jet",
        "shine",
        "angle",
        "length",
    )
    as_published = r_c(moons, moons, truth=SPACESHAPES, learned=SPACESHAPES, variant="paper")
    assert as_published.skipped == ()
    # Of two constants each predicts the other; what is never active scores 0.
    assert [as_published.parts[name] for name in ("shape", "jet", "shine")] == [1, 0, 0]


def test_scores_from_few_samples_are_named():
    factors = spaceshapes(120, 0)
    found = r_c(factors, factors, truth=SPACESHAPES, learned=SPACESHAPES)
    counts = (factors != 0).sum(axis=0)
    assert counts.min() >= 15
    assert "length" in found.small
    assert "shape" not in found.small or (counts < 20).any()
    assert r(factors[:15, 2:3], factors[:15, 2:3]).small == ("0",)
    assert r(factors[:20, 2:3], factors[:20, 2:3]).small == ()


@settings(max_examples=10)
@given(hierarchies(deepest=2), st.integers(2, 12), st.integers(0, 2**16), st.sampled_from(["default", "paper"]))
def test_any_number_of_samples(hierarchy, n, seed, variant):
    draw = np.random.default_rng(seed)
    factors, codes = samples_of(hierarchy, n, draw), samples_of(hierarchy, n, draw)
    varies = [len(set(column[column != 0])) > 1 for column in factors.T]
    context = (
        nullcontext() if any(varies) or variant == "paper" else pytest.raises(MetricError, match="No factor takes more")
    )
    with context:
        found = r_c(factors, codes, truth=hierarchy, learned=hierarchy, variant=variant)
        assert all(0 <= part <= 1 for part in found.parts.values())


def test_nothing_varies():
    with pytest.raises(MetricError, match="No factor takes more than one value where it is active"):
        r(np.ones((10, 2)), np.arange(10))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"learned": MERGED_UP}, HierarchyError, "codes have 8 columns, but their hierarchy .* has 6: shape, jet"),
        ({"truth": PUSHED_DOWN}, HierarchyError, "factors have 8 columns, but their hierarchy .* has 12"),
        ({"codes": spaceshapes(40, 0)[:, :2]}, HierarchyError, "codes have 2 columns"),
        ({"codes": spaceshapes(40, 0) + 1}, HierarchyError, "'shape' has to be a whole number from 1 to 3"),
        ({"factors": spaceshapes(40, 0) * 0}, HierarchyError, "'shape' has to be a whole number from 1 to 3"),
        ({"codes": spaceshapes(39, 0)}, MetricError, "factors have 40 rows, codes 39"),
        ({"estimator": "exact"}, MetricError, "estimator has to be"),
        ({"variant": "v1"}, MetricError, "variant has to be"),
    ],
)
def test_bad_input(changes, error, message):
    given_ = {"factors": spaceshapes(40, 0), "codes": spaceshapes(40, 1), "truth": SPACESHAPES, "learned": SPACESHAPES}
    given_ |= changes
    for metric in (r_c, r_and_r_c):
        with pytest.raises(error, match=message):
            metric(**given_)


def test_bad_kinds():
    factors = np.random.default_rng(0).uniform(size=(20, 2))
    for settings_, message in (
        ({"factor_kinds": ["continuous"]}, "factors have 2 columns, but kinds are given for 1"),
        ({"code_kinds": "categorical"}, "Column 0 of codes is categorical"),
        ({"code_kinds": "cyclic"}, "Kind 'cyclic' of codes"),
        ({"estimator": "exact"}, "estimator has to be"),
    ):
        with pytest.raises(MetricError, match=message):
            r(factors, factors, **settings_)


def test_kinds_of_chopsticks():
    found = r(FACTORS, CODES["flat_2d"], factor_kinds=CHOPSTICKS_KINDS)
    assert list(found.parts.values()) == pytest.approx(CASES["flat_2d"]["R4_per_factor"][0], abs=0.002)
