"""What the shipped gates say of the recorded reference models and of predictors that learn nothing: a changed gate shows here."""

import json
import tomllib
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from pytest_genbench.gates import decide
from pytest_genbench.report.tables import verdict_line

from .recorded import GATES, as_toml, judged, verdicts

TABLE = Path(__file__).with_name("reference_verdicts.toml")
INDEX = json.loads((Path(__file__).parents[2] / "examples" / "comporth" / "recorded.json").read_text("utf-8"))

LEARNS_NOTHING = {
    *("chance", "constant answer", "blank image", "mean image", "nearest training image"),
    *("training mean", "principal components", "best shortcut"),
}
"""Anchors that no gate may let pass."""

KNOWS_THE_ANSWER = {
    "identity": "copies its input; a code of that size is not let pass",
    "true values": "the right code",
    "true factors": "the right code",
    "people": "have learnt it",
    "published": "trained models",
    "published COFHAE": "a trained model",
    "published β-TCVAE": "a trained model",
    "nearest seen value": "right on all that training shows, so on all of a random split; beyond that it is the bound itself",
    "right where seen, else mean": "likewise, but below the bound where values are unseen",
}


def cases():
    return [(model, case) for model, document in judged().items() for case in document.cases]


def test_verdicts_are_those_of_the_reviewed_table():
    found = {model: verdicts(document) for model, document in judged().items()}
    reviewed, now = TABLE.read_text("utf-8"), as_toml()
    lines = (reviewed.splitlines()[3:], now.splitlines())
    assert found == tomllib.loads(reviewed), "a gate or a result changed; review it:\n" + "\n".join(
        unified_diff(*lines, n=0)
    )
    assert tomllib.loads(now) == found


@pytest.mark.parametrize(
    ("name", "verdict", "splits"), [("conv1d-autoencoder", "passed", 3), ("mlp-autoencoder", "failed", 10)]
)
def test_shipped_weights_pass_or_fail_as_the_pages_say(name, verdict, splits):
    shipped = [
        case
        for case in judged()[name].cases
        if INDEX[name][f"{case.benchmark}/{case.preset}/{case.split}"]["seed"] == case.seed
    ]
    assert len(shipped) == splits
    for case in shipped:
        assert decide([case], GATES, None, code_size_known=True).verdict == verdict, case.split


def test_every_anchor_is_sorted():
    assert {anchor.name for _, case in cases() for anchor in case.anchors} == LEARNS_NOTHING | KNOWS_THE_ANSWER.keys()


def test_predictors_that_learn_nothing_fail():
    checked = set()
    for model, case in cases():
        for result in case.gates:
            for anchor in case.anchors:
                score = case.score(result.metric)
                same = anchor.metric == result.metric and anchor.judge in ("", score.judge)
                if same and result.bound is not None and anchor.name in LEARNS_NOTHING:
                    assert score.better == "higher"
                    assert anchor.value < result.bound, (model, case.split, anchor)
                    checked.add(anchor.name)
    # Shortcuts are recorded beside efficiency only, which is not gated; the tests of shipped gates compute them.
    assert checked == LEARNS_NOTHING - {"best shortcut"}


def test_the_identity_does_not_pass():
    reconstructions = [case for _, case in cases() if case.output == "reconstruction"]
    assert reconstructions
    for case in reconstructions:
        (ceiling,) = {
            anchor.value
            for anchor in case.anchors
            if anchor.name == "identity"
            and (anchor.metric, anchor.judge) == (case.scores[0].metric, case.scores[0].judge)
        }
        copied = replace(case, scores=(replace(case.scores[0], value=ceiling, interval=None),))
        assert decide([copied], GATES, None, code_size_known=True).verdict == "passed"
        assert decide([copied], GATES, None, code_size_known=False).verdict == "inconclusive"


def test_what_is_not_gated_is_not_called_passed():
    assert verdict_line(judged()["scl"]) == ("27 scores: 27 not gated", True)
