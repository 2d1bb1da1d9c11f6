"""The reasoning suite end to end: models of four images, encoders of one, and what they may do wrong."""

import pytest

from tests.plugin.conftest import run_pytest

FEW = "few and size and n50 and not n500"
"""A test with 50 training problems, which are scored beside those held out."""

MODELS = """
import numpy as np

def ink(images):
    return (images < 1).any(axis=-3).sum(axis=(-2, -1)).astype(np.float64)

def unlike(images):
    own = ink(images)
    return abs(own - (own.sum(1, keepdims=True) - own) / 3)

def made(function):
    return lambda: function

@made
def counts(images):
    return {"scores": unlike(images)}

@made
def unnamed(images):
    return unlike(images)

@made
def places(images):
    return {"scores": unlike(images).argmax(1)}

@made
def bare_places(images):
    return unlike(images).argmax(1)

@made
def first(images):
    return {"scores": np.tile([3.0, 2.0, 1.0, 0.0], (len(images), 1))}

@made
def ties(images):
    return {"scores": np.zeros((len(images), 4))}

@made
def broken(images):
    scores = unlike(images)
    scores[ink(images).sum(1) > np.median(ink(images).sum(1))] = np.nan
    return {"scores": scores}

@made
def three(images):
    return {"scores": unlike(images)[:, :3]}

@made
def far(images):
    return {"scores": np.full(len(images), 7)}

@made
def told(images, rule):
    assert ((rule >= 0) & (rule < 103)).all()
    return {"scores": unlike(images) * (rule == 2)[:, None]}

class Trained:
    def __call__(self, images):
        return {"scores": unlike(images)}

class Learner:
    outputs = ("scores",)

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        assert (len(task), len(task.validation)) == (50, 500)
        assert task.images([0, 49]).shape == (2, 4, 64, 64, 3)
        assert set(task.targets()["scores"]) == {0, 1, 2, 3}
        assert (task.validation.levels([0, 499])[:, 0] == 2).all()
        return Trained()

def embeds():
    def encode(image):
        return {"embedding": np.stack([np.log(ink(image) + 1) - 5, np.ones(len(image))], axis=1)}
    encode.genbench = {"outputs": "embedding=embedding"}
    return encode

def classifies():
    def classify(image):
        number, channels, height, width = image.shape
        return {"factors": np.stack([ink(image)] * 10, axis=1)}
    return classify

def small():
    import torch
    class Net(torch.nn.Module):
        def forward(self, images):
            if images.shape[-1] != 32:
                raise ValueError("32 pixels only")
            own = (images < 1).any(2).sum((-2, -1)).double()
            return {"scores": (own - own.mean(1, keepdim=True)).abs()}
    return Net()
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run one test of the reasoning suite on few problems; returns the result and everything it printed."""
    pytester.makepyfile(zoo=MODELS)

    def run_it(model, *options, which=FEW):
        always = ["--genbench-suite=reasoning", "--genbench-preset=mini", "--genbench-samples=60", "-k", which]
        return run_pytest(pytester, monkeypatch, [*always, f"--genbench-model={model}", *options], own_process=False)

    return run_it


@pytest.mark.parametrize("model", ["counts", "unnamed", "told", "embeds"])
def test_who_compares_sizes_passes(run, model):
    """Of four images at once, with an output without a name, told the rule, or encoding one image at a time."""
    result = run(f"zoo:{model}", "--genbench-save=r.json")
    result.assert_outcomes(passed=1, deselected=89)
    result.stdout.fnmatch_lines(["*2 size (n = 50)*  1.000  0.940 to 1.000     1.000  0.000  not gated*"])
    result.stdout.fnmatch_lines(["*anchors: chance 0.250, best shortcut *people 1.000*"])


@pytest.mark.parametrize("model", ["places", "bare_places"])
def test_places_are_accepted_and_that_is_said(run, model):
    result = run(f"zoo:{model}")
    assert result.parseoutcomes()["passed"] == 1
    result.stdout.fnmatch_lines(
        ["*scores are whole numbers, one for each problem: taken for the place of the odd image*"]
    )


def test_ties_are_wrong_and_counted(run):
    result = run("zoo:ties")
    result.stdout.fnmatch_lines(["*2 size (n = 50)*  0.000  0.000 to 0.060     0.000  0.000  *"])
    result.stdout.fnmatch_lines(["*what went wrong on 60 held-out problems: *ties 100.0%*"])


def test_the_rule_is_held_to_a_gate(run):
    """The elementary rules have a floor, and the interval over problems decides."""
    result = run("zoo:counts", which="odd_one and rot")
    result.stdout.fnmatch_lines(["*accuracy: expected >= 0.8, got 0.* (95 % interval * Wilson, n = 60)*"])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("broken", "*Output 'scores' is not finite (NaN or infinity) for * images*"),
        (
            "three",
            "*Output 'scores' has shape (*, 3)*expected is (N, 4), a score for each image, the highest for the odd one*",
        ),
        ("far", "*from 7 to 7; the place of the odd image is 0 to 3*"),
        (
            "classifies",
            "*skipped: *cvr shows sets of 4 images: to a model of sets with the output scores, or to an encoder*embedding*",
        ),
    ],
)
def test_what_is_no_answer_is_explained(run, model, said):
    result = run(f"zoo:{model}")
    assert result.ret == 1
    result.stdout.fnmatch_lines([said])


def test_a_slip_that_every_test_shares_is_said_once(run):
    result = run("zoo:counts", "--genbench-preset=smal")
    assert result.ret == 4
    assert str(result.stderr).count("has no preset 'smal'") == 1
    result.stderr.fnmatch_lines(["*: cvr has no preset 'smal'. Known: checked, mini, published. (and 4 more like it)"])


def test_images_are_drawn_as_large_as_the_model_takes_them(run):
    pytest.importorskip("torch")
    run("zoo:small").assert_outcomes(passed=1, deselected=89)


def test_who_looks_at_places_is_found_out(run):
    """A model that always names the first image agrees with itself never when the images change places."""
    result = run("zoo:first", which="order and size")
    result.stdout.fnmatch_lines(["*order_agreement: expected >= 0.9, got 0.0000*"])


def test_a_learner_is_given_problems_and_others_to_choose_by(run):
    result = run("zoo:Learner", "--genbench-cache=cache")
    result.assert_outcomes(passed=1, deselected=89)
    result.stdout.fnmatch_lines(["*2 size (n = 50)*  1.000 *", "*models: 1 trained*"])


def test_a_probe_has_nothing_to_add(run):
    run("zoo:embeds", "--genbench-probe=linear").assert_outcomes(passed=1, deselected=89)
