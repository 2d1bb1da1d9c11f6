"""Images of published files: the same as the plain array, wherever and however it is stored."""

import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.published import PUBLISHED, open_images
from pytest_genbench.errors import BenchmarkError

from .written import (
    TINY,
    dsprites_arrays,
    opened,
    pictures,
    presplit,
    records,
    write_hdf5,
    write_npz,
    write_presplit,
    write_published,
)


class TestPublished:
    @pytest.mark.parametrize(("name", "variant"), PUBLISHED)
    @pytest.mark.parametrize("below", [True, False])
    def test_all_rows(self, tmp_path, name, variant, below):
        folder = tmp_path / name if below else tmp_path
        folder.mkdir(exist_ok=True)
        path = write_published(name, folder, variant)
        found = opened(name, tmp_path, variant)
        assert found.path == path
        everything = found.images(np.arange(TINY[name].grid.size))
        assert everything.dtype == np.uint8
        np.testing.assert_array_equal(everything, pictures(name))

    def test_the_table_is_that_of_the_grids(self):
        from pytest_genbench.benchmarks.published.records import DESIGNS

        for (name, _), alternatives in PUBLISHED.items():
            for record in alternatives:
                assert record.data_set == name
                assert record.count == DESIGNS[name].grid.size
                assert (*record.shape, 1)[:3] == DESIGNS[name].image_shape

    @pytest.mark.parametrize("scale", [1, 255])
    def test_dsprites_is_black_and_white_whatever_is_stored(self, tmp_path, scale):
        write_npz(tmp_path / records("dsprites")[0].name, dsprites_arrays(scale))
        assert np.unique(opened("dsprites", tmp_path).images([3, 1])).tolist() == [0, 255]

    @pytest.mark.parametrize("chunks", [None, (5, 16, 64)])
    def test_the_twin_serves_where_the_npz_is_not(self, tmp_path, chunks):
        twin = records("dsprites")[1].name
        write_hdf5(tmp_path / twin, {"imgs": pictures("dsprites")[..., 0] // 255}, chunks=chunks)
        np.testing.assert_array_equal(opened("dsprites", tmp_path).images([40, 7]), pictures("dsprites")[[40, 7]])
        npz = write_npz(tmp_path / records("dsprites")[0].name, dsprites_arrays())
        assert opened("dsprites", tmp_path).path == npz

    @pytest.mark.parametrize("compress", [True, False])
    @pytest.mark.parametrize("zip64", [True, False])
    def test_every_kind_of_archive(self, tmp_path, compress, zip64):
        arrays = {"other": np.arange(7), "images": pictures("mpi3d")}
        write_npz(tmp_path / "mpi3d_toy.npz", arrays, compress, zip64)
        np.testing.assert_array_equal(opened("mpi3d", tmp_path, "toy").images([5, 0, 5]), pictures("mpi3d")[[5, 0, 5]])
        assert any(tmp_path.glob("cache/published/*.npy")) is compress

    def test_no_rows(self, tmp_path):
        write_published("mpi3d", tmp_path, "toy")
        assert opened("mpi3d", tmp_path, "toy").images([]).shape == (0, 64, 64, 3)

    @pytest.mark.parametrize("row", [-1, 48])
    def test_a_row_outside_the_grid(self, tmp_path, row):
        write_published("mpi3d", tmp_path, "toy")
        with pytest.raises(BenchmarkError, match="Row out of range: the grid has 48 rows, numbered from 0"):
            opened("mpi3d", tmp_path, "toy").images([row])

    def test_the_digest_tells_contents_apart(self, tmp_path):
        digests = set()
        for seed in (1, 2):
            folder = tmp_path / str(seed)
            folder.mkdir()
            write_npz(folder / "mpi3d_toy.npz", {"images": pictures("mpi3d", seed)}, compress=False)
            digests.add(opened("mpi3d", folder, "toy").digest())
        assert len(digests) == 2
        assert all(each.startswith("md5:") for each in digests)

    def test_closing(self, tmp_path):
        write_published("mpi3d", tmp_path, "toy")
        found = opened("mpi3d", tmp_path, "toy")
        found.close()
        found.close()
        with pytest.raises(IndexError):
            found.images([0])

    def test_unknown_names(self, tmp_path):
        with pytest.raises(BenchmarkError, match=r"variant 'mpi3d, tiny'.* mean 'mpi3d, toy'"):
            open_images("mpi3d", "tiny", tmp_path)


class TestUnpacking:
    def test_it_is_done_once(self, tmp_path):
        write_published("dsprites", tmp_path)
        opened("dsprites", tmp_path)
        (unpacked,) = tmp_path.glob("cache/published/*.npy")
        before = unpacked.stat().st_mtime_ns
        opened("dsprites", tmp_path)
        assert unpacked.stat().st_mtime_ns == before

    def test_what_is_cut_short_is_unpacked_again(self, tmp_path):
        write_published("dsprites", tmp_path)
        opened("dsprites", tmp_path)
        (unpacked,) = tmp_path.glob("cache/published/*.npy")
        unpacked.write_bytes(unpacked.read_bytes()[:1000])
        np.testing.assert_array_equal(opened("dsprites", tmp_path).images([9]), pictures("dsprites")[[9]])

    def test_a_changed_file_is_unpacked_anew(self, tmp_path):
        name = tmp_path / "mpi3d_toy.npz"
        for seed in (1, 2):
            write_npz(name, {"images": pictures("mpi3d", seed)})
            os.utime(name, (seed, seed))
            np.testing.assert_array_equal(opened("mpi3d", tmp_path, "toy").images([9]), pictures("mpi3d", seed)[[9]])


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """One source of each format, and the authors' files."""
    folder = tmp_path_factory.mktemp("published")
    for name, variant in (
        ("dsprites", "published"),
        ("shapes3d", "published"),
        ("mpi3d", "real"),
        ("celebglow", "published"),
    ):
        write_published(name, folder, variant)
    write_presplit("mpi3d", folder)
    return [
        (opened("dsprites", folder), pictures("dsprites")),
        (opened("shapes3d", folder), pictures("shapes3d")),
        (opened("mpi3d", folder, "real"), pictures("mpi3d")),
        (opened("celebglow", folder), pictures("celebglow")),
        (presplit("mpi3d", folder), pictures("mpi3d")),
    ]


@settings(max_examples=25)
@given(data=st.data())
def test_rows_in_any_order_and_as_often_as_wanted(sources, data):
    rows = data.draw(st.lists(st.integers(0, 11), max_size=8))
    for found, plain in sources:
        np.testing.assert_array_equal(found.images(rows), plain[np.array(rows, dtype=np.int64)])


@pytest.mark.parametrize("suffix", ["npz", "deflated", "h5"])
def test_memory_does_not_grow_with_the_file(tmp_path, suffix):
    count = 2500
    images = np.zeros((count, 64, 64, 3), dtype=np.uint8)  # 31 MB
    images[:, 0, 0, 0] = np.arange(count) % 256
    if suffix == "h5":
        path = write_hdf5(tmp_path / "big.h5", {"images": images}, chunks=(100, 64, 64, 3))
    else:
        path = write_npz(tmp_path / "big.npz", {"images": images}, compress=suffix == "deflated", zip64=True)
    from pytest_genbench.benchmarks.published.stored import open_stored

    del images
    tracemalloc.start()
    array = open_stored(path, "images").map(tmp_path / "cache")
    for start in range(0, count, 100):
        assert array[np.arange(start, start + 100)][:, 0, 0, 0].tolist() == [k % 256 for k in range(start, start + 100)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6
