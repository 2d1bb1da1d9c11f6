"""The pages on CVR show what is recorded, and their pictures are what the rules draw."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "cvr"


def test_the_pages_show_the_rules_and_what_is_recorded():
    made = run_path(str(EXAMPLES / "tables.py"))
    assert made["rules"]() in (ROOT / "docs" / "cvr-rules.md").read_text("utf-8")
    page = (ROOT / "docs" / "cvr.md").read_text("utf-8")
    for block in (made["shortcuts"](), *made["results"]().split("\n\n")):
        assert block in page


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
