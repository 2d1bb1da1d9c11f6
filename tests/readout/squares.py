"""A benchmark of bright squares on a black canvas, and models that look at it, small enough to check by hand."""

from __future__ import annotations

import numpy as np

from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.models import Contract
from pytest_genbench.splits import Split

SIDE = 8


class Squares:
    """A 2 x 2 square in one of 4 x 4 places, in one of ten brightnesses: 160 images (8, 8, 1)."""

    name, version, preset, families, tasks = "squares", "1", "default", ("rows",), {}
    image_shape = (SIDE, SIDE, 1)
    grid = FactorGrid((Factor("row", range(4)), Factor("column", range(4)), Factor("brightness", range(10))))

    def splits(self, family="rows"):
        held = [lambda row=row: self.grid.levels(np.arange(160))[:, 0] == row for row in range(4)]
        return tuple(
            Split("squares", "default", family, f"row-{row}", f"row {row}", one) for row, one in enumerate(held)
        )

    def images(self, index):
        row, column, brightness = self.levels(index).T
        images = np.zeros((len(row), *self.image_shape), np.uint8)
        for at in range(4):
            images[np.arange(len(row)), 2 * row + at // 2, 2 * column + at % 2] = (100 + 10 * brightness)[:, None]
        return images

    def levels(self, index):
        return self.grid.levels(index)

    def targets(self, index):
        row, column, brightness = self.levels(index).T
        numbers = np.stack([column / 3, brightness / 9], axis=1).astype(np.float32)
        return {"factor.row": row, "factor.column": column, "factors": numbers}


class Looks:
    """A model whose embedding is a function of images (N, H, W, C), which counts what it is asked for."""

    device = "none"

    def __init__(self, look=lambda images: images.reshape(len(images), -1) / 255, files=("00",), **contract):
        self.look, self.files = look, {f"{n}.onnx": digest for n, digest in enumerate(files)}
        self.contract = Contract("x", **{"layout": "NHWC", "outputs": {"embedding": "z"}, **contract})
        self.calls, self.shown = [], 0

    def predict(self, batch, outputs=None):
        self.calls.append((len(batch), tuple(outputs)))
        self.shown += len(batch)
        return {name: batch if name in ("reconstruction", "y") else self.look(batch) for name in outputs}
