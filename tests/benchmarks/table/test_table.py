"""What a table gives: factors, images, a version, splits."""

import numpy as np
import pytest
from PIL import Image

from pytest_genbench.benchmarks.registry import find_split, get
from pytest_genbench.benchmarks.table import TableBenchmark, images
from pytest_genbench.errors import BenchmarkError
from pytest_genbench.export import export

from .tables import as_array, as_folder, combinations, describe, draw, write_csv


def one_column(tmp_path, cells, text=""):
    """Open a table with one factor ``x`` and a number that tells its rows apart."""
    np.save(tmp_path / "t.npy", np.zeros((len(cells), 4, 4), dtype=np.uint8))
    write_csv(tmp_path / "t.csv", ("x", "row"), [(cell, row) for row, cell in enumerate(cells)])
    benchmark = describe(tmp_path, text)
    return benchmark.grid.factors[0], benchmark.rows.variables[0]


class TestFactors:
    @pytest.mark.parametrize(
        ("cells", "values", "kind"),
        [
            (["b", "a", "b"], ("a", "b"), "categorical"),
            (["10", "9", "1.0"], (1, 9, 10), "ordinal"),
            (["0.5", "1", "-2"], (-2.0, 0.5, 1.0), "ordinal"),
            (["1", "x", "2"], ("1", "2", "x"), "categorical"),
            ([" a", "a ", "b"], ("a", "b"), "categorical"),
            (["1_0", "2", "3"], ("1_0", "2", "3"), "categorical"),
            (["1e3", "1000", "5"], (5, 1000), "ordinal"),
        ],
    )
    def test_kinds_and_values_that_are_not_described(self, tmp_path, cells, values, kind):
        factor, variable = one_column(tmp_path, cells)
        assert (factor.values, factor.kind) == (values, kind)
        assert variable.levels.max() == len(values) - 1

    def test_values_in_an_order_of_their_own(self, tmp_path):
        text = '[factors.x]\nkind = "ordinal"\nvalues = ["S", "M", "L", "XL"]'
        factor, variable = one_column(tmp_path, ["L", "S", "M"], text)
        assert factor.values == ("S", "M", "L", "XL")
        assert variable.levels.tolist() == [2, 0, 1]
        np.testing.assert_allclose(variable.targets, [2 / 3, 0, 1 / 3])

    def test_numbers_are_compared_as_numbers(self, tmp_path):
        _, variable = one_column(tmp_path, ["3", "1.0", "2"], '[factors.x]\nkind = "categorical"\nvalues = [2, 3, 1]')
        assert variable.levels.tolist() == [1, 2, 0]

    def test_many_numbers_are_continuous_and_cut_into_bands(self, tmp_path):
        cells = [f"{number:.2f}" for number in np.linspace(-1, 4, 101)]
        factor, variable = one_column(tmp_path, cells)
        assert factor.kind == "continuous"
        assert factor.values[:2] + factor.values[-1:] == ("-1 to -0.5", "-0.5 to 0", "3.5 to 4")
        assert np.bincount(variable.levels).tolist() == [10] * 9 + [11]
        np.testing.assert_allclose(variable.targets, np.linspace(0, 1, 101))

    def test_a_few_continuous_values_are_levels(self, tmp_path):
        factor, variable = one_column(tmp_path, ["1", "2", "10"], '[factors.x]\nkind = "continuous"')
        assert factor.values == (1, 2, 10)
        np.testing.assert_allclose(variable.targets, [0, 1 / 9, 1])

    def test_bands_as_asked(self, tmp_path):
        factor, variable = one_column(tmp_path, ["0", "1", "9", "10"], '[factors.x]\nkind = "continuous"\nbands = 2')
        assert factor.values == ("0 to 5", "5 to 10")
        assert variable.levels.tolist() == [0, 0, 1, 1]

    def test_edges_that_differ_late_have_names_of_their_own(self, tmp_path):
        factor, _ = one_column(tmp_path, ["1000000", "1000001"], '[factors.x]\nkind = "continuous"\nbands = 2')
        assert factor.values == ("1000000 to 1000000.5", "1000000.5 to 1000001")

    def test_two_values_in_one_band_are_no_duplicates(self, tmp_path):
        np.save(tmp_path / "t.npy", np.zeros((60, 4, 4), dtype=np.uint8))
        write_csv(tmp_path / "t.csv", ("x",), [(row,) for row in range(60)])
        assert len(describe(tmp_path)) == 60

    def test_columns_that_are_used(self, tmp_path):
        as_array(tmp_path)
        assert describe(tmp_path, "allow_duplicates = true\nuse = ['shade', 'shape']").grid.names == ("shade", "shape")
        assert describe(tmp_path, "allow_duplicates = true\nignore = ['size']").grid.names == ("shape", "shade")

    def test_an_index_written_by_pandas_and_a_byte_order_mark(self, tmp_path):
        as_array(tmp_path)
        lines = (tmp_path / "t.csv").read_text().splitlines()
        numbered = ["," + lines[0], *(f"{k},{line}" for k, line in enumerate(lines[1:]))]
        (tmp_path / "t.csv").write_text("\r\n".join(numbered), encoding="utf-8-sig")
        assert describe(tmp_path).grid.names == ("shape", "size", "shade")

    def test_an_export_can_be_read(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")
        export(benchmark, split, tmp_path / "out")
        assert "factor.shape" in (tmp_path / "out" / "factors.csv").read_text()
        again = TableBenchmark(tmp_path / "out" / "factors.csv", tmp_path / "out" / "images.npy", "again")
        assert again.grid.names == ("shape", "size", "shade")
        np.testing.assert_array_equal(again.images(np.arange(len(again))), benchmark.images(split.train))
        comporth = get("comporth", "mini")
        export(comporth, find_split(comporth, "length-5"), tmp_path / "words")
        words = TableBenchmark(tmp_path / "words" / "factors.csv", tmp_path / "words" / "images.npy", "words")
        assert words.grid.names == ("word", "x", "y", "spacing")


class TestImages:
    def test_a_folder_and_an_array_give_the_same(self, tmp_path):
        array = describe(as_array(tmp_path))
        folder = describe(as_folder(tmp_path), images="t")
        rows = np.array([5, 2, 2, 30])
        assert array.image_shape == folder.image_shape == (12, 12, 1)
        np.testing.assert_array_equal(array.images(rows), folder.images(rows))
        np.testing.assert_array_equal(array.images(rows)[0, ..., 0], draw(*combinations()[5]))
        np.testing.assert_array_equal(array.levels(rows), folder.levels(rows))
        assert array.images([]).shape == folder.images([]).shape == (0, 12, 12, 1)

    def test_an_array_stays_on_the_disk(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        base = benchmark._images._array
        while not isinstance(base, np.memmap):
            base = base.base
        assert benchmark.images([3]).dtype == np.uint8
        assert not isinstance(benchmark.images([3]), np.memmap)

    @pytest.mark.parametrize("shape", [(60, 4, 5), (60, 4, 5, 1), (60, 4, 5, 3)])
    def test_shapes_of_arrays(self, tmp_path, shape):
        np.save(tmp_path / "t.npy", np.zeros(shape, dtype=np.uint8))
        write_csv(tmp_path / "t.csv", ("x",), [(row,) for row in range(60)])
        assert describe(tmp_path).image_shape == (4, 5, 3 if shape[-1] == 3 else 1)

    @pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA", "P", "CMYK"])
    @pytest.mark.parametrize("channels", [None, 1, 3])
    def test_modes(self, tmp_path, mode, channels):
        rows = combinations()
        as_folder(tmp_path)
        for k, row in enumerate(rows):
            picture = Image.fromarray(draw(*row)).point(lambda value: 255 if value else 0)
            picture.convert(mode).save(tmp_path / "t" / f"{k}.png", format="TIFF" if mode == "CMYK" else "PNG")
        benchmark = describe(tmp_path, f"channels = {channels}" if channels else "", images="t")
        expected = channels or (1 if mode in ("1", "L", "LA") else 3)
        assert benchmark.image_shape == (12, 12, expected)
        image = benchmark.images([4])[0]
        wanted = np.where(draw(*rows[4])[..., None] > 0, 255, 0)
        np.testing.assert_array_equal(image, np.broadcast_to(wanted, image.shape))

    def test_a_jpeg_in_a_folder_below(self, tmp_path):
        as_folder(tmp_path)
        (tmp_path / "t" / "deep").mkdir()
        (tmp_path / "t" / "3.png").unlink()
        Image.fromarray(draw("disc", 1, 50)).save(tmp_path / "t" / "deep" / "a b.jpg")
        (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("\n3.png", "\ndeep/a b.jpg"))
        assert describe(tmp_path, images="t").images([3]).max() > 40

    def test_rows_out_of_range(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        for row in (-1, len(benchmark)):
            with pytest.raises(BenchmarkError, match=r"Row out of range: shapes has \d+ rows"):
                benchmark.images([row])


class TestVersion:
    def test_it_is_that_of_the_data(self, tmp_path):
        as_folder(as_array(tmp_path))
        one = describe(tmp_path, images="t").version
        assert one.startswith("1-")
        assert describe(tmp_path, "splits.minimum = 3", images="t").version == one
        (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("\n", "\r\n"))
        assert describe(tmp_path, images="t").version == one

    @pytest.mark.parametrize("change", ["table", "image", "kind", "share", "array"])
    def test_it_changes_with(self, tmp_path, change):
        path = "t.npy" if change == "array" else "t"
        (as_array if change == "array" else as_folder)(tmp_path)
        before = describe(tmp_path, images=path).version
        text = {"kind": "[factors.size]\nkind = 'cyclic'", "share": "splits.extrapolation.share = 0.3"}.get(change, "")
        if change == "table":
            lines = (tmp_path / "t.csv").read_text().splitlines()
            lines[1] = lines[1].split(",")[0] + ",star,5,50"
            (tmp_path / "t.csv").write_text("\n".join(lines))
            text = "allow_duplicates = true"
        elif change == "image":
            Image.new("L", (12, 12), 7).save(tmp_path / "t" / "3.png")
        elif change == "array":
            array = np.load(tmp_path / "t.npy")
            array[7, 3, 3] += 1
            np.save(tmp_path / "t.npy", array)
        assert describe(tmp_path, text, path).version != before

    def test_of_large_data_a_part_is_looked_at(self, tmp_path, monkeypatch):
        as_folder(as_array(tmp_path))
        monkeypatch.setattr(images, "_HASHED_FOLDER", 10)
        monkeypatch.setattr(images, "_HASHED_ARRAY", 10)
        monkeypatch.setattr(images, "_PIECE", 16)
        for path in ("t", "t.npy"):
            text = "ignore = ['image']" if path == "t.npy" else ""
            assert describe(tmp_path, text, path).version == describe(tmp_path, text, path).version
        before = describe(tmp_path, images="t").version
        Image.fromarray(np.random.default_rng(0).integers(0, 255, (12, 12), dtype=np.uint8)).save(
            tmp_path / "t" / "3.png"
        )
        assert describe(tmp_path, images="t").version != before


class TestSplits:
    def test_names_and_families(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        assert benchmark.families == ("in_distribution", "compositional", "interpolation", "extrapolation")
        split = find_split(benchmark, "extrapolation-size")
        assert split.id == "shapes/default/extrapolation-size"
        assert (split.held_out, split.group) == ("size 5", "upper")
        assert {row[1] for k, row in enumerate(combinations()) if k in split.test} == {5}
        np.testing.assert_array_equal(np.sort([*split.train, *split.test]), np.arange(len(benchmark)))
        with pytest.raises(BenchmarkError, match=r"no split family 'extrapolate'\. Did you mean 'extrapolation'"):
            benchmark.splits("extrapolate")

    def test_a_family_without_splits(self, tmp_path):
        text = "[factors.size]\nkind = 'cyclic'\n[factors.shade]\nkind = 'categorical'"
        benchmark = describe(as_array(tmp_path), text)
        assert "extrapolation" not in benchmark.families
        with pytest.raises(
            BenchmarkError, match=r"no extrapolation split\. extrapolation-shape: shape is categorical.*cyclic"
        ):
            benchmark.splits("extrapolation")

    def test_exposure(self, tmp_path):
        benchmark = describe(as_array(tmp_path), "splits.minimum = 5")
        everything, size, low = (find_split(benchmark, f"extrapolation-{name}") for name in ("all", "size", "size-low"))
        assert not benchmark.is_exposed(size.id, size)
        assert not benchmark.is_exposed(everything.id, size)
        assert benchmark.is_exposed(size.id, everything)
        assert benchmark.is_exposed(low.id, size)
        with pytest.raises(BenchmarkError, match=r"'shapes/default/extrapolation-sise' is not a split .* Did you mean"):
            benchmark.is_exposed("shapes/default/extrapolation-sise", size)
