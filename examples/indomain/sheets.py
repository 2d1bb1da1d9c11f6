"""Draw what each factor of the stand-ins does: a row for each factor, from its lowest level to its highest.

    python examples/indomain/sheets.py docs/images

writes ``dsprites.png``, ``shapes3d.png``, ``mpi3d.png`` and ``celebglow.png`` into a folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from pytest_genbench.benchmarks import get

COLUMNS, GAP = 10, 4
BASE = {
    "dsprites": (2, 5, 3, 16, 16),
    "shapes3d": (1, 5, 9, 5, 0, 7),
    "mpi3d": (1, 1, 1, 1, 0, 10, 20),
    "celebglow": (7, 3, 1, 1),
}
"""Levels of the factors that a row does not vary."""


def sheet(name: str) -> Image.Image:
    """Return the sheet of one data set: up to ten levels in a row, evenly spread."""
    benchmark = get(name, "stand-in")
    shape = benchmark.grid.shape
    rows = []
    for factor, count in enumerate(shape):
        levels = np.tile(BASE[name], (COLUMNS, 1))
        shown = min(count, COLUMNS)
        levels[:shown, factor] = np.rint(np.linspace(0, count - 1, shown)).astype(int)
        images = benchmark.images(benchmark.grid.index(levels))
        images[shown:] = 255
        rows.append(images)
    cells = np.stack(rows)  # (factors, columns, 64, 64, C)
    padded = np.pad(cells, ((0, 0), (0, 0), (GAP, 0), (GAP, 0), (0, 0)), constant_values=255)
    count, columns, height, width, channels = padded.shape
    page = padded.transpose(0, 2, 1, 3, 4).reshape(count * height, columns * width, channels)
    return Image.fromarray(page.squeeze() if channels == 1 else page)


def main() -> None:
    """Write all sheets."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name in BASE:
        sheet(name).save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
