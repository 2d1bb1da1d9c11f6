"""Small tables with images for tests, and strategies for random ones."""

import itertools
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from PIL import Image

from pytest_genbench.benchmarks.table import TableBenchmark
from pytest_genbench.benchmarks.table.factors import Variable
from pytest_genbench.benchmarks.table.rows import Rows
from pytest_genbench.factors import Factor

SHAPES, SIZES, SHADES = ("disc", "square", "star"), (1, 2, 3, 4, 5), (50, 100, 150, 200, 250)


def draw(shape, size, shade):
    """An image that tells its factors: the shade of a square, its size, and a mark for the shape."""
    image = np.zeros((12, 12), dtype=np.uint8)
    image[1 : 1 + size, 1 : 1 + size] = shade
    image[11, SHAPES.index(shape)] = 255
    return image


def combinations(keep=0.8):
    """An incomplete grid of (shape, size, shade): every level of each occurs."""
    full = list(itertools.product(SHAPES, SIZES, SHADES))
    chosen = np.random.default_rng(5).random(len(full)) < keep
    return [each for each, is_kept in zip(full, chosen, strict=True) if is_kept]


def write_csv(path, header, rows):
    lines = [",".join(map(str, row)) for row in [header, *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_array(folder, rows=None):
    """Write ``t.csv`` and ``t.npy``."""
    rows = combinations() if rows is None else rows
    np.save(folder / "t.npy", np.stack([draw(*row) for row in rows]))
    write_csv(folder / "t.csv", ("shape", "size", "shade"), rows)
    return folder


def as_folder(folder, rows=None):
    """Write ``t.csv`` and a folder ``t`` of PNG files."""
    rows = combinations() if rows is None else rows
    (folder / "t").mkdir()
    for k, row in enumerate(rows):
        Image.fromarray(draw(*row)).save(folder / "t" / f"{k}.png")
    write_csv(folder / "t.csv", ("image", "shape", "size", "shade"), [(f"{k}.png", *row) for k, row in enumerate(rows)])
    return folder


def describe(folder, text="", images="t.npy"):
    """Write ``t.toml`` and open it."""
    head = f'name = "shapes"\ntable = "t.csv"\nimages = "{images}"\n'
    path = Path(folder, "t.toml")
    path.write_text(head + text, encoding="utf-8")
    return TableBenchmark.from_toml(path)


def variable(name, levels, size, kind="ordinal"):
    levels = np.asarray(levels, dtype=np.int64)
    return Variable(Factor(name, tuple(range(size)), kind), levels, levels / (size - 1))


def full_grid(sizes, kinds=None):
    """The rows of a complete grid, the last factor fastest."""
    levels = np.indices(sizes).reshape(len(sizes), -1)
    kinds = kinds or ["ordinal"] * len(sizes)
    return Rows(tuple(variable(f"f{k}", levels[k], sizes[k], kinds[k]) for k in range(len(sizes))))


@st.composite
def incomplete(draw):
    """Rows over a random part of a random grid, with random kinds, in random order and perhaps with repetitions."""
    sizes = draw(st.lists(st.integers(2, 6), min_size=2, max_size=4))
    kinds = draw(
        st.lists(st.sampled_from(("categorical", "ordinal", "cyclic")), min_size=len(sizes), max_size=len(sizes))
    )
    point = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    points = draw(st.lists(point, min_size=4, max_size=80))
    columns = np.array(points).T
    # A factor has at least two levels.
    for column in columns:
        column[0], column[1] = 0, 1
    return Rows(tuple(variable(f"f{k}", columns[k], sizes[k], kinds[k]) for k in range(len(sizes))))
