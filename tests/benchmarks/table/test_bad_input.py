"""What is wrong with people's tables: one error each, which says what was found and what to do."""

import numpy as np
import pytest
from PIL import Image

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.table import TableBenchmark
from pytest_genbench.errors import BenchmarkError

from .tables import as_array, as_folder, combinations, describe, write_csv

HEADER = ("shape", "size", "shade")


def refused(folder, match, text="", images="t.npy"):
    with pytest.raises(BenchmarkError, match=match) as caught:
        describe(folder, text, images)
    assert "\n" not in str(caught.value)


def rewrite(folder, change, header=HEADER):
    """Write the table anew, with rows changed by a function."""
    rows = [list(row) for row in combinations()]
    change(rows)
    write_csv(folder / "t.csv", header, rows)


class TestTable:
    @pytest.mark.parametrize(
        ("content", "match"),
        [
            (b"", r"t\.csv: the table is empty; it needs a header"),
            (b"shape,size,shade\n", "has a header and no rows"),
            (b"\x89PNG\r\n\x1a\n\x00", r"not CSV in UTF-8 \(byte 0x89\); save the table as CSV"),
            ("größe\n1\n".encode("latin-1"), "not CSV in UTF-8"),
            (b'a,b\n1,"2\n3,4\n', r"line 3: not CSV \(unexpected end of data\)"),
            (b'a,b\n"1"x,2\n', r"line 2: not CSV \(',' expected after"),
            (b"a;b\n1;2\n", "separated by semicolons; save the table with commas"),
            (b"a\tb\n1\t2\n", "separated by tabs"),
            (
                b"a,b\n1,2\n1,2,3\n",
                r"t\.csv, line 3: cells: 3, columns in the header: 2; put a text that holds a comma",
            ),
            (b"a,b\n\n1,2\n1\n", "line 4: cells: 1, columns in the header: 2"),
            (b"a,a\n1,2\n", "two columns are called 'a'; rename"),
            (b"a,,b\n1,2,3\n", "column 2 has no heading"),
        ],
    )
    def test_what_is_no_table(self, tmp_path, content, match):
        as_array(tmp_path)
        (tmp_path / "t.csv").write_bytes(content)
        refused(tmp_path, match)

    def test_a_missing_table(self, tmp_path):
        refused(tmp_path, r"t\.csv: there is no such table; write its path relative to the description")
        (tmp_path / "t.csv").mkdir()
        refused(tmp_path, r"t\.csv: the table cannot be read \(Is a directory\)")

    @pytest.mark.parametrize(("cell", "shown"), [("", "empty"), ("NaN", "'NaN'"), ("inf", "'inf'")])
    def test_cells_without_a_value(self, tmp_path, cell, shown):
        as_array(tmp_path)

        def change(rows):
            rows[3][1] = rows[7][1] = cell

        rewrite(tmp_path, change)
        refused(tmp_path, rf"column 'size' is {shown} in 2 rows, first on line 5; fill in a value, leave the row out")

    def test_a_column_of_one_level(self, tmp_path):
        as_array(tmp_path)

        def change(rows):
            for row in rows:
                row.append("night")

        rewrite(tmp_path, change, (*HEADER, "time"))
        refused(tmp_path, r"column 'time' is 'night' in every row; a factor varies. Put it into ignore")
        assert describe(tmp_path, 'ignore = ["time"]').grid.names == HEADER

    def test_rows_with_the_same_factors(self, tmp_path):
        as_array(tmp_path)

        def change(rows):
            rows[6] = rows[1]

        rewrite(tmp_path, change)
        refused(
            tmp_path,
            r"1 row repeats the factors of an earlier one, first line 8, which repeats line 3 \(shape=disc, size",
        )
        assert len(describe(tmp_path, "allow_duplicates = true")) == len(combinations())

    def test_no_factor(self, tmp_path):
        as_array(tmp_path)
        refused(tmp_path, "no column is a factor", f"ignore = {list(HEADER)}")

    @pytest.mark.parametrize("name", ["a=b", "a/b"])
    def test_names_that_outputs_cannot_have(self, tmp_path, name):
        as_array(tmp_path)
        rewrite(tmp_path, lambda rows: None, ("shape", "size", name))
        refused(
            tmp_path, f"column '{name}' cannot be a factor by that name, since an output is called after it; rename"
        )

    def test_too_few_rows_for_a_split(self, tmp_path):
        rows = [
            ("disc", 1, 50),
            ("disc", 2, 50),
            ("square", 1, 50),
            ("square", 2, 100),
            ("star", 1, 100),
            ("star", 3, 150),
        ]
        benchmark = describe(as_array(tmp_path, rows))
        assert benchmark.families == ()
        with pytest.raises(
            BenchmarkError,
            match=r"no extrapolation split\. extrapolation-shape: .*rows held out: 1, to train on: 5; each needs",
        ):
            benchmark.splits("extrapolation")


class TestImages:
    def test_files_that_are_not_there(self, tmp_path):
        as_folder(tmp_path)
        for k in (2, 5, 7, 9):
            (tmp_path / "t" / f"{k}.png").unlink()
        refused(
            tmp_path,
            rf"4 of {len(combinations())} images .* are not there: 2.png, 5.png, 7.png, …; correct",
            images="t",
        )
        refused(tmp_path, "there is no such folder of images", images="nowhere")

    def test_an_image_that_is_named_twice(self, tmp_path):
        as_folder(tmp_path)
        text = (tmp_path / "t.csv").read_text().replace("\n4.png", "\n1.png")
        (tmp_path / "t.csv").write_text(text)
        refused(tmp_path, r"the table names 1.png on lines 3 and 6; an image has one row", images="t")

    def test_an_empty_name(self, tmp_path):
        as_folder(tmp_path)
        (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("\n4.png", "\n"))
        refused(tmp_path, "column 'image' is empty in 1 row, first on line 6", images="t")

    def test_no_column_image(self, tmp_path):
        as_folder(tmp_path)
        rewrite(tmp_path, lambda rows: None)
        refused(tmp_path, r"there is no column image, which has to name the file of each row in .*t\.", images="t")

    def test_a_column_image_beside_an_array(self, tmp_path):
        as_folder(as_array(tmp_path))
        refused(tmp_path, r"the column image names files, but .*t\.npy is one array; ignore it, or name a folder")
        assert len(describe(tmp_path, 'ignore = ["image"]')) == len(combinations())

    @pytest.mark.parametrize(
        ("picture", "match"),
        [
            (Image.new("L", (13, 12)), "4.png has 13 by 12 pixels, and 0.png has 12 by 12; all images need one size"),
            (
                Image.new("RGB", (12, 12)),
                "4.png is in colour, and 0.png is grey; set channels = 1 or 3 to convert them all",
            ),
            (Image.new("I;16", (12, 12)), "4.png has pixels of mode I;16; save it with 8 bits for each channel"),
        ],
    )
    def test_images_that_differ(self, tmp_path, picture, match):
        as_folder(tmp_path)
        picture.save(tmp_path / "t" / "4.png")
        refused(tmp_path, match, images="t")

    def test_what_is_no_image(self, tmp_path):
        as_folder(tmp_path)
        (tmp_path / "t" / "0.png").write_text("no image")
        refused(tmp_path, r"0\.png cannot be read as an image \(cannot identify image file '0\.png'\)", images="t")

    def test_an_image_that_is_cut_off_is_found_when_it_is_read(self, tmp_path):
        as_folder(tmp_path)
        path = tmp_path / "t" / "4.png"
        path.write_bytes(path.read_bytes()[:50])
        benchmark = describe(tmp_path, images="t")
        assert benchmark.images([3]).shape == (1, 12, 12, 1)
        with pytest.raises(BenchmarkError, match=r"4\.png cannot be read as an image"):
            benchmark.images([3, 4])

    def test_an_image_that_changes_its_size_later(self, tmp_path):
        as_folder(tmp_path)
        benchmark = describe(tmp_path, images="t")
        Image.new("L", (5, 5)).save(tmp_path / "t" / "4.png")
        with pytest.raises(BenchmarkError, match=r"4\.png has 5 by 5 pixels"):
            benchmark.images([4])

    def test_what_shows_through(self, tmp_path):
        as_folder(tmp_path)
        Image.new("RGBA", (12, 12), (9, 9, 9, 100)).save(tmp_path / "t" / "4.png")
        benchmark = describe(tmp_path, "channels = 3", images="t")
        with pytest.raises(BenchmarkError, match=r"4\.png is transparent in parts"):
            benchmark.images([4])

    @pytest.mark.parametrize(
        ("array", "match"),
        [
            (np.zeros((7, 12, 12), np.uint8), r"7 images, but the table has \d+ rows; row i belongs to image i"),
            (np.zeros((60, 12, 12), np.float32), "images are float32; multiply by 255, round and save them as uint8"),
            (np.zeros((60, 12, 12), np.int64), "images are int64; save them as uint8"),
            (
                np.zeros((60, 3, 12, 12), np.uint8),
                r"shape \(60, 3, 12, 12\); move the channels to the end: \(N, H, W\)",
            ),
            (np.zeros((60, 12), np.uint8), r"shape \(60, 12\); reshape them"),
            (np.zeros((60, 12, 12, 2), np.uint8), "reshape them"),
            (np.array([{}]), r"not an \.npy file that can be read"),
        ],
    )
    def test_arrays_that_cannot_be_used(self, tmp_path, array, match):
        as_array(tmp_path)
        np.save(tmp_path / "t.npy", array)
        refused(tmp_path, match)

    def test_files_that_are_no_arrays(self, tmp_path):
        as_array(tmp_path)
        (tmp_path / "t.npy").write_bytes((tmp_path / "t.npy").read_bytes()[:300])
        refused(tmp_path, r"not an \.npy file that can be read \(mmap length")
        np.savez(tmp_path / "z.npz", images=np.zeros(3))
        (tmp_path / "z.npz").rename(tmp_path / "t.npy")
        refused(tmp_path, r"an \.npz archive cannot be memory-mapped; save the images alone")
        (tmp_path / "t.npy").unlink()
        refused(tmp_path, "there is no such file of images")
        refused(
            tmp_path, r"images = .*t\.csv is a file; it has to be a folder of images, or an \.npy file", images="t.csv"
        )


class TestDescription:
    @pytest.mark.parametrize(
        ("text", "match"),
        [
            ("ignroe = []", "unknown key 'ignroe'. Did you mean 'ignore'"),
            ('ignore = ["shap"]', r"ignore names the column 'shap', which .*t\.csv lacks. Did you mean 'shape'"),
            ('use = ["sise"]', "use names the column 'sise', .* Did you mean 'size'"),
            ("[factors.colour]", "factors names the column 'colour'"),
            ('use = ["size"]\nignore = ["shape"]', "has both use and ignore"),
            ('use = ["size"]\n[factors.shape]', "factors.shape describes a column that is not used as a factor"),
            ('ignore = "shape"', "ignore = 'shape'; it has to be a list of names in quotes"),
            ("factors = 3", "factors = 3; it has to be a table of keys and values"),
            ("factors.size = 3", "factors.size = 3; it has to be a table of keys and values"),
            ('[factors.size]\nkind = "ordnal"', "kind = 'ordnal'; it is categorical, ordinal, cyclic or continuous"),
            ("[factors.size]\norder = [1]", "factors.size: unknown key 'order'"),
            ("[factors.size]\nvalues = [1]", r"values = \[1\]; it has to be a list of at least two levels in order"),
            ("[factors.size]\nvalues = [1, 2, 3]", "column 'size' holds 4, 5, which its values do not list"),
            ("[factors.size]\nvalues = [1, 2, 2.0, 3, 4, 5]", "column 'size': values lists a level twice"),
            ('[factors.shape]\nvalues = ["disk", "square", "star"]', "holds 'disc', .*not list. Did you mean 'disk'"),
            (
                '[factors.shape]\nkind = "ordinal"',
                r"column 'shape' is ordinal and holds text; list its values in order",
            ),
            ('[factors.shape]\nkind = "continuous"', "column 'shape' is continuous, but 'disc' is not a number"),
            (
                '[factors.size]\nkind = "continuous"\nvalues = [1, 2]',
                "continuous, which takes no values; leave them out",
            ),
            ("[factors.size]\nbands = 3", "column 'size' is ordinal; bands are for continuous factors"),
            ('[factors.size]\nkind = "continuous"\nbands = 1', "bands = 1; it has to be a whole number of at least 2"),
            ("channels = 4", "channels = 4; it is 1 for grey or 3 for RGB"),
            ("channels = 3", "channels is for a folder of images"),
            ("allow_duplicates = 1", "allow_duplicates = 1; it is true or false"),
            ("splits.share = 20", "splits: share = 20; it has to be a number between 0 and 1"),
            ("splits.minimum = 0", "splits: minimum = 0; it has to be a whole number of at least 1"),
            ("splits.extrapolate.share = 0.1", "splits: unknown key 'extrapolate'. Did you mean 'extrapolation'"),
            ("splits.extrapolation.repeats = 2", "splits.extrapolation: unknown key 'repeats'"),
            ("splits.in_distribution.factors = []", "splits.in_distribution: unknown key 'factors'"),
            ("splits.extrapolation = 0.1", "splits.extrapolation = 0.1; it has to be a table"),
            ("x = ", "not TOML"),
        ],
    )
    def test_what_cannot_be_meant(self, tmp_path, text, match):
        refused(as_array(tmp_path), rf"(t\.toml|t\.csv).*{match}", text)

    def test_factors_that_splits_cannot_find(self, tmp_path):
        benchmark = describe(as_array(tmp_path), 'splits.extrapolation.factors = ["sze"]')
        with pytest.raises(BenchmarkError, match=r"splits\.extrapolation\.factors names 'sze', .* Did you mean 'size'"):
            benchmark.splits("extrapolation")

    @pytest.mark.parametrize(
        ("text", "match"),
        [
            ('name = "a"\ntable = "t.csv"', "lacks images; a description has name, table and images"),
            ('name = "a b"\ntable = "t.csv"\nimages = "t.npy"', "name = 'a b'; it has to be letters, digits and"),
            ('name = "comporth"\ntable = "t.csv"\nimages = "t.npy"', "that is the name of another benchmark"),
            ('name = "a"\ntable = 3\nimages = "t.npy"', "table = 3; it has to be a path in quotes"),
        ],
    )
    def test_keys_that_are_needed(self, tmp_path, text, match):
        (as_array(tmp_path) / "t.toml").write_text(text)
        with pytest.raises(BenchmarkError, match=match):
            TableBenchmark.from_toml(tmp_path / "t.toml")

    def test_files_that_are_no_description(self, tmp_path):
        path = tmp_path / "t.toml"
        with pytest.raises(BenchmarkError, match=r"t\.toml: there is no such description"):
            get(str(path))
        path.write_bytes(b"\xff\xfe")
        with pytest.raises(BenchmarkError, match="not TOML"):
            get(str(path))

    def test_the_same_mistakes_by_keyword(self, tmp_path):
        as_array(tmp_path)
        with pytest.raises(BenchmarkError, match=r"^TableBenchmark: name = 'a/b'; it has to be letters"):
            TableBenchmark(tmp_path / "t.csv", tmp_path / "t.npy", "a/b")
        with pytest.raises(BenchmarkError, match=r"TableBenchmark, factors\.size: unknown key 'kin'"):
            TableBenchmark(tmp_path / "t.csv", tmp_path / "t.npy", "a", factors={"size": {"kin": "ordinal"}})

    def test_a_preset(self, tmp_path):
        describe(as_array(tmp_path))
        assert get(str(tmp_path / "t.toml"), "default").preset == "default"
        with pytest.raises(BenchmarkError, match=r"has no preset 'mini', only 'default'; .* BENCHMARK=mini"):
            get(str(tmp_path / "t.toml"), "mini")
