"""Where images come from: presets, data folders, and files that say themselves what is held out."""

from types import SimpleNamespace

import numpy as np
import pytest

from pytest_genbench.benchmarks import NeedsData, get
from pytest_genbench.benchmarks.grids import MPI3D, Design
from pytest_genbench.benchmarks.indomain import InDomain, sources
from pytest_genbench.errors import BenchmarkError, MissingDataError
from pytest_genbench.factors import Factor

TINY = Design("mpi3d", (Factor("a", tuple(range(6)), "ordinal"), Factor("b", tuple(range(6)), "ordinal")), 3, 0.2, ())


@pytest.fixture
def released(monkeypatch, tmp_path):
    """A benchmark on pre-split files of which only one split is there; it holds out every third item."""

    def opened(name, variant, folder):
        if variant != "interpolation":
            raise MissingDataError(f"{name}_{variant}")
        images = SimpleNamespace(is_test=np.arange(36) % 3 == 0)
        images.images = lambda rows: np.full((len(rows), 64, 64, 3), np.asarray(rows)[:, None, None, None], np.uint8)
        return images

    monkeypatch.setattr(sources, "open_presplit", opened)
    return InDomain(TINY, "zenodo", sources.Released(TINY, tmp_path), published=True)


def test_files_say_what_is_held_out(released):
    (split,) = released.splits("interpolation")
    assert split.test.tolist() == list(range(0, 36, 3))
    released.check_data(split)


def test_images_come_from_any_files_that_are_there(released):
    assert released.images([7, 30])[:, 0, 0, 0].tolist() == [7, 30]


def test_a_split_without_files_is_missing(released):
    (split,) = released.splits("extrapolation")
    with pytest.raises(MissingDataError, match="mpi3d_extrapolation"):
        released.check_data(split)


@pytest.mark.parametrize(
    ("preset", "is_published"),
    [
        ("real", True),
        ("zenodo", True),
        ("toy", False),
        ("realistic", False),
        ("stand-in", False),
        ("stand-in-mini", False),
    ],
)
def test_figures_are_published_for_some_images_only(preset, is_published):
    assert get("mpi3d", preset).published is is_published


def test_two_styles_of_mpi3d_differ():
    items = [0, 500_000]
    assert not np.array_equal(get("mpi3d", "stand-in").images(items), get("mpi3d", "stand-in-flat").images(items))


def test_data_folder_chooses_the_preset(tmp_path, monkeypatch):
    monkeypatch.delenv(sources.DATA, raising=False)
    assert get("mpi3d").preset == "stand-in"
    assert get("mpi3d", data=tmp_path).preset == "real"
    assert get("mpi3d", "mini", tmp_path).preset == "stand-in-mini"
    monkeypatch.setenv(sources.DATA, str(tmp_path))
    assert get("mpi3d").preset == "real"


def test_nothing_is_opened_before_images_are_asked_for(tmp_path):
    benchmark = get("mpi3d", "real", tmp_path)
    assert isinstance(benchmark, NeedsData)
    (split,) = benchmark.splits("in_distribution")
    assert len(split.train) == 311_040
    with pytest.raises(MissingDataError, match=r"mpi3d_real.npz.*12 GB.*0f33f609918fb5c97996692f91129802"):
        benchmark.check_data(split)


def test_folder_that_is_none(tmp_path):
    with pytest.raises(BenchmarkError, match="is no folder"):
        sources.Published(MPI3D, "real", tmp_path / "nowhere").check("random")


def test_unknown_preset():
    with pytest.raises(BenchmarkError, match="no preset 'minni'"):
        get("celebglow", "minni")
