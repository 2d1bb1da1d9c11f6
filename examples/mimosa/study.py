"""What MIMOSA's settings do, and what noise does, on Chopsticks: after figures 9 and 8 of Ross & Doshi-Velez (2021).

    python examples/mimosa/study.py                   # 30,000 signals of each of three data sets, two seeds: five minutes
    python examples/mimosa/study.py --quick           # 10,000 signals of the first, one seed
    python examples/mimosa/study.py --data chopsticks-depth3-both --n 90000

No network is trained: Chopsticks are linear in their factors, so that their principal components, divided by their standard
deviations, stand in for the code of an auto-encoder. These surfaces are flat; a data set that ends in ``-bent`` has them bent, as
those of a network are. Results go to ``results.json`` beside this file, unless ``--save`` says
otherwise, and to the terminal as Markdown tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pytest_genbench.benchmarks.hierarchical.chopsticks import KINDS, Chopsticks
from pytest_genbench.errors import GenbenchError, nearest
from pytest_genbench.metrics.h_error import h_error
from pytest_genbench.metrics.purity import purity
from pytest_genbench.reference_models.mimosa import MIMOSA, PAPER
from pytest_genbench.rng import stream

SETTINGS = {
    "contagion_num": (1, 2, 3, 8, 12),
    "ransac_frac": (0.5, 0.8, 1.0),
    "cos_simil_thresh": (0.9, 0.95, 0.975, 0.995, 0.999),
    "num_nearest_neighbors": (15, 20, 30, 60),
    "eig_cumsum_thresh": (0.9, 0.98),
    "eig_decay_thresh": (2.0, 8.0),
    "min_common_edge_frac": (0.05, 0.8),
    "min_size_merged": (0.005, 0.04),
    "neighbor_lengthscale_mult": (2.0, 5.0, 50.0),
}
"""Values of each setting besides that of the paper, which all others have."""

NOISE = (0.0001, 0.0003, 0.001, 0.003, 0.01)
"""Standard deviations of the noise on each of a signal's 64 samples; offsets go up to 0.2."""

BEND = 0.5
"""How far surfaces are bent, in standard deviations of the codes."""

DATA = ("chopsticks-depth2-either", "chopsticks-depth2-either-bent", "chopsticks-depth2-both")
RESULTS = Path(__file__).with_name("results.json")


@dataclass(frozen=True)
class Row:
    """What one fit found.

    Attributes:
        study: ``settings`` or ``noise``.
        data: Name of the data set.
        n: Number of signals.
        seed: Of the signals.
        setting: What was changed; ``paper`` where nothing was.
        value: What to.
        purity: Share of kept samples on the most frequent path of their component; 0 where nothing was kept.
        coverage: Share of samples kept.
        paths: Differences to the true hierarchy in paths; -1 where nothing was kept.
        ted: The same in edits of the tree.
        components: How many.
        right_dimension: By the number of active factors, the share of samples in a component of that dimension.
    """

    study: str
    data: str
    n: int
    seed: int
    setting: str
    value: float
    purity: float
    coverage: float
    paths: int
    ted: int
    components: int
    right_dimension: dict[str, float]


def main() -> None:
    """Run what the options ask for, save it, and print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, help="signals of each data set (default 30000)")
    parser.add_argument("--seeds", type=int, help="how many draws of the signals (default 2)")
    parser.add_argument("--data", nargs="+", default=None, metavar="NAME", help=f"data sets (default {' '.join(DATA)})")
    parser.add_argument("--only", choices=("settings", "noise"), help="one of the two studies")
    parser.add_argument("--quick", action="store_true", help="10000 signals of the first data set, one draw")
    parser.add_argument("--save", type=Path, help="where results go (default: beside this file; nowhere with --quick)")
    options = parser.parse_args()
    n = options.n or (10_000 if options.quick else 30_000)
    seeds = options.seeds or (1 if options.quick else 2)
    rows: list[Row] = []
    for name in options.data or (DATA[:1] if options.quick else DATA):
        for seed in range(seeds):
            for row in study(name, n, seed, options.only):
                rows.append(row)
                print(f"{name} {seed} {row.setting} {row.value:g}: {row.purity:.3f}", file=sys.stderr)
    save = options.save or (None if options.quick else RESULTS)
    if save is not None:
        save.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    print("\n".join(tables(rows)))


def study(name: str, n: int, seed: int, only: str | None = None) -> Iterator[Row]:
    """Yield the rows of one data set and seed; the paper's settings without noise first."""
    yield measure("settings", name, n, seed, "paper", 0.0)
    if only != "noise":
        for setting, values in SETTINGS.items():
            for value in values:
                yield measure("settings", name, n, seed, setting, value)
    if only != "settings":
        for noise in NOISE:
            yield measure("noise", name, n, seed, "noise", noise)


def measure(part: str, name: str, n: int, seed: int, setting: str, value: float) -> Row:
    """Fit once. A fit that keeps nothing is a row too."""
    sticks, codes, latents = sample(name, n, seed, value if setting == "noise" else 0.0)
    changed = {setting: value} if setting in SETTINGS else {}
    model = MIMOSA(**{**PAPER[name.removesuffix("-bent")], **changed})
    true = sticks.hierarchy.active(latents)[:, sticks.hierarchy.categorical :].sum(axis=1)
    try:
        model.fit(codes)
    except GenbenchError:
        return Row(part, name, n, seed, setting, value, 0.0, 0.0, -1, -1, 0, {str(d): 0.0 for d in np.unique(true)})
    found = np.append(model.dimensions_, 0)[model.components_]  # -1 finds the 0 at the end
    return Row(
        *(part, name, n, seed, setting, value),
        purity=round(purity(model.components_, sticks.hierarchy.path(latents)).value, 4),
        coverage=round(model.coverage_, 4),
        paths=h_error(sticks.hierarchy, model.hierarchy_, definition="paths"),
        ted=h_error(sticks.hierarchy, model.hierarchy_, definition="ted"),
        components=len(model.dimensions_),
        right_dimension={str(d): round(float((found[true == d] == d).mean()), 4) for d in np.unique(true)},
    )


@lru_cache(maxsize=1)
def sample(name: str, n: int, seed: int, noise: float) -> tuple[Chopsticks, NDArray[np.float64], NDArray[np.float64]]:
    """Draw signals: their generator, codes (n, D) and factors (n, columns)."""
    known = [each for each in PAPER if each.startswith("chopsticks-")]
    if name.removesuffix("-bent") not in known:
        raise SystemExit(f"There is no data set {name!r} here.{nearest(name, known)}")
    _, depth, variant, *ending = name.split("-")
    sticks = Chopsticks(variant, int(depth[-1]), noise=noise)
    latents = sticks.latents(n, stream("mimosa-study", variant, depth, "factors", seed))
    signals = sticks.signals(latents, stream("mimosa-study", variant, depth, "noise", seed))
    codes = whitened(signals, sticks.depth * len(KINDS[sticks.variant]))
    return sticks, bent(codes) if ending else codes, latents


def whitened(signals: NDArray[np.float64], dimensions: int) -> NDArray[np.float64]:
    """Turn signals (n, 64) into their first principal components, each with a standard deviation of 1: (n, dimensions)."""
    centred = signals - signals.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    scores = centred @ axes[:, : -dimensions - 1 : -1]
    codes: NDArray[np.float64] = scores / scores.std(axis=0)
    return codes


def bent(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move codes (n, D) along each of D directions by a sine of how far they lie along it, which keeps neighbours together."""
    d = codes.shape[1]
    directions = np.linalg.qr(stream("mimosa-study", "bend", d).normal(size=(d, d)))[0]
    moved: NDArray[np.float64] = codes + BEND * np.sin(1.5 * codes @ directions + 0.5) @ directions.T
    return moved


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """Write Markdown tables: a line for each setting and value, the mean over seeds, and the range where it is not 0."""
    for part in ("settings", "noise"):
        for name in dict.fromkeys(row.data for row in rows):
            chosen = [row for row in rows if (row.study, row.data) == (part, name)]
            if not chosen:
                continue
            active = list(chosen[0].right_dimension)
            yield f"\n**{name}**, {chosen[0].n:,} signals, {len({row.seed for row in chosen})} seeds\n"
            heads = ["", "purity", "coverage", "H-error", "components", *(f"{d}-D found" for d in active)]
            yield f"| {' | '.join(heads)} |"
            yield f"|---{'|--:' * (len(heads) - 1)}|"
            for key in dict.fromkeys((row.setting, row.value) for row in chosen):
                yield line(key, [row for row in chosen if (row.setting, row.value) == key], active)


def line(key: tuple[str, float], rows: Sequence[Row], active: Sequence[str]) -> str:
    """Write one line of a table."""
    setting, value = key
    label = "paper" if setting == "paper" else f"`{setting}` {value:g}"
    cells = [
        mean([row.purity for row in rows]),
        mean([row.coverage for row in rows]),
        ", ".join("none kept" if row.paths < 0 else str(row.paths) for row in rows),
        ", ".join(str(row.components) for row in rows),
        *(f"{np.mean([row.right_dimension[d] for row in rows]):.3f}" for d in active),
    ]
    return f"| {label} | {' | '.join(cells)} |"


def mean(values: Sequence[float]) -> str:
    """Write a mean, and the range where seeds differ by more than the last digit."""
    spread = f" ({min(values):.3f} to {max(values):.3f})" if max(values) - min(values) > 0.01 else ""
    return f"{np.mean(values):.3f}{spread}"


if __name__ == "__main__":
    main()
