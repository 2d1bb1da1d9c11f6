"""Numbers and lists that pages state are those of the package; the pages of the benchmarks are built alike."""

from __future__ import annotations

import re
from fnmatch import fnmatch

import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.comporth.stimuli import PRESETS
from pytest_genbench.benchmarks.cvr.benchmark import PRESETS as CVR_PRESETS
from pytest_genbench.benchmarks.cvr.rules import RULES
from pytest_genbench.benchmarks.hierarchical.benchmark import ChopsticksBenchmark, SpaceshapesBenchmark
from pytest_genbench.benchmarks.indomain import data_sets
from pytest_genbench.benchmarks.registry import _OURS
from pytest_genbench.reference_models import LEARNERS

from .pages import DOCS, ROOT, spans

README = (ROOT / "README.md").read_text("utf-8")

BENCHMARKS = {
    "comporth": ["comporth"],
    "in-domain": ["dsprites", "shapes3d", "mpi3d", "celebglow"],
    "hierarchies": ["chopsticks", "spaceshapes"],
    "cvr": ["cvr"],
}
"""Pages, and the benchmarks that they are about."""

SECTIONS = [
    *(
        "The question",
        "The data",
        "The protocol",
        "A model",
        "The scores",
        "What the report shows",
        "What is published",
    ),
    *("Where we differ", "Known faults of the publication", "Reference models", "What they reach"),
]

PRESETS_OF = {
    "comporth": PRESETS,
    "cvr": CVR_PRESETS,
    "chopsticks": ChopsticksBenchmark.PRESETS,
    "spaceshapes": SpaceshapesBenchmark.PRESETS,
    "dsprites": data_sets.DSPRITES_SET._presets,
    "shapes3d": data_sets.SHAPES3D_SET._presets,
    "mpi3d": data_sets.MPI3D_SET._presets,
    "celebglow": data_sets.CELEBGLOW_SET._presets,
}


def read(page: str) -> str:
    return (DOCS / f"{page}.md").read_text("utf-8")


def test_every_benchmark_has_a_page() -> None:
    assert {name for group in BENCHMARKS.values() for name in group} == set(_OURS) == set(PRESETS_OF)


@pytest.mark.parametrize("page", BENCHMARKS)
def test_pages_of_benchmarks_have_the_same_sections(page: str) -> None:
    assert re.findall(r"(?m)^## (.+)$", read(page)) == SECTIONS


@pytest.mark.parametrize("page", BENCHMARKS)
def test_presets_are_described(page: str) -> None:
    named = spans(read(page))
    for benchmark in BENCHMARKS[page]:
        assert [preset for preset in PRESETS_OF[benchmark] if preset not in named] == [], benchmark


def test_every_reference_model_is_described() -> None:
    described = [
        re.split(r"[\[ ]", span.removeprefix("reference:"))[0] for page in BENCHMARKS for span in spans(read(page))
    ]
    assert sorted(set(LEARNERS) - set(described)) == []


def test_counts_in_the_readme_are_those_of_the_package() -> None:
    splits = {family: len(get("comporth").splits(family)) for family in ("spatial", "length", "compositional")}
    assert splits == {"spatial": 48, "length": 5, "compositional": 10}
    assert sum(len(get(name).splits("hierarchy")) for name in ("chopsticks", "spaceshapes")) == 9
    for said in (
        f"one of {splits['spatial']} places",
        f"mean of {splits['compositional']} splits",
        f"{len(RULES)} rules",
        "nine data sets",
        f"Reference models come with each: {len(LEARNERS)} of them",
    ):
        assert said in " ".join(README.split()), said


def test_counts_on_the_pages_are_those_of_the_package() -> None:
    """The tables of splits, held out and to train on, as `genbench show` counts them."""
    for slugs, held, train in re.findall(
        r"(?m)^\| .*?`((?:spatial|length|compositional)\S*)`.* \| ([\d,]+) \| ([\d,]+) \|$", read("comporth")
    ):
        family = slugs.split("-")[0]
        pattern = slugs.replace("…", "*")
        found = [split for split in get("comporth").splits(family) if fnmatch(split.slug, pattern)]
        assert found, slugs
        assert {(f"{len(split.test):,}", f"{len(split.train):,}") for split in found} == {(held, train)}, slugs
    for name in BENCHMARKS["in-domain"]:
        counts = {family: get(name).splits(family)[0] for family in ("extrapolation", "compositional")}
        cells = " | ".join(f"{len(split.train):,} / {len(split.test):,}" for split in counts.values())
        assert f"| {name} | {cells} | " in read("in-domain")


@pytest.mark.parametrize("page", BENCHMARKS)
def test_every_score_is_described(page: str) -> None:
    """By its name, up to the factor, variable or set that it is about."""
    words = {word for span in spans(read(page)) for word in re.findall(r"[\w…]+", span)}
    for name in BENCHMARKS[page]:
        for task in get(name).tasks.values():
            metrics = {metric.split(".")[0] for metric in task.metrics}
            assert sorted(metrics - words) == [], f"{name}, {task.name}"
