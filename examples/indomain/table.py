"""Lay the recorded results of the in-domain reference models side by side, as tables 5 to 8 of Schott et al. 2022 do.

    python examples/indomain/table.py

prints Markdown tables for each stand-in grid: R² of each split, then what one unseen factor does. Means over seeds, and the range
where it is wider than 0.01.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_genbench.benchmarks import get
from pytest_genbench.results.io import read
from pytest_genbench.results.schema import Case

RESULTS = Path(__file__).resolve().parents[2] / "reference_models" / "results"

MODELS = {
    "cnn": "CNN",
    "coordconv": "CoordConv",
    "mlp": "MLP",
    "beta-vae-readout": "β-VAE, readout",
    "ada-gvae": "Ada-GVAE, readout",
}
"""Documents by name, and what their models are called."""

ANCHORS = ("nearest seen value", "right where seen, else mean", "training mean")

DATA_SETS = ("dsprites", "shapes3d")
PRESET = "stand-in-mini"

SPLITS = {"random": "in_distribution", "composition": "compositional", "interpolation": "", "extrapolation": ""}
"""Splits, and their families where these are called otherwise."""

METRICS = {
    "ood_r2_grid": "unseen factor",
    "id_r2_grid": "the others",
    "toward_mean_share": "nearer to the mean",
    "toward_mean_ratio": "ratio",
    "toward_mean_signed_ratio": "signed ratio",
}


def tables() -> str:
    """Return the tables as Markdown."""
    return "\n\n".join(block for data_set in DATA_SETS for block in (_splits(data_set), _modularity(data_set)))


def _splits(data_set: str) -> str:
    rows = [["R² grid", *SPLITS], ["---", *["--:"] * len(SPLITS)]]
    for name, title in MODELS.items():
        cases = _cases(name, data_set, "regression")
        cells = [_cell([case for case in cases if case.split == split], "r2_grid") for split in SPLITS]
        if any(cells):
            rows.append([f"{title}{_seeds(cases)}", *cells])
    benchmark = get(data_set, PRESET)
    for anchor in ANCHORS:
        found = []
        for split, family in SPLITS.items():
            anchors = benchmark.tasks["regression"].anchors(benchmark.splits(family or split)[0])
            found.append(next(f"{a.value:.3f}" for a in anchors if (a.name, a.metric) == (anchor, "r2_grid")))
        rows.append([f"*{anchor}*", *found])
    return _markdown(f"**{data_set} ({PRESET})**", rows)


def _modularity(data_set: str) -> str:
    rows = [["extrapolation, one factor unseen", *METRICS.values()], ["---", *["--:"] * len(METRICS)]]
    for name, title in MODELS.items():
        cases = [case for case in _cases(name, data_set, "modularity") if case.split == "extrapolation"]
        if cases:
            rows.append([f"{title}{_seeds(cases)}", *(_cell(cases, metric) for metric in METRICS)])
    return _markdown(f"**{data_set} ({PRESET})**, modularity", rows)


def _cases(name: str, data_set: str, output: str) -> list[Case]:
    file = RESULTS / f"{name}.json"
    cases: Sequence[Case] = read(file).cases if file.exists() else ()
    return [case for case in cases if (case.benchmark, case.preset, case.output) == (data_set, PRESET, output)]


def _cell(cases: Sequence[Case], metric: str) -> str:
    values = [score.value for case in cases if (score := case.score(metric)) is not None]
    if not values:
        return ""
    low, high = min(values), max(values)
    spread = f" ({low:.2f} to {high:.2f})" if high - low > 0.01 else ""
    return f"{sum(values) / len(values):.3f}{spread}"


def _seeds(cases: Sequence[Case]) -> str:
    return ", one seed" if len({case.seed for case in cases}) == 1 else ""


def _markdown(title: str, rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([title, "", *("| " + " | ".join(row) + " |" for row in rows)])


if __name__ == "__main__":
    print(tables())
