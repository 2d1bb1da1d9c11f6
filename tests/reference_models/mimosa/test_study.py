"""The study of MIMOSA's settings: its codes, its rows, and that its page shows what it measured."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_genbench.reference_models.mimosa import MIMOSA

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "mimosa"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("mimosa_study", FOLDER / "study.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def test_codes_are_white_and_linear_in_the_signals(study):
    sticks, codes, latents = study.sample("chopsticks-depth2-both", 500, 0, 0.0)
    assert np.allclose(codes.T @ codes / 500, np.eye(4), atol=1e-9)
    signals = sticks.signals(latents)
    design = np.column_stack([codes, np.ones(500)])
    assert np.allclose(design @ np.linalg.lstsq(design, signals, rcond=None)[0], signals)


def test_bending_keeps_neighbours_together(study):
    flat = study.sample("chopsticks-depth2-either", 400, 0, 0.0)[1]
    bent = study.sample("chopsticks-depth2-either-bent", 400, 0, 0.0)[1]
    assert not np.allclose(flat, bent)
    steps = [np.linalg.norm(codes[1:] - codes[:-1], axis=1) for codes in (flat, bent)]
    ratio = steps[1] / steps[0]
    assert ratio.min() >= 0.25 - 1e-9  # 1 - 1.5 * BEND
    assert ratio.max() <= 1.75 + 1e-9


def test_seeds_and_noise_make_other_signals(study):
    first, again, other, noisy = (
        study.sample("chopsticks-depth2-slope", 50, seed, noise)[1]
        for seed, noise in ((0, 0), (0, 0), (1, 0), (0, 0.01))
    )
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)
    assert not np.allclose(first, noisy)


def test_every_setting_is_one_of_the_estimator(study):
    defaults = MIMOSA().get_params()
    assert set(study.SETTINGS) <= set(defaults)
    assert all(defaults[name] not in values for name, values in study.SETTINGS.items())
    assert {1} <= set(study.SETTINGS["contagion_num"])
    assert {1} <= set(study.SETTINGS["ransac_frac"])


def test_a_row(study):
    row = study.measure("settings", "chopsticks-depth2-slope", 2000, 0, "num_nearest_neighbors", 20)
    assert (row.components, row.paths, row.ted) == (2, 0, 0)
    assert row.purity > 0.95
    assert row.right_dimension.keys() == {"1", "2"}
    assert min(row.right_dimension.values()) > 0.9


def test_a_fit_that_keeps_nothing_is_a_row(study, monkeypatch):
    monkeypatch.setattr(study, "MIMOSA", lambda **settings: MIMOSA(**settings, min_size_init=1999))
    row = study.measure("settings", "chopsticks-depth2-slope", 2000, 0, "paper", 0.0)
    assert (row.purity, row.coverage, row.paths, row.components) == (0, 0, -1, 0)
    assert "none kept" in "\n".join(study.tables([row]))


def test_the_script(study, monkeypatch, capsys, tmp_path):
    path = tmp_path / "rows.json"
    options = ["--quick", "--n", "1000", "--only", "noise", "--data", "chopsticks-depth2-slope", "--save", str(path)]
    monkeypatch.setattr(sys, "argv", ["study.py", *options])
    study.main()
    rows = json.loads(path.read_text("utf-8"))
    assert [row["setting"] for row in rows] == ["paper", *["noise"] * len(study.NOISE)]
    assert "| `noise` 0.01 |" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["spaceshapes", "chopsticks-depth2-eiter"])
def test_other_data_sets(study, name):
    with pytest.raises(SystemExit, match="chopsticks-depth2-either"):
        study.sample(name, 10, 0, 0.0)


def test_the_page_shows_what_was_measured(study):
    page = (ROOT / "docs" / "mimosa.md").read_text("utf-8")
    rows = [study.Row(**row) for row in json.loads((FOLDER / "results.json").read_text("utf-8"))]
    for data in ("chopsticks-depth2-either", "chopsticks-depth2-either-bent"):
        for line in study.tables([row for row in rows if (row.study, row.data) == ("settings", data)]):
            assert line.strip() in page
    for data in ("chopsticks-depth2-either", "chopsticks-depth2-both"):
        for line in study.tables([row for row in rows if (row.study, row.data) == ("noise", data)]):
            assert line.strip() in page
