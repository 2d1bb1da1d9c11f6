"""Draw the pictures of docs/cvr.md: a problem of some rules as in training, and one of the same rule by the unseen law.

python examples/cvr/sheets.py docs/images
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_genbench.benchmarks.cvr import problems
from pytest_genbench.benchmarks.cvr.render import render

SHEETS = {
    "cvr-elementary": ("shape", "pos", "size", "color", "rot", "flip", "count", "inside", "contact"),
    "cvr-composed": (
        "sym_mir",
        "pos_size_1",
        "pos_inside_2",
        "size_sym_1",
        "color_contact",
        "rot_flip_1",
        "shape_count_1",
    ),
}
"""Rules on each sheet."""

SIDE, GAP = 96, 4
GREY, ODD = (200, 200, 200), (220, 0, 0)


def sheet(name: str) -> Image.Image:
    """Draw a sheet: a row for each rule, on the left a problem of training, on the right one of the unseen law."""
    rows = []
    for rule in SHEETS[name]:
        found = problems.find(rule)
        made = [problems.make(found, set, 0) for set in ("train", "test_gen")]
        halves = []
        for problem in made:
            frames = [
                _framed(render(image, SIDE), ODD if k == problem.answer else GREY)
                for k, image in enumerate(problem.images)
            ]
            halves.append(np.concatenate(frames, axis=1))
        space = np.full((halves[0].shape[0], 4 * GAP, 3), 255, dtype=np.uint8)
        rows.append(np.concatenate([halves[0], space, halves[1]], axis=1))
    return Image.fromarray(np.concatenate(rows))


def _framed(image: NDArray[np.uint8], colour: tuple[int, int, int]) -> NDArray[np.uint8]:
    frame = np.full((SIDE + 2 * GAP, SIDE + 2 * GAP, 3), 255, dtype=np.uint8)
    frame[1:-1, 1:-1] = colour
    frame[GAP - 1 : -GAP + 1, GAP - 1 : -GAP + 1] = 255
    frame[GAP:-GAP, GAP:-GAP] = image
    return frame


if __name__ == "__main__":
    for name in SHEETS:
        sheet(name).save(Path(sys.argv[1]) / f"{name}.png")
