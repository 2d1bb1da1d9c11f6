"""The page of the benchmark says what is recorded."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

from pytest_genbench.metrics.reading import REPLACED
from pytest_genbench.results.io import read

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "comporth.md").read_text("utf-8")
MODELS = ("shared-cell-autoencoder", "conv1d-autoencoder", "mlp-autoencoder", "beta-vae")
CASES = {name: read(ROOT / "reference_models" / "results" / f"{name}.json").cases for name in MODELS}


def cell(name, split):
    values = [case.scores[0].value for case in CASES[name] if case.split == split]
    assert len(values) in (0, 3)
    return f"{fmean(values):.3f} ({min(values):.3f} to {max(values):.3f})" if values else ""


def in_split(name):
    """Means over seeds of each split."""
    splits = {case.split for case in CASES[name]}
    metric = "target_probability"
    return [
        fmean(case.score(metric, in_split=True).value for case in CASES[name] if case.split == split)
        for split in splits
    ]


def test_the_table_holds_what_is_recorded():
    rows = re.findall(r"^\| `((?:compositional|length|spatial)-\S+)` \|(.*)\|$", PAGE, re.MULTILINE)
    written = {split: [each.strip() for each in cells.split("|")] for split, cells in rows}
    assert written.keys() == {case.split for cases in CASES.values() for case in cases}
    for split, cells in written.items():
        assert cells == [cell(name, split) for name in MODELS], split


def test_the_sentences_below_it_too():
    least = [min(in_split(name)) for name in MODELS]
    assert [f"{value:.3f}" for value in least] == ["0.990", "0.993", "0.948", "0.051"]
    assert (
        "has 0.990 or more on every split, the convolutions 0.993, the perceptron 0.948; β-VAE stays at 0.051" in PAGE
    )
    items = sum(case.scores[0].n for case in CASES["mlp-autoencoder"])
    replaced = sum(case.errors[REPLACED] for case in CASES["mlp-autoencoder"])
    assert f"{replaced / items:.0%} of its held-out images" == "41% of its held-out images"
    assert "41 % of its held-out images" in PAGE
