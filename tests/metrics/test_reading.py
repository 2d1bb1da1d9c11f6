import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.metrics.reading import LETTERS, LONG, REPLACED, RIGHT, SHORT, encode_words, lengths, reading_errors

WORDS = st.lists(st.text("AB", min_size=1, max_size=5), min_size=1, max_size=20)


def codes(words):
    padded = encode_words([*words, "AAAAA"], "AB")
    return padded[:-1]


@pytest.mark.parametrize(
    ("shown", "read", "kind"),
    [
        ("AABAB", "AABAB", RIGHT),
        ("AABAB", "AABAA", REPLACED),
        ("AABAB", "BABAA", LETTERS),
        ("AABAB", "BABAB", LETTERS),
        ("AABAB", "AABA", SHORT),
        ("AABAB", "B", SHORT),
    ],
)
def test_each_kind(shown, read, kind):
    found = reading_errors(codes([read]), codes([shown]), held_out=(2, 4))
    assert {name for name, count in found.items() if count} == {kind}


def test_too_long_and_no_held_out_letter():
    assert reading_errors(codes(["AAB"]), codes(["AA"]))[LONG] == 1
    assert reading_errors(codes(["AB"]), codes(["AA"]))[REPLACED] == 0


def test_a_gap_is_not_an_end():
    assert lengths(np.array([[1, 0, 2, 0, 0], [0, 0, 0, 0, 0]])).tolist() == [3, 0]


@given(shown=WORDS, seed=st.integers(0, 2**16), held_out=st.none() | st.tuples(st.integers(1, 2), st.integers(0, 4)))
def test_counts_sum_to_the_items(shown, seed, held_out):
    target = codes(shown)
    read = np.random.default_rng(seed).integers(0, 3, target.shape)
    found = reading_errors(read, target, held_out)
    assert sum(found.values()) == len(shown)
    assert found[RIGHT] == int((read == target).all(axis=1).sum())
