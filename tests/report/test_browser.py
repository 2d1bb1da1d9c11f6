"""The page in a browser: nothing sticks out at any width, nothing is fetched or run, and it prints. Needs Chromium."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_genbench.report.html import page
from pytest_genbench.report.several import models_page
from pytest_genbench.results.io import read
from pytest_genbench.results.schema import Document, Failure

from .test_html import DOCUMENT, HOSTILE, known, toy_case
from .test_several import other

ROOT = Path(__file__).parents[2]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--allow-file-access-from-files"),
)

pytestmark = pytest.mark.skipif(
    BROWSER is None and "GENBENCH_BROWSER" not in os.environ, reason="no Chromium on this machine"
)

WRAPPER = """<!doctype html><meta charset="utf-8"><body><script>
const found = {}, widths = [360, 768, 1280], pages = %s;
let left = widths.length * pages.length;
for (const name of pages) for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 800; frame.src = name;
  frame.onload = () => {
    const root = frame.contentDocument.documentElement;
    const small = [...frame.contentDocument.querySelectorAll("h1, h2, p, dd, td, figcaption, svg text")]
      .filter(each => parseFloat(frame.contentWindow.getComputedStyle(each).fontSize) < 9.5).length;
    const thin = [...frame.contentDocument.querySelectorAll("th, td")]
      .filter(each => each.scrollWidth > each.clientWidth
        || each.textContent.length > 4 && each.clientWidth && each.clientWidth < 30)
      .length;
    found[name + " " + width] = [root.scrollWidth, width, root.scrollHeight > 800, small, thin];
    if (!--left) document.title = JSON.stringify(found);
  };
  document.body.append(frame);
}
</script>"""


def browse(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None, "GENBENCH_BROWSER asks for the browser's tests, but there is no Chromium"
    command = [BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def recorded(name: str) -> Document:
    """Results of a reference model, with figures of its benchmark."""
    return read(ROOT / "reference_models" / "results" / f"{name}.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages."""
    folder = tmp_path_factory.mktemp("pages")
    shown = replace(DOCUMENT, cases=(toy_case(failures=(Failure(3, "a", "b"),)), *DOCUMENT.cases[1:]))
    made = {
        "toy.html": page(shown, known=known()),
        "models.html": models_page(
            {name: other(name, value) for name, value in (("some/long/path/a.onnx", 0.25), ("b.onnx", 0.75))}
        ),
        "hostile.html": page(replace(DOCUMENT, model={"spec": HOSTILE * 3}, notes=(HOSTILE,)), known=known()),
        "comporth.html": page(recorded("conv1d-autoencoder")),
        "cnn.html": page(recorded("cnn")),
        "cofhae.html": page(recorded("cofhae")),
        "cvr.html": page(recorded("cvr-resnet-small")),
    }
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_nothing_sticks_out_at_any_width(folder: Path) -> None:
    pages = sorted(path.name for path in folder.glob("*.html"))
    (folder / "all.htm").write_text(WRAPPER % json.dumps(pages), "utf-8")
    dom = browse(folder, "--dump-dom", "--virtual-time-budget=20000", (folder / "all.htm").as_uri()).stdout
    title = re.search(r"<title>(.*?)</title>", dom, re.S)
    assert title is not None
    found = json.loads(html.unescape(title[1]))
    assert len(found) == 3 * len(pages)
    for name, (scroll, width, is_long, small, thin) in found.items():
        assert scroll <= width, name
        assert is_long, name
        assert not small, name
        assert not thin, f"{name}: words are broken letter by letter, or stick out of their cell"


def test_nothing_is_run_or_fetched(folder: Path) -> None:
    url = (folder / "hostile.html").as_uri()
    said = browse(folder, "--dump-dom", "--enable-logging=stderr", "--v=0", url)
    assert "Refused" not in said.stderr
    assert "CONSOLE" not in said.stderr
    assert "<script>" not in said.stdout


def test_the_policy_is_in_force(tmp_path: Path) -> None:
    text = page(DOCUMENT, known=known()).replace("<main>", "<main><script>document.title = 'run'</script>")
    (tmp_path / "bad.html").write_text(text, "utf-8")
    said = browse(tmp_path, "--dump-dom", (tmp_path / "bad.html").as_uri())
    assert "<title>run</title>" not in said.stdout


def test_it_prints(folder: Path) -> None:
    browse(folder, f"--print-to-pdf={folder / 'out.pdf'}", "--no-pdf-header-footer", (folder / "cvr.html").as_uri())
    assert (folder / "out.pdf").read_bytes()[:5] == b"%PDF-"
