"""Models of sets of images, and encoders that compare them: inspected, probed, told the rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.cli import main
from pytest_genbench.errors import MissingOutputError, ModelError
from pytest_genbench.models import ModelOptions, load, probe, wrap
from pytest_genbench.models.similarity import SimilarityModel, of_sets, unlikeness

from .builders import node, options, save, value

SET = ("N", 4, 3, "h", "w")


def pooled(path, shape, output, axes, metadata=None):
    """Write a graph that gives the mean over some axes."""
    nodes = [node("ReduceMean", ["x"], [output], axes=axes, keepdims=0)]
    left = [axis for at, axis in enumerate(shape) if at not in axes]
    return save(path, nodes, [value("x", shape)], [value(output, left)], metadata=metadata)


def told(path):
    """Write a model of sets that adds the number of the rule, to the score of the first image only."""
    nodes = [
        node("ReduceMean", ["x"], ["mean"], axes=[2, 3, 4], keepdims=0),
        node("Cast", ["rule"], ["number"], to=1),
        node("Unsqueeze", ["number", "one"], ["column"]),
        node("Mul", ["column", "first"], ["more"]),
        node("Add", ["mean", "more"], ["scores"]),
    ]
    weights = {"one": np.array([1]), "first": np.array([[1, 0, 0, 0]], dtype=np.float32)}
    inputs = [value("x", SET), value("rule", ("N",), "int64")]
    return save(path, nodes, inputs, [value("scores", ("N", 4))], weights)


def inspected(path, capsys, benchmark="cvr"):
    """Run ``genbench inspect``; returns its status and words."""
    status = main(["inspect", str(path), "--benchmark", benchmark])
    return status, " ".join(capsys.readouterr().out.split())


def test_a_model_of_sets_is_usable(tmp_path, capsys):
    status, text = inspected(pooled(tmp_path / "m.onnx", SET, "scores", [2, 3, 4]), capsys)
    assert status == 0
    assert "set float32 NCHW (4, 3, any, any) in [0, 1], any batch -> scores" in text
    assert "shape (4, 3, any, any) (images, C, H, W)" in text
    assert "tried on random sets of 4 images (128, 128, 3) (H, W, C): batch of 1 scores (1, 4)" in text
    assert "note range is not declared" in text
    assert "odd_one_out yes: scores generalisation yes: scores" in text


def test_an_output_without_a_name_can_only_be_scores(tmp_path, capsys):
    status, text = inspected(pooled(tmp_path / "m.onnx", SET, "y", [2, 3, 4]), capsys)
    assert status == 0
    assert "odd_one_out yes: scores = 'y'" in text


@pytest.mark.parametrize("output", ["embedding", "pooled"])
def test_an_encoder_is_usable_and_images_are_drawn_as_it_takes_them(output, tmp_path, capsys):
    path = pooled(tmp_path / "m.onnx", ("N", 3, 96, 96), output, [2])
    status, text = inspected(path, capsys)
    if output == "pooled":  # (N, 3, 96) may be anything
        assert status == 1
        assert "unusable: cvr shows sets of 4 images" in text
        status, text = inspected(pooled(path, ("N", 3, 96, 96), output, [2, 3]), capsys)
    assert status == 0
    assert "as one of sets of 4 images: scored by the similarity of its embeddings" in text
    assert "sets of 4 images (96, 96, 3)" in text
    assert "reverse yes: scores" in text


@pytest.mark.parametrize(
    ("shape", "output", "axes", "words"),
    [
        (
            ("N", 3, 64, 64),
            "reconstruction",
            [],
            "with the output embedding, whose embeddings are compared; this model takes single images and offers reconstruction",
        ),
        (("N", 3, 64, 48), "embedding", [2, 3], "takes images of 64 x 48 pixels; cvr draws square ones"),
        (("N", 3, 24, 24), "embedding", [2, 3], "cvr draws images of 32 to 512 pixels a side; got 24"),
        (("N", 5, 3, 64, 64), "scores", [2, 3, 4], "takes 5 images at once"),
        (("N", "length"), "embedding", [], "this model takes single signals and offers embedding"),
    ],
)
def test_what_cannot_take_part(shape, output, axes, words, tmp_path, capsys):
    path = tmp_path / "m.onnx"
    if axes:
        pooled(path, shape, output, axes)
    else:
        save(path, [node("Identity", ["x"], [output])], [value("x", shape)], [value(output, shape)])
    status, text = inspected(path, capsys)
    assert status == 1
    assert "unusable: " in text
    assert words in text


def test_a_model_of_sets_is_told_that_others_have_images(tmp_path, capsys):
    status, text = inspected(pooled(tmp_path / "m.onnx", SET, "scores", [2, 3, 4]), capsys, "shapes3d")
    assert status == 1
    assert "the model takes sets of images; shapes3d has images" in text


def test_a_model_that_is_told_the_rule(tmp_path, capsys):
    path = told(tmp_path / "m.onnx")
    status, text = inspected(path, capsys)
    assert status == 0
    assert "extra rule [graph]" in text
    model = load(options(path))
    sets = np.zeros((9, 4, 32, 32, 3), dtype=np.uint8)
    probe(model, sets)
    probe(model, sets, about={"rule": np.arange(9)[::-1]})
    with pytest.raises(ModelError, match="says something about problems"):
        model.predict(sets)


def test_the_probes_tell_each_item_its_own_rule():
    rules = []

    def function(images, rule):
        rules.append(rule.tolist())
        return {"scores": images.mean((2, 3, 4)) + rule[:, None]}

    function.genbench = {"layout": "NHWC"}
    model = wrap(function, ModelOptions(""), name="f", image_shape=(4, 8, 8, 3))
    rules.clear()
    probe(model, np.random.default_rng(0).integers(0, 255, (7, 4, 8, 8, 3), dtype=np.uint8))
    assert rules == [list(range(7))] * 2 + [[0], [6]]


def test_an_encoder_that_is_told_the_rule_compares():
    def encoder(images, rule):
        return {"embedding": images.reshape(len(images), -1)[:, :9] + rule[:, None]}

    encoder.genbench = {"layout": "NHWC", "outputs": "embedding=embedding"}
    model = of_sets(wrap(encoder, ModelOptions(""), name="f", image_shape=(4, 8, 8, 3)), 4, "cvr")
    assert isinstance(model, SimilarityModel)
    sets = np.full((2, 4, 8, 8, 3), 9, dtype=np.uint8)
    sets[:, 1, 0] = 255, 0, 0
    scores = model.predict(sets, about={"rule": np.array([0, 5])})["scores"]
    assert scores.argmax(1).tolist() == [1, 1]
    assert scores[0, 1] > scores[1, 1], "the rule is the same for all images of a set, and makes them alike"
    probe(model, np.repeat(sets, 4, axis=0))


def test_what_flattens_its_input_embeds_single_images():
    def flat(images):
        return {"embedding": images.reshape(len(images), -1)}

    model = wrap(lambda images: flat(images), ModelOptions(""), name="f", image_shape=(4, 8, 8, 3))
    assert model.contract.input_kind == "image"
    assert model.contract.shapes["embedding"][1] == 8 * 8 * 3


def test_a_comparison_has_scores_alone(tmp_path):
    model = of_sets(load(options(pooled(tmp_path / "m.onnx", ("N", 3, "h", "w"), "embedding", [2, 3]))), 4, "cvr")
    with pytest.raises(MissingOutputError, match="offers scores, not 'embedding'"):
        model.predict(np.zeros((1, 4, 8, 8, 3), dtype=np.uint8), ("embedding",))


def test_embeddings_without_a_direction_are_like_none():
    embeddings = np.array([[[0.0, 0], [2, 0], [3, 0], [0, 0]]])
    assert unlikeness(embeddings).tolist() == [[0, -2, -2, 0]]


def test_what_is_said_of_an_encoder_that_compares(tmp_path):
    """It takes any number of sets, and what was fitted over the embedding is named first."""
    encoder = load(options(pooled(tmp_path / "m.onnx", (1, 3, 8, 8), "embedding", [2, 3])))
    assert encoder.contract.batch == 1
    model = of_sets(encoder, 4, "cvr")
    assert (model.contract.batch, model.contract.shape) == (None, (4, 3, 8, 8))
    assert model.predict(np.zeros((3, 4, 8, 8, 3), dtype=np.uint8))["scores"].shape == (3, 4)
    encoder.contract = replace(encoder.contract, readout="linear")
    assert of_sets(encoder, 4, "cvr").contract.readout == "linear, scored by the similarity of its embeddings"
