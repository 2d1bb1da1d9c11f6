"""Take the answers of recorded reference models to unseen values, which reports lay beside those of other models.

    python examples/indomain/answers.py pytest_genbench/benchmarks/indomain/answers.json

reads `reference_models/results`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pytest_genbench.benchmarks.indomain.answers import MODELS, extract
from pytest_genbench.results.io import read

RESULTS = Path(__file__).resolve().parents[2] / "reference_models" / "results"


def text() -> str:
    """Return the file's text: a line for each benchmark and model."""
    found = extract({name: read(RESULTS / f"{file}.json").cases for file, name in MODELS.items()})
    parts = []
    for key, about in found.items():
        models = ",\n".join(f"   {_plain(name)}: {_plain(seeds)}" for name, seeds in about["models"].items())
        parts.append(f' {_plain(key)}: {{\n  "items": {_plain(about["items"])},\n  "models": {{\n{models}\n  }}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _plain(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), "utf-8")
