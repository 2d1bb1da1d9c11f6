"""Lay the recorded results of the hierarchical reference models side by side, as figure 5 of Ross & Doshi-Velez 2021 does.

    python examples/hierarchies/table.py

prints a Markdown table for each data set: means over seeds, and the range where it is wider than 0.01.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_genbench.results.io import read
from pytest_genbench.results.schema import Case

RESULTS = Path(__file__).resolve().parents[2] / "reference_models" / "results"

MODELS = {
    "autoencoder": "AE",
    "vae": "VAE",
    "beta-tcvae": "β-TCVAE",
    "factor-vae": "FactorVAE",
    "cofhae": "COFHAE, true hierarchy",
    "cofhae-hierarchy-mimosa": "COFHAE, MIMOSA",
    "cofhae-terms-H-A-Z": "H+A+Z",
}
"""Documents by name, and what their models are called."""

METRICS = {
    "r_c_fast": "R_c",
    "r_fast": "R",
    "mig": "MIG",
    "sap": "SAP",
    "dci_disentanglement": "DCI",
    "factorvae": "FactorVAE",
    "purity": "purity",
    "coverage": "coverage",
    "h_error": "H-error",
}

ABLATIONS = {
    "cofhae-terms-flat": "flat",
    "cofhae-terms-H": "Hier H",
    "cofhae-terms-H-TC": "H+TC(Z)",
    "cofhae-terms-H-TC-on": "H+TC(Z given on)",
    "cofhae-terms-H-A": "H+A",
    "cofhae-terms-H-A-TC": "H+A+TC(Z)",
    "cofhae": "H+A+TC(Z given on): COFHAE",
    "cofhae-terms-H-A-Z": "H+A+Z",
}
"""Documents by name, and what figure 4 calls their models."""

DATA_SETS = ("depth2-slope", "depth2-either", "spaceshapes")


def tables() -> str:
    """Return the tables as Markdown."""
    blocks = [_table(data_set, MODELS) for data_set in DATA_SETS]
    return "\n\n".join([*blocks, _table("depth2-slope", ABLATIONS, " (figure 4)")])


def _table(data_set: str, models: Mapping[str, str], about: str = "") -> str:
    rows = [["", *METRICS.values()], ["---", *["--:"] * len(METRICS)]]
    for name, title in models.items():
        cases = [case for case in read(RESULTS / f"{name}.json").cases if case.split == data_set]
        if cases:
            rows.append([title, *_cells(cases)])
    return "\n".join([f"**{data_set}**{about}", "", *("| " + " | ".join(row) + " |" for row in rows)])


def _cells(cases: list[Case]) -> Iterator[str]:
    for metric in METRICS:
        values = [score.value for case in cases if (score := case.score(metric)) is not None]
        if not values:
            yield ""
            continue
        low, high = min(values), max(values)
        spread = f" ({low:.2f} to {high:.2f})" if high - low > 0.01 else ""
        yield f"{sum(values) / len(values):.3f}{spread}"


if __name__ == "__main__":
    print(tables())
