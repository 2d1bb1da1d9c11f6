"""The anchors of the in-domain benchmark, against the published-rule figures that follow from the grids alone."""

import pytest

from pytest_genbench.benchmarks import get

NAMES = ("training mean", "nearest seen value", "right where seen, else mean")
EXPECTED = {
    ("dsprites", "compositional"): (-0.1338, 1, 1),
    ("dsprites", "interpolation"): (0.0156, 0.9641, 0.7458),
    ("dsprites", "extrapolation"): (-0.3877, 0.8735, 0.1105),
    ("dsprites", "in_distribution"): (0.0002, 1, 1),
    ("shapes3d", "compositional"): (-0.0527, 1, 1),
    ("shapes3d", "interpolation"): (0.0295, 0.9685, 0.8219),
    ("shapes3d", "extrapolation"): (-0.3025, 0.9156, 0.2254),
    ("shapes3d", "in_distribution"): (-0.0001, 1, 1),
    ("mpi3d", "compositional"): (-0.1713, 1, 1),
    ("mpi3d", "interpolation"): (0.0733, 0.7840, 0.9605),
    ("mpi3d", "extrapolation"): (-0.3019, 0.7820, 0.3130),
    ("mpi3d", "in_distribution"): (0.0001, 1, 1),
    ("celebglow", "compositional"): (-0.1686, 1, 1),
    ("celebglow", "interpolation"): (0.0481, 0.8376, 0.6346),
    ("celebglow", "extrapolation"): (-0.7278, 0.5940, -0.5023),
    ("celebglow", "in_distribution"): (-0.0005, 1, 1),
}
ROT90 = {
    "compositional": (-0.1343, 1, 1),
    "interpolation": (0.0211, 0.9574, 0.7593),
    "extrapolation": (-0.3884, 0.8669, 0.1094),
    "in_distribution": (0.0010, 1, 1),
}

# Of the unseen factor, under the nearest seen value; of the others, under the training mean.
NEAREST = {
    "dsprites": {"scale": 0.143, "orientation": 0.809, "x-position": 0.765, "y-position": 0.765},
    "shapes3d": {"floor color": 0.697, "object size": 0.524, "azimuth": 0.750},
    "mpi3d": {"color": 0.657, "height": -0.5, "bg color": -0.5, "x-axis": 0.944, "y-axis": 0.944},
    "celebglow": {"smile": 0.143, "blond": 0.143, "age": 0.143},
}
MEAN_OF_OTHERS = {
    "dsprites": (0, 0.571, 0.360, 0.390, 0.390),
    "shapes3d": (0.364, 0.364, 0.364, 0.444, 0, 0.362),
    "mpi3d": (0.314, 0, 0, 0.625, 0.625, 0.190, 0.190),
    "celebglow": (0.571, 0.571, 0.571),
}


def anchors(benchmark, family, task="regression"):
    (split,) = benchmark.splits(family)
    return {(each.name, each.metric): each for each in benchmark.tasks[task].anchors(split)}


@pytest.mark.parametrize(("name", "family"), EXPECTED)
def test_of_splits(name, family):
    found = anchors(get(name), family)
    for anchor, value in zip(NAMES, EXPECTED[name, family], strict=True):
        assert found[anchor, "r2_grid"].value == pytest.approx(value, abs=6e-5), anchor


@pytest.mark.parametrize("family", ROT90)
def test_of_rot90(family):
    found = anchors(get("dsprites", "stand-in-rot90"), family)
    for anchor, value in zip(NAMES, ROT90[family], strict=True):
        assert found[anchor, "r2_grid"].value == pytest.approx(value, abs=6e-5), anchor


@pytest.mark.parametrize("name", NEAREST)
def test_of_single_factors(name):
    found = anchors(get(name), "extrapolation", "modularity")
    for factor, value in NEAREST[name].items():
        assert found["nearest seen value", f"ood_r2_grid.{factor}"].value == pytest.approx(value, abs=6e-4)
        assert -2.38 < found["training mean", f"ood_r2_grid.{factor}"].value < -2.0
    mean = sum(MEAN_OF_OTHERS[name]) / len(MEAN_OF_OTHERS[name])
    assert found["training mean", "id_r2_grid"].value == pytest.approx(mean, abs=6e-4)


def test_chance_is_a_uniform_number():
    # On a whole factor R² is -1 / (12 variance): -.50 for 3 levels, -.951 for 40.
    chance = anchors(get("celebglow"), "in_distribution")["chance", "r2_grid"].value
    assert chance == pytest.approx(-1 / 12 / (7 / 60), abs=2e-3)


def test_degenerate_factors_of_interpolation_are_named():
    found = anchors(get("mpi3d"), "interpolation", "modularity")
    flagged = {metric for (_, metric), each in found.items() if each.note.startswith("degenerate")}
    assert flagged == {"ood_r2_grid.height", "ood_r2_grid.bg color"}
    # A constant is right there, and snapping is not.
    assert found["training mean", "ood_r2_grid.height"].value == pytest.approx(1)
    assert found["nearest seen value", "ood_r2_grid.height"].value == pytest.approx(-0.5)
    assert found["training mean", "ood_r2_grid.color"].value == pytest.approx(0.877, abs=6e-4)
    for family in ("in_distribution", "compositional", "extrapolation"):
        assert not any(each.note.startswith("degenerate") for each in anchors(get("mpi3d"), family).values())


def test_published_figures_stand_beside_published_images_only():
    def published(preset):
        found = anchors(get("dsprites", preset), "extrapolation")
        return {name: each.value for (name, _), each in found.items() if each.source == "published"}

    assert published("published") == {"published PCL": 0.667, "published DenseNet121": 0.644}
    assert not published("stand-in")
    assert not published("published-rot90")
