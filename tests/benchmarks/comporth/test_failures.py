"""Which items went wrong worst, and what was read of them."""

from __future__ import annotations

import base64
import io
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_genbench import evaluation
from pytest_genbench.benchmarks import Judges, Ranks
from pytest_genbench.benchmarks.comporth import CompOrth, judge
from pytest_genbench.evaluation import evaluate, predict
from pytest_genbench.metrics.reading import encode_words
from pytest_genbench.models import ModelOptions, load
from pytest_genbench.rng import stream

EXAMPLES = Path(__file__).parents[3] / "examples" / "comporth"
COMPORTH = CompOrth("mini")
STIMULI = COMPORTH.stimuli
SPLIT = next(split for split in COMPORTH.splits("compositional") if split.slug == "compositional-B5")
EACH = STIMULI.grid.size // len(STIMULI.words)


def item(word, number=0):
    """The number of an image of a word, among those at all shifts and spacings."""
    return STIMULI.words.index(word) * EACH + number


def drawn(items):
    return STIMULI.images(np.asarray(items)).astype(np.float32) / 255


def scored(items, made, task="reconstruction", batches=(10**6,)):
    """Give a scorer what a model made of items, in batches of these sizes in turn."""
    scorer, start, turn = COMPORTH.tasks[task].scorer(SPLIT), 0, 0
    while start < len(items):
        some = slice(start, start + batches[turn % len(batches)])
        outputs = {name: array[some] for name, array in made.items()}
        scorer.add(items[some], STIMULI.images(items[some]), outputs)
        start, turn = some.stop, turn + 1
    return scorer


def test_the_last_letter_is_taken_for_the_other_one():
    """Of four words some images show an A in the end where a B was shown; all others come back as they were."""
    wrong = [item("AAAAB", 3), item("AAAAB", 4), item("BABAB", 0), item("BBBBB", 17), item("ABABB", 5)]
    made = SPLIT.test.copy()
    for each in wrong:
        made[SPLIT.test == each] = each - EACH  # the word before a word that ends with B ends with A
    scorer = scored(SPLIT.test, {"reconstruction": drawn(made)})
    # All are equally wrong: the first item of each word, in order.
    assert isinstance(scorer, Ranks)
    worst = scorer.worst()
    assert worst.tolist() == [item("AAAAB", 3), item("ABABB", 5), item("BABAB", 0), item("BBBBB", 17)]
    read = COMPORTH.tasks["reconstruction"].reading(worst, {"reconstruction": drawn(worst - EACH)})
    assert read == [
        ("AAAAB", "AAAAA (1.00)"),
        ("ABABB", "ABABA (1.00)"),
        ("BABAB", "BABAA (1.00)"),
        ("BBBBB", "BBBBA (1.00)"),
    ]


def test_nothing_is_worst_where_all_is_right():
    assert scored(SPLIT.test, {"reconstruction": drawn(SPLIT.test)}).worst().tolist() == []


def test_what_the_judge_takes_for_nearly_right_is_less_wrong():
    sure, unsure = item("AAABB"), item("AAAAB")
    other = drawn([unsure - EACH])[0]
    for share in np.linspace(0.3, 1, 71):
        mixed = ((1 - share) * drawn([unsure])[0] + share * other).astype(np.float32)
        probability = judge.get(judge.PUBLISHED).read(mixed[None])[0]
        if probability.argmax() != STIMULI.words.index("AAAAB"):
            break
    assert probability[STIMULI.words.index("AAAAB")] > 0.1
    for items in ([sure, unsure], [unsure, sure]):
        made = np.stack([mixed if each == unsure else drawn([sure - EACH])[0] for each in items])
        assert scored(np.array(items), {"reconstruction": made}).worst().tolist() == [sure, unsure]


SOME = np.sort(stream("failures").choice(SPLIT.test, 60, replace=False))
BLURRED = np.float32(0.45) * drawn(SOME) + np.float32(0.55) * drawn(SOME - EACH)
WORST = scored(SOME, {"reconstruction": BLURRED}).worst().tolist()


@given(order=st.permutations(range(len(SOME))), batches=st.lists(st.integers(1, 40), min_size=1, max_size=4))
@settings(max_examples=8)
def test_order_and_batches_do_not_matter(order, batches):
    assert len(WORST) == 4
    assert scored(SOME[order], {"reconstruction": BLURRED[order]}, batches=batches).worst().tolist() == WORST


def logits(words):
    codes = encode_words([*words, "A" * 5], "AB")[:-1]
    return {f"factor.letter_{k + 1}": np.eye(3, dtype=np.float32)[codes[:, k]] for k in range(5)}


def test_words_with_the_most_wrong_letters_are_worst():
    items = np.array([item("AAAAB"), item("AAABB"), item("AABBB", 2), item("AABBB", 1), item("ABABB")])
    scorer = scored(items, logits(["AAAAB", "AAABA", "BBABB", "BBAAB", "AB"]), "recognition", batches=(2,))
    # Of AABBB the item with four wrong letters; three of ABABB; one of AAABB; AAAAB is right.
    assert scorer.worst().tolist() == [item("AABBB", 1), item("ABABB"), item("AAABB")]


def test_a_gap_in_a_word_is_shown():
    made = logits(["ABA", "BAB", "A"])
    made["factor.letter_2"][0] = made["factor.letter_1"][2] = [1, 0, 0]
    reading = COMPORTH.tasks["recognition"].reading(np.array([item("ABA"), item("BAB"), item("A")]), made)
    assert reading == [("ABA", "A_A"), ("BAB", "BAB"), ("A", "no letters")]


class Slow:
    """Reads nothing, slowly: 10 ms to start, 20 ms until it is read."""

    def start(self, images):
        time.sleep(0.01)

        def read():
            time.sleep(0.02)
            return np.full((len(images), 62), 1 / 62, np.float32)

        return read


def test_waiting_for_the_judges_is_timed(monkeypatch):
    monkeypatch.setattr(judge, "get", lambda name: Slow())
    start = time.perf_counter()
    scorer = scored(SPLIT.test, {"reconstruction": drawn(SPLIT.test)}, batches=(96,))
    assert isinstance(scorer, Judges)
    scorer.worst()
    # Three batches, two judges.
    assert 3 * 2 * 0.03 <= scorer.judging < time.perf_counter() - start


def test_a_model_that_fails_shows_how(monkeypatch):
    model = load(ModelOptions(str(EXAMPLES / "mlp" / "compositional-B5.onnx")))
    task = replace(COMPORTH.tasks["reconstruction"], in_split=False)
    small, whole = (run(monkeypatch, task, model, batch) for batch in (7, 64))
    assert small.seconds["judge"] > 0
    assert [each.right for each in small.failures] == ["AAAAB", "AAABB", "AABAB", "AABBB"]
    assert [replace(each, output="") for each in small.failures] == [
        replace(each, output="") for each in whole.failures
    ]
    for each in small.failures:
        assert each.read.split()[0] in set(STIMULI.words) - {each.right}
        with Image.open(io.BytesIO(base64.b64decode(each.output))) as picture:
            assert (picture.size, picture.mode) == ((64, 64), "L")
            made = predict(model, COMPORTH.images([each.item]), ["reconstruction"])["reconstruction"][0, ..., 0]
            np.testing.assert_allclose(np.asarray(picture), made * 255, atol=0.51)


def run(monkeypatch, task, model, batch):
    monkeypatch.setattr(evaluation, "BATCH", batch)
    return evaluate(COMPORTH, SPLIT, task, model, samples=100)
