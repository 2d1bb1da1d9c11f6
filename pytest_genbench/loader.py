"""What stands in ``load.py`` of an export: a PyTorch Dataset that needs nothing of this package."""

TEXT = '''\
"""The training set in this folder, in plain PyTorch.

    data = TrainingSet()
    image, levels, targets = data[0]

Where there is a folder "validation", TrainingSet("validation") are the items in it: not to train on, but to choose by.

A model that was trained on it declares ID as its genbench.trained_on.
"""

import csv
import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

FOLDER = Path(__file__).resolve().parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
ID = MANIFEST["id"]
FACTORS = {factor["name"]: factor["values"] for factor in MANIFEST["factors"]}


def read_images(part=""):
    """Images uint8 (N, H, W, C), problems of K images uint8 (N, K, H, W, C), or signals float32 (N, length); read when used."""
    return np.load(FOLDER / part / "images.npy", mmap_mode="r")


IMAGES = read_images()


def read_table(part=""):
    """Columns of factors.csv by name, int64 (N,): a factor's value becomes its level, its place among the values."""
    levels = {name: {str(value): level for level, value in enumerate(values)} for name, values in FACTORS.items()}
    with open(FOLDER / part / "factors.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        table = [[levels[k][text] if k in levels else int(text) for k, text in zip(header, row)] for row in rows]
    return dict(zip(header, torch.tensor(table, dtype=torch.int64).T))


class TrainingSet(Dataset):
    """Image float32 (C, H, W) or problem (K, C, H, W) in [0, 1], or signal (length,); levels and right answers int64."""

    def __init__(self, part=""):
        self.images, table = read_images(part), read_table(part)
        self.index = table["index"]  # the benchmark's numbers of the images
        self.levels = torch.stack([table[name] for name in FACTORS], dim=1)
        self.targets = {name: table[name] for name in MANIFEST["targets"]}

    def __len__(self):
        return len(self.images)

    def __getitem__(self, n):
        image = torch.tensor(self.images[n])
        if image.ndim >= 3:
            image = image.movedim(-1, -3).contiguous() / 255
        return image, self.levels[n], {name: target[n] for name, target in self.targets.items()}


if __name__ == "__main__":
    image, levels, targets = TrainingSet()[0]
    print(
        f"{ID}: {len(IMAGES)} { {1: 'signals', 3: 'images'}.get(image.ndim, 'problems')} float32 {tuple(image.shape)}",
        "in [0, 1];" if image.ndim >= 3 else "as they are;",
        f"factors: {', '.join(FACTORS)}; targets: {', '.join(targets) or 'none'}",
    )
'''
