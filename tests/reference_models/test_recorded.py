"""What is recorded of the reference models: that it is whole, and that shipped weights still score what is written down."""

import json
import re
from pathlib import Path

import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.registry import find_split
from pytest_genbench.evaluation import evaluate
from pytest_genbench.learners import references
from pytest_genbench.models import ModelOptions, load
from pytest_genbench.reference_models import record
from pytest_genbench.results.io import read

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "reference_models" / "results").glob("*.json"))
INDEX = json.loads((ROOT / "examples" / "comporth" / "recorded.json").read_text("utf-8"))
DOCUMENTS = {path.stem: read(path) for path in RESULTS}


# What `quick` makes of these says nothing, or nobody has had the hours yet.
NOT_RECORDED = {
    *("set-encoder", "stn", "roteq", "roteq-big", "slow-vae", "pcl"),
    *("resnet50", "resnet101x3", "densenet121", "resnet50-transfer", "resnet101x3-transfer", "densenet121-transfer"),
    *("cvr-resnet50", "cvr-vit-small", "wren", "scl-resnet18"),
}
INDOMAIN = ("dsprites", "shapes3d")
ONE_SEED = {"beta-vae-readout", "ada-gvae", "cvr-resnet-small", "scl"}


def recorded_case(name, split_id, seed):
    """The recorded case of a split and seed; None where three seeds of the split are not recorded yet."""
    for case in DOCUMENTS[name].cases:
        if f"{case.benchmark}/{case.preset}/{case.split}" == split_id and case.seed == seed:
            return case
    return None


WEIGHTS = [
    (name, split, entry)
    for name, entries in INDEX.items()
    for split, entry in entries.items()
    if recorded_case(name, split, entry["seed"])
]


def assert_scores_as_recorded(name, split_id, entry):
    """Whole test sets, so that nothing but another processor's rounding may differ."""
    benchmark = get("comporth")
    split = find_split(benchmark, split_id)
    model = load(ModelOptions(str(ROOT / "examples" / "comporth" / entry["file"])))
    found = evaluate(benchmark, split, benchmark.tasks["reconstruction"], model)
    case = recorded_case(name, split_id, entry["seed"])
    for score in found.scores:
        written = case.score(score.metric, in_split=score.condition == "in-split", judge=score.judge)
        assert written.n == score.n
        assert score.value == pytest.approx(written.value, abs=1e-3), (score.metric, score.judge, score.condition)


@pytest.mark.parametrize("name", sorted(INDEX))
def test_shipped_weights_meet_their_recorded_scores(name):
    split = "comporth/published/compositional-B5"
    assert_scores_as_recorded(name, split, INDEX[name][split])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "split", "entry"), WEIGHTS, ids=[f"{n}-{s.rpartition('/')[2]}" for n, s, _ in WEIGHTS]
)
def test_all_weights_with_a_recorded_result_meet_their_recorded_scores(name, split, entry):
    assert_scores_as_recorded(name, split, entry)


def test_every_reference_model_has_a_results_document():
    specs = {document.model["spec"] for document in DOCUMENTS.values()}
    recorded = {spec.removeprefix("reference:").partition("[")[0] for spec in specs}
    assert recorded | NOT_RECORDED == set(references.names())
    assert not recorded & NOT_RECORDED


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_documents_hold_three_seeds_with_the_quick_budget(path):
    document = read(path)
    assert document.model["budget"] == "quick"
    name = document.model["spec"].removeprefix("reference:")
    assert re.sub("[^A-Za-z0-9]+", "-", name).strip("-") == path.stem
    by_split = {}
    for case in document.cases:
        assert case.model["training"]["budget"] == "quick"
        assert case.samples == (10_000 if case.benchmark in INDOMAIN else "all")
        by_split.setdefault((case.benchmark, case.split), set()).add(case.seed)
    assert by_split
    for (benchmark, _), seeds in by_split.items():
        assert seeds == ({0} if benchmark == "spaceshapes" or path.stem in ONE_SEED else {0, 1, 2})


def test_the_shipped_extract_holds_the_headline_scores_of_the_results():
    text = record.extract(lambda path: DOCUMENTS[path.stem])
    assert record.SCORES.read_text("utf-8") == text
    models = json.loads(text)
    assert models.keys() == {name for name in record.RUNS if "[" not in name}
    extracted = sum(
        len(task["scores"][split]) for m in models.values() for task in m.values() for split in task["scores"]
    )
    # Each case once: names of splits are not shared by families or tasks.
    assert extracted == sum(len(DOCUMENTS[name].cases) for name in models)
    task = models["conv1d-autoencoder"]["comporth/1/published/compositional/reconstruction"]
    assert (task["metric"], task["judge"], task["budget"]) == ("target_probability", "published-1", "quick")
    case = recorded_case("conv1d-autoencoder", "comporth/published/compositional-B1", 2)
    assert task["scores"]["compositional-B1"]["2"] == pytest.approx(case.scores[0].value, abs=1e-6)


def test_recorded_weights_are_found_by_what_was_asked_for():
    spec, split = "reference:conv1d-autoencoder", "comporth/published/compositional-B1"
    any_seed = references.recorded(spec, split, seed=None, budget=None)
    assert any_seed.seed == 2
    assert any_seed.file.is_file()
    assert references.recorded(spec, split, seed=2, budget="quick") == any_seed
    for other in (
        {"seed": 0, "budget": "quick"},
        {"seed": None, "budget": "standard"},
    ):
        assert references.recorded(spec, split, **other) is None
    assert references.recorded(f"{spec}[steps=9]", split, seed=None, budget=None) is None
    assert references.recorded(spec, "comporth/mini/compositional-B1", seed=None, budget=None) is None
