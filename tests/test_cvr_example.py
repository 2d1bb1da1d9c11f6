"""The pages on CVR show what is recorded, and their pictures are what the rules draw."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
EASY, HARD = ("pos", "size", "color", "count"), ("shape", "rot", "flip")
EXAMPLES = ROOT / "examples" / "cvr"


def test_the_pages_show_the_rules_and_what_is_recorded():
    made = run_path(str(EXAMPLES / "tables.py"))
    assert made["rules"]() in (ROOT / "docs" / "cvr-rules.md").read_text("utf-8")
    page = (ROOT / "docs" / "cvr.md").read_text("utf-8")
    for block in (made["shortcuts"](), *made["results"]().split("\n\n")):
        assert block in page


def test_recorded_results_are_as_the_page_says():
    """Accuracy grows with the number of problems; place, size, colour and count are easier than rotation and flip."""
    from pytest_genbench.reference_models.record import RESULTS
    from pytest_genbench.results.io import read
    from pytest_genbench.results.reasoning import curves, runs

    ((_, rules),) = curves(runs(read(RESULTS / "cvr-resnet-small.json").cases)).items()
    means = [np.mean([curve[n].value for curve in rules.values()]) for n in (20, 100, 1000)]
    assert means[0] + 0.1 < means[1] < means[2] - 0.1
    easy, hard = (np.mean([rules[name][1000].value for name in names]) for names in (EASY, HARD))
    assert easy > 0.9 > 0.3 > hard


@pytest.mark.parametrize("name", ["cvr-elementary", "cvr-composed"])
def test_the_pictures_are_what_the_rules_draw(name):
    drawn = run_path(str(EXAMPLES / "sheets.py"))["sheet"](name)
    assert np.array_equal(np.asarray(drawn), np.asarray(Image.open(ROOT / "docs" / "images" / f"{name}.png")))


def test_recorded_shortcuts_are_those_of_the_problems():
    """A few are measured again, over the same problems."""
    from pytest_genbench.benchmarks.cvr import Cvr
    from pytest_genbench.benchmarks.cvr.sets import items
    from pytest_genbench.benchmarks.cvr.shortcuts import accuracies, table

    benchmark = Cvr("checked")
    chosen = items(2, "test", 60).tolist()
    found = accuracies((benchmark.images([item])[0], benchmark.answers([item])[0][0]) for item in chosen)
    recorded = table()["checked"]["size"]
    assert all(abs(found[name] - recorded[name]) < 0.2 for name in recorded)
