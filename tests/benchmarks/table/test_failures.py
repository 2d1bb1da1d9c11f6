"""Which rows of a table go wrong worst, and what is said of them."""

import numpy as np
import pytest

from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.benchmarks.table import TableBenchmark, reading
from pytest_genbench.rng import stream

from .tables import as_array, describe, full_grid, variable, write_csv
from .test_tasks import answers


def worst(benchmark, split, task, outputs, step=64, order=None):
    scorer = benchmark.tasks[task].scorer(split)
    rows = split.test if order is None else order
    for start in range(0, len(rows), step):
        batch = rows[start : start + step]
        scorer.add(batch, None, outputs(batch))
    return scorer.worst()


class TestMissed:
    ROWS = full_grid((3, 5, 4), ["categorical", "ordinal", "cyclic"])

    def test_numbers(self):
        # Row 0 has the lowest level of all, row 59 the highest; the second factor has steps of a quarter.
        values = np.array([[0, 0.12, 0], [0, 0.13, 0], [1, 0.5, -4.0], [1, 7.0, 1]])
        index = np.array([0, 0, 59, 59])
        found = reading.missed_numbers(self.ROWS, index, values)
        assert found == pytest.approx(np.array([[0, 0, 0], [0, 0.13, 0], [0, 0.5, 5.0], [0, 0, 0]]))

    def test_levels(self):
        read = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 3], [1, 0, 2]])
        found = reading.missed_levels(self.ROWS, np.zeros(5, int), read)
        assert found.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0.75, 0], [0, 0, 0.5], [1, 0, 1.0]]

    def test_a_continuous_factor(self, tmp_path):
        # Five values are levels of their own: 1, 2, 4, 8 and 16.
        lengths = [1, 2, 4, 8, 16] * 6
        np.save(tmp_path / "t.npy", np.zeros((30, 4, 4), np.uint8))
        write_csv(tmp_path / "t.csv", ("length", "size"), [(v, k // 5) for k, v in enumerate(lengths)])
        benchmark = TableBenchmark(
            tmp_path / "t.csv", tmp_path / "t.npy", "t", factors={"length": {"kind": "continuous"}}
        )
        values = np.array([(6.1 - 1) / 15, (5.9 - 1) / 15, (12.1 - 1) / 15, -1.0])
        index = np.array([2, 2, 3, 0])
        found = reading.missed_numbers(benchmark.rows, index, np.stack([values, benchmark.rows.targets[index, 1]], 1))
        assert found[:, 0] == pytest.approx([2.1 / 15, 0, 4.1 / 15, 0])
        said = reading.of_numbers(benchmark.rows, np.array([2]), np.array([[(6.1 - 1) / 15, 0.0]]))
        assert said == [("length 4", "length 6.1")]

    def test_bands(self, tmp_path):
        # 101 values from 1000 to 1100 in ten bands: half a band is 5.
        np.save(tmp_path / "t.npy", np.zeros((202, 4, 4), np.uint8))
        write_csv(tmp_path / "t.csv", ("year", "kind"), [(1000 + k % 101, "ab"[k // 101]) for k in range(202)])
        benchmark = TableBenchmark(tmp_path / "t.csv", tmp_path / "t.npy", "t")
        variable = benchmark.rows.variables[0]
        assert (variable.is_banded, variable.limits) == (True, (1000, 1100))
        index = np.array([50, 50, 0])
        found = reading.missed_numbers(benchmark.rows, index, np.array([[0.549, 0], [0.551, 0], [-2.0, 0]]))
        assert found[:, 0] == pytest.approx([0, 0.051, 0])
        said = reading.of_numbers(benchmark.rows, np.array([50]), np.array([[0.551, 0]]))
        assert said == [("year 1050", "year 1055")]
        said = reading.of_numbers(benchmark.rows, np.array([0, 50]), np.array([[0.0, 1.0], [0.50003, 0]]))
        assert said[0] == ("kind a", "kind b")
        assert said[1] == ("year 1050", "year 1050.003")


class TestWorst:
    def test_numbers(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "in_distribution-1")
        levels = benchmark.rows.levels[split.test]
        low, high = split.test[levels[:, 2] <= 2][0], split.test[levels[:, 1] >= 3][-1]

        def change(found, rows):
            # The others stay nearest to their own level.
            values = found["factors"] + 0.1
            values[rows == low, 2] += 0.2
            values[rows == high, 1] -= 0.8
            return {"factors": values}

        assert worst(benchmark, split, "regression", answers(benchmark, change), step=2).tolist() == [high, low]

    @pytest.mark.parametrize("task", ["regression", "recognition"])
    def test_batches_do_not_matter(self, tmp_path, task):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")
        noise = stream("test-table-failures").normal(0, 1, (len(benchmark), 5))

        def change(found, rows):
            return {
                name: array + (0.3 if task == "regression" else 1) * noise[rows][:, : array.shape[1]]
                for name, array in found.items()
            }

        outputs = answers(benchmark, change)
        whole = worst(benchmark, split, task, outputs, step=len(benchmark))
        assert len(whole) == 4
        assert worst(benchmark, split, task, outputs, 3, split.test[::-1]).tolist() == whole.tolist()
        said = benchmark.tasks[task].reading(whole, outputs(whole))
        assert all(right != read for right, read in said)

    def test_the_most_factors_wrong(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")
        # Of three rows: another shape; the farthest shade; another shape and the next shade.
        one, two, three = (split.test[k] for k in (0, 4, 8))
        levels = benchmark.rows.levels

        def change(found, rows):
            named = levels[rows].copy()
            named[rows == one, 0] = (levels[one, 0] + 1) % 3
            named[rows == two, 2] = 0 if levels[two, 2] >= 2 else 4
            named[rows == three, 0] = (levels[three, 0] + 1) % 3
            named[rows == three, 2] += 1 if levels[three, 2] < 4 else -1
            return {
                f"factor.{factor.name}": np.eye(len(factor))[named[:, k]]
                for k, factor in enumerate(benchmark.grid.factors)
            }

        outputs = answers(benchmark, change)
        found = worst(benchmark, split, "recognition", outputs)
        assert found[:2].tolist() == [three, one]
        (said,) = benchmark.tasks["recognition"].reading(np.array([three]), outputs(np.array([three])))
        shape, shade = (benchmark.grid.factors[k].values for k in (0, 2))
        own, off = levels[three], levels[three, 2] + (1 if levels[three, 2] < 4 else -1)
        assert said == (
            f"shape {shape[own[0]]}, shade {shade[own[2]]}",
            f"shape {shape[(own[0] + 1) % 3]}, shade {shade[off]}",
        )

    def test_nothing_wrong(self, tmp_path):
        benchmark = describe(as_array(tmp_path))
        split = find_split(benchmark, "extrapolation-size")
        for task in benchmark.tasks:
            outputs = answers(benchmark, lambda found, rows: found)
            assert worst(benchmark, split, task, outputs).tolist() == []
            # A model that answers otherwise when asked again.
            assert benchmark.tasks[task].reading(split.test[:1], outputs(split.test[:1]))[0][0].startswith("shape ")


def test_a_level_that_no_row_has_is_one_to_be_near():
    rows = type(full_grid((2, 2)))((variable("a", [0, 1, 3], 4),))
    found = reading.missed_numbers(rows, np.array([2, 2]), np.array([[0.8], [0.85]]))
    assert found[:, 0] == pytest.approx([0.2, 0])
