"""What a code of 32 numbers needs to pass CompOrth: a study of the shared-cell auto-encoder, with its ablations.

    python examples/bounded_code/study.py                 # train what is missing, then measure and write the tables
    python examples/bounded_code/study.py --only ablations
    python examples/bounded_code/study.py --measure-only  # of what the cache has already

Trained models are kept in the cache of the test runs, so that the study can be stopped and goes on where it was. Results go to
``results.json`` beside this file, and to the terminal as Markdown tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from pytest_genbench.benchmarks import Benchmark, get
from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.cache import default_folder
from pytest_genbench.errors import GenbenchError
from pytest_genbench.evaluation import evaluate
from pytest_genbench.learners import TrainingTask, references, train
from pytest_genbench.learners.api import lookup
from pytest_genbench.models import Model, ModelOptions, load, to_numpy, wrap
from pytest_genbench.splits import Split
from pytest_genbench.threads import per_process

SAMPLES = 2000
"""Held-out images scored for each model: a standard error of 0.01 at most."""

COMPOSITIONAL = [f"compositional-{letter}{position}" for letter in "AB" for position in range(1, 6)]
LENGTH = [f"length-{letters}" for letters in range(1, 6)]
# The centre, the four corners, and places between them: 10 of the 48.
SPATIAL = [
    f"spatial-{place}"
    for place in ("x+0y+0", "x-2y-4", "x+3y+3", "x+3y-4", "x-2y+3", "x+1y-1", "x-2y+0", "x+3y-1", "x+0y-4", "x+1y+3")
]
KEY = ["compositional-A1", "compositional-B5", "length-5", "spatial-x+0y+0"]
"""One split of each kind, the hardest letter among them, for the ablations."""

CELL = "reference:shared-cell-autoencoder"
CONV1D = "reference:conv1d-autoencoder"
MLP = "reference:mlp-autoencoder"

TOP, ROWS, WIDTH, WINDOWS = 22, 20, 8, 8  # the strip the codes see, and its windows


@dataclass(frozen=True)
class Row:
    """One measurement: a model on a split."""

    part: str
    model: str
    numbers: int
    split: str
    seed: int
    in_split: float
    held_out: float


def main() -> None:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(description="What a code of 32 numbers needs to pass CompOrth.")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of the main part (default: 3)")
    parser.add_argument("--cache", type=Path, default=default_folder(), help="folder of trained models")
    parser.add_argument("--measure-only", action="store_true", help="leave out what is not trained yet")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"), help="file of results")
    args = parser.parse_args()
    study = Study(args.cache, args.seeds, train_missing=not args.measure_only)
    rows = [row for name in args.only or PARTS for row in PARTS[name](study)]
    args.out.write_text(json.dumps([vars(row) for row in rows], indent=1) + "\n", "utf-8")
    print(tables(rows))


class Study:
    """Trains and measures on the preset of the paper.

    Args:
        cache: Folder of trained models.
        seeds: Seeds of the main part.
        train_missing: Whether to train what the cache lacks.
    """

    def __init__(self, cache: Path, seeds: int, train_missing: bool) -> None:
        self.benchmark: Benchmark = get("comporth")
        self.seeds = range(seeds)
        self._cache, self._trains = cache, train_missing

    def learned(self, spec: str, slug: str, seed: int) -> Model | None:
        """Return a learner's model for a split; None where it is not trained yet and is not to be."""
        shipped = references.recorded(spec, find_split(self.benchmark, slug).id, seed=seed, budget="quick")
        if shipped is not None:
            return load(ModelOptions(spec=str(shipped.file), threads=per_process()))
        arguments = (spec, "comporth", slug)
        folder = lookup(*arguments, seed=seed, cache=self._cache)
        if folder is None and self._trains:
            print(f"training {spec} on {slug}, seed {seed}", file=sys.stderr, flush=True)
            folder = train(*arguments, seed=seed, cache=self._cache)
        if folder is None:
            return None
        return load(ModelOptions(spec=str(folder / "model.onnx"), threads=per_process()))

    def measure(self, part: str, name: str, model: Model, split: Split, seed: int, numbers: int) -> Row:
        """Score a model on what a split holds out, and on what it does not."""
        task = self.benchmark.tasks["reconstruction"]
        scores = evaluate(self.benchmark, split, task, model, samples=SAMPLES).scores
        found = {
            score.condition: score.value for score in scores if (score.metric, score.judge) == (task.metric, task.judge)
        }
        row = Row(part, name, numbers, split.slug, seed, round(found["in-split"], 4), round(found["held-out"], 4))
        print(row, file=sys.stderr, flush=True)
        return row

    def rows(
        self, part: str, name: str, spec: str, slugs: Sequence[str], seeds: Sequence[int], numbers: int
    ) -> Iterator[Row]:
        """Measure a learner on splits and seeds."""
        for slug in slugs:
            for seed in seeds:
                model = self.learned(spec, slug, seed)
                if model is not None:
                    yield self.measure(part, name, model, find_split(self.benchmark, slug), seed, numbers)


def main_part(study: Study) -> Iterator[Row]:
    """All families with several seeds."""
    yield from study.rows("main", "shared cell", CELL, COMPOSITIONAL + LENGTH + SPATIAL, study.seeds, 32)
    yield from study.rows("main", "conv1d", CONV1D, COMPOSITIONAL, study.seeds, 32)
    yield from study.rows("main", "MLP", MLP, COMPOSITIONAL, study.seeds, 32)


def ablations(study: Study) -> Iterator[Row]:
    """What happens without sharing, with fewer numbers, without noise."""
    yield from study.rows("ablations", "weights not shared", f"{CELL}[shared=false]", KEY, [0], 32)
    for code in (3, 2):
        yield from study.rows(
            "ablations", f"{code} numbers per cell", f"{CELL}[code={code}]", KEY[:2], [0], WINDOWS * code
        )
    yield from study.rows("ablations", "no noise in training", f"{CELL}[noise=0]", KEY[:2], [0], 32)


def level(study: Study) -> Iterator[Row]:
    """The line brought to one height first: 33 numbers."""
    name, spec = "shared cell, level", f"{CELL}[level=true]"
    yield from study.rows("level", name, spec, ["spatial-x+0y+0"], study.seeds, 33)
    yield from study.rows("level", name, spec, [slug for slug in KEY if slug != "spatial-x+0y+0"], [0], 33)


def linear(study: Study) -> Iterator[Row]:
    """Codes of the same size without learning by gradient, or without sharing."""
    for slug in KEY:
        split = find_split(study.benchmark, slug)
        strips = cut(TrainingTask(study.benchmark, split).images())
        for name, code in (
            ("block average 4 x 8", block_average()),
            ("PCA of the strip, 32", principal_components(strips)),
            ("PCA of a cell, 4 for each, shared", shared_components(strips)),
        ):
            yield study.measure("linear", name, reconstructing(code, name), split, 0, 32)


def bits(study: Study) -> Iterator[Row]:
    """The same trained models with every number of the code rounded to some bits."""
    for slug in KEY:
        model = study.learned(CELL, slug, 0)
        if model is not None:
            for b in (8, 4, 3, 2):
                split = find_split(study.benchmark, slug)
                yield study.measure("bits", f"{b} bits per number", Rounded(model, b), split, 0, 32)


PARTS: Mapping[str, Callable[[Study], Iterator[Row]]] = {
    "main": main_part,
    "ablations": ablations,
    "level": level,
    "linear": linear,
    "bits": bits,
}


class Rounded:
    """A model whose code is rounded to 2**bits levels before it is decoded.

    Args:
        model: Offers ``embedding`` in (-1, 1), and decodes.
        bits: For each number.
    """

    def __init__(self, model: Model, bits: int) -> None:
        self._model, self._steps = model, 2**bits - 1
        self.contract, self.device, self.files = model.contract, model.device, model.files

    def predict(self, batch: NDArray[np.uint8], outputs: Sequence[str] | None = None) -> Mapping[str, Any]:
        """Encode, round, decode."""
        code = to_numpy(self._model.predict(batch, ("embedding",))["embedding"])
        code = np.rint((code + 1) / 2 * self._steps) / self._steps * 2 - 1
        return {"reconstruction": self._model.decode(code.astype(np.float32))}  # type: ignore[attr-defined]


Code = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From strips (N, 20, 64) in [0, 1] to what a code leaves of them, of the same shape."""


def cut(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Strips (N, 20, 64) in [0, 1] of images (N, 64, 64, 1)."""
    return images[:, TOP : TOP + ROWS, :, 0].astype(np.float32) / 255


def reconstructing(code: Code, name: str) -> Model:
    """Make a model of a code: images (N, 1, 64, 64) to their reconstruction."""

    def reconstruct(images: NDArray[np.float32]) -> NDArray[np.float32]:
        painted = np.zeros_like(images)
        painted[:, 0, TOP : TOP + ROWS] = code(images[:, 0, TOP : TOP + ROWS]).clip(0, 1)
        return painted

    reconstruct.genbench = {"outputs": "output=reconstruction", "range": "0,1", "code_size": 32}  # type: ignore[attr-defined]
    return wrap(reconstruct, ModelOptions(spec=name), name=name, image_shape=(64, 64, 1))


def block_average() -> Code:
    """4 x 8 blocks of 5 x 8 pixels."""

    def code(strip: NDArray[np.float32]) -> NDArray[np.float32]:
        blocks = strip.reshape(-1, 4, 5, WINDOWS, WIDTH).mean(axis=(2, 4))
        return blocks.repeat(5, axis=1).repeat(WIDTH, axis=2)

    return code


def principal_components(strips: NDArray[np.float32]) -> Code:
    """32 principal components of whole strips."""
    pca = PCA(32, svd_solver="randomized", random_state=0).fit(strips.reshape(len(strips), -1))
    return lambda strip: pca.inverse_transform(pca.transform(strip.reshape(len(strip), -1))).reshape(strip.shape)


def shared_components(strips: NDArray[np.float32]) -> Code:
    """4 principal components of a cell of 20 x 8 pixels, the same ones for all eight cells."""

    def cells(strip: NDArray[np.float32]) -> NDArray[np.float32]:
        return strip.reshape(-1, ROWS, WINDOWS, WIDTH).transpose(0, 2, 1, 3).reshape(-1, ROWS * WIDTH)

    pca = PCA(4, svd_solver="covariance_eigh").fit(cells(strips))

    def code(strip: NDArray[np.float32]) -> NDArray[np.float32]:
        kept = pca.inverse_transform(pca.transform(cells(strip)))
        return kept.reshape(-1, WINDOWS, ROWS, WIDTH).transpose(0, 2, 1, 3).reshape(strip.shape)

    return code


def tables(rows: Sequence[Row]) -> str:
    """Write the results as Markdown: a line for each model and split, with all seeds."""
    lines: list[str] = []
    for part in dict.fromkeys(row.part for row in rows):
        lines += [
            f"### {part}",
            "",
            "| model | numbers | split | seeds | in-split | held out |",
            "|---|--:|---|--:|--:|--:|",
        ]
        ours = [row for row in rows if row.part == part]
        for model, split in dict.fromkeys((row.model, row.split) for row in ours):
            found = [row for row in ours if (row.model, row.split) == (model, split)]
            inside = sum(row.in_split for row in found) / len(found)
            outside = ", ".join(f"{row.held_out:.3f}" for row in found)
            lines.append(f"| {model} | {found[0].numbers} | {split} | {len(found)} | {inside:.3f} | {outside} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        main()
    except GenbenchError as error:
        sys.exit(f"study: {error}")
