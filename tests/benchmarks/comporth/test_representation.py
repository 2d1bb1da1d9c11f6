"""What single units of a code stand for: scores of codes that are known exactly, and perturbed units."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.comporth.representation import CHANGES, DisentanglementScorer, perturbations
from pytest_genbench.metrics.reading import encode_words
from pytest_genbench.models import Contract

COMPORTH = get("comporth", "mini")
STIMULI = COMPORTH.stimuli
TASK = COMPORTH.tasks["disentanglement"]
SPLIT = COMPORTH.splits("compositional")[9]
EVERYTHING = TASK.items(SPLIT)
LEVELS = STIMULI.grid.levels(EVERYTHING)
LETTERS = encode_words(STIMULI.words, STIMULI.letters)[LEVELS[:, 0]].astype(np.float32)
PLACE = LEVELS[:, 1:].astype(np.float32)


def decode(codes):
    """Draw the word and place that a code (letters at five positions, x, y, spacing) says: each rounded to what there is."""
    letters = np.clip(np.rint(codes[:, :5]), 0, 2).astype(int)
    texts = ["".join("-AB"[c] for c in row).partition("-")[0] or "A" for row in letters]
    words = np.array([STIMULI.words.index(text) for text in texts])
    places = [np.clip(np.rint(codes[:, 5 + k]), 0, STIMULI.grid.shape[1 + k] - 1).astype(int) for k in range(3)]
    return STIMULI.images(STIMULI.grid.index(np.column_stack([words, *places]))).astype(np.float32) / 255


def scored(codes, decoder=None, reconstruction=None):
    scorer = DisentanglementScorer(STIMULI, SPLIT, decoder)
    for start in range(0, len(codes), 400):
        some = slice(start, start + 400)
        outputs = {"embedding": codes[some]}
        if reconstruction is not None:
            outputs["reconstruction"] = reconstruction[some]
        scorer.add(EVERYTHING[some], STIMULI.images(EVERYTHING[some]), outputs)
    return {score.metric: score for score in scorer.scores(len(codes), "all")}


def test_a_unit_for_each_letter():
    found = scored(LETTERS)
    assert found["mir_letters"].value == pytest.approx(1)
    assert found["mig_letters"].value == pytest.approx(1)
    assert found["active_units"].value == 5
    assert {"excess_bce", "mse", "perturbed_nothing"}.isdisjoint(found)


def test_two_letters_mixed():
    mixed = np.column_stack([LETTERS[:, 0] + LETTERS[:, 1], LETTERS[:, 0] - LETTERS[:, 1]])
    found = scored(mixed)
    assert found["mir_letters"].value == pytest.approx(0.375)
    assert found["mig_letters"].value == pytest.approx(0)


def test_order_and_dead_units_do_not_matter():
    plain, other = scored(LETTERS), scored(np.column_stack([LETTERS[:, ::-1], np.zeros((len(LETTERS), 3))]))
    assert other["mir_letters"].value == pytest.approx(plain["mir_letters"].value)
    assert other["active_units"].value == 5


def test_all_factors_have_more_to_tell():
    found = scored(np.column_stack([LETTERS, PLACE]))
    assert found["mir_letters"].n < found["mir_all"].n == len(EVERYTHING)
    assert 0 < found["mig_all"].value < 1


def test_scores_are_the_means_of_their_parts():
    for score in scored(np.column_stack([LETTERS, PLACE]), decode).values():
        if score.clusters:
            total = sum(value for _, value in score.clusters.values())
            assert score.value == pytest.approx(total / sum(count for count, _ in score.clusters.values())), (
                score.metric
            )


def test_losses():
    images = STIMULI.images(EVERYTHING).astype(np.float32) / 255
    same, grey = scored(LETTERS, None, images), scored(LETTERS, None, np.full_like(images, 0.5))
    assert same["excess_bce"].value == pytest.approx(0, abs=1e-2)
    assert same["mse"].value == pytest.approx(0, abs=1e-12)
    # Cross-entropy of a grey picture is ln 2 for each pixel, whatever is shown; the entropy of the originals is taken off.
    entropy = -(np.where(images > 0, images * np.log(np.maximum(images, 1e-30)), 0))
    entropy -= np.where(images < 1, (1 - images) * np.log(np.maximum(1 - images, 1e-30)), 0)
    expected = 64 * 64 * np.log(2) - entropy.reshape(len(images), -1).sum(axis=1).mean()
    assert grey["excess_bce"].value == pytest.approx(expected, rel=1e-4)
    assert grey["excess_bce"].better == "lower"


def test_perturbed_units_change_what_they_stand_for():
    codes = np.column_stack([LETTERS, PLACE])
    # A five-letter word, a letter of which may turn into the other one or, at the end, vanish.
    start = codes[(LETTERS > 0).all(axis=1)][:6]
    found = perturbations(STIMULI, start, codes, decode)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1)
    letter, place = found.shares[0], found.shares[5:]
    np.testing.assert_allclose(place[:, CHANGES.index("nothing")], 1)
    assert letter[CHANGES.index("one_letter")] > 0.2
    assert found.shares[4, CHANGES.index("length")] > 0.2
    assert found.entropies[0] == 0
    assert np.isnan(found.entropies[5])


def test_a_unit_that_changes_everything():
    def upside_down(codes):
        turned = codes.copy()
        turned[codes[:, 8] > 0.5, :5] = np.where(codes[codes[:, 8] > 0.5, :5] == 1, 2, 1)
        return decode(turned)

    codes = np.column_stack([LETTERS, PLACE, np.arange(len(LETTERS)) % 2]).astype(np.float32)
    start = codes[((LETTERS > 0).all(axis=1)) & (codes[:, 8] == 0)][:6]
    shares = perturbations(STIMULI, start, codes, upside_down).shares
    assert shares[8, CHANGES.index("several")] > 0.3


def test_a_model_that_decodes_has_its_units_perturbed():
    contract = Contract("x", outputs={"embedding": "embedding"}, layout="NHWC")
    codes = np.column_stack([LETTERS, PLACE])
    fitted = TASK.of_model(TASK, SimpleNamespace(contract=contract, decode=decode))
    scorer = fitted.scorer(SPLIT)
    scorer.add(EVERYTHING, STIMULI.images(EVERYTHING), {"embedding": codes})
    found = {score.metric: score.value for score in scorer.scores(len(codes), "all")}
    assert sum(found[f"perturbed_{change}"] for change in CHANGES) == pytest.approx(1)
    assert found["position_entropy"] < 0.7
    assert TASK.of_model(TASK, SimpleNamespace(contract=contract)) is TASK
    assert TASK.of_model(TASK, SimpleNamespace(contract=contract, decode=decode, can_decode=False)) is TASK


def test_anchors_are_known_exactly():
    split = get("comporth").splits("compositional")[0]
    found = {
        (anchor.name, anchor.metric): anchor.value for anchor in get("comporth").tasks["disentanglement"].anchors(split)
    }
    assert found["a unit for each letter", "mir_letters"] == pytest.approx(1)
    assert found["two letters mixed", "mir_letters"] == pytest.approx(0.375)
    assert found["number of second letters", "mig_letters"] == pytest.approx(0.167553, abs=1e-6)
    assert found["number of second letters", "mir_letters"] == pytest.approx(0)
    assert found["number of the word", "mig_letters"] == pytest.approx(0.775, abs=5e-4)
    assert found["number of the word", "mir_letters"] == pytest.approx(0.0726, abs=5e-5)
    assert 0.05 < found["noise", "mir_letters"] < 0.15


def test_other_alphabets_are_scored_without_a_judge():
    from pytest_genbench.benchmarks.comporth import CompOrth

    other = CompOrth("mini", letters="XO", max_length=3)
    task, split = other.tasks["disentanglement"], other.splits("compositional")[0]
    index = task.items(split)
    letters = encode_words(other.stimuli.words, "XO")[other.levels(index)[:, 0]]
    scorer = task.scorer(split)
    scorer.add(index, other.images(index), {"embedding": letters.astype(np.float32)})
    assert scorer.scores(len(index), "all")[0].value == pytest.approx(1)
