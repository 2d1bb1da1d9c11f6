"""The page on the in-domain benchmark shows what is recorded, and its pictures are what the stand-ins draw."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "indomain"


def test_the_page_shows_the_recorded_results():
    made = run_path(str(EXAMPLES / "table.py"))["tables"]()
    page = (ROOT / "docs" / "in-domain.md").read_text("utf-8")
    for block in made.split("\n\n"):
        assert block in page


@pytest.mark.parametrize("name", ["dsprites", "shapes3d", "mpi3d", "celebglow"])
def test_the_pictures_are_those_of_the_stand_ins(name):
    drawn = run_path(str(EXAMPLES / "sheets.py"))["sheet"](name)
    assert np.array_equal(np.asarray(drawn), np.asarray(Image.open(ROOT / "docs" / "images" / f"{name}.png")))
