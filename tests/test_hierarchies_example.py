"""The page on hierarchies shows what is recorded."""

from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).parents[1]


def test_the_page_shows_the_recorded_results():
    made = run_path(str(ROOT / "examples" / "hierarchies" / "table.py"))["tables"]()
    page = (ROOT / "docs" / "hierarchies.md").read_text("utf-8")
    for block in made.split("\n\n"):
        assert block in page
