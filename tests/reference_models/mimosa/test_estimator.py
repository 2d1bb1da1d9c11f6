"""The estimator: recorded partitions, what does not change them, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from pytest_genbench.benchmarks.hierarchical.chopsticks import Chopsticks
from pytest_genbench.errors import LearnerError, MetricError
from pytest_genbench.hierarchy import Hierarchy
from pytest_genbench.metrics.h_error import h_error
from pytest_genbench.metrics.purity import coverage, purity
from pytest_genbench.reference_models.mimosa import AUTOENCODER_DIMENSIONS, MIMOSA, PAPER

from . import clouds, naive

ORACLES = json.loads((Path(__file__).parents[2] / "data" / "mimosa" / "oracles.json").read_text("utf-8"))["cases"]
SMALL = {"num_nearest_neighbors": 20, "contagion_num": 3, "cos_simil_thresh": 0.95, "min_size_init": 5}


@pytest.mark.parametrize("case", ORACLES.values(), ids=list(ORACLES))
def test_recorded_partitions(case):
    model = MIMOSA(**case["kw"]).fit(case["Z"])
    assert model.components_.tolist() == case["component_of_point"]
    sizes = np.bincount(model.components_[model.components_ >= 0])
    assert [[size, d] for size, d in zip(sizes, model.dimensions_, strict=True)] == case["components"]
    assert model.hierarchy_.plain() == case["hierarchy"]
    assert [list(each.shape) for each in model.assignments_] == case["assignment_shapes"]
    assert [each.sum(axis=0).tolist() for each in model.assignments_] == case["assignment_colsums"]
    assert model.coverage_ == case["coverage"] == coverage(model.components_).value
    assert purity(model.components_, case["true_assign"]).value == pytest.approx(case["purity"], abs=1e-12)


CLOUDS = {
    "slopes": lambda: clouds.chopsticks_codes("slope", 2, 700),
    "slopes at depth 3": lambda: clouds.chopsticks_codes("slope", 3, 700),
    "slopes or offsets": lambda: clouds.chopsticks_codes("either", 2, 900),
    "bent": lambda: clouds.bent(700),
}


@pytest.mark.parametrize("make", CLOUDS.values(), ids=list(CLOUDS))
def test_as_step_by_step(make):
    codes, _ = make()
    labels, dimensions, enclosed = naive.mimosa(codes, 20, 0.95, 3, 5, 30)
    model = MIMOSA(**SMALL, min_size_merged=30).fit(codes)
    assert np.array_equal(model.components_, labels)
    assert model.dimensions_.tolist() == dimensions
    assert {(parent, at) for at, parent in enumerate(model.parents_) if parent >= 0} <= set(enclosed)
    outer = {at for _, at in enclosed}
    assert [parent >= 0 for parent in model.parents_] == [at in outer for at in range(len(dimensions))]


def found(model, codes, truth):
    model.fit(codes)
    return model, purity(model.components_, truth).value


def test_sticks_of_one_kind():
    model, pure = found(MIMOSA(), *clouds.chopsticks_codes("slope", 2, 8000))
    assert model.hierarchy_.notation == "c {0 | c}"
    assert pure > 0.97
    assert model.coverage_ > 0.96


def test_bent_surfaces():
    model, pure = found(MIMOSA(**SMALL), *clouds.bent(3000))
    assert model.hierarchy_.notation == "{c {0 | c} | c c c}"
    assert pure > 0.98
    assert model.coverage_ > 0.9


@pytest.mark.slow
def test_sticks_of_either_kind_at_full_size():
    model, pure = found(MIMOSA(), *clouds.chopsticks_codes("either", 2, 30_000))
    assert h_error(Chopsticks("either", 2).hierarchy, model.hierarchy_) == 0
    assert sorted(model.dimensions_) == [1, 1, 2, 2, 2, 2]
    assert pure == pytest.approx(0.995, abs=0.005)
    assert model.coverage_ == pytest.approx(0.94, abs=0.02)


@pytest.mark.slow
def test_sticks_with_two_factors_at_once_at_full_size():
    model, pure = found(MIMOSA(), *clouds.chopsticks_codes("both", 2, 30_000))
    assert h_error(Chopsticks("both", 2).hierarchy, model.hierarchy_) == 0
    assert model.hierarchy_.notation == "c c {0 | c c}"
    assert pure == pytest.approx(0.997, abs=0.002)
    assert model.coverage_ == pytest.approx(0.982, abs=0.005)


@pytest.mark.slow
def test_sticks_of_either_kind_at_depth_3():
    # 12 of 14 paths in the paper; a linear code has no noise, so that one or two more may be found.
    model, pure = found(MIMOSA(), *clouds.chopsticks_codes("either", 3, 30_000))
    assert len(model.dimensions_) in (12, 13, 14)
    assert pure == pytest.approx(0.953, abs=0.01)
    assert model.coverage_ == pytest.approx(0.75, abs=0.03)


@pytest.fixture(scope="module")
def sticks():
    codes = clouds.chopsticks_codes("either", 2, 1200)[0]
    return codes, MIMOSA(**SMALL, min_size_merged=60).fit(codes)


def same(model, other, codes):
    again = MIMOSA(**model.get_params()).fit(codes)
    assert np.array_equal(again.components_, other.components_)
    assert again.dimensions_.tolist() == other.dimensions_.tolist()
    assert again.hierarchy_ == other.hierarchy_
    return True


FEW = settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FEW
@given(order=st.permutations(range(4)))
def test_the_order_of_axes_does_not_matter(sticks, order):
    assert same(sticks[1], sticks[1], sticks[0][:, order])


@FEW
@given(seed=st.integers(0, 2**32 - 1))
def test_rotations_and_reflections_do_not_matter(sticks, seed):
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0]
    assert same(sticks[1], sticks[1], sticks[0] @ turn)


@FEW
@given(scale=st.floats(1e-6, 1e6))
def test_the_scale_does_not_matter(sticks, scale):
    assert same(sticks[1], sticks[1], sticks[0] * scale)


@FEW
@given(shift=st.lists(st.floats(-100, 100), min_size=4, max_size=4))
def test_the_place_does_not_matter(sticks, shift):
    assert same(sticks[1], sticks[1], sticks[0] + shift)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_scales_do_not_overflow(sticks, scale):
    assert same(sticks[1], sticks[1], sticks[0] * scale)


def test_dtype_and_memory_do_not_matter(sticks):
    codes = sticks[0].astype(np.float32)
    first = MIMOSA(**SMALL, min_size_merged=60).fit(codes)
    assert same(first, first, np.asfortranarray(codes.astype(np.float64)))
    assert same(first, first, codes.tolist())


def test_codes_are_left_alone(sticks):
    codes = sticks[0].copy()
    codes.flags.writeable = False
    MIMOSA(**SMALL).fit(codes)


def test_attributes(sticks):
    codes, model = sticks
    assert model.components_.shape == (1200,)
    assert model.components_.dtype == model.dimensions_.dtype == np.int64
    assert set(model.components_) == set(range(-1, len(model.dimensions_)))
    first = [np.flatnonzero(model.components_ == at)[0] for at in range(len(model.dimensions_))]
    assert first == sorted(first)
    assert model.coverage_ == (model.components_ >= 0).mean() < 1
    assert model.n_features_in_ == codes.shape[1]
    assert len(model.assignments_) == model.hierarchy_.categorical
    for each in model.assignments_:
        assert each.dtype == np.int8
        assert (each[model.components_ < 0] == -1).all()
        assert set(each[model.components_ >= 0].sum(axis=1)) <= {0, 1}


def test_one_component_is_a_flat_hierarchy():
    model = MIMOSA().fit(np.random.default_rng(0).uniform(-1, 1, (2000, 3)))
    assert model.hierarchy_ == Hierarchy.flat(3)
    assert model.assignments_ == []
    assert model.parents_.tolist() == [-1]


def test_one_column():
    model = MIMOSA().fit(np.random.default_rng(0).uniform(-1, 1, 500))
    assert (model.components_ == 0).all()
    assert model.hierarchy_ == Hierarchy.flat(1)


def test_sizes_are_counts_or_shares(sticks):
    codes, _ = sticks
    count = MIMOSA(**SMALL | {"min_size_init": 6}, min_size_merged=120).fit(codes)
    share = MIMOSA(**SMALL | {"min_size_init": 0.005}, min_size_merged=0.1).fit(codes)
    assert same(share, count, codes)
    assert np.bincount(count.components_ + 1)[1:].min() >= 120


def test_the_overlap_needed_may_be_one_number(sticks):
    codes, _ = sticks
    by_dimension = MIMOSA(**SMALL, min_common_edge_frac=lambda d: 1.0).fit(codes)
    assert same(MIMOSA(**SMALL, min_common_edge_frac=1.0), by_dimension, codes)


def test_points_in_the_same_place():
    codes, _ = clouds.chopsticks_codes("slope", 2, 800)
    model = MIMOSA(**SMALL).fit(np.concatenate([codes, codes, np.repeat(codes[:1], 60, axis=0)]))
    assert model.coverage_ > 0.5


@pytest.mark.parametrize("name", sorted(PAPER))
def test_settings_of_the_paper(name):
    model = MIMOSA(**PAPER[name])
    assert name in AUTOENCODER_DIMENSIONS
    assert (model.cos_simil_thresh, model.contagion_num) == ((0.95, 3) if name == "spaceshapes" else (0.99, 5))
    assert (model.num_nearest_neighbors, model.ransac_frac, model.neighbor_lengthscale_mult) == (40, 0.6667, 10)
    assert (model.min_size_init, model.min_size_merged) == (0.0002, 0.02)


def test_it_is_an_estimator():
    model = MIMOSA(contagion_num=2)
    assert model.get_params()["contagion_num"] == 2
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(ransac_frac=1).ransac_frac == 1
    assert "contagion_num=2" in repr(model)
    assert set(PAPER) == set(AUTOENCODER_DIMENSIONS)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_codes_that_are_not_finite(value):
    codes = np.random.default_rng(0).normal(size=(100, 3))
    codes[7, 1] = value
    with pytest.raises(MetricError, match="row 7, column 1"):
        MIMOSA().fit(codes)


@pytest.mark.parametrize("codes", [[], [[]], np.zeros((3, 2, 2)), [["a"]]])
def test_codes_that_are_no_table(codes):
    with pytest.raises(MetricError, match="codes need"):
        MIMOSA().fit(codes)


def test_fewer_samples_than_neighbours():
    with pytest.raises(LearnerError, match="39 samples are fewer than num_nearest_neighbors=40"):
        MIMOSA().fit(np.random.default_rng(0).normal(size=(39, 2)))


def test_all_codes_the_same():
    with pytest.raises(LearnerError, match="All 50 codes are the same"):
        MIMOSA().fit(np.full((50, 3), 0.1))


def test_too_few_neighbours_for_the_dimensions():
    with pytest.raises(LearnerError, match=r"fits axes to 6 points, which cannot fill the 6 dimensions"):
        MIMOSA(num_nearest_neighbors=9).fit(np.random.default_rng(0).normal(size=(100, 6)))


@pytest.mark.parametrize("name", ["min_size_init", "min_size_merged"])
def test_nothing_is_large_enough(sticks, name):
    with pytest.raises(LearnerError, match=rf"None of the \d+ components .* The largest: \d+.* Lower {name}"):
        MIMOSA(**SMALL | {name: 1150}).fit(sticks[0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("num_nearest_neighbors", "component_neighbors") for value in (1, 2.5, "40", True)),
        *(("contagion_num", value) for value in (0, 1.5, None)),
        *(
            (name, value)
            for name in ("ransac_frac", "eig_cumsum_thresh", "cos_simil_thresh", "min_common_edge_frac")
            for value in (0, -0.5, 1.01, np.nan, "half", None)
        ),
        *((name, value) for name in ("eig_decay_thresh", "neighbor_lengthscale_mult") for value in (0, -1, np.nan)),
        *((name, value) for name in ("min_size_init", "min_size_merged") for value in (-1, 1.5, np.nan, "2%", True)),
    ],
)
def test_parameters_that_cannot_be(sticks, name, value):
    with pytest.raises(LearnerError, match=f"{name} has to be a"):
        MIMOSA(**{name: value}).fit(sticks[0])
