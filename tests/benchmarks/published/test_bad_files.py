"""What is wrong with people's files: one error each, which says what was found and what to do."""

import os
import re
import shutil
import sys
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from pytest_genbench.benchmarks.published import PUBLISHED, files, open_images
from pytest_genbench.benchmarks.published.images import check_images
from pytest_genbench.errors import BenchmarkError, CacheError, MissingDataError

from .written import (
    dsprites_arrays,
    opened,
    pictures,
    stored_bytes,
    values,
    write_hdf5,
    write_npz,
    write_published,
)

NPZ = "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz"


def refused(match, name, folder, variant="published", error=BenchmarkError, **options):
    with pytest.raises(error, match=match) as caught:
        opened(name, folder, variant, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def cut(path, share=0.5):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])


class TestMissing:
    @pytest.mark.parametrize(("name", "variant"), PUBLISHED)
    def test_the_message_says_all_that_is_known(self, tmp_path, name, variant):
        with pytest.raises(MissingDataError) as caught:
            open_images(name, variant, tmp_path)
        for record in PUBLISHED[name, variant]:
            parts = (record.name, record.size or "", record.md5 or "", record.source, record.licence)
            assert all(part in str(caught.value) for part in parts)
        assert f"looked in {tmp_path} and {tmp_path / name}. Get it" in str(caught.value)
        assert f"put it, under that name, into {tmp_path / name}." in str(caught.value)

    def test_one_example(self, tmp_path):
        with pytest.raises(
            MissingDataError, match=r"^Missing file of shapes3d: 3dshapes\.h5 \(about 255 MB, MD5 099a2078"
        ):
            open_images("shapes3d", "published", tmp_path)

    def test_no_folder(self, tmp_path):
        with pytest.raises(MissingDataError, match=r"looked in .*nowhere, and there is no such folder"):
            open_images("mpi3d", "real", tmp_path / "nowhere")

    @pytest.mark.parametrize("near", ["3dshapes.npz", "3dshapes.h5.part", "3DShapes (1).h5"])
    def test_files_near_by(self, tmp_path, near):
        (tmp_path / near).touch()
        refused(re.escape(f"There is {near}, which is not it."), "shapes3d", tmp_path, error=MissingDataError)

    def test_a_folder_of_that_name(self, tmp_path):
        (tmp_path / "3dshapes.h5").mkdir()
        refused("Missing file", "shapes3d", tmp_path, error=MissingDataError)


class TestCutShort:
    @pytest.mark.parametrize("compress", [True, False])
    @pytest.mark.parametrize("zip64", [True, False])
    def test_npz(self, tmp_path, compress, zip64):
        path = write_npz(tmp_path / "mpi3d_toy.npz", {"images": pictures("mpi3d")}, compress, zip64)
        directory = path.read_bytes().index(b"PK\1\2")
        cut(path)
        found = f"is cut short: {path.stat().st_size:,} of at least {directory:,} bytes; get it again"
        refused(found, "mpi3d", tmp_path, "toy")

    def test_npz_within_its_directory(self, tmp_path):
        path = write_published("mpi3d", tmp_path, "toy")
        whole = path.stat().st_size
        path.write_bytes(path.read_bytes()[:-1])
        refused(f"is cut short: {whole - 1:,} of at least {whole + 21:,} bytes", "mpi3d", tmp_path, "toy")

    def test_npz_within_its_first_header(self, tmp_path):
        write_published("mpi3d", tmp_path, "toy").write_bytes(b"PK\3\4")
        refused("is cut short: 4 of at least 30 bytes", "mpi3d", tmp_path, "toy")

    def test_npy(self, tmp_path):
        path = write_published("celebglow", tmp_path)
        whole = path.stat().st_size
        cut(path)
        refused(f"is cut short: {path.stat().st_size:,} of {whole:,} bytes", "celebglow", tmp_path)

    def test_h5(self, tmp_path):
        path = write_published("shapes3d", tmp_path)
        whole = path.stat().st_size
        cut(path)
        refused(f"is cut short: {path.stat().st_size:,} of {whole:,} bytes", "shapes3d", tmp_path)


class TestBroken:
    @pytest.mark.parametrize("content", [b"", b"<html>404</html>"])
    @pytest.mark.parametrize(
        ("name", "match"),
        [
            ("dsprites", "not an .npz file that can be read"),
            ("shapes3d", "not an HDF5 file that can be read"),
            ("celebglow", "not an array in NumPy's format"),
        ],
    )
    def test_another_format(self, tmp_path, name, match, content):
        write_published(name, tmp_path).write_bytes(content)
        refused(match, name, tmp_path)

    def test_a_flipped_byte_in_an_archive(self, tmp_path):
        path = write_npz(tmp_path / "mpi3d_toy.npz", {"images": pictures("mpi3d")})
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 255
        path.write_bytes(content)
        refused(r"can(not)? be read \(.*(Bad CRC|Error -3)", "mpi3d", tmp_path, "toy")
        assert not any(tmp_path.glob("cache/published/*.npy"))

    def test_a_locked_archive(self, tmp_path):
        path = write_npz(tmp_path / "mpi3d_toy.npz", {"images": pictures("mpi3d")}, compress=False)
        content = bytearray(path.read_bytes())
        content[6] |= 1
        content[content.index(b"PK\1\2") + 8] |= 1
        path.write_bytes(content)
        refused("array 'images': cannot be read .*encrypted", "mpi3d", tmp_path, "toy")

    def test_an_array_shorter_than_its_shape(self, tmp_path, monkeypatch):
        whole = stored_bytes(pictures("mpi3d"))
        monkeypatch.setattr("tests.benchmarks.published.written.stored_bytes", lambda array: whole[:-1])
        write_npz(tmp_path / "mpi3d_toy.npz", {"images": None})
        refused("bytes are stored, its shape needs 589,952", "mpi3d", tmp_path, "toy")

    def test_no_such_array(self, tmp_path):
        write_npz(tmp_path / NPZ, {"images": np.zeros(3)})
        refused("array 'imgs': there is none; the file has images.npy", "dsprites", tmp_path)
        write_hdf5(tmp_path / "3dshapes.h5", {"imgs": np.zeros(3)})
        refused("data set 'images': there is none; the file has imgs", "shapes3d", tmp_path)

    def test_python_objects(self, tmp_path):
        things = np.array([{"a": 1}], dtype=object)
        write_npz(tmp_path / NPZ, {"imgs": things})
        refused("array 'imgs': holds Python objects, and reading them could run code", "dsprites", tmp_path)
        np.save(tmp_path / "celeba_glow_all_images_64.npy", things)
        refused("holds Python objects", "celebglow", tmp_path)
        with h5py.File(tmp_path / "3dshapes.h5", "w") as file:
            file["images"] = ["text"]
        refused("data set 'images': holds Python objects", "shapes3d", tmp_path)

    def test_fortran_order(self, tmp_path):
        np.save(tmp_path / "celeba_glow_all_images_64.npy", np.asfortranarray(pictures("celebglow")))
        refused(r"in Fortran order, .*save numpy\.ascontiguousarray of it", "celebglow", tmp_path)


class TestAnotherVersion:
    def test_hash(self, tmp_path):
        path = write_published("mpi3d", tmp_path, "toy")
        message = refused("MD5 is [0-9a-f]{32}, expected 5588", "mpi3d", tmp_path, "toy", md5="5588")
        assert f"MD5 is {files.md5(path, tmp_path)}" in message
        assert "in Python, verify=False reads it as it is" in message
        assert len(opened("mpi3d", tmp_path, "toy", verify=False, md5="5588").images([1])) == 1

    def test_the_early_mpi3d(self, tmp_path):
        record = PUBLISHED["mpi3d", "real"][0]
        early = SimpleNamespace(shape=(460_800, 64, 64, 3), dtype=np.dtype(np.uint8))
        with pytest.raises(
            BenchmarkError, match=r"460,800 images are an early version of MPI3D.* published has 1,036,800"
        ):
            check_images(record, tmp_path, early)

    @pytest.mark.parametrize("shape", [(47, 64, 64, 3), (48, 64, 64), (48, 3, 64, 64), (48, 32, 128, 3), ()])
    def test_shape(self, tmp_path, shape):
        write_npz(tmp_path / "mpi3d_toy.npz", {"images": np.zeros(shape, dtype=np.uint8)})
        match = rf"images have shape \({', '.join(map(str, shape))}\), expected \(48, 64, 64, 3\)"
        refused(match, "mpi3d", tmp_path, "toy")

    def test_type(self, tmp_path):
        np.save(tmp_path / "celeba_glow_all_images_64.npy", (pictures("celebglow") / 255).astype(np.float32))
        refused(r"images are float32, expected uint8; if they are in \[0, 1\], multiply by 255", "celebglow", tmp_path)

    def test_grey_dsprites(self, tmp_path):
        arrays = dsprites_arrays()
        arrays["imgs"][7, 3, 3] = 128
        write_npz(tmp_path / NPZ, arrays)
        with pytest.raises(BenchmarkError, match="there are other pixels than 0, 1 and 255"):
            opened("dsprites", tmp_path).images([6, 7])


class TestOrder:
    def test_dsprites(self, tmp_path):
        labels = values("dsprites")
        labels[[3, 4]] = labels[[4, 3]]
        write_npz(tmp_path / NPZ, dsprites_arrays(labels=labels))
        match = "latents_classes: rows are not in the order of the grid: row 3 has level 1 of orientation, expected 0"
        refused(match, "dsprites", tmp_path)

    def test_shapes3d(self, tmp_path):
        arrays = {"images": pictures("shapes3d"), "labels": values("shapes3d")[::-1]}
        write_hdf5(tmp_path / "3dshapes.h5", arrays)
        refused("row 0 has level 1 of floor color, expected 0", "shapes3d", tmp_path)

    def test_another_constant_is_the_same_order(self, tmp_path):
        labels = values("dsprites") + 1
        write_npz(tmp_path / NPZ, dsprites_arrays(labels=labels))
        opened("dsprites", tmp_path)
        labels[5, 0] = 7
        write_npz(tmp_path / NPZ, dsprites_arrays(labels=labels))
        refused("labels before those of the factors differ between rows", "dsprites", tmp_path)

    def test_labels_of_another_shape(self, tmp_path):
        write_npz(tmp_path / NPZ, dsprites_arrays(labels=values("dsprites")[:, :4]))
        refused(r"labels have shape \(48, 4\), expected \(48, 5\)", "dsprites", tmp_path)


class TestSurroundings:
    def test_without_h5py(self, tmp_path, monkeypatch):
        write_published("shapes3d", tmp_path)
        monkeypatch.setitem(sys.modules, "h5py", None)
        refused(r"reading HDF5 needs h5py: pip install 'pytest-genbench\[data\]'", "shapes3d", tmp_path)

    def test_too_little_space(self, tmp_path, monkeypatch):
        write_published("dsprites", tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=10))
        match = (
            r"Unpacking dsprites_.*-imgs-.*\.npy needs 0\.0 GB in .*published, and 0\.0 GB are free\. Free some space"
        )
        refused(match, "dsprites", tmp_path, error=CacheError)

    def test_a_cache_that_is_no_folder(self, tmp_path):
        write_published("dsprites", tmp_path)
        (tmp_path / "cache").touch()
        refused("while making the folder for published data", "dsprites", tmp_path, error=CacheError)


class TestMemoryOfHashes:
    def hash_of(self, path):
        return files.md5(path, path.parent / "cache")

    def test_a_file_is_hashed_once(self, tmp_path, monkeypatch):
        path = write_published("mpi3d", tmp_path, "toy")
        found = self.hash_of(path)
        monkeypatch.setattr(files, "_hash", lambda path: pytest.fail("hashed again"))
        assert self.hash_of(path) == found

    @pytest.mark.parametrize("content", ["", "{}", "[]", "nonsense"])
    def test_a_broken_memory_is_made_anew(self, tmp_path, content):
        path = write_published("mpi3d", tmp_path, "toy")
        found = self.hash_of(path)
        (memory,) = tmp_path.glob("cache/published/*.json")
        memory.write_text(content)
        assert self.hash_of(path) == found

    def test_a_touched_file_is_hashed_again(self, tmp_path):
        path = tmp_path / "some.npy"
        path.write_bytes(b"one")
        before = self.hash_of(path)
        path.write_bytes(b"two")
        os.utime(path, (0, 0))
        assert self.hash_of(path) != before

    def test_it_is_that_of_the_whole_file(self, tmp_path):
        (tmp_path / "some.npy").write_bytes(b"abc")
        assert self.hash_of(tmp_path / "some.npy") == "900150983cd24fb0d6963f7d28e17f72"  # RFC 1321, A.5
