"""The authors' training and test sets."""

import numpy as np
import pytest

from pytest_genbench.benchmarks.published import MODES, VARIANTS, open_presplit, presplit_records
from pytest_genbench.errors import BenchmarkError, MissingDataError

from .written import TINY, pictures, presplit, write_npz, write_presplit

NAMES = ("dsprites", "shapes3d", "mpi3d")


def refused(match, name, folder):
    with pytest.raises(BenchmarkError, match=match) as caught:
        presplit(name, folder)
    assert "\n" not in str(caught.value)


def image_file(folder, mode, name="mpi3d"):
    return folder / f"{name}_composition_{mode}_images.npz"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("compress", [True, False])
def test_all_rows(tmp_path, name, compress):
    is_test = write_presplit(name, tmp_path, compress=compress)
    found = presplit(name, tmp_path)
    assert found.path == tmp_path
    assert found.is_test.dtype == bool
    np.testing.assert_array_equal(found.is_test, is_test)
    everything = found.images(np.arange(TINY[name].grid.size))
    assert everything.dtype == np.uint8
    np.testing.assert_array_equal(everything, pictures(name))


def test_labels_may_be_stored_as_floats_and_by_columns(tmp_path):
    write_presplit("mpi3d", tmp_path, change=lambda labels: np.asfortranarray(labels, dtype=np.float32))
    np.testing.assert_array_equal(presplit("mpi3d", tmp_path).images([9]), pictures("mpi3d")[[9]])


def test_all_48_names_are_distinct():
    pairs = [presplit_records(name, variant)[mode] for name in NAMES for variant in VARIANTS for mode in MODES]
    assert len({record.name for pair in pairs for record in pair}) == 48


def test_the_digest_depends_on_the_split(tmp_path):
    write_presplit("mpi3d", tmp_path)
    before = presplit("mpi3d", tmp_path).digest()
    assert before.startswith("sha256:")
    write_presplit("mpi3d", tmp_path, change=lambda labels: labels.astype(np.int32))
    assert presplit("mpi3d", tmp_path).digest() != before


def test_closing(tmp_path):
    write_presplit("mpi3d", tmp_path)
    found = presplit("mpi3d", tmp_path)
    found.close()
    with pytest.raises(IndexError):
        found.images([0])


def test_unknown_names(tmp_path):
    with pytest.raises(BenchmarkError, match="'celebglow, random'"):
        open_presplit("celebglow", "random", tmp_path)
    with pytest.raises(BenchmarkError, match="variant 'mpi3d, none'"):
        open_presplit("mpi3d", "none", tmp_path)


@pytest.mark.parametrize("what", ["images", "labels"])
def test_a_missing_file(tmp_path, what):
    write_presplit("mpi3d", tmp_path)
    (tmp_path / f"mpi3d_composition_test_{what}.npz").unlink()
    match = rf"mpi3d_composition_test_{what}\.npz; looked in .* Get it from https://zenodo.org/records/4899346"
    with pytest.raises(MissingDataError, match=match):
        presplit("mpi3d", tmp_path)


@pytest.mark.parametrize("row", [-1, 48])
def test_a_row_outside_the_grid(tmp_path, row):
    write_presplit("mpi3d", tmp_path)
    with pytest.raises(BenchmarkError, match="Row out of range: the grid has 48 rows"):
        presplit("mpi3d", tmp_path).images([row])


def with_first(values):
    """A change of the first label."""

    def change(labels):
        labels = labels.astype(np.asarray(values).dtype)
        labels[0] = values
        return labels

    return change


class TestLabels:
    @pytest.mark.parametrize(
        ("change", "match"),
        [
            (lambda labels: labels[:, :6], r"labels are int64 of shape \(16, 6\), expected integers of shape \(n, 7\)"),
            (lambda labels: labels.astype(str), r"labels are <U21 of shape \(16, 7\)"),
            (with_first([0, 0, 0, 3, 0, 0, 0]), "row 0 has level 3 of height, which has levels 0 to 2"),
            (with_first([0, -1, 0, 0, 0, 0, 0]), "row 0 has level -1 of shape, which has levels 0 to 1"),
            (with_first([0, np.nan, 0, 0, 0, 0, 0]), "row 0 has level nan of shape"),
            (with_first([0, 0.5, 0, 0, 0, 0, 0]), "labels are not whole numbers; expected the numbers of levels"),
            (
                with_first([0, 0, 0, 0, 0, 0, 0]),
                r"of 48 combinations of factors have more than one image .* \(0, 0, 0, 0, 0, 0, 0\)",
            ),
            (
                lambda labels: labels[1:],
                "16 images, but mpi3d_composition_train_labels.npz has 15 labels; get both again",
            ),
        ],
    )
    def test_what_is_wrong_with_them(self, tmp_path, change, match):
        write_presplit("mpi3d", tmp_path, change=change)
        refused(match, "mpi3d", tmp_path)

    def test_a_combination_without_image(self, tmp_path):
        write_presplit("mpi3d", tmp_path, change=lambda labels: labels[1:])
        for mode in MODES:
            path = image_file(tmp_path, mode)
            images = np.load(path)["arr_0"]
            write_npz(path, {"arr_0": images[1:]})
        refused("2 of 48 combinations of factors have no image in train and test together", "mpi3d", tmp_path)


class TestImages:
    def test_channels_last(self, tmp_path):
        write_presplit("mpi3d", tmp_path)
        write_npz(image_file(tmp_path, "train"), {"arr_0": np.zeros((16, 64, 64, 3), dtype=np.uint8)})
        refused(r"images have shape \(16, 64, 64, 3\), expected \(N, 3, 64, 64\)", "mpi3d", tmp_path)

    def test_another_type(self, tmp_path):
        write_presplit("mpi3d", tmp_path)
        write_npz(image_file(tmp_path, "train"), {"arr_0": np.zeros((16, 3, 64, 64), dtype=np.float32)})
        refused("images are float32, expected uint8", "mpi3d", tmp_path)

    def test_python_objects(self, tmp_path):
        write_presplit("mpi3d", tmp_path)
        write_npz(image_file(tmp_path, "train"), {"arr_0": np.array([None], dtype=object)})
        refused("array 'arr_0': holds Python objects", "mpi3d", tmp_path)
