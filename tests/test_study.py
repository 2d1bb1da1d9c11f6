"""The study of a bounded code: its codes are what they say, and its page shows what it measured."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.models import ModelOptions, load

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "bounded_code"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("bounded_code_study", FOLDER / "study.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def strips(study):
    return study.cut(get("comporth", "mini").images(np.arange(0, 1116, 7)))


def test_block_averages_keep_32_numbers(study, strips):
    left = study.block_average()(strips)
    assert left.shape == strips.shape
    assert all(len(np.unique(one)) <= 32 for one in left)
    assert left.mean() == pytest.approx(strips.mean(), abs=1e-6)


@pytest.mark.parametrize("name", ["principal_components", "shared_components"])
def test_components_have_the_rank_they_say(study, strips, name):
    left = getattr(study, name)(strips)(strips)
    assert left.shape == strips.shape
    cells = left.reshape(-1, 20, 8, 8).transpose(0, 2, 1, 3).reshape(-1, 160)
    rows, rank = (left.reshape(len(left), -1), 32) if name == "principal_components" else (cells, 4)
    assert np.linalg.matrix_rank(rows - rows.mean(axis=0), tol=1e-3) == rank


def test_many_bits_change_nothing_and_few_do(study):
    model = load(ModelOptions(str(ROOT / "examples" / "comporth" / "conv1d" / "compositional-B5.onnx")))
    images = get("comporth").images(np.arange(0, 11904, 400))
    whole = model.predict(images, ("reconstruction",))["reconstruction"]
    for bits, largest in ((16, 1e-2), (8, 0.5)):
        rounded = study.Rounded(model, bits).predict(images)["reconstruction"]
        assert np.abs(rounded - whole).max() < largest
    assert np.abs(study.Rounded(model, 1).predict(images)["reconstruction"] - whole).max() > 0.5


def test_the_page_shows_what_was_measured():
    page = (ROOT / "docs" / "bounded-code.md").read_text("utf-8")
    rows = json.loads((FOLDER / "results.json").read_text("utf-8"))
    main = [row for row in rows if (row["part"], row["model"]) == ("main", "shared cell")]
    assert len(main) > 30
    for split in {row["split"] for row in main}:
        found = sorted((row["seed"], row["held_out"], row["in_split"]) for row in main if row["split"] == split)
        inside = sum(each[2] for each in found) / len(found)
        assert f"| `{split}` | {inside:.3f} | {', '.join(f'{each[1]:.3f}' for each in found)} |" in page


def test_results_become_tables(study):
    rows = [study.Row("main", "m", 32, "length-1", seed, 0.5, value) for seed, value in ((0, 0.25), (1, 0.75))]
    assert "| m | 32 | length-1 | 2 | 0.500 | 0.250, 0.750 |" in study.tables(rows).splitlines()
